// Which points of a scene may meet which walls. What touches a wall or the inside of a drum of a convex body is a corner
// of it, or of a body rounded by a radius one of the centres: the distance is linear, or concave, along the body.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/scene/shape.h"
#include "events/rigid/rigid_mechanism.h"
#include "la/vec3.h"
#include "problem/rigid.h"

// ---- points of a body ---------------------------------------------------------------------------

// Corners and centres of one part, and the radius about them; 0: there are none (a cylinder).
static int point_count(const ss_shape *s) {
  if (s->kind == SS_SPHERE) return 1;
  if (s->kind == SS_CAPSULE) return 2;
  return s->kind == SS_BOX || s->kind == SS_HULL ? s->hull.corner_count : 0;
}

static void point_at(const ss_part *part, int k, double out[3], double *radius) {
  const ss_shape *s = part->shape;
  double local[3] = {0};
  *radius = s->radius;
  if (s->kind == SS_CAPSULE) local[s->dim == 2 ? 0 : 2] = k ? s->half[0] : -s->half[0];
  if (s->kind == SS_BOX || s->kind == SS_HULL)
    ssi_copy3(s->hull.corner + 3 * (size_t)k, local), *radius = 0;
  ss_pose_apply(&part->pose, local, out);
}

// ---- pairs of parts -----------------------------------------------------------------------------

typedef struct pair_list {
  ssi_rigid_machine *m;
  int count;
} pair_list;

static void add_pair(pair_list *l, const ssi_rigid_pair *p) {
  if (l->m->pair) l->m->pair[l->count] = *p;
  l->count++;
}

static const ss_shape *shape_of(const ssi_world *w, int collider) {
  return collider < w->nb ? w->body[collider].shape : w->scene->externals[collider - w->nb].shape;
}

static void describe(const ssi_world *w, int i, const ss_shape *part, char *out, size_t size) {
  bool body = i < w->nb;
  const char *name = body ? w->body[i].name : w->scene->externals[i - w->nb].name;
  snprintf(out, size, "%s %d%s%.40s%s (%s)", body ? "body" : "external", body ? i : i - w->nb,
           name ? " '" : "", name ? name : "", name ? "'" : "", ss_shape_kind_name(part->kind));
}

static ss_error refuse(const ssi_world *w, int a, const ss_shape *of_a, int b,
                       const ss_shape *of_b) {
  char first[80], second[80];
  describe(w, a, of_a, first, sizeof first);
  describe(w, b, of_b, second, sizeof second);
  return ssi_fail(w->ctx, SS_ERR_DATA,
                  "%s and %s: these shapes have no smooth gap; from event to event go spheres, "
                  "boxes, hulls and capsules against planes and drums, and spheres against spheres "
                  "(--scheme moreau goes with all)",
                  first, second);
}

// A wall of b: the plane through `at` with the normal `normal`, both seen from b.
static void set_wall(int dim, const double at[3], const double normal[3], ssi_rigid_pair *p) {
  double frame[3][3] = {{0}};
  p->kind = SSI_PAIR_WALL;
  ssi_copy3(at, p->at);
  ssi_contact_frame(dim, normal, frame);
  memcpy(p->axes, frame, sizeof frame);
}

static void add_walls(pair_list *l, const ss_part *of, ssi_rigid_pair *p) {
  int dim = l->m->world.dim;
  const ss_shape *s = of->shape;
  double R[9], axis[3], normal[3], at[3];
  ss_rotation(of->pose.q, R);
  ssi_axis3(R, s->kind == SS_PLANE && dim == 2 ? 1 : 2, axis);
  if (s->kind == SS_PLANE) {
    set_wall(dim, of->pose.x, axis, p);
    add_pair(l, p);
    return;
  }
  p->kind = SSI_PAIR_BORE, p->size = s->radius;
  ssi_copy3(of->pose.x, p->at);
  ssi_copy3(axis, p->axes[0]);
  add_pair(l, p);
  for (int side = -1; side <= 1 && s->half[0] > 0; side += 2) {  // its flat ends
    ssi_add3(of->pose.x, side * s->half[0], axis, at);
    ssi_scale3(-side, axis, normal);
    set_wall(dim, at, normal, p);
    add_pair(l, p);
  }
}

static ss_error add_parts(pair_list *l, int a, const ss_part *of_a, int b, const ss_part *of_b) {
  const ss_shape *shape = of_b->shape;
  bool wall = shape->kind == SS_PLANE || shape->kind == SS_DRUM;
  bool balls = shape->kind == SS_SPHERE && of_a->shape->kind == SS_SPHERE;
  int points = point_count(of_a->shape);
  if (!points || !(wall || balls)) return refuse(&l->m->world, a, of_a->shape, b, shape);
  for (int k = 0; k < points; k++) {
    ssi_rigid_pair p = {.kind = SSI_PAIR_BALL, .a = a, .b = b};
    point_at(of_a, k, p.p, &p.r);
    if (wall) {
      add_walls(l, of_b, &p);
      continue;
    }
    p.size = shape->radius;
    ssi_copy3(of_b->pose.x, p.at);
    add_pair(l, &p);
  }
  return SS_OK;
}

ss_error ssi_rigid_pairs(ssi_rigid_machine *m, int *count) {
  const ssi_world *w = &m->world;
  pair_list l = {.m = m};
  for (int a = 0; a < w->nb; a++)
    for (int b = a + 1; b < w->nb + w->ne; b++) {
      const ss_shape *of_a = shape_of(w, a), *of_b = shape_of(w, b);
      if (ssi_world_apart(w, a, b)) continue;
      for (int i = 0; i < ss_shape_part_count(of_a); i++)
        for (int j = 0; j < ss_shape_part_count(of_b); j++) {
          ss_part x = ss_shape_part(of_a, i), y = ss_shape_part(of_b, j);
          SS_TRY(add_parts(&l, a, &x, b, &y));
          if (l.count > SSI_PAIRS_MAX)
            return ssi_fail(w->ctx, SS_ERR_DATA,
                            "more than %d pairs of points and walls may meet: too many for dense "
                            "matrices (--scheme moreau goes with any number)",
                            SSI_PAIRS_MAX);
        }
    }
  *count = l.count;
  return SS_OK;
}

// ---- names --------------------------------------------------------------------------------------

static void name_side(const ssi_world *w, int i, char *out, size_t size) {
  bool body = i < w->nb;
  const char *name = body ? w->body[i].name : w->scene->externals[i - w->nb].name;
  if (name)
    snprintf(out, size, "%.40s", name);
  else
    snprintf(out, size, "%s%d", body ? "body" : "external", body ? i : i - w->nb);
}

// "ball-floor"; where there are several of two, "block-floor:3".
char *ssi_rigid_pair_name(const ssi_rigid_machine *m, ssi_arena *arena, int pair) {
  const ssi_rigid_pair *p = m->pair + pair;
  int before = 0, all = 0, count = m->head.out.mechanism.nc;
  for (int k = 0; k < count; k++)
    if (m->pair[k].a == p->a && m->pair[k].b == p->b) all++, before += k < pair;
  char a[48], b[48], number[16] = "";
  name_side(&m->world, p->a, a, sizeof a);
  name_side(&m->world, p->b, b, sizeof b);
  if (all > 1) snprintf(number, sizeof number, ":%d", before);
  size_t size = strlen(a) + strlen(b) + strlen(number) + 2;
  char *name = SSI_TAKE(arena, size, char);
  if (name) snprintf(name, size, "%s-%s%s", a, b, number);
  return name;
}
