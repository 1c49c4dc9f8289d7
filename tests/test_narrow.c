// Contact points of pairs: against an independent oracle of the gap, against closed forms, under exchange
// of the two and under rigid motion, and where they are degenerate.
#include "harness.h"

#include "dynamics/narrow.h"
#include "dynamics/narrow_depth.h"
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
    const ssi_touch *t = m->touch + k;
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
    static const double gaps[] = {-0.1, -0.01, -1e-4, 0, 1e-4, 0.01, 0.1, 0.3};
    oracle_pair o = {.a = random_shape(&g, dim, ka), .b = random_shape(&g, dim, kb)};
    place_pair(&o, &g, gaps[trial % 8]);
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
      // curved cores: the gap is flat where it is least, so its place is known to the root of its error
      bool curved = ssi_narrow_needs_ccd(o.a, o.b);
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
        compare(3, (ss_shape_kind)ka, (ss_shape_kind)kb, 48, (uint64_t)(1000 + 10 * ka + kb));
    }
}

static void pairs_2d(void **state) {
  (void)state;
  static const ss_shape_kind kinds[] = {SS_SPHERE, SS_BOX, SS_CAPSULE, SS_HULL};
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++) compare(2, kinds[i], kinds[j], 120, (uint64_t)(2000 + 10 * i + j));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_2d),
      cmocka_unit_test(pairs_3d),
  };
  (void)pi;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
