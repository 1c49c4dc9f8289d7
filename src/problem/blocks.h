// problem/blocks.h - the diagonal blocks W_ii of the Delassus matrix, in either form.
#pragma once

#include "la/factor.h"
#include "stickslip/problem.h"

// blocks (nc * dim * dim), row-major one after the other. Reduced: read from W. Global:
// W_ii = H_i M^-1 H_i^T with `mass` the factor of M (not looked at when reduced, or when ndof = 0);
// O(entries of H) where M is block-diagonal, else one solve for each row of H.
ss_error ssi_contact_blocks(ss_context *ctx, const ss_problem *p, ssi_factor *mass, double *blocks);
