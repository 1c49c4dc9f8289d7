// cli/solve_job.h - what `solve` is asked for and what it finds, and its report.
#pragma once

#include "cli/csv_rows.h"
#include "cli/diagnosis.h"
#include "cli/methods.h"
#include "cli/results.h"
#include "cli/solve_details.h"

typedef struct cli_solve_options {
  const char *solver, *guess, *output, *dump, *history;
  double tol, time_limit_s;
  int measure, max_iter, check_every, repeat, threads, form, format;
  bool least_norm, with_solution, details, any_size;
  uint64_t seed;
} cli_solve_options;

enum { CLI_SOLVE_METHODS = 32 };  // at most

// One solve from reading to verdict.
typedef struct cli_solve_job {
  cli_solve_options o;
  ss_setting settings[CLI_SETTINGS_MAX];
  int setting_count;
  cli_bound bound;
  ss_file *file;
  ss_solution_file *guess_file;
  const double *guess;  // r to start from; NULL: zero
  int loose;            // motions that cost nothing, where M is singular
  double *r, *u, *v, *l;
  ss_info info;
  const char *untried[CLI_SOLVE_METHODS + 1];  // methods, NULL after the last one
  double time_s;
  cli_rows history;
  ss_verdict verdict;
  bool solved;
  ss_least_norm_info least;  // with --least-norm
  cli_diagnosis diagnosis;   // when not solved
  cli_course course;
  ss_contact_verdict *contacts;  // with --details
} cli_solve_job;

// The JSON object or the summary; the exit status.
int cli_solve_report(cli_session *s, const cli_solve_job *j, int status);
