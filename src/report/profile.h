// report/profile.h - the numbers of a performance profile, for those that draw it.
#pragma once

#include "base/arena.h"
#include "stickslip/report.h"

ss_error ssi_profile_check(ss_context *ctx, const ss_profile *p);

// Smallest cost of problem k; INFINITY where nobody solved it.
double ssi_profile_best(const ss_profile *p, const ss_profile_panel *a, int k);

// r_sp of the problems that the solver solved, ascending; how many there are. out: (a->problems).
int ssi_profile_ratios(const ss_profile *p, const ss_profile_panel *a, int solver, double *out);
