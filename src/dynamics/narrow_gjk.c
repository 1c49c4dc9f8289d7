// The distance of two convex sets by the method of Gilbert, Johnson and Keerthi [GJK88]: v, the point
// of A - B closest to the origin, is approached from simplices with corners in A - B,
//
//     w = s_A(-v) - s_B(v),     v <- closest point of conv(simplex + w) to 0,
//
// with the simplex cut down to the corners that v needs. v is the answer when no corner lies further
// towards the origin: v.v - v.w = 0. Polyhedra end there after finitely many steps; with curved cores the
// steps shrink geometrically.
//
// [GJK88] E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance
//         between complex objects in three-dimensional space, IEEE J. Robotics and Automation 4
//         (1988) 193-203.
#include "dynamics/narrow_gjk.h"

#include <string.h>

#include "dynamics/narrow.h"
#include "dynamics/vec3.h"

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

static void mix(int count, const double (*w)[3], const int *keep, const double *weight,
                double v[3]) {
  ssi_set3(0, 0, 0, v);
  for (int k = 0; k < count; k++) ssi_add3(v, weight[k], w[keep[k]], v);
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

// Every face of the simplex whose plane, line or point has its closest point inside it; the best wins.
// Three or four corners make 7 or 14 faces: few enough to look at them all.
static void try_edge(piece *best, const double (*w)[3], int i, int j) {
  double e[3];
  ssi_sub3(w[j], w[i], e);
  double ee = ssi_dot3(e, e), t = -ssi_dot3(w[i], e);
  if (!(t > 0 && t < ee)) return;
  t /= ee;
  offer(best, 2, (const int[]){i, j}, (const double[]){1 - t, t}, w);
}

static void try_triangle(piece *best, const double (*w)[3], int i, int j, int k) {
  double e[3], f[3], n[3], c[3], weight[3];
  ssi_sub3(w[j], w[i], e);
  ssi_sub3(w[k], w[i], f);
  ssi_cross3(e, f, n);
  double nn = ssi_dot3(n, n);
  if (!(nn > 1e-30 * ssi_dot3(e, e) * ssi_dot3(f, f))) return;  // a line: its edges say all
  const int at[3] = {i, j, k};
  for (int a = 0; a < 3; a++) {  // weight of corner a: area of the origin's shadow with the others
    ssi_cross3(w[at[(a + 1) % 3]], w[at[(a + 2) % 3]], c);
    weight[a] = ssi_dot3(c, n) / nn;
    if (!(weight[a] > 0)) return;
  }
  offer(best, 3, at, weight, w);
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

// v: closest point of the simplex; false: it holds the origin.
static bool closest_in(simplex *s, double v[3]) {
  const double(*w)[3] = (const double(*)[3])s->w;
  piece best = {.square = INFINITY};
  if (s->count == 4 && inside(w)) return false;
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

ssi_closest ssi_gjk(const ssi_solid *a, const ssi_solid *b) {
  enum { STEPS = 200 };
  double size = ssi_core_size(a->shape) + ssi_core_size(b->shape);
  double v[3], last = INFINITY;
  simplex s = {.count = 0};
  ssi_sub3(a->x, b->x, v);
  if (!(ssi_dot3(v, v) > 0)) ssi_set3(1, 0, 0, v);
  ssi_closest out = {.overlap = true};
  for (int step = 0; step < STEPS; step++) {
    int at = s.count;
    double down[3] = {-v[0], -v[1], -v[2]}, w[3];
    ssi_support(a, down, s.pa[at]);
    ssi_support(b, v, s.pb[at]);
    ssi_sub3(s.pa[at], s.pb[at], w);
    double vv = ssi_dot3(v, v);
    if (step > 0 && (known(&s, w) || vv - ssi_dot3(v, w) <= 1e-15 * vv)) break;
    ssi_copy3(w, s.w[at]);
    simplex before = s;
    s.count++;
    if (!closest_in(&s, v)) return out;
    double square = ssi_dot3(v, v);
    if (square <= 1e-20 * size * size) return out;
    if (!(square < last)) {  // rounding: no closer than before
      if (step > 0 && square > last) s = before;
      break;
    }
    last = square;
  }
  double none[3] = {0};
  ssi_copy3(none, out.pa), ssi_copy3(none, out.pb);
  for (int k = 0; k < s.count; k++) {
    ssi_add3(out.pa, s.weight[k], s.pa[k], out.pa);
    ssi_add3(out.pb, s.weight[k], s.pb[k], out.pb);
  }
  ssi_sub3(out.pa, out.pb, v);
  out.distance = ssi_norm3(v);
  out.overlap = !(out.distance > 1e-10 * size);
  if (!out.overlap) ssi_scale3(1 / out.distance, v, out.n);
  return out;
}
