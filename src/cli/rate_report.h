// cli/rate_report.h - the rate problem at a state, for `enumerate --rate`.
#pragma once

#include "cli/results.h"

extern const char *const cli_rate_laws[];  // words of --law, in the order of ss_rate_law

typedef struct cli_rate_options {
  const char *rate;   // a JSON file, or the object itself
  const char *state;  // a solution's file; NULL: the one inside the problem's file
  ss_rate_law law;
  double tol;  // NAN: the default
} cli_rate_options;

// Reads, solves, reports. The exit status.
int cli_rate_run(cli_session *s, const ss_file *file, const cli_rate_options *o);
