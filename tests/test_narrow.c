// Contact points of pairs: against an independent oracle of the gap, against closed forms, under
// exchange of the two and under rigid motion, and where they are degenerate.
#include "harness.h"

#include "dynamics/collide/narrow.h"
#include "solids.h"

static const double pi = 3.14159265358979323846;

static ssi_manifold touch(const ss_shape *a, const ss_pose *pa, const ss_shape *b,
                          const ss_pose *pb, double limit) {
  ssi_solid x, y;
  ssi_manifold m;
  ssi_solid_place(a, pa, &x);
  ssi_solid_place(b, pb, &y);
  ssi_narrow(&x, &y, limit, 16, &m);
  return m;
}

static double least_gap(const ssi_manifold *m) {
  double least = INFINITY;
  for (int k = 0; k < m->count; k++) least = fmin(least, m->touch[k].gap);
  return least;
}

static const char *name(const ss_shape *s) {
  return ss_shape_kind_name(s->kind);
}

// Unit normals, both surface points on their surfaces, keys unique, gaps below the limit.
static void check_points(const ssi_manifold *m, const oracle_pair *o, double limit, double tol) {
  double least = least_gap(m);
  assert_false(m->broken);
  for (int k = 0; k < m->count; k++) {
    const ssi_manifold_point *t = m->touch + k;
    double on_a[3], on_b[3];
    assert_near(ssi_norm3(t->normal), 1, 1e-14);
    assert_true(t->gap < limit);
    if (o->a->dim == 2) assert_true(t->point[2] == 0 && t->normal[2] == 0);
    ssi_add3(t->point, t->gap / 2, t->normal, on_a);
    ssi_add3(t->point, -t->gap / 2, t->normal, on_b);
    double da = outside(o->a, &o->pa, on_a), db = outside(o->b, &o->pb, on_b);
    // at the least gap both are on their surfaces; the end of a tilted capsule that is higher up is
    // inside its own side, and corners of one body are inside the other where they overlap
    double slack = tol + fmax(0, -t->gap);
    bool inner = t->gap > least + tol;
    if (da > slack || db > slack || (!inner && (da < -slack || db < -slack)))
      fail_msg("%s-%s: contact %d (gap %g) is %g off a, %g off b", name(o->a), name(o->b), k,
               t->gap, da, db);
    for (int i = 0; i < k; i++) assert_int_not_equal(m->touch[i].feature, t->feature);
  }
}

// Puts b at a random place and turn, then moves a along a random line until the gap is about `gap`.
static void place_pair(oracle_pair *o, ssi_rng *g, double gap) {
  int dim = o->a->dim;
  double far = 6, near = 0, u[3];
  o->pb = random_pose(g, dim, 1);
  o->pa = random_pose(g, dim, 1);
  ssi_sub3(o->pa.x, o->pb.x, u);
  ssi_scale3(1 / ssi_norm3(u), u, u);
  for (int step = 0; step < 25; step++) {
    double middle = (near + far) / 2;
    ssi_add3(o->pb.x, middle, u, o->pa.x);
    double n[3];
    ssi_copy3(u, n);
    // a lower bound of the gap is enough to steer by
    if (climb(o, n, g) > gap)
      far = middle;
    else
      near = middle;
  }
}

static void compare(int dim, ss_shape_kind ka, ss_shape_kind kb, int trials, uint64_t seed) {
  ssi_rng g = {seed};
  for (int trial = 0; trial < trials; trial++) {
    static const double gaps[] = {-0.1, -0.01, -1e-4, 0, 1e-4, 0.01, 0.1, 0.3, -0.5, -0.8};
    oracle_pair o = {.a = random_shape(&g, dim, ka), .b = random_shape(&g, dim, kb)};
    place_pair(&o, &g, gaps[trial % 10]);
    double limit = 0.4, expected = oracle_gap(&o, &g);
    ssi_manifold m = touch(o.a, &o.pa, o.b, &o.pb, limit);
    double found = least_gap(&m);
    // The normal proves the gap from below; the search must not find a better one. (From above: the
    // surface points that check_points looks at.)
    double proved = -INFINITY;
    for (int k = 0; k < m.count; k++)
      if (m.touch[k].gap == found) proved = separation(&o, m.touch[k].normal);
    if (!(fabs(proved - found) < 3e-6) || !(expected < found + 3e-6))
      fail_msg("%dD %s-%s trial %d: gap %.9g, along its normal %.9g, oracle %.9g", dim, name(o.a),
               name(o.b), trial, found, proved, expected);
    check_points(&m, &o, limit, 1e-5);

    // exchanged: the same contacts with the normals turned round
    ssi_manifold back = touch(o.b, &o.pb, o.a, &o.pa, limit);
    assert_near(least_gap(&back), found, 2e-6);
    if (ka != kb) {
      assert_int_equal(back.count, m.count);
      for (int k = 0; k < m.count; k++) {
        assert_int_equal(back.touch[k].feature, ssi_feature_swapped(m.touch[k].feature));
        assert_near(ssi_dot3(back.touch[k].normal, m.touch[k].normal), -1, 1e-12);
      }
    }

    // moved together: the same contacts, moved
    ss_pose by = random_pose(&g, dim, 3), qa = ss_pose_times(&by, &o.pa),
            qb = ss_pose_times(&by, &o.pb);
    ssi_manifold moved = touch(o.a, &qa, o.b, &qb, limit);
    assert_near(least_gap(&moved), found, 2e-6);
    for (int k = 0; k < m.count && moved.count == m.count; k++) {
      double p[3];
      if (moved.touch[k].feature != m.touch[k].feature) continue;
      ss_pose_apply(&by, m.touch[k].point, p);
      // curved cores: the gap is flat where it is least, so its place is known to the root of its
      // error
      bool curved = ssi_narrow_needs_ccd(o.a, o.b);
      if (curved && found < -0.2) continue;  // as deep as the radius of curvature: no place is best
      if (ssi_distance3(p, moved.touch[k].point) > (curved ? 2e-4 : 1e-5))
        fail_msg("%s-%s trial %d: contact %d moves by %g", name(o.a), name(o.b), trial, k,
                 ssi_distance3(p, moved.touch[k].point));
    }
    ss_shape_destroy((ss_shape *)o.a);
    ss_shape_destroy((ss_shape *)o.b);
  }
}

static void pairs_3d(void **state) {
  (void)state;
  for (int ka = SS_SPHERE; ka <= SS_HULL; ka++)
    for (int kb = ka; kb <= SS_HULL; kb++) {
      ss_shape *a = NULL, *b = NULL;
      ssi_rng g = {1};
      a = random_shape(&g, 3, (ss_shape_kind)ka), b = random_shape(&g, 3, (ss_shape_kind)kb);
      bool skip = !ssi_has_ccd() && ssi_narrow_needs_ccd(a, b);
      ss_shape_destroy(a);
      ss_shape_destroy(b);
      if (skip)
        print_message("%s-%s skipped: no libccd\n", ss_shape_kind_name((ss_shape_kind)ka),
                      ss_shape_kind_name((ss_shape_kind)kb));
      else
        compare(3, (ss_shape_kind)ka, (ss_shape_kind)kb, 60, (uint64_t)(1000 + 10 * ka + kb));
    }
}

static void pairs_2d(void **state) {
  (void)state;
  static const ss_shape_kind kinds[] = {SS_SPHERE, SS_BOX, SS_CAPSULE, SS_HULL};
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++) compare(2, kinds[i], kinds[j], 120, (uint64_t)(2000 + 10 * i + j));
}

static ss_pose at(double x, double y, double z) {
  return (ss_pose){{x, y, z}, {1, 0, 0, 0}};
}

static ss_pose turned(ss_pose p, double angle, double x, double y, double z) {
  double s = sin(angle / 2) / sqrt(x * x + y * y + z * z);
  p.q[0] = cos(angle / 2), p.q[1] = s * x, p.q[2] = s * y, p.q[3] = s * z;
  return p;
}

static void spheres(void **state) {
  (void)state;
  ss_shape *a, *b, *plane;
  ss_shape_sphere(NULL, 3, 1, &a);
  ss_shape_sphere(NULL, 3, 0.5, &b);
  ss_shape_plane(NULL, 3, &plane);
  ss_pose p = at(2, 0, 0), q = at(0, 0, 0);
  ssi_manifold m = touch(a, &p, b, &q, 1);
  assert_int_equal(m.count, 1);
  assert_true(m.touch[0].gap == 0.5 && m.touch[0].normal[0] == 1 && m.touch[0].point[0] == 0.75);
  assert_int_equal(touch(a, &p, b, &q, 0.5).count, 0);  // gap < limit, strictly
  p = at(1.5, 0, 0);
  assert_int_equal(touch(a, &p, b, &q, 0).count, 0);  // grazing
  assert_int_equal(touch(a, &p, b, &q, 1e-300).count, 1);
  p = q;  // concentric: any normal, full depth
  m = touch(a, &p, b, &q, 0);
  assert_int_equal(m.count, 1);
  assert_true(m.touch[0].gap == -1.5 && m.touch[0].normal[2] == 1);
  // far from the origin the digits of the pair are those of the difference
  p = at(1e6 + 2, 1e6, 1e6), q = at(1e6, 1e6, 1e6);
  assert_true(touch(a, &p, b, &q, 1).touch[0].gap == 0.5);
  p = turned(at(0, 0, 3), 1, 1, 2, 3),
  q = turned(at(0, 0, 0.25), pi / 2, 1, 0, 0);  // plane faces -y
  m = touch(a, &p, plane, &q, 10);
  assert_near(m.touch[0].normal[1], -1, 1e-15);
  assert_near(m.touch[0].gap, -1, 1e-15);
  ss_shape_destroy(a);
  ss_shape_destroy(b);
  ss_shape_destroy(plane);
}

static void boxes(void **state) {
  (void)state;
  ss_shape *box, *wide;
  ss_shape_box(NULL, 3, (double[]){0.5, 0.5, 0.5}, &box);
  ss_shape_box(NULL, 3, (double[]){2, 2, 0.5}, &wide);
  // flush: four corners, whatever rounding or slight turns do to the edges
  for (int k = 0; k < 40; k++) {
    double tiny = (k % 5 - 2) * 1e-12, lift = (k % 7 - 3) * 1e-10;
    ss_pose p = turned(at(tiny, -tiny, 1 + lift), 1e-11 * (k % 3 - 1), 1, 1, 1), q = at(0, 0, 0);
    ssi_manifold m = touch(box, &p, box, &q, 1e-6);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) {
      assert_near(m.touch[i].normal[2], 1, 1e-12);
      assert_true(fabs(m.touch[i].gap - lift) < 1e-10);
      assert_int_equal(m.touch[i].feature & 0xc000c000u, (uint32_t)SSI_FACE << 16 | SSI_CORNER);
    }
  }
  // exact face to face at a distance and overlapping
  for (int k = -2; k <= 2; k++) {
    ss_pose p = at(0.3, 0.2, 1 + 0.05 * k), q = at(0, 0, 0);
    ssi_manifold m = touch(box, &p, wide, &q, 0.2);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) assert_near(m.touch[i].gap, 0.05 * k, 1e-14);
  }
  // turned by 45 degrees on an equal box: an octagon
  ss_pose p = turned(at(0, 0, 1), pi / 4, 0, 0, 1), q = at(0, 0, 0);
  ssi_manifold m = touch(box, &p, box, &q, 1e-3);
  assert_int_equal(m.count, 8);
  for (int i = 0; i < 8; i++) {
    assert_near(fmax(fabs(m.touch[i].point[0]), fabs(m.touch[i].point[1])), 0.5, 1e-12);
    assert_int_equal(m.touch[i].feature & 0xc000c000u, (uint32_t)SSI_EDGE << 16 | SSI_EDGE);
  }
  // wide on narrow, either way round: the corners are always the narrow one's
  for (int way = 0; way < 2; way++) {
    ss_pose up = at(0.2, -0.1, 1), down = at(0, 0, 0);
    m = way ? touch(wide, &up, box, &down, 1e-3) : touch(box, &up, wide, &down, 1e-3);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) {
      uint32_t f = way ? ssi_feature_swapped(m.touch[i].feature) : m.touch[i].feature;
      assert_int_equal(f & 0xc000c000u, (uint32_t)SSI_CORNER << 16 | SSI_FACE);
      for (int j = 0; j < i; j++) assert_int_not_equal(m.touch[i].feature, m.touch[j].feature);
    }
  }
  // on an edge: two points; on a corner: one
  p = turned(at(0, 0, 0.5 + sqrt(0.5)), pi / 4, 1, 0, 0);
  m = touch(box, &p, wide, &q, 1e-3);
  assert_int_equal(m.count, 2);
  assert_near(m.touch[0].gap, 0, 1e-15);
  // edges crossing at right angles, one lying on the other
  p = turned(at(0, 0, 2 * sqrt(0.5)), pi / 4, 1, 0, 0), q = turned(at(0, 0, 0), pi / 4, 0, 1, 0);
  for (int k = -1; k <= 1; k++) {
    p.x[2] = 2 * sqrt(0.5) + 0.01 * k;
    m = touch(box, &p, box, &q, 0.1);
    assert_int_equal(m.count, 1);
    assert_near(m.touch[0].gap, 0.01 * k, 1e-14);
    assert_near(m.touch[0].normal[2], 1, 1e-14);
    assert_true(fabs(m.touch[0].point[0]) < 1e-14 && fabs(m.touch[0].point[1]) < 1e-14);
  }
  // corner to corner along the diagonal
  p = at(1.1, 1.1, 1.1), q = at(0, 0, 0);
  m = touch(box, &p, box, &q, 0.5);
  assert_int_equal(m.count, 1);
  assert_near(m.touch[0].gap, 0.1 * sqrt(3), 1e-14);
  assert_near(m.touch[0].normal[0], sqrt(1 / 3.0), 1e-14);
  // one inside the other: the shortest way out
  p = at(0.1, 0, 0.2);
  m = touch(box, &p, wide, &q, 0);
  assert_near(least_gap(&m), -0.8, 1e-14);
  ss_shape_destroy(box);
  ss_shape_destroy(wide);
}

// The same contact keeps its key while the bodies slide and tip a little; another has another key.
static void keys_persist(void **state) {
  (void)state;
  ss_shape *box, *wide;
  ss_shape_box(NULL, 3, (double[]){0.5, 0.5, 0.5}, &box);
  ss_shape_box(NULL, 3, (double[]){2, 2, 0.5}, &wide);
  uint32_t first[4];
  for (int k = 0; k <= 100; k++) {
    ss_pose p = turned(at(0.01 * k, 0.002 * k, 1 + 1e-4 * sin(k)), 1e-4 * cos(k), 1, 0.3, 0.1);
    ss_pose q = at(0, 0, 0);
    ssi_manifold m = touch(box, &p, wide, &q, 1e-2);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) {
      if (k == 0) first[i] = m.touch[i].feature;
      bool found = false;
      for (int j = 0; j < 4; j++) found = found || m.touch[i].feature == first[j];
      assert_true(found);
    }
  }
  ss_shape_destroy(box);
  ss_shape_destroy(wide);
}

static void lines(void **state) {
  (void)state;
  ss_shape *capsule, *cylinder, *box, *plane;
  ss_shape_capsule(NULL, 3, 0.2, 1, &capsule);
  ss_shape_cylinder(NULL, 0.2, 1, &cylinder);
  ss_shape_box(NULL, 3, (double[]){3, 3, 0.5}, &box);
  ss_shape_plane(NULL, 3, &plane);
  ss_pose lying = turned(at(0, 0, 0.2), pi / 2, 0, 1, 0), over = lying, ground = at(0, 0, 0);
  ss_pose under = at(0, 0, -0.5);
  const ss_shape *round[] = {capsule, cylinder};
  for (int k = 0; k < 2; k++) {
    ssi_manifold m = touch(round[k], &lying, plane, &ground, 0.01);
    assert_int_equal(m.count, 2);
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(m.touch[i].gap) < 1e-15);
      assert_near(fabs(m.touch[i].point[0]), 1, 1e-12);
    }
    if (k == 1 && !ssi_has_ccd()) continue;
    m = touch(round[k], &lying, box, &under, 0.01);
    assert_int_equal(m.count, 2);
    for (int i = 0; i < 2; i++) assert_true(fabs(m.touch[i].gap) < 1e-12);
    // one lying on the other along a line, shifted by half: the ends of the common stretch
    over.x[0] = 1, over.x[2] = 0.6 + 1e-3;
    m = touch(round[k], &over, round[k], &lying, 0.01);
    assert_int_equal(m.count, 2);
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(m.touch[i].gap - 1e-3) < 1e-6);
      assert_true(m.touch[i].point[0] > -1e-6 && m.touch[i].point[0] < 1 + 1e-6);
      assert_near(m.touch[i].normal[2], 1, 1e-9);
    }
    assert_near(fabs(m.touch[0].point[0] - m.touch[1].point[0]), 1, 1e-5);
    // crossing: one point
    ss_pose across = turned(at(0, 0, 0.6 + 1e-3), pi / 2, 1, 0, 0);
    m = touch(round[k], &across, round[k], &lying, 0.01);
    assert_int_equal(m.count, 1);
    assert_true(fabs(m.touch[0].gap - 1e-3) < 1e-9);
    over.x[0] = 0;
  }
  // a cylinder standing on a plane and on a box, upright and slightly tilted
  for (int k = 0; k < 3; k++) {
    double tilt = k * 1e-4;
    ss_pose up = turned(at(0, 0, cos(tilt) + 0.2 * sin(tilt)), tilt, 0.3, 1, 0);
    ssi_manifold m = touch(cylinder, &up, plane, &ground, 1e-3);
    assert_true(m.count >= 3);
    assert_true(fabs(least_gap(&m)) < 1e-12);
    if (!ssi_has_ccd()) continue;
    m = touch(cylinder, &up, box, &under, 1e-3);
    assert_true(m.count >= 4);
    assert_true(fabs(least_gap(&m)) < 1e-9);
  }
  ss_shape_destroy(capsule);
  ss_shape_destroy(cylinder);
  ss_shape_destroy(box);
  ss_shape_destroy(plane);
}

// Planes and drums: the least gap is the least over sampled surface points.
static void walls(void **state) {
  (void)state;
  ssi_rng g = {77};
  for (int trial = 0; trial < 200; trial++)
    for (int dim = 2; dim <= 3; dim++) {
      static const ss_shape_kind kinds[] = {SS_SPHERE, SS_BOX, SS_CAPSULE, SS_HULL, SS_CYLINDER};
      ss_shape_kind kind = kinds[trial % (dim == 2 ? 4 : 5)];
      ss_shape *s = random_shape(&g, dim, kind), *plane, *drum;
      ss_shape_plane(NULL, dim, &plane);
      ss_shape_drum(NULL, dim, 4, trial % 2 ? 3 : 0, &drum);
      ss_pose p = random_pose(&g, dim, 2), q = random_pose(&g, dim, 2), back = ss_pose_inverse(&q);
      double R[9], n[3], down[3];
      ss_rotation(q.q, R);
      ssi_axis3(R, dim == 2 ? 1 : 2, n);
      ssi_scale3(-1, n, down);
      oracle_pair o = {.a = s, .b = plane, .pa = p, .pb = q};
      ssi_manifold m = touch(s, &p, plane, &q, 1e3);
      assert_near(least_gap(&m), -width(s, &p, down) - ssi_dot3(n, q.x), 1e-12);
      check_points(&m, &o, 1e3, 1e-12);
      m = touch(s, &p, plane, &q, least_gap(&m) + 1e-3);
      assert_true(m.count >= 1);

      // drum: over directions u across its axis, R - max (u.x) is least at the true gap
      m = touch(s, &p, drum, &q, 1e3);
      o.b = drum;
      check_points(&m, &o, 1e3, 1e-12);
      double least = INFINITY, e[3], f[3];
      ssi_axis3(R, 0, e), ssi_axis3(R, 1, f);
      for (int k = 0; k < 20000; k++) {
        double t = 2 * pi * k / 20000, u[3];
        ssi_scale3(cos(t), e, u);
        ssi_add3(u, sin(t), f, u);
        least = fmin(least, 4 - (width(s, &p, u) - ssi_dot3(u, q.x)));
      }
      if (trial % 2 && dim == 3) {
        least = fmin(least, 3 - width(s, &p, n) + ssi_dot3(n, q.x));
        least = fmin(least, 3 - width(s, &p, down) + ssi_dot3(down, q.x));
      }
      if (!(fabs(least_gap(&m) - least) < 1e-6))
        fail_msg("%dD %s in drum, trial %d: %g, expected %g", dim, name(s), trial, least_gap(&m),
                 least);
      (void)back;
      ss_shape_destroy(s);
      ss_shape_destroy(plane);
      ss_shape_destroy(drum);
    }
}

// Two large hulls go by libccd where they overlap; the same shapes compared edge by edge agree.
static void large_hulls(void **state) {
  (void)state;
  if (!ssi_has_ccd()) {
    print_message("skipped: no libccd\n");
    return;
  }
  ssi_rng g = {41};
  for (int trial = 0; trial < 12; trial++) {
    enum { POINTS = 60 };
    double x[3 * POINTS];
    for (int k = 0; k < POINTS; k++) {
      double norm = 0;
      while (norm < 0.1 || norm > 1) {
        for (int i = 0; i < 3; i++) x[3 * k + i] = between(&g, -1, 1);
        norm = ssi_norm3(x + 3 * k);
      }
      ssi_scale3(1 / norm, x + 3 * k, x + 3 * k);
    }
    oracle_pair o;
    ss_shape *a;
    assert_int_equal(ss_shape_hull(NULL, 3, POINTS, x, &a), SS_OK);
    assert_true(ssi_narrow_needs_ccd(a, a));
    o.a = o.b = a;
    place_pair(&o, &g, trial % 2 ? -0.02 : 0.02);
    ssi_manifold m = touch(a, &o.pa, a, &o.pb, 0.1), exact = {.count = 0};
    ssi_solid p, q;
    ssi_solid_place(a, &o.pa, &p);
    ssi_solid_place(a, &o.pb, &q);
    ssi_polyhedra(&p, &q, 0.1, &exact);
    assert_near(least_gap(&m), least_gap(&exact), 3e-6);
    check_points(&m, &o, 0.1, 1e-5);
    ss_shape_destroy(a);
  }
}

// Boxes as boxes and as hulls of their corners: nine axes against all pairs of edges.
static void boxes_as_hulls(void **state) {
  (void)state;
  ssi_rng g = {63};
  for (int trial = 0; trial < 400; trial++) {
    ss_shape *a = random_shape(&g, 3, SS_BOX), *b = random_shape(&g, 3, SS_BOX), *ha, *hb;
    ss_shape_hull(NULL, 3, 8, a->hull.corner, &ha);
    ss_shape_hull(NULL, 3, 8, b->hull.corner, &hb);
    oracle_pair o = {.a = a, .b = b};
    place_pair(&o, &g, trial % 4 * 0.02 - 0.04);
    ssi_manifold m = touch(a, &o.pa, b, &o.pb, 0.1), n = touch(ha, &o.pa, hb, &o.pb, 0.1);
    assert_near(least_gap(&m), least_gap(&n), 1e-12);
    assert_int_equal(m.count, n.count);
    ss_shape_destroy(a);
    ss_shape_destroy(b);
    ss_shape_destroy(ha);
    ss_shape_destroy(hb);
  }
}

static void few_points(void **state) {
  (void)state;
  ss_shape *prism, *plane;
  double x[3 * 64];
  for (int k = 0; k < 64; k++)
    ssi_set3(cos(2 * pi * (k / 2) / 32), sin(2 * pi * (k / 2) / 32), k % 2 - 0.5, x + 3 * k);
  ss_shape_hull(NULL, 3, 64, x, &prism);
  ss_shape_plane(NULL, 3, &plane);
  ssi_solid p, q;
  ss_pose up = at(0, 0, 0.5), ground = at(0, 0, 0);
  ssi_solid_place(prism, &up, &p);
  ssi_solid_place(plane, &ground, &q);
  for (int most = 1; most <= 8; most++) {
    ssi_manifold m;
    ssi_narrow(&p, &q, 1e-3, most, &m);
    assert_int_equal(m.count, most);
    double mean[3] = {0};
    for (int k = 0; k < most; k++) ssi_add3(mean, 1.0 / most, m.touch[k].point, mean);
    if (most == 4) assert_true(ssi_norm3(mean) < 1e-3);  // spread around the rim
  }
  ss_shape_destroy(prism);
  ss_shape_destroy(plane);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spheres),      cmocka_unit_test(boxes),
      cmocka_unit_test(keys_persist), cmocka_unit_test(lines),
      cmocka_unit_test(walls),        cmocka_unit_test(few_points),
      cmocka_unit_test(large_hulls),  cmocka_unit_test(boxes_as_hulls),
      cmocka_unit_test(pairs_2d),     cmocka_unit_test(pairs_3d),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
