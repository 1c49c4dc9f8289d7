#include "problem/bilateral.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/lapack.h"
#include "la/rows.h"

enum { DENSE_LIMIT = 2000 };                            // largest R treated densely
static const int64_t product_limit = (int64_t)1 << 28;  // largest nl * m: R^+ U^T is kept, 2 GB
static const double FOREIGN =
    1e-6;  // of the largest |U|: outside of the range of R, not by rounding

// R^+ by least squares against the identity; exact inverse when R is regular.
static ss_error pseudo_inverse(ss_context *ctx, const ss_sparse *R, ssi_arena *arena, double **out,
                               bool *weak) {
  int n = R->rows;
  if (n > DENSE_LIMIT)
    return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                    "R (%d x %d) is singular or indefinite and larger than %d: redundant bilateral "
                    "constraints of this number are not supported",
                    n, n, (int)DENSE_LIMIT);
  size_t size = (size_t)n * (size_t)n;
  double *A = ssi_alloc(ctx, size, sizeof *A),
         *singular = ssi_alloc(ctx, (size_t)n, sizeof *singular);
  *out = SSI_TAKE(arena, size, double);
  ss_error e = A && singular && *out ? SS_OK : SS_ERR_MEMORY;
  if (!e) {
    memset(A, 0, size * sizeof *A);
    for (int i = 0; i < n; i++) {
      (*out)[(size_t)n * (size_t)i + (size_t)i] = 1;
      for (int64_t k = R->ptr[i]; k < R->ptr[i + 1]; k++)
        A[(size_t)n * (size_t)i + (size_t)R->col[k]] = R->x[k];
    }
    int rank;
    e = ssi_least_squares(LAPACK_ROW_MAJOR, n, n, A, *out, singular, SSI_REDUNDANT, &rank);
    if (e == SS_ERR_DATA)
      ssi_fail(
          ctx, e,
          "R = G^T M^-1 G of the bilateral constraints is not finite: their entries are too large");
    else if (e == SS_ERR_LINEAR)
      ssi_fail(ctx, e, "pseudo-inverse of R failed: its singular values are not found");
    if (!e && rank < n)
      ssi_log(ctx, SS_LOG_WARN, "R has rank %d of %d: bilateral constraints repeat each other",
              rank, n);
    *weak = !e && rank > 0 && singular[rank - 1] < SSI_WEAK * singular[0];
  }
  ssi_release(ctx, A);
  ssi_release(ctx, singular);
  return e;
}

// The factor where R is positive definite and not only by rounding: redundant constraints may leave
// small positive pivots, and an inverse that is noise. Else the pseudo-inverse.
static ss_error invert(ss_context *ctx, const ss_sparse *R, ssi_arena *arena, ssi_bilateral *out) {
  ss_error e = ssi_factor_create(ctx, R, &out->factor);
  if (e == SS_ERR_MEMORY) return e;
  double weakest = e ? 0 : ssi_factor_weakest_pivot(out->factor);
  out->weak = weakest < SSI_WEAK;
  if (weakest > SSI_REDUNDANT) return SS_OK;
  if (ctx && e) ctx->message[0] = 0;  // not an error of the problem
  ssi_bilateral_release(out);
  return pseudo_inverse(ctx, R, arena, &out->inverse, &out->weak);
}

static ss_error apply_inverse(const ssi_bilateral *b, const double *x, double *y) {
  if (b->factor) return ssi_factor_solve(b->factor, x, y);
  for (int i = 0; i < b->nl; i++) {
    double sum = 0;
    for (int j = 0; j < b->nl; j++) sum += b->inverse[(int64_t)b->nl * i + j] * x[j];
    y[i] = sum;
  }
  return SS_OK;
}

static void copy_row(const ss_sparse *U, int i, double *column) {
  memset(column, 0, sizeof(double) * (size_t)U->cols);
  for (int64_t k = U->ptr[i]; k < U->ptr[i + 1]; k++) column[U->col[k]] = U->x[k];
}

// column = U^T - R X, of contact row i
static void what_is_left(const ssi_bilateral *b, const ss_sparse *R, const ss_sparse *U, int i,
                         double *column) {
  copy_row(U, i, column);
  for (int k = 0; k < b->nl; k++)
    for (int64_t e = R->ptr[k]; e < R->ptr[k + 1]; e++)
      column[k] -= R->x[e] * b->X[(int64_t)b->m * R->col[e] + i];
}

// X = R^+ U^T, one column (a row of U) at a time. An R^+ that is weak leaves R X - U^T off by rounding over its
// smallest singular value: again for what it leaves.
static ss_error fill_X(ssi_bilateral *b, const ss_sparse *R, const ss_sparse *U, double *column,
                       double *solved) {
  for (int i = 0; i < b->m; i++) {
    if (U->ptr[i] == U->ptr[i + 1]) continue;  // stays zero
    copy_row(U, i, column);
    for (int pass = 0; pass < (b->weak ? 3 : 1); pass++) {
      if (pass) what_is_left(b, R, U, i, column);
      SS_TRY(apply_inverse(b, column, solved));
      for (int k = 0; k < b->nl; k++) b->X[(int64_t)b->m * k + i] += solved[k];
    }
  }
  return SS_OK;
}

ss_error ssi_bilateral_foreign(ss_context *ctx) {
  return ssi_fail(
      ctx, SS_ERR_DATA,
      "R is singular in a direction in which V is not zero: R = G^T M^-1 G and V = H M^-1 G of no "
      "bodies are like that");
}

// U^T - R X = (I - R R^+) U^T
static bool is_foreign(const ssi_bilateral *b, const ss_sparse *R, const ss_sparse *U,
                       double *column) {
  double largest = 0, left = 0;
  if (b->factor) return false;
  for (int i = 0; i < b->m; i++) {
    for (int64_t e = U->ptr[i]; e < U->ptr[i + 1]; e++) largest = fmax(largest, fabs(U->x[e]));
    what_is_left(b, R, U, i, column);
    for (int k = 0; k < b->nl; k++) left = fmax(left, fabs(column[k]));
  }
  return left > FOREIGN * largest;
}

static bool append_difference(ssi_rows *rows, const ssi_bilateral *b, const ss_problem *p, int i,
                              double *dense) {
  const ss_sparse *W = &p->W, *V = &p->V;
  if (V->ptr[i] == V->ptr[i + 1])
    return ssi_rows_append_sparse(rows, W->ptr[i + 1] - W->ptr[i], W->col + W->ptr[i],
                                  W->x + W->ptr[i]);
  memset(dense, 0, sizeof(double) * (size_t)b->m);
  for (int64_t k = W->ptr[i]; k < W->ptr[i + 1]; k++) dense[W->col[k]] = W->x[k];
  for (int64_t k = V->ptr[i]; k < V->ptr[i + 1]; k++) {
    const double *row = b->X + (int64_t)b->m * V->col[k];
    for (int j = 0; j < b->m; j++) dense[j] -= V->x[k] * row[j];
  }
  return ssi_rows_append_dense(rows, dense);
}

ss_error ssi_bilateral_eliminate(ss_context *ctx, const ss_problem *p, const ss_sparse *U,
                                 ssi_arena *arena, ssi_bilateral *out, ss_sparse *W) {
  int m = p->dim * p->nc;
  *out = (ssi_bilateral){.nl = p->nl, .m = m};
  if ((int64_t)m * p->nl > product_limit)
    return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                    "%d bilateral constraints with %d contacts: their product exceeds %lld", p->nl,
                    p->nc, (long long)product_limit);
  SS_TRY(invert(ctx, &p->R, arena, out));
  out->X = SSI_TAKE(arena, (int64_t)m * p->nl, double);
  out->y = SSI_TAKE(arena, p->nl, double);
  out->refined = SSI_TAKE(arena, p->nl, double);
  double *row = SSI_TAKE(arena, m, double), *column = SSI_TAKE(arena, 2 * (size_t)p->nl, double);
  ssi_rows rows = {0};
  ss_error e = ssi_rows_begin(ctx, m, m, &rows) && !arena->failed ? SS_OK : SS_ERR_MEMORY;
  if (!e) e = fill_X(out, &p->R, U ? U : &p->V, column, column + p->nl);
  if (!e && is_foreign(out, &p->R, U ? U : &p->V, column)) e = ssi_bilateral_foreign(ctx);
  for (int i = 0; !e && i < m; i++)
    if (!append_difference(&rows, out, p, i, row)) e = SS_ERR_MEMORY;
  ss_sparse view = ssi_rows_view(&rows);
  if (!e && !ssi_sparse_copy(arena, &view, W)) e = SS_ERR_MEMORY;
  ssi_rows_end(&rows);
  if (e) ssi_bilateral_release(out);
  return e;
}

void ssi_bilateral_release(ssi_bilateral *b) {
  ssi_factor_destroy(b->factor);
  b->factor = NULL;
}

ss_error ssi_bilateral_update(ssi_bilateral *b, const ss_sparse *V, const double *q,
                              const double *s, double *q_eliminated) {
  SS_TRY(apply_inverse(b, s, b->y));
  for (int i = 0; i < b->m; i++) {
    double sum = q[i];
    for (int64_t k = V->ptr[i]; k < V->ptr[i + 1]; k++) sum -= V->x[k] * b->y[V->col[k]];
    q_eliminated[i] = sum;
  }
  return SS_OK;
}

void ssi_bilateral_multipliers(const ssi_bilateral *b, const double *r, double *l) {
  for (int k = 0; k < b->nl; k++) {
    double sum = b->y[k];
    for (int i = 0; i < b->m; i++) sum += b->X[(int64_t)b->m * k + i] * r[i];
    l[k] = -sum;
  }
}

ss_error ssi_bilateral_refine(ssi_bilateral *b, const double *gap, double *l) {
  SS_TRY(apply_inverse(b, gap, b->refined));
  for (int k = 0; k < b->nl; k++) l[k] -= b->refined[k];
  return SS_OK;
}
