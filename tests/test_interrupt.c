// Who asks for an end is heard inside a solve, inside its inner loops and inside a step, and what was begun has not been.
#include "random_problem.h"
#include "scene_run.h"

typedef struct asked {
  long long asks, until;  // nonzero from the ask `until` on
} asked;

static int end_at(void *user) {
  asked *a = user;
  return ++a->asks >= a->until;
}

// ---- solves ------------------------------------------------------------------------------------

static const random_shape crowd = {
    .dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 0.9};

// How often it asked after it was told to end.
static long long asks_after(const ss_problem *p, ss_options o, long long until) {
  asked a = {.until = until};
  o.stop = end_at, o.user = &a;
  ss_solver *s;
  ss_info info;
  double r[30] = {0};
  assert_int_equal(ss_solver_create(&ctx, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  if (info.status == SS_SOLVED || info.status == SS_STALLED)
    assert_true(a.asks < until);  // it came to its own end before
  else
    assert_int_equal(info.status, SS_CANCELLED);
  assert_true(isfinite(info.error));
  ss_solver_destroy(s);
  return a.asks - until;
}

static void every_method_hears_it(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, crowd, 41);
  for (int k = 0; ss_method_name(k); k++) {
    ss_options o = ss_options_default();
    o.method = ss_method_name(k), o.tol = 1e-17;
    assert_int_equal(asks_after(&p, o, 1), 0);  // before the first iteration
    assert_true(asks_after(&p, o, 4) <= 3);
  }
  ssi_arena_release(&arena);
}

// One iteration of aclm is a program that would not end by itself.
static void inner_loops_hear_it(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, crowd, 41);
  static const char *const inner[] = {"pg", "apg", "facet", "sqp", "ipm", "polyhedral", "socp"};
  for (int k = 0; k < 7; k++) {
    ss_setting settings[] = {{"inner", inner[k]}, {"inner_tol", "1e-300"}, {"inner_max", "1e9"}};
    ss_options o = ss_options_default();
    o.method = "aclm", o.tol = 1e-17, o.settings = settings, o.setting_count = 3;
    for (long long until = 2; until < 60; until += 19) assert_true(asks_after(&p, o, until) <= 8);
  }
  ssi_arena_release(&arena);
}

// What is cut short leaves r as it was, and asks no more than once after it was told.
static void least_norm_hears_it(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, crowd, 41);
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  double solved[30] = {0};
  o.tol = 1e-9;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, solved, NULL, NULL, NULL, &info), SS_OK);
  assert_int_equal(info.status, SS_SOLVED);
  ss_solver_destroy(s);
  int cut = 0;
  for (long long until = 1; until < 200; until++) {
    asked a = {.until = until};
    o.stop = end_at, o.user = &a;
    ss_least_norm_info least;
    double r[30];
    memcpy(r, solved, sizeof r);
    assert_int_equal(ss_least_norm(&ctx, &p, &o, r, &least), SS_OK);
    if (!least.stopped) {
      assert_true(least.reached && a.asks < until);
      break;
    }
    assert_false(least.reached);
    assert_memory_equal(r, solved, sizeof r);
    assert_true(a.asks <= until + 3);
    cut++;
  }
  assert_true(cut > 3 && cut < 199);
  o.stop = NULL, o.time_limit_s = 1e-9;
  ss_least_norm_info late;
  assert_int_equal(ss_least_norm(&ctx, &p, &o, solved, &late), SS_OK);
  assert_true(late.stopped && !late.reached);
  ssi_arena_release(&arena);
}

// ---- steps -------------------------------------------------------------------------------------

#define HEAP                                                                                       \
  "{'materials':[{'name':'m','mu':0.4,'restitution':0.2}],"                                        \
  "'generators':[{'kind':'packing','shape':{'kind':'sphere','radius':0.1},'count':20,"             \
  "'region':[[-0.3,-0.3,0],[0.3,0.3,4]],'spread':0.1,'speed':1,'seed':3}],"                        \
  "'externals':[{'shape':{'kind':'plane'}}],"                                                      \
  "'stepping':{'step':0.01,'duration':10,'drift':'%s','unsolved':'%s'},'solver':{'tol':1e-9}}"

static run begin_heard(asked *a, const char *drift, const char *unsolved) {
  run r = begin(HEAP, drift, unsolved);
  ss_simulation_destroy(r.sim);
  r.scene->solver.stop = end_at, r.scene->solver.user = a;
  build(&r);
  return r;
}

static void expect_same_state(ss_simulation *a, ss_simulation *b) {
  const void *x, *y;
  size_t n, m;
  assert_int_equal(ss_simulation_save(a, &x, &n), SS_OK);
  assert_int_equal(ss_simulation_save(b, &y, &m), SS_OK);
  assert_int_equal(n, m);
  assert_memory_equal(x, y, n);
}

// Every step is begun several times and cut short at its first ask, its third, its ninth, ...: each time the state is
// that before it, and in the end the run is that of someone nobody disturbed.
static void a_step_cut_short_has_not_been(void **state) {
  (void)state;
  static const char *const drifts[] = {"gap", "projection"}, *const answers[] = {"stop", "halve",
                                                                                 "go"};
  for (int k = 0; k < 6; k++) {
    asked a = {.until = INT64_MAX}, never = {.until = INT64_MAX};
    run r = begin_heard(&a, drifts[k % 2], answers[k / 2]);
    run alone = begin_heard(&never, drifts[k % 2], answers[k / 2]);
    int cuts = 0;
    while (r.s.step < 80) {
      for (long long ask = 1; ask < 1000; ask *= 3) {
        a = (asked){.until = ask};
        step(&r);
        if (r.info.status != SS_CANCELLED) break;
        assert_int_equal(r.info.unsolved, 0);
        assert_false(ss_simulation_done(r.sim));
        expect_same_state(r.sim, alone.sim);
        cuts++;
      }
      a = (asked){.until = INT64_MAX};
      if (r.info.status == SS_CANCELLED) step(&r);
      step(&alone);
      expect_same_state(r.sim, alone.sim);
    }
    assert_true(cuts > 30);
    end(&r), end(&alone);
  }
}

static void steps_of_least_norm_hear_it(void **state) {
  (void)state;
  asked a = {.until = INT64_MAX}, never = {.until = INT64_MAX};
  run r = begin_heard(&a, "gap", "stop"), alone = begin_heard(&never, "gap", "stop");
  r.scene->stepping.least_norm = alone.scene->stepping.least_norm = true;
  int cuts = 0;
  while (r.s.step < 90) {
    for (long long ask = 1; ask < 1000; ask += 2) {
      a = (asked){.until = ask};
      step(&r);
      if (r.info.status != SS_CANCELLED) break;
      expect_same_state(r.sim, alone.sim);
      cuts++;
    }
    assert_int_not_equal(r.info.status, SS_CANCELLED);
    step(&alone);
    expect_same_state(r.sim, alone.sim);
  }
  assert_true(cuts > 100);
  end(&r), end(&alone);
}

// Seconds of a limit, after which the step is unsolved like any other.
static void a_step_over_its_limit_is_unsolved(void **state) {
  (void)state;
  run r = begin(HEAP, "gap", "stop");
  ss_simulation_destroy(r.sim);
  r.scene->solver.tol = 1e-9, r.scene->stepping.limit_s = 1e-9;
  build(&r);
  do step(&r);
  while (!r.info.unsolved && r.s.step < 200);
  assert_int_equal(r.info.status, SS_TIME_LIMIT);
  assert_string_equal(ss_simulation_end(r.sim), "unsolved");
  int64_t before = r.s.step;
  ss_sim_totals t;
  ss_simulation_totals(r.sim, &t);
  assert_int_equal(t.unsolved_steps, 1);
  assert_int_equal(t.steps, before);
  assert_true(t.error_max > 1e-9 && t.error_max < INFINITY);
  end(&r);

  r = begin(HEAP, "gap", "go");
  ss_simulation_destroy(r.sim);
  r.scene->stepping.limit_s = 1e-9;
  build(&r);
  while (r.s.step < 100) step(&r);
  ss_simulation_totals(r.sim, &t);
  assert_int_equal(t.steps, 100);
  assert_true(t.unsolved_steps > 10);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_hears_it),
      cmocka_unit_test(inner_loops_hear_it),
      cmocka_unit_test(least_norm_hears_it),
      cmocka_unit_test(steps_of_least_norm_hear_it),
      cmocka_unit_test(a_step_cut_short_has_not_been),
      cmocka_unit_test(a_step_over_its_limit_is_unsolved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
