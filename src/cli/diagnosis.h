// cli/diagnosis.h - why a solve failed: does a solution exist at all? Joins the layers that solvers may
// not know: the certificate of existence, and in 2D the enumeration of all solutions.
#pragma once

#include "cli/session.h"

typedef struct cli_diagnosis {
  ss_existence existence;
  double margin;  // s* of criterion (A); INFINITY; NAN: not known
  int *jamming;   // contacts                                            (jamming_count)
  int jamming_count;
  double *r;       // a solution that this found; NULL: none            (m)
  char hint[600];  // parts separated by "; "
} cli_diagnosis;

typedef struct cli_attempt {  // what was tried
  const char *solver;
  ss_status status;
  double left_s;        // seconds that the diagnosis may take; 0: no limit
  const char *untried;  // methods it has not been tried with, ", " between them; NULL: not known
} cli_attempt;

// Release in every case.
void cli_diagnose(cli_session *s, const ss_file *file, const cli_attempt *a, cli_diagnosis *out);
void cli_diagnosis_release(cli_diagnosis *d);

json_t *cli_diagnosis_json(cli_session *s, const cli_diagnosis *d);
void cli_diagnosis_print(FILE *to, const cli_diagnosis *d);
