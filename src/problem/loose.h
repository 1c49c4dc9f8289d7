// problem/loose.h - a global problem whose M is positive semi-definite and singular, docs/theory.md "A singular M".
//
// Loose motions z cost nothing and obey the joints: M z = 0, G^T z = 0. What M is, is asked of each of its connected
// blocks by itself, scaled to a unit diagonal: a block of masses of 1e-20 beside others is none the worse for it.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_loose {
  int ndof, count;
  double *Z;  // loose motions, one after the other, independent   (ndof x count)
} ssi_loose;

// All of them. SS_ERR_DATA: M is indefinite beyond rounding; ctx->message names the block. SS_ERR_UNSUPPORTED: M has more than 3000 rows.
ss_error ssi_loose_find(ssi_arena *arena, const ss_problem *p, ssi_loose *out);

// For those to whom the factor of M has just failed with `code`: SS_OK and ctx->message cleared where M is
// semi-definite, else the error and its message as they are.
ss_error ssi_loose_instead(ss_context *ctx, const ss_problem *p, ss_error code);
