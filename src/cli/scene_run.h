// cli/scene_run.h - simulate: a scene of rigid bodies from its beginning, or from where a run was cut short, to its end.
#pragma once

#include "cli/session.h"
#include "cli/step_dump.h"
#include "cli/step_watch.h"

typedef struct cli_scene_request {
  ss_scene *scene;     // as the options leave it; its solver is listened to
  const char *text;    // of it
  const char *output;  // the run file; NULL: none
  bool resume, overwrite, clock;
  double save_every, time_limit;  // seconds of computing; 0: as it comes, none
  int max_steps;                  // 0: no limit
  cli_step_dump *dump;            // which problems become files
  cli_step_watch *watch;          // what is looked at in every step
} cli_scene_request;

int cli_run_scene(cli_session *s, const cli_scene_request *r);
