// la/direct.h - A x = b many times over: a square sparse A of one pattern, factored anew when its
// numbers change, and a solve that is as short as possible and takes no memory.
//
// Three ways, chosen from A once:
//   dense    few rows, or a factor that fills up: the inverse of the Cholesky factor, C = L^-1, kept in
//            panels of four rows; x = C^T (C b) in one pass over n^2/2 numbers. (An explicit A^-1
//            would lose cond(A) of accuracy, C loses its square root.) Without symmetry A^-1 after all.
//   CHOLMOD  symmetric A
//   UMFPACK  otherwise: asymmetric beyond rounding, or symmetric and not positive definite
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_direct ssi_direct;

// A symmetric A may differ from its transpose by rounding; its upper triangle is used.
// SS_ERR_LINEAR: A is singular. The pattern (A->ptr, A->col) must live as long as *out.
ss_error ssi_direct_create(ss_context *ctx, const ss_sparse *A, bool symmetric, ssi_direct **out);
void ssi_direct_destroy(ssi_direct *d);  // NULL allowed

// New numbers (in the order of A->x). SS_ERR_LINEAR or SS_ERR_MEMORY: unusable until the next one.
ss_error ssi_direct_refactor(ssi_direct *d, const double *x);

// x = A^-1 b; x may be b.
ss_error ssi_direct_solve(ssi_direct *d, const double *b, double *x);

const char *ssi_direct_name(const ssi_direct *d);  // "dense", "cholmod", "umfpack"
