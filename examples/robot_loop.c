// examples/robot_loop.c - the library in a robot's loop: an arm with two joints draws a line on a table.
//
// Every millisecond the robot's own model gives M(q), the tip's Jacobian J(q) and the torques; the
// contact of the tip is one solve. The tip comes down, touches, slides to the right under a downward
// push of 5 N, and friction (mu = 0.4) holds against it with 2 N. The loop takes no memory after its
// second tick.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>

enum { TICKS = 2000 };
static const double h = 1e-3, l1 = 0.5, l2 = 0.5, m1 = 2, m2 = 1,
                    base = 0.6;  // s, m, kg; shoulder at (0, base)

// ---- the robot's own model: what Pinocchio, RBDL or generated code would give -------------------

static void tip(const double q[2], double p[2], double J[4]) {
  double s1 = sin(q[0]), c1 = cos(q[0]), s12 = sin(q[0] + q[1]), c12 = cos(q[0] + q[1]);
  p[0] = l1 * c1 + l2 * c12, p[1] = base + l1 * s1 + l2 * s12;
  J[0] = l1 * c1 + l2 * c12, J[1] = l2 * c12;    // height: the normal comes first
  J[2] = -l1 * s1 - l2 * s12, J[3] = -l2 * s12;  // along the table
}

static void inertia(const double q[2], const double v[2], double M[4], double bias[2]) {
  double c = m2 * l1 * l2 * cos(q[1]), s = m2 * l1 * l2 * sin(q[1]);
  M[0] = (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2 * c, M[1] = M[2] = m2 * l2 * l2 + c,
  M[3] = m2 * l2 * l2;
  bias[0] = -s * (2 * v[0] * v[1] + v[1] * v[1]), bias[1] = s * v[0] * v[0];
}

static void control(double t, const double p[2], const double u[2], const double J[4],
                    double torque[2]) {
  double x = 0.3 + 0.15 * fmin(t, 1.5);                 // where the tip should be
  double along = 400 * (x - p[0]) - 40 * u[1];          // u: normal, tangent
  double down = p[1] > 1e-4 ? -20 * (u[0] + 0.2) : -5;  // come down slowly, then push
  for (int i = 0; i < 2; i++) torque[i] = J[i] * down + J[2 + i] * along;
}

// ---- memory, counted --------------------------------------------------------------------------

static void *take(void *user, size_t bytes) {
  ++*(int *)user;
  return malloc(bytes);
}

static void give(void *user, void *mem) {
  (void)user;
  free(mem);
}

int main(void) {
  int taken = 0, taken_early = 0, unsolved = 0;
  double q[2] = {0.3, -1.9}, v[2] = {0}, u[2] = {0}, r[2] = {0};
  double M[4], J[4], p[2], bias[2], torque[2], f[2], w[2] = {0};
  const int64_t rows[] = {0, 2, 4};
  const int cols[] = {0, 1, 0, 1};
  const double mu[] = {0.4};
  ss_problem problem = {.form = SS_GLOBAL,
                        .dim = 2,
                        .nc = 1,
                        .ndof = 2,
                        .mu = mu,
                        .f = f,
                        .w = w,
                        .M = {2, 2, rows, cols, M},
                        .H = {2, 2, rows, cols, J}};
  ss_context ctx = {.alloc = take, .release = give, .user = &taken};
  ss_options options = ss_options_default();
  options.tol = 1e-10;
  options.time_limit_s = 0.1;  // a late answer is no answer: h / 2, on a real-time system
  ss_solver *solver = NULL;
  for (int tick = 0; tick < TICKS; tick++) {
    tip(q, p, J);
    inertia(q, v, M, bias);
    control(tick * h, p, u, J, torque);
    for (int i = 0; i < 2; i++)  // M v' + f = J^T r:  f = -(M v + h (torque - bias))
      f[i] = -(M[2 * i] * v[0] + M[2 * i + 1] * v[1] + h * (torque[i] - bias[i]));
    w[0] = p[1] / h;  // u_N = J_N v' + gap/h >= 0: the gap may close in this tick, and no further
    if (solver ? ss_solver_update(solver, &problem)
               : ss_solver_create(&ctx, &problem, &options, &solver))
      return puts(ctx.message), 1;
    ss_info info;
    double next[2];
    if (ss_solve(solver, r, u, next, NULL, &info))
      return puts(ctx.message), 1;                                    // r: last tick's is the guess
    if (info.status != SS_SOLVED) unsolved++, next[0] = next[1] = 0;  // your safe answer: stop
    for (int i = 0; i < 2; i++) v[i] = next[i], q[i] += h * v[i];
    u[0] -= w[0];  // back to the tip's velocity
    if (tick == 1) taken_early = taken;
    if (tick % 500 == 499)
      printf("t = %.1f s: tip (%.3f, %.3f) m, contact force (%.2f, %.2f) N\n", (tick + 1) * h, p[0],
             fabs(p[1]), r[0] / h, r[1] / h);
  }
  printf("ticks not solved: %d; calls for memory after the second tick: %d\n", unsolved,
         taken - taken_early);
  ss_solver_destroy(solver);
  return unsolved > 0;
}
