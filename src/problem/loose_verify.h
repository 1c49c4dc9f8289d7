// problem/loose_verify.h - the verdict on an answer (r, v, l) of a problem whose M is singular: r alone does not say how
// loose motions go, so v is taken as given. docs/theory.md (16)
#pragma once

#include "stickslip/problem.h"

// p: checked, M semi-definite and singular. As ss_verify; SS_ERR_ARGUMENT where the answer has no v, or no l for joints.
ss_error ssi_verify_loose(ss_context *ctx, const ss_problem *p, const ss_solution *answer,
                          double *u, double *v, double *l, ss_contact_verdict *contacts,
                          ss_verdict *out);
