// cone/friction.h - the friction cone K = { r : |r_T| <= mu r_N } of one contact, in plain double
// arithmetic, for use inside loops. (Verdicts are made by problem/verify.c, which has its own.)
#pragma once

#include <math.h>

#include "cone/law.h"

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

// How far (u, lambda r) is from the graph of the law, at most: from the nearest of its states, where slip keeps
// the direction of u_T. docs/theory.md (6')
static inline double ssi_law_bound(int dim, double mu, double lambda, const double r[],
                                   const double u[]) {
  double x[3] = {0}, inside[3] = {0}, size = 0, speed = 0, left = 0, t = ssi_tangent_norm(dim, u);
  for (int k = 0; k < dim; k++) {
    inside[k] = x[k] = lambda * r[k];
    size += x[k] * x[k];
    speed += u[k] * u[k];
  }
  double closing = fmin(u[0], 0), best = size + closing * closing;  // free
  ssi_project(dim, mu, inside);
  for (int k = 0; k < dim; k++) left += (x[k] - inside[k]) * (x[k] - inside[k]);
  best = fmin(best, speed + left);  // stick
  if (!(t > 0)) return sqrt(best);
  // slip: from x to the ray of direction (c, -s u_T/|u_T|)
  double c = mu <= 1 ? 1 : 1 / mu, s = mu <= 1 ? mu : 1, g[3] = {c}, along = c * x[0];
  for (int k = 1; k < dim; k++) g[k] = -s * u[k] / t, along += g[k] * x[k];
  along = fmax(along, 0) / (c * c + s * s);
  double away = u[0] * u[0];
  for (int k = 0; k < dim; k++) away += (x[k] - along * g[k]) * (x[k] - along * g[k]);
  return sqrt(fmin(best, away));
}

// What friction could still do to a contact that closes with d = -u_N and hardly presses: the normal reaction d / lambda
// that is missing brings mu d, up to all of u_T. docs/theory.md (6''); its square. Up to mu = 1 it is below d.
static inline double ssi_law_missing_square(int dim, double mu, double lambda, const double r[],
                                            const double u[]) {
  double t2 = 0, r2 = 0, d2 = u[0] * u[0];
  if (!(u[0] < 0) || !(mu > 1)) return 0;
  for (int k = 0; k < dim; k++) r2 += (lambda * r[k]) * (lambda * r[k]);
  for (int k = 1; k < dim; k++) t2 += u[k] * u[k];
  int missing = r2 < d2 && d2 > SSI_LAW_ROUNDING * SSI_LAW_ROUNDING * t2;
  return missing ? fmin(mu * mu * d2, t2) : 0;
}

// Square of what a contact leaves of the law, docs/theory.md (6'); F2 is |F|^2.
static inline double ssi_law_square(int dim, double mu, double lambda, double F2, const double r[],
                                    const double u[]) {
  double left = F2, closing = u[0] * u[0];
  if (closing > F2) {  // else neither u_N < 0 nor min(u_N, lambda |r|) is the larger one
    double r2 = 0;
    for (int k = 0; k < dim; k++) r2 += (lambda * r[k]) * (lambda * r[k]);
    double normal = u[0] < 0 ? closing : fmin(closing, r2);
    left = fmax(F2, normal);
  }
  double missing = ssi_law_missing_square(dim, mu, lambda, r, u);
  if (mu <= SSI_LAW_MU) return fmax(left, missing);
  double bound = (2 + SSI_LAW_MU) * ssi_law_bound(dim, mu, lambda, r, u);
  left = bound * bound >= left ? left : bound * bound;  // where F overflows too
  return fmax(left, missing);
}
