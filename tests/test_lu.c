// la/lu.c and la/fixed.c against the product: dense and sparse, parts of a fixed pattern, new numbers in an old pattern, another pattern, a
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

// A ring of cells with three unknowns each, coupled to the next two; the cells in `kept` only, those
// numbered anew. Symmetric pattern.
static void fill_ring(ssi_lu *lu, int cells, const bool *kept, ssi_rng *g) {
  int place[300], count = 0;
  int64_t used = 0;
  for (int c = 0; c < cells; c++) place[c] = kept && !kept[c] ? -1 : count++;
  lu->n = 3 * count;
  lu->ptr[0] = 0;
  for (int c = 0; c < cells; c++)
    for (int k = 0; place[c] >= 0 && k < 3; k++) {
      for (int other = 0; other < cells; other++) {
        int apart =
            abs(c - other) < cells - abs(c - other) ? abs(c - other) : cells - abs(c - other);
        if (apart > 2 || place[other] < 0) continue;
        for (int l = 0; l < 3; l++) {
          lu->col[used] = 3 * place[other] + l;
          lu->x[used++] = ssi_rng_uniform(g) - 0.5 + (c == other && k == l ? 6 : 0);
        }
      }
      lu->ptr[3 * place[c] + k + 1] = used;
      if (lu->full) lu->full[3 * place[c] + k] = 3 * c + k;
    }
}

static void fixed_pattern(void **state) {
  (void)state;
  enum { CELLS = 150 };
  ssi_arena arena = {0};
  ssi_lu lu;
  ssi_rng g = {.state = 3};
  assert_true(ssi_lu_create(&arena, 3 * CELLS, 3 * CELLS * 15, &lu));
  lu.full = SSI_TAKE(&arena, 3 * CELLS, int);
  fill_ring(&lu, CELLS, NULL, &g);
  assert_true(ssi_lu_analyse(&lu, &arena));
  assert_int_equal(lu.fixed.fill.n, 3 * CELLS);
  for (int trial = 0; trial < 20; trial++) {
    bool kept[CELLS];
    for (int c = 0; c < CELLS; c++) kept[c] = !trial || ssi_rng_below(&g, 4) > 0;
    fill_ring(&lu, CELLS, kept, &g);
    assert_true(lu.n > SSI_LU_DENSE);
    assert_int_equal(ssi_lu_factor(&lu, false), SS_OK);
    assert_ptr_equal(lu.used, &lu.fixed.direct);
    check(&lu, &g);
    int first =
        0;  // without its pivot an exchange is needed: the sparse one takes over, with this pattern
    for (int i = 0; i < lu.n; i++)
      if (lu.fixed.fill.position[lu.full[i]] < lu.fixed.fill.position[lu.full[first]]) first = i;
    for (int64_t k = lu.ptr[first]; k < lu.ptr[first + 1]; k++)
      if (lu.col[k] == first) lu.x[k] = 0;
    assert_int_equal(ssi_lu_factor(&lu, true), SS_OK);
    assert_ptr_equal(lu.used, lu.sparse);
    check(&lu, &g);
  }
  ssi_lu_release(&lu);
  ssi_arena_release(&arena);
}

// Accurate where it says so: a pivot that passes the first test but ruins the answer is noticed.
static void growth_is_noticed(void **state) {
  (void)state;
  enum { CELLS = 100 };
  for (int size = 4; size <= 16; size++) {
    ssi_arena arena = {0};
    ssi_lu lu;
    ssi_rng g = {.state = 8};
    assert_true(ssi_lu_create(&arena, 3 * CELLS, 3 * CELLS * 15, &lu));
    fill_ring(&lu, CELLS, NULL, &g);
    assert_true(ssi_lu_analyse(&lu, &arena));
    for (int i = 0; i < lu.n; i++)
      for (int64_t k = lu.ptr[i]; k < lu.ptr[i + 1]; k++)
        if (lu.col[k] == i && i % 7 == 0) lu.x[k] = pow(10, -size);
    assert_int_equal(ssi_lu_factor(&lu, false), SS_OK);
    static double b[3 * CELLS], x[3 * CELLS];
    for (int i = 0; i < lu.n; i++) b[i] = ssi_rng_below(&g, 2) ? 1 : -1;
    assert_int_equal(ssi_lu_solve(&lu, b, x), SS_OK);
    for (int i = 0; i < lu.n; i++) {
      double sum = b[i];
      for (int64_t k = lu.ptr[i]; k < lu.ptr[i + 1]; k++) sum -= lu.x[k] * x[lu.col[k]];
      assert_true(fabs(sum) <= 1e-6);
    }
    ssi_lu_release(&lu);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(refuses),
                                     cmocka_unit_test(fixed_pattern),
                                     cmocka_unit_test(growth_is_noticed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
