// problem/verify.h - the verdict, for callers that have the factor of M and the step lengths.
#pragma once

#include "la/factor.h"
#include "stickslip/problem.h"

// As ss_verify, for a problem that has been checked. mass: the factor of M, or NULL to make one
// (reduced form: not looked at). lambda_max (nc): largest eigenvalue of the symmetric part of each
// W_ii as it is, zeros included; or NULL to compute it.
ss_error ssi_verify(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                    const double *lambda_max, const ss_solution *answer, double *u, double *v,
                    double *l, ss_contact_verdict *contacts, ss_verdict *out);
