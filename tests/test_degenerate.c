// Problems with something missing, through the whole public interface: no contacts, no degrees of
// freedom, absent matrices, joints that repeat or contradict each other.
#include "dense.h"

#include "random_problem.h"
#include "stickslip/stickslip.h"

typedef struct outcome {
  ss_error create, reduce, describe;
  ss_info info;
  ss_verdict verdict;  // of the solver's r and l
  double r[30], u[30], l[8];
} outcome;

// Everything one can do with a problem; the reduced form must be as good a problem as the global.
static outcome try_all(const ss_problem *p, double tol) {
  outcome out = {0};
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_description d;
  ss_problem *reduced = NULL;
  ss_solver *s;
  o.tol = tol;
  assert_int_equal(ss_problem_check(&ctx, p), SS_OK);
  out.describe = ss_describe(&ctx, p, 0, &d);
  if (p->form == SS_GLOBAL) {
    out.reduce = ss_problem_reduce(&ctx, p, &reduced);
    if (!out.reduce) assert_int_equal(ss_problem_check(&ctx, reduced), SS_OK);
    ss_problem_destroy(reduced);
  }
  out.create = ss_solver_create(&ctx, p, &o, &s);
  if (out.create) return out;
  double v[100];
  assert_int_equal(ss_solve(s, out.r, out.u, v, out.l, &out.info), SS_OK);
  ss_solver_destroy(s);
  ss_solution answer = {.r = out.r, .l = out.l};
  assert_int_equal(ss_verify(&ctx, p, &answer, NULL, NULL, NULL, NULL, &out.verdict), SS_OK);
  return out;
}

static void expect_solved(outcome out) {
  assert_int_equal(out.describe, SS_OK);
  assert_int_equal(out.reduce, SS_OK);
  assert_int_equal(out.create, SS_OK);
  assert_int_equal(out.info.status, SS_SOLVED);
  assert_true(out.verdict.error <= 1e-8);
}

// u = w whatever r is: solved where w parts the bodies, and never where it drives them together.
static void no_degrees_of_freedom(void **state) {
  (void)state;
  const double mu[] = {0.5, 0.5}, apart[] = {1, 0.2, 0, 1}, together[] = {1, 0.2, -1, 0};
  const int64_t zeros[5] = {0};
  for (int given = 0; given < 2; given++) {  // H absent, or 4 x 0
    ss_problem p = {.form = SS_GLOBAL, .dim = 2, .nc = 2, .mu = mu, .w = apart};
    if (given) p.H = (ss_sparse){4, 0, zeros, NULL, NULL};
    expect_solved(try_all(&p, 1e-8));
    p.w = together;
    outcome out = try_all(&p, 1e-8);
    assert_true(out.info.status != SS_SOLVED);
    assert_true(out.verdict.error > 0.1);
  }
}

// Joints but no contacts: l is found, and the gap it leaves is measured against the joints' own b.
static void joints_without_contacts(void **state) {
  (void)state;
  for (int coupled = 0; coupled < 2; coupled++) {
    ssi_arena arena = {0};
    random_shape shape = {
        .dim = 3, .bodies = 3, .body_dofs = 6, .bilateral = 4, .coupled = coupled};
    ss_problem p = random_problem(&arena, shape, 3);
    p.H = (ss_sparse){0};
    outcome out = try_all(&p, 1e-12);
    expect_solved(out);
    double more[4];
    for (int k = 0; k < 4; k++) more[k] = out.l[k] + 1;
    ss_verdict verdict;
    ss_solution wrong = {.l = more};
    assert_int_equal(ss_verify(NULL, &p, &wrong, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    assert_true(verdict.error > 0.01 && isfinite(verdict.error));
    ssi_arena_release(&arena);
  }
}

// Joints on a body that cannot move: consistent only if b = 0.
static void joints_without_degrees_of_freedom(void **state) {
  (void)state;
  const double mu[] = {0.5}, w[] = {1, 0}, none[2] = {0}, b[] = {0.3, 0};
  ss_problem p = {.form = SS_GLOBAL, .dim = 2, .nc = 1, .nl = 2, .mu = mu, .w = w, .b = none};
  expect_solved(try_all(&p, 1e-8));
  p.b = b;
  outcome out = try_all(&p, 1e-8);
  assert_true(out.info.status != SS_SOLVED);
  assert_near(out.verdict.equality, 0.3, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_degrees_of_freedom),
      cmocka_unit_test(joints_without_contacts),
      cmocka_unit_test(joints_without_degrees_of_freedom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
