// A ladder leans on a smooth wall: at which angle does its foot slip?
//
// 2D, a uniform rod of length 2 a, mass m, wall without friction, floor with mu = 0.5. Degrees of
// freedom (v_x, v_y, omega) at the centre; the wall is x = 0, the foot is at x > 0. At rest the foot
// carries the weight and the wall pushes with m g / (2 tan(angle)), so it holds while
//
//     tan(angle) >= 1 / (2 mu)                                        (45 degrees for mu = 0.5)
//
// and below that, from rest over one step h, with s = sin(angle), c = cos(angle), I = m a^2 / 3,
//
//     omega = m g h a (c - 2 mu s) / (I + m a^2 (1 - 2 mu s c))
//
// Shows two contacts with different friction, and the verdict per contact.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>

static const double a = 1.5, mass = 10, gravity = 9.81, step = 1e-3, mu[] = {0.5, 0};

int main(void) {
  const double inertia = mass * a * a / 3;
  const double M[] = {mass, mass, inertia}, f[] = {0, mass * gravity * step, 0}, w[4] = {0};
  const int64_t M_ptr[] = {0, 1, 2, 3}, H_ptr[] = {0, 2, 4, 6, 8};
  const int M_col[] = {0, 1, 2}, H_col[] = {1, 2, 0, 2, 0, 2, 1, 2};

  printf("angle  foot   wall   omega     closed form\n");
  for (int degrees = 60; degrees >= 30; degrees -= 6) {
    double s = sin(degrees * acos(-1) / 180), c = cos(degrees * acos(-1) / 180);
    const double H[] = {1,  a * c,   // foot: normal up          v_y + omega a c
                        1,  a * s,   //       tangent along +x   v_x + omega a s
                        1,  -a * s,  // top:  normal along +x    v_x - omega a s
                        -1, a * c};  //       tangent down     -(v_y - omega a c)
    const ss_problem p = {.form = SS_GLOBAL,
                          .dim = 2,
                          .nc = 2,
                          .ndof = 3,
                          .mu = mu,
                          .M = {3, 3, M_ptr, M_col, M},
                          .H = {4, 3, H_ptr, H_col, H},
                          .f = f,
                          .w = w};
    ss_context ctx = {0};
    ss_options o = ss_options_default();
    o.tol = 1e-12;
    ss_solver *solver;
    double r[4] = {0}, v[3];
    ss_info info;
    ss_verdict verdict;
    ss_contact_verdict contact[2];
    if (ss_solver_create(&ctx, &p, &o, &solver) || ss_solve(solver, r, NULL, v, NULL, &info) ||
        ss_verify(&ctx, &p, &(ss_solution){.r = r}, NULL, NULL, NULL, contact, &verdict))
      return puts(ctx.message), 1;
    double closed = mass * gravity * step * a * fmax(0, c - 2 * mu[0] * s) /
                    (inertia + mass * a * a * (1 - 2 * mu[0] * s * c));
    printf("%5d  %-5s  %-5s  %.6f  %.6f\n", degrees, ss_state_name(contact[0].state),
           ss_state_name(contact[1].state), fabs(v[2]), closed);
    ss_solver_destroy(solver);
  }
}
