// events/evolution.h - what all schemes share: the state, the list of events, the reasons to end.
#pragma once

#include "events/flow.h"
#include "events/forecast.h"

enum { SSI_IMPACTS_KEPT = 4 };
enum {
  SSI_EVENTS_CROWD = 1000
};  // events in a time too short for them, steps over one accumulation

typedef struct ssi_event_list {
  ss_event *items;
  int count;
  size_t item_room, state_room;
  double *states;  // nq + nv each
} ssi_event_list;

// Moreau steps that take a contact over an accumulation of its impacts (zeno.c).
typedef struct ssi_bounce {
  int contact;  // -1: none
  double h;
  int steps, closed;  // so far; of those the last ones with the contact closed
} ssi_bounce;

struct ss_evolution {
  ssi_arena arena;
  ss_context *ctx;
  const ss_mechanism *m;
  ss_evolve_options o;
  double begin, t, h;  // h: of the last step
  double *y;           // q, v, work of F, work of contacts
  ssi_modes modes;
  ssi_flow *flow;                 // SS_SCHEME_EVENTS, else NULL
  struct ssi_stepping *stepping;  // the other schemes, and SS_ZENO_STEP; else NULL
  ssi_mechanics own, *motion;     // the workspace in use: that of the flow, or our own

  double *force;                          // of the last step of a stepping scheme   (dim nc)
  double *share;                          // (nc)
  double start, impact, scheme, largest;  // energies
  double speed;                           // largest slip velocity so far
  double pull;                            // largest g'' that loads make here
  ss_evolution_totals totals;
  ssi_event_list events;
  double *hits;  // times of the last impacts, newest first  (SSI_IMPACTS_KEPT nc)
  ssi_bounce bounce;
  ssi_flow_end pending;  // an event reached, but not gone over yet
  int breaks;            // of the mechanism that are behind
  ssi_forecast forecast;
  ss_persistence *now;
  bool *touching;
  double *slip, *ahead;  // room: slip velocities; a state
  int unchanged;         // events in a row that changed no mode
  double pace;           // time of the last event whose number is a multiple of SSI_EVENTS_CROWD
  char end[256];
};

static inline double *ssi_evolution_v(ss_evolution *e) {
  return e->y + e->m->nq;
}

ss_error ssi_evolution_record(ss_evolution *e, double time, ss_event_kind kind, int contact,
                              ss_mode from, ss_mode to);
void ssi_evolution_stop(ss_evolution *e, const char *format, ...) SS_PRINTF(2, 3);

// The modes of a step of one size: what changed is recorded, but for contact `except` (-1: none).
ss_error ssi_evolution_take_modes(ss_evolution *e, const ss_mode *modes, int except);

ss_error ssi_events_begin(ss_evolution *e);  // the modes at the start
ss_error ssi_events_phase(ss_evolution *e,
                          double until);      // to right before the next event, or to `until`
ss_error ssi_events_handle(ss_evolution *e);  // what is pending
ss_error ssi_events_break(ss_evolution *e);   // e->t is a time at which forces or motions jump

// After velocities have changed: the modes that follow, from e->now and the slip velocities here. Of contact
// `special` (-1: none) an event of this kind and time is recorded whatever follows.
ss_error ssi_events_resume(ss_evolution *e, int special, ss_event_kind kind, double time);

// Remembers an impact of this contact; how long those to come will go on, where they accumulate: else INFINITY.
double ssi_zeno_left(ss_evolution *e, int contact);
double ssi_zeno_shortest(const ss_evolution *e);  // flight that rounding lets one see
bool ssi_zeno_is_faint(const ss_evolution *e,
                       double normal);  // a velocity that begins a shorter one
// As the options say. The velocities are those after the impact.
ss_error ssi_zeno_begin(ss_evolution *e, int contact, double left);
ss_error ssi_zeno_step(ss_evolution *e, double until);  // while e->bounce has a contact
