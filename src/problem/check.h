// problem/check.h - parts of ss_problem_check.
#pragma once

#include "stickslip/problem.h"

// Sizes, pointers, index ranges and order, finiteness: what makes it safe to read. Silent. Returns `code`
// with the place, after "name: " where there is one, otherwise.
ss_error ssi_problem_check_arrays(ss_context *ctx, ss_error code, const char *name,
                                  const ss_problem *p);

ss_error ssi_problem_check_structure(ss_context *ctx, const ss_problem *p);  // that, and mu >= 0

// Everything in ss_problem_check except that M is positive definite, which only its factorisation
// shows (ssi_factor_create).
ss_error ssi_problem_check_data(ss_context *ctx, const ss_problem *p);

// Everything in ss_problem_check except ssi_problem_check_arrays.
ss_error ssi_problem_check_rest(ss_context *ctx, const ss_problem *p);
