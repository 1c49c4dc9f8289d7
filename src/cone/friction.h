// cone/friction.h - the friction cone K = { r : |r_T| <= mu r_N } of one contact, in plain double
// arithmetic, for use inside loops. (Verdicts are made by problem/verify.c, which has its own.)
#pragma once

#include <math.h>

static inline double ssi_tangent_norm(int dim, const double x[]) {
  return dim == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// x <- P_K(x), docs/theory.md (5): x itself, 0, or the point of the generator that faces x.
static inline void ssi_project(int dim, double mu, double x[]) {
  double t = ssi_tangent_norm(dim, x);
  if (t <= mu * x[0] && x[0] >= 0) return;  // mu = 0, t = 0: the first holds for any x_N
  if (mu * t <= -x[0]) {
    for (int k = 0; k < dim; k++) x[k] = 0;
    return;
  }
  // along (1, mu) for the normal and the tangent, or (1/mu, 1), which a huge mu does not overflow
  double n = mu <= 1 ? 1 : 1 / mu, m = mu <= 1 ? mu : 1;
  double along = (n * x[0] + m * t) / (n * n + m * m), scale = t > 0 ? m * along / t : 0;
  x[0] = n * along;
  for (int k = 1; k < dim; k++) x[k] *= scale;
}

// z = P_K( r - rho (u + mu |u_T| e) ): r is its own image iff (u, r) is in C(mu), docs/theory.md (6).
static inline void ssi_natural_step(int dim, double mu, double rho, const double r[],
                                    const double u[], double z[]) {
  z[0] = r[0] - rho * (u[0] + mu * ssi_tangent_norm(dim, u));
  for (int k = 1; k < dim; k++) z[k] = r[k] - rho * u[k];
  ssi_project(dim, mu, z);
}
