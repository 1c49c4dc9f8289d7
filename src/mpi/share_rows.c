#include "mpi/share_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/clones.h"
#include "mpi/share_forest.h"
#include "mpi/share_masses.h"

void share_rows_create(const share *s, const share_entry *entries, const int64_t *ptr,
                       share_rows *out) {
  int64_t entry_count = ptr[s->own_dofs], count = 0;
  int64_t *other = RANKS_TAKE(s->c, entry_count, int64_t);
  for (int64_t e = 0; e < entry_count; e++)
    if (entries[e].col < s->first_dof || entries[e].col >= s->first_dof + s->own_dofs)
      other[count++] = entries[e].col;
  *out = (share_rows){.s = s, .ptr = ptr, .ghosts = (int)share_unique(other, count)};
  out->x = RANKS_TAKE(s->c, entry_count, double);
  out->column = RANKS_TAKE(s->c, entry_count, int);
  for (int64_t e = 0; e < entry_count; e++) {
    int at = share_place(other, out->ghosts, entries[e].col);
    out->x[e] = entries[e].x;
    out->column[e] = at < 0 ? (int)(entries[e].col - s->first_dof) : (int)s->own_dofs + at;
  }
  share_forest_create(s->c, s->dofs, other, out->ghosts, &out->columns);
  out->hi = RANKS_TAKE(s->c, 2 * (s->own_dofs + out->ghosts), double);
  out->lo = out->hi + s->own_dofs + out->ghosts;
  free(other);
}

void share_rows_destroy(share_rows *A) {
  if (A->columns) PetscSFDestroy(&A->columns);
  free(A->x);
  free(A->column);
  free(A->hi);
  *A = (share_rows){0};
}

SSI_CLONES_FMA static double find_residual(const share_rows *A, const ssi_dd *rhs, double *step) {
  double worst = 0;
  for (int64_t i = 0; i < A->s->own_dofs; i++) {
    ssi_dd sum = rhs[i];
    double size = fabs(sum.hi);
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      ssi_dd_accumulate(&sum, -A->x[e], A->hi[A->column[e]]);
      sum.lo -= A->x[e] * A->lo[A->column[e]];
      size += fabs(A->x[e] * A->hi[A->column[e]]);
    }
    step[i] = sum.hi + sum.lo;
    if (size > 0 && !(fabs(step[i]) <= worst * size)) worst = fabs(step[i]) / size;
  }
  return worst;
}

double share_rows_residual(share_rows *A, const ssi_dd *rhs, const ssi_dd *v, double *step) {
  const share *s = A->s;
  for (int64_t i = 0; i < s->own_dofs; i++) A->hi[i] = v[i].hi, A->lo[i] = v[i].lo;
  share_spread_out(s->c, A->columns, A->hi, A->hi + s->own_dofs);
  share_spread_out(s->c, A->columns, A->lo, A->lo + s->own_dofs);
  double worst = find_residual(A, rhs, step);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, s->c->comm);
  return worst;
}
