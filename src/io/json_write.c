// io/json_write.c - the JSON problem and solution, laid out for people: one line per key, dense
// matrices one line per row. Reading back gives the same bits: see ssi_output_number, and triplets
// (which keep stored zeros) wherever rows would lose something.
#include "io/reader.h"

#include "base/error.h"

#include "io/frames.h"
#include "la/sparse.h"
#include "stickslip/enumerate.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_MOST = 400 };  // numbers of a matrix that is still read easily as rows

// Keys of one object: `first` until one has been written.
typedef struct writing {
  ssi_output *out;
  const char *indent;
  bool first;
} writing;

static void put_key(writing *w, const char *key) {
  ssi_output_text(w->out, "%s\n%s\"%s\": ", w->first ? "" : ",", w->indent, key);
  w->first = false;
}

// Where the number is known as text ("3/5"), that text; it holds digits, signs, points and a slash.
static void put_number(ssi_output *out, double x, const char *exact) {
  if (exact)
    ssi_output_text(out, "\"%s\"", exact);
  else
    ssi_output_number(out, x);
}

static void put_numbers(ssi_output *out, const double *x, const char *const *exact, int64_t count) {
  ssi_output_text(out, "[");
  for (int64_t k = 0; k < count; k++) {
    if (k) ssi_output_text(out, ", ");
    put_number(out, x[k], exact ? exact[k] : NULL);
  }
  ssi_output_text(out, "]");
}

static void put_vector(writing *w, const char *key, const double *x, const char *const *exact,
                       int count) {
  put_key(w, key);
  put_numbers(w->out, x, exact, count);
}

// Bytes that are no UTF-8 (an old title from another format) become '?': JSON cannot hold them.
static ss_error put_text(ss_context *ctx, writing *w, const char *key, const char *text) {
  if (!text) return SS_OK;
  json_t *value = json_string(text);
  if (!value) {
    size_t length = strlen(text);
    char *plain = ssi_alloc(ctx, length + 1, 1);
    if (!plain) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to write %s", key);
    for (size_t k = 0; k <= length; k++) plain[k] = (unsigned char)text[k] < 128 ? text[k] : '?';
    value = json_string(plain);
    ssi_release(ctx, plain);
  }
  char *dump = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
  json_decref(value);
  if (!dump) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to write %s", key);
  put_key(w, key);
  ssi_output_text(w->out, "%s", dump);
  free(dump);
  return SS_OK;
}

static bool reads_well_as_rows(const ss_sparse *A) {
  if (A->rows == 0 || A->cols == 0 || A->cols > DENSE_MOST / A->rows) return false;
  for (int64_t k = 0; k < ssi_sparse_entries(A); k++)
    if (A->x[k] == 0) return false;  // rows do not tell a stored zero from none
  return true;
}

static void put_rows(writing *w, const ss_sparse *A, const char *const *exact) {
  double row[DENSE_MOST];
  const char *texts[DENSE_MOST];
  for (int i = 0; i < A->rows; i++) {
    memset(row, 0, sizeof row);
    memset(texts, 0, sizeof texts);
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      row[A->col[k]] = A->x[k];
      if (exact) texts[A->col[k]] = exact[k];
    }
    ssi_output_text(w->out, i ? ",\n%s  " : "[\n%s  ", w->indent);
    put_numbers(w->out, row, texts, A->cols);
  }
  ssi_output_text(w->out, "]");
}

static void put_triplets(writing *w, const ss_sparse *A, const char *const *exact) {
  int64_t count = ssi_sparse_entries(A);
  ssi_output_text(w->out, "{\"rows\": %d, \"cols\": %d,\n%s  \"i\": [", A->rows, A->cols,
                  w->indent);
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      ssi_output_text(w->out, k ? ", %d" : "%d", i);
  ssi_output_text(w->out, "],\n%s  \"j\": [", w->indent);
  for (int64_t k = 0; k < count; k++) ssi_output_text(w->out, k ? ", %d" : "%d", A->col[k]);
  ssi_output_text(w->out, "],\n%s  \"x\": ", w->indent);
  put_numbers(w->out, A->x, exact, count);
  ssi_output_text(w->out, "}");
}

static void put_matrix(writing *w, const char *key, const ss_sparse *A, const char *const *exact) {
  put_key(w, key);
  if (reads_well_as_rows(A))
    put_rows(w, A, exact);
  else
    put_triplets(w, A, exact);
}

static void put_reduced(writing *w, const ss_problem *p, const ss_exact *e) {
  int m = p->dim * p->nc;
  put_matrix(w, "W", &p->W, e->W);
  put_vector(w, "q", p->q, e->q, m);
  if (!p->nl) return;
  put_matrix(w, "V", &p->V, e->V);
  put_matrix(w, "R", &p->R, e->R);
  put_vector(w, "s", p->s, e->s, p->nl);
}

static void put_global(writing *w, const ss_problem *p, const ss_exact *e) {
  int m = p->dim * p->nc;
  put_matrix(w, "M", &p->M, e->M);
  put_vector(w, "f", p->f, e->f, p->ndof);
  put_matrix(w, "H", &p->H, e->H);
  put_vector(w, "w", p->w, e->w, m);
  if (!p->nl) return;
  put_matrix(w, "G", &p->G, e->G);
  put_vector(w, "b", p->b, e->b, p->nl);
}

// ---- solutions ------------------------------------------------------------------------------

static bool is_empty(const ss_solution *s) {
  return !s->r && !s->u && !s->v && !s->l;
}

static ss_error check_finite(ss_context *ctx, const char *path, const char *what, const double *x,
                             int count) {
  for (int k = 0; x && k < count; k++)
    if (!isfinite(x[k]))
      return ssi_fail(ctx, SS_ERR_DATA, "%s: %s[%d] of the solution is %g, which JSON cannot hold",
                      path, what, k, x[k]);
  return SS_OK;
}

static ss_error check_solution(ss_context *ctx, const char *path, const ss_problem *p,
                               const ss_solution *s) {
  SS_TRY(check_finite(ctx, path, "r", s->r, p->dim * p->nc));
  SS_TRY(check_finite(ctx, path, "u", s->u, p->dim * p->nc));
  SS_TRY(check_finite(ctx, path, "v", s->v, p->ndof));
  return check_finite(ctx, path, "l", s->l, p->nl);
}

static void put_solution(writing *w, const ss_problem *p, const ss_solution *s) {
  if (s->r) put_vector(w, "r", s->r, NULL, p->dim * p->nc);
  if (s->u) put_vector(w, "u", s->u, NULL, p->dim * p->nc);
  if (s->v && p->form == SS_GLOBAL) put_vector(w, "v", s->v, NULL, p->ndof);
  if (s->l) put_vector(w, "l", s->l, NULL, p->nl);
}

static void put_solution_object(ssi_output *out, const ss_problem *p, const ss_solution *s) {
  writing inner = {out, "    ", true};
  ssi_output_text(out, "{");
  put_solution(&inner, p, s);
  ssi_output_text(out, "}");
}

// ---- files ----------------------------------------------------------------------------------

static ss_error put_file(ss_context *ctx, ssi_output *out, const ss_file *what) {
  writing w = {out, "  ", true};
  const ss_problem *p = &what->problem;
  const ss_exact none = {0}, *exact = what->exact ? what->exact : &none;
  ssi_output_text(out, "{");
  SS_TRY(put_text(ctx, &w, "title", what->title));
  SS_TRY(put_text(ctx, &w, "description", what->description));
  SS_TRY(put_text(ctx, &w, "math_info", what->math_info));
  put_key(&w, "dim");
  ssi_output_text(out, "%d", p->dim);
  put_vector(&w, "mu", p->mu, exact->mu, p->nc);
  if (p->form == SS_GLOBAL)
    put_global(&w, p, exact);
  else
    put_reduced(&w, p, exact);
  if (what->gap) put_vector(&w, "gap", what->gap, NULL, p->nc);
  if (what->rate) put_vector(&w, "rate", what->rate, NULL, p->dim * p->nc);
  if (!is_empty(&what->solution)) {
    put_key(&w, "solution");
    put_solution_object(out, p, &what->solution);
  }
  if (what->guess_count) {
    put_key(&w, "guesses");
    for (int k = 0; k < what->guess_count; k++) {
      ssi_output_text(out, k ? ", " : "[");
      put_solution_object(out, p, &what->guesses[k]);
    }
    ssi_output_text(out, "]");
  }
  ssi_output_text(out, "\n}\n");
  return SS_OK;
}

ss_error ssi_write_json(ss_context *ctx, const char *path, const ss_file *what) {
  ssi_output *out;
  SS_TRY(check_solution(ctx, path, &what->problem, &what->solution));
  for (int k = 0; k < what->guess_count; k++)
    SS_TRY(check_solution(ctx, path, &what->problem, &what->guesses[k]));
  SS_TRY(ssi_output_begin(ctx, path, &out));
  ss_error e = put_file(ctx, out, what);
  if (!e) return ssi_output_commit(ctx, out);
  ssi_output_abandon(out);
  return e;
}

// A copy of x (dim nc) in world axes; x itself where there are no normals or no x.
static const double *in_world(ssi_arena *arena, const ss_file *f, const double *x) {
  size_t m = (size_t)f->problem.dim * (size_t)f->problem.nc;
  if (!x || !f->normals || m == 0) return x;
  double *copy = SSI_TAKE(arena, m, double);
  if (!copy) return NULL;
  memcpy(copy, x, m * sizeof *copy);
  ssi_frames_to_world(f->problem.dim, f->problem.nc, f->normals, copy);
  return copy;
}

ss_error ssi_write_json_solution(ss_context *ctx, const char *path, const ss_file *problem,
                                 const ss_solution *solution) {
  ssi_arena arena = {.ctx = ctx};
  ssi_output *out = NULL;
  ss_solution world = *solution;
  world.r = in_world(&arena, problem, solution->r);
  world.u = in_world(&arena, problem, solution->u);
  ss_error e = arena.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to write it", path)
                            : check_solution(ctx, path, &problem->problem, &world);
  if (!e) e = ssi_output_begin(ctx, path, &out);
  if (!e) {
    writing w = {out, "  ", true};
    ssi_output_text(out, "{");
    put_solution(&w, &problem->problem, &world);
    ssi_output_text(out, "\n}\n");
    e = ssi_output_commit(ctx, out);
  }
  ssi_arena_release(&arena);
  return e;
}
