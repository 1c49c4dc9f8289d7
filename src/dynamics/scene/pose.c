// Poses: where a shape is and how it is turned.
#include "dynamics/scene/shape.h"
#include "la/vec3.h"

ss_pose ss_pose_identity(void) {
  return (ss_pose){.q = {1, 0, 0, 0}};
}

ss_pose ss_pose_planar(double x, double y, double angle) {
  return (ss_pose){.x = {x, y, 0}, .q = {cos(angle / 2), 0, 0, sin(angle / 2)}};
}

// R = 1 + 2/|q|^2 ( w [v] + [v]^2 ),  q = (w, v)
void ss_rotation(const double q[4], double R[9]) {
  if (!q || !R) return;
  double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
  R[0] = 1 - s * (y * y + z * z), R[1] = s * (x * y - w * z), R[2] = s * (x * z + w * y);
  R[3] = s * (x * y + w * z), R[4] = 1 - s * (x * x + z * z), R[5] = s * (y * z - w * x);
  R[6] = s * (x * z - w * y), R[7] = s * (y * z + w * x), R[8] = 1 - s * (x * x + y * y);
}

void ss_pose_apply(const ss_pose *p, const double local[3], double world[3]) {
  if (!p || !local || !world) return;
  double R[9], x[3];
  ss_rotation(p->q, R);
  ssi_rotate3(R, local, x);
  ssi_add3(p->x, 1, x, world);
}

ss_pose ss_pose_times(const ss_pose *outer, const ss_pose *inner) {
  if (!outer || !inner) return ss_pose_identity();
  const double *a = outer->q, *b = inner->q;
  ss_pose p;
  ss_pose_apply(outer, inner->x, p.x);
  p.q[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  p.q[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  p.q[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  p.q[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  return p;
}

ss_pose ss_pose_inverse(const ss_pose *p) {
  if (!p) return ss_pose_identity();
  double R[9], n = 0;
  ss_rotation(p->q, R);
  for (int k = 0; k < 4; k++) n += p->q[k] * p->q[k];
  ss_pose inverse = {.q = {p->q[0] / n, -p->q[1] / n, -p->q[2] / n, -p->q[3] / n}};
  ssi_unrotate3(R, p->x, inverse.x);
  ssi_scale3(-1, inverse.x, inverse.x);
  return inverse;
}

void ssi_solid_place(const ss_shape *s, const ss_pose *pose, ssi_solid *out) {
  out->shape = s;
  ssi_copy3(pose->x, out->x);
  ss_rotation(pose->q, out->R);
}

void ssi_solid_bounds(const ssi_solid *s, double low[3], double high[3]) {
  const ss_shape *shape = s->shape;
  const double *half = shape->half;
  int axis = shape->dim == 2 ? 0 : 2;  // of capsules
  for (int k = 0; k < 3; k++) {
    const double *row = s->R + 3 * k;
    double reach = 0, a = row[axis];
    switch (shape->kind) {
    case SS_SPHERE:
      reach = shape->radius;
      break;
    case SS_BOX:
      reach = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
      break;
    case SS_CAPSULE:
      reach = fabs(a) * half[0] + shape->radius;
      break;
    case SS_CYLINDER:
      reach = fabs(a) * half[0] + sqrt(fmax(0, 1 - a * a)) * shape->radius;
      break;
    case SS_PLANE:
    case SS_DRUM:
    case SS_HULL:
    case SS_COMPOUND:
      reach = INFINITY;
      break;
    }
    low[k] = s->x[k] - reach, high[k] = s->x[k] + reach;
    if (shape->kind == SS_HULL) {
      low[k] = INFINITY, high[k] = -INFINITY;
      for (int c = 0; c < shape->hull.corner_count; c++) {
        double x = s->x[k] + ssi_dot3(row, shape->hull.corner + 3 * c);
        low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
      }
    }
  }
  if (shape->kind == SS_PLANE) {  // looking along an axis it ends there
    int normal = shape->dim == 2 ? 1 : 2;
    for (int k = 0; k < shape->dim; k++) {
      double n = s->R[3 * k + normal];
      if (n == 1) high[k] = s->x[k];
      if (n == -1) low[k] = s->x[k];
    }
  }
  if (shape->dim == 2) low[2] = high[2] = 0;
}

void ss_shape_bounds(const ss_shape *s, const ss_pose *pose, double low[3], double high[3]) {
  if (!s || !pose || !low || !high) return;
  ssi_solid solid;
  if (s->kind != SS_COMPOUND) {
    ssi_solid_place(s, pose, &solid);
    ssi_solid_bounds(&solid, low, high);
    return;
  }
  ssi_set3(INFINITY, INFINITY, INFINITY, low);
  ssi_set3(-INFINITY, -INFINITY, -INFINITY, high);
  for (int k = 0; k < s->part_count; k++) {
    double l[3], h[3];
    ss_pose p = ss_pose_times(pose, &s->parts[k].pose);
    ssi_solid_place(s->parts[k].shape, &p, &solid);
    ssi_solid_bounds(&solid, l, h);
    for (int i = 0; i < 3; i++) low[i] = fmin(low[i], l[i]), high[i] = fmax(high[i], h[i]);
  }
}

// Largest distance of a point of the shape from `centre`, given in its frame.
double ssi_shape_farthest(const ss_shape *s, const double centre[3]) {
  double most = 0;
  switch (s->kind) {
  case SS_SPHERE:
    return ssi_norm3(centre) + s->radius;
  case SS_CAPSULE:
  case SS_CYLINDER:
    for (int side = -1; side <= 1; side += 2) {
      int axis = s->dim == 2 ? 0 : 2;
      double d[3] = {-centre[0], -centre[1], -centre[2]};
      d[axis] += side * s->half[0];
      double flat = sqrt(d[0] * d[0] + d[1] * d[1]) + s->radius;
      most = fmax(most, s->kind == SS_CAPSULE ? ssi_norm3(d) + s->radius
                                              : sqrt(flat * flat + d[2] * d[2]));
    }
    return most;
  case SS_BOX:
  case SS_HULL:
    for (int c = 0; c < s->hull.corner_count; c++)
      most = fmax(most, ssi_distance3(s->hull.corner + 3 * c, centre));
    return most;
  case SS_COMPOUND:
    for (int k = 0; k < s->part_count; k++) {
      double local[3];
      ss_pose back = ss_pose_inverse(&s->parts[k].pose);
      ss_pose_apply(&back, centre, local);
      most = fmax(most, ssi_shape_farthest(s->parts[k].shape, local));
    }
    return most;
  case SS_PLANE:
  case SS_DRUM:
    break;
  }
  return INFINITY;
}

double ss_shape_extent(const ss_shape *s) {
  if (!s) return 0;
  return s->bound;
}
