// cli/unsolved.h - a step of a simulation of rigid bodies that is not solved: why, and between which bodies.
#pragma once

#include "cli/session.h"

typedef struct cli_unsolved {  // the last one
  long long step;
  double time, error;
  char text[700];     // "": none
  json_t *diagnosis;  // NULL: none
} cli_unsolved;

// Says it as a note, and keeps it for the report. left_s: what finding out may take; 0: no limit.
void cli_unsolved_say(cli_session *s, const ss_simulation *sim, const ss_scene *scene,
                      long long step, const ss_step_info *info, double left_s, cli_unsolved *out);
void cli_unsolved_release(cli_unsolved *u);

// diagnosis{step, time, error, reason, existence, margin, jamming_contacts, jamming_bodies[[a, b]], hint}; null: none
void cli_unsolved_put(cli_session *s, json_t *object, const cli_unsolved *u);
