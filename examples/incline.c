// A block on an incline: does it stay, and if not, how fast does it go after one time step?
//
// 2D, mass m = 2, friction 0.4, step h = 0.01. Degrees of freedom: velocity along the normal of the
// slope and down the slope, so H = I. Coulomb's closed form, with theta the angle of the slope:
//
//     tan(theta) <= mu:  it sticks     tan(theta) > mu:  u_T = g h (sin(theta) - mu cos(theta))
//
// Shows the global form, and ss_solver_update: the matrices stay, the load changes.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>

int main(void) {
  const double mass = 2, gravity = 9.81, step = 0.01, mu[] = {0.4}, w[] = {0, 0};
  const double M[] = {mass, mass}, H[] = {1, 1};
  const int64_t ptr[] = {0, 1, 2};
  const int col[] = {0, 1};
  double f[] = {0, 0};  // minus the impulse of gravity, set for each angle below
  const ss_problem p = {.form = SS_GLOBAL,
                        .dim = 2,
                        .nc = 1,
                        .ndof = 2,
                        .mu = mu,
                        .M = {2, 2, ptr, col, M},
                        .H = {2, 2, ptr, col, H},
                        .f = f,
                        .w = w};
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  o.tol = 1e-12;
  ss_solver *solver;
  if (ss_solver_create(&ctx, &p, &o, &solver)) return puts(ctx.message), 1;

  printf("angle  state   r_N      r_T       u_T       closed form\n");
  for (int degrees = 5; degrees <= 45; degrees += 10) {
    double theta = degrees * acos(-1) / 180;
    f[0] = mass * gravity * step * cos(theta);   // gravity presses along -normal
    f[1] = -mass * gravity * step * sin(theta);  // and pulls down the slope
    double r[2] = {0}, u[2];
    ss_info info;
    ss_verdict verdict;
    ss_contact_verdict contact;
    if (ss_solver_update(solver, &p) || ss_solve(solver, r, u, NULL, NULL, &info) ||
        ss_verify(&ctx, &p, &(ss_solution){.r = r}, NULL, NULL, NULL, &contact, &verdict))
      return puts(ctx.message), 1;
    double closed = gravity * step * fmax(0, sin(theta) - mu[0] * cos(theta));
    printf("%5d  %-5s  %.5f  %8.5f  %.6f  %.6f\n", degrees, ss_state_name(contact.state), r[0],
           r[1], fabs(u[1]), closed);
  }
  ss_solver_destroy(solver);
}
