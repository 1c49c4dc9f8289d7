// "kind": "structure": matrices given by the user.
#ifdef SS_WITH_JANSSON

#include <string.h>

#include "base/error.h"
#include "io/march_reading.h"
#include "la/sparse.h"

static int length_of(const json_t *matrix) {
  if (json_is_array(matrix)) return (int)json_array_size(matrix);
  return (int)json_integer_value(json_object_get(matrix, "rows"));
}

static ss_error read_matrix(ssi_march_reading *g, const char *key, int rows, int cols,
                            ss_sparse *out) {
  ssi_at root = {""}, at = ssi_at_key(&root, key);
  const json_t *value = json_object_get(g->root, key);
  return value ? ssi_json_matrix(&g->in, at.text, value, rows, cols, out) : SS_OK;
}

static ss_error read_vector(ssi_march_reading *g, const char *key, int length, const char *why,
                            const double **out) {
  ssi_at root = {""}, at = ssi_at_key(&root, key);
  const json_t *value = json_object_get(g->root, key);
  double *x = NULL;
  if (value) SS_TRY(ssi_json_vector(&g->in, at.text, value, &length, why, &x));
  *out = x;
  return SS_OK;
}

// ---- H over time -----------------------------------------------------------------------------------

// [[...], ...], or [{"t": 0, "H": [[...], ...]}, ...]
static ss_error read_H(ssi_march_reading *g, ss_structure *s) {
  ssi_at at = {"/H"};
  const json_t *value = json_object_get(g->root, "H"), *first = json_array_get(value, 0);
  bool table = json_is_object(first);
  size_t count = table ? json_array_size(value) : 1;
  if (!value && s->nc == 0) return SS_OK;
  if (!value) return ssi_scene_wrong(&g->in, &at, "missing");
  ss_sparse *H = SSI_TAKE(g->in.arena, count, ss_sparse);
  double *time = SSI_TAKE(g->in.arena, count, double);
  if (!H || !time) return ssi_json_no_memory(&g->in);
  for (size_t k = 0; k < count; k++) {
    ssi_at row = ssi_at_index(&at, k), t = ssi_at_key(&row, "t"), here = ssi_at_key(&row, "H");
    const json_t *each = table ? json_array_get(value, k) : NULL;
    if (table) {
      SS_TRY(ssi_rows_read(&g->in, &row, each, g->dim, &ssi_rows_frame, NULL, &(char){0}));
      SS_TRY(ssi_json_number(&g->in, t.text, json_object_get(each, "t"), &time[k]));
    }
    SS_TRY(ssi_json_matrix(&g->in, table ? here.text : at.text,
                           table ? json_object_get(each, "H") : value, s->dim * s->nc, s->ndof,
                           &H[k]));
  }
  s->H = H, s->H_time = time, s->H_count = (int)count;
  return SS_OK;
}

// ---- terms -----------------------------------------------------------------------------------------

static ss_error read_term(ssi_march_reading *g, const ssi_at *at, const json_t *value, int length,
                          ss_history_term *out) {
  ssi_at here = ssi_at_key(at, "x");
  double *x;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_term, NULL, &(char){0}));
  SS_TRY(ssi_json_vector(&g->in, here.text, json_object_get(value, "x"), &length,
                         "as many as the structure has", &x));
  out->x = x;
  return ssi_march_factor(g, at, value, &out->factor);
}

// A vector, or a list of {"x": [...], "history": ...}.
static ss_error read_terms(ssi_march_reading *g, const char *key, int length,
                           const ss_history_term **out, int *count) {
  ssi_at root = {""}, at = ssi_at_key(&root, key);
  const json_t *value = json_object_get(g->root, key);
  *count = 0, *out = NULL;
  if (!value) return SS_OK;
  bool list = json_is_object(json_array_get(value, 0));
  size_t n = list ? json_array_size(value) : 1;
  ss_history_term *terms = SSI_TAKE(g->in.arena, n, ss_history_term);
  if (!terms) return ssi_json_no_memory(&g->in);
  double *x;
  if (!list) {
    SS_TRY(ssi_json_vector(&g->in, at.text, value, &length, "as many as the structure has", &x));
    terms[0].x = x;
  }
  for (size_t k = 0; list && k < n; k++) {
    ssi_at here = ssi_at_index(&at, k);
    SS_TRY(read_term(g, &here, json_array_get(value, k), length, &terms[k]));
  }
  *out = terms, *count = (int)n;
  return SS_OK;
}

static ss_error prescribed_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                                   void *out) {
  ss_prescribed *p = out;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_prescribed, NULL, p));
  return ssi_march_factor(g, at, value, &p->factor);
}

ss_error ssi_read_structure(ssi_march_reading *g) {
  ss_structure *s = &g->o->file.structure;
  ssi_at root = {""}, title = {"/title"}, held = {"/prescribed"}, mu = {"/mu"};
  const json_t *text = json_object_get(g->root, "title"),
               *friction = json_object_get(g->root, "mu");
  SS_TRY(ssi_rows_read(&g->in, &root, g->root, g->dim, &ssi_rows_structure, NULL, &(char){0}));
  if (text) SS_TRY(ssi_json_text(&g->in, title.text, text, &g->o->file.title));
  s->dim = g->dim, s->ndof = length_of(json_object_get(g->root, "K")), s->nc = -1;
  double *x = NULL;
  if (friction) SS_TRY(ssi_json_vector(&g->in, mu.text, friction, &s->nc, "", &x));
  if (!friction) s->nc = 0;
  s->mu = x;
  SS_TRY(read_matrix(g, "K", s->ndof, s->ndof, &s->K));
  SS_TRY(read_matrix(g, "C", s->ndof, s->ndof, &s->C));
  SS_TRY(read_matrix(g, "M", s->ndof, s->ndof, &s->M));
  SS_TRY(read_H(g, s));
  SS_TRY(read_terms(g, "f", s->ndof, &s->loads, &s->load_count));
  SS_TRY(read_terms(g, "b", s->dim * s->nc, &s->gaps, &s->gap_count));
  SS_TRY(read_terms(g, "w", s->dim * s->nc, &s->slides, &s->slide_count));
  SS_TRY(read_vector(g, "q", s->ndof, "one per degree of freedom", &s->q));
  SS_TRY(read_vector(g, "v", s->ndof, "one per degree of freedom", &s->v));
  void *list;
  SS_TRY(ssi_march_list(g, &held, json_object_get(g->root, "prescribed"), sizeof(ss_prescribed),
                        prescribed_element, &s->prescribed_count, &list));
  s->prescribed = list;
  return SS_OK;
}

#endif
