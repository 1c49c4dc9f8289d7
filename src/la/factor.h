// la/factor.h - M^-1 for a symmetric positive definite (or very slightly asymmetric) sparse M.
//
// Three back-ends of la/direct.h, chosen from the matrix: small diagonal blocks (rigid bodies) are inverted
// one by one; else sparse Cholesky; else, where M is not exactly symmetric and Cholesky would solve another
// problem, sparse LU.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_factor ssi_factor;

// SS_ERR_DATA when M is not positive definite; the message names the pivot (0-based row of M).
ss_error ssi_factor_create(ss_context *ctx, const ss_sparse *M, ssi_factor **out);
void ssi_factor_destroy(ssi_factor *f);  // NULL allowed

// New numbers in the same pattern: the same bits as a new factor, without a second analysis of the
// pattern (save where M is asymmetric). After SS_ERR_DATA a further renewal may follow,
// after any other error only destroy.
ss_error ssi_factor_renew(ss_context *ctx, ssi_factor *f, const ss_sparse *M);

// x = M^-1 b; x may be b. SS_ERR_MEMORY or SS_ERR_LINEAR when the backend fails.
ss_error ssi_factor_solve(ssi_factor *f, const double *b, double *x);
// The same for `count` right-hand sides, column after column.
ss_error ssi_factor_solve_many(ssi_factor *f, int count, const double *b, double *x);

// The smallest pivot of the symmetric part, each over its own diagonal entry: how much of a row is
// left when those before it are taken out. 1 for a diagonal matrix, rounding for a singular one.
double ssi_factor_weakest_pivot(const ssi_factor *f);

// The blocks, where M is block-diagonal with blocks of at most 6 x 6 (rigid bodies); else 0 blocks.
int ssi_factor_block_count(const ssi_factor *f);
const int *ssi_factor_block_start(const ssi_factor *f);  // first dof of each block; (blocks + 1)
const int *ssi_factor_block_of(const ssi_factor *f);     // block of each dof; (rows of M)
// 1/M_ii, where M is diagonal; else NULL.
const double *ssi_factor_diagonal_inverse(const ssi_factor *f);  // (rows of M)
// x = (block)^-1 b; b and x hold the block's own dofs only and must not overlap.
void ssi_factor_solve_block(const ssi_factor *f, int block, const double *b, double *x);
