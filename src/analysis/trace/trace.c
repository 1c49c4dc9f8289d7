// All branches that pass through the solutions at some parameters.
#include "analysis/trace/tracer.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"

static const struct {
  const char *name, *explanation;
} end_texts[] = {
    {"range", "the end of the range"},
    {"branching", "more than two pieces meet"},
    {"infinity", "the reactions grow without bound"},
    {"closed", "back at its start"},
    {"continuum", "solutions are not isolated over a range of the parameter"},
    {"degenerate", "no single way on, and no node of several"},
    {"unverified", "a point was not verified"},
    {"budget", "stopped by a limit"},
};

const char *ss_trace_end_name(ss_trace_end e) {
  return (unsigned)e < sizeof end_texts / sizeof *end_texts ? end_texts[e].name : "unknown";
}

const char *ss_trace_end_explanation(ss_trace_end e) {
  return (unsigned)e < sizeof end_texts / sizeof *end_texts ? end_texts[e].explanation : "unknown";
}

ss_trace_options ss_trace_options_default(void) {
  ss_enumerate_options e = ss_enumerate_options_default();
  e.recheck = 16;
  return (ss_trace_options){.only = -1,
                            .step = 0.02,
                            .tol = 1e-8,
                            .infinity = 1e6,
                            .max_points = 200000,
                            .max_patterns = 1 << 14,
                            .enumerate = e};
}

// Samples without a wish: nodes and patterns of the enumerations up to which they are doubled.
enum { SAMPLES_LEAST = 64, SAMPLES_MOST = 1024, SAMPLES_WORK = 300000 };

typedef struct owned_trace {
  ss_trace trace;  // first, so that ss_trace_destroy finds its owner
  ssi_arena arena;
} owned_trace;

static ss_error check_options(ss_context *ctx, const ss_trace_options *o) {
  if (!(isfinite(o->from) && isfinite(o->to) && o->from < o->to))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "the range goes from %g to %g, expected from < to",
                    o->from, o->to);
  for (int k = 0; k < o->at_count && o->at; k++)
    if (!(o->at[k] >= o->from && o->at[k] <= o->to))
      return ssi_fail(ctx, SS_ERR_ARGUMENT, "a start at %g is outside the range from %g to %g",
                      o->at[k], o->from, o->to);
  if (!(o->step > 0 && o->step <= 1) || !(o->tol > 0) || !(o->infinity > 1))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "step %g, tol %g, infinity %g: expected 0 < step <= 1, tol > 0, infinity > 1",
                    o->step, o->tol, o->infinity);
  if (o->samples < 0 || o->max_points < 1 || o->max_patterns < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "samples %d, max_points %lld, max_patterns %lld: expected >= 0, >= 1, >= 1",
                    o->samples, (long long)o->max_points, (long long)o->max_patterns);
  return SS_OK;
}

static ss_error take(ssi_tracer *t) {
  int n = t->family.n, m = t->family.m;
  double *x = SSI_TAKE(&t->while_, 9 * m + 1, double);
  t->armed = SSI_TAKE(&t->while_, 3 * n + 1, bool);
  ssi_family_take(&t->while_, n, &t->now);
  ssi_family_take(&t->while_, n, &t->next);
  ssi_family_take(&t->while_, n, &t->rate);
  ssi_pattern_take(&t->while_, n, &t->work);
  t->work.leader = t->family.units.leader;
  if (t->while_.failed) return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory to trace %d contacts", n);
  t->slope = x, t->trial_r = x + m, t->trial_u = x + 2 * m, t->left = x + 3 * m, t->F = x + 4 * m;
  t->near_r = x + 5 * m, t->near_u = x + 6 * m, t->before = x + 7 * m;
  return SS_OK;
}

// ---- starts ---------------------------------------------------------------------------------------

static ss_error start_at(ssi_tracer *t, double p, const double *r, const double *u) {
  ssi_spot at = {p, SSI_TAKE(&t->while_, t->family.m, double),
                 SSI_TAKE(&t->while_, t->family.m, double)};
  bool known;
  if (t->while_.failed) return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a start");
  ssi_units_scale(&t->family.units, true, r, at.r);
  ssi_units_scale(&t->family.units, false, u, at.u);
  SS_TRY(ssi_is_known(t, &at, &known));
  if (known) return SS_OK;
  SS_TRY(ssi_walk_from(t, &at));
  return ssi_walk_nodes(t);
}

static bool is_noted(const ssi_tracer *t, double p, const ss_cell *cell) {
  for (size_t k = 0; k < t->continuum_count; k++) {
    const ss_trace_continuum *c = &t->continua[k];
    bool here = c->branch < 0 || fabs(c->parameter - p) <= 1e-9 * t->range;
    if (here && ssi_same_states(c->states, cell->states, t->family.n)) return true;
  }
  return false;
}

// A set that is no vertical piece of a branch, since it has more dimensions or is there for other p too, is told, not
// walked; once for its states.
static ss_error note_continuum(ssi_tracer *t, double p, const ss_cell *cell) {
  int n = t->family.n;
  if (is_noted(t, p, cell)) return SS_OK;
  t->incomplete = true;
  if (!ssi_grow(t->ctx, &t->continua, &t->continuum_room, t->continuum_count + 1,
                t->continuum_count, sizeof *t->continua))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a continuum");
  ss_cell_state *states = SSI_TAKE(&t->keep, n, ss_cell_state);
  if (!states) return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a continuum");
  memcpy(states, cell->states, sizeof *states * (size_t)n);
  t->continua[t->continuum_count++] = (ss_trace_continuum){.parameter = p,
                                                           .dimension = cell->dimension,
                                                           .unbounded = cell->ray_count > 0,
                                                           .branch = -1,
                                                           .states = states};
  return SS_OK;
}

static ss_error start_from(ssi_tracer *t, double p, const ss_component *c) {
  if (c->isolated && !c->tie && ssi_is_walked(t, c->states, p)) return SS_OK;
  if (c->isolated) return start_at(t, p, c->r, c->u);
  for (int k = 0; k < c->cell_count && !t->stopped; k++) {
    const ss_cell *cell = &c->cells[k];
    for (int v = 0; v < cell->vertex_count && !t->stopped; v++)
      SS_TRY(start_at(t, p, cell->vertices[v].r, cell->vertices[v].u));
    SS_TRY(note_continuum(t, p, cell));
  }
  return SS_OK;
}

static int on_enumerate(void *user, const ss_enumerate_progress *now) {
  (void)now;
  return !ssi_tracer_goes_on(user, NAN);
}

static ss_error start_all(ssi_tracer *t, double p, bool chosen, ss_trace *out) {
  ss_problem *problem;
  ss_solution_set *set = NULL;
  ss_enumerate_options o = t->o->enumerate;
  o.progress = on_enumerate, o.user = t, o.verify = false;
  t->family.problems++;
  SS_TRY(t->family.problem(t->family.user, t->ctx, p, &problem));
  ss_error e = ss_enumerate(t->ctx, problem, &o, &set);
  ss_problem_destroy(problem);
  SS_TRY(e);
  out->samples++;
  t->work_done += set->nodes + set->leaves;
  t->incomplete = t->incomplete || !set->complete;
  if (chosen && t->o->only >= set->count)
    e = ssi_fail(t->ctx, SS_ERR_ARGUMENT,
                 "solution %d was asked for, but at %.10g there are %d, numbered from 0",
                 t->o->only, p, set->count);
  for (int k = 0; k < set->count && !e && !t->stopped; k++) {
    if (chosen && k != t->o->only) continue;
    out->starts++;
    e = start_from(t, p, &set->components[k]);
  }
  ss_solution_set_destroy(set);
  return e;
}

// Equidistant parameters, the ends first, then twice as many again and again: while that is little work, where the
// caller leaves it open. A branch that closes between two of them is not seen.
static ss_error start_by_halving(ssi_tracer *t, ss_trace *out) {
  const ss_trace_options *o = t->o;
  SS_TRY(start_all(t, o->from, false, out));
  if (!t->stopped) SS_TRY(start_all(t, o->to, false, out));
  for (int cells = 2; cells <= SAMPLES_MOST && !t->stopped; cells *= 2) {
    if (cells > SAMPLES_LEAST && 2 * t->work_done > SAMPLES_WORK) break;
    for (int k = 1; k < cells && !t->stopped; k += 2)
      SS_TRY(start_all(t, o->from + t->range * k / cells, false, out));
  }
  return SS_OK;
}

ss_error ssi_tracer_look_at(ssi_tracer *t, double p) {
  for (size_t k = 0; k < t->look_count; k++)
    if (fabs(t->looks[k] - p) <= 1e-9 * t->range) return SS_OK;
  if (!ssi_grow(t->ctx, &t->looks, &t->look_room, t->look_count + 1, t->look_count,
                sizeof *t->looks))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for samples");
  t->looks[t->look_count++] = p;
  return SS_OK;
}

static ss_error start_at_samples(ssi_tracer *t, ss_trace *out) {
  const ss_trace_options *o = t->o;
  if (!o->at && !o->samples && o->only < 0) return start_by_halving(t, out);
  int count = o->only >= 0 ? 1 : o->at ? o->at_count : o->samples;
  for (int k = 0; k < count && !t->stopped; k++) {
    double share = count > 1 ? (double)k / (count - 1) : 0;
    double p = o->at ? o->at[k] : k == count - 1 && k ? o->to : o->from + share * t->range;
    SS_TRY(start_all(t, p, o->only >= 0, out));
  }
  return SS_OK;
}

static ss_error start_everywhere(ssi_tracer *t, ss_trace *out) {
  SS_TRY(start_at_samples(t, out));
  for (size_t k = 0; k < t->look_count && !t->stopped; k++)
    SS_TRY(start_all(t, t->looks[k], false, out));
  return SS_OK;
}

static void release(ssi_tracer *t) {
  ssi_family_release(&t->family);
  ssi_arena_release(&t->while_);
  ssi_release(t->ctx, t->walked);
  ssi_release(t->ctx, t->nodes);
  ssi_release(t->ctx, t->branches);
  ssi_release(t->ctx, t->continua);
  ssi_release(t->ctx, t->looks);
}

ss_error ss_trace_create(ss_context *ctx, const ss_trace_options *o, ss_trace_problem problem,
                         void *user, ss_trace **out) {
  if (!o || !problem || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "trace: options, a problem and a place for the result");
  *out = NULL;
  SS_TRY(check_options(ctx, o));
  ss_trace found = {.from = o->from, .to = o->to};
  ssi_tracer t = {.ctx = ctx,
                  .o = o,
                  .keep = {.ctx = ctx},
                  .while_ = {.ctx = ctx},
                  .range = o->to - o->from,
                  .begin_s = ssi_now_s(),
                  .end_s = ssi_time_end(o->time_limit_s)};
  ss_error e = ssi_family_begin(&t.family, ctx, o, problem, user);
  if (!e) e = take(&t);
  if (!e) e = start_everywhere(&t, &found);
  if (!e) e = ssi_trace_assemble(&t, &found);
  owned_trace *own = e ? NULL : SSI_TAKE(&t.keep, 1, owned_trace);
  if (!e && !own) e = ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the branches");
  if (e) {
    ssi_arena_release(&t.keep);
  } else {
    found.nc = t.family.n, found.problems = t.family.problems, found.error_max = t.error_max;
    found.stopped = t.stopped, found.complete = !t.stopped && !t.incomplete;
    found.time_s = ssi_now_s() - t.begin_s;
    *own = (owned_trace){found, t.keep};
    *out = &own->trace;
  }
  release(&t);
  return e;
}

void ss_trace_destroy(ss_trace *t) {
  if (!t) return;
  ssi_arena arena = ((owned_trace *)t)->arena;  // a copy: the original lies in what it releases
  ssi_arena_release(&arena);
}
