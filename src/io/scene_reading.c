// Names, rotations, tables and shapes of a scene file.
#ifdef SS_WITH_JANSSON

#include "io/scene_reading.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// ---- names ------------------------------------------------------------------------------------

typedef struct keys {
  json_t *object;
  void *at;
} keys;

static const char *next_key(const void *user, int i) {  // asked for in order
  keys *k = (keys *)(uintptr_t)user;
  k->at = i ? json_object_iter_next(k->object, k->at) : json_object_iter(k->object);
  return k->at ? json_object_iter_key(k->at) : NULL;
}

ss_error ssi_unknown_name(const ssi_json *in, const ssi_at *at, json_t *names, const char *what,
                          const char *name) {
  const char *nearest = ss_nearest_name(name, next_key, &(keys){names, NULL});
  if (!nearest) return ssi_scene_wrong(in, at, "there is no %s \"%.60s\"", what, name);
  return ssi_scene_wrong(in, at, "there is no %s \"%.60s\"; the nearest is \"%.60s\"", what, name,
                         nearest);
}

ss_error ssi_find_name(const ssi_json *in, const ssi_at *at, json_t *names, const char *what,
                       const json_t *value, int *out) {
  if (!json_is_string(value)) return ssi_scene_wrong(in, at, "expected the name of a %s", what);
  const char *name = json_string_value(value);
  const json_t *found = json_object_get(names, name);
  if (!found) return ssi_unknown_name(in, at, names, what, name);
  *out = (int)json_integer_value(found);
  return SS_OK;
}

// ---- rotations, tables ------------------------------------------------------------------------

static const char *const turn_keys[] = {"axis", "degrees", "up", NULL};

// The shortest way from the axis that is up in the shape's frame to a direction.
static ss_error read_up(const ssi_reading *g, const ssi_at *at, const json_t *value, double q[4]) {
  double to[3] = {0}, n = 0;
  SS_TRY(ssi_scene_vector(&g->in, at, value, g->dim, to));
  for (int k = 0; k < 3; k++) n += to[k] * to[k];
  if (!(n > 0) || !isfinite(n)) return ssi_scene_wrong(&g->in, at, "found no direction");
  for (int k = 0; k < 3; k++) to[k] /= sqrt(n);
  double cosine = to[g->dim - 1];
  if (cosine < -1 + 1e-15) {  // half a turn, about x (2D: z)
    for (int k = 0; k < 4; k++) q[k] = k == (g->dim == 2 ? 3 : 1);
    return SS_OK;
  }
  // (1 + cos, up x to) / length
  q[0] = 1 + cosine;
  q[1] = g->dim == 2 ? 0 : -to[1];
  q[2] = g->dim == 2 ? 0 : to[0];
  q[3] = g->dim == 2 ? -to[0] : 0;
  n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++) q[k] /= n;
  return SS_OK;
}

static void turn_about(const double axis[3], double degrees, double q[4]) {
  double half = degrees * (3.14159265358979323846 / 360);
  q[0] = cos(half);
  for (int k = 0; k < 3; k++) q[k + 1] = sin(half) * axis[k];
}

static ss_error read_turn(const ssi_reading *g, const ssi_at *at, const json_t *value,
                          double q[4]) {
  SS_TRY(ssi_json_keys(&g->in, at->text, value, turn_keys));
  const json_t *up = json_object_get(value, "up"), *axis_value = json_object_get(value, "axis");
  const json_t *degrees = json_object_get(value, "degrees");
  ssi_at here = ssi_at_key(at, up ? "up" : "axis");
  if (up) return read_up(g, &here, up, q);
  double axis[3] = {0, 0, 1}, angle = 0, n = 0;
  if (g->dim == 3) SS_TRY(ssi_scene_vector(&g->in, &here, axis_value, 3, axis));
  for (int k = 0; k < 3; k++) n += axis[k] * axis[k];
  if (!(n > 0) || !isfinite(n)) return ssi_scene_wrong(&g->in, &here, "found no direction");
  for (int k = 0; k < 3; k++) axis[k] /= sqrt(n);
  here = ssi_at_key(at, "degrees");
  SS_TRY(ssi_json_number(&g->in, here.text, degrees, &angle));
  turn_about(axis, angle, q);
  return SS_OK;
}

// {"axis": [..], "degrees": ..}, {"up": [..]}, a quaternion, or in 2D a number of degrees.
ss_error ssi_read_rotation(const ssi_reading *g, const ssi_at *at, const json_t *from,
                           double q[4]) {
  const json_t *value = json_object_get(from, "rotation");
  ssi_at here = ssi_at_key(at, "rotation");
  static const double z[3] = {0, 0, 1};
  for (int k = 0; k < 4; k++) q[k] = k == 0;
  if (!value) return SS_OK;
  if (json_is_object(value)) return read_turn(g, &here, value, q);
  if (g->dim == 2) {
    double degrees;
    SS_TRY(ssi_json_number(&g->in, here.text, value, &degrees));
    turn_about(z, degrees, q);
    return SS_OK;
  }
  SS_TRY(ssi_scene_vector(&g->in, &here, value, 4, q));
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(n - 1) <= 1e-6))
    return ssi_scene_wrong(&g->in, &here, "quaternion of length %.9g, expected 1", n);
  for (int k = 0; k < 4; k++) q[k] /= n;
  return SS_OK;
}

// Rows of `width` numbers each. *rows: how many.
ss_error ssi_read_table(const ssi_json *in, const ssi_at *at, const json_t *value, int width,
                        int *rows, double **out) {
  if (!json_is_array(value) || !json_array_size(value))
    return ssi_scene_wrong(in, at, "expected an array of rows of %d numbers", width);
  size_t n = json_array_size(value);
  if (n > INT32_MAX / 64) return ssi_scene_wrong(in, at, "too many rows");
  *out = SSI_TAKE(in->arena, n * (size_t)width, double);
  if (!*out) return ssi_json_no_memory(in);
  for (size_t k = 0; k < n; k++) {
    ssi_at here = ssi_at_index(at, k);
    const json_t *row = json_array_get(value, k);
    SS_TRY(ssi_scene_vector(in, &here, row, width, *out + k * (size_t)width));
  }
  *rows = (int)n;
  return SS_OK;
}

// ---- the solver -------------------------------------------------------------------------------

static ss_error read_settings(const ssi_json *in, const json_t *options, ss_options *o) {
  ssi_at at = {"/solver/options"};
  if (!json_is_object(options)) return ssi_scene_wrong(in, &at, "expected an object");
  ss_setting *set = SSI_TAKE(in->arena, json_object_size(options), ss_setting);
  if (!set) return ssi_json_no_memory(in);
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)options, key, value) {
    ssi_at here = ssi_at_key(&at, key);
    char text[40], *copy = SSI_TAKE(in->arena, strlen(key) + 1, char);
    if (!copy) return ssi_json_no_memory(in);
    strcpy(copy, key);
    set[o->setting_count].key = copy;
    const char **to = &set[o->setting_count++].value;
    if (json_is_string(value)) {
      SS_TRY(ssi_json_text(in, here.text, value, to));
      continue;
    }
    if (!json_is_number(value)) return ssi_scene_wrong(in, &here, "expected a number or a word");
    snprintf(text, sizeof text, "%.17g", json_number_value(value));
    *to = copy = SSI_TAKE(in->arena, strlen(text) + 1, char);
    if (!copy) return ssi_json_no_memory(in);
    strcpy(copy, text);
  }
  o->settings = set;
  return SS_OK;
}

ss_error ssi_read_solver(const ssi_json *in, const json_t *solver, ss_options *out) {
  ssi_at at = {"/solver"};
  if (!solver) return SS_OK;
  SS_TRY(ssi_rows_read(in, &at, solver, 0, &ssi_scene_solver, NULL, out));
  const json_t *options = json_object_get(solver, "options");
  return options ? read_settings(in, options, out) : SS_OK;
}

// ---- shapes -----------------------------------------------------------------------------------

enum { FUNNEL = SS_COMPOUND + 1, DISK, POLYGON };  // after the kinds, in the order of the words

// With the place in front of what the library says about a shape.
ss_error ssi_placed(const ssi_reading *g, const ssi_at *at, ss_error e) {
  if (!e || !g->in.ctx) return e;
  char text[sizeof g->in.ctx->message];
  memcpy(text, g->in.ctx->message, sizeof text);
  return e == SS_ERR_MEMORY ? e : ssi_scene_wrong(&g->in, at, "%.290s", text);
}

static ss_error make_hull(ssi_reading *g, const ssi_at *at, const json_t *value, ss_shape **out) {
  ssi_at here = ssi_at_key(at, "points");
  int count;
  double *points;
  SS_TRY(ssi_read_table(&g->in, &here, json_object_get(value, "points"), g->dim, &count, &points));
  return ssi_placed(g, &here, ss_shape_hull(g->in.ctx, g->dim, count, points, out));
}

static ss_error make_compound(ssi_reading *g, const ssi_at *at, const json_t *value,
                              ss_shape **out) {
  ssi_at list = ssi_at_key(at, "parts");
  const json_t *parts = json_object_get(value, "parts");
  size_t n = json_array_size(parts);
  if (!json_is_array(parts) || !n)
    return ssi_scene_wrong(&g->in, &list, "expected an array of parts");
  if (g->depth >= 8) return ssi_scene_wrong(&g->in, &list, "compounds in compounds, too deep");
  ss_part *part = SSI_TAKE(&g->o->arena, n, ss_part);
  if (!part) return ssi_json_no_memory(&g->in);
  g->depth++;
  for (size_t k = 0; k < n; k++) {
    ssi_at here = ssi_at_index(&list, k), shape = ssi_at_key(&here, "shape");
    const json_t *each = json_array_get(parts, k);
    part[k].pose = ss_pose_identity();
    SS_TRY(ssi_rows_read(&g->in, &here, each, g->dim, &ssi_scene_part, NULL, &part[k].pose));
    SS_TRY(ssi_read_rotation(g, &here, each, part[k].pose.q));
    SS_TRY(ssi_read_shape(g, &shape, json_object_get(each, "shape"), &part[k].shape));
  }
  g->depth--;
  if (n > SS_PARTS_MAX) return ssi_scene_wrong(&g->in, &list, "more than %d parts", SS_PARTS_MAX);
  return ssi_placed(g, at, ss_shape_compound(g->in.ctx, (int)n, part, out));
}

static ss_error make_primitive(ssi_reading *g, const ssi_at *at, int kind, const ssi_shape_rows *r,
                               ss_shape **out) {
  ss_context *ctx = g->in.ctx;
  double half[3] = {r->size[0] / 2, r->size[1] / 2, r->size[2] / 2};
  ss_error e = SS_ERR_ARGUMENT;
  if (g->dim == 2 && (kind == SS_CYLINDER || kind == FUNNEL))
    return ssi_scene_wrong(&g->in, at, "there is no such shape in 2D");
  if (kind == SS_SPHERE || kind == DISK) e = ss_shape_sphere(ctx, g->dim, r->radius, out);
  if (kind == SS_BOX) e = ss_shape_box(ctx, g->dim, half, out);
  if (kind == SS_CAPSULE) e = ss_shape_capsule(ctx, g->dim, r->radius, r->length / 2, out);
  if (kind == SS_CYLINDER) e = ss_shape_cylinder(ctx, r->radius, r->length / 2, out);
  if (kind == SS_PLANE) e = ss_shape_plane(ctx, g->dim, out);
  if (kind == SS_DRUM) e = ss_shape_drum(ctx, g->dim, r->radius, r->length / 2, out);
  if (kind == FUNNEL)
    e = ss_shape_funnel(ctx, r->top, r->bottom, r->height, r->thickness, r->sides, out);
  return ssi_placed(g, at, e);
}

ss_error ssi_make_shape(ssi_reading *g, const ssi_at *at, const json_t *value, const char **name,
                        ss_shape **out) {
  ssi_shape_rows r = {0};
  int kind;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_shape, &kind, &r));
  if (name) *name = r.name;
  if (kind == SS_HULL || kind == POLYGON)
    SS_TRY(make_hull(g, at, value, out));
  else if (kind == SS_COMPOUND)
    SS_TRY(make_compound(g, at, value, out));
  else
    SS_TRY(make_primitive(g, at, kind, &r, out));
  if (ssi_shapes_add(g->in.ctx, &g->o->shapes, *out)) return SS_OK;
  ss_shape_destroy(*out);
  return ssi_json_no_memory(&g->in);
}

// The name of one of /shapes, or a shape.
ss_error ssi_read_shape(ssi_reading *g, const ssi_at *at, const json_t *value,
                        const ss_shape **out) {
  ss_shape *made;
  if (json_is_string(value)) {
    int k = 0;
    SS_TRY(ssi_find_name(&g->in, at, g->shape, "shape", value, &k));
    *out = g->named[k];
    return SS_OK;
  }
  SS_TRY(ssi_make_shape(g, at, value, NULL, &made));
  *out = made;
  return SS_OK;
}

#endif
