// cli/scene_instant.h - a scene at a time: run from event to event up to it, for `status`.
#pragma once

#include "cli/session.h"

typedef struct cli_scene_instant {
  char *text;
  ss_scene *scene;
  ss_machine *machine;
  ss_evolution *evolution;  // NULL: at the start
  ss_instant *at;
} cli_scene_instant;

bool cli_is_scene(
    const char *path);  // a built-in one, or a file that holds one; not standard input
int cli_scene_instant_open(cli_session *s, const char *path, double time, cli_scene_instant *out);
void cli_scene_instant_close(cli_scene_instant *x);  // after a failure too
