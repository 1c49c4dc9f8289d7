// Dense LU with exchanges of rows. Where many solves follow, A^-1 is formed.
//
// Row i becomes column i: LAPACK factors the transpose and solves with it transposed back.
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "base/clones.h"
#include "la/direct.h"
#include "la/sparse.h"

typedef struct dense_lu {
  ssi_direct direct;
  double *square;   // A^T, then its factors                 (n^2)
  double *inverse;  // many: A^-1, column after column       (n^2)
  double *out;      // many: where x is gathered             (n)
  int *pivot;       // (n)
} dense_lu;

// OpenBLAS takes threads for a factorisation from 10,000 entries on and for a product from 2^18
// multiplications on.
enum { ONE_THREAD = 100, PANEL = 48, PRODUCT = 1 << 18 };

// Columns `from` to before `to`: the exchanges of rows of a panel.
static void exchange(int n, double *A, int from, int to, const int *pivot, int first, int last) {
  for (int c = from; c < to; c++)
    for (int i = first; i < last; i++) {
      double *column = A + (size_t)n * (size_t)c, t = column[i];
      column[i] = column[pivot[i] - 1];
      column[pivot[i] - 1] = t;
    }
}

// A22 <- A22 - A21 L11^-1 A12 for a panel of b columns from j on.
static void update(int n, double *A, int j, int b) {
  int next = j + b, m = n - next;
  if (!m) return;
  const double *L = A + (size_t)n * (size_t)j;
  for (int c = next; c < n; c++) {
    double *x = A + (size_t)n * (size_t)c;
    for (int k = j; k < next; k++)
      for (int i = k + 1; i < next; i++) x[i] -= x[k] * L[(size_t)n * (size_t)(k - j) + (size_t)i];
  }
  int width = PRODUCT / (m * b) > 1 ? PRODUCT / (m * b) : 1;
  for (int c = next; c < n; c += width) {
    double *right = A + (size_t)n * (size_t)c;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n - c < width ? n - c : width, b, -1,
                L + next, n, right + j, n, 1, right + next, n);
  }
}

// LU with exchanges of rows, as LAPACK's dgetrf; up to 208 rows (PANEL times that is what BLAS leaves to one
// thread) on one thread, whatever BLAS would take: threads make matrices of this size slower, very much
// so on a busy machine. 0: done; else singular.
static int factor_columns(int n, double *A, int *pivot) {
  int panel = n < ONE_THREAD ? n : PANEL;
  for (int j = 0; j < n; j += panel) {
    int b = n - j < panel ? n - j : panel;
    double *corner = A + (size_t)n * (size_t)j + (size_t)j;
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n - j, b, corner, n, pivot + j);
    if (info) return info;
    for (int i = j; i < j + b; i++) pivot[i] += j;
    exchange(n, A, 0, j, pivot, j, j + b);
    exchange(n, A, j + b, n, pivot, j, j + b);
    update(n, A, j, b);
  }
  return 0;
}

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
  lapack_int e = LAPACKE_dgetri(LAPACK_COL_MAJOR, n, s->square, n, s->pivot);
  if (e) return e == LAPACK_WORK_MEMORY_ERROR ? SS_ERR_MEMORY : SS_ERR_LINEAR;
  for (size_t i = 0; i < (size_t)n; i++)
    for (size_t j = 0; j < (size_t)n; j++)
      s->inverse[(size_t)n * j + i] = s->square[(size_t)n * i + j];
  return SS_OK;
}

static ss_error factor(ssi_direct *d) {
  dense_lu *s = (dense_lu *)d;
  if (!ssi_direct_finite(d)) return SS_ERR_LINEAR;
  ssi_sparse_to_square(&d->A, s->square);
  if (factor_columns(d->A.rows, s->square, s->pivot)) return SS_ERR_LINEAR;
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
