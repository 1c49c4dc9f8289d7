// tests/enumerate_help.h - what the tests of enumeration share.
#pragma once

#include "harness.h"

#include "analysis/enumerate_tree.h"
#include "dense.h"
#include "random_problem.h"
#include "stickslip/enumerate.h"

// 2 where both arithmetics are in this build, else 1.
static inline int arithmetics(void) {
  bool there = false;
  for (int k = 0; ss_capability(k, &there); k++)
    if (strcmp(ss_capability(k, &there), "gmp") == 0) return there ? 2 : 1;
  return 1;
}

static inline ss_solution_set *enumerate(const ss_problem *p, bool rational) {
  ss_enumerate_options o = ss_enumerate_options_default();
  o.rational = rational;
  o.recheck = 0;          // one arithmetic at a time
  static ss_context ctx;  // outlives the set
  ss_solution_set *set;
  if (ss_enumerate(&ctx, p, &o, &set)) fail_msg("%s", ctx.message);
  assert_true(set->complete);
  return set;
}

typedef struct random_case {
  int n;
  double mu, shift;
  uint64_t seed;
} random_case;

// W = B B^T / m + shift; q such that one solution of random states is known (any of them: index
// +-1).
static inline ss_problem random_known(ssi_arena *arena, random_case c, double *r) {
  int n = c.n, m = 2 * n;
  ssi_rng g = {.state = c.seed};
  double *B = SSI_TAKE(arena, m * m, double), *W = SSI_TAKE(arena, m * m, double);
  double *q = SSI_TAKE(arena, m, double), *mu = SSI_TAKE(arena, n, double);
  for (int k = 0; k < m * m; k++) B[k] = random_signed(&g);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      W[i * m + j] = i == j ? c.shift : 0;
      for (int k = 0; k < m; k++) W[i * m + j] += B[i * m + k] * B[j * m + k] / m;
    }
  for (int i = 0; i < n; i++) {
    double kind = random_signed(&g), *ri = r + 2 * i, *ui = q + 2 * i;
    mu[i] = c.mu * (1 + 0.1 * random_signed(&g));
    ri[0] = kind < -0.5 ? 0 : ssi_rng_uniform(&g);
    ui[0] = kind < -0.5 ? ssi_rng_uniform(&g) : 0;
    ui[1] = kind < -0.5 || kind > 0 ? random_signed(&g) : 0;
    ri[1] = mu[i] * ri[0] * (kind < 0 ? random_signed(&g) : ui[1] > 0 ? -1 : 1);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) q[i] -= W[i * m + j] * r[j];
  return reduced_problem(arena, 2, n, W, q, mu);
}

// Every pattern solved one by one, without the tree: how many solutions there are.
static inline int count_by_patterns(const ss_problem *p) {
  ssi_arena arena = {0};
  ssi_solver_of_cells solver;
  assert_int_equal(ssi_cells_double(NULL, &arena, p, 1e-10, &solver), SS_OK);
  ssi_cells cells = {.arena = &arena, .n = p->nc};
  uint8_t states[8] = {0};
  for (int code = 0; code < 1 << (2 * p->nc); code++) {
    for (int i = 0; i < p->nc; i++) states[i] = (uint8_t)(code >> (2 * i) & 3);
    assert_int_equal(solver.solve(solver.state, states, &cells), SS_OK);
  }
  int count = cells.found_count;
  ssi_arena_release(&arena);
  return count;
}
