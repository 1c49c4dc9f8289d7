// cone/split.h - a vector as the difference of two points inside the cone Q of cone/soc.h, smoothly:
//
//     z - y = x,   z o y = tau e,   tau > 0                                                     (1)
//
// To an eigenvalue a of x belong those of z and y, (sqrt(a^2 + 4 tau) + a)/2 and (sqrt(a^2 + 4 tau) - a)/2,
// in the same frame: x = a_low c_low + a_high c_high, a = x_0 -+ |x_T|, c = (1, -+n)/2, n = x_T/|x_T|. For
// tau -> 0 z is the projection of x onto Q and y that of -x. The smoothing of Chen, Harker, Kanzow and Smale.
#pragma once

#include "cone/soc.h"

typedef struct ssi_split {
  double z[3], y[3];
  double margin_z, margin_y;  // z_0 - |z_T|, y_0 - |y_T|
  double n[3];                // x_T/|x_T| from index 1 on; 0 where x_T = 0
  double low, high;           // eigenvalues of x
  double root_low, root_high;
  double z_low, z_high;  // eigenvalues of z
} ssi_split;

static inline double ssi_split_root(double a, double tau, double *root) {
  *root = sqrt(a * a + 4 * tau);
  return a > 0 ? (*root + a) / 2 : 2 * tau / (*root - a);
}

static inline void ssi_split_of(int dim, const double x[], double tau, ssi_split *s) {
  double t = ssi_soc_tangent(dim, x);
  s->low = x[0] - t, s->high = x[0] + t;
  s->z_low = ssi_split_root(s->low, tau, &s->root_low);
  s->z_high = ssi_split_root(s->high, tau, &s->root_high);
  double y_low = tau / s->z_low, y_high = tau / s->z_high;
  s->z[0] = (s->z_low + s->z_high) / 2;
  s->y[0] = (y_low + y_high) / 2;
  for (int k = 1; k < dim; k++) {
    s->n[k] = t > 0 ? x[k] / t : 0;
    s->z[k] = s->n[k] * (s->z_high - s->z_low) / 2;
    s->y[k] = s->n[k] * (y_high - y_low) / 2;
  }
  s->margin_z = s->z_low;
  s->margin_y = y_high;
}

// D = dz/dx (row-major; dy/dx = D - I) with f' = f/root for each eigenvalue, and along n its divided
// difference; by_log = dz/d log tau (which is dy/d log tau), tau/root for each eigenvalue.
static inline void ssi_split_slopes(int dim, const ssi_split *s, double tau, double D[],
                                    double by_log[]) {
  double low = s->z_low / s->root_low, high = s->z_high / s->root_high, gap = s->high - s->low;
  double mean = (low + high) / 2, half = (high - low) / 2;
  double across = gap > 0 ? (s->z_high - s->z_low) / gap : mean;
  double log_low = tau / s->root_low, log_high = tau / s->root_high;
  D[0] = mean;
  by_log[0] = (log_low + log_high) / 2;
  for (int k = 1; k < dim; k++) {
    D[k] = D[dim * k] = half * s->n[k];
    by_log[k] = (log_high - log_low) / 2 * s->n[k];
    for (int l = 1; l < dim; l++)
      D[dim * k + l] = (mean - across) * s->n[k] * s->n[l] + (k == l ? across : 0);
  }
}
