// A block is pushed along the ground and let go; a camera saw where it was, to the millimetre. What is its friction?
//
// Each time step is a friction problem, M v + f = H^T r with f = -(M v_before + h F). The derivative of its solution carries
// dv/dmu from step to step (f changes with v_before), and so the derivative of all positions with respect to mu; Gauss-Newton's method
// does the rest. The observations are x = 2 t - mu g t^2/2, until it stops, with mu = 0.37: rounding leaves 0.3700.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>

enum { STEPS = 200, EVERY = 10, SEEN = STEPS / EVERY, ROUNDS = 6 };
static const double H_S = 0.005, G = 9.81, SPEED = 2, MASS = 3;

typedef struct track {
  double x[SEEN], dx[SEEN];  // positions, and their derivative with respect to mu
} track;

static void observe(double *x) {
  const double mu = 0.37, stop = SPEED / (mu * G);
  for (int k = 0; k < SEEN; k++) {
    double t = fmin((k + 1) * EVERY * H_S, stop);
    x[k] = round(1000 * (SPEED * t - mu * G * t * t / 2)) / 1000;
  }
}

// One step from v, dv = dv/dmu on: the new ones take their places. v = (along, up); the contact: (up, along).
static ss_error step(ss_context *ctx, ss_solver *s, ss_problem *p, double *f, double *r,
                     double v[2], double dv[2]) {
  ss_derivative *d;
  ss_info info;
  const double dmu[1] = {1}, df[2] = {-MASS * dv[0], -MASS * dv[1]};
  f[0] = -MASS * v[0], f[1] = -MASS * v[1] + H_S * MASS * G;
  ss_error e = ss_solver_update(s, p);
  if (!e) e = ss_solve(s, r, NULL, v, NULL, &info);
  if (!e) e = ss_derivative_create(ctx, p, &(ss_solution){.r = r}, NULL, &d);
  if (e) return e;
  e = ss_derivative_forward(d, &(ss_data_direction){.mu = dmu, .f = df}, NULL, NULL, dv, NULL);
  ss_derivative_destroy(d);
  return e;
}

static ss_error slide(ss_context *ctx, double mu, track *out) {
  const int64_t ptr[] = {0, 1, 2};
  const int same[] = {0, 1}, other[] = {1, 0};
  const double mass[] = {MASS, MASS}, one[] = {1, 1}, w[2] = {0};
  double f[2] = {0}, r[2] = {0}, v[2] = {SPEED, 0}, dv[2] = {0}, x = 0, dx = 0;
  ss_problem p = {.form = SS_GLOBAL,
                  .dim = 2,
                  .nc = 1,
                  .ndof = 2,
                  .mu = &mu,
                  .f = f,
                  .w = w,
                  .M = {2, 2, ptr, same, mass},
                  .H = {2, 2, ptr, other, one}};
  ss_options o = ss_options_default();
  ss_solver *s;
  o.tol = 1e-12;
  ss_error e = ss_solver_create(ctx, &p, &o, &s);
  for (int k = 1; k <= STEPS && !e; k++) {
    double before = v[0], dbefore = dv[0];
    e = step(ctx, s, &p, f, r, v, dv);
    x += H_S * (before + v[0]) / 2, dx += H_S * (dbefore + dv[0]) / 2;
    if (k % EVERY == 0) out->x[k / EVERY - 1] = x, out->dx[k / EVERY - 1] = dx;
  }
  ss_solver_destroy(s);
  return e;
}

int main(void) {
  ss_context ctx = {0};
  double seen[SEEN], mu = 0.1;
  track t;
  observe(seen);
  printf("%d positions, at rest after %.3f m\n", SEEN, seen[SEEN - 1]);
  for (int round = 0; round < ROUNDS; round++) {
    double right = 0, left = 0, off = 0;
    if (slide(&ctx, mu, &t)) return puts(ctx.message), 1;
    for (int k = 0; k < SEEN; k++) {
      double rest = seen[k] - t.x[k];
      right += t.dx[k] * rest, left += t.dx[k] * t.dx[k], off += rest * rest;
    }
    printf("mu %.6f: off by %.6f m\n", mu, sqrt(off / SEEN));
    mu += right / left;
  }
  printf("friction %.4f\n", mu);
}
