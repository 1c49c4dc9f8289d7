// solvers/auto/plan.c: every transition of the plan, by facts put to it, and that none is left out, by random facts; what
// a change of phase does to the facts. test_auto.c has real problems.
#include "harness.h"

#include "base/rng.h"
#include "solvers/auto/numbers.h"
#include "solvers/auto/plan.h"
#include "solvers/auto/rounds.h"

// ---- facts ---------------------------------------------------------------------------------

// A phase in the middle of its work: the error falls, and very slowly.
static ssi_facts slow(ssi_phase phase) {
  return (ssi_facts){.tol = 1e-8,
                     .newton_below = SSI_NEWTON_BELOW,
                     .newton_steps = SSI_NEWTON_STEPS,
                     .patience = 1,
                     .analysis_steps = 100,
                     .weighed = true,
                     .factorable = true,
                     .newton_cost = 10,
                     .asked = true,
                     .phase = phase,
                     .from = SSI_SWEEPS,
                     .steps = 600,
                     .limit = 1 << 30,
                     .error = 1e-3,
                     .estimate = NAN,
                     .first = 1.1e-3,
                     .window = {1e-3, 1.0001e-3, 1.0002e-3},
                     .refused = 1u << SSI_PARTS,
                     .newton_again = INFINITY,
                     .newton_began = 1e-3,
                     .newton_best = 1e-3,
                     .returned = INFINITY,
                     .rounds = SSI_ROUNDS};
}

static const char *name_of(ssi_phase p) {
  return p == SSI_STAY      ? "stay"
         : p == SSI_WEIGH   ? "weigh"
         : p == SSI_ASK     ? "ask"
         : p == SSI_GIVE_UP ? "give up"
                            : ssi_phase_of(p)->name;
}

static uint32_t left_to[SSI_PHASES];  // bit p: phase p was the next one

static void expect_next(const ssi_facts *f, ssi_phase expected, int line) {
  ssi_phase next = ssi_plan_next(f);
  if (next != expected)
    fail_msg("line %d: after %s comes %s, expected %s", line, name_of(f->phase), name_of(next),
             name_of(expected));
  if (next < SSI_PHASES) left_to[f->phase] |= 1u << next;
}
#define assert_next(facts, expected) expect_next(facts, expected, __LINE__)

static void sweeps_are_left_by_prediction(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_SWEEPS);
  assert_next(&f, SSI_NEWTON);
  f.steps = 605, assert_next(&f, SSI_STAY);  // between two measures
  f.steps = 20, assert_next(&f, SSI_STAY);   // too early to predict
  f = slow(SSI_SWEEPS);
  f.window[0] = 1.1e-8, f.window[2] = 1e-2;  // nearly there
  assert_next(&f, SSI_STAY);
  f = slow(SSI_SWEEPS);
  f.weighed = f.factorable = false;
  assert_next(&f, SSI_WEIGH);
  f.analysis_steps = 1e9, assert_next(&f, SSI_STAY);  // not worth the analysis
  f = slow(SSI_SWEEPS);
  f.factorable = false, assert_next(&f, SSI_STAY);  // too large: sweeps for ever
  f = slow(SSI_SWEEPS);
  f.refused = 0, assert_next(&f, SSI_PARTS);
  f.weighed = f.factorable = false, assert_next(&f, SSI_PARTS);  // before the whole is analysed
  f = slow(SSI_SWEEPS);
  f.steps = 20000, f.first = 1;  // rounding made it look solved once; the driver did not agree
  f.window[0] = f.window[1] = f.window[2] = 1e-15, assert_next(&f, SSI_NEWTON);
}

static void sweeps_have_their_time(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_SWEEPS);
  f.newton_cost = 60, f.steps = 290, assert_next(&f, SSI_STAY);  // 300 are worth five steps
  f.steps = 300, assert_next(&f, SSI_NEWTON);
  f.patience = 2, assert_next(&f, SSI_STAY);
  f.patience = 1, f.newton_cost = 1e5;  // however dear: judged after SSI_JUDGED
  f.steps = SSI_JUDGED - SSI_WINDOW, assert_next(&f, SSI_STAY);
  f.newton_cost = 1e3, f.steps = SSI_JUDGED, assert_next(&f, SSI_NEWTON);
}

static void hopeless_phases_are_given_up(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_SWEEPS);
  f.newton_again = 1e-4;  // Newton has failed from here
  assert_next(&f, SSI_INTERIOR);
  f.steps = SSI_JUDGED, assert_next(&f, SSI_STAY);
  f = slow(SSI_SWEEPS);
  f.newton_below = 1e-5;  // too far for Newton
  f.refused |= 1u << SSI_INTERIOR, assert_next(&f, SSI_MOMENTUM);
  f.by_bodies = true, assert_next(&f, SSI_TURNS);
  f.refused |= 1u << SSI_TURNS, assert_next(&f, SSI_NEWTON_SWEEPS);
  f.refused |= 1u << SSI_NEWTON_SWEEPS | 1u << SSI_MOMENTUM, assert_next(&f, SSI_ADMM);
  f.refused |= 1u << SSI_ADMM, assert_next(&f, SSI_RANDOM);
  f.refused |= 1u << SSI_RANDOM, assert_next(&f, SSI_GIVE_UP);
}

// Newton and sweeps in turn have the work of one settling, 2,000 sweeps.
static void turns_before_the_rounds(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_TURNS);
  f.by_bodies = true, f.newton_cost = 4;
  f.steps = SSI_SETTLE / 4 - 1, assert_next(&f, SSI_STAY);
  f.steps = SSI_SETTLE / 4, assert_next(&f, SSI_INTERIOR);
  f.newton_cost = SSI_SETTLE, f.steps = 1, assert_next(&f, SSI_INTERIOR);
  f.newton_cost = 4, assert_next(&f, SSI_STAY);
  f.stalled = true, assert_next(&f, SSI_INTERIOR);
  f.stalled = false, f.round = 16, f.steps = SSI_SETTLE - 1, assert_next(&f, SSI_STAY);  // of four
  f.steps = SSI_SETTLE, assert_next(&f, SSI_INTERIOR);
}

// Balls have rounds first.
static void turns_of_balls(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_SWEEPS);
  f.newton_below = 1e-5, f.by_bodies = true, assert_next(&f, SSI_TURNS);
  f.balls = true, assert_next(&f, SSI_INTERIOR);
  f = slow(SSI_SETTLING);
  f.by_bodies = f.balls = true, f.round = 1, f.steps = SSI_SETTLE, assert_next(&f, SSI_TURNS);
}

// After 2, 4, 8, ... rounds, the one that ends now counted.
static void turns_between_rounds(void **state) {
  (void)state;
  for (int made = 1; made <= SSI_ROUNDS; made++) {
    bool turn = made == 2 || made == 4 || made == 8 || made == 16 || made == 32;
    ssi_facts f = slow(SSI_SETTLING);
    f.by_bodies = true, f.round = made - 1, f.steps = SSI_SETTLE;
    assert_next(&f, turn ? SSI_TURNS : SSI_INTERIOR);
    ssi_plan_enter(&f, turn ? SSI_TURNS : SSI_INTERIOR, 300);
    assert_int_equal(f.round, made);
    if (turn) ssi_plan_enter(&f, SSI_INTERIOR, 300);
    assert_int_equal(f.round, made);
    f.phase = SSI_SETTLING, f.round = made - 1, f.refused |= 1u << SSI_TURNS;
    f.steps = SSI_SETTLE, assert_next(&f, SSI_INTERIOR);
  }
  ssi_facts f = slow(SSI_SWEEPS);
  f.round = 7, ssi_plan_enter(&f, SSI_TURNS, 300);
  assert_int_equal(f.round, 0);  // new rounds
}

static void interior_points_without_bodies(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_INTERIOR);
  f.limit = 300, f.steps = 299, assert_next(&f, SSI_STAY);
  f.steps = 300, assert_next(&f, SSI_MOMENTUM);
  f.steps = 5, f.stalled = true, assert_next(&f, SSI_MOMENTUM);
}

static void interior_points_by_bodies(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_INTERIOR);
  f.by_bodies = true, f.limit = 300, f.error = SSI_SMOOTH_BELOW / 2;
  f.steps = SSI_SMOOTH_EVERY, assert_next(&f, SSI_SMOOTHING);
  f.steps = SSI_SMOOTH_EVERY + 1, assert_next(&f, SSI_STAY);
  f.steps = 0, assert_next(&f, SSI_STAY);
  f.steps = 100 * SSI_SMOOTH_EVERY, f.error = 2 * SSI_SMOOTH_BELOW, assert_next(&f, SSI_STAY);
  f.stalled = true, assert_next(&f, SSI_SETTLING);
  f.round = f.rounds, assert_next(&f, SSI_NEWTON_SWEEPS);
  f.round = 0, f.refused |= 1u << SSI_SETTLING, assert_next(&f, SSI_NEWTON_SWEEPS);
}

static void sweeps_between_interior_points_end(void **state) {
  (void)state;
  static const ssi_phase phases[] = {SSI_SMOOTHING, SSI_SETTLING};
  for (int k = 0; k < 2; k++) {
    ssi_facts f = slow(phases[k]);
    f.by_bodies = true;
    f.steps = ssi_phase_of(f.phase)->budget - 1, assert_next(&f, SSI_STAY);
    f.steps++, assert_next(&f, SSI_INTERIOR);
    f.steps = 1, f.estimate = 1e-10, assert_next(&f, SSI_INTERIOR);  // nothing moves any more
    f.estimate = 1e-8, assert_next(&f, SSI_STAY);
  }
}

static void middle_phases_follow_each_other(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_NEWTON_SWEEPS);
  f.by_bodies = true, assert_next(&f, SSI_STAY);
  f.stalled = true, assert_next(&f, SSI_MOMENTUM);
  f = slow(SSI_MOMENTUM);
  f.steps = SSI_JUDGED - 1, assert_next(&f, SSI_STAY);
  f.steps = SSI_JUDGED, assert_next(&f, SSI_NEWTON);
  f.error = 0.1, assert_next(&f, SSI_ADMM);
  f = slow(SSI_ADMM);
  assert_next(&f, SSI_NEWTON);
  f.error = 0.1, assert_next(&f, SSI_RANDOM);
  f = slow(SSI_ADMM);
  f.steps = 3, f.stalled = true, assert_next(&f, SSI_NEWTON);
  f.newton_again = 1e-9, assert_next(&f, SSI_RANDOM);
  f = slow(SSI_PARTS);
  assert_next(&f, SSI_STAY);
  f.stalled = true, assert_next(&f, SSI_INTERIOR);
  f.weighed = false, assert_next(&f, SSI_WEIGH);
  f.weighed = true, f.factorable = false, assert_next(&f, SSI_RANDOM);
}

static void random_sweeps_and_attempts(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_RANDOM);
  assert_next(&f, SSI_NEWTON);
  f.newton_again = 1e-4;
  assert_next(&f, SSI_ATTEMPTS);
  f.refused |= 1u << SSI_ATTEMPTS, assert_next(&f, SSI_STAY);  // they have been made
  f = slow(SSI_RANDOM);
  f.newton_again = 1e-4, f.window[2] = 1.05e-3;  // some 4,700 sweeps to go
  assert_next(&f, SSI_STAY);
  f = slow(SSI_ATTEMPTS);
  assert_next(&f, SSI_STAY);
  f.stalled = true, assert_next(&f, SSI_NEWTON);
  f.error = 0.1, assert_next(&f, SSI_ATTEMPTS);
  f.refused |= 1u << SSI_ATTEMPTS, assert_next(&f, SSI_RANDOM);
}

// A caller is asked once, before what is dearest; where there is no solution it is not begun, and where one is in doubt
// nothing follows it.
static void doubt_ends_what_is_dearest(void **state) {
  (void)state;
  for (int doubt = 0; doubt < 3; doubt++) {
    bool doubtful = doubt > 0, refuted = doubt > 1;
    ssi_facts f = slow(SSI_RANDOM);
    f.newton_again = 1e-4, f.asked = false, assert_next(&f, SSI_ASK);
    f.asked = true, f.doubtful = doubtful, f.refuted = refuted;
    assert_next(&f, refuted ? SSI_GIVE_UP : SSI_ATTEMPTS);
    f.refused |= 1u << SSI_ATTEMPTS, assert_next(&f, doubtful ? SSI_GIVE_UP : SSI_STAY);
    f = slow(SSI_ATTEMPTS);
    f.stalled = true, f.error = 0.1, f.doubtful = doubtful, f.refuted = refuted;
    assert_next(&f, SSI_ATTEMPTS);
    f.refused |= 1u << SSI_ATTEMPTS, assert_next(&f, doubtful ? SSI_GIVE_UP : SSI_RANDOM);
    f.phase = SSI_NEWTON, f.from = SSI_ATTEMPTS;
    assert_next(&f, doubtful ? SSI_GIVE_UP : SSI_RANDOM);
    f = slow(SSI_PARTS);
    f.asked = false, assert_next(&f, SSI_STAY);
    f.stalled = true, assert_next(&f, SSI_ASK);
    f.asked = true, f.doubtful = doubtful, f.refuted = refuted;
    assert_next(&f, doubtful ? SSI_GIVE_UP : SSI_INTERIOR);
    f = slow(SSI_SETTLING);
    f.by_bodies = true, f.steps = SSI_SETTLE, f.asked = false;
    f.round = SSI_FULL_LENGTH - 2, assert_next(&f, SSI_INTERIOR);
    f.round = SSI_FULL_LENGTH, assert_next(&f, SSI_ASK);
    f.asked = true, f.doubtful = doubtful, f.refuted = refuted;
    assert_next(&f, refuted ? SSI_GIVE_UP : SSI_INTERIOR);
    f.steps = 1, f.estimate = 1, assert_next(&f, SSI_STAY);
  }
}

static void newton_goes_on_or_back(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_NEWTON);
  f.steps = SSI_NEWTON_STEPS - 1, assert_next(&f, SSI_STAY);
  f.steps = SSI_NEWTON_STEPS, assert_next(&f, SSI_INTERIOR);
  f.steps = SSI_SHORT, assert_next(&f, SSI_STAY);
  f.by_bodies = true, assert_next(&f, SSI_TURNS);
  f = slow(SSI_NEWTON);
  f.steps = 30, f.newton_best = 1e-6, f.newton_idle = SSI_SHORT, assert_next(&f, SSI_SWEEPS);
  f.newton_idle = 0, assert_next(&f, SSI_STAY);
  f.stalled = true, assert_next(&f, SSI_SWEEPS);
  f.returned = 2e-6, assert_next(&f, SSI_INTERIOR);  // been there
  f = slow(SSI_NEWTON);
  f.stalled = true;
  f.from = SSI_MOMENTUM, assert_next(&f, SSI_ADMM);
  f.from = SSI_ADMM, assert_next(&f, SSI_RANDOM);
  f.from = SSI_RANDOM, assert_next(&f, SSI_RANDOM);
  f.from = SSI_ATTEMPTS, assert_next(&f, SSI_ATTEMPTS);
  f.refused |= 1u << SSI_ATTEMPTS, assert_next(&f, SSI_RANDOM);
}

// The chain from each phase that is over, every link of it refused in turn.
static void refused_phases_are_passed_over(void **state) {
  (void)state;
  static const ssi_phase chain[] = {SSI_TURNS, SSI_INTERIOR, SSI_NEWTON_SWEEPS, SSI_MOMENTUM,
                                    SSI_ADMM};
  static const struct {
    ssi_phase phase;
    int first;  // of the chain
  } over[] = {{SSI_NEWTON, 0},        {SSI_PARTS, 1},    {SSI_TURNS, 1}, {SSI_INTERIOR, 2},
              {SSI_NEWTON_SWEEPS, 3}, {SSI_MOMENTUM, 4}, {SSI_ADMM, 5}};
  for (int k = 0; k < 7; k++) {
    ssi_facts f = slow(over[k].phase);
    f.stalled = f.by_bodies = true, f.round = f.rounds, f.newton_again = 0;
    for (int i = over[k].first; i < 5; f.refused |= 1u << chain[i++]) assert_next(&f, chain[i]);
    assert_next(&f, SSI_RANDOM);
    f.refused |= 1u << SSI_RANDOM, assert_next(&f, SSI_GIVE_UP);
  }
  ssi_facts f = slow(SSI_RANDOM);
  f.stalled = true, f.newton_again = 0, assert_next(&f, SSI_RANDOM);  // from where it stands
}

// Any facts at all, as far as they can come about.
static ssi_facts any(ssi_phase phase, ssi_rng *g) {
#define ONE_OF(...)                                                                                \
  ((const double[]){__VA_ARGS__})[(int)(ssi_rng_uniform(g) *                                       \
                                        (double)(sizeof(double[]){__VA_ARGS__} / sizeof(double)))]
  ssi_facts f = slow(phase);
  f.weighed = ssi_rng_uniform(g) < 0.8;
  f.factorable = f.weighed && ssi_rng_uniform(g) < 0.8;
  f.by_bodies = f.factorable && ssi_rng_uniform(g) < 0.5;
  f.balls = f.by_bodies && ssi_rng_uniform(g) < 0.5;
  f.newton_cost = f.factorable ? ONE_OF(1, 10, 1000) : INFINITY;
  f.asked = ssi_rng_uniform(g) < 0.5;
  f.doubtful = f.asked && ssi_rng_uniform(g) < 0.5;
  f.refuted = f.doubtful && ssi_rng_uniform(g) < 0.5;
  f.rounds = f.by_bodies ? (int)ONE_OF(0, SSI_ROUNDS) : 0;
  f.round = (int)ONE_OF(0, SSI_ROUNDS);
  f.steps = (int)ONE_OF(0, 5, 30, 500, 600, 601, 2000);
  f.limit = (int)ONE_OF(300, 1 << 30);
  f.stalled = ssi_rng_uniform(g) < 0.5;
  f.error = ONE_OF(1, 1e-3, 1e-5, 1e-9);
  f.estimate = ONE_OF(NAN, 1, 1e-12);
  f.window[2] = f.window[0] * ONE_OF(1, 1.0002, 1.05, 1e6);
  f.refused = 0;
  for (ssi_phase p = SSI_SWEEPS + 1; p < SSI_PHASES; p++)
    if (ssi_rng_uniform(g) < 0.3) f.refused |= 1u << p;
  f.newton_again = ONE_OF(INFINITY, 1e-4);
  f.newton_best = ONE_OF(1e-3, 1e-6);
  f.newton_idle = (int)ONE_OF(0, SSI_SHORT);
  f.returned = ONE_OF(INFINITY, 1e-6);
  if (phase == SSI_NEWTON) {  // which begins in these, and only where it is affordable
    static const ssi_phase from[] = {SSI_SWEEPS, SSI_MOMENTUM, SSI_ADMM, SSI_RANDOM, SSI_ATTEMPTS};
    f.from = from[(int)(5 * ssi_rng_uniform(g))];
    f.weighed = f.factorable = true;
  }
#undef ONE_OF
  return f;
}

// The tests above have seen every transition that any facts lead to.
static void nothing_is_left_out(void **state) {
  (void)state;
  ssi_rng g = {1};
  uint32_t entered = 0;
  for (ssi_phase p = 0; p < SSI_PHASES; p++) {
    uint32_t possible = 0;
    for (int k = 0; k < 20000; k++) {
      ssi_facts f = any(p, &g);
      ssi_phase next = ssi_plan_next(&f);
      if (next < SSI_PHASES) possible |= 1u << next;
    }
    for (ssi_phase to = 0; to < SSI_PHASES; to++)
      if ((possible & ~left_to[p]) >> to & 1)
        fail_msg("no test has %s after %s", name_of(to), name_of(p));
    entered |= left_to[p];
  }
  for (ssi_phase p = 0; p < SSI_PHASES; p++)
    if (!(entered >> p & 1)) fail_msg("%s is never entered", ssi_phase_of(p)->name);
}

// ---- what a change of phase does to the facts ------------------------------------------------

static void newton_is_tried_again_from_a_better_place(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_SWEEPS);
  ssi_plan_enter(&f, SSI_NEWTON, 7);
  assert_true(f.phase == SSI_NEWTON && f.from == SSI_SWEEPS && f.limit == 7 && f.steps == 0);
  assert_true(f.newton_began == 1e-3 && f.newton_best == 1e-3 && f.newton_idle == 0);
  assert_true(f.first == INFINITY && f.window[0] == INFINITY && f.window[2] == INFINITY);
  f.error = f.newton_best = 1e-4;  // handed on
  ssi_facts gained = f;
  ssi_plan_enter(&f, SSI_INTERIOR, 7);
  assert_true(f.newton_again == SSI_GAIN * 1e-4);
  assert_true(f.returned == INFINITY);
  ssi_plan_enter(&gained, SSI_SWEEPS, 7);
  assert_true(gained.newton_again == INFINITY && gained.returned == 1e-4);
  f = slow(SSI_ATTEMPTS);
  ssi_plan_enter(&f, SSI_ATTEMPTS, 7);
  assert_true(f.newton_again == INFINITY);  // each attempt has a Newton of its own
  ssi_plan_enter(&f, SSI_RANDOM, 7);
  assert_true(f.newton_again == SSI_GAIN * 1e-3);
}

static void rounds_are_counted(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_SWEEPS);
  f.round = 9;
  ssi_plan_enter(&f, SSI_INTERIOR, 300);
  assert_true(f.round == 0 && f.steps == 0);
  f.steps = 6;
  ssi_plan_enter(&f, SSI_SMOOTHING, 300);
  assert_int_equal(f.steps, 0);
  f.steps = 30;
  ssi_plan_enter(&f, SSI_INTERIOR, 300);
  assert_true(f.round == 0 && f.steps == 6);  // goes on
  f.stalled = true;
  ssi_plan_enter(&f, SSI_SETTLING, 300);
  ssi_plan_enter(&f, SSI_INTERIOR, 300);
  assert_true(f.round == 1 && f.steps == 6 && !f.stalled);
}

static void errors_are_wanted_where_they_decide(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_SWEEPS);
  f.steps = 3 * SSI_WINDOW, assert_true(ssi_plan_wants_measure(&f));
  f.steps++, assert_false(ssi_plan_wants_measure(&f));
  f.stalled = true, assert_true(ssi_plan_wants_measure(&f));
  f = slow(SSI_SETTLING);
  f.steps = SSI_WINDOW, assert_false(ssi_plan_wants_measure(&f));
  f.steps = SSI_SETTLE, assert_true(ssi_plan_wants_measure(&f));
  ssi_plan_enter(&f, SSI_SWEEPS, 300);
  f.error = 1, f.steps = SSI_WINDOW, ssi_plan_observe(&f);
  f.error = 0.1, f.steps = SSI_WINDOW + 1, ssi_plan_observe(&f);  // between two windows
  f.error = 0.5, f.steps = 2 * SSI_WINDOW, ssi_plan_observe(&f);
  f.error = 0.7, f.steps = 3 * SSI_WINDOW, ssi_plan_observe(&f);
  assert_true(f.first == 1 && f.window[0] == 0.5 && f.window[1] == 0.5 && f.window[2] == 1);
}

// ---- rounds --------------------------------------------------------------------------------

static void rounds_become_longer_and_change(void **state) {
  (void)state;
  ssi_ipm_options first = ssi_interior_first(false);
  assert_true(first.direction == SSI_IPM_NT && first.near == 0 && first.starts > 1);
  first = ssi_interior_first(true);
  assert_true(first.direction == SSI_IPM_AHO && first.system == SSI_IPM_GLOBAL &&
              first.starts == 1);
  double length = first.limit;
  int middle = 0;
  for (int k = 0; k < SSI_ROUNDS; k++) {
    ssi_ipm_options o = ssi_interior_round(k, 1e-5);
    assert_true(o.limit >= length && o.limit <= 5 * first.limit);
    assert_true(o.near == 0 || (o.near >= 1e-6 && o.near <= 1e-4));
    if (o.near == 0) assert_true(o.first == ++middle);
    length = o.limit;
  }
  assert_int_equal(middle, SSI_ROUNDS / 6);
  assert_true(ssi_interior_round(0, 0).near > 0);  // not from the middle by accident
  assert_int_equal(ssi_interior_rounds(1, 1e9), SSI_ROUNDS);
  assert_int_equal(ssi_interior_rounds(1e9, 3e9), 3);
  assert_int_equal(ssi_interior_rounds(1e10, 3e9), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sweeps_are_left_by_prediction),
      cmocka_unit_test(sweeps_have_their_time),
      cmocka_unit_test(hopeless_phases_are_given_up),
      cmocka_unit_test(turns_before_the_rounds),
      cmocka_unit_test(turns_of_balls),
      cmocka_unit_test(turns_between_rounds),
      cmocka_unit_test(interior_points_without_bodies),
      cmocka_unit_test(interior_points_by_bodies),
      cmocka_unit_test(sweeps_between_interior_points_end),
      cmocka_unit_test(middle_phases_follow_each_other),
      cmocka_unit_test(random_sweeps_and_attempts),
      cmocka_unit_test(doubt_ends_what_is_dearest),
      cmocka_unit_test(newton_goes_on_or_back),
      cmocka_unit_test(refused_phases_are_passed_over),
      cmocka_unit_test(nothing_is_left_out),
      cmocka_unit_test(newton_is_tried_again_from_a_better_place),
      cmocka_unit_test(rounds_are_counted),
      cmocka_unit_test(errors_are_wanted_where_they_decide),
      cmocka_unit_test(rounds_become_longer_and_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
