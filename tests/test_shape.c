// Shapes: hulls against their definition, mass properties against closed forms, sums of parts and
// random sampling, bounds against sampled points.
#include "harness.h"

#include "base/rng.h"
#include "budget.h"
#include "dynamics/scene/shape.h"
#include "la/vec3.h"

static const double pi = 3.14159265358979323846;
static ss_context ctx;

static double between(ssi_rng *g, double low, double high) {
  return low + (high - low) * ssi_rng_uniform(g);
}

static ss_pose random_pose(ssi_rng *g, int dim) {
  ss_pose p = {.x = {between(g, -2, 2), between(g, -2, 2), dim == 3 ? between(g, -2, 2) : 0}};
  if (dim == 2) return ss_pose_planar(p.x[0], p.x[1], between(g, -4, 4));
  double norm = 0;
  for (int k = 0; k < 4; k++) p.q[k] = between(g, -1, 1), norm += p.q[k] * p.q[k];
  for (int k = 0; k < 4; k++) p.q[k] /= sqrt(norm);
  return p;
}

static ss_mass_properties mass_of(const ss_shape *s) {
  ss_mass_properties m;
  assert_int_equal(ss_shape_mass(&ctx, s, &m), SS_OK);
  return m;
}

// Is a point of the shape's frame in the solid? From the definitions in shape.h alone.
static bool contains(const ss_shape *s, const double x[3]) {
  const double *h = ss_shape_half(s), r = ss_shape_radius(s);
  double flat = sqrt(x[0] * x[0] + x[1] * x[1]);
  int axis = s->dim == 2 ? 0 : 2;
  switch (ss_shape_kind_of(s)) {
  case SS_SPHERE:
    return ssi_norm3(x) <= r;
  case SS_BOX:
    return fabs(x[0]) <= h[0] && fabs(x[1]) <= h[1] && (s->dim == 2 || fabs(x[2]) <= h[2]);
  case SS_CAPSULE: {
    double d[3] = {x[0], x[1], x[2]};
    d[axis] -= fmax(-h[0], fmin(h[0], d[axis]));
    return ssi_norm3(d) <= r;
  }
  case SS_CYLINDER:
    return flat <= r && fabs(x[2]) <= h[0];
  case SS_HULL: {
    int planes = s->dim == 2 ? s->hull.edge_count : s->hull.face_count;
    for (int k = 0; k < planes; k++)
      if (ssi_dot3(s->hull.normal + 3 * k, x) > s->hull.offset[k]) return false;
    return true;
  }
  default:
    for (int k = 0; k < ss_shape_part_count(s); k++) {
      ss_part p = ss_shape_part(s, k);
      ss_pose back = ss_pose_inverse(&p.pose);
      double y[3];
      ss_pose_apply(&back, x, y);
      if (contains(p.shape, y)) return true;
    }
    return false;
  }
}

// Moments by throwing points into the bounding box; the error of a mean of n points is about
// 1/sqrt(n).
static void compare_with_sampling(const ss_shape *s, uint64_t seed) {
  enum { POINTS = 200000 };
  ssi_rng g = {seed};
  ss_mass_properties m = mass_of(s);
  ss_pose here = ss_pose_identity();
  double low[3], high[3], sum[3] = {0}, S[9] = {0}, box = 1;
  ss_shape_bounds(s, &here, low, high);
  for (int k = 0; k < s->dim; k++) box *= high[k] - low[k];
  int hits = 0;
  for (int i = 0; i < POINTS; i++) {
    double x[3], d[3];
    for (int k = 0; k < 3; k++) x[k] = low[k] + (high[k] - low[k]) * ssi_rng_uniform(&g);
    if (!contains(s, x)) continue;
    hits++;
    ssi_add3(sum, 1, x, sum);
    ssi_sub3(x, m.centre, d);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) S[3 * a + b] += d[a] * d[b];
  }
  double f = box / POINTS, size = ss_shape_extent(s), tol = 0.01 * box;
  assert_near(hits * f / box, m.volume / box, 0.005);
  for (int k = 0; k < s->dim; k++) assert_near(sum[k] / hits / size, m.centre[k] / size, 0.006);
  double trace = S[0] + S[4] + S[8];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      if (s->dim == 2 && (a < 2 || b < 2)) continue;
      double found = ((a == b ? trace : 0) - S[3 * a + b]) * f;
      assert_true(fabs(found - m.inertia[3 * a + b]) <= tol * size * size);
    }
}

static void closed_forms(void **state) {
  (void)state;
  ss_shape *s;
  assert_int_equal(ss_shape_sphere(&ctx, 3, 2, &s), SS_OK);
  ss_mass_properties m = mass_of(s);
  assert_near(m.volume, 4 * pi * 8 / 3, 1e-14);
  for (int k = 0; k < 3; k++) assert_near(m.principal[k], 0.4 * m.volume * 4, 1e-14);
  assert_true(m.axes[0] == 1 && m.inertia[1] == 0);
  ss_shape_destroy(s);

  assert_int_equal(ss_shape_sphere(&ctx, 2, 2, &s), SS_OK);
  m = mass_of(s);
  assert_near(m.volume, 4 * pi, 1e-14);
  assert_near(m.principal[2], m.volume * 2, 1e-14);
  ss_shape_destroy(s);

  assert_int_equal(ss_shape_box(&ctx, 3, (double[]){1, 2, 3}, &s), SS_OK);
  m = mass_of(s);
  assert_near(m.volume, 48, 1e-14);
  assert_near(m.principal[0], 48 * (4 + 9) / 3.0, 1e-14);
  assert_near(m.principal[2], 48 * (1 + 4) / 3.0, 1e-14);
  ss_shape_destroy(s);

  assert_int_equal(ss_shape_box(&ctx, 2, (double[]){1, 2, 0}, &s), SS_OK);
  m = mass_of(s);
  assert_near(m.volume, 8, 1e-14);
  assert_near(m.principal[2], 8 * 5 / 3.0, 1e-14);
  ss_shape_destroy(s);

  assert_int_equal(ss_shape_cylinder(&ctx, 2, 3, &s), SS_OK);
  m = mass_of(s);
  assert_near(m.volume, pi * 4 * 6, 1e-14);
  assert_near(m.principal[2], m.volume * 2, 1e-14);
  assert_near(m.principal[0], m.volume * (4 / 4.0 + 36 / 12.0), 1e-14);
  ss_shape_destroy(s);

  // a capsule by its slices: width w(x) at x along the axis, x = end sin(t) so that w is smooth
  for (int dim = 2; dim <= 3; dim++) {
    enum { SLICES = 20000 };
    double r = 0.7, h = 0.4, volume = 0, along = 0, across = 0;
    for (int k = 0; k < SLICES; k++) {
      double t = pi * ((k + 0.5) / SLICES - 0.5), x = (h + r) * sin(t);
      double dx = (h + r) * cos(t) * pi / SLICES, d = fmax(0, fabs(x) - h);
      double w = sqrt(r * r - d * d), slice = dim == 2 ? 2 * w : pi * w * w;
      volume += slice * dx;
      along += slice * x * x * dx;                        // int x^2
      across += slice * w * w / (dim == 2 ? 3 : 4) * dx;  // int y^2
    }
    assert_int_equal(ss_shape_capsule(&ctx, dim, r, h, &s), SS_OK);
    m = mass_of(s);
    assert_near(m.volume, volume, 1e-6);
    if (dim == 2) assert_near(m.principal[2], along + across, 1e-6);
    if (dim == 3) assert_near(m.principal[2], 2 * across, 1e-6);
    if (dim == 3) assert_near(m.principal[0], along + across, 1e-6);
    ss_shape_destroy(s);
  }
  // a capsule of no length is a ball
  assert_int_equal(ss_shape_capsule(&ctx, 3, 1.5, 1e-12, &s), SS_OK);
  m = mass_of(s);
  assert_near(m.principal[0], 0.4 * m.volume * 2.25, 1e-10);
  ss_shape_destroy(s);
}

static void sampled_masses(void **state) {
  (void)state;
  ssi_rng g = {5};
  double cloud[3 * 30];
  for (int k = 0; k < 90; k++) cloud[k] = between(&g, -1, 1);
  for (int dim = 2; dim <= 3; dim++) {
    ss_shape *s[4];
    assert_int_equal(ss_shape_capsule(&ctx, dim, 0.6, 0.9, &s[0]), SS_OK);
    assert_int_equal(ss_shape_hull(&ctx, dim, 20, cloud, &s[1]), SS_OK);
    assert_int_equal(ss_shape_box(&ctx, dim, (double[]){0.4, 0.5, 0.6}, &s[2]), SS_OK);
    ss_pose away = ss_pose_planar(2.5, 0.4, 0.7);
    ss_part parts[] = {{s[0], ss_pose_identity()}, {s[2], away}};
    assert_int_equal(ss_shape_compound(&ctx, 2, parts, &s[3]), SS_OK);
    for (int k = 0; k < 4; k++) compare_with_sampling(s[k], (uint64_t)(100 * dim + k));
    for (int k = 0; k < 4; k++) ss_shape_destroy(s[k]);
  }
}

// The inertia of a moved compound is R I R^T about R c + x; its principal moments stay.
static void moved_masses(void **state) {
  (void)state;
  ssi_rng g = {11};
  for (int trial = 0; trial < 50; trial++) {
    double cloud[3 * 12];
    for (int k = 0; k < 36; k++) cloud[k] = between(&g, -1, 1);
    ss_shape *hull, *turned, *centred;
    assert_int_equal(ss_shape_hull(&ctx, 3, 12, cloud, &hull), SS_OK);
    ss_part part = {hull, random_pose(&g, 3)};
    assert_int_equal(ss_shape_compound(&ctx, 1, &part, &turned), SS_OK);
    ss_mass_properties m = mass_of(hull), t = mass_of(turned), c;
    double centre[3], R[9], RI[9] = {0}, sorted[2][3];
    ss_pose_apply(&part.pose, m.centre, centre);
    ss_rotation(part.pose.q, R);
    for (int i = 0; i < 3; i++) {
      assert_near(t.centre[i], centre[i], 1e-13);
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) RI[3 * i + j] += R[3 * i + k] * m.inertia[3 * k + j];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double x = 0;
        for (int k = 0; k < 3; k++) x += RI[3 * i + k] * R[3 * j + k];
        assert_near(t.inertia[3 * i + j], x, 1e-12);
      }
    // the frame of principal axes: nothing left but the moments
    ss_pose frame;
    assert_int_equal(ss_shape_centred(&ctx, turned, &centred, &frame), SS_OK);
    c = mass_of(centred);
    for (int i = 0; i < 3; i++) {
      assert_near(c.centre[i], 0, 1e-13);
      assert_near(c.inertia[4 * i], t.principal[i], 1e-12);
      assert_near(c.inertia[3 * i + (i + 1) % 3], 0, 1e-12);
      sorted[0][i] = m.principal[i], sorted[1][i] = t.principal[i];
    }
    for (int which = 0; which < 2; which++)
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
          if (sorted[which][j] > sorted[which][j + 1]) {
            double x = sorted[which][j];
            sorted[which][j] = sorted[which][j + 1], sorted[which][j + 1] = x;
          }
    for (int i = 0; i < 3; i++) assert_near(sorted[0][i], sorted[1][i], 1e-12);
    // old = frame * new: corners are where they were
    ss_part inner = ss_shape_part(centred, 0);
    ss_pose back = ss_pose_times(&frame, &inner.pose);
    for (int k = 0; k < hull->hull.corner_count; k++) {
      double x[3], y[3];
      ss_pose_apply(&back, inner.shape->hull.corner + 3 * k, x);
      ss_pose_apply(&part.pose, hull->hull.corner + 3 * k, y);
      assert_true(ssi_distance3(x, y) < 1e-12);
    }
    ss_shape_destroy(hull);
    ss_shape_destroy(turned);
    ss_shape_destroy(centred);
  }
}

// Two halves of a box make the box; a prism of 512 sides is nearly a cylinder.
static void sums_of_parts(void **state) {
  (void)state;
  ss_shape *half, *whole, *both, *prism;
  ss_shape_box(&ctx, 3, (double[]){0.5, 1, 1.5}, &half);
  ss_shape_box(&ctx, 3, (double[]){1, 1, 1.5}, &whole);
  ss_part parts[] = {{half, {{-0.5, 0, 0}, {1, 0, 0, 0}}}, {half, {{0.5, 0, 0}, {1, 0, 0, 0}}}};
  assert_int_equal(ss_shape_compound(&ctx, 2, parts, &both), SS_OK);
  ss_mass_properties a = mass_of(whole), b = mass_of(both);
  assert_near(a.volume, b.volume, 1e-14);
  for (int k = 0; k < 9; k++) assert_near(a.inertia[k], b.inertia[k], 1e-14);
  assert_true(b.axes[0] == 1);
  double points[2 * 100 * 3];
  for (int k = 0; k < 200; k++) {
    double t = 2 * pi * (k / 2) / 100;
    ssi_set3(2 * cos(t), 2 * sin(t), k % 2 ? 1 : -1, points + 3 * k);
  }
  assert_int_equal(ss_shape_hull(&ctx, 3, 200, points, &prism), SS_OK);
  assert_int_equal(prism->hull.face_count, 102);
  assert_int_equal(prism->hull.edge_count, 300);
  b = mass_of(prism);
  assert_near(b.volume, 2 * 50 * 4 * sin(2 * pi / 100), 1e-13);
  assert_near(b.principal[2] / b.volume, 2, 2e-3);
  ss_shape_destroy(half);
  ss_shape_destroy(whole);
  ss_shape_destroy(both);
  ss_shape_destroy(prism);
}

static void check_hull(const ss_shape *s, int count, const double *points) {
  const ssi_hull *h = &s->hull;
  assert_int_equal(h->corner_count - h->edge_count + h->face_count, 2);
  for (int f = 0; f < h->face_count; f++) {
    const double *n = h->normal + 3 * f;
    assert_near(ssi_norm3(n), 1, 1e-14);
    for (int p = 0; p < count; p++) assert_true(ssi_dot3(n, points + 3 * p) <= h->offset[f] + 1e-8);
    for (int k = h->face_ptr[f]; k < h->face_ptr[f + 1]; k++) {
      const ssi_edge *e = h->edge + h->face_edge[k];
      assert_near(ssi_dot3(n, h->corner + 3 * h->face_corner[k]), h->offset[f], 1e-8);
      assert_true(e->left == f || e->right == f);
      assert_true(e->from == h->face_corner[k] || e->to == h->face_corner[k]);
    }
  }
  for (int k = 0; k < h->edge_count; k++) {  // left x right is along the edge
    double c[3], e[3];
    ssi_cross3(h->normal + 3 * h->edge[k].left, h->normal + 3 * h->edge[k].right, c);
    ssi_sub3(h->corner + 3 * h->edge[k].to, h->corner + 3 * h->edge[k].from, e);
    assert_true(ssi_dot3(c, e) > 0);
  }
}

static void random_hulls(void **state) {
  (void)state;
  ssi_rng g = {3};
  for (int trial = 0; trial < 120; trial++) {
    enum { MOST = 300 };
    double x[3 * MOST];
    int kind = trial % 4, count = 4 + ssi_rng_below(&g, kind == 3 ? 40 : MOST - 4);
    for (int k = 0; k < count; k++) {
      double *p = x + 3 * k;
      for (int i = 0; i < 3; i++) p[i] = between(&g, -1, 1);
      double norm = ssi_norm3(p);
      if (kind == 1) ssi_scale3(1 / norm, p, p);  // on a sphere
      if (kind == 2)
        for (int i = 0; i < 3; i++) p[i] = round(4 * p[i]) / 4;   // on a lattice
      if (kind == 3) ssi_set3(p[0], p[1], p[2] > 0 ? 1 : -1, p);  // on two planes
    }
    ss_shape *s;
    ss_error e = ss_shape_hull(&ctx, 3, count, x, &s);
    if (e && kind >= 2 && count < 12) continue;  // few points may be flat indeed
    if (e) fail_msg("trial %d: %s", trial, ctx.message);
    check_hull(s, count, x);
    if (kind == 1) assert_int_equal(s->hull.corner_count, count);
    if (kind == 2) assert_true(s->hull.corner_count < count || count < 60);
    ss_shape_destroy(s);
  }
}

// A box with points on its faces, edges and inside: its eight corners and six faces.
static void box_of_points(void **state) {
  (void)state;
  double x[3 * 125];
  for (int k = 0; k < 125; k++)
    ssi_set3(k % 5 - 2, (k / 5 % 5 - 2) * 0.3, (k / 25 - 2) * 7, x + 3 * k);
  ss_shape *s, *box;
  assert_int_equal(ss_shape_hull(&ctx, 3, 125, x, &s), SS_OK);
  assert_int_equal(s->hull.corner_count, 8);
  assert_int_equal(s->hull.face_count, 6);
  check_hull(s, 125, x);
  for (int trial = 0; trial < 30; trial++) {  // turned, in any order
    ssi_rng g = {(uint64_t)trial};
    double y[3 * 125];
    ss_pose turn = random_pose(&g, 3);
    for (int k = 0; k < 125; k++) ss_pose_apply(&turn, x + 3 * k, y + 3 * k);
    for (int k = 124; k > 0; k--) {
      int other = ssi_rng_below(&g, k + 1);
      double z[3];
      ssi_copy3(y + 3 * k, z), ssi_copy3(y + 3 * other, y + 3 * k), ssi_copy3(z, y + 3 * other);
    }
    ss_shape *t;
    assert_int_equal(ss_shape_hull(&ctx, 3, 125, y, &t), SS_OK);
    assert_int_equal(t->hull.corner_count, 8);
    assert_int_equal(t->hull.face_count, 6);
    check_hull(t, 125, y);
    ss_shape_destroy(t);
  }
  ss_shape_box(&ctx, 3, (double[]){2, 0.6, 14}, &box);
  check_hull(box, 125, x);
  ss_mass_properties a = mass_of(s), b = mass_of(box);
  assert_near(a.volume, b.volume, 1e-14);
  for (int k = 0; k < 9; k++) assert_near(a.inertia[k] / 1e4, b.inertia[k] / 1e4, 1e-14);
  assert_true(a.axes[0] == 1);
  ss_shape_destroy(s);
  ss_shape_destroy(box);
}

// Points that are off a box or a prism by anything from rounding to far more than the tolerance, and pairs of points
// as close: a hull that has all points inside, to a few times the tolerance.
static void noisy_hulls(void **state) {
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    enum { MOST = 100 };
    ssi_rng g = {(uint64_t)trial};
    double x[3 * MOST], noise = pow(10, between(&g, -13, -5));
    int kind = trial % 3, count = 20 + ssi_rng_below(&g, MOST - 20);
    for (int k = 0; k < count; k++) {
      double *p = x + 3 * k;
      for (int i = 0; i < 3; i++) p[i] = between(&g, -1, 1);
      if (kind == 0) p[ssi_rng_below(&g, 3)] = ssi_rng_below(&g, 2) ? 1 : -1;
      double angle = 2 * pi * ssi_rng_below(&g, 40) / 40;
      if (kind == 1) ssi_set3(cos(angle), sin(angle), k % 2, p);
      if (kind == 2 && k >= 10) ssi_copy3(x + 3 * ssi_rng_below(&g, 10), p);
      for (int i = 0; i < 3; i++) p[i] += noise * between(&g, -1, 1);
    }
    ss_shape *s;
    if (ss_shape_hull(&ctx, 3, count, x, &s)) fail_msg("trial %d: %s", trial, ctx.message);
    const ssi_hull *h = &s->hull;
    assert_int_equal(h->corner_count - h->edge_count + h->face_count, 2);
    for (int f = 0; f < h->face_count; f++)
      for (int p = 0; p < count; p++)
        if (!(ssi_dot3(h->normal + 3 * f, x + 3 * p) <= h->offset[f] + 3e-8))
          fail_msg("trial %d: point %d is outside of face %d", trial, p, f);
    ss_shape_destroy(s);
  }
}

static void refusals(void **state) {
  (void)state;
  ss_shape *s = (ss_shape *)1;
  double flat[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.3, 0.4, 0};
  double line[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, same[12] = {0};
  double nan[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN};
  assert_int_equal(ss_shape_hull(&ctx, 3, 5, flat, &s), SS_ERR_DATA);
  assert_null(s);
  assert_non_null(strstr(ctx.message, "plane"));
  assert_int_equal(ss_shape_hull(&ctx, 3, 4, line, &s), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "line"));
  assert_int_equal(ss_shape_hull(&ctx, 3, 4, same, &s), SS_ERR_DATA);
  assert_int_equal(ss_shape_hull(&ctx, 3, 4, nan, &s), SS_ERR_DATA);
  assert_int_equal(ss_shape_hull(&ctx, 3, 3, flat, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_shape_hull(&ctx, 2, 4, (double[]){0, 0, 1, 1, 2, 2, 3, 3}, &s), SS_ERR_DATA);
  assert_int_equal(ss_shape_sphere(&ctx, 3, -1, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_shape_sphere(&ctx, 3, NAN, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_shape_sphere(&ctx, 4, 1, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_shape_box(&ctx, 3, (double[]){1, 0, 1}, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_shape_compound(&ctx, 0, NULL, &s), SS_ERR_ARGUMENT);
  assert_null(s);
  assert_int_equal(ss_shape_plane(&ctx, 3, &s), SS_OK);
  ss_mass_properties m;
  assert_int_equal(ss_shape_mass(&ctx, s, &m), SS_ERR_ARGUMENT);
  ss_part parts[] = {{s, ss_pose_identity()}, {NULL, ss_pose_identity()}};
  ss_shape *c;
  assert_int_equal(ss_shape_compound(&ctx, 2, parts, &c), SS_ERR_ARGUMENT);
  ss_shape_destroy(s);
}

static void polygons(void **state) {
  (void)state;
  ssi_rng g = {8};
  double square[] = {0, 0, 1, 0, 2, 0, 2, 1, 2, 2, 1, 2, 0, 2, 0, 1, 1, 1};
  ss_shape *s;
  assert_int_equal(ss_shape_hull(&ctx, 2, 9, square, &s), SS_OK);
  assert_int_equal(s->hull.corner_count, 4);
  ss_mass_properties m = mass_of(s);
  assert_near(m.volume, 4, 1e-14);
  assert_near(m.centre[0], 1, 1e-14);
  assert_near(m.principal[2], 4 * 8 / 12.0, 1e-14);
  ss_shape_destroy(s);
  for (int trial = 0; trial < 50; trial++) {
    double x[2 * 60];
    int count = 3 + ssi_rng_below(&g, 57);
    for (int k = 0; k < 2 * count; k++) x[k] = between(&g, -1, 1);
    assert_int_equal(ss_shape_hull(&ctx, 2, count, x, &s), SS_OK);
    for (int k = 0; k < s->hull.edge_count; k++)
      for (int p = 0; p < count; p++) {
        const double *n = s->hull.normal + 3 * k;
        assert_true(n[0] * x[2 * p] + n[1] * x[2 * p + 1] <= s->hull.offset[k] + 1e-8);
      }
    ss_shape_destroy(s);
  }
}

static void bounds(void **state) {
  (void)state;
  ssi_rng g = {21};
  double cloud[3 * 10];
  for (int trial = 0; trial < 40; trial++)
    for (int dim = 2; dim <= 3; dim++) {
      ss_shape *s[6] = {0};
      for (int k = 0; k < 30; k++) cloud[k] = between(&g, -1, 1);
      double half[3] = {between(&g, 0.1, 1), between(&g, 0.1, 1), between(&g, 0.1, 1)};
      ss_shape_sphere(&ctx, dim, half[0], &s[0]);
      ss_shape_box(&ctx, dim, half, &s[1]);
      ss_shape_capsule(&ctx, dim, half[0], half[1], &s[2]);
      ss_shape_hull(&ctx, dim, 10, cloud, &s[3]);
      if (dim == 3) ss_shape_cylinder(&ctx, half[0], half[1], &s[4]);
      ss_part parts[2] = {{s[1], random_pose(&g, dim)}, {s[2], random_pose(&g, dim)}};
      ss_shape_compound(&ctx, 2, parts, &s[5]);
      for (int k = 0; k < 6; k++) {
        if (!s[k]) continue;
        ss_pose pose = random_pose(&g, dim), back = ss_pose_inverse(&pose);
        double low[3], high[3], inner[3], outer[3], most = 0, extent = ss_shape_extent(s[k]);
        ss_shape_bounds(s[k], &pose, low, high);
        ssi_set3(INFINITY, INFINITY, INFINITY, inner),
            ssi_set3(-INFINITY, -INFINITY, -INFINITY, outer);
        for (int i = 0; i < 4000; i++) {
          double w[3] = {0}, x[3];
          for (int c = 0; c < dim; c++) w[c] = between(&g, low[c] - 0.1, high[c] + 0.1);
          ss_pose_apply(&back, w, x);
          if (!contains(s[k], x)) continue;
          most = fmax(most, ssi_norm3(x));
          for (int c = 0; c < 3; c++)
            inner[c] = fmin(inner[c], w[c]), outer[c] = fmax(outer[c], w[c]);
        }
        for (int c = 0; c < dim; c++) {
          assert_true(inner[c] >= low[c] - 1e-12 && outer[c] <= high[c] + 1e-12);
          assert_true(inner[c] <= low[c] + 0.4 * (high[c] - low[c]));
          assert_true(outer[c] >= high[c] - 0.4 * (high[c] - low[c]));
        }
        assert_true(most <= extent + 1e-12 && most > 0.6 * extent);
        ss_shape_destroy(s[k]);
      }
    }
}

// Every allocation fails once: an error, nothing leaked (run under AddressSanitizer).
static budget memory;

static void no_memory(void **state) {
  (void)state;
  ss_context poor = on_budget(&memory);
  ssi_rng g = {2};
  double cloud[60];
  for (int k = 0; k < 60; k++) cloud[k] = between(&g, -1, 1);
  bool done = false;
  for (int limit = 0; !done; limit++) {
    ss_shape *hull = NULL, *funnel = NULL, *both = NULL, *centred = NULL;
    memory.left = limit;
    ss_error e = ss_shape_hull(&poor, 3, 20, cloud, &hull);
    if (!e) e = ss_shape_funnel(&poor, 2, 1, 1, 0.1, 5, &funnel);
    if (!e) {
      ss_part parts[] = {{hull, ss_pose_identity()}, {funnel, ss_pose_identity()}};
      e = ss_shape_compound(&poor, 2, parts, &both);
    }
    if (!e) e = ss_shape_centred(&poor, both, &centred, NULL);
    done = !e;
    if (e) assert_int_equal(e, SS_ERR_MEMORY);
    if (done) assert_int_equal(ss_shape_part_count(centred), 6);
    ss_shape_destroy(hull);
    ss_shape_destroy(funnel);
    ss_shape_destroy(both);
    ss_shape_destroy(centred);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms), cmocka_unit_test(sampled_masses),
      cmocka_unit_test(moved_masses), cmocka_unit_test(sums_of_parts),
      cmocka_unit_test(random_hulls), cmocka_unit_test(box_of_points),
      cmocka_unit_test(noisy_hulls),  cmocka_unit_test(refusals),
      cmocka_unit_test(polygons),     cmocka_unit_test(bounds),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
