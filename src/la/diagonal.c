#include "la/diagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK_LIMIT = 6 };  // a rigid body in space

// start from the pattern: dof i ends a block when no entry joins {0..i} with {i+1..}. Returns
// the number of blocks, or 0 when one is larger than BLOCK_LIMIT.
static int find_blocks(const ss_sparse *M, int *reach, int *start) {
  for (int i = 0; i < M->rows; i++) reach[i] = i;
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++) {
      int j = M->col[k], low = i < j ? i : j, high = i < j ? j : i;
      if (reach[low] < high) reach[low] = high;
    }
  int count = 0;
  for (int i = 0; i < M->rows;) {
    int end = reach[i];
    for (int j = i; j <= end; j++)
      if (reach[j] > end) end = reach[j];
    if (end - i + 1 > BLOCK_LIMIT) return 0;
    start[count++] = i;
    i = end + 1;
  }
  start[count] = M->rows;
  return count;
}

static void gather_block(const ss_sparse *M, int start, int n, double *A) {
  memset(A, 0, sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < n; i++)
    for (int64_t k = M->ptr[start + i]; k < M->ptr[start + i + 1]; k++)
      A[n * i + M->col[k] - start] = M->x[k];
}

// Cholesky of the symmetric part, only to see whether it is positive definite: the pivot that is
// not positive (to rounding of its own diagonal entry), or -1. Lowers *weakest.
static int bad_pivot(int n, const double *A, double *weakest) {
  double L[BLOCK_LIMIT * BLOCK_LIMIT];
  for (int j = 0; j < n; j++) {
    double d = A[n * j + j];
    for (int k = 0; k < j; k++) d -= L[n * j + k] * L[n * j + k];
    if (!(d > SSI_NO_PIVOT * A[n * j + j])) return j;
    *weakest = fmin(*weakest, d / A[n * j + j]);
    L[n * j + j] = sqrt(d);
    for (int i = j + 1; i < n; i++) {
      double s = 0.5 * (A[n * i + j] + A[n * j + i]);
      for (int k = 0; k < j; k++) s -= L[n * i + k] * L[n * j + k];
      L[n * i + j] = s / L[n * j + j];
    }
  }
  return -1;
}

// Gauss-Jordan without exchanges, which a positive definite symmetric part makes safe; symmetric
// in, symmetric out up to rounding.
static void invert(int n, double *A) {
  for (int p = 0; p < n; p++) {
    double pivot = 1 / A[n * p + p];
    A[n * p + p] = 1;
    for (int j = 0; j < n; j++) A[n * p + j] *= pivot;
    for (int i = 0; i < n; i++) {
      if (i == p) continue;
      double factor = A[n * i + p];
      A[n * i + p] = 0;
      for (int j = 0; j < n; j++) A[n * i + j] -= factor * A[n * p + j];
    }
  }
}

static ss_error analyse(ssi_direct *d, ssi_arena *arena) {
  ssi_diagonal *f = (ssi_diagonal *)d;
  size_t n = (size_t)d->A.rows;
  f->start = SSI_TAKE(arena, n + 1, int);
  f->of = SSI_TAKE(arena, n, int);
  if (arena->failed) return SS_ERR_MEMORY;
  f->count = find_blocks(&d->A, f->of, f->start);
  d->flops = d->entries = 0;
  for (int b = 0; b < f->count; b++) {
    double size = f->start[b + 1] - f->start[b];
    d->flops += 2 * size * size * size;
    d->entries += size * size;
  }
  return f->count ? SS_OK : SS_ERR_METHOD;
}

static ss_error room(ssi_direct *d, ssi_arena *arena) {
  ssi_diagonal *f = (ssi_diagonal *)d;
  f->inverse_at = SSI_TAKE(arena, (size_t)f->count + 1, int64_t);
  f->inverse = SSI_TAKE(arena, d->entries, double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int b = 0; b < f->count; b++) {
    int n = f->start[b + 1] - f->start[b];
    f->inverse_at[b + 1] = f->inverse_at[b] + n * n;
    for (int i = f->start[b]; i < f->start[b + 1]; i++) f->of[i] = b;
  }
  return SS_OK;
}

static ss_error factor(ssi_direct *d) {
  ssi_diagonal *f = (ssi_diagonal *)d;
  f->weakest = 1;
  for (int b = 0; b < f->count; b++) {
    int start = f->start[b], n = f->start[b + 1] - start;
    double *A = f->inverse + f->inverse_at[b];
    gather_block(&d->A, start, n, A);
    int pivot = bad_pivot(n, A, &f->weakest);
    if (pivot >= 0) {
      d->bad_row = start + pivot;
      return SS_ERR_LINEAR;
    }
    invert(n, A);
  }
  return SS_OK;
}

void ssi_diagonal_solve_block(const ssi_diagonal *f, int block, const double *b, double *x) {
  int n = f->start[block + 1] - f->start[block];
  const double *A = f->inverse + f->inverse_at[block];
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[n * i + j] * b[j];
    x[i] = sum;
  }
}

static ss_error solve(ssi_direct *d, const double *b, double *x) {
  ssi_diagonal *f = (ssi_diagonal *)d;
  double local[BLOCK_LIMIT];
  for (int k = 0; k < f->count; k++) {
    int start = f->start[k], n = f->start[k + 1] - start;
    ssi_diagonal_solve_block(f, k, b + start, local);
    memcpy(x + start, local, sizeof(double) * (size_t)n);
  }
  return SS_OK;
}

static double weakest(const ssi_direct *d) {
  return ((const ssi_diagonal *)d)->weakest;
}

const ssi_backend ssi_diagonal_blocks = {.name = "diagonal blocks",
                                         .size = sizeof(ssi_diagonal),
                                         .analyse = analyse,
                                         .room = room,
                                         .factor = factor,
                                         .solve = solve,
                                         .weakest = weakest};
