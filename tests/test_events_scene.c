// Scenes of rigid bodies from event to event: balls and boxes against closed forms.
#include "event_run.h"

// ---- balls ------------------------------------------------------------------------------------------

// Slip keeps its direction: u = v + w x (-r n) shrinks by 7/2 mu g t along itself, and v by mu g t.
static void check_rolling(double mu, const double v[3], const double w[3]) {
  const double r = 0.1, x[3] = {0.3, -0.2, r};
  double u[2] = {v[0] - r * w[1], v[1] + r * w[0]}, slip = hypot(u[0], u[1]);
  double when = 2 * slip / (7 * mu * G);
  event_run run;
  begin_run(&run, ball_text(mu, 0, x, v, w, FLOOR));
  advance_mechanism(&run.run, when + 1);
  expect_no_end(&run);
  assert_int_equal(ss_evolution_event_count(run.run.e), 2);
  ss_event event = event_at(&run.run, 1);
  assert_int_equal(event.to, SS_MODE_STICK);
  assert_near(event.time, when, 1e-8);
  ss_evolution_state now = state_of(&run.run);
  for (int k = 0; k < 2; k++) {
    double after = v[k] - mu * G * when * u[k] / slip;
    assert_near(now.v[k], after, 1e-8);
    assert_near(now.q[k], x[k] + (v[k] + after) / 2 * when + after, 1e-8);
  }
  assert_near(now.q[2], r, 1e-14);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

static void test_sliding_turns_to_rolling(void **state) {
  (void)state;
  need_sundials();
  check_rolling(0.3, (double[]){2, 0, 0}, (double[]){0, 0, 0});
  check_rolling(0.3, (double[]){2, 0, 0}, (double[]){3, 5, -4});
  check_rolling(0.05, (double[]){0.5, 1.5, 0}, (double[]){-30, 20, 10});
  check_rolling(1.2, (double[]){0, 0, 0}, (double[]){7, -3, 50});
}

static void check_bouncing(double e, double height) {
  const double v[3] = {1, 0.5, 0}, w[3] = {1, 2, 3};
  event_run run;
  begin_run(&run, ball_text(0.3, e, (double[]){0, 0, 0.1 + height}, v, w, FLOOR));
  double t1 = sqrt(2 * height / G), next = t1, flight = 2 * t1;
  advance_mechanism(&run.run, t1 * (1 + e) / (1 - e) + 0.5);
  expect_no_end(&run);
  int k = 1;
  for (; k < ss_evolution_event_count(run.run.e); k++) {
    ss_event x = event_at(&run.run, k);
    if (x.kind != SS_EVENT_IMPACT) break;
    assert_near(x.time, next, 1e-10);
    next += flight *= e;
  }
  assert_true(k > 5);
  assert_int_equal(event_at(&run.run, k).kind, SS_EVENT_ACCUMULATION);
  assert_near(event_at(&run.run, k).time, t1 * (1 + e) / (1 - e), 1e-8);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

static void test_ball_bounces(void **state) {
  (void)state;
  need_sundials();
  check_bouncing(0.5, 1);
  check_bouncing(0.8, 0.3);
}

// Equal balls, one at rest: along the line of centres (1 + e)/2 of the approach; across it, while impulses within the
// cone suffice, 1/7 of the slip each.
static void check_collision(double mu, double aside) {
  const double e = 0.5, r = 0.1, speed = 1;
  event_run run;
  char text[1000];
  snprintf(text, sizeof text,
           "'gravity':[0,0,0],'bodies':[{'name':'a','shape':{'kind':'sphere','radius':0.1},"
           "'velocity':[1,0,0]},{'name':'b','shape':{'kind':'sphere','radius':0.1},'position':"
           "[0.5,%.17g,0]}]",
           aside);
  begin_run(&run, scene_text(mu, e, text));
  advance_mechanism(&run.run, 1);
  double along = sqrt(4 * r * r - aside * aside), n[2] = {along / (2 * r), aside / (2 * r)};
  ss_event x = first_event(&run, SS_EVENT_IMPACT, SS_MODE_FREE);
  assert_near(x.time, (0.5 - along) / speed, 1e-10);
  double push = (1 + e) / 2 * n[0] * speed, slip = n[1] * speed;
  double drag = fmin(mu * push, slip / 7);  // per mass
  double after[2] = {speed - push * n[0] - drag * n[1], -push * n[1] + drag * n[0]};
  ss_evolution_state now = state_of(&run.run);
  assert_near(now.v[0], after[0], 1e-9);
  assert_near(now.v[1], after[1], 1e-9);
  assert_near(now.v[6], speed - after[0], 1e-9);
  assert_near(now.v[7], -after[1], 1e-9);
  assert_near(fabs(now.v[5]), drag * 5 / (2 * r), 1e-8);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

static void test_two_balls_collide(void **state) {
  (void)state;
  need_sundials();
  check_collision(0, 0.05);
  check_collision(0.3, 0.05);   // within the cone
  check_collision(0.05, 0.15);  // on it
  check_collision(0.3, 0);
}

// On a plane that moves with A sin(w t), A w^2 > g, a ball leaves it at sin(w t) = g/(A w^2), and comes back where its
// parabola meets the plane.
static void test_ball_on_a_vibrating_plane(void **state) {
  (void)state;
  need_sundials();
  const double A = 0.05, w = 8 * acos(-1), v[3] = {0, 0, A * w};
  event_run run;
  begin_run(&run, ball_text(0.3, 0.4, (double[]){0, 0, 0.1}, v, (double[]){0, 0, 0},
                            "'externals':[{'name':'plate','shape':{'kind':'plane'},'motion':"
                            "{'kind':'harmonic','amplitude':[0,0,0.05],'frequency':4}}]"));
  advance_mechanism(&run.run, 1);
  expect_no_end(&run);
  double off = asin(G / (A * w * w)) / w, z = A * sin(w * off), up = A * w * cos(w * off);
  ss_event x = event_at(&run.run, 1);
  assert_int_equal(x.to, SS_MODE_FREE);
  assert_near(x.time, off, 1e-10);
  double low = off + 1e-2, high = off + 0.5;  // the first meeting: scanned, then bisected
  for (double t = low; t < high; t += 1e-4)
    if (z + up * (t - off) - G / 2 * (t - off) * (t - off) < A * sin(w * t)) {
      low = t - 1e-4, high = t;
      break;
    }
  for (int k = 0; k < 60; k++) {
    double t = (low + high) / 2;
    *(z + up * (t - off) - G / 2 * (t - off) * (t - off) < A * sin(w * t) ? &high : &low) = t;
  }
  assert_near(first_event(&run, SS_EVENT_IMPACT, SS_MODE_FREE).time, low, 1e-10);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// Inside a drum: small swings of a ball that rolls take 2 pi sqrt(7 (R - r)/(5 g)), longer ones as a pendulum's.
static void test_ball_rolls_in_a_drum(void **state) {
  (void)state;
  need_sundials();
  const double R = 1, r = 0.1, angle = 0.8;
  const double x[3] = {(R - r) * sin(angle), 0, -(R - r) * cos(angle)}, none[3] = {0};
  event_run run;
  begin_run(&run, ball_text(1, 0, x, none, none,
                            "'externals':[{'name':'drum','shape':{'kind':'drum','radius':1,"
                            "'length':0},'rotation':{'axis':[1,0,0],'degrees':90}}]"));
  double a = 1, g = cos(angle / 2);  // K by the arithmetic-geometric mean
  for (int k = 0; k < 10; k++) {
    double mean = (a + g) / 2;
    g = sqrt(a * g), a = mean;
  }
  double period = 2 * acos(-1) / a * sqrt(7 * (R - r) / (5 * G));
  advance_mechanism(&run.run, period / 4);
  assert_true(closure_of(&run.run) < 1e-9);  // relative to the energy down there
  advance_mechanism(&run.run, period);
  expect_no_end(&run);
  ss_evolution_state now = state_of(&run.run);
  for (int k = 0; k < 3; k++) {
    assert_near(now.q[k], x[k], 1e-8);
    assert_near(now.v[k], 0, 1e-8);
  }
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// ---- boxes ------------------------------------------------------------------------------------------

static void expect_stop(event_run *run, double when) {
  int stopped = 0;
  expect_no_end(run);
  for (int k = 1; k < ss_evolution_event_count(run->run.e); k++) {
    ss_event x = event_at(&run->run, k);
    assert_near(x.time, when, 1e-8);
    assert_int_equal(x.to, SS_MODE_STICK);
    stopped++;
  }
  assert_int_equal(stopped, 4);
  assert_true(closure_of(&run->run) < 1e-9);
}

// Four corners share the weight in one of many ways; the motion is the same for all.
static void test_box_slides_down_and_stops(void **state) {
  (void)state;
  need_sundials();
  double a = acos(-1) / 9, mu = 0.5, brake = G * (mu * cos(a) - sin(a));
  event_run run;
  begin_on_slope(&run, mu, 2, 0);
  advance_mechanism(&run.run, 2);
  expect_stop(&run, 2 / brake);
  ss_evolution_state now = state_of(&run.run);
  assert_near((now.q[0] - 0.1 * sin(a)) / cos(a), 2 / brake, 1e-8);  // v^2/(2 brake)
  end_run(&run);
}

// Thrown across, the direction of slip turns; friction, which acts below the centre, shifts the weight along itself, so
// that it does not spin. It stops as a point does: after v k/((k^2 - 1) g sin a), k = mu/tan a.
static void test_box_thrown_across_a_slope(void **state) {
  (void)state;
  need_sundials();
  double a = acos(-1) / 9, mu = 0.6, k = mu / tan(a);
  event_run run;
  begin_on_slope(&run, mu, 0, 1);
  advance_mechanism(&run.run, 1);
  expect_stop(&run, k / ((k * k - 1) * G * sin(a)));
  end_run(&run);
}

// Without friction it does not stick, not even where it stands.
static void test_frictionless_box_slips_from_rest(void **state) {
  (void)state;
  need_sundials();
  double a = acos(-1) / 9;
  event_run run;
  begin_on_slope(&run, 0, 0, 0);
  assert_int_equal(state_of(&run.run).modes[0], SS_MODE_SLIP);
  advance_mechanism(&run.run, 1);
  expect_no_end(&run);
  assert_int_equal(ss_evolution_event_count(run.run.e), 1);
  assert_near((state_of(&run.run).q[0] - 0.1 * sin(a)) / cos(a), G * sin(a) / 2, 1e-9);
  end_run(&run);
}

#define TALL                                                                                       \
  "'bodies':[{'name':'box','shape':{'kind':'box','size':[0.2,0.4,1]},'position':[0,0,0.5]}]"       \
  "," FLOOR

// A load at its top that grows with t tips it over an edge where the load's moment reaches that of its weight; until
// the next wall it turns about that edge with the energy that it has.
static void test_box_tips_over_an_edge(void **state) {
  (void)state;
  need_sundials();
  const double weight = 0.2 * 0.4 * 1000 * G;
  event_run run;
  begin_run(&run, scene_text(1, 0,
                             TALL ",'loads':[{'body':'box','force':[300,0,0],'point':[0,0,0.5"
                                  "],'factor':[[0,0],[1,1]]}]"));
  advance_mechanism(&run.run, 0.5);
  expect_no_end(&run);
  assert_int_equal(ss_evolution_event_count(run.run.e), 3);
  for (int k = 1; k <= 2; k++) {
    assert_int_equal(event_at(&run.run, k).to, SS_MODE_FREE);
    assert_near(event_at(&run.run, k).time, weight * 0.1 / 300, 1e-8);
  }
  advance_mechanism(&run.run, 3);  // it falls, slides and comes to lie
  expect_no_end(&run);
  ss_evolution_state now = state_of(&run.run);
  assert_near(now.q[2], 0.1, 1e-12);
  assert_near(law_violation(&run.run.machine->mechanism, &now, 5), 0, 1e-9);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sliding_turns_to_rolling),
      cmocka_unit_test(test_ball_bounces),
      cmocka_unit_test(test_two_balls_collide),
      cmocka_unit_test(test_ball_on_a_vibrating_plane),
      cmocka_unit_test(test_ball_rolls_in_a_drum),
      cmocka_unit_test(test_box_slides_down_and_stops),
      cmocka_unit_test(test_box_thrown_across_a_slope),
      cmocka_unit_test(test_frictionless_box_slips_from_rest),
      cmocka_unit_test(test_box_tips_over_an_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
