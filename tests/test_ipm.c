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

// ---- near a guess --------------------------------------------------------------------------

// z o y = tau e, z - y = T^-1 r - T (u + mu |u_T| e), both inside the cone, of one contact.
static void check_split(const ssi_ipm *p, int64_t i, const double *r, const double *u, double tau) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  const double *z = p->z + dim * i, *y = p->y + dim * i, *T = p->linear.T + dim * i;
  double product[3], slip = dim == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
  double size = z[0] + y[0];
  ssi_soc_product(dim, z, y, product);
  for (int k = 0; k < dim; k++) {
    double lift = k == 0 ? sys->p.mu[i] * slip : 0;
    double x = (T[k] > 0 ? r[k] / T[k] : 0) - T[k] * (u[k] + lift);
    assert_true(isfinite(z[k]) && isfinite(y[k]));
    assert_true(fabs(product[k] - (k == 0 ? tau : 0)) <= 1e-13 * (tau + size * size));
    assert_true(fabs(z[k] - y[k] - x / p->unit) <= 1e-13 * size);
    if (T[k] == 0) assert_true(z[k] == 0 && y[k] == 0);
  }
  // the margins are good to all digits: their eigenvalues multiply to tau
  double high_z = p->margin_z[i] + 2 * ssi_soc_tangent(dim, z);
  double high_y = p->margin_y[i] + 2 * ssi_soc_tangent(dim, y);
  assert_true(p->margin_z[i] > 0 && p->margin_y[i] > 0);
  assert_true(fabs(p->margin_z[i] * high_y / tau - 1) < 1e-10);
  assert_true(fabs(p->margin_y[i] * high_z / tau - 1) < 1e-10);
}

static void begins_where_it_is_asked_to(void **state) {
  (void)state;
  static const double taus[] = {1e-16, 1e-8, 1, 1e6};
  for (int dim = 2; dim <= 3; dim++)
    for (size_t k = 0; k < sizeof taus / sizeof *taus; k++) {
      ssi_arena arena = {0};
      random_shape shape = {
          .dim = dim, .contacts = 40, .bodies = 8, .body_dofs = dim == 2 ? 3 : 6, .mu = 0.6};
      ss_problem p = random_problem(&arena, shape, 4);
      for (int i = 0; i < 40; i += 3) ((double *)(uintptr_t)p.mu)[i] = 0;
      ssi_rng g = {.state = 7};
      double r[120], u[120];
      for (int i = 0; i < 40; i++)
        for (int l = 0; l < dim; l++) {  // in all combinations: 0, small, of either sign
          double size = i % 7 == 0 ? 1e-9 : 1;
          r[dim * i + l] = i % 4 == 0 || (l && i % 3 == 0) ? 0 : size * random_signed(&g);
          u[dim * i + l] = i % 5 == 0 ? 0 : random_signed(&g);
        }
      ssi_system *sys;
      ssi_ipm ipm = {.way = SSI_IPM_GLOBAL};
      assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
      assert_int_equal(ssi_ipm_setup(&ipm, sys, &arena), SS_OK);
      ssi_ipm_refresh(&ipm);
      ssi_ipm_begin_near(&ipm, NULL, r, u, taus[k]);
      for (int i = 0; i < 40; i++) check_split(&ipm, i, r + dim * i, u + dim * i, taus[k]);
      assert_true(fabs(ipm.gap / taus[k] - 1) < 1e-10);  // z.y of each contact
      ssi_ipm_release(&ipm);
      ssi_system_destroy(sys);
      ssi_arena_release(&arena);
    }
}

static ss_info solve_from(const ss_problem *p, int count, const ss_setting *settings, double tol,
                          double *r) {
  ss_options o = ss_options_default();
  ss_info info;
  o.method = "ipm", o.tol = tol, o.settings = settings, o.setting_count = count;
  ss_solver *s;
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  for (int k = 0; k < p->dim * p->nc; k++) assert_true(isfinite(r[k]));
  return info;
}

// From an answer to 1e-4 one is there in a few iterations, whatever mu. (At push = mu, the border of
// slipping, no start gets to 1e-9.)
static void a_good_guess_saves_iterations(void **state) {
  (void)state;
  static const ss_setting near[] = {{"near", "1e-6"}, {"starts", "1"}};
  for (int dim = 2; dim <= 3; dim++)
    for (double mu = 0; mu < 0.7; mu += 0.3) {
      ss_wall_options w = ss_wall_options_default();
      w.dim = dim, w.rows = 5, w.cols = 5, w.mu = mu, w.push = 0.45;
      ss_problem *p;
      assert_int_equal(ss_generate_wall(NULL, &w, &p), SS_OK);
      double *r = calloc((size_t)(p->dim * p->nc), sizeof *r);
      ss_info cold = solve_from(p, 0, NULL, 1e-4, r);
      assert_int_equal(cold.status, SS_SOLVED);
      ss_info warm = solve_from(p, 2, near, 1e-9, r);
      if (warm.status != SS_SOLVED || warm.iterations > 2)
        fail_msg("wall %dD mu %g: %s after %d, %g", dim, mu, ss_status_name(warm.status),
                 warm.iterations, warm.error);
      memset(r, 0, sizeof *r * (size_t)(p->dim * p->nc));
      ss_info poor = solve_from(p, 1, near, 1e-9, r);  // near r = 0, then the other starts
      assert_int_equal(poor.status, SS_SOLVED);
      free(r);
      ss_problem_destroy(p);
    }
}

// With s given it is the same convex program, begun elsewhere: the same velocity, which is unique.
static void near_keeps_s_given(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double s[90];
  ss_problem p = feasible_problem(&arena, shapes[0], 17, s);
  answer a = solve_convex(&p, s, SSI_IPM_REDUCED, SSI_IPM_AHO, 1e-12);
  ssi_system *sys;
  ssi_ipm ipm = {.way = SSI_IPM_REDUCED};
  double r[60] = {0}, u[60];
  assert_true(a.converged);
  assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
  assert_int_equal(ssi_ipm_setup(&ipm, sys, &arena), SS_OK);
  ssi_ipm_refresh(&ipm);
  ssi_system_velocity(sys, r, u);
  ssi_ipm_begin_near(&ipm, s, r, u, 1e-2);
  for (int k = 0; k < 60 && !ssi_ipm_converged(&ipm, 1e-12); k++)
    assert_true(ssi_ipm_iterate(&ipm));
  assert_true(ssi_ipm_converged(&ipm, 1e-12));
  ssi_ipm_reactions(&ipm, r);
  ssi_system_velocity(sys, r, u);
  for (int j = 0; j < sys->m; j++) assert_near(u[j], a.u[j], 1e-5);
  ssi_ipm_release(&ipm);
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convex_programs_close_their_gap),
      cmocka_unit_test(all_ways_lead_to_the_same_velocity),
      cmocka_unit_test(hyperstatic_walls_in_few_iterations),
      cmocka_unit_test(fixed_s_of_an_answer_gives_it_back),
      cmocka_unit_test(global_system_is_refused_where_impossible),
      cmocka_unit_test(begins_where_it_is_asked_to),
      cmocka_unit_test(a_good_guess_saves_iterations),
      cmocka_unit_test(near_keeps_s_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
