// Any two convex cores: GJK where they are apart, penetration (narrow_depth.c) where they overlap,
// then as many contact points as the touching faces and lines carry.
#include "dynamics/collide/narrow.h"
#include "dynamics/collide/narrow_clip.h"
#include "la/vec3.h"

static const uint32_t closest = (uint32_t)SSI_CLOSEST << 16 | SSI_CLOSEST;

// Two lines one over the other: contacts at the ends of the common stretch. Returns the least gap.
static double line_contact(const ssi_solid *a, const ssi_solid *b, const double n[3], double limit,
                           ssi_manifold *out) {
  double p[2][3], q[2][3], down[3], e[3], f[3], c[3], d[3];
  ssi_scale3(-1, n, down);
  if (!ssi_lowest_segment(a, down, p) || !ssi_lowest_segment(b, n, q)) return INFINITY;
  ssi_sub3(p[1], p[0], e), ssi_sub3(q[1], q[0], f);
  ssi_cross3(e, f, c);
  double ee = ssi_dot3(e, e), ef = ssi_dot3(e, f);
  if (ssi_norm3(c) > 1e-4 * sqrt(ee * ssi_dot3(f, f))) return INFINITY;
  double t[2];  // where b's ends are along a's line
  for (int k = 0; k < 2; k++) {
    ssi_sub3(q[k], p[0], d);
    t[k] = ssi_dot3(d, e) / ee;
  }
  double from = fmax(0, fmin(t[0], t[1])), to = fmin(1, fmax(t[0], t[1]));
  if (!(to > from) || ef == 0) return INFINITY;
  double least = INFINITY;
  for (int k = 0; k < 2; k++) {
    double at = k ? to : from, u = (at - t[0]) / (t[1] - t[0]), pa[3], pb[3];
    ssi_add3(p[0], at, e, pa);
    ssi_add3(q[0], u, f, pb);
    ssi_sub3(pa, pb, d);
    double gap = ssi_dot3(d, n);
    ssi_add3(d, -gap, n, d);
    if (ssi_norm3(d) > 1e-4 * sqrt(ee)) return INFINITY;  // side by side, not one over the other
    least = fmin(least, gap);
    ssi_add_touch(out, a, b, pa, n, gap, ssi_feature(SSI_EDGE, SSI_EDGE + 1 + k), limit);
  }
  return least;
}

// A face of `own` at its lowest corner, over which the other begins at a height of at least
// `least`.
typedef struct face_choice {
  double s;
  int face;  // -1: none
  bool of_a;
} face_choice;

static void look_at_face(const ssi_solid *own, const ssi_solid *other, bool of_a, int face,
                         face_choice *best) {
  double n[3], back[3], p[3];
  ssi_face_normal(own, face, n);
  ssi_scale3(-1, n, back);
  ssi_support(own, n, p);
  double s = -ssi_support_width(other, back) - ssi_dot3(n, p);
  if (s > best->s) *best = (face_choice){s, face, of_a};
}

static void faces_below(const ssi_solid *own, const ssi_solid *other, bool of_a,
                        const double down[3], face_choice *best) {
  double p[3];
  int corner = ssi_support(own, down, p);
  const ssi_hull *h = &own->shape->hull;
  if (own->shape->kind == SS_CYLINDER)
    look_at_face(own, other, of_a, corner, best);  // the end with the lowest rim
  else if (h->around_ptr)
    for (int k = h->around_ptr[corner]; k < h->around_ptr[corner + 1]; k++)
      look_at_face(own, other, of_a, h->around[k], best);
}

// Contacts of cores whose distance (or minus depth) is d along n, at pa.
static void spread(const ssi_solid *a, const ssi_solid *b, const double n[3], double d,
                   const double pa[3], double limit, ssi_manifold *out) {
  double size = fmin(ssi_core_size(a->shape), ssi_core_size(b->shape));
  double blur =
      SSI_BLUR * (size > 0 ? size : fmax(ssi_core_size(a->shape), ssi_core_size(b->shape)));
  double down[3];
  ssi_scale3(-1, n, down);
  face_choice f = {.s = d - blur, .face = -1};
  faces_below(a, b, true, down, &f);
  faces_below(b, a, false, n, &f);
  if (f.face >= 0) {
    ssi_polygon ref, low;
    const ssi_solid *own = f.of_a ? a : b, *other = f.of_a ? b : a;
    double face_n[3], back[3];
    ssi_face_normal(own, f.face, face_n);
    ssi_scale3(-1, face_n, back);
    ssi_face_polygon(own, f.face, face_n, &ref);
    ssi_lowest_polygon(other, back, &low);
    if (ssi_clip(a, b, f.of_a, &ref, &low, blur, limit, out) <= d + blur) return;
    out->count = 0;
  }
  if (line_contact(a, b, n, limit, out) <= d + blur) return;
  out->count = 0;
  ssi_add_touch(out, a, b, pa, n, d, closest, limit);
}

void ssi_separated(const ssi_solid *a, const ssi_solid *b, const double n[3], double s,
                   double limit, ssi_manifold *out) {
  double radii = ssi_core_radius(a->shape) + ssi_core_radius(b->shape), down[3], p[3];
  ssi_closest c = ssi_gjk(a, b, limit + radii, 1e-15);
  if (!c.overlap) {
    if (!c.far) spread(a, b, c.n, c.distance, c.pa, limit, out);
    return;
  }
  ssi_scale3(-1, n, down);  // a hair apart: the axis is as good as any
  ssi_support(a, down, p);
  ssi_add_touch(out, a, b, p, n, s, closest, limit);
}

void ssi_convex(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  double radii = ssi_core_radius(a->shape) + ssi_core_radius(b->shape);
  ssi_closest c = ssi_gjk(a, b, limit + radii, 1e-15);
  if (!c.overlap) {
    if (!c.far) spread(a, b, c.n, c.distance, c.pa, limit, out);
    return;
  }
  ssi_depth depth = ssi_penetration(a, b);
  out->broken = depth.broken;
  spread(a, b, depth.n, -depth.depth, depth.pa, limit, out);
}
