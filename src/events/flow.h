// events/flow.h - smooth motion in given modes, by SUNDIALS: explicit Runge-Kutta of order 8, steps by tolerance,
// each step followed by a projection onto what the modes hold.
//
// The state is y = (q, v, work of F, work of contact forces).
#pragma once

#include "events/mechanics.h"

typedef struct ssi_flow ssi_flow;

typedef struct ssi_flow_end {
  double t;
  bool event;        // a guard became zero at t; else t is where it was asked to go
  int guard;         // the first that did
  double last_step;  // of the integrator
} ssi_flow_end;

ss_error ssi_flow_create(ss_context *ctx, const ss_mechanism *m, const ss_evolve_options *o,
                         ssi_flow **out);
void ssi_flow_destroy(ssi_flow *f);  // NULL allowed

int ssi_flow_size(const ssi_flow *f);         // of y
ssi_mechanics *ssi_flow_motion(ssi_flow *f);  // its workspace
void ssi_flow_counts(const ssi_flow *f, int64_t *steps, int64_t *evaluations);

// From (t, y) to `until` in these modes, or to the first guard that becomes zero. y: there. In space the leads of the
// modes go along with the slip.
// SS_ERR_LINEAR: the integrator gave up, with its reason; end->t and y are where it did.
ss_error ssi_flow_run(ssi_flow *f, ssi_modes *modes, double t, double until, double *y,
                      ssi_flow_end *end);

// Without guards: for looking a little past an event.
ss_error ssi_flow_carry(ssi_flow *f, const ssi_modes *modes, double t, double until, double *y);
