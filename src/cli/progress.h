// cli/progress.h - what is said on standard error while something runs: a line that is drawn again and
// again on a terminal, now and then a line of key=value elsewhere; nothing about what is over at once.
#pragma once

#include "cli/results.h"

typedef struct cli_progress {
  bool silent, terminal, drawn;
  double begin_s, last_s;
  double interval_s;  // between lines elsewhere than on a terminal
} cli_progress;

// From here to cli_progress_end a signal cancels the work through its callback (cli/interrupt.h).
void cli_progress_begin(cli_progress *p, const cli_session *s, double interval_s);
void cli_progress_end(cli_progress *p);

// Seconds since it began when it is time to say something, else 0. Then, with p->terminal, draws
//   label [####....] text      done in 0 .. 1; NAN: no bar
double cli_progress_due(cli_progress *p);
void cli_progress_draw(cli_progress *p, const char *label, double done, const char *format, ...)
    SS_PRINTF(4, 5);
void cli_progress_erase(cli_progress *p);

// For a solve: how far from the first residual to the tolerance, in decades.
typedef struct cli_solve_progress {
  cli_progress shown;
  const char *solver;
  cli_bound bound;
  double first, best;  // measure at the first residual, and the smallest so far
} cli_solve_progress;

cli_solve_progress cli_solve_progress_begin(const cli_session *s, const char *solver,
                                            const cli_bound *b);
int cli_solve_progress_report(void *progress, const ss_info *now);  // for ss_options.progress
