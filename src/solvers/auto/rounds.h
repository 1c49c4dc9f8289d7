// solvers/auto/rounds.h - where interior points begin, first and in the rounds that follow by bodies.
//
// Interior points do not come past a fold of their path: they creep, off a little at every contact. Sweeps from there
// let give way what has to, and from near what they leave the path is another one. docs/solvers-piles.md
#pragma once

#include "solvers/ipm.h"

enum { SSI_FULL_LENGTH = 8 };  // the first round that is as long as rounds get

// From the middle: all starts in turn, or, by bodies, the first one for a few iterations.
ssi_ipm_options ssi_interior_first(bool by_bodies);

// Round `round` (0, 1, ...) from near an r with that error; every sixth from the middle, another start.
ssi_ipm_options ssi_interior_round(int round, double error);

// Rounds that are affordable where a factorisation takes `flops`: one of them counted for each.
int ssi_interior_rounds(double flops, double direct_flops);
