#include "certify/conic.h"

#include <math.h>
#include <string.h>

#include "cone/friction.h"
#include "la/sparse.h"

static double length(int dim, const double *x) {
  return hypot(x[0], ssi_tangent_norm(dim, x));
}

// unit and row; c_i = 1 / max(1, mu), so that a large mu does not make large rows
static void scale_rows(ssi_conic *c, const double *mu, const double *w) {
  c->unit = 0;
  for (int64_t i = 0; i < c->nc; i++) {
    double factor = mu[i] > 1 ? 1 / mu[i] : 1;
    c->unit = fmax(c->unit, length(c->dim, w + c->dim * i));
    c->e[i] = factor;
    for (int k = 0; k < c->dim; k++)
      c->row[c->dim * i + k] = k == 0 ? factor : mu[i] > 1 ? 1 : mu[i];
  }
  if (!(c->unit > 0)) c->unit = 1;
  for (int j = 0; j < c->m; j++) c->q[j] = c->row[j] * (w[j] / c->unit);
}

typedef struct entries {  // of A, while they are written
  int64_t *ptr;
  int *col;
  double *x;
} entries;

// A = row H col without what is zero; col makes its columns 1 long. Largest entries first, then lengths
// over them: no overflow.
static void scale_columns(ssi_conic *c, const ss_sparse *H, const entries *to, double *square) {
  int64_t used = 0;
  for (int j = 0; j < c->m; j++) {
    for (int64_t k = H->ptr[j]; k < H->ptr[j + 1]; k++) {
      double value = c->row[j] * H->x[k];
      if (value == 0) continue;
      to->col[used] = H->col[k];
      to->x[used++] = value;
      c->col[H->col[k]] = fmax(c->col[H->col[k]], fabs(value));
    }
    to->ptr[j + 1] = used;
  }
  for (int64_t k = 0; k < used; k++) {
    to->x[k] /= c->col[to->col[k]];
    square[to->col[k]] += to->x[k] * to->x[k];
  }
  for (int64_t k = 0; k < used; k++) to->x[k] /= sqrt(square[to->col[k]]);
  for (int k = 0; k < c->n; k++) c->col[k] = c->col[k] > 0 ? 1 / (c->col[k] * sqrt(square[k])) : 1;
}

static bool take(ssi_arena *arena, int64_t count, ssi_conic *c, entries *to) {
  c->m = c->dim * c->nc;
  c->q = SSI_TAKE(arena, c->m, double);
  c->e = SSI_TAKE(arena, c->nc, double);
  c->row = SSI_TAKE(arena, c->m, double);
  c->col = SSI_TAKE(arena, c->n, double);
  to->ptr = SSI_TAKE(arena, (size_t)c->m + 1, int64_t);
  to->col = SSI_TAKE(arena, count, int);
  to->x = SSI_TAKE(arena, count, double);
  c->A = (ss_sparse){c->m, c->n, to->ptr, to->col, to->x};
  return !arena->failed;
}

bool ssi_conic_create(ssi_arena *arena, int dim, int nc, const double *mu, const ss_sparse *H,
                      const double *w, ssi_conic *out) {
  entries to;
  *out = (ssi_conic){.dim = dim, .nc = nc, .n = H->cols};
  double *square = SSI_TAKE(arena, H->cols, double);
  if (!take(arena, ssi_sparse_entries(H), out, &to)) return false;
  scale_rows(out, mu, w);
  if (nc) scale_columns(out, H, &to, square);
  return true;
}

bool ssi_conic_frictionless(ssi_arena *arena, const ssi_conic *c, ssi_conic *out) {
  entries to;
  int64_t used = 0;
  *out = (ssi_conic){.dim = c->dim, .nc = c->nc, .n = c->n, .unit = c->unit};
  if (!take(arena, ssi_sparse_entries(&c->A), out, &to)) return false;
  for (int k = 0; k < c->n; k++) out->col[k] = c->col[k];
  for (int64_t j = 0; j < c->m; j++) {
    double e = c->e[j / c->dim];
    if (j % c->dim == 0) {
      out->e[j / c->dim] = out->row[j] = 1;
      out->q[j] = c->q[j] / e;
      for (int64_t k = c->A.ptr[j]; k < c->A.ptr[j + 1]; k++) {
        to.col[used] = c->A.col[k];
        to.x[used++] = c->A.x[k] / e;
      }
    }
    to.ptr[j + 1] = used;
  }
  return true;
}

void ssi_conic_multiply(const ssi_conic *c, const double *x, double *y) {
  if (c->m) memset(y, 0, sizeof(double) * (size_t)c->m);
  ssi_sparse_multiply_add(&c->A, x, y);
}

void ssi_conic_multiply_transposed(const ssi_conic *c, const double *z, double *x) {
  if (c->n) memset(x, 0, sizeof(double) * (size_t)c->n);
  ssi_sparse_multiply_transposed_add(&c->A, z, x);
}

double ssi_conic_margin(const ssi_conic *c, const double *y) {
  double least = INFINITY;
  for (int64_t i = 0; i < c->nc; i++) {
    const double *yi = y + c->dim * i;
    double margin = (yi[0] - ssi_tangent_norm(c->dim, yi)) / c->e[i];
    if (!(margin >= least)) least = margin;  // a NaN is kept
  }
  return least;
}

double ssi_conic_largest(const ssi_conic *c, const double *y) {
  double most = 0;
  for (int64_t i = 0; i < c->nc; i++) {
    double size = length(c->dim, y + c->dim * i) / c->e[i];
    if (!(size <= most)) most = size;
  }
  return most;
}
