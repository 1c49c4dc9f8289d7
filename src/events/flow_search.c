// Events within a step: found in a few points of it by interpolation, located by integration.
#ifdef SS_WITH_SUNDIALS
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "events/flow_inside.h"

static const double NEARLY = 0.1;  // of the guards around it: a parabola that may dip below zero
static const double CLOSER = 0.1;  // of the distance of the points: those looked at then
static const double WRONG = 1e-9;  // of the largest guard of its kind: a mode that does not fit

static ss_error guard_after(ssi_flow *f, double t, const double *from, double until, int guard,
                            double *value) {
  SS_TRY(ssi_flow_probe(f, t, from, until));
  SS_TRY(ssi_flow_evaluate(f, until, ssi_flow_state(f)));
  ssi_mechanics_guards(&f->motion, f->modes, f->guard);
  *value = f->guard[guard];
  return SS_OK;
}

// Where a guard that is positive at t (of f->from) and not at `guess`, or else `end`, becomes zero: regula falsi in its Illinois form,
// each value by integration from the last point before the event, so that it is as accurate as the motion. f->y: there.
static ss_error locate(ssi_flow *f, double t, double guess, double end, int guard, double *where) {
  double low = t, high = guess, at_low, at_high, at = guess;
  *where = t;
  if (!(guess > t)) return ssi_flow_set(f, f->from), SS_OK;
  SS_TRY(ssi_flow_evaluate(f, t, f->from));
  ssi_mechanics_guards(&f->motion, f->modes, f->guard);
  at_low = fmax(f->guard[guard], 0);
  memcpy(f->near, f->from, sizeof *f->near * (size_t)ssi_flow_size(f));
  SS_TRY(guard_after(f, t, f->from, high, guard, &at_high));
  if (at_high > 0) SS_TRY(guard_after(f, t, f->from, high = end, guard, &at_high));
  if (at_high > 0) high = guess;  // it touched zero
  double scale = fmax(fabs(at_low), fabs(at_high));
  for (int k = 0, side = 0; k < 100; k++) {
    double room = SSI_FLOW_LOCATED * fmax(fabs(low), fabs(high));
    if (!(at_high < 0) || high - low <= room || fabs(at_high) <= 1e-16 * scale) break;
    at = k % 8 == 7 ? (low + high) / 2 : high - (high - low) * at_high / (at_high - at_low);
    at = fmin(fmax(at, low + room), high - room);
    double value;
    SS_TRY(guard_after(f, low, f->near, at, guard, &value));
    if (value > 0) {
      low = at, at_low = value;
      memcpy(f->near, ssi_flow_state(f), sizeof *f->near * (size_t)ssi_flow_size(f));
      if (side == 1) at_high /= 2;
      side = 1;
    } else {
      high = at, at_high = value;
      if (side == -1) at_low /= 2;
      side = -1;
    }
    if (value == 0) break;
  }
  *where = high;
  return ssi_flow_probe(f, low, f->near, high);
}

// The guards at SSI_FLOW_LOOKS + 1 points of a step, by interpolation; at its ends as they are.
static ss_error sample(ssi_flow *f, double t, double until) {
  int guards = 2 * f->m->nc;
  for (int k = 0; k <= SSI_FLOW_LOOKS; k++) {
    double at = k < SSI_FLOW_LOOKS ? t + (until - t) * k / SSI_FLOW_LOOKS : until;
    int flag = k ? ERKStepGetDky(f->main, at, 0, f->between) : 0;
    if (flag) return ssi_flow_failed(f, "interpolate", flag);
    SS_TRY(ssi_flow_evaluate(f, at, k ? N_VGetArrayPointer(f->between) : f->from));
    ssi_mechanics_guards(&f->motion, f->modes, f->sampled + guards * k);
  }
  return SS_OK;
}

// The first guard that was positive and is negative at one of the points, and when. -1: none.
static int find_crossing(ssi_flow *f, double t, double until, double *when) {
  int guards = 2 * f->m->nc;
  memcpy(f->largest, f->sampled, sizeof *f->largest * (size_t)guards);
  for (int k = 1; k <= SSI_FLOW_LOOKS; k++) {
    *when = k < SSI_FLOW_LOOKS ? t + (until - t) * k / SSI_FLOW_LOOKS : until;
    for (int i = 0; i < guards; i++) {
      double now = f->sampled[guards * k + i];
      if (f->largest[i] > 0 && now < 0) return i;
      f->largest[i] = fmax(f->largest[i], now);
    }
  }
  return -1;
}

// The parabola through (-1, a), (0, b), (1, c): where it is least, and how large there. false: nowhere.
static bool lowest(double a, double b, double c, double *at, double *value) {
  double bend = (a + c) / 2 - b, slope = (c - a) / 2;
  if (!(bend > 0)) return false;
  *at = -slope / (2 * bend), *value = b - slope * slope / (4 * bend);
  return true;
}

// A guard may dip below zero and come back between two of the points. Where the parabola through three of them says
// so, or nearly, the motion is integrated to its lowest point, and to that of a parabola through three points there.
static ss_error find_dip(ssi_flow *f, double t, double until, int guard, int k, double *when,
                         bool *found) {
  int guards = 2 * f->m->nc;
  const double *g = f->sampled + guards * k + guard;
  double at, low, unit = (until - t) / SSI_FLOW_LOOKS, near[3];
  double span = fmax(fabs(g[-guards]), fmax(fabs(g[0]), fabs(g[guards])));
  if (!lowest(g[-guards], g[0], g[guards], &at, &low) || fabs(at) > 1 || low > NEARLY * span)
    return SS_OK;
  double middle = fmin(fmax(t + unit * (k + at), t + CLOSER * unit), until - CLOSER * unit);
  for (int i = 0; i < 3; i++) {
    *when = middle + (i - 1) * CLOSER * unit;
    SS_TRY(guard_after(f, t, f->from, *when, guard, &near[i]));
    if (near[i] < 0) return *found = true, SS_OK;
  }
  if (!lowest(near[0], near[1], near[2], &at, &low) || fabs(at) > 1) return SS_OK;
  *when = middle + at * CLOSER * unit;
  SS_TRY(guard_after(f, t, f->from, *when, guard, &low));
  *found = low < 0;
  return SS_OK;
}

// A guard that falls below zero within the step. Where one was never positive and is clearly negative at the end, the
// mode was wrong from the beginning: *when is then t. -1: none.
ss_error ssi_flow_look(ssi_flow *f, double t, double until, int *guard, double *when) {
  int guards = 2 * f->m->nc;
  SS_TRY(sample(f, t, until));
  *guard = find_crossing(f, t, until, when);
  for (int i = 0; i < guards && *guard < 0; i++) {
    bool found = false;
    for (int k = 1; k < SSI_FLOW_LOOKS && !found && f->sampled[i] > 0; k++)
      SS_TRY(find_dip(f, t, until, i, k, when, &found));
    if (found) *guard = i;
  }
  for (int i = 0; i < guards && *guard < 0; i++) {
    double *size = &f->size[(f->modes->mode[i / 2] == SS_MODE_FREE) + 2 * (i % 2)];
    double last = f->sampled[guards * SSI_FLOW_LOOKS + i];
    *size = fmax(*size, fabs(last));
    bool begins = f->m->dim == 3 && f->modes->mode[i / 2] == SS_MODE_SLIP && i % 2;  // from -still
    if (begins) last += ssi_mechanics_led_below(&f->motion, f->modes, i / 2);
    if (f->largest[i] <= 0 && last < -WRONG * *size) *guard = i, *when = t;
  }
  return SS_OK;
}

// Of guards that become zero between the same points the first: where one has gone below zero at the event of another,
// it is looked for before that.
ss_error ssi_flow_locate(ssi_flow *f, double from, double when, double last, ssi_flow_end *end) {
  int guards = 2 * f->m->nc;
  for (int tries = 0; tries < guards; tries++) {
    int other = -1;
    SS_TRY(locate(f, from, when, last, end->guard, &end->t));
    SS_TRY(ssi_flow_evaluate(f, end->t, ssi_flow_state(f)));
    ssi_mechanics_guards(&f->motion, f->modes, f->guard);
    for (int i = 0; i < guards && other < 0; i++)
      if (i != end->guard && f->sampled[i] > 0 && f->guard[i] < 0) other = i;
    if (other < 0) break;
    end->guard = other, when = last = end->t;
  }
  return SS_OK;
}
#else
typedef int ssi_flow_search_needs_sundials;  // an empty translation unit is not C
#endif
