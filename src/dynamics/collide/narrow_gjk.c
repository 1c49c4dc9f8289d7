// The distance of two convex sets by the method of Gilbert, Johnson and Keerthi [GJK88]: v, the
// point of A - B closest to the origin, is approached from simplices with corners in A - B,
//
//     w = s_A(-v) - s_B(v),     v <- closest point of conv(simplex + w) to 0,
//
// with the simplex cut down to the corners that v needs. v is the answer when no corner lies
// further towards the origin: v.v - v.w = 0. Polyhedra end there after finitely many steps; with
// curved cores the steps shrink geometrically.
//
// [GJK88] E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance
//         between complex objects in three-dimensional space, IEEE J. Robotics and Automation 4
//         (1988) 193-203.

#include <string.h>

#include "dynamics/collide/narrow.h"
#include "la/vec3.h"

typedef struct simplex {
  int count;
  double w[4][3], pa[4][3], pb[4][3];
  double weight[4];  // of each corner in v
} simplex;

// Keeps the corners in `keep` (ascending), with these weights.
static void reduce(simplex *s, int count, const int *keep, const double *weight) {
  for (int k = 0; k < count; k++) {
    int i = keep[k];
    if (i != k) {
      memcpy(s->w[k], s->w[i], sizeof s->w[k]);
      memcpy(s->pa[k], s->pa[i], sizeof s->pa[k]);
      memcpy(s->pb[k], s->pb[i], sizeof s->pb[k]);
    }
    s->weight[k] = weight[k];
  }
  s->count = count;
}

// Sum of weights times corners, from the first one: w_0 + sum weight_k (w_k - w_0).
static void mix(int count, const double (*w)[3], const int *keep, const double *weight,
                double v[3]) {
  double e[3];
  ssi_copy3(w[keep[0]], v);
  for (int k = 1; k < count; k++) {
    ssi_sub3(w[keep[k]], w[keep[0]], e);
    ssi_add3(v, weight[k], e, v);
  }
}

typedef struct piece {  // a face of the simplex, the closest point in it and its square distance
  int count, keep[3];
  double weight[3], v[3], square;
} piece;

static void offer(piece *best, int count, const int *keep, const double *weight,
                  const double (*w)[3]) {
  piece p = {.count = count};
  for (int k = 0; k < count; k++) p.keep[k] = keep[k], p.weight[k] = weight[k];
  mix(count, w, keep, weight, p.v);
  p.square = ssi_dot3(p.v, p.v);
  if (p.square < best->square) *best = p;
}

// Every face of the simplex whose plane, line or point has its closest point inside it; the best
// wins. Three or four corners make 7 or 14 faces: few enough to look at them all.
static void try_edge(piece *best, const double (*w)[3], int i, int j) {
  double e[3];
  ssi_sub3(w[j], w[i], e);
  double ee = ssi_dot3(e, e), t = -ssi_dot3(w[i], e);
  if (!(t > 0 && t < ee)) return;
  t /= ee;
  offer(best, 2, (const int[]){i, j}, (const double[]){1 - t, t}, w);
}

// min |w_i + s e + t f| by its normal equations, from corner i: small triangles far from the
// origin, which curved cores end in, lose no digits.
static void try_triangle(piece *best, const double (*w)[3], int i, int j, int k) {
  double e[3], f[3];
  ssi_sub3(w[j], w[i], e);
  ssi_sub3(w[k], w[i], f);
  double ee = ssi_dot3(e, e), ff = ssi_dot3(f, f), ef = ssi_dot3(e, f), det = ee * ff - ef * ef;
  if (!(det > 1e-14 * ee * ff)) return;  // a line: its edges say all
  double we = -ssi_dot3(w[i], e), wf = -ssi_dot3(w[i], f);
  double s = (we * ff - wf * ef) / det, t = (wf * ee - we * ef) / det;
  if (!(s > 0 && t > 0 && s + t < 1)) return;
  offer(best, 3, (const int[]){i, j, k}, (const double[]){1 - s - t, s, t}, w);
}

// Is the origin inside the tetrahedron? On the inner side of each face.
static bool inside(const double (*w)[3]) {
  static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  for (int k = 0; k < 4; k++) {
    double e[3], f[3], g[3], n[3];
    ssi_sub3(w[face[k][1]], w[face[k][0]], e);
    ssi_sub3(w[face[k][2]], w[face[k][0]], f);
    ssi_sub3(w[face[k][3]], w[face[k][0]], g);
    ssi_cross3(e, f, n);
    double apex = ssi_dot3(n, g), origin = -ssi_dot3(n, w[face[k][0]]);
    if (!(apex * origin > 0)) return false;
  }
  return true;
}

// v: closest point of the simplex; false: it holds the origin, which is not looked for where a
// plane is known that keeps it out (flat tetrahedra cannot tell).
static bool closest_in(simplex *s, bool kept_out, double v[3]) {
  const double(*w)[3] = (const double(*)[3])s->w;
  piece best = {.square = INFINITY};
  if (s->count == 4 && !kept_out && inside(w)) return false;
  for (int i = 0; i < s->count; i++) {
    offer(&best, 1, &i, (const double[]){1}, w);
    for (int j = i + 1; j < s->count; j++) {
      try_edge(&best, w, i, j);
      for (int k = j + 1; k < s->count; k++) try_triangle(&best, w, i, j, k);
    }
  }
  ssi_copy3(best.v, v);
  reduce(s, best.count, best.keep, best.weight);
  return true;
}

static bool known(const simplex *s, const double w[3]) {
  for (int k = 0; k < s->count; k++)
    if (s->w[k][0] == w[0] && s->w[k][1] == w[1] && s->w[k][2] == w[2]) return true;
  return false;
}

// The simplex becomes the one point v, with the points of A and B it stands for.
static void collapse(simplex *s, const double v[3]) {
  double pa[3], pb[3];
  const int all[4] = {0, 1, 2, 3};
  mix(s->count, (const double(*)[3])s->pa, all, s->weight, pa);
  mix(s->count, (const double(*)[3])s->pb, all, s->weight, pb);
  s->count = 1;
  s->weight[0] = 1;
  ssi_copy3(v, s->w[0]), ssi_copy3(pa, s->pa[0]), ssi_copy3(pb, s->pb[0]);
}

// Adds the support point w to the simplex and moves v. Flat simplices may lose to rounding what w
// would gain: then v alone takes the place of the simplex. 0: the origin is inside, -1: no closer,
// 1: closer.
static int advance(simplex *s, const simplex *with, bool kept_out, double v[3]) {
  double next[3], vv = ssi_dot3(v, v);
  simplex fresh = *with;
  if (!closest_in(&fresh, kept_out, next)) return 0;
  if (!(ssi_dot3(next, next) < vv)) {
    int at = s->count;
    collapse(s, v);
    ssi_copy3(with->w[at], s->w[1]), ssi_copy3(with->pa[at], s->pa[1]);
    ssi_copy3(with->pb[at], s->pb[1]);
    fresh = *s;
    fresh.count = 2;
    closest_in(&fresh, true, next);
    if (!(ssi_dot3(next, next) < vv)) return -1;
  }
  *s = fresh;
  ssi_copy3(next, v);
  return 1;
}

ssi_closest ssi_gjk(const ssi_solid *a, const ssi_solid *b, double enough, double tol) {
  enum { STEPS = 300 };
  double size = ssi_core_size(a->shape) + ssi_core_size(b->shape), v[3];
  bool kept_out = false;
  simplex s = {.count = 0};
  ssi_closest out = {.overlap = true};
  ssi_sub3(a->x, b->x, v);
  if (!(ssi_dot3(v, v) > 0)) ssi_set3(1, 0, 0, v);
  for (int step = 0; step < STEPS; step++) {
    int at = s.count;
    double down[3] = {-v[0], -v[1], -v[2]};
    simplex with = s;
    ssi_support(a, down, with.pa[at]);
    ssi_support(b, v, with.pb[at]);
    ssi_sub3(with.pa[at], with.pb[at], with.w[at]);
    with.count++;
    double vv = ssi_dot3(v, v), length = sqrt(vv), vw = ssi_dot3(v, with.w[at]);
    if (step > 0 && vw > enough * length) {  // a plane across v keeps them that far apart
      out.overlap = false;
      out.far = true;
      return out;
    }
    kept_out = kept_out || vw > 1e-10 * size * length;
    if (step > 0 && (known(&s, with.w[at]) || vv - vw <= tol * vv + 2e-16 * size * length)) break;
    if (step == 0) {
      s = with;
      s.weight[0] = 1;
      ssi_copy3(s.w[0], v);
      continue;
    }
    int moved = advance(&s, &with, kept_out, v);
    if (moved == 0 || ssi_dot3(v, v) <= 1e-20 * size * size) return out;
    if (moved < 0) break;
  }
  const int all[4] = {0, 1, 2, 3};
  mix(s.count, (const double(*)[3])s.pa, all, s.weight, out.pa);
  mix(s.count, (const double(*)[3])s.pb, all, s.weight, out.pb);
  out.distance = ssi_norm3(v);
  out.overlap = !(out.distance > 1e-10 * size);
  if (!out.overlap) ssi_scale3(1 / out.distance, v, out.n);
  return out;
}
