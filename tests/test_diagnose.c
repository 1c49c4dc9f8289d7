// ss_diagnose: the facts about problems whose verdict is known in closed form, and what it suggests.
#include "dense.h"

#include <float.h>

#include "counted_memory.h"
#include "random_problem.h"
#include "stickslip/stickslip.h"

static ss_context ctx;  // outlives what is made with it

static ss_diagnosis *diagnose(const ss_problem *p, const ss_attempt *tried) {
  ss_diagnosis *why;
  if (ss_diagnose(&ctx, p, tried, NULL, &why)) fail_msg("%s", ctx.message);
  return why;
}

// The rod of docs/errata.md (R): without a solution iff mu > 1 in the plane, mu > sqrt(1 + across^2) in space.
static ss_problem rod(ssi_arena *arena, int dim, double mu, double across) {
  double *data = SSI_TAKE(arena, 10, double), s = sqrt(0.5);
  double *M = data, *f = data + 1, *H = data + 2, *w = data + 5, *friction = data + 8;
  M[0] = 1, f[0] = s, H[0] = s, H[1] = s, w[1] = 1, w[2] = across, friction[0] = mu;
  return global_problem(arena, dim, 1, 1, M, f, H, w, friction);
}

// ---- existence -----------------------------------------------------------------------------

static bool suggests_anything(const ss_diagnosis *why) {
  bool any = false;
  for (int k = 0; k < SS_SUGGESTION_COUNT; k++) any = any || why->suggests[k];
  return any;
}

static void expect_jam(const ss_problem *p, ss_proof proof) {
  ss_diagnosis *why = diagnose(p, &(ss_attempt){.method = "auto", .status = SS_STALLED});
  assert_int_equal(why->existence, SS_NONE);
  assert_int_equal(why->proof, proof);
  assert_false(why->contradictory);
  assert_int_equal(why->certificate->criterion_A, SS_CRITERION_VIOLATED);
  assert_true(why->margin < 0);
  assert_int_equal(why->jamming_count, 1);
  assert_int_equal(why->jamming[0], 0);
  assert_int_equal(why->settlement->proof, proof);
  assert_null(why->settlement->r);
  assert_false(suggests_anything(why));
  ss_diagnosis_destroy(why);
}

static void rods_that_jam(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem plane = rod(&arena, 2, 2, 0), space = rod(&arena, 3, 2, 0.3);
  expect_jam(&plane, SS_PROOF_ENUMERATION);
  expect_jam(&space, SS_PROOF_ALL_STATES);
  ssi_arena_release(&arena);
}

// Criterion (A) does not see the forces: it fails as before where the rod is pulled up and takes off.
static void a_rod_that_takes_off(void **state) {
  (void)state;
  ssi_arena arena = {0};
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem p = rod(&arena, dim, 2, 0.3);
    double *f = (double *)(uintptr_t)p.f;
    f[0] = -f[0];
    ss_diagnosis *why = diagnose(&p, NULL);
    assert_int_equal(why->existence, SS_EXISTS);
    assert_int_equal(why->certificate->verdict, SS_UNDECIDED);
    assert_int_equal(why->proof, dim == 2 ? SS_PROOF_ENUMERATION : SS_PROOF_SOLUTION);
    if (dim == 2) assert_int_equal(why->settlement->count, 2);  // free, and wedged
    assert_int_equal(why->jamming_count, 0);
    ss_verdict verdict;
    ss_solution found = {.r = why->settlement->r};
    assert_int_equal(ss_verify(&ctx, &p, &found, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    assert_true(verdict.error < 1e-9);
    assert_true(isnan(why->rounding_floor));
    ss_diagnosis_destroy(why);
  }
  ssi_arena_release(&arena);
}

// Two walls close in on what is between them: (A') fails, and both contacts are to blame.
static void walls_that_close_in(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double M[1] = {1}, f[1] = {0}, H[6] = {1, 0, -1, 0, 0, 1}, w[6] = {-1, 0, -1, 0, 1, 0};
  const double mu[3] = {0.5, 0.5, 0.5};
  ss_problem p = global_problem(&arena, 2, 3, 1, M, f, H, w, mu);
  ss_diagnosis *why = diagnose(&p, NULL);
  assert_int_equal(why->existence, SS_NONE);
  assert_int_equal(why->proof, SS_PROOF_CERTIFICATE);
  assert_int_equal(why->certificate->reason, SS_REASON_PENETRATION);
  assert_int_equal(why->jamming_count, 2);
  assert_true(why->jamming[0] == 0 && why->jamming[1] == 1);
  assert_null(why->settlement);  // nothing was left to ask
  ss_diagnosis_destroy(why);
  ssi_arena_release(&arena);
}

// ---- suggestions ---------------------------------------------------------------------------

static void expect_suggestions(const ss_problem *p, ss_attempt tried, unsigned expected) {
  ss_diagnosis *why = diagnose(p, &tried);
  unsigned found = 0;
  for (int k = 0; k < SS_SUGGESTION_COUNT; k++) found |= (unsigned)why->suggests[k] << k;
  assert_int_equal(why->existence, SS_EXISTS);
  assert_int_equal(why->proof, SS_PROOF_ENUMERATION);  // has the last word, where it is asked
  assert_int_equal(found, expected);
  ss_diagnosis_destroy(why);
}

static void what_may_help(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double W[4] = {1, 0, 0, 1}, q[2] = {-1, 2}, mu[1] = {0.5};
  ss_problem p = reduced_problem(&arena, 2, 1, W, q, mu);
  const char *const some[] = {"path", NULL}, *const none[] = {NULL};
  const unsigned always = 1u << SS_SUGGEST_GUESS | 1u << SS_SUGGEST_LARGER_TOL;
  expect_suggestions(&p, (ss_attempt){.method = "nsgs", .status = SS_MAX_ITER},
                     always | 1u << SS_SUGGEST_AUTO | 1u << SS_SUGGEST_ITERATIONS);
  expect_suggestions(&p, (ss_attempt){.method = "auto", .status = SS_TIME_LIMIT, .untried = some},
                     always | 1u << SS_SUGGEST_UNTRIED | 1u << SS_SUGGEST_TIME);
  expect_suggestions(&p, (ss_attempt){.method = "auto", .status = SS_STALLED, .untried = none},
                     always | 1u << SS_SUGGEST_SEED);
  expect_suggestions(&p, (ss_attempt){.method = "auto", .status = SS_CANCELLED},
                     always | 1u << SS_SUGGEST_SEED | 1u << SS_SUGGEST_AGAIN);
  expect_suggestions(&p, (ss_attempt){.method = "auto", .status = SS_SOLVED},
                     always | 1u << SS_SUGGEST_SEED | 1u << SS_SUGGEST_SMALLER_TOL);
  ssi_arena_release(&arena);
}

// ---- the floor of rounding -----------------------------------------------------------------

// One row of W is felt by one number of r here, so no sign can cancel: floor = (eps/2) |(3, 0.5)| / |q|.
static void floor_in_closed_form(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double W[4] = {3, 0, 0, 1}, q[2] = {-3, 4}, mu[1] = {0.5}, r[2] = {1, -0.5};
  ss_problem p = reduced_problem(&arena, 2, 1, W, q, mu);
  ss_attempt tried = {.method = "nsgs", .status = SS_STALLED, .r = r};
  double expected = DBL_EPSILON / 2 * sqrt(9.25) / 5;
  for (int k = 0; k < 2; k++) {
    ss_diagnosis *why = diagnose(&p, &tried);
    assert_near(why->rounding_floor / expected, 1, 1e-12);
    assert_int_equal(why->suggests[SS_SUGGEST_AUTO], k == 0);
    assert_true(why->suggests[SS_SUGGEST_LARGER_TOL]);
    ss_diagnosis_destroy(why);
    tried.tol = expected / 2;  // then only a larger tolerance will do
  }
  ssi_arena_release(&arena);
}

// What methods reach when nothing else stops them is the floor, up to a small factor.
static void solvers_end_at_the_floor(void **state) {
  (void)state;
  double largest = 0, smallest = INFINITY;
  for (uint64_t seed = 0; seed < 40; seed++) {
    ssi_arena arena = {0};
    random_shape shape = {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 0.3};
    if (seed % 2) shape.dim = 2, shape.body_dofs = 3, shape.contacts = 20;
    ss_problem p = random_problem(&arena, shape, 100 + seed);
    double r[60] = {0};
    ss_options o = ss_options_default();
    ss_solver *s;
    ss_info info;
    o.method = "newton", o.tol = 1e-30, o.max_iter = 60;
    assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_OK);
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    ss_solver_destroy(s);
    ss_attempt tried = {.method = "newton", .status = info.status, .r = r};
    ss_diagnosis *why = diagnose(&p, &tried);
    largest = fmax(largest, info.error / why->rounding_floor);
    smallest = fmin(smallest, info.error / why->rounding_floor);
    ss_diagnosis_destroy(why);
    ssi_arena_release(&arena);
  }
  if (!(largest < 10 && smallest > 0.1)) fail_msg("from %g to %g floors", smallest, largest);
}

// ---- limits and failures -------------------------------------------------------------------

static int stop_at(void *user) {
  return (*(int *)user)-- <= 0;
}

static void stopped_early(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = rod(&arena, 2, 2, 0);
  int left = 0;
  ss_diagnose_options o = {.stop = stop_at, .user = &left};
  ss_diagnosis *why;
  assert_int_equal(ss_diagnose(&ctx, &p, NULL, &o, &why), SS_OK);
  assert_int_equal(why->existence, SS_UNDECIDED);
  assert_int_equal(why->proof, SS_PROOF_NOT);
  assert_null(why->certificate);
  assert_null(why->settlement);
  assert_string_equal(why->failure, "");
  assert_true(isnan(why->margin));
  ss_diagnosis_destroy(why);
  ssi_arena_release(&arena);
}

static void arguments_are_checked(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = rod(&arena, 2, 2, 0);
  ss_diagnosis *why;
  ss_settlement *settled;
  assert_int_equal(ss_diagnose(&ctx, NULL, NULL, NULL, &why), SS_ERR_ARGUMENT);
  assert_int_equal(ss_diagnose(&ctx, &p, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_settle(&ctx, NULL, NULL, &settled), SS_ERR_ARGUMENT);
  p.H.rows = 1;
  assert_int_equal(ss_diagnose(&ctx, &p, NULL, NULL, &why), SS_ERR_DATA);
  assert_null(why);
  assert_int_equal(ss_settle(&ctx, &p, NULL, &settled), SS_ERR_DATA);
  assert_null(settled);
  ss_diagnosis_destroy(NULL);
  ss_settlement_destroy(NULL);
  p = (ss_problem){.dim = 2};
  why = diagnose(&p, NULL);
  assert_int_equal(why->existence, SS_EXISTS);
  assert_int_equal(why->certificate->reason, SS_REASON_NO_CONTACTS);
  ss_diagnosis_destroy(why);
  ssi_arena_release(&arena);
}

// Each allocation fails once, or from then on: an error, or the facts without what it was for; nothing is lost.
static void each_allocation_may_fail(void **state) {
  (void)state;
  ssi_arena arena = {0};
  for (int kind = 0; kind < 4; kind++) {
    ss_problem p = rod(&arena, 2 + kind % 2, 2, 0.3);
    const double r[3] = {1, 0, 0};
    int failures = 0;
    lasting = kind >= 2;
    for (int k = 0;; k++) {
      ss_context counted = {.alloc = take, .release = give};
      ss_attempt tried = {.r = r};
      ss_diagnosis *why;
      live = taken = 0, fail_at = k;
      ss_error e = ss_diagnose(&counted, &p, &tried, NULL, &why);
      bool reached = taken > k;
      fail_at = -1;
      if (e) assert_int_equal(e, SS_ERR_MEMORY);
      failures += e != SS_OK;
      if (!e && reached) assert_true(why->existence != SS_EXISTS);
      if (!reached) assert_int_equal(why->existence, SS_NONE);
      ss_diagnosis_destroy(why);
      assert_int_equal(live, 0);
      if (!reached) break;
    }
    assert_true(failures > 20);
  }
  lasting = false;
  ssi_arena_release(&arena);
}

static void names_are_words(void **state) {
  (void)state;
  assert_string_equal(ss_proof_name(SS_PROOF_ALL_STATES), "all_states");
  assert_string_equal(ss_proof_name((ss_proof)99), "unknown");
  assert_string_equal(ss_suggestion_name(SS_SUGGEST_LARGER_TOL), "larger_tol");
  for (int k = 0; k < SS_SUGGESTION_COUNT; k++)
    assert_true(strlen(ss_suggestion_text((ss_suggestion)k)) > 10);
  assert_string_equal(ss_suggestion_name(SS_SUGGESTION_COUNT), "unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rods_that_jam),
      cmocka_unit_test(a_rod_that_takes_off),
      cmocka_unit_test(walls_that_close_in),
      cmocka_unit_test(what_may_help),
      cmocka_unit_test(floor_in_closed_form),
      cmocka_unit_test(solvers_end_at_the_floor),
      cmocka_unit_test(stopped_early),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(names_are_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
