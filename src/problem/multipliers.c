#include "problem/motion.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "la/lapack.h"
#include "la/small.h"
#include "la/sparse.h"
#include "problem/bilateral.h"

enum { DENSE_LIMIT = 2000 };

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

static ss_error solve_least_squares(int n, double *A, double *l, double *singular_values,
                                    bool *weak) {
  int rank;
  ss_error e =
      ssi_least_squares(LAPACK_COL_MAJOR, n, 1, A, l, singular_values, SSI_REDUNDANT, &rank);
  *weak = !e && rank > 0 && singular_values[rank - 1] < SSI_WEAK * singular_values[0];
  return e == SS_ERR_MEMORY ? e : e ? SS_ERR_LINEAR : SS_OK;
}

ss_error ssi_multipliers(ss_context *ctx, const ssi_motion *motion, double *l, bool *weak) {
  const ss_problem *p = motion->p;
  size_t nl = (size_t)p->nl;
  if (p->nl > DENSE_LIMIT)
    return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                    "the answer has no multipliers l for %d bilateral constraints; they are "
                    "computed up to %d constraints: give l",
                    p->nl, DENSE_LIMIT);
  bool finite = true;
  *weak = false;
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
  if (!e) e = solve_least_squares(p->nl, A, l, singular_values, weak);
  ssi_arena_release(&arena);
  if (e == SS_ERR_MEMORY) return ssi_fail(ctx, e, "no memory for %d bilateral multipliers", p->nl);
  return e ? ssi_fail(ctx, e, "least squares for %d bilateral multipliers failed", p->nl) : SS_OK;
}

// l += step; whether step is more than the last digit of l.
static bool add_step(int nl, const double *step, double *l, double *size) {
  double length = 0;
  *size = 0;
  for (int k = 0; k < nl; k++) {
    l[k] += step[k];
    *size = ssi_length2(*size, step[k]);
    length = ssi_length2(length, l[k]);
  }
  return *size > DBL_EPSILON * length;
}

ss_error ssi_motion_hold_joints(ssi_motion *motion, const double *r, int passes, double *step,
                                double *l) {
  enum { MOST = 6 };
  int nl = motion->p->nl;
  bool weak = true;
  double last = INFINITY, size;
  for (int k = 0; k < nl; k++) l[k] = 0;
  for (int pass = 0; pass < passes || (weak && pass < MOST); pass++, last = size) {
    SS_TRY(ssi_multipliers(motion->ctx, motion, step, &weak));
    bool moves = add_step(nl, step, l, &size);
    SS_TRY(ssi_motion_compute(motion, r, l));
    // what contradictory joints leave stays: the step tells, and not the gap
    if (!moves || !(size <= 0.5 * last)) weak = false;
  }
  return SS_OK;
}
