// From a scene to a world: bodies in their frames of principal axes, laws, joints, masses, lengths.
#include "dynamics/scene/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "dynamics/scene/drives.h"
#include "dynamics/scene/shape.h"
#include "la/vec3.h"

bool ssi_shapes_add(ss_context *ctx, ssi_shapes *s, ss_shape *shape) {
  if (s->count == s->capacity) {
    int capacity = s->capacity ? 2 * s->capacity : 16;
    ss_shape **more = ssi_alloc(ctx, (size_t)capacity, sizeof *more);
    if (!more) return false;
    if (s->count) memcpy(more, s->list, sizeof *more * (size_t)s->count);
    ssi_release(ctx, s->list);
    s->list = more;
    s->capacity = capacity;
  }
  s->list[s->count++] = shape;
  return true;
}

void ssi_shapes_release(ss_context *ctx, ssi_shapes *s) {
  for (int k = 0; k < s->count; k++) ss_shape_destroy(s->list[k]);
  ssi_release(ctx, s->list);
  *s = (ssi_shapes){0};
}

static ss_error no_memory(const ssi_world *w) {
  return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for a simulation of %d bodies", w->nb);
}

// ---- bodies -----------------------------------------------------------------------------------

// Shapes in their frames of principal axes, made once per shape of the scene: bodies that share one
// mostly follow each other.
typedef struct centred {
  const ss_shape *from, *shape;
  ss_pose frame;
  ss_mass_properties mass;
  double extent;
} centred;
enum { RECENT = 16 };

typedef struct recent {
  centred entry[RECENT];
  int next;
} recent;

static ss_error centre(ssi_world *w, recent *r, const ss_shape *from, const centred **out) {
  for (int k = 0; k < RECENT; k++)
    if (r->entry[k].from == from) return *out = r->entry + k, SS_OK;
  centred *c = r->entry + r->next;
  r->next = (r->next + 1) % RECENT;
  ss_shape *shape;
  c->from = NULL;
  SS_TRY(ss_shape_centred(w->ctx, from, &shape, &c->frame));
  if (!ssi_shapes_add(w->ctx, &w->shapes, shape)) {
    ss_shape_destroy(shape);
    return no_memory(w);
  }
  SS_TRY(ss_shape_mass(w->ctx, shape, &c->mass));
  c->shape = shape;
  c->extent = ss_shape_extent(shape);
  c->from = from;
  *out = c;
  return SS_OK;
}

// The tensor of an uneven body, in the frame of its shape.
static ss_mass_properties uneven_mass(int dim, const ss_body *from) {
  const double *I = from->inertia, *P = from->products;
  ss_mass_properties m = {.inertia = {I[0], P[0], P[1], P[0], I[1], P[2], P[1], P[2], I[2]},
                          .axes = {1, 0, 0, 0}};
  ssi_copy3(from->centre, m.centre);
  if (dim == 2)
    m.principal[2] = I[2];
  else
    ssi_principal_axes(&m);
  return m;
}

// Shape and frame at the centre of mass that is given. A compound of one part, since primitives have their frames at
// their own centres.
static ss_error set_uneven(ssi_world *w, ssi_simbody *b, const ss_body *from) {
  ss_mass_properties m = uneven_mass(w->dim, from);
  ssi_copy3(m.centre, b->frame.x);
  memcpy(b->frame.q, m.axes, sizeof m.axes);
  ss_part part = {from->shape, ss_pose_inverse(&b->frame)};
  ss_shape *shape;
  SS_TRY(ss_shape_compound(w->ctx, 1, &part, &shape));
  if (!ssi_shapes_add(w->ctx, &w->shapes, shape)) {
    ss_shape_destroy(shape);
    return no_memory(w);
  }
  b->shape = shape;
  b->extent = ss_shape_extent(shape);
  b->mass = from->mass;
  ssi_copy3(m.principal, b->inertia);
  return SS_OK;
}

static bool all_equal(const double x[3]) {
  return x[0] == x[1] && x[1] == x[2];
}

static ss_error set_even(ssi_world *w, recent *r, ssi_simbody *b, const ss_body *from) {
  const centred *c = NULL;
  SS_TRY(centre(w, r, from->shape, &c));
  b->shape = c->shape;
  b->frame = c->frame;
  b->extent = c->extent;
  double density = w->scene->materials[from->material].density;
  b->mass = from->mass > 0 ? from->mass : density * c->mass.volume;
  bool given = from->inertia[2] > 0;
  for (int k = w->dim == 2 ? 2 : 0; k < 3; k++)
    b->inertia[k] = given ? from->inertia[k] : b->mass / c->mass.volume * c->mass.principal[k];
  return SS_OK;
}

static ss_error check_mass(const ssi_world *w, int i) {
  ssi_simbody *b = w->body + i;
  b->isotropic = w->dim == 2 || all_equal(b->inertia);
  for (int k = w->dim == 2 ? 2 : 0; k < 3; k++)
    if (!(b->inertia[k] > 0) || !isfinite(b->inertia[k]) || !isfinite(b->mass))
      return ssi_fail(w->ctx, SS_ERR_DATA,
                      "body %d: its mass %g and moment of inertia %g are not "
                      "positive and finite",
                      i, b->mass, b->inertia[k]);
  return SS_OK;
}

// The scene's pose and velocity are those of the shape's frame and of the centre of mass.
static ss_error set_body(ssi_world *w, recent *r, int i, const ss_body *from) {
  ssi_simbody *b = w->body + i;
  b->name = from->name;
  b->material = from->material;
  b->ghost = from->ghost;
  w->ghosts = w->ghosts || from->ghost;
  SS_TRY(from->uneven ? set_uneven(w, b, from) : set_even(w, r, b, from));
  SS_TRY(check_mass(w, i));
  b->start = ss_pose_times(&from->pose, &b->frame);
  if (w->dim == 2) b->start.x[2] = 0;
  ssi_quat_normalise(b->start.q);
  double R[9], *v = b->velocity;
  ss_rotation(b->start.q, R);
  for (int k = 0; k < w->dim; k++) v[k] = from->velocity[k];
  if (w->dim == 2)
    v[2] = from->spin[2];
  else
    ssi_unrotate3(R, from->spin, v + 3);
  return SS_OK;
}

static const char *numbered(ssi_arena *arena, const char *name, int k) {
  if (!name) return NULL;
  size_t size = strlen(name) + 16;
  char *text = SSI_TAKE(arena, size, char);
  if (text) snprintf(text, size, "%s.%d", name, k);
  return text;
}

static ss_error set_generated(ssi_world *w, ssi_arena *arena, recent *r, int index, int first) {
  const ss_generator *g = w->scene->generators + index;
  int count = ssi_generator_count(g);
  ssi_arena scratch = {.ctx = w->ctx};
  ss_body *made = SSI_TAKE(&scratch, count, ss_body);
  ss_error e =
      made ? ssi_generator_expand(w->ctx, w->dim, g, w->scene->materials[g->material].density,
                                  &w->shapes, made)
           : no_memory(w);
  if (e == SS_ERR_DATA && w->ctx) {  // with the place in front
    char text[sizeof w->ctx->message];
    memcpy(text, w->ctx->message, sizeof text);
    ssi_fail(w->ctx, e, "/generators/%d%s%.400s", index, text[0] == '/' ? "" : ": ", text);
  }
  for (int k = 0; !e && k < count; k++) {
    made[k].name = numbered(arena, g->name, k);
    e = set_body(w, r, first + k, made + k);
  }
  ssi_arena_release(&scratch);
  return e;
}

static ss_error set_bodies(ssi_world *w, ssi_arena *arena) {
  recent *r = ssi_alloc(w->ctx, 1, sizeof *r);
  if (!r) return no_memory(w);
  memset(r, 0, sizeof *r);
  ss_error e = SS_OK;
  for (int i = 0; !e && i < w->scene->body_count; i++) e = set_body(w, r, i, w->scene->bodies + i);
  int first = w->scene->body_count;
  for (int k = 0; !e && k < w->scene->generator_count; k++) {
    e = set_generated(w, arena, r, k, first);
    first += ssi_generator_count(w->scene->generators + k);
  }
  ssi_release(w->ctx, r);
  return e;
}

// ---- laws, joints, matrix ---------------------------------------------------------------------

// Largest friction that a step works with: a cone within 1e-3 of a half-space, which is more than the normals of
// contacts are known to. Beyond it nothing moves differently, and reactions of sliding contacts would be 1/mu of
// their own tangents.
static const double STEEPEST = 1e3;

static ssi_law law_of(double mu, double restitution, double *steepest) {
  *steepest = fmax(*steepest, mu);
  return (ssi_law){fmin(mu, STEEPEST), restitution};
}

static void set_laws(ssi_world *w) {
  const ss_scene *c = w->scene;
  size_t n = (size_t)c->material_count;
  double steepest = 0;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      const ss_material *x = c->materials + a, *y = c->materials + b;
      w->law[a * n + b] = law_of(x->mu == y->mu ? x->mu : sqrt(x->mu * y->mu),
                                 fmin(x->restitution, y->restitution), &steepest);
    }
  for (int k = 0; k < c->law_count; k++) {
    const ss_pair_law *l = c->laws + k;
    ssi_law law = law_of(l->mu, l->restitution, &steepest);
    w->law[(size_t)l->a * n + (size_t)l->b] = w->law[(size_t)l->b * n + (size_t)l->a] = law;
  }
  if (steepest > STEEPEST)
    ssi_log(w->ctx, SS_LOG_WARN, "friction of %g and all above %g are taken for %g", steepest,
            STEEPEST, STEEPEST);
}

ssi_law ssi_world_law(const ssi_world *w, int a, int b) {
  int ma = w->body[a].material;
  int mb = b < w->nb ? w->body[b].material : w->scene->externals[b - w->nb].material;
  return w->law[(size_t)ma * (size_t)w->scene->material_count + (size_t)mb];
}

static int joint_rows(int dim, ss_joint_kind kind) {
  static const int rows[2][4] = {{2, 2, 2, 3}, {3, 5, 5, 6}};
  return rows[dim - 2][kind];
}

static void set_joints(ssi_world *w) {
  int row = 0;
  for (int k = 0; k < w->nj; k++) {
    const ss_joint *from = w->scene->joints + k;
    ssi_simjoint *j = w->joint + k;
    *j = (ssi_simjoint){.kind = from->kind, .a = from->a, .b = from->b, .row = row};
    j->rows = joint_rows(w->dim, from->kind);
    row += j->rows;
    ss_pose a = ssi_side_start(w, j->a), b = ssi_side_start(w, j->b);
    double axis[3], turn[4];
    ssi_pose_seen(&a, from->anchor, j->at_a);
    ssi_pose_seen(&b, from->anchor, j->at_b);
    double length = ssi_norm3(from->axis);
    ssi_scale3(length > 0 ? 1 / length : 0, from->axis, axis);
    ssi_pose_turned(&a, axis, j->axis_a);
    ssi_pose_turned(&b, axis, j->axis_b);
    ssi_quat_conjugate(b.q, turn);
    ssi_quat_times(turn, a.q, j->relative);
  }
}

// Bodies that joints hold together, by the first of them.
static void set_groups(ssi_world *w) {
  for (int i = 0; i < w->nb; i++) w->body[i].group = -1;
  for (int k = 0; k < w->nj; k++) {
    w->body[w->joint[k].a].group = w->joint[k].a;
    if (w->joint[k].b >= 0) w->body[w->joint[k].b].group = w->joint[k].b;
  }
  for (bool again = true; again;) {
    again = false;
    for (int k = 0; k < w->nj; k++) {
      if (w->joint[k].b < 0) continue;
      int *a = &w->body[w->joint[k].a].group, *b = &w->body[w->joint[k].b].group;
      if (*a == *b) continue;
      again = true;
      *a = *b = *a < *b ? *a : *b;
    }
  }
}

// Pairs that joints keep from colliding, as colliders, ordered for a binary search.
static void set_apart(ssi_world *w) {
  for (int k = 0; k < w->nj; k++) {
    const ss_joint *j = w->scene->joints + k;
    if (j->collide || j->b == SS_WORLD) continue;
    int b = j->b >= 0 ? j->b : w->nb + SS_EXTERNAL - j->b;
    int low = j->a < b ? j->a : b, high = j->a < b ? b : j->a, at = w->apart_count++;
    for (; at > 0 && (w->apart[2 * at - 2] > low ||
                      (w->apart[2 * at - 2] == low && w->apart[2 * at - 1] > high));
         at--) {
      w->apart[2 * at] = w->apart[2 * at - 2];
      w->apart[2 * at + 1] = w->apart[2 * at - 1];
    }
    w->apart[2 * at] = low;
    w->apart[2 * at + 1] = high;
  }
}

bool ssi_world_apart(const void *world, int a, int b) {
  const ssi_world *w = world;
  if ((a < w->nb && w->body[a].ghost) || (b < w->nb && w->body[b].ghost)) return true;
  int first = a < b ? a : b, second = a < b ? b : a, low = 0, high = w->apart_count;
  while (low < high) {
    int mid = low + (high - low) / 2;
    const int *pair = w->apart + 2 * mid;
    if (pair[0] < first || (pair[0] == first && pair[1] < second))
      low = mid + 1;
    else
      high = mid;
  }
  return low < w->apart_count && w->apart[2 * low] == first && w->apart[2 * low + 1] == second;
}

static ss_error set_matrix(ssi_world *w, ssi_arena *arena) {
  int64_t *ptr = SSI_TAKE(arena, (size_t)w->nall + 1, int64_t);
  int *col = SSI_TAKE(arena, w->nall, int);
  w->mass = SSI_TAKE(arena, w->nall, double);
  if (arena->failed) return no_memory(w);
  for (int i = 0; i < w->nb; i++) {
    double *mass = w->mass + (size_t)i * w->per_body;
    for (int k = 0; k < w->dim; k++) mass[k] = w->body[i].mass;
    if (w->dim == 2)
      mass[2] = w->body[i].inertia[2];
    else
      ssi_copy3(w->body[i].inertia, mass + 3);
  }
  for (int k = w->ndof; k < w->nall; k++)  // of the first body that the drive is at
    w->mass[k] = w->body[w->joint[w->drive[(k - w->ndof) / w->per_body].joint].a].mass;
  for (int k = 0; k < w->nall; k++) ptr[k] = col[k] = k;
  ptr[w->nall] = w->nall;
  w->M = (ss_sparse){w->ndof, w->ndof, ptr, col, w->mass};
  w->all = (ss_sparse){w->nall, w->nall, ptr, col, w->mass};
  return SS_OK;
}

// ---- lengths ----------------------------------------------------------------------------------

// As parts of the smallest body's extent, which is what contacts are made of; docs/theory-dynamics.md, "Lengths".
static const double SLOP = 1e-9;  // above the rounding of gaps, below what anything depends on
static const double NEAR = 0.02;  // a contact kept in vain costs a row, a missed one another solve
static const double SPARE = 0.5;  // of `near`: by how much a rough answer may be wrong
static const double ALLOWED = 1e-3;  // what neither a picture shows nor a pile feels
static const double SOFT = 10;       // of `allowed`

static void set_lengths(ssi_world *w) {
  double smallest = INFINITY;
  for (int i = 0; i < w->nb; i++)
    if (!w->body[i].ghost) smallest = fmin(smallest, w->body[i].extent);
  for (int i = 0; i < w->nb && isinf(smallest); i++) smallest = w->body[i].extent;
  if (!w->nb) smallest = 0;
  ssi_lengths *length = &w->length;
  length->slop = SLOP * smallest;
  length->near = w->nb ? w->scene->stepping.margin + NEAR * smallest : 0;
  length->spare = SPARE * length->near;
  length->allowed = ALLOWED * smallest;
  length->soft = SOFT * length->allowed;
}

// ---- can every pair be detected? --------------------------------------------------------------

// Whether a pair of shapes needs libccd depends on their kinds and, for hulls, on the number of edges: more need it
// sooner. So it is enough to try, of each kind, the shape with the most edges.
typedef struct kinds {
  const ss_shape *most[2][SS_COMPOUND];  // of bodies, of externals
} kinds;

static void look_at(kinds *k, bool external, const ss_shape *shape) {
  for (int i = 0; i < ss_shape_part_count(shape); i++) {
    const ss_shape *part = ss_shape_part(shape, i).shape, **most = &k->most[external][part->kind];
    if (!*most || part->hull.edge_count > (*most)->hull.edge_count) *most = part;
  }
}

// Every pair of shapes that may meet must be one that this build can detect: said now, not in step 500.
static ss_error check_pairs(const ssi_world *w) {
  kinds k = {0};
  for (int i = 0; i < w->nb; i++) look_at(&k, false, w->body[i].shape);
  for (int i = 0; i < w->ne; i++) look_at(&k, true, w->scene->externals[i].shape);
  for (int a = 0; a < SS_COMPOUND; a++)
    for (int b = 0; b < 2 * SS_COMPOUND; b++) {
      const ss_shape *body = k.most[0][a], *other = k.most[b / SS_COMPOUND][b % SS_COMPOUND];
      if (body && other) SS_TRY(ss_collide_check(w->ctx, body, other));
    }
  return SS_OK;
}

// -----------------------------------------------------------------------------------------------

static void count_all(ssi_world *w) {
  const ss_scene *scene = w->scene;
  w->dim = scene->dim;
  w->per_body = w->dim == 2 ? 3 : 6;
  w->nb = scene->body_count;
  for (int k = 0; k < scene->generator_count; k++)
    w->nb += ssi_generator_count(scene->generators + k);
  w->ne = scene->external_count;
  w->nj = scene->joint_count;
  for (int k = 0; k < w->nj; k++) w->nl += joint_rows(w->dim, scene->joints[k].kind);
  w->ndof = w->per_body * w->nb;
}

ss_error ssi_world_create(ss_context *ctx, const ss_scene *scene, ssi_arena *arena,
                          ssi_world *out) {
  ssi_world *w = out;
  *w = (ssi_world){.ctx = ctx, .scene = scene};
  SS_TRY(ssi_scene_check(ctx, scene));
  count_all(w);
  size_t materials = (size_t)scene->material_count;
  w->body = SSI_TAKE(arena, w->nb, ssi_simbody);
  w->law = SSI_TAKE(arena, materials * materials, ssi_law);
  w->joint = SSI_TAKE(arena, w->nj, ssi_simjoint);
  w->external = SSI_TAKE(arena, w->ne, ss_external);
  w->told = SSI_TAKE(arena, w->ne, int);
  w->apart = SSI_TAKE(arena, 2 * (size_t)w->nj, int);
  if (arena->failed) return no_memory(w);
  for (int k = 0; k < w->ne; k++) w->external[k] = scene->externals[k];
  SS_TRY(set_bodies(w, arena));
  set_laws(w);
  set_joints(w);
  SS_TRY(ssi_elements_create(w, arena));
  SS_TRY(ssi_drives_create(w, arena));
  set_groups(w);
  set_apart(w);
  SS_TRY(set_matrix(w, arena));
  set_lengths(w);
  return check_pairs(w);
}
