#include "io/import/scene_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "io/import/mesh_file.h"
#include "la/vec3.h"

ss_error ssi_scene_draft_no_memory(const ssi_scene_draft *d) {
  return ssi_fail(d->ctx, SS_ERR_MEMORY, "%s: no memory to make a scene of it", d->name);
}

static ss_error failure(const ssi_scene_draft *d) {
  if (!d->not_finite) return ssi_scene_draft_no_memory(d);
  return ssi_fail(d->ctx, SS_ERR_FORMAT,
                  "%s: its numbers are so large or so small that the scene's are not finite",
                  d->name);
}

// ---- JSON ---------------------------------------------------------------------------------------

// NULL, which put and append count as a failure, where JSON has no word for it.
static json_t *number(ssi_scene_draft *d, double x) {
  if (!isfinite(x)) d->not_finite = true;
  return json_real(x + 0.0);  // no -0
}

static void put(ssi_scene_draft *d, json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value)) d->failed = true;
}

static void append(ssi_scene_draft *d, json_t *array, json_t *value) {
  if (json_array_append_new(array, value)) d->failed = true;
}

static json_t *numbers(ssi_scene_draft *d, const double *x, int count) {
  json_t *array = json_array();
  for (int k = 0; k < count; k++) append(d, array, number(d, x[k]));
  return array;
}

static void put_pose(ssi_scene_draft *d, json_t *object, const ss_pose *pose) {
  double q[4];
  memcpy(q, pose->q, sizeof q);
  ssi_quat_normalise(q);
  bool turned = q[1] != 0 || q[2] != 0 || q[3] != 0;
  put(d, object, "position", numbers(d, pose->x, 3));
  if (turned) put(d, object, "rotation", numbers(d, q, 4));
}

ss_error ssi_scene_draft_begin(ssi_scene_draft *d) {
  json_t **lists[] = {&d->materials, &d->bodies,   &d->externals, &d->joints, &d->springs,
                      &d->dampers,   &d->bushings, &d->files,     &d->root};
  ssi_set3(0, 0, -9.81, d->gravity);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    *lists[k] = lists[k] == &d->root ? json_object() : json_array();
    if (!*lists[k]) d->failed = true;
  }
  return d->failed ? ssi_scene_draft_no_memory(d) : SS_OK;
}

void ssi_scene_draft_end(ssi_scene_draft *d) {
  json_t *lists[] = {d->materials, d->bodies,   d->externals, d->joints, d->springs,
                     d->dampers,   d->bushings, d->files,     d->root};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) json_decref(lists[k]);
}

// ---- solids -------------------------------------------------------------------------------------

static json_t *shape_json(ssi_scene_draft *d, const char *kind) {
  json_t *o = json_object();
  put(d, o, "kind", json_string(kind));
  return o;
}

ss_error ssi_made_solid_sphere(ssi_scene_draft *d, double radius, ssi_made_solid *out) {
  SS_TRY(ss_shape_sphere(d->ctx, 3, radius, &out->shape));
  out->json = shape_json(d, "sphere");
  put(d, out->json, "radius", number(d, radius));
  return SS_OK;
}

ss_error ssi_made_solid_box(ssi_scene_draft *d, const double half[3], ssi_made_solid *out) {
  SS_TRY(ss_shape_box(d->ctx, 3, half, &out->shape));
  double size[3];
  ssi_scale3(2, half, size);
  out->json = shape_json(d, "box");
  put(d, out->json, "size", numbers(d, size, 3));
  return SS_OK;
}

ss_error ssi_made_solid_rod(ssi_scene_draft *d, bool capsule, double radius, double half,
                            ssi_made_solid *out) {
  SS_TRY(capsule ? ss_shape_capsule(d->ctx, 3, radius, half, &out->shape)
                 : ss_shape_cylinder(d->ctx, radius, half, &out->shape));
  out->json = shape_json(d, capsule ? "capsule" : "cylinder");
  put(d, out->json, "radius", number(d, radius));
  put(d, out->json, "length", number(d, 2 * half));
  return SS_OK;
}

ss_error ssi_made_solid_plane(ssi_scene_draft *d, ssi_made_solid *out) {
  SS_TRY(ss_shape_plane(d->ctx, 3, &out->shape));
  out->json = shape_json(d, "plane");
  return SS_OK;
}

// Corners alone: points inside a hull say nothing.
static json_t *hull_json(ssi_scene_draft *d, const ss_shape *hull) {
  ss_corners c = ss_shape_corners(hull);
  json_t *o = shape_json(d, "hull"), *points = json_array();
  for (int k = 0; k < c.corner_count; k++) append(d, points, numbers(d, c.corners + 3 * k, 3));
  put(d, o, "points", points);
  return o;
}

static ss_error join_pieces(ssi_scene_draft *d, int count, const ssi_piece *pieces,
                            ssi_arena *arena, ssi_made_solid *out) {
  ss_part *parts = SSI_TAKE(arena, count, ss_part);
  if (!parts) return ssi_scene_draft_no_memory(d);
  json_t *list = json_array();
  for (int k = 0; k < count; k++) {
    parts[k] = (ss_part){pieces[k].hull, ss_pose_identity()};
    json_t *part = json_object();
    put(d, part, "shape", hull_json(d, pieces[k].hull));
    append(d, list, part);
  }
  out->json = shape_json(d, "compound");
  put(d, out->json, "parts", list);
  return ss_shape_compound(d->ctx, count, parts, &out->shape);
}

ss_error ssi_made_solid_surface(ssi_scene_draft *d, const ssi_source *in, const double scale[3],
                                ssi_made_solid *out) {
  ssi_arena arena = {.ctx = d->ctx};
  ssi_triangles surface;
  ssi_piece *pieces = NULL;
  int count = 0;
  ss_error e = ssi_triangles_read(d->ctx, in, scale, &arena, &surface);
  if (!e) e = ssi_triangles_pieces(d->ctx, in->name, &surface, d->o->hull, &arena, &count, &pieces);
  if (!e && count == 1) {
    out->json = hull_json(d, pieces[0].hull);
    out->shape = pieces[0].hull;
    pieces[0].hull = NULL;
  } else if (!e) {
    e = join_pieces(d, count, pieces, &arena, out);
  }
  for (int k = 0; k < count; k++) ss_shape_destroy(pieces[k].hull);
  ssi_arena_release(&arena);
  return e;
}

ss_error ssi_made_solid_mesh(ssi_scene_draft *d, const char *path, const double scale[3],
                             ssi_made_solid *out) {
  ssi_arena arena = {.ctx = d->ctx};
  ssi_source in;
  ss_error e = ssi_input_read(d->ctx, path, &arena, &in);
  if (!e) append(d, d->files, json_stringn_nocheck(path, strlen(path)));
  if (!e) e = ssi_made_solid_surface(d, &in, scale, out);
  ssi_arena_release(&arena);
  return e;
}

void ssi_made_solid_release(ssi_made_solid *s) {
  ss_shape_destroy(s->shape);
  json_decref(s->json);
  *s = (ssi_made_solid){0};
}

// ---- links --------------------------------------------------------------------------------------

ss_error ssi_link_begin(const ssi_scene_draft *d, const char *name, const ss_pose *pose,
                        ssi_link *out) {
  *out = (ssi_link){.name = name, .pose = *pose, .mu = -1, .parts = json_array()};
  return out->parts ? SS_OK : ssi_scene_draft_no_memory(d);
}

void ssi_link_end(ssi_link *l) {
  json_decref(l->parts);
  l->parts = NULL;
}

ss_error ssi_link_add_part(ssi_scene_draft *d, ssi_link *l, const ssi_made_solid *s,
                           const ss_pose *at) {
  json_t *part = json_object();
  put(d, part, "shape", json_incref(s->json));
  put_pose(d, part, at);
  append(d, l->parts, part);
  return d->failed ? failure(d) : SS_OK;
}

void ssi_link_add_mass(ssi_link *l, double mass, const ss_pose *at, const double centre[3],
                       const double tensor[9]) {
  double c[3], R[9], turned[9];
  ss_pose_apply(at, centre, c);
  ss_rotation(at->q, R);
  for (int i = 0; i < 3; i++)  // R I R^T
    for (int j = 0; j < 3; j++) {
      turned[3 * i + j] = 0;
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          turned[3 * i + j] += R[3 * i + a] * tensor[3 * a + b] * R[3 * j + b];
    }
  ssi_link_mass *m = &l->mass;
  m->mass += mass;
  ssi_add3(m->first, mass, c, m->first);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)  // (1)
      m->tensor[3 * i + j] +=
          turned[3 * i + j] + mass * ((i == j ? ssi_dot3(c, c) : 0) - c[i] * c[j]);
  l->density = 0;
}

ss_error ssi_link_add_solid(ssi_scene_draft *d, ssi_link *l, const ssi_made_solid *s,
                            const ss_pose *at, double mass, double density) {
  ss_mass_properties m;
  SS_TRY(ss_shape_mass(d->ctx, s->shape, &m));
  if (!(mass > 0)) mass = density * m.volume;
  double even = mass / m.volume, tensor[9];
  for (int k = 0; k < 9; k++) tensor[k] = even * m.inertia[k];
  bool same = l->mass.mass == 0 || l->density == even;
  ssi_link_add_mass(l, mass, at, m.centre, tensor);
  l->density = same ? even : 0;
  return SS_OK;
}

static json_t *material(ssi_scene_draft *d, double mu) {
  char name[40];
  snprintf(name, sizeof name, "mu %g", mu);
  size_t k;
  json_t *known;
  json_array_foreach(d->materials, k, known) {
    const char *own = json_string_value(json_object_get(known, "name"));
    if (own && strcmp(own, name) == 0) return json_string(name);
  }
  json_t *new = json_object();
  put(d, new, "name", json_string(name));
  put(d, new, "mu", number(d, mu));
  append(d, d->materials, new);
  return json_string(name);
}

// One part where its frame is, or all of them as a compound.
static json_t *whole_shape(ssi_scene_draft *d, const ssi_link *l) {
  json_t *first = json_array_get(l->parts, 0);
  if (json_array_size(l->parts) == 1 && !json_object_get(first, "rotation")) {
    const json_t *at = json_object_get(first, "position");
    bool here = true;
    for (size_t k = 0; k < 3; k++) here = here && json_real_value(json_array_get(at, k)) == 0;
    if (here) return json_incref(json_object_get(first, "shape"));
  }
  json_t *o = shape_json(d, "compound");
  put(d, o, "parts", json_incref(l->parts));
  return o;
}

static json_t *link_json(ssi_scene_draft *d, const ssi_link *l, json_t *shape) {
  json_t *o = json_object();
  if (*l->name) put(d, o, "name", json_string(l->name));
  put(d, o, "shape", shape);
  put(d, o, "material", material(d, l->mu < 0 ? d->o->mu : l->mu));
  put_pose(d, o, &l->pose);
  return o;
}

// Mass, centre and tensor about it, from (1).
static void put_mass(ssi_scene_draft *d, json_t *o, const ssi_link_mass *m) {
  double c[3], I[9];
  ssi_scale3(1 / m->mass, m->first, c);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      I[3 * i + j] = m->tensor[3 * i + j] - m->mass * ((i == j ? ssi_dot3(c, c) : 0) - c[i] * c[j]);
  const double six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  put(d, o, "mass", number(d, m->mass));
  put(d, o, "centre", numbers(d, c, 3));
  put(d, o, "inertia", numbers(d, six, 6));
}

// A sphere of the same moments, for what has mass and no shape.
static json_t *stand_in(ssi_scene_draft *d, const ssi_link_mass *m) {
  double trace =
      m->tensor[0] + m->tensor[4] + m->tensor[8] - 2 * ssi_dot3(m->first, m->first) / m->mass;
  json_t *o = shape_json(d, "sphere");
  put(d, o, "radius", number(d, trace > 0 ? sqrt(2.5 * trace / 3 / m->mass) : 1e-3));
  return o;
}

void ssi_scene_draft_body(ssi_scene_draft *d, const ssi_link *l) {
  bool ghost = json_array_size(l->parts) == 0;
  json_t *o = link_json(d, l, ghost ? stand_in(d, &l->mass) : whole_shape(d, l));
  if (l->density > 0)
    put(d, o, "density", number(d, l->density));
  else
    put_mass(d, o, &l->mass);
  if (ghost) put(d, o, "collide", json_false());
  append(d, d->bodies, o);
}

void ssi_scene_draft_external(ssi_scene_draft *d, const ssi_link *l) {
  if (json_array_size(l->parts)) append(d, d->externals, link_json(d, l, whole_shape(d, l)));
}

// ---- between links ------------------------------------------------------------------------------

static json_t *ends(ssi_scene_draft *d, const ssi_made_joint *j) {
  json_t *o = json_object();
  put(d, o, "a", json_string(j->a));
  if (j->b) put(d, o, "b", json_string(j->b));
  return o;
}

// Along the axis of a slider two points may coincide: a bushing that resists there alone.
static json_t *along_axis(ssi_scene_draft *d, const ssi_made_joint *j) {
  const double k[3] = {0, 0, j->stiffness}, c[3] = {0, 0, j->damping};
  json_t *o = ends(d, j), *up = json_object();
  put(d, up, "up", numbers(d, j->axis, 3));
  put(d, o, "anchor", numbers(d, j->anchor, 3));
  put(d, o, "rotation", up);
  put(d, o, "stiffness", numbers(d, k, 3));
  put(d, o, "damping", numbers(d, c, 3));
  return o;
}

static json_t *about_axis(ssi_scene_draft *d, const ssi_made_joint *j) {
  json_t *o = ends(d, j);
  put(d, o, "kind", json_string("torsional"));
  put(d, o, "axis", numbers(d, j->axis, 3));
  if (j->stiffness > 0) {
    put(d, o, "stiffness", number(d, j->stiffness));
    put(d, o, "rest_angle", number(d, j->rest));
  }
  if (j->damping > 0) put(d, o, "damping", number(d, j->damping));
  return o;
}

void ssi_scene_draft_add_joint(ssi_scene_draft *d, const ssi_made_joint *j) {
  json_t *o = ends(d, j);
  if (*j->name) put(d, o, "name", json_string(j->name));
  put(d, o, "kind", json_string(j->kind));
  put(d, o, "anchor", numbers(d, j->anchor, 3));
  bool hinge = strcmp(j->kind, "hinge") == 0, slider = strcmp(j->kind, "slider") == 0;
  if (hinge || slider) put(d, o, "axis", numbers(d, j->axis, 3));
  if (j->limited) put(d, o, "low", number(d, j->low)), put(d, o, "high", number(d, j->high));
  append(d, d->joints, o);
  if (slider && (j->damping > 0 || j->stiffness > 0)) append(d, d->bushings, along_axis(d, j));
  if (hinge && j->stiffness > 0) append(d, d->springs, about_axis(d, j));
  if (hinge && !(j->stiffness > 0) && j->damping > 0) append(d, d->dampers, about_axis(d, j));
}

// ---- the whole ----------------------------------------------------------------------------------

static void put_list(ssi_scene_draft *d, const char *key, json_t *list) {
  if (json_array_size(list)) put(d, d->root, key, json_incref(list));
}

ss_error ssi_scene_draft_text(ssi_scene_draft *d, char **out) {
  json_t *stepping = json_object();
  double step = d->o->step > 0 ? d->o->step : d->step > 0 ? d->step : 2e-3;
  if (d->o->ground) {
    ssi_link ground;
    ssi_made_solid plane = {0};
    ss_pose at = ss_pose_identity();
    at.x[2] = d->o->ground_height;
    ss_pose here = ss_pose_identity();
    if (ssi_link_begin(d, "ground", &at, &ground) || ssi_made_solid_plane(d, &plane) ||
        ssi_link_add_part(d, &ground, &plane, &here))
      d->failed = true;
    else
      ssi_scene_draft_external(d, &ground);
    ssi_link_end(&ground);
    ssi_made_solid_release(&plane);
  }
  if (!json_array_size(d->materials)) json_decref(material(d, d->o->mu));
  put(d, d->root, "gravity", numbers(d, d->gravity, 3));
  put(d, d->root, "materials", json_incref(d->materials));
  put_list(d, "bodies", d->bodies);
  put_list(d, "externals", d->externals);
  put_list(d, "joints", d->joints);
  put_list(d, "springs", d->springs);
  put_list(d, "dampers", d->dampers);
  put_list(d, "bushings", d->bushings);
  put(d, stepping, "step", number(d, step));
  put(d, stepping, "duration", number(d, d->o->duration));
  put(d, d->root, "stepping", stepping);
  *out = d->failed ? NULL : json_dumps(d->root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  return *out ? SS_OK : failure(d);
}

bool ssi_is_direction(const double v[3]) {
  double length = ssi_norm3(v);
  return length > 0 && isfinite(length);
}

void ssi_turn_about(const double axis[3], double angle, double out[4]) {
  double a[3];
  ssi_scale3(angle / ssi_norm3(axis), axis, a);
  ssi_quat_exp(a, out);
}
