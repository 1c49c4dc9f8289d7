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
     CLI_NAMES, AT(solvers), 0, 0, 0, 0},
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
    {"output", 'o', "FILE", "results as JSON, written after each row; FILE.jsonl: a line for each",
     CLI_WRITE, AT(output), 0, 0, 0, 0},
    {"resume", 'r', 0, "do not run again what -o FILE holds already", CLI_FLAG, AT(resume), 0, 0, 0,
     0},
    {"jobs", 'j', "N", "so many at a time, each in a process of its own (default 1)", CLI_COUNT,
     AT(jobs), 1, BENCH_JOBS_MAX, "a whole number in 1 .. 256", 0},
    {"shard", 0, "I/N",
     "only every N-th problem, from the I-th on: one of N runs that share the work", CLI_TEXT,
     AT(shard), 0, 0, 0, 0},
    {"merge", 0, 0, "run nothing: PATHs are results, .json or .jsonl, shown and written as one",
     CLI_FLAG, AT(merge), 0, 0, 0, 0},
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

typedef struct surveying {
  cli_session *s;
  bench *b;
  ticker ticker;
  bool *good;  // (problem_count)
} surveying;

static void survey_tick(void *user) {
  tick(&((surveying *)user)->ticker);
}

static bool survey_next(void *user, bench_request *out) {
  surveying *v = user;
  if (v->b->surveyed == v->b->problem_count) return false;
  *out = (bench_request){.path = v->b->problems[v->b->surveyed].path, .tag = v->b->surveyed};
  v->ticker.file = out->path;
  v->b->surveyed++;
  return true;
}

static int survey_done(void *user, const bench_child *c) {
  surveying *v = user;
  bench_problem *p = &v->b->problems[c->request.tag];
  v->ticker.at++;
  if (c->end == BENCH_ANSWERED && c->answer.error == SS_OK) {
    accept(p, &c->answer);
    v->good[c->request.tag] = true;
    return CLI_GO_ON;
  }
  cli_progress_erase(&v->ticker.shown);
  return refuse(v->s, p, c->end, &c->answer);
}

static int survey(cli_session *s, bench *b) {
  surveying v = {
      .s = s, .b = b, .ticker = {.count = b->problem_count, .what = "reading", .file = ""}};
  v.good = calloc((size_t)b->problem_count + 1, sizeof *v.good);
  if (!v.good) return cli_fail(s, CLI_RESOURCES, "out of memory for the list of files");
  cli_progress_begin(&v.ticker.shown, s, 1);
  int status = bench_run(&(bench_queue){b->o.jobs, &v, survey_next, survey_done, survey_tick, s});
  cli_progress_erase(&v.ticker.shown);
  if (cli_interrupted()) status = interrupted(s);
  int kept = 0;
  for (int i = 0; i < b->problem_count; i++) {
    if (v.good[i])
      b->problems[kept++] = b->problems[i];
    else
      free(b->problems[i].path);
  }
  free(v.good);
  b->problem_count = kept;
  if (status != CLI_GO_ON || kept || b->o.shard) return status;
  return cli_fail(s, CLI_INPUT, "no problem file was found that can be read");
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

typedef struct measuring {
  cli_session *s;
  bench *b;
  ticker ticker;
} measuring;

static void measure_tick(void *user) {
  tick(&((measuring *)user)->ticker);
}

static bool measure_next(void *user, bench_request *out) {
  measuring *m = user;
  bench *b = m->b;
  while (b->next_row < bench_row_count(b) && b->rows[b->next_row].done) b->next_row++;
  if (b->next_row == bench_row_count(b)) return false;
  int row = b->next_row++, solver = row % b->solver_count,
      tol = row / b->solver_count % b->tol_count;
  const bench_problem *p = &b->problems[row / b->solver_count / b->tol_count];
  *out = request(b, p, &b->solvers[solver], b->tols[tol]);
  out->tag = row;
  m->ticker.what = b->solvers[solver].label, m->ticker.file = p->path;
  bench_tol_text(b->tols[tol], m->ticker.tol);
  tick(&m->ticker);
  return true;
}

static int measure_done(void *user, const bench_child *c) {
  measuring *m = user;
  int row = c->request.tag;
  if (c->end == BENCH_NO_PROCESS)
    return cli_fail(m->s, CLI_RESOURCES, "%s: %s", c->request.path, c->answer.text);
  fill_row(m->b, c->request.options.tol, c->end, &c->answer, c->elapsed_s, &m->b->rows[row]);
  m->ticker.at++;
  int status = bench_lines_add(m->s, m->b, row);
  return status == CLI_GO_ON ? bench_save(m->s, m->b, false) : status;
}

static int run_rows(cli_session *s, bench *b) {
  measuring m = {.s = s, .b = b, .ticker = {.count = bench_row_count(b), .at = bench_rows_done(b)}};
  cli_progress_begin(&m.ticker.shown, s, 1);
  int status = bench_save(s, b, true);
  if (status == CLI_GO_ON)
    status = bench_run(&(bench_queue){b->o.jobs, &m, measure_next, measure_done, measure_tick, s});
  cli_progress_erase(&m.ticker.shown);
  int saved = bench_save(s, b, true);
  return status != CLI_GO_ON ? status : saved;
}

// ---- the whole ------------------------------------------------------------------------------

static int check_outputs(cli_session *s, const bench_options *o) {
  if (o->merge && (o->shard || o->resume))
    return cli_fail(s, CLI_USAGE, "--merge runs nothing; drop --%s", o->shard ? "shard" : "resume");
  if (o->resume && !o->output)
    return cli_fail(s, CLI_USAGE, "--resume needs the results file: -o FILE");
  int status = cli_output_is_file(s, "-o", o->output);
  if (status == CLI_GO_ON) status = cli_output_is_file(s, "--csv", o->csv);
  return status == CLI_GO_ON ? cli_output_is_file(s, "--profile", o->profile) : status;
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
  if (status == CLI_GO_ON) status = bench_take_shard(s, b);
  if (status == CLI_GO_ON) status = survey(s, b);
  if (status != CLI_GO_ON) return status;
  size_t each = (size_t)b->tol_count * (size_t)b->solver_count;
  if ((size_t)b->problem_count > INT_MAX / each)
    return cli_fail(s, CLI_USAGE, "more than %d rows", INT_MAX);
  b->rows = calloc((size_t)b->problem_count * each, sizeof *b->rows);
  if (!b->rows) return cli_fail(s, CLI_RESOURCES, "out of memory for the rows");
  if ((status = bench_load(s, b)) != CLI_GO_ON) return status;
  return report(s, b, run_rows(s, b));
}

// All rows at once: there is no file to go on with.
static int merge(cli_session *s, bench *b, const cli_args *a) {
  int status = bench_merge(s, b, a->operands, a->operand_count);
  if (status == CLI_GO_ON && b->o.output && bench_is_lines(b->o.output)) {
    status = bench_lines_open(s, b);
    for (int k = 0; k < bench_row_count(b) && status == CLI_GO_ON; k++)
      if (b->rows[k].done) status = bench_lines_add(s, b, k);
  } else if (status == CLI_GO_ON) {
    status = bench_save(s, b, true);
  }
  return status == CLI_GO_ON ? report(s, b, status) : status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_options defaults = ss_options_default();
  bench b = {.o = {.time_limit_s = 10, .repeat = 1, .jobs = 1, .seed = defaults.seed}};
  b.o.measure = (int)defaults.measure;
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &b.o, &args);
  if (status == CLI_GO_ON) status = check_outputs(s, &b.o);
  if (status == CLI_GO_ON && b.o.merge) {
    status = merge(s, &b, &args);
    bench_release(&b);
    return status;
  }
  if (status == CLI_GO_ON) status = bench_parse_solvers(s, &b, &args);
  if (status == CLI_GO_ON) status = bench_parse_tols(s, &b);
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
