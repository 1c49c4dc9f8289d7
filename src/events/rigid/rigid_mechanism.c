#include "events/rigid/rigid_mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "la/vec3.h"

// ---- where things are -----------------------------------------------------------------------------

int ssi_rigid_coordinates(const ssi_world *w) {
  return w->dim == 2 ? 3 : 7;
}

static void place_body(const ssi_world *w, const double *q, const double *v,
                       ssi_frame_motion *out) {
  *out = (ssi_frame_motion){.x = {q[0], q[1]}};
  if (w->dim == 2) {
    double c = cos(q[2]), s = sin(q[2]);
    out->R[0] = out->R[4] = c, out->R[1] = -s, out->R[3] = s, out->R[8] = 1;
    if (v) out->v[0] = v[0], out->v[1] = v[1], out->w[2] = v[2];
    return;
  }
  out->x[2] = q[2];
  ss_rotation(q + 3, out->R);
  if (!v) return;
  ssi_copy3(v, out->v);
  ssi_rotate3(out->R, v + 3, out->w);
}

void ssi_rigid_place(ssi_rigid_machine *m, double t, const double *q, const double *v) {
  const ssi_world *w = &m->world;
  for (int i = 0; i < w->nb; i++)
    place_body(w, q + (size_t)i * ssi_rigid_coordinates(w), v ? v + (size_t)i * w->per_body : NULL,
               m->now + i);
  for (int i = 0; i < w->ne; i++)
    ssi_imposed_motion(w->scene->externals + i, t, m->now + w->nb + i);
}

const ssi_frame_motion *ssi_rigid_side(const ssi_rigid_machine *m, int which) {
  static const ssi_frame_motion world = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (which == SS_WORLD) return &world;
  return m->now + (which >= 0 ? which : m->world.nb + SS_EXTERNAL - which);
}

// Space: quaternion' = quaternion (0, spin)/2, spin in body axes.
static ss_error rate(void *user, double t, const double *q, const double *v, double *dq) {
  const ssi_world *w = &((const ssi_rigid_machine *)user)->world;
  (void)t;
  for (int i = 0; i < w->nb; i++) {
    const double *spin = v + 6 * (size_t)i + 3,
                 half[4] = {0, spin[0] / 2, spin[1] / 2, spin[2] / 2};
    ssi_copy3(v + 6 * (size_t)i, dq + 7 * (size_t)i);
    ssi_quat_times(q + 7 * (size_t)i + 3, half, dq + 7 * (size_t)i + 3);
  }
  return SS_OK;
}

// ---- times at which forces or motions jump ----------------------------------------------------------

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int add_times(double start, double stop, const double *table, int rows, int width,
                     double *out) {
  int n = 0;
  out[n++] = start;
  if (stop > 0) out[n++] = stop;
  for (int k = 0; k < rows; k++) out[n++] = table[(size_t)k * (size_t)width];
  return n;
}

static ss_error set_breaks(ssi_rigid_machine *m) {
  const ss_scene *s = m->world.scene;
  size_t most = 0;
  int n = 0, kept = 0;
  for (int i = 0; i < s->load_count; i++) most += 2 + (size_t)s->loads[i].rows;
  for (int i = 0; i < s->external_count; i++) most += 2 + (size_t)s->externals[i].motion.rows;
  double *t = m->breaks = SSI_TAKE(&m->head.arena, most, double);
  if (m->head.arena.failed) return SS_ERR_MEMORY;
  for (int i = 0; i < s->load_count; i++) {
    const ss_load *l = s->loads + i;
    n += add_times(l->start, l->stop, l->table, l->rows, 2, t + n);
  }
  for (int i = 0; i < s->external_count; i++) {
    const ss_motion *x = &s->externals[i].motion;
    bool table = x->kind == SS_MOTION_TABLE;
    if (x->kind != SS_MOTION_FIXED)
      n += add_times(x->start, x->stop, x->table, table ? x->rows : 0, 7, t + n);
  }
  if (n) qsort(t, (size_t)n, sizeof *t, compare);
  for (int i = 0; i < n; i++)
    if (t[i] > 0 && (!kept || t[i] > t[kept - 1])) t[kept++] = t[i];
  m->head.out.mechanism.breaks = t, m->head.out.mechanism.break_count = kept;
  return SS_OK;
}

// ---- from a scene ---------------------------------------------------------------------------------

// Columns of tables are called after it: it is short enough to be whole there, no path in HDF5, and one word in CSV.
static bool names_columns(const char *name) {
  enum { LONGEST = 32 };
  return name && strlen(name) <= LONGEST && !strpbrk(name, "/,\"\n\r");
}

static ss_error set_names(ssi_rigid_machine *m) {
  static const char *const plane[] = {"x", "y", "angle", "x'", "y'", "angle'"};
  static const char *const space[] = {"x",  "y",  "z",  "q0", "q1", "q2", "q3",
                                      "x'", "y'", "z'", "w1", "w2", "w3"};
  const ssi_world *w = &m->world;
  const ss_mechanism *x = &m->head.out.mechanism;
  ssi_arena *arena = &m->head.arena;
  int n = x->nq + x->nv, per = ssi_rigid_coordinates(w);
  const char **states = SSI_TAKE(arena, n, const char *),
             **contacts = SSI_TAKE(arena, x->nc, const char *);
  int *order = SSI_TAKE(arena, n, int);
  for (int k = 0; k < n && !arena->failed; k++) {
    bool velocity = k >= x->nq;
    int at = velocity ? k - x->nq : k, each = velocity ? w->per_body : per, body = at / each;
    const char *name = w->body[body].name,
               *what = (w->dim == 2 ? plane : space)[at % each + (velocity ? per : 0)];
    char *text = SSI_TAKE(arena, 64, char);
    if (!text) break;
    if (names_columns(name))
      snprintf(text, 64, "%s.%s", name, what);
    else
      snprintf(text, 64, "body%d.%s", body, what);
    states[k] = text, order[k] = k;
  }
  for (int k = 0; k < x->nc && !arena->failed; k++) contacts[k] = ssi_rigid_pair_name(m, arena, k);
  m->head.out.order = order, m->head.out.state_name = states;
  m->head.out.mechanism.coordinate = states, m->head.out.mechanism.contact = contacts;
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

static void set_coordinates(const ssi_world *w, const ss_pose *pose, double *q) {
  double turn[3];
  for (int k = 0; k < w->dim; k++) q[k] = pose->x[k];
  if (w->dim == 2)
    ssi_quat_log(pose->q, turn), q[2] = turn[2];
  else
    memcpy(q + 3, pose->q, sizeof pose->q);
}

static void set_start(ssi_rigid_machine *m) {
  const ssi_world *w = &m->world;
  for (int i = 0; i < w->nb; i++) {
    const ssi_simbody *b = w->body + i;
    set_coordinates(w, &b->start, m->q + (size_t)i * ssi_rigid_coordinates(w));
    memcpy(m->v + (size_t)i * w->per_body, b->velocity, sizeof(double) * (size_t)w->per_body);
  }
}

ss_error ss_machine_state_of(const ss_machine *machine, const ss_pose *pose, const double *velocity,
                             double *q, double *v) {
  if (!machine || machine->kind || !pose || !velocity || !q || !v) return SS_ERR_ARGUMENT;
  ssi_rigid_machine *m = machine->mechanism.user;
  const ssi_world *w = &m->world;
  for (int i = 0; i < w->nb; i++) {
    const double *from = velocity + 6 * (size_t)i;
    double *to = v + (size_t)i * w->per_body, R[9];
    set_coordinates(w, pose + i, q + (size_t)i * ssi_rigid_coordinates(w));
    ss_rotation(pose[i].q, R);
    memcpy(to, from, sizeof(double) * (size_t)w->dim);
    if (w->dim == 2)
      to[2] = from[5];
    else
      ssi_unrotate3(R, from + 3, to + 3);
  }
  ssi_rigid_normalise(m, q);
  return SS_OK;
}

static ss_error set_pairs(ssi_rigid_machine *m) {
  ss_mechanism *x = &m->head.out.mechanism;
  ssi_arena *arena = &m->head.arena;
  SS_TRY(ssi_rigid_pairs(m, &x->nc));
  m->pair = SSI_TAKE(arena, x->nc, ssi_rigid_pair);
  m->mu = SSI_TAKE(arena, x->nc, double), m->e = SSI_TAKE(arena, x->nc, double);
  if (arena->failed) return SS_ERR_MEMORY;
  SS_TRY(ssi_rigid_pairs(m, &x->nc));
  for (int k = 0; k < x->nc; k++) {
    ssi_law law = ssi_world_law(&m->world, m->pair[k].a, m->pair[k].b);
    m->mu[k] = law.mu, m->e[k] = law.restitution;
  }
  x->mu = m->mu, x->restitution = m->e;
  return SS_OK;
}

// Belts, motors and limits of joints are laws of their own, whose transitions nobody locates.
static ss_error refuse_laws(const ssi_world *w) {
  for (int i = 0; i < w->ne; i++)
    if (ssi_norm3(w->scene->externals[i].surface) > 0)
      return ssi_fail(w->ctx, SS_ERR_DATA,
                      "/externals/%d/surface_velocity: belts go with --scheme moreau only", i);
  for (int k = 0; k < w->nj; k++) {
    const ss_joint *j = w->scene->joints + k;
    bool motor = j->motor.kind != SS_MOTOR_NONE;
    if (motor || j->has_low || j->has_high)
      return ssi_fail(w->ctx, SS_ERR_DATA,
                      "/joints/%d/%s: %s of joints go with --scheme moreau only", k,
                      motor        ? "motor"
                      : j->has_low ? "low"
                                   : "high",
                      motor ? "motors" : "limits");
  }
  return SS_OK;
}

static ss_error fill(ssi_rigid_machine *m) {
  const ssi_world *w = &m->world;
  const ss_scene *s = w->scene;
  ss_machine *out = &m->head.out;
  bool space = w->dim == 3;
  out->mechanism = (ss_mechanism){.name = "scene",
                                  .dim = w->dim,
                                  .nq = w->nb * ssi_rigid_coordinates(w),
                                  .nv = w->ndof,
                                  .nl = w->nl,
                                  .user = m,
                                  .mass = ssi_rigid_mass,
                                  .force = ssi_rigid_force,
                                  .rate = space ? rate : NULL,
                                  .normalise = space || w->angle_count ? ssi_rigid_normalise : NULL,
                                  .gap = ssi_rigid_gaps,
                                  .frames = ssi_rigid_frames,
                                  .drift = ssi_rigid_drift,
                                  .joints = ssi_rigid_joints,
                                  .joint_drift = ssi_rigid_joint_drift,
                                  .potential = ssi_rigid_potential};
  if (w->nb == 0) return ssi_fail(w->ctx, SS_ERR_DATA, "/bodies: there is none to move");
  SS_TRY(refuse_laws(w));
  SS_TRY(set_pairs(m));
  ssi_arena *arena = &m->head.arena;
  m->now = SSI_TAKE(arena, w->nb + w->ne, ssi_frame_motion);
  m->rotation = SSI_TAKE(arena, 9 * (size_t)w->nb, double);
  m->load = SSI_TAKE(arena, 6 * (size_t)w->nb, double);
  m->pose = SSI_TAKE(arena, w->nb, ss_pose), m->angle = SSI_TAKE(arena, w->angle_count, double);
  m->scratch = SSI_TAKE(arena, 2 * (size_t)w->ndof, double);
  m->q = SSI_TAKE(arena, out->mechanism.nq, double);
  m->v = SSI_TAKE(arena, out->mechanism.nv, double);
  if (arena->failed) return SS_ERR_MEMORY;
  SS_TRY(set_breaks(m));
  SS_TRY(set_names(m));
  set_start(m);
  out->title = s->title, out->q = m->q, out->v = m->v;
  out->options = ss_evolve_options_default();
  out->options.step = s->stepping.step, out->options.theta = s->stepping.theta;
  out->duration = s->stepping.duration;
  return SS_OK;
}

static void release(ssi_machine_owner *owner) {
  ssi_rigid_machine *m = (ssi_rigid_machine *)owner;
  ssi_shapes_release(m->world.ctx, &m->world.shapes);
}

ss_error ss_machine_of_scene(ss_context *ctx, const ss_scene *scene, ss_machine **out) {
  if (!scene || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "a scene and a place for the result");
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ssi_rigid_machine *m = SSI_TAKE(&arena, 1, ssi_rigid_machine);
  if (!m) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a scene");
  m->head.arena = arena, m->head.release = release;
  ss_error e = ssi_world_create(ctx, scene, &m->head.arena, &m->world);
  if (!e) e = fill(m);
  if (e == SS_ERR_MEMORY) ssi_fail(ctx, e, "no memory for a scene");
  if (e) return ss_machine_destroy(&m->head.out), e;
  *out = &m->head.out;
  return SS_OK;
}
