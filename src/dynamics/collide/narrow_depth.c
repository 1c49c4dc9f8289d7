// The penetration depth of two convex cores: the least of
//
//     h(n) = max_B n.x - min_A n.x      over unit n,                                  (1)
//
// how far A has to go along n to leave B. libccd's EPA (expanding polytope) finds the neighbourhood
// of the least one, to a coarse tolerance; with a point or a segment against a polyhedron the
// candidates are few and all are tried.
//
// From a direction n the following step is exact where the touching faces are flat, and converges
// geometrically where they are curved. Put A outside, at t = (h(n) + delta) n, and take the
// direction n1 from B to A + t by GJK. The plane of n keeps them delta apart, so their distance d
// is >= delta, and n1.t = h(n1) + d <= |t|, hence
//
//     h(n1) <= h(n) + delta - d <= h(n):  never worse.                                (2)
//
// With R the radius of curvature of B - A at the touching point the error of n shrinks by (h +
// delta)/(R + delta) per step; R >= h at a minimum. delta is of the size of h, but not so small
// that GJK loses the direction.

#ifdef SS_WITH_CCD
#include <ccd/ccd.h>
#endif

#include "dynamics/collide/narrow.h"
#include "la/vec3.h"

bool ssi_has_ccd(void) {
#ifdef SS_WITH_CCD
  return true;
#else
  return false;
#endif
}

static double height(const ssi_solid *a, const ssi_solid *b, const double n[3]) {  // (1)
  double down[3];
  ssi_scale3(-1, n, down);
  return ssi_support_width(b, n) + ssi_support_width(a, down);
}

static void offer(const ssi_solid *a, const ssi_solid *b, const double n[3], ssi_depth *best) {
  double length = ssi_norm3(n), unit[3];
  if (!(length > 0)) return;
  ssi_scale3(1 / length, n, unit);
  double h = height(a, b, unit);
  if (h >= best->depth) return;
  best->depth = h;
  ssi_copy3(unit, best->n);
}

// Normals of the faces of a hull, and perpendiculars of its edges to a segment e (NULL: a point).
static void offer_hull(const ssi_solid *a, const ssi_solid *b, const ssi_solid *hull,
                       const double *e, ssi_depth *best) {
  const ssi_hull *h = &hull->shape->hull;
  double n[3], g[3];
  for (int f = 0; f < h->face_count; f++) {
    ssi_rotate3(hull->R, h->normal + 3 * f, n);
    if (hull == a) ssi_scale3(-1, n, n);
    offer(a, b, n, best);
  }
  for (int k = 0; k < h->edge_count && e && h->edge_count <= 512; k++) {
    ssi_sub3(h->corner + 3 * h->edge[k].to, h->corner + 3 * h->edge[k].from, g);
    ssi_rotate3(hull->R, g, g);
    ssi_cross3(g, e, n);
    if (!(ssi_norm3(n) > 1e-9 * ssi_norm3(g))) continue;
    offer(a, b, n, best);
    ssi_scale3(-1, n, n);
    offer(a, b, n, best);
  }
}

#ifdef SS_WITH_CCD
// A core as libccd sees it: about b's centre, in units of the pair's size (its tolerances are
// absolute), with a thin skin, so that cores that only touch overlap. It has no limit on its steps:
// after `calls` answers the support is 0, which ends every one of its loops.
typedef struct ccd_core {
  const ssi_solid *solid;
  double origin[3], scale, skin;
  int calls;
} ccd_core;

static void ccd_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out) {
  ccd_core *c = (ccd_core *)object;  // libccd passes our own pointer through as const
  double d[3] = {dir->v[0], dir->v[1], dir->v[2]}, p[3] = {0}, length = ssi_norm3(d);
  if (--c->calls >= 0 && length > 0) {
    ssi_support(c->solid, d, p);
    ssi_sub3(p, c->origin, p);
    ssi_scale3(c->scale, p, p);
    ssi_add3(p, c->skin / length, d, p);
  }
  ccdVec3Set(out, p[0], p[1], p[2]);
}

static bool offer_ccd(const ssi_solid *a, const ssi_solid *b, double size, ssi_depth *best) {
  ccd_core ca = {.solid = a, .scale = 1 / size, .skin = 1e-6, .calls = 1000}, cb = ca;
  cb.solid = b;
  ssi_copy3(b->x, ca.origin), ssi_copy3(b->x, cb.origin);
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = ccd_support;
  ccd.max_iterations = 200;
  ccd.epa_tolerance = 1e-5;
  ccd_real_t depth;
  ccd_vec3_t dir = {{0, 0, 0}}, where;
  if (ccdGJKPenetration(&ca, &cb, &ccd, &depth, &dir, &where)) return false;
  double n[3] = {-dir.v[0], -dir.v[1], -dir.v[2]};  // it moves its second object, along dir
  if (!(isfinite(n[0]) && isfinite(n[1]) && isfinite(n[2]))) return false;
  double before = best->depth;
  offer(a, b, n, best);
  return best->depth < before || ssi_dot3(n, n) > 0;
}
#else
static bool offer_ccd(const ssi_solid *a, const ssi_solid *b, double size, ssi_depth *best) {
  (void)a, (void)b, (void)size, (void)best;
  return false;
}
#endif

static void polish(const ssi_solid *a, const ssi_solid *b, double size, ssi_depth *best) {
  double turned = 1e-2;  // by the last step; the next one turns less: GJK need not be better
  for (int step = 0; step < 60; step++) {
    double delta = fmin(fmax(best->depth, 1e-2 * size), size), shift = best->depth + delta;
    ssi_solid moved = *a;
    ssi_add3(a->x, shift, best->n, moved.x);
    ssi_closest c = ssi_gjk(&moved, b, INFINITY, fmax(1e-15, 1e-4 * turned * turned));
    if (c.overlap) break;
    double h = height(a, b, c.n), turn[3];
    // The point where they touch is right once n is: A must not be shifted sideways.
    ssi_add3(c.pb, -best->depth, best->n, best->pa);
    if (!(h <= best->depth * (1 + 1e-12) + 1e-14 * size)) {  // against (2): GJK was too coarse
      if (turned < 1e-7) break;
      turned *= 1e-2;
      continue;
    }
    ssi_sub3(c.n, best->n, turn);
    best->depth = h;
    ssi_copy3(c.n, best->n);
    turned = ssi_norm3(turn);
    if (turned < 1e-7) break;  // h is flat here: right to 1e-14
  }
}

ssi_depth ssi_penetration(const ssi_solid *a, const ssi_solid *b) {
  ssi_depth best = {.depth = INFINITY};
  double size = ssi_core_size(a->shape) + ssi_core_size(b->shape), line[3], down[3];
  ssi_sub3(a->x, b->x, line);
  offer(a, b, line, &best);
  if (best.depth == INFINITY) offer(a, b, (const double[]){0, 0, 1}, &best);
  bool thin_a = a->shape->kind == SS_SPHERE || a->shape->kind == SS_CAPSULE;
  bool thin_b = b->shape->kind == SS_SPHERE || b->shape->kind == SS_CAPSULE;
  const ssi_solid *thin = thin_a ? a : b, *other = thin_a ? b : a;
  if ((thin_a || thin_b) && other->shape->hull.corner_count) {
    double e[3];
    ssi_axis3(thin->R, 2, e);
    offer_hull(a, b, other, thin->shape->kind == SS_CAPSULE ? e : NULL, &best);
  } else {
    best.broken = !offer_ccd(a, b, size, &best);
  }
  ssi_scale3(-1, best.n, down);
  ssi_support(a, down, best.pa);
  polish(a, b, size, &best);
  return best;
}
