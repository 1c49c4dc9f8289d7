// certify/redundant.h - joints that repeat others: exactly, or but for rounding.
#pragma once

#include "certify/joints.h"

// A joint that depends on others, to rank_tol, says nothing new if it does so exactly, b included. Where it does so but
// for rounding the doubles may just as well contradict each other, or bind a motion that was meant to be free: then
// nothing that obeys all of them is known to be there, and *blurred is set. Exactly: d times it is a sum of whole
// multiples of the others, d <= 12.
ss_error ssi_joints_ask_redundant(ssi_arena *arena, const ss_sparse *G, const double *b,
                                  double rank_tol, bool *blurred);
