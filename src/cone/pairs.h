// cone/pairs.h - pairs (z, y) of points inside the cone Q of cone/soc.h, one for each contact, on the way
// (dz, dy) of an interior-point method.
#pragma once

#include <stdint.h>
#include <string.h>

#include "cone/soc.h"

typedef struct ssi_cone_pairs {
  int dim;
  int64_t count;
  double *z, *y;                // (dim count)
  double *margin_z, *margin_y;  // z_0 - |z_T|, y_0 - |y_T|                      (count)
  const double *dz, *dy;        // (dim count)
  const double *dn;  // way of margin_y, where that follows a line of its own   (count); NULL
} ssi_cone_pairs;

typedef struct ssi_cone_pair {
  double z[3], y[3], margin_z, margin_y;
} ssi_cone_pair;

// Pair i after a step a.
static inline ssi_cone_pair ssi_pair_after(const ssi_cone_pairs *p, double a, int64_t i) {
  int dim = p->dim;
  const double *z = p->z + dim * i, *y = p->y + dim * i;
  double dz[3], dy[3];
  ssi_cone_pair x;
  for (int k = 0; k < dim; k++) {
    dz[k] = a * p->dz[dim * i + k];
    dy[k] = a * p->dy[dim * i + k];
    x.z[k] = z[k] + dz[k];
    x.y[k] = y[k] + dy[k];
  }
  x.margin_z = ssi_soc_margin_after(dim, z, p->margin_z[i], dz);
  x.margin_y =
      p->dn ? p->margin_y[i] + a * p->dn[i] : ssi_soc_margin_after(dim, y, p->margin_y[i], dy);
  x.z[0] = x.margin_z + ssi_soc_tangent(dim, x.z);
  x.y[0] = x.margin_y + ssi_soc_tangent(dim, x.y);
  return x;
}

// The largest step up to `most` <= 1 that stays inside.
static inline double ssi_pairs_reach(const ssi_cone_pairs *p, double most) {
  int dim = p->dim;
  for (int64_t i = 0; i < p->count; i++) {
    most = fmin(most, ssi_soc_step(dim, p->z + dim * i, p->margin_z[i], p->dz + dim * i));
    if (!p->dn)
      most = fmin(most, ssi_soc_step(dim, p->y + dim * i, p->margin_y[i], p->dy + dim * i));
    else if (p->dn[i] < 0)
      most = fmin(most, p->margin_y[i] / -p->dn[i]);
  }
  return most;
}

// sum + the sum of z.y after a step a
static inline double ssi_pairs_gap_after(const ssi_cone_pairs *p, double a, double sum) {
  for (int64_t i = 0; i < p->count; i++) {
    ssi_cone_pair x = ssi_pair_after(p, a, i);
    sum += ssi_soc_gap(p->dim, x.z, x.margin_z, x.y, x.margin_y);
  }
  return sum;
}

// No pair far ahead of the others after a step a: det z_i det y_i >= low^2.
static inline bool ssi_pairs_central(const ssi_cone_pairs *p, double a, double low) {
  for (int64_t i = 0; i < p->count; i++) {
    ssi_cone_pair x = ssi_pair_after(p, a, i);
    if (!(x.margin_z > 0 && x.margin_y > 0)) return false;
    double dz = ssi_soc_det(p->dim, x.z, x.margin_z), dy = ssi_soc_det(p->dim, x.y, x.margin_y);
    if (!(sqrt(dz) * sqrt(dy) >= low)) return false;
  }
  return true;
}

static inline void ssi_pairs_move(const ssi_cone_pairs *p, double a) {
  size_t bytes = sizeof(double) * (size_t)p->dim;
  for (int64_t i = 0; i < p->count; i++) {
    ssi_cone_pair x = ssi_pair_after(p, a, i);
    memcpy(p->z + p->dim * i, x.z, bytes);
    memcpy(p->y + p->dim * i, x.y, bytes);
    p->margin_z[i] = x.margin_z;
    p->margin_y[i] = x.margin_y;
  }
}

// out = lambda \ (target e - (F dz) o (F^-1 dy)): what a corrector aims at in the scaled space; without the
// product, which can be all rounding or all curvature, where second_order is false.
static inline void ssi_soc_correction(int dim, const ssi_scaling *f, const double dz[],
                                      const double dy[], double target, bool second_order,
                                      double out[]) {
  double a[3], b[3];
  ssi_soc_map(dim, f, 1, dz, a);
  ssi_soc_map(dim, f, -1, dy, b);
  ssi_soc_product(dim, a, b, a);
  for (int k = 0; k < dim; k++) a[k] = (k ? 0 : target) - (second_order ? a[k] : 0);
  ssi_soc_divide(dim, f->lambda, f->lambda[0] - ssi_soc_tangent(dim, f->lambda), a, out);
}
