// cli/scene_text.h - the JSON text of a scene: a file, standard input or a built-in one, changed as --set
// asks. A run file keeps this text.
#pragma once

#include "cli/session.h"

// path: a file where there is one of that name, else a built-in scene. set: NULL, or changes
// "/a/0/b=VALUE;...". *out is released with free. CLI_GO_ON or an exit status.
int cli_scene_text(cli_session *s, const char *path, const char *set, char **out);
int cli_scene_change(cli_session *s, const char *set, char **text);  // in place of the old text
