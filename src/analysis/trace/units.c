// Units in which the numbers of a problem are of order 1: see family.h.
#include <math.h>

#include "analysis/trace/family.h"
#include "base/sets.h"

bool ssi_units_take(ssi_arena *arena, int n, ssi_units *out) {
  *out = (ssi_units){n, 2 * n, SSI_TAKE(arena, n, double), SSI_TAKE(arena, n, double),
                     SSI_TAKE(arena, n, int)};
  if (arena->failed) return false;
  ssi_sets_begin(out->leader, n);
  return true;
}

void ssi_units_matrix(ssi_units *units, const double *W) {
  double mean = 0;
  for (int i = 0; i < units->n; i++) {
    int a = 2 * i * (units->m + 1);
    units->s[i] = fmax(W[a], W[a + units->m + 1]);
    mean += fmax(units->s[i], 0) / units->n;
  }
  for (int i = 0; i < units->n; i++)
    units->s[i] = 1 / sqrt(units->s[i] > 1e-14 * mean ? units->s[i] : mean > 0 ? mean : 1);
}

void ssi_units_load(ssi_units *units, const double *W, const double *q) {
  int m = units->m;
  for (int i = 0; i < m; i++) {
    units->q0[i / 2] = fmax(units->q0[i / 2], fabs(q[i]) * units->s[i / 2]);
    for (int j = 0; j < m; j++)
      if (W[i * m + j] != 0) ssi_set_join(units->leader, i / 2, j / 2);
  }
}

void ssi_units_finish(ssi_units *units) {
  for (int i = 0; i < units->n; i++) {
    int first = ssi_set_of(units->leader, i);
    units->q0[first] = fmax(units->q0[first], units->q0[i]);
  }
  for (int i = 0; i < units->n; i++) {
    units->leader[i] = ssi_set_of(units->leader, i);
    units->q0[i] = units->q0[units->leader[i]];
  }
  for (int i = 0; i < units->n; i++)
    if (!(units->q0[i] > 0)) units->q0[i] = 1;
}

void ssi_units_apply(const ssi_units *units, double *W, double *q) {
  int m = units->m;
  const double *s = units->s, *q0 = units->q0;
  for (int i = 0; i < m; i++) {
    for (int j = 0; W && j < m; j++) W[i * m + j] *= s[i / 2] * s[j / 2] * (q0[j / 2] / q0[i / 2]);
    if (q) q[i] *= s[i / 2] / q0[i / 2];
  }
}

void ssi_units_scale(const ssi_units *units, bool reaction, const double *x, double *scaled) {
  for (int i = 0; i < units->m; i++) {
    double s = units->s[i / 2], q0 = units->q0[i / 2];
    scaled[i] = reaction ? x[i] / (s * q0) : x[i] * s / q0;
  }
}

void ssi_units_unscale(const ssi_units *units, bool reaction, const double *scaled, double *x) {
  for (int i = 0; i < units->m; i++) {
    double s = units->s[i / 2], q0 = units->q0[i / 2];
    x[i] = reaction ? scaled[i] * (s * q0) : scaled[i] * q0 / s;
  }
}
