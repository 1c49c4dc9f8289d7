// Spheres and capsules against each other, boxes and cylinders: closest points in closed form.
#include "dynamics/collide/narrow.h"
#include "la/vec3.h"

static const uint32_t closest = (uint32_t)SSI_CLOSEST << 16 | SSI_CLOSEST;

// Contact of core points pa and pb; `fallback` is the normal where they coincide.
static void add_points(ssi_manifold *m, const ssi_solid *a, const ssi_solid *b, const double pa[3],
                       const double pb[3], const double fallback[3], uint32_t feature,
                       double limit) {
  double n[3];
  ssi_sub3(pa, pb, n);
  double d = ssi_norm3(n);
  if (d > 0)
    ssi_scale3(1 / d, n, n);
  else
    ssi_copy3(fallback, n);
  ssi_add_touch(m, a, b, pa, n, d, feature, limit);
}

void ssi_sphere_sphere(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  double up[3];
  ssi_any_normal(a->shape->dim, up);
  add_points(out, a, b, a->x, b->x, up, closest, limit);
}

// Inside, the nearest face is the way out.
void ssi_sphere_box(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  const double *half = b->shape->half;
  double d[3], p[3], q[3], n[3] = {0};
  ssi_sub3(a->x, b->x, d);
  ssi_unrotate3(b->R, d, p);
  double worst = -INFINITY;
  int axis = 0;
  for (int k = 0; k < b->shape->dim; k++) {
    double beyond = fabs(p[k]) - half[k];
    if (beyond > worst) worst = beyond, axis = k;
    q[k] = beyond > 0 ? p[k] - copysign(half[k], p[k]) : 0;
  }
  if (b->shape->dim == 2) q[2] = 0;
  double gap = worst;
  if (worst > 0) {
    gap = ssi_norm3(q);
    ssi_scale3(1 / gap, q, n);
  } else {
    n[axis] = copysign(1, p[axis]);
  }
  ssi_rotate3(b->R, n, n);
  ssi_add_touch(out, a, b, a->x, n, gap, closest, limit);
}

void ssi_sphere_cylinder(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  double d[3], p[3], n[3];
  ssi_sub3(a->x, b->x, d);
  ssi_unrotate3(b->R, d, p);
  double rho = sqrt(p[0] * p[0] + p[1] * p[1]);
  double side = rho - b->shape->radius, end = fabs(p[2]) - b->shape->half[0], gap;
  double x = rho > 0 ? p[0] / rho : 1, y = rho > 0 ? p[1] / rho : 0, z = copysign(1, p[2]);
  if (side <= 0 || end <= 0) {  // inside, over the side or over an end: the larger one
    bool over_side = side > end;
    gap = over_side ? side : end;
    ssi_set3(over_side ? x : 0, over_side ? y : 0, over_side ? 0 : z, n);
  } else {  // off the rim
    gap = sqrt(side * side + end * end);
    ssi_set3(x * side / gap, y * side / gap, z * end / gap, n);
  }
  ssi_rotate3(b->R, n, n);
  ssi_add_touch(out, a, b, a->x, n, gap, closest, limit);
}

// Centre, half segment and a direction across it.
typedef struct segment {
  double x[3], e[3], half, across[3];
} segment;

static segment segment_of(const ssi_solid *s) {
  segment g = {.half = s->shape->half[0]};
  int axis = s->shape->dim == 2 ? 0 : 2;
  ssi_copy3(s->x, g.x);
  ssi_axis3(s->R, axis, g.e);
  ssi_axis3(s->R, axis == 0 ? 1 : 0, g.across);
  return g;
}

static double clamp(double x, double half) {
  return x > half ? half : x < -half ? -half : x;
}

static void along(const segment *g, double s, double out[3]) {
  ssi_add3(g->x, s, g->e, out);
}

// Parameter of the point of g that is closest to p.
static double nearest(const segment *g, const double p[3]) {
  double d[3];
  ssi_sub3(p, g->x, d);
  return clamp(ssi_dot3(d, g->e), g->half);
}

void ssi_sphere_capsule(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  segment g = segment_of(b);
  double pb[3];
  along(&g, nearest(&g, a->x), pb);
  add_points(out, a, b, a->x, pb, g.across, closest, limit);
}

// Closest points of two segments: minimum over the lines, clamped, then the exact minimum on one
// for the clamped point of the other. Convex, so two clamps give the answer [E05].
// [E05] C. Ericson, Real-Time Collision Detection, Morgan Kaufmann, 2005.
static void closest_parameters(const segment *a, const segment *b, double *s, double *t) {
  double d[3], p[3];
  ssi_sub3(a->x, b->x, d);
  double c = ssi_dot3(a->e, b->e), da = ssi_dot3(d, a->e), db = ssi_dot3(d, b->e);
  double sine2 = 1 - c * c;
  *s = sine2 > 1e-14 ? clamp((c * db - da) / sine2, a->half) : 0;
  along(a, *s, p);
  *t = nearest(b, p);
  along(b, *t, p);
  *s = nearest(a, p);
  along(a, *s, p);
  *t = nearest(b, p);
}

// Nearly parallel capsules lie on each other along a line: the ends of the common stretch are
// contacts of their own (an end of one over the inside of the other). Where ends face each other,
// a's counts.
void ssi_capsule_capsule(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  segment ga = segment_of(a), gb = segment_of(b);
  double s, t, pa[3], pb[3], across[3], least = INFINITY;
  ssi_cross3(ga.e, gb.e, across);
  double sine = ssi_norm3(across);
  if (sine > 0)
    ssi_scale3(1 / sine, across, across);
  else
    ssi_copy3(ga.across, across);
  for (int k = 0; k < 4 && sine < 0.1; k++) {
    const segment *end = k < 2 ? &ga : &gb, *on = k < 2 ? &gb : &ga;
    double p[3], q[3], d[3];
    along(end, k & 1 ? end->half : -end->half, p);
    ssi_sub3(p, on->x, d);
    double v = ssi_dot3(d, on->e);
    if (fabs(v) > on->half * (k < 2 ? 1 + 1e-6 : 1 - 1e-6)) continue;
    along(on, v, q);
    least = fmin(least, ssi_distance3(p, q));
    if (k < 2)
      add_points(out, a, b, p, q, across, ssi_feature(SSI_CORNER + (k & 1), SSI_EDGE), limit);
    else
      add_points(out, a, b, q, p, across, ssi_feature(SSI_EDGE, SSI_CORNER + (k & 1)), limit);
  }
  closest_parameters(&ga, &gb, &s, &t);
  along(&ga, s, pa);
  along(&gb, t, pb);
  if (ssi_distance3(pa, pb) < least - SSI_BLUR * fmin(ga.half, gb.half))
    add_points(out, a, b, pa, pb, across, closest, limit);
}
