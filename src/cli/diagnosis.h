// cli/diagnosis.h - why a solve failed, in words: what ss_diagnose found.
#pragma once

#include "cli/session.h"

enum { CLI_HINTS = 5, CLI_HINT_SIZE = 400 };

typedef struct cli_diagnosis {
  ss_diagnosis *found;  // NULL: there was no memory for it
  int hint_count;
  char hints[CLI_HINTS][CLI_HINT_SIZE];
} cli_diagnosis;

// exact: of the file, or NULL. left_s: what it may take; 0: no limit. Release in every case.
void cli_diagnose(cli_session *s, const ss_problem *p, const ss_exact *exact,
                  const ss_attempt *tried, double left_s, cli_diagnosis *out);
void cli_diagnosis_release(cli_diagnosis *d);

// A note about a step of a simulation that was not solved: does a solution of its problem exist at all?
// p: NULL where there is none. left_s: as above; a note is worth a second at most.
typedef struct cli_unsolved_step {
  long long step;
  double time, error;
  ss_attempt tried;
} cli_unsolved_step;
void cli_note_unsolved(cli_session *s, const ss_problem *p, const cli_unsolved_step *u,
                       double left_s);
// What that note says, and the diagnosis behind it; release it.
void cli_diagnose_step(cli_session *s, const ss_problem *p, const cli_unsolved_step *u,
                       double left_s, cli_diagnosis *d, char *text, size_t size);

ss_existence cli_diagnosis_existence(const cli_diagnosis *d);
json_t *cli_diagnosis_json(cli_session *s, const cli_diagnosis *d);
void cli_diagnosis_print(FILE *to, const cli_diagnosis *d);
