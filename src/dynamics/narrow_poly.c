// Boxes and hulls: separating axes, then clipping.
//
// Along the outward normal of a face of A, B begins at height  s = min_B n.x - offset;  for a pair
// of edges, s is measured along their common perpendicular. The largest s is minus the penetration
// depth where bodies overlap. Where they do not it is a lower bound of the distance, reached whenever
// the closest points lie in a face or inside two edges; what is left (a corner to a corner or an
// edge) is asked of GJK.
//
// Only pairs of edges whose arcs cross on the Gauss map can make a face of A - B [G13].
//
// [G13] D. Gregorius, The separating axis test between convex polyhedra, Game Developers Conference 2013.
#include "dynamics/narrow.h"
#include "dynamics/narrow_clip.h"
#include "dynamics/narrow_gjk.h"
#include "dynamics/vec3.h"

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

typedef struct edge_axis {
  double s, n[3];       // from b to a
  double pa[3], pb[3];  // closest points of the two lines
  bool inside;          // these lie on the edges
} edge_axis;

// The lines x + t e and y + u f, perpendicular n: parameters of their closest points.
static void line_points(const double x[3], const double e[3], const double y[3], const double f[3],
                        double *t, double *u) {
  double d[3];
  ssi_sub3(y, x, d);
  double ee = ssi_dot3(e, e), ff = ssi_dot3(f, f), ef = ssi_dot3(e, f);
  double de = ssi_dot3(d, e), df = ssi_dot3(d, f), det = ee * ff - ef * ef;
  *t = (de * ff - df * ef) / det;
  *u = (de * ef - df * ee) / det;
}

// In the frame of A: corner y and direction f of an edge of B, and its faces' normals turned round.
typedef struct b_edge {
  double y[3], f[3], c[3], d[3];
} b_edge;

static void look_at_pair(const ssi_hull *ha, const ssi_edge *g, const double middle[3],
                         const b_edge *o, edge_axis *best) {
  const double *x = ha->corner + 3 * g->from;
  const double *a = ha->normal + 3 * g->left, *b = ha->normal + 3 * g->right;
  double e[3], n[3], d[3];
  ssi_sub3(ha->corner + 3 * g->to, x, e);
  double ce = ssi_dot3(o->c, e), de = ssi_dot3(o->d, e);
  if (!(ce * de < 0)) return;
  double af = ssi_dot3(a, o->f), bf = ssi_dot3(b, o->f);
  if (!(af * bf < 0) || !(ce * bf > 0)) return;
  ssi_cross3(e, o->f, n);
  double length = ssi_norm3(n);
  if (!(length > 1e-6 * ssi_norm3(e) * ssi_norm3(o->f))) return;  // parallel: faces say it all
  ssi_sub3(x, middle, d);
  ssi_scale3((ssi_dot3(n, d) < 0 ? -1 : 1) / length, n, n);  // outward from A
  ssi_sub3(o->y, x, d);
  double s = ssi_dot3(n, d);
  if (s <= best->s) return;
  double t, u;
  line_points(x, e, o->y, o->f, &t, &u);
  best->s = s;
  best->inside = t >= 0 && t <= 1 && u >= 0 && u <= 1;
  ssi_copy3(n, best->n);
  ssi_add3(x, t, e, best->pa);
  ssi_add3(o->y, u, o->f, best->pb);
}

static edge_axis best_edges(const ssi_solid *a, const ssi_solid *b) {
  const ssi_hull *ha = &a->shape->hull, *hb = &b->shape->hull;
  edge_axis best = {.s = -INFINITY};
  double middle[3] = {0}, shift[3], w[3];
  for (int c = 0; c < ha->corner_count; c++)
    ssi_add3(middle, 1.0 / ha->corner_count, ha->corner + 3 * c, middle);
  ssi_sub3(b->x, a->x, shift);
  for (int k = 0; k < hb->edge_count; k++) {
    const ssi_edge *g = hb->edge + k;
    b_edge o;
    double e[3];
    ssi_rotate3(b->R, hb->corner + 3 * g->from, w);
    ssi_add3(w, 1, shift, w);
    ssi_unrotate3(a->R, w, o.y);
    ssi_sub3(hb->corner + 3 * g->to, hb->corner + 3 * g->from, e);
    ssi_rotate3(b->R, e, w), ssi_unrotate3(a->R, w, o.f);
    ssi_rotate3(b->R, hb->normal + 3 * g->left, w), ssi_unrotate3(a->R, w, o.c);
    ssi_rotate3(b->R, hb->normal + 3 * g->right, w), ssi_unrotate3(a->R, w, o.d);
    ssi_scale3(-1, o.c, o.c), ssi_scale3(-1, o.d, o.d);
    for (int i = 0; i < ha->edge_count; i++) look_at_pair(ha, ha->edge + i, middle, &o, &best);
  }
  if (best.s == -INFINITY) return best;
  ssi_rotate3(a->R, best.n, best.n), ssi_scale3(-1, best.n, best.n);
  ssi_rotate3(a->R, best.pa, best.pa), ssi_add3(best.pa, 1, a->x, best.pa);
  ssi_rotate3(a->R, best.pb, best.pb), ssi_add3(best.pb, 1, a->x, best.pb);
  return best;
}

// The two bodies touch in one point along n, at the lowest point of a.
static void one_point(const ssi_solid *a, const ssi_solid *b, const double n[3], double s,
                      double limit, ssi_manifold *out) {
  double down[3], p[3];
  ssi_scale3(-1, n, down);
  ssi_support(a, down, p);
  ssi_add_touch(out, a, b, p, n, s, closest, limit);
}

void ssi_polyhedra(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  double size = fmin(ssi_core_size(a->shape), ssi_core_size(b->shape)), blur = SSI_BLUR * size;
  face_axis f = {.s = -INFINITY};
  best_face(a, b, true, 1e-9 * size, &f);
  if (!(f.s < limit)) return;
  best_face(b, a, false, 1e-9 * size, &f);
  if (!(f.s < limit)) return;
  const ssi_solid *own = f.of_a ? a : b, *other = f.of_a ? b : a;
  double down[3], n[3];
  ssi_scale3(-1, f.n, down);
  ssi_scale3(f.of_a ? -1 : 1, f.n, n);

  edge_axis e = {.s = -INFINITY};
  if (f.s < 0) e = best_edges(a, b);
  if (e.s <= f.s + blur) {
    ssi_polygon ref, low;
    ssi_face_polygon(own, f.face, f.n, &ref);
    ssi_lowest_polygon(other, down, &low);
    double least = ssi_clip(a, b, f.of_a, &ref, &low, blur, limit, out);
    if (least <= f.s + blur) return;
    out->count = 0;
    if (f.s < 0) {
      one_point(a, b, n, f.s, limit, out);
      return;
    }
    e = best_edges(a, b);
  }
  if (!(fmax(e.s, f.s) < limit)) return;
  if (e.s >= f.s && (e.s <= 0 || e.inside)) {
    ssi_add_touch(out, a, b, e.pa, e.n, e.s, closest, limit);
    return;
  }
  ssi_separated(a, b, n, f.s, limit, out);
}
