// la/direct.c: each backend gives x with A x = b, again after new numbers; an indefinite A falls back to
// LU, a singular one is refused; no memory is a clean failure.
#include "harness.h"

#include "base/rng.h"
#include "counted_memory.h"
#include "la/direct.h"
#include "la/sparse.h"

// n x n: a band, plus `fill` random entries per row; symmetric, or not.
static ss_sparse make(ssi_arena *arena, int n, int fill, bool symmetric, ssi_rng *g) {
  int room = n * (7 + 2 * fill), count = 0;
  int *i = SSI_TAKE(arena, room, int), *j = SSI_TAKE(arena, room, int);
  double *x = SSI_TAKE(arena, room, double);
  for (int a = 0; a < n; a++) {
    i[count] = j[count] = a, x[count++] = 12 + 2 * fill + ssi_rng_uniform(g);
    for (int k = 0; k < 3 + fill; k++) {
      int b = k < 3 ? a + k + 1 : ssi_rng_below(g, n);
      if (b >= n || b == a) continue;
      double value = 2 * ssi_rng_uniform(g) - 1;
      i[count] = a, j[count] = b, x[count++] = value;
      i[count] = b, j[count] = a, x[count++] = symmetric ? value : -0.3 * value;
    }
  }
  ss_sparse A = {0};
  assert_true(ssi_sparse_from_triplets(arena, n, n, count, i, j, x, &A, NULL, NULL));
  return A;
}

static void check_solve(ssi_direct *d, const ss_sparse *A, ssi_rng *g) {
  double *b = malloc(sizeof *b * (size_t)A->rows), *x = malloc(sizeof *x * (size_t)A->rows);
  double *again = calloc((size_t)A->rows, sizeof *again);
  for (int k = 0; k < A->rows; k++) b[k] = ssi_rng_uniform(g) - 0.5;
  assert_int_equal(ssi_direct_solve(d, b, x), SS_OK);
  ssi_sparse_multiply_add(A, x, again);
  for (int k = 0; k < A->rows; k++) assert_near(again[k], b[k], 1e-13);
  assert_int_equal(ssi_direct_solve(d, b, b), SS_OK);  // in place, the same bits
  assert_memory_equal(b, x, sizeof *x * (size_t)A->rows);
  free(b), free(x), free(again);
}

static const struct {
  int n, fill;
  bool symmetric;
  const char *name;
} cases[] = {
    {1, 0, true, "dense"},   {7, 1, true, "dense"},      {60, 2, true, "dense"},
    {90, 40, true, "dense"}, {300, 0, true, "cholmod"},  {6, 1, false, "dense"},
    {59, 2, false, "dense"}, {150, 1, false, "umfpack"},
};

static void every_backend_solves(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 11 + k};
    ss_sparse A = make(&arena, cases[k].n, cases[k].fill, cases[k].symmetric, &g);
    ssi_direct *d;
    assert_int_equal(ssi_direct_create(NULL, &A, cases[k].symmetric, &d), SS_OK);
    assert_string_equal(ssi_direct_name(d), cases[k].name);
    check_solve(d, &A, &g);
    double *other = SSI_TAKE(&arena, ssi_sparse_entries(&A), double);
    for (int i = 0; i < A.rows; i++)
      for (int64_t e = A.ptr[i]; e < A.ptr[i + 1]; e++)
        other[e] = 3 * A.x[e] + (A.col[e] == i ? 5 : 0);
    assert_int_equal(ssi_direct_refactor(d, other), SS_OK);
    A.x = other;
    check_solve(d, &A, &g);
    ssi_direct_destroy(d);
    ssi_arena_release(&arena);
  }
}

static void indefinite_is_solved_and_singular_refused(void **state) {
  (void)state;
  for (int n = 20; n <= 200; n += 180) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 5};
    ss_sparse A = make(&arena, n, 0, true, &g);
    double *x = (double *)(uintptr_t)A.x;
    for (int64_t k = A.ptr[9]; k < A.ptr[10]; k++)
      if (A.col[k] == 9) x[k] = -20;
    ssi_direct *d;
    assert_int_equal(ssi_direct_create(NULL, &A, true, &d), SS_OK);
    assert_string_equal(ssi_direct_name(d), n == 20 ? "dense" : "umfpack");
    check_solve(d, &A, &g);
    ssi_direct_destroy(d);
    for (int i = 0; i < n; i++)
      for (int64_t k = A.ptr[i]; k < A.ptr[i + 1]; k++)
        if (i == 9 || A.col[k] == 9) x[k] = 0;
    ss_context ctx = {0};
    assert_int_equal(ssi_direct_create(&ctx, &A, true, &d), SS_ERR_LINEAR);
    assert_null(d);
    assert_non_null(strstr(ctx.message, "singular"));
    ssi_arena_release(&arena);
  }
}

static void no_memory_is_said(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 11};
    ss_sparse A = make(&arena, cases[k].n, cases[k].fill, cases[k].symmetric, &g);
    ss_context ctx = {.alloc = take, .release = give};
    ssi_direct *d = NULL;
    for (int allowed = 0; !d; allowed++) {
      taken = 0, fail_at = allowed, lasting = true;
      ss_error e = ssi_direct_create(&ctx, &A, cases[k].symmetric, &d);
      assert_int_equal(e, d ? SS_OK : SS_ERR_MEMORY);
      if (!d) assert_int_equal(live, 0);
    }
    ssi_direct_destroy(d);
    assert_int_equal(live, 0);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_backend_solves),
      cmocka_unit_test(indefinite_is_solved_and_singular_refused),
      cmocka_unit_test(no_memory_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
