// problem/multipliers.h - bilateral multipliers for an answer that comes without them.
#pragma once

#include "problem/motion.h"

// l (nl) of least norm among those that minimise |V^T r + R l + s|, where motion->gap holds the
// value of V^T r + s (global form: of G^T v + b with l = 0, and R = G^T M^-1 G). Dense: asks for the
// multipliers with SS_ERR_UNSUPPORTED above 2000 constraints.
ss_error ssi_multipliers(ss_context *ctx, const ssi_motion *motion, double *l);
