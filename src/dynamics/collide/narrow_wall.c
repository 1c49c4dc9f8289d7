// Planes and drums: the boundless solids. A convex body touches them with its corners, or rims,
// only: the distance from a plane is linear, and R - (distance from the drum's axis) is concave.
#include "dynamics/collide/narrow.h"
#include "la/vec3.h"

typedef void corner_fn(const ssi_solid *a, const ssi_solid *b, const double p[3], int id,
                       double limit, ssi_manifold *out);

// Every corner of a's core but for cylinders.
static void each_corner(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out,
                        corner_fn *visit) {
  const ss_shape *s = a->shape;
  double p[3] = {0}, w[3];
  if (s->kind == SS_SPHERE) {
    visit(a, b, a->x, 0, limit, out);
  } else if (s->kind == SS_CAPSULE) {
    for (int k = 0; k < 2; k++) {
      p[s->dim == 2 ? 0 : 2] = k ? s->half[0] : -s->half[0];
      ssi_rotate3(a->R, p, w);
      ssi_add3(a->x, 1, w, w);
      visit(a, b, w, k, limit, out);
    }
  } else {
    for (int c = 0; c < s->hull.corner_count; c++) {
      ssi_rotate3(a->R, s->hull.corner + 3 * c, w);
      ssi_add3(a->x, 1, w, w);
      visit(a, b, w, c, limit, out);
    }
  }
}

// Place of the rim point at an angle, on the end `cap` (0: z = -half, 1: +half).
static void rim(const ssi_solid *c, int cap, double x, double y, double out[3]) {
  const ss_shape *s = c->shape;
  double local[3] = {s->radius * x, s->radius * y, cap ? s->half[0] : -s->half[0]};
  ssi_rotate3(c->R, local, out);
  ssi_add3(c->x, 1, out, out);
}

static void at_plane(const ssi_solid *a, const ssi_solid *b, const double p[3], int id,
                     double limit, ssi_manifold *out) {
  double n[3], d[3];
  ssi_axis3(b->R, b->shape->dim == 2 ? 1 : 2, n);
  ssi_sub3(p, b->x, d);
  ssi_add_touch(out, a, b, p, n, ssi_dot3(n, d), ssi_feature(SSI_CORNER + id, SSI_FACE), limit);
}

// On each rim the lowest point and those a third of a turn to both sides. Standing upright there is
// no lowest one: then four fixed places of the lower rim, a quarter of a turn apart.
static void cylinder_plane(const ssi_solid *a, const ssi_solid *b, double limit,
                           ssi_manifold *out) {
  double n[3], u[3], p[3];
  ssi_axis3(b->R, 2, n);
  ssi_unrotate3(a->R, n, u);
  double flat = sqrt(u[0] * u[0] + u[1] * u[1]);
  int low = u[2] < 0;
  if (flat < SSI_BLUR) {
    static const double x[] = {1, 0, -1, 0}, y[] = {0, 1, 0, -1};
    for (int cap = 0; cap < 2; cap++)
      for (int k = 0; k < 4; k++) {
        rim(a, cap, x[k], y[k], p);
        at_plane(a, b, p, 8 + 4 * cap + k, limit, out);
      }
    return;
  }
  double x = -u[0] / flat, y = -u[1] / flat, c = -0.5, s = sqrt(0.75);
  for (int k = 0; k < 2; k++) {  // lower end first
    int cap = k ? !low : low;
    rim(a, cap, x, y, p);
    at_plane(a, b, p, cap, limit, out);
    if (flat > 0.5) continue;  // lying: a line, the sides are far up
    rim(a, cap, c * x - s * y, s * x + c * y, p);
    at_plane(a, b, p, 2 + cap, limit, out);
    rim(a, cap, c * x + s * y, -s * x + c * y, p);
    at_plane(a, b, p, 4 + cap, limit, out);
  }
}

void ssi_any_plane(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  double n[3], d[3];
  ssi_axis3(b->R, b->shape->dim == 2 ? 1 : 2, n);
  ssi_sub3(a->x, b->x, d);
  if (ssi_dot3(n, d) - a->shape->bound > limit * (1 + 1e-12)) return;
  if (a->shape->kind == SS_CYLINDER)
    cylinder_plane(a, b, limit, out);
  else
    each_corner(a, b, limit, out, at_plane);
}

// Point p against the round wall.
static void at_wall(const ssi_solid *a, const ssi_solid *b, const double p[3], int id, double limit,
                    ssi_manifold *out) {
  double d[3], u[3], n[3] = {-1, 0, 0};
  ssi_sub3(p, b->x, d);
  ssi_unrotate3(b->R, d, u);
  double rho = sqrt(u[0] * u[0] + u[1] * u[1]);
  if (rho > 0) ssi_set3(-u[0] / rho, -u[1] / rho, 0, n);
  ssi_rotate3(b->R, n, n);
  ssi_add_touch(out, a, b, p, n, b->shape->radius - rho, ssi_feature(SSI_CORNER + id, SSI_FACE),
                limit);
}

// Point p against the ends: faces 1 (z = -half) and 2 (z = +half).
static void at_ends(const ssi_solid *a, const ssi_solid *b, const double p[3], int id, double limit,
                    ssi_manifold *out) {
  for (int side = 0; side < 2; side++) {
    double d[3], n[3];
    ssi_axis3(b->R, 2, n);
    if (side) ssi_scale3(-1, n, n);
    ssi_sub3(p, b->x, d);
    ssi_add_touch(out, a, b, p, n, ssi_dot3(n, d) + b->shape->half[0],
                  ssi_feature(SSI_CORNER + id, SSI_FACE + 1 + side), limit);
  }
}

// The points of a rim that are farthest from the drum's axis. With the rim x(t) = c + r (u cos t +
// v sin t) and flat parts in the drum's frame,  f(t) = |flat x(t)|^2  has at most two maxima: each
// found from the best of 16 places by Newton steps on f'.
static void rim_in_drum(const ssi_solid *a, const ssi_solid *b, int cap, double limit,
                        ssi_manifold *out) {
  enum { PLACES = 16 };
  const double step = 2 * 3.14159265358979323846 / PLACES;
  double w[3][3], p[3], c[3], u[3], v[3], f[PLACES];
  rim(a, cap, 0, 0, p);
  ssi_sub3(p, b->x, c);
  ssi_unrotate3(b->R, c, w[0]);
  ssi_axis3(a->R, 0, u), ssi_axis3(a->R, 1, v);
  ssi_unrotate3(b->R, u, w[1]), ssi_unrotate3(b->R, v, w[2]);
  double r = a->shape->radius, cu = r * (w[0][0] * w[1][0] + w[0][1] * w[1][1]);
  double cv = r * (w[0][0] * w[2][0] + w[0][1] * w[2][1]);
  double uu = r * r * (w[1][0] * w[1][0] + w[1][1] * w[1][1]);
  double vv = r * r * (w[2][0] * w[2][0] + w[2][1] * w[2][1]);
  double uv = r * r * (w[1][0] * w[2][0] + w[1][1] * w[2][1]);
  // f = const + 2 cu cos t + 2 cv sin t + uu cos^2 t + vv sin^2 t + 2 uv sin t cos t
  for (int k = 0; k < PLACES; k++) {
    double x = cos(k * step), y = sin(k * step);
    f[k] = 2 * cu * x + 2 * cv * y + uu * x * x + vv * y * y + 2 * uv * x * y;
  }
  int found = 0;
  for (int k = 0; k < PLACES; k++) {
    double before = f[(k + PLACES - 1) % PLACES], after = f[(k + 1) % PLACES];
    if (f[k] < before || f[k] <= after) continue;
    double t = k * step;
    for (int i = 0; i < 20; i++) {
      double x = cos(t), y = sin(t);
      double g = -cu * y + cv * x + (vv - uu) * x * y + uv * (x * x - y * y);
      double h = -cu * x - cv * y + (vv - uu) * (x * x - y * y) - 4 * uv * x * y;
      if (!(h < 0) || fabs(g / h) > step) break;
      t -= g / h;
      if (fabs(g / h) < 1e-15) break;
    }
    rim(a, cap, cos(t), sin(t), p);
    at_wall(a, b, p, 2 * found++ + cap, limit, out);
  }
  if (!found) {  // coaxial: everywhere alike
    rim(a, cap, 1, 0, p);
    at_wall(a, b, p, cap, limit, out);
  }
}

// A drum's end is a plane: the cylinder standing on it.
static void cylinder_drum(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  for (int cap = 0; cap < 2; cap++) rim_in_drum(a, b, cap, limit, out);
  for (int side = 0; side < 2 && b->shape->half[0] > 0; side++) {
    ssi_solid plane = *b;
    double n[3];
    int first = out->count;
    ssi_axis3(b->R, 2, n);
    ssi_add3(b->x, side ? b->shape->half[0] : -b->shape->half[0], n, plane.x);
    if (side)  // turned about x: y and z change sign
      for (int k = 0; k < 3; k++) plane.R[3 * k + 1] *= -1, plane.R[3 * k + 2] *= -1;
    cylinder_plane(a, &plane, limit, out);
    for (int k = first; k < out->count; k++)
      out->touch[k].feature = out->touch[k].feature + 1 + (uint32_t)side;
  }
}

void ssi_any_drum(const ssi_solid *a, const ssi_solid *b, double limit, ssi_manifold *out) {
  double axis[3], d[3];
  ssi_axis3(b->R, 2, axis);
  ssi_sub3(a->x, b->x, d);
  double z = ssi_dot3(axis, d), rho = sqrt(fmax(0, ssi_dot3(d, d) - z * z));
  double near = b->shape->radius - rho;
  if (b->shape->half[0] > 0) near = fmin(near, b->shape->half[0] - fabs(z));
  if (near - a->shape->bound > limit * (1 + 1e-12)) return;
  if (a->shape->kind == SS_CYLINDER) {
    cylinder_drum(a, b, limit, out);
    return;
  }
  each_corner(a, b, limit, out, at_wall);
  if (b->shape->half[0] > 0) each_corner(a, b, limit, out, at_ends);
}
