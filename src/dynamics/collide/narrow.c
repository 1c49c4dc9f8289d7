// Which finder for which pair, and no more points than wanted.
#include "dynamics/collide/narrow.h"

#include "la/vec3.h"

// Edges of two polyhedra are compared pair by pair while there are few of them.
static bool many_edges(const ss_shape *a, const ss_shape *b) {
  return (int64_t)a->hull.edge_count * b->hull.edge_count > SS_EDGE_PAIRS_MAX;
}

bool ssi_narrow_needs_ccd(const ss_shape *a, const ss_shape *b) {
  if (a->dim == 2) return false;
  if (a->hull.corner_count && b->hull.corner_count) return many_edges(a, b);
  const ss_shape *cylinder = a->kind == SS_CYLINDER ? a : b, *other = cylinder == a ? b : a;
  return cylinder->kind == SS_CYLINDER && other->kind != SS_SPHERE && other->kind != SS_PLANE &&
         other->kind != SS_DRUM;
}

// For kinds in the order of ss_shape_kind, a's not after b's.
static ssi_narrow_pair *finder(const ss_shape *a, const ss_shape *b) {
  if (b->kind == SS_PLANE) return ssi_any_plane;
  if (b->kind == SS_DRUM) return ssi_any_drum;
  if (a->kind == SS_SPHERE && b->kind == SS_SPHERE) return ssi_sphere_sphere;
  if (a->kind == SS_SPHERE && b->kind == SS_BOX) return ssi_sphere_box;
  if (a->dim == 2) return ssi_planar;
  if (a->kind == SS_SPHERE && b->kind == SS_CAPSULE) return ssi_sphere_capsule;
  if (a->kind == SS_SPHERE && b->kind == SS_CYLINDER) return ssi_sphere_cylinder;
  if (a->kind == SS_CAPSULE && b->kind == SS_CAPSULE) return ssi_capsule_capsule;
  if (a->hull.corner_count && b->hull.corner_count && !many_edges(a, b)) return ssi_polyhedra;
  return ssi_convex;
}

// The deepest, then again and again the one farthest from those chosen (equals: the first).
static void thin_out(ssi_manifold *m, int wanted) {
  if (m->count <= wanted) return;
  for (int chosen = 0; chosen < wanted; chosen++) {
    int best = chosen;
    double value = 0;
    for (int k = chosen; k < m->count; k++) {
      double v = INFINITY;
      for (int i = 0; i < chosen; i++)
        v = fmin(v, ssi_distance3(m->touch[i].point, m->touch[k].point));
      if (chosen == 0) v = -m->touch[k].gap;
      if (k == chosen || v > value + 1e-9 * fabs(value)) value = v, best = k;
    }
    ssi_manifold_point t = m->touch[best];
    for (int k = best; k > chosen; k--)
      m->touch[k] = m->touch[k - 1];  // keeps the order of the rest
    m->touch[chosen] = t;
  }
  m->count = wanted;
}

void ssi_narrow(const ssi_solid *a, const ssi_solid *b, double limit, int max_points,
                ssi_manifold *out) {
  out->count = 0;
  out->broken = false;
  bool swap = a->shape->kind > b->shape->kind;
  // about b's place: the same digits wherever in the world the pair is
  ssi_solid p = swap ? *b : *a, q = swap ? *a : *b;
  double origin[3];
  ssi_copy3(q.x, origin);
  ssi_sub3(p.x, origin, p.x);
  ssi_set3(0, 0, 0, q.x);
  finder(p.shape, q.shape)(&p, &q, limit, out);
  thin_out(out, max_points);
  for (int k = 0; k < out->count; k++) {
    ssi_manifold_point *t = out->touch + k;
    ssi_add3(t->point, 1, origin, t->point);
    if (!swap) continue;
    ssi_scale3(-1, t->normal, t->normal);
    t->feature = ssi_feature_swapped(t->feature);
  }
}
