// The tree of contact states. Few contacts: every pattern is solved. More: depth first, the
// contact that the relaxation violates most is decided next, and what is proved empty is not
// entered.
#include "analysis/enumerate.h"
#include "analysis/enumerate_tree.h"
#include "base/error.h"
#include "base/timer.h"

enum { LOOK_EVERY = 16 };  // nodes between two looks at the clock

bool ssi_search_goes_on(ssi_cell_search *s) {
  if (s->stopped) return false;
  if (s->o->max_solutions && s->cells->found_count >= s->o->max_solutions)
    s->stopped = "max_solutions";
  if (s->leaves_most && s->leaves >= s->leaves_most) s->stopped = "too many patterns";
  if (s->cells->overflow) s->stopped = "a cell has too many vertices";
  if (s->cells->late) s->stopped = "time_limit";
  if (++s->nodes < s->next_look) return !s->stopped;
  s->next_look = s->nodes + LOOK_EVERY;
  double now = ssi_now_s() - s->begin_s;
  if (s->o->time_limit_s > 0 && now > s->o->time_limit_s) s->stopped = "time_limit";
  ss_enumerate_progress p = {s->nodes, s->leaves, s->fraction, s->cells->found_count, now};
  if (s->o->progress && s->o->progress(s->o->user, &p)) s->stopped = "cancelled";
  return !s->stopped;
}

ss_error ssi_search_leaf(ssi_cell_search *s, const uint8_t *states) {
  s->leaves++;
  ss_error e = s->solver->solve(s->solver->state, states, s->cells);
  return e ? ssi_fail(s->ctx, e, "no memory for the solutions") : SS_OK;
}

// Without friction stick is part of both slips.
static bool is_used(const ssi_cell_search *s, int contact, int state) {
  return state != SS_CELL_STICK || s->z->mu[contact] > 0;
}

static ss_error try_all(ssi_cell_search *s, uint8_t *states, int contact) {
  if (contact == s->z->n) return ssi_search_goes_on(s) ? ssi_search_leaf(s, states) : SS_OK;
  for (int state = 0; state < 4 && !s->stopped; state++) {
    if (!is_used(s, contact, state)) continue;
    states[contact] = (uint8_t)state;
    SS_TRY(try_all(s, states, contact + 1));
  }
  return SS_OK;
}

typedef struct mode_tree {
  ssi_cell_search *s;
  ssi_bound bound;
  ssi_node *nodes;  // one per level   (2 n + 1)
} mode_tree;

static ss_error descend(mode_tree *t, int level) {
  ssi_cell_search *s = t->s;
  ssi_node *node = &t->nodes[level];
  if (!ssi_search_goes_on(s)) return SS_OK;
  if (ssi_bound_node(&t->bound, node)) {
    s->fraction += node->share;
    return SS_OK;
  }
  int i = t->bound.branch, children[3];
  if (i < 0) {
    s->fraction += node->share;
    return ssi_search_leaf(s, node->mode);
  }
  int count = ssi_mode_children(node->mode[i], children);
  for (int k = 0; k < count && !s->stopped; k++) {
    ssi_node *child = &t->nodes[level + 1];
    ssi_node_enter(node, s->z->mu, i, children[k], child);
    child->share = node->share / count;
    SS_TRY(descend(t, level + 1));
  }
  return SS_OK;
}

enum {
  ALL_PATTERNS = 3,
  ALL_AT_MOST = 6
};  // contacts up to which solving all is as fast; bearable

ss_error ssi_search_states(ssi_cell_search *s, bool definite) {
  uint8_t states[SS_ENUMERATE_CONTACTS] = {0};
  int n = s->z->n;
  if (n <= (s->all_patterns ? ALL_AT_MOST : ALL_PATTERNS)) return try_all(s, states, 0);
  mode_tree t = {.s = s, .nodes = SSI_TAKE(s->arena, 2 * n + 1, ssi_node)};
  bool ok = t.nodes && ssi_bound_take(&t.bound, s->arena, s->z, definite, s->strict);
  for (int k = 0; ok && k <= 2 * n; k++) ok = ssi_node_take(&t.nodes[k], s->arena, n);
  if (!ok) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for the tree of states");
  ssi_node_root(&t.nodes[0], s->z);
  ss_error e = descend(&t, 0);
  if (t.bound.ties || !s->clear) s->cells->doubtful = true;
  return e;
}
