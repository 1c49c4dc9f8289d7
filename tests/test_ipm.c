// The interior point method from inside: the convex program with s given, to a duality gap of 1e-12
// with rank-deficient H; both linear systems and both directions; hyperstatic walls.
#include "harness.h"

#include "random_problem.h"
#include "solvers/ipm.h"
#include "stickslip/generate.h"
#include "stickslip/solver.h"

// Fewer dofs than contact components: W is singular. v = 0 is feasible: w + E s in K*.
static const random_shape shapes[] = {
    {.dim = 3, .contacts = 20, .bodies = 4, .body_dofs = 6, .mu = 0.6},
    {.dim = 2, .contacts = 20, .bodies = 6, .body_dofs = 3, .mu = 0.3},
    {.dim = 3, .contacts = 20, .bodies = 4, .body_dofs = 6, .mu = 0},
    {.dim = 3, .contacts = 90, .bodies = 30, .body_dofs = 6, .mu = 1.5},  // UMFPACK
};

static ss_problem feasible_problem(ssi_arena *arena, random_shape shape, uint64_t seed, double *s) {
  ss_problem p = random_problem(arena, shape, seed);
  ssi_rng g = {.state = seed + 1000};
  double *w = (double *)(uintptr_t)p.w;
  for (int i = 0; i < p.nc; i++) {
    double *wi = w + p.dim * i, t = p.dim == 2 ? fabs(wi[1]) : sqrt(wi[1] * wi[1] + wi[2] * wi[2]);
    s[i] = 0.1 * ssi_rng_uniform(&g);
    wi[0] = p.mu[i] * t + 0.01 - p.mu[i] * s[i];
  }
  for (int k = 0; k < p.ndof; k++) ((double *)(uintptr_t)p.f)[k] *= 5;  // loads that press
  return p;
}

typedef struct answer {
  double r[270], u[270], gap;
  int iterations;
  bool converged;
} answer;

static answer solve_convex(const ss_problem *p, const double *s, ssi_ipm_way way,
                           ssi_ipm_direction direction, double tol) {
  answer a = {0};
  ssi_arena arena = {0};
  ssi_system *sys;
  ssi_ipm ipm = {.way = way, .direction = direction};
  assert_int_equal(ssi_system_create(NULL, p, &sys), SS_OK);
  assert_int_equal(ssi_ipm_setup(&ipm, sys, &arena), SS_OK);
  ssi_ipm_refresh(&ipm);
  a.converged = ssi_ipm_solve_convex(&ipm, s, tol, 100, a.r, a.u, &a.gap, &a.iterations);
  ssi_ipm_release(&ipm);
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
  return a;
}

// K* ∋ u + mu s e ⊥ r ∈ K to `tol` of the sizes of u and r; returns how many contacts press.
static int check_convex(const ss_problem *p, const double *s, const answer *a, double tol) {
  double ru = 0, size_r = 0, size_u = 0;
  int pressing = 0;
  for (int k = 0; k < p->dim * p->nc; k++) {
    size_r = fmax(size_r, fabs(a->r[k]));
    size_u = fmax(size_u, fabs(a->u[k]));
  }
  for (int i = 0; i < p->nc; i++) {
    const double *r = a->r + p->dim * i, *u = a->u + p->dim * i;
    double rt = p->dim == 2 ? fabs(r[1]) : hypot(r[1], r[2]);
    double ut = p->dim == 2 ? fabs(u[1]) : hypot(u[1], u[2]), un = u[0] + p->mu[i] * s[i];
    assert_true(rt <= p->mu[i] * r[0] + tol * size_r);
    assert_true(p->mu[i] * ut <= un + tol * size_u);
    ru += r[0] * un;
    for (int k = 1; k < p->dim; k++) ru += r[k] * u[k];
    pressing += r[0] > 1e-3 * size_r;
  }
  assert_true(fabs(ru) <= tol * size_r * size_u * p->nc);
  return pressing;
}

static void convex_programs_close_their_gap(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (uint64_t seed = 1; seed <= 10; seed++) {
      ssi_arena arena = {0};
      double s[90];
      ss_problem p = feasible_problem(&arena, shapes[k], seed, s);
      answer a = solve_convex(&p, s, SSI_IPM_AUTO, SSI_IPM_AHO, 1e-12);
      if (!a.converged) fail_msg("shape %d seed %d: gap %g", (int)k, (int)seed, a.gap);
      assert_true(a.gap <= 1e-12 && a.iterations <= 40);
      assert_true(check_convex(&p, s, &a, 1e-9) > 0);
      ssi_arena_release(&arena);
    }
}

// u is unique where r is not: every way must find the same.
static void all_ways_lead_to_the_same_velocity(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    ssi_arena arena = {0};
    double s[90];
    ss_problem p = feasible_problem(&arena, shapes[k], 77, s);
    answer first = solve_convex(&p, s, SSI_IPM_REDUCED, SSI_IPM_AHO, 1e-12);
    for (int way = SSI_IPM_AUTO; way <= SSI_IPM_GLOBAL; way++)
      for (int direction = SSI_IPM_AHO; direction <= SSI_IPM_NT; direction++) {
        // neither the global system alone nor the other direction is accurate enough for 1e-12
        double tol = way == SSI_IPM_GLOBAL ? 1e-7 : direction == SSI_IPM_NT ? 1e-9 : 1e-12;
        answer a = solve_convex(&p, s, (ssi_ipm_way)way, (ssi_ipm_direction)direction, tol);
        if (!a.converged)
          fail_msg("shape %d way %d direction %d: %g", (int)k, way, direction, a.gap);
        for (int j = 0; j < p.dim * p.nc; j++) assert_near(a.u[j], first.u[j], 1e-4);
      }
    ssi_arena_release(&arena);
  }
}

static ss_info solve(const ss_problem *p, const ss_setting *setting, double tol) {
  ss_options o = ss_options_default();
  ss_info info;
  o.method = "ipm", o.tol = tol, o.measure = SS_MEASURE_BOTH;
  o.settings = setting, o.setting_count = setting != NULL;
  ss_solver *s;
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  double *r = calloc((size_t)(p->dim * p->nc), sizeof *r);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  free(r);
  ss_solver_destroy(s);
  return info;
}

static void hyperstatic_walls_in_few_iterations(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (double push = 0; push < 0.5; push += 0.2) {
      ss_wall_options w = ss_wall_options_default();
      w.dim = dim, w.rows = 6, w.cols = 6, w.mu = 0.5, w.push = push;
      ss_problem *p;
      assert_int_equal(ss_generate_wall(NULL, &w, &p), SS_OK);
      static const ss_setting ways[] = {
          {"system", "auto"}, {"system", "reduced"}, {"direction", "nt"}};
      for (int k = 0; k < 3; k++) {
        ss_info info = solve(p, &ways[k], k == 2 ? 1e-6 : 1e-9);
        if (info.status != SS_SOLVED || info.iterations > 25)
          fail_msg("wall %dD push %g %s: %s after %d, %g", dim, push, ways[k].value,
                   ss_status_name(info.status), info.iterations, info.error);
      }
      ss_problem_destroy(p);
    }
}

// With s fixed at that of an answer the convex program returns that answer.
static void fixed_s_of_an_answer_gives_it_back(void **state) {
  (void)state;
  ss_wall_options w = ss_wall_options_default();
  w.dim = 3, w.rows = 4, w.cols = 4, w.mu = 0.3, w.push = 0.6;  // slips
  ss_problem *p;
  assert_int_equal(ss_generate_wall(NULL, &w, &p), SS_OK);
  ss_options o = ss_options_default();
  static const ss_setting fixed = {"s", "fixed"};
  double *r = calloc((size_t)(p->dim * p->nc), sizeof *r);
  for (int pass = 0; pass < 2; pass++) {
    ss_solver *s;
    ss_info info;
    o.method = "ipm", o.tol = pass ? 1e-12 : 1e-10, o.settings = &fixed, o.setting_count = pass;
    assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    if (pass == 0) assert_int_equal(info.status, SS_SOLVED);
    assert_true(info.error <= 1e-9);
    ss_solver_destroy(s);
  }
  free(r);
  ss_problem_destroy(p);
}

static void global_system_is_refused_where_impossible(void **state) {
  (void)state;
  static const ss_setting global = {"system", "global"};
  ssi_arena arena = {0};
  ss_problem p = random_problem(
      &arena,
      (random_shape){
          .dim = 3, .contacts = 5, .bodies = 4, .body_dofs = 6, .coupled = true, .mu = 0.3},
      3);
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  o.method = "ipm", o.settings = &global, o.setting_count = 1;
  ss_solver *s;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "block-diagonal"));
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convex_programs_close_their_gap),
      cmocka_unit_test(all_ways_lead_to_the_same_velocity),
      cmocka_unit_test(hyperstatic_walls_in_few_iterations),
      cmocka_unit_test(fixed_s_of_an_answer_gives_it_back),
      cmocka_unit_test(global_system_is_refused_where_impossible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
