// Support points of cores, and the contact between two core points.
#include "dynamics/collide/narrow.h"
#include "la/vec3.h"

double ssi_core_size(const ss_shape *s) {
  switch (s->kind) {
  case SS_BOX:
  case SS_HULL:
    return s->hull.size;
  case SS_CAPSULE:
    return s->half[0];
  case SS_CYLINDER:
    return fmax(s->half[0], s->radius);
  default:
    return 0;
  }
}

// The far rim of a cylinder: along the flat part of d, any direction where d is along the axis.
static void cylinder_support(const ss_shape *s, const double d[3], double local[3]) {
  double flat = sqrt(d[0] * d[0] + d[1] * d[1]);
  double f = flat > 1e-14 * fabs(d[2]) ? s->radius / flat : 0;
  ssi_set3(f > 0 ? f * d[0] : s->radius, f * d[1], d[2] < 0 ? -s->half[0] : s->half[0], local);
}

int ssi_support(const ssi_solid *s, const double d[3], double out[3]) {
  const ss_shape *shape = s->shape;
  double local[3] = {0}, u[3];
  int id = 0;
  ssi_unrotate3(s->R, d, u);
  switch (shape->kind) {
  case SS_BOX:
    for (int k = 0; k < shape->dim; k++) {
      local[k] = u[k] > 0 ? shape->half[k] : -shape->half[k];
      if (shape->dim == 3) id |= (u[k] > 0) << k;
    }
    if (shape->dim == 2) id = u[1] > 0 ? (u[0] > 0 ? 2 : 3) : u[0] > 0;
    break;
  case SS_HULL: {
    double best = -INFINITY;
    for (int c = 0; c < shape->hull.corner_count; c++) {
      double x = ssi_dot3(u, shape->hull.corner + 3 * c);
      if (x > best) best = x, id = c;
    }
    ssi_copy3(shape->hull.corner + 3 * id, local);
    break;
  }
  case SS_CAPSULE: {
    int axis = shape->dim == 2 ? 0 : 2;
    id = u[axis] > 0;
    local[axis] = id ? shape->half[0] : -shape->half[0];
    break;
  }
  case SS_CYLINDER:
    cylinder_support(shape, u, local);
    id = local[2] > 0;
    break;
  default:
    break;
  }
  ssi_rotate3(s->R, local, out);
  ssi_add3(s->x, 1, out, out);
  return id;
}

double ssi_support_width(const ssi_solid *s, const double n[3]) {
  if (s->shape->kind == SS_BOX) {
    const double *R = s->R, *h = s->shape->half;
    double x = R[0] * n[0] + R[3] * n[1] + R[6] * n[2];
    double y = R[1] * n[0] + R[4] * n[1] + R[7] * n[2];
    double z = R[2] * n[0] + R[5] * n[1] + R[8] * n[2];
    return ssi_dot3(s->x, n) + fabs(x) * h[0] + fabs(y) * h[1] + fabs(z) * h[2];
  }
  double p[3];
  ssi_support(s, n, p);
  return ssi_dot3(n, p);
}

void ssi_add_touch(ssi_manifold *m, const ssi_solid *a, const ssi_solid *b, const double pa[3],
                   const double n[3], double core_gap, uint32_t feature, double limit) {
  double ra = ssi_core_radius(a->shape), rb = ssi_core_radius(b->shape);
  double gap = core_gap - (ra + rb);
  if (!(gap < limit)) return;
  int at = m->count;
  if (at == SSI_TOUCH_MAX) {  // in place of the farthest, if it is closer than that
    at = 0;
    for (int k = 1; k < m->count; k++)
      if (m->touch[k].gap > m->touch[at].gap) at = k;
    if (m->touch[at].gap <= gap) return;
  } else {
    m->count++;
  }
  ssi_manifold_point *t = m->touch + at;
  ssi_add3(pa, -ra - gap / 2, n, t->point);  // surface of a at pa - ra n, half a gap further down
  ssi_copy3(n, t->normal);
  t->gap = gap;
  t->feature = feature;
}
