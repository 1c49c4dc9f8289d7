// la/cliques.h - which unknowns meet: the pattern of sum_i E_i^T E_i, E_i full on the members of clique i.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

// cliques: the members of each as the columns of its row, in any order; no numbers. The diagonal is always in
// *out, columns ascend; `lower`: up to the diagonal only. Memory from the arena. false: none.
bool ssi_cliques_pattern(ssi_arena *arena, const ss_sparse *cliques, bool lower, ss_sparse *out);
