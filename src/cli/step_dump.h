// cli/step_dump.h - simulate: the friction problems of steps as files: of one step (--dump-step), of those that are not solved
// (--dump-unsolved), of every so many (--dump-every), which makes a collection for bench and for other solvers.
#pragma once

#include "cli/args.h"
#include "cli/results.h"

typedef struct cli_step_dump {
  // options
  const char *step;      // N:FILE; NULL: none
  const char *unsolved;  // DIR; NULL: none
  cli_pair every;        // N DIR; NULL: none

  long long at;      // step of `step`; 0: none
  const char *file;  // of `step`
  long long period;  // of `every`; 0: none
  const char *folder;
  bool resumed;              // what is in the folder already is of this run
  char prefix[100];          // of the names in it: the scene's
  long long written, empty;  // files; steps without a contact
} cli_step_dump;

// Splits the options, makes the folders, refuses one that is not empty. `scene` names the files. CLI_GO_ON or an exit status.
int cli_dump_check(cli_session *s, cli_step_dump *d, const char *scene, bool resume);

// After a step: what was asked for, and the same problem to `also` unless that is NULL. CLI_GO_ON or an exit status.
int cli_dump_step(cli_session *s, cli_step_dump *d, const ss_simulation *sim, const ss_scene *scene,
                  long long step, const ss_step_info *info, const char *also);

void cli_dump_put(cli_session *s, const cli_step_dump *d, json_t *object);
void cli_dump_print(FILE *to, const cli_step_dump *d);
