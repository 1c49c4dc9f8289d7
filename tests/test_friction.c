// cone/friction.h: the projection onto the friction cone has the properties of a projection, from
// no friction to friction that overflows when squared.
#include "harness.h"

#include "base/rng.h"
#include "cone/friction.h"

static const double frictions[] = {0, 1e-8, 0.3, 1, 1.5, 30, 1e8, 1e160, 1e300};
enum { FRICTIONS = sizeof frictions / sizeof *frictions, TRIALS = 4000 };

static double uniform(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

static double length(int dim, const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + (dim == 3 ? x[2] * x[2] : 0));
}

// x = P_K(x) + P_K°(x), the parts orthogonal: P_K(x) in K, x - P_K(x) in the polar cone.
static void the_rest_lies_in_the_polar_cone(void **state) {
  (void)state;
  ssi_rng g = {.state = 1};
  for (int t = 0; t < TRIALS * FRICTIONS; t++) {
    int dim = 2 + t % 2;
    double mu = frictions[t / 2 % FRICTIONS];
    double x[3] = {uniform(&g), uniform(&g), uniform(&g)}, p[3] = {x[0], x[1], x[2]}, rest[3],
           dot = 0;
    if (t % 3 == 0) x[0] *= 1e-3, p[0] = x[0];      // near the border of a steep cone
    if (t % 7 == 0) x[1] = p[1] = x[2] = p[2] = 0;  // on the axis
    ssi_project(dim, mu, p);
    for (int k = 0; k < dim; k++) rest[k] = x[k] - p[k], dot += rest[k] * p[k];
    // in K: |p_T| <= mu p_N, divided by max(1, mu); in the polar cone: mu |z_T| <= -z_N
    double n = mu <= 1 ? 1 : 1 / mu, m = mu <= 1 ? mu : 1;
    assert_true(p[0] >= 0);
    assert_true(n * ssi_tangent_norm(dim, p) <= m * p[0] + 1e-15);
    assert_true(m * ssi_tangent_norm(dim, rest) <= -n * rest[0] + 1e-15);
    assert_true(fabs(dot) <= 1e-15);
    double again[3] = {p[0], p[1], p[2]};
    ssi_project(dim, mu, again);
    for (int k = 0; k < dim; k++) assert_near(again[k], p[k], 1e-15);
  }
}

static void points_do_not_move_apart(void **state) {
  (void)state;
  ssi_rng g = {.state = 2};
  for (int t = 0; t < TRIALS * FRICTIONS; t++) {
    int dim = 2 + t % 2;
    double mu = frictions[t / 2 % FRICTIONS], x[3], y[3], before[3], after[3];
    for (int k = 0; k < 3; k++) x[k] = uniform(&g), y[k] = uniform(&g), before[k] = x[k] - y[k];
    ssi_project(dim, mu, x);
    ssi_project(dim, mu, y);
    for (int k = 0; k < 3; k++) after[k] = x[k] - y[k];
    assert_true(length(dim, after) <= length(dim, before) + 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rest_lies_in_the_polar_cone),
      cmocka_unit_test(points_do_not_move_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
