#define _POSIX_C_SOURCE 200809L
#include "mpi/mpi_dumps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mpi/share_same.h"

static void name_of(mpi_dumps *d, int64_t step) {
  snprintf(d->file, sizeof d->file, "%.4000s/step-%lld.hdf5", d->every.second, (long long)step);
}

static int check_step(cli_session *s, mpi_dumps *d) {
  char *end;
  d->at = strtoll(d->step, &end, 10);
  if (d->at < 1 || *end != ':' || !end[1])
    return cli_fail(s, CLI_USAGE, "simulate: --dump-step %s: expected N:FILE with N >= 1", d->step);
  return mpi_output_check(s, end + 1);
}

static int check_every(cli_session *s, mpi_dumps *d) {
  char *end;
  int status = CLI_GO_ON;
  d->period = strtoll(d->every.first, &end, 10);
  if (d->period < 1 || (*end && *end != ':'))
    return cli_fail(s, CLI_USAGE, "simulate: --dump-every %s: expected N >= 1 and a folder",
                    d->every.first);
  if (mpi_ranks()->rank == 0 && mkdir(d->every.second, 0777) != 0 && errno != EEXIST)
    status = cli_fail(s, CLI_RESOURCES, "%s: cannot be made: %s", d->every.second, strerror(errno));
  MPI_Bcast(&status, 1, MPI_INT, 0, mpi_ranks()->comm);
  if (status != CLI_GO_ON) return status;
  name_of(d, d->period);
  ss_error e = share_same_folder(mpi_ranks(), d->file);
  return e ? mpi_fail(s, d->file, e) : CLI_GO_ON;
}

int mpi_dumps_check(cli_session *s, mpi_dumps *d) {
  int status = d->step ? check_step(s, d) : CLI_GO_ON;
  return status == CLI_GO_ON && d->every.first ? check_every(s, d) : status;
}

const char *mpi_dumps_file(mpi_dumps *d, int64_t step) {
  if (d->at && step == d->at) return strchr(d->step, ':') + 1;
  if (!d->period || step % d->period) return NULL;
  name_of(d, step);
  return d->file;
}
