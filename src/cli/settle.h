// cli/settle.h - existence decided where the certificate of criterion (A) does not: by trying the states of all
// contacts (few contacts), or by a solution that proves itself.
#pragma once

#include "cli/session.h"

typedef enum cli_settled_by {
  CLI_SETTLED_NOT,
  CLI_SETTLED_ENUMERATION,  // in the plane: all solutions, in exact arithmetic where doubles are not enough
  CLI_SETTLED_SOLUTION,    // ss_prove_solution: r
  CLI_SETTLED_ALL_STATES,  // in space: every combination of states was excluded (ss_refute)
} cli_settled_by;

typedef struct cli_settled {
  cli_settled_by by;
  ss_existence existence;  // SS_EXISTS or SS_NONE, proved; SS_UNDECIDED where by is CLI_SETTLED_NOT
  int count;               // enumeration: of solutions, connected components
  bool exact;              // enumeration: decided in rational arithmetic
  int64_t cells;           // all states: that were looked at
  double reach;            // all states: no solution with reactions below this, see ss_refutation
  double time_s;
  double
      *r;  // a solution at the tolerance, if one was met, whether it proves anything or not   (m)
} cli_settled;

const char *cli_settled_name(cli_settled_by by);  // "enumeration", "solution", "all_states"

double
cli_settle_seconds(double left_s);  // what it may take: 10 s, or what is left of a limit; 0: none

// Gives up after `seconds`. may_solve: try to find a solution as well. Release in every case.
void cli_settle(cli_session *s, const ss_file *file, double seconds, bool may_solve,
                cli_settled *out);
void cli_settled_release(cli_settled *x);
