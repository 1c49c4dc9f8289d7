// la/small_cholesky.h - A = L L^T for a few rows, row-major, in the lower triangle of A. By hand: LAPACK's blocks and
// checks cost more than such a matrix, and these are made in inner loops.
#pragma once

#include <stdbool.h>

// Rows are `stride` apart. false: a pivot is not above `floor`, or not above `share` of its diagonal entry.
bool ssi_cholesky(int n, double *A, int stride, double floor, double share);

// x <- A^-1 x, its numbers x_stride apart.
void ssi_cholesky_solve(int n, const double *L, int stride, double *x, int x_stride);

// The lower triangle becomes that of the symmetric part; rows n apart.
void ssi_symmetrise(int n, double *A);
