// mpi/share_pile.h - a pile of spheres of any size that every rank makes its own part of.
#pragma once

#include "mpi/share.h"

typedef struct share_pile_options {
  int64_t contacts;  // wanted; the result has within 10 % of it (a quarter, below 1,000)
  double mu;
  uint64_t seed;
} share_pile_options;

// For domains of about `size`. Same options, same problem, whatever the number of ranks. Collective.
ss_error share_pile(ranks *c, const share_pile_options *o, double size, share_source *out);
