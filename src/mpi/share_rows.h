// mpi/share_rows.h - rows of a square matrix over the dofs, in even shares, and what is left of a system with it in
// double-double.
#pragma once

#include "la/dd.h"
#include "mpi/share.h"

typedef struct share_rows {
  const share *s;
  const int64_t *ptr;  // borrowed   (own_dofs + 1)
  double *x;
  int *column;      // of each entry: own dof, or own_dofs + ghost
  PetscSF columns;  // leaves: ghosts, the columns that others own
  int ghosts;
  double *hi, *lo;  // room   (own_dofs + ghosts)
} share_rows;

void share_rows_create(const share *s, const share_entry *entries, const int64_t *ptr,
                       share_rows *out);
void share_rows_destroy(share_rows *A);

// step = rhs - A v, and its componentwise backward error max_i |step_i| / (|rhs_i| + sum_j |A_ij v_j|), as in
// problem/motion.c. Collective.
double share_rows_residual(share_rows *A, const ssi_dd *rhs, const ssi_dd *v, double *step);
