// mpi/crowd_sum.h - sums of doubles that do not depend on their order, and so not on who holds which terms.
//
// A sum is a fixed-point number with 32 bits to a place, wide enough for every double (Kulisch's long accumulator):
//
//   sum = sum_k place[k] 2^(32 k - 1152),   terms are added exactly, carries wait until the end
//
// Places of several ranks are added as whole numbers, and made a double at the end, always in the same way. Room for 2^30 terms.
#pragma once

#include "mpi/ranks.h"

enum { CROWD_PLACES = 70 };

typedef struct crowd_sum {
  int64_t place[CROWD_PLACES];
  int64_t lost;  // terms that are no numbers
} crowd_sum;

void crowd_sum_add(crowd_sum *s, double x);
void crowd_sum_collect(const ranks *c, crowd_sum *s, int count);  // over all ranks. Collective
double crowd_sum_value(const crowd_sum *s);
