// stickslip derive PROBLEM [SOLUTION]: whether a solution is differentiable, and its derivative along directions of the data.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/results.h"
#include "cli/source.h"

typedef struct derive_options {
  cli_list along;
  double strict;
  int form, format;
  bool one_sided, keep;
} derive_options;

#define AT(field) offsetof(derive_options, field)
static const cli_option options[] = {
    {"along", 'a', "NAME[=K]",
     "the derivative along mu (all of it by 1), f, w, b, q or s (all of it times 1 + h); =K: entry "
     "K by 1; "
     "several add up",
     CLI_LIST, AT(along), 0, 0, 0, 0},
    {"one-sided", 0, 0, "for h > 0 only: at kinks too", CLI_FLAG, AT(one_sided), 0, 0, 0, 0},
    {"keep", 0, 0, "contacts at kinks keep their states", CLI_FLAG, AT(keep), 0, 0, 0, 0},
    {"strict", 0, "X",
     "a contact nearer to a kink than this part of the velocities is at it (default 1e-6)",
     CLI_NUMBER, AT(strict), DBL_MIN, 0.5, "a number > 0 and <= 0.5", 0},
    CLI_READING("PROBLEM", AT(form), AT(format)),
};
#undef AT

enum { DATA = 6 };

typedef struct derive_job {
  derive_options o;
  ss_file *file;
  ss_solution_file *solution_file;
  const char *solution_name;
  ss_solution answer;
  double *solved;           // r, where it was solved for here
  double *direction[DATA];  // mu, f, w, b, q, s; NULL: none
  double *r, *u, *v, *l;    // the derivative
  ss_derivative *d;
  bool found;          // the derivative, or that there is one
  const char *reason;  // why not; in the session's context, or:
  char unsolved[80];
} derive_job;

// ---- the solution ---------------------------------------------------------------------------

static int solve(cli_session *s, derive_job *j) {
  const ss_problem *p = &j->file->problem;
  ss_options o = ss_options_default();
  ss_solver *solver;
  ss_info info;
  j->solved = calloc((size_t)p->dim * (size_t)p->nc + 1, sizeof *j->solved);
  if (!j->solved) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", s->file);
  o.method = "auto", o.tol = 1e-12;
  ss_error e = ss_solver_create(&s->ctx, p, &o, &solver);
  if (!e) {
    e = ss_solve(solver, j->solved, NULL, NULL, NULL, &info);
    ss_solver_destroy(solver);
  }
  if (e) return cli_fail_library(s, s->file, e);
  if (!(info.error <= 1e-8)) {
    snprintf(j->unsolved, sizeof j->unsolved,
             "no solution was given, and none was found (error %.3g)", info.error);
    j->reason = j->unsolved;
    return CLI_GO_ON;
  }
  cli_note(s, "no solution was given: solved to %.2g", info.error);
  j->answer.r = j->solved;
  return CLI_GO_ON;
}

static int load_solution(cli_session *s, derive_job *j) {
  if (j->solution_name) {
    ss_read_options o = {.isolate = true};
    ss_error e = ss_solution_open(&s->ctx, j->solution_name, &o, j->file, &j->solution_file);
    if (e) return cli_fail_library(s, j->solution_name, e);
    j->answer = j->solution_file->solution;
    if (j->answer.r || !j->file->problem.nc) return CLI_GO_ON;
    return cli_fail(s, CLI_INPUT, "%s: found no reactions r, expected a solution",
                    cli_display_name(j->solution_name));
  }
  j->answer = j->file->solution;
  return j->answer.r ? CLI_GO_ON : solve(s, j);
}

// ---- directions -----------------------------------------------------------------------------

static const char *const NAMES[DATA] = {"mu", "f", "w", "b", "q", "s"};

static const double *data_of(const ss_problem *p, int which, int *count) {
  bool reduced = p->form == SS_REDUCED;
  int m = p->dim * p->nc;
  const double *all[DATA] = {p->mu, p->f, p->w, p->b, p->q, p->s};
  const int counts[DATA] = {p->nc,           reduced ? 0 : p->ndof,
                            reduced ? 0 : m, reduced ? 0 : p->nl,
                            reduced ? m : 0, reduced ? p->nl : 0};
  *count = counts[which];
  return all[which];
}

static int wrong_direction(cli_session *s, const derive_job *j, const char *text) {
  char known[64] = "";
  for (int k = 0, count; k < DATA; k++) {
    data_of(&j->file->problem, k, &count);
    if (count)
      snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "",
               NAMES[k]);
  }
  return cli_fail(s, CLI_USAGE,
                  "--along: found \"%s\", expected one of %s (what this problem has), or NAME=K "
                  "with an entry K of it",
                  text, *known ? known : "nothing");
}

static int add_direction(cli_session *s, derive_job *j, const char *text) {
  size_t length = strcspn(text, "=");
  int count = 0, which = 0;
  while (which < DATA && (strlen(NAMES[which]) != length || strncmp(NAMES[which], text, length)))
    which++;
  if (which == DATA) return wrong_direction(s, j, text);
  const double *data = data_of(&j->file->problem, which, &count);
  double entry = -1;
  if (!count) return wrong_direction(s, j, text);
  if (text[length] && (!cli_to_number(text + length + 1, &entry) ||
                       !(entry >= 0 && entry < count) || floor(entry) != entry))
    return wrong_direction(s, j, text);
  double **to = &j->direction[which];
  if (!*to) *to = calloc((size_t)count, sizeof **to);
  if (!*to) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", s->file);
  if (entry >= 0)
    (*to)[(int)entry] += 1;
  else
    for (int k = 0; k < count; k++) (*to)[k] += which == 0 ? 1 : data[k];
  return CLI_GO_ON;
}

// ---- the derivative -------------------------------------------------------------------------

static int take_room(cli_session *s, derive_job *j) {
  const ss_problem *p = &j->file->problem;
  size_t m = (size_t)p->dim * (size_t)p->nc + 1;
  j->r = calloc(m, sizeof *j->r), j->u = calloc(m, sizeof *j->u);
  j->v = calloc((size_t)p->ndof + 1, sizeof *j->v), j->l = calloc((size_t)p->nl + 1, sizeof *j->l);
  return j->r && j->u && j->v && j->l ? CLI_GO_ON
                                      : cli_fail(s, CLI_RESOURCES, "%s: out of memory", s->file);
}

static int differentiate(cli_session *s, derive_job *j) {
  double *const *x = j->direction;
  ss_data_direction dx = {.mu = x[0], .f = x[1], .w = x[2], .b = x[3], .q = x[4], .s = x[5]};
  int status = take_room(s, j);
  if (status != CLI_GO_ON) return status;
  ss_error e = j->o.one_sided ? ss_derivative_one_sided(j->d, &dx, j->r, j->u, j->v, j->l)
                              : ss_derivative_forward(j->d, &dx, j->r, j->u, j->v, j->l);
  if (e && e != SS_ERR_METHOD) return cli_fail_library(s, s->file, e);
  j->found = !e;
  j->reason = e ? s->ctx.message : NULL;
  return CLI_GO_ON;
}

static int derive(cli_session *s, derive_job *j) {
  ss_derivative_options o = ss_derivative_options_default();
  o.strict = j->o.strict, o.keep = j->o.keep;
  ss_error e = ss_derivative_create(&s->ctx, &j->file->problem, &j->answer, &o, &j->d);
  if (e) return cli_fail_library(s, j->solution_name ? j->solution_name : s->file, e);
  if (j->o.along.count) return differentiate(s, j);
  e = ss_derivative_forward(j->d, &(ss_data_direction){0}, NULL, NULL, NULL,
                            NULL);  // is there one at all?
  j->found = !e;
  j->reason = e ? s->ctx.message : NULL;
  return CLI_GO_ON;
}

// ---- what is printed ------------------------------------------------------------------------

static json_t *contacts_json(cli_session *s, const derive_job *j, bool loose) {
  json_t *list = json_array();
  for (int i = 0; i < j->file->problem.nc; i++) {
    ss_rate_place place = ss_derivative_places(j->d)[i];
    bool kink = place == SS_PLACE_EDGE || place == SS_PLACE_GRAZE;
    if (loose ? ss_derivative_loose(j->d)[i] : kink) cli_append(s, list, json_integer(i));
  }
  return list;
}

static json_t *places_json(cli_session *s, const ss_derivative_info *info) {
  json_t *o = json_object();
  for (int k = 0; k < 5; k++)
    cli_put(s, o, ss_rate_place_name((ss_rate_place)k), json_integer(info->places[k]));
  return o;
}

static void put_derivative(cli_session *s, const derive_job *j, json_t *o) {
  const ss_problem *p = &j->file->problem;
  json_t *along = json_array();
  for (int k = 0; k < j->o.along.count; k++) cli_append(s, along, cli_text(j->o.along.items[k]));
  cli_put(s, o, "along", along);
  if (!j->o.along.count || !j->found) return;
  cli_put(s, o, "dr", cli_doubles_json(j->r, p->dim * p->nc));
  cli_put(s, o, "du", cli_doubles_json(j->u, p->dim * p->nc));
  cli_put(s, o, "dv", cli_doubles_json(j->v, p->form == SS_GLOBAL ? p->ndof : 0));
  cli_put(s, o, "dl", cli_doubles_json(j->l, p->nl));
}

static void put_places(cli_session *s, const derive_job *j, json_t *o) {
  const ss_derivative_info *info = ss_derivative_summary(j->d);
  cli_put(s, o, "smoothness", json_string(ss_smoothness_name(info->smoothness)));
  cli_put(s, o, "error", cli_real(info->error));
  cli_put(s, o, "margin", cli_real(info->margin));
  cli_put(s, o, "nearest", json_integer(info->nearest));
  cli_put(s, o, "strict", cli_real(info->strict));
  cli_put(s, o, "places", places_json(s, info));
  cli_put(s, o, "kinks", contacts_json(s, j, false));
  cli_put(s, o, "loose", contacts_json(s, j, true));
  cli_put(s, o, "one_sided", json_boolean(j->o.one_sided));
  put_derivative(s, j, o);
  cli_put(s, o, "unknowns", json_integer(info->unknowns));
  cli_put(s, o, "time_s", cli_real(info->time_s));
}

static int report_json(cli_session *s, const derive_job *j, int status) {
  json_t *o = cli_object(s);
  cli_put(s, o, "solution_file", cli_text(j->solution_name));
  cli_put_sizes(s, o, &j->file->problem);
  cli_put(s, o, "status", json_string(j->found ? "done" : "no_derivative"));
  cli_put(s, o, "reason", cli_text(j->reason));
  if (j->d) put_places(s, j, o);
  return cli_print_json(s, o, status);
}

// Rounding beside the largest is shown as 0.
static void print_vector(const char *name, const double *x, int count) {
  enum { MOST = 12 };
  double most = 0;
  if (!count) return;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  printf("  %-11s", name);
  for (int k = 0; k < count && k < MOST; k++)
    printf(" %.6g", fabs(x[k]) <= 1e-12 * most ? 0 : x[k]);
  printf(count > MOST ? " ... (%d; --json has them all)\n" : "\n", count);
}

static void report_summary(const cli_session *s, const derive_job *j) {
  static const char *const means[] = {
      "differentiable", "velocities are differentiable, not all reactions are unique",
      "not differentiable: contacts at kinks", "not differentiable: singular"};
  const ss_derivative_info *info = ss_derivative_summary(j->d);
  const ss_problem *p = &j->file->problem;
  if (!info) {
    cli_print(stdout, "%s: %s\n", cli_display_name(s->file), j->reason);
    return;
  }
  const int *n = info->places;
  cli_print(stdout, "%s: %s\n", cli_display_name(s->file), means[info->smoothness]);
  cli_line_problem(stdout, p);
  cli_line(stdout, "contacts", "%d free, %d stick, %d slip, %d edge, %d graze", n[0], n[1], n[2],
           n[3], n[4]);
  if (info->nearest >= 0)
    cli_line(stdout, "kink", "nearest at contact %d, %.3g of the velocities away", info->nearest,
             info->margin);
  if (info->loose_count)
    cli_line(stdout, "reactions", "those of %d contacts and joints are not unique",
             info->loose_count);
  if (j->reason) cli_line(stdout, "none", "%s", j->reason);
  if (!j->o.along.count || !j->found) return;
  print_vector("dr", j->r, p->dim * p->nc);
  print_vector("du", j->u, p->dim * p->nc);
  print_vector("dv", j->v, p->form == SS_GLOBAL ? p->ndof : 0);
  print_vector("dl", j->l, p->nl);
}

static int work(cli_session *s, derive_job *j) {
  int status = CLI_GO_ON;
  for (int k = 0; k < j->o.along.count && status == CLI_GO_ON; k++)
    status = add_direction(s, j, j->o.along.items[k]);
  if (status == CLI_GO_ON) status = load_solution(s, j);
  if (status == CLI_GO_ON && !j->reason) status = derive(s, j);
  if (status != CLI_GO_ON) return status;
  status = j->found ? CLI_DONE : CLI_NEGATIVE;
  if (s->json) return report_json(s, j, status);
  report_summary(s, j);
  return status;
}

static void release(derive_job *j) {
  ss_derivative_destroy(j->d);
  for (int k = 0; k < DATA; k++) free(j->direction[k]);
  free(j->solved), free(j->r), free(j->u), free(j->v), free(j->l);
  ss_solution_close(j->solution_file);
  ss_file_close(j->file);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  derive_job j = {.o = {.strict = 1e-6}};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status != CLI_GO_ON) return status;
  const char *problem = args.operands[0];
  j.solution_name = args.operands[1];
  if (j.o.keep && j.o.one_sided)
    return cli_fail(s, CLI_USAGE, "derive: --keep and --one-sided exclude each other");
  if (j.solution_name && strcmp(problem, "-") == 0 && strcmp(j.solution_name, "-") == 0)
    return cli_fail(s, CLI_USAGE, "derive: only one of the two files can be standard input");
  status = cli_open(s, problem, (ss_format)j.o.format, (ss_form_hint)j.o.form, &j.file);
  if (status == CLI_DONE) status = work(s, &j);
  release(&j);
  return status;
}

const cli_command cmd_derive = {
    .name = "derive",
    .operands = "PROBLEM [SOLUTION]",
    .summary = "how a solution changes with friction and loads, and whether it is differentiable",
    .about = "without SOLUTION, that inside PROBLEM, or one that is solved for\n"
             "exit status: 0 there is a derivative, 1 there is none, 2 wrong usage, 3 bad input\n"
             "\n"
             "stickslip derive examples/box.json --along mu\n",
    .operands_min = 1,
    .operands_max = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
