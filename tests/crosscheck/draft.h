// crosscheck/draft.h - random numbers, and problems in whole numbers that become samples: exact rationals (what was
// meant), and doubles rounded from them.
#pragma once

#include <stdint.h>

#include "sample.h"

// ---- random numbers ----------------------------------------------------------------------------

static inline uint64_t next(uint64_t *g) {  // splitmix64
  uint64_t z = (*g += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static inline double uniform(uint64_t *g) {
  return (double)(next(g) >> 11) * 0x1p-53;
}
static inline double between(uint64_t *g, double a, double b) {
  return a + (b - a) * uniform(g);
}
static inline int whole(uint64_t *g, int a, int b) {
  return a + (int)(next(g) % (uint64_t)(b - a + 1));
}
static inline bool chance(uint64_t *g, int percent) {
  return whole(g, 0, 99) < percent;
}
static inline double power_of_ten(int k) {
  return k < 0 ? 1 / power_of_ten(-k) : k ? 10 * power_of_ten(k - 1) : 1;
}

// ---- drafts -------------------------------------------------------------------------------------

// A global problem in whole numbers: H / hd, f / fd, w / wd, M and mu / md; joints G / hd, b / wd.
typedef struct draft {
  int n, dofs, joints;
  long mu[JUDGE_CONTACTS], M[KIND_ROWS], f[KIND_ROWS], H[KIND_ROWS][KIND_ROWS], w[KIND_ROWS];
  long G[KIND_ROWS][EXACT_JOINTS], b[EXACT_JOINTS];
  long md, hd, fd, wd;
} draft;

void draft_decimals(uint64_t *g, int n, int dofs, draft *d);
// The rod of [AC11, 4.2]: M = 1, f = s g, H = (s, c), w = (0, u0); tan = s/c and mu also equal.
void draft_rod(uint64_t *g, draft *d);

// ---- from drafts to samples ---------------------------------------------------------------------

exact_problem exact_of_draft(const draft *d);
void global_of_draft(const draft *d, sample *s);  // every number the double nearest to it
void reduce_in_doubles(
    sample *s);  // the local form, in double arithmetic as a script would compute it; M is diagonal
void reduce_rounded(sample *s);  // the local form of the intent, each number rounded once
void forget_global_form(exact_problem *p);  // p in the local form
void make_local(uint64_t *g, sample *s);    // one of the two, of sample and intent

void times_power_of_ten(mpq_ptr a, int k);  // a 10^k
// Writes a draft in other units, 10^unit of velocity and 10^mass, behind what is in s already: its rationals into s->intent.
void append_part(const draft *d, int unit, int mass, sample *s);
void round_intent(sample *s);  // every double the one nearest to the intent
