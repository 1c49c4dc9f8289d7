// stickslip enumerate FILE: every solution of a 2D problem, isolated ones and continua.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/near_answer.h"
#include "cli/progress.h"
#include "cli/rate_report.h"

enum { CHOOSE, RATIONAL, TOLERANCE };  // words of --arithmetic
static const char *const arithmetics[] = {"auto", "rational", "double", NULL};
static const char *const methods[] = {"tree", "glcp", NULL};  // in the order of ss_enumerate_method

typedef struct enumerate_options {
  double tie_tol, time_limit;
  int max_solutions, starts, repeat, form, format, arithmetic, recheck, method;
  uint64_t seed;
  const char *rate, *state;
  int law;
} enumerate_options;

#define AT(field) offsetof(enumerate_options, field)
static const cli_option options[] = {
    {"tie-tol", 0, "X", "relative distance that still counts as a tie (default 1e-10)", CLI_NUMBER,
     AT(tie_tol), 0, 0.009, "a number in 0 .. 0.009", 0},
    {"arithmetic", 'a', "NAME",
     "auto: exact where numbers are written as fractions; rational: the doubles as they stand; "
     "double: "
     "never exact",
     CLI_WORD, AT(arithmetic), 0, 0, 0, arithmetics},
    {"method", 0, "NAME",
     "tree (default): the tree of states; glcp: the complementarity problem and algorithm of the "
     "paper, up to 10 contacts, in doubles",
     CLI_WORD, AT(method), 0, 0, 0, methods},
    {"recheck", 0, "N",
     "where doubles do not settle the count, try rational arithmetic if that means at most N "
     "contact patterns (default 256); 0: never",
     CLI_COUNT, AT(recheck), 0, INT_MAX, "a whole number >= 0", 0},
    {"max-solutions", 0, "N", "stop after N cells (default 0: no limit)", CLI_COUNT,
     AT(max_solutions), 0, INT_MAX, "a whole number >= 0", 0},
    {"time-limit", 0, "SECONDS", "give up after that long (default 0: no limit)", CLI_NUMBER,
     AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    {"starts", 0, "N", "3D: random starts of the search (default 200)", CLI_COUNT, AT(starts), 1,
     INT_MAX, "a whole number >= 1", 0},
    {"seed", 0, "N", "3D: of the random starts (default 1)", CLI_SEED, AT(seed), 0, 0,
     "a whole number >= 0", 0},
    {"repeat", 0, "N", "enumerate N times, report the shortest time (default 1)", CLI_COUNT,
     AT(repeat), 1, INT_MAX, "a whole number >= 1", 0},
    {"rate", 0, "RATE",
     "the ways on from a state when the load changes: RATE is {\"f\": [...]} (\"q\" in the reduced "
     "form; \"w\", "
     "\"mu\"), or a file with that",
     CLI_TEXT, AT(rate), 0, 0, 0, 0},
    {"state", 0, "SOLUTION", "--rate: the state (default: the solution in FILE)", CLI_READ,
     AT(state), 0, 0, 0, 0},
    {"law", 0, "NAME",
     "--rate: evolution, friction opposes the rate of slip (default); increment, friction opposes "
     "the slip of the state",
     CLI_WORD, AT(law), 0, 0, 0, cli_rate_laws},
    CLI_READING("FILE", AT(form), AT(format)),
};
#undef AT

// ---- progress -------------------------------------------------------------------------------

static int report_progress(void *user, const ss_enumerate_progress *now) {
  cli_progress *p = user;
  bool due = cli_progress_due(p) > 0;
  if (due && p->terminal)
    cli_progress_draw(p, "enumerate", now->fraction, "%5.1f %%  nodes %lld  cells %d  %.1f s",
                      100 * fmin(1, fmax(0, now->fraction)), (long long)now->nodes, now->cells,
                      now->time_s);
  else if (due)
    fprintf(stderr, "enumerate nodes=%lld leaves=%lld cells=%d done=%.4f t=%.2f\n",
            (long long)now->nodes, (long long)now->leaves, now->cells, now->fraction, now->time_s);
  return cli_interrupted();
}

// ---- JSON -----------------------------------------------------------------------------------

typedef struct result {
  const ss_solution_set *set;
  const double *normals;  // 2D, in world axes: vectors are printed in them; NULL: contact frames
} result;

// x in the axes that are printed, with the tangent t = (e_y, -e_x) of the 2D format; no negative
// zeros.
static void turn(const result *a, const double *x, double *out) {
  int dim = a->set->dim;
  for (int i = 0; i < a->set->nc; i++) {
    const double *from = x + dim * i, *e = a->normals ? a->normals + 2 * i : NULL;
    double *to = out + dim * i;
    for (int k = 0; k < dim; k++) to[k] = from[k];
    if (e) to[0] = e[0] * from[0] + e[1] * from[1], to[1] = e[1] * from[0] - e[0] * from[1];
    for (int k = 0; k < dim; k++) to[k] = to[k] == 0 ? 0 : to[k];
  }
}

static json_t *vector_json(cli_session *s, const result *a, const double *x) {
  int m = a->set->dim * a->set->nc;
  double *turned = malloc(sizeof *turned * (size_t)(m + 1));
  if (!turned) return s->out_of_memory = true, json_null();
  turn(a, x, turned);
  json_t *list = cli_doubles_json(turned, m);
  free(turned);
  return list;
}

// In 3D a slip has no sign.
static const char *state_name(int dim, ss_cell_state s) {
  return dim == 3 && s == SS_CELL_SLIP_PLUS ? "slip" : ss_cell_state_name(s);
}

static json_t *states_json(const ss_solution_set *set, const ss_cell_state *states) {
  json_t *list = json_array();
  for (int i = 0; i < set->nc; i++)
    json_array_append_new(list, json_string(state_name(set->dim, states[i])));
  return list;
}

static json_t *points_json(cli_session *s, const result *a, const ss_cell_point *points,
                           int count) {
  json_t *list = json_array();
  for (int k = 0; k < count; k++) {
    json_t *o = json_object();
    cli_put(s, o, "u", vector_json(s, a, points[k].u));
    cli_put(s, o, "r", vector_json(s, a, points[k].r));
    cli_append(s, list, o);
  }
  return list;
}

static json_t *cells_json(cli_session *s, const result *a, const ss_component *c) {
  json_t *list = json_array();
  for (int k = 0; k < c->cell_count; k++) {
    const ss_cell *cell = &c->cells[k];
    json_t *o = json_object();
    cli_put(s, o, "dimension", json_integer(cell->dimension));
    cli_put(s, o, "states", states_json(a->set, cell->states));
    cli_put(s, o, "vertices", points_json(s, a, cell->vertices, cell->vertex_count));
    cli_put(s, o, "rays", points_json(s, a, cell->rays, cell->ray_count));
    cli_append(s, list, o);
  }
  return list;
}

static json_t *solutions_json(cli_session *s, const result *a) {
  json_t *list = json_array();
  const ss_solution_set *set = a->set;
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    json_t *o = json_object();
    cli_put(s, o, "kind", json_string(c->isolated ? "isolated" : "continuum"));
    cli_put(s, o, "dimension", json_integer(c->dimension));
    if (c->isolated) {
      cli_put(s, o, "states", states_json(set, c->states));
      cli_put(s, o, "u", vector_json(s, a, c->u));
      cli_put(s, o, "r", vector_json(s, a, c->r));
      cli_put(s, o, "tie", json_boolean(c->tie));
      cli_put(s, o, "index", c->index ? json_integer(c->index) : json_null());
      cli_put(s, o, "error", cli_real(c->error));
    } else {
      cli_put(s, o, "cells", cells_json(s, a, c));
    }
    cli_append(s, list, o);
  }
  return list;
}

static const char *const degree_names[] = {"not_applicable", "holds", "violated"};

// What the list says of existence: beyond the rounding of the data, or nothing.
static ss_existence existence(const ss_solution_set *set) {
  if (set->certain || (set->rigorous && set->count > 0)) return SS_EXISTS;
  return set->rigorous ? SS_NONE : SS_UNDECIDED;
}

static const char *reason(const ss_solution_set *set) {
  if (existence(set) != SS_UNDECIDED) return "enumeration";
  return !set->complete ? "incomplete" : set->doubtful ? "data" : "tolerance";
}

static int report_json(cli_session *s, const ss_problem *p, const result *a,
                       const enumerate_options *o, int status) {
  const ss_solution_set *set = a->set;
  json_t *j = cli_object(s);
  cli_put_sizes(s, j, p);
  cli_put(s, j, "method", p->dim == 2 ? json_string(methods[o->method]) : json_null());
  cli_put(s, j, "verdict", json_string(ss_existence_name(existence(set))));
  cli_put(s, j, "reason", json_string(reason(set)));
  cli_put(s, j, "count", json_integer(set->count));
  cli_put(s, j, "complete", json_boolean(set->complete));
  cli_put(s, j, "rigorous", json_boolean(set->rigorous));
  cli_put(s, j, "exact", json_boolean(set->exact));
  cli_put(s, j, "tie_tolerance", set->exact ? json_null() : cli_real(o->tie_tol));
  cli_put(s, j, "ties", json_integer(set->ties));
  cli_put(s, j, "stopped", cli_text(set->stopped));
  cli_put(s, j, "unique_velocity", json_boolean(set->unique_velocity));
  cli_put(s, j, "degree", json_string(degree_names[set->degree]));
  cli_put(s, j, "degree_sum", set->degree ? json_integer(set->degree_sum) : json_null());
  cli_put(s, j, "recheck", json_string(ss_recheck_name(set->recheck)));
  cli_put(s, j, "recheck_count", set->recheck ? json_integer(set->recheck_count) : json_null());
  cli_put(s, j, "singular", json_boolean(set->singular));
  bool rays = o->method == SS_ENUMERATE_GLCP;
  cli_put(s, j, "nodes", json_integer(set->nodes));
  cli_put(s, j, "patterns_solved", json_integer(rays ? 0 : set->leaves));
  cli_put(s, j, "rays", rays ? json_integer(set->rays_most) : json_null());
  cli_put(s, j, "axes", json_string(a->normals ? "world" : "contact"));
  cli_put(s, j, "solutions", solutions_json(s, a));
  cli_put(s, j, "time_s", cli_real(set->time_s));
  return cli_print_json(s, j, status);
}

// ---- summary --------------------------------------------------------------------------------

static void print_states(const ss_solution_set *set, const ss_cell_state *states) {
  for (int i = 0; i < set->nc; i++) printf("%s%s", i ? " " : "", state_name(set->dim, states[i]));
}

static void print_vector(const char *label, const result *a, const double *x) {
  int m = a->set->dim * a->set->nc;
  double *turned = malloc(sizeof *turned * (size_t)(m + 1));
  printf("      %s", label);
  if (turned) turn(a, x, turned);
  for (int k = 0; turned && k < m; k++) printf(" %.10g", turned[k]);
  free(turned);
  putchar('\n');
}

static void print_component(const result *a, int number) {
  const ss_solution_set *set = a->set;
  const ss_component *c = &set->components[number];
  if (c->isolated) {
    printf("  %d  isolated: ", number);
    print_states(set, c->states);
    printf("%s\n", c->tie ? "   (a tie of states)" : "");
    print_vector("u", a, c->u);
    print_vector("r", a, c->r);
    return;
  }
  printf("  %d  continuum of dimension %d, %d cell%s\n", number, c->dimension, c->cell_count,
         c->cell_count == 1 ? "" : "s");
  for (int k = 0; k < c->cell_count; k++) {
    const ss_cell *cell = &c->cells[k];
    printf("    ");
    print_states(set, cell->states);
    printf(": dimension %d\n", cell->dimension);
    for (int v = 0; v < cell->vertex_count; v++) {
      print_vector("vertex u", a, cell->vertices[v].u);
      print_vector("       r", a, cell->vertices[v].r);
    }
    for (int v = 0; v < cell->ray_count; v++) {
      print_vector("ray    u", a, cell->rays[v].u);
      print_vector("       r", a, cell->rays[v].r);
    }
  }
}

static void print_recheck(const ss_solution_set *set) {
  if (set->recheck == SS_RECHECK_CONFIRMED)
    cli_line(stdout, "recheck", "doubles did not settle it; rational arithmetic agrees");
  else if (set->recheck == SS_RECHECK_REPLACED)
    cli_line(stdout, "recheck", "doubles failed; this is the answer of rational arithmetic");
  else
    cli_line(stdout, "recheck",
             "the doubles as they stand have %d, others: that rests on the rounding of the data",
             set->recheck_count);
}

static void report_summary(cli_session *s, const ss_problem *p, const result *a,
                           const enumerate_options *o) {
  const ss_solution_set *set = a->set;
  cli_print(stdout, "%s: %d solution%s%s\n", cli_display_name(s->file), set->count,
            set->count == 1 ? "" : "s", set->complete ? "" : " found; the search is not complete");
  cli_line_problem(stdout, p);
  if (set->dim == 3)
    cli_line(stdout, "method", "search from %d starts, solutions traced over friction", o->starts);
  else if (set->exact)
    cli_line(stdout, "ties", "exact");
  else if (set->ties)
    cli_line(stdout, "ties", "%d decisions within %g, taken as equal", set->ties, o->tie_tol);
  else
    cli_line(stdout, "ties", "none within %g", o->tie_tol);
  if (set->rigorous)
    cli_line(stdout, "count", "rigorous");
  else if (set->complete && set->doubtful)
    cli_line(
        stdout, "count",
        "depends on less than the rounding of the data%s; numbers written as fractions are exact",
        set->certain ? ", though a solution exists" : "");
  else if (set->complete)
    cli_line(stdout, "count",
             "decided within the tolerance; numbers written as fractions are decided exactly");
  else
    cli_line(stdout, "count", "a lower bound (%s)", set->stopped);
  if (set->recheck) print_recheck(set);
  if (set->degree) cli_line(stdout, "degree", "%d, %s", set->degree_sum, degree_names[set->degree]);
  if (set->count) cli_line(stdout, "velocity", set->unique_velocity ? "unique" : "not unique");
  if (set->dim == 3)
    cli_line(stdout, "work", "%lld solves, %.3g s", (long long)set->nodes, set->time_s);
  else if (o->method == SS_ENUMERATE_GLCP)
    cli_line(stdout, "work", "at most %d rays at once, %lld pairs of them, %.3g s", set->rays_most,
             (long long)set->leaves, set->time_s);
  else
    cli_line(stdout, "work", "%lld nodes, %lld patterns solved, %.3g s", (long long)set->nodes,
             (long long)set->leaves, set->time_s);
  for (int k = 0; k < set->count; k++) print_component(a, k);
}

// ---- run ------------------------------------------------------------------------------------

static int enumerate(cli_session *s, const ss_file *file, const enumerate_options *o,
                     ss_solution_set **out) {
  cli_progress progress;
  ss_enumerate_options e = ss_enumerate_options_default();
  e.tie_tol = o->tie_tol;
  e.method = (ss_enumerate_method)o->method;
  e.exact = o->arithmetic == TOLERANCE || o->method == SS_ENUMERATE_GLCP ? NULL : file->exact;
  e.rational = o->arithmetic == RATIONAL;
  e.recheck = o->arithmetic == TOLERANCE ? 0 : o->recheck;
  e.max_solutions = o->max_solutions;
  e.starts = o->starts;
  e.seed = o->seed;
  e.verify = true;
  e.progress = report_progress;
  e.user = &progress;
  bool gmp = false;
  for (int k = 0; ss_capability(k, &gmp) && strcmp(ss_capability(k, &gmp), "gmp") != 0; k++)
    continue;
  if (e.exact && !gmp) {
    cli_note(s, "numbers are written as fractions, but this build has no GMP: ties by --tie-tol");
    e.exact = NULL;
  }
  double best = INFINITY;
  cli_progress_begin(&progress, s, 1);
  for (int k = 0; k < o->repeat && !cli_interrupted(); k++) {
    ss_solution_set_destroy(*out);
    e.time_limit_s = cli_time_left(s, o->time_limit);
    ss_error err = ss_enumerate(&s->ctx, &file->problem, &e, out);
    cli_progress_erase(&progress);
    if (err) return cli_progress_end(&progress), cli_fail_library(s, s->file, err);
    best = fmin(best, (*out)->time_s);
  }
  bool interrupted = cli_interrupted();
  cli_progress_end(&progress);
  if (interrupted) return cli_fail(s, CLI_RESOURCES, "%s: interrupted", cli_display_name(s->file));
  (*out)->time_s = best;
  return CLI_GO_ON;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  enumerate_options o = {.tie_tol = NAN, .recheck = 256, .starts = 200, .repeat = 1, .seed = 1};
  cli_args args;
  ss_file *file = NULL;
  ss_solution_set *set = NULL;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  cli_rate_options rate = {o.rate, o.state, (ss_rate_law)o.law, o.tie_tol};
  if (isnan(o.tie_tol)) o.tie_tol = ss_enumerate_options_default().tie_tol;
  if (o.method == SS_ENUMERATE_GLCP && (o.arithmetic == RATIONAL || o.rate))
    return cli_fail(s, CLI_USAGE, "enumerate: --method glcp and %s exclude each other",
                    o.rate ? "--rate" : "--arithmetic rational");
  if (!o.rate && o.state)
    return cli_fail(s, CLI_USAGE, "enumerate: --state is for --rate, which is missing");
  status = cli_open(s, args.operands[0], (ss_format)o.format, (ss_form_hint)o.form, &file);
  if (status == CLI_DONE)
    status = o.rate ? cli_rate_run(s, file, &rate) : enumerate(s, file, &o, &set);
  if (status == CLI_GO_ON) {
    result a = {set, file->problem.dim == 2 ? file->normals : NULL};
    status = set->count ? CLI_DONE : CLI_NEGATIVE;
    if (existence(set) == SS_NONE) cli_note_near_answer(s, file, o.time_limit);
    if (s->json)
      status = report_json(s, &file->problem, &a, &o, status);
    else
      report_summary(s, &file->problem, &a, &o);
  }
  ss_solution_set_destroy(set);
  ss_file_close(file);
  return status;
}

const cli_command cmd_enumerate = {
    .name = "enumerate",
    .operands = "FILE",
    .summary = "list every solution of a 2D problem, isolated ones and continua",
    .about = "in 3D a search from many starts, never complete\n"
             "exit status: 0 at least one solution, 1 none found, 2 wrong usage, 3 bad input\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
