// Impacts that accumulate (Zeno): a sequence of intervals that shrink like a geometric one ends after a finite time.
// What is left of it, once short enough, is not followed: the contact is closed at once, or Moreau steps, which need
// no events, go over it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "events/evolution.h"
#include "events/stepping.h"

// Intervals d1, d2, d3 (newest last) of a geometric sequence: what is left of it, d3 rho/(1 - rho).
double ssi_zeno_left(ss_evolution *e, int contact) {
  double *hits = e->hits + SSI_IMPACTS_KEPT * contact;
  memmove(hits + 1, hits, sizeof *hits * (SSI_IMPACTS_KEPT - 1));
  hits[0] = e->t;
  double d3 = hits[0] - hits[1], d2 = hits[1] - hits[2], d1 = hits[2] - hits[3];
  if (!(d1 > 0 && d2 > 0 && d3 > 0)) return INFINITY;
  double ratio = d3 / d2, before = d2 / d1;
  bool steady = ratio < 1 && fabs(ratio - before) <= 0.01 * (1 - ratio) + 1e-3;
  return steady ? d3 * ratio / (1 - ratio) : INFINITY;
}

// Without restitution, once: q and v onto what a closed contact holds.
static ss_error close_contact(ss_evolution *e, int contact) {
  double *v = ssi_evolution_v(e), before = ssi_mechanics_kinetic(e->motion, v);
  ssi_modes *next = &e->forecast.next;
  for (int i = 0; i < e->m->nc; i++) next->mode[i] = i == contact ? SS_MODE_SLIP : e->modes.mode[i];
  SS_TRY(ssi_mechanics_project(e->motion, next, e->t, e->y, v));
  e->impact += ssi_mechanics_kinetic(e->motion, v) - before;
  for (int k = 0; k < SSI_IMPACTS_KEPT; k++) e->hits[SSI_IMPACTS_KEPT * contact + k] = -INFINITY;
  for (int i = 0; i < e->m->nc; i++)
    e->now[i] = next->mode[i] == SS_MODE_FREE ? SS_CONTACT_OPEN : SS_CONTACT_SLIDING;
  return SS_OK;
}

ss_error ssi_zeno_begin(ss_evolution *e, int contact, double left) {
  double limit = e->t + left;
  SS_TRY(ssi_evolution_record(e, e->t, SS_EVENT_IMPACT, contact, SS_MODE_FREE, SS_MODE_FREE));
  e->modes.mode[contact] = SS_MODE_FREE;
  if (e->o.zeno == SS_ZENO_STOP) {
    ssi_evolution_stop(e, "impacts of contact %d accumulate at t = %.12g", contact, limit);
    return ssi_evolution_record(e, limit, SS_EVENT_ACCUMULATION, contact, SS_MODE_FREE,
                                SS_MODE_FREE);
  }
  if (e->o.zeno == SS_ZENO_CLOSE) {
    SS_TRY(close_contact(e, contact));
    return ssi_events_resume(e, contact, SS_EVENT_ACCUMULATION, limit);
  }
  if (!e->stepping) SS_TRY(ssi_stepping_create(e, SS_SCHEME_MOREAU, &e->stepping));
  double least = 1e-14 * fabs(e->t), most = e->o.step > 0 ? e->o.step : INFINITY;
  e->bounce = (ssi_bounce){.contact = contact, .h = fmax(fmin(left, most), least)};
  return SS_OK;
}

// One step. Closed twice in a row, it stays so.
ss_error ssi_zeno_step(ss_evolution *e, double until) {
  ssi_bounce *b = &e->bounce;
  double h = fmin(b->h, until - e->t);
  ss_mode *modes = e->forecast.next.mode;
  SS_TRY(ssi_stepping_once(e->stepping, h, fmin(e->t + h, until), modes));
  if (e->end[0]) return SS_OK;
  int contact = b->contact;
  bool closed = modes[contact] != SS_MODE_FREE;
  SS_TRY(ssi_evolution_take_modes(e, modes, contact));
  b->closed = closed ? b->closed + 1 : 0;
  if (++b->steps > SSI_EVENTS_CROWD)
    ssi_evolution_stop(e, "impacts of contact %d do not end within %d steps before t = %.12g",
                       contact, b->steps, e->t);
  if (b->closed < 2) return SS_OK;
  b->contact = -1;
  e->modes.mode[contact] = SS_MODE_FREE;
  SS_TRY(close_contact(e, contact));
  return ssi_events_resume(e, contact, SS_EVENT_ACCUMULATION, e->t);
}
