// la/block_lu.c against plain elimination, and problem/body_matrix.c, which fills it, against the dense
// sum M + H^T K H: blocks of all sizes, zeros, pivots within a block, what is refused, memory that ends.
#include "harness.h"

#include "base/rng.h"
#include "counted_memory.h"
#include "la/sparse.h"
#include "problem/body_matrix.h"

enum { BLOCKS = 40, ROWS = 6 * BLOCKS };

static double random_signed(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// ---- a random matrix -----------------------------------------------------------------------

typedef struct matrix {
  int n, rows, start[BLOCKS + 1];
  int64_t ptr[BLOCKS + 1];
  int col[BLOCKS * BLOCKS];
  double A[ROWS][ROWS];
} matrix;

// Blocks of low to high rows, every fifth pair of them coupled. The heavy entries of a diagonal block
// are those of its other diagonal, so that rows must be exchanged within it.
static matrix *random_matrix(int n, int low, int high, uint64_t seed) {
  matrix *m = calloc(1, sizeof *m);
  ssi_rng g = {.state = seed};
  static bool joined[BLOCKS][BLOCKS];
  m->n = n;
  for (int i = 0; i < n; i++) {
    m->start[i + 1] = m->start[i] + low + ssi_rng_below(&g, high - low + 1);
    for (int j = 0; j <= i; j++) joined[i][j] = joined[j][i] = i == j || ssi_rng_below(&g, 5) == 0;
  }
  m->rows = m->start[n];
  for (int i = 0; i < n; i++) {
    m->ptr[i + 1] = m->ptr[i];
    for (int j = 0; j < n; j++) {
      if (!joined[i][j]) continue;
      m->col[m->ptr[i + 1]++] = j;
      bool nothing = i != j && ssi_rng_below(&g, 6) == 0;  // in the pattern, and 0
      for (int r = m->start[i]; r < m->start[i + 1]; r++)
        for (int c = m->start[j]; c < m->start[j + 1]; c++) {
          bool heavy = i == j && r - m->start[i] == m->start[i + 1] - 1 - c;
          m->A[r][c] = nothing ? 0 : random_signed(&g) + (heavy ? 30 : 0);
        }
    }
  }
  return m;
}

static void put(const matrix *m, ssi_block_lu *f) {
  ssi_block_lu_clear(f);
  for (int i = 0; i < f->n; i++)
    for (int64_t e = m->ptr[i]; e < m->ptr[i + 1]; e++) {
      int j = m->col[e];
      double *block = f->a + ssi_block_lu_find(f, i, j) * f->area;
      for (int r = m->start[i]; r < m->start[i + 1]; r++)
        for (int c = m->start[j]; c < m->start[j + 1]; c++)
          block[f->stride * (r - m->start[i]) + c - m->start[j]] = m->A[r][c];
    }
}

// x of A x = b by elimination with exchanges of rows; A and b are spoilt.
static void eliminate(int n, double A[ROWS][ROWS], double *b, double *x) {
  for (int p = 0; p < n; p++) {
    int best = p;
    for (int k = p + 1; k < n; k++)
      if (fabs(A[k][p]) > fabs(A[best][p])) best = k;
    for (int c = 0; c < n; c++) {
      double t = A[p][c];
      A[p][c] = A[best][c], A[best][c] = t;
    }
    double t = b[p];
    b[p] = b[best], b[best] = t;
    for (int k = p + 1; k < n; k++) {
      double l = A[k][p] / A[p][p];
      for (int c = p; c < n; c++) A[k][c] -= l * A[p][c];
      b[k] -= l * b[p];
    }
  }
  for (int r = n - 1; r >= 0; r--) {
    x[r] = b[r];
    for (int c = r + 1; c < n; c++) x[r] -= A[r][c] * x[c];
    x[r] /= A[r][r];
  }
}

static ss_error analyse(ssi_arena *arena, const matrix *m, double max_flops, ssi_block_lu *f) {
  ss_sparse pattern = {m->n, m->n, m->ptr, m->col, NULL};
  *f = (ssi_block_lu){.direct = {.with = &ssi_body_blocks_lu, .wish.max_flops = max_flops},
                      .start = m->start};
  return ssi_direct_analyse(&f->direct, &pattern, arena);
}

static bool make(ssi_arena *arena, const matrix *m, ssi_block_lu *f) {
  return !analyse(arena, m, INFINITY, f) && !ssi_direct_room(&f->direct, arena);
}

static bool factor(ssi_block_lu *f) {
  return ssi_direct_factor(&f->direct, &f->direct.A) == SS_OK;
}

static void solve(ssi_block_lu *f, const double *b, double *x) {
  assert_int_equal(ssi_direct_solve(&f->direct, b, x), SS_OK);
}

static void expect_solution(ssi_block_lu *f, const matrix *m, uint64_t seed) {
  double b[ROWS], copy[ROWS], x[ROWS], wanted[ROWS];
  ssi_rng g = {.state = seed};
  matrix *dense = malloc(sizeof *dense);
  memcpy(dense, m, sizeof *m);
  for (int k = 0; k < m->rows; k++) b[k] = copy[k] = random_signed(&g);
  eliminate(m->rows, dense->A, copy, wanted);
  put(m, f);
  assert_true(factor(f));
  solve(f, b, x);
  for (int k = 0; k < m->rows; k++) assert_near(x[k], wanted[k], 1e-11);
  for (int k = 0; k < m->rows; k++) x[k] *= 1 + 1e-5 * random_signed(&g);
  assert_true(ssi_block_lu_refine(f, b, x));
  for (int k = 0; k < m->rows; k++) assert_near(x[k], wanted[k], 1e-13);
  free(dense);
}

// ---- the factors ---------------------------------------------------------------------------

static void solves_as_elimination_does(void **state) {
  (void)state;
  static const int sizes[] = {0, 1, 2, 7, BLOCKS};
  static const int rows[][2] = {{6, 6}, {3, 3}, {1, 6}, {1, 3}, {1, 1}, {4, 5}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
      ssi_arena arena = {0};
      ssi_block_lu f;
      matrix *m = random_matrix(sizes[s], rows[k][0], rows[k][1], 10 * s + k);
      assert_true(make(&arena, m, &f));
      assert_int_equal(f.n, sizes[s]);
      if (sizes[s] == BLOCKS) assert_int_equal(f.size, rows[k][1] > 3 ? 6 : 3);
      for (uint64_t seed = 0; seed < 3; seed++) expect_solution(&f, m, seed);
      ssi_arena_release(&arena);
      free(m);
    }
}

// A second factor object, and the first one after other numbers.
static void same_bits_every_time(void **state) {
  (void)state;
  for (int high = 3; high <= 6; high += 3) {
    ssi_arena arena = {0};
    ssi_block_lu f, g;
    matrix *m = random_matrix(BLOCKS, 1, high, 5);
    double b[ROWS], x[ROWS], y[ROWS];
    for (int k = 0; k < m->rows; k++) b[k] = k % 7 - 3;
    assert_true(make(&arena, m, &f));
    assert_true(make(&arena, m, &g));
    expect_solution(&f, m, 1);
    solve(&f, b, x);
    double kept = m->A[0][0];
    m->A[0][0] = NAN;
    put(m, &f);
    assert_false(factor(&f));
    m->A[0][0] = kept;
    put(m, &f), put(m, &g);
    assert_true(factor(&f) && factor(&g));
    solve(&f, b, y);
    assert_memory_equal(x, y, sizeof(double) * (size_t)m->rows);
    solve(&g, b, y);
    assert_memory_equal(x, y, sizeof(double) * (size_t)m->rows);
    ssi_arena_release(&arena);
    free(m);
  }
}

static void refuses_what_cannot_be_solved(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int high = 3; high <= 6; high += 3) {
    ssi_arena arena = {0};
    ssi_block_lu f;
    matrix *m = random_matrix(12, high, high, 8);
    assert_true(make(&arena, m, &f));
    for (int row = 0; row < m->rows; row++)
      for (int k = 0; k < 3; k++) {  // in every place of a diagonal block
        put(m, &f);
        int i = row / high;
        f.a[ssi_block_lu_find(&f, i, i) * f.area + f.stride * (row % high) + (row + k) % high] =
            bad[k];
        assert_false(factor(&f));
      }
    for (int i = 0; i < m->n; i++) {  // two equal rows, nothing else in the block row
      put(m, &f);
      for (int64_t e = m->ptr[i]; e < m->ptr[i + 1]; e++)
        memset(f.a + e * f.area, 0, sizeof(double) * (size_t)f.area);
      double *D = f.a + ssi_block_lu_find(&f, i, i) * f.area;
      for (int k = 0; k < high; k++) D[k] = D[f.stride + k] = k + 1;
      for (int k = 2; k < high; k++) D[f.stride * k + k] = 1;
      assert_false(factor(&f));
    }
    expect_solution(&f, m, 3);  // and goes on afterwards
    ssi_arena_release(&arena);
    free(m);
  }
}

// Rank rows - 1 to rounding, in blocks of one row: whatever passes for an answer is found out.
static void refinement_notices(void **state) {
  (void)state;
  enum { N = 12 };
  int noticed = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    ssi_arena arena = {0};
    ssi_block_lu f;
    ssi_rng g = {.state = seed};
    matrix *m = calloc(1, sizeof *m);
    double b[N], x[N];
    m->n = m->rows = N;
    for (int i = 0; i <= N; i++) m->start[i] = i, m->ptr[i] = (int64_t)N * i;
    for (int k = 0; k < N * N; k++) m->col[k] = k % N;
    for (int term = 0; term < N - 1; term++) {
      double u[N], v[N];
      for (int k = 0; k < N; k++) u[k] = random_signed(&g), v[k] = random_signed(&g);
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) m->A[i][j] += u[i] * v[j];
    }
    assert_true(make(&arena, m, &f));
    put(m, &f);
    for (int k = 0; k < N; k++) b[k] = random_signed(&g);
    if (factor(&f)) {
      solve(&f, b, x);
      noticed += !ssi_block_lu_refine(&f, b, x);
    } else {
      noticed++;
    }
    for (int k = 0; k < N; k++) m->A[k][k] += 30;
    put(m, &f);
    assert_true(factor(&f));
    solve(&f, b, x);
    assert_true(ssi_block_lu_refine(&f, b, x));
    x[3] = NAN;
    assert_false(ssi_block_lu_refine(&f, b, x));
    for (int k = 0; k < N; k++) x[k] = b[k] = 0;
    assert_true(ssi_block_lu_refine(&f, b, x));  // 0 is the answer
    b[2] = INFINITY;
    assert_false(ssi_block_lu_refine(&f, b, x));
    ssi_arena_release(&arena);
    free(m);
  }
  assert_true(noticed >= 18);  // 1e16 of rounding; some may cancel
}

static void too_many_operations(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_block_lu f, g;
  matrix *m = random_matrix(BLOCKS, 1, 6, 5);
  assert_true(make(&arena, m, &f));
  assert_true(f.flops > 0);
  assert_int_equal(analyse(&arena, m, f.flops, &g), SS_OK);
  assert_int_equal(g.fill.n, BLOCKS);
  assert_int_equal(analyse(&arena, m, 0.999 * f.flops, &g), SS_ERR_METHOD);
  assert_int_equal(g.fill.n, 0);
  assert_true(g.flops == f.flops);  // said nevertheless
  assert_int_equal(ssi_direct_room(&g.direct, &arena), SS_OK);
  assert_int_equal(g.n, 0);
  ssi_arena_release(&arena);
  free(m);
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  matrix *m = random_matrix(10, 1, 6, 5);
  int failures = 0;
  for (bool ok = false; !ok; failures++) {
    ssi_arena arena = {.ctx = &ctx};
    ssi_block_lu f;
    live = taken = 0, fail_at = failures;
    ok = make(&arena, m, &f);
    assert_true(ok == (taken <= fail_at));
    fail_at = -1;
    ssi_arena_release(&arena);
    assert_int_equal(live, 0);
  }
  assert_true(failures > 15);
  free(m);
}

// ---- by bodies -----------------------------------------------------------------------------

typedef struct mass {
  int dim, blocks, size[10];  // of the blocks of M
  bool diagonal;              // each entry of M a block of its own
  int rows_of_a_body;         // expected: 0 where the bodies are the blocks of M
} mass;

static const mass masses[] = {
    {3, 5, {6, 6, 6, 6, 6}, false, 6},       {3, 5, {6, 6, 6, 6, 6}, true, 6},
    {2, 6, {3, 3, 3, 3, 3, 3}, false, 3},    {2, 6, {3, 3, 3, 3, 3, 3}, true, 3},
    {3, 7, {2, 4, 6, 3, 3, 1, 5}, false, 6},  // smaller than bodies
    {3, 5, {6, 3, 6, 1, 2}, false, 0},        // 18 dofs, but not in sixes
    {3, 6, {4, 4, 4, 4, 4, 4}, false, 0},    {3, 5, {3, 3, 3, 3, 3}, true, 0},  // 15 dofs
    {3, 5, {3, 3, 3, 3, 3}, false, 0},  // points: blocks of 3 in 3D
    {2, 4, {6, 3, 6, 6}, false, 0},     // blocks of 6 in 2D
    {2, 4, {1, 2, 2, 1}, false, 3},
};

static void put_mass(ssi_arena *arena, const mass *m, int n, ssi_rng *g, ss_sparse *M) {
  int *i = SSI_TAKE(arena, 6 * n, int), *j = SSI_TAKE(arena, 6 * n, int), count = 0;
  double *x = SSI_TAKE(arena, 6 * n, double);
  for (int b = 0, first = 0; b < m->blocks; first += m->size[b++])
    for (int r = first; r < first + m->size[b]; r++)
      for (int c = first; c <= r; c++) {
        if (m->diagonal && r != c) continue;
        double value = r == c ? 3 + ssi_rng_uniform(g) : 0.4 * random_signed(g);
        i[count] = r, j[count] = c, x[count++] = value;
        if (r != c) i[count] = c, j[count] = r, x[count++] = value;
      }
  ssi_sparse_from_triplets(arena, n, n, count, i, j, x, M, NULL, NULL);
}

// Contact k touches 1 + k % 3 blocks of M; every other one of them neighbours, as one run.
static void put_contacts(ssi_arena *arena, const mass *m, int nc, int n, ssi_rng *g, ss_sparse *H) {
  int room = 3 * nc * n, *i = SSI_TAKE(arena, room, int), *j = SSI_TAKE(arena, room, int);
  int count = 0, start[11] = {0};
  double *x = SSI_TAKE(arena, room, double);
  for (int b = 0; b < m->blocks; b++) start[b + 1] = start[b] + m->size[b];
  for (int k = 0; k < nc; k++) {
    bool touched[10] = {false};
    int first = ssi_rng_below(g, m->blocks);
    for (int l = 0; l < 1 + k % 3; l++)
      touched[k % 2 ? (first + l) % m->blocks : ssi_rng_below(g, m->blocks)] = true;
    for (int b = 0; b < m->blocks; b++)
      for (int dof = start[b]; touched[b] && dof < start[b + 1]; dof++)
        for (int r = m->dim * k; r < m->dim * (k + 1); r++)
          if (ssi_rng_below(g, 4) > 0) i[count] = r, j[count] = dof, x[count++] = random_signed(g);
  }
  ssi_sparse_from_triplets(arena, m->dim * nc, n, count, i, j, x, H, NULL, NULL);
}

static ss_problem problem_of(ssi_arena *arena, const mass *m, int nc, uint64_t seed) {
  ssi_rng g = {.state = seed};
  ss_problem p = {.form = SS_GLOBAL, .dim = m->dim, .nc = nc};
  for (int b = 0; b < m->blocks; b++) p.ndof += m->size[b];
  put_mass(arena, m, p.ndof, &g, &p.M);
  put_contacts(arena, m, nc, p.ndof, &g, &p.H);
  p.mu = SSI_TAKE(arena, nc, double);
  p.f = SSI_TAKE(arena, p.ndof, double);
  p.w = SSI_TAKE(arena, m->dim * nc, double);
  return p;
}

static void dense_sum(const ss_problem *p, const double *K, double A[ROWS][ROWS]) {
  int dim = p->dim;
  for (int r = 0; r < p->ndof; r++)
    for (int64_t e = p->M.ptr[r]; e < p->M.ptr[r + 1]; e++) A[r][p->M.col[e]] += p->M.x[e];
  for (int i = 0; i < p->nc; i++)
    for (int a = 0; a < dim; a++)
      for (int b = 0; b < dim; b++)
        for (int64_t e = p->H.ptr[dim * i + a]; e < p->H.ptr[dim * i + a + 1]; e++)
          for (int64_t h = p->H.ptr[dim * i + b]; h < p->H.ptr[dim * i + b + 1]; h++)
            A[p->H.col[e]][p->H.col[h]] += p->H.x[e] * K[dim * dim * i + dim * a + b] * p->H.x[h];
}

static void expect_sum(const ssi_body_matrix *a, int ndof, double A[ROWS][ROWS]) {
  static double found[ROWS][ROWS];
  memset(found, 0, sizeof found);
  const ssi_block_lu *f = &a->lu;
  const int *col = f->direct.A.col;
  for (int i = 0; i < f->n; i++)
    for (int64_t e = f->direct.A.ptr[i]; e < f->direct.A.ptr[i + 1]; e++)
      for (int r = 0; r < f->size; r++)
        for (int c = 0; c < f->stride; c++) {
          double x = f->a[f->area * e + f->stride * r + c];
          bool row = r < a->start[i + 1] - a->start[i];
          if (row && c < a->start[col[e] + 1] - a->start[col[e]])
            found[a->start[i] + r][a->start[col[e]] + c] = x;
          else
            assert_true(x == (!row && r == c && col[e] == i));
        }
  for (int r = 0; r < ndof; r++)
    for (int c = 0; c < ndof; c++) assert_near(found[r][c], A[r][c], 1e-13);
}

static void sum_over_bodies(const mass *m, int nc, uint64_t seed) {
  ssi_arena arena = {0};
  ss_problem p = problem_of(&arena, m, nc, seed);
  ssi_rng g = {.state = seed + 100};
  ssi_system *sys;
  ssi_body_matrix a;
  static double A[ROWS][ROWS];
  double *K = SSI_TAKE(&arena, nc * 9, double), b[ROWS], copy[ROWS], x[ROWS], wanted[ROWS];
  assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
  assert_true(ssi_body_matrix_create(&arena, sys, INFINITY, &a));
  assert_true(ssi_body_matrix_ready(&a, &arena));
  assert_true(ssi_body_matrix_ready(&a, &arena));  // nothing more to do
  int expected = m->rows_of_a_body ? p.ndof / m->rows_of_a_body : m->diagonal ? p.ndof : m->blocks;
  assert_int_equal(a.lu.n, expected);
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < nc * p.dim * p.dim; k++) K[k] = random_signed(&g);
    memset(A, 0, sizeof A);
    dense_sum(&p, K, A);
    if (ssi_body_matrix_factor(&a, K) == SS_OK) {
      for (int k = 0; k < p.ndof; k++) b[k] = copy[k] = random_signed(&g);
      expect_sum(&a, p.ndof, A);
      eliminate(p.ndof, A, copy, wanted);
      solve(&a.lu, b, x);
      assert_true(ssi_block_lu_refine(&a.lu, b, x));
      for (int k = 0; k < p.ndof; k++) assert_near(x[k], wanted[k], 1e-8);
    } else {
      expect_sum(&a, p.ndof, A);
    }
  }
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
}

static void sums_over_bodies(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof masses / sizeof *masses; k++)
    for (uint64_t seed = 0; seed < 4; seed++)
      for (int nc = 0; nc <= 24; nc += 12) sum_over_bodies(&masses[k], nc, seed);
}

static void each_allocation_of_bodies_may_fail(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  ssi_arena arena = {0};
  ss_problem p = problem_of(&arena, &masses[5], 12, 3);
  ssi_system *sys;
  live = 0;
  assert_int_equal(ssi_system_create(&ctx, &p, &sys), SS_OK);
  int failures = 0, before = live;
  for (bool ok = false; !ok; failures++) {
    ssi_arena own = {.ctx = &ctx};
    ssi_body_matrix a;
    taken = 0, fail_at = failures;
    ok = ssi_body_matrix_create(&own, sys, INFINITY, &a) && ssi_body_matrix_ready(&a, &own);
    assert_true(ok == (taken <= fail_at));
    fail_at = -1;
    ssi_arena_release(&own);
    assert_int_equal(live, before);
  }
  assert_true(failures > 20);
  ssi_system_destroy(sys);
  assert_int_equal(live, 0);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_as_elimination_does),
      cmocka_unit_test(same_bits_every_time),
      cmocka_unit_test(refuses_what_cannot_be_solved),
      cmocka_unit_test(refinement_notices),
      cmocka_unit_test(too_many_operations),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(sums_over_bodies),
      cmocka_unit_test(each_allocation_of_bodies_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
