// certify/definite.h - the class that the theorems need: W (with bilateral constraints [W V; V^T R]) semi-definite.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef enum ssi_class {
  SSI_SEMIDEFINITE,  // to rounding
  SSI_BLURRED,  // the smallest eigenvalue is below -1e-13 and above -rank_tol of the largest entry
  SSI_INDEFINITE,  // z.W z < 0 beyond that
} ssi_class;

// Reduced form. z (m + nl) is filled where SSI_INDEFINITE. Above 3000 rows a Lanczos process of 100 steps looks
// for z: what it does not find counts as blurred.
ss_error ssi_find_class(ssi_arena *arena, const ss_problem *p, double rank_tol, ssi_class *out,
                        double *z);
