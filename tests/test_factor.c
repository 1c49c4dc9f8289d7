// la/factor.c: the three ways to M^-1 give x with M x = b; indefinite M is refused with its pivot.
#include "dense.h"

#include "base/rng.h"
#include "la/factor.h"
#include "la/sparse.h"

typedef enum pattern { BODIES, BAND, BAND_ASYMMETRIC } pattern;

// n x n, diagonally dominant so positive definite; BODIES: diagonal blocks of 6.
static ss_sparse make(ssi_arena *arena, int n, pattern kind, ssi_rng *g) {
  int *i = SSI_TAKE(arena, 13 * n, int), *j = SSI_TAKE(arena, 13 * n, int), count = 0;
  double *x = SSI_TAKE(arena, 13 * n, double);
  for (int a = 0; a < n; a++)
    for (int b = a; b < n && b <= a + 5; b++) {
      if (kind == BODIES && a / 6 != b / 6) continue;
      double value = a == b ? 8 + ssi_rng_uniform(g) : ssi_rng_uniform(g) - 0.5;
      i[count] = a, j[count] = b, x[count++] = value;
      if (a == b) continue;
      if (kind == BAND_ASYMMETRIC) value *= 1 + 1e-6;
      i[count] = b, j[count] = a, x[count++] = value;
    }
  ss_sparse M = {0};
  assert_true(ssi_sparse_from_triplets(arena, n, n, count, i, j, x, &M, NULL, NULL));
  return M;
}

static void inverse_times_matrix_is_identity(void **state) {
  (void)state;
  for (int kind = BODIES; kind <= BAND_ASYMMETRIC; kind++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 7};
    enum { N = 63 };  // not a multiple of 6
    ss_sparse M = make(&arena, N, (pattern)kind, &g);
    ssi_factor *f;
    assert_int_equal(ssi_factor_create(NULL, &M, &f), SS_OK);
    assert_int_equal(ssi_factor_block_count(f), kind == BODIES ? 11 : 0);
    double b[2 * N], x[2 * N], again[2 * N] = {0};
    for (int k = 0; k < 2 * N; k++) b[k] = ssi_rng_uniform(&g);
    assert_int_equal(ssi_factor_solve_many(f, 2, b, x), SS_OK);
    ssi_sparse_multiply_add(&M, x, again);
    ssi_sparse_multiply_add(&M, x + N, again + N);
    for (int k = 0; k < 2 * N; k++) assert_near(again[k], b[k], 1e-14);
    memcpy(again, b, sizeof b);
    assert_int_equal(ssi_factor_solve(f, again, again), SS_OK);  // in place
    assert_memory_equal(again, x, N * sizeof(double));
    ssi_factor_destroy(f);
    ssi_arena_release(&arena);
  }
}

static void indefinite_is_refused_with_its_pivot(void **state) {
  (void)state;
  for (int kind = BODIES; kind <= BAND; kind++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 7};
    ss_sparse M = make(&arena, 40, (pattern)kind, &g);
    for (int64_t k = M.ptr[17]; k < M.ptr[18]; k++)
      if (M.col[k] == 17) ((double *)(uintptr_t)M.x)[k] = -1;
    ss_context ctx = {0};
    ssi_factor *f;
    assert_int_equal(ssi_factor_create(&ctx, &M, &f), SS_ERR_DATA);
    assert_null(f);
    assert_non_null(strstr(ctx.message, "row 17"));
    ssi_arena_release(&arena);
  }
}

// The last row is the sum of the first two, but for `left` on the diagonal: whichever of the three is
// eliminated last has a pivot of about that. Small blocks, CHOLMOD by columns, and by supernodes.
static void the_weakest_pivot_shows_near_dependence(void **state) {
  (void)state;
  static const int sizes[] = {4, 12, 200};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (double left = 1e-2; left > 1e-12; left *= 1e-3) {
      ssi_arena arena = {0};
      int n = sizes[k], last = n - 1;
      double *A = SSI_TAKE(&arena, n * n, double);
      for (int i = 0; i < last; i++)
        for (int j = 0; j < last; j++) A[n * i + j] = i == j ? 2 : 1;
      for (int j = 0; j < last; j++) A[n * last + j] = A[n * j + last] = A[j] + A[n + j];
      A[n * last + last] = A[last] + A[n + last] + left;
      for (int i = 0; i < n * n; i++) A[i] *= (i / n % 2 ? 1e-4 : 1) * (i % n % 2 ? 1e-4 : 1);
      ss_sparse M = from_dense(&arena, n, n, A);
      ssi_factor *f;
      assert_int_equal(ssi_factor_create(NULL, &M, &f), SS_OK);
      double weakest = ssi_factor_weakest_pivot(f);
      assert_true(weakest > 0.1 * left && weakest < left);
      ssi_factor_destroy(f);
      ssi_arena_release(&arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_times_matrix_is_identity),
      cmocka_unit_test(the_weakest_pivot_shows_near_dependence),
      cmocka_unit_test(indefinite_is_refused_with_its_pivot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
