// stickslip status FILE: which contacts part, stick or slip next, predicted from accelerations.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/results.h"
#include "cli/scene_instant.h"

static const char *const methods[] = {"auto", "sweeps", "general", NULL};  // as ss_status_method

typedef struct status_options {
  int method, max_iter, repeat, step;
  double tol, gap_tol, rate_tol, time;
  bool no_count, no_polish;
  const char *output;
} status_options;

#define AT(field) offsetof(status_options, field)
static const cli_option options[] = {
    {"method", 'm', "NAME",
     "sweeps: over the contacts, as published; general: the solvers of this program; auto "
     "(default): "
     "sweeps, then general, then all statuses",
     CLI_WORD, AT(method), 0, 0, 0, methods},
    {"tol", 't', "X",
     "sweeps end where no force changes by more than X of the largest one (default 1e-5)",
     CLI_NUMBER, AT(tol), DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"max-iter", 'n', "N", "sweeps at most (default 1000)", CLI_COUNT, AT(max_iter), 1, INT_MAX,
     "a whole number >= 1", 0},
    {"gap-tol", 0, "X",
     "gaps within X are closed (default 1e-9; of a run step^2 gravity), in units of length",
     CLI_NUMBER, AT(gap_tol), 0, DBL_MAX, "a number >= 0", 0},
    {"rate-tol", 0, "X",
     "rates within X are zero (default 1e-9; of a run step gravity), in units of velocity",
     CLI_NUMBER, AT(rate_tol), 0, DBL_MAX, "a number >= 0", 0},
    {"time", 0, "T",
     "of a scene: run it from event to event up to T (default 0: as it begins); of a run: the "
     "state saved then, or last before (default: the end)",
     CLI_NUMBER, AT(time), 0, DBL_MAX, "a number >= 0", 0},
    {"step", 0, "N", "of a run: the state saved after step N", CLI_COUNT, AT(step), 0, INT_MAX,
     "a whole number >= 0", 0},
    {"no-polish", 0, 0, "leave forces as the sweeps found them, to --tol", CLI_FLAG, AT(no_polish),
     0, 0, 0, 0},
    {"no-count", 0, 0, "do not look for other solutions", CLI_FLAG, AT(no_count), 0, 0, 0, 0},
    {"repeat", 0, "N", "predict N times, report the shortest time (default 1)", CLI_COUNT,
     AT(repeat), 1, INT_MAX, "a whole number >= 1", 0},
    {"output", 'o', "FILE", "write the result there, as JSON", CLI_WRITE, AT(output), 0, 0, 0, 0},
};
#undef AT

typedef struct status_result {
  const ss_file *file;
  const ss_prediction *p;
  const char *const *names;  // of the contacts of a scene; NULL: a problem
  double time;               // of a scene
  double *force, *slip;      // in the axes of the file
  double time_s;
} status_result;

static const char *verdict_of(const ss_prediction *p) {
  return p->solved ? "solved" : p->existence == SS_NONE ? "no_solution" : "not_converged";
}

// ---- JSON -----------------------------------------------------------------------------------

static json_t *numbers(const ss_prediction *p, const double *x, int count) {
  return p->solved ? cli_doubles_json(x, count) : json_null();
}

static json_t *contact_json(cli_session *s, const status_result *a, int i) {
  const ss_prediction *p = a->p;
  const ss_status_contact *c = &p->contacts[i];
  json_t *o = json_object();
  if (a->names) cli_put(s, o, "name", json_string(a->names[i]));
  cli_put(s, o, "state", cli_text(p->solved ? ss_state_name(c->next) : NULL));
  cli_put(s, o, "now", json_string(ss_persistence_name(c->now)));
  cli_put(s, o, "force", numbers(p, a->force + p->dim * i, p->dim));
  cli_put(s, o, "acceleration", numbers(p, a->slip + p->dim * i, p->dim));
  cli_put(s, o, "delta", cli_real(c->delta));
  return o;
}

static bool left_out(const ss_status_contact *c) {
  return c->now == SS_CONTACT_OPEN || c->now == SS_CONTACT_OPENING;
}

static json_t *left_out_json(cli_session *s, const ss_prediction *p) {
  json_t *list = json_array();
  for (int i = 0; i < p->nc; i++)
    if (left_out(&p->contacts[i])) cli_append(s, list, json_integer(i));
  return list;
}

// The states of every solution that was counted.
static json_t *statuses_json(cli_session *s, const ss_prediction *p) {
  if (p->count < 0) return json_null();
  json_t *list = json_array();
  for (int k = 0; k < p->count; k++) {
    json_t *states = json_array();
    for (int i = 0; i < p->nc; i++)
      cli_append(s, states, json_string(ss_state_name(p->statuses[k * p->nc + i])));
    cli_append(s, list, states);
  }
  return list;
}

static json_t *result_json(cli_session *s, const status_result *a) {
  const ss_prediction *p = a->p;
  const ss_problem *system = &a->file->problem;
  json_t *o = cli_object(s), *contacts = json_array();
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "status", json_string(verdict_of(p)));
  cli_put(s, o, "dim", json_integer(p->dim));
  cli_put(s, o, "dofs", json_integer(p->ndof));
  cli_put(s, o, "bilateral", json_integer(system->nl));
  if (a->names) cli_put(s, o, "time", cli_real(a->time));
  for (int i = 0; i < p->nc; i++) cli_append(s, contacts, contact_json(s, a, i));
  cli_put(s, o, "contacts", contacts);
  cli_put(s, o, "left_out", left_out_json(s, p));
  cli_put(s, o, "acceleration", numbers(p, p->acceleration, p->ndof));
  cli_put(s, o, "multipliers", numbers(p, p->multipliers, system->nl));
  cli_put(s, o, "axes", json_string(a->file->normals ? "world" : "contact"));
  cli_put(s, o, "method", json_string(p->method));
  cli_put(s, o, "iterations", json_integer(p->iterations));
  cli_put(s, o, "newton", json_integer(p->newton));
  cli_put(s, o, "error", cli_real(p->error));
  cli_put(s, o, "painleve", json_integer(p->painleve));
  cli_put(s, o, "existence", json_string(ss_existence_name(p->existence)));
  cli_put(s, o, "count", p->count < 0 ? json_null() : json_integer(p->count));
  cli_put(s, o, "rigorous", json_boolean(p->rigorous));
  cli_put(s, o, "statuses", statuses_json(s, p));
  cli_put(s, o, "time_s", cli_real(a->time_s));
  return o;
}

// ---- summary --------------------------------------------------------------------------------

static void print_numbers(const char *label, const double *x, int count) {
  printf("  %s (", label);
  for (int k = 0; k < count; k++) printf("%s%.6g", k ? ", " : "", x[k] == 0 ? 0.0 : x[k]);
  printf(")");
}

static void print_contact(const status_result *a, int i) {
  const ss_prediction *p = a->p;
  const ss_status_contact *c = &p->contacts[i];
  printf("  %-4d %-8s -> %-5s", i, ss_persistence_name(c->now),
         p->solved ? ss_state_name(c->next) : "?");
  if (p->solved && !left_out(c)) print_numbers("force", a->force + p->dim * i, p->dim);
  if (p->solved) print_numbers("acceleration", a->slip + p->dim * i, p->dim);
  if (isfinite(c->delta)) printf("  delta %.6g", c->delta);
  if (a->names) cli_print(stdout, "  %s", a->names[i]);
  putchar('\n');
}

static void print_count(const ss_prediction *p) {
  if (p->count < 0) {
    cli_line(stdout, "solutions", "not counted");
    return;
  }
  cli_line(stdout, "solutions", "%d%s", p->count, p->rigorous ? "" : ", within tolerances");
  for (int k = 0; p->count > 1 && k < p->count; k++) {
    printf("  %-12s", "");
    for (int i = 0; i < p->nc; i++)
      printf("%s%s", i ? " " : "", ss_state_name(p->statuses[k * p->nc + i]));
    putchar('\n');
  }
}

static void print_summary(cli_session *s, const status_result *a) {
  const ss_prediction *p = a->p;
  char sizes[200];
  cli_describe_sizes(&a->file->problem, sizes, sizeof sizes);
  cli_print(stdout, "%s: %s\n", cli_display_name(s->file),
            p->solved                 ? "predicted"
            : p->existence == SS_NONE ? "no solution: no accelerations and forces obey the laws"
                                      : "no solution found");
  cli_line(stdout, "system", "%s", sizes);
  if (a->names) cli_line(stdout, "time", "%.9g", a->time);
  for (int i = 0; i < p->nc; i++) print_contact(a, i);
  if (p->painleve)
    cli_line(stdout, "Painleve", "delta <= 0 at %d sliding contact%s: none or several solutions",
             p->painleve, p->painleve == 1 ? "" : "s");
  print_count(p);
  cli_line(stdout, "existence", "%s", ss_existence_name(p->existence));
  cli_line(stdout, "method", "%s, %d iteration%s, Newton %d, error %.3g", p->method, p->iterations,
           p->iterations == 1 ? "" : "s", p->newton, p->error);
  cli_line(stdout, "time", "%.3g s", a->time_s);
}

// ---- run ------------------------------------------------------------------------------------

static int predict(cli_session *s, const ss_file *file, const status_options *o,
                   ss_prediction **out, double *time_s) {
  ss_instant at = {&file->problem, file->gap, file->rate};
  ss_status_options settings = ss_status_options_default();
  settings.method = (ss_status_method)o->method;
  settings.tol = o->tol, settings.max_iter = o->max_iter;
  settings.gap_tol = o->gap_tol, settings.rate_tol = o->rate_tol;
  settings.count = !o->no_count, settings.polish = !o->no_polish;
  *time_s = INFINITY;
  for (int k = 0; k < o->repeat; k++) {
    double begin_s = cli_now_s();
    ss_prediction_destroy(*out);
    ss_error e = ss_status_predict(&s->ctx, &at, &settings, out);
    if (e) return cli_fail_library(s, s->file, e);
    *time_s = fmin(*time_s, cli_now_s() - begin_s);
  }
  return CLI_GO_ON;
}

static double *in_file_axes(const ss_file *f, const double *x) {
  size_t m = (size_t)f->problem.dim * (size_t)f->problem.nc;
  double *copy = malloc((m + 1) * sizeof *copy);
  if (!copy) return NULL;
  if (m) memcpy(copy, x, m * sizeof *copy);
  ss_file_to_world(f, copy);
  return copy;
}

static int report(cli_session *s, const status_options *o, status_result *a) {
  int status = a->p->solved ? CLI_DONE : CLI_NEGATIVE;
  a->force = in_file_axes(a->file, a->p->force);
  a->slip = in_file_axes(a->file, a->p->slip);
  if (!a->force || !a->slip) return cli_fail(s, CLI_RESOURCES, "out of memory");
  int written = o->output ? cli_write_json(s, result_json(s, a), o->output) : CLI_GO_ON;
  if (written != CLI_GO_ON) return written;
  if (s->json) return cli_print_json(s, result_json(s, a), status);
  print_summary(s, a);
  if (o->output) cli_line(stdout, "written", "%s", o->output);
  return status;
}

static int open_problem(cli_session *s, const char *path, ss_file **file) {
  int status = cli_open_any(s, path, SS_FORMAT_AUTO, SS_FORM_ANY, file);
  if (status == CLI_INPUT && cli_format_by_ending(path) == SS_FORMAT_FCLIB)
    cli_note(s, "tables of mechanisms keep no scene: status SCENE --time T predicts at any time");
  if (status != CLI_DONE) return status;
  if ((*file)->problem.form != SS_GLOBAL)
    return cli_fail(s, CLI_INPUT,
                    "%s: holds the local form (W, q), expected the global one (M, f, H, w): "
                    "a status needs accelerations",
                    cli_display_name(path));
  return CLI_GO_ON;
}

static int work(cli_session *s, const status_options *o, const ss_file *file, status_result *a) {
  ss_prediction *p = NULL;
  int status = predict(s, file, o, &p, &a->time_s);
  a->file = file, a->p = p;
  if (status == CLI_GO_ON) status = report(s, o, a);
  free(a->force);
  free(a->slip);
  ss_prediction_destroy(p);
  return status;
}

static int run_problem(cli_session *s, const status_options *o, const char *path) {
  ss_file *file = NULL;
  status_result a = {0};
  int status = open_problem(s, path, &file);
  if (status == CLI_GO_ON) status = work(s, o, file, &a);
  ss_file_close(file);
  return status;
}

// What was not given: of an exact state that of the library; of one that steps have led to what a step of falling gains.
static void set_tolerances(const cli_scene_instant *x, status_options *o) {
  ss_status_options d = ss_status_options_default();
  const double *g = x->scene ? x->scene->gravity : (const double[3]){0};
  double fall = x->h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  if (o->gap_tol < 0) o->gap_tol = fmax(d.gap_tol, x->h * fall);
  if (o->rate_tol < 0) o->rate_tol = fmax(d.rate_tol, fall);
}

static int run_scene(cli_session *s, status_options *o, const char *path, bool is_run) {
  cli_scene_instant x = {0};
  int status = is_run ? cli_run_instant_open(s, path, o->step, o->time, &x)
                      : cli_scene_instant_open(s, path, fmax(o->time, 0), &x);
  if (status == CLI_GO_ON) {
    ss_file file = {.problem = *x.at->system, .gap = x.at->gap, .rate = x.at->rate};
    status_result a = {.names = x.machine->mechanism.contact, .time = x.time};
    set_tolerances(&x, o);
    status = work(s, o, &file, &a);
  }
  cli_scene_instant_close(&x);
  return status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_status_options d = ss_status_options_default();
  status_options o = {.tol = d.tol,
                      .max_iter = d.max_iter,
                      .gap_tol = -1,
                      .rate_tol = -1,
                      .time = -1,
                      .step = -1,
                      .repeat = 1};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  const char *path = args.operands[0];
  bool is_run = ss_run_is_run(path), scene = is_run || o.time >= 0 || cli_is_scene(path);
  if (o.step >= 0 && (!is_run || o.time >= 0))
    return cli_fail(s, CLI_USAGE, "status: --step is for run files (simulate -o), without --time");
  if (scene) return run_scene(s, &o, path, is_run);
  set_tolerances(&(cli_scene_instant){0}, &o);
  return run_problem(s, &o, path);
}

static const char *scene_name(int i) {
  return ss_scene_builtin(i, NULL, NULL);
}

const cli_command cmd_status = {
    .name = "status",
    .operands = "FILE|SCENE|RUN",
    .summary = "predict which contacts part, stick or slip next, from accelerations",
    .about =
        "FILE is a JSON problem with accelerations for velocities and, optionally, gap and rate;\n"
        "see docs/formats-json.md; a closing contact is an impact and refused; SCENE is one of\n"
        "simulate, at --time; RUN its run file (.h5), at --step or --time\n"
        "stickslip model two-blocks -p kind=stick_slip -p F2=15 | stickslip status -\n"
        "exit status: 0 predicted, 1 no solution (found), 2 wrong usage, 3 bad input\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operand_name = scene_name,
    .run = run,
};
