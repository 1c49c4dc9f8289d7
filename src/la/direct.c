#include "la/direct.h"

#include <cholmod.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <umfpack.h>

#include "base/clones.h"
#include "base/error.h"
#include "la/sparse.h"

// Dense up to ALWAYS rows, and up to MOST rows where the sparse factor would hold more than one in
// FILL of the dense one's entries: an entry read through an index costs about that much more.
enum { ALWAYS = 60, MOST = 1000, FILL = 4, PANEL = 4 };

typedef enum kind { DENSE, DENSE_LU, CHOLESKY, LU } kind;

struct ssi_direct {
  ssi_arena arena;  // this struct and all below, except what the backends own
  ss_context *ctx;
  kind kind;
  int n;
  const int64_t *ptr;
  const int *col;

  double *square;        // dense: A, column-major, then its factor      (n^2)
  double *panels;        // C or A^-1, see pack_*                        (panel_numbers)
  double *in, *out;      // padded to whole panels                       (n + PANEL)
  lapack_int *exchange;  // LU                                           (n)

  cholmod_common common;
  bool started;
  cholmod_factor *cholesky;
  cholmod_dense *X, *Y, *E;  // work of cholmod_l_solve2, kept

  SuiteSparse_long *at, *index;  // the pattern: rows of A are columns of A^T
  double *x;                     // numbers
  void *symbolic, *lu;
  SuiteSparse_long *work_index;
  double control[UMFPACK_CONTROL];
};

// ---- dense ---------------------------------------------------------------------------------

typedef double lanes __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

static int64_t panel_count(int n) {
  return (n + PANEL - 1) / PANEL;
}

// Panel g of C: rows 4g .. 4g+3, each of 4g+4 numbers (zeros past the diagonal and past row n).
static int64_t panel_at(int64_t g) {
  return PANEL * PANEL * (g * (g + 1) / 2);
}

// A scatter of the rows into columns: A^T, which for a symmetric A is A.
static void fill_square(ssi_direct *d, const double *x) {
  int64_t n = d->n;
  memset(d->square, 0, sizeof(double) * (size_t)(n * n));
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = d->ptr[i]; k < d->ptr[i + 1]; k++) d->square[n * i + d->col[k]] = x[k];
}

static void pack_triangle(ssi_direct *d) {
  int64_t n = d->n;
  for (int64_t g = 0; g < panel_count(d->n); g++)
    for (int64_t i = 0; i < PANEL; i++)
      for (int64_t j = 0; j < PANEL * (g + 1); j++) {
        int64_t row = PANEL * g + i;
        d->panels[panel_at(g) + i * PANEL * (g + 1) + j] =
            row < n && j <= row ? d->square[row + n * j] : 0;
      }
}

// A = L L^T, C = L^-1. The lower triangle of `square` by columns is the upper one of A by rows.
static ss_error factor_dense(ssi_direct *d, const double *x) {
  fill_square(d, x);
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', d->n, d->square, d->n)) return SS_ERR_LINEAR;
  if (LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'N', d->n, d->square, d->n)) return SS_ERR_LINEAR;
  pack_triangle(d);
  return SS_OK;
}

// x = C^T (C b): a panel is read once from memory and once more from the nearest cache.
SSI_CLONES static void solve_dense(const ssi_direct *d) {
  const double *in = d->in;
  double *out = d->out;
  for (int64_t g = 0; g < panel_count(d->n); g++) {
    int64_t width = PANEL * (g + 1);
    const double *p0 = d->panels + panel_at(g), *p1 = p0 + width, *p2 = p1 + width,
                 *p3 = p2 + width;
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t j = 0; j < width; j += 4) {
      lanes b = *(const lanes *)(in + j);
      s0 += *(const lanes *)(p0 + j) * b;
      s1 += *(const lanes *)(p1 + j) * b;
      s2 += *(const lanes *)(p2 + j) * b;
      s3 += *(const lanes *)(p3 + j) * b;
    }
    double t0 = (s0[0] + s0[1]) + (s0[2] + s0[3]), t1 = (s1[0] + s1[1]) + (s1[2] + s1[3]);
    double t2 = (s2[0] + s2[1]) + (s2[2] + s2[3]), t3 = (s3[0] + s3[1]) + (s3[2] + s3[3]);
    for (int64_t j = 0; j < width; j += 4)
      *(lanes *)(out + j) += (*(const lanes *)(p0 + j) * t0 + *(const lanes *)(p1 + j) * t1) +
                             (*(const lanes *)(p2 + j) * t2 + *(const lanes *)(p3 + j) * t3);
  }
}

// A^-1, column after column in `panels`; `square` holds A^T, so its inverse is transposed.
static ss_error factor_dense_lu(ssi_direct *d, const double *x) {
  int64_t n = d->n;
  fill_square(d, x);
  if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, d->n, d->n, d->square, d->n, d->exchange))
    return SS_ERR_LINEAR;
  lapack_int e = LAPACKE_dgetri(LAPACK_COL_MAJOR, d->n, d->square, d->n, d->exchange);
  if (e) return e == LAPACK_WORK_MEMORY_ERROR ? SS_ERR_MEMORY : SS_ERR_LINEAR;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) d->panels[n * j + i] = d->square[n * i + j];
  return SS_OK;
}

SSI_CLONES static void solve_dense_lu(const ssi_direct *d) {
  int64_t n = d->n;
  double *restrict out = d->out;
  for (int64_t j = 0; j < n; j++) {
    const double *restrict column = d->panels + n * j;
    double b = d->in[j];
    for (int64_t i = 0; i < n; i++) out[i] += column[i] * b;
  }
}

static ss_error prepare_dense(ssi_direct *d, kind way) {
  int64_t n = d->n, numbers = way == DENSE ? panel_at(panel_count(d->n)) : n * n;
  d->kind = way;
  if (!d->square) d->square = SSI_TAKE(&d->arena, n * n, double);
  d->panels = SSI_TAKE(&d->arena, numbers, double);
  if (!d->in) d->in = SSI_TAKE(&d->arena, n + PANEL, double);
  if (!d->out) d->out = SSI_TAKE(&d->arena, n + PANEL, double);
  if (way == DENSE_LU) d->exchange = SSI_TAKE(&d->arena, n, lapack_int);
  return d->arena.failed ? SS_ERR_MEMORY : SS_OK;
}

// ---- CHOLMOD -------------------------------------------------------------------------------

static cholmod_sparse as_cholmod(const ssi_direct *d, const double *x) {
  // rows of the upper triangle are columns of the lower one; the rest is ignored
  return (cholmod_sparse){.nrow = (size_t)d->n,
                          .ncol = (size_t)d->n,
                          .nzmax = (size_t)d->ptr[d->n],
                          .p = d->at,
                          .i = d->index,
                          .x = (void *)(uintptr_t)x,
                          .stype = -1,
                          .itype = CHOLMOD_LONG,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static ss_error error_of_cholmod(const ssi_direct *d) {
  return d->common.status == CHOLMOD_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_ERR_LINEAR;
}

static ss_error analyse_cholesky(ssi_direct *d, const double *x) {
  cholmod_l_start(&d->common);
  d->started = true;
  d->common.print = 0;
  d->common.final_ll = 1;  // LDL^T would take a negative pivot without a word
  // Supernodes only where they pay: on a stack (1710 rows, 100 operations per entry of L) they save
  // nothing in the factorisation, and CHOLMOD starts threads of its own for them.
  d->common.supernodal_switch = 200;
  d->common.nmethods = 1;
  d->common.method[0].ordering = CHOLMOD_AMD;
  cholmod_sparse A = as_cholmod(d, x);
  d->cholesky = cholmod_l_analyze(&A, &d->common);
  return d->cholesky ? SS_OK : error_of_cholmod(d);
}

static ss_error factor_cholesky(ssi_direct *d, const double *x) {
  cholmod_sparse A = as_cholmod(d, x);
  if (!cholmod_l_factorize(&A, d->cholesky, &d->common) || d->common.status < CHOLMOD_OK)
    return error_of_cholmod(d);
  return d->cholesky->minor < (size_t)d->n ? SS_ERR_LINEAR : SS_OK;
}

static ss_error solve_cholesky(ssi_direct *d, const double *b, double *x) {
  cholmod_dense B = {.nrow = (size_t)d->n,
                     .ncol = 1,
                     .nzmax = (size_t)d->n,
                     .d = (size_t)d->n,
                     .x = (void *)(uintptr_t)b,
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_l_solve2(CHOLMOD_A, d->cholesky, &B, NULL, &d->X, NULL, &d->Y, &d->E, &d->common))
    return error_of_cholmod(d);
  memcpy(x, d->X->x, sizeof(double) * (size_t)d->n);
  return SS_OK;
}

// ---- UMFPACK -------------------------------------------------------------------------------

static ss_error error_of_umfpack(SuiteSparse_long e) {
  return e == UMFPACK_ERROR_out_of_memory ? SS_ERR_MEMORY : e ? SS_ERR_LINEAR : SS_OK;
}

static ss_error prepare_lu(ssi_direct *d, const double *x) {
  int64_t entries = d->ptr[d->n];
  d->kind = LU;
  d->x = SSI_TAKE(&d->arena, entries, double);
  d->work_index = SSI_TAKE(&d->arena, d->n, SuiteSparse_long);
  if (!d->in) d->in = SSI_TAKE(&d->arena, d->n + PANEL, double);
  if (!d->out) d->out = SSI_TAKE(&d->arena, d->n + PANEL, double);
  if (d->arena.failed) return SS_ERR_MEMORY;
  umfpack_dl_defaults(d->control);
  d->control[UMFPACK_IRSTEP] = 0;  // refinement would double the cost of a solve
  return error_of_umfpack(
      umfpack_dl_symbolic(d->n, d->n, d->at, d->index, x, &d->symbolic, d->control, NULL));
}

static ss_error factor_lu(ssi_direct *d, const double *x) {
  memcpy(d->x, x, sizeof(double) * (size_t)d->ptr[d->n]);
  if (d->lu) umfpack_dl_free_numeric(&d->lu);
  return error_of_umfpack(
      umfpack_dl_numeric(d->at, d->index, d->x, d->symbolic, &d->lu, d->control, NULL));
}

static ss_error solve_lu(ssi_direct *d, const double *b, double *x) {
  memcpy(d->in, b, sizeof(double) * (size_t)d->n);
  return error_of_umfpack(umfpack_dl_wsolve(UMFPACK_Aat, d->at, d->index, d->x, x, d->in, d->lu,
                                            d->control, NULL, d->work_index, d->out));
}

// ---- interface -----------------------------------------------------------------------------

static ss_error prepare_symmetric(ssi_direct *d, const double *x) {
  if (d->n <= ALWAYS) return prepare_dense(d, DENSE);
  d->kind = CHOLESKY;
  SS_TRY(analyse_cholesky(d, x));
  double dense = 0.5 * d->n * d->n;
  return d->n <= MOST && FILL * d->common.lnz > dense ? prepare_dense(d, DENSE) : SS_OK;
}

static ss_error prepare_general(ssi_direct *d, const double *x) {
  return d->n <= ALWAYS ? prepare_dense(d, DENSE_LU) : prepare_lu(d, x);
}

static ss_error fill(ssi_direct *d, const double *x, bool symmetric) {
  int64_t entries = d->ptr[d->n];
  d->at = SSI_TAKE(&d->arena, (size_t)d->n + 1, SuiteSparse_long);
  d->index = SSI_TAKE(&d->arena, entries, SuiteSparse_long);
  if (d->arena.failed) return SS_ERR_MEMORY;
  for (int i = 0; i <= d->n; i++) d->at[i] = d->ptr[i];
  for (int64_t k = 0; k < entries; k++) d->index[k] = d->col[k];
  if (symmetric) {
    SS_TRY(prepare_symmetric(d, x));
    ss_error e = ssi_direct_refactor(d, x);
    if (e != SS_ERR_LINEAR) return e;
  }
  SS_TRY(prepare_general(d, x));
  return ssi_direct_refactor(d, x);
}

ss_error ssi_direct_create(ss_context *ctx, const ss_sparse *A, bool symmetric, ssi_direct **out) {
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ssi_direct *d = SSI_TAKE(&arena, 1, ssi_direct);
  if (!d) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory");
  *d = (ssi_direct){.arena = arena, .ctx = ctx, .n = A->rows, .ptr = A->ptr, .col = A->col};
  ss_error e = d->n ? fill(d, A->x, symmetric) : SS_OK;
  if (e) {
    ssi_direct_destroy(d);
    return ssi_fail(ctx, e,
                    e == SS_ERR_MEMORY ? "out of memory while factoring %d rows"
                                       : "a matrix of %d rows is singular",
                    A->rows);
  }
  *out = d;
  return SS_OK;
}

void ssi_direct_destroy(ssi_direct *d) {
  if (!d) return;
  if (d->started) {
    cholmod_l_free_dense(&d->X, &d->common);
    cholmod_l_free_dense(&d->Y, &d->common);
    cholmod_l_free_dense(&d->E, &d->common);
    cholmod_l_free_factor(&d->cholesky, &d->common);
    cholmod_l_finish(&d->common);
  }
  if (d->symbolic) umfpack_dl_free_symbolic(&d->symbolic);
  if (d->lu) umfpack_dl_free_numeric(&d->lu);
  ssi_arena arena = d->arena;  // d itself lives in it
  ssi_arena_release(&arena);
}

ss_error ssi_direct_refactor(ssi_direct *d, const double *x) {
  if (!d->n) return SS_OK;
  switch (d->kind) {
  case DENSE:
    return factor_dense(d, x);
  case DENSE_LU:
    return factor_dense_lu(d, x);
  case CHOLESKY:
    return factor_cholesky(d, x);
  case LU:
    break;
  }
  return factor_lu(d, x);
}

ss_error ssi_direct_solve(ssi_direct *d, const double *b, double *x) {
  if (!d->n) return SS_OK;
  if (d->kind == CHOLESKY) return solve_cholesky(d, b, x);
  if (d->kind == LU) return solve_lu(d, b, x);
  size_t bytes = sizeof(double) * (size_t)d->n;
  memcpy(d->in, b, bytes);
  memset(d->out, 0, bytes + PANEL * sizeof(double));
  if (d->kind == DENSE)
    solve_dense(d);
  else
    solve_dense_lu(d);
  memcpy(x, d->out, bytes);
  return SS_OK;
}

const char *ssi_direct_name(const ssi_direct *d) {
  return d->kind == CHOLESKY ? "cholmod" : d->kind == LU ? "umfpack" : "dense";
}
