// An answer in doubles that is not rigorous, judged by one in rational arithmetic, for which the doubles are
// exact numbers of known radius.
//
// Where that one depends on nothing below the rounding of the data it is the answer, whether the other tells
// the same kinds of solutions or not. Else neither is proved: what is equal within tie_tol was to count as
// equal, so the doubles' answer stands, unless there is none and rationals have one for certain, or
// doubles did not see all.
#include "analysis/enumerate.h"

enum { NODES_PER_PATTERN = 64 };  // of the tree, each far cheaper than a pattern in rationals

static bool is_blind(const ss_solution_set *set) {
  return ((const ssi_set *)set)->blind;
}

bool ssi_recheck_applies(const ss_solution_set *set, const ss_enumerate_options *o) {
  bool finished = set->complete || set->degree == SS_DEGREE_VIOLATED;
  if (set->dim != 2 || set->exact || set->rigorous || !finished || o->recheck <= 0) return false;
  // singular W: hardly a pattern is left out in rational arithmetic
  if (set->singular) return set->nc < 31 && (int64_t)1 << (2 * set->nc) <= o->recheck;
  return set->nodes / NODES_PER_PATTERN <= o->recheck;
}

static bool same_states(const ss_cell_state *a, const ss_cell_state *b, int nc) {
  for (int i = 0; i < nc; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static bool has_cell(const ss_component *c, const ss_cell *cell, int nc) {
  for (int k = 0; k < c->cell_count; k++) {
    const ss_cell *x = &c->cells[k];
    if (x->dimension == cell->dimension && x->vertex_count == cell->vertex_count &&
        x->ray_count == cell->ray_count && same_states(x->states, cell->states, nc))
      return true;
  }
  return false;
}

static bool is_like(const ss_component *a, const ss_component *b, int nc) {
  if (a->isolated != b->isolated || a->dimension != b->dimension || a->cell_count != b->cell_count)
    return false;
  if (a->isolated) return a->tie == b->tie && same_states(a->states, b->states, nc);
  for (int k = 0; k < a->cell_count; k++)
    if (!has_cell(b, &a->cells[k], nc)) return false;
  return true;
}

static int count_like(const ss_solution_set *set, const ss_component *c) {
  int count = 0;
  for (int k = 0; k < set->count; k++) count += is_like(&set->components[k], c, set->nc);
  return count;
}

// The same number of solutions of each kind, in any order.
static bool is_same(const ss_solution_set *a, const ss_solution_set *b) {
  if (a->count != b->count) return false;
  for (int k = 0; k < a->count; k++)
    if (count_like(a, &a->components[k]) != count_like(b, &a->components[k])) return false;
  return true;
}

// Whether fine is to be shown, which is complete and proved as little as rough.
static bool is_better(const ss_solution_set *fine, const ss_solution_set *rough) {
  return is_blind(rough) ? fine->count > 0 : rough->count == 0 && fine->certain;
}

ss_solution_set *ssi_recheck_choose(ss_solution_set *rough, ss_solution_set *fine) {
  bool same = is_same(rough, fine);
  bool better = fine->rigorous || (fine->complete && is_better(fine, rough));
  ss_solution_set *kept = better ? fine : rough;
  if (kept == fine)
    kept->recheck = same && fine->rigorous ? SS_RECHECK_CONFIRMED : SS_RECHECK_REPLACED;
  else if (fine->complete && !same)
    kept->recheck = SS_RECHECK_DIFFERS;
  kept->recheck_count = kept->recheck ? fine->count : 0;
  if (fine->complete) kept->certain = fine->certain;  // rationals know the radius of each number
  fine->nodes += rough->nodes;
  fine->leaves += rough->leaves;
  ss_solution_set_destroy(kept == fine ? rough : fine);
  return kept;
}
