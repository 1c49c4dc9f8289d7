// certify/raw_motion.h - what a velocity makes the contacts do, from the raw data in double-double arithmetic. For the checks
// of certificates: nothing of a search is used here.
#pragma once

#include "la/dd.h"
#include "stickslip/problem.h"

SSI_INLINE void ssi_raw_add_rows(const ss_sparse *A, const double *x, ssi_dd *y) {  // y += A x
  for (int i = 0; i < A->rows && A->ptr; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      ssi_dd_accumulate(&y[i], A->x[k], x[A->col[k]]);
}

SSI_INLINE void ssi_raw_add_columns(const ss_sparse *A, const double *x, ssi_dd *y) {  // += A^T x
  for (int i = 0; i < A->rows && A->ptr; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      ssi_dd_accumulate(&y[A->col[k]], A->x[k], x[i]);
}

// u = (H v + w, G^T v + b), or W z_r + V z_l + q and V^T z_r + R z_l + s; without w, b for a direction.   (m + nl)
void ssi_raw_motion(const ss_problem *p, const double *v, bool direction, ssi_dd *u);

double ssi_raw_parts_of_row(const ss_sparse *A, int i, const double *x);  // sum_j |A_ij x_j|

// The largest sum_j |H_ij v_j| of a row, or sum_j |W_ij z_j| + |V_il z_l|: what may cancel in H v.
double ssi_raw_parts(const ss_problem *p, const double *v);
