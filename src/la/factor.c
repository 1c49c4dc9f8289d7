#include "la/factor.h"

#include <cholmod.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <umfpack.h>

#include "base/error.h"
#include "la/sparse.h"

enum { BLOCK_LIMIT = 6 };  // a rigid body in space

typedef enum kind { BLOCKS, CHOLESKY, LU } kind;

struct ssi_factor {
  ssi_arena arena;  // this struct and all below, except what the backends own
  kind kind;
  int n;
  int block_count;
  int *block_start;     // (block_count + 1)
  int *block_of;        // (n)
  int64_t *inverse_at;  // where each block's inverse starts  (block_count + 1)
  double *inverse;      // row-major, one block after the other
  cholmod_common common;
  cholmod_factor *cholesky;
  void *lu;
  SuiteSparse_long *ptr, *index;  // M by columns, for UMFPACK
  double *x, *scratch;
  double weakest;  // smallest pivot over its own diagonal entry
};

// ---- small diagonal blocks -----------------------------------------------------------------

// block_start from the pattern: dof i ends a block when no entry joins {0..i} with {i+1..}. Returns
// the number of blocks, or 0 when one is larger than BLOCK_LIMIT.
static int find_blocks(const ss_sparse *M, int *reach, int *block_start) {
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
    block_start[count++] = i;
    i = end + 1;
  }
  block_start[count] = M->rows;
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
    if (!(d > 4 * DBL_EPSILON * A[n * j + j])) return j;
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

static ss_error place_blocks(ssi_factor *f) {
  int64_t size = 0;
  for (int b = 0; b < f->block_count; b++) {
    int n = f->block_start[b + 1] - f->block_start[b];
    f->inverse_at[b] = size;
    size += n * n;
    for (int i = f->block_start[b]; i < f->block_start[b + 1]; i++) f->block_of[i] = b;
  }
  f->inverse_at[f->block_count] = size;
  f->inverse = SSI_TAKE(&f->arena, size, double);
  return f->arena.failed ? SS_ERR_MEMORY : SS_OK;
}

static ss_error invert_blocks(ss_context *ctx, ssi_factor *f, const ss_sparse *M) {
  for (int b = 0; b < f->block_count; b++) {
    int start = f->block_start[b], n = f->block_start[b + 1] - start;
    double *A = f->inverse + f->inverse_at[b];
    gather_block(M, start, n, A);
    int pivot = bad_pivot(n, A, &f->weakest);
    if (pivot >= 0)
      return ssi_fail(ctx, SS_ERR_DATA,
                      "M is not positive definite: pivot at row %d is not positive", start + pivot);
    invert(n, A);
  }
  return SS_OK;
}

// ---- CHOLMOD and UMFPACK -------------------------------------------------------------------

// Upper triangle of the symmetric part of M, by columns: row j of M met with column j, row j of T.
static void fill_symmetric_part(const ss_sparse *M, const ss_sparse *T, ssi_factor *f) {
  int64_t used = 0;
  for (int j = 0; j < M->cols; j++) {
    f->ptr[j] = used;
    int64_t a = M->ptr[j], t = T->ptr[j], a_end = M->ptr[j + 1], t_end = T->ptr[j + 1];
    for (;;) {
      int ca = a < a_end ? M->col[a] : M->cols, ct = t < t_end ? T->col[t] : M->cols;
      int i = ca < ct ? ca : ct;
      if (i > j) break;
      double in_row = ca == i ? M->x[a++] : 0, in_column = ct == i ? T->x[t++] : 0;
      f->index[used] = i;
      f->x[used++] = 0.5 * (in_row + in_column);
    }
  }
  f->ptr[M->cols] = used;
}

// All of M by columns: the rows of T.
static void fill_columns(const ss_sparse *T, ssi_factor *f) {
  for (int j = 0; j <= T->rows; j++) f->ptr[j] = T->ptr[j];
  for (int64_t k = 0; k < ssi_sparse_entries(T); k++) {
    f->index[k] = T->col[k];
    f->x[k] = T->x[k];
  }
}

static ss_error factor_cholesky(ss_context *ctx, ssi_factor *f) {
  cholmod_common *c = &f->common;
  cholmod_sparse A = {.nrow = (size_t)f->n,
                      .ncol = (size_t)f->n,
                      .nzmax = (size_t)f->ptr[f->n],
                      .p = f->ptr,
                      .i = f->index,
                      .x = f->x,
                      .stype = 1,
                      .itype = CHOLMOD_LONG,
                      .xtype = CHOLMOD_REAL,
                      .dtype = CHOLMOD_DOUBLE,
                      .sorted = 1,
                      .packed = 1};
  if (!f->cholesky) f->cholesky = cholmod_l_analyze(&A, c);  // of the pattern only
  if (f->cholesky) cholmod_l_factorize(&A, f->cholesky, c);
  if (!f->cholesky || c->status == CHOLMOD_OUT_OF_MEMORY) return SS_ERR_MEMORY;
  if (c->status == CHOLMOD_NOT_POSDEF || f->cholesky->minor < (size_t)f->n) {
    SuiteSparse_long pivot = (SuiteSparse_long)f->cholesky->minor;
    if (f->cholesky->Perm) pivot = ((SuiteSparse_long *)f->cholesky->Perm)[pivot];
    return ssi_fail(ctx, SS_ERR_DATA,
                    "M is not positive definite: pivot at row %lld is not positive",
                    (long long)pivot);
  }
  return c->status < CHOLMOD_OK ? ssi_fail(ctx, SS_ERR_LINEAR, "CHOLMOD failed (%d)", c->status)
                                : SS_OK;
}

// L_jj^2 over the diagonal entry of the column that became column j; the upper triangle is still in
// f->x, the diagonal last in each column.
static double relative_pivot(const ssi_factor *f, SuiteSparse_long j, double diagonal_of_L) {
  const SuiteSparse_long *order = f->cholesky->Perm;
  SuiteSparse_long column = order ? order[j] : j;
  return diagonal_of_L * diagonal_of_L / f->x[f->ptr[column + 1] - 1];
}

static double weakest_pivot(const ssi_factor *f) {
  const cholmod_factor *L = f->cholesky;
  const SuiteSparse_long *p = L->p, *super = L->super, *pi = L->pi, *px = L->px;
  const double *x = L->x;
  double weakest = 1;
  if (!L->is_super)
    for (SuiteSparse_long j = 0; j < f->n; j++)
      weakest = fmin(weakest, relative_pivot(f, j, x[p[j]]));
  else
    for (size_t s = 0; s < L->nsuper; s++)  // dense columns of pi[s + 1] - pi[s] rows
      for (SuiteSparse_long j = super[s]; j < super[s + 1]; j++)
        weakest = fmin(weakest,
                       relative_pivot(f, j, x[px[s] + (j - super[s]) * (pi[s + 1] - pi[s] + 1)]));
  return weakest;
}

static ss_error factor_lu(ss_context *ctx, ssi_factor *f) {
  void *symbolic = NULL;
  SuiteSparse_long e =  // it looks at the numbers too, so it is made anew for new ones
      umfpack_dl_symbolic(f->n, f->n, f->ptr, f->index, f->x, &symbolic, NULL, NULL);
  if (e == UMFPACK_OK) e = umfpack_dl_numeric(f->ptr, f->index, f->x, symbolic, &f->lu, NULL, NULL);
  umfpack_dl_free_symbolic(&symbolic);
  if (e == UMFPACK_ERROR_out_of_memory) return SS_ERR_MEMORY;
  return e < UMFPACK_OK ? ssi_fail(ctx, SS_ERR_LINEAR, "UMFPACK failed on M (%lld)", (long long)e)
                        : SS_OK;
}

static ss_error take_general(ssi_factor *f, const ss_sparse *M) {
  int64_t entries = ssi_sparse_entries(M);
  cholmod_l_start(&f->common);
  f->common.print = 0;
  f->common.final_ll = 1;  // LDL^T would take a negative pivot without a word
  f->ptr = SSI_TAKE(&f->arena, (size_t)f->n + 1, SuiteSparse_long);
  f->index = SSI_TAKE(&f->arena, 2 * entries, SuiteSparse_long);  // union of M and M^T at most
  f->x = SSI_TAKE(&f->arena, 2 * entries, double);
  return f->arena.failed ? SS_ERR_MEMORY : SS_OK;
}

static ss_error factor_general(ss_context *ctx, ssi_factor *f, const ss_sparse *M) {
  ssi_arena scratch = {.ctx = ctx};
  ss_sparse T = {0};
  ss_error e = ssi_sparse_transpose(&scratch, M, &T) ? SS_OK : SS_ERR_MEMORY;
  f->kind = CHOLESKY;
  if (f->lu) umfpack_dl_free_numeric(&f->lu);
  if (!e) fill_symmetric_part(M, &T, f);
  if (!e) e = factor_cholesky(ctx, f);  // of the symmetric part: is M positive definite?
  if (!e) f->weakest = weakest_pivot(f);
  if (!e && ss_sparse_asymmetry(M) != 0) {
    f->kind = LU;
    fill_columns(&T, f);
    e = factor_lu(ctx, f);
  }
  ssi_arena_release(&scratch);
  return e;
}

static ss_error said(ss_context *ctx, ss_error e, const ss_sparse *M) {
  if (e != SS_ERR_MEMORY) return e;
  return ssi_fail(ctx, e, "out of memory while factoring M (%d rows)", M->rows);
}

// ---- interface -----------------------------------------------------------------------------

ss_error ssi_factor_create(ss_context *ctx, const ss_sparse *M, ssi_factor **out) {
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ssi_factor *f = SSI_TAKE(&arena, 1, ssi_factor);
  if (!f) return SS_ERR_MEMORY;
  f->n = M->rows;
  f->weakest = 1;
  f->block_start = SSI_TAKE(&arena, (size_t)M->rows + 1, int);
  f->block_of = SSI_TAKE(&arena, M->rows, int);
  f->inverse_at = SSI_TAKE(&arena, (size_t)M->rows + 1, int64_t);
  f->scratch = SSI_TAKE(&arena, M->rows, double);
  ss_error e = arena.failed ? SS_ERR_MEMORY : SS_OK;
  f->arena = arena;
  if (!e) {
    f->block_count = M->rows ? find_blocks(M, f->block_of, f->block_start) : 0;
    f->kind = f->block_count || !M->rows ? BLOCKS : CHOLESKY;
    e = f->kind == BLOCKS ? place_blocks(f) : take_general(f, M);
    if (!e) e = (f->kind == BLOCKS ? invert_blocks : factor_general)(ctx, f, M);
  }
  if (e) {
    ssi_factor_destroy(f);
    return said(ctx, e, M);
  }
  *out = f;
  return SS_OK;
}

ss_error ssi_factor_renew(ss_context *ctx, ssi_factor *f, const ss_sparse *M) {
  f->weakest = 1;
  return said(ctx, (f->kind == BLOCKS ? invert_blocks : factor_general)(ctx, f, M), M);
}

void ssi_factor_destroy(ssi_factor *f) {
  if (!f) return;
  if (f->kind != BLOCKS) {
    cholmod_l_free_factor(&f->cholesky, &f->common);
    cholmod_l_finish(&f->common);
    if (f->lu) umfpack_dl_free_numeric(&f->lu);
  }
  ssi_arena arena = f->arena;  // f itself lives in it
  ssi_arena_release(&arena);
}

void ssi_factor_solve_block(const ssi_factor *f, int block, const double *b, double *x) {
  int n = f->block_start[block + 1] - f->block_start[block];
  const double *A = f->inverse + f->inverse_at[block];
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[n * i + j] * b[j];
    x[i] = sum;
  }
}

static void solve_blocks(ssi_factor *f, const double *b, double *x) {
  double local[BLOCK_LIMIT];
  for (int k = 0; k < f->block_count; k++) {
    int start = f->block_start[k], n = f->block_start[k + 1] - start;
    ssi_factor_solve_block(f, k, b + start, local);
    memcpy(x + start, local, sizeof(double) * (size_t)n);
  }
}

static ss_error solve_cholesky(ssi_factor *f, int count, const double *b, double *x) {
  cholmod_dense B = {.nrow = (size_t)f->n,
                     .ncol = (size_t)count,
                     .nzmax = (size_t)f->n * (size_t)count,
                     .d = (size_t)f->n,
                     .x = (void *)(uintptr_t)b,
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  cholmod_dense *X = cholmod_l_solve(CHOLMOD_A, f->cholesky, &B, &f->common);
  if (!X) return f->common.status == CHOLMOD_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_ERR_LINEAR;
  memcpy(x, X->x, B.nzmax * sizeof(double));
  cholmod_l_free_dense(&X, &f->common);
  return SS_OK;
}

static ss_error solve_lu(ssi_factor *f, const double *b, double *x) {
  if (x == b) b = memcpy(f->scratch, b, sizeof(double) * (size_t)f->n);
  SuiteSparse_long e = umfpack_dl_solve(UMFPACK_A, f->ptr, f->index, f->x, x, b, f->lu, NULL, NULL);
  if (e == UMFPACK_ERROR_out_of_memory) return SS_ERR_MEMORY;
  return e < UMFPACK_OK ? SS_ERR_LINEAR : SS_OK;
}

ss_error ssi_factor_solve_many(ssi_factor *f, int count, const double *b, double *x) {
  if (f->kind == CHOLESKY) return f->n && count ? solve_cholesky(f, count, b, x) : SS_OK;
  for (int64_t k = 0; k < count; k++) {
    if (f->kind == BLOCKS)
      solve_blocks(f, b + k * f->n, x + k * f->n);
    else
      SS_TRY(solve_lu(f, b + k * f->n, x + k * f->n));
  }
  return SS_OK;
}

ss_error ssi_factor_solve(ssi_factor *f, const double *b, double *x) {
  return ssi_factor_solve_many(f, 1, b, x);
}

int ssi_factor_block_count(const ssi_factor *f) {
  return f->block_count;
}
const int *ssi_factor_block_start(const ssi_factor *f) {
  return f->block_start;
}
const int *ssi_factor_block_of(const ssi_factor *f) {
  return f->block_of;
}
double ssi_factor_weakest_pivot(const ssi_factor *f) {
  return f->weakest;
}
