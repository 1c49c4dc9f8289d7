// la/lcp.h: problems with a solution by construction, degenerate ones, and one without.
#include "harness.h"

#include "base/rng.h"
#include "la/lcp.h"

enum { N = 20 };

static ssi_lcp_state run(ssi_lcp *l, int n, const double *M, const double *q, double *z) {
  l->n = n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) ssi_lcp_row(l, i)[j] = M[n * i + j];
    ssi_lcp_row(l, i)[n + 1] = q[i];
  }
  ssi_lcp_state s = ssi_lcp_start(l);
  for (int pivots = 0; s == SSI_LCP_GOING; pivots++) {
    assert_true(pivots < 10000);
    s = ssi_lcp_pivot(l);
  }
  ssi_lcp_values(l, z);
  return s;
}

static void judge(int n, const double *M, const double *q, const double *z) {
  for (int i = 0; i < n; i++) {
    double w = q[i];
    for (int j = 0; j < n; j++) w += M[n * i + j] * z[j];
    assert_true(z[i] >= -1e-9 && w >= -1e-9);
    assert_near(fmin(z[i], w), 0, 1e-9);
  }
}

// M = G^T G + skew: positive semi-definite and copositive plus, so that Lemke solves it whenever it is
// feasible, which q = w - M z with w, z >= 0 guarantees. Small integers make ties frequent.
static void feasible_problems_are_solved(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_lcp l;
  assert_true(ssi_lcp_take(&l, N, &arena));
  ssi_rng g = {.state = 3};
  for (int trial = 0; trial < 500; trial++) {
    int n = 1 + ssi_rng_below(&g, N), rank = ssi_rng_below(&g, n + 1);
    bool integer = trial % 2;
    double G[N][N], M[N * N] = {0}, q[N], z[N], w[N], answer[N];
    for (int k = 0; k < rank; k++)
      for (int j = 0; j < n; j++)
        G[k][j] = integer ? ssi_rng_below(&g, 3) - 1 : ssi_rng_uniform(&g) - 0.5;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        for (int k = 0; k < rank; k++) M[n * i + j] += G[k][i] * G[k][j];
      z[i] = ssi_rng_below(&g, 3), w[i] = ssi_rng_below(&g, 2);
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        double skew = integer ? ssi_rng_below(&g, 3) - 1 : ssi_rng_uniform(&g) - 0.5;
        M[n * i + j] += skew, M[n * j + i] -= skew;
      }
    for (int i = 0; i < n; i++) {
      q[i] = w[i];
      for (int j = 0; j < n; j++) q[i] -= M[n * i + j] * z[j];
    }
    ssi_lcp_state s = run(&l, n, M, q, answer);
    if (s != SSI_LCP_SOLVED) fail_msg("trial %d: n %d rank %d ended in a ray", trial, n, rank);
    judge(n, M, q, answer);
  }
  ssi_arena_release(&arena);
}

static void no_solution_is_a_ray(void **state) {  // w = -z - 1 has no w >= 0
  (void)state;
  ssi_arena arena = {0};
  ssi_lcp l;
  assert_true(ssi_lcp_take(&l, 1, &arena));
  double M = -1, q = -1, z;
  assert_int_equal(run(&l, 1, &M, &q, &z), SSI_LCP_RAY);
  q = 1;  // two solutions, z = 0 and z = 1: the first without a pivot
  assert_int_equal(run(&l, 1, &M, &q, &z), SSI_LCP_SOLVED);
  assert_near(z, 0, 0);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(feasible_problems_are_solved),
      cmocka_unit_test(no_solution_is_a_ray),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
