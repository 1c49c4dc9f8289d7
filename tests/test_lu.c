// la/lu.c against the product: dense and sparse, new numbers in an old pattern, another pattern, a
// singular matrix, numbers that are not finite.
#include "harness.h"

#include "base/rng.h"
#include "la/lu.h"

// A band of `reach` on each side with a heavy diagonal; some entries left out.
static void fill(ssi_lu *lu, int n, int reach, bool same_pattern, ssi_rng *g) {
  int64_t used = 0;
  ssi_rng pattern = {.state = 5};
  if (same_pattern) reach = 0;
  lu->n = n;
  for (int i = 0; i < n && !same_pattern; i++) {
    lu->ptr[i] = used;
    for (int j = i - reach; j <= i + reach; j++) {
      if (j < 0 || j >= n || (i != j && ssi_rng_below(&pattern, 3) == 0)) continue;
      lu->col[used++] = j;
    }
    lu->ptr[i + 1] = used;
  }
  for (int i = 0; i < n; i++)
    for (int64_t k = lu->ptr[i]; k < lu->ptr[i + 1]; k++)
      lu->x[k] = ssi_rng_uniform(g) - 0.5 + (lu->col[k] == i ? 4 : 0);
}

static void check(ssi_lu *lu, ssi_rng *g) {
  static double wanted[600], b[600], x[600];
  for (int i = 0; i < lu->n; i++) wanted[i] = ssi_rng_uniform(g), b[i] = 0;
  for (int i = 0; i < lu->n; i++)
    for (int64_t k = lu->ptr[i]; k < lu->ptr[i + 1]; k++) b[i] += lu->x[k] * wanted[lu->col[k]];
  assert_int_equal(ssi_lu_solve(lu, b, x), SS_OK);
  for (int i = 0; i < lu->n; i++) assert_near(x[i], wanted[i], 1e-12);
}

static void solves(void **state) {
  (void)state;
  static const int sizes[] = {0, 1, 2, 7, SSI_LU_DENSE, SSI_LU_DENSE + 1, 600};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    ssi_arena arena = {0};
    ssi_lu lu;
    ssi_rng g = {.state = 3};
    assert_true(ssi_lu_create(&arena, 600, 600 * 9, &lu));
    fill(&lu, sizes[k], 3, false, &g);
    assert_int_equal(ssi_lu_factor(&lu, false), SS_OK);
    check(&lu, &g);
    fill(&lu, sizes[k], 3, true, &g);
    assert_int_equal(ssi_lu_factor(&lu, true), SS_OK);
    check(&lu, &g);
    fill(&lu, sizes[k], 4, false, &g);
    assert_int_equal(ssi_lu_factor(&lu, false), SS_OK);
    check(&lu, &g);
    if (sizes[k] > 1) {  // from large to small and back: nothing stale
      fill(&lu, sizes[k] / 2, 2, false, &g);
      assert_int_equal(ssi_lu_factor(&lu, true), SS_OK);
      check(&lu, &g);
    }
    ssi_lu_release(&lu);
    ssi_arena_release(&arena);
  }
}

static void refuses(void **state) {
  (void)state;
  static const int sizes[] = {5, 400};
  for (int k = 0; k < 2; k++) {
    ssi_arena arena = {0};
    ssi_lu lu;
    ssi_rng g = {.state = 3};
    assert_true(ssi_lu_create(&arena, 400, 400 * 9, &lu));
    fill(&lu, sizes[k], 2, false, &g);
    for (int64_t e = lu.ptr[3]; e < lu.ptr[4]; e++) lu.x[e] = 0;
    assert_int_equal(ssi_lu_factor(&lu, false), SS_ERR_LINEAR);
    fill(&lu, sizes[k], 2, true, &g);
    lu.x[2] = NAN;
    assert_int_equal(ssi_lu_factor(&lu, true), SS_ERR_LINEAR);
    fill(&lu, sizes[k], 2, true, &g);  // and goes on afterwards
    assert_int_equal(ssi_lu_factor(&lu, true), SS_OK);
    check(&lu, &g);
    ssi_lu_release(&lu);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(refuses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
