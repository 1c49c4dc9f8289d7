// problem/system.c and what it is made of: whichever way W is formed, by bodies, by a general
// factor, with bilateral constraints eliminated, u is the velocity that the raw data gives.
#include "harness.h"

#include "problem/blocks.h"
#include "problem/system.h"
#include "random_problem.h"

static const random_shape shapes[] = {
    {.dim = 3, .contacts = 25, .bodies = 8, .body_dofs = 6, .mu = 0.5},
    {.dim = 2, .contacts = 25, .bodies = 8, .body_dofs = 3, .mu = 0.5},
    {.dim = 3, .contacts = 20, .bodies = 9, .body_dofs = 1, .mu = 0.5},
    {.dim = 3, .contacts = 12, .bodies = 10, .body_dofs = 6, .coupled = true, .mu = 0.5},
    {.dim = 3, .contacts = 10, .bodies = 8, .body_dofs = 6, .bilateral = 5, .mu = 0.5},
    {.dim = 2,
     .contacts = 10,
     .bodies = 8,
     .body_dofs = 3,
     .bilateral = 4,
     .coupled = true,
     .mu = 0.5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void random_vector(ssi_rng *g, int n, double *x) {
  for (int k = 0; k < n; k++) x[k] = random_signed(g);
}

static void velocity_is_that_of_the_raw_data(void **state) {
  (void)state;
  for (int k = 0; k < SHAPES; k++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[k], 100 + (uint64_t)k);
    ssi_system *sys;
    assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
    assert_int_equal(ssi_system_has_bodies(sys), !shapes[k].coupled && !shapes[k].bilateral);
    double r[75], u[75], again[75], l[5], judged[75];
    ssi_rng g = {.state = 3};
    random_vector(&g, sys->m, r);
    ssi_system_velocity(sys, r, u);
    assert_int_equal(ssi_system_need_blocks(sys), SS_OK);
    ssi_system_velocity(sys, r, again);
    if (p.nl) ssi_bilateral_multipliers(&sys->bilateral, r, l);
    ss_solution answer = {.r = r, .l = l};
    ss_verdict verdict;
    assert_int_equal(ss_verify(NULL, &p, &answer, judged, NULL, NULL, NULL, &verdict), SS_OK);
    for (int i = 0; i < sys->m; i++) {
      assert_near(u[i], judged[i], 1e-13);
      assert_near(again[i], judged[i], 1e-13);
    }
    assert_true(verdict.equality < 1e-13);
    double error, error_fclib;  // the loop's own figures against the verdict's
    ssi_system_measure(sys, r, u, &error, &error_fclib);
    assert_near(error, verdict.error, 1e-12);
    assert_near(error_fclib, verdict.error_fclib, 1e-12);
    ssi_system_destroy(sys);
    ssi_arena_release(&arena);
  }
}

static void reduced_form_is_the_same_problem(void **state) {
  (void)state;
  for (int k = 0; k < SHAPES; k++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[k], 200 + (uint64_t)k), *reduced;
    assert_int_equal(ss_problem_reduce(NULL, &p, &reduced), SS_OK);
    assert_int_equal(ss_problem_check(NULL, reduced), SS_OK);
    double r[75], l[5], u[75], v[75];
    ssi_rng g = {.state = 4};
    random_vector(&g, p.dim * p.nc, r);
    random_vector(&g, p.nl, l);
    ss_solution answer = {.r = r, .l = l};
    ss_verdict a, b;
    assert_int_equal(ss_verify(NULL, &p, &answer, u, NULL, NULL, NULL, &a), SS_OK);
    assert_int_equal(ss_verify(NULL, reduced, &answer, v, NULL, NULL, NULL, &b), SS_OK);
    for (int i = 0; i < p.dim * p.nc; i++) assert_near(u[i], v[i], 1e-13);
    assert_near(a.error, b.error, 1e-12);
    assert_near(a.equality, b.equality, 1e-12);
    ss_problem_destroy(reduced);
    ssi_arena_release(&arena);
  }
}

static void redundant_constraints_are_accepted(void **state) {
  (void)state;
  // two equal bilateral rows: R is singular, the multiplier is shared between them
  const double mu[] = {0.5}, q[] = {-1, 0.2}, s[] = {0.3, 0.3};
  const int64_t ptr[] = {0, 2, 4};
  const int col[] = {0, 1, 0, 1};
  const double W[] = {2, 0.1, 0.1, 1}, V[] = {0.5, 0.5, 0.2, 0.2}, R[] = {1, 1, 1, 1};
  ss_problem p = {.dim = 2, .nc = 1, .nl = 2, .mu = mu, .q = q, .s = s};
  p.W = (ss_sparse){2, 2, ptr, col, W};
  p.V = (ss_sparse){2, 2, ptr, col, V};
  p.R = (ss_sparse){2, 2, ptr, col, R};
  ssi_system *sys;
  assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
  double r[] = {0.7, -0.1}, l[2], u[2];
  ssi_bilateral_multipliers(&sys->bilateral, r, l);
  double wanted = -(0.5 * 0.7 - 0.2 * 0.1 + 0.3) / 2;
  assert_near(l[0], wanted, 1e-14);
  assert_near(l[1], wanted, 1e-14);
  ssi_system_velocity(sys, r, u);
  assert_near(u[0], 2 * 0.7 - 0.01 - 1 + 0.5 * 2 * wanted, 1e-14);
  ssi_system_destroy(sys);
}

// R of a general M is symmetric only to rounding; that must not send it to the dense pseudo-inverse.
static void regular_constraints_are_factored(void **state) {
  (void)state;
  for (int k = 4; k < SHAPES; k++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[k], 100 + (uint64_t)k);
    ssi_system *sys;
    assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
    assert_non_null(sys->bilateral.factor);
    assert_null(sys->bilateral.inverse);
    ssi_system_destroy(sys);
    ssi_arena_release(&arena);
  }
}

// Counting stops where the number no longer matters: 2000 contacts on one drum have 4 million pairs.
static void neighbours_are_counted_up_to_a_limit(void **state) {
  (void)state;
  ssi_arena arena = {0};
  random_shape drum = {.dim = 2, .contacts = 2000, .bodies = 1, .body_dofs = 3, .mu = 0.5};
  ss_problem p = random_problem(&arena, drum, 1);
  ssi_system *sys;
  assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
  assert_true(ssi_bodies_neighbours(&sys->bodies, NULL, INT64_MAX) == 2000 * 1999);
  int64_t some = ssi_bodies_neighbours(&sys->bodies, NULL, 5000);
  assert_true(some > 5000 && some <= 5000 + 1999);
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
}

static void blocks_come_back_as_rows(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, shapes[0], 9), *reduced;
  assert_int_equal(ss_problem_reduce(NULL, &p, &reduced), SS_OK);
  ssi_delassus blocks;
  ss_sparse again;
  assert_true(ssi_delassus_from_sparse(&arena, 3, &reduced->W, &blocks));
  assert_true(ssi_delassus_to_sparse(&arena, &blocks, &again));
  int64_t entries = ssi_sparse_entries(&reduced->W);
  assert_int_equal(ssi_sparse_entries(&again), entries);
  assert_memory_equal(again.col, reduced->W.col, (size_t)entries * sizeof(int));
  assert_memory_equal(again.x, reduced->W.x, (size_t)entries * sizeof(double));
  ss_problem_destroy(reduced);
  ssi_arena_release(&arena);
}

// M with zeros that join its dofs in twos.
static ss_sparse joined_in_twos(ssi_arena *arena, const ss_sparse *M) {
  int64_t *ptr = SSI_TAKE(arena, M->rows + 1, int64_t);
  int *col = SSI_TAKE(arena, 2 * M->rows, int);
  double *x = SSI_TAKE(arena, 2 * M->rows, double);
  for (int i = 0; i < M->rows; i++) {
    int first = i - i % 2, last = first + 1 < M->rows ? first + 1 : first;
    ptr[i + 1] = ptr[i] + last - first + 1;
    for (int j = first; j <= last; j++) col[ptr[i] + j - first] = j;
    x[ptr[i] + i - first] = M->x[i];
  }
  return (ss_sparse){M->rows, M->cols, ptr, col, x};
}

// W_ii with M by dofs, by blocks that are diagonal, and where the rows of a contact have different entries: same bits.
static void blocks_of_a_diagonal_mass(void **state) {
  (void)state;
  enum { ALL = 20 * 9 };
  ssi_arena arena = {0};
  double W[3][ALL];
  ss_problem p = random_problem(&arena, shapes[2], 5);
  assert_int_equal(ssi_sparse_entries(&p.M), p.ndof);
  for (int way = 0; way < 3; way++) {
    ss_problem q = p;
    ssi_factor *mass;
    if (way == 1) q.M = joined_in_twos(&arena, &p.M);
    if (way ==
        2) {  // without its last entry: H has one less, and its contact a row that is shorter
      int64_t *ptr = SSI_TAKE(&arena, p.H.rows + 1, int64_t);
      memcpy(ptr, p.H.ptr, sizeof *ptr * (size_t)(p.H.rows + 1));
      ptr[p.H.rows]--;
      q.H.ptr = ptr;
    }
    assert_int_equal(ssi_factor_create(NULL, &q.M, &mass), SS_OK);
    assert_int_equal(ssi_factor_diagonal_inverse(mass) != NULL, way != 1);
    assert_int_equal(ssi_contact_blocks(NULL, &q, mass, W[way]), SS_OK);
    ssi_factor_destroy(mass);
  }
  assert_memory_equal(W[0], W[1], sizeof W[0]);
  assert_memory_equal(W[0], W[2], sizeof(double) * (ALL - 9));
  double last = p.H.x[p.H.ptr[p.H.rows] - 1];
  double m = p.M.x[p.H.col[p.H.ptr[p.H.rows] - 1]];
  assert_near(W[0][ALL - 1] - W[2][ALL - 1], last * last / m, 1e-14);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocity_is_that_of_the_raw_data),
      cmocka_unit_test(reduced_form_is_the_same_problem),
      cmocka_unit_test(redundant_constraints_are_accepted),
      cmocka_unit_test(regular_constraints_are_factored),
      cmocka_unit_test(neighbours_are_counted_up_to_a_limit),
      cmocka_unit_test(blocks_come_back_as_rows),
      cmocka_unit_test(blocks_of_a_diagonal_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
