// problem/check.h - parts of ss_problem_check.
#pragma once

#include "stickslip/problem.h"

// Sizes, pointers, index ranges and order, finiteness, mu >= 0. Silent.
ss_error ssi_problem_check_structure(ss_context *ctx, const ss_problem *p);

// Everything in ss_problem_check except that M is positive definite, which only its factorisation
// shows (ssi_factor_create).
ss_error ssi_problem_check_data(ss_context *ctx, const ss_problem *p);
