// problem/reduce.h - the reduced form of a global problem whose M is already factored.
#pragma once

#include "la/factor.h"
#include "stickslip/problem.h"

// As ss_problem_reduce, without checking p again.
ss_error ssi_reduce(ss_context *ctx, const ss_problem *p, ssi_factor *mass, ss_problem **out);

// q = w - H M^-1 f (m) and s = b - G^T M^-1 f (nl); scratch (ndof).
ss_error ssi_reduce_vectors(const ss_problem *p, ssi_factor *mass, double *scratch, double *q,
                            double *s);

// U (m x nl) with U^T = G^T M^-1 H^T: what V is where M is symmetric, and what the reduced form cannot
// hold where it is not.
ss_error ssi_reduce_left(ss_context *ctx, const ss_problem *p, ssi_factor *mass, ssi_arena *arena,
                         ss_sparse *U);
