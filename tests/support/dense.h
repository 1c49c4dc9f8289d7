// support/dense.h - small problems written as dense rows.
#pragma once

#include "harness.h"

#include "la/sparse.h"

// Sparse rows of a dense row-major matrix; zeros are left out.
static inline ss_sparse from_dense(ssi_arena *arena, int rows, int cols, const double *A) {
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, (size_t)rows * (size_t)cols + 1, int);
  double *x = SSI_TAKE(arena, (size_t)rows * (size_t)cols + 1, double);
  assert_false(arena->failed);
  int64_t used = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++)
      if (A[i * cols + j] != 0) {
        col[used] = j;
        x[used++] = A[i * cols + j];
      }
    ptr[i + 1] = used;
  }
  return (ss_sparse){rows, cols, ptr, col, x};
}

static inline ss_problem reduced_problem(ssi_arena *arena, int dim, int nc, const double *W,
                                         const double *q, const double *mu) {
  return (ss_problem){.form = SS_REDUCED,
                      .dim = dim,
                      .nc = nc,
                      .mu = mu,
                      .W = from_dense(arena, dim * nc, dim * nc, W),
                      .q = q};
}

static inline ss_problem global_problem(ssi_arena *arena, int dim, int nc, int ndof,
                                        const double *M, const double *f, const double *H,
                                        const double *w, const double *mu) {
  return (ss_problem){.form = SS_GLOBAL,
                      .dim = dim,
                      .nc = nc,
                      .ndof = ndof,
                      .mu = mu,
                      .M = from_dense(arena, ndof, ndof, M),
                      .f = f,
                      .H = from_dense(arena, dim * nc, ndof, H),
                      .w = w};
}
