// stickslip trace PROBLEM --over mu=0:2: the solutions followed over a parameter, through folds and branches.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/trace_report.h"
#include "cli/varied.h"

enum { STARTS_MOST = 4096, SHOWN_MOST = 64 };

typedef struct trace_options {
  const char *over, *from, *at, *contacts, *components;
  cli_list parameters, outputs;
  int samples, max_points, form, format;
  double step, tol, infinity, tie_tol, time_limit;
  bool no_steps;
} trace_options;

#define AT(field) offsetof(trace_options, field)
static const cli_option options[] = {
    {"over", 'x', "NAME=FROM:TO",
     "the parameter: of the model or template, or mu (the friction of all contacts), or load (a "
     "factor of the load)",
     CLI_TEXT, AT(over), 0, 0, 0, 0},
    {"param", 'p', "KEY=VALUE", "fix another parameter; as often as wanted", CLI_LIST,
     AT(parameters), 0, 0, 0, 0},
    {"from", 0, "all|K",
     "start from all solutions (default), or from solution K of `enumerate` at the first value of "
     "--at (default: FROM), "
     "numbered from 0",
     CLI_TEXT, AT(from), 0, 0, 0, 0},
    {"at", 0, "V,V,...", "start from the solutions at these values", CLI_TEXT, AT(at), 0, 0, 0, 0},
    {"samples", 0, "N",
     "start from the solutions at N equidistant values (default 0: 65 to 1025, by the work they "
     "are)",
     CLI_COUNT, AT(samples), 0, STARTS_MOST, "a whole number from 0 to 4096", 0},
    {"output", 'o', "FILE", "write it: .svg, .csv or .json; as often as wanted", CLI_WRITES,
     AT(outputs), 0, 0, 0, 0},
    {"contacts", 0, "K,K,...", "contacts to draw, numbered from 0 (default: the first four)",
     CLI_TEXT, AT(contacts), 0, 0, 0, 0},
    {"components", 0, "LIST", "what to draw: u_N, u_T, r_N, r_T (default u_T)", CLI_TEXT,
     AT(components), 0, 0, 0, 0},
    {"no-steps", 0, 0, "draw no panel of the lengths of the steps", CLI_FLAG, AT(no_steps), 0, 0, 0,
     0},
    {"step", 0, "X", "longest step, over the range and over the solution (default 0.02)",
     CLI_NUMBER, AT(step), DBL_MIN, 1, "a number in 0 .. 1", 0},
    {"tol", 't', "X", "error that a point may have (default 1e-8)", CLI_NUMBER, AT(tol), DBL_MIN, 1,
     "a number in 0 .. 1", 0},
    {"infinity", 0, "X", "reactions X times the natural ones count as infinite (default 1e6)",
     CLI_NUMBER, AT(infinity), 10, 1e12, "a number in 10 .. 1e12", 0},
    {"max-points", 0, "N", "stop after N points (default 200000)", CLI_COUNT, AT(max_points), 1,
     INT_MAX, "a whole number >= 1", 0},
    {"tie-tol", 0, "X", "of the enumerations (default 1e-10)", CLI_NUMBER, AT(tie_tol), 0, 0.009,
     "a number in 0 .. 0.009", 0},
    {"time-limit", 0, "SECONDS", "stop after that long (default 0: no limit)", CLI_NUMBER,
     AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    CLI_READING("FILE", AT(form), AT(format)),
};
#undef AT

typedef struct trace_job {
  const trace_options *o;
  cli_settings fixed;
  cli_varied varied;
  cli_trace shown;
  ss_trace_options lib;
  double at[STARTS_MOST];
  int contacts[SHOWN_MOST];
  char title[300], subtitle[600];
} trace_job;

// ---- lists ----------------------------------------------------------------------------------

static int read_starts(cli_session *s, trace_job *j) {
  const char *text = j->o->at, *whole = text;
  while (text && *text) {
    double *x = &j->at[j->lib.at_count];
    if (j->lib.at_count == STARTS_MOST || !cli_take_number(&text, ',', x))
      return cli_fail(s, CLI_USAGE, "--at: found '%s', expected at most %d numbers as 0.25,3/5",
                      whole, STARTS_MOST);
    if (!(*x >= j->lib.from && *x <= j->lib.to))
      return cli_fail(s, CLI_USAGE, "--at: %g is outside the range %g .. %g", *x, j->lib.from,
                      j->lib.to);
    j->lib.at_count++;
  }
  if (j->lib.at_count) j->lib.at = j->at;
  if (!j->o->from || strcmp(j->o->from, "all") == 0) return CLI_GO_ON;
  double number;
  if (!cli_to_number(j->o->from, &number) || !(number >= 0 && number < 1e6) ||
      number != (double)(int)number)
    return cli_fail(s, CLI_USAGE, "--from: found '%s', expected all or a number from 0 on",
                    j->o->from);
  j->lib.only = (int)number;
  return CLI_GO_ON;
}

static int read_contacts(cli_session *s, trace_job *j) {
  const char *text = j->o->contacts;
  ss_trace_caption *c = &j->shown.caption;
  while (text && *text) {
    double number;
    if (c->contact_count == SHOWN_MOST || !cli_take_number(&text, ',', &number) || !(number >= 0) ||
        number > 1e6 || number != (double)(int)number)
      return cli_fail(s, CLI_USAGE, "--contacts: found '%s', expected at most %d numbers as 0,3,4",
                      j->o->contacts, SHOWN_MOST);
    j->contacts[c->contact_count++] = (int)number;
  }
  if (c->contact_count) c->contacts = j->contacts;
  return CLI_GO_ON;
}

static int read_components(cli_session *s, trace_job *j) {
  static const char *const names[] = {"u_N", "u_T", "r_N", "r_T"};
  for (const char *text = j->o->components; text && *text;) {
    size_t length = strcspn(text, ",");
    int c = 0;
    while (c < 4 && (length != 3 || strncmp(names[c], text, 3) != 0)) c++;
    if (c == 4)
      return cli_fail(s, CLI_USAGE,
                      "--components: found '%s', expected u_N, u_T, r_N or r_T with commas",
                      j->o->components);
    j->shown.caption.components |= 1u << c;
    text += length + (text[length] ? 1 : 0);
  }
  return CLI_GO_ON;
}

// ---- the work -------------------------------------------------------------------------------

static int on_progress(void *user, const ss_trace_progress *now) {
  cli_progress *p = user;
  bool due = cli_progress_due(p) > 0;
  if (due && p->terminal)
    cli_progress_draw(p, "trace", NAN, "%d branches  %d points  %.1f s", now->branches, now->points,
                      now->time_s);
  else if (due)
    fprintf(stderr, "trace branches=%d points=%d t=%.2f\n", now->branches, now->points,
            now->time_s);
  return cli_interrupted();
}

static int make_trace(cli_session *s, trace_job *j, ss_trace **out) {
  cli_progress progress;
  j->lib.time_limit_s = cli_time_left(s, j->o->time_limit);
  j->lib.progress = on_progress, j->lib.user = &progress;
  cli_progress_begin(&progress, s, 1);
  ss_error e = ss_trace_create(&s->ctx, &j->lib, cli_varied_at, &j->varied, out);
  bool interrupted = cli_interrupted();
  cli_progress_end(&progress);
  if (interrupted) return cli_fail(s, CLI_RESOURCES, "trace: interrupted");
  return e ? cli_varied_fail(s, &j->varied, e) : CLI_GO_ON;
}

static int report(cli_session *s, const cli_trace *c) {
  const ss_trace *t = c->trace;
  int done = t->branch_count && !t->stopped ? CLI_DONE : CLI_NEGATIVE;
  for (int k = 0; k < c->outputs->count; k++) {
    int status = cli_trace_write(s, c, c->outputs->items[k]);
    if (status != CLI_GO_ON) return status;
  }
  if (s->json) return cli_print_json(s, cli_trace_json(s, c), done);
  cli_trace_summary(c);
  for (int k = 0; k < c->outputs->count; k++)
    cli_line(stdout, "written", "%s", c->outputs->items[k]);
  return done;
}

static int read_options(cli_session *s, trace_job *j) {
  const trace_options *o = j->o;
  ss_trace_options *lib = &j->lib;
  *lib = ss_trace_options_default();
  if (!o->over) return cli_fail(s, CLI_USAGE, "trace: --over is missing: --over NAME=FROM:TO");
  int status = cli_axis_parse(s, &(cli_axis_form){.option = "--over"}, o->over, &j->shown.over);
  if (status != CLI_GO_ON) return status;
  lib->from = j->shown.over.from, lib->to = j->shown.over.to;
  lib->samples = o->samples, lib->step = o->step, lib->tol = o->tol, lib->infinity = o->infinity;
  lib->max_points = o->max_points, lib->enumerate.tie_tol = o->tie_tol;
  status = read_starts(s, j);
  if (status == CLI_GO_ON) status = read_contacts(s, j);
  if (status == CLI_GO_ON) status = read_components(s, j);
  return status == CLI_GO_ON ? cli_check_pictures(s, &o->outputs) : status;
}

static int work(cli_session *s, trace_job *j, const char *operand) {
  cli_varied_reading reading = {(ss_format)j->o->format, (ss_form_hint)j->o->form};
  ss_trace *trace = NULL;
  int status = cli_varied_open(s, operand, &reading, &j->fixed, j->shown.over.name, &j->varied);
  if (status == CLI_GO_ON) status = make_trace(s, j, &trace);
  if (status == CLI_GO_ON) {
    cli_source_caption(&j->varied.source, &j->fixed, j->title, j->subtitle);
    j->shown.source = operand, j->shown.given = &j->fixed, j->shown.outputs = &j->o->outputs;
    j->shown.trace = trace;
    j->shown.caption.title = j->title;
    j->shown.caption.subtitle = *j->subtitle ? j->subtitle : NULL;
    j->shown.caption.parameter = j->shown.over.name;
    j->shown.caption.steps = !j->o->no_steps;
    status = report(s, &j->shown);
  }
  ss_trace_destroy(trace);
  cli_varied_close(&j->varied);
  return status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_trace_options lib = ss_trace_options_default();
  trace_options o = {.step = lib.step,
                     .tol = lib.tol,
                     .infinity = lib.infinity,
                     .max_points = (int)lib.max_points,
                     .tie_tol = lib.enumerate.tie_tol};
  cli_args args;
  trace_job j = {.o = &o};
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status == CLI_GO_ON) status = cli_settings_parse(s, &o.parameters, &j.fixed);
  if (status == CLI_GO_ON) status = read_options(s, &j);
  return status == CLI_GO_ON ? work(s, &j, args.operands[0]) : status;
}

const cli_command cmd_trace = {
    .name = "trace",
    .operands = "MODEL|TEMPLATE|FILE",
    .summary =
        "follow the solutions of a 2D problem over load or friction, through folds and branches",
    .about =
        "MODEL as in stickslip model --list; TEMPLATE is a JSON problem with parameters; FILE any "
        "problem\n"
        "stickslip trace klarbring -p mu=3/2 --over tan_alpha=-2:2 -o klarbring.svg\n"
        "exit status: 0 done, 1 no solution or stopped by a limit, 2 wrong usage, 3 bad input\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operand_name = ss_model_name,
    .run = run,
};
