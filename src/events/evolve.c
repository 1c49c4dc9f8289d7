// ss_evolution: one interface to all schemes.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "events/evolution.h"
#include "events/stepping.h"

static const char *const scheme_names[] = {"events", "midpoint", "midpoint-stabilized", "moreau"};
static const char *const impact_names[] = {"coulomb", "frictionless"};
static const char *const zeno_names[] = {"close", "step", "stop"};
static const char *const kind_names[] = {"start", "status", "impact", "accumulation"};
static const char *const mode_names[] = {"free", "stick", "slip+", "slip-"};

#define NAME(list, i) ((unsigned)(i) < sizeof list / sizeof *list ? list[i] : NULL)
const char *ss_scheme_name(ss_scheme s) {
  return NAME(scheme_names, s);
}
const char *ss_impact_law_name(ss_impact_law l) {
  return NAME(impact_names, l);
}
const char *ss_zeno_name(ss_zeno z) {
  return NAME(zeno_names, z);
}
const char *ss_event_kind_name(ss_event_kind k) {
  return NAME(kind_names, k);
}
const char *ss_mode_name(int dim, ss_mode m) {
  return dim == 3 && m == SS_MODE_SLIP ? "slip" : NAME(mode_names, m);
}

ss_evolve_options ss_evolve_options_default(void) {
  return (ss_evolve_options){.scheme = SS_SCHEME_EVENTS,
                             .theta = 0.5,
                             .rel_tol = 1e-11,
                             .abs_tol = 1e-13,
                             .impact = SS_IMPACT_COULOMB,
                             .zeno = SS_ZENO_CLOSE,
                             .zeno_tol = 1e-8};
}

void ssi_evolution_stop(ss_evolution *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(e->end, sizeof e->end, format, args);
  va_end(args);
}

// ---- the list of events -----------------------------------------------------------------------------

ss_error ssi_evolution_record(ss_evolution *e, double time, ss_event_kind kind, int contact,
                              ss_mode from, ss_mode to) {
  ssi_event_list *l = &e->events;
  size_t each = (size_t)(e->m->nq + e->m->nv), n = (size_t)l->count;
  if (!ssi_grow(e->ctx, &l->items, &l->item_room, n + 1, n, sizeof *l->items) ||
      !ssi_grow(e->ctx, &l->states, &l->state_room, n + 1, n, each * sizeof *l->states))
    return ssi_fail(e->ctx, SS_ERR_MEMORY, "no memory for event %d", l->count);
  memcpy(l->states + each * n, e->y, sizeof(double) * each);
  l->items[l->count++] = (ss_event){time, kind, contact, from, to, NULL, NULL};
  return SS_OK;
}

ss_error ssi_evolution_take_modes(ss_evolution *e, const ss_mode *modes, int except) {
  for (int i = 0; i < e->m->nc; i++) {
    ss_mode from = e->modes.mode[i];
    e->modes.mode[i] = modes[i];
    if (from != modes[i] && i != except)
      SS_TRY(ssi_evolution_record(e, e->t, SS_EVENT_STATUS, i, from, modes[i]));
  }
  return SS_OK;
}

int ss_evolution_event_count(const ss_evolution *e) {
  if (!e) return 0;
  return e->events.count;
}

ss_error ss_evolution_event(const ss_evolution *e, int index, ss_event *out) {
  if (!e || !out) return ssi_missing(NULL, "ss_evolution_event");
  if (index < 0 || index >= e->events.count)
    return ssi_fail(e->ctx, SS_ERR_ARGUMENT, "event %d of %d", index, e->events.count);
  *out = e->events.items[index];
  out->q = e->events.states + (size_t)(e->m->nq + e->m->nv) * (size_t)index;
  out->v = out->q + e->m->nq;
  return SS_OK;
}

// ---- life -------------------------------------------------------------------------------------------

static ss_error check_mechanism(ss_context *ctx, const ss_mechanism *m) {
  bool sizes = m->nv > 0 && m->nq >= m->nv && m->nc >= 0 && (m->dim == 2 || m->dim == 3);
  if (!sizes || (m->nq != m->nv && !m->rate))
    return ssi_fail(ctx, SS_ERR_DATA,
                    "%s: dim %d, %d coordinates, %d velocities, %d contacts: expected 2 or 3, as "
                    "many coordinates as velocities (or more, with `rate`), >= 0",
                    m->name, m->dim, m->nq, m->nv, m->nc);
  if (!m->mass || !m->force || (m->nc && (!m->gap || !m->frames || !m->mu)))
    return ssi_fail(ctx, SS_ERR_DATA, "%s: needs mass, force, and with contacts gap, frames and mu",
                    m->name);
  if (m->nl < 0 || (m->nl && !m->joints))
    return ssi_fail(ctx, SS_ERR_DATA, "%s: %d joint rows: expected >= 0, and joints with them",
                    m->name, m->nl);
  for (int i = 0; i < m->break_count; i++)
    if (!isfinite(m->breaks[i]) || (i && !(m->breaks[i] > m->breaks[i - 1])))
      return ssi_fail(ctx, SS_ERR_DATA, "%s: break %d is at t = %g: times out of order", m->name, i,
                      m->breaks[i]);
  for (int i = 0; i < m->nc; i++) {
    double e = m->restitution ? m->restitution[i] : 0;
    if (m->mu_static && !(m->mu_static[i] >= m->mu[i] && isfinite(m->mu_static[i])))
      return ssi_fail(ctx, SS_ERR_DATA, "%s: contact %d: static friction %g, expected at least %g",
                      m->name, i, m->mu_static[i], m->mu[i]);
    if (!(m->mu[i] >= 0 && isfinite(m->mu[i])) || !(e >= 0 && e <= 1))
      return ssi_fail(ctx, SS_ERR_DATA,
                      "%s: contact %d: friction %g, restitution %g; expected >= 0 and 0 .. 1",
                      m->name, i, m->mu[i], e);
  }
  return SS_OK;
}

static ss_error check_options(ss_context *ctx, const ss_evolve_options *o) {
  bool stepping = o->scheme != SS_SCHEME_EVENTS;
  if (stepping && !(o->step > 0 && isfinite(o->step)))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "step %g, expected > 0", o->step);
  if (!(o->step >= 0 && o->theta >= 0.5 && o->theta <= 1 && o->rel_tol > 0 && o->abs_tol > 0 &&
        o->zeno_tol >= 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "step %g, theta %g, rel_tol %g, abs_tol %g, zeno_tol %g: expected >= 0, 1/2 .. "
                    "1, > 0, > 0, >= 0",
                    o->step, o->theta, o->rel_tol, o->abs_tol, o->zeno_tol);
  return SS_OK;
}

static const double CLOSED = 1e-8;  // of the size of the coordinates: joints

static ss_error check_joints(const ss_evolution *e) {
  double size = 1;
  for (int i = 0; i < e->m->nq; i++) size = fmax(size, fabs(e->y[i]));
  for (int i = 0; i < e->m->nl; i++)
    if (fabs(e->motion->apart[i]) > CLOSED * size)
      return ssi_fail(e->ctx, SS_ERR_DATA, "%s: joint row %d is not closed at the start: Phi = %g",
                      e->m->name, i, e->motion->apart[i]);
  return SS_OK;
}

static ss_error check_start(ss_evolution *e) {
  const ss_mechanism *m = e->m;
  SS_TRY(ssi_mechanics_at(e->motion, e->t, e->y, ssi_evolution_v(e)));
  SS_TRY(check_joints(e));
  for (int i = 0; i < m->nc; i++) {
    double size = 0;
    for (int j = 0; j < m->nv; j++)
      size = fmax(size, fabs(e->motion->H[(size_t)(m->dim * i * m->nv + j)]));
    if (!(size > 0))
      return ssi_fail(e->ctx, SS_ERR_DATA,
                      "%s: contact %d: its gap has no gradient: row H_N is zero", m->name, i);
  }
  e->start = e->largest = ssi_mechanics_kinetic(e->motion, ssi_evolution_v(e));
  return SS_OK;
}

static ss_error refuse_mode(const ss_evolution *e, int i, const char *why, const char *found) {
  const char *name = e->m->contact ? e->m->contact[i] : NULL,
             *asked = ss_mode_name(e->m->dim, e->o.start_modes[i]);
  return ssi_fail(e->ctx, SS_ERR_DATA, "%s: contact %d%s%s%s: %s is asked for at the start, %s%s",
                  e->m->name, i, name ? " (" : "", name ? name : "", name ? ")" : "",
                  asked ? asked : "no mode", why, found);
}

// The modes that were asked for, against friction and what the prediction found.
static ss_error check_modes(const ss_evolution *e) {
  for (int i = 0; e->o.start_modes && i < e->m->nc; i++) {
    ss_mode asked = e->o.start_modes[i], found = e->modes.mode[i];
    if (asked == SS_MODE_STICK && ssi_frictionless(e->m, i))
      return refuse_mode(e, i, "where there is no friction", "");
    if (asked != found && !ss_evolution_end(e))
      return refuse_mode(e, i, "found ", ss_mode_name(e->m->dim, found));
  }
  return SS_OK;
}

static bool take(ss_evolution *e) {
  const ss_mechanism *m = e->m;
  int rows = m->dim * m->nc, size = m->nq + m->nv + 2;
  e->y = SSI_TAKE(&e->arena, size, double), e->ahead = SSI_TAKE(&e->arena, size, double);
  e->force = SSI_TAKE(&e->arena, rows, double), e->slip = SSI_TAKE(&e->arena, rows, double);
  e->forecast.force = SSI_TAKE(&e->arena, rows, double);
  e->share = SSI_TAKE(&e->arena, m->nc, double), e->touching = SSI_TAKE(&e->arena, m->nc, bool);
  e->now = SSI_TAKE(&e->arena, m->nc, ss_persistence);
  e->hits = SSI_TAKE(&e->arena, SSI_IMPACTS_KEPT * m->nc, double);
  if (e->arena.failed) return false;
  for (int i = 0; i < SSI_IMPACTS_KEPT * m->nc; i++) e->hits[i] = -INFINITY;
  return ssi_modes_take(&e->arena, m, &e->modes) &&
         ssi_modes_take(&e->arena, m, &e->forecast.next) &&
         ssi_mechanics_take(&e->arena, e->ctx, m, &e->own);
}

static ss_error begin(ss_evolution *e) {
  e->motion = &e->own;
  if (e->o.scheme == SS_SCHEME_EVENTS) {
    SS_TRY(ssi_flow_create(e->ctx, e->m, &e->o, &e->flow));
    e->motion = ssi_flow_motion(e->flow);
  } else {
    SS_TRY(ssi_stepping_create(e, e->o.scheme, &e->stepping));
  }
  SS_TRY(check_start(e));
  SS_TRY(ssi_events_begin(e));
  return check_modes(e);
}

ss_error ss_evolution_create(ss_context *ctx, const ss_mechanism *m, const ss_evolve_options *o,
                             double t, const double *q, const double *v, ss_evolution **out) {
  ss_evolve_options options = o ? *o : ss_evolve_options_default();
  if (!m || !q || !v || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a mechanism, its state and a place are needed");
  *out = NULL;
  SS_TRY(check_mechanism(ctx, m));
  SS_TRY(check_options(ctx, &options));
  ssi_arena arena = {.ctx = ctx};
  ss_evolution *e = SSI_TAKE(&arena, 1, ss_evolution);
  if (!e) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for an evolution");
  e->arena = arena, e->ctx = ctx, e->m = m, e->o = options, e->t = e->begin = t;
  e->bounce.contact = -1, e->pace = -INFINITY;
  while (e->breaks < m->break_count && m->breaks[e->breaks] <= t) e->breaks++;
  ss_error error = take(e) ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for an evolution");
  if (!error) {
    memcpy(e->y, q, sizeof *q * (size_t)m->nq);
    memcpy(e->y + m->nq, v, sizeof *v * (size_t)m->nv);
    error = begin(e);
  }
  if (error) return ss_evolution_destroy(e), error;
  *out = e;
  return SS_OK;
}

void ss_evolution_destroy(ss_evolution *e) {
  if (!e) return;
  ssi_flow_destroy(e->flow);
  ssi_stepping_destroy(e->stepping);
  ssi_release(e->ctx, e->events.items);
  ssi_release(e->ctx, e->events.states);
  ssi_arena_release_home(e->arena);
}

// ---- going on -----------------------------------------------------------------------------------------

static bool is_over(ss_evolution *e) {
  if (!e->end[0] && e->o.max_events && e->events.count >= e->o.max_events)
    ssi_evolution_stop(e, "%d events at t = %.9g", e->events.count, e->t);
  return e->end[0];
}

// Steps of one size, the last one shorter; what is left of the way when it is no more than rounding is nothing.
static ss_error step_to(ss_evolution *e, double until, bool once) {
  double from = e->t, h = e->o.step, count = fmax(ceil((until - from) / h - 1e-6), 1);
  ss_mode *modes = e->forecast.next.mode;
  for (double k = 1; k <= count && !is_over(e); k++) {
    double last = until - from - (count - 1) * h;
    bool whole = k < count || fabs(last - h) <= 1e-6 * h;
    double end = k < count ? from + k * h : until;
    SS_TRY(ssi_stepping_once(e->stepping, whole ? h : last, end, modes));
    if (!e->end[0]) SS_TRY(ssi_evolution_take_modes(e, modes, -1));
    if (once) break;
  }
  return SS_OK;
}

// A phase ends right before a break, at the largest number below it, where functions still give what held before; the
// next begins at the break itself.
static ss_error go_on(ss_evolution *e, double t, bool once) {
  if (!e->flow) return step_to(e, t, once);
  if (e->pending.event) return ssi_events_handle(e);
  double jump = e->breaks < e->m->break_count ? e->m->breaks[e->breaks] : INFINITY;
  double before = nextafter(jump, -INFINITY);
  if (e->t >= before) {
    e->t = jump, e->breaks++;
    return ssi_events_break(e);
  }
  t = fmin(t, before);
  return e->bounce.contact >= 0 ? ssi_zeno_step(e, t) : ssi_events_phase(e, t);
}

// What fails on the way ends the motion where it is, with the reason; only memory is the caller's business.
static ss_error advance(ss_evolution *e, double t, bool once) {
  if (!(t >= e->t && isfinite(t)))
    return ssi_fail(e->ctx, SS_ERR_ARGUMENT, "%s: times out of order: to %g from %g", e->m->name, t,
                    e->t);
  while ((e->t < t || e->pending.event) && !is_over(e)) {
    ss_error error = go_on(e, t, once);
    if (error == SS_ERR_MEMORY) return error;
    if (error) ssi_evolution_stop(e, "%s", ss_error_detail(e->ctx, error));
    if (once) break;
  }
  return SS_OK;
}

double ss_evolution_time(const ss_evolution *e) {
  if (!e) return 0;
  return e->t;
}

ss_scheme ss_evolution_scheme(const ss_evolution *e) {
  if (!e) return SS_SCHEME_EVENTS;
  return e->o.scheme;
}

ss_error ss_evolution_advance(ss_evolution *e, double t) {
  if (!e) return ssi_missing(NULL, "ss_evolution_advance");
  return advance(e, t, false);
}

ss_error ss_evolution_advance_once(ss_evolution *e, double t) {
  if (!e) return ssi_missing(NULL, "ss_evolution_advance_once");
  return advance(e, t, true);
}

const char *ss_evolution_end(const ss_evolution *e) {
  if (!e) return NULL;
  return e->end[0] ? e->end : NULL;
}

// ---- what there is ----------------------------------------------------------------------------------

// Over the largest of their kind: forces; slips so far; lengths, or what loads make of them by now.
static void note_violation(ss_evolution *e) {
  const ssi_mechanics *x = e->motion;
  int d = e->m->dim;
  double force = DBL_MIN, length = DBL_MIN, speed = fmax(e->speed, DBL_MIN),
         passed = e->t - e->begin;
  for (int i = 0; i < x->rows; i++) force = fmax(force, fabs(x->r[i]));  // not of joints: units
  for (int i = 0; i < e->m->nv; i++) force = fmax(force, fabs(x->F[i]));
  for (int i = 0; i < e->m->nq; i++) length = fmax(length, fabs(e->y[i]));
  length = fmax(length, e->pull * passed * passed);
  for (int i = 0; i < e->m->nc; i++) {
    ss_mode mode = e->modes.mode[i];
    const double *r = x->r + d * i, *slip = x->slip + d * i;
    double miss = fmax(-x->gap[i], 0) / length;
    if (mode != SS_MODE_FREE) miss = fmax(miss, -r[0] / force);
    if (mode == SS_MODE_STICK)
      miss = fmax(miss, (ssi_tangent_norm(d, r) - ssi_static_friction(e->m, i) * r[0]) / force);
    bool signed_slip = d == 2 && !ssi_frictionless(e->m, i);
    if (signed_slip && mode == SS_MODE_SLIP) miss = fmax(miss, -slip[1] / speed);
    if (signed_slip && mode == SS_MODE_SLIP_BACK) miss = fmax(miss, slip[1] / speed);
    e->totals.violation = fmax(e->totals.violation, miss);
  }
}

ss_error ss_evolution_state_now(ss_evolution *e, ss_evolution_state *out) {
  if (!e || !out) return ssi_missing(NULL, "ss_evolution_state_now");
  ssi_mechanics *x = e->motion;
  int d = e->m->dim;
  SS_TRY(ssi_mechanics_at(x, e->t, e->y, ssi_evolution_v(e)));
  SS_TRY(ssi_mechanics_solve(x, &e->modes));
  bool events = e->o.scheme == SS_SCHEME_EVENTS;
  if (events && e->t > e->begin) note_violation(e);
  const double *force = events ? x->r : e->force;
  for (int i = 0; i < e->m->nc; i++) {
    bool sticks = e->modes.mode[i] == SS_MODE_STICK && d == 2;
    double most = ssi_static_friction(e->m, i) * force[d * i];
    e->share[i] = sticks && most > 0 ? (1 - force[d * i + 1] / most) / 2 : NAN;
  }
  *out = (ss_evolution_state){
      e->t, e->y, ssi_evolution_v(e), x->a, e->modes.mode, x->gap, x->slip, force, e->share};
  return SS_OK;
}

ss_error ss_evolution_energy_now(ss_evolution *e, ss_evolution_energy *out) {
  if (!e || !out) return ssi_missing(NULL, "ss_evolution_energy_now");
  const ss_mechanism *m = e->m;
  double *v = ssi_evolution_v(e), *work = e->y + m->nq + m->nv;
  SS_TRY(ssi_mechanics_at(e->motion, e->t, e->y, v));
  *out = (ss_evolution_energy){.kinetic = ssi_mechanics_kinetic(e->motion, v),
                               .start = e->start,
                               .potential = NAN,
                               .applied = work[0],
                               .contact = work[1],
                               .impact = e->impact,
                               .scheme = e->scheme};
  if (m->potential) SS_TRY(m->potential(m->user, e->t, e->y, &out->potential));
  double terms[] = {out->kinetic, out->applied, out->contact, out->impact, out->scheme};
  for (int i = 0; i < 5; i++) e->largest = fmax(e->largest, fabs(terms[i]));
  double missing =
      out->kinetic - out->start - out->applied - out->contact - out->impact - out->scheme;
  out->closure = e->largest > 0 ? fabs(missing) / e->largest : 0;
  return SS_OK;
}

void ss_evolution_totals_now(const ss_evolution *e, ss_evolution_totals *out) {
  if (!out) return;
  if (!e) {
    *out = (ss_evolution_totals){0};
    return;
  }
  *out = e->totals;
  if (e->flow) ssi_flow_counts(e->flow, &out->steps, &out->evaluations);
}
