// "kind": "elastic": bodies with meshes, materials, supports, loads, obstacles and pairs.
#ifdef SS_WITH_JANSSON

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "io/march_reading.h"

// ---- materials and bodies --------------------------------------------------------------------------

static ss_error material_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                                 void *out) {
  ss_elastic_material *m = out;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_material, NULL, m));
  size_t number = json_object_size(g->material);
  if (json_object_get(g->material, m->name))
    return ssi_scene_wrong(&g->in, at, "a second material \"%.60s\"", m->name);
  if (json_object_set_new(g->material, m->name, json_integer((json_int_t)number)))
    return ssi_json_no_memory(&g->in);
  return SS_OK;
}

static ss_error zone_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                             void *out) {
  return ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_zone, NULL, out);
}

static ss_error axis_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                             void *out) {
  ss_axis *a = out;
  ssi_at zones = ssi_at_key(at, "zones");
  void *list;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_axis, NULL, a));
  SS_TRY(ssi_march_list(g, &zones, json_object_get(value, "zones"), sizeof(ss_zone), zone_element,
                        &a->zone_count, &list));
  a->zones = list;
  return SS_OK;
}

static ss_error read_kind(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                          ss_element_kind *out) {
  const char *words[16] = {0}, *text = json_string_value(value);
  int n = 0;
  for (int k = 0; ss_element_name((ss_element_kind)k); k++)
    if (ss_element_dim((ss_element_kind)k) == g->dim) {
      words[n++] = ss_element_name((ss_element_kind)k);
      if (text && strcmp(words[n - 1], text) == 0) return *out = (ss_element_kind)k, SS_OK;
    }
  if (!text)
    return ssi_scene_wrong(&g->in, at, "expected a kind of elements: \"%s\", ...", words[0]);
  return ssi_scene_wrong(&g->in, at, "unknown word \"%.40s\"; the nearest known one is \"%s\"",
                         text, ssi_nearest_word(text, words));
}

static ss_error make_grid(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                          ss_mesh **out) {
  ssi_at kind = ssi_at_key(at, "elements"), axes = ssi_at_key(at, "axes");
  ss_grid grid = {.dim = g->dim};
  int count;
  void *list;
  SS_TRY(read_kind(g, &kind, json_object_get(value, "elements"), &grid.kind));
  SS_TRY(ssi_march_list(g, &axes, json_object_get(value, "axes"), sizeof(ss_axis), axis_element,
                        &count, &list));
  if (count != g->dim) return ssi_scene_wrong(&g->in, &axes, "expected %d axes", g->dim);
  memcpy(grid.axis, list, sizeof(ss_axis) * (size_t)count);
  ss_error e = ss_mesh_grid(g->in.ctx, &grid, out);
  char text[300];
  if (!e || e == SS_ERR_MEMORY || !g->in.ctx) return e;
  snprintf(text, sizeof text, "%.290s", g->in.ctx->message);
  return ssi_scene_wrong(&g->in, at, "%s", text);
}

static ss_error open_mesh(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                          ss_mesh **out) {
  ssi_at file = ssi_at_key(at, "file");
  const char *name;
  SS_TRY(ssi_json_text(&g->in, file.text, json_object_get(value, "file"), &name));
  size_t room = strlen(name) + (g->folder ? strlen(g->folder) : 0) + 2;
  char *path = SSI_TAKE(g->in.arena, room, char);
  if (!path) return ssi_json_no_memory(&g->in);
  bool alone = name[0] == '/' || !g->folder || !g->folder[0];
  snprintf(path, room, alone ? "%.0s%s" : "%s/%s", alone ? "" : g->folder, name);
  return ss_mesh_open(g->in.ctx, path, out);
}

static ss_error read_mesh(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                          const ss_mesh **out) {
  ss_mesh *mesh;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_mesh, NULL, &(char){0}));
  bool file = json_object_get(value, "file") != NULL;
  if (file == (json_object_get(value, "axes") != NULL))
    return ssi_scene_wrong(&g->in, at, "expected either \"file\", or \"elements\" and \"axes\"");
  SS_TRY(file ? open_mesh(g, at, value, &mesh) : make_grid(g, at, value, &mesh));
  *out = g->o->meshes[g->o->mesh_count++] = mesh;
  return SS_OK;
}

static ss_error body_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                             void *out) {
  ss_elastic_body *b = out;
  ssi_at mesh = ssi_at_key(at, "mesh"), material = ssi_at_key(at, "material");
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_body, NULL, b));
  SS_TRY(read_mesh(g, &mesh, json_object_get(value, "mesh"), &b->mesh));
  return ssi_find_name(&g->in, &material, g->material, "material",
                       json_object_get(value, "material"), &b->material);
}

// "domains": {"core": "rubber"} of every body.
static ss_error read_domains(ssi_march_reading *g) {
  ss_elastic_scene *s = &g->o->file.scene;
  json_t *bodies = json_object_get(g->root, "bodies"), *value;
  const char *name;
  size_t all = 0;
  for (size_t k = 0; k < json_array_size(bodies); k++)
    all += json_object_size(json_object_get(json_array_get(bodies, k), "domains"));
  ss_domain_material *list = SSI_TAKE(g->in.arena, all + 1, ss_domain_material);
  if (!list) return ssi_json_no_memory(&g->in);
  for (int k = 0; k < s->body_count; k++) {
    json_object_foreach(json_object_get(json_array_get(bodies, (size_t)k), "domains"), name,
                        value) {
      ssi_at at = {"/bodies"};
      at = ssi_at_index(&at, (size_t)k);
      at = ssi_at_key(&at, "domains");
      at = ssi_at_key(&at, name);
      size_t room = strlen(name) + strlen(s->bodies[k].name) + 2;
      char *domain = SSI_TAKE(g->in.arena, room, char);
      if (!domain) return ssi_json_no_memory(&g->in);
      bool several = s->body_count > 1;
      snprintf(domain, room, several ? "%s.%s" : "%.0s%s", s->bodies[k].name, name);
      list[s->domain_count].domain = domain;
      SS_TRY(ssi_find_name(&g->in, &at, g->material, "material", value,
                           &list[s->domain_count++].material));
    }
  }
  s->domains = list;
  return SS_OK;
}

// ---- what holds, loads and touches them ------------------------------------------------------------

static ss_error support_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                                void *out) {
  static const char *const axes[] = {"x", "y", "z"};
  ss_support *s = out;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_support, NULL, s));
  for (int a = 0; a < 3; a++) {
    ssi_at here = ssi_at_key(at, axes[a]);
    const json_t *number = json_object_get(value, axes[a]);
    if (!number) continue;
    if (a >= g->dim) return ssi_scene_wrong(&g->in, &here, "there is no such axis in 2D");
    SS_TRY(ssi_json_number(&g->in, here.text, number, &s->value[a]));
    s->held[a] = true;
  }
  return ssi_march_factor(g, at, value, &s->factor);
}

static ss_error load_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                             void *out) {
  ss_surface_load *l = out;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_load, NULL, l));
  return ssi_march_factor(g, at, value, &l->factor);
}

static ss_error gravity_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                                void *out) {
  ss_gravity *l = out;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_gravity, NULL, l));
  return ssi_march_factor(g, at, value, &l->factor);
}

static ss_error motion_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                               void *out) {
  ss_obstacle_motion *m = out;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_motion, NULL, m));
  return ssi_march_factor(g, at, value, &m->factor);
}

static ss_error obstacle_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                                 void *out) {
  ss_obstacle *o = out;
  ssi_at motions = ssi_at_key(at, "motions");
  void *list;
  SS_TRY(ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_obstacle, NULL, o));
  SS_TRY(ssi_march_list(g, &motions, json_object_get(value, "motions"), sizeof(ss_obstacle_motion),
                        motion_element, &o->motion_count, &list));
  o->motions = list;
  return SS_OK;
}

static ss_error pair_element(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                             void *out) {
  return ssi_rows_read(&g->in, at, value, g->dim, &ssi_rows_pair, NULL, out);
}

// ---- the whole -------------------------------------------------------------------------------------

static ss_error read_list(ssi_march_reading *g, const char *key, size_t size,
                          ssi_march_element element, int *count, void **out) {
  ssi_at root = {""}, at = ssi_at_key(&root, key);
  return ssi_march_list(g, &at, json_object_get(g->root, key), size, element, count, out);
}

ss_error ssi_read_elastic(ssi_march_reading *g) {
  ss_elastic_scene *s = &g->o->file.scene;
  ssi_at root = {""};
  void *list;
  SS_TRY(ssi_rows_read(&g->in, &root, g->root, g->dim, &ssi_rows_elastic, NULL, s));
  g->o->file.title = s->title;
  g->o->meshes =
      SSI_TAKE(g->in.arena, json_array_size(json_object_get(g->root, "bodies")) + 1, ss_mesh *);
  if (!g->o->meshes) return ssi_json_no_memory(&g->in);
#define READ(key, type, element, where, number)                                                    \
  SS_TRY(read_list(g, key, sizeof(type), element, &s->number, &list));                             \
  s->where = list
  READ("materials", ss_elastic_material, material_element, materials, material_count);
  READ("bodies", ss_elastic_body, body_element, bodies, body_count);
  READ("supports", ss_support, support_element, supports, support_count);
  READ("loads", ss_surface_load, load_element, loads, load_count);
  READ("gravity", ss_gravity, gravity_element, gravity, gravity_count);
  READ("obstacles", ss_obstacle, obstacle_element, obstacles, obstacle_count);
  READ("pairs", ss_contact_pair, pair_element, pairs, pair_count);
#undef READ
  return read_domains(g);
}

#endif
