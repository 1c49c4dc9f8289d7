// mpi/mpi_dumps.h - friction problems of steps that simulate writes to files: --dump-step and --dump-every.
#pragma once

#include <limits.h>

#include "mpi/mpi_job.h"

typedef struct mpi_dumps {
  const char *step;  // as they were given; NULL: not
  cli_pair every;
  int64_t at, period;  // 0: none
  char file[PATH_MAX];
} mpi_dumps;

// Before the work: what was asked for, and whether it can be written. CLI_GO_ON or an exit status. Collective.
int mpi_dumps_check(cli_session *s, mpi_dumps *d);
// Where the problem of a step goes; NULL: nowhere.
const char *mpi_dumps_file(mpi_dumps *d, int64_t step);
