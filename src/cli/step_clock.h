// cli/step_clock.h - a step of a simulation while it is under way: said where it takes long, left where the user or the
// time limit ends the run.
#pragma once

#include "cli/progress.h"

typedef struct cli_step_clock {
  cli_progress *shown;  // of the run
  double end_s;         // of the run, by the clock; INFINITY: none
  bool late;            // it was reached
  long long step;       // under way
  double begin_s, said_s;
  double error;  // as the solver measured it last
  int iterations;
  double heard_s;   // when that was
  double digits_s;  // of all steps: what solves took once they had come to CLI_USUAL_TOLERANCE
  bool in_digits;   // this one has
} cli_step_clock;

#define CLI_USUAL_TOLERANCE 1e-6  // what a person would choose: a smaller one is for proofs

void cli_step_clock_start(cli_step_clock *c, long long step);

// ss_options.progress and .stop of the solver of the steps; user: the clock.
int cli_step_clock_hear(void *clock, const ss_info *now);
int cli_step_clock_stop(void *clock);
