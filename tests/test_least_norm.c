// Reactions of least norm: closed forms, and no other solution with the same velocities is smaller.
#include "dense.h"
#include "random_problem.h"

#include "stickslip/solver.h"

static double norm_of(const double *r, int m) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += r[i] * r[i];
  return sqrt(sum);
}

static ss_least_norm_info lessen(const ss_problem *p, double *r) {
  ss_options o = ss_options_default();
  ss_least_norm_info info;
  ss_context ctx = {0};
  assert_int_equal(ss_least_norm(&ctx, p, &o, r, &info), SS_OK);
  return info;
}

// A disk of weight 1 between two walls that hold it by friction alone: each takes half of the weight, and pushes no
// harder than that needs. Any larger push is a solution as well.
static void between_walls(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double M[] = {1, 0, 0, 1}, f[] = {0, 1}, w[4] = {0}, mu[] = {0.25, 0.25};
  const double H[] = {1, 0, 0, 1, -1, 0, 0, 1};  // normals +x and -x, tangents up
  ss_problem p = global_problem(&arena, 2, 2, 2, M, f, H, w, mu);
  double r[] = {40, 0.9, 40, 0.1};
  ss_least_norm_info info = lessen(&p, r);
  assert_true(info.reached);
  const double expected[] = {2, 0.5, 2, 0.5};
  for (int i = 0; i < 4; i++) assert_true(fabs(r[i] - expected[i]) < 1e-9);
  assert_true(fabs(info.norm[1] - norm_of(expected, 4)) < 1e-9 && info.norm[0] > 56);
  ssi_arena_release(&arena);
}

// A bar on three supports in a row, sliding: one ray each, r_T = mu r_N, and of the normal forces with the sum and the
// moment of the weight the smallest are equal. The weight begins on the outer two.
static void sliding_on_three(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[6] = {0}, mu[] = {0.3, 0.3, 0.3};
  // v = (x, y, angle), supports at x = -1, 0, 1 and the height of the centre: friction has no moment
  const double H[] = {0, 1, -1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0};
  const double f[] = {-2, 3, 0};  // pushed sideways by 2, pressed by 3
  ss_problem p = global_problem(&arena, 2, 3, 3, M, f, H, w, mu);
  double r[] = {1.5, -0.45, 0, 0, 1.5, -0.45};
  assert_true(lessen(&p, r).reached);
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(r[2 * i] - 1) < 1e-9);
    assert_true(fabs(r[2 * i + 1] + 0.3) < 1e-9);
  }
  ssi_arena_release(&arena);
}

// What takes off stays without a reaction, though one would be free; what is not solved stays as it is.
static void free_and_unsolved(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double M[] = {1, 0, 0, 1}, f[] = {0, 1}, mu[] = {0.25, 0.25};
  const double H[] = {0, 1, 1, 0, 0, -1, 1, 0}, w[] = {0, 0, 1, 0};  // floor; a ceiling that rises
  ss_problem p = global_problem(&arena, 2, 2, 2, M, f, H, w, mu);
  double r[] = {1, 0, 0, 0};
  assert_true(lessen(&p, r).reached);
  assert_true(fabs(r[0] - 1) < 1e-9 && r[2] == 0 && r[3] == 0);
  double wrong[] = {3, 0, 1, 0};
  ss_least_norm_info info = lessen(&p, wrong);
  assert_false(info.reached);
  assert_true(wrong[0] == 3 && wrong[2] == 1 && info.norm[0] == info.norm[1]);
  ssi_arena_release(&arena);
}

static bool solve_from(const ss_problem *p, double *r, double tol) {
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  o.tol = tol;
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  return info.status == SS_SOLVED;
}

// From other starts the solver finds other reactions; those with the same velocities are not smaller, and lead to the
// same ones of least norm.
static int hold_against(const ss_problem *p, uint64_t seed) {
  enum { ROOM = 64 };
  int m = p->dim * p->nc, compared = 0;
  double least[ROOM] = {0}, u[ROOM], other[ROOM], u_other[ROOM];
  ss_verdict verdict;
  ssi_rng g = {.state = seed};
  if (!solve_from(p, least, 1e-10)) return 0;
  double first = norm_of(least, m);
  ss_least_norm_info info = lessen(p, least);
  assert_true(info.reached && info.norm[1] <= first * (1 + 1e-9));
  assert_int_equal(ss_verify(NULL, p, &(ss_solution){.r = least}, u, NULL, NULL, NULL, &verdict),
                   SS_OK);
  assert_true(verdict.error <= 1e-8);
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < m; i++) other[i] = 3 * ssi_rng_uniform(&g) * (i % p->dim == 0);
    if (!solve_from(p, other, 1e-10)) continue;
    ss_verify(NULL, p, &(ss_solution){.r = other}, u_other, NULL, NULL, NULL, &verdict);
    double apart = 0;
    for (int i = 0; i < m; i++) apart = fmax(apart, fabs(u[i] - u_other[i]));
    if (apart > 1e-8 * verdict.scale) continue;  // another solution altogether
    assert_true(norm_of(other, m) >= info.norm[1] * (1 - 1e-6));
    assert_true(lessen(p, other).reached);
    assert_true(fabs(norm_of(other, m) - info.norm[1]) <= 1e-5 * info.norm[1]);
    compared++;
  }
  return compared;
}

static void random_problems(void **state) {
  (void)state;
  int compared = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    ssi_arena arena = {0};
    random_shape c = {.dim = 2 + (int)(seed % 2), .bodies = 2, .contacts = 10, .mu = 0.6};
    c.body_dofs = c.dim == 2 ? 3 : 6;
    if (seed % 5 == 0) c.bilateral = 1;
    ss_problem p = random_problem(&arena, c, seed);
    compared += hold_against(&p, seed);
    ssi_arena_release(&arena);
  }
  assert_true(compared >= 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(between_walls),
      cmocka_unit_test(sliding_on_three),
      cmocka_unit_test(free_and_unsolved),
      cmocka_unit_test(random_problems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
