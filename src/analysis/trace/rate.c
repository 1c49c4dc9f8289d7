// The rate problem alone: the tangents of tangents.h at a given state, for a given rate of the load.
//
// The two laws differ in what u_T so far means. In the evolution it is history: what counts is the direction of du_T, so the state is
// taken with u_T = 0. In the increment friction opposes u_T itself.
#include <math.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/trace/tangents.h"
#include "base/error.h"
#include "base/timer.h"
#include "la/vector.h"
#include "problem/check.h"
#include "stickslip/rate.h"

const char *ss_rate_place_name(ss_rate_place p) {
  static const char *const names[] = {"free", "stick", "slip", "edge", "graze"};
  return (unsigned)p < sizeof names / sizeof *names ? names[p] : "unknown";
}

ss_rate_options ss_rate_options_default(void) {
  return (ss_rate_options){.law = SS_RATE_EVOLUTION, .tol = 1e-8, .max_patterns = 1 << 14};
}

typedef struct owned_rates {
  ss_rate_set set;  // first, so that ss_rate_set_destroy finds its owner
  ssi_arena arena;
} owned_rates;

typedef struct rate_work {
  ss_context *ctx;
  ssi_arena scratch;
  ss_rate_options o;
  ssi_units units;
  ssi_family_data data, rate;
  ssi_pattern pattern;
  double *r, *u;  // scaled   (m)
} rate_work;

static ss_error no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the rate problem");
}

static ss_error check(ss_context *ctx, const ss_problem *p, const double *r,
                      const ss_rate_load *load, const ss_rate_options *o) {
  if (!p || !r || !load)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "rate: a problem, a state and a load");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  if (p->dim != 2)
    return ssi_fail(ctx, SS_ERR_METHOD, "the problem has dim %d, expected 2 for its rate problem",
                    p->dim);
  if (p->nc > SS_ENUMERATE_CONTACTS)
    return ssi_fail(ctx, SS_ERR_METHOD, "%d contacts, expected at most %d", p->nc,
                    SS_ENUMERATE_CONTACTS);
  if (!(o->tol > 0 && o->tol < 0.01) || o->max_patterns < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "tol %g, max_patterns %lld: expected 0 < tol < 0.01, >= 1", o->tol,
                    (long long)o->max_patterns);
  return SS_OK;
}

static const double *or_zero(const double *x, const double *zero) {
  return x ? x : zero;
}

// W and q of the problem, and q of the one whose load is the rate, which has the same matrices.
static ss_error read_data(rate_work *w, const ss_problem *p, const ss_rate_load *load) {
  int n = p->nc, m = 2 * n, longest = m;
  if (p->ndof > longest) longest = p->ndof;
  if (p->nl > longest) longest = p->nl;
  double *zero = SSI_TAKE(&w->scratch, longest + 1, double);
  double *terms = SSI_TAKE(&w->scratch, m + 1, double);
  bool impossible = false;
  ssi_units_take(&w->scratch, n, &w->units);
  ssi_family_take(&w->scratch, n, &w->data);
  ssi_family_take(&w->scratch, n, &w->rate);
  if (w->scratch.failed) return no_memory(w->ctx);
  ss_problem moving = *p;
  moving.f = or_zero(load->f, zero), moving.w = or_zero(load->w, zero);
  moving.q = or_zero(load->q, zero), moving.s = or_zero(load->s, zero);
  moving.b = or_zero(load->b, zero);
  SS_TRY(ssi_dense_problem(w->ctx, &w->scratch, p, w->data.W, w->data.q, terms, &impossible));
  memset(terms, 0, sizeof *terms * (size_t)m);
  SS_TRY(ssi_dense_problem(w->ctx, &w->scratch, &moving, w->rate.W, w->rate.q, terms, &impossible));
  memset(w->rate.W, 0, sizeof *w->rate.W * (size_t)(m * m));  // does not change
  if (n) memcpy(w->data.mu, p->mu, sizeof *p->mu * (size_t)n);
  if (n) memcpy(w->rate.mu, or_zero(load->mu, zero), sizeof *p->mu * (size_t)n);
  return SS_OK;
}

static void scale(rate_work *w, const double *r, const double *u) {
  ssi_units_matrix(&w->units, w->data.W);
  ssi_units_load(&w->units, w->data.W, w->data.q);
  ssi_units_load(&w->units, w->data.W, u);
  ssi_units_finish(&w->units);
  ssi_units_apply(&w->units, w->data.W, w->data.q);
  ssi_units_apply(&w->units, NULL, w->rate.q);
  ssi_units_scale(&w->units, true, r, w->r);
  ssi_units_scale(&w->units, false, u, w->u);
}

// The state in the units of the search, if it is a solution.
static ss_error read_state(rate_work *w, const ss_problem *p, const double *r, double *error) {
  int m = 2 * p->nc;
  ss_verdict v;
  double *u = SSI_TAKE(&w->scratch, m, double);
  w->r = SSI_TAKE(&w->scratch, m, double), w->u = SSI_TAKE(&w->scratch, m, double);
  ssi_pattern_take(&w->scratch, p->nc, &w->pattern);
  if (w->scratch.failed) return no_memory(w->ctx);
  SS_TRY(ss_verify(w->ctx, p, &(ss_solution){.r = r}, u, NULL, NULL, NULL, &v));
  *error = v.error;
  if (!(v.error <= w->o.tol))
    return ssi_fail(
        w->ctx, SS_ERR_DATA,
        "the state is no solution: its error is %.3g, expected at most %.3g (worst contact %d)",
        v.error, w->o.tol, v.worst_contact);
  scale(w, r, u);
  double size = ssi_point_size(w->r, w->u, m);
  for (int i = 0; i < p->nc && w->o.law == SS_RATE_EVOLUTION; i++)
    if (fabs(w->u[2 * i]) <= w->o.tol * size) w->u[2 * i + 1] = 0;
  return SS_OK;
}

static ss_rate_place place_of(unsigned in) {
  bool several = in & (in - 1);
  if (in & 1u << SS_CELL_FREE) return several ? SS_PLACE_GRAZE : SS_PLACE_FREE;
  if (several) return SS_PLACE_EDGE;
  return in & 1u << SS_CELL_STICK ? SS_PLACE_STICK : SS_PLACE_SLIP;
}

static bool is_repeated(const ssi_tangents *all, int k, int m) {
  const ssi_tangent *x = &all->items[k];
  double size = ssi_point_size(x->dr, x->du, m);
  for (int j = 0; j < k; j++) {
    const ssi_tangent *y = &all->items[j];
    double far = 0;
    for (int i = 0; i < m; i++)
      far = fmax(far, fmax(fabs(x->dr[i] - y->dr[i]), fabs(x->du[i] - y->du[i])));
    if (!y->crossing && y->dp == x->dp && far <= 1e-9 * size) return true;
  }
  return false;
}

static ss_error collect(rate_work *w, const ssi_tangents *all, owned_rates *out) {
  int n = w->units.n, m = w->units.m;
  ss_rate_set *set = &out->set;
  ss_rate_way *ways = SSI_TAKE(&out->arena, all->count + 1, ss_rate_way);
  if (!ways) return no_memory(w->ctx);
  for (int k = 0; k < all->count; k++) {
    const ssi_tangent *x = &all->items[k];
    if (x->crossing || x->dp < 0 || is_repeated(all, k, m)) continue;
    ss_cell_state *states = SSI_TAKE(&out->arena, n, ss_cell_state);
    double *du = SSI_TAKE(&out->arena, m, double), *dr = SSI_TAKE(&out->arena, m, double);
    if (out->arena.failed) return no_memory(w->ctx);
    memcpy(states, x->states, sizeof *states * (size_t)n);
    ssi_units_unscale(&w->units, false, x->du, du);
    ssi_units_unscale(&w->units, true, x->dr, dr);
    ways[set->count++] = (ss_rate_way){states, x->dp, du, dr};
  }
  set->ways = ways;
  set->degenerate = all->degenerate;
  return SS_OK;
}

static ss_error solve(rate_work *w, owned_rates *out) {
  int n = w->units.n;
  ss_rate_set *set = &out->set;
  ssi_tangents all;
  ssi_tangent_query q = {.data = &w->data,
                         .rate = &w->rate,
                         .r = w->r,
                         .u = w->u,
                         .tol = w->o.tol,
                         .max_patterns = w->o.max_patterns};
  ss_rate_place *places = SSI_TAKE(&out->arena, n, ss_rate_place);
  if (!places || !ssi_tangents_find(&w->pattern, &q, &w->scratch, &all)) return no_memory(w->ctx);
  if (all.too_many)
    return ssi_fail(
        w->ctx, SS_ERR_METHOD,
        "%d grazing contacts and %d on the edge of their cones: more than %lld patterns",
        all.grazing, all.edges, (long long)w->o.max_patterns);
  double size = ssi_point_size(w->r, w->u, w->units.m);
  for (int i = 0; i < n; i++) places[i] = place_of(ssi_closures(&q, i, size));
  set->places = places, set->nc = n;
  set->grazing = all.grazing, set->edges = all.edges, set->patterns = all.patterns;
  return collect(w, &all, out);
}

ss_error ss_rate_enumerate(ss_context *ctx, const ss_problem *p, const double *r,
                           const ss_rate_load *load, const ss_rate_options *o, ss_rate_set **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "nowhere to put the rates");
  *out = NULL;
  double begin = ssi_now_s();
  rate_work w = {.ctx = ctx, .scratch = {.ctx = ctx}, .o = o ? *o : ss_rate_options_default()};
  SS_TRY(check(ctx, p, r, load, &w.o));
  ssi_arena arena = {.ctx = ctx};
  owned_rates *own = SSI_TAKE(&arena, 1, owned_rates);
  if (!own) return no_memory(ctx);
  own->arena = arena;
  ss_error e = read_data(&w, p, load);
  if (!e) e = read_state(&w, p, r, &own->set.error);
  if (!e) e = solve(&w, own);
  ssi_arena_release(&w.scratch);
  if (e) return ss_rate_set_destroy(&own->set), e;
  own->set.time_s = ssi_now_s() - begin;
  *out = &own->set;
  return SS_OK;
}

void ss_rate_set_destroy(ss_rate_set *set) {
  if (!set) return;
  ssi_arena arena = ((owned_rates *)set)->arena;  // a copy: the original lies in what it releases
  ssi_arena_release(&arena);
}
