// la/lapack.h - what LAPACKE's functions leave to their callers: errors as ours, and least squares.
#pragma once

#include <lapacke.h>

#include "la/vector.h"
#include "stickslip/base.h"

// Memory that LAPACKE could not get is no property of the matrix.
static inline ss_error ssi_lapack_error(lapack_int info) {
  if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
    return SS_ERR_MEMORY;
  return info ? SS_ERR_LINEAR : SS_OK;
}

// min |A x - b| of least norm, A square and perhaps singular, by LAPACK's dgelsd: its singular values tell the rank.
// A (n x n) is destroyed, B (n x sides) becomes x; size has room for n singular values. SS_ERR_DATA: not finite.
static inline ss_error ssi_least_squares(int order, int n, int sides, double *A, double *B,
                                         double *size, double rank_tolerance, lapack_int *rank) {
  lapack_int width = order == LAPACK_ROW_MAJOR ? sides : n;
  if (!ssi_all_finite(A, (size_t)n * (size_t)n) || !ssi_all_finite(B, (size_t)n * (size_t)sides))
    return SS_ERR_DATA;
  return ssi_lapack_error(
      LAPACKE_dgelsd(order, n, n, sides, A, n, B, width, size, rank_tolerance, rank));
}
