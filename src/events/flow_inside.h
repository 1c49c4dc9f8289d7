// events/flow_inside.h - a flow as its two files see it. Private; needs SUNDIALS.
#pragma once

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include "events/flow.h"

#if SUNDIALS_VERSION_MAJOR >= 7  // which has ERKStepEvolve() still, and calls it ARKodeEvolve()
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

enum { SSI_FLOW_LOOKS = 4 };  // parts of a step, at whose ends guards are looked at
static const double SSI_FLOW_LOCATED =
    4e-16;  // of the time: an event is not located better than that

struct ssi_flow {
  ssi_arena arena;
  ss_context *ctx;
  const ss_mechanism *m;
  const ss_evolve_options *o;
  SUNContext sun;
  N_Vector y, between;
  void *main, *probe;  // ARKODE's memory: of the motion, and of looks at parts of its last step
  ssi_mechanics motion;
  const ssi_modes *modes;
  double *from, *there;  // y at the beginning of the last step; of the probe
  double *near;          // y where a guard was last positive, of a search
  double *guard;         // (2 nc)
  double *sampled;       // at points of a step                      ((SSI_FLOW_LOOKS + 1) x 2 nc)
  double *largest;       // of those                                 (2 nc)
  double h;              // to begin the next phase with
  double at;             // where the step began
  int stalled;           // steps since time last went on by more than rounding
  double size[4];        // largest guards so far: forces, gaps, (stick and) slip, -
  ss_error error;        // of a function of the mechanism
  int64_t steps, evaluations;
};

// Accelerations and forces at (t, y), in f->motion.
ss_error ssi_flow_evaluate(ssi_flow *f, double t, const double *y);
ss_error ssi_flow_failed(ssi_flow *f, const char *what, int flag);  // what SUNDIALS says
double *ssi_flow_state(ssi_flow *f);                                // y
void ssi_flow_set(ssi_flow *f, const double *y);

// From (t, y) to `until`, without guards: f->y is there.
ss_error ssi_flow_probe(ssi_flow *f, double t, const double *y, double until);

// A guard that falls below zero within the step from f->from at t to what ARKODE has at `until`, and a time at which it
// is. Where one was never positive and is clearly negative at the end, the mode was wrong from the beginning: *when is
// then t. *guard -1: none.
ss_error ssi_flow_look(ssi_flow *f, double t, double until, int *guard, double *when);

// Where it becomes zero, or another before it: end->t and end->guard; f->y is there.
ss_error ssi_flow_locate(ssi_flow *f, double from, double when, double last, ssi_flow_end *end);
