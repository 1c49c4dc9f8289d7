// cli/step_watch.h - what simulate looks at in every step of a scene beside the answer itself: criterion (A) (--certify), what
// the step cost (--times), and whether it is the one that is looked for (--dump-when).
#pragma once

#include <time.h>

#include "cli/csv_rows.h"
#include "cli/results.h"

typedef struct cli_step_watch {
  // options
  bool certify;
  const char *times;      // FILE.csv; NULL: none
  const char *dump_when;  // CONDITION:FILE; NULL: none

  const char *dump_file;  // of dump_when
  int quantity, relation;
  double bound;

  ss_certify_options how;
  int counts[4];        // steps by ss_criterion_state
  long long lost_step;  // first with (A) violated; 0: none
  double lost_time;     //
  double margin_least;  // of all steps, with its step
  long long least_step;
  double certify_s;
  cli_rows rows;  // of --times
  clock_t since;  // processor time as the last step ended
} cli_step_watch;

// Splits dump_when; its file can be written. CLI_GO_ON or an exit status.
int cli_watch_check(cli_session *s, cli_step_watch *w);

// After a step: fills info->margin and info->criterion, adds a row. *found: the condition holds. CLI_GO_ON or an exit status.
int cli_watch_step(cli_session *s, cli_step_watch *w, const ss_simulation *sim, long long step,
                   ss_step_info *info, bool *found);

int cli_watch_end(cli_session *s, cli_step_watch *w);  // writes --times; releases
void cli_watch_put(cli_session *s, const cli_step_watch *w, json_t *object);
void cli_watch_print(FILE *to, const cli_step_watch *w);
