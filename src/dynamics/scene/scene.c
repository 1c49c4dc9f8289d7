// The checks that every scene passes before it is simulated. Places are given as JSON pointers, which serve a scene made
// by hand as well.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/scene/shape.h"
#include "dynamics/scene/world.h"

typedef struct place {
  ss_context *ctx;
  const ss_scene *s;
  const char *list;  // "/bodies"; NULL: the scene itself
  int index;
} place;

static ss_error wrong(const place *p, const char *key, const char *format, ...) SS_PRINTF(3, 4);
static ss_error wrong(const place *p, const char *key, const char *format, ...) {
  char text[300], at[80] = "";
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (p->list) snprintf(at, sizeof at, "%s/%d", p->list, p->index);
  return ssi_fail(p->ctx, SS_ERR_DATA, "%s%s: %s", at, key, text);
}

static bool finite_all(const double *x, int n) {
  for (int k = 0; k < n; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

static ss_error in_range(const place *p, const char *key, double x, double low, double high,
                         const char *expected) {
  if (x >= low && x <= high && isfinite(x)) return SS_OK;
  return wrong(p, key, "found %g, expected %s", x, expected);
}

static ss_error vector(const place *p, const char *key, const double *x, int n) {
  return finite_all(x, n) ? SS_OK : wrong(p, key, "not finite");
}

static ss_error check_law(const place *p, double mu, double restitution) {
  SS_TRY(in_range(p, "/mu", mu, 0, INFINITY, "a number >= 0"));
  return in_range(p, "/restitution", restitution, 0, 1, "a number in 0 .. 1");
}

// Laws of one pair that say different things: neither is what is meant.
static ss_error check_law_again(const place *p, const ss_pair_law *l) {
  for (int k = 0; k < p->index; k++) {
    const ss_pair_law *o = p->s->laws + k;
    bool same = (o->a == l->a && o->b == l->b) || (o->a == l->b && o->b == l->a);
    if (same && (o->mu != l->mu || o->restitution != l->restitution))
      return wrong(p, "",
                   "contradicts law %d of the same pair: mu %g and %g, restitution %g and %g", k,
                   o->mu, l->mu, o->restitution, l->restitution);
  }
  return SS_OK;
}

static ss_error check_materials(place p) {
  const ss_scene *s = p.s;
  p.list = "/materials";
  for (p.index = 0; p.index < s->material_count; p.index++) {
    const ss_material *m = s->materials + p.index;
    SS_TRY(check_law(&p, m->mu, m->restitution));
    if (!(m->density > 0) || !isfinite(m->density))
      return wrong(&p, "/density", "found %g, expected a number > 0", m->density);
  }
  p.list = "/laws";
  for (p.index = 0; p.index < s->law_count; p.index++) {
    const ss_pair_law *l = s->laws + p.index;
    if (l->a < 0 || l->a >= s->material_count || l->b < 0 || l->b >= s->material_count)
      return wrong(&p, "/between", "there is no material %d", l->a < 0 ? l->a : l->b);
    SS_TRY(check_law(&p, l->mu, l->restitution));
    SS_TRY(check_law_again(&p, l));
  }
  return SS_OK;
}

static ss_error check_pose(const place *p, const ss_pose *pose) {
  SS_TRY(vector(p, "/position", pose->x, 3));
  double n = 0;
  for (int k = 0; k < 4; k++) n += pose->q[k] * pose->q[k];
  if (!(fabs(n - 1) < 1e-9)) return wrong(p, "/rotation", "quaternion of length %g", sqrt(n));
  if (p->s->dim == 2 && (pose->x[2] != 0 || pose->q[1] != 0 || pose->q[2] != 0))
    return wrong(p, "/position", "out of the plane of a 2D scene");
  return SS_OK;
}

static ss_error check_solid(const place *p, const ss_shape *shape, int material, bool bounded) {
  if (!shape) return wrong(p, "/shape", "there is none");
  if (ss_shape_dim(shape) != p->s->dim)
    return wrong(p, "/shape", "a %dD shape in a %dD scene", ss_shape_dim(shape), p->s->dim);
  if (bounded && !ss_shape_is_bounded(shape))
    return wrong(p, "/shape", "%s without bounds: only external objects may have it",
                 ss_shape_kind_name(ss_shape_kind_of(shape)));
  if (material < 0 || material >= p->s->material_count)
    return wrong(p, "/material", "there is no material %d", material);
  return SS_OK;
}

// Moments are sums over masses: I_x + I_y - I_z = 2 sum m z^2 >= 0, whatever the body is.
static ss_error check_inertia(const place *p, const double x[3]) {
  const double rounding = 1e-9;
  if (p->s->dim == 2 || !(x[0] > 0 && x[1] > 0 && x[2] > 0)) return SS_OK;
  for (int k = 0; k < 3; k++)
    if (x[k] > (x[(k + 1) % 3] + x[(k + 2) % 3]) * (1 + rounding))
      return wrong(p, "/inertia",
                   "found [%g, %g, %g]: no body has a moment larger than the sum of the other two",
                   x[0], x[1], x[2]);
  return SS_OK;
}

// A tensor is that of some body where its principal moments are.
static ss_error check_uneven(const place *p, const ss_body *b) {
  ss_mass_properties m = {.axes = {1, 0, 0, 0}};
  const double *I = b->inertia, *P = b->products;
  SS_TRY(vector(p, "/centre", b->centre, p->s->dim));
  SS_TRY(vector(p, "/inertia", P, 3));
  if (!(b->mass > 0)) return wrong(p, "/mass", "missing: a body with a centre of its own needs it");
  if (p->s->dim == 2)
    return I[2] > 0 ? SS_OK
                    : wrong(p, "/inertia", "missing: a body with a centre of its own needs it");
  const double tensor[9] = {I[0], P[0], P[1], P[0], I[1], P[2], P[1], P[2], I[2]};
  memcpy(m.inertia, tensor, sizeof tensor);
  ssi_principal_axes(&m);
  for (int k = 0; k < 3; k++)
    if (!(m.principal[k] > 0))
      return wrong(p, "/inertia",
                   "the tensor has the principal moments %g, %g, %g, expected numbers > 0",
                   m.principal[0], m.principal[1], m.principal[2]);
  return check_inertia(p, m.principal);
}

static ss_error check_span(const place *p, const char *key, double start, double stop) {
  if (stop == 0 || stop > start) return SS_OK;
  return wrong(p, key, "found %g, expected after the start %g, or 0: never", stop, start);
}

static ss_error check_bodies(place p) {
  p.list = "/bodies";
  for (p.index = 0; p.index < p.s->body_count; p.index++) {
    const ss_body *b = p.s->bodies + p.index;
    SS_TRY(check_solid(&p, b->shape, b->material, true));
    SS_TRY(in_range(&p, "/mass", b->mass, 0, INFINITY, "a number > 0"));
    for (int k = 0; k < 3; k++)
      SS_TRY(in_range(&p, "/inertia", b->inertia[k], 0, INFINITY, "numbers > 0"));
    SS_TRY(b->uneven ? check_uneven(&p, b) : check_inertia(&p, b->inertia));
    SS_TRY(check_pose(&p, &b->pose));
    SS_TRY(vector(&p, "/velocity", b->velocity, 3));
    SS_TRY(vector(&p, "/spin", b->spin, 3));
  }
  return SS_OK;
}

static ss_error check_table(const place *p, const char *key, const double *table, int rows,
                            int width) {
  if (rows < 0 || (rows > 0 && !table)) return wrong(p, key, "no rows");
  SS_TRY(vector(p, key, table, rows * width));
  for (int k = 1; k < rows; k++)
    if (!(table[(size_t)k * (size_t)width] > table[(size_t)(k - 1) * (size_t)width]))
      return wrong(p, key, "the first number of row %d is not larger than that of the row before",
                   k);
  return SS_OK;
}

static ss_error check_externals(place p) {
  p.list = "/externals";
  for (p.index = 0; p.index < p.s->external_count; p.index++) {
    const ss_external *e = p.s->externals + p.index;
    const ss_motion *m = &e->motion;
    SS_TRY(check_solid(&p, e->shape, e->material, false));
    SS_TRY(check_pose(&p, &e->pose));
    SS_TRY(vector(&p, "/surface_velocity", e->surface, 3));
    SS_TRY(vector(&p, "/motion/velocity", m->velocity, 3));
    SS_TRY(vector(&p, "/motion/spin", m->spin, 3));
    SS_TRY(vector(&p, "/motion/centre", m->centre, 3));
    const double others[] = {m->frequency, m->phase, m->start, m->stop};
    SS_TRY(vector(&p, "/motion", others, 4));
    SS_TRY(check_span(&p, "/motion/stop", m->start, m->stop));
    if (m->kind == SS_MOTION_HARMONIC && !(m->frequency > 0))
      return wrong(&p, "/motion/frequency", "found %g, expected a number > 0", m->frequency);
    if (m->kind == SS_MOTION_TABLE && m->rows < 1) return wrong(&p, "/motion/table", "no rows");
    SS_TRY(check_table(&p, "/motion/table", m->table, m->rows, 7));
  }
  return SS_OK;
}

// what size[k] is called in a file: cards, wall; arch
static const char *const size_names[2][2][3] = {
    {{"/length", "/thickness", "/depth"}, {"/length", "/height", "/depth"}},
    {{"/inner", "/thickness", "/depth"}, {"", "", ""}}};

static ss_error check_generator(const place *p, const ss_generator *g) {
  bool shaped =
      g->kind == SS_GENERATE_PACKING || g->kind == SS_GENERATE_GRID || g->kind == SS_GENERATE_STACK;
  if (shaped) SS_TRY(check_solid(p, g->shape, g->material, true));
  if (g->material < 0 || g->material >= p->s->material_count)
    return wrong(p, "/material", "there is no material %d", g->material);
  if (ssi_generator_count(g) < 0)
    return wrong(p, "", "makes no bodies, or more than fit 32-bit numbers");
  for (int k = 0; !shaped && k < p->s->dim; k++)
    if (!(g->size[k] > 0) || !isfinite(g->size[k]))
      return wrong(p, size_names[g->kind == SS_GENERATE_ARCH][g->kind == SS_GENERATE_WALL][k],
                   "found %g, expected a number > 0", g->size[k]);
  if (g->kind == SS_GENERATE_PACKING)
    for (int k = 0; k < p->s->dim; k++)
      if (!(g->high[k] > g->low[k])) return wrong(p, "/region", "the box is empty");
  if (g->spread != 0 && (!shaped || ss_shape_kind_of(g->shape) != SS_SPHERE))
    return wrong(p, "/spread", "only spheres may have a spread of sizes");
  SS_TRY(in_range(p, "/spread", g->spread, 0, 0.99, "a number in 0 .. 0.99"));
  SS_TRY(in_range(p, "/speed", g->speed, 0, INFINITY, "a number >= 0"));
  SS_TRY(in_range(p, "/mass", g->mass, 0, INFINITY, "a number > 0"));
  SS_TRY(in_range(p, "/mass_ratio", g->mass_ratio, 0, INFINITY, "a number > 0"));
  double degrees = g->angle * (180 / 3.14159265358979323846);
  if (g->kind == SS_GENERATE_ARCH)
    SS_TRY(in_range(p, "/degrees", degrees, 1, 180, "a number in 1 .. 180"));
  if (g->kind == SS_GENERATE_CARDS)
    SS_TRY(in_range(p, "/degrees", degrees, 1, 44, "a number in 1 .. 44"));
  SS_TRY(vector(p, "/region", g->low, 3));
  SS_TRY(vector(p, "/region", g->high, 3));
  SS_TRY(vector(p, "/spacing", g->spacing, 3));
  SS_TRY(vector(p, "/velocity", g->velocity, 3));
  return vector(p, "/spin", g->spin, 3);
}

static ss_error check_generators(place p, int64_t *bodies) {
  p.list = "/generators";
  for (p.index = 0; p.index < p.s->generator_count; p.index++) {
    SS_TRY(check_generator(&p, p.s->generators + p.index));
    *bodies += ssi_generator_count(p.s->generators + p.index);
  }
  return SS_OK;
}

static ss_error check_sides(const place *p, int64_t bodies, int a, int b) {
  if (a < 0 || a >= bodies) return wrong(p, "/a", "there is no body %d", a);
  if (b >= bodies || b <= SS_EXTERNAL - p->s->external_count)
    return wrong(p, "/b", "there is no body %d", b);
  return a == b ? wrong(p, "/b", "a body cannot be joined to itself") : SS_OK;
}

static ss_error check_axis(const place *p, const double axis[3]) {
  double n = 0;
  for (int k = 0; k < p->s->dim; k++) n += axis[k] * axis[k];
  return n > 0 ? SS_OK : wrong(p, "/axis", "found no direction");
}

// The coordinate is 0 at t = 0, when the limits have to hold.
static ss_error check_limits(const place *p, const ss_joint *j) {
  if (j->has_low && j->has_high && j->low > j->high)
    return wrong(p, "/low", "found %g, expected a number <= %g, the upper limit", j->low, j->high);
  if (j->has_low)
    SS_TRY(in_range(p, "/low", j->low, -INFINITY, 0, "a number <= 0, the coordinate at t = 0"));
  if (j->has_high)
    SS_TRY(in_range(p, "/high", j->high, 0, INFINITY, "a number >= 0, the coordinate at t = 0"));
  return SS_OK;
}

static ss_error check_motor(const place *p, const ss_motor *m) {
  if (!ss_motor_kind_name(m->kind)) return wrong(p, "/motor/kind", "no kind of motor");
  if (m->kind == SS_MOTOR_NONE) return SS_OK;
  SS_TRY(vector(p, "/motor/target", &m->target, 1));
  SS_TRY(check_table(p, "/motor/table", m->table, m->rows, 2));
  SS_TRY(in_range(p, "/motor/damping", m->damping, 0, INFINITY, "a number >= 0"));
  if (!(m->max_force > 0))
    return wrong(p, "/motor/max_force", "found %g, expected a number > 0", m->max_force);
  if (m->kind == SS_MOTOR_VELOCITY && !isfinite(m->max_force) && m->damping == 0)
    return wrong(p, "/motor/max_force",
                 "missing: a motor of velocity has a largest force, or damping");
  if (m->kind == SS_MOTOR_POSITION && !(m->stiffness > 0 && isfinite(m->stiffness)))
    return wrong(p, "/motor/stiffness", "found %g, expected a number > 0", m->stiffness);
  return SS_OK;
}

// What acts on the one coordinate of a joint that has one.
static ss_error check_coordinate(const place *p, const ss_joint *j) {
  bool one = j->kind == SS_JOINT_HINGE || j->kind == SS_JOINT_SLIDER;
  const char *key = j->motor.kind != SS_MOTOR_NONE ? "/motor" : j->has_low ? "/low" : "/high";
  if (!one && (j->has_low || j->has_high || j->motor.kind != SS_MOTOR_NONE))
    return wrong(p, key, "a %s joint has no coordinate: only a hinge and a slider have",
                 ss_joint_kind_name(j->kind));
  SS_TRY(check_limits(p, j));
  return check_motor(p, &j->motor);
}

static ss_error check_joints(place p, int64_t bodies) {
  p.list = "/joints";
  for (p.index = 0; p.index < p.s->joint_count; p.index++) {
    const ss_joint *j = p.s->joints + p.index;
    if (!ss_joint_kind_name(j->kind)) return wrong(&p, "/kind", "no kind of joint");
    SS_TRY(check_sides(&p, bodies, j->a, j->b));
    SS_TRY(vector(&p, "/anchor", j->anchor, 3));
    SS_TRY(vector(&p, "/axis", j->axis, 3));
    bool needs_axis = j->kind == SS_JOINT_SLIDER || (j->kind == SS_JOINT_HINGE && p.s->dim == 3);
    if (needs_axis) SS_TRY(check_axis(&p, j->axis));
    SS_TRY(check_coordinate(&p, j));
  }
  return SS_OK;
}

static ss_error check_springs(place p, int64_t bodies, const char *list, const ss_spring *springs,
                              int count) {
  p.list = list;
  for (p.index = 0; p.index < count; p.index++) {
    const ss_spring *e = springs + p.index;
    if (!ss_spring_kind_name(e->kind)) return wrong(&p, "/kind", "no kind of spring");
    SS_TRY(check_sides(&p, bodies, e->a, e->b));
    SS_TRY(vector(&p, "/anchor_a", e->anchor_a, 3));
    SS_TRY(vector(&p, "/anchor_b", e->anchor_b, 3));
    SS_TRY(vector(&p, "/axis", e->axis, 3));
    bool turns = e->kind == SS_SPRING_TORSIONAL;
    if (turns && p.s->dim == 3) SS_TRY(check_axis(&p, e->axis));
    SS_TRY(in_range(&p, "/stiffness", e->stiffness, 0, INFINITY, "a number >= 0"));
    SS_TRY(in_range(&p, "/damping", e->damping, 0, INFINITY, "a number >= 0"));
    SS_TRY(in_range(&p, turns ? "/rest_angle" : "/rest_length", e->rest, turns ? -INFINITY : 0,
                    INFINITY, turns ? "a number" : "a number >= 0"));
    SS_TRY(check_table(&p, "/table", e->table, e->rows, 2));
    SS_TRY(check_table(&p, springs == p.s->dampers ? "/table" : "/damping_table", e->damping_table,
                       e->damping_rows, 2));
  }
  return SS_OK;
}

static ss_error check_bushings(place p, int64_t bodies) {
  p.list = "/bushings";
  for (p.index = 0; p.index < p.s->bushing_count; p.index++) {
    const ss_bushing *e = p.s->bushings + p.index;
    SS_TRY(check_sides(&p, bodies, e->a, e->b));
    SS_TRY(check_pose(&p, &e->frame));
    for (int k = 0; k < 3; k++) {
      SS_TRY(in_range(&p, "/stiffness", e->stiffness[k], 0, INFINITY, "numbers >= 0"));
      SS_TRY(in_range(&p, "/damping", e->damping[k], 0, INFINITY, "numbers >= 0"));
      SS_TRY(in_range(&p, "/rotational_stiffness", e->rotational_stiffness[k], 0, INFINITY,
                      "numbers >= 0"));
      SS_TRY(in_range(&p, "/rotational_damping", e->rotational_damping[k], 0, INFINITY,
                      "numbers >= 0"));
    }
  }
  return SS_OK;
}

static ss_error check_loads(place p, int64_t bodies) {
  p.list = "/loads";
  for (p.index = 0; p.index < p.s->load_count; p.index++) {
    const ss_load *l = p.s->loads + p.index;
    if (l->body < 0 || l->body >= bodies) return wrong(&p, "/body", "there is no body %d", l->body);
    SS_TRY(vector(&p, "/force", l->force, 3));
    SS_TRY(vector(&p, "/moment", l->moment, 3));
    SS_TRY(vector(&p, "/point", l->point, 3));
    const double times[] = {l->start, l->stop};
    SS_TRY(vector(&p, "/start", times, 2));
    SS_TRY(check_span(&p, "/stop", l->start, l->stop));
    SS_TRY(in_range(&p, "/frequency", l->frequency, 0, INFINITY, "a number >= 0"));
    SS_TRY(vector(&p, "/phase", &l->phase, 1));
    SS_TRY(check_table(&p, "/factor", l->table, l->rows, 2));
  }
  return SS_OK;
}

static ss_error check_stepping(place p) {
  const ss_stepping *o = &p.s->stepping;
  p.list = NULL;
  if (!(o->step > 0) || !isfinite(o->step))
    return wrong(&p, "/stepping/step", "found %g, expected a number > 0", o->step);
  if (!(o->duration > 0) || !isfinite(o->duration))
    return wrong(&p, "/stepping/duration", "found %g, expected a number > 0", o->duration);
  if (o->duration / o->step > 1e12)
    return wrong(&p, "/stepping/step", "%g steps to the end", o->duration / o->step);
  SS_TRY(in_range(&p, "/stepping/theta", o->theta, 0.5, 1, "a number in 1/2 .. 1"));
  SS_TRY(in_range(&p, "/stepping/recovery", o->recovery, 1e-6, 1, "a number in (0, 1]"));
  SS_TRY(in_range(&p, "/stepping/margin", o->margin, 0, INFINITY, "a number >= 0"));
  SS_TRY(in_range(&p, "/stepping/rest_speed", o->rest_speed, 0, INFINITY, "a number >= 0"));
  SS_TRY(in_range(&p, "/stepping/rest_steps", o->rest_steps, 1, INT32_MAX, "a count >= 1"));
  SS_TRY(in_range(&p, "/stepping/limit_s", o->limit_s, 0, DBL_MAX, "a number >= 0"));
  SS_TRY(in_range(&p, "/stepping/halvings", o->halvings, 0, 30, "a count in 0 .. 30"));
  if (!ss_drift_name(o->drift)) return wrong(&p, "/stepping/drift", "no treatment of drift");
  if (!ss_contact_map_name(o->contact_map)) return wrong(&p, "/stepping/contact_map", "unknown");
  if (!ss_unsolved_name(o->unsolved)) return wrong(&p, "/stepping/unsolved", "unknown");
  if (!(p.s->solver.tol > 0) || !isfinite(p.s->solver.tol))
    return wrong(&p, "/solver/tol", "found %g, expected a number > 0", p.s->solver.tol);
  if (!p.s->solver.method || !ss_method_summary(p.s->solver.method))
    return wrong(&p, "/solver/method", "unknown method '%s'",
                 p.s->solver.method ? p.s->solver.method : "(null)");
  return in_range(&p, "/output/every", p.s->output.every, 1, INT32_MAX, "a count >= 1");
}

ss_error ssi_scene_check(ss_context *ctx, const ss_scene *s) {
  place p = {.ctx = ctx, .s = s};
  int64_t bodies = s->body_count;
  if (s->dim != 2 && s->dim != 3) return wrong(&p, "/dim", "found %d, expected 2 or 3", s->dim);
  SS_TRY(vector(&p, "/gravity", s->gravity, 3));
  SS_TRY(check_materials(p));
  SS_TRY(check_bodies(p));
  SS_TRY(check_generators(p, &bodies));
  SS_TRY(check_externals(p));
  if ((bodies + s->external_count) > INT32_MAX / 6)
    return wrong(&p, "/bodies", "%lld bodies do not fit 32-bit numbers", (long long)bodies);
  SS_TRY(check_joints(p, bodies));
  SS_TRY(check_springs(p, bodies, "/springs", s->springs, s->spring_count));
  SS_TRY(check_springs(p, bodies, "/dampers", s->dampers, s->damper_count));
  SS_TRY(check_bushings(p, bodies));
  SS_TRY(check_loads(p, bodies));
  return check_stepping(p);
}
