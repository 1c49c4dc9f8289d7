// solvers/visit.h - the pieces of one visit of a sweep, inlined into sweeps: solvers/nsgs.c has the equations.
#pragma once

#include "base/clones.h"
#include "cone/onecontact.h"
#include "problem/bodies.h"

// A visit waits for its own arithmetic, so the processor's own look-ahead does not reach the numbers
// of the next ones: they are asked for AHEAD visits before. A quarter of the time of a visit on a
// pile of 10^5 contacts; 2 to 8 ahead are alike; no difference within the caches.
enum { SSI_VISIT_AHEAD = 4, SSI_VISIT_LINE = 64 };

static const float SSI_VISIT_NEAR =
    1e-2f;  // docs/theory.md (12'): leaves 1e-4 to the next sweep, and ever less

SSI_INLINE void ssi_visit_forget(ssi_contact *c) {
  c->slip = 0;
  c->state = SSI_CONTACT_FREE;
}

SSI_INLINE void ssi_fetch_range(const double *from, const double *to) {
  for (const char *p = (const char *)from; p < (const char *)to; p += SSI_VISIT_LINE)
    __builtin_prefetch(p);
}

SSI_INLINE void ssi_fetch_bodies(const ssi_bodies *b, int dim, int64_t i) {
  int64_t from = dim * b->at[i], to = dim * b->at[i + 1];
  ssi_fetch_range(b->H + from, b->H + to);
  ssi_fetch_range(b->P + from, b->P + to);
}

// b += H_i v - W_ii r_i
SSI_INLINE void ssi_visit_load(const ssi_contact *c, const ssi_bodies *bodies, int dim, int64_t i,
                               const double *v, const double *r, double b[3]) {
  if (dim == 3)
    ssi_bodies_velocity3(bodies, i, v, b);
  else
    ssi_bodies_velocity2(bodies, i, v, b);
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) b[k] -= c->W[dim * k + l] * r[l];
}

// Solves contact c against b and relaxes; z: the change of r. Returns (lambda |z|)^2, a velocity squared, and
// *moved tells whether z is anything.
SSI_INLINE double ssi_visit_solve(ssi_contact *c, int dim, double omega, const double b[3],
                                  double *r, double z[3], bool *moved) {
  double change = 0;
  for (int k = 0; k < dim; k++) z[k] = r[k];
  ssi_contact_solve(c, dim, b, z);
  for (int k = 0; k < dim; k++) {
    z[k] = omega * (z[k] - r[k]);
    r[k] += z[k];
    change += z[k] * z[k];
  }
  *moved = change > 0;
  return change * c->lambda_max * c->lambda_max;
}
