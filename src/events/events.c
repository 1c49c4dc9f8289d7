// From event to event [004, 4; LSCM03]: a smooth phase runs until a guard of its modes becomes zero; there the
// statuses that follow are predicted from accelerations, after an impact where a gap closes with velocity.
//
// At the event itself two modes agree (a contact about to slip still may stick), so that the prediction looks a
// little ahead: the old modes are carried on by a small part of the last step, where what drives the contact out of
// its mode has grown; the new phase begins at the event.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "events/evolution.h"

static const double AHEAD = 1e-4;  // of the last step
static const double SOFT =
    1e-11;  // of the largest slip velocity so far: an approach without impact
static const double STILL = 1e-9;      // of the same: slip in space that has come to its end
static const double TOGETHER = 1e-10;  // of the size of the coordinates: gaps that close together
static const double SETTLED = 1e-8;    // of the velocity of the impact: a contact that stays closed
enum { CROWD = 1000 };                 // events at one time
enum { MOST_AHEAD = 10 };              // how often looking ahead is doubled where nothing changes

static int contact_of(int guard) {
  return guard / 2;
}

static double size_of(const ss_evolution *e) {
  double most = 0;
  for (int i = 0; i < e->m->nq; i++) most = fmax(most, fabs(e->y[i]));
  return most;
}

static ss_error motion_here(ss_evolution *e) {
  return ssi_motion_at(e->motion, e->t, e->y, ssi_evolution_v(e));
}

// ---- impacts ------------------------------------------------------------------------------------------

static void mark_touching(ss_evolution *e, int fired) {
  double close = TOGETHER * fmax(size_of(e), 1e-300);
  for (int i = 0; i < e->m->nc; i++)
    e->touching[i] = i == fired || e->modes.mode[i] != SS_MODE_FREE || e->motion->gap[i] <= close;
}

static ss_error hit(ss_evolution *e, int fired) {
  bool solved;
  double *v = ssi_evolution_v(e), before = ssi_motion_kinetic(e->motion, v);
  double speed = fabs(e->motion->slip[e->m->dim * fired]);
  SS_TRY(ssi_impact(e->motion, &e->o, e->touching, v, &solved));
  if (!solved) {
    ssi_evolution_stop(e, "no impulses were found for the impact of contact %d at t = %.9g", fired,
                       e->t);
    return SS_OK;
  }
  e->impact += ssi_motion_kinetic(e->motion, v) - before;
  e->totals.impacts++;
  SS_TRY(motion_here(e));
  for (int i = 0; i < e->m->nc; i++) {
    double normal = e->motion->slip[e->m->dim * i];
    e->now[i] = !e->touching[i]            ? SS_CONTACT_OPEN
                : normal > SETTLED * speed ? SS_CONTACT_OPENING
                                           : SS_CONTACT_SLIDING;
  }
  return SS_OK;
}

// ---- accumulation of impacts --------------------------------------------------------------------------

// Intervals d1, d2, d3 (newest last) of a geometric sequence: what is left of it, d3 rho/(1 - rho). INFINITY: none.
static double left_of(const double *hits) {
  double d3 = hits[0] - hits[1], d2 = hits[1] - hits[2], d1 = hits[2] - hits[3];
  if (!(d1 > 0 && d2 > 0 && d3 > 0)) return INFINITY;
  double ratio = d3 / d2, before = d2 / d1;
  bool steady = ratio < 1 && fabs(ratio - before) <= 0.01 * (1 - ratio) + 1e-3;
  return steady ? d3 * ratio / (1 - ratio) : INFINITY;
}

// Remembers the impact, and closes the contact where what is left of a sequence is too short to follow.
static ss_error accumulate(ss_evolution *e, int fired, bool *closed) {
  double *hits = e->hits + SSI_IMPACTS_KEPT * fired;
  *closed = false;
  memmove(hits + 1, hits, sizeof *hits * (SSI_IMPACTS_KEPT - 1));
  hits[0] = e->t;
  double left = left_of(hits);
  if (!(left <= e->o.zeno_tol)) return SS_OK;
  double now = e->t;
  e->t = now + left;  // the event is their limit; the motion goes on from here
  ss_error error = ssi_evolution_record(e, SS_EVENT_ACCUMULATION, fired, SS_MODE_FREE,
                                        e->o.zeno == SS_ZENO_STOP ? SS_MODE_FREE : SS_MODE_STICK);
  e->t = now;
  SS_TRY(error);
  if (e->o.zeno == SS_ZENO_STOP) {
    ssi_evolution_stop(e, "impacts of contact %d accumulate at t = %.12g", fired, now + left);
    return SS_OK;
  }
  *closed = true;
  for (int k = 0; k < SSI_IMPACTS_KEPT; k++) hits[k] = -INFINITY;
  return SS_OK;
}

// Without restitution, once: what bounces on for less than zeno_tol comes to rest.
static ss_error close_contact(ss_evolution *e, int fired) {
  double *v = ssi_evolution_v(e), before = ssi_motion_kinetic(e->motion, v);
  ssi_modes *next = &e->forecast.next;
  for (int i = 0; i < e->m->nc; i++) next->mode[i] = i == fired ? SS_MODE_SLIP : e->modes.mode[i];
  SS_TRY(ssi_motion_project(e->motion, next, e->t, e->y, v));
  e->impact += ssi_motion_kinetic(e->motion, v) - before;
  SS_TRY(motion_here(e));
  e->now[fired] = SS_CONTACT_SLIDING;
  return SS_OK;
}

// ---- the next modes -----------------------------------------------------------------------------------

// What each contact is, velocities being continuous: `fired` touches, or stopped sliding.
static void sort_contacts(ss_evolution *e, int fired, bool stopped) {
  for (int i = 0; i < e->m->nc; i++) {
    ss_mode mode = e->modes.mode[i];
    bool touches = i == fired || mode != SS_MODE_FREE;
    bool still = mode == SS_MODE_STICK || (i == fired && stopped);
    e->now[i] = !touches ? SS_CONTACT_OPEN : still ? SS_CONTACT_STILL : SS_CONTACT_SLIDING;
  }
}

// A contact without slip velocity does not slide.
static void settle_sliding(ss_evolution *e, const double *slip) {
  int d = e->m->dim;
  for (int i = 0; i < e->m->nc; i++) {
    if (e->now[i] != SS_CONTACT_SLIDING) continue;
    if (ssi_tangent_norm(d, slip + d * i) <= SOFT * e->speed) e->now[i] = SS_CONTACT_STILL;
  }
}

static ss_error forecast(ss_evolution *e, const double *slip) {
  settle_sliding(e, slip);
  e->totals.predictions++;
  SS_TRY(ssi_forecast_make(e->motion, e->now, slip, &e->forecast));
  if (e->forecast.solved) return SS_OK;
  const char *why = e->forecast.existence == SS_NONE
                        ? "no accelerations satisfy the laws of contact and friction"
                        : "no accelerations were found";
  ssi_evolution_stop(e, "%s at t = %.12g%s", why, e->t,
                     e->forecast.painleve ? " (Painleve's region: delta <= 0 at a sliding contact)"
                                          : "");
  return SS_OK;
}

// Takes over the forecast; what changed is recorded. impact: contact that hit, or -1.
static ss_error enter(ss_evolution *e, int impact, bool *changed) {
  *changed = impact >= 0;
  for (int i = 0; i < e->m->nc; i++) {
    ss_mode from = e->modes.mode[i], to = e->forecast.next.mode[i];
    if (from == to && i != impact) continue;
    *changed = true;
    e->modes.mode[i] = to;
    SS_TRY(ssi_evolution_record(e, i == impact ? SS_EVENT_IMPACT : SS_EVENT_STATUS, i, from, to));
  }
  ssi_modes_copy(e->m, &e->forecast.next, &e->modes);
  return ssi_motion_project(e->motion, &e->modes, e->t, e->y, ssi_evolution_v(e));
}

static ss_error after_impact(ss_evolution *e, int fired) {
  bool closed = false, changed;
  mark_touching(e, fired);
  SS_TRY(hit(e, fired));
  if (e->end[0]) return SS_OK;
  bool bounces = e->now[fired] == SS_CONTACT_OPENING;
  if (bounces) SS_TRY(accumulate(e, fired, &closed));
  if (closed) SS_TRY(close_contact(e, fired));
  if (e->end[0]) return SS_OK;
  memcpy(e->slip, e->motion->slip, sizeof *e->slip * (size_t)e->motion->rows);
  SS_TRY(forecast(e, e->slip));
  return e->end[0] ? SS_OK : enter(e, fired, &changed);
}

// Without an impact: the matrices a little ahead, in the old modes.
static ss_error after_change(ss_evolution *e, int guard, double last_step) {
  int fired = contact_of(guard), size = ssi_flow_size(e->flow);
  bool slides = e->modes.mode[fired] == SS_MODE_SLIP || e->modes.mode[fired] == SS_MODE_SLIP_BACK;
  bool stopped = slides && guard % 2 == 1, changed;
  double ahead = stopped && e->m->dim == 3 ? 0 : ldexp(AHEAD * last_step, e->unchanged);
  double *y = e->ahead;
  sort_contacts(e, fired, stopped);
  memcpy(e->slip, e->motion->slip, sizeof *e->slip * (size_t)e->motion->rows);
  memcpy(y, e->y, sizeof *y * (size_t)size);
  if (ahead > 0) SS_TRY(ssi_flow_carry(e->flow, &e->modes, e->t, e->t + ahead, y));
  SS_TRY(ssi_motion_at(e->motion, e->t + ahead, y, y + e->m->nq));
  SS_TRY(forecast(e, e->slip));
  if (e->end[0]) return SS_OK;
  SS_TRY(enter(e, -1, &changed));
  e->unchanged = changed ? 0 : e->unchanged + (e->unchanged < MOST_AHEAD);
  if (changed) return SS_OK;
  // a guard that only touched zero, or forces that can be shared in another way: past it
  memcpy(e->modes.gauge, e->forecast.force, sizeof *e->slip * (size_t)e->motion->rows);
  memcpy(e->y, y, sizeof *y * (size_t)size);
  e->t += ahead;
  return SS_OK;
}

static ss_error handle(ss_evolution *e, const ssi_flow_end *end) {
  int fired = contact_of(end->guard);
  SS_TRY(motion_here(e));
  double normal = e->motion->slip[e->m->dim * fired];
  bool closes = e->modes.mode[fired] == SS_MODE_FREE && normal < -SOFT * e->speed;
  return closes ? after_impact(e, fired) : after_change(e, end->guard, end->last_step);
}

// ---- the scheme ---------------------------------------------------------------------------------------

// What velocities are measured by: the largest slip so far, or what loads would make of it in one step.
static ss_error note_speed(ss_evolution *e) {
  ssi_motion *x = e->motion;
  int n = e->m->nv;
  SS_TRY(motion_here(e));
  memcpy(x->a, x->F, sizeof *x->a * (size_t)n);
  ssi_motion_divide(x, 1, x->a);
  for (int i = 0; i < x->rows; i++) {
    double gain = x->b[i];
    for (int j = 0; j < n; j++) gain += x->H[i * n + j] * x->a[j];
    e->speed = fmax(e->speed, fmax(fabs(x->slip[i]), fabs(gain) * e->h));
  }
  x->still = STILL * e->speed;
  return SS_OK;
}

ss_error ssi_events_phase(ss_evolution *e, double until) {
  ssi_flow_end end;
  double from = e->t;
  SS_TRY(note_speed(e));
  SS_TRY(ssi_flow_run(e->flow, &e->modes, e->t, until, e->y, &end));
  e->t = end.t, e->h = end.last_step;
  if (!end.event) return SS_OK;
  e->totals.events++;
  e->crowded = e->t - from > 1e-14 * fabs(e->t) ? 0 : e->crowded + 1;
  if (e->crowded > CROWD) {
    ssi_evolution_stop(e, "events accumulate at t = %.12g (contact %d)", e->t,
                       contact_of(end.guard));
    return SS_OK;
  }
  return handle(e, &end);
}

// The modes at the start: gaps tell open from closed; closed ones that approach are impacts at once.
ss_error ssi_events_begin(ss_evolution *e) {
  int d = e->m->dim, hits = -1;
  SS_TRY(note_speed(e));
  double close = TOGETHER * fmax(size_of(e), 1);
  for (int i = 0; i < e->m->nc; i++) {
    double gap = e->motion->gap[i], normal = e->motion->slip[d * i];
    if (gap < -close)
      return ssi_fail(e->ctx, SS_ERR_DATA, "%s: contact %d penetrates at the start: gap %g",
                      e->m->name, i, gap);
    double soft = fmax(SOFT * e->speed, 0);
    e->now[i] = gap > close     ? SS_CONTACT_OPEN
                : normal > soft ? SS_CONTACT_OPENING
                                : SS_CONTACT_SLIDING;
    e->modes.mode[i] = SS_MODE_FREE;
    if (gap <= close && normal < -soft) hits = i;
  }
  SS_TRY(ssi_evolution_record(e, SS_EVENT_START, -1, SS_MODE_FREE, SS_MODE_FREE));
  if (hits >= 0) return after_impact(e, hits);
  memcpy(e->slip, e->motion->slip, sizeof *e->slip * (size_t)e->motion->rows);
  SS_TRY(forecast(e, e->slip));
  if (e->end[0]) return SS_OK;
  ssi_modes_copy(e->m, &e->forecast.next, &e->modes);
  return ssi_motion_project(e->motion, &e->modes, e->t, e->y, ssi_evolution_v(e));
}
