#include "la/lu.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <umfpack.h>

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

void ssi_lu_release(ssi_lu *lu) {
  if (lu->numeric) umfpack_dl_free_numeric(&lu->numeric);
  if (lu->symbolic) umfpack_dl_free_symbolic(&lu->symbolic);
  lu->analysed = 0;
}

// Row i becomes column i: LAPACK factors the transpose and solves with it transposed back.
static ss_error factor_dense(ssi_lu *lu) {
  size_t n = (size_t)lu->n;
  memset(lu->dense, 0, sizeof(double) * n * n);
  for (int i = 0; i < lu->n; i++)
    for (int64_t k = lu->ptr[i]; k < lu->ptr[i + 1]; k++)
      lu->dense[n * (size_t)i + (size_t)lu->col[k]] = lu->x[k];
  return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, lu->n, lu->n, lu->dense, lu->n, lu->pivot)
             ? SS_ERR_LINEAR
             : SS_OK;
}

static ss_error outcome(SuiteSparse_long status) {
  if (status == UMFPACK_OK) return SS_OK;
  return status == UMFPACK_ERROR_out_of_memory ? SS_ERR_MEMORY : SS_ERR_LINEAR;
}

// The rows are the columns of the transpose.
static ss_error factor_sparse(ssi_lu *lu, bool same_pattern) {
  SuiteSparse_long n = lu->n, *ptr = (SuiteSparse_long *)lu->ptr,
                   *col = (SuiteSparse_long *)lu->col;
  if (lu->numeric) umfpack_dl_free_numeric(&lu->numeric);
  if (!same_pattern || lu->analysed != lu->n) {
    if (lu->symbolic) umfpack_dl_free_symbolic(&lu->symbolic);
    lu->analysed = 0;
    ss_error e = outcome(umfpack_dl_symbolic(n, n, ptr, col, lu->x, &lu->symbolic, NULL, NULL));
    if (e) return e;
    lu->analysed = lu->n;
  }
  return outcome(umfpack_dl_numeric(ptr, col, lu->x, lu->symbolic, &lu->numeric, NULL, NULL));
}

static bool finite(const ssi_lu *lu) {
  double sum = 0;
  for (int64_t k = 0; k < lu->ptr[lu->n]; k++) sum += 0 * lu->x[k];
  return sum == 0;
}

ss_error ssi_lu_factor(ssi_lu *lu, bool same_pattern) {
  if (!lu->n) return SS_OK;
  if (!finite(lu)) return SS_ERR_LINEAR;
  if (lu->n <= SSI_LU_DENSE) {
    lu->analysed = 0;
    return factor_dense(lu);
  }
  return factor_sparse(lu, same_pattern);
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
  return outcome(umfpack_dl_solve(UMFPACK_Aat, (SuiteSparse_long *)lu->ptr,
                                  (SuiteSparse_long *)lu->col, lu->x, x, b, lu->numeric, NULL,
                                  NULL));
}
