// cli/run_file.h - what `info` and `convert` do with the file of a simulation.
#pragma once

#include "cli/session.h"
#include "stickslip/run.h"

// Tries it in a child process first: the file may be damaged, and libhdf5 trusts it.
ss_error cli_run_open(cli_session *s, const char *path, ss_run **out);

int cli_run_info(cli_session *s, const char *path);
int cli_run_convert(cli_session *s, const char *path, const char *out);  // out: NAME.pvd, or a folder for CSV
