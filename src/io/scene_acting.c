// What a scene file has between bodies and on them: joints, springs, dampers, bushings, loads.
#include "stickslip/scene.h"

#ifdef SS_WITH_JANSSON

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/scene_reading.h"

// ---- bodies by name ---------------------------------------------------------------------------

// "pile.17" is body 17 of the generator "pile".
static bool find_generated(const ssi_reading *g, const char *name, int *out) {
  const char *dot = strrchr(name, '.');
  if (!dot || dot[1] < '0' || dot[1] > '9' || dot - name > 200) return false;
  char generator[256], *end;
  snprintf(generator, sizeof generator, "%.*s", (int)(dot - name), name);
  const json_t *found = json_object_get(g->generator, generator);
  long index = strtol(dot + 1, &end, 10);
  if (!found || *end) return false;
  int which = (int)json_integer_value(found), first = g->o->scene.body_count;
  for (int k = 0; k < which; k++) first += ssi_generator_count(g->o->scene.generators + k);
  if (index >= ssi_generator_count(g->o->scene.generators + which)) return false;
  *out = first + (int)index;
  return true;
}

// A body by name or number; `others`: "world" and external objects too.
static ss_error read_body_name(const ssi_reading *g, const ssi_at *at, const json_t *value,
                               bool others, int *out) {
  if (json_is_number(value)) return ssi_json_count(&g->in, at->text, value, 0, INT32_MAX, out);
  if (!json_is_string(value))
    return ssi_scene_wrong(&g->in, at, "expected the name or the number of a body");
  const char *name = json_string_value(value);
  const json_t *body = json_object_get(g->body, name);
  const json_t *external = others ? json_object_get(g->external, name) : NULL;
  if (body) return *out = (int)json_integer_value(body), SS_OK;
  if (external) return *out = SS_EXTERNAL - (int)json_integer_value(external), SS_OK;
  if (others && strcmp(name, "world") == 0) return *out = SS_WORLD, SS_OK;
  if (find_generated(g, name, out)) return SS_OK;
  return ssi_unknown_name(&g->in, at, g->body, "body", name);
}

static ss_error read_sides(const ssi_reading *g, const ssi_at *at, const json_t *from, int *a,
                           int *b) {
  ssi_at at_a = ssi_at_key(at, "a"), at_b = ssi_at_key(at, "b");
  const json_t *other = json_object_get(from, "b");
  *b = SS_WORLD;
  SS_TRY(read_body_name(g, &at_a, json_object_get(from, "a"), false, a));
  return other ? read_body_name(g, &at_b, other, true, b) : SS_OK;
}

// A target is a number or a table of times and targets.
static ss_error read_motor(ssi_reading *g, const ssi_at *at, const json_t *value, ss_motor *m) {
  int kind;
  const json_t *rows = json_object_get(value, "table");
  ssi_at at_table = ssi_at_key(at, "table"), at_target = ssi_at_key(at, "target");
  bool given = json_object_get(value, "target") != NULL;
  double *table = NULL;
  m->max_force = INFINITY;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_motor, &kind, m));
  m->kind = kind ? SS_MOTOR_POSITION : SS_MOTOR_VELOCITY;
  if (rows && given)
    return ssi_scene_wrong(&g->in, &at_table, "target is given too: only one may be");
  if (!rows && !given) return ssi_scene_wrong(&g->in, &at_target, "missing; or a table");
  if (rows) SS_TRY(ssi_read_table(&g->in, &at_table, rows, 2, &m->rows, &table));
  m->table = table;
  return SS_OK;
}

ss_error ssi_read_joint(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                        size_t index) {
  ss_joint *j = out;
  int kind;
  (void)index;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_joint, &kind, j));
  j->kind = (ss_joint_kind)kind;
  j->has_low = json_object_get(value, "low") != NULL;
  j->has_high = json_object_get(value, "high") != NULL;
  const json_t *motor = json_object_get(value, "motor");
  ssi_at at_motor = ssi_at_key(at, "motor");
  if (motor) SS_TRY(read_motor(g, &at_motor, motor, &j->motor));
  return read_sides(g, at, value, &j->a, &j->b);
}

// ---- force elements ---------------------------------------------------------------------------

// A characteristic is a number or a table of two columns, and one of them has to be there where `needed`.
static ss_error read_curve(ssi_reading *g, const ssi_at *at, const json_t *from, const char *number,
                           const char *table, bool needed, int *rows, const double **out) {
  const json_t *value = json_object_get(from, table);
  bool given = json_object_get(from, number) != NULL;
  ssi_at at_table = ssi_at_key(at, table), at_number = ssi_at_key(at, number);
  double *read = NULL;
  if (value && given)
    return ssi_scene_wrong(&g->in, &at_table, "%s is given too: only one may be", number);
  if (needed && !value && !given) return ssi_scene_wrong(&g->in, &at_number, "missing; or a table");
  if (value) SS_TRY(ssi_read_table(&g->in, &at_table, value, 2, rows, &read));
  *out = read;
  return SS_OK;
}

static ss_error read_ends(ssi_reading *g, const ssi_at *at, const json_t *value,
                          const ssi_object *object, ss_spring *e) {
  int kind;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, object, &kind, e));
  e->kind = (ss_spring_kind)kind;
  e->at_a = json_object_get(value, "anchor_a") != NULL;
  e->at_b = json_object_get(value, "anchor_b") != NULL;
  SS_TRY(read_sides(g, at, value, &e->a, &e->b));
  ssi_at anchor = ssi_at_key(at, "anchor_b");
  if (e->kind == SS_SPRING_LINEAR && e->b == SS_WORLD && !e->at_b)
    return ssi_scene_wrong(&g->in, &anchor, "missing: where in the world?");
  return SS_OK;
}

ss_error ssi_read_spring(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                         size_t index) {
  ss_spring *e = out;
  (void)index;
  SS_TRY(read_ends(g, at, value, &ssi_scene_spring, e));
  e->relaxed = e->kind == SS_SPRING_LINEAR && !json_object_get(value, "rest_length");
  SS_TRY(read_curve(g, at, value, "stiffness", "table", true, &e->rows, &e->table));
  return read_curve(g, at, value, "damping", "damping_table", false, &e->damping_rows,
                    &e->damping_table);
}

ss_error ssi_read_damper(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                         size_t index) {
  ss_spring *e = out;
  (void)index;
  SS_TRY(read_ends(g, at, value, &ssi_scene_damper, e));
  return read_curve(g, at, value, "damping", "table", true, &e->damping_rows, &e->damping_table);
}

ss_error ssi_read_bushing(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                          size_t index) {
  ss_bushing *e = out;
  (void)index;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_bushing, NULL, e));
  SS_TRY(ssi_read_rotation(g, at, value, e->frame.q));
  return read_sides(g, at, value, &e->a, &e->b);
}

// ---- loads ------------------------------------------------------------------------------------

ss_error ssi_read_load(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                       size_t index) {
  ss_load *l = out;
  (void)index;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_scene_load, NULL, l));
  ssi_at body = ssi_at_key(at, "body"), point = ssi_at_key(at, "point");
  ssi_at factor = ssi_at_key(at, "factor");
  SS_TRY(read_body_name(g, &body, json_object_get(value, "body"), false, &l->body));
  const json_t *where = json_object_get(value, "point"), *rows = json_object_get(value, "factor");
  l->at_point = where != NULL;
  if (where) SS_TRY(ssi_scene_vector(&g->in, &point, where, g->dim, l->point));
  double *table = NULL;
  if (rows) SS_TRY(ssi_read_table(&g->in, &factor, rows, 2, &l->rows, &table));
  l->table = table;
  return SS_OK;
}

#endif
