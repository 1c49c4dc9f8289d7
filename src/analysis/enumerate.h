// analysis/enumerate.h - the parts of ss_enumerate: the tree of states, and joining cells to
// solutions.
#pragma once

#include "analysis/cells.h"

typedef struct ssi_set {
  ss_solution_set set;  // first, so that ss_solution_set_destroy finds its owner
  ssi_arena arena;      // of the result
  bool blind;           // ssi_cells.blind
} ssi_set;

typedef struct ssi_cell_search {
  ss_context *ctx;
  const ss_enumerate_options *o;
  const ssi_scaled *z;
  ssi_solver_of_cells *solver;
  ssi_cells *cells;
  ssi_arena *arena;
  double strict;  // enumerate_bound.c (3)
  bool
      all_patterns;  // leave none out: the doubles that the bounds are made of are not to be trusted
  bool clear;        // ssi_rank_is_clear
  double begin_s;
  int64_t nodes, leaves;
  int64_t leaves_most;  // 0: no limit
  double fraction;      // of the tree that is done
  int64_t next_look;    // nodes at which the clock is read
  const char *stopped;  // why the search ended early; NULL: it did not
} ssi_cell_search;

// Every pattern of states that is not proved empty goes to solver->solve; cells->doubtful where that proof
// rests on a rank that is not clear.
ss_error ssi_search_states(ssi_cell_search *s, bool definite);  // definite: W is
// One node more: false when it is time to stop (s->stopped says why).
bool ssi_search_goes_on(ssi_cell_search *s);
ss_error ssi_search_leaf(ssi_cell_search *s, const uint8_t *states);

// 3D: what many starts find, into set->arena. Never complete.
ss_error ssi_search_starts(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o,
                           ssi_set *set);

// Whether a set found in doubles is to be found again in rational arithmetic, and which of the two
// stands; the other one is destroyed.
bool ssi_recheck_applies(const ss_solution_set *set, const ss_enumerate_options *o);
ss_solution_set *ssi_recheck_choose(ss_solution_set *rough, ss_solution_set *fine);

// Components from cells, into set->arena.
ss_error ssi_join_cells(ss_context *ctx, const ssi_cells *cells, const double *mu, ssi_set *set);

// Whether the symmetric part of z->W is positive definite: pivots above 1e-12.
bool ssi_is_definite(ssi_arena *arena, const ssi_scaled *z);

// Whether the bounds of the tree see all of the rank of W: analysis/enumerate_rank.c.
bool ssi_rank_is_clear(ssi_arena *arena, const ss_problem *p, const ssi_scaled *z);
