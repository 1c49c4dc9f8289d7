// Contacts in the plane: disks, capsules, boxes and polygons are convex cores with 1, 2 or more
// corners and a radius. Edges separate (a segment has two, one on each side); the best one's common
// stretch with the other body gives up to two points. What no edge explains is corner to corner.
#include "dynamics/collide/narrow.h"
#include "la/vec3.h"

typedef struct core {
  int count;
  const double *corner;  // in the shape's frame, 3 numbers each
  double ends[6];        // of segments and points
} core;

static void core_of(const ss_shape *s, core *c) {
  *c = (core){.count = s->hull.corner_count, .corner = s->hull.corner};
  if (s->hull.corner_count) return;
  c->count = s->kind == SS_CAPSULE ? 2 : 1;
  c->ends[0] = -s->half[0], c->ends[3] = s->half[0];
  c->corner = c->ends;
}

static void corner_at(const ssi_solid *s, const core *c, int k, double out[3]) {
  const double *p = c->corner + 3 * (k % c->count);
  out[0] = s->x[0] + s->R[0] * p[0] + s->R[1] * p[1];
  out[1] = s->x[1] + s->R[3] * p[0] + s->R[4] * p[1];
  out[2] = 0;
}

typedef struct edge_axis {
  double s, n[3];
  int edge;
  bool of_a;
} edge_axis;

static void best_edge(const ssi_solid *own, const core *c, const ssi_solid *other, const core *o,
                      bool of_a, double bias, edge_axis *best) {
  for (int k = 0; k < c->count && c->count > 1; k++) {
    double p[3], q[3], n[3] = {0}, s = INFINITY;
    corner_at(own, c, k, p), corner_at(own, c, k + 1, q);
    double x = q[0] - p[0], y = q[1] - p[1], length = sqrt(x * x + y * y);
    n[0] = y / length, n[1] = -x / length;
    for (int i = 0; i < o->count; i++) {
      corner_at(other, o, i, q);
      s = fmin(s, n[0] * (q[0] - p[0]) + n[1] * (q[1] - p[1]));
    }
    if (s <= best->s + bias) continue;
    *best = (edge_axis){.s = s, .edge = k, .of_a = of_a};
    ssi_copy3(n, best->n);
  }
}

// The edge of the other core that faces n most, as two corners; one for points.
static int facing(const ssi_solid *s, const core *c, const double n[3], int at[2]) {
  double best = -INFINITY;
  at[0] = at[1] = 0;
  for (int k = 0; k < c->count && c->count > 1; k++) {
    double p[3], q[3];
    corner_at(s, c, k, p), corner_at(s, c, k + 1, q);
    double x = q[0] - p[0], y = q[1] - p[1];
    double along = (y * n[0] - x * n[1]) / sqrt(x * x + y * y);
    if (along > best + 1e-9) best = along, at[0] = k, at[1] = (k + 1) % c->count;
  }
  return c->count > 1 ? 2 : 1;
}

// Clips the facing edge of `other` to the stretch of the separating edge; returns the least core
// gap.
static double clip(const ssi_solid *a, const ssi_solid *b, const core *ca, const core *cb,
                   const edge_axis *f, double blur, double limit, ssi_manifold *out) {
  const ssi_solid *own = f->of_a ? a : b, *other = f->of_a ? b : a;
  const core *c = f->of_a ? ca : cb, *o = f->of_a ? cb : ca;
  double p[3], q[3], e[3], back[3], x[2][3], n[3], least = INFINITY;
  corner_at(own, c, f->edge, p), corner_at(own, c, f->edge + 1, q);
  ssi_sub3(q, p, e);
  double length = ssi_norm3(e);
  ssi_scale3(-1, f->n, back);
  ssi_scale3(f->of_a ? -1 : 1, f->n, n);
  int at[2], count = facing(other, o, back, at);
  double t[2], d[3];
  for (int k = 0; k < count; k++) {
    corner_at(other, o, at[k], x[k]);
    ssi_sub3(x[k], p, d);
    t[k] = ssi_dot3(d, e) / length;  // from 0 to length along the edge
  }
  int next = (f->edge + 1) % c->count;
  for (int k = 0; k < count; k++) {
    double y[3], under[3];
    int low = SSI_CORNER + at[k], ref = SSI_EDGE + f->edge;
    ssi_copy3(x[k], y);
    bool before = t[k]<-blur, after = t[k]> length + blur;
    if (before || after) {  // cut at the end of the edge, if the other end is across it
      double cut = before ? 0 : length;
      if (count == 1 || (before ? t[!k] <= 0 : t[!k] >= length)) continue;
      ssi_sub3(x[!k], x[k], d);
      ssi_add3(x[k], (cut - t[k]) / (t[!k] - t[k]), d, y);
      low = SSI_EDGE + at[0];
      ref = SSI_CORNER + (before ? f->edge : next);
    }
    ssi_sub3(y, p, d);
    double gap = ssi_dot3(d, f->n);
    least = fmin(least, gap);
    ssi_add3(y, -gap, f->n, under);
    ssi_add_touch(out, a, b, f->of_a ? under : y, n, gap,
                  f->of_a ? ssi_feature(ref, low) : ssi_feature(low, ref), limit);
  }
  return least;
}

typedef struct nearest {
  double square, pa[3], pb[3];
} nearest;

// Corners of `s` against edges of `o`; swapped: s is b.
static void corners_to_edges(const ssi_solid *s, const core *c, const ssi_solid *o, const core *d,
                             bool swapped, nearest *best) {
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < d->count; k++) {
      double x[3], p[3], q[3], e[3], w[3];
      corner_at(s, c, i, x), corner_at(o, d, k, p), corner_at(o, d, k + 1, q);
      ssi_sub3(q, p, e), ssi_sub3(x, p, w);
      double ee = ssi_dot3(e, e), t = ee > 0 ? ssi_dot3(w, e) / ee : 0;
      ssi_add3(p, fmin(fmax(t, 0), 1), e, q);
      ssi_sub3(x, q, w);
      double square = ssi_dot3(w, w);
      if (square >= best->square) continue;
      best->square = square;
      ssi_copy3(swapped ? q : x, best->pa);
      ssi_copy3(swapped ? x : q, best->pb);
    }
}

void ssi_planar(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  core ca, cb;
  core_of(a->shape, &ca), core_of(b->shape, &cb);
  double sa = ssi_core_size(a->shape), sb = ssi_core_size(b->shape);
  double size = sa > 0 && sb > 0 ? fmin(sa, sb) : fmax(sa, sb), blur = SSI_BLUR * size;
  double radii = ssi_core_radius(a->shape) + ssi_core_radius(b->shape);
  edge_axis f = {.s = -INFINITY};
  best_edge(a, &ca, b, &cb, true, 1e-9 * size, &f);
  best_edge(b, &cb, a, &ca, false, 0.5 * blur, &f);  // between equals always a's: the keys stay
  if (!(f.s - radii < limit)) return;
  double least = clip(a, b, &ca, &cb, &f, blur, limit, out);
  if (least <= f.s + blur) return;
  out->count = 0;
  nearest best = {.square = INFINITY};
  corners_to_edges(a, &ca, b, &cb, false, &best);
  corners_to_edges(b, &cb, a, &ca, true, &best);
  double n[3], d = sqrt(best.square);
  ssi_scale3(f.of_a ? -1 : 1, f.n, n);
  if (f.s > 0 && d > 1e-10 * size) {
    ssi_sub3(best.pa, best.pb, n);
    ssi_scale3(1 / d, n, n);
  } else {
    d = f.s;
  }
  ssi_add_touch(out, a, b, best.pa, n, d, ssi_feature(SSI_CLOSEST, SSI_CLOSEST), limit);
}
