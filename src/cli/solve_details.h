// cli/solve_details.h - what `solve --details` adds to the JSON object, for pages: the way to the answer and each contact.
#pragma once

#include "cli/progress.h"

enum { CLI_HISTORY_MAX = 2000 };

// Errors over the iterations; every second one is dropped when there is no more room.
typedef struct cli_history {
  cli_solve_progress *shown;  // told, too
  int iteration[CLI_HISTORY_MAX];
  double error[CLI_HISTORY_MAX], time_s[CLI_HISTORY_MAX];
  int count, skip, skipped;
  double begin_s;
} cli_history;

int cli_history_report(void *history, const ss_info *now);  // for ss_options.progress

// history{iteration[], error[], time_s[]}, r, u (contact frames), contact_states, contact_error.
void cli_put_details(cli_session *s, json_t *object, const cli_history *h, const ss_problem *p,
                     const double *r, const double *u, const ss_contact_verdict *contacts);
