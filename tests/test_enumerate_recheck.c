// analysis/enumerate_recheck.c: what doubles do not settle, in rational arithmetic.
#include "analysis/enumerate.h"
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

// W nearly singular (smallest eigenvalue 3e-12 of the largest): the one solution, reactions near
// 1e10, is none within the tolerance, and the degree says that it is missing.
static void replaced(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double mu[2] = {3.9231366489608694, 3.657368585049444};
  const double W[16] = {
      0.922199958551728,    0.9605574575375855, -1.23979960852775,  0.028413219970455494,
      0.9605574575375855,   1.5812609848312045, -1.141311148279616, 0.8395195896733725,
      -1.23979960852775,    -1.141311148279616, 1.7055511953972529, 0.1714875786962336,
      0.028413219970455494, 0.8395195896733725, 0.1714875786962336, 1.3531046801125484};
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
  const double want[4] = {12597767808.950556, -2000328534.3069167, 7820470217.134915,
                          -14589897.880761316};
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

// Friction of 1e9, W definite: a slip whose reaction is all but tangential is a slip in doubles, too.
static void nearly_tangential(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double r[8];
  ss_problem p = random_known(&arena, (random_case){3, 1e9, 0.2, 311}, r);
  ss_solution_set *rough = run(&p, 0, 0), *rational = enumerate(&p, true);
  assert_true(rough->rigorous && rough->degree == SS_DEGREE_HOLDS);
  assert_true(rational->rigorous && rational->degree == SS_DEGREE_HOLDS);
  assert_int_equal(rough->count, 3);
  assert_int_equal(rational->count, 3);
  ss_solution_set_destroy(rough);
  ss_solution_set_destroy(rational);
  ssi_arena_release(&arena);
}

static bool has_free_stick(const ss_solution_set *set) {
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    if (c->isolated && c->states[0] == SS_CELL_FREE && c->states[1] == SS_CELL_STICK) return true;
  }
  return false;
}

// mu of 1e11 and W of rank 3 (seed 9400107 of the cross-check). One contact that sticks beside a free one is regular
// whatever its mu; where both stick, doubles cannot tell the segment that rationals find between two vertices, of which
// one has r_N = 3e-12.
static void steep(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double mu[2] = {1e7, 1e11}, M[9] = {6, 0, 0, 0, 6, 0, 0, 0, 3}, f[3] = {-1.2, 0.6, 0.9};
  const double H[12] = {1.2, -1, 1.3, 1.8, -1.7, -0.1, -1.2, -1.7, 1, -0.5, -1.6, -1.6};
  const double w[4] = {0};
  ss_problem p = global_problem(&arena, 2, 2, 3, M, f, H, w, mu);
  ss_solution_set *rough = run(&p, 0, 0), *set = run(&p, 256, 0);
  assert_true(!rough->rigorous && rough->certain && has_free_stick(rough));
  assert_int_equal(set->recheck, SS_RECHECK_REPLACED);
  assert_true(set->exact && set->certain && !set->rigorous && has_free_stick(set));
  assert_int_equal(set->count, 2);
  const ss_component *segment = &set->components[set->components[0].isolated ? 1 : 0];
  assert_true(!segment->isolated && segment->dimension == 1 && segment->cell_count == 1);
  assert_int_equal(segment->cells[0].vertex_count, 2);
  ss_solution_set_destroy(rough);
  ss_solution_set_destroy(set);
  ssi_arena_release(&arena);
}

// An answer by hand.
static ss_solution_set *answer(int count, bool certain, bool blind) {
  ssi_arena arena = {0};
  ssi_set *set = SSI_TAKE(&arena, 1, ssi_set);
  ss_component *all = SSI_TAKE(&arena, 2, ss_component);
  ss_cell_state *states = SSI_TAKE(&arena, 2, ss_cell_state);
  assert_true(set && all && states);
  for (int k = 0; k < count; k++) all[k] = (ss_component){.isolated = true, .states = states};
  set->set = (ss_solution_set){.dim = 2, .nc = 2, .count = count, .components = all};
  set->set.complete = set->set.doubtful = true;
  set->set.certain = certain;
  set->blind = blind;
  set->arena = arena;
  return &set->set;
}

// Neither is proved: what the doubles list stands, unless they miss one that is certain, or did not see all.
static void neither_is_proved(void **state) {
  (void)state;
  static const struct {
    int rough, fine;
    bool blind, certain;  // certain: fine
    ss_recheck recheck;
    int count;
  } cases[] = {
      {1, 2, false, true, SS_RECHECK_DIFFERS, 1},  {1, 0, false, false, SS_RECHECK_DIFFERS, 1},
      {0, 2, false, false, SS_RECHECK_DIFFERS, 0}, {0, 2, false, true, SS_RECHECK_REPLACED, 2},
      {1, 2, true, false, SS_RECHECK_REPLACED, 2}, {1, 0, true, false, SS_RECHECK_DIFFERS, 1},
      {0, 2, true, false, SS_RECHECK_REPLACED, 2}, {0, 0, true, false, SS_RECHECK_NONE, 0},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ss_solution_set *fine = answer(cases[k].fine, cases[k].certain, false);
    ss_solution_set *set = ssi_recheck_choose(answer(cases[k].rough, false, cases[k].blind), fine);
    assert_int_equal(set->recheck, cases[k].recheck);
    assert_int_equal(set->count, cases[k].count);
    assert_int_equal(set->certain, cases[k].certain);
    assert_true(!set->certain || set->count > 0);
    ss_solution_set_destroy(set);
  }
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
      cmocka_unit_test(replaced),   cmocka_unit_test(confirmed),
      cmocka_unit_test(differs),    cmocka_unit_test(nearly_tangential),
      cmocka_unit_test(steep),      cmocka_unit_test(neither_is_proved),
      cmocka_unit_test(not_needed), cmocka_unit_test(cancelled_side)};
  const struct CMUnitTest without[] = {cmocka_unit_test(not_needed),
                                       cmocka_unit_test(neither_is_proved)};
  if (arithmetics() < 2) return cmocka_run_group_tests(without, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
