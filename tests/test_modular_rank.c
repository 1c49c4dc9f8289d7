// la/modular_rank.h: ranks that no rounding may hide or make.
#include "harness.h"

#include "base/rng.h"
#include "la/modular_rank.h"

enum { MOST = 8 };

static int rank_of(int m, int n, const double *x) {
  int64_t ptr[MOST + 1];
  int col[MOST * MOST];
  for (int i = 0; i <= m; i++) ptr[i] = (int64_t)i * n;
  for (int k = 0; k < m * n; k++) col[k] = k % n;
  ss_sparse A = {m, n, ptr, col, x};
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  int rank = ssi_modular_rank(&arena, &A, 0, m);
  ssi_arena_release(&arena);
  return rank;
}

// Decimals that depend on each other do not as doubles; halves and quarters do both.
static void rounding_shows(void **state) {
  (void)state;
  assert_int_equal(rank_of(2, 2, (double[]){-0.4, 0.6, 1, -1.5}), 2);
  assert_int_equal(rank_of(2, 2, (double[]){-0.5, 0.75, 1, -1.5}), 1);
  assert_int_equal(rank_of(2, 2, (double[]){0.1, 0.1, 0.3, 0.3}), 1);
  assert_int_equal(rank_of(2, 2, (double[]){1, 1, 1, nextafter(1, 2)}), 2);
  assert_int_equal(rank_of(2, 2, (double[]){1e300, 1e-300, -1e300, -1e-300}), 1);
  assert_int_equal(rank_of(2, 2, (double[]){5e-324, 0, 0, 1e308}), 2);
  assert_int_equal(rank_of(3, 2, (double[]){0, 0, 0, -0.0, 0, 0}), 0);
  assert_int_equal(rank_of(1, 1, (double[]){INFINITY}), -1);
}

// A B with small whole numbers and powers of 2: exact in doubles, of rank k.
static void products_have_the_rank_of_their_factors(void **state) {
  (void)state;
  ssi_rng g = {11};
  for (int trial = 0; trial < 500; trial++) {
    int k = trial % 5;
    double A[MOST * MOST] = {0}, L[MOST * MOST], R[MOST * MOST];
    for (int i = 0; i < MOST * MOST; i++) {
      L[i] = i / MOST == i % MOST  ? 1
             : i / MOST > i % MOST ? floor(9 * ssi_rng_uniform(&g)) - 4
                                   : 0;
      R[i] = i / MOST == i % MOST  ? 2
             : i / MOST < i % MOST ? floor(9 * ssi_rng_uniform(&g)) - 4
                                   : 0;
    }
    for (int i = 0; i < MOST; i++)
      for (int j = 0; j < MOST; j++) {
        for (int e = 0; e < k; e++) A[MOST * i + j] += L[MOST * i + e] * R[MOST * e + j];
        A[MOST * i + j] = ldexp(A[MOST * i + j], 40 * i - 300);  // rows of other units
      }
    assert_int_equal(rank_of(MOST, MOST, A), k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounding_shows),
      cmocka_unit_test(products_have_the_rank_of_their_factors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
