// solvers/lemke.c: both forms in 2D, the rod of Painleve type with no and with two solutions, the
// limit of size, and what it says about rays.
#include "harness.h"

#include "random_problem.h"
#include "stickslip/generate.h"
#include "stickslip/solver.h"

static char said[512];
static void listen(void *user, ss_level level, const char *text) {
  (void)user;
  if (level == SS_LOG_INFO) snprintf(said, sizeof said, "%s", text);
}

// docs/errata.md (R): one contact, one degree of freedom; normal first. m = l = h = 1.
static ss_info solve_rod(double angle, double mu, double g, double u0, const char *form,
                         double r[2]) {
  double c = cos(angle), s = sin(angle), one = 1, H[2] = {s, c}, f = -g * s, w[2] = {0, u0};
  static const int64_t m_ptr[] = {0, 1}, h_ptr[] = {0, 1, 2};
  static const int zero[] = {0, 0};
  ss_problem p = {.form = SS_GLOBAL, .dim = 2, .nc = 1, .ndof = 1, .mu = &mu, .f = &f, .w = w};
  p.M = (ss_sparse){1, 1, m_ptr, zero, &one};
  p.H = (ss_sparse){2, 1, h_ptr, zero, H};
  ss_context ctx = {.log = listen};
  ss_setting setting = {"form", form};
  ss_options o = ss_options_default();
  o.method = "lemke", o.tol = 1e-12, o.settings = &setting, o.setting_count = 1;
  ss_solver *solver;
  ss_info info;
  said[0] = 0;
  r[0] = r[1] = 0;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &solver), SS_OK);
  assert_int_equal(ss_solve(solver, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(solver);
  return info;
}

static void rods(void **state) {
  (void)state;
  static const char *const forms[] = {"auto", "compact", "copositive"};
  const double angle = 0.5, t = tan(angle);
  for (int k = 0; k < 3; k++) {
    double r[2];
    // falling, sliding to the right: r_N = t/(t - mu), one solution if t > mu ...
    ss_info info = solve_rod(angle, 0.3, -1, 1, forms[k], r);
    assert_int_equal(info.status, SS_SOLVED);
    assert_near(r[0], t / (t - 0.3), 1e-11);
    assert_near(r[1], -0.3 * t / (t - 0.3), 1e-11);
    // ... and none if t < mu: a ray, said so
    info = solve_rod(angle, 0.9, -1, 1, forms[k], r);
    assert_int_equal(info.status, SS_STALLED);
    assert_non_null(strstr(said, "ray"));
    // to the left: r_N = t/(t + mu)
    info = solve_rod(angle, 0.9, -1, -1, forms[k], r);
    assert_int_equal(info.status, SS_SOLVED);
    assert_near(r[0], t / (t + 0.9), 1e-11);
    // sticking possible: a segment of solutions, any of them
    info = solve_rod(angle, 0.3, -1, 0, forms[k], r);
    assert_int_equal(info.status, SS_SOLVED);
    assert_true(r[0] >= t / (t + 0.3) - 1e-9 && r[0] <= t / (t - 0.3) + 1e-9);
  }
}

static double distance(int n, const double *a, const double *b) {
  double largest = 0;
  for (int k = 0; k < n; k++) largest = fmax(largest, fabs(a[k] - b[k]));
  return largest;
}

static void forms_agree_with_sweeps(void **state) {
  (void)state;
  static const char *const forms[] = {"compact", "copositive"};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    ssi_arena arena = {0};
    random_shape shape = {.dim = 2, .contacts = 10, .bodies = 12, .body_dofs = 3, .mu = 0.3};
    ss_problem p = random_problem(&arena, shape, seed);
    double r[3][20] = {{0}};
    for (int k = 0; k < 3; k++) {
      ss_setting setting = {"form", forms[k % 2]};
      ss_options o = ss_options_default();
      o.method = k < 2 ? "lemke" : "nsgs", o.tol = 1e-13;
      o.settings = &setting, o.setting_count = k < 2;
      ss_solver *s;
      ss_info info;
      assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
      assert_int_equal(ss_solve(s, r[k], NULL, NULL, NULL, &info), SS_OK);
      assert_int_equal(info.status, SS_SOLVED);
      ss_solver_destroy(s);
    }
    assert_true(distance(20, r[0], r[2]) < 1e-9);
    assert_true(distance(20, r[1], r[2]) < 1e-9);
    ssi_arena_release(&arena);
  }
}

// A hyperstatic wall: W is singular, the basis that Lemke ends in is not.
static void walls_are_solved_exactly(void **state) {
  (void)state;
  ss_wall_options w = ss_wall_options_default();
  w.dim = 2, w.rows = 5, w.cols = 4, w.mu = 0.6, w.push = 0.05;
  ss_problem *p;
  assert_int_equal(ss_generate_wall(NULL, &w, &p), SS_OK);
  ss_options o = ss_options_default();
  o.method = "lemke", o.tol = 1e-12;
  ss_solver *s;
  ss_info info;
  double *r = calloc((size_t)(2 * p->nc), sizeof *r);
  ss_context ctx = {.log = listen};
  said[0] = 0;
  assert_int_equal(ss_solver_create(&ctx, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  if (info.status != SS_SOLVED)
    fail_msg("%s after %d steps, error %g; %s", ss_status_name(info.status), info.iterations,
             info.error, said);
  ss_solver_destroy(s);
  free(r);
  ss_problem_destroy(p);
}

static void too_large_is_refused(void **state) {
  (void)state;
  ss_pile_options o = ss_pile_options_default();
  o.contacts = 400;
  ss_problem *p;
  assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
  ss_context ctx = {0};
  ss_options s = ss_options_default();
  s.method = "lemke";
  ss_solver *solver;
  assert_int_equal(ss_solver_create(&ctx, p, &s, &solver), SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "3000"));
  ss_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rods),
      cmocka_unit_test(forms_agree_with_sweeps),
      cmocka_unit_test(walls_are_solved_exactly),
      cmocka_unit_test(too_large_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
