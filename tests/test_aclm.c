// solvers/aclm*.c: each inner method solves its convex program, judged by the optimality conditions;
// every pair of outer and inner method reaches the same answer; inner programs are counted.
#include "harness.h"

#include "cone/friction.h"
#include "random_problem.h"
#include "solvers/aclm.h"

static const ssi_inner *const inners[] = {&ssi_inner_pg,  &ssi_inner_apg, &ssi_inner_facet,
                                          &ssi_inner_sqp, &ssi_inner_ipm, &ssi_inner_socp};
enum { INNERS = sizeof inners / sizeof *inners, M_MAX = 30 };

// The third has 18 dofs under 24 components of r: W is singular.
static const random_shape shapes[] = {
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 0.4},
    {.dim = 2, .contacts = 10, .bodies = 12, .body_dofs = 3, .mu = 0.4},
    {.dim = 3, .contacts = 8, .bodies = 3, .body_dofs = 6, .mu = 0.4},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 0},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// K* ∋ g ⊥ r ∈ K, each to `tol` of its size, from W r + q + mu s e computed here.
static void judge(const ssi_system *sys, const double *s, const double *r, double tol) {
  double g[M_MAX], size = sys->norm_q, reach = 0;
  memcpy(g, sys->q, sizeof(double) * (size_t)sys->m);
  ssi_delassus_multiply_add(&sys->W, r, g);
  for (int k = 0; k < sys->m; k++) reach = fmax(reach, fabs(r[k]));
  for (int i = 0; i < sys->nc; i++) {
    double *gi = g + sys->dim * i, mu = sys->p.mu[i], product = 0;
    const double *ri = r + sys->dim * i;
    gi[0] += mu * s[i];
    assert_true(ssi_tangent_norm(sys->dim, ri) <= mu * ri[0] + tol * reach);
    assert_true(mu * ssi_tangent_norm(sys->dim, gi) <= gi[0] + tol * size * (1 + mu));
    for (int k = 0; k < sys->dim; k++) product += gi[k] * ri[k];
    assert_true(fabs(product) <= tol * size * reach * (1 + mu));
  }
}

static void convex_programs_are_solved(void **state) {
  (void)state;
  for (int k = 0; k < SHAPES; k++)
    for (int method = 0; method < INNERS; method++) {
      ssi_arena arena = {0};
      ss_problem p = random_problem(&arena, shapes[k], 70 + (uint64_t)k);
      double s[10], r[M_MAX] = {0}, g[M_MAX];
      for (int i = 0; i < 10; i++) s[i] = 0.05 * i;
      ssi_system *sys;
      assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
      assert_int_equal(ssi_system_need_blocks(sys), SS_OK);
      ssi_convex convex = {.sys = sys, .s = s, .scale = sys->norm_q, .tol = 1e-9};
      convex.max_iter = 200000, convex.facets = 8;
      void *inner;
      assert_int_equal(inners[method]->setup(&inner, &convex, &arena), SS_OK);
      inners[method]->solve(inner, &convex, r, g);
      double error = ssi_convex_error(&convex, r, g);
      if (error > 1e-9) fail_msg("%s, shape %d: error %g", inners[method]->name, k, error);
      judge(sys, s, r, 1e-6);
      ssi_system_destroy(sys);
      ssi_arena_release(&arena);
    }
}

static ss_info solve(const ss_problem *p, const char *outer, const char *inner, double *r) {
  ss_setting settings[] = {{"outer", outer}, {"inner", inner}, {"inner_max", "100000"}};
  ss_options o = ss_options_default();
  o.method = "aclm", o.tol = 1e-10, o.settings = settings, o.setting_count = 3;
  ss_solver *s;
  ss_info info;
  memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  return info;
}

static void pairs_agree(void **state) {
  (void)state;
  static const char *const outers[] = {"picard", "anderson", "newton"};
  for (int k = 0; k < 2; k++) {  // W regular and mu small: one solution
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[k], 90);
    double first[M_MAX], r[M_MAX];
    for (int outer = 0; outer < 3; outer++)
      for (int method = 0; method < INNERS; method++) {
        ss_info info = solve(&p, outers[outer], inners[method]->name, r);
        if (info.status != SS_SOLVED)
          fail_msg("%s, %s, shape %d: %s, error %g", outers[outer], inners[method]->name, k,
                   ss_status_name(info.status), info.error);
        assert_true(info.inner_solves >= info.iterations);
        for (int i = 0; i < p.dim * p.nc; i++)
          if (outer || method)
            assert_near(r[i], first[i], 1e-6);
          else
            first[i] = r[i];
      }
    ssi_arena_release(&arena);
  }
}

// One program per step of picard and anderson; newton needs fewer steps than picard.
static void programs_are_counted(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, shapes[0], 91);
  double r[M_MAX];
  ss_info picard = solve(&p, "picard", "apg", r), newton = solve(&p, "newton", "apg", r);
  assert_int_equal(picard.inner_solves, picard.iterations);
  assert_int_equal(solve(&p, "anderson", "apg", r).status, SS_SOLVED);
  assert_true(newton.iterations < picard.iterations);
  ssi_arena_release(&arena);
}

// |r_1| + |r_2| <= mu r_N, the pyramid of four facets; g in its dual, mu max |g_k| <= g_N; orthogonal, where M is no
// matrix of bodies as far as rounding of N^-1 allows. From raw data.
static void pyramids_are_solved(void **state) {
  (void)state;
  for (int k = 0; k < SHAPES; k++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[k], 70 + (uint64_t)k);
    double s[10], r[M_MAX] = {0}, g[M_MAX], dot = 0, reach = 0, gained = 0;
    for (int i = 0; i < 10; i++) s[i] = 0.05 * i;
    ssi_system *sys;
    assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
    assert_int_equal(ssi_system_need_blocks(sys), SS_OK);
    ssi_convex convex = {.sys = sys, .s = s, .scale = sys->norm_q, .tol = 1e-9, .max_iter = 1000};
    void *inner;
    assert_int_equal(ssi_inner_polyhedral.setup(&inner, &convex, &arena), SS_OK);
    ssi_inner_polyhedral.solve(inner, &convex, r, g);
    memcpy(g, sys->q, sizeof(double) * (size_t)sys->m);
    ssi_delassus_multiply_add(&sys->W, r, g);
    for (int j = 0; j < sys->m; j++) reach = fmax(reach, fabs(r[j]));
    for (int i = 0; i < sys->nc; i++) {
      double *gi = g + sys->dim * i, *ri = r + sys->dim * i, mu = sys->p.mu[i], drag = 0, most = 0;
      gi[0] += mu * s[i];
      for (int j = 1; j < sys->dim; j++) drag += fabs(ri[j]), most = fmax(most, fabs(gi[j]));
      for (int j = 0; j < sys->dim; j++) dot += ri[j] * gi[j];
      assert_true(drag <= mu * ri[0] + 1e-9 * reach);
      assert_true(mu * most <= gi[0] + 1e-7 * sys->norm_q * (1 + mu));
      gained += drag;
    }
    assert_true(fabs(dot) <= (k == 2 || k == 3 ? 1e-10 : 5e-5) * sys->norm_q * reach);
    assert_true(gained > 0 || !(shapes[k].mu > 0));
    if (sys->dim == 2 || !(shapes[k].mu > 0))
      judge(sys, s, r, 1e-6);  // there it is the cone itself
    ssi_inner_polyhedral.release(inner);
    ssi_system_destroy(sys);
    ssi_arena_release(&arena);
  }
}

// |P_K(r - g) - r| / (|r| + 1) / nc, here again
static void the_papers_inner_test_stops(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, shapes[0], 70);
  double s[10] = {0}, r[M_MAX] = {0}, g[M_MAX], size = 0, change = 0;
  ssi_system *sys;
  assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
  assert_int_equal(ssi_system_need_blocks(sys), SS_OK);
  ssi_convex convex = {.sys = sys, .s = s, .scale = sys->norm_q, .tol = 1e-4, .paper = true};
  convex.max_iter = 100000;
  void *inner;
  assert_int_equal(ssi_inner_pg.setup(&inner, &convex, &arena), SS_OK);
  ssi_inner_pg.solve(inner, &convex, r, g);
  for (int i = 0; i < sys->nc; i++) {
    double z[3];
    for (int k = 0; k < 3; k++) z[k] = r[3 * i + k] - g[3 * i + k];
    ssi_project(3, sys->p.mu[i], z);
    for (int k = 0; k < 3; k++) {
      change += (z[k] - r[3 * i + k]) * (z[k] - r[3 * i + k]);
      size += r[3 * i + k] * r[3 * i + k];
    }
  }
  double measure = sqrt(change) / (sqrt(size) + 1) / sys->nc;
  assert_true(measure <= 1e-4 && measure > 1e-6);  // it stops there, and not later
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
}

// Accepted by (6.1), told apart from solved; r is the one that was accepted. From r = 0 the first s is 0.
static void accepted_is_not_solved(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, shapes[0], 91);
  static const char *const stops[] = {"1", "1e-300"};
  double r[M_MAX], u[M_MAX], sum = 0;
  for (int k = 0; k < 2; k++) {
    ss_setting settings[] = {{"outer", "picard"}, {"stop", stops[k]}, {"programs", "3"}};
    ss_options o = ss_options_default();
    o.method = "aclm", o.tol = 1e-14, o.settings = settings, o.setting_count = 3;
    ss_solver *s;
    ss_info info;
    memset(r, 0, sizeof r);
    assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
    assert_int_equal(ss_solve(s, r, u, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, k ? SS_STALLED : SS_ACCEPTED);
    assert_int_equal(info.inner_solves, k ? 3 : 1);
    if (k == 0)
      for (int i = 0; i < p.nc; i++)
        sum += u[3 * i + 1] * u[3 * i + 1] + u[3 * i + 2] * u[3 * i + 2];
    if (k == 0) assert_near(info.own_test, sqrt(sum) / p.nc, 1e-9);
    ss_solver_destroy(s);
  }
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pyramids_are_solved),
      cmocka_unit_test(the_papers_inner_test_stops),
      cmocka_unit_test(accepted_is_not_solved),
      cmocka_unit_test(convex_programs_are_solved),
      cmocka_unit_test(pairs_agree),
      cmocka_unit_test(programs_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
