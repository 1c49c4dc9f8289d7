// problem/generate.h - the argument checks that all generators share.
#pragma once

#include "stickslip/base.h"

// SS_ERR_ARGUMENT unless low <= found <= high (a NaN is not).
ss_error ssi_range_check(ss_context *ctx, const char *what, double found, double low, double high);
ss_error ssi_generate_check(ss_context *ctx, const char *what, int dim, double mu);
