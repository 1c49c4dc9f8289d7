// From event to event [Jack, 4; LSCM03]: a smooth phase runs until a guard of its modes becomes zero; there the
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
  return ssi_mechanics_at(e->motion, e->t, e->y, ssi_evolution_v(e));
}

// ---- impacts ------------------------------------------------------------------------------------------

static void mark_touching(ss_evolution *e, int fired) {
  double close = TOGETHER * fmax(size_of(e), 1e-300);
  for (int i = 0; i < e->m->nc; i++)
    e->touching[i] = i == fired || e->modes.mode[i] != SS_MODE_FREE || e->motion->gap[i] <= close;
}

// Of contact `fired`, or of the joints (-1).
static ss_error hit(ss_evolution *e, int fired) {
  bool solved;
  double *v = ssi_evolution_v(e), before = ssi_mechanics_kinetic(e->motion, v);
  double terms, speed = fired < 0 ? ssi_mechanics_joint_speed(e->motion, v, &terms)
                                  : fabs(e->motion->slip[e->m->dim * fired]);
  SS_TRY(ssi_impact(e->motion, &e->o, e->touching, v, &solved));
  if (!solved) {
    if (fired < 0)
      ssi_evolution_stop(e, "no impulses were found for the joints at t = %.9g", e->t);
    else
      ssi_evolution_stop(e, "no impulses were found for the impact of contact %d at t = %.9g",
                         fired, e->t);
    return SS_OK;
  }
  e->impact += ssi_mechanics_kinetic(e->motion, v) - before;
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

// A contact without slip velocity does not slide. In space slip ends at `still`, for all corners of a body that stops
// at the same time.
static void settle_sliding(ss_evolution *e, const double *slip) {
  int d = e->m->dim;
  double none = d == 3 ? 2 * STILL * e->speed : SOFT * e->speed;
  for (int i = 0; i < e->m->nc; i++) {
    if (e->now[i] != SS_CONTACT_SLIDING) continue;
    if (ssi_tangent_norm(d, slip + d * i) <= none) e->now[i] = SS_CONTACT_STILL;
  }
}

static ss_error predict(ss_evolution *e, const double *slip, bool part_ties) {
  settle_sliding(e, slip);
  e->totals.predictions++;
  return ssi_forecast_make(e->motion, e->now, slip, part_ties, &e->forecast);
}

// And stops where there is nothing to predict.
static ss_error forecast(ss_evolution *e, const double *slip, bool part_ties) {
  SS_TRY(predict(e, slip, part_ties));
  if (e->forecast.solved) return SS_OK;
  const char *why = e->forecast.existence == SS_NONE
                        ? "no accelerations satisfy the laws of contact and friction"
                        : "no accelerations were found";
  ssi_evolution_stop(e, "%s at t = %.12g%s", why, e->t,
                     e->forecast.painleve ? " (Painleve's region: delta <= 0 at a sliding contact)"
                                          : "");
  return SS_OK;
}

// The modes of the forecast, and q and v onto what they hold. Slip in space that ends does so by a little impulse, on
// which what moves may do work.
static ss_error hold_modes(ss_evolution *e) {
  double *v = ssi_evolution_v(e);
  SS_TRY(motion_here(e));  // the matrices may be those a little ahead
  double before = ssi_mechanics_kinetic(e->motion, v);
  ssi_modes_copy(e->m, &e->forecast.next, &e->modes);
  SS_TRY(ssi_mechanics_project(e->motion, &e->modes, e->t, e->y, v));
  e->impact += ssi_mechanics_kinetic(e->motion, v) - before;
  return SS_OK;
}

// Takes over the forecast; what changed is recorded, and what happened to contact `special`.
static ss_error enter(ss_evolution *e, int special, ss_event_kind kind, double time,
                      bool *changed) {
  *changed = special >= 0;
  for (int i = 0; i < e->m->nc; i++) {
    ss_mode from = e->modes.mode[i], to = e->forecast.next.mode[i];
    if (from == to && i != special) continue;
    *changed = true;
    e->modes.mode[i] = to;
    bool is = i == special;
    SS_TRY(ssi_evolution_record(e, is ? time : e->t, is ? kind : SS_EVENT_STATUS, i, from, to));
  }
  return hold_modes(e);
}

ss_error ssi_events_resume(ss_evolution *e, int special, ss_event_kind kind, double time) {
  bool changed;
  SS_TRY(motion_here(e));
  memcpy(e->slip, e->motion->slip, sizeof *e->slip * (size_t)e->motion->rows);
  SS_TRY(forecast(e, e->slip, false));
  return e->end[0] ? SS_OK : enter(e, special, kind, time, &changed);
}

static ss_error after_impact(ss_evolution *e, int fired) {
  mark_touching(e, fired);
  SS_TRY(hit(e, fired));
  if (e->end[0]) return SS_OK;
  double left = fired < 0 ? INFINITY : ssi_zeno_left(e, fired), shortest = ssi_zeno_shortest(e);
  bool bounces = false, faint = false;
  for (int i = 0; i < e->m->nc; i++) {
    if (e->now[i] != SS_CONTACT_OPENING) continue;
    bounces = true, faint = faint || ssi_zeno_is_faint(e, e->motion->slip[e->m->dim * i]);
  }
  bool ends = faint || left <= fmax(e->o.zeno_tol, shortest);  // too short to be followed
  if (fired >= 0 && bounces && ends)
    return ssi_zeno_begin(e, fired, left < INFINITY ? left : shortest);
  return ssi_events_resume(e, fired, SS_EVENT_IMPACT, e->t);
}

// Without an impact: the matrices a little ahead, in the old modes.
static ss_error after_change(ss_evolution *e, int guard, double last_step) {
  int fired = contact_of(guard), size = ssi_flow_size(e->flow);
  bool slides = e->modes.mode[fired] == SS_MODE_SLIP || e->modes.mode[fired] == SS_MODE_SLIP_BACK;
  bool stopped = slides && guard % 2 == 1, changed;
  bool lost = e->modes.mode[fired] != SS_MODE_FREE && guard % 2 == 0;  // its force
  double ahead = stopped && e->m->dim == 3 ? 0 : ldexp(AHEAD * last_step, e->unchanged);
  double *y = e->ahead;
  sort_contacts(e, fired, stopped);
  memcpy(e->slip, e->motion->slip, sizeof *e->slip * (size_t)e->motion->rows);
  memcpy(y, e->y, sizeof *y * (size_t)size);
  if (ahead > 0) SS_TRY(ssi_flow_carry(e->flow, &e->modes, e->t, e->t + ahead, y));
  SS_TRY(ssi_mechanics_at(e->motion, e->t + ahead, y, y + e->m->nq));
  SS_TRY(forecast(e, e->slip, lost));
  if (e->end[0]) return SS_OK;
  SS_TRY(enter(e, -1, SS_EVENT_STATUS, e->t, &changed));
  e->unchanged = changed ? 0 : e->unchanged + (e->unchanged < MOST_AHEAD);
  if (changed) return SS_OK;
  // a guard that only touched zero, or forces that can be shared in another way: past it
  memcpy(e->modes.gauge, e->forecast.force, sizeof *e->slip * (size_t)e->motion->rows);
  memcpy(e->y, y, sizeof *y * (size_t)size);
  e->t += ahead;
  return SS_OK;
}

ss_error ssi_events_handle(ss_evolution *e) {
  const ssi_flow_end *end = &e->pending;
  int fired = contact_of(end->guard);
  e->pending.event = false;
  SS_TRY(motion_here(e));
  double normal = e->motion->slip[e->m->dim * fired];
  bool closes = e->modes.mode[fired] == SS_MODE_FREE && normal < -SOFT * e->speed;
  return closes ? after_impact(e, fired) : after_change(e, end->guard, end->last_step);
}

// ---- the scheme ---------------------------------------------------------------------------------------

// What velocities are measured by: the largest slip so far, or what loads would make of it in one step.
static ss_error note_speed(ss_evolution *e) {
  ssi_mechanics *x = e->motion;
  int n = e->m->nv;
  SS_TRY(motion_here(e));
  memcpy(x->a, x->F, sizeof *x->a * (size_t)n);
  ssi_mechanics_divide(x, 1, x->a);
  e->pull = 0;
  for (int i = 0; i < x->rows; i++) {
    double gain = x->b[i];
    for (int j = 0; j < n; j++) gain += x->H[i * n + j] * x->a[j];
    e->pull = fmax(e->pull, fabs(gain));
    e->speed = fmax(e->speed, fmax(fabs(x->slip[i]), fabs(gain) * e->h));
  }
  x->still = STILL * e->speed;
  return SS_OK;
}

ss_error ssi_events_phase(ss_evolution *e, double until) {
  ssi_flow_end end;
  SS_TRY(note_speed(e));
  ss_error error = ssi_flow_run(e->flow, &e->modes, e->t, until, e->y, &end);
  e->t = end.t, e->h = end.last_step;
  if (error) return error;
  if (!end.event) return SS_OK;
  if (++e->totals.events % SSI_EVENTS_CROWD == 0) {
    double passed = e->t - e->pace, each = fmax(ssi_zeno_shortest(e), 1e-14 * fabs(e->t));
    e->pace = e->t;
    if (passed <= SSI_EVENTS_CROWD * each) {
      ssi_evolution_stop(e, "events accumulate at t = %.12g (contact %d)", e->t,
                         contact_of(end.guard));
      return SS_OK;
    }
  }
  e->pending = end;
  return SS_OK;
}

// Of the contacts in e->touching, from the velocities here. *hits: one that approaches; -1: none does, and joints do not
// part (else *parts).
static void sort_touching(ss_evolution *e, int *hits, bool *parts) {
  double soft = SOFT * e->speed, terms;
  *hits = -1;
  for (int i = 0; i < e->m->nc; i++) {
    double normal = e->motion->slip[e->m->dim * i];
    bool hit_now = e->touching[i] && normal < -soft;
    e->now[i] = !e->touching[i] || hit_now ? SS_CONTACT_OPEN
                : normal > soft            ? SS_CONTACT_OPENING
                                           : SS_CONTACT_SLIDING;
    if (hit_now) *hits = i;
  }
  *parts = ssi_mechanics_joint_speed(e->motion, ssi_evolution_v(e), &terms) > SOFT * terms;
}

ss_error ssi_events_break(ss_evolution *e) {
  int hits;
  bool parts;
  e->bounce.contact = -1;
  SS_TRY(note_speed(e));
  for (int i = 0; i < e->m->nc; i++) e->touching[i] = e->modes.mode[i] != SS_MODE_FREE;
  sort_touching(e, &hits, &parts);
  if (hits >= 0 || parts) return after_impact(e, hits);
  return ssi_events_resume(e, -1, SS_EVENT_STATUS, e->t);
}

// Velocities that joints do not allow, of a scheme that steps: an impulse of the joints alone.
static ss_error comply(ss_evolution *e) {
  double *v = ssi_evolution_v(e), before = ssi_mechanics_kinetic(e->motion, v);
  SS_TRY(ssi_mechanics_hold(e->motion, &e->modes, e->t, e->y, v));
  e->impact += ssi_mechanics_kinetic(e->motion, v) - before;
  return SS_OK;
}

// The modes at the start: gaps tell open from closed; closed ones that approach are impacts at once (of a scheme that
// steps: of its first step), and so are joints that part.
ss_error ssi_events_begin(ss_evolution *e) {
  int hits;
  bool parts;
  SS_TRY(note_speed(e));
  double close = TOGETHER * fmax(size_of(e), 1);
  for (int i = 0; i < e->m->nc; i++) {
    double gap = e->motion->gap[i];
    const char *name = e->m->contact ? e->m->contact[i] : NULL;
    if (gap < -close)
      return ssi_fail(e->ctx, SS_ERR_DATA, "%s: contact %d%s%s%s penetrates at the start: gap %g",
                      e->m->name, i, name ? " (" : "", name ? name : "", name ? ")" : "", gap);
    e->touching[i] = gap <= close;
    e->modes.mode[i] = SS_MODE_FREE;
  }
  sort_touching(e, &hits, &parts);
  SS_TRY(ssi_evolution_record(e, e->t, SS_EVENT_START, -1, SS_MODE_FREE, SS_MODE_FREE));
  if ((hits >= 0 || parts) && e->flow) return after_impact(e, hits);
  if (parts) SS_TRY(comply(e));
  memcpy(e->slip, e->motion->slip, sizeof *e->slip * (size_t)e->motion->rows);
  SS_TRY(e->flow ? forecast(e, e->slip, false) : predict(e, e->slip, false));
  if (!e->forecast.solved) return SS_OK;
  if (e->flow) return hold_modes(e);
  ssi_modes_copy(e->m, &e->forecast.next, &e->modes);
  return SS_OK;
}
