// Contact detection as a whole: the same contacts as every pair looked at one by one, in the
// promised order, the same bits every time, no memory once it has what it needs, and clear
// refusals.
#include "harness.h"

#include "budget.h"
#include "dynamics/collide/broad.h"
#include "dynamics/collide/narrow.h"
#include "solids.h"
#include "stickslip/collide.h"

enum { MOST = 600 };

typedef struct world {
  int dim, count;
  ss_collider body[MOST];
  ss_shape *shape[MOST];
} world;

static void clear(world *w) {
  for (int k = 0; k < w->count; k++) ss_shape_destroy(w->shape[k]);
}

// Bodies of all kinds with sizes over a range of 1 : ratio, some external, some compounds, a plane
// and a drum.
static void fill(world *w, int dim, int count, double ratio, uint64_t seed) {
  ssi_rng g = {seed};
  w->dim = dim;
  w->count = count;
  double spread = dim == 2 ? 1.2 * sqrt(count) : 1.2 * cbrt(count);
  for (int k = 0; k < count; k++) {
    static const ss_shape_kind kinds[] = {SS_SPHERE, SS_SPHERE, SS_BOX, SS_CAPSULE, SS_HULL};
    ss_shape *s = random_shape(&g, dim, kinds[ssi_rng_below(&g, 5)]);
    double f = pow(ratio, ssi_rng_uniform(&g)) / sqrt(ratio);
    if (s->kind == SS_SPHERE) s->radius *= f, s->bound *= f;
    if (k % 7 == 0) {
      ss_part parts[] = {{s, random_pose(&g, dim, 1)}, {s, random_pose(&g, dim, 1)}};
      ss_shape *both;
      assert_int_equal(ss_shape_compound(NULL, 2, parts, &both), SS_OK);
      ss_shape_destroy(s);
      s = both;
    }
    w->shape[k] = s;
    w->body[k] = (ss_collider){s, random_pose(&g, dim, spread / 2), between(&g, 0, 0.1),
                               ssi_rng_below(&g, 4) == 0};
    if (k % 50 == 49) w->body[k].shape = NULL;
  }
  ss_shape_destroy(w->shape[1]);
  ss_shape_destroy(w->shape[2]);
  ss_shape_plane(NULL, dim, &w->shape[1]);
  ss_shape_drum(NULL, dim, spread / 2, 0, &w->shape[2]);
  for (int k = 1; k <= 2; k++)
    w->body[k] = (ss_collider){w->shape[k], random_pose(&g, dim, 0.1), 0, true};
}

// Every pair of parts, in the promised order.
static int brute_force(const world *w, double margin, ss_contact *out, int room) {
  int count = 0;
  static ssi_manifold m;
  for (int i = 0; i < w->count; i++)
    for (int j = 0; j < w->count; j++) {
      const ss_collider *a = w->body + i, *b = w->body + j;
      if (i == j || !a->shape || !b->shape || a->external || (!b->external && j < i)) continue;
      int from = count;
      for (int s = 0; s < ss_shape_part_count(a->shape); s++)
        for (int t = 0; t < ss_shape_part_count(b->shape); t++) {
          ss_part p = ss_shape_part(a->shape, s), q = ss_shape_part(b->shape, t);
          ssi_solid x, y;
          ss_pose pa = a->pose, pb = b->pose;
          if (a->shape->kind == SS_COMPOUND) pa = ss_pose_times(&a->pose, &p.pose);
          if (b->shape->kind == SS_COMPOUND) pb = ss_pose_times(&b->pose, &q.pose);
          ssi_solid_place(p.shape, &pa, &x);
          ssi_solid_place(q.shape, &pb, &y);
          ssi_narrow(&x, &y, margin + a->reach + b->reach, 8, &m);
          for (int k = 0; k < m.count; k++) {
            assert_true(count < room);
            ss_contact c = {.a = i, .b = j, .gap = m.touch[k].gap};
            c.key = (uint64_t)s << 48 | (uint64_t)t << 32 | m.touch[k].feature;
            ssi_copy3(m.touch[k].point, c.point);
            ssi_copy3(m.touch[k].normal, c.normal);
            out[count++] = c;
          }
        }
      for (int x = from + 1; x < count; x++)
        for (int y = x; y > from && out[y].key < out[y - 1].key; y--) {
          ss_contact c = out[y];
          out[y] = out[y - 1], out[y - 1] = c;
        }
    }
  return count;
}

static void same_as_brute_force(void **state) {
  (void)state;
  static world w;
  static ss_contact expected[200000];
  for (int trial = 0; trial < 14; trial++) {
    static const double ratios[] = {1, 1.5, 4, 30, 1000};
    int count = trial < 2 ? 6 : 60 + 40 * trial;
    fill(&w, trial % 2 ? 2 : 3, count, ratios[trial % 5], (uint64_t)trial);
    ss_context ctx = {0};
    ss_collide_options o = ss_collide_options_default();
    o.margin = trial % 3 * 0.05;
    ss_detector *d;
    ss_contacts found;
    assert_int_equal(ss_detector_create(&ctx, w.dim, &o, &d), SS_OK);
    ss_error e = ss_collide(d, w.body, w.count, &found);
    if (e) fail_msg("%s", ctx.message);
    int n = brute_force(&w, o.margin, expected, 200000);
    assert_true(n > 20 || count < 20);
    assert_int_equal(found.count, n);
    assert_int_equal(found.broken, 0);
    for (int k = 0; k < n; k++) {
      assert_memory_equal(&found.contact[k], &expected[k], sizeof *expected);
      if (k == 0) continue;
      const ss_contact *c = found.contact + k, *b = c - 1;
      assert_true(b->a < c->a ||
                  (b->a == c->a && (b->b < c->b || (b->b == c->b && b->key < c->key))));
    }
    // again: the same bits
    ss_contacts again;
    assert_int_equal(ss_collide(d, w.body, w.count, &again), SS_OK);
    assert_int_equal(again.count, n);
    if (n) assert_memory_equal(again.contact, expected, (size_t)n * sizeof *expected);
    ss_detector_destroy(d);
    clear(&w);
  }
}

// The boxes alone, in many arrangements: clustered, stretched, on a line, far apart, of all sizes.
static void broad_pairs(void **state) {
  (void)state;
  enum { BOXES = 900 };
  static ssi_proxy box[BOXES];
  ssi_broad *w = ssi_broad_create(NULL);
  ssi_rng g = {12};
  for (int trial = 0; trial < 60; trial++) {
    int kind = trial % 6, count = 3 + ssi_rng_below(&g, BOXES - 3);
    for (int k = 0; k < count; k++) {
      ssi_proxy *b = box + k;
      *b = (ssi_proxy){.body = k / 2, .external = ssi_rng_below(&g, 5) == 0};
      for (int c = 0; c < 3; c++) {
        double x = between(&g, -5, 5), h = between(&g, 0.1, 0.5);
        if (kind == 1) x *= ssi_rng_uniform(&g) * ssi_rng_uniform(&g);  // clustered
        if (kind == 2 && c) x = 0.01 * x;                               // on a line
        if (kind == 3) h = 0.3 * pow(10, between(&g, -3, 1));           // all sizes
        if (kind == 4) x = x * 1e7 + (k % 3) * 1e12, h *= 1e6;          // far apart
        if (kind == 5 && c == 2) x = h = 0;                             // in the plane
        b->low[c] = x - h, b->high[c] = x + h;
      }
      if (k % 100 == 99)
        for (int c = 0; c < 3; c++) b->low[c] = -INFINITY, b->high[c] = INFINITY;
      if (k % 90 == 89)
        for (int c = 0; c < 3; c++) b->high[c] = b->low[c];
    }
    ssi_pairs pairs;
    assert_int_equal(ssi_broad_pairs(w, count, box, &pairs), SS_OK);
    static uint8_t seen[BOXES][BOXES];
    memset(seen, 0, sizeof seen);
    for (size_t k = 0; k < pairs.count; k++) {
      int p = pairs.order[pairs.pair[k].p], q = pairs.order[pairs.pair[k].q];
      assert_int_equal(seen[p < q ? p : q][p < q ? q : p]++, 0);
    }
    for (int i = 0; i < count; i++)
      for (int j = i + 1; j < count; j++) {
        bool overlap = box[i].body != box[j].body && !(box[i].external && box[j].external);
        for (int c = 0; c < 3; c++)
          overlap = overlap && box[i].low[c] <= box[j].high[c] && box[j].low[c] <= box[i].high[c];
        if (seen[i][j] != overlap) fail_msg("trial %d: boxes %d and %d of %d", trial, i, j, count);
      }
  }
  ssi_broad_destroy(w);
}

static void memory(void **state) {
  (void)state;
  static world w;
  fill(&w, 3, 300, 3, 5);
  budget b = {.left = INT32_MAX};
  ss_context ctx = on_budget(&b);
  ss_detector *d;
  ss_contacts found;
  assert_int_equal(ss_detector_create(&ctx, 3, NULL, &d), SS_OK);
  assert_int_equal(ss_collide(d, w.body, w.count, &found), SS_OK);
  b.taken = 0;
  for (int step = 0; step < 5; step++)
    assert_int_equal(ss_collide(d, w.body, w.count, &found), SS_OK);
  assert_int_equal(b.taken, 0);
  ss_detector_destroy(d);

  bool done = false;  // every allocation fails once; after a failure the detector works again
  for (int limit = 0; !done; limit++) {
    b.left = limit;
    d = NULL;
    ss_error e = ss_detector_create(&ctx, 3, NULL, &d);
    if (!e) e = ss_collide(d, w.body, w.count, &found);
    done = !e;
    if (e) assert_int_equal(e, SS_ERR_MEMORY);
    b.left = INT32_MAX;
    if (e && d) {
      int n = found.count;
      (void)n;
      assert_int_equal(ss_collide(d, w.body, w.count, &found), SS_OK);
    }
    ss_detector_destroy(d);
  }
  clear(&w);
}

static bool skip_odd(const void *user, int a, int b) {
  return *(const int *)user == (a + b) % 2;
}

static void rules(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_shape *ball, *plane, *disk, *cylinder, *box;
  ss_shape_sphere(&ctx, 3, 1, &ball);
  ss_shape_sphere(&ctx, 2, 1, &disk);
  ss_shape_plane(&ctx, 3, &plane);
  ss_shape_cylinder(&ctx, 1, 1, &cylinder);
  ss_shape_box(&ctx, 3, (double[]){1, 1, 1}, &box);
  ss_collider b[3] = {{plane, ss_pose_identity(), 0, true},
                      {ball, {{0, 0, 1.5}, {1, 0, 0, 0}}, 0, false},
                      {ball, {{0, 0, 3.9}, {1, 0, 0, 0}}, 0, false}};
  ss_detector *d;
  ss_contacts found;
  int odd = 1;
  ss_collide_options o = ss_collide_options_default();
  o.margin = 0.45;
  assert_int_equal(ss_detector_create(&ctx, 3, &o, &d), SS_OK);
  assert_int_equal(ss_collide(d, b, 3, &found), SS_OK);
  assert_int_equal(found.count, 1);  // the two balls at 0.4; the plane is 0.5 away
  assert_true(found.contact[0].a == 1 && found.contact[0].b == 2 &&
              found.contact[0].normal[2] == -1);
  b[1].reach = 0.1;  // the ball may come 0.1 closer
  assert_int_equal(ss_collide(d, b, 3, &found), SS_OK);
  assert_int_equal(found.count, 2);
  assert_true(found.contact[0].a == 1 && found.contact[0].b == 0 &&
              found.contact[0].normal[2] == 1);
  b[2].external = true;  // externals are b
  assert_int_equal(ss_collide(d, b, 3, &found), SS_OK);
  assert_int_equal(found.count, 2);
  b[1].external = true;
  assert_int_equal(ss_collide(d, b, 3, &found), SS_OK);
  assert_int_equal(found.count, 0);
  assert_int_equal(ss_collide(d, NULL, 0, &found), SS_OK);

  b[1].external = b[2].external = false;
  b[2].pose.x[1] = NAN;
  assert_int_equal(ss_collide(d, b, 3, &found), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "body 2"));
  b[2].pose.x[1] = 0;
  b[1].reach = -1;
  assert_int_equal(ss_collide(d, b, 3, &found), SS_ERR_DATA);
  b[1].reach = 0;
  b[0].external = false;
  assert_int_equal(ss_collide(d, b, 3, &found), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "boundless"));
  b[0].external = true;
  b[1].shape = disk;
  assert_int_equal(ss_collide(d, b, 3, &found), SS_ERR_ARGUMENT);
  ss_detector_destroy(d);
  b[1].shape = ball;

  o.margin = 1, o.skip = skip_odd, o.user = &odd;
  assert_int_equal(ss_detector_create(&ctx, 3, &o, &d), SS_OK);
  assert_int_equal(ss_collide(d, b, 3, &found), SS_OK);
  assert_int_equal(found.count, 0);
  ss_detector_destroy(d);
  o.margin = -1;
  assert_int_equal(ss_detector_create(&ctx, 3, &o, &d), SS_ERR_ARGUMENT);
  o.margin = 0, o.max_points = 0;
  assert_int_equal(ss_detector_create(&ctx, 3, &o, &d), SS_ERR_ARGUMENT);
  assert_int_equal(ss_detector_create(&ctx, 4, NULL, &d), SS_ERR_ARGUMENT);
  assert_null(d);

  ss_error expected = ssi_has_ccd() ? SS_OK : SS_ERR_UNSUPPORTED;
  assert_int_equal(ss_collide_check(&ctx, cylinder, box), expected);
  assert_int_equal(ss_collide_check(&ctx, ball, cylinder), SS_OK);
  ss_part parts[] = {{ball, ss_pose_identity()}, {cylinder, ss_pose_identity()}};
  ss_shape *both;
  ss_shape_compound(&ctx, 2, parts, &both);
  assert_int_equal(ss_collide_check(&ctx, both, box), expected);
  ss_shape_destroy(both);
  ss_shape_destroy(ball);
  ss_shape_destroy(disk);
  ss_shape_destroy(plane);
  ss_shape_destroy(cylinder);
  ss_shape_destroy(box);
}

// A ball rolling down a funnel touches one or two plates at a time and never falls through.
static void funnel(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_shape *f, *ball;
  assert_int_equal(ss_shape_funnel(&ctx, 2, 0.5, 1.5, 0.1, 12, &f), SS_OK);
  ss_shape_sphere(&ctx, 3, 0.2, &ball);
  ss_detector *d;
  ss_contacts found;
  ss_collide_options o = ss_collide_options_default();
  o.margin = 0.05;
  assert_int_equal(ss_detector_create(&ctx, 3, &o, &d), SS_OK);
  ssi_rng g = {9};
  for (int k = 0; k < 200; k++) {
    // on the inner side of plate `side` at a height, off its middle by a share of its width
    double z = between(&g, 0.4, 1.2), gap = between(&g, -0.05, 0.04), r = 0.5 + z;  // 45 degrees
    int side = ssi_rng_below(&g, 12);
    double middle = 2 * 3.14159265358979323846 * (side + 0.5) / 12, h = sqrt(0.5), t = 0.2 + gap;
    ss_collider b[2] = {{f, ss_pose_identity(), 0, true}, {ball, ss_pose_identity(), 0, false}};
    ssi_set3((r - t * h) * cos(middle), (r - t * h) * sin(middle), z + t * h, b[1].pose.x);
    assert_int_equal(ss_collide(d, b, 2, &found), SS_OK);
    bool seen = false;
    for (int i = 0; i < found.count; i++) {
      const ss_contact *c = found.contact + i;
      if (ss_contact_part_b(c) != side) continue;
      seen = true;
      assert_near(c->gap, gap, 1e-12);
      assert_near(c->normal[2], h, 1e-12);
    }
    assert_true(seen);
  }
  ss_detector_destroy(d);
  ss_shape_destroy(f);
  ss_shape_destroy(ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broad_pairs), cmocka_unit_test(same_as_brute_force),
      cmocka_unit_test(memory),      cmocka_unit_test(rules),
      cmocka_unit_test(funnel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
