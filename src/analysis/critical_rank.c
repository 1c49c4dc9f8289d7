// Is W of a part singular for certain, or only as far as its rounded numbers can tell?
//
// Certain is what rounding cannot undo: fewer degrees of freedom than rows (the rank of H M^-1 H^T is at most the
// number of columns that H has there), an eigenvalue below zero by more than rounding, or data that is exact
// (problem/radius.h) and makes it so.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/critical.h"
#include "problem/radius.h"

static const double ROUNDED = 1e-12;  // of W scaled to a diagonal of order 1

static int columns_of(const ss_problem *p, const ssi_part *part, unsigned char *seen) {
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

static bool all_short(const ss_sparse *A) {
  for (int i = 0; A->ptr && i < A->rows; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++)
      if (!ssi_is_short(A->x[e], 0)) return false;
  return true;
}

static double lowest_eigenvalue(const ssi_part *part, double *work, double *values) {
  int n = 2 * part->n;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) work[b * n + a] = (part->W[a * n + b] + part->W[b * n + a]) / 2;
  return LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, work, n, values) ? NAN : values[0];
}

bool ssi_is_singular_for_certain(ssi_arena *arena, const ss_problem *p, const ssi_part *part,
                                 double *work) {
  bool global = p->form == SS_GLOBAL;
  unsigned char *seen = SSI_TAKE(arena, (size_t)(global ? p->ndof : 0) + 1, unsigned char);
  double *values = SSI_TAKE(arena, 2 * part->n, double);
  if (arena->failed) return false;
  if (global && p->H.ptr && p->nl == 0 && columns_of(p, part, seen) < 2 * part->n) return true;
  if (global && !p->H.ptr) return true;
  if (global ? all_short(&p->H) && all_short(&p->M) : all_short(&p->W)) return true;
  return lowest_eigenvalue(part, work, values) < -ROUNDED;
}
