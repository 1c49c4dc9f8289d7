// cli/settle.h - existence decided by trying the states of all contacts, where that is feasible: plane
// problems with few contacts. Exact arithmetic where doubles are not enough.
#pragma once

#include "cli/session.h"

typedef struct cli_settled {
  bool decided;            // `existence` is SS_EXISTS or SS_NONE, proved
  ss_existence existence;  //
  int count;               // of solutions, connected components
  bool exact;              // decided in rational arithmetic
  double time_s;
  double *r;  // one of the solutions; NULL: none   (m)
} cli_settled;

// Ten seconds, or what is left of a time limit (0: none) where that is less.
double cli_settle_seconds(double left_s);

// Gives up after `seconds`. Release in every case.
void cli_settle(cli_session *s, const ss_file *file, double seconds, cli_settled *out);
void cli_settled_release(cli_settled *x);
