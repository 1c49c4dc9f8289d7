// cli/joint_report.h - the joints of a scene as simulate leaves them.
#pragma once

#include "cli/results.h"

json_t *cli_joints_json(cli_session *s, const ss_simulation *sim, int count);
// Of joints with a motor or limits, the first few.
void cli_joints_print(FILE *to, const ss_simulation *sim, const ss_scene *scene);
