// problem/contact_error.h - what one contact leaves of the law, and norms over many of them: the arithmetic of a
// verdict, for one process (verify.c) and for several (src/mpi).
#pragma once

#include <float.h>
#include <stdbool.h>

#include "cone/law.h"
#include "problem/natural.h"

// ---- norms that neither overflow nor underflow ---------------------------------------------

// Squares of numbers of ordinary size are summed as they are, of very large and very small ones
// scaled by a power of two: no rounding but that of the sum, the same bits at every ordinary scale.
typedef struct ssi_norm {
  double large, ordinary, small;
  bool overflow;
} ssi_norm;

static const double SSI_NORM_DOWN = 0x1p-600, SSI_NORM_UP = 0x1p600;

SSI_INLINE void ssi_norm_add(ssi_norm *n, double x) {
  const double huge_from = 0x1p480, tiny_to = 0x1p-480;
  double a = fabs(x);
  if (a < huge_from && a > tiny_to)
    n->ordinary += a * a;
  else if (a <= tiny_to)
    n->small += (a * SSI_NORM_UP) * (a * SSI_NORM_UP);
  else if (a <= DBL_MAX)
    n->large += (a * SSI_NORM_DOWN) * (a * SSI_NORM_DOWN);
  else
    n->overflow = true;  // infinite or not a number
}

SSI_INLINE void ssi_norm_join(ssi_norm *n, const ssi_norm *other) {
  n->large += other->large;
  n->ordinary += other->ordinary;
  n->small += other->small;
  n->overflow = n->overflow || other->overflow;
}

SSI_INLINE double ssi_norm_value(ssi_norm n) {
  const double down = SSI_NORM_DOWN, up = SSI_NORM_UP;
  if (n.overflow) return INFINITY;
  if (n.large > 0) return sqrt(n.large + n.ordinary * down * down) * up;
  if (n.ordinary > 0) return sqrt(n.ordinary + n.small * down * down);
  return sqrt(n.small) * down;
}

SSI_INLINE double ssi_norm_of(const double *x, int count) {
  ssi_norm n = {0};
  for (int k = 0; k < count; k++) ssi_norm_add(&n, x[k]);
  return ssi_norm_value(n);
}

// ---- one contact ---------------------------------------------------------------------------

// What of an error is more than the data's rounding, where that is worth mentioning.
SSI_INLINE double ssi_beyond_doubt(double left, double doubt) {
  return left > doubt || isnan(left) ? left - doubt : 0;
}

// (6''): a contact that closes, and hardly presses, lacks the friction of the reaction that is missing.
SSI_INLINE double ssi_missing_friction(int d, double mu, double lambda, const double *r,
                                       double normal, double tangent) {
  double closing = -normal;
  if (!(closing > SSI_LAW_ROUNDING * tangent) || !(lambda * ssi_norm_of(r, d) < closing)) return 0;
  return fmin(mu * closing, tangent);
}

typedef struct ssi_contact_error {
  double left;     // docs/theory.md (6')
  double missing;  // the friction that it lacks
} ssi_contact_error;

// tangent: |u_T|
SSI_INLINE ssi_contact_error ssi_contact_judge(int d, double mu, double lambda, const double *r,
                                               const ssi_dd *u, ssi_dd tangent) {
  ssi_norm own = {0};
  ssi_dd F[3];
  ssi_natural_map(d, mu, lambda, r, u, tangent, F);
  for (int k = 0; k < d; k++) ssi_norm_add(&own, F[k].hi);
  ssi_contact_error e = {.left = ssi_norm_value(own)};
  if (fabs(u[0].hi) > e.left)  // else what follows is not the larger one
    e.left = fmax(e.left, ssi_normal_part(u[0].hi, lambda * ssi_norm_of(r, d)));
  if (mu > SSI_LAW_MU)
    e.left = fmin(e.left, (2 + SSI_LAW_MU) * ssi_law_distance(d, mu, lambda, r, u, tangent));
  e.missing = ssi_missing_friction(d, mu, lambda, r, u[0].hi, tangent.hi);
  e.left = fmax(e.left, e.missing);
  return e;
}
