// analysis/enumerate_recheck.c: what doubles do not settle, in rational arithmetic.
#include "enumerate_help.h"

static ss_solution_set *run(const ss_problem *p, int64_t patterns, double time_limit_s) {
  static ss_context ctx;  // outlives the set
  ss_enumerate_options o = ss_enumerate_options_default();
  assert_int_equal(o.recheck, 256);
  o.recheck = patterns, o.time_limit_s = time_limit_s;
  ss_solution_set *set;
  if (ss_enumerate(&ctx, p, &o, &set)) fail_msg("%s", ctx.message);
  return set;
}

// The problem borrows f, w and mu.
static ss_problem rod(ssi_arena *arena, double s, double c, double mu, double g, double u0) {
  double one = 1, H[2] = {s, c}, *data = SSI_TAKE(arena, 4, double);
  data[0] = -g * s, data[2] = u0, data[3] = mu;
  return global_problem(arena, 2, 1, 1, &one, data, H, data + 1, data + 3);
}

// W nearly singular (smallest eigenvalue some 1e-9 of the largest): the one solution, reactions near
// 1e9, is none within the tolerance, and the degree says that it is missing.
static void replaced(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double mu[2] = {3.9231366489608694, 3.657368585049444};
  const double W[16] = {
      0.9221999586542152,  0.960557457521312,   -1.2397996084641278, 0.0284132199703368,
      0.960557457521312,   1.5812609848337884,  -1.1413111482897182, 0.8395195896733914,
      -1.2397996084641278, -1.1413111482897182, 1.7055511954367484,  0.1714875786961599,
      0.0284132199703368,  0.8395195896733914,  0.1714875786961599,  1.3531046801125486};
  const double q[4] = {-0.4201295245189165, -0.3832475507732329, 0.2920104515953956,
                       -0.25680651331894944};
  ss_problem p = reduced_problem(&arena, 2, 2, W, q, mu);
  ss_solution_set *rough = run(&p, 0, 0), *set = run(&p, 256, 0), *late = run(&p, 256, 1e-9);
  assert_int_equal(rough->recheck, SS_RECHECK_NONE);
  assert_true(!rough->complete && !rough->rigorous && rough->degree == SS_DEGREE_VIOLATED);
  assert_int_equal(late->recheck, SS_RECHECK_NONE);  // no time was left
  assert_true(set->complete && set->rigorous && set->exact);
  assert_int_equal(set->recheck, SS_RECHECK_REPLACED);
  assert_int_equal(set->degree, SS_DEGREE_HOLDS);
  assert_int_equal(set->count, 1);
  assert_int_equal(set->recheck_count, 1);
  // W r = -q, by Python's fractions
  const double want[4] = {815042611.7062638, -129416022.13470486, 505963958.12962717,
                          -943927.7397075945};
  const double *r = set->components[0].r;
  for (int i = 0; i < 4; i++) {
    assert_near(r[i], want[i], 1e-15 * fabs(want[i]));
    assert_int_equal(set->components[0].states[i / 2], SS_CELL_STICK);
  }
  ss_solution_set_destroy(rough);
  ss_solution_set_destroy(set);
  ss_solution_set_destroy(late);
  ssi_arena_release(&arena);
}

// A rod: W has rank 1, which doubles cannot tell. Away from ties both agree, and none is proved.
static void confirmed(void **state) {
  (void)state;
  ssi_arena arena = {0};
  static const struct {
    double mu, g, u0;
    int count;
  } cases[] = {{2, -1, 1, 0}, {2, 1, 1, 2}, {0.3, -1, 1, 1}, {2, 1, 0, 2}, {2, -1, 0, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double angle = 0.7;
    ss_problem p = rod(&arena, sin(angle), cos(angle), cases[k].mu, cases[k].g, cases[k].u0);
    ss_solution_set *rough = run(&p, 3, 0), *set = run(&p, 4, 0);  // four patterns
    assert_true(!rough->rigorous && rough->recheck == SS_RECHECK_NONE);
    assert_true(set->rigorous && set->exact && set->complete);
    assert_int_equal(set->recheck, SS_RECHECK_CONFIRMED);
    assert_int_equal(set->count, cases[k].count);
    assert_int_equal(rough->count, cases[k].count);
    ss_solution_set_destroy(rough);
    ss_solution_set_destroy(set);
  }
  ssi_arena_release(&arena);
}

// tan(theta) = mu but for rounding: the tolerance makes it a tie, and its answer stands.
static void differs(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = rod(&arena, 0.6, 0.8, 0.75, 0, 1);  // 3/5 and 4/5 are no doubles
  ss_solution_set *set = run(&p, 256, 0);
  assert_true(!set->rigorous && !set->exact && set->complete);
  assert_int_equal(set->recheck, SS_RECHECK_DIFFERS);
  assert_int_equal(set->count, 1);
  assert_false(set->components[0].isolated);  // a ray of reactions
  assert_int_equal(set->recheck_count, 1);    // r = 0 alone
  ss_solution_set_destroy(set);
  ssi_arena_release(&arena);
}

// The same beside three contacts at rest, so many that the tree leaves nodes out: with mu a little below s/c in
// doubles, by 1.6e-17, the rod slips under a reaction of 3050, and with the doubles as they stand that is one solution.
static void cancelled_side(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double mu[4] = {0.53333333333333333, 0.7, 0.7, 0.7}, f[4] = {0, 0, 0, 0};
  double M[16] = {0}, H[32] = {0}, w[8] = {-2e-14, 5e-13};
  for (int k = 0; k < 4; k++) M[5 * k] = 1, H[9 * k] = 0.5 * k, H[9 * k + 4] = -1.1;
  H[0] = 0.47058823529411764, H[4] = 0.88235294117647056;
  ss_problem p = global_problem(&arena, 2, 4, 4, M, f, H, w, mu);
  ss_solution_set *doubles = run(&p, 256, 0), *rational = enumerate(&p, true);
  assert_false(doubles->rigorous);
  assert_int_equal(rational->count, 1);
  ss_solution_set_destroy(doubles);
  ss_solution_set_destroy(rational);
  ssi_arena_release(&arena);
}

// Friction of 1e9, W definite: doubles list two solutions that are none, without a tie in sight.
static void too_many(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double r[8];
  ss_problem p = random_known(&arena, (random_case){3, 1e9, 0.2, 311}, r);
  ss_solution_set *rough = run(&p, 0, 0), *set = run(&p, 256, 0);
  assert_false(rough->rigorous);
  assert_int_equal(rough->count, 5);
  assert_int_equal(set->recheck, SS_RECHECK_REPLACED);
  assert_int_equal(set->count, 3);
  assert_true(set->rigorous && set->degree == SS_DEGREE_HOLDS);
  ss_solution_set_destroy(rough);
  ss_solution_set_destroy(set);
  ssi_arena_release(&arena);
}

// What is rigorous in doubles is left alone.
static void not_needed(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double r[8];
  ss_problem p = random_known(&arena, (random_case){4, 0.5, 0.1, 7}, r);
  ss_solution_set *set = run(&p, 256, 0);
  assert_true(set->rigorous && !set->exact);
  assert_int_equal(set->recheck, SS_RECHECK_NONE);
  ss_solution_set_destroy(set);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replaced), cmocka_unit_test(confirmed),  cmocka_unit_test(differs),
      cmocka_unit_test(too_many), cmocka_unit_test(not_needed), cmocka_unit_test(cancelled_side)};
  const struct CMUnitTest without[] = {cmocka_unit_test(not_needed)};
  if (arithmetics() < 2) return cmocka_run_group_tests(without, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
