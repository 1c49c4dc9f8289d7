// crosscheck/commands.h - what the commands say about one problem.
//
// Each runs in a process of its own: by default the command's code is linked in and the process is
// only forked, which is cheap; with a path, that program is executed.
#pragma once

#include "sample.h"

typedef enum said { SAID_NOTHING, SAID_EXISTS, SAID_NONE, SAID_UNDECIDED } said;
typedef enum tristate { NOT_SAID, SAID_NO, SAID_YES } tristate;

typedef struct run_result {
  int status;    // exit status; -1: it crashed, ran out of time, or printed no JSON
  double cpu_s;  // of the process
} run_result;

typedef struct solve_claim {
  run_result run;
  bool solved, no_solution;
  bool has_answer;
  double r[KIND_ROWS];
  said existence;                    // of the diagnosis
  bool hint_exists, hint_not_there;  // what its hints say
} solve_claim;

typedef struct check_claim {
  run_result run;
  bool yes;  // solved; a certificate: holds
} check_claim;

typedef struct certify_claim {
  run_result run;
  said verdict;
  char reason[24], criterion[16];
  tristate for_every_w, a_prime;
  bool margin_exact;
  double margin;  // NAN: none; INFINITY
} certify_claim;

typedef struct enumerate_claim {
  run_result run;
  int count, isolated;
  bool complete, rigorous;
  bool exists;     // verdict "exists"
  bool undecided;  // it says so in words: verdict or status "undecided", or reason "data"
} enumerate_claim;

typedef struct claims {
  solve_claim solve;
  check_claim answer;  // check of what solve wrote
  check_claim zero;    // check of r = 0
  certify_claim certify;
  check_claim certificate;  // check of what certify wrote
  enumerate_claim enumerate, rational;
} claims;

typedef struct command_place {
  const char *program;  // NULL: the code linked in
  char folder[200];     // for the files of this worker
  int output;           // descriptor of a file that takes what is printed
  int seconds;          // of processor time that a command may take
} command_place;

bool place_open(command_place *p, const char *program, int seconds);
void place_close(command_place *p);

bool run_all(command_place *place, const sample *s,
             claims *out);  // false: a file cannot be written
