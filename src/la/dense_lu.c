// Dense LU with exchanges of rows. Where many solves follow, A^-1 is formed.
//
// Row i becomes column i: LAPACK factors the transpose and solves with it transposed back.
#include <string.h>

#include "base/clones.h"
#include "la/blas.h"
#include "la/direct.h"
#include "la/lapack.h"
#include "la/sparse.h"

typedef struct dense_lu {
  ssi_direct direct;
  double *square;   // A^T, then its factors                 (n^2)
  double *inverse;  // many: A^-1, column after column       (n^2)
  double *out;      // many: where x is gathered             (n)
  int *pivot;       // (n)
} dense_lu;

static ss_error analyse(ssi_direct *d, ssi_arena *arena) {
  (void)arena;
  double n = d->A.rows;
  d->flops = 2 * n * n * n / 3;
  d->entries = n * n;
  return SS_OK;
}

static ss_error room(ssi_direct *d, ssi_arena *arena) {
  dense_lu *s = (dense_lu *)d;
  size_t n = (size_t)d->A.rows;
  s->square = SSI_TAKE(arena, n * n, double);
  s->pivot = SSI_TAKE(arena, n, int);
  if (d->wish.many) {
    s->inverse = SSI_TAKE(arena, n * n, double);
    s->out = SSI_TAKE(arena, n, double);
  }
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

static ss_error invert(dense_lu *s) {
  int n = s->direct.A.rows;
  ss_error e = ssi_lapack_error(LAPACKE_dgetri(LAPACK_COL_MAJOR, n, s->square, n, s->pivot));
  if (e) return e;
  for (size_t i = 0; i < (size_t)n; i++)
    for (size_t j = 0; j < (size_t)n; j++)
      s->inverse[(size_t)n * j + i] = s->square[(size_t)n * i + j];
  return SS_OK;
}

static ss_error factor(ssi_direct *d) {
  dense_lu *s = (dense_lu *)d;
  if (!ssi_direct_finite(d)) return SS_ERR_LINEAR;
  ssi_sparse_to_square(&d->A, s->square);
  int n = d->A.rows, info;
  ssi_dgetrf_(&n, &n, s->square, &n, s->pivot, &info);
  if (info) return SS_ERR_LINEAR;
  return d->wish.many ? invert(s) : SS_OK;
}

SSI_CLONES static void multiply(int64_t n, const double *inverse, const double *b,
                                double *restrict out) {
  for (int64_t j = 0; j < n; j++) {
    const double *restrict column = inverse + n * j;
    double b_j = b[j];
    for (int64_t i = 0; i < n; i++) out[i] += column[i] * b_j;
  }
}

static ss_error substitute(dense_lu *s, char how, const double *b, double *x) {
  int n = s->direct.A.rows;
  if (x != b) memcpy(x, b, sizeof(double) * (size_t)n);
  int info = LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, how, n, 1, s->square, n, s->pivot, x, n);
  return info ? SS_ERR_LINEAR : SS_OK;
}

static ss_error solve(ssi_direct *d, const double *b, double *x) {
  dense_lu *s = (dense_lu *)d;
  int n = d->A.rows;
  size_t bytes = sizeof(double) * (size_t)n;
  if (d->wish.many) {
    memset(s->out, 0, bytes);
    multiply(n, s->inverse, b, s->out);
    memcpy(x, s->out, bytes);
    return SS_OK;
  }
  return substitute(s, 'T', b, x);
}

static ss_error solve_transposed(ssi_direct *d, const double *b, double *x) {
  return d->wish.many ? SS_ERR_METHOD : substitute((dense_lu *)d, 'N', b, x);
}

const ssi_backend ssi_dense_lu = {.name = "dense LU",
                                  .size = sizeof(dense_lu),
                                  .analyse = analyse,
                                  .room = room,
                                  .factor = factor,
                                  .solve = solve,
                                  .solve_transposed = solve_transposed};
