// certify/every_mu_search.h - looking for what decides criterion (A) for every mu in one connected component.
// docs/existence.md (E14) to (E17)
#pragma once

#include "base/arena.h"
#include "stickslip/certify.h"

// *out: what was found, its arrays in `arena`; nothing is judged here. SS_UNKNOWN: nothing.
ss_error ssi_every_mu_search(ssi_arena *arena, const ss_problem *p, double rank_tol,
                             ss_every_mu *out);

double ssi_every_mu_flops(const ss_problem *p);  // that it takes at most, roughly

// The common mu from which on r is in the friction cones: INFINITY where some contact drags without pressing.
double ssi_every_mu_fails_from(const ss_problem *p, const double *r);
