// Scene files: docs/scenes.md, schemas/scene.schema.json.
//
// Keys are read through the tables of io/scene_rows.c; here is what tables cannot say: names that stand
// for numbers, shapes, rotations, tables. What makes no sense although it is well formed is found by
// ssi_scene_check, whose places are JSON pointers too.
#include "stickslip/scene.h"

#include "base/error.h"

#ifdef SS_WITH_JANSSON

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene_reading.h"

// ---- names ------------------------------------------------------------------------------------

static ss_error add_name(ssi_reading *g, json_t *names, const ssi_at *at, const char *name,
                         size_t k) {
  if (!name) return SS_OK;
  ssi_at here = ssi_at_key(at, "name");
  if (json_object_get(names, name))
    return ssi_scene_wrong(&g->in, &here, "\"%.60s\" is the name of another one before it", name);
  if (json_object_set_new(names, name, json_integer((json_int_t)k)))
    return ssi_json_no_memory(&g->in);
  return SS_OK;
}

// Left out, the first material.
static ss_error read_material(const ssi_reading *g, const ssi_at *at, const json_t *from,
                              int *out) {
  const json_t *value = json_object_get(from, "material");
  ssi_at here = ssi_at_key(at, "material");
  *out = 0;
  if (value) return ssi_find_name(&g->in, &here, g->material, "material", value, out);
  if (g->o->scene.material_count) return SS_OK;
  ssi_at all = {"/materials"};
  return ssi_scene_wrong(&g->in, &all, "there is none, and %s needs one", at->text);
}

// ---- lists ------------------------------------------------------------------------------------

// An array of objects into `size` bytes each.
static ss_error read_list(ssi_reading *g, const char *key, size_t size, ssi_scene_reader *read,
                          int *count, void **out) {
  ssi_at root = {""}, at = ssi_at_key(&root, key);
  const json_t *value = json_object_get(g->root, key);
  *count = 0;
  if (!value) return SS_OK;
  if (!json_is_array(value)) return ssi_scene_wrong(&g->in, &at, "expected an array");
  size_t n = json_array_size(value);
  if (n > INT32_MAX / 64) return ssi_scene_wrong(&g->in, &at, "too many: %zu", n);
  char *list = ssi_arena_take(&g->o->arena, n, size);
  if (!list) return ssi_json_no_memory(&g->in);
  *out = list;
  for (size_t k = 0; k < n; k++) {
    ssi_at here = ssi_at_index(&at, k);
    SS_TRY(read(g, &here, json_array_get(value, k), list + k * size, k));
    *count = (int)k + 1;
  }
  return SS_OK;
}

static ss_error material_element(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                                 size_t index) {
  ss_material *m = out;
  m->density = 1000;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_material, NULL, m));
  return add_name(g, g->material, at, m->name, index);
}

static ss_error law_element(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                            size_t index) {
  ss_pair_law *l = out;
  (void)index;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_law, NULL, l));
  const json_t *pair = json_object_get(value, "between");
  ssi_at list = ssi_at_key(at, "between");
  if (!json_is_array(pair) || json_array_size(pair) != 2)
    return ssi_scene_wrong(&g->in, &list, "expected the names of two materials");
  ssi_at first = ssi_at_index(&list, 0), second = ssi_at_index(&list, 1);
  SS_TRY(ssi_find_name(&g->in, &first, g->material, "material", json_array_get(pair, 0), &l->a));
  return ssi_find_name(&g->in, &second, g->material, "material", json_array_get(pair, 1), &l->b);
}

static ss_error shape_element(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                              size_t index) {
  const char *name = NULL;
  ss_shape **to = out;
  g->named = to - index;  // parts may name shapes before them
  SS_TRY(ssi_make_shape(g, at, value, &name, to));
  ssi_at here = ssi_at_key(at, "name");
  if (!name) return ssi_scene_wrong(&g->in, &here, "missing");
  return add_name(g, g->shape, at, name, index);
}

static ss_error positive(const ssi_reading *g, const ssi_at *at, const char *key,
                         const json_t *from, double *out) {
  ssi_at here = ssi_at_key(at, key);
  const json_t *value = json_object_get(from, key);
  if (!value) return SS_OK;
  SS_TRY(ssi_json_number(&g->in, here.text, value, out));
  if (*out > 0) return SS_OK;
  return ssi_scene_wrong(&g->in, &here, "found %g, expected a number > 0", *out);
}

// Three moments about the principal axes, or with a centre of mass six numbers: xx, yy, zz, xy, xz, yz (2D: one in
// both cases).
static ss_error read_inertia(const ssi_reading *g, const ssi_at *at, const json_t *from,
                             ss_body *b) {
  const json_t *value = json_object_get(from, "inertia");
  ssi_at here = ssi_at_key(at, "inertia");
  b->uneven = json_object_get(from, "centre") != NULL;
  if (!value && b->uneven) return ssi_scene_wrong(&g->in, &here, "missing, as there is a centre");
  if (!value) return SS_OK;
  if (g->dim == 2) return ssi_json_number(&g->in, here.text, value, b->inertia + 2);
  if (!b->uneven) return ssi_scene_vector(&g->in, &here, value, 3, b->inertia);
  double *six;
  int length = 6;
  SS_TRY(ssi_json_vector(&g->in, here.text, value, &length,
                         "xx, yy, zz, xy, xz, yz of a body with a centre", &six));
  memcpy(b->inertia, six, sizeof b->inertia);
  memcpy(b->products, six + 3, sizeof b->products);
  return SS_OK;
}

static ss_error read_ghost(const ssi_reading *g, const ssi_at *at, const json_t *from, bool *out) {
  const json_t *value = json_object_get(from, "collide");
  ssi_at here = ssi_at_key(at, "collide");
  if (value && !json_is_boolean(value))
    return ssi_scene_wrong(&g->in, &here, "expected true or false");
  *out = json_is_false(value);
  return SS_OK;
}

static ss_error body_element(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                             size_t index) {
  ss_body *b = out;
  b->pose = ss_pose_identity();
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_body, NULL, b));
  SS_TRY(positive(g, at, "mass", value, &b->mass));
  SS_TRY(read_inertia(g, at, value, b));
  SS_TRY(read_ghost(g, at, value, &b->ghost));
  SS_TRY(ssi_read_rotation(g, at, value, b->pose.q));
  SS_TRY(read_material(g, at, value, &b->material));
  ssi_at shape = ssi_at_key(at, "shape");
  SS_TRY(ssi_read_shape(g, &shape, json_object_get(value, "shape"), &b->shape));
  double density = 0;
  SS_TRY(positive(g, at, "density", value, &density));
  if (density > 0) {
    ssi_at here = ssi_at_key(at, "density");
    if (b->mass > 0) return ssi_scene_wrong(&g->in, &here, "mass is given too: only one may be");
    ss_mass_properties p;
    SS_TRY(ssi_placed(g, &shape, ss_shape_mass(g->in.ctx, b->shape, &p)));
    b->mass = density * p.volume;
  }
  return add_name(g, g->body, at, b->name, index);
}

static ss_error read_motion(ssi_reading *g, const ssi_at *at, const json_t *value, ss_motion *m) {
  int kind;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_motion, &kind, m));
  m->kind = (ss_motion_kind)kind;
  if (kind != SS_MOTION_TABLE) return SS_OK;
  ssi_at here = ssi_at_key(at, "table");
  double *table, *full;
  int width = g->dim == 2 ? 4 : 7;  // 2D: t, d_x, d_y, angle
  SS_TRY(ssi_read_table(&g->in, &here, json_object_get(value, "table"), width, &m->rows, &table));
  m->table = full = table;
  if (width == 7) return SS_OK;
  full = SSI_TAKE(&g->o->arena, 7 * (size_t)m->rows, double);
  if (!full) return ssi_json_no_memory(&g->in);
  for (int k = 0; k < m->rows; k++) {
    for (int i = 0; i < 3; i++) full[7 * k + i] = table[4 * k + i];
    full[7 * k + 6] = table[4 * k + 3];
  }
  m->table = full;
  return SS_OK;
}

static ss_error external_element(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                                 size_t index) {
  ss_external *e = out;
  e->pose = ss_pose_identity();
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_external, NULL, e));
  SS_TRY(ssi_read_rotation(g, at, value, e->pose.q));
  SS_TRY(read_material(g, at, value, &e->material));
  ssi_at shape = ssi_at_key(at, "shape"), motion = ssi_at_key(at, "motion");
  SS_TRY(ssi_read_shape(g, &shape, json_object_get(value, "shape"), &e->shape));
  for (int k = 0; k < 3; k++) e->motion.centre[k] = e->pose.x[k];  // unless the file has one
  const json_t *moves = json_object_get(value, "motion");
  if (moves) SS_TRY(read_motion(g, &motion, moves, &e->motion));
  return add_name(g, g->external, at, e->name, index);
}

static ss_error read_cells(ssi_reading *g, const ssi_at *at, const json_t *value, int out[3]) {
  if (!json_is_array(value) || json_array_size(value) != (size_t)g->dim)
    return ssi_scene_wrong(&g->in, at, "expected an array of %d counts", g->dim);
  out[2] = 1;
  for (int k = 0; k < g->dim; k++) {
    ssi_at here = ssi_at_index(at, (size_t)k);
    const json_t *each = json_array_get(value, (size_t)k);
    SS_TRY(ssi_json_count(&g->in, here.text, each, 1, 1000000, out + k));
  }
  return SS_OK;
}

static ss_error generator_element(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                                  size_t index) {
  ss_generator *to = out;
  int kind;
  to->seed = 1;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_generator, &kind, to));
  to->kind = (ss_generator_kind)kind;
  SS_TRY(positive(g, at, "mass", value, &to->mass));
  SS_TRY(read_material(g, at, value, &to->material));
  const json_t *shape = json_object_get(value, "shape"), *cells = json_object_get(value, "cells");
  const json_t *region = json_object_get(value, "region");
  ssi_at shape_at = ssi_at_key(at, "shape"), cells_at = ssi_at_key(at, "cells");
  ssi_at region_at = ssi_at_key(at, "region");
  if (shape) SS_TRY(ssi_read_shape(g, &shape_at, shape, &to->shape));
  if (cells) SS_TRY(read_cells(g, &cells_at, cells, to->cells));
  if (region) {
    if (!json_is_array(region) || json_array_size(region) != 2)
      return ssi_scene_wrong(&g->in, &region_at, "expected two opposite corners");
    ssi_at low = ssi_at_index(&region_at, 0), high = ssi_at_index(&region_at, 1);
    SS_TRY(ssi_scene_vector(&g->in, &low, json_array_get(region, 0), g->dim, to->low));
    SS_TRY(ssi_scene_vector(&g->in, &high, json_array_get(region, 1), g->dim, to->high));
  }
  if (ssi_generator_count(to) < 0)
    return ssi_scene_wrong(&g->in, at, "makes no bodies, or more than fit 32-bit numbers");
  return add_name(g, g->generator, at, to->name, index);
}

// ---- the rest ---------------------------------------------------------------------------------

static ss_error read_stepping(ssi_reading *g) {
  ss_scene *s = &g->o->scene;
  const json_t *stepping = json_object_get(g->root, "stepping");
  const json_t *solver = json_object_get(g->root, "solver");
  const json_t *output = json_object_get(g->root, "output");
  ssi_at at = {"/stepping"}, output_at = {"/output"};
  if (!stepping) return ssi_scene_wrong(&g->in, &at, "missing");
  SS_TRY(ssi_rows_read(&g->in, &at, stepping, g->dim, &ssi_scene_stepping, NULL, &s->stepping));
  if (output)
    SS_TRY(ssi_rows_read(&g->in, &output_at, output, g->dim, &ssi_scene_output, NULL, &s->output));
  return ssi_read_solver(&g->in, solver, &s->solver);
}

// Lists are filled through a local pointer, so that the scene's own can be const.
#define READ_LIST(g, key, type, element, list, count)                                              \
  do {                                                                                             \
    void *read_list_out = NULL;                                                                    \
    ss_error read_list_error = read_list(g, key, sizeof(type), element, &(count), &read_list_out); \
    list = read_list_out;                                                                          \
    if (read_list_error) return read_list_error;                                                   \
  } while (0)

static ss_error read_lists(ssi_reading *g) {
  ss_scene *s = &g->o->scene;
  int shapes;
  READ_LIST(g, "materials", ss_material, material_element, s->materials, s->material_count);
  READ_LIST(g, "laws", ss_pair_law, law_element, s->laws, s->law_count);
  READ_LIST(g, "shapes", ss_shape *, shape_element, g->named, shapes);
  READ_LIST(g, "bodies", ss_body, body_element, s->bodies, s->body_count);
  READ_LIST(g, "generators", ss_generator, generator_element, s->generators, s->generator_count);
  READ_LIST(g, "externals", ss_external, external_element, s->externals, s->external_count);
  READ_LIST(g, "joints", ss_joint, ssi_read_joint, s->joints, s->joint_count);
  READ_LIST(g, "springs", ss_spring, ssi_read_spring, s->springs, s->spring_count);
  READ_LIST(g, "dampers", ss_spring, ssi_read_damper, s->dampers, s->damper_count);
  READ_LIST(g, "bushings", ss_bushing, ssi_read_bushing, s->bushings, s->bushing_count);
  READ_LIST(g, "loads", ss_load, ssi_read_load, s->loads, s->load_count);
  return SS_OK;
}

// Accepted, and most likely forgotten: bodies at the origin among others, a scene of nothing.
static void note_places(const ssi_reading *g) {
  const ss_scene *s = &g->o->scene;
  const json_t *bodies = json_object_get(g->root, "bodies");
  int others = s->body_count - 1 + s->generator_count;
  if (s->body_count + s->generator_count == 0)
    ssi_log(g->in.ctx, SS_LOG_WARN, "/bodies: there are none, and no generators: nothing moves");
  for (int k = 0; k < s->body_count && others > 0; k++)
    if (!json_object_get(json_array_get(bodies, (size_t)k), "position"))
      ssi_log(g->in.ctx, SS_LOG_WARN, "/bodies/%d/position: missing, it stands at the origin", k);
}

static ss_error read_scene(ssi_reading *g) {
  ssi_at root = {""}, dim = {"/dim"};
  const json_t *value = json_object_get(g->root, "dim");
  g->dim = 3;
  if (value) SS_TRY(ssi_json_count(&g->in, dim.text, value, 2, 3, &g->dim));
  g->o->scene = ss_scene_default(g->dim);
  SS_TRY(ssi_rows_read(&g->in, &root, g->root, g->dim, &ssi_scene_scene, NULL, &g->o->scene));
  SS_TRY(read_lists(g));
  SS_TRY(read_stepping(g));
  note_places(g);
  ss_error e = ssi_scene_check(g->in.ctx, &g->o->scene);
  if (!e || !g->in.ctx) return e;
  char text[sizeof g->in.ctx->message];
  memcpy(text, g->in.ctx->message, sizeof text);
  return ssi_fail(g->in.ctx, SS_ERR_FORMAT, "%.200s: %.300s", g->in.name, text);
}

static ss_error parse(ss_context *ctx, const ssi_source *source, ssi_scene_owner *o) {
  ssi_reading g = {.in = {ctx, source->name, &o->arena}, .o = o};
  SS_TRY(ssi_json_parse(&g.in, source, &g.root));
  ss_error e = ssi_json_expect(&g.in, g.root, SSI_JSON_SCENE);
  json_t **names[] = {&g.material, &g.shape, &g.body, &g.external, &g.generator};
  bool made = true;
  for (int k = 0; k < 5; k++) made = (*names[k] = json_object()) && made;
  if (!e) e = made ? read_scene(&g) : ssi_json_no_memory(&g.in);
  for (int k = 0; k < 5; k++) json_decref(*names[k]);
  json_decref(g.root);
  return e;
}

static ssi_scene_owner *owner_create(ss_context *ctx) {
  ssi_arena arena = {.ctx = ctx};
  ssi_scene_owner *o = SSI_TAKE(&arena, 1, ssi_scene_owner);
  if (!o) {
    ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a scene");
    return NULL;
  }
  o->ctx = ctx;
  o->arena = arena;
  return o;
}

static ss_error finish(ssi_scene_owner *o, ss_error e, ss_scene **out) {
  if (e)
    ss_scene_close(&o->scene);
  else
    *out = &o->scene;
  return e;
}

ss_error ss_scene_parse(ss_context *ctx, const char *name, const char *text, size_t size,
                        ss_scene **out) {
  if (!out || !text) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_scene_parse: null argument");
  *out = NULL;
  ssi_scene_owner *o = owner_create(ctx);
  if (!o) return SS_ERR_MEMORY;
  ssi_source source = {.name = name ? name : "scene", .bytes = text, .size = size};
  return finish(o, parse(ctx, &source, o), out);
}

ss_error ss_scene_open(ss_context *ctx, const char *path, ss_scene **out) {
  if (!out || !path) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_scene_open: null argument");
  *out = NULL;
  ssi_scene_owner *o = owner_create(ctx);
  if (!o) return SS_ERR_MEMORY;
  ssi_source source;
  ss_error e = ssi_input_read_judged(ctx, path, ssi_may_be_json, &o->arena, &source);
  if (!e) e = parse(ctx, &source, o);
  return finish(o, e, out);
}

void ss_scene_close(ss_scene *scene) {
  if (!scene) return;
  ssi_scene_owner *o = (ssi_scene_owner *)scene;
  for (int k = 0; k < o->shapes.count; k++) ss_shape_destroy(o->shapes.list[k]);
  ssi_release(o->ctx, o->shapes.list);
  ssi_arena_release_home(o->arena);
}

#else

ss_error ss_scene_open(ss_context *ctx, const char *path, ss_scene **out) {
  if (out) *out = NULL;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: scenes are JSON, and this build has no Jansson",
                  path ? path : "");
}

ss_error ss_scene_parse(ss_context *ctx, const char *name, const char *text, size_t size,
                        ss_scene **out) {
  (void)text, (void)size;
  return ss_scene_open(ctx, name, out);
}

void ss_scene_close(ss_scene *scene) {
  (void)scene;
}

#endif
