// Files of elastic bodies and structures: what both have, histories, stepping, solver, output.
#include "stickslip/march_file.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/builtin.h"

const char *ss_march_builtin(int index, const char **about, const char **text) {
  return ssi_builtin_at(ssi_builtin_structures, index, about, text);
}

#ifdef SS_WITH_JANSSON

#include "io/march_reading.h"

bool ss_march_file_is(const char *text) {
  json_t *root = text ? json_loads(text, 0, NULL) : NULL;
  const char *kind = json_string_value(json_object_get(root, "kind"));
  bool is = kind && (strcmp(kind, "elastic") == 0 || strcmp(kind, "structure") == 0);
  json_decref(root);
  return is;
}

// ---- lists and histories ---------------------------------------------------------------------------

ss_error ssi_march_list(ssi_march_reading *g, const ssi_at *at, const json_t *list, size_t size,
                        ssi_march_element element, int *count, void **out) {
  *count = 0, *out = NULL;
  if (!list) return SS_OK;
  if (!json_is_array(list)) return ssi_scene_wrong(&g->in, at, "expected an array");
  size_t n = json_array_size(list);
  if (n > INT32_MAX / 64) return ssi_scene_wrong(&g->in, at, "too many elements");
  char *all = ssi_arena_take(g->in.arena, n + 1, size);
  if (!all) return ssi_json_no_memory(&g->in);
  for (size_t k = 0; k < n; k++) {
    ssi_at here = ssi_at_index(at, k);
    SS_TRY(element(g, &here, json_array_get(list, k), all + k * size));
  }
  *count = (int)n, *out = all;
  return SS_OK;
}

static ss_error read_history(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                             ss_history *out) {
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_history, NULL, out));
  const json_t *table = json_object_get(value, "table"), *sine = json_object_get(value, "sine");
  if (!table == !sine) return ssi_scene_wrong(&g->in, at, "expected either \"table\" or \"sine\"");
  ssi_at here = ssi_at_key(at, table ? "table" : "sine");
  if (sine) return ssi_rows_read(&g->in, &here, sine, g->dim, &ssi_rows_sine, NULL, out);
  double *rows;
  SS_TRY(ssi_read_table(&g->in, &here, table, 2, &out->rows, &rows));
  out->table = rows;
  return SS_OK;
}

static ss_error read_histories(ssi_march_reading *g) {
  ssi_at at = {"/histories"};
  json_t *all = json_object_get(g->root, "histories"), *value;
  const char *name;
  if (!all) return SS_OK;
  if (!json_is_object(all)) return ssi_scene_wrong(&g->in, &at, "expected an object of histories");
  g->histories = SSI_TAKE(g->in.arena, json_object_size(all) + 1, ss_history);
  if (!g->histories) return ssi_json_no_memory(&g->in);
  int k = 0;
  json_object_foreach(all, name, value) {
    ssi_at here = ssi_at_key(&at, name);
    SS_TRY(read_history(g, &here, value, &g->histories[k]));
    if (json_object_set_new(g->history, name, json_integer(k++))) return ssi_json_no_memory(&g->in);
  }
  return SS_OK;
}

ss_error ssi_march_factor(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                          const ss_history **out) {
  const json_t *name = json_object_get(value, "history");
  ssi_at here = ssi_at_key(at, "history");
  *out = NULL;
  if (!name) return SS_OK;
  if (json_is_object(name)) {  // one of its own, without a name
    ss_history *own = SSI_TAKE(g->in.arena, 1, ss_history);
    if (!own) return ssi_json_no_memory(&g->in);
    *out = own;
    return read_history(g, &here, name, own);
  }
  int k;
  SS_TRY(ssi_find_name(&g->in, &here, g->history, "history", name, &k));
  *out = &g->histories[k];
  return SS_OK;
}

// ---- stepping --------------------------------------------------------------------------------------

static ss_error read_stepping(ssi_march_reading *g) {
  ss_march_file *f = &g->o->file;
  ssi_at at = {"/stepping"}, output_at = {"/output"};
  const json_t *stepping = json_object_get(g->root, "stepping");
  const json_t *output = json_object_get(g->root, "output");
  ssi_stepping_rows rows = {.o = ss_march_options_default()};
  f->every = 1;
  if (!stepping) return ssi_scene_wrong(&g->in, &at, "missing");
  SS_TRY(ssi_rows_read(&g->in, &at, stepping, g->dim, &ssi_rows_stepping, NULL, &rows));
  if (output)
    SS_TRY(ssi_rows_read(&g->in, &output_at, output, g->dim, &ssi_rows_output, NULL, &f->every));
  rows.o.go_on = rows.unsolved == 1;
  SS_TRY(ssi_read_solver(&g->in, json_object_get(g->root, "solver"), &rows.o.solver));
  f->stepping = f->scene.stepping = rows.o;
  f->scene.redistribute_mass = rows.redistribute_mass;
  return SS_OK;
}

static ss_error read_kind(ssi_march_reading *g) {
  ssi_at at = {"/kind"};
  const char *kind = json_string_value(json_object_get(g->root, "kind"));
  g->o->file.elastic = kind && strcmp(kind, "elastic") == 0;
  if (!kind || (!g->o->file.elastic && strcmp(kind, "structure") != 0))
    return ssi_scene_wrong(&g->in, &at, "expected \"elastic\" or \"structure\"");
  return SS_OK;
}

static ss_error read_file(ssi_march_reading *g) {
  ssi_at dim = {"/dim"};
  const json_t *value = json_object_get(g->root, "dim");
  SS_TRY(read_kind(g));
  g->dim = 2;
  if (value) SS_TRY(ssi_json_count(&g->in, dim.text, value, 2, 3, &g->dim));
  g->o->file.scene = ss_elastic_scene_default(g->dim);
  SS_TRY(read_histories(g));
  SS_TRY(g->o->file.elastic ? ssi_read_elastic(g) : ssi_read_structure(g));
  return read_stepping(g);
}

// ---- the file --------------------------------------------------------------------------------------

static ss_error parse(ss_context *ctx, const ssi_source *source, const char *folder,
                      ssi_march_owner *o) {
  ssi_march_reading g = {.in = {ctx, source->name, &o->arena}, .o = o, .folder = folder};
  SS_TRY(ssi_json_parse(&g.in, source, &g.root));
  g.material = json_object(), g.history = json_object();
  ss_error e = g.material && g.history ? read_file(&g) : ssi_json_no_memory(&g.in);
  json_decref(g.material);
  json_decref(g.history);
  json_decref(g.root);
  return e;
}

ss_error ss_march_file_parse(ss_context *ctx, const char *name, const char *folder,
                             const char *text, size_t size, ss_march_file **out) {
  if (!out || !text) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_march_file_parse: null argument");
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ssi_march_owner *o = SSI_TAKE(&arena, 1, ssi_march_owner);
  if (!o) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a file of elastic bodies");
  o->ctx = ctx, o->arena = arena;
  ssi_source source = {.name = name ? name : "file", .bytes = text, .size = size};
  ss_error e = parse(ctx, &source, folder, o);
  if (e)
    ss_march_file_close(&o->file);
  else
    *out = &o->file;
  return e;
}

void ss_march_file_close(ss_march_file *f) {
  if (!f) return;
  ssi_march_owner *o = (ssi_march_owner *)f;
  for (int k = 0; k < o->mesh_count; k++) ss_mesh_destroy(o->meshes[k]);
  ssi_arena_release_home(o->arena);
}

#else

bool ss_march_file_is(const char *text) {
  (void)text;
  return false;
}

ss_error ss_march_file_parse(ss_context *ctx, const char *name, const char *folder,
                             const char *text, size_t size, ss_march_file **out) {
  (void)folder, (void)text, (void)size;
  if (out) *out = NULL;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: is JSON, and this build has no Jansson",
                  name ? name : "");
}

void ss_march_file_close(ss_march_file *f) {
  (void)f;
}

#endif
