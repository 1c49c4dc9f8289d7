// problem/fingerprint.h - has a problem's structure changed, have its matrices? Told by 64-bit hashes,
// so that it does not matter whether the caller wrote into his arrays or brought new ones.
#pragma once

#include "stickslip/problem.h"

typedef struct ssi_fingerprint {
  uint64_t structure;  // form, sizes and patterns of the matrices
  uint64_t numbers;    // their entries
} ssi_fingerprint;

// One pass over the matrices. Vectors and friction do not count.
ssi_fingerprint ssi_fingerprint_of(const ss_problem *p);
