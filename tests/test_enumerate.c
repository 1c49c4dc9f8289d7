// analysis/enumerate*.c: solution sets with known answers, from closed forms.
#include "harness.h"

#include "dense.h"
#include "stickslip/enumerate.h"

static ss_solution_set *enumerate(const ss_problem *p, bool rational) {
  ss_enumerate_options o = ss_enumerate_options_default();
  o.rational = rational;
  ss_context ctx = {0};
  ss_solution_set *set;
  if (ss_enumerate(&ctx, p, &o, &set)) fail_msg("%s", ctx.message);
  assert_true(set->complete);
  return set;
}

static int count_rays(const ss_component *c) {
  int rays = 0;
  for (int k = 0; k < c->cell_count; k++) rays += c->cells[k].ray_count;
  return rays;
}

// ---- the rod of Painleve type: docs/errata.md (R), normal first -----------------------------

static ss_solution_set *rod(double s, double c, double mu, double g, double u0, bool rational) {
  ssi_arena arena = {0};
  double one = 1, H[2] = {s, c}, f = -g * s, w[2] = {0, u0};
  ss_problem p = global_problem(&arena, 2, 1, 1, &one, &f, H, w, &mu);
  ss_solution_set *set = enumerate(&p, rational);
  ssi_arena_release(&arena);
  return set;
}

typedef struct rod_answer {
  int isolated, segments, rays;
} rod_answer;

// The 3 x 3 table of counts, t = tan theta.
static rod_answer rod_table(double t, double mu, double g, double u0) {
  if (u0 < 0) return (rod_answer){1, 0, 0};
  if (u0 == 0) {
    if (g < 0) return mu == 0 ? (rod_answer){1, 0, 0} : (rod_answer){0, t > mu, t <= mu};
    if (g == 0) return t > mu ? (rod_answer){1, 0, 0} : (rod_answer){0, 0, 1};
    return t >= mu ? (rod_answer){1, 0, 0} : (rod_answer){1, 0, 1};
  }
  if (g < 0) return (rod_answer){t > mu, 0, 0};
  if (g == 0) return t == mu ? (rod_answer){0, 0, 1} : (rod_answer){1, 0, 0};
  return (rod_answer){t >= mu ? 1 : 2, 0, 0};
}

static void check_rod(double mu, double g, double u0, bool rational) {
  // theta with sin and cos whose ratio is exact in binary: H = (3, 4), M = 1 instead of unit length
  double s = 3, c = 4, t = 0.75;
  ss_solution_set *set = rod(s, c, mu, g, u0, rational);
  rod_answer want = rod_table(t, mu, g, u0), found = {0};
  for (int k = 0; k < set->count; k++) {
    const ss_component *a = &set->components[k];
    found.isolated += a->isolated;
    if (a->isolated) continue;
    assert_int_equal(a->dimension, 1);
    count_rays(a) ? found.rays++ : found.segments++;
  }
  if (memcmp(&found, &want, sizeof want))
    fail_msg(
        "mu %g g %g u0 %g rational %d: found %d isolated, %d segments, %d rays, expected %d %d %d",
        mu, g, u0, rational, found.isolated, found.segments, found.rays, want.isolated,
        want.segments, want.rays);
  ss_solution_set_destroy(set);
}

static void rod_counts(void **state) {
  (void)state;
  static const double mus[] = {0, 0.25, 0.75, 2};
  for (int rational = 0; rational < 2; rational++)
    for (int a = 0; a < 4; a++)
      for (int g = -1; g <= 1; g++)
        for (int u0 = -1; u0 <= 1; u0++) check_rod(mus[a], g, u0, rational);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rod_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
