// io/json_problem.c - the JSON problem and solution of docs/formats-json.md. All sizes come from the
// lengths of vectors (nc from mu, the degrees of freedom from f, the bilateral constraints from b or
// s); matrices must then fit, so nothing is allocated because a file claims to be large.
#include "io/reader.h"

#include "base/error.h"

#include "io/frames.h"
#include "io/json_value.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem_keys[] = {
    "dim",      "mu",      "W", "q",   "V",       "R",     "s",           "M",
    "f",        "H",       "w", "G",   "normals", "title", "description", "math_info",
    "solution", "guesses", "b", "gap", "rate",    NULL};

// One problem on its way from the document into `out`.
typedef struct problem_reading {
  ssi_json in;
  json_t *root;
  ss_file *out;
  double *normals;  // world axes if not NULL
} problem_reading;

static ss_error get_key(const problem_reading *g, const char *key, const char *needed_by,
                        json_t **value) {
  *value = json_object_get(g->root, key);
  if (*value) return SS_OK;
  return ssi_fail(g->in.ctx, SS_ERR_FORMAT, "%s: /%s: missing; %s", g->in.name, key, needed_by);
}

static ss_error read_vector(const problem_reading *g, const char *key, const char *needed_by,
                            int *length, const char *why, double **out) {
  char at[16];
  json_t *value;
  snprintf(at, sizeof at, "/%s", key);
  SS_TRY(get_key(g, key, needed_by, &value));
  return ssi_json_vector(&g->in, at, value, length, why, out);
}

static ss_error read_matrix(const problem_reading *g, const char *key, const char *needed_by,
                            int rows, int cols, ss_sparse *out) {
  char at[16];
  json_t *value;
  snprintf(at, sizeof at, "/%s", key);
  SS_TRY(get_key(g, key, needed_by, &value));
  return ssi_json_matrix(&g->in, at, value, rows, cols, out);
}

static bool has(const problem_reading *g, const char *key) {
  return json_object_get(g->root, key) != NULL;
}

// ---- world axes -----------------------------------------------------------------------------

// 1e-6 lets normals typed or printed with 7 digits pass and catches a direction that was never
// normalised, where scaling silently would hide a mistake.
static ss_error normalise(const problem_reading *g, int i, double *n) {
  double length = g->out->problem.dim == 2 ? hypot(n[0], n[1]) : hypot(hypot(n[0], n[1]), n[2]);
  if (!(fabs(length - 1) <= 1e-6))
    return ssi_fail(g->in.ctx, SS_ERR_FORMAT,
                    "%s: /normals/%d: length %.9g, expected a unit vector to within 1e-6",
                    g->in.name, i, length);
  for (int k = 0; k < g->out->problem.dim; k++) n[k] /= length;
  return SS_OK;
}

static ss_error read_normals(problem_reading *g) {
  json_t *value = json_object_get(g->root, "normals");
  if (!value) return SS_OK;
  int dim = g->out->problem.dim, nc = g->out->problem.nc;
  if (!json_is_array(value) || json_array_size(value) != (size_t)nc)
    return ssi_fail(g->in.ctx, SS_ERR_FORMAT,
                    "%s: /normals: expected an array of %d unit vectors, one per contact",
                    g->in.name, nc);
  double *all = SSI_TAKE(g->in.arena, (size_t)dim * (size_t)nc, double);
  if (!all) return ssi_json_no_memory(&g->in);
  for (int i = 0; i < nc; i++) {
    char at[32];
    double *one;
    snprintf(at, sizeof at, "/normals/%d", i);
    SS_TRY(ssi_json_vector(&g->in, at, json_array_get(value, (size_t)i), &dim, "dim", &one));
    SS_TRY(normalise(g, i, one));
    memcpy(all + dim * i, one, (size_t)dim * sizeof *one);
  }
  g->normals = all;
  g->out->normals = all;
  return SS_OK;
}

static ss_error turn_rows(const problem_reading *g, ss_sparse *A) {
  ss_sparse turned;
  if (!g->normals) return SS_OK;
  if (!ssi_frames_turn_rows(g->in.arena, g->out->problem.dim, g->normals, A, &turned))
    return ssi_json_no_memory(&g->in);
  *A = turned;
  return SS_OK;
}

static ss_error turn_both(const problem_reading *g, ss_sparse *A) {
  ss_sparse turned;
  if (!g->normals) return SS_OK;
  if (!ssi_frames_turn_both(g->in.arena, g->out->problem.dim, g->normals, A, &turned))
    return ssi_json_no_memory(&g->in);
  *A = turned;
  return SS_OK;
}

static void turn_vector(const ss_file *f, const double *normals, double *x) {
  if (normals) ssi_frames_to_contact(f->problem.dim, f->problem.nc, normals, x);
}

// ---- the problem ----------------------------------------------------------------------------

static const char contact_rows[] = "dim times the length of mu";

static ss_error read_reduced(problem_reading *g) {
  static const char needs[] = "the reduced form needs dim, mu, W, q";
  static const char bilateral[] = "bilateral constraints of the reduced form need V, R and s";
  ss_problem *p = &g->out->problem;
  int m = p->dim * p->nc;
  double *q, *s;
  p->form = SS_REDUCED;
  SS_TRY(read_vector(g, "q", needs, &m, contact_rows, &q));
  SS_TRY(read_matrix(g, "W", needs, m, m, &p->W));
  SS_TRY(turn_both(g, &p->W));
  turn_vector(g->out, g->normals, q);
  p->q = q;
  if (!has(g, "V") && !has(g, "R") && !has(g, "s")) return SS_OK;
  p->nl = -1;
  SS_TRY(read_vector(g, "s", bilateral, &p->nl, "", &s));
  SS_TRY(read_matrix(g, "V", bilateral, m, p->nl, &p->V));
  SS_TRY(read_matrix(g, "R", bilateral, p->nl, p->nl, &p->R));
  SS_TRY(turn_rows(g, &p->V));
  p->s = s;
  return SS_OK;
}

static ss_error read_global(problem_reading *g) {
  static const char needs[] = "the global form needs dim, mu, M, f, H, w";
  static const char bilateral[] = "bilateral constraints of the global form need G and b";
  ss_problem *p = &g->out->problem;
  int m = p->dim * p->nc;
  double *f, *w, *b;
  p->form = SS_GLOBAL;
  p->ndof = -1;
  SS_TRY(read_vector(g, "f", needs, &p->ndof, "", &f));
  SS_TRY(read_vector(g, "w", needs, &m, contact_rows, &w));
  SS_TRY(read_matrix(g, "M", needs, p->ndof, p->ndof, &p->M));
  SS_TRY(read_matrix(g, "H", needs, m, p->ndof, &p->H));
  SS_TRY(turn_rows(g, &p->H));
  turn_vector(g->out, g->normals, w);
  p->f = f;
  p->w = w;
  if (!has(g, "G") && !has(g, "b")) return SS_OK;
  p->nl = -1;
  SS_TRY(read_vector(g, "b", bilateral, &p->nl, "", &b));
  SS_TRY(read_matrix(g, "G", bilateral, p->ndof, p->nl, &p->G));
  p->b = b;
  return SS_OK;
}

// Gaps and their rates make it an instant, for `stickslip status`.
static ss_error read_instant(problem_reading *g) {
  static const char unused[] = "";
  const ss_problem *p = &g->out->problem;
  int nc = p->nc, m = p->dim * p->nc;
  double *gap, *rate;
  if (!has(g, "gap") && !has(g, "rate")) return SS_OK;
  if (p->form != SS_GLOBAL)
    return ssi_fail(g->in.ctx, SS_ERR_FORMAT,
                    "%s: /%s: belongs to an instant, which needs the global form M, f, H, w",
                    g->in.name, has(g, "gap") ? "gap" : "rate");
  if (has(g, "gap")) {
    SS_TRY(read_vector(g, "gap", unused, &nc, "the length of mu", &gap));
    g->out->gap = gap;
  }
  if (has(g, "rate")) {
    SS_TRY(read_vector(g, "rate", unused, &m, contact_rows, &rate));
    turn_vector(g->out, g->normals, rate);
    g->out->rate = rate;
  }
  return SS_OK;
}

static const char *first_of(const problem_reading *g, const char *const *keys) {
  while (*keys && !has(g, *keys)) keys++;
  return *keys;
}

static ss_error read_form(problem_reading *g) {
  static const char *const reduced[] = {"W", "q", "V", "R", "s", NULL};
  static const char *const global[] = {"M", "f", "H", "w", "G", "b", NULL};
  const char *a = first_of(g, reduced), *b = first_of(g, global);
  if (a && b)
    return ssi_fail(g->in.ctx, SS_ERR_FORMAT,
                    "%s: /%s belongs to the reduced form and /%s to the global one, expected one",
                    g->in.name, a, b);
  if (!a && !b)
    return ssi_fail(g->in.ctx, SS_ERR_FORMAT,
                    "%s: no problem in it; expected dim, mu and W, q or M, f, H, w", g->in.name);
  return a ? read_reduced(g) : read_global(g);
}

static ss_error read_sizes(problem_reading *g) {
  static const char needs[] = "every problem needs dim and mu";
  ss_problem *p = &g->out->problem;
  json_t *dim;
  double *mu;
  SS_TRY(get_key(g, "dim", needs, &dim));
  SS_TRY(ssi_json_count(&g->in, "/dim", dim, 2, 3, &p->dim));
  p->nc = -1;
  SS_TRY(read_vector(g, "mu", needs, &p->nc, "", &mu));
  if (p->nc > INT_MAX / p->dim)
    return ssi_fail(g->in.ctx, SS_ERR_FORMAT, "%s: /mu: found %d contacts, expected at most %d",
                    g->in.name, p->nc, INT_MAX / p->dim);
  p->mu = mu;
  return SS_OK;
}

static ss_error read_texts(problem_reading *g) {
  json_t *value;
  if ((value = json_object_get(g->root, "title")))
    SS_TRY(ssi_json_text(&g->in, "/title", value, &g->out->title));
  if ((value = json_object_get(g->root, "description")))
    SS_TRY(ssi_json_text(&g->in, "/description", value, &g->out->description));
  if ((value = json_object_get(g->root, "math_info")))
    SS_TRY(ssi_json_text(&g->in, "/math_info", value, &g->out->math_info));
  return SS_OK;
}

// ---- solutions ------------------------------------------------------------------------------

static ss_error read_part(const ssi_json *in, const char *at, const json_t *object, const char *key,
                          int length, const char *why, double **out) {
  const json_t *value = json_object_get(object, key);
  char place[64];
  *out = NULL;
  if (!value) return SS_OK;
  snprintf(place, sizeof place, "%.40s/%s", at, key);
  return ssi_json_vector(in, place, value, &length, why, out);
}

// Keys other than r, u, v, l are somebody else's remarks. `normals`: the file is in world axes.
ss_error ssi_json_solution(const ssi_json *in, const char *at, const json_t *object,
                           const ss_file *f, const double *normals, ss_solution *out) {
  const ss_problem *p = &f->problem;
  int m = p->dim * p->nc;
  double *r, *u, *v = NULL, *l;
  if (!json_is_object(object))
    return ssi_fail(in->ctx, SS_ERR_FORMAT,
                    "%s: %s: expected {\"r\":[], \"u\":[], \"v\":[], \"l\":[]}", in->name, at);
  SS_TRY(read_part(in, at, object, "r", m, "dim times the number of contacts", &r));
  SS_TRY(read_part(in, at, object, "u", m, "dim times the number of contacts", &u));
  if (p->form == SS_GLOBAL)
    SS_TRY(read_part(in, at, object, "v", p->ndof, "the degrees of freedom", &v));
  else if (json_object_get(object, "v"))
    ssi_log(in->ctx, SS_LOG_WARN, "%s: %s.v: ignored, the problem is in reduced form", in->name,
            at);
  SS_TRY(read_part(in, at, object, "l", p->nl, "the bilateral constraints", &l));
  if (r) turn_vector(f, normals, r);
  if (u) turn_vector(f, normals, u);
  *out = (ss_solution){.r = r, .u = u, .v = v, .l = l};
  return SS_OK;
}

static ss_error read_guesses(problem_reading *g) {
  json_t *value = json_object_get(g->root, "guesses");
  if (!value) return SS_OK;
  if (!json_is_array(value) || json_array_size(value) > INT_MAX)
    return ssi_fail(g->in.ctx, SS_ERR_FORMAT, "%s: /guesses: expected an array of {\"r\":[], ...}",
                    g->in.name);
  int count = (int)json_array_size(value);
  ss_solution *all = SSI_TAKE(g->in.arena, count, ss_solution);
  if (!all) return ssi_json_no_memory(&g->in);
  for (int k = 0; k < count; k++) {
    char at[32];
    snprintf(at, sizeof at, "/guesses/%d", k);
    SS_TRY(ssi_json_solution(&g->in, at, json_array_get(value, (size_t)k), g->out, g->normals,
                             &all[k]));
  }
  g->out->guesses = all;
  g->out->guess_count = count;
  return SS_OK;
}

// Elastic bodies, or a structure: read from text as `simulate` does, after what a template has filled in.
static ss_error read_bodies(problem_reading *g) {
  char *text = json_dumps(g->root, 0);
  if (!text) return ssi_json_no_memory(&g->in);
  ssi_source source = {.name = g->in.name, .bytes = text, .size = strlen(text)};
  ss_error e = ssi_read_static(g->in.ctx, &source, g->in.arena, g->out);
  free(text);
  return e;
}

static ss_error read_problem(problem_reading *g) {
  if (has(g, "kind")) return read_bodies(g);
  SS_TRY(ssi_json_keys(&g->in, "/", g->root, problem_keys));
  SS_TRY(read_sizes(g));
  SS_TRY(read_normals(g));
  SS_TRY(read_form(g));
  SS_TRY(read_instant(g));
  SS_TRY(read_texts(g));
  SS_TRY(ssi_json_exact(&g->in, g->root, &g->out->problem, &g->out->exact));
  json_t *solution = json_object_get(g->root, "solution");
  if (solution)
    SS_TRY(ssi_json_solution(&g->in, "/solution", solution, g->out, g->normals, &g->out->solution));
  return read_guesses(g);
}

ss_error ssi_json_problem(const ssi_json *in, json_t *root, ss_file *out) {
  problem_reading g = {.in = *in, .root = root, .out = out};
  *out = (ss_file){.format = SS_FORMAT_JSON};
  return read_problem(&g);
}

ss_error ssi_read_json(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out) {
  ssi_json j = {ctx, in->name, arena};
  json_t *root;
  SS_TRY(ssi_json_parse(&j, in, &root));
  ss_error e = ssi_json_expect(&j, root, SSI_JSON_PROBLEM);
  if (!e) e = ssi_json_problem(&j, root, out);
  json_decref(root);
  return e;
}

// The object that holds r: the document itself, the first of its `solutions`, or the `solution` of
// a whole problem, which is then in that problem's own axes.
static ss_error find_solution(const ssi_json *in, json_t *root, const ss_file *problem,
                              const char **at, json_t **object, const double **normals) {
  json_t *list = json_object_get(root, "solutions"), *inside = json_object_get(root, "solution");
  *normals = problem->normals;
  *at = "";
  *object = root;
  if (json_object_get(root, "r")) return SS_OK;
  if (json_is_array(list)) {
    *at = "/solutions/0";
    *object = json_array_get(list, 0);
  } else if (inside) {
    *at = "/solution";
    *object = inside;
    if (json_object_get(root, "dim") && !json_object_get(root, "normals")) *normals = NULL;
  }
  if (json_object_get(*object, "r")) return SS_OK;
  return ssi_fail(
      in->ctx, SS_ERR_FORMAT,
      "%s: %s/r: missing; expected {\"r\":[], ...} or {\"solutions\":[{\"r\":[], ...}]}", in->name,
      *at);
}

ss_error ssi_read_json_solution(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                ssi_arena *arena, ss_solution *out) {
  ssi_json j = {ctx, in->name, arena};
  json_t *root, *object;
  const char *at;
  const double *normals;
  *out = (ss_solution){0};
  SS_TRY(ssi_json_parse(&j, in, &root));
  ss_error e = find_solution(&j, root, problem, &at, &object, &normals);
  if (!e) e = ssi_json_solution(&j, at, object, problem, normals, out);
  json_decref(root);
  return e;
}
