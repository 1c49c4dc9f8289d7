// The second-order part of a gap. The problem is linear in the motion of a step: g + h u_N. For spheres
// against convex shapes that do not turn, what is left out only widens the gap; at the round wall of a
// drum, and at objects that turn, it may narrow it. Seen from the object, which moves with
// V + O x (p - c), a point p of the body has
//
//   u = v_p - V - O x (p - c),      u' = w x (w x arm) - 2 O x u - O x (O x (p - c))
//
// (of a sphere p is the centre: its turning does not count), and the wall of a drum bends away from the
// tangent by rho - sqrt(rho^2 + (h u_t)^2), rho the distance of p from the axis, t across it:
//
//   g(t + h) = g + h u_N + bend,    bend = h^2/2 n . u' + rho - sqrt(rho^2 + (h u_t)^2)
//
// A bead that turns with a drum has u = 0 and bend = -h^2 O^2 rho / 2; one that slides in a drum at
// rest moves along chords and keeps its speed.
#include <math.h>

#include "dynamics/scene/shape.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"

// The axis of the drum whose round wall c is at; false where it is at something else.
static bool drum_wall(const ssi_step *step, const ss_contact *c, double axis[3], double at[3]) {
  const ss_collider *b = step->collider + c->b;
  const ss_shape *shape = b->shape;
  ss_pose pose = b->pose;
  if (shape->kind == SS_COMPOUND) {
    const ssi_shape_part *part = shape->parts + (c->key >> 32 & 0xffff);
    pose = ss_pose_times(&pose, &part->pose);
    shape = part->shape;
  }
  if (shape->kind != SS_DRUM) return false;
  double R[9];
  ss_rotation(pose.q, R);
  ssi_axis3(R, 2, axis);
  ssi_copy3(pose.x, at);
  return fabs(ssi_dot3(axis, c->normal)) < 0.5;  // else an end, which is flat
}

static double wall_bend(const double axis[3], const double from[3], const double n[3],
                        const double u[3], double h) {
  double along = ssi_dot3(from, axis), un = ssi_dot3(u, n), ua = ssi_dot3(u, axis);
  double rho = sqrt(fmax(0, ssi_dot3(from, from) - along * along));
  double across2 = h * h * fmax(0, ssi_dot3(u, u) - un * un - ua * ua);
  return across2 > 0 ? -across2 / (rho + sqrt(rho * rho + across2)) : 0;
}

double ssi_bend(const ssi_world *w, const ssi_state *s, const ssi_step *step, const ss_contact *c,
                const double *v) {
  double h = step->h;
  if (c->b < w->nb) return 0;
  const ssi_twist *twist = step->twist + (c->b - w->nb);
  double axis[3], at[3], spin[3], u[3], arm[3], push[3], from[3], turn[3];
  bool wall = drum_wall(step, c, axis, at);
  if (!wall && !(ssi_norm3(twist->a) > 0)) return 0;
  bool sphere = ss_shape_kind_of(w->body[c->a].shape) == SS_SPHERE;
  const double *p = sphere ? s->pose[c->a].x : c->point;
  ssi_point_velocity(w, s, step, c->a, v, p, u);
  ssi_twist_at(twist, p, turn);
  ssi_sub3(u, turn, u);
  ssi_spin(w, step, c->a, v, spin);
  ssi_sub3(p, s->pose[c->a].x, arm);
  ssi_cross3(spin, arm, turn);
  ssi_cross3(spin, turn, push);
  ssi_cross3(twist->a, u, turn);
  ssi_add3(push, -2, turn, push);
  ssi_sub3(p, twist->c, from);
  ssi_cross3(twist->a, from, turn);
  ssi_cross3(twist->a, turn, turn);
  ssi_sub3(push, turn, push);
  double bend = h * h / 2 * ssi_dot3(c->normal, push);
  ssi_sub3(p, at, from);
  if (wall) bend += wall_bend(axis, from, c->normal, u, h);
  return fmin(bend, 0);
}
