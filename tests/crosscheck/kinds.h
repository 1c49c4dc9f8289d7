// crosscheck/kinds.h - random plane problems of many kinds, up to four contacts, from a seed.
#pragma once

#include <stdint.h>

#include "sample.h"

typedef struct kind {
  const char *name, *about;
  void (*make)(uint64_t *rng, sample *s);
} kind;

extern const kind kinds[];
extern const int kind_count;

void sample_make(const kind *k, uint64_t seed, sample *s);  // the same bits everywhere
