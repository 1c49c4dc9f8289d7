// analysis/enumerate_search.c and below: the tree against all patterns and against solves from random
// starts, singular problems, ties, what nodes lose.
#include "enumerate_help.h"

#include "stickslip/solver.h"

static bool is_listed(const ss_solution_set *set, const double *r, double tol) {
  int m = 2 * set->nc;
  for (int k = 0; k < set->count; k++) {
    double far = 0, size = 1;
    for (int j = 0; set->components[k].isolated && j < m; j++) {
      far = fmax(far, fabs(set->components[k].r[j] - r[j]));
      size = fmax(size, fabs(r[j]));
    }
    if (set->components[k].isolated && far <= tol * size) return true;
  }
  return false;
}

static void tree_and_patterns(void **state) {
  (void)state;
  static const double mus[] = {0.3, 1, 3};
  int several = 0;
  for (int k = 0; k < 120; k++) {
    ssi_arena arena = {0};
    random_case c = {4 + k % 4, mus[k % 3], k % 2 ? 0.1 : 0, 100 + (uint64_t)k};
    double r[16];
    ss_problem p = random_known(&arena, c, r);
    ss_solution_set *set = enumerate(&p, false);
    assert_int_equal(set->count, count_by_patterns(&p));
    assert_true(is_listed(set, r, 1e-7));
    assert_int_equal(set->degree, SS_DEGREE_HOLDS);
    several += set->count > 1;
    ss_solution_set_destroy(set);
    ssi_arena_release(&arena);
  }
  assert_true(several >= 10);
}

static void random_starts(void **state) {
  (void)state;
  static const char *const methods[] = {"nsgs", "lemke", "admm", "newton"};
  int solved = 0, several = 0;
  for (int k = 0; k < 6; k++) {
    ssi_arena arena = {0};
    random_case c = {12, k % 2 ? 3 : 1, 0.02, 500 + (uint64_t)k};
    double known[24];
    ss_problem p = random_known(&arena, c, known);
    ss_solution_set *set = enumerate(&p, false);
    assert_true(is_listed(set, known, 1e-6));
    several += set->count > 1;
    for (int method = 0; method < 4; method++) {
      ss_options o = ss_options_default();
      o.method = methods[method], o.tol = 1e-12, o.max_iter = 2000;
      ss_solver *solver;
      if (ss_solver_create(NULL, &p, &o, &solver)) continue;
      ssi_rng g = {.state = (uint64_t)k};
      for (int start = 0; start < (method == 1 ? 1 : 334); start++) {
        double r[24];
        ss_info info;
        for (int j = 0; j < 24; j++) r[j] = 3 * random_signed(&g);
        assert_int_equal(ss_solve(solver, r, NULL, NULL, NULL, &info), SS_OK);
        if (info.status != SS_SOLVED) continue;
        solved++;
        if (!is_listed(set, r, 1e-5)) fail_msg("case %d: %s found another solution", k, o.method);
      }
      ss_solver_destroy(solver);
    }
    ss_solution_set_destroy(set);
    ssi_arena_release(&arena);
  }
  assert_true(solved > 1000 && several > 0);
}

// ---- singular W: continua ---------------------------------------------------------------------

static ssi_set *by_patterns(const ss_problem *p) {
  static ss_context ctx;
  ssi_arena scratch = {0}, arena = {.ctx = &ctx};
  ssi_solver_of_cells solver;
  assert_int_equal(ssi_cells_double(NULL, &scratch, p, 1e-10, &solver), SS_OK);
  ssi_cells cells = {.arena = &scratch, .n = p->nc};
  uint8_t states[8] = {0};
  for (int code = 0; code < 1 << (2 * p->nc); code++) {
    bool used = true;  // without friction, stick is part of both slips
    for (int i = 0; i < p->nc; i++) {
      states[i] = (uint8_t)(code >> (2 * i) & 3);
      used = used && (states[i] != SS_CELL_STICK || p->mu[i] > 0);
    }
    if (!used) continue;
    assert_int_equal(solver.solve(solver.state, states, &cells), SS_OK);
  }
  ssi_set *set = SSI_TAKE(&arena, 1, ssi_set);
  set->arena = arena;
  assert_int_equal(ssi_join_cells(&ctx, &cells, p->mu, set), SS_OK);
  ssi_arena_release(&scratch);
  return set;
}

static int sum_of(const ss_solution_set *set, int what) {
  int sum = 0;
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    sum += what == 0 ? c->dimension : what == 1 ? c->cell_count : c->isolated;
    for (int j = 0; what > 2 && j < c->cell_count; j++)
      sum += what == 3 ? c->cells[j].vertex_count : c->cells[j].ray_count;
  }
  return sum;
}

// Bodies fewer than contacts: the tree against all patterns, in both arithmetics.
static void singular(void **state) {
  (void)state;
  int continua = 0, rays = 0;
  for (int k = 0; k < 60; k++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 900 + (uint64_t)k};
    int n = 4 + k % 2, m = 2 * n, dofs = 3 + k % 3;
    double H[100], M[36] = {0}, f[6], w[10], mu[5];
    for (int j = 0; j < m * dofs; j++) H[j] = (double)(ssi_rng_below(&g, 9) - 4) / 4;
    for (int j = 0; j < dofs; j++) M[j * dofs + j] = 1, f[j] = (double)ssi_rng_below(&g, 3) - 1;
    for (int j = 0; j < m; j++) w[j] = k % 4 ? 0 : (double)ssi_rng_below(&g, 3) / 2;
    for (int j = 0; j < n; j++) mu[j] = k % 5 == 0 && j == 0 ? 0 : 0.5;
    ss_problem p = global_problem(&arena, 2, n, dofs, M, f, H, w, mu);
    ssi_set *all = by_patterns(&p);
    for (int rational = 0; rational < arithmetics(); rational++) {
      ss_solution_set *set = enumerate(&p, rational);
      for (int what = -1; what < 5; what++) {
        int a = what < 0 ? set->count : sum_of(set, what);
        int b = what < 0 ? all->set.count : sum_of(&all->set, what);
        if (a != b)
          fail_msg("case %d rational %d: sum %d is %d, expected %d", k, rational, what, a, b);
      }
      continua += set->count - sum_of(set, 2);
      rays += sum_of(set, 4);
      ss_solution_set_destroy(set);
    }
    ss_solution_set_destroy(&all->set);
    ssi_arena_release(&arena);
  }
  assert_true(continua > 10 && rays > 2);
}

// All contacts tied at r = 0, u = 0: one solution, not 4^20 patterns.
static void all_tied(void **state) {
  (void)state;
  enum { N = 20 };
  ssi_arena arena = {0};
  double W[4 * N * N] = {0}, q[2 * N] = {0}, mu[N];
  for (int k = 0; k < 2 * N; k++) W[k * 2 * N + k] = 1, mu[k / 2] = 0.5;
  ss_problem p = reduced_problem(&arena, 2, N, W, q, mu);
  ss_solution_set *set = enumerate(&p, false);
  assert_int_equal(set->count, 1);
  assert_true(set->components[0].isolated && set->components[0].tie);
  assert_false(set->rigorous);
  assert_true(set->nodes < 1000);
  ss_solution_set_destroy(set);
  ssi_arena_release(&arena);
}

// ---- nodes: what the tableau loses is noticed ------------------------------------------------

static void node_error(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double known[16], r[12], u[12];
  ss_problem p = random_known(&arena, (random_case){6, 0.7, 0.1, 11}, known);
  ssi_solver_of_cells solver;
  assert_int_equal(ssi_cells_double(NULL, &arena, &p, 1e-10, &solver), SS_OK);
  const ssi_scaled *z = ssi_cells_scaled(&solver);
  static const int modes[6] = {SS_CELL_STICK,      SSI_LEFT_SIDE, SSI_RIGHT_SIDE,
                               SS_CELL_SLIP_MINUS, SS_CELL_FREE,  SS_CELL_SLIP_PLUS};
  ssi_node a, b;
  assert_true(ssi_node_take(&a, &arena, 6) && ssi_node_take(&b, &arena, 6));
  ssi_node_root(&a, z);
  for (int i = 0; i < 6; i++) {
    int side = modes[i] == SS_CELL_SLIP_MINUS ? SSI_LEFT_SIDE : SSI_RIGHT_SIDE;
    if (modes[i] < SSI_OPEN && modes[i] != SS_CELL_STICK) {  // through a side
      ssi_node_enter(&a, z->mu, i, side, &b);
      assert_true(ssi_node_error(&b, z, r, u) < 1e-13);
      ssi_node keep = a;
      a = b, b = keep;
    }
    ssi_node_enter(&a, z->mu, i, modes[i], &b);
    assert_true(ssi_node_error(&b, z, r, u) < 1e-13);
    ssi_node keep = a;
    a = b, b = keep;
  }
  for (int row = 0; row < 12; row++) {  // any wrong number shows
    if (a.mode[row / 2] == SS_CELL_FREE) continue;
    double *t = ssi_node_row(&a, row);
    t[0] += 1e-6;
    assert_true(ssi_node_error(&a, z, r, u) > 1e-9);
    t[0] -= 1e-6;
  }
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tree_and_patterns), cmocka_unit_test(random_starts),
      cmocka_unit_test(singular),          cmocka_unit_test(all_tied),
      cmocka_unit_test(node_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
