// The contract of la/direct.h: every back-end goes through the same cases (new numbers, one row, none,
// singular, of deficient rank, not finite, no memory); and the choice among them for many solves.
#include "harness.h"

#include "base/rng.h"
#include "counted_memory.h"
#include "la/block_lu.h"
#include "la/diagonal.h"
#include "la/fixed.h"
#include "la/sparse.h"

// ---- matrices ------------------------------------------------------------------------------

typedef enum kind { GENERAL, SYMMETRIC_PATTERN, SYMMETRIC, BODIES } kind;

// n x n with a heavy diagonal: a band and `fill` random entries per row, or blocks of 6.
static ss_sparse make(ssi_arena *arena, int n, int fill, kind of, ssi_rng *g) {
  int room = n * (7 + 2 * fill), count = 0;
  int *i = SSI_TAKE(arena, room, int), *j = SSI_TAKE(arena, room, int);
  double *x = SSI_TAKE(arena, room, double);
  for (int a = 0; a < n; a++) {
    i[count] = j[count] = a, x[count++] = 12 + 2 * fill + ssi_rng_uniform(g);
    for (int k = 0; k < 3 + fill; k++) {
      int b = k < 3 ? a + k + 1 : ssi_rng_below(g, n);
      if (b >= n || b == a || (of == BODIES && a / 6 != b / 6)) continue;
      double value = 2 * ssi_rng_uniform(g) - 1;
      i[count] = a, j[count] = b, x[count++] = value;
      if (of == GENERAL && k == 1) continue;
      i[count] = b, j[count] = a, x[count++] = of >= SYMMETRIC ? value : -0.3 * value;
    }
  }
  ss_sparse A = {0};
  assert_true(ssi_sparse_from_triplets(arena, n, n, count, i, j, x, &A, NULL, NULL));
  return A;
}

static double *numbers(const ss_sparse *A) {
  return (double *)(uintptr_t)A->x;
}

// I, but for the rows `first` and `first` + 1, which are (1 1) in both: of rank n - 1 without rounding.
static void make_dependent(const ss_sparse *A, int first) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      int j = A->col[k];
      bool within = i / 2 == first / 2 && j / 2 == first / 2;
      numbers(A)[k] = i == j || within;
    }
}

// ---- back-ends -----------------------------------------------------------------------------

static const struct {
  const ssi_backend *with;
  kind kind;
  ssi_direct_wishes wish;
} all[] = {
    {&ssi_dense_cholesky, SYMMETRIC, {.many = false}},
    {&ssi_dense_cholesky, SYMMETRIC, {.many = true}},
    {&ssi_dense_cholesky, SYMMETRIC, {.lower = true, .many = false}},
    {&ssi_dense_cholesky, SYMMETRIC, {.lower = true, .many = true}},
    {&ssi_dense_lu, GENERAL, {.many = false}},
    {&ssi_dense_lu, GENERAL, {.many = true}},
    {&ssi_sparse_cholesky, SYMMETRIC, {.many = false}},
    {&ssi_sparse_cholesky, SYMMETRIC, {.lower = true, .many = true}},
    {&ssi_sparse_lu, GENERAL, {.refine = false}},
    {&ssi_sparse_lu, GENERAL, {.refine = true}},
    {&ssi_fixed_lu, SYMMETRIC_PATTERN, {0}},
    {&ssi_body_blocks_lu, SYMMETRIC_PATTERN, {.refine = false}},
    {&ssi_body_blocks_lu, SYMMETRIC_PATTERN, {.refine = true}},
    {&ssi_diagonal_blocks, BODIES, {0}},
};
enum { ALL = sizeof all / sizeof *all, MOST = 300 };

static int each_row[MOST + 1];  // a block of its own

static ss_error begin(ssi_arena *arena, int which, const ss_sparse *A, ssi_direct **out) {
  *out = ssi_direct_begin(arena, all[which].with, all[which].wish);
  if (!*out) return SS_ERR_MEMORY;
  for (int k = 0; k <= MOST; k++) each_row[k] = k;
  if ((*out)->with == &ssi_body_blocks_lu) ((ssi_block_lu *)*out)->start = each_row;
  ss_error e = ssi_direct_analyse(*out, A, arena);
  return e ? e : ssi_direct_room(*out, arena);
}

static ss_error factor(ssi_direct *d, const ss_sparse *A) {
  if (d->with != &ssi_body_blocks_lu || !A->rows) return ssi_direct_factor(d, A);
  ssi_block_lu *f = (ssi_block_lu *)d;
  ssi_block_lu_clear(f);
  for (int64_t k = 0; k < ssi_sparse_entries(A); k++) f->a[f->area * k] = A->x[k];
  return ssi_direct_factor(d, &d->A);
}

// A^T x = b, in place too; symmetric ones and those that formed an inverse need not offer it.
static void expect_transposed_solution(ssi_direct *d, const ss_sparse *A, ssi_rng *g) {
  double b[MOST], x[MOST], again[MOST] = {0};
  for (int k = 0; k < A->rows; k++) b[k] = ssi_rng_uniform(g) - 0.5;
  bool offered = d->with->solve_transposed && !d->wish.many;
  assert_int_equal(ssi_direct_solve_transposed(d, b, x),
                   offered || !A->rows ? SS_OK : SS_ERR_METHOD);
  if (!offered) return;
  ssi_sparse_multiply_transposed_add(A, x, again);
  for (int k = 0; k < A->rows; k++) assert_near(again[k], b[k], 1e-13);
  assert_int_equal(ssi_direct_solve_transposed(d, b, b), SS_OK);
  assert_memory_equal(b, x, sizeof(double) * (size_t)A->rows);
}

// A x = b, the same bits in place, column after column, and by a second one made for these numbers.
static void expect_solution(ssi_direct *d, int which, const ss_sparse *A, ssi_rng *g) {
  double b[2 * MOST] = {0}, x[2 * MOST], y[2 * MOST], again[2 * MOST] = {0};
  int n = A->rows;
  size_t bytes = sizeof(double) * (size_t)n;
  ssi_arena arena = {0};
  ssi_direct *other;
  for (int k = 0; k < 2 * n; k++) b[k] = ssi_rng_uniform(g) - 0.5;
  assert_int_equal(ssi_direct_solve(d, b, x), SS_OK);
  ssi_sparse_multiply_add(A, x, again);
  for (int k = 0; k < n; k++) assert_near(again[k], b[k], 1e-13);
  assert_int_equal(ssi_direct_solve_many(d, 2, b, y), SS_OK);
  for (int k = 0; k < n; k++) assert_near(y[k], x[k], 1e-13);
  assert_int_equal(ssi_direct_solve(d, b + n, x + n), SS_OK);
  for (int k = n; k < 2 * n; k++) assert_near(y[k], x[k], 1e-13);
  assert_int_equal(begin(&arena, which, A, &other), SS_OK);
  assert_int_equal(factor(other, A), SS_OK);
  assert_int_equal(ssi_direct_solve(other, b, y), SS_OK);
  assert_memory_equal(x, y, bytes);
  assert_int_equal(ssi_direct_solve(d, b, b), SS_OK);
  assert_memory_equal(b, x, bytes);
  expect_transposed_solution(d, A, g);
  ssi_direct_release(other);
  ssi_arena_release(&arena);
}

static void new_numbers(const ss_sparse *A, double factor, double shift) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      numbers(A)[k] = factor * A->x[k] + (A->col[k] == i ? shift : 0);
}

static void drop_some(const ss_sparse *A) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      if (A->col[k] != i && (A->col[k] + i) % 3 == 0) numbers(A)[k] = 0;
}

static void every_backend_solves(void **state) {
  (void)state;
  static const struct {
    int n, fill;
  } sizes[] = {{0, 0}, {1, 0}, {2, 0}, {7, 1}, {60, 2}, {90, 20}, {205, 1}, {MOST, 0}};
  for (int which = 0; which < ALL; which++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      ssi_arena arena = {0};
      ssi_rng g = {.state = 11 + k};
      ss_sparse A = make(&arena, sizes[k].n, sizes[k].fill, all[which].kind, &g);
      ssi_direct *d;
      assert_int_equal(begin(&arena, which, &A, &d), SS_OK);
      assert_int_equal(factor(d, &A), SS_OK);
      assert_true(!A.rows || (d->flops > 0 && d->entries >= A.rows) || A.rows == 1);
      expect_solution(d, which, &A, &g);
      for (int turn = 0; turn < 3; turn++) {
        new_numbers(&A, 3, 5);
        if (turn == 1) drop_some(&A);  // nothing of what was there may stay behind
        // what looks at the numbers in its analysis makes it anew, for the bits of a new one
        if (d->with == &ssi_sparse_lu) assert_int_equal(ssi_direct_analyse(d, &A, NULL), SS_OK);
        assert_int_equal(factor(d, &A), SS_OK);
        expect_solution(d, which, &A, &g);
      }
      ssi_direct_release(d);
      ssi_direct_release(d);  // nothing more to do
      ssi_arena_release(&arena);
    }
}

static void singular_is_refused_and_what_follows_is_not(void **state) {
  (void)state;
  for (int which = 0; which < ALL; which++)
    for (int n = 8; n <= 128; n += 120) {
      ssi_arena arena = {0};
      ssi_rng g = {.state = 5};
      ss_sparse A = make(&arena, n, 0, all[which].kind, &g), good;
      assert_true(ssi_sparse_copy(&arena, &A, &good));
      double b[MOST] = {1, 2, 3}, x[MOST];
      ssi_direct *d;
      assert_int_equal(begin(&arena, which, &A, &d), SS_OK);
      for (int bad = 0; bad < 5; bad++) {
        int64_t count = ssi_sparse_entries(&A);
        memcpy(numbers(&A), good.x, sizeof(double) * (size_t)count);
        for (int i = 0; i < n; i++)
          for (int64_t k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
            if (bad == 0) numbers(&A)[k] = 0;
            if (bad == 1 && (i == 3 || A.col[k] == 3)) numbers(&A)[k] = 0;
            if (bad == 3 && i == 4 && A.col[k] == 4) numbers(&A)[k] = NAN;
            if (bad == 4 && i == 4 && A.col[k] == 4) numbers(&A)[k] = INFINITY;
          }
        if (bad == 2) make_dependent(&A, 6);
        ss_error e = factor(d, &A);
        if (!e) e = ssi_direct_solve(d, b, x);  // some can only tell from the answer
        assert_int_equal(e, SS_ERR_LINEAR);
      }
      assert_int_equal(factor(d, &good), SS_OK);
      expect_solution(d, which, &good, &g);
      ssi_direct_release(d);
      ssi_arena_release(&arena);
    }
}

// Without a place for exchanges, or beyond what was wished for, the analysis says so; it counts all the same.
static void analysis_refuses(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_rng g = {.state = 5};
  ss_sparse band = make(&arena, 40, 1, SYMMETRIC_PATTERN, &g),
            ragged = make(&arena, 40, 1, GENERAL, &g);
  for (int which = 0; which < ALL; which++) {
    bool fixed = all[which].kind == SYMMETRIC_PATTERN;
    ssi_direct *d;
    if (all[which].kind == BODIES) assert_int_equal(begin(&arena, which, &band, &d), SS_ERR_METHOD);
    if (!fixed) continue;
    assert_int_equal(begin(&arena, which, &ragged, &d), SS_ERR_METHOD);
    assert_int_equal(begin(&arena, which, &band, &d), SS_OK);
    double flops = d->flops;
    assert_true(flops > 40);
    d->wish.max_flops = 0.99 * flops;
    assert_int_equal(ssi_direct_analyse(d, &band, &arena), SS_ERR_METHOD);
    assert_true(d->flops == flops);
  }
  ssi_arena_release(&arena);
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  for (int which = 0; which < ALL; which++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 11};
    ss_sparse A = make(&arena, 30, 0, all[which].kind, &g);
    ss_context ctx = {.alloc = take, .release = give};
    ss_error e = SS_ERR_MEMORY;
    for (int allowed = 0; e; allowed++) {
      ssi_arena own = {.ctx = &ctx};
      ssi_direct *d = NULL;
      taken = 0, fail_at = allowed, lasting = true;
      e = begin(&own, which, &A, &d);
      assert_int_equal(e, taken <= fail_at ? SS_OK : SS_ERR_MEMORY);
      int before = taken;
      if (!e) assert_int_equal(factor(d, &A), SS_OK);
      assert_int_equal(taken, before);  // numbers take none of it
      ssi_direct_release(d);
      ssi_arena_release(&own);
      assert_int_equal(live, 0);
    }
    fail_at = -1;
    ssi_arena_release(&arena);
  }
}

// ---- the choice for many solves ------------------------------------------------------------

static const struct {
  int n, fill;
  bool symmetric;
  const ssi_backend *with;
} cases[] = {
    {1, 0, true, &ssi_dense_cholesky},    {7, 1, true, &ssi_dense_cholesky},
    {60, 2, true, &ssi_dense_cholesky},   {90, 40, true, &ssi_dense_cholesky},
    {300, 0, true, &ssi_sparse_cholesky}, {6, 1, false, &ssi_dense_lu},
    {59, 2, false, &ssi_dense_lu},        {150, 1, false, &ssi_sparse_lu},
};

static void check_solve(ssi_direct *d, const ss_sparse *A, ssi_rng *g) {
  double b[MOST], x[MOST], again[MOST] = {0};
  for (int k = 0; k < A->rows; k++) b[k] = ssi_rng_uniform(g) - 0.5;
  assert_int_equal(ssi_direct_solve(d, b, x), SS_OK);
  ssi_sparse_multiply_add(A, x, again);
  for (int k = 0; k < A->rows; k++) assert_near(again[k], b[k], 1e-13);
}

static void the_choice_solves(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 11 + k};
    ss_sparse A = make(&arena, cases[k].n, cases[k].fill,
                       cases[k].symmetric ? SYMMETRIC : SYMMETRIC_PATTERN, &g);
    ssi_direct *d;
    assert_int_equal(ssi_direct_choose(&arena, &A, cases[k].symmetric, &d), SS_OK);
    assert_ptr_equal(d->with, cases[k].with);
    check_solve(d, &A, &g);
    new_numbers(&A, 3, 5);
    assert_int_equal(ssi_direct_factor(d, &A), SS_OK);
    check_solve(d, &A, &g);
    ssi_direct_release(d);
    ssi_arena_release(&arena);
  }
}

static void indefinite_is_solved_and_singular_refused(void **state) {
  (void)state;
  for (int n = 20; n <= 200; n += 180) {
    ss_context ctx = {0};
    ssi_arena arena = {.ctx = &ctx};
    ssi_rng g = {.state = 5};
    ss_sparse A = make(&arena, n, 0, SYMMETRIC, &g);
    for (int64_t k = A.ptr[9]; k < A.ptr[10]; k++)
      if (A.col[k] == 9) numbers(&A)[k] = -20;
    ssi_direct *d;
    assert_int_equal(ssi_direct_choose(&arena, &A, true, &d), SS_OK);
    assert_ptr_equal(d->with, n == 20 ? &ssi_dense_lu : &ssi_sparse_lu);
    check_solve(d, &A, &g);
    ssi_direct_release(d);
    for (int i = 0; i < n; i++)
      for (int64_t k = A.ptr[i]; k < A.ptr[i + 1]; k++)
        if (i == 9 || A.col[k] == 9) numbers(&A)[k] = 0;
    assert_int_equal(ssi_direct_choose(&arena, &A, true, &d), SS_ERR_LINEAR);
    assert_non_null(strstr(ctx.message, "singular"));
    ssi_direct_release(d);
    ssi_arena_release(&arena);
  }
}

static void no_memory_is_said(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 11};
    ss_sparse A = make(&arena, cases[k].n, cases[k].fill,
                       cases[k].symmetric ? SYMMETRIC : SYMMETRIC_PATTERN, &g);
    ss_context ctx = {.alloc = take, .release = give};
    ss_error e = SS_ERR_MEMORY;
    for (int allowed = 0; e; allowed++) {
      ssi_arena own = {.ctx = &ctx};
      ssi_direct *d = NULL;
      taken = 0, fail_at = allowed, lasting = true;
      e = ssi_direct_choose(&own, &A, cases[k].symmetric, &d);
      assert_int_equal(e, taken <= fail_at ? SS_OK : SS_ERR_MEMORY);
      if (e) assert_non_null(strstr(ctx.message, "out of memory"));
      ssi_direct_release(d);
      ssi_arena_release(&own);
      assert_int_equal(live, 0);
    }
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_backend_solves),
      cmocka_unit_test(singular_is_refused_and_what_follows_is_not),
      cmocka_unit_test(analysis_refuses),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(the_choice_solves),
      cmocka_unit_test(indefinite_is_solved_and_singular_refused),
      cmocka_unit_test(no_memory_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
