// la/inverse_block.c: the same numbers as solves with unit vectors, for connected and separate matrices, any rows.
#include "harness.h"

#include "la/factor.h"
#include "la/inverse_block.h"
#include "la/sparse.h"

static ss_context ctx;

// A grid of nx x ny unknowns, each with its neighbours, diagonally dominant; every `cut`-th column of
// the grid apart from the next (0: none).
static ss_sparse lattice(ssi_arena *arena, int nx, int ny, int cut, uint64_t seed) {
  int n = nx * ny, room = 5 * n, count = 0;
  int *i = SSI_TAKE(arena, room, int), *j = SSI_TAKE(arena, room, int);
  double *x = SSI_TAKE(arena, room, double);
  ss_sparse A;
  for (int k = 0; k < n; k++) {
    i[count] = j[count] = k, x[count++] = 4.2;
    bool apart = cut && k % nx % cut == cut - 1;
    int next[2] = {k % nx + 1 < nx && !apart ? k + 1 : -1, k + nx < n ? k + nx : -1};
    for (int way = 0; way < 2; way++) {
      if (next[way] < 0) continue;
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      double value = -0.5 - 0.5 * (double)(seed >> 11) * 0x1p-53;
      i[count] = k, j[count] = next[way], x[count++] = value;
      i[count] = next[way], j[count] = k, x[count++] = value;
    }
  }
  assert_true(ssi_sparse_from_triplets(arena, n, n, count, i, j, x, &A, NULL, NULL));
  return A;
}

static void compare(int nx, int ny, int cut, int every, uint64_t seed) {
  ssi_arena arena = {.ctx = &ctx};
  ss_sparse A = lattice(&arena, nx, ny, cut, seed);
  int n = A.rows, count = 0;
  int *rows = SSI_TAKE(&arena, n, int);
  for (int k = n - 1; k >= 0; k--)  // descending: the order is the caller's
    if (k % every == 0 || k < nx) rows[count++] = k;
  double *B = SSI_TAKE(&arena, count * count, double), *x = SSI_TAKE(&arena, n, double);
  assert_int_equal(ssi_inverse_block(&arena, &A, count, rows, B), SS_OK);
  ssi_factor *f;
  assert_int_equal(ssi_factor_create(&ctx, &A, &f), SS_OK);
  for (int b = 0; b < count; b++) {
    memset(x, 0, sizeof(double) * (size_t)n);
    x[rows[b]] = 1;
    assert_int_equal(ssi_factor_solve(f, x, x), SS_OK);
    for (int a = 0; a < count; a++) {
      assert_near(B[a * count + b], x[rows[a]], 1e-13);
      assert_true(B[a * count + b] == B[b * count + a]);
    }
  }
  ssi_factor_destroy(f);
  ssi_arena_release(&arena);
}

static void test_against_solves(void **state) {
  (void)state;
  compare(1, 1, 0, 1, 1);
  compare(7, 5, 0, 1, 2);  // all of it
  compare(20, 15, 0, 7, 3);
  compare(20, 15, 4, 7, 4);     // five matrices in one
  compare(40, 30, 0, 1000, 5);  // one side
}

static void test_not_definite(void **state) {
  (void)state;
  ssi_arena arena = {.ctx = &ctx};
  ss_sparse A = lattice(&arena, 6, 6, 0, 6);
  int rows[] = {3, 8};
  double B[4];
  ((double *)(uintptr_t)A.x)[A.ptr[20] + 1] = -400;
  for (int64_t k = A.ptr[20]; k < A.ptr[21]; k++)
    if (A.col[k] == 20) ((double *)(uintptr_t)A.x)[k] = -1;
  assert_int_equal(ssi_inverse_block(&arena, &A, 2, rows, B), SS_ERR_LINEAR);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_solves),
      cmocka_unit_test(test_not_definite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
