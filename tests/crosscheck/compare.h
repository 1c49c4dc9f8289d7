// crosscheck/compare.h - claims against the truth and against each other.
#pragma once

#include "commands.h"

// false claim       said of the data as given (its doubles exact), and wrong
// contradiction     two commands, or two parts of one report, exclude each other
// broken            a crash, exit status 2 or more, no JSON, out of time, or an exit status that
//                   does not fit
// below rounding    true of the doubles, but not of the numbers they were rounded from: said of more
//                   than the data can tell
// within tolerance  one says that there is no solution, another found an answer within its
//                   tolerance, and both are right
typedef enum fault {
  FAULT_FALSE,
  FAULT_CONTRADICTION,
  FAULT_BROKEN,
  FAULT_ROUNDING,
  FAULT_TOLERANCE,
  FAULTS
} fault;
extern const char *const fault_names[FAULTS];

// Whose claims are being judged.
typedef enum judged { BY_SOLVE, BY_CHECK, BY_CERTIFY, BY_ENUMERATE, BY_RATIONAL, COMMANDS } judged;

enum { FINDINGS = 12, FINDING_LENGTH = 120 };

typedef struct verdicts {
  int found;  // may exceed FINDINGS: only the first ones have a text
  struct {
    fault fault;
    char text[FINDING_LENGTH];
  } finding[FINDINGS];
  bool has[FAULTS];
  judged now;                        // while comparing
  bool wrong[COMMANDS];              // false claims, by command
  bool truth_exists, truth_fragile;  // fragile: the rounding of the data decides existence or count
  int claimed, excused;  // claims exists and none; exists on the boundary that rounding makes true
  bool open_solve, open_certify, open_enumerate;  // undecided
} verdicts;

void compare(const sample *s, const claims *c, verdicts *out);
