// Is W of a part singular for certain, or only as far as its rounded numbers can tell?
//
// Certain is what rounding cannot undo: fewer degrees of freedom than rows (the rank of H M^-1 H^T is at most the
// number of columns that H has there), an eigenvalue below zero by more than rounding, or rows that depend on each
// other exactly as they stand, which is structure (equal contacts) or data that is exact.
#ifdef SS_WITH_GMP
#include <gmp.h>
#endif
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/critical.h"
#include "base/error.h"
#include "base/gmp_memory.h"
#include "problem/system.h"
#ifndef SS_WITH_GMP
#include "problem/radius.h"
#endif

static const double ROUNDED = 1e-12;  // of W scaled to a diagonal of order 1

static int columns_of(const ss_problem *p, const ssi_critical_part *part, unsigned char *seen) {
  int count = 0;
  memset(seen, 0, (size_t)p->ndof);
  for (int k = 0; k < 2 * part->n; k++) {
    int row = 2 * part->contact[k / 2] + k % 2;
    for (int64_t e = p->H.ptr[row]; e < p->H.ptr[row + 1]; e++) {
      if (p->H.x[e] == 0 || seen[p->H.col[e]]) continue;
      seen[p->H.col[e]] = 1;
      count++;
    }
  }
  return count;
}

// values: (8 n)
static double lowest_eigenvalue(const ssi_critical_part *part, double *work, double *values) {
  int n = 2 * part->n;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) work[b * n + a] = (part->W[a * n + b] + part->W[b * n + a]) / 2;
  lapack_int info =
      LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', n, work, n, values, values + n, 3 * n);
  return info ? NAN : values[0];
}

#ifdef SS_WITH_GMP

enum { EXACT_ROWS = 40 };

typedef struct dependence {
  const double *A;  // (rows cols)
  int rows, cols;
  mpq_t *work;  // (rows cols)
  bool depend;
} dependence;

// Whether the rows of A, taken as they stand, depend on each other: elimination in rationals.
static void find_dependence(void *argument) {
  dependence *d = argument;
  int rows = d->rows, cols = d->cols, rank = 0;
  mpq_t *a = d->work, product;
  mpq_init(product);
  for (int k = 0; k < rows * cols; k++) mpq_init(a[k]), mpq_set_d(a[k], d->A[k]);
  for (int col = 0; col < cols && rank < rows; col++) {
    int at = rank;
    while (at < rows && mpq_sgn(a[at * cols + col]) == 0) at++;
    if (at == rows) continue;
    for (int j = 0; j < cols; j++) mpq_swap(a[at * cols + j], a[rank * cols + j]);
    for (int i = rank + 1; i < rows; i++) {
      if (mpq_sgn(a[i * cols + col]) == 0) continue;
      mpq_div(a[i * cols + col], a[i * cols + col], a[rank * cols + col]);
      for (int j = col + 1; j < cols; j++) {
        mpq_mul(product, a[i * cols + col], a[rank * cols + j]);
        mpq_sub(a[i * cols + j], a[i * cols + j], product);
      }
    }
    rank++;
  }
  d->depend = rank < rows;
}

// The rows of H, or of W, that the part has.
static bool exactly_singular(ssi_arena *arena, const ss_problem *p, const ssi_critical_part *part) {
  const ss_sparse *A = p->form == SS_GLOBAL ? &p->H : &p->W;
  int rows = 2 * part->n, cols = A->cols;
  if (p->nl || rows > EXACT_ROWS || cols > 4 * EXACT_ROWS) return false;
  double *dense = SSI_TAKE(arena, (size_t)rows * (size_t)cols, double);
  for (int k = 0; dense && k < rows; k++) {
    int row = 2 * part->contact[k / 2] + k % 2;
    for (int64_t e = A->ptr[row]; e < A->ptr[row + 1]; e++) dense[k * cols + A->col[e]] = A->x[e];
  }
  dependence d = {dense, rows, cols, SSI_TAKE(arena, (size_t)rows * (size_t)cols, mpq_t), false};
  ssi_gmp_memory memory = {.ctx = arena->ctx};
  if (dense && d.work && !ssi_gmp_run(&memory, find_dependence, &d)) arena->failed = true;
  ssi_gmp_memory_release(&memory);
  return d.depend;
}

#else

static bool all_short(const ss_sparse *A) {
  for (int i = 0; A->ptr && i < A->rows; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++)
      if (!ssi_is_short(A->x[e], 0)) return false;
  return true;
}

static bool exactly_singular(ssi_arena *arena, const ss_problem *p, const ssi_critical_part *part) {
  (void)arena;
  const bool exact = p->form == SS_GLOBAL ? all_short(&p->H) && all_short(&p->M) : all_short(&p->W);
  return exact && part->n > 0;
}

#endif

bool ssi_is_singular_for_certain(ssi_arena *arena, const ss_problem *p,
                                 const ssi_critical_part *part, double *work) {
  bool global = p->form == SS_GLOBAL;
  unsigned char *seen = SSI_TAKE(arena, (size_t)(global ? p->ndof : 0) + 1, unsigned char);
  double *values = SSI_TAKE(arena, 8 * part->n, double);
  if (arena->failed) return false;
  if (global && p->H.ptr && p->nl == 0 && columns_of(p, part, seen) < 2 * part->n) return true;
  if (global && !p->H.ptr) return true;
  if (exactly_singular(arena, p, part)) return true;
  return lowest_eigenvalue(part, work, values) < -ROUNDED;
}

ss_error ssi_joints_hide_W(ss_context *ctx, const ss_problem *p, bool *hidden) {
  static const double DUST = 1e-10;  // of W_ii
  ssi_system *sys = NULL;
  *hidden = false;
  if (!p->nl) return SS_OK;
  SS_TRY(ssi_system_create(ctx, p, &sys));
  int d = sys->dim;
  for (int i = 0; i < sys->nc; i++)
    for (int k = 0; k < d; k++) {
      int64_t at = (int64_t)d * d * i + (int64_t)(d + 1) * k;
      if (!(fabs(sys->diag[at]) > DUST * fabs(sys->metric[at]))) *hidden = true;
    }
  ssi_system_destroy(sys);
  return SS_OK;
}
