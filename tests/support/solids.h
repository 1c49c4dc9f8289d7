// support/solids.h - random solids, and an oracle for the signed gap of two convex ones that shares
// nothing with the library: the largest over unit n of  min_A n.x - max_B n.x  is the distance
// where they are apart and minus the penetration depth where they overlap. So every n gives a lower
// bound; a search over sampled directions, the best ones refined, comes close to the largest.
#pragma once

#include "base/rng.h"
#include "dynamics/scene/shape.h"
#include "la/vec3.h"

static inline double between(ssi_rng *g, double low, double high) {
  return low + (high - low) * ssi_rng_uniform(g);
}

static inline ss_pose random_pose(ssi_rng *g, int dim, double spread) {
  ss_pose p = {.x = {between(g, -spread, spread), between(g, -spread, spread), 0}};
  if (dim == 2) return ss_pose_planar(p.x[0], p.x[1], between(g, -4, 4));
  p.x[2] = between(g, -spread, spread);
  double norm = 0;
  for (int k = 0; k < 4; k++) p.q[k] = between(g, -1, 1), norm += p.q[k] * p.q[k];
  for (int k = 0; k < 4; k++) p.q[k] /= sqrt(norm);
  return p;
}

// max n.x over the solid at a pose (bounded convex kinds)
static inline double width(const ss_shape *s, const ss_pose *pose, const double n[3]) {
  double R[9], u[3], most = -INFINITY;
  ss_rotation(pose->q, R);
  ssi_unrotate3(R, n, u);
  const double *h = s->half;
  switch (s->kind) {
  case SS_SPHERE:
    most = s->radius;
    break;
  case SS_CAPSULE:
    most = fabs(u[s->dim == 2 ? 0 : 2]) * h[0] + s->radius;
    break;
  case SS_CYLINDER:
    most = fabs(u[2]) * h[0] + s->radius * sqrt(u[0] * u[0] + u[1] * u[1]);
    break;
  case SS_BOX:
    most = fabs(u[0]) * h[0] + fabs(u[1]) * h[1] + fabs(u[2]) * h[2];
    break;
  default:
    for (int k = 0; k < s->hull.corner_count; k++)
      most = fmax(most, ssi_dot3(u, s->hull.corner + 3 * k));
  }
  return ssi_dot3(n, pose->x) + most;
}

typedef struct oracle_pair {
  const ss_shape *a, *b;
  ss_pose pa, pb;
} oracle_pair;

static inline double separation(const oracle_pair *o, const double n[3]) {
  double down[3];
  ssi_scale3(-1, n, down);
  return -width(o->a, &o->pa, down) - width(o->b, &o->pb, n);
}

// Climbs from n by turning it a little in random directions, with shrinking steps: ridges are
// sharp, fixed directions get stuck on them.
static inline double climb(const oracle_pair *o, double n[3], ssi_rng *g) {
  double best = separation(o, n);
  int dim = o->a->dim;
  for (double step = 0.2; step > 1e-10;) {
    double e[2][3] = {{-n[1], n[0], 0}}, candidate[3];
    if (dim == 3) {
      double axis[3] = {0};
      axis[fabs(n[0]) < 0.6 ? 0 : 1] = 1;
      ssi_cross3(n, axis, e[0]);
      ssi_scale3(1 / ssi_norm3(e[0]), e[0], e[0]);
      ssi_cross3(n, e[0], e[1]);
    }
    bool better = false;
    for (int k = 0; k < (dim == 2 ? 2 : 12); k++) {
      double t = 3.14159265358979323846 * (dim == 2 ? k : 2 * ssi_rng_uniform(g));
      ssi_add3(n, step * cos(t), e[0], candidate);
      if (dim == 3) ssi_add3(candidate, step * sin(t), e[1], candidate);
      ssi_scale3(1 / ssi_norm3(candidate), candidate, candidate);
      double s = separation(o, candidate);
      if (s <= best) continue;
      best = s, better = true;
      ssi_copy3(candidate, n);
    }
    if (!better) step *= dim == 2 ? 0.5 : 0.8;
  }
  return best;
}

static inline double oracle_gap(const oracle_pair *o, ssi_rng *g) {
  enum { KEEP = 4 };
  double start[KEEP][3], value[KEEP], best = -INFINITY;
  for (int k = 0; k < KEEP; k++) value[k] = -INFINITY;
  for (int i = 0; i < 600; i++) {
    double n[3] = {between(g, -1, 1), between(g, -1, 1), o->a->dim == 3 ? between(g, -1, 1) : 0};
    double length = ssi_norm3(n);
    if (length > 1 || length < 0.1) continue;
    ssi_scale3(1 / length, n, n);
    double s = separation(o, n);
    for (int k = 0; k < KEEP; k++) {  // the best few, apart from each other
      bool same = value[k] > -INFINITY && ssi_dot3(n, start[k]) > 0.95;
      if (same && s <= value[k]) break;
      if (!same && s <= value[k]) continue;
      if (!same)
        for (int j = KEEP - 1; j > k; j--)
          value[j] = value[j - 1], ssi_copy3(start[j - 1], start[j]);
      value[k] = s;
      ssi_copy3(n, start[k]);
      break;
    }
  }
  for (int k = 0; k < KEEP && value[k] > -INFINITY; k++) best = fmax(best, climb(o, start[k], g));
  return best;
}

// How far a world point is outside the solid (<= 0 inside), exact enough near its surface.
static inline double outside(const ss_shape *s, const ss_pose *pose, const double w[3]) {
  ss_pose back = ss_pose_inverse(pose);
  double x[3], d = -INFINITY;
  ss_pose_apply(&back, w, x);
  int axis = s->dim == 2 ? 0 : 2;
  switch (s->kind) {
  case SS_SPHERE:
    return ssi_norm3(x) - s->radius;
  case SS_CAPSULE:
    x[axis] -= fmax(-s->half[0], fmin(s->half[0], x[axis]));
    return ssi_norm3(x) - s->radius;
  case SS_CYLINDER:
    return fmax(fabs(x[2]) - s->half[0], sqrt(x[0] * x[0] + x[1] * x[1]) - s->radius);
  case SS_BOX:
    for (int k = 0; k < s->dim; k++) d = fmax(d, fabs(x[k]) - s->half[k]);
    return d;
  case SS_HULL:
    for (int k = 0; k < (s->dim == 2 ? s->hull.edge_count : s->hull.face_count); k++)
      d = fmax(d, ssi_dot3(s->hull.normal + 3 * k, x) - s->hull.offset[k]);
    return d;
  case SS_PLANE:
    return x[s->dim == 2 ? 1 : 2];
  case SS_DRUM:
    d = s->radius - sqrt(x[0] * x[0] + x[1] * x[1]);
    return s->half[0] > 0 ? fmin(d, s->half[0] - fabs(x[2])) : d;
  default:
    return NAN;
  }
}

// One random shape of a kind; sizes from 0.3 to 1.
static inline ss_shape *random_shape(ssi_rng *g, int dim, ss_shape_kind kind) {
  ss_shape *s = NULL;
  double half[3] = {between(g, 0.3, 1), between(g, 0.3, 1), between(g, 0.3, 1)}, cloud[3 * 24];
  int points = 8 + ssi_rng_below(g, 16);
  if (kind == SS_SPHERE) ss_shape_sphere(NULL, dim, half[0], &s);
  if (kind == SS_BOX) ss_shape_box(NULL, dim, half, &s);
  if (kind == SS_CAPSULE) ss_shape_capsule(NULL, dim, half[0], half[1], &s);
  if (kind == SS_CYLINDER) ss_shape_cylinder(NULL, half[0], half[1], &s);
  if (kind == SS_PLANE) ss_shape_plane(NULL, dim, &s);
  for (int k = 0; k < dim * points; k++) cloud[k] = between(g, -1, 1);
  if (kind == SS_HULL) ss_shape_hull(NULL, dim, points, cloud, &s);
  return s;
}
