#include "problem/motion.h"

#include <string.h>

#include "base/error.h"
#include "la/least_squares.h"
#include "la/sparse.h"

enum { DENSE_LIMIT = 2000 };

// Singular values below this part of the largest are redundant constraints (double-counted joints),
// not stiff ones.
static const double RANK_TOLERANCE = 1e-12;

static void dense_columns(const ss_sparse *R, double *A) {
  for (int i = 0; i < R->rows; i++)
    for (int64_t k = R->ptr[i]; k < R->ptr[i + 1]; k++)
      A[(size_t)R->col[k] * (size_t)R->rows + (size_t)i] = R->x[k];
}

// A = G^T M^-1 G, column by column.
static ss_error form_columns(ssi_arena *arena, const ssi_motion *motion, double *A) {
  const ss_problem *p = motion->p;
  ss_sparse T;  // G^T
  size_t n = (size_t)p->ndof;
  double *y = SSI_TAKE(arena, n, double);
  if (!ssi_sparse_transpose(arena, &p->G, &T)) return SS_ERR_MEMORY;
  for (int j = 0; j < p->nl; j++) {
    memset(y, 0, n * sizeof *y);
    for (int64_t k = T.ptr[j]; k < T.ptr[j + 1]; k++) y[T.col[k]] = T.x[k];
    SS_TRY(ssi_factor_solve(motion->mass, y, y));
    ssi_sparse_multiply_add(&T, y, A + (size_t)j * (size_t)p->nl);
  }
  return SS_OK;
}

static ss_error solve_least_squares(int n, double *A, double *l, double *singular_values) {
  int rank;
  lapack_int info =
      ssi_least_squares(LAPACK_COL_MAJOR, n, 1, A, l, singular_values, RANK_TOLERANCE, &rank);
  if (info == LAPACK_WORK_MEMORY_ERROR) return SS_ERR_MEMORY;
  return info ? SS_ERR_LINEAR : SS_OK;
}

ss_error ssi_multipliers(ss_context *ctx, const ssi_motion *motion, double *l) {
  const ss_problem *p = motion->p;
  size_t nl = (size_t)p->nl;
  if (p->nl > DENSE_LIMIT)
    return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                    "the answer has no multipliers l for %d bilateral constraints; they are "
                    "computed up to %d constraints: give l",
                    p->nl, DENSE_LIMIT);
  bool finite = true;
  for (size_t j = 0; j < nl; j++) {
    l[j] = -motion->gap[j].hi;
    finite = finite && isfinite(l[j]);
  }
  if (!finite) return SS_OK;  // l carries the overflow into the residual
  ssi_arena arena = {.ctx = ctx};
  double *A = SSI_TAKE(&arena, nl * nl, double), *singular_values = SSI_TAKE(&arena, nl, double);
  ss_error e = arena.failed ? SS_ERR_MEMORY : SS_OK;
  if (!e && p->form == SS_REDUCED) dense_columns(&p->R, A);
  if (!e && p->form == SS_GLOBAL && p->ndof) e = form_columns(&arena, motion, A);
  if (!e) e = solve_least_squares(p->nl, A, l, singular_values);
  ssi_arena_release(&arena);
  if (e == SS_ERR_MEMORY) return ssi_fail(ctx, e, "no memory for %d bilateral multipliers", p->nl);
  return e ? ssi_fail(ctx, e, "least squares for %d bilateral multipliers failed", p->nl) : SS_OK;
}
