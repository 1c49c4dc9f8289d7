// base/rng.h - a seeded generator of its own (splitmix64), so that the same seed gives the same bits
// on every machine and no global state is touched.
#pragma once

#include <stdint.h>

typedef struct ssi_rng {
  uint64_t state;
} ssi_rng;

static inline uint64_t ssi_rng_next(ssi_rng *g) {
  uint64_t z = (g->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double ssi_rng_uniform(ssi_rng *g) {  // in [0, 1)
  return (double)(ssi_rng_next(g) >> 11) * 0x1p-53;
}

static inline int ssi_rng_below(ssi_rng *g, int n) {  // in 0 .. n-1
  return (int)(ssi_rng_uniform(g) * n);
}
