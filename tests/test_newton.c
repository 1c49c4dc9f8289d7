// The generalised Jacobians against finite differences, in every region and dimension; the two linear
// systems against each other; the speed of convergence near a solution; the part on its own.
#include "harness.h"

#include "random_problem.h"
#include "solvers/newton.h"

// The maps once more, straight from docs/theory.md and [AC91], sharing nothing with jacobian.h.
static void map_value(ssi_map map, int dim, double mu, const double *x, const double *u,
                      double *F) {
  double y[3] = {0}, slide = dim == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
  for (int k = 0; k < dim; k++) y[k] = x[k] - u[k];
  if (map == SSI_MAP_NATURAL) y[0] -= mu * slide;
  double s = dim == 3 ? hypot(y[1], y[2]) : fabs(y[1]), p[3] = {0};
  if (map == SSI_MAP_AC) {
    p[0] = fmax(y[0], 0);
    double shrink = s > mu * p[0] ? mu * p[0] / s : 1;
    for (int k = 1; k < dim; k++) p[k] = shrink * y[k];
  } else if (s <= mu * y[0]) {
    for (int k = 0; k < dim; k++) p[k] = y[k];
  } else if (mu * s > -y[0]) {
    p[0] = (y[0] + mu * s) / (1 + mu * mu);
    for (int k = 1; k < dim; k++) p[k] = mu * p[0] * y[k] / s;
  }
  for (int k = 0; k < dim; k++) F[k] = x[k] - p[k];
}

static ssi_region region_at(ssi_map map, int dim, double mu, const double *x, const double *u) {
  ssi_linear f;
  return ssi_linearise(map, dim, mu, x, u, &f);
}

// One column: entry k of x or of u moved. false when the move crosses into another region.
static bool column_agrees(ssi_map map, int dim, double mu, double *x, double *u, bool of_u, int k) {
  const double h = 1e-6;
  double *moved = of_u ? u : x, at = moved[k], low[3], high[3];
  ssi_linear f;
  ssi_region here = ssi_linearise(map, dim, mu, x, u, &f);
  moved[k] = at - h;
  bool same = region_at(map, dim, mu, x, u) == here;
  map_value(map, dim, mu, x, u, low);
  moved[k] = at + h;
  same &= region_at(map, dim, mu, x, u) == here;
  map_value(map, dim, mu, x, u, high);
  moved[k] = at;
  for (int l = 0; same && l < dim; l++)
    assert_near((of_u ? f.C : f.A)[dim * l + k], (high[l] - low[l]) / (2 * h), 1e-6);
  return same;
}

static void jacobian_is_the_derivative(void **state) {
  (void)state;
  static const double frictions[] = {0, 0.3, 0.9, 5};
  for (int map = 0; map < 2; map++)
    for (int dim = 2; dim <= 3; dim++)
      for (int c = 0; c < 4; c++) {
        ssi_rng g = {.state = 7};
        int met[3] = {0};
        for (int trial = 0; trial < 2000; trial++) {
          double x[3], u[3], F[3];
          for (int k = 0; k < dim; k++) x[k] = random_signed(&g), u[k] = random_signed(&g);
          x[0] *= 4;                                           // so that sticking is met as well
          if (dim == 3 && hypot(u[1], u[2]) < 0.05) continue;  // |u_T| is curved there
          if (dim == 2 && fabs(u[1]) < 1e-3) continue;
          if (dim == 3 && hypot(x[1] - u[1], x[2] - u[2]) < 0.05) continue;
          ssi_linear f;
          ssi_region region = ssi_linearise((ssi_map)map, dim, frictions[c], x, u, &f);
          map_value((ssi_map)map, dim, frictions[c], x, u, F);
          for (int k = 0; k < dim; k++) assert_near(f.F[k], F[k], 1e-14);
          bool all = true;
          for (int k = 0; k < dim; k++) {
            all &= column_agrees((ssi_map)map, dim, frictions[c], x, u, false, k);
            all &= column_agrees((ssi_map)map, dim, frictions[c], x, u, true, k);
          }
          met[region] += all;
        }
        assert_true(met[SSI_REGION_FREE] > 20);
        assert_true(met[SSI_REGION_SLIP] > 20);
        if (frictions[c] > 0) assert_true(met[SSI_REGION_STICK] > 20);
        if (frictions[c] == 0) assert_int_equal(met[SSI_REGION_STICK], 0);
      }
}

static const random_shape shapes[] = {
    {.dim = 3, .contacts = 30, .bodies = 12, .body_dofs = 6, .mu = 0.3},
    {.dim = 2, .contacts = 30, .bodies = 20, .body_dofs = 3, .mu = 0.3},
    {.dim = 3, .contacts = 150, .bodies = 50, .body_dofs = 6, .mu = 0.3},  // UMFPACK in both
};

// dr of both systems at the same r, and (1) of newton.c put together again from dr.
static void spaces_agree(void **state) {
  (void)state;
  for (int shape = 0; shape < 3; shape++)
    for (int map = 0; map < 2; map++) {
      ssi_arena arena = {0};
      ss_problem p = random_problem(&arena, shapes[shape], 11);
      ssi_system *sys;
      assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
      ssi_newton n[2];
      ssi_rng g = {.state = 9};
      double error = 0, *r = SSI_TAKE(&arena, sys->m, double),
             *du = SSI_TAKE(&arena, sys->m, double);
      for (int i = 0; i < sys->nc; i++) {
        r[p.dim * i] = fmax(random_signed(&g), 0);
        for (int k = 1; k < p.dim; k++) r[p.dim * i + k] = 0.3 * r[p.dim * i] * random_signed(&g);
      }
      for (int way = 0; way < 2; way++) {
        ssi_newton_options o = ssi_newton_options_default();
        o.map = (ssi_map)map, o.space = way ? SSI_NEWTON_BODIES : SSI_NEWTON_BLOCKS;
        assert_int_equal(ssi_newton_create(&n[way], sys, &o, &arena), SS_OK);
        ssi_newton_begin(&n[way], sys, r);
        error = n[way].error;
        double *moved = SSI_TAKE(&arena, sys->m, double);
        ssi_newton_step(&n[way], sys, moved);
      }
      assert_true(n[0].active > 3 && n[0].active == n[1].active && n[0].active < sys->nc);
      double size = 0, alpha = 0.1 * fmin(error, 1);
      for (int k = 0; k < sys->m; k++) size = fmax(size, fabs(n[0].dr[k]));
      for (int k = 0; k < sys->m; k++) assert_near(n[1].dr[k] / size, n[0].dr[k] / size, 1e-9);
      // (1): du = W dr, without q
      ssi_system_velocity(sys, n[0].dr, du);
      int m = sys->m, dim = sys->dim;
      for (int k = 0; k < m; k++) du[k] -= sys->q[k];
      for (int i = 0; i < sys->nc; i++)
        for (int k = 0; k < dim; k++) {
          const ssi_linear *f = &n[0].linear[i];
          double sum = f->F[k];
          for (int l = 0; l < dim; l++) {
            double dx = n[0].lambda[i] * n[0].dr[dim * i + l];
            sum += f->A[dim * k + l] * dx + f->C[dim * k + l] * (du[dim * i + l] + alpha * dx);
          }
          assert_near(sum / (size * sys->lambda_max[i]), 0, 1e-9);
        }
      ssi_newton_release(&n[0]);
      ssi_newton_release(&n[1]);
      ssi_system_destroy(sys);
      ssi_arena_release(&arena);
    }
}

// From a rough answer to rounding in a few steps, in each space and with each map.
static void polishes(void **state) {
  (void)state;
  random_shape shape = {.dim = 3, .contacts = 20, .bodies = 24, .body_dofs = 6, .mu = 0.3};
  for (int choice = 0; choice < 4; choice++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shape, 40);
    ss_options rough = ss_options_default();
    double r[60] = {0}, error, error_fclib, u[60];
    rough.tol = 1e-4;
    ss_solver *s;
    ss_info info;
    assert_int_equal(ss_solver_create(NULL, &p, &rough, &s), SS_OK);
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_SOLVED);
    ss_solver_destroy(s);

    ssi_system *sys;
    assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
    ssi_newton n;
    ssi_newton_options o = ssi_newton_options_default();
    o.map = choice % 2 ? SSI_MAP_NATURAL : SSI_MAP_AC;
    o.space = choice / 2 ? SSI_NEWTON_BODIES : SSI_NEWTON_BLOCKS;
    assert_int_equal(ssi_newton_create(&n, sys, &o, &arena), SS_OK);
    ssi_newton_begin(&n, sys, r);
    int steps = 0;
    while (n.error > 1e-13 && steps++ < 6)
      assert_int_equal(ssi_newton_step(&n, sys, r), SSI_CONTINUE);
    assert_true(steps <= 5);
    ssi_system_velocity(sys, r, u);  // measured apart from the part's own figure
    ssi_system_measure(sys, r, u, &error, &error_fclib);
    assert_true(error <= 1e-13);
    ssi_newton_release(&n);
    ssi_system_destroy(sys);
    ssi_arena_release(&arena);
  }
}

// At the floor of rounding it gives up and hands back the best iterate.
static void stalls_at_the_floor(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, shapes[0], 40);
  ssi_system *sys;
  assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
  ssi_newton n;
  ssi_newton_options o = ssi_newton_options_default();
  double r[90] = {0}, first, u[90], error, error_fclib;
  assert_int_equal(ssi_newton_create(&n, sys, &o, &arena), SS_OK);
  ssi_newton_begin(&n, sys, r);
  first = n.error;
  int steps = 0;
  while (ssi_newton_step(&n, sys, r) == SSI_CONTINUE) assert_true(++steps < 2000);
  ssi_system_velocity(sys, r, u);
  ssi_system_measure(sys, r, u, &error, &error_fclib);
  assert_true(error == n.best_error && error <= first);
  ssi_newton_release(&n);
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
}

static void bodies_need_bodies(void **state) {
  (void)state;
  ssi_arena arena = {0};
  random_shape shape = shapes[0];
  shape.coupled = true;
  ss_problem p = random_problem(&arena, shape, 1);
  ss_context ctx = {0};
  ss_setting setting = {"space", "bodies"};
  ss_options o = ss_options_default();
  o.method = "newton", o.settings = &setting, o.setting_count = 1;
  ss_solver *s;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "block-diagonal"));
  ssi_arena_release(&arena);
}

// Contacts that touch nothing: W = 0, and no bodies to factor by. Every space then uses blocks.
static void no_dofs_at_all(void **state) {
  (void)state;
  static const int64_t nothing[10] = {0};
  static const double mu[] = {0.3, 0, 1}, w[] = {1, 0, 0, 0, 0, 0, 2, 0.5, 0};
  static const char *const spaces[] = {"auto", "blocks", "bodies"};
  ss_problem p = {.form = SS_GLOBAL, .dim = 3, .nc = 3, .mu = mu, .w = w};
  p.H = (ss_sparse){.rows = 9, .ptr = nothing};
  for (int k = 0; k < 3; k++) {
    ss_setting settings[] = {{"space", spaces[k]}, {"warmup", "0"}};
    ss_options o = ss_options_default();
    o.method = "newton", o.settings = settings, o.setting_count = 2;
    ss_solver *s;
    ss_info info;
    double r[9] = {1, 0.1, 0, 2, 0, 0, 1, 0, 0.5};
    assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_SOLVED);
    ss_solver_destroy(s);
  }
}

// auto with a limit that keeps it from the bodies: all its acts, as nothing gets to 1e-17.
static void expect_all_acts(const ss_problem *p) {
  ss_setting limit = {"direct_flops", "1e5"};
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  double r[12] = {0};
  o.tol = 1e-17, o.max_iter = 3000, o.settings = &limit, o.setting_count = 1;
  assert_true(p->dim * p->nc <= 12);
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  assert_true(info.error < 1e-13);
  ss_solver_destroy(s);
}

// Few contacts that touch everything: the matrix by bodies is full, too large for max_flops, that of
// the contacts small. The limit is for the matrix that is used.
static void a_limit_on_bodies_is_none_on_blocks(void **state) {
  (void)state;
  enum { BODIES = 40, CONTACTS = 4, DOFS = 6 * BODIES };
  static int64_t diagonal[DOFS + 1], ptr[3 * CONTACTS + 1];
  static int own[DOFS], col[3 * CONTACTS * DOFS];
  static double mass[DOFS], x[3 * CONTACTS * DOFS], f[DOFS], w[3 * CONTACTS], mu[CONTACTS];
  ssi_rng g = {.state = 4};
  for (int k = 0; k < DOFS; k++) diagonal[k + 1] = k + 1, own[k] = k, mass[k] = 1, f[k] = 1;
  for (int r = 0; r < 3 * CONTACTS; r++) ptr[r + 1] = (int64_t)(r + 1) * DOFS;
  for (int k = 0; k < 3 * CONTACTS * DOFS; k++) col[k] = k % DOFS, x[k] = random_signed(&g);
  for (int i = 0; i < CONTACTS; i++) mu[i] = 0.3;
  ss_problem p = {.form = SS_GLOBAL, .dim = 3, .nc = CONTACTS, .ndof = DOFS};
  p.M = (ss_sparse){.rows = DOFS, .cols = DOFS, .ptr = diagonal, .col = own, .x = mass};
  p.H = (ss_sparse){.rows = 3 * CONTACTS, .cols = DOFS, .ptr = ptr, .col = col, .x = x};
  p.mu = mu, p.f = f, p.w = w;
  for (int space = SSI_NEWTON_AUTO; space <= SSI_NEWTON_BODIES; space++) {
    ssi_arena arena = {0};
    ssi_system *sys;
    ssi_newton n = {0};
    ssi_newton_options o = ssi_newton_options_default();
    o.space = (ssi_newton_space)space, o.max_flops = 1e5;
    assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
    ss_error e = ssi_newton_create(&n, sys, &o, &arena);
    assert_int_equal(e, space == SSI_NEWTON_BODIES ? SS_ERR_METHOD : SS_OK);
    assert_true(n.bodies == (space == SSI_NEWTON_BODIES));
    ssi_newton_release(&n);
    ssi_system_destroy(sys);
    ssi_arena_release(&arena);
  }
  expect_all_acts(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian_is_the_derivative),
      cmocka_unit_test(spaces_agree),
      cmocka_unit_test(polishes),
      cmocka_unit_test(stalls_at_the_floor),
      cmocka_unit_test(bodies_need_bodies),
      cmocka_unit_test(no_dofs_at_all),
      cmocka_unit_test(a_limit_on_bodies_is_none_on_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
