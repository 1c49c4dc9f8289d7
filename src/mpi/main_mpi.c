// The command `stickslip-mpi`: one problem on several processes. All ranks run the same program over the same
// arguments; rank 0 alone is heard. What follows --petsc goes to PETSc (-log_view, ...).
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <hdf5.h>
#include <malloc.h>
#include <petscsys.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/results.h"
#include "mpi/mpi_interrupt.h"
#include "mpi/mpi_job.h"

static const cli_command *const commands[] = {&mpi_cmd_solve,    &mpi_cmd_check,    &mpi_cmd_info,
                                              &mpi_cmd_generate, &mpi_cmd_simulate, NULL};

static ranks all;

ranks *mpi_ranks(void) {
  return &all;
}

// Nothing that ranks other than 0 say is wanted, but for what ends them all (ranks_die has its own way out).
static void be_silent(void) {
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  all.voice = dup(STDERR_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

static const char *command_at(const void *user, int i) {
  (void)user;
  return commands[i] ? commands[i]->name : NULL;
}

static void print_commands(FILE *to) {
  fprintf(to,
          "usage: mpirun -n N stickslip-mpi COMMAND [OPTIONS] [--petsc PETSC-OPTIONS]\n\n"
          "One problem on N processes; sweeps and verdicts have the same bits for every N.\n\n");
  for (int i = 0; commands[i]; i++)
    fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(to, "\n  stickslip-mpi COMMAND --help has the options\n");
}

static int run(cli_session *s, int argc, char **argv) {
  if (argc < 2) {
    print_commands(stderr);
    return cli_fail(s, CLI_USAGE, "no command given");
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
    return print_commands(stdout), CLI_DONE;
  if (strcmp(argv[1], "--version") == 0)
    return printf("stickslip-mpi %s\n", ss_version()), CLI_DONE;
  for (int i = 0; commands[i]; i++)
    if (strcmp(commands[i]->name, argv[1]) == 0) {
      s->command = commands[i]->name;
      return commands[i]->run(s, commands[i], argc - 2, argv + 2);
    }
  char near[CLI_SUGGESTION];
  ss_suggest_name(argv[1], NULL, command_at, NULL, near, sizeof near);
  return cli_fail(s, CLI_USAGE, "unknown command '%s'; %s", argv[1], near);
}

// Arguments from --petsc on are PETSc's; returns how many are ours.
static int own_arguments(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--petsc") == 0) return i;
  return argc;
}

static bool begin_mpi(int argc, char **argv, int own) {
  int count = argc - own < 1 ? 1 : argc - own;
  char **theirs = calloc((size_t)count + 1, sizeof *theirs);
  if (!theirs) return false;
  theirs[0] = argv[0];
  for (int i = 1; i < count; i++) theirs[i] = argv[own + i];
  PetscOptionsSetValue(NULL, "-no_signal_handler", "true");
  PetscOptionsSetValue(NULL, "-options_left", "false");
  bool ok = PetscInitialize(&count, &theirs, NULL, NULL) == 0;
  all.comm = ok ? PETSC_COMM_WORLD : MPI_COMM_NULL;
  if (!ok) return false;
  PetscPushErrorHandler(PetscReturnErrorHandler, NULL);  // what failed is said by us, once
  MPI_Comm_rank(all.comm, &all.rank);
  MPI_Comm_size(all.comm, &all.size);
  return true;
}

// What set-up needs for a while goes back to the system: Open MPI turns that off, for the sake of networks that pin pages,
// and the highest use of memory would be a sixth higher.
static void give_memory_back(void) {
  mallopt(M_MMAP_MAX, 1 << 16);
  mallopt(M_MMAP_THRESHOLD, 1 << 17);
  mallopt(M_TRIM_THRESHOLD, 1 << 22);
}

// libhdf5 can neither finish nor forget a file that the disk had no room for: MPI_Finalize would let it try again, and
// that crashes.
static bool holds_lost_file(void) {
  int lost = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE) > 0;
  MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_MAX, all.comm);
  return lost;
}

// Without MPI_Finalize and exit handlers; all of them have said what they had to say.
static void leave(int status) {
  fflush(NULL);
  MPI_Barrier(all.comm);
  _exit(status);
}

int main(int argc, char **argv) {
  int own = own_arguments(argc, argv);
  bool json = false;
  for (int i = 1; i < own; i++) json = json || strcmp(argv[i], "--json") == 0;
  if (!begin_mpi(argc, argv, own)) return CLI_RESOURCES;
  give_memory_back();
  argv[own] = NULL;
  all.voice = -1;
  if (all.rank) be_silent();
  signal(SIGPIPE, SIG_IGN);
  mpi_interrupt_begin();
  cli_program = "stickslip-mpi";
  cli_session s;
  cli_session_begin(&s);
  all.ctx = &s.ctx;
  int status = run(&s, own, argv);
  if (json && !s.printed && (status >= CLI_USAGE || *s.failure))
    status = cli_print_failure(&s, status);
  if (status != CLI_RESOURCES) status = cli_finish(&s, status);
  MPI_Bcast(&status, 1, MPI_INT, 0, all.comm);
  cli_session_end(&s);
  if (holds_lost_file()) leave(status);
  PetscFinalize();
  return status;
}
