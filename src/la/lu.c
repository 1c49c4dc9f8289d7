#include "la/lu.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <umfpack.h>

#include "base/error.h"

// Up to here la/fixed.c, at half a flop per nanosecond, is faster than UMFPACK (docs/solvers-newton.md).
static const double MAX_FLOPS = 3e6;

_Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "UMFPACK's long indices have 64 bits");

bool ssi_lu_create(ssi_arena *arena, int rows, int64_t entries, ssi_lu *out) {
  size_t dense_rows = (size_t)(rows < SSI_LU_DENSE ? rows : SSI_LU_DENSE);
  *out = (ssi_lu){0};
  out->ptr = SSI_TAKE(arena, (size_t)rows + 1, int64_t);
  out->col = SSI_TAKE(arena, entries, int64_t);
  out->x = SSI_TAKE(arena, entries, double);
  out->dense = SSI_TAKE(arena, dense_rows * dense_rows, double);
  out->pivot = SSI_TAKE(arena, dense_rows, int);
  return !arena->failed;
}

bool ssi_lu_analyse(ssi_lu *lu, ssi_arena *arena) {
  return ssi_fixed_create(arena, lu->n, lu->ptr, lu->col, MAX_FLOPS, &lu->fixed);
}

void ssi_lu_release(ssi_lu *lu) {
  if (lu->numeric) umfpack_dl_free_numeric(&lu->numeric);
  if (lu->symbolic) umfpack_dl_free_symbolic(&lu->symbolic);
  lu->analysed = 0;
}

// ---- dense ---------------------------------------------------------------------------------

// OpenBLAS takes threads for a factorisation from 10,000 entries on and for a product from 2^18
// multiplications on.
enum { ONE_THREAD = 100, PANEL = 48, PRODUCT = 1 << 18 };
_Static_assert(SSI_LU_DENSE *PANEL < ONE_THREAD * ONE_THREAD, "panels stay on one thread");

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
  int width = PRODUCT / (m * b);
  for (int c = next; c < n; c += width) {
    double *right = A + (size_t)n * (size_t)c;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n - c < width ? n - c : width, b, -1,
                L + next, n, right + j, n, 1, right + next, n);
  }
}

// LU with exchanges of rows, as LAPACK's dgetrf, n <= SSI_LU_DENSE; on one thread, whatever BLAS would take:
// threads make matrices of this size slower, very much so on a busy machine. 0: done; else singular.
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

// Row i becomes column i: LAPACK factors the transpose and solves with it transposed back.
static ss_error factor_dense(ssi_lu *lu) {
  size_t n = (size_t)lu->n;
  memset(lu->dense, 0, sizeof(double) * n * n);
  for (int i = 0; i < lu->n; i++)
    for (int64_t k = lu->ptr[i]; k < lu->ptr[i + 1]; k++)
      lu->dense[n * (size_t)i + (size_t)lu->col[k]] = lu->x[k];
  return factor_columns(lu->n, lu->dense, lu->pivot) ? SS_ERR_LINEAR : SS_OK;
}

static ss_error outcome(SuiteSparse_long status) {
  if (status == UMFPACK_OK) return SS_OK;
  return status == UMFPACK_ERROR_out_of_memory ? SS_ERR_MEMORY : SS_ERR_LINEAR;
}

// The rows are the columns of the transpose.
static ss_error factor_sparse(ssi_lu *lu) {
  SuiteSparse_long n = lu->n, *ptr = (SuiteSparse_long *)lu->ptr,
                   *col = (SuiteSparse_long *)lu->col;
  if (lu->numeric) umfpack_dl_free_numeric(&lu->numeric);
  if (lu->analysed != lu->n) {
    if (lu->symbolic) umfpack_dl_free_symbolic(&lu->symbolic);
    lu->analysed = 0;
    ss_error e = outcome(umfpack_dl_symbolic(n, n, ptr, col, lu->x, &lu->symbolic, NULL, NULL));
    if (e) return e;
    lu->analysed = lu->n;
  }
  return outcome(umfpack_dl_numeric(ptr, col, lu->x, lu->symbolic, &lu->numeric, NULL, NULL));
}

static bool all_finite(const ssi_lu *lu) {
  double sum = 0;
  for (int64_t k = 0; k < lu->ptr[lu->n]; k++) sum += 0 * lu->x[k];
  return sum == 0;
}

ss_error ssi_lu_factor(ssi_lu *lu, bool same_pattern) {
  if (!lu->n) return SS_OK;
  if (!same_pattern) lu->analysed = 0;
  if (!all_finite(lu)) return SS_ERR_LINEAR;
  if (lu->n <= SSI_LU_DENSE) return factor_dense(lu);
  lu->exchanged =
      !lu->fixed.fill.n || !ssi_fixed_factor(&lu->fixed, lu->n, lu->full, lu->ptr, lu->col, lu->x);
  return lu->exchanged ? factor_sparse(lu) : SS_OK;
}

// |b - A x| <= 1e-6 |b|, largest entries.
static bool good(const ssi_lu *lu, const double *b, const double *x) {
  double size = 0, error = 0;
  for (int i = 0; i < lu->n; i++) {
    double sum = b[i];
    for (int64_t k = lu->ptr[i]; k < lu->ptr[i + 1]; k++) sum -= lu->x[k] * x[lu->col[k]];
    size = fmax(size, fabs(b[i]));
    if (!(fabs(sum) <= error)) error = fabs(sum);
  }
  return error <= 1e-6 * size;
}

ss_error ssi_lu_solve(ssi_lu *lu, const double *b, double *x) {
  if (!lu->n) return SS_OK;
  if (lu->n <= SSI_LU_DENSE) {
    memcpy(x, b, sizeof(double) * (size_t)lu->n);
    return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', lu->n, 1, lu->dense, lu->n, lu->pivot, x,
                               lu->n)
               ? SS_ERR_LINEAR
               : SS_OK;
  }
  if (!lu->exchanged) {
    ssi_fixed_solve(&lu->fixed, lu->n, lu->full, b, x);
    if (good(lu, b, x)) return SS_OK;
    lu->exchanged = true;
    SS_TRY(factor_sparse(lu));
  }
  double control[UMFPACK_CONTROL];
  umfpack_dl_defaults(control);
  control[UMFPACK_IRSTEP] =
      0;  // a Newton step corrects the last one; refinement is 20 % of its time
  return outcome(umfpack_dl_solve(UMFPACK_Aat, (SuiteSparse_long *)lu->ptr,
                                  (SuiteSparse_long *)lu->col, lu->x, x, b, lu->numeric, control,
                                  NULL));
}
