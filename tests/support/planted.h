// support/planted.h - random problems whose criterion (A) has a known answer.
//
// Finite margin: r in K with sum r_N = 1, u with u - s e in K* orthogonal to r contact by contact, H with
// H^T r + G l = 0, any v, w = u - H v, b = -G^T v. Then v attains the margin s and r proves it:
// w.r + b.l = u.r = s. Infinite margin: H with H d = g, g inside K* by a chosen part of its size.
#pragma once

#include "base/rng.h"
#include "la/sparse.h"

typedef struct planted {
  ss_problem p;
  double margin;    // s*, or INFINITY
  double interior;  // where infinite: smallest margin of H d over its largest |(H d)_i|
  double unit;      // largest |w_i|
  ssi_arena arena;
} planted;

static inline double planted_signed(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

static inline double planted_mu(ssi_rng *g) {
  double x = ssi_rng_uniform(g);
  if (x < 0.15) return 0;
  return x < 0.25 ? 20 * ssi_rng_uniform(g) : 0.05 + ssi_rng_uniform(g);
}

static inline void planted_direction(ssi_rng *g, int dim, double t[2]) {
  double angle = 6.283185307179586 * ssi_rng_uniform(g);
  t[0] = dim == 2 ? (angle < 3 ? 1 : -1) : cos(angle);
  t[1] = dim == 2 ? 0 : sin(angle);
}

// Contact i: its part of r and of u, complementary. kind 0: r = 0; 1: r inside K; 2: on its surface.
static inline void planted_contact(ssi_rng *g, int dim, double mu, double s, int kind, double *r,
                                   double *u) {
  double t[2], a = ssi_rng_uniform(g), size = 0.1 + ssi_rng_uniform(g);
  planted_direction(g, dim, t);
  for (int k = 0; k < dim; k++) r[k] = u[k] = 0;
  u[0] = s;
  if (kind == 0) {
    u[0] += size * (mu + (a < 0.3 ? 0 : a));  // sometimes on the surface of K*
    for (int k = 1; k < dim; k++) u[k] = size * t[k - 1];
  } else {
    r[0] = size;
    for (int k = 1; k < dim; k++) r[k] = size * mu * (kind == 1 ? 0.9 * a : 1) * t[k - 1];
    if (kind == 2 && a < 0.8) {
      double alpha = ssi_rng_uniform(g);
      u[0] += alpha * mu;
      for (int k = 1; k < dim; k++) u[k] = -alpha * t[k - 1];
    }
  }
}

static inline ss_sparse planted_full(ssi_arena *arena, int rows, int cols, const double *x) {
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, rows * cols, int);
  for (int i = 0; i < rows; i++) {
    ptr[i + 1] = (int64_t)(i + 1) * cols;
    for (int j = 0; j < cols; j++) col[i * cols + j] = j;
  }
  return (ss_sparse){rows, cols, ptr, col, x};
}

static inline void planted_finish(planted *t, int n, const double *H, const double *w,
                                  const double *mu, ssi_rng *g) {
  double *M = SSI_TAKE(&t->arena, n * n, double), *f = SSI_TAKE(&t->arena, n, double);
  for (int i = 0; i < n; i++) {
    f[i] = planted_signed(g);
    for (int j = 0; j <= i; j++) M[n * i + j] = M[n * j + i] = i == j ? 2 : 0.5 / n;
  }
  t->p.form = SS_GLOBAL;
  t->p.ndof = n;
  t->p.mu = mu, t->p.f = f, t->p.w = w;
  t->p.M = planted_full(&t->arena, n, n, M);
  t->p.H = planted_full(&t->arena, t->p.dim * t->p.nc, n, H);
  for (int i = 0; i < t->p.nc; i++) {
    double square = 0;
    for (int k = 0; k < t->p.dim; k++) square += w[t->p.dim * i + k] * w[t->p.dim * i + k];
    t->unit = fmax(t->unit, sqrt(square));
  }
}

// nl > 0: bilateral constraints.
static inline planted planted_finite(int dim, int nc, int n, int nl, double s, uint64_t seed) {
  planted t = {.margin = s, .p = {.dim = dim, .nc = nc, .nl = nl}};
  ssi_rng g = {seed};
  int m = dim * nc;
  double *H = SSI_TAKE(&t.arena, m * n, double), *w = SSI_TAKE(&t.arena, m, double);
  double *r = SSI_TAKE(&t.arena, m, double), *u = SSI_TAKE(&t.arena, m, double);
  double *v = SSI_TAKE(&t.arena, n, double), *mu = SSI_TAKE(&t.arena, nc, double);
  double *G = SSI_TAKE(&t.arena, n * nl, double), *l = SSI_TAKE(&t.arena, nl, double);
  double *b = SSI_TAKE(&t.arena, nl, double), sum = 0, square = 0;
  for (int i = 0; i < nc; i++) {
    mu[i] = planted_mu(&g);
    int kind = i == 0 ? 1 + ssi_rng_below(&g, 2) : ssi_rng_below(&g, 3);
    planted_contact(&g, dim, mu[i], s, kind, r + dim * i, u + dim * i);
    sum += r[dim * i];
  }
  for (int i = 0; i < m; i++) r[i] /= sum, square += r[i] * r[i];
  for (int i = 0; i < m * n; i++) H[i] = planted_signed(&g);
  for (int i = 0; i < n * nl; i++) G[i] = planted_signed(&g);
  for (int k = 0; k < nl; k++) l[k] = planted_signed(&g);
  for (int j = 0; j < n; j++) {
    double along = 0;
    v[j] = planted_signed(&g);
    for (int i = 0; i < m; i++) along += H[n * i + j] * r[i];
    for (int k = 0; k < nl; k++) along += G[nl * j + k] * l[k], b[k] -= G[nl * j + k] * v[j];
    for (int i = 0; i < m; i++) H[n * i + j] -= along * r[i] / square;
  }
  for (int i = 0; i < m; i++) {
    w[i] = u[i];
    for (int j = 0; j < n; j++) w[i] -= H[n * i + j] * v[j];
  }
  planted_finish(&t, n, H, w, mu, &g);
  if (nl) t.p.G = planted_full(&t.arena, n, nl, G), t.p.b = b;
  return t;
}

static inline planted planted_infinite(int dim, int nc, int n, double interior, uint64_t seed) {
  planted t = {.margin = INFINITY, .interior = interior, .p = {.dim = dim, .nc = nc}};
  ssi_rng g = {seed};
  int m = dim * nc;
  double *H = SSI_TAKE(&t.arena, m * n, double), *w = SSI_TAKE(&t.arena, m, double);
  double *d = SSI_TAKE(&t.arena, n, double), *mu = SSI_TAKE(&t.arena, nc, double), square = 0;
  for (int j = 0; j < n; j++) d[j] = planted_signed(&g), square += d[j] * d[j];
  for (int i = 0; i < nc; i++) {
    double tangent[2], size = ssi_rng_uniform(&g);
    mu[i] = planted_mu(&g);
    planted_direction(&g, dim, tangent);
    for (int k = 0; k < dim; k++) {
      double want = k ? size * tangent[k - 1] : mu[i] * size + interior, have = 0;
      double *row = H + n * (dim * i + k);
      for (int j = 0; j < n; j++) row[j] = planted_signed(&g), have += row[j] * d[j];
      for (int j = 0; j < n; j++) row[j] += (want - have) * d[j] / square;
      w[dim * i + k] = planted_signed(&g);
    }
  }
  planted_finish(&t, n, H, w, mu, &g);
  return t;
}

// Several problems as one, block after block: sparse; the smallest margin counts.
static inline planted planted_together(int count, const planted *part) {
  planted t = {.margin = INFINITY, .interior = INFINITY, .p = {.dim = part[0].p.dim}};
  int entries_H = 0, entries_M = 0, n = 0, nc = 0, at = 0, row = 0, dof = 0;
  for (int k = 0; k < count; k++) {
    entries_H += (int)part[k].p.H.ptr[part[k].p.H.rows];
    entries_M += (int)part[k].p.M.ptr[part[k].p.ndof];
    n += part[k].p.ndof, nc += part[k].p.nc;
  }
  int room = entries_H > entries_M ? entries_H : entries_M, dim = t.p.dim, m = dim * nc;
  int *i = SSI_TAKE(&t.arena, room, int), *j = SSI_TAKE(&t.arena, room, int);
  double *x = SSI_TAKE(&t.arena, room, double), *w = SSI_TAKE(&t.arena, m, double);
  double *f = SSI_TAKE(&t.arena, n, double), *mu = SSI_TAKE(&t.arena, nc, double);
  for (int pass = 0; pass < 2; pass++) {
    at = row = dof = 0;
    for (int k = 0; k < count; k++) {
      const ss_sparse *A = pass ? &part[k].p.H : &part[k].p.M;
      for (int a = 0; a < A->rows; a++)
        for (int64_t e = A->ptr[a]; e < A->ptr[a + 1]; e++)
          i[at] = (pass ? row : dof) + a, j[at] = dof + A->col[e], x[at++] = A->x[e];
      row += A->rows, dof += part[k].p.ndof;
    }
    ssi_sparse_from_triplets(&t.arena, pass ? m : n, n, at, i, j, x, pass ? &t.p.H : &t.p.M, NULL,
                             NULL);
  }
  row = 0;
  for (int k = 0; k < count; k++) {
    memcpy(w + dim * row, part[k].p.w, sizeof(double) * (size_t)(dim * part[k].p.nc));
    memcpy(mu + row, part[k].p.mu, sizeof(double) * (size_t)part[k].p.nc);
    row += part[k].p.nc;
    t.margin = fmin(t.margin, part[k].margin);
    t.interior = fmin(t.interior, part[k].interior > 0 ? part[k].interior : INFINITY);
    t.unit = fmax(t.unit, part[k].unit);
  }
  t.p.form = SS_GLOBAL, t.p.nc = nc, t.p.ndof = n, t.p.w = w, t.p.f = f, t.p.mu = mu;
  return t;
}

static inline void planted_release(planted *t) {
  ssi_arena_release(&t->arena);
}
