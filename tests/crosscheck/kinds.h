// crosscheck/kinds.h - random plane problems of many kinds, up to four contacts, from a seed.
#pragma once

#include <stdint.h>

#include "judge.h"

enum { KIND_ROWS = 2 * JUDGE_CONTACTS };

// The doubles that the commands read, the rationals that these doubles are, and, where the numbers were
// meant as other rationals (decimals, or results computed from decimals) and then rounded, those.
typedef struct sample {
  int n, dofs;  // dofs = 0: local form
  double mu[JUDGE_CONTACTS];
  double M[KIND_ROWS][KIND_ROWS], f[KIND_ROWS], H[KIND_ROWS][KIND_ROWS], w[KIND_ROWS];
  double W[KIND_ROWS][KIND_ROWS], q[KIND_ROWS];
  exact_problem given;
  bool has_intent;
  exact_problem intent;
} sample;

typedef struct kind {
  const char *name, *about;
  void (*make)(uint64_t *rng, sample *s);
} kind;

extern const kind kinds[];
extern const int kind_count;

void sample_make(const kind *k, uint64_t seed, sample *s);  // the same bits everywhere
void sample_free(sample *s);
bool sample_write(const sample *s, const char *path);  // JSON, 17 digits
