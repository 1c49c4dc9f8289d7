// Boxes and hulls: separating axes, then clipping.
//
// Along the outward normal of a face of A, B begins at height  s = min_B n.x - offset;  for a pair
// of edges, s is measured along their common perpendicular. The largest s is minus the penetration
// depth where bodies overlap. Where they do not it is a lower bound of the distance, reached
// whenever the closest points lie in a face or inside two edges; what is left (a corner to a corner
// or an edge) is asked of GJK.
#include "dynamics/collide/narrow.h"
#include "dynamics/collide/narrow_clip.h"
#include "la/vec3.h"

static const uint32_t closest = (uint32_t)SSI_CLOSEST << 16 | SSI_CLOSEST;

typedef struct face_axis {
  double s, n[3];  // outward from its owner
  int face;
  bool of_a;
} face_axis;

static void best_face(const ssi_solid *own, const ssi_solid *other, bool of_a, double bias,
                      face_axis *best) {
  const ssi_hull *h = &own->shape->hull;
  for (int f = 0; f < h->face_count; f++) {
    double n[3], back[3];
    ssi_rotate3(own->R, h->normal + 3 * f, n);
    ssi_scale3(-1, n, back);
    double s = -ssi_support_width(other, back) - ssi_dot3(n, own->x) - h->offset[f];
    if (s <= best->s + bias) continue;
    *best = (face_axis){.s = s, .face = f, .of_a = of_a};
    ssi_copy3(n, best->n);
  }
}

// The lowest corner of the one over the other's face, as the only point.
static void one_point(const ssi_solid *a, const ssi_solid *b, const face_axis *f, double limit,
                      ssi_manifold *out) {
  double down[3], n[3], p[3];
  ssi_scale3(-1, f->n, down);
  ssi_scale3(f->of_a ? -1 : 1, f->n, n);
  ssi_support(f->of_a ? b : a, down, p);
  if (f->of_a) ssi_add3(p, f->s, n, p);  // from the corner of b to the face of a
  ssi_add_touch(out, a, b, p, n, f->s, closest, limit);
}

void ssi_polyhedra(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  double size = fmin(ssi_core_size(a->shape), ssi_core_size(b->shape)), blur = SSI_BLUR * size;
  face_axis f = {.s = -INFINITY};
  best_face(a, b, true, 1e-9 * size, &f);
  if (!(f.s < limit)) return;
  best_face(b, a, false, 0.5 * blur, &f);  // between equals always a's: the keys stay
  if (!(f.s < limit)) return;
  const ssi_solid *own = f.of_a ? a : b, *other = f.of_a ? b : a;
  double down[3], n[3];
  ssi_scale3(-1, f.n, down);
  ssi_scale3(f.of_a ? -1 : 1, f.n, n);

  ssi_edge_axis e = {.s = -INFINITY};
  if (f.s < 0) e = ssi_best_edges(a, b);
  if (e.s <= f.s + blur) {
    ssi_polygon ref, low;
    ssi_face_polygon(own, f.face, f.n, &ref);
    ssi_lowest_polygon(other, down, &low);
    double least = ssi_clip(a, b, f.of_a, &ref, &low, blur, limit, out);
    if (least <= f.s + blur) return;
    out->count = 0;
    if (f.s < 0) {
      one_point(a, b, &f, limit, out);
      return;
    }
    e = ssi_best_edges(a, b);
  }
  if (!(fmax(e.s, f.s) < limit)) return;
  if (e.s >= f.s && (e.s <= 0 || e.inside)) {
    ssi_add_touch(out, a, b, e.pa, e.n, e.s, closest, limit);
    return;
  }
  if (e.s > f.s) ssi_copy3(e.n, n);
  ssi_separated(a, b, n, fmax(e.s, f.s), limit, out);
}
