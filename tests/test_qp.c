// la/qp.h on random programs, judged by the optimality conditions from A and b themselves.
#include "harness.h"

#include "base/rng.h"
#include "la/qp.h"

enum { N = 24 };

typedef struct dense {
  int n;
  double A[N * N];
} dense;

static void multiply(void *user, const double *x, double *y) {
  const dense *d = user;
  for (int i = 0; i < d->n; i++) {
    y[i] = 0;
    for (int j = 0; j < d->n; j++) y[i] += d->A[d->n * i + j] * x[j];
  }
}

// A = G^T G with G rank x n: singular when rank < n. b in the range of A plus `push` >= 0 on bounded
// components keeps the program bounded below.
static void programs_are_solved(void **state) {
  (void)state;
  ssi_rng g = {.state = 5};
  for (int trial = 0; trial < 200; trial++) {
    int n = 2 + ssi_rng_below(&g, N - 1), rank = 1 + ssi_rng_below(&g, n);
    double G[N][N], c[N], b[N], h[N], x[N] = {0}, y[N], size = pow(10, trial % 7 - 3);
    bool bounded[N];
    dense d = {.n = n};
    for (int k = 0; k < rank; k++) {
      c[k] = ssi_rng_uniform(&g) - 0.5;
      for (int j = 0; j < n; j++) G[k][j] = ssi_rng_uniform(&g) - 0.5;
    }
    for (int i = 0; i < n; i++) {
      bounded[i] = trial % 3 == 0 || ssi_rng_below(&g, 3) > 0;
      b[i] = bounded[i] && trial % 2 ? size * 0.1 * ssi_rng_uniform(&g) : 0;
      for (int k = 0; k < rank; k++) b[i] += size * G[k][i] * c[k];
      for (int j = 0; j < n; j++)
        for (int k = 0; k < rank; k++) d.A[n * i + j] += G[k][i] * G[k][j];
      h[i] = 1 / sqrt(d.A[n * i + i]);
    }
    ssi_arena arena = {0};
    ssi_qp q = {.n = n, .multiply = multiply, .user = &d, .b = b, .bounded = bounded, .h = h};
    q.tol = 1e-10 * size, q.max_iter = 100000;
    assert_true(ssi_qp_take(&q, n, &arena));
    ssi_qp_estimate_norm(&q);
    int products = ssi_qp_solve(&q, x);
    if (products >= q.max_iter) fail_msg("trial %d: n %d rank %d not solved", trial, n, rank);
    multiply(&d, x, y);
    for (int i = 0; i < n; i++) {
      double slope = y[i] + b[i];
      if (!bounded[i]) {
        assert_near(slope / size, 0, 1e-8);
        continue;
      }
      assert_true(x[i] >= 0);
      assert_true(slope / size >= -1e-8);
      assert_true(fmin(x[i] / (h[i] * h[i]), slope) / size <= 1e-8);
    }
    ssi_arena_release(&arena);
  }
}

static void no_minimum_ends(void **state) {  // min -x, x >= 0, A = 0 in that direction
  (void)state;
  dense d = {.n = 2, .A = {1, 0, 0, 0}};
  double b[2] = {-1, -1}, h[2] = {1, 1}, x[2] = {0};
  bool bounded[2] = {true, true};
  ssi_arena arena = {0};
  ssi_qp q = {.n = 2, .multiply = multiply, .user = &d, .b = b, .bounded = bounded, .h = h};
  q.tol = 1e-12, q.max_iter = 1000;
  assert_true(ssi_qp_take(&q, 2, &arena));
  ssi_qp_estimate_norm(&q);
  assert_true(ssi_qp_solve(&q, x) <= 1002);  // it ends; where, does not matter
  assert_true(isfinite(x[0]) && isfinite(x[1]));
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_are_solved),
      cmocka_unit_test(no_minimum_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
