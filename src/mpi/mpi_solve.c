// stickslip-mpi solve PROBLEM: sweeps over domains with momentum, or alternating directions, the verdict from the
// raw data, the answer in one file.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "mpi/mpi_interrupt.h"
#include "mpi/mpi_job.h"
#include "mpi/share_admm.h"
#include "mpi/share_judge.h"
#include "mpi/share_sweep.h"

typedef struct mpi_solve_options {
  mpi_problem_options problem;
  double tol, time_limit_s, momentum;
  double rho;
  int solver, measure, max_iter, check_every;
  const char *output, *guess;
} mpi_solve_options;

enum { SOLVER_AUTO, SOLVER_DOMAINS, SOLVER_ADMM };
static const char *const solvers[] = {"auto", "domains", "admm", NULL};

#define AT(field) offsetof(mpi_solve_options, field)
static const cli_option options[] = {
    {"solver", 's', "NAME",
     "domains (sweeps), admm (PETSc's SNES and KSP), or auto: admm for walls, which have at most "
     "half as many dofs as reactions, and for what is no set of rigid bodies",
     CLI_WORD, AT(solver), 0, 0, 0, solvers},
    {"tol", 't', "X", "what the measure must not exceed (default 1e-8)", CLI_NUMBER, AT(tol),
     DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"measure", 'm', "NAME", "what --tol bounds: error, fclib or both (default error)", CLI_WORD,
     AT(measure), 0, 0, 0, cli_measures},
    {"max-iter", 'n', "N", "sweeps, or evaluations of admm's map, at most (default 200000)",
     CLI_COUNT, AT(max_iter), 1, INT_MAX, "a whole number >= 1", 0},
    {"time-limit", 0, "SECONDS", "stop after this long; 0: no limit", CLI_NUMBER, AT(time_limit_s),
     0, DBL_MAX, "a number >= 0", 0},
    {"check-every", 0, "N", "sweeps between residuals (default 10)", CLI_COUNT, AT(check_every), 1,
     INT_MAX, "a whole number >= 1", 0},
    {"momentum", 0, "X", "most of a contact's last change that is added to it (default 0.98)",
     CLI_NUMBER, AT(momentum), 0, 0.9999, "a number from 0 to 0.9999", 0},
    {"rho", 0, "X", "penalty of admm, over each contact's largest eigenvalue (default 0.03)",
     CLI_NUMBER, AT(rho), 1e-6, 1e6, "a number from 1e-6 to 1e6", 0},
    {"guess", 'g', "FILE", "start from /solution/r of a file", CLI_READ, AT(guess), 0, 0, 0, 0},
    {"output", 'o', "FILE", "write r, u, v to FILE (.hdf5, .h5)", CLI_TEXT, AT(output), 0, 0, 0, 0},
    MPI_PROBLEM_OPTIONS(mpi_solve_options),
};
#undef AT

typedef struct mpi_solve_job {
  mpi_solve_options o;
  cli_bound bound;
  share s;
  share_source from;
  ss_verdict verdict;
  ss_status stopped;
  share_sweeps w;
  int sweeps, evaluations;  // so far; evaluations: of admm's map
  double plain;             // error of the last look, in plain arithmetic
  double ask_below;         // plain error at which a verdict is worth it
  ss_error failed;
  bool solved, use_admm;
  double time_s, setup_cpu_s, cpu_s;  // processor time of the slowest rank
  double work_s;                      // of its sweeps, without waiting for others
  cli_solve_progress progress;
} mpi_solve_job;

static double measured(const mpi_solve_job *j, double error, double fclib) {
  ss_verdict v = {.error = error, .error_fclib = fclib};
  return ss_verdict_measure(&v, j->bound.measure);
}

// Whether anyone wants to stop: signals and clocks differ between ranks.
static bool must_stop(cli_session *s, mpi_solve_job *j) {
  bool late = j->o.time_limit_s > 0 && cli_now_s() - s->begin_s > j->o.time_limit_s;
  int why = mpi_interrupted() ? 2 : late ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &why, 1, MPI_INT, MPI_MAX, j->s.c->comm);
  if (why) j->stopped = why == 2 ? SS_CANCELLED : SS_TIME_LIMIT;
  return why;
}

// The plain error is below the tolerance: is the true one? Where components have errors of their own it may be larger,
// and is asked for again when the plain one has come down by as much as the true one is off.
static ss_error verify(mpi_solve_job *j, double plain, double *ask_below) {
  SS_TRY(share_judge(&j->s, &j->verdict));
  j->solved = cli_is_solved(&j->verdict, &j->bound);
  double found = ss_verdict_measure(&j->verdict, j->bound.measure);
  *ask_below = plain * fmax(0.1, fmin(0.99, j->o.tol / found));
  return SS_OK;
}

// The plain error of s->r, shown; true when it is time to end. Collective.
static bool look(cli_session *s, mpi_solve_job *j, int iterations) {
  double error, fclib;
  share_sweeps_measure(&j->w, &error, &fclib);
  ss_info now = {.iterations = iterations, .error = error, .error_fclib = fclib};
  cli_solve_progress_report(&j->progress, &now);
  j->plain = measured(j, error, fclib);
  if (j->plain <= j->ask_below) j->failed = verify(j, j->plain, &j->ask_below);
  if (!isfinite(j->plain)) j->stopped = SS_STALLED;  // nothing comes of that: as in one process
  return j->solved || j->failed || j->stopped == SS_STALLED || must_stop(s, j);
}

static void sweep(cli_session *s, mpi_solve_job *j) {
  for (;; j->sweeps++) {
    bool last = j->sweeps == j->o.max_iter;
    if (last || j->sweeps % j->o.check_every == 0) {
      if (look(s, j, j->sweeps) || last) return;
    } else if (must_stop(s, j)) {
      return;
    }
    share_sweeps_step(&j->w);
  }
}

typedef struct looking {
  cli_session *s;
  mpi_solve_job *j;
} looking;

static bool look_at_admm(void *user, int evaluations) {
  looking *l = user;
  return look(l->s, l->j, evaluations);
}

// Walls have half as many dofs as reactions, or fewer: sweeps creep there, and what is to be factored is small.
// Piles have 0.8 times as many.
static bool is_masonry(const share_source *s) {
  return 2 * s->dofs <= s->dim * s->contacts;
}

static ss_error iterate(cli_session *s, mpi_solve_job *j) {
  j->stopped = SS_MAX_ITER;
  j->ask_below = j->o.tol;
  if (!j->use_admm) sweep(s, j);
  if (!j->failed && j->use_admm) {
    looking l = {s, j};
    share_admm_counts counts;
    j->failed = share_admm_run(&j->w, j->o.rho, j->o.max_iter, look_at_admm, &l, &counts);
    j->evaluations = counts.evaluations;
    if (counts.doubtful)
      cli_note(s,
               "the last bits may depend on the number of ranks: %d linear solutions could not be "
               "made exact enough",
               counts.doubtful);
  }
  SS_TRY(j->failed);
  if (!j->solved) SS_TRY(verify(j, 0, &j->ask_below));
  if (j->solved) j->stopped = SS_SOLVED;
  return SS_OK;
}

static ss_error check_guess(mpi_solve_job *j) {
  const share *s = &j->s;
  ss_error e = SS_OK;
  for (int64_t k = 0; k < s->dim * s->nc && !e; k++)
    if (!isfinite(s->r[k]))
      e = ssi_fail(s->c->ctx, SS_ERR_FORMAT,
                   "%s: /solution/r: contact %lld has %g, expected finite", j->o.guess,
                   (long long)share_number(s, k / s->dim), s->r[k]);
  return ranks_agree(s->c, e);
}

static int solve(cli_session *s, mpi_solve_job *j) {
  double begin = cli_now_s(), cpu = mpi_cpu_s();
  j->setup_cpu_s = mpi_most(cpu);
  ss_error e = j->o.guess ? share_read_reactions(&j->s, j->o.guess) : SS_OK;
  if (!e && j->o.guess) e = check_guess(j);
  if (e) return mpi_fail(s, j->o.guess, e);
  j->progress =
      cli_solve_progress_begin(s, solvers[j->use_admm ? SOLVER_ADMM : SOLVER_DOMAINS], &j->bound);
  e = share_sweeps_begin(&j->s, j->o.momentum, &j->w);
  if (!e) e = iterate(s, j);
  cli_progress_end(&j->progress.shown);
  if (e) return mpi_fail(s, s->file, e);
  j->time_s = cli_now_s() - begin;
  j->cpu_s = mpi_most(mpi_cpu_s() - cpu);
  j->work_s = mpi_most(j->s.work_s);
  return CLI_GO_ON;
}

static int write_answer(cli_session *s, mpi_solve_job *j) {
  if (!j->o.output) return CLI_GO_ON;
  double *v = NULL;
  ss_error e = share_dof_velocities(&j->s, &v);
  if (!e) e = share_write_answer(&j->s, j->o.output, v);
  free(v);
  if (e) return mpi_fail(s, j->o.output, e);
  if (!j->solved) cli_note(s, "-o %s: holds the last iterate, not a solution", j->o.output);
  return CLI_GO_ON;
}

// ---- what is said --------------------------------------------------------------------------

static int report_json(cli_session *s, const mpi_solve_job *j, int status, double bytes,
                       double memory) {
  json_t *o = cli_object(s);
  ss_problem sizes = mpi_sizes(&j->s);
  cli_put_sizes(s, o, &sizes);
  cli_put(s, o, "contacts", json_integer(j->s.contacts));
  cli_put(s, o, "dofs", json_integer(j->s.dofs));
  cli_put(s, o, "solver", json_string(j->use_admm ? "admm" : "domains"));
  cli_put(s, o, "status", json_string(j->solved ? "solved" : "not_converged"));
  cli_put_errors(s, o, &j->verdict, &j->bound);
  cli_put(s, o, "iterations", json_integer(j->sweeps + j->evaluations));
  cli_put(s, o, "sweeps", json_integer(j->sweeps));
  cli_put(s, o, "evaluations", json_integer(j->evaluations));
  cli_put(s, o, "time_s", cli_real(j->time_s));
  cli_put_verdict(s, o, &j->verdict);
  cli_put(s, o, "stop_reason", json_string(ss_status_name(j->stopped)));
  cli_put(s, o, "output", cli_text(j->o.output));
  cli_put(s, o, "ranks", json_integer(j->s.c->size));
  cli_put(s, o, "domains", json_integer(j->s.domains));
  cli_put(s, o, "cpu_s_slowest_rank", cli_real(j->cpu_s));
  cli_put(s, o, "sweeps_cpu_s_slowest_rank", cli_real(j->work_s));
  cli_put(s, o, "setup_cpu_s_slowest_rank", cli_real(j->setup_cpu_s));
  cli_put(s, o, "bytes_per_sweep", cli_real(bytes));
  cli_put(s, o, "peak_bytes", cli_real(memory));
  if (status == CLI_RESOURCES) cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

static int report(cli_session *s, const mpi_solve_job *j, int status) {
  double bytes = mpi_total((double)j->s.bytes_sent), memory = mpi_total(mpi_peak_bytes());
  if (s->json) return report_json(s, j, status, bytes, memory);
  cli_print(stdout, "%s: %s\n", s->file, j->solved ? "solved" : "not solved");
  cli_line(stdout, "problem", "%dD, %lld contacts, %lld degrees of freedom, global form", j->s.dim,
           (long long)j->s.contacts, (long long)j->s.dofs);
  if (j->use_admm)
    cli_line(stdout, "solver", "admm on %d rank%s, %d evaluations, stopped: %s", j->s.c->size,
             j->s.c->size == 1 ? "" : "s", j->evaluations, ss_status_name(j->stopped));
  else
    cli_line(stdout, "solver", "sweeps over %lld domains on %d rank%s, %d sweeps, stopped: %s",
             (long long)j->s.domains, j->s.c->size, j->s.c->size == 1 ? "" : "s", j->sweeps,
             ss_status_name(j->stopped));
  cli_line(stdout, "time",
           "%.3g s; slowest rank %.3g s of processor time, sweeps without waiting %.3g s (set-up "
           "%.3g s)",
           j->time_s, j->cpu_s, j->work_s, j->setup_cpu_s);
  cli_line(stdout, "exchanged", "%.3g kB each way per sweep; memory %.3g bytes per contact",
           bytes / 1e3, memory / (double)(j->s.contacts ? j->s.contacts : 1));
  cli_print_verdict(stdout, &j->verdict, &j->bound);
  if (j->o.output) cli_line(stdout, "output", "%s", j->o.output);
  return status;
}

static int work(cli_session *s, mpi_solve_job *j) {
  if (j->s.domains < j->s.c->size)
    cli_note(s, "%lld domains for %d ranks: the others have nothing to do (--domain makes more)",
             (long long)j->s.domains, j->s.c->size);
  int status = solve(s, j);
  if (status != CLI_GO_ON) return status;
  status = j->solved ? CLI_DONE : CLI_NEGATIVE;
  int written = write_answer(s, j);
  if (written != CLI_GO_ON) j->o.output = NULL, status = written;
  if (j->stopped == SS_CANCELLED)
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted; this is the last iterate", s->file);
  return report(s, j, status);
}

static int run_solve(cli_session *s, const cli_command *self, int argc, char **argv) {
  mpi_solve_job j = {.o = {.problem = mpi_problem_defaults(),
                           .tol = 1e-8,
                           .momentum = 0.98,
                           .rho = 0.03,
                           .max_iter = 200000,
                           .check_every = 10}};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status != CLI_GO_ON) return status;
  j.bound = (cli_bound){(ss_measure)j.o.measure, j.o.tol};
  status = mpi_output_check(s, j.o.output);
  if (status == CLI_GO_ON) status = mpi_inputs_check(s, args.operands[0], j.o.guess);
  if (status == CLI_GO_ON) status = mpi_source(s, args.operands[0], &j.o.problem, &j.from);
  if (status != CLI_GO_ON) return status;
  j.use_admm = j.o.solver == SOLVER_ADMM || (j.o.solver == SOLVER_AUTO && is_masonry(&j.from));
  j.from.whole_M = j.use_admm;
  status = mpi_cut(s, args.operands[0], &j.o.problem, &j.s, &j.from);
  if (status != CLI_GO_ON) return status;
  if (!j.s.rigid && j.o.solver == SOLVER_DOMAINS)
    status = cli_fail(s, CLI_USAGE,
                      "--solver domains is for rigid bodies: M block-diagonal (blocks of at most "
                      "6), no bilateral constraints; use admm");
  j.use_admm = j.use_admm || !j.s.rigid;
  if (status == CLI_GO_ON) status = work(s, &j);
  share_destroy(&j.s);
  share_source_release(&j.from);
  return status;
}

const cli_command mpi_cmd_solve = {
    .name = "solve",
    .operands = "PROBLEM",
    .summary = "solve a problem and verify the answer from the raw data",
    .about = "PROBLEM: an FCLIB file in global form, pile:N or wall:ROWSxCOLS.\n"
             "exit status: 0 solved, 1 not solved, 2 wrong usage, 3 bad input, 4 out of memory or\n"
             "disk, or interrupted (the last iterate is still reported)\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_solve,
};
