// cli/progress.h - what is said while a solve runs, and how it is interrupted.
#pragma once

#include "cli/results.h"

typedef struct cli_progress {
  const char *solver;
  cli_bound bound;
  bool silent;
  bool terminal;  // live bar; else key=value lines
  bool drawn;     // a bar is on the screen
  double begin_s, last_s;
  double first, best;  // measure at the first residual, and the smallest so far
} cli_progress;

// From here to cli_progress_end SIGINT and SIGTERM cancel the solve through its callback; a second
// one ends the process as usual.
void cli_progress_begin(cli_progress *p, const char *solver, const cli_bound *b, bool silent);
int cli_progress_report(void *progress, const ss_info *now);  // for ss_options.progress
void cli_progress_end(cli_progress *p);

// The signals alone, for a command with its own loop.
void cli_signals_catch(void);
void cli_signals_release(void);
bool cli_interrupted(void);
