// la/momentum.c: where a map creeps, far fewer steps than the plain map; one block that turns back does not stop the
// others; a fixed point stays one; the first step is the plain one. And nsgs with it: a pile to 1e-8
// in less than half of the sweeps.
#include "harness.h"

#include <stickslip/stickslip.h>

#include "la/momentum.h"

enum { N = 40 };

// G(x) = x - A x, A the matrix of a chain of N springs over 4: eigenvalues from 1.5e-3 to 1
static void chain(double *x) {
  double y[N];
  for (int i = 0; i < N; i++)
    y[i] = x[i] - 0.25 * (2 * x[i] - (i ? x[i - 1] : 0) - (i + 1 < N ? x[i + 1] : 0));
  memcpy(x, y, sizeof y);
}

static double largest(const double *x) {
  double most = 0;
  for (int i = 0; i < N; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static int steps_to(double goal, bool with_momentum, double keep) {
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  ssi_momentum m;
  ssi_momentum_rule rule = {.most = 0.98, .keep = keep};
  double x[N];
  int steps = 0;
  for (int i = 0; i < N; i++) x[i] = 1;
  if (!ssi_momentum_create(&arena, 1, N, rule, &m)) return -1;
  ssi_momentum_begin(&m, x);
  for (; steps < 100000; steps++) {
    chain(x);
    if (largest(x) <= goal) break;
    if (with_momentum) ssi_momentum_next(&m, x);
  }
  ssi_arena_release(&arena);
  return steps;
}

// With what nsgs lets a block keep.
static void fewer_steps_than_the_plain_map(void **state) {
  (void)state;
  int plain = steps_to(1e-8, false, 0);
  for (int k = 0; k < 3; k++) {
    int fast = steps_to(1e-8, true, (double[]){0.5, 0.2, 0}[k]);
    assert_true(fast > 0);
    assert_true(10 * fast < plain);
  }
}

// Two blocks: the first goes on for ever, the second comes to 0 and would be carried past it again and again.
static void blocks_do_not_stop_each_other(void **state) {
  (void)state;
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  ssi_momentum m;
  double x[2] = {0, 1}, moved = 0, limit = 0.9;
  assert_true(ssi_momentum_create(&arena, 1, 2, (ssi_momentum_rule){.most = limit, .keep = 0}, &m));
  ssi_momentum_begin(&m, x);
  for (int k = 0; k < 400; k++) {
    double before = x[0];
    x[0] += 1;
    x[1] = 0.3 * x[1];
    ssi_momentum_next(&m, x);
    moved = x[0] - before;
    if (k == 0) assert_true(moved == 1 && x[1] == 0.3);  // t = 1: no momentum yet
  }
  assert_true(fabs(moved - 1 / (1 - limit)) < 1e-6);  // 1 + beta + beta^2 + ...
  assert_true(fabs(x[1]) < 1e-12);
  ssi_arena_release(&arena);
}

static void fixed_points_stay(void **state) {
  (void)state;
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  ssi_momentum m;
  double x[6] = {1, -2, 3, 0, 0.5, 1e300};
  double same[6];
  memcpy(same, x, sizeof x);
  assert_true(
      ssi_momentum_create(&arena, 3, 2, (ssi_momentum_rule){.most = 0.98, .keep = 0.5}, &m));
  ssi_momentum_begin(&m, x);
  for (int k = 0; k < 5; k++) ssi_momentum_next(&m, x);
  assert_true(!memcmp(same, x, sizeof x));
  ssi_arena_release(&arena);
}

static ss_info sweep_pile(const char *momentum, const char *order) {
  ss_context ctx = {0};
  ss_pile_options pile = ss_pile_options_default();
  pile.contacts = 1000;
  pile.mu = 0.3;
  ss_problem *p = NULL;
  ss_info info = {0};
  if (ss_generate_pile(&ctx, &pile, &p)) return info;
  ss_options o = ss_options_default();
  ss_setting settings[] = {{"momentum", momentum}, {"order", order}};
  o.method = "nsgs";
  o.tol = 1e-8;
  o.max_iter = 5000;
  o.settings = settings;
  o.setting_count = 2;
  size_t m = (size_t)p->nc * (size_t)p->dim;
  double *r = calloc(m, sizeof *r), *u = calloc(m, sizeof *u);
  ss_solver *s = NULL;
  if (r && u && !ss_solver_create(&ctx, p, &o, &s)) (void)ss_solve(s, r, u, NULL, NULL, &info);
  ss_solver_destroy(s);
  ss_problem_destroy(p);
  free(r);
  free(u);
  return info;
}

static void piles_are_solved_sooner(void **state) {
  (void)state;
  int plain = sweep_pile("0", "natural").iterations;
  for (int k = 0; k < 2; k++) {
    ss_info fast = sweep_pile("0.98", k ? "coloured" : "natural");
    assert_int_equal(fast.status, SS_SOLVED);
    assert_true(2 * fast.iterations < plain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fewer_steps_than_the_plain_map),
      cmocka_unit_test(blocks_do_not_stop_each_other),
      cmocka_unit_test(fixed_points_stay),
      cmocka_unit_test(piles_are_solved_sooner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
