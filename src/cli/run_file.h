// cli/run_file.h - what `info` and `convert` do with the file of a simulation.
#pragma once

#include "cli/session.h"

int cli_run_info(cli_session *s, const char *path);
int cli_run_convert(cli_session *s, const char *path, const char *out);  // out: NAME.pvd, or a folder for CSV
