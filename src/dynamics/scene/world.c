// From a scene to a simulation: bodies in their frames of principal axes, laws, joints, memory.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "dynamics/step/sim.h"
#include "dynamics/vec3.h"

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

static ss_error no_memory(const ss_simulation *s) {
  return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for a simulation of %d bodies", s->nb);
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

static ss_error centre(ss_simulation *s, recent *r, const ss_shape *from, const centred **out) {
  for (int k = 0; k < RECENT; k++)
    if (r->entry[k].from == from) return *out = r->entry + k, SS_OK;
  centred *c = r->entry + r->next;
  r->next = (r->next + 1) % RECENT;
  ss_shape *shape;
  c->from = NULL;
  SS_TRY(ss_shape_centred(s->ctx, from, &shape, &c->frame));
  if (!ssi_shapes_add(s->ctx, &s->shapes, shape)) {
    ss_shape_destroy(shape);
    return no_memory(s);
  }
  SS_TRY(ss_shape_mass(s->ctx, shape, &c->mass));
  c->shape = shape;
  c->extent = ss_shape_extent(shape);
  c->from = from;
  *out = c;
  return SS_OK;
}

static bool all_equal(const double x[3]) {
  return x[0] == x[1] && x[1] == x[2];
}

static ss_error set_mass(ss_simulation *s, int i, const ss_body *from, const centred *c) {
  ssi_simbody *b = s->body + i;
  double density = s->scene->materials[from->material].density;
  b->mass = from->mass > 0 ? from->mass : density * c->mass.volume;
  bool given = from->inertia[2] > 0;
  for (int k = s->dim == 2 ? 2 : 0; k < 3; k++)
    b->inertia[k] = given ? from->inertia[k] : b->mass / c->mass.volume * c->mass.principal[k];
  b->isotropic = s->dim == 2 || all_equal(b->inertia);
  for (int k = s->dim == 2 ? 2 : 0; k < 3; k++)
    if (!(b->inertia[k] > 0) || !isfinite(b->inertia[k]) || !isfinite(b->mass))
      return ssi_fail(s->ctx, SS_ERR_DATA,
                      "body %d: its mass %g and moment of inertia %g are not "
                      "positive and finite",
                      i, b->mass, b->inertia[k]);
  return SS_OK;
}

// The scene's pose and velocity are those of the shape's frame and of the centre of mass.
static ss_error set_body(ss_simulation *s, recent *r, int i, const ss_body *from) {
  ssi_simbody *b = s->body + i;
  const centred *c = NULL;
  SS_TRY(centre(s, r, from->shape, &c));
  b->shape = c->shape;
  b->frame = c->frame;
  b->extent = c->extent;
  b->name = from->name;
  b->material = from->material;
  SS_TRY(set_mass(s, i, from, c));
  s->pose[i] = ss_pose_times(&from->pose, &c->frame);
  if (s->dim == 2) s->pose[i].x[2] = 0;
  ssi_quat_normalise(s->pose[i].q);
  ssi_copy3(s->pose[i].x, b->start);
  double R[9], spin[3], *v = s->v + (size_t)i * s->per_body;
  ss_rotation(s->pose[i].q, R);
  ssi_unrotate3(R, from->spin, spin);
  for (int k = 0; k < s->dim; k++) v[k] = from->velocity[k];
  if (s->dim == 2)
    v[2] = from->spin[2];
  else
    ssi_copy3(spin, v + 3);
  s->collider[i] = (ss_collider){.shape = b->shape, .pose = s->pose[i]};
  return SS_OK;
}

static const char *numbered(ss_simulation *s, const char *name, int k) {
  if (!name) return NULL;
  size_t size = strlen(name) + 16;
  char *text = SSI_TAKE(&s->arena, size, char);
  if (text) snprintf(text, size, "%s.%d", name, k);
  return text;
}

static ss_error set_generated(ss_simulation *s, recent *r, int index, int first) {
  const ss_generator *g = s->scene->generators + index;
  int count = ssi_generator_count(g);
  ssi_arena scratch = {.ctx = s->ctx};
  ss_body *made = SSI_TAKE(&scratch, count, ss_body);
  ss_error e = made ? ssi_generator_expand(s->ctx, s->dim, g, &s->shapes, made) : no_memory(s);
  if (e == SS_ERR_DATA && s->ctx) {  // with the place in front
    char text[sizeof s->ctx->message];
    memcpy(text, s->ctx->message, sizeof text);
    ssi_fail(s->ctx, e, "/generators/%d%s%.400s", index, text[0] == '/' ? "" : ": ", text);
  }
  for (int k = 0; !e && k < count; k++) {
    made[k].name = numbered(s, g->name, k);
    e = set_body(s, r, first + k, made + k);
  }
  ssi_arena_release(&scratch);
  return e;
}

static ss_error set_bodies(ss_simulation *s) {
  recent *r = ssi_alloc(s->ctx, 1, sizeof *r);
  if (!r) return no_memory(s);
  memset(r, 0, sizeof *r);
  ss_error e = SS_OK;
  for (int i = 0; !e && i < s->scene->body_count; i++) e = set_body(s, r, i, s->scene->bodies + i);
  int first = s->scene->body_count;
  for (int k = 0; !e && k < s->scene->generator_count; k++) {
    e = set_generated(s, r, k, first);
    first += ssi_generator_count(s->scene->generators + k);
  }
  ssi_release(s->ctx, r);
  return e;
}

static void set_externals(ss_simulation *s) {
  for (int k = 0; k < s->ne; k++) {
    const ss_external *e = s->scene->externals + k;
    s->collider[s->nb + k] = (ss_collider){.shape = e->shape, .pose = e->pose, .external = true};
  }
}

// ---- laws, joints, matrix ---------------------------------------------------------------------

// Largest friction that a step works with: a cone within 1e-3 of a half-space, which is more than the normals of
// contacts are known to. Beyond it nothing moves differently, and reactions of sliding contacts would be 1/mu of
// their own tangents.
static const double STEEPEST = 1e3;

static ssi_law law_of(ss_simulation *s, double mu, double restitution) {
  if (mu > STEEPEST && !s->steep)
    ssi_log(s->ctx, SS_LOG_WARN, "friction of %g and all above %g are taken for %g", mu, STEEPEST,
            STEEPEST);
  s->steep = s->steep || mu > STEEPEST;
  return (ssi_law){fmin(mu, STEEPEST), restitution};
}

static void set_laws(ss_simulation *s) {
  const ss_scene *c = s->scene;
  size_t n = (size_t)c->material_count;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      const ss_material *x = c->materials + a, *y = c->materials + b;
      s->law[a * n + b] = law_of(s, x->mu == y->mu ? x->mu : sqrt(x->mu * y->mu),
                                 fmin(x->restitution, y->restitution));
    }
  for (int k = 0; k < c->law_count; k++) {
    const ss_pair_law *l = c->laws + k;
    ssi_law law = law_of(s, l->mu, l->restitution);
    s->law[(size_t)l->a * n + (size_t)l->b] = s->law[(size_t)l->b * n + (size_t)l->a] = law;
  }
}

static ss_pose side_pose(const ss_simulation *s, int which) {
  if (which == SS_WORLD) return ss_pose_identity();
  return s->collider[which >= 0 ? which : s->nb + SS_EXTERNAL - which].pose;
}

static void local_vector(const ss_pose *pose, const double world[3], double local[3]) {
  double R[9];
  ss_rotation(pose->q, R);
  ssi_unrotate3(R, world, local);
}

static void set_joints(ss_simulation *s) {
  int row = 0;
  for (int k = 0; k < s->nj; k++) {
    const ss_joint *from = s->scene->joints + k;
    ssi_simjoint *j = s->joint + k;
    *j = (ssi_simjoint){.kind = from->kind, .a = from->a, .b = from->b, .row = row};
    j->rows = ssi_joint_rows(s->dim, from->kind);
    row += j->rows;
    ss_pose a = side_pose(s, j->a), b = side_pose(s, j->b);
    double arm[3], axis[3], turn[4];
    ssi_sub3(from->anchor, a.x, arm);
    local_vector(&a, arm, j->at_a);
    ssi_sub3(from->anchor, b.x, arm);
    local_vector(&b, arm, j->at_b);
    double length = ssi_norm3(from->axis);
    ssi_scale3(length > 0 ? 1 / length : 0, from->axis, axis);
    local_vector(&a, axis, j->axis_a);
    local_vector(&b, axis, j->axis_b);
    ssi_quat_conjugate(b.q, turn);
    ssi_quat_times(turn, a.q, j->relative);
  }
}

// Bodies that joints hold together, by the first of them.
static void set_groups(ss_simulation *s) {
  for (int i = 0; i < s->nb; i++) s->body[i].group = -1;
  for (int k = 0; k < s->nj; k++) {
    s->body[s->joint[k].a].group = s->joint[k].a;
    if (s->joint[k].b >= 0) s->body[s->joint[k].b].group = s->joint[k].b;
  }
  for (bool again = true; again;) {
    again = false;
    for (int k = 0; k < s->nj; k++) {
      if (s->joint[k].b < 0) continue;
      int *a = &s->body[s->joint[k].a].group, *b = &s->body[s->joint[k].b].group;
      if (*a == *b) continue;
      again = true;
      *a = *b = *a < *b ? *a : *b;
    }
  }
}

// Pairs that joints keep from colliding, as colliders, ordered for a binary search.
static void set_apart(ss_simulation *s) {
  for (int k = 0; k < s->nj; k++) {
    const ss_joint *j = s->scene->joints + k;
    if (j->collide || j->b == SS_WORLD) continue;
    int b = j->b >= 0 ? j->b : s->nb + SS_EXTERNAL - j->b;
    int low = j->a < b ? j->a : b, high = j->a < b ? b : j->a, at = s->apart_count++;
    for (; at > 0 && (s->apart[2 * at - 2] > low ||
                      (s->apart[2 * at - 2] == low && s->apart[2 * at - 1] > high));
         at--) {
      s->apart[2 * at] = s->apart[2 * at - 2];
      s->apart[2 * at + 1] = s->apart[2 * at - 1];
    }
    s->apart[2 * at] = low;
    s->apart[2 * at + 1] = high;
  }
}

static bool is_apart(const void *user, int a, int b) {
  const ss_simulation *s = user;
  int first = a < b ? a : b, second = a < b ? b : a, low = 0, high = s->apart_count;
  while (low < high) {
    int mid = low + (high - low) / 2;
    const int *pair = s->apart + 2 * mid;
    if (pair[0] < first || (pair[0] == first && pair[1] < second))
      low = mid + 1;
    else
      high = mid;
  }
  return low < s->apart_count && s->apart[2 * low] == first && s->apart[2 * low + 1] == second;
}

static void set_matrix(ss_simulation *s, int64_t *ptr, int *col) {
  for (int i = 0; i < s->nb; i++) {
    double *mass = s->mass + (size_t)i * s->per_body;
    for (int k = 0; k < s->dim; k++) mass[k] = s->body[i].mass;
    if (s->dim == 2)
      mass[2] = s->body[i].inertia[2];
    else
      ssi_copy3(s->body[i].inertia, mass + 3);
  }
  for (int k = 0; k < s->ndof; k++) ptr[k] = col[k] = k;
  ptr[s->ndof] = s->ndof;
  s->M = (ss_sparse){s->ndof, s->ndof, ptr, col, s->mass};
}

// ---- life cycle -------------------------------------------------------------------------------

static ss_error take_memory(ss_simulation *s) {
  ssi_arena *a = &s->arena;
  size_t nb = (size_t)s->nb, ndof = (size_t)s->ndof, materials = (size_t)s->scene->material_count;
  s->body = SSI_TAKE(a, nb, ssi_simbody);
  s->law = SSI_TAKE(a, materials * materials, ssi_law);
  s->joint = SSI_TAKE(a, s->nj, ssi_simjoint);
  s->apart = SSI_TAKE(a, 2 * (size_t)s->nj, int);
  s->collider = SSI_TAKE(a, nb + (size_t)s->ne, ss_collider);
  s->twist = SSI_TAKE(a, s->ne, ssi_twist);
  s->pose = SSI_TAKE(a, nb, ss_pose);
  s->pose_before = SSI_TAKE(a, nb, ss_pose);
  s->external_pose = SSI_TAKE(a, s->ne, ss_pose);
  s->v = SSI_TAKE(a, ndof, double);
  s->v_before = SSI_TAKE(a, ndof, double);
  s->v_free = SSI_TAKE(a, ndof, double);
  s->v_new = SSI_TAKE(a, ndof, double);
  s->f = SSI_TAKE(a, ndof, double);
  s->mass = SSI_TAKE(a, ndof, double);
  s->load = SSI_TAKE(a, 6 * nb, double);
  s->v_move = SSI_TAKE(a, ndof, double);
  s->gyro = SSI_TAKE(a, 3 * nb, double);
  s->rotation = SSI_TAKE(a, 9 * nb, double);
  s->velocity = SSI_TAKE(a, 3 * nb, double);
  s->spin = SSI_TAKE(a, 3 * nb, double);
  s->joint_impulse = SSI_TAKE(a, 6 * (size_t)s->nj, double);
  if (s->nl && !ssi_sim_hold_create(s)) return no_memory(s);
  return a->failed ? no_memory(s) : SS_OK;
}

// Every pair of shapes that may meet must be one that this build can detect: said now, not in step 500.
// Pairs are tried once per kind: the answer depends on the kinds, and for hulls on their size.
static ss_error check_pairs(ss_simulation *s) {
  int n = s->nb + s->ne, kinds = 0;
  const ss_shape *seen[64];
  bool external[64];
  for (int i = 0; i < n && kinds < 64; i++) {
    const ss_shape *shape = s->collider[i].shape;
    bool known = false;
    for (int k = 0; k < kinds && !known; k++)
      known = external[k] == s->collider[i].external &&
              (seen[k] == shape || (ss_shape_kind_of(seen[k]) == ss_shape_kind_of(shape) &&
                                    ss_shape_kind_of(shape) < SS_HULL));
    if (known) continue;
    seen[kinds] = shape;
    external[kinds++] = s->collider[i].external;
  }
  for (int a = 0; a < kinds; a++)
    for (int b = 0; b <= a; b++)
      if (!(external[a] && external[b])) SS_TRY(ss_collide_check(s->ctx, seen[a], seen[b]));
  return SS_OK;
}

static ss_error fill(ss_simulation *s) {
  SS_TRY(take_memory(s));
  SS_TRY(set_bodies(s));
  set_externals(s);
  set_laws(s);
  set_joints(s);
  set_groups(s);
  set_apart(s);
  int64_t *ptr = SSI_TAKE(&s->arena, (size_t)s->ndof + 1, int64_t);
  int *col = SSI_TAKE(&s->arena, s->ndof, int);
  if (s->arena.failed) return no_memory(s);
  set_matrix(s, ptr, col);
  double smallest = INFINITY;
  for (int i = 0; i < s->nb; i++) smallest = fmin(smallest, s->body[i].extent);
  s->slop = s->nb ? 1e-9 * smallest : 0;
  s->near = s->nb ? s->scene->stepping.margin + 0.02 * smallest : 0;
  s->spare = s->near / 2;
  s->allowed = s->nb ? 1e-3 * smallest : 0;
  SS_TRY(check_pairs(s));
  ss_collide_options o = ss_collide_options_default();
  o.margin = s->near;
  if (s->apart_count) {
    o.skip = is_apart;
    o.user = s;
  }
  SS_TRY(ss_detector_create(s->ctx, s->dim, &o, &s->detector));
  ssi_sim_energy_start(s);
  ssi_sim_view_motion(s);
  return SS_OK;
}

ss_error ss_simulation_create(ss_context *ctx, const ss_scene *scene, ss_simulation **out) {
  if (!out || !scene) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_simulation_create: null argument");
  *out = NULL;
  SS_TRY(ssi_scene_check(ctx, scene));
  ssi_arena arena = {.ctx = ctx};
  ss_simulation *s = SSI_TAKE(&arena, 1, ss_simulation);
  if (!s) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a simulation");
  s->ctx = ctx;
  s->arena = arena;
  s->scene = scene;
  s->work.ctx = ctx;
  s->dim = scene->dim;
  s->per_body = s->dim == 2 ? 3 : 6;
  s->nb = scene->body_count;
  for (int k = 0; k < scene->generator_count; k++)
    s->nb += ssi_generator_count(scene->generators + k);
  s->ne = scene->external_count;
  s->nj = scene->joint_count;
  for (int k = 0; k < s->nj; k++) s->nl += ssi_joint_rows(s->dim, scene->joints[k].kind);
  s->ndof = s->per_body * s->nb;
  ss_error e = fill(s);
  if (e) {
    ss_simulation_destroy(s);
    return e;
  }
  *out = s;
  return SS_OK;
}

void ss_simulation_destroy(ss_simulation *s) {
  if (!s) return;
  ss_solver_destroy(s->solver);
  ss_solver_destroy(s->hold.solver);
  ss_detector_destroy(s->detector);
  for (int k = 0; k < s->shapes.count; k++) ss_shape_destroy(s->shapes.list[k]);
  ssi_release(s->ctx, s->shapes.list);
  ssi_release(s->ctx, s->memory);
  ssi_release(s->ctx, s->checkpoint);
  ssi_arena_release(&s->work);
  ssi_arena arena = s->arena;  // s itself lives in it
  ssi_arena_release(&arena);
}
