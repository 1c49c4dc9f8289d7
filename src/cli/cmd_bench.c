// stickslip bench PATH...: every solver on every problem at every tolerance, each in a process of
// its own; a table, JSON, CSV and performance profiles.
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

#define AT(field) offsetof(bench_options, field)
static const cli_option options[] = {
    {"solvers", 's', "LIST", "as nsgs,nsgs:order=random:omega=1.2 (default: every method)",
     CLI_TEXT, AT(solvers), 0, 0, 0, 0},
    {"tol", 't', "LIST", "tolerances, as 1e-4,1e-8 (default 1e-8)", CLI_TEXT, AT(tols), 0, 0, 0, 0},
    {"measure", 'm', "NAME", "what --tol bounds: error, fclib or both (default error)", CLI_WORD,
     AT(measure), 0, 0, 0, cli_measures},
    {"time-limit", 0, "SECONDS", "per solve (default 10); 0: no limit", CLI_NUMBER,
     AT(time_limit_s), 0, DBL_MAX, "a number >= 0", 0},
    {"repeat", 0, "N", "solve N times from scratch, keep the shortest time", CLI_COUNT, AT(repeat),
     1, 1000000, "a whole number >= 1", 0},
    {"max-iter", 'n', "N", "iterations at most; 0: the method's own default", CLI_COUNT,
     AT(max_iter), 0, INT_MAX, "a whole number >= 0", 0},
    {"seed", 0, "N", "of everything random", CLI_SEED, AT(seed), 0, 0, "a whole number >= 0", 0},
    {"any-size", 0, NULL, "try what will likely not fit into the memory there is", CLI_FLAG,
     AT(any_size), 0, 0, 0, 0},
    {"output", 'o', "FILE", "results as JSON, written after each row", CLI_WRITE, AT(output), 0, 0,
     0, 0},
    {"resume", 'r', 0, "do not run again what -o FILE holds already", CLI_FLAG, AT(resume), 0, 0, 0,
     0},
    {"csv", 0, "FILE", "the rows as comma-separated values", CLI_WRITE, AT(csv), 0, 0, 0, 0},
    {"profile", 'p', "FILE", "performance profiles as an SVG picture", CLI_WRITE, AT(profile), 0, 0,
     0, 0},
};
#undef AT

// ---- progress -------------------------------------------------------------------------------

typedef struct ticker {
  cli_progress shown;
  const char *what;  // "reading", or the solver's label
  const char *file;
  char tol[32];  // "": none
  int at, count;
} ticker;

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static void tick(void *user) {
  ticker *k = user;
  double time_s = cli_progress_due(&k->shown);
  if (time_s > 0 && k->shown.terminal)
    cli_progress_draw(&k->shown, "", k->count ? (double)k->at / k->count : 0,
                      "%d/%d  %s%s%s  %.40s  %.1f s", k->at, k->count, k->what,
                      *k->tol ? "  tol " : "", k->tol, base_name(k->file), time_s);
  else if (time_s > 0 && *k->tol)
    cli_print(stderr, "bench done=%d/%d solver=%s tol=%s file=%s t=%.2f\n", k->at, k->count,
              k->what, k->tol, k->file, time_s);
  else if (time_s > 0)
    cli_print(stderr, "bench read=%d/%d file=%s t=%.2f\n", k->at, k->count, k->file, time_s);
}

// ---- the problems ---------------------------------------------------------------------------

static int interrupted(cli_session *s) {
  return cli_fail(s, CLI_RESOURCES, "interrupted while reading the problems; nothing was measured");
}

static void accept(bench_problem *p, const bench_answer *a) {
  p->dim = a->dim;
  p->contacts = a->contacts;
  p->dofs = a->dofs;
  p->bilateral = a->bilateral;
  p->form = (ss_form)a->form;
  p->hash = a->hash;
}

// What was named must be a problem; what lies in a folder may be anything.
static int refuse(cli_session *s, const bench_problem *p, bench_end end, const bench_answer *a) {
  if (end == BENCH_NO_PROCESS) return cli_fail(s, CLI_RESOURCES, "%s: %s", p->path, a->text);
  bool crashed = end != BENCH_ANSWERED;
  if (p->named && crashed)
    return cli_fail(s, CLI_INPUT, "%s: reading it failed: %s", p->path, a->text);
  if (p->named) {
    snprintf(s->ctx.message, sizeof s->ctx.message, "%s", a->text);
    return cli_fail_library(s, p->path, (ss_error)a->error);
  }
  size_t n = strlen(p->path);
  bool said = strncmp(a->text, p->path, n) == 0;  // the library's messages begin with the name
  cli_note(s, "skipped: %s%s%s", said ? "" : p->path, said ? "" : ": ", a->text);
  return CLI_GO_ON;
}

static int survey(cli_session *s, bench *b) {
  int kept = 0, status = CLI_GO_ON;
  ticker k = {.count = b->problem_count};
  cli_progress_begin(&k.shown, s, 1);
  int count = b->problem_count;
  for (int i = 0; i < count; i++) {
    bench_problem *p = &b->problems[i];
    bench_answer a;
    double elapsed_s;
    bench_end end = BENCH_INTERRUPTED;
    k.what = "reading", k.file = p->path, k.at = i;
    if (status == CLI_GO_ON)
      end = bench_ask(&(bench_request){.path = p->path}, tick, &k, &a, &elapsed_s);
    if (status == CLI_GO_ON && end == BENCH_INTERRUPTED)
      cli_progress_erase(&k.shown), status = interrupted(s);
    bool good = status == CLI_GO_ON && end == BENCH_ANSWERED && a.error == SS_OK;
    if (good) {
      accept(p, &a);
      b->problems[kept++] = *p;
      continue;
    }
    if (status == CLI_GO_ON) cli_progress_erase(&k.shown), status = refuse(s, p, end, &a);
    free(p->path);
  }
  cli_progress_erase(&k.shown);
  b->problem_count = kept;
  if (status != CLI_GO_ON) return status;
  return kept ? status : cli_fail(s, CLI_INPUT, "no problem file was found that can be read");
}

// ---- the rows -------------------------------------------------------------------------------

static const char *reason_of(const bench_answer *a) {
  if (a->error == SS_ERR_METHOD) return "not_applicable";
  if (a->error == SS_ERR_MEMORY) return "no_memory";
  if (a->error) return "failed";
  return a->status == SS_SOLVED ? "false_solved" : ss_status_name((ss_status)a->status);
}

static void fill_row(const bench *b, double tol, bench_end end, const bench_answer *a,
                     double elapsed_s, bench_row *r) {
  ss_verdict verdict = {
      .error = a->measured, .error_fclib = a->measured_fclib, .penetration = a->penetration};
  cli_bound bound = {(ss_measure)b->o.measure, tol};
  *r = (bench_row){.done = true, .time_limit_s = b->o.time_limit_s, .repeat = b->o.repeat};
  r->time_s = end == BENCH_ANSWERED ? a->time_s : elapsed_s;
  r->iterations = a->iterations;
  r->error = a->measured;
  r->error_fclib = a->measured_fclib;
  snprintf(r->message, sizeof r->message, "%s", a->text);
  r->solved = end == BENCH_ANSWERED && !a->error && cli_is_solved(&verdict, &bound);
  if (r->solved) return;
  r->reason = end == BENCH_ANSWERED ? reason_of(a) : end == BENCH_LATE ? "killed" : "crashed";
}

static bench_request request(const bench *b, const bench_problem *p, const bench_solver *x,
                             double tol) {
  bench_request q = {.path = p->path, .solver = x, .repeat = b->o.repeat};
  q.any_size = b->o.any_size;
  q.options = ss_options_default();
  q.options.method = x->method;
  q.options.tol = tol;
  q.options.measure = (ss_measure)b->o.measure;
  q.options.max_iter = b->o.max_iter;
  q.options.time_limit_s = b->o.time_limit_s;
  q.options.seed = b->o.seed;
  q.options.settings = x->settings;
  q.options.setting_count = x->setting_count;
  return q;
}

static int run_row(cli_session *s, bench *b, ticker *k, int problem, int tol, int solver) {
  bench_row *r = bench_row_at(b, problem, tol, solver);
  const bench_problem *p = &b->problems[problem];
  bench_request q = request(b, p, &b->solvers[solver], b->tols[tol]);
  bench_answer a;
  double elapsed_s;
  k->what = b->solvers[solver].label, k->file = p->path;
  bench_tol_text(b->tols[tol], k->tol);
  tick(k);
  bench_end end = bench_ask(&q, tick, k, &a, &elapsed_s);
  if (end == BENCH_INTERRUPTED) return CLI_RESOURCES;
  if (end == BENCH_NO_PROCESS) return cli_fail(s, CLI_RESOURCES, "%s: %s", p->path, a.text);
  fill_row(b, b->tols[tol], end, &a, elapsed_s, r);
  k->at++;
  return bench_save(s, b, false);
}

static int run_rows(cli_session *s, bench *b) {
  ticker k = {.count = bench_row_count(b), .at = bench_rows_done(b)};
  cli_progress_begin(&k.shown, s, 1);
  int status = bench_save(s, b, true);
  for (int i = 0; i < b->problem_count; i++)
    for (int t = 0; t < b->tol_count; t++)
      for (int z = 0; z < b->solver_count && status == CLI_GO_ON; z++)
        if (!bench_row_at(b, i, t, z)->done) status = run_row(s, b, &k, i, t, z);
  cli_progress_erase(&k.shown);
  int saved = bench_save(s, b, true);
  return status != CLI_GO_ON ? status : saved;
}

// ---- the whole ------------------------------------------------------------------------------

static int check_outputs(cli_session *s, const bench_options *o) {
  const char *names[] = {"-o", "--csv", "--profile"};
  const char *paths[] = {o->output, o->csv, o->profile};
  if (o->resume && !o->output)
    return cli_fail(s, CLI_USAGE, "--resume needs the results file: -o FILE");
  for (int i = 0; i < 3; i++) {
    if (!paths[i]) continue;
    if (strcmp(paths[i], "-") == 0)
      return cli_fail(s, CLI_USAGE, "%s: found '-', expected a file name (--json prints)",
                      names[i]);
  }
  return CLI_GO_ON;
}

static int report(cli_session *s, const bench *b, int status) {
  if (status == CLI_GO_ON) status = bench_write_csv(s, b);
  if (status == CLI_GO_ON) status = bench_write_profile(s, b);
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "interrupted after %d of %d rows%s", bench_rows_done(b),
                      bench_row_count(b), b->o.output ? "; --resume goes on from there" : "");
  if (status == CLI_GO_ON) status = CLI_DONE;
  if (s->json) return cli_print_json(s, bench_object(s, b, false), status);
  bench_print(stdout, b);
  return status;
}

static int work(cli_session *s, bench *b, const cli_args *a) {
  int status = bench_find_files(s, b, a->operands, a->operand_count);
  if (status != CLI_GO_ON) return status;
  if ((status = survey(s, b)) != CLI_GO_ON) return status;
  size_t each = (size_t)b->tol_count * (size_t)b->solver_count;
  if ((size_t)b->problem_count > INT_MAX / each)
    return cli_fail(s, CLI_USAGE, "more than %d rows", INT_MAX);
  b->rows = calloc((size_t)b->problem_count * each, sizeof *b->rows);
  if (!b->rows) return cli_fail(s, CLI_RESOURCES, "out of memory for the rows");
  if ((status = bench_load(s, b)) != CLI_GO_ON) return status;
  return report(s, b, run_rows(s, b));
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_options defaults = ss_options_default();
  bench b = {.o = {.time_limit_s = 10, .repeat = 1, .seed = defaults.seed}};
  b.o.measure = (int)defaults.measure;
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &b.o, &args);
  if (status == CLI_GO_ON) status = bench_parse_solvers(s, &b, &args);
  if (status == CLI_GO_ON) status = bench_parse_tols(s, &b);
  if (status == CLI_GO_ON) status = check_outputs(s, &b.o);
  if (status == CLI_GO_ON) {
    cli_interrupt_poll(true);
    status = work(s, &b, &args);
    cli_interrupt_poll(false);
  }
  bench_release(&b);
  return status;
}

const cli_command cmd_bench = {
    .name = "bench",
    .operands = "PATH...",
    .summary = "compare solvers on many problems, with performance profiles",
    .about =
        "PATH is a problem file, or a folder that is searched for them, all the way down\n"
        "exit status: 0 measured (solved or not), 2 wrong usage, 3 bad input, 4 out of memory or\n"
        "disk, or interrupted (the rows measured so far are in -o FILE)\n",
    .operands_min = 1,
    .operands_max = INT_MAX,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .method_options = true,
    .run = run,
};
