// The rate problem: how contacts go on from a state when the load changes.
#include "cli/rate_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_rate_laws[] = {"evolution", "increment", NULL};

typedef struct rate_job {
  const ss_file *file;
  json_t *given;
  double *numbers;  // all arrays of the load behind one another
  ss_rate_load load;
  ss_solution_file *state;
} rate_job;

// ---- reading --------------------------------------------------------------------------------

typedef struct rate_key {
  const char *name;
  int count;
  const double **to;
  bool frames;  // given in the axes of the file
} rate_key;

static const char *key_at(const void *keys, int i) {
  const rate_key *k = keys;
  return k[i].name;
}

// {"f": [], "w": []} or {"q": []}, and "mu", "b" or "s".
static int read_key(cli_session *s, rate_job *j, const char *from, const rate_key *k, double *x) {
  json_t *list = json_object_get(j->given, k->name);
  if (!json_is_array(list) || (int)json_array_size(list) != k->count)
    return cli_fail(s, CLI_INPUT, "%s: /%s: expected an array of %d numbers", from, k->name,
                    k->count);
  for (int i = 0; i < k->count; i++) {
    json_t *number = json_array_get(list, (size_t)i);
    x[i] = json_number_value(number);
    if (!json_is_number(number) || !isfinite(x[i]))
      return cli_fail(s, CLI_INPUT, "%s: /%s/%d: expected a number", from, k->name, i);
  }
  // in 2D the turn between the axes is its own inverse
  if (k->frames) ss_file_to_world(j->file, x);
  *k->to = x;
  return CLI_GO_ON;
}

static int read_load(cli_session *s, rate_job *j, const char *from) {
  const ss_problem *p = &j->file->problem;
  int m = p->dim * p->nc;
  ss_rate_load *l = &j->load;
  rate_key global[] = {{"f", p->ndof, &l->f, false},
                       {"w", m, &l->w, true},
                       {"b", p->nl, &l->b, false},
                       {"mu", p->nc, &l->mu, false},
                       {NULL, 0, NULL, false}};
  rate_key reduced[] = {{"q", m, &l->q, true},
                        {"s", p->nl, &l->s, false},
                        {"mu", p->nc, &l->mu, false},
                        {NULL, 0, NULL, false}};
  const rate_key *keys = p->form == SS_GLOBAL ? global : reduced;
  if (!json_is_object(j->given))
    return cli_fail(s, CLI_INPUT, "%s: expected an object as {\"%s\": [...]}", from, keys[0].name);
  j->numbers = malloc(sizeof *j->numbers * (size_t)(2 * m + p->ndof + 2 * p->nl + p->nc + 1));
  if (!j->numbers) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", from);
  double *room = j->numbers;
  const char *name;
  json_t *value;
  json_object_foreach(j->given, name, value) {
    const rate_key *k = keys;
    while (k->name && strcmp(k->name, name) != 0) k++;
    if (!k->name)
      return cli_fail(s, CLI_INPUT, "%s: /%s: unknown key; the nearest is %s", from, name,
                      ss_nearest_name(name, key_at, keys));
    int status = read_key(s, j, from, k, room);
    if (status != CLI_GO_ON) return status;
    room += k->count;
  }
  return CLI_GO_ON;
}

static int open_load(cli_session *s, rate_job *j, const char *text) {
  json_error_t wrong;
  bool inside = *text == '{';
  const char *from = inside ? "--rate" : text;
  j->given = inside ? json_loads(text, JSON_REJECT_DUPLICATES, &wrong)
                    : json_load_file(text, JSON_REJECT_DUPLICATES, &wrong);
  if (!j->given && wrong.line < 0) return cli_fail(s, CLI_INPUT, "%s", wrong.text);
  if (!j->given)
    return cli_fail(s, CLI_INPUT, "%s: line %d, column %d: %s", from, wrong.line, wrong.column,
                    wrong.text);
  return read_load(s, j, from);
}

static int open_state(cli_session *s, rate_job *j, const char *path) {
  if (!path && j->file->solution.r) return CLI_GO_ON;
  if (!path)
    return cli_fail(s, CLI_USAGE, "%s holds no solution: give the state by --state",
                    cli_display_name(s->file));
  ss_read_options o = {.isolate = true};
  ss_error e = ss_solution_open(&s->ctx, path, &o, j->file, &j->state);
  if (e) return cli_fail_library(s, path, e);
  if (!j->state->solution.r) return cli_fail(s, CLI_INPUT, "%s: expected a solution, with r", path);
  return CLI_GO_ON;
}

// ---- reporting ------------------------------------------------------------------------------

static json_t *vector_json(cli_session *s, const rate_job *j, const double *x) {
  int m = 2 * j->file->problem.nc;
  double *turned = malloc(sizeof *turned * (size_t)(m + 1));
  if (!turned) return s->out_of_memory = true, json_null();
  memcpy(turned, x, sizeof *x * (size_t)m);
  ss_file_to_world(j->file, turned);
  for (int k = 0; k < m; k++) turned[k] = turned[k] == 0 ? 0 : turned[k];  // no negative zeros
  json_t *list = cli_doubles_json(turned, m);
  free(turned);
  return list;
}

static json_t *way_json(cli_session *s, const rate_job *j, const ss_rate_way *w) {
  json_t *o = json_object(), *states = json_array();
  for (int i = 0; i < j->file->problem.nc; i++)
    if (json_array_append_new(states, json_string(ss_cell_state_name(w->states[i]))))
      s->out_of_memory = true;
  cli_put(s, o, "kind", json_string(w->time ? "rate" : "direction"));
  cli_put(s, o, "states", states);
  cli_put(s, o, "u", vector_json(s, j, w->u));
  cli_put(s, o, "r", vector_json(s, j, w->r));
  return o;
}

static int report_json(cli_session *s, const rate_job *j, const cli_rate_options *o,
                       const ss_rate_set *set, int status) {
  json_t *x = cli_object(s), *places = json_array(), *ways = json_array();
  cli_put_sizes(s, x, &j->file->problem);
  cli_put(s, x, "law", json_string(cli_rate_laws[o->law]));
  cli_put(s, x, "state_error", cli_real(set->error));
  for (int i = 0; i < set->nc; i++)
    if (json_array_append_new(places, json_string(ss_rate_place_name(set->places[i]))))
      s->out_of_memory = true;
  for (int k = 0; k < set->count; k++)
    if (json_array_append_new(ways, way_json(s, j, &set->ways[k]))) s->out_of_memory = true;
  cli_put(s, x, "places", places);
  cli_put(s, x, "grazing", json_integer(set->grazing));
  cli_put(s, x, "edges", json_integer(set->edges));
  cli_put(s, x, "patterns", json_integer(set->patterns));
  cli_put(s, x, "count", json_integer(set->count));
  cli_put(s, x, "complete", json_boolean(!set->degenerate));
  cli_put(s, x, "degenerate", json_integer(set->degenerate));
  cli_put(s, x, "axes", json_string(j->file->normals ? "world" : "contact"));
  cli_put(s, x, "ways", ways);
  cli_put(s, x, "time_s", cli_real(set->time_s));
  return cli_print_json(s, x, status);
}

static void report_summary(cli_session *s, const rate_job *j, const cli_rate_options *o,
                           const ss_rate_set *set) {
  cli_print(stdout, "%s: %d way%s on (%s)\n", cli_display_name(s->file), set->count,
            set->count == 1 ? "" : "s", cli_rate_laws[o->law]);
  printf("  contacts:");
  for (int i = 0; i < set->nc; i++) printf(" %s", ss_rate_place_name(set->places[i]));
  printf("\n");
  cli_line(stdout, "patterns", "%lld: %d grazing, %d on the edge of the cone",
           (long long)set->patterns, set->grazing, set->edges);
  if (set->degenerate)
    cli_line(stdout, "degenerate", "%d patterns with a whole cone of ways, not listed",
             set->degenerate);
  for (int k = 0; k < set->count; k++) {
    const ss_rate_way *w = &set->ways[k];
    printf("  %d  %s:", k, w->time ? "rate" : "direction, the load standing still");
    for (int i = 0; i < set->nc; i++) printf(" %s", ss_cell_state_name(w->states[i]));
    json_t *u = vector_json(s, j, w->u), *r = vector_json(s, j, w->r);
    printf("\n      u'");
    for (size_t i = 0; i < json_array_size(u); i++)
      printf(" %.10g", json_number_value(json_array_get(u, i)));
    printf("\n      r'");
    for (size_t i = 0; i < json_array_size(r); i++)
      printf(" %.10g", json_number_value(json_array_get(r, i)));
    printf("\n");
    json_decref(u), json_decref(r);
  }
}

static int solve(cli_session *s, const rate_job *j, const cli_rate_options *o) {
  ss_rate_options lib = ss_rate_options_default();
  ss_rate_set *set;
  lib.law = o->law;
  if (!isnan(o->tol)) lib.tol = o->tol;
  const double *r = j->state ? j->state->solution.r : j->file->solution.r;
  ss_error e = ss_rate_enumerate(&s->ctx, &j->file->problem, r, &j->load, &lib, &set);
  if (e) return cli_fail_library(s, s->file, e);
  int status = set->count ? CLI_DONE : CLI_NEGATIVE;
  if (s->json)
    status = report_json(s, j, o, set, status);
  else
    report_summary(s, j, o, set);
  ss_rate_set_destroy(set);
  return status;
}

int cli_rate_run(cli_session *s, const ss_file *file, const cli_rate_options *o) {
  rate_job j = {.file = file};
  if (file->problem.dim != 2)
    return cli_fail(s, CLI_USAGE, "%s: the rate problem is for 2D, found dim %d",
                    cli_display_name(s->file), file->problem.dim);
  int status = open_state(s, &j, o->state);
  if (status == CLI_GO_ON) status = open_load(s, &j, o->rate);
  if (status == CLI_GO_ON) status = solve(s, &j, o);
  ss_solution_close(j.state);
  json_decref(j.given);
  free(j.numbers);
  return status;
}
