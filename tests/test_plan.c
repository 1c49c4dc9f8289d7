// solvers/auto/plan.c and auto.c: every transition of the plan, by facts put to it; every phase entered by real
// problems; limits and cancellation inside the sweeps between interior points.
#include "harness.h"

#include "solvers/auto/numbers.h"
#include "solvers/auto/plan.h"
#include "solvers/auto/rounds.h"
#include "stickslip/stickslip.h"

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
  f.by_bodies = true, assert_next(&f, SSI_NEWTON_SWEEPS);
  f.refused |= 1u << SSI_NEWTON_SWEEPS | 1u << SSI_MOMENTUM, assert_next(&f, SSI_ADMM);
  f.refused |= 1u << SSI_ADMM, assert_next(&f, SSI_RANDOM);
  f.refused |= 1u << SSI_RANDOM, assert_next(&f, SSI_GIVE_UP);
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

static void newton_goes_on_or_back(void **state) {
  (void)state;
  ssi_facts f = slow(SSI_NEWTON);
  f.steps = SSI_NEWTON_STEPS - 1, assert_next(&f, SSI_STAY);
  f.steps = SSI_NEWTON_STEPS, assert_next(&f, SSI_INTERIOR);
  f.steps = SSI_SHORT, assert_next(&f, SSI_STAY);
  f.by_bodies = true, assert_next(&f, SSI_INTERIOR);
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

// The tests above have seen every phase entered, and left, and every `next` of the table taken.
static void nothing_is_left_out(void **state) {
  (void)state;
  uint32_t entered = 0;
  for (ssi_phase p = 0; p < SSI_PHASES; p++) {
    entered |= left_to[p];
    const ssi_phase_row *row = ssi_phase_of(p);
    if (!left_to[p]) fail_msg("%s is never left", row->name);
    bool chained = p != SSI_NEWTON && p != SSI_RANDOM;
    if (chained && p != SSI_INTERIOR && !(left_to[p] >> row->next & 1))
      fail_msg("%s is never followed by %s", row->name, name_of(row->next));
  }
  for (ssi_phase p = 0; p < SSI_PHASES; p++)
    if (!(entered >> p & 1)) fail_msg("%s is never entered", ssi_phase_of(p)->name);
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

// ---- real problems -------------------------------------------------------------------------

typedef struct watch {
  uint32_t entered;
  ssi_phase last;
  int iterations;    // at the last measure
  int settled_from;  // where settling began first; 0: not yet
  bool stop;         // cancel in the middle of settling
  int calls_since;
} watch;

static void hear(void *user, ss_level level, const char *text) {
  watch *w = user;
  const char *at = strstr(text, "auto: phase=");
  if (level != SS_LOG_DEBUG || !at) return;
  for (ssi_phase p = 0; p < SSI_PHASES; p++) {
    char name[64];
    snprintf(name, sizeof name, "phase=%s error", ssi_phase_of(p)->name);
    if (!strstr(at, name)) continue;
    w->entered |= 1u << p;
    w->last = p;
  }
}

static int count(void *user, const ss_info *now) {
  watch *w = user;
  w->iterations = now->iterations;
  if (w->last != SSI_SETTLING) return 0;
  if (!w->settled_from) w->settled_from = now->iterations;
  return w->stop && ++w->calls_since > 1;
}

static ss_info run(const ss_problem *p, watch *w, int max_iter, double *r) {
  ss_context ctx = {.log = hear, .user = w};
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  o.progress = count, o.user = w, o.max_iter = max_iter;
  memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
  assert_int_equal(ss_solver_create(&ctx, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  return info;
}

// A body between two walls that come nearer: its motions cannot open both contacts, so there is no solution.
typedef struct vice {
  int64_t mptr[4], hptr[5];
  int mcol[3], hcol[12];
  double m[3], h[12], f[3], w[4], mu[2];
  ss_problem p;
} vice;

static void make_vice(vice *v) {
  static const double H[12] = {1, 0, 0.3, 0, 1, 0.7, -1, 0, 0.2, 0, -1, 0.5};
  *v = (vice){.m = {1, 1, 0.4}, .f = {0.1, 9.81, 0}, .w = {-1, 0.1, -1, 0.2}, .mu = {0.5, 0.3}};
  for (int k = 0; k < 3; k++) v->mcol[k] = k, v->mptr[k + 1] = k + 1;
  for (int k = 0; k < 12; k++) v->hcol[k] = k % 3, v->h[k] = H[k];
  for (int k = 0; k < 4; k++) v->hptr[k + 1] = 3 * (k + 1);
  v->h[2] = v->h[8] = 0;  // no turn opens them either
  v->p = (ss_problem){.form = SS_GLOBAL,
                      .dim = 2,
                      .nc = 2,
                      .ndof = 3,
                      .mu = v->mu,
                      .M = {3, 3, v->mptr, v->mcol, v->m},
                      .H = {4, 3, v->hptr, v->hcol, v->h},
                      .f = v->f,
                      .w = v->w};
}

static ss_problem *pile(int contacts, double mu, uint64_t seed) {
  ss_pile_options o = ss_pile_options_default();
  ss_problem *p;
  o.contacts = contacts, o.mu = mu, o.seed = seed;
  assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
  return p;
}

// Those that follow each other; a problem without a solution comes to all of them.
static void real_problems_enter_the_phases(void **state) {
  (void)state;
  watch w = {0};
  double r[4];
  vice v;
  make_vice(&v);
  ss_info info = run(&v.p, &w, 0, r);
  assert_int_not_equal(info.status, SS_SOLVED);
  uint32_t expected = 1u << SSI_INTERIOR | 1u << SSI_NEWTON_SWEEPS | 1u << SSI_MOMENTUM |
                      1u << SSI_ADMM | 1u << SSI_RANDOM | 1u << SSI_ATTEMPTS | 1u << SSI_SETTLING;
  for (ssi_phase p = 0; p < SSI_PHASES; p++)
    if ((expected & ~w.entered) >> p & 1) fail_msg("%s is not entered", ssi_phase_of(p)->name);
}

static void a_pile_is_solved_in_rounds(void **state) {
  (void)state;
  watch w = {0};
  ss_problem *p = pile(300, 0.8, 1);
  double *r = calloc((size_t)(3 * p->nc), sizeof *r);
  assert_non_null(r);
  ss_info info = run(p, &w, 0, r);
  assert_int_equal(info.status, SS_SOLVED);
  assert_true(w.entered >> SSI_NEWTON & 1 && w.entered >> SSI_INTERIOR & 1);
  assert_true(w.entered >> SSI_SMOOTHING & 1 || w.entered >> SSI_SETTLING & 1);
  free(r);
  ss_problem_destroy(p);
}

// Sweeps between interior points are iterations: a limit ends in the middle of them, to the iteration, and so does
// the caller.
static void limits_hold_while_settling(void **state) {
  (void)state;
  watch w = {0};
  double r[4];
  vice v;
  make_vice(&v);
  run(&v.p, &w, 0, r);
  assert_true(w.settled_from > 0);
  int inside = w.settled_from + SSI_SETTLE / 2;
  watch limited = {0};
  ss_info info = run(&v.p, &limited, inside, r);
  assert_int_equal(info.status, SS_MAX_ITER);
  assert_int_equal(info.iterations, inside);
  assert_int_equal(limited.last, SSI_SETTLING);
  watch cancelled = {.stop = true};
  info = run(&v.p, &cancelled, 0, r);
  assert_int_equal(info.status, SS_CANCELLED);
  assert_in_range(info.iterations, w.settled_from, w.settled_from + SSI_SETTLE - 1);
  assert_int_equal(cancelled.last, SSI_SETTLING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sweeps_are_left_by_prediction),
      cmocka_unit_test(sweeps_have_their_time),
      cmocka_unit_test(hopeless_phases_are_given_up),
      cmocka_unit_test(interior_points_without_bodies),
      cmocka_unit_test(interior_points_by_bodies),
      cmocka_unit_test(sweeps_between_interior_points_end),
      cmocka_unit_test(middle_phases_follow_each_other),
      cmocka_unit_test(random_sweeps_and_attempts),
      cmocka_unit_test(newton_goes_on_or_back),
      cmocka_unit_test(nothing_is_left_out),
      cmocka_unit_test(rounds_become_longer_and_change),
      cmocka_unit_test(real_problems_enter_the_phases),
      cmocka_unit_test(a_pile_is_solved_in_rounds),
      cmocka_unit_test(limits_hold_while_settling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
