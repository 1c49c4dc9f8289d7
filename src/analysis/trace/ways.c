// What has been walked, the ways on from a point, and the nodes where more or fewer than two meet.
#include <math.h>
#include <string.h>

#include "analysis/trace/tracer.h"
#include "base/error.h"
#include "la/vector.h"

static const double TIED = 1e-9;    // gaps that count as zero at an event, relative to the point
static const double NEAR_P = 1e-9;  // places that are one: p over the range, r over its size
static const double NEAR_R = 1e-7;
static const double LOOK = 1e-3;     // how far beyond a point ways are settled, over the range
static const double FALLEN = 1e-10;  // a gap below minus this, there, is negative

bool ssi_same_states(const ss_cell_state *a, const ss_cell_state *b, int n) {
  return memcmp(a, b, sizeof *a * (size_t)n) == 0;
}

// ---- what has been walked -------------------------------------------------------------------------

bool ssi_is_walked(const ssi_tracer *t, const ss_cell_state *states, double p) {
  for (size_t k = 0; k < t->walked_count; k++) {
    const ssi_walked *w = &t->walked[k];
    if (w->low < w->high && p >= w->low && p <= w->high &&
        ssi_same_states(w->states, states, t->family.n))
      return true;
  }
  return false;
}

ss_error ssi_walked_add(ssi_tracer *t, const ss_cell_state *states, double from, double to) {
  if (!ssi_grow(t->ctx, &t->walked, &t->walked_room, t->walked_count + 1, t->walked_count,
                sizeof *t->walked))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for what has been walked");
  t->walked[t->walked_count++] = (ssi_walked){states, fmin(from, to), fmax(from, to)};
  return SS_OK;
}

static bool is_near(const double *a, const double *b, int m, double size, double tol) {
  for (int k = 0; k < m; k++)
    if (!(fabs(a[k] - b[k]) <= tol * size)) return false;
  return true;
}

ss_error ssi_is_known(ssi_tracer *t, const ssi_spot *at, bool *known) {
  int m = t->family.m;
  double size = ssi_point_size(at->r, at->u, m), e = NEAR_P * t->range;
  *known = ssi_node_find(t, at) != NULL;
  if (*known) return SS_OK;
  SS_TRY(ssi_family_at(&t->family, at->p, &t->next));
  for (size_t k = 0; k < t->walked_count && !*known; k++) {
    const ssi_walked *w = &t->walked[k];
    ssi_pattern_answer a;
    if (w->low == w->high || at->p < w->low - e || at->p > w->high + e) continue;
    *known = ssi_pattern_solve(&t->work, &t->next, w->states, t->trial_r, t->trial_u, &a) &&
             is_near(t->trial_r, at->r, m, size, NEAR_R) &&
             is_near(t->trial_u, at->u, m, size, NEAR_R);
  }
  return SS_OK;
}

// ---- nodes ----------------------------------------------------------------------------------------

bool ssi_spot_copy(ssi_arena *arena, const ssi_spot *from, int m, ssi_spot *to) {
  *to = (ssi_spot){from->p, SSI_TAKE(arena, m, double), SSI_TAKE(arena, m, double)};
  if (arena->failed) return false;
  memcpy(to->r, from->r, sizeof *to->r * (size_t)m);
  memcpy(to->u, from->u, sizeof *to->u * (size_t)m);
  return true;
}

ssi_trace_node *ssi_node_find(ssi_tracer *t, const ssi_spot *at) {
  int m = t->family.m;
  double size = ssi_point_size(at->r, at->u, m);
  for (size_t k = 0; k < t->node_count; k++) {
    ssi_trace_node *n = &t->nodes[k];
    if (fabs(n->at.p - at->p) <= NEAR_P * t->range && is_near(n->at.r, at->r, m, size, NEAR_R) &&
        is_near(n->at.u, at->u, m, size, NEAR_R))
      return n;
  }
  return NULL;
}

ss_error ssi_node_add(ssi_tracer *t, const ssi_spot *at, const ssi_tangents *ways,
                      ssi_trace_node **out) {
  ssi_spot copy;
  bool *used = SSI_TAKE(&t->while_, ways->count + 1, bool);
  if (!used || !ssi_spot_copy(&t->while_, at, t->family.m, &copy) ||
      !ssi_grow(t->ctx, &t->nodes, &t->node_room, t->node_count + 1, t->node_count,
                sizeof *t->nodes))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for the nodes");
  *out = &t->nodes[t->node_count++];
  **out = (ssi_trace_node){.at = copy, .ways = ways->items, .used = used, .count = ways->count};
  return SS_OK;
}

int ssi_way_back(const ssi_tangent *ways, int count, const ssi_tangent *came, int n, int m) {
  int alike = -1, how_many = 0;
  for (int k = 0; k < count; k++) {
    if (ways[k].dp != -came->dp) continue;
    bool opposite = came->dp || ssi_dot(m, ways[k].dr, came->dr) < 0;
    if (opposite && ssi_same_states(ways[k].states, came->states, n)) return k;
    if (opposite && ways[k].marginal) alike = k, how_many++;
  }
  return how_many == 1 ? alike : -1;  // another name of the pattern that one came by
}

// ---- ways on --------------------------------------------------------------------------------------

// The pattern of a way at the distance `far` (over the range) from a spot: into near_r, near_u. *holds: it is a solution there, and
// goes to the spot as the distance does to zero.
static ss_error look_ahead(ssi_tracer *t, const ssi_spot *at, const ssi_tangent *way, double far,
                           bool *holds) {
  int m = t->family.m;
  double size = ssi_point_size(at->r, at->u, m), away[2] = {0, 0};
  *holds = false;
  for (int k = 0; k < 2; k++) {  // the nearer one last
    double p = at->p + way->dp * far * t->range * (k ? 0.125 : 1);
    ssi_pattern_answer a;
    if (p < t->family.from || p > t->family.to) return SS_OK;
    SS_TRY(ssi_family_at(&t->family, p, &t->next));
    if (!ssi_pattern_solve(&t->work, &t->next, way->states, t->near_r, t->near_u, &a)) return SS_OK;
    if (ssi_gap_least(&t->next, t->family.n, way->states, t->near_u, t->near_r) < -FALLEN * size)
      return SS_OK;
    for (int l = 0; l < m; l++) away[k] = fmax(away[k], fabs(t->near_r[l] - at->r[l]));
  }
  *holds = away[1] <= 1e-10 * size || (away[0] < size && away[1] < 0.4 * away[0]);
  return SS_OK;
}

static bool is_beyond(const ssi_tracer *t, const ssi_spot *at, const ssi_tangent *way) {
  return way->dp > 0 ? at->p >= t->family.to : at->p <= t->family.from;
}

static int likeness(const ss_cell_state *a, const ss_cell_state *b, int n) {
  int same = 0;
  for (int i = 0; i < n && b; i++) same += a[i] == b[i];
  return same;
}

// Ways with one solution a little further on are one.
static void unite(ssi_tracer *t, ssi_tangents *all, double *const *seen, int kept,
                  const ss_cell_state *like, bool *repeated) {
  int n = t->family.n, m = t->family.m;
  ssi_tangent *now = &all->items[kept];
  for (int k = 0; k < kept && !*repeated; k++) {
    ssi_tangent *x = &all->items[k];
    if (!seen[k] || x->dp != now->dp) continue;
    double size = ssi_point_size(seen[k], seen[k] + m, m);
    if (!is_near(seen[k], t->near_r, m, size, 1e-9) ||
        !is_near(seen[k] + m, t->near_u, m, size, 1e-9))
      continue;
    *repeated = true;
    if (likeness(now->states, like, n) > likeness(x->states, like, n)) *x = *now;
  }
}

// Out of the range leads at most one way: how many there would be does not matter.
static bool leads_out(const ssi_tracer *t, const ssi_spot *at, const ssi_tangents *all, int kept,
                      const ssi_tangent *way) {
  if (!way->dp || !is_beyond(t, at, way)) return false;
  for (int k = 0; k < kept; k++)
    if (all->items[k].dp == way->dp) return true;
  return false;
}

// Ways that first order leaves open are kept if they hold a little further on.
static ss_error settle(ssi_tracer *t, const ssi_spot *at, const ss_cell_state *like,
                       ssi_tangents *all) {
  int kept = 0, m = t->family.m;
  double **seen = SSI_TAKE(&t->while_, all->count + 1, double *);
  if (!seen) return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for ways");
  for (int k = 0; k < all->count; k++) {
    ssi_tangent *way = &all->items[k];
    bool holds = true, repeated = leads_out(t, at, all, kept, way);
    if (repeated) continue;
    double far = LOOK;
    if (way->marginal && !is_beyond(t, at, way)) {
      for (holds = false; !holds && far > 1e-3 * LOOK; far /= 8)
        SS_TRY(look_ahead(t, at, way, far, &holds));
    } else if (way->crossing) {
      holds = false;
    }
    if (!holds) continue;
    all->items[kept] = *way;
    way = &all->items[kept];
    if (way->marginal && !is_beyond(t, at, way)) {
      unite(t, all, seen, kept, like, &repeated);
      if (repeated) continue;
      seen[kept] = SSI_TAKE(&t->while_, 2 * m, double);
      if (!seen[kept]) return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for ways");
      memcpy(seen[kept], t->near_r, sizeof **seen * (size_t)m);
      memcpy(seen[kept] + m, t->near_u, sizeof **seen * (size_t)m);
      for (int l = 0; l < m && way->crossing; l++) {  // far has gone one further
        way->dr[l] = (t->near_r[l] - at->r[l]) / far;
        way->du[l] = (t->near_u[l] - at->u[l]) / far;
      }
    }
    kept++;
  }
  all->count = kept;
  return SS_OK;
}

ss_error ssi_ways_find(ssi_tracer *t, const ssi_spot *at, const ss_cell_state *like,
                       ssi_tangents *out) {
  int n = t->family.n, m = t->family.m;
  SS_TRY(ssi_family_rate(&t->family, at->p, &t->rate));
  SS_TRY(ssi_family_at(&t->family, at->p, &t->now));
  for (int k = 0; k < m * m; k++) t->rate.W[k] *= t->range;
  for (int k = 0; k < m; k++) t->rate.q[k] *= t->range;
  for (int k = 0; k < n; k++) t->rate.mu[k] *= t->range;
  ssi_tangent_query q = {.data = &t->now,
                         .rate = &t->rate,
                         .r = at->r,
                         .u = at->u,
                         .tol = TIED,
                         .max_patterns = t->o->max_patterns};
  if (!ssi_tangents_find(&t->work, &q, &t->while_, out))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for ways");
  return settle(t, at, like, out);
}
