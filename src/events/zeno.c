// Impacts that accumulate (Zeno): a sequence of intervals that shrink like a geometric one ends after a finite time,
// be it a ball that bounces or a block that rocks from foot to foot. What is left of it, once short enough, is not
// followed: what touches is closed at once, or Moreau steps, which need no events, go over it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "events/evolution.h"
#include "events/stepping.h"

// What a gap is known to: the rounding of the coordinates that it depends on.
static double known_to(const ss_evolution *e) {
  const ss_mechanism *m = e->m;
  double most = 0, size = 0;
  for (int i = 0; i < m->nq; i++) size = fmax(size, fabs(e->y[i]));
  for (int i = 0; i < m->nc; i++) {
    double sum = 0;
    for (int j = 0; j < m->nv; j++)
      sum += fabs(e->motion->H[m->dim * i * m->nv + j]) * (m->rate ? size : fabs(e->y[j]));
    most = fmax(most, sum);
  }
  return DBL_EPSILON * most;
}

// A flight as high as a hundred times that, or less, is noise.
double ssi_zeno_shortest(const ss_evolution *e) {
  return e->pull > 0 ? 30 * sqrt(known_to(e) / e->pull) : 0;
}

bool ssi_zeno_is_faint(const ss_evolution *e, double normal) {
  return normal <= e->pull * ssi_zeno_shortest(e) / 2;
}

// Intervals d1, d2, d3 (newest last) of a geometric sequence: what is left of it, d3 rho/(1 - rho).
double ssi_zeno_left(ss_evolution *e, int contact) {
  double *hits = e->hits + SSI_IMPACTS_KEPT * contact;
  memmove(hits + 1, hits, sizeof *hits * (SSI_IMPACTS_KEPT - 1));
  hits[0] = e->t;
  double d3 = hits[0] - hits[1], d2 = hits[1] - hits[2], d1 = hits[2] - hits[3];
  if (!(d1 > 0 && d2 > 0 && d3 > 0)) return INFINITY;
  double ratio = d3 / d2, before = d2 / d1;
  bool steady = ratio < 1 && fabs(ratio - before) <= 0.2 * (1 - ratio);
  return steady ? d3 * ratio / (1 - ratio) : INFINITY;
}

// What contact i of close_contacts becomes. Slip no faster than the bounces stops with them: of a block that rocks it is
// part of the same motion.
static ss_persistence closed(const ss_evolution *e, int i, double bounce) {
  int d = e->m->dim;
  const double *slip = e->motion->slip + d * i;
  if (e->now[i] == SS_CONTACT_OPEN || slip[0] > bounce) return e->now[i];
  return ssi_tangent_norm(d, slip) <= bounce ? SS_CONTACT_STILL : SS_CONTACT_SLIDING;
}

// q and v onto what closed contacts hold, once; those that open faster than `bounce` do.
static ss_error close_contacts(ss_evolution *e, double bounce) {
  double *v = ssi_evolution_v(e), before = ssi_mechanics_kinetic(e->motion, v);
  ssi_modes *next = &e->forecast.next;
  SS_TRY(ssi_mechanics_at(e->motion, e->t, e->y, v));
  for (int i = 0; i < e->m->nc; i++) {
    e->now[i] = closed(e, i, bounce);
    bool holds = e->now[i] == SS_CONTACT_STILL || e->now[i] == SS_CONTACT_SLIDING;
    next->mode[i] = !holds                          ? SS_MODE_FREE
                    : e->now[i] == SS_CONTACT_STILL ? SS_MODE_STICK
                                                    : SS_MODE_SLIP;
    for (int k = 0; k < SSI_IMPACTS_KEPT && holds; k++)
      e->hits[SSI_IMPACTS_KEPT * i + k] = -INFINITY;
  }
  SS_TRY(ssi_mechanics_project(e->motion, next, e->t, e->y, v));
  e->impact += ssi_mechanics_kinetic(e->motion, v) - before;
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
    SS_TRY(close_contacts(e, 10 * e->pull * left));
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
  for (int i = 0; i < e->m->nc; i++)
    e->now[i] = e->modes.mode[i] == SS_MODE_FREE ? SS_CONTACT_OPEN : SS_CONTACT_SLIDING;
  e->modes.mode[contact] = SS_MODE_FREE;
  SS_TRY(close_contacts(e, 10 * e->pull * b->h));
  return ssi_events_resume(e, contact, SS_EVENT_ACCUMULATION, e->t);
}
