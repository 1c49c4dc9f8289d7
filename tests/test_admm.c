// solvers/admm.c beyond what test_methods.c asks of every method: all settings lead to the same answer,
// asymmetric W is solved as given, contacts that nothing moves, warm starts, a hyperstatic stack.
#include "harness.h"

#include <unistd.h>

#include "dense.h"
#include "random_problem.h"
#include "stickslip/generate.h"
#include "stickslip/io.h"
#include "stickslip/solver.h"

static ss_info solve_as(const ss_problem *p, double tol, int count, const ss_setting *settings,
                        double *r) {
  ss_options o = ss_options_default();
  o.method = "admm", o.tol = tol, o.settings = settings, o.setting_count = count;
  ss_context ctx = {0};
  ss_solver *s;
  ss_info info;
  if (ss_solver_create(&ctx, p, &o, &s)) fail_msg("%s", ctx.message);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  return info;
}

static const random_shape shapes[] = {
    {.dim = 3, .contacts = 30, .bodies = 36, .body_dofs = 6, .mu = 0.5},
    {.dim = 2, .contacts = 30, .bodies = 36, .body_dofs = 3, .mu = 0.5},
};

static void settings_agree(void **state) {
  (void)state;
  static const ss_setting choices[] = {
      {"form", "auto"}, {"form", "contacts"},    {"form", "dofs"},      {"memory", "0"},
      {"period", "1"},  {"penalty", "spectral"}, {"rho", "0.5"},        {"relax", "1.6"},
      {"memory", "3"},  {"patience", "5"},       {"relax_plain", "1.2"}};
  for (int k = 0; k < 2; k++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[k], 42);
    double first[90] = {0};
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
      double r[90] = {0};
      ss_info info = solve_as(&p, 1e-12, 1, &choices[c], r);
      if (info.status != SS_SOLVED)
        fail_msg("%s=%s: %s, error %g", choices[c].key, choices[c].value,
                 ss_status_name(info.status), info.error);
      for (int i = 0; i < p.dim * p.nc; i++)
        if (c)
          assert_near(r[i], first[i], 1e-9);
        else
          first[i] = r[i];
    }
    ssi_arena_release(&arena);
  }
}

// The penalty that a solve has changed does not leak into the next one.
static void spectral_twice_gives_the_same_bits(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, shapes[0], 42);
  static const ss_setting settings[] = {{"penalty", "spectral"}, {"rho", "5"}};
  ss_options o = ss_options_default();
  o.method = "admm", o.tol = 1e-10, o.settings = settings, o.setting_count = 2;
  ss_solver *s;
  assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
  double r[90] = {0}, again[90] = {0};
  ss_info info, second;
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  assert_int_equal(ss_solve(s, again, NULL, NULL, NULL, &second), SS_OK);
  assert_int_equal(info.status, SS_SOLVED);
  assert_int_equal(info.iterations, second.iterations);
  assert_memory_equal(r, again, sizeof r);
  static const ss_setting fixed[] = {{"rho", "5"}};
  double plain[90] = {0};
  assert_true(solve_as(&p, 1e-10, 1, fixed, plain).iterations != info.iterations);  // it did change
  ss_solver_destroy(s);
  ssi_arena_release(&arena);
}

// W = A A^T + a skew part; 8 contacts: dense LU, 30: UMFPACK. The answer is judged on W as given.
static void asymmetric_matrices_are_solved_as_given(void **state) {
  (void)state;
  for (int nc = 8; nc <= 30; nc += 22) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 9};
    int m = 3 * nc;
    double *A = SSI_TAKE(&arena, m * m, double), *W = SSI_TAKE(&arena, m * m, double);
    double *q = SSI_TAKE(&arena, m, double), *mu = SSI_TAKE(&arena, nc, double);
    for (int k = 0; k < m * m; k++) A[k] = random_signed(&g);
    for (int i = 0; i < m; i++) {
      q[i] = random_signed(&g) - (i % 3 == 0);
      mu[i / 3] = 0.4;
      for (int j = 0; j < m; j++) {
        for (int k = 0; k < m; k++) W[m * i + j] += A[m * i + k] * A[m * j + k] / m;
        W[m * i + j] += i == j ? 0.5 : i < j ? 0.01 : -0.01;
      }
    }
    ss_problem p = reduced_problem(&arena, 3, nc, W, q, mu);
    double *r = SSI_TAKE(&arena, m, double);
    assert_int_equal(solve_as(&p, 1e-12, 0, NULL, r).status, SS_SOLVED);
    ss_solution answer = {.r = r};
    ss_verdict verdict;
    assert_int_equal(ss_verify(NULL, &p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    assert_true(verdict.error <= 1e-12);
    ssi_arena_release(&arena);
  }
}

// A contact between two walls (no block of W at all) beside an ordinary one.
static void contacts_that_nothing_moves(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double W[36] = {0}, q[6] = {1, 2, 3, -1, 2, 0}, mu[2] = {0.5, 0.5}, r[6] = {0};
  for (int k = 3; k < 6; k++) W[7 * k] = 1;
  ss_problem p = reduced_problem(&arena, 3, 2, W, q, mu);
  assert_int_equal(solve_as(&p, 1e-12, 0, NULL, r).status, SS_SOLVED);
  double expected[6] = {0, 0, 0, 1, -0.5, 0};
  for (int k = 0; k < 6; k++) assert_near(r[k], expected[k], 1e-11);
  ssi_arena_release(&arena);
}

static void warm_starts_are_shorter(void **state) {
  (void)state;
  ss_wall_options wall = ss_wall_options_default();
  wall.dim = 3, wall.rows = 5, wall.cols = 6;
  ss_problem *p;
  assert_int_equal(ss_generate_wall(NULL, &wall, &p), SS_OK);
  ssi_arena arena = {0};
  ss_options o = ss_options_default();
  o.method = "admm";
  ss_solver *s;
  double *r = SSI_TAKE(&arena, p->dim * p->nc, double), *f = SSI_TAKE(&arena, p->ndof, double);
  ss_info cold, warm;
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &cold), SS_OK);
  assert_int_equal(cold.status, SS_SOLVED);
  for (int k = 0; k < p->ndof; k++) f[k] = 1.0001 * p->f[k];
  ss_problem other = *p;
  other.f = f;
  assert_int_equal(ss_solver_update(s, &other), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &warm), SS_OK);
  assert_int_equal(warm.status, SS_SOLVED);
  assert_true(warm.iterations > 0 && warm.iterations < cold.iterations);
  ss_solver_destroy(s);
  ss_problem_destroy(p);
  ssi_arena_release(&arena);
}

static void shared_stack_takes_less_than_500_steps(void **state) {
  (void)state;
  const char *path = need_shared("problems/local3d/BoxesStack1-i100000-32.hdf5.dat");
  ss_file *file;
  assert_int_equal(ss_file_open(NULL, path, NULL, &file), SS_OK);
  double r[156] = {0};
  assert_int_equal(file->problem.nc, 52);
  ss_info info = solve_as(&file->problem, 1e-8, 0, NULL, r);
  assert_int_equal(info.status, SS_SOLVED);
  assert_true(info.iterations < 500);
  ss_file_close(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_agree),
      cmocka_unit_test(spectral_twice_gives_the_same_bits),
      cmocka_unit_test(asymmetric_matrices_are_solved_as_given),
      cmocka_unit_test(contacts_that_nothing_moves),
      cmocka_unit_test(warm_starts_are_shorter),
      cmocka_unit_test(shared_stack_takes_less_than_500_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
