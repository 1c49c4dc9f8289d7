// Mechanisms against the shared oracles: the jack plane (section D), two blocks (section C).
#include "mechanism_run.h"

#include <jansson.h>

#include "base/rng.h"

static json_t *oracles;  // NULL where the shared data is not there

static int load(void **state) {
  (void)state;
  oracles = json_load_file(STICKSLIP_SHARED "/oracles/oracles.json", 0, NULL);
  return 0;
}

static int unload(void **state) {
  (void)state;
  json_decref(oracles);
  return 0;
}

static const json_t *section(const char *name) {
  need_sundials();
  if (!oracles) {
    print_message("no " STICKSLIP_SHARED "/oracles/oracles.json\n");
    skip();
  }
  return json_object_get(json_object_get(oracles, "D_jack_plane"), name);
}

static double number_at(const json_t *list, size_t k) {
  return json_number_value(json_array_get(list, k));
}

// ---- the jack plane -------------------------------------------------------------------------------

static void check_state(const double *q, const double *v, const json_t *x) {
  const double found[4] = {q[0], v[0], q[1], v[1]};
  for (size_t i = 0; i < 4; i++) assert_near(found[i], number_at(x, i), 1e-11);
}

static void check_events(const mechanism_run *r, const json_t *list) {
  for (size_t k = 1; k < json_array_size(list); k++) {  // the first is the start
    const json_t *expected = json_array_get(list, k);
    ss_event x = event_at(r, (int)k);
    char type[40];
    snprintf(type, sizeof type, "%s->%s", ss_mode_name(2, x.from), ss_mode_name(2, x.to));
    assert_string_equal(type, json_string_value(json_object_get(expected, "type")));
    assert_near(x.time, json_number_value(json_object_get(expected, "t")), 1e-11);
    check_state(x.q, x.v, json_object_get(expected, "x"));
  }
}

// Stick phases that begin, and flights, within a period of the limit cycle.
static void check_cycle(const mechanism_run *r, const json_t *expected) {
  double period = 12 * acos(-1), from = 7 * period;
  int sticks = 0, flights = 0;
  for (int k = 0; k < ss_evolution_event_count(r->e); k++) {
    ss_event x = event_at(r, k);
    if (x.time < from || x.time >= from + period) continue;
    sticks += x.to == SS_MODE_STICK, flights += x.to == SS_MODE_FREE;
  }
  assert_int_equal(sticks,
                   json_integer_value(json_object_get(expected, "stick_phases_per_period")));
  assert_int_equal(flights, json_integer_value(json_object_get(expected, "flights_per_period")));
}

static void check_jack_plane(const char *name, const char *oracle, ss_impact_law law) {
  const json_t *expected = section(oracle);
  mechanism_run r;
  build_mechanism(&r, name, NULL, 0);
  r.machine->options.impact = law;
  begin_mechanism(&r);
  double end = 120 * acos(-1);
  const int times[] = {8, 20, 50};
  for (int k = 0; k < 3; k++) {
    char key[8];
    snprintf(key, sizeof key, "%d", times[k]);
    const json_t *at = json_object_get(json_object_get(expected, "states"), key);
    advance_mechanism(&r, times[k]);
    ss_evolution_state s = state_of(&r);
    assert_string_equal(ss_mode_name(2, s.modes[0]),
                        json_string_value(json_object_get(at, "mode")));
    check_state(s.q, s.v, json_object_get(at, "x"));
    assert_near(-s.force[0], json_number_value(json_object_get(at, "lambda_nu")), 1e-11);
    assert_near(s.force[1], json_number_value(json_object_get(at, "lambda_tau")), 1e-11);
  }
  for (int k = 0; k < 100; k++) {
    advance_mechanism(&r, 50 + (end - 50) * (k + 1) / 100);
    ss_evolution_state s = state_of(&r);
    assert_true(closure_of(&r) < 1e-11);
    assert_true(law_violation(&r.machine->mechanism, &s, 1) < 1e-11);
  }
  check_events(&r, json_object_get(expected, "events"));
  int count = (int)json_integer_value(json_object_get(expected, "n_events_to_120pi"));
  assert_int_equal(ss_evolution_event_count(r.e) - 1, count);
  check_cycle(&r, expected);
  end_mechanism(&r);
}

static void test_example_41(void **state) {
  (void)state;
  check_jack_plane("jack-plane", "ex41", SS_IMPACT_FRICTIONLESS);
}

static void test_example_42_reset(void **state) {
  (void)state;
  check_jack_plane("jack-plane-4.2", "ex42_reset", SS_IMPACT_FRICTIONLESS);
}

static void test_example_42_coulomb(void **state) {
  (void)state;
  check_jack_plane("jack-plane-4.2", "ex42_coulomb", SS_IMPACT_COULOMB);
}

// The mid-point rules with dt = 0.01 over ten periods: states at the oracle's times, and how often modes change.
static void test_example_53(void **state) {
  (void)state;
  const json_t *list = section("midpoint_ex53");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *expected = json_array_get(list, i), *at;
    bool stabilized = json_is_true(json_object_get(expected, "stabilized"));
    mechanism_run r;
    build_mechanism(&r, "jack-plane-5.3", NULL, 0);
    r.machine->options.scheme = stabilized ? SS_SCHEME_MIDPOINT_STABILIZED : SS_SCHEME_MIDPOINT;
    r.machine->options.step = json_number_value(json_object_get(expected, "dt"));
    begin_mechanism(&r);
    const int times[] = {8, 50, 100, 200, 350};
    for (int k = 0; k < 5; k++) {
      char key[8];
      snprintf(key, sizeof key, "%d", times[k]);
      at = json_object_get(json_object_get(expected, "states"), key);
      advance_mechanism(&r, times[k]);
      ss_evolution_state s = state_of(&r);
      double tol = stabilized ? 1e-9 : 2e-5;  // flips depend on rounding
      assert_near(s.q[1], json_number_value(json_object_get(at, "x3")), tol);
      if (stabilized) assert_near(s.v[1], json_number_value(json_object_get(at, "x4")), tol);
    }
    advance_mechanism(&r, 120 * acos(-1));
    double changes = json_number_value(json_object_get(expected, "n_mode_changes"));
    int found = ss_evolution_event_count(r.e);  // the start counts there: its first mode
    if (stabilized)
      assert_int_equal(found, (int)changes);
    else
      assert_true(fabs(found - changes) < 0.02 * changes);
    end_mechanism(&r);
  }
}

// ---- two blocks -----------------------------------------------------------------------------------

// Regions of section C: 1 both open or slip, 2 both persist or stick, 3 and 4 as there.
static int separation(double F1, double F2) {
  if (F2 <= 10 && F1 + F2 <= 20) return 2;
  if (F1 + F2 > 20 && F1 >= F2) return 3;
  return F2 > 10 && F1 <= 10 ? 4 : 1;
}

static int stick_slip(double F1, double F2) {
  double sum = F1 + F2, sigma = sum > 0 ? 1 : -1;
  if (fabs(F2) <= 10 && fabs(sum) <= 20) return 2;
  if ((F2 > 10 && F1 >= -30 && F1 <= 10) || (F2 < -10 && F1 >= -10 && F1 <= 30)) return 4;
  if (fabs(sum) > 20 && sigma * (F1 - F2) >= 0 && sigma * (F1 - F2) <= 40) return 3;
  return 1;
}

static int region(bool vertical, double F1, double F2) {
  return vertical ? separation(F1, F2) : stick_slip(F1, F2);
}

// Forces grow along a ray; when does the region change after `from`? INFINITY: not before t = 50.
static double next_change(bool vertical, double f1, double f2, double from) {
  enum { STEPS = 20000 };
  int now = region(vertical, f1 * (from + 1e-9), f2 * (from + 1e-9));
  double low = from, high = from;
  for (int k = 0; k < STEPS && high < 50; k++) {
    low = high, high = low + 50.0 / STEPS;
    if (region(vertical, f1 * high, f2 * high) != now) break;
  }
  if (high >= 50 - 1e-9) return INFINITY;
  for (int k = 0; k < 80; k++) {
    double mid = (low + high) / 2;
    *(region(vertical, f1 * mid, f2 * mid) == now ? &low : &high) = mid;
  }
  return high;
}

static int region_of(bool vertical, const ss_mode *mode) {
  bool moved[2];
  for (int i = 0; i < 2; i++)
    moved[i] = vertical ? mode[i] == SS_MODE_FREE : mode[i] == SS_MODE_SLIP;
  return moved[0] ? (moved[1] ? 1 : 3) : (moved[1] ? 4 : 2);
}

// Once blocks move, forces that go on growing along the ray keep every direction of slip, so that the regions, which
// are about blocks at rest, hold all the way.
static void check_ray(bool vertical, double angle, double rate) {
  double f1 = rate * cos(angle), f2 = rate * sin(angle), t = 0;
  const parameter given[] = {{"vertical", vertical}, {"dF1", f1}, {"dF2", f2}};
  mechanism_run r;
  build_mechanism(&r, "two-blocks", given, 3);
  begin_mechanism(&r);
  advance_mechanism(&r, 50);
  if (ss_evolution_end(r.e))
    fail_msg("vertical %d angle %g rate %g: %s", vertical, angle, rate, ss_evolution_end(r.e));
  int count = ss_evolution_event_count(r.e), k = 1;
  ss_mode mode[2] = {SS_MODE_STICK, SS_MODE_STICK};
  while ((t = next_change(vertical, f1, f2, t)) < 50) {
    if (k == count)
      fail_msg("vertical %d angle %g rate %g: nothing at %g", vertical, angle, rate, t);
    for (; k < count && fabs(event_at(&r, k).time - t) <= 1e-8; k++)
      mode[event_at(&r, k).contact] = event_at(&r, k).to;
    int expected = region(vertical, f1 * (t + 1e-6), f2 * (t + 1e-6));
    if (region_of(vertical, mode) != expected)
      fail_msg(
          "vertical %d angle %.9g rate %g: region %d at t = %.12g, expected %d; next event %.12g",
          vertical, angle, rate, region_of(vertical, mode), t, expected,
          k < count ? event_at(&r, k).time : NAN);
  }
  assert_int_equal(k, count);
  ss_evolution_state s = state_of(&r);
  assert_true(law_violation(&r.machine->mechanism, &s, 1) < 1e-10);
  end_mechanism(&r);
}

static void test_blocks_move_at_the_borders(void **state) {
  (void)state;
  need_sundials();
  ssi_rng g = {14};
  const double rates[] = {0.3, 1, 4};
  for (int k = 0; k < 60; k++) check_ray(k % 2, 2 * acos(-1) * ssi_rng_uniform(&g), rates[k % 3]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_example_41),
      cmocka_unit_test(test_example_42_reset),
      cmocka_unit_test(test_example_42_coulomb),
      cmocka_unit_test(test_example_53),
      cmocka_unit_test(test_blocks_move_at_the_borders),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
