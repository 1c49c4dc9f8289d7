// What a step cannot resolve (docs/theory-dynamics.md 2): a gap that gravity closes within half a step counts as closed,
// an approach no faster than one step of falling does not rebound, and both go away with the step.
#include "scene_run.h"

static const double RADIUS = 0.1;

// A ball `gap` above the floor with vertical velocity v, after one step.
static run ball_above(double gap, double v, double e, double h, double gravity) {
  run r = begin("{'gravity':[0,0,%.17g],'materials':[{'name':'m','mu':0.5,'restitution':%g}],"
                "'bodies':[{'shape':{'kind':'sphere','radius':%g},'position':[0,0,%.17g],"
                "'velocity':[0,0,%.17g]}],'externals':[{'shape':{'kind':'plane'}}],"
                "'stepping':{'step':%.17g,'duration':1},'solver':{'tol':1e-12}}",
                -gravity, e, RADIUS, RADIUS + gap, v, h);
  solved_step(&r);
  return r;
}

static double height_after(double gap, double h) {
  run r = ball_above(gap, 0, 0, h, G);
  double z = r.s.pose[0].x[2] - RADIUS;
  end(&r);
  return z;
}

static double speed_after(double gap, double v, double h, double gravity) {
  run r = ball_above(gap, v, 0.5, h, gravity);
  double up = r.s.velocity[2];
  end(&r);
  return up;
}

static void small_gaps_are_closed(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double h = k ? 1e-3 : 1e-2, limit = 0.1 * G * h * h;
    assert_near(height_after(0.9 * limit, h), 0.9 * limit, 1e-12);
    assert_near(height_after(1.1 * limit, h), 0, 1e-12);
    assert_near(height_after(2 * G * h * h, h), G * h * h, 1e-12);  // does not get there
  }
}

// A large step: the limit is then 1 % of the radius.
static void closed_gaps_are_small(void **state) {
  (void)state;
  double h = 0.2;
  assert_true(0.1 * G * h * h > 0.02 * RADIUS);
  assert_near(height_after(0.9e-2 * RADIUS, h), 0.9e-2 * RADIUS, 1e-12);
  assert_near(height_after(1.1e-2 * RADIUS, h), 0, 1e-12);
}

static void slow_approaches_do_not_rebound(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double h = k ? 1e-3 : 1e-2;
    assert_near(speed_after(0, -0.9 * G * h, h, G), 0, 1e-12);
    assert_near(speed_after(0, -1.1 * G * h, h, G), 0.55 * G * h, 1e-12);
    assert_near(speed_after(0.05 * G * h * h, -1.1 * G * h, h, G), 0.55 * G * h, 1e-12);
  }
}

// Without gravity nothing is too slow or too near.
static void no_thresholds_without_gravity(void **state) {
  (void)state;
  assert_near(speed_after(0, -1e-6, 1e-2, 0), 0.5e-6, 1e-15);
  assert_near(speed_after(1e-9, -0.5e-7, 1e-2, 0), -0.5e-7, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_gaps_are_closed),
      cmocka_unit_test(closed_gaps_are_small),
      cmocka_unit_test(slow_approaches_do_not_rebound),
      cmocka_unit_test(no_thresholds_without_gravity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
