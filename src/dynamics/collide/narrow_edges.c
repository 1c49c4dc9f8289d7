// Pairs of edges as separating axes. Only pairs whose arcs cross on the Gauss map can make a face
// of A - B [G13]; of two boxes all edges of a direction are alike, which leaves nine axes.
//
// [G13] D. Gregorius, The separating axis test between convex polyhedra, Game Developers Conference
// 2013.
#include "dynamics/collide/narrow.h"

#include "la/vec3.h"

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
                         const b_edge *o, ssi_edge_axis *best) {
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

static ssi_edge_axis hull_edges(const ssi_solid *a, const ssi_solid *b) {
  const ssi_hull *ha = &a->shape->hull, *hb = &b->shape->hull;
  ssi_edge_axis best = {.s = -INFINITY};
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

// The edge of a box along its axis i that is farthest along n: its first corner and its whole
// length.
static void box_edge(const ssi_solid *s, int i, const double n[3], double x[3], double e[3]) {
  ssi_copy3(s->x, x);
  for (int k = 0; k < 3; k++) {
    double axis[3];
    ssi_axis3(s->R, k, axis);
    double side = k == i || ssi_dot3(axis, n) < 0 ? -1 : 1;
    ssi_add3(x, side * s->shape->half[k], axis, x);
    if (k == i) ssi_scale3(2 * s->shape->half[k], axis, e);
  }
}

static double reach(const ssi_solid *s, const double n[3]) {
  const double *R = s->R, *h = s->shape->half;
  return fabs(R[0] * n[0] + R[3] * n[1] + R[6] * n[2]) * h[0] +
         fabs(R[1] * n[0] + R[4] * n[1] + R[7] * n[2]) * h[1] +
         fabs(R[2] * n[0] + R[5] * n[1] + R[8] * n[2]) * h[2];
}

static ssi_edge_axis box_edges(const ssi_solid *a, const ssi_solid *b) {
  ssi_edge_axis best = {.s = -INFINITY};
  double d[3], u[3], v[3], n[3];
  int at[2] = {0, 0};
  ssi_sub3(a->x, b->x, d);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      ssi_axis3(a->R, i, u);
      ssi_axis3(b->R, j, v);
      ssi_cross3(u, v, n);
      double length = ssi_norm3(n);
      if (!(length > 1e-6)) continue;                            // parallel: faces say it all
      ssi_scale3((ssi_dot3(n, d) < 0 ? -1 : 1) / length, n, n);  // from b to a
      double s = ssi_dot3(n, d) - reach(a, n) - reach(b, n);
      if (s <= best.s) continue;
      best.s = s;
      ssi_copy3(n, best.n);
      at[0] = i, at[1] = j;
    }
  if (best.s == -INFINITY) return best;
  double x[3], e[3], y[3], f[3], t, w, down[3];
  ssi_scale3(-1, best.n, down);
  box_edge(a, at[0], down, x, e);
  box_edge(b, at[1], best.n, y, f);
  line_points(x, e, y, f, &t, &w);
  best.inside = t >= 0 && t <= 1 && w >= 0 && w <= 1;
  ssi_add3(x, t, e, best.pa);
  ssi_add3(y, w, f, best.pb);
  return best;
}

ssi_edge_axis ssi_best_edges(const ssi_solid *a, const ssi_solid *b) {
  return a->shape->kind == SS_BOX && b->shape->kind == SS_BOX ? box_edges(a, b) : hull_edges(a, b);
}
