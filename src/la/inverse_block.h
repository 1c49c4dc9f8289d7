// la/inverse_block.h - a dense block of the inverse of a sparse matrix.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

// out = (A^-1)_cc, symmetric, for A symmetric positive definite and `count` different rows c.   (count^2)
//
// With the rows c last, A = L L^T ends in L_cc, and (A^-1)_cc = (L_cc L_cc^T)^-1: one factorisation with that
// order and one dense inverse, in place of `count` solves. Pays from some hundred rows on.
// SS_ERR_LINEAR: A is not positive definite, or CHOLMOD has no constrained ordering; SS_ERR_MEMORY. No message.
ss_error ssi_inverse_block(ssi_arena *scratch, const ss_sparse *A, int count, const int *rows,
                           double *out);
