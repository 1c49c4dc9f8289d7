// cli/scene_instant.h - a scene at a time, for `status`: run from event to event up to it, or as a run file has it.
#pragma once

#include "cli/session.h"

typedef struct cli_scene_instant {
  char *text;
  ss_scene *scene;
  ss_machine *machine;
  ss_evolution *evolution;  // NULL: at the start, or from a run
  double *state;            // q, v of a run
  ss_instant *at;
  double time;
  double h;  // of a run: the step that led there; 0: the state is exact
} cli_scene_instant;

bool cli_is_scene(
    const char *path);  // a built-in one, or a file that holds one; not standard input
int cli_scene_instant_open(cli_session *s, const char *path, double time, cli_scene_instant *out);
// The state that was saved after `step`, or that at `time`; both negative: the last one.
int cli_run_instant_open(cli_session *s, const char *path, int64_t step, double time,
                         cli_scene_instant *out);
void cli_scene_instant_close(cli_scene_instant *x);  // after a failure too
