// planted_friction.h - random problems with a known solution, for bench_planted and for the tests.
//
// Every contact takes off, sticks or slips, each with chance 1/3, with r and u that obey Coulomb's law; A and H
// are full of normal numbers, M = A A^T / ndof + I / 10, v normal; then f = H^T r - M v and w = u - H v make
// (r, u, v) a solution. With fewer degrees of freedom than contact components and large mu there is no
// theorem that would give one: criterion (A) fails as a rule. That is what makes them hard.
#pragma once

#include <math.h>
#include <stdlib.h>

#include <stickslip/stickslip.h>

typedef struct planted_shape {
  int dim, contacts;
  double mu;
  double dofs;  // over the number of contact components
} planted_shape;

typedef struct planted_friction {
  ss_problem p;
  double *r, *u;  // the planted solution   (m)
  void *memory;
} planted_friction;

static inline double planted_uniform(uint64_t *state) {  // splitmix64, in [0, 1)
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline double planted_normal(uint64_t *state) {  // Box and Muller
  double radius = sqrt(-2 * log(1 - planted_uniform(state)));
  return radius * cos(6.283185307179586 * planted_uniform(state));
}

// r and u of one contact.
static inline void planted_law(uint64_t *state, int dim, double mu, double *r, double *u) {
  int kind = (int)(3 * planted_uniform(state));  // take-off, stick, slip
  double angle = 6.283185307179586 * planted_uniform(state), size = fabs(planted_normal(state));
  double t[2] = {dim == 2 ? (angle < 3 ? 1 : -1) : cos(angle), sin(angle)};
  r[0] = kind == 0 ? 0 : 0.1 + fabs(planted_normal(state));
  u[0] = kind == 0 ? 0.1 + size : 0;
  for (int k = 1; k < dim; k++) {
    double share = kind == 1 ? fmin(size, 0.9) : kind == 2 ? 1 : 0;
    r[k] = -share * mu * r[0] * t[k - 1];
    u[k] = kind == 0 ? planted_normal(state) : kind == 2 ? (0.1 + size) * t[k - 1] : 0;
  }
}

static inline ss_sparse planted_dense(int rows, int cols, const double *x, int64_t *ptr, int *col) {
  for (int i = 0; i <= rows; i++) ptr[i] = (int64_t)i * cols;
  for (int64_t e = 0; e < (int64_t)rows * cols; e++) col[e] = (int)(e % cols);
  return (ss_sparse){rows, cols, ptr, col, x};
}

// One piece of memory for all arrays; NULL in memory: there was none.
static inline planted_friction planted_make(planted_shape s, uint64_t seed) {
  int m = s.dim * s.contacts, n = (int)ceil(s.dofs * m);
  size_t M = (size_t)n * (size_t)n, H = (size_t)m * (size_t)n, rows = (size_t)(m + n + 2);
  size_t reals = 2 * M + H + 3 * (size_t)m + 2 * (size_t)n + (size_t)s.contacts;
  planted_friction t = {.memory = calloc(1, 8 * (reals + rows) + sizeof(int) * (M + H))};
  if (!t.memory) return t;
  double *A = t.memory, *mass = A + M, *h = mass + M, *w = h + H, *f = w + m, *v = f + n;
  double *mu = v + n;
  t.r = mu + s.contacts, t.u = t.r + m;
  int64_t *ptr = (int64_t *)(t.u + m);
  int *col = (int *)(ptr + rows);
  uint64_t g = seed * 0x2545f4914f6cdd1du + 1;
  for (size_t k = 0; k < M; k++) A[k] = planted_normal(&g);
  for (size_t k = 0; k < H; k++) h[k] = planted_normal(&g);
  for (int i = 0; i < s.contacts; i++) {
    mu[i] = s.mu;
    planted_law(&g, s.dim, s.mu, t.r + s.dim * i, t.u + s.dim * i);
  }
  for (int i = 0; i < n; i++) v[i] = planted_normal(&g);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? 0.1 * n : 0;
      for (int k = 0; k < n; k++) sum += A[(size_t)n * i + k] * A[(size_t)n * j + k];
      mass[(size_t)n * i + j] = sum / n;
      f[i] -= sum / n * v[j];
    }
  for (int i = 0; i < m; i++) {
    w[i] = t.u[i];
    for (int j = 0; j < n; j++) {
      w[i] -= h[(size_t)n * i + j] * v[j];
      f[j] += h[(size_t)n * i + j] * t.r[i];
    }
  }
  t.p = (ss_problem){.form = SS_GLOBAL, .dim = s.dim, .nc = s.contacts, .ndof = n};
  t.p.mu = mu, t.p.f = f, t.p.w = w;
  t.p.M = planted_dense(n, n, mass, ptr, col);
  t.p.H = planted_dense(m, n, h, ptr + n + 1, col + M);
  return t;
}

static inline void planted_free(planted_friction *t) {
  free(t->memory);
}
