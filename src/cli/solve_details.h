// cli/solve_details.h - what `solve --details` adds to the JSON object, for pages: the way to the answer and each contact.
#pragma once

#include "cli/results.h"

enum { CLI_COURSE_MAX = 2000 };

// Errors over the iterations; every second one is dropped when there is no more room.
typedef struct cli_course {
  int iteration[CLI_COURSE_MAX];
  double error[CLI_COURSE_MAX], time_s[CLI_COURSE_MAX];
  int count, skip, skipped;
  double begin_s;
} cli_course;

void cli_course_note(cli_course *h, const ss_info *now);

// history{iteration[], error[], time_s[]}, r, u (contact frames), contact_states, contact_error.
void cli_put_details(cli_session *s, json_t *object, const cli_course *h, const ss_problem *p,
                     const double *r, const double *u, const ss_contact_verdict *contacts);
