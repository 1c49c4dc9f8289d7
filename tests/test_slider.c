// A block on two feet under random loads: every output obeys the laws, whatever the feet do.
//
// usage: test_slider [RUNS]     (default 50 of each kind)
#include "mechanism_run.h"

static int runs = 50;

typedef struct tally {
  int none;   // runs that came to a point without any solution, as is said of it
  int ended;  // that ended early for another reason
  int impacts, events;
  double violation, closure;
  char why[200];  // of the last that ended early
  int seed;
} tally;

static void run_seed(int seed, const parameter *loads, int count, tally *sum) {
  enum { OUTPUTS = 100 };
  parameter given[12];
  mechanism_run r;
  double speed = 0.1;
  for (int k = 0; k < count; k++) given[k] = loads[k];
  given[count] = (parameter){"seed", seed};
  build_mechanism(&r, "slider", given, count + 1);
  r.machine->options.max_events = 20000;
  begin_mechanism(&r);
  for (int k = 0; k <= OUTPUTS && !ss_evolution_end(r.e); k++) {
    advance_mechanism(&r, 5.0 * k / OUTPUTS);
    ss_evolution_state s = state_of(&r);
    speed = fmax(speed, largest_of(3, s.v));
    double violation = law_violation(&r.machine->mechanism, &s, speed);
    if (!(violation <= 1e-8))
      fail_msg("seed %d: violation %.3g at t = %.9g, modes %s, %s", seed, violation, s.time,
               ss_mode_name(2, s.modes[0]), ss_mode_name(2, s.modes[1]));
    sum->violation = fmax(sum->violation, violation);
  }
  ss_evolution_totals t;
  ss_evolution_totals_now(r.e, &t);
  if (!(t.violation <= 1e-8)) fail_msg("seed %d: the run says violation %.3g", seed, t.violation);
  sum->events += ss_evolution_event_count(r.e) - 1, sum->impacts += (int)t.impacts;
  sum->closure = fmax(sum->closure, closure_of(&r));
  const char *why = ss_evolution_end(r.e);
  bool none = why && strncmp(why, "no accelerations satisfy", 24) == 0 && strstr(why, "Painleve");
  sum->none += none;
  if (why && !none) {
    sum->ended++, sum->seed = seed;
    snprintf(sum->why, sizeof sum->why, "%s", why);
  }
  end_mechanism(&r);
}

static void run_from(int first, const char *name, int times, const parameter *loads, int count) {
  tally sum = {0};
  for (int k = 0; k < times; k++) run_seed(first + k, loads, count, &sum);
  print_message("%s: %d runs, %d events, %d impacts; without a solution %d, ended early %d; "
                "violation %.2e, energy %.2e\n",
                name, times, sum.events, sum.impacts, sum.none, sum.ended, sum.violation,
                sum.closure);
  if (sum.ended) print_message("  the last: seed %d: %s\n", sum.seed, sum.why);
  assert_true(sum.closure < 1e-9);
  assert_int_equal(sum.ended, 0);
  assert_true(10 * sum.none <= times);
}

static void run_all(const char *name, int times, const parameter *loads, int count) {
  run_from(1, name, times, loads, count);
}

static void test_feet_stick_and_slip(void **state) {
  (void)state;
  need_sundials();
  run_all("on its feet", runs, NULL, 0);
}

static const parameter rocking[] = {{"pull", 25}, {"push", 20}, {"friction", 0.8}, {"arm", 1.5}};

static void test_block_rocks_and_tumbles(void **state) {
  (void)state;
  need_sundials();
  run_all("rocking", runs, rocking, 4);
}

// Seed 409: a foot leaves the ground at 1e-52 m/s. Steps as short as it stays away would not be seen by the time.
static void test_foot_that_opens_for_no_time(void **state) {
  (void)state;
  need_sundials();
  run_from(409, "opening", 1, rocking, 4);
}

// Impacts from foot to foot that accumulate, again and again. With so much friction a foot that slides alone may be in
// Painleve's region.
static void test_narrow_block_rocks_to_rest(void **state) {
  (void)state;
  need_sundials();
  const parameter loads[] = {{"pull", 20},    {"push", 10},   {"friction", 1.8}, {"arm", 0.3},
                             {"height", 0.6}, {"half", 0.45}, {"pause", 0.08}};
  run_all("narrow", runs / 4, loads, 7);
}

int main(int argc, char **argv) {
  if (argc > 1) runs = atoi(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_feet_stick_and_slip),
      cmocka_unit_test(test_block_rocks_and_tumbles),
      cmocka_unit_test(test_foot_that_opens_for_no_time),
      cmocka_unit_test(test_narrow_block_rocks_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
