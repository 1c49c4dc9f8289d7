// stickslip/exact.h - problem data known as fractions, beside the doubles nearest to them.
#pragma once

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// p/q in lowest terms, |p| and q at most 2^53. q == 0: not known as such a fraction.
typedef struct ss_fraction {
  int64_t p, q;
} ss_fraction;

// One fraction per number of an ss_problem of the same shape: vectors in their order, matrices in the
// order of their x. NULL: no number of that array is known exactly, or there is no such array.
typedef struct ss_exact {
  const ss_fraction *mu;
  const ss_fraction *W, *V, *R, *q, *s;
  const ss_fraction *M, *H, *G, *f, *w, *b;
} ss_exact;

#ifdef __cplusplus
}
#endif
