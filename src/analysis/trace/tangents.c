// analysis/trace/tangents.c - see tangents.h.
#include "analysis/trace/tangents.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"

static const double SINGULAR = 1e-9;  // of A_s, relative
static const double STANDING = 1e-7;  // rates of gaps, relative to those of u and r
static const double CROSSING = 1e-6;  // |w.F_p| over |F_p|
static const double NOISE = 1e-10;    // of differences, over the size of the point

double ssi_point_size(const double *r, const double *u, int m) {
  return fmax(1, fmax(ssi_largest(m, r), ssi_largest(m, u)));
}

unsigned ssi_closures(const ssi_tangent_query *q, int i, double size) {
  const double *u = q->u + 2 * i, *r = q->r + 2 * i, mu = q->data->mu[i], e = q->tol * size;
  unsigned in = 0;
  if (fabs(r[0]) <= e && fabs(r[1]) <= e && u[0] >= -e) in |= 1u << SS_CELL_FREE;
  if (!(fabs(u[0]) <= e && r[0] >= -e)) return in;
  if (fabs(u[1]) <= e && fabs(r[1]) <= mu * r[0] + e) in |= 1u << SS_CELL_STICK;
  if (u[1] >= -e && fabs(r[1] + mu * r[0]) <= e) in |= 1u << SS_CELL_SLIP_PLUS;
  if (u[1] <= e && fabs(r[1] - mu * r[0]) <= e) in |= 1u << SS_CELL_SLIP_MINUS;
  return in;
}

typedef struct tangent_search {
  ssi_pattern *w;
  const ssi_tangent_query *q;
  ssi_arena *arena;
  ssi_tangents *out;
  unsigned *in;                        // (n)
  ss_cell_state *states;               // (n)
  double *dr, *du, *F, *left, *r, *u;  // (m)
  double size;
} tangent_search;

static bool add(tangent_search *t, int dp, double sign, bool marginal, bool crossing) {
  ssi_tangents *out = t->out;
  int n = t->w->n, m = t->w->m;
  if (out->count == out->room) {
    int room = 2 * out->room + 8;
    ssi_tangent *more = SSI_TAKE(t->arena, room, ssi_tangent);
    if (!more) return false;
    if (out->count) memcpy(more, out->items, sizeof *more * (size_t)out->count);
    out->items = more, out->room = room;
  }
  ssi_tangent *x = &out->items[out->count++];
  *x = (ssi_tangent){.dp = dp, .marginal = marginal, .crossing = crossing};
  x->states = SSI_TAKE(t->arena, n, ss_cell_state);
  x->dr = SSI_TAKE(t->arena, m, double), x->du = SSI_TAKE(t->arena, m, double);
  if (t->arena->failed) return false;
  memcpy(x->states, t->states, sizeof *x->states * (size_t)n);
  for (int k = 0; k < m && !crossing; k++) x->dr[k] = sign * t->dr[k], x->du[k] = sign * t->du[k];
  return true;
}

// Which of the two directions +-(dr, du) let no gap fall that is zero; bit 0: +, bit 1: -, bit 2: some gap stands
// still.
static unsigned directions(const tangent_search *t, bool vertical) {
  const ssi_tangent_query *q = t->q;
  double still = STANDING * ssi_point_size(t->dr, t->du, t->w->m);
  unsigned ok = 3;
  for (int i = 0; i < t->w->n; i++) {
    if ((t->in[i] & (t->in[i] - 1)) == 0) continue;  // inside one state
    ss_cell_state s = t->states[i];
    for (int k = 0; k < ssi_gap_count(s); k++) {
      double mu = q->data->mu[i], dmu = vertical ? 0 : q->rate->mu[i];
      if (ssi_gap(s, k, mu, q->u + 2 * i, q->r + 2 * i) > 2 * q->tol * t->size) continue;
      double g = ssi_gap_rate(s, k, mu, dmu, q->r + 2 * i, t->du + 2 * i, t->dr + 2 * i);
      if (g < -still) ok &= ~1u;
      if (g > still) ok &= ~2u;
      if (fabs(g) <= still) ok |= 4;
    }
  }
  return ok;
}

static bool add_allowed(tangent_search *t, bool vertical) {
  unsigned ok = directions(t, vertical);
  bool marginal = (ok & 4) && !vertical;  // along a straight piece first order is all there is
  for (int side = 0; side < 2; side++) {
    double sign = side ? -1 : 1;
    if ((ok >> side & 1) && !add(t, vertical ? 0 : (int)sign, sign, marginal, false)) return false;
  }
  return true;
}

static bool add_vertical(tangent_search *t) {
  int n = t->w->n, m = t->w->m;
  ssi_pattern_velocity_rate(t->q->data, NULL, n, t->states, t->q->r, t->dr, t->du);
  for (int i = 0; i < n; i++)
    if (t->states[i] == SS_CELL_FREE) t->dr[2 * i] = t->dr[2 * i + 1] = 0;
  double most = fmax(ssi_largest(m, t->dr), ssi_largest(m, t->du));
  for (int k = 0; k < m && most > 0; k++) t->dr[k] /= most, t->du[k] /= most;
  return add_allowed(t, true);
}

static bool try_pattern(tangent_search *t) {
  const ssi_tangent_query *q = t->q;
  int n = t->w->n, m = t->w->m;
  ssi_pattern_answer a;
  ssi_pattern_change(q->rate, n, t->states, q->r, t->F);
  if (ssi_pattern_solve(t->w, q->data, t->states, t->r, t->u, &a) && a.condition > SINGULAR) {
    ssi_pattern_resolve(t->w, t->F, t->dr);
    for (int k = 0; k < m; k++) t->dr[k] = -t->dr[k];
    for (int i = 0; i < n; i++)
      if (t->states[i] == SS_CELL_FREE) t->dr[2 * i] = t->dr[2 * i + 1] = 0;
    ssi_pattern_velocity_rate(q->data, q->rate, n, t->states, q->r, t->dr, t->du);
    return add_allowed(t, false);
  }
  int corank = ssi_pattern_kernel(t->w, q->data, t->states, SINGULAR, t->dr, t->left);
  bool crosses =
      fabs(ssi_dot(m, t->left, t->F)) <= CROSSING * ssi_largest(m, t->F) + NOISE * t->size;
  if (corank <= 1 && !crosses) return add_vertical(t);
  t->out->degenerate++;
  if (corank <= 1 && !add_vertical(t)) return false;
  return add(t, 1, 1, true, true) && add(t, -1, -1, true, true);
}

// The next choice of one state for each contact; false: that was the last.
static bool next_pattern(tangent_search *t) {
  for (int i = 0; i < t->w->n; i++) {
    unsigned rest = t->in[i] >> (t->states[i] + 1);
    if (rest) {
      int s = (int)t->states[i] + 1;
      while (!(t->in[i] >> s & 1)) s++;
      t->states[i] = (ss_cell_state)s;
      return true;
    }
    int s = 0;
    while (!(t->in[i] >> s & 1)) s++;
    t->states[i] = (ss_cell_state)s;
  }
  return false;
}

// A contact that is in no closure within the tolerance is put into the state that is nearest by its gaps: free if it
// does not press.
static unsigned some_state(const ssi_tangent_query *q, int i) {
  const double *u = q->u + 2 * i, *r = q->r + 2 * i;
  if (r[0] <= fabs(u[0]) && u[0] > 0) return 1u << SS_CELL_FREE;
  if (fabs(u[1]) <= q->data->mu[i] * r[0] - fabs(r[1])) return 1u << SS_CELL_STICK;
  return 1u << (u[1] > 0 ? SS_CELL_SLIP_PLUS : SS_CELL_SLIP_MINUS);
}

bool ssi_tangents_find(ssi_pattern *w, const ssi_tangent_query *q, ssi_arena *arena,
                       ssi_tangents *out) {
  int n = w->n, m = w->m;
  *out = (ssi_tangents){.patterns = 1};
  tangent_search t = {.w = w, .q = q, .arena = arena, .out = out};
  t.in = SSI_TAKE(arena, n, unsigned);
  t.states = SSI_TAKE(arena, n, ss_cell_state);
  t.dr = SSI_TAKE(arena, 6 * m + 1, double);
  if (arena->failed) return false;
  t.du = t.dr + m, t.F = t.du + m, t.left = t.F + m, t.r = t.left + m, t.u = t.r + m;
  t.size = ssi_point_size(q->r, q->u, m);
  for (int i = 0; i < n; i++) {
    t.in[i] = ssi_closures(q, i, t.size);
    if (!t.in[i]) t.in[i] = some_state(q, i);
    int choices = __builtin_popcount(t.in[i]);
    bool grazes = (t.in[i] & 1u << SS_CELL_FREE) && choices > 1;
    out->grazing += grazes, out->edges += choices > 1 && !grazes;
    if (out->patterns <= q->max_patterns) out->patterns *= choices;
    int s = 0;
    while (!(t.in[i] >> s & 1)) s++;
    t.states[i] = (ss_cell_state)s;
  }
  out->too_many = out->patterns > q->max_patterns;
  if (out->too_many) return true;
  do {
    if (!try_pattern(&t)) return false;
  } while (next_pattern(&t));
  return true;
}
