// Two sleds joined by a rigid bar, pulled along the ground: a bilateral constraint.
//
// 2D. Sled 1 (mass 1, friction 0.5) is pulled with force 30, sled 2 (mass 2, friction 0.3) follows.
// Degrees of freedom: (x, y) of each; the bar asks v_1x = v_2x. Both slip, so over one step h
//
//     v = h (P - (mu_1 m_1 + mu_2 m_2) g) / (m_1 + m_2),      bar impulse = m_2 v + h mu_2 m_2 g
//
// Shows G, b and their multiplier l:  M v + f = H^T r + G l,  G^T v + b = 0.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>

int main(void) {
  const double m1 = 1, m2 = 2, gravity = 9.81, step = 0.01, pull = 30, mu[] = {0.5, 0.3};
  const double M[] = {m1, m1, m2, m2};
  const double f[] = {-pull * step, m1 * gravity * step, 0, m2 * gravity * step}, w[4] = {0};
  const double H[] = {1, 1, 1, 1}, G[] = {1, -1}, b[] = {0};
  const int64_t M_ptr[] = {0, 1, 2, 3, 4}, G_ptr[] = {0, 1, 1, 2, 2};
  const int M_col[] = {0, 1, 2, 3}, H_col[] = {1, 0, 3, 2}, G_col[] = {0, 0};
  const ss_problem p = {.form = SS_GLOBAL,
                        .dim = 2,
                        .nc = 2,
                        .ndof = 4,
                        .nl = 1,
                        .mu = mu,
                        .M = {4, 4, M_ptr, M_col, M},
                        .H = {4, 4, M_ptr, H_col, H},
                        .G = {4, 1, G_ptr, G_col, G},
                        .f = f,
                        .w = w,
                        .b = b};
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  o.tol = 1e-12;
  ss_solver *solver;
  double r[4] = {0}, u[4], v[4], l[1];
  ss_info info;
  if (ss_solver_create(&ctx, &p, &o, &solver) || ss_solve(solver, r, u, v, l, &info))
    return puts(ctx.message), 1;
  ss_solver_destroy(solver);

  double closed = step * (pull - (mu[0] * m1 + mu[1] * m2) * gravity) / (m1 + m2);
  printf("%s\n", ss_status_name(info.status));
  printf("speed        %.6f %.6f   closed form %.6f\n", v[0], v[2], closed);
  printf("bar impulse  %.6f            closed form %.6f\n", fabs(l[0]),
         m2 * closed + step * mu[1] * m2 * gravity);
}
