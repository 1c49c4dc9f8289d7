// la/least_squares.h - min |A x - b| of least norm, A square and perhaps singular, by LAPACK's dgelsd: its singular values
// tell the rank. What is not finite is refused here: LAPACK says so on standard output, where a library has no say.
#pragma once

#include <lapacke.h>

#include "la/vector.h"

enum { SSI_NOT_FINITE = -1 };

// A (n x n) is destroyed, B (n x sides) becomes x; size has room for n singular values. 0, SSI_NOT_FINITE, or what
// LAPACKE_dgelsd returns.
static inline int ssi_least_squares(int order, int n, int sides, double *A, double *B, double *size,
                                    double rank_tolerance, lapack_int *rank) {
  lapack_int width = order == LAPACK_ROW_MAJOR ? sides : n;
  if (!ssi_all_finite(A, (size_t)n * (size_t)n) || !ssi_all_finite(B, (size_t)n * (size_t)sides))
    return SSI_NOT_FINITE;
  return LAPACKE_dgelsd(order, n, n, sides, A, n, B, width, size, rank_tolerance, rank);
}
