// la/largest_eigenvalue.h - the largest eigenvalues of many small blocks at once.
#pragma once

// lambda[i]: the largest eigenvalue of the symmetric part of block i (dim x dim, row-major, one after the other), with the
// bits of ssi_eig (la/small.h).
void ssi_largest_eigenvalues(int dim, int count, const double *blocks, double *lambda);
