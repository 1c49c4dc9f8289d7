// la/modular_rank.h - the rank of a matrix of doubles, without rounding.
//
// A double is a whole number of at most 53 bits times a power of 2. Modulo the prime P = 2^61 - 1 both are numbers that
// can be divided by, so elimination there makes no error: the rank found is never above that of the doubles, and below it
// only if P divides every minor of that size.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

// Of rows [from, to) of A, dense elimination; -1: no memory, or a number that is not finite.
int ssi_modular_rank(ssi_arena *arena, const ss_sparse *A, int from, int to);
