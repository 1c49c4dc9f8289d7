// stickslip solve FILE: read, check, solve, verify afresh from the raw data, report.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/memory_check.h"
#include "cli/progress.h"
#include "cli/solve_job.h"

#define AT(field) offsetof(cli_solve_options, field)
static const cli_option options[] = {
    {"solver", 's', "NAME", "method (default auto); stickslip info lists them", CLI_METHOD,
     AT(solver), 0, 0, 0, 0},
    {"tol", 't', "X", "what the measure must not exceed (default 1e-8)", CLI_NUMBER, AT(tol),
     DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"measure", 'm', "NAME", "what --tol bounds: error, fclib or both (default error)", CLI_WORD,
     AT(measure), 0, 0, 0, cli_measures},
    {"max-iter", 'n', "N", "iterations at most; 0: the method's own default", CLI_COUNT,
     AT(max_iter), 0, INT_MAX, "a whole number >= 0", 0},
    {"time-limit", 0, "SECONDS", "stop after this long; 0: no limit", CLI_NUMBER, AT(time_limit_s),
     0, DBL_MAX, "a number >= 0", 0},
    {"any-size", 0, NULL, "try what will likely not fit into the memory there is", CLI_FLAG,
     AT(any_size), 0, 0, 0, 0},
    {"check-every", 0, "N", "iterations between residuals; 0: chosen by the driver", CLI_COUNT,
     AT(check_every), 0, INT_MAX, "a whole number >= 0", 0},
    {"guess", 'g', "FILE", "start from a solution file; inside, inside:K: from FILE's own",
     CLI_READ, AT(guess), 0, 0, 0, 0},
    {"seed", 0, "N", "of everything random", CLI_SEED, AT(seed), 0, 0, "a whole number >= 0", 0},
    {"threads", 0, "N", "same bits for any number (default 1); 0: one per processor", CLI_COUNT,
     AT(threads), 0, SS_THREADS_MAX, "a whole number from 0 to 1024", 0},
    {"repeat", 0, "N", "solve N times from scratch, report the shortest time", CLI_COUNT,
     AT(repeat), 1, 1000000, "a whole number >= 1", 0},
    CLI_READING("FILE", AT(form), AT(format)),
    {"least-norm", 0, 0, "of the reactions with the same velocities, those of least norm", CLI_FLAG,
     AT(least_norm), 0, 0, 0, 0},
    {"with-solution", 0, 0, "with --json: r, u, v and l too, as -o writes them", CLI_FLAG,
     AT(with_solution), 0, 0, 0, 0},
    {"output", 'o', "FILE", "write r, u, v to FILE (.json, .hdf5; -: JSON on standard output)",
     CLI_WRITE, AT(output), 0, 0, 0, 0},
    {"history", 0, "FILE",
     "write the errors, and the method's own stopping test, after each iteration to FILE (.csv)",
     CLI_WRITE, AT(history), 0, 0, 0, 0},
    {"dump-on-failure", 0, "FILE", "write the problem to FILE when it is not solved", CLI_WRITE,
     AT(dump), 0, 0, 0, 0},
    {"details", 0, NULL,
     "with --json: the error over the iterations, and each contact (for report)", CLI_FLAG,
     AT(details), 0, 0, 0, 0},
};
#undef AT

// ---- before ---------------------------------------------------------------------------------

static bool holds_solution(const char *path) {
  ss_format f = cli_format_by_ending(path);
  return f == SS_FORMAT_JSON || f == SS_FORMAT_FCLIB;
}

static int check_outputs(cli_session *s, const cli_solve_options *o) {
  if (o->output && !holds_solution(o->output))
    return cli_fail(s, CLI_USAGE, "-o %s: expected a name ending in .json, .hdf5 or .h5, or -",
                    o->output);
  if (o->dump && cli_format_by_ending(o->dump) == SS_FORMAT_AUTO)
    return cli_fail(
        s, CLI_USAGE,
        "--dump-on-failure %s: expected a name ending in .json, .hdf5, .h5, .mtx or .dat", o->dump);
  bool to_stdout = o->output && strcmp(o->output, "-") == 0;
  if (to_stdout && s->json)
    return cli_fail(
        s, CLI_USAGE,
        "--json and -o - both write to standard output; drop -o -, and give --with-solution "
        "for r, u, v and l");
  if (o->with_solution && !s->json)
    return cli_fail(s, CLI_USAGE, "--with-solution goes with --json; -o FILE writes r, u, v and l");
  if (o->dump && strcmp(o->dump, "-") == 0)
    return cli_fail(s, CLI_USAGE, "--dump-on-failure: found '-', expected a file name");
  return CLI_GO_ON;
}

static int guess_missing(cli_session *s, const char *found) {
  return cli_fail(s, CLI_INPUT, "%s: --guess: found %s, expected reactions r to start from",
                  cli_display_name(s->file), found);
}

// inside: the file's own solution; inside:K: its guess number K, counted from 1.
static int guess_inside(cli_session *s, cli_solve_job *j, const char *rest) {
  char found[80] = "no solution in it";
  const ss_solution *chosen = &j->file->solution;
  if (*rest == ':') {
    char *end;
    long k = strtol(rest + 1, &end, 10);
    snprintf(found, sizeof found, "%d guesses in it", j->file->guess_count);
    if (end == rest + 1 || *end || k < 1 || k > j->file->guess_count)
      return guess_missing(s, found);
    chosen = &j->file->guesses[k - 1];
  }
  if (!chosen->r) return guess_missing(s, found);
  j->guess = chosen->r;
  return CLI_GO_ON;
}

static int load_guess(cli_session *s, cli_solve_job *j) {
  const char *name = j->o.guess;
  if (!name) return CLI_GO_ON;
  size_t n = strlen("inside");
  if (strncmp(name, "inside", n) == 0 && (name[n] == '\0' || name[n] == ':'))
    return guess_inside(s, j, name + n);
  ss_read_options o = {.isolate = true};
  ss_error e = ss_solution_open(&s->ctx, name, &o, j->file, &j->guess_file);
  if (e) return cli_fail_library(s, name, e);
  j->guess = j->guess_file->solution.r;
  return CLI_GO_ON;
}

static double *doubles(size_t count) {
  return calloc(count ? count : 1, sizeof(double));
}

static int allocate(cli_session *s, cli_solve_job *j) {
  const ss_problem *p = &j->file->problem;
  size_t m = (size_t)p->dim * (size_t)p->nc;
  j->r = doubles(m);
  j->u = doubles(m);
  j->v = doubles((size_t)p->ndof);
  j->l = doubles((size_t)p->nl);
  if (j->o.details) j->contacts = calloc((size_t)p->nc + 1, sizeof *j->contacts);
  if (j->r && j->u && j->v && j->l && (j->contacts || !j->o.details)) return CLI_GO_ON;
  return cli_fail(s, CLI_RESOURCES, "%s: out of memory for %d contacts", s->file, p->nc);
}

// Of the time limit: what is left after an attempt that failed is for the diagnosis.
static const double SOLVE_SHARE = 0.9;

// ---- the solve ------------------------------------------------------------------------------

static void list_untried(const ss_solver *solver, cli_solve_job *j) {
  int count = 0;
  for (int k = 0; solver && count < CLI_SOLVE_METHODS && ss_method_name(k); k++)
    if (!ss_solver_tried(solver, ss_method_name(k))) j->untried[count++] = ss_method_name(k);
  j->untried[count] = NULL;
}

// A fresh solver, set-up included in the time.
static ss_error solve_once(cli_session *s, cli_solve_job *j, const ss_options *o, double *time_s) {
  const ss_problem *p = &j->file->problem;
  size_t bytes = (size_t)p->dim * (size_t)p->nc * sizeof(double);
  if (j->guess)
    memcpy(j->r, j->guess, bytes);
  else
    memset(j->r, 0, bytes);
  double begin = cli_now_s();
  ss_solver *solver = NULL;
  ss_error e = ss_solver_create(&s->ctx, p, o, &solver);
  if (e == SS_ERR_DATA && !ss_problem_loose(&s->ctx, p, &j->loose) && j->loose >= 0)
    e = ss_solve_loose(&s->ctx, p, o, j->r, j->u, j->v, j->l, &j->info);
  else if (!e)
    e = ss_solve(solver, j->r, j->u, j->v, j->l, &j->info);
  *time_s = cli_now_s() - begin;
  list_untried(solver, j);
  ss_solver_destroy(solver);
  return e;
}

typedef struct solve_watch {  // of one solve: what is shown, and what --history keeps
  cli_solve_progress progress;
  cli_rows *rows;  // NULL: none
  cli_course *course;
} solve_watch;

static int watch(void *user, const ss_info *now) {
  solve_watch *w = user;
  if (w->rows && !w->rows->used)
    cli_rows_say(w->rows, "iteration,error,error_fclib,own_test,time_s\n");
  if (w->rows) {
    cli_rows_say(w->rows, "%d,%.9g,%.9g,", now->iterations, now->error, now->error_fclib);
    if (!isnan(now->own_test)) cli_rows_say(w->rows, "%.9g", now->own_test);
    cli_rows_say(w->rows, ",%.6g\n", now->time_solve_s);
  }
  cli_course_note(w->course, now);
  return cli_solve_progress_report(&w->progress, now);
}

static int check_memory(cli_session *s, const cli_solve_job *j) {
  double bytes;
  ss_error e = ss_problem_memory(&s->ctx, &j->file->problem, &bytes);
  if (e) return cli_fail_library(s, s->file, e);
  int status = cli_memory_check(s, bytes, "solving it", j->o.any_size);
  return status == CLI_GO_ON ? CLI_DONE : status;
}

static ss_options library_options(const cli_solve_job *j) {
  ss_options o = ss_options_default();
  o.method = j->o.solver;
  o.tol = j->o.tol;
  o.measure = j->bound.measure;
  o.max_iter = j->o.max_iter;
  o.check_every = j->o.check_every;
  o.seed = j->o.seed;
  o.threads = j->o.threads;
  o.settings = j->settings;
  o.setting_count = j->setting_count;
  o.checked = true;  // by cli_open
  return o;
}

static ss_error solve_repeatedly(cli_session *s, cli_solve_job *j) {
  ss_options o = library_options(j);
  solve_watch w = {cli_solve_progress_begin(s, j->o.solver, &j->bound), NULL, &j->course};
  o.progress = watch, o.stop = cli_stop;
  o.user = &w;
  ss_error e = SS_OK;
  for (int i = 0; i < j->o.repeat && !e && !cli_interrupted(); i++) {
    double time_s, left = cli_time_left(s, j->o.time_limit_s);
    if (i > 0 && left > 0 && left < 0.5 * j->o.time_limit_s) break;
    o.time_limit_s = SOLVE_SHARE * left;
    w.rows = j->o.history && i == 0 ? &j->history : NULL;
    e = solve_once(s, j, &o, &time_s);
    if (i == 0 || time_s < j->time_s) j->time_s = time_s;
  }
  cli_progress_end(&w.progress.shown);
  return e;
}

// Nothing the solver says about its own answer is believed: u, v and the errors come from the raw
// data and r (and l) alone.
static int judge(cli_session *s, cli_solve_job *j, const double *l) {
  ss_solution answer = {.r = j->r, .v = j->v, .l = l};  // v counts where M is singular
  ss_error e =
      ss_verify(&s->ctx, &j->file->problem, &answer, j->u, j->v, j->l, j->contacts, &j->verdict);
  if (e) return cli_fail_library(s, s->file, e);
  j->solved = cli_is_solved(&j->verdict, &j->bound);
  return CLI_GO_ON;
}

static int solve_and_verify(cli_session *s, cli_solve_job *j) {
  ss_error e = solve_repeatedly(s, j);
  int status = cli_rows_end(s, &j->history, e ? NULL : j->o.history);
  if (e) return cli_fail_library(s, s->file, e);
  if (status != CLI_GO_ON) return status;
  status = judge(s, j, j->file->problem.nl ? j->l : NULL);
  if (status != CLI_GO_ON) return status;
  if (j->info.status == SS_SOLVED && !j->solved)
    cli_note(s, "the solver stopped as solved, but verification from the raw data disagrees");
  // fclib's measure is relative to |r| too: reactions that grow without end make it small
  if (j->solved && j->verdict.error > 1e-2)
    cli_note(s,
             "solved by the fclib measure only, which growing reactions make small: the velocities "
             "are off by %.2g of their scale, so this may be no solution (--measure both)",
             j->verdict.error);
  return CLI_GO_ON;
}

// Why not; where that finds a solution and the method was left to us, this is the answer.
static int diagnose(cli_session *s, cli_solve_job *j) {
  if (j->solved) return CLI_GO_ON;
  double begin = cli_now_s();
  const ss_problem *p = &j->file->problem;
  ss_attempt tried = {.method = j->o.solver, .status = j->info.status, .untried = j->untried};
  cli_diagnose(s, p, j->file->exact, &tried, cli_time_left(s, j->o.time_limit_s), &j->diagnosis);
  const ss_diagnosis *found = j->diagnosis.found;
  const ss_settlement *x = found ? found->settlement : NULL;
  const ss_solution *rest = found && found->certificate ? found->certificate->solution : NULL;
  const double *r = rest ? rest->r : x ? x->r : NULL;
  if (!r || strcmp(j->o.solver, "auto") != 0) return CLI_GO_ON;
  memcpy(j->r, r, (size_t)p->dim * (size_t)p->nc * sizeof *j->r);
  if (rest) memcpy(j->v, rest->v, (size_t)p->ndof * sizeof *j->v);
  if (rest && rest->l) memcpy(j->l, rest->l, (size_t)p->nl * sizeof *j->l);
  int status = judge(s, j, rest ? rest->l : NULL);
  j->time_s += cli_now_s() - begin;
  if (status == CLI_GO_ON && j->solved)
    cli_note(s, "no iteration converged; the answer was found by %s",
             rest ? "balancing the load with all contacts at rest"
                  : "trying the states of all contacts");
  return status;
}

// The velocities stay what they are, and the answer is judged again.
static int lessen(cli_session *s, cli_solve_job *j) {
  if (!j->o.least_norm || !j->solved) return CLI_GO_ON;
  if (j->loose > 0)
    return cli_note(s, "--least-norm: not for a singular M; the reactions are the solver's"),
           CLI_GO_ON;
  double begin = cli_now_s();
  ss_options o = library_options(j);
  o.time_limit_s = cli_time_left(s, j->o.time_limit_s);
  o.stop = cli_stop;
  cli_interrupt_poll(true);
  ss_error e = ss_least_norm(&s->ctx, &j->file->problem, &o, j->r, &j->least);
  cli_interrupt_poll(false);
  j->time_s += cli_now_s() - begin;
  if (e) return cli_fail_library(s, s->file, e);
  if (j->least.stopped)
    cli_note(s, "--least-norm: ended before it was found; the reactions are the solver's");
  else if (!j->least.reached)
    cli_note(s, "--least-norm: not reached within the tolerance; the reactions are the solver's");
  return judge(s, j, NULL);
}

// ---- after ----------------------------------------------------------------------------------

static int write_solution(cli_session *s, const cli_solve_job *j) {
  if (!j->o.output) return CLI_GO_ON;
  const ss_problem *p = &j->file->problem;
  ss_solution answer = {.r = j->r, .u = j->u};
  if (p->form == SS_GLOBAL) answer.v = j->v;
  if (p->nl) answer.l = j->l;
  bool to_stdout = strcmp(j->o.output, "-") == 0;
  ss_format format = to_stdout ? SS_FORMAT_JSON : SS_FORMAT_AUTO;
  ss_error e = ss_solution_write(&s->ctx, j->o.output, format, j->file, &answer);
  if (e) return cli_fail_library(s, cli_output_name(j->o.output), e);
  if (!j->solved) cli_note(s, "-o %s: holds the last iterate, not a solution", j->o.output);
  return CLI_GO_ON;
}

// The problem as it was read, with the guess that was used as its first guess, so that
// `solve DUMP --guess inside:1` runs again what failed.
static int write_dump(cli_session *s, const cli_solve_job *j) {
  if (!j->o.dump || j->solved) return CLI_GO_ON;
  ss_file what = *j->file;
  ss_solution start = {.r = j->guess};
  if (j->guess) {
    what.guesses = &start;
    what.guess_count = 1;
  }
  ss_error e = ss_file_write(&s->ctx, j->o.dump, SS_FORMAT_AUTO, &what);
  if (e) return cli_fail_library(s, j->o.dump, e);
  cli_note(s, "--dump-on-failure: the problem is in %s", j->o.dump);
  return CLI_GO_ON;
}

static int work(cli_session *s, cli_solve_job *j) {
  int status = CLI_GO_ON;
  if ((status = load_guess(s, j)) != CLI_GO_ON) return status;
  if ((status = allocate(s, j)) != CLI_GO_ON) return status;
  if ((status = solve_and_verify(s, j)) != CLI_GO_ON) return status;
  if ((status = diagnose(s, j)) != CLI_GO_ON) return status;
  if ((status = lessen(s, j)) != CLI_GO_ON) return status;
  // an output that fails does not take the answer's report with it
  status = j->solved ? CLI_DONE : CLI_NEGATIVE;
  int written = write_solution(s, j), dumped = write_dump(s, j);
  if (written != CLI_GO_ON) j->o.output = NULL, status = written;
  if (dumped != CLI_GO_ON) status = dumped;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted; this is the %s",
                      cli_display_name(s->file), j->solved ? "solver's answer" : "last iterate");
  return cli_solve_report(s, j, status);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_options defaults = ss_options_default();
  cli_solve_job j = {.o = {.solver = defaults.method,
                           .tol = defaults.tol,
                           .repeat = 1,
                           .threads = defaults.threads}};
  j.o.seed = defaults.seed;
  j.o.measure = (int)defaults.measure;
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status != CLI_GO_ON) return status;
  if ((status = cli_method_check(s, j.o.solver)) != CLI_GO_ON) return status;
  status = cli_settings_check(s, j.o.solver, &args, j.settings);
  if (status != CLI_GO_ON) return status;
  if ((status = check_outputs(s, &j.o)) != CLI_GO_ON) return status;
  if (j.o.guess && strcmp(j.o.guess, "-") == 0 && strcmp(args.operands[0], "-") == 0)
    return cli_fail(s, CLI_USAGE, "solve: only one of FILE and --guess can be standard input");
  j.setting_count = args.setting_count;
  j.bound = (cli_bound){(ss_measure)j.o.measure, j.o.tol};
  status = cli_open(s, args.operands[0], (ss_format)j.o.format, (ss_form_hint)j.o.form, &j.file);
  if (status == CLI_DONE) status = check_memory(s, &j);
  if (status == CLI_DONE) status = work(s, &j);
  free(j.r);
  free(j.u);
  free(j.v);
  free(j.l);
  free(j.contacts);
  cli_diagnosis_release(&j.diagnosis);
  ss_solution_close(j.guess_file);
  ss_file_close(j.file);
  return status;
}

const cli_command cmd_solve = {
    .name = "solve",
    .operands = "FILE",
    .summary = "solve a problem and verify the answer from the raw data",
    .about = "exit status: 0 solved, 1 not solved, 2 wrong usage, 3 bad input, 4 out of memory or\n"
             "disk, or interrupted (the last iterate is still reported)\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .method_options = true,
    .run = run,
};
