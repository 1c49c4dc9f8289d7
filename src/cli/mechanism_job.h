// cli/mechanism_job.h - one run of a mechanism, between cli/mechanism_run.c and its report.
#pragma once

#include "cli/mechanism_run.h"

typedef struct evolve_job {
  const cli_evolve_request *r;
  ss_machine *machine;
  ss_evolution *evolution;
  ss_trajectory *trajectory;
  ss_evolve_options options;
  double begin, end, from;  // simulated time; from: of the first row
  double time_s, energy_first, unique_below;
  ss_mode *start;  // modes there   (nc)
  const char *ended;
  const char *output;  // that was written; NULL: none
  bool terminal, drawn, late;
  double begin_s, last_s;
} evolve_job;

int evolve_report_json(cli_session *s, const evolve_job *j, int status);
void evolve_report_summary(const evolve_job *j);
