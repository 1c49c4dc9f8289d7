// cli/march_run.h - simulate FILE of elastic bodies or of a structure given by its matrices.
#pragma once

#include "cli/args.h"

typedef struct cli_march_request {
  const char *name, *text, *output;
  bool overwrite;                     // what `output` names
  bool any_size;                      // memory is not asked for
  const char *solver;                 // NULL: the file's
  double tol, step, duration, theta;  // 0: the file's
  double time_limit;                  // 0: none
  int unsolved, max_steps, threads;   // unsolved: -1: the file's
  const char *dump_file;              // the friction problem of step dump_at goes there; NULL: none
  long long dump_at;
  const ss_setting *settings;
  int setting_count;
} cli_march_request;

int cli_march(cli_session *s, const cli_march_request *r);
