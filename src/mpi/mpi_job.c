#define _POSIX_C_SOURCE 200809L
#include "mpi/mpi_job.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cli/outputs.h"
#include "mpi/share_general.h"
#include "mpi/share_pile.h"
#include "mpi/share_same.h"
#include "mpi/share_wall.h"
#include "solvers/domains.h"

const char *const mpi_orders[] = {"auto", "file", "scotch", NULL};

mpi_problem_options mpi_problem_defaults(void) {
  return (mpi_problem_options){.domain = SSI_DOMAIN_SIZE, .mu = 0.3, .seed = 1};
}

int mpi_fail(cli_session *s, const char *file, ss_error e) {
  return cli_fail_library(s, file, e);
}

// Before the work, not after it.
int mpi_output_check(cli_session *s, const char *path) {
  ranks *c = mpi_ranks();
  int status = CLI_GO_ON;
  if (!path) return status;
  if (cli_format_by_ending(path) != SS_FORMAT_FCLIB)
    return cli_fail(s, CLI_USAGE, "-o %s: expected a name ending in .hdf5 or .h5", path);
  if (c->rank == 0) status = cli_output(s, path, SS_FORMAT_FCLIB);
  MPI_Bcast(&status, 1, MPI_INT, 0, c->comm);
  if (status != CLI_GO_ON) return status;
  ss_error e = share_same_folder(c, path);
  return e ? mpi_fail(s, path, e) : CLI_GO_ON;
}

// pile:N, wall:ROWSxCOLS: made by the ranks, and no file
static bool is_made(const char *name) {
  return strncmp(name, "pile:", 5) == 0 || strncmp(name, "wall:", 5) == 0;
}

int mpi_inputs_check(cli_session *s, const char *problem, const char *further) {
  const char *names[] = {problem, further};
  for (int k = 0; k < 2; k++) {
    if (!names[k] || is_made(names[k])) continue;
    ss_error e = share_same_file(mpi_ranks(), names[k]);
    if (e) return mpi_fail(s, names[k], e);
  }
  return CLI_GO_ON;
}

int mpi_source(cli_session *s, const char *name, const mpi_problem_options *o, share_source *out) {
  ranks *c = mpi_ranks();
  c->ctx = &s->ctx;
  s->file = name;
  if (strncmp(name, "pile:", 5) == 0) {
    double contacts;
    if (!cli_to_number(name + 5, &contacts) || !(contacts >= 1 && contacts <= 1e12))
      return cli_fail(s, CLI_USAGE, "%s: expected pile:N with 1 to 1e12 contacts", name);
    share_pile_options p = {(int64_t)contacts, o->mu, o->seed};
    ss_error e = share_pile(c, &p, o->domain, out);
    return e ? mpi_fail(s, name, e) : CLI_GO_ON;
  }
  if (strncmp(name, "wall:", 5) == 0) {
    share_wall_options w = {.mu = o->mu};
    char rest;
    if (sscanf(name + 5, "%dx%d%c", &w.rows, &w.cols, &rest) != 2 || w.rows < 1 || w.cols < 1)
      return cli_fail(s, CLI_USAGE, "%s: expected wall:ROWSxCOLS", name);
    ss_error e = share_wall(c, &w, o->domain, out);
    return e ? mpi_fail(s, name, e) : CLI_GO_ON;
  }
  ss_error e = share_read(c, name, o->domain, out);
  if (e) share_source_release(out);
  return e ? mpi_fail(s, name, e) : CLI_GO_ON;
}

int mpi_open(cli_session *s, const char *name, const mpi_problem_options *o, share *out,
             share_source *from) {
  int status = mpi_source(s, name, o, from);
  return status == CLI_GO_ON ? mpi_cut(s, name, o, out, from) : status;
}

int mpi_cut(cli_session *s, const char *name, const mpi_problem_options *o, share *out,
            share_source *from) {
  from->as_numbered = o->order == MPI_ORDER_FILE;
  from->by_scotch = o->order == MPI_ORDER_SCOTCH;
  ss_error e = share_create(mpi_ranks(), from, o->domain, out);
  if (!e) return CLI_GO_ON;
  int status = mpi_fail(s, name, e);
  share_destroy(out);
  share_source_release(from);
  return status;
}

static int narrow(int64_t x) {
  return x > INT_MAX ? INT_MAX : (int)x;
}

ss_problem mpi_sizes(const share *s) {
  return (ss_problem){.form = SS_GLOBAL,
                      .dim = s->dim,
                      .nc = narrow(s->contacts),
                      .ndof = narrow(s->dofs),
                      .nl = s->general ? narrow(s->general->joints) : 0};
}

double mpi_cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double mpi_most(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, mpi_ranks()->comm);
  return x;
}

double mpi_total(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, mpi_ranks()->comm);
  return x;
}

double mpi_peak_bytes(void) {
  struct rusage used;
  return getrusage(RUSAGE_SELF, &used) == 0 ? 1024.0 * (double)used.ru_maxrss : 0;
}
