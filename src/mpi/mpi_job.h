// mpi/mpi_job.h - what the commands of stickslip-mpi share.
#pragma once

#include "cli/args.h"
#include "mpi/share.h"
#include "mpi/share_file.h"

typedef struct mpi_problem_options {
  double domain;  // contacts in a domain
  double mu;      // of what is made
  uint64_t seed;
  int order;  // MPI_ORDER_...
} mpi_problem_options;

enum { MPI_ORDER_AUTO, MPI_ORDER_FILE, MPI_ORDER_SCOTCH };
extern const char *const mpi_orders[];

#define MPI_PROBLEM_OPTIONS(type)                                                                  \
  {"domain",                                                                                       \
   0,                                                                                              \
   "N",                                                                                            \
   "contacts in a domain (default 8000)",                                                          \
   CLI_NUMBER,                                                                                     \
   offsetof(type, problem.domain),                                                                 \
   1,                                                                                              \
   1e9,                                                                                            \
   "a number >= 1",                                                                                \
   0},                                                                                             \
      {"mu",                                                                                       \
       0,                                                                                          \
       "X",                                                                                        \
       "friction coefficient of pile:N and wall:RxC (default 0.3)",                                \
       CLI_NUMBER,                                                                                 \
       offsetof(type, problem.mu),                                                                 \
       0,                                                                                          \
       1e6,                                                                                        \
       "a number >= 0",                                                                            \
       0},                                                                                         \
      {"order",                                                                                    \
       0,                                                                                          \
       "NAME",                                                                                     \
       "of contacts in domains: file; auto: the file's, or where that is bad one by halves; "      \
       "scotch: by parts that Scotch makes of their graph",                                        \
       CLI_WORD,                                                                                   \
       offsetof(type, problem.order),                                                              \
       0,                                                                                          \
       0,                                                                                          \
       0,                                                                                          \
       mpi_orders},                                                                                \
  {                                                                                                \
    "seed", 0, "N", "of pile:N (default 1)", CLI_SEED, offsetof(type, problem.seed), 0, 0,         \
        "a whole number >= 0", 0                                                                   \
  }

mpi_problem_options mpi_problem_defaults(void);

// The ranks of this run.
ranks *mpi_ranks(void);

// A file, pile:N or wall:ROWSxCOLS, as a source; then with its domains. CLI_GO_ON or an exit status. Collective.
int mpi_source(cli_session *s, const char *name, const mpi_problem_options *o, share_source *out);
int mpi_open(cli_session *s, const char *name, const mpi_problem_options *o, share *out,
             share_source *from);
int mpi_cut(cli_session *s, const char *name, const mpi_problem_options *o, share *out,
            share_source *from);  // a source with its domains
// An output that rank 0 may write. CLI_GO_ON or an exit status. Collective.
int mpi_output_check(cli_session *s, const char *path);
// Files that every rank has, before a problem is read or made, which may take minutes; `further`, an answer or a guess,
// may be NULL. Likewise.
int mpi_inputs_check(cli_session *s, const char *problem, const char *further);
int mpi_fail(cli_session *s, const char *file, ss_error e);

ss_problem mpi_sizes(const share *s);  // for messages: sizes only, as far as they fit
double mpi_cpu_s(void);                // of this process so far
double mpi_most(double x);             // over all ranks
double mpi_total(double x);
double mpi_peak_bytes(void);  // of memory, of this process

extern const cli_command mpi_cmd_solve, mpi_cmd_check, mpi_cmd_info, mpi_cmd_generate,
    mpi_cmd_simulate;
