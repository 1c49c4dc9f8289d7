// support/critical_models.h - the four lumped models of [Agw20] as stiffness problems, with the
// corrected closed forms of their critical friction.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/problem.h"

enum { MODEL_MAX = 64 };  // dofs

// K x = f + r with (n, t) displacements per contact: M = K, H = (-1 on n, +1 on t). Arrays are held
// here.
typedef struct stiffness {
  ss_problem p;
  int64_t ptr[MODEL_MAX + 1], hptr[MODEL_MAX + 1];
  int col[MODEL_MAX * MODEL_MAX], hcol[MODEL_MAX];
  double hx[MODEL_MAX], zero[MODEL_MAX], mu[MODEL_MAX];
  double K[MODEL_MAX * MODEL_MAX];
} stiffness;

static inline void stiffness_begin(stiffness *s, int contacts) {
  memset(s, 0, sizeof *s);
  s->p.nc = contacts;
}

static inline void stiffness_set(stiffness *s, int i, int j, double x) {
  int n = 2 * s->p.nc;
  s->K[i * n + j] = s->K[j * n + i] = x;
}

static inline const ss_problem *stiffness_end(stiffness *s) {
  int n = 2 * s->p.nc;
  for (int i = 0; i <= n; i++) s->ptr[i] = (int64_t)i * n, s->hptr[i] = i;
  for (int i = 0; i < n; i++) {
    s->hcol[i] = i, s->hx[i] = i % 2 ? 1 : -1;
    s->mu[i] = 1;
    for (int j = 0; j < n; j++) s->col[i * n + j] = j;
  }
  s->p = (ss_problem){.form = SS_GLOBAL, .dim = 2, .nc = s->p.nc, .ndof = n, .mu = s->mu};
  s->p.M = (ss_sparse){n, n, s->ptr, s->col, s->K};
  s->p.H = (ss_sparse){n, n, s->hptr, s->hcol, s->hx};
  s->p.f = s->p.w = s->zero;
  return &s->p;
}

static inline double klarbring(stiffness *m, double theta) {
  double s = sin(theta), c = cos(theta);
  stiffness_begin(m, 1);
  stiffness_set(m, 0, 0, 1 + c * c), stiffness_set(m, 0, 1, s * c), stiffness_set(m, 1, 1, s * s);
  stiffness_end(m);
  return s / c;
}

static inline double alart(stiffness *m, double theta) {
  double s = sin(theta), c = cos(theta);
  stiffness_begin(m, 2);
  for (int k = 0; k < 2; k++) {
    stiffness_set(m, 2 * k, 2 * k, 1 + c * c);
    stiffness_set(m, 2 * k + 1, 2 * k + 1, 1 + s * s);
    stiffness_set(m, 2 * k, 2 * k + 1, k ? s * c : -s * c);
  }
  stiffness_set(m, 1, 3, -1);
  stiffness_end(m);
  return s / c;
}

static inline double alart3(stiffness *m, double theta) {
  double s = sin(theta), c = cos(theta);
  stiffness_begin(m, 3);
  for (int k = 0; k < 3; k++) {
    stiffness_set(m, 2 * k, 2 * k, k == 1 ? 1 + 2 * c * c : 1 + c * c);
    stiffness_set(m, 2 * k + 1, 2 * k + 1, k == 1 ? 2 + 2 * s * s : 1 + s * s);
    stiffness_set(m, 2 * k, 2 * k + 1, (k - 1) * s * c);
  }
  stiffness_set(m, 1, 3, -1), stiffness_set(m, 3, 5, -1);
  stiffness_end(m);
  return (2 + s * s) / (1 + s * s) * s / c;
}

static inline double periodic(stiffness *m, double theta, double k1, double k2, double k3) {
  double s = sin(theta), c = cos(theta);
  stiffness_begin(m, 2);
  for (int k = 0; k < 2; k++) {
    stiffness_set(m, 2 * k, 2 * k, k1 * s * s + k2 * c * c);
    stiffness_set(m, 2 * k + 1, 2 * k + 1, k1 * c * c + k2 * s * s + 2 * k3);
    stiffness_set(m, 2 * k, 2 * k + 1, (k1 - k2) * s * c);
  }
  stiffness_set(m, 1, 3, -2 * k3);
  stiffness_end(m);
  return (k2 * s * s + k1 * c * c) / (fabs(k1 - k2) * s * c);
}
