// la/sparse.c: triplets in any order become canonical rows; transposing twice changes nothing.
#include "harness.h"

#include "la/sparse.h"

static void triplets_are_sorted_and_summed(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const int i[] = {2, 0, 2, 0, 2}, j[] = {1, 3, 0, 0, 1};
  const double x[] = {1, 2, 3, 4, 5};
  ss_sparse A;
  int64_t duplicates = 0;
  bool unsorted = false;
  assert_true(ssi_sparse_from_triplets(&arena, 3, 4, 5, i, j, x, &A, &duplicates, &unsorted));
  assert_int_equal(duplicates, 1);
  assert_true(unsorted);
  const int64_t ptr[] = {0, 2, 2, 4};
  const int col[] = {0, 3, 0, 1};
  const double value[] = {4, 2, 3, 6};
  assert_memory_equal(A.ptr, ptr, sizeof ptr);
  assert_memory_equal(A.col, col, sizeof col);
  assert_memory_equal(A.x, value, sizeof value);
  ss_sparse T, TT;
  assert_true(ssi_sparse_transpose(&arena, &A, &T));
  assert_true(ssi_sparse_transpose(&arena, &T, &TT));
  assert_int_equal(T.rows, 4);
  assert_memory_equal(TT.ptr, ptr, sizeof ptr);
  assert_memory_equal(TT.col, col, sizeof col);
  assert_memory_equal(TT.x, value, sizeof value);
  ssi_arena_release(&arena);
}

static void asymmetry_is_relative(void **state) {
  (void)state;
  const int64_t ptr[] = {0, 2, 4};
  const int col[] = {0, 1, 0, 1};
  const double x[] = {3, 4 + 1e-9, 4, 0};
  ss_sparse A = {2, 2, ptr, col, x};
  assert_near(ss_sparse_asymmetry(&A) / (sqrt(2) * 1e-9 / sqrt(41)), 1, 1e-6);
  const double y[] = {3, 4, 4, 0};
  A.x = y;
  assert_true(ss_sparse_asymmetry(&A) == 0);
  // (3 4; 0 0), the mirror image of 4 not stored: |A - A^T| = 4 sqrt 2, |A| = 5
  const int64_t upper[] = {0, 2, 2};
  A.ptr = upper;
  assert_near(ss_sparse_asymmetry(&A), 4 * sqrt(2) / 5, 1e-15);
  A.cols = 3;
  assert_true(isnan(ss_sparse_asymmetry(&A)));
  assert_true(isnan(ss_sparse_asymmetry(NULL)));
  assert_true(ss_sparse_asymmetry(&(ss_sparse){0}) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triplets_are_sorted_and_summed),
      cmocka_unit_test(asymmetry_is_relative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
