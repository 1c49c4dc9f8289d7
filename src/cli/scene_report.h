// cli/scene_report.h - what a scene is and starts with, before it is run: simulate --check, info SCENE.
#pragma once

#include "cli/session.h"

// Builds the simulation, looks at its start and takes one step. The scene is left as it was. Exit status 1 where
// simulate would refuse it.
int cli_scene_report(cli_session *s, ss_scene *scene);

// info SCENE: reads it first.
int cli_scene_info(cli_session *s, const char *path);

// The notes on the start of a simulation that is run: sizes out of line.
void cli_scene_notes(cli_session *s, ss_simulation *sim);
