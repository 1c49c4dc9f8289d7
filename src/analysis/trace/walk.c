// A branch: piece after piece, until there is no one way on.
#include <math.h>
#include <string.h>

#include "analysis/trace/tracer.h"
#include "base/error.h"

enum { STANDING_MOST = 4 };           // pieces in a row that go nowhere
static const double A_LITTLE = 1e-3;  // of the range

static ss_trace_end reason_of(ssi_piece_end e) {
  switch (e) {
  case SSI_PIECE_EVENT:
  case SSI_PIECE_CROSSING:
    return SS_END_BRANCHING;
  case SSI_PIECE_RANGE:
    return SS_END_RANGE;
  case SSI_PIECE_INFINITY:
    return SS_END_INFINITY;
  case SSI_PIECE_CLOSED:
    return SS_END_CLOSED;
  case SSI_PIECE_CONTINUUM:
    return SS_END_CONTINUUM;
  case SSI_PIECE_UNVERIFIED:
    return SS_END_UNVERIFIED;
  case SSI_PIECE_BUDGET:
    return SS_END_BUDGET;
  case SSI_PIECE_STUCK:
    break;
  }
  return SS_END_DEGENERATE;
}

typedef struct walk_end {
  ss_trace_end reason;
  double limit;
} walk_end;

// At the end of a piece that was come along by `way`: the only way on into *way, or the end of the walk.
static ss_error choose(ssi_tracer *t, const ssi_spot *at, ssi_tangent *way, bool *goes_on,
                       walk_end *end) {
  int n = t->family.n, m = t->family.m;
  ssi_tangents ways = {0};
  ssi_trace_node *node = ssi_node_find(t, at);
  if (!node) {
    SS_TRY(ssi_ways_find(t, at, way->states, &ways));
    int back = ssi_way_back(ways.items, ways.count, way, n, m);
    *goes_on = back >= 0 && ways.count == 2;
    if (*goes_on) return *way = ways.items[1 - back], SS_OK;
    end->reason = SS_END_DEGENERATE;
    if (ways.count < 2) return SS_OK;
    SS_TRY(ssi_node_add(t, at, &ways, &node));
  }
  int back = ssi_way_back(node->ways, node->count, way, n, m);
  if (back >= 0) node->used[back] = true;
  *goes_on = false;
  end->reason = SS_END_BRANCHING;
  return SS_OK;
}

// Goes along `first` from *at, which moves, to the end.
static ss_error walk(ssi_tracer *t, ssi_spot *at, const ssi_tangent *first, ssi_trail *trail,
                     walk_end *out) {
  ssi_tangent way = *first;
  int standing = 0;
  for (bool goes_on = true; goes_on;) {
    ssi_piece_end end;
    double from = at->p;
    size_t begin = trail->count;
    // a pattern has one solution at a p: where this one has been, one has come round
    if (way.dp && begin && ssi_is_walked(t, way.states, from + way.dp * 1e-9 * t->range))
      return out->reason = SS_END_CLOSED, SS_OK;
    SS_TRY(ssi_piece_follow(t, &way, at, trail, &end, &out->limit));
    SS_TRY(ssi_walked_add(t, way.states, from, at->p));
    standing = trail->count > begin + 1 ? 0 : standing + 1;
    if (!way.dp) SS_TRY(ssi_continuum_add(t, trail, begin, end == SSI_PIECE_INFINITY));
    out->reason = standing > STANDING_MOST ? SS_END_DEGENERATE : reason_of(end);
    goes_on = false;
    if (out->reason == SS_END_BRANCHING) SS_TRY(choose(t, at, &way, &goes_on, out));
  }
  if (out->reason >= SS_END_CONTINUUM) t->incomplete = true;
  return SS_OK;
}

// Both ways from a spot where there are two, one branch.
static ss_error walk_both(ssi_tracer *t, const ssi_spot *at, const ssi_tangents *ways) {
  ssi_trail trail[2] = {{0}};
  walk_end end[2] = {{SS_END_CLOSED, NAN}, {SS_END_CLOSED, NAN}};
  bool one_pattern = ways->items[0].dp &&
                     ssi_same_states(ways->items[0].states, ways->items[1].states, t->family.n);
  t->may_close = one_pattern, t->start_states = ways->items[0].states, t->start_p = at->p;
  ss_error e = SS_OK;
  int on = ways->items[0].dp >= ways->items[1].dp ? 0 : 1;  // first the one in which p grows
  for (int k = 0; k < 2 && !e; k++) {
    ssi_spot moving;
    if (k == 1 && end[0].reason == SS_END_CLOSED) break;
    if (!ssi_spot_copy(&t->while_, at, t->family.m, &moving))
      e = ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a branch");
    else
      e = walk(t, &moving, &ways->items[k ? 1 - on : on], &trail[k], &end[k]);
  }
  t->may_close = false;
  ssi_branch_ends ends = {{end[1].reason, end[0].reason}, {end[1].limit, end[0].limit}, true};
  if (!e) e = ssi_branch_add(t, &trail[1], &trail[0], &ends);
  ssi_release(t->ctx, trail[0].points);
  ssi_release(t->ctx, trail[1].points);
  return e;
}

// A point with no way on or one only: what there is, as a branch. At an end of the range nothing is odd about that.
static ss_error walk_odd(ssi_tracer *t, const ssi_spot *at, const ss_cell_state *states,
                         const ssi_tangents *ways) {
  ssi_trail trail = {0};
  ssi_spot moving;
  ssi_branch_ends ends = {{SS_END_DEGENERATE, SS_END_DEGENERATE}, {NAN, NAN}, true};
  walk_end end = {SS_END_DEGENERATE, NAN};
  bool good;
  bool at_the_end = at->p == t->family.from || at->p == t->family.to;
  if (at_the_end) ends.reason[0] = SS_END_RANGE;
  if (at_the_end && !ways->count) end.reason = SS_END_RANGE;
  t->incomplete = t->incomplete || !at_the_end;
  if (!ssi_spot_copy(&t->while_, at, t->family.m, &moving))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a branch");
  ss_error e = ways->count ? walk(t, &moving, &ways->items[0], &trail, &end)
                           : ssi_trail_add(t, &trail, at, states, &good);
  ends.reason[1] = end.reason, ends.limit[1] = end.limit;
  if (!e) e = ssi_branch_add(t, NULL, &trail, &ends);
  ssi_release(t->ctx, trail.points);
  return e;
}

// Some state that holds each contact.
static ss_error name_states(ssi_tracer *t, const ssi_spot *at, ss_cell_state **out) {
  ssi_tangent_query q = {.data = &t->now, .r = at->r, .u = at->u, .tol = 1e-9};
  ss_cell_state *states = SSI_TAKE(&t->while_, t->family.n, ss_cell_state);
  if (!states) return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a branch");
  double size = ssi_point_size(at->r, at->u, t->family.m);
  for (int i = 0; i < t->family.n; i++) {
    unsigned in = ssi_closures(&q, i, size);
    int s = 0;
    while (s < 3 && !(in >> s & 1)) s++;
    states[i] = (ss_cell_state)s;
  }
  *out = states;
  return SS_OK;
}

ss_error ssi_walk_from(ssi_tracer *t, const ssi_spot *at) {
  ssi_tangents ways;
  ssi_trace_node *node;
  ss_cell_state *states = NULL;
  SS_TRY(ssi_ways_find(t, at, NULL, &ways));
  SS_TRY(name_states(t, at, &states));
  if (ways.count == 2) return walk_both(t, at, &ways);
  if (ways.count < 2) return walk_odd(t, at, states, &ways);
  return ssi_node_add(t, at, &ways, &node);
}

// Whether somebody has come, or gone, along a way: its pattern a little further on has a solution that is known, maybe by another name where
// contacts are tied all along.
static ss_error is_gone(ssi_tracer *t, const ssi_trace_node *node, const ssi_tangent *way,
                        bool *gone) {
  double a_little_on = node->at.p + way->dp * A_LITTLE * t->range;
  ssi_spot there = {a_little_on, t->near_r, t->near_u};
  ssi_pattern_answer a;
  *gone = false;
  if (!way->dp) return SS_OK;
  bool outside = a_little_on > t->family.to || a_little_on < t->family.from;
  bool at_the_end = node->at.p == (way->dp > 0 ? t->family.to : t->family.from);
  *gone = at_the_end || ssi_is_walked(t, way->states, node->at.p + way->dp * 1e-6 * t->range);
  if (*gone || outside) return SS_OK;
  SS_TRY(ssi_family_at(&t->family, a_little_on, &t->next));
  if (!ssi_pattern_solve(&t->work, &t->next, way->states, t->near_r, t->near_u, &a)) return SS_OK;
  return ssi_is_known(t, &there, gone);
}

static ss_error walk_way(ssi_tracer *t, size_t index, int k) {
  ssi_trace_node *node = &t->nodes[index];  // moves when nodes are added
  ssi_tangent *way = &node->ways[k];
  ssi_trail trail = {0};
  ssi_spot moving;
  walk_end end = {SS_END_DEGENERATE, NAN};
  node->used[k] = true;
  bool gone;
  SS_TRY(is_gone(t, node, way, &gone));
  if (gone) return SS_OK;
  if (!ssi_spot_copy(&t->while_, &node->at, t->family.m, &moving))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a branch");
  ss_error e = walk(t, &moving, way, &trail, &end);
  ssi_branch_ends ends = {{SS_END_BRANCHING, end.reason}, {NAN, end.limit}, false};
  // a set that is there for other p too is told by start_from, not by a branch that goes nowhere
  bool nowhere = end.reason == SS_END_CONTINUUM && trail.count == 1;
  if (!e && !nowhere) e = ssi_branch_add(t, NULL, &trail, &ends);
  ssi_release(t->ctx, trail.points);
  return e;
}

ss_error ssi_walk_nodes(ssi_tracer *t) {
  for (size_t k = 0; k < t->node_count; k++)
    for (int j = 0; j < t->nodes[k].count && !t->stopped; j++)
      if (!t->nodes[k].used[j]) SS_TRY(walk_way(t, k, j));
  return SS_OK;
}
