// A matrix of more than 2^31 bytes: places in it do not fit into an int, nor do sizes. A plane problem with a planted
// solution, so that every part of W decides: an answer that is wrong at the last contact, whose rows lie behind all the
// others, has to be found there, and the planted one has to pass; and one method solves it.
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "stickslip/solver.h"

enum { NEIGHBOURS = 260, CONTACTS = 262144, DIM = 2 };  // 2.2 GB of numbers, 1.1 GB of columns
static const double NEEDED = 8e9;  // bytes: W, what the solver makes of it, vectors: 5.7

typedef struct large {
  ss_problem p;
  int64_t *ptr;
  int *col;
  double *x, *q, *mu, *r;
} large;

static double free_memory(void) {
  double kilobytes = 0;
  char line[200];
  FILE *f = fopen("/proc/meminfo", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) break;
  if (f) fclose(f);
  return 1e3 * kilobytes;
}

// Blocks (i, j) with |i - j| <= NEIGHBOURS / 2: -1e-3/(1 + |i - j| mod 7) along each direction, 0.1 between the two of one
// contact; the diagonal outweighs them.
static double entry(int row, int col) {
  if (row == col) return 2 + row % 3;
  int apart = abs(row / DIM - col / DIM);
  return row % DIM == col % DIM && apart ? -1e-3 / (1 + apart % 7) : 0.1 * (apart == 0);
}

static void fill(large *a) {
  int64_t n = 0;
  int half = NEIGHBOURS / 2;
  for (int row = 0; row < DIM * CONTACTS; row++) {
    int i = row / DIM, from = i - half, to = i + half;
    if (from < 0) to -= from, from = 0;
    if (to >= CONTACTS) from -= to - CONTACTS + 1, to = CONTACTS - 1;
    a->ptr[row] = n;
    for (int col = DIM * from; col < DIM * (to + 1); col++, n++)
      a->col[n] = col, a->x[n] = abs(i - col / DIM) <= half ? entry(row, col) : 0;
  }
  a->ptr[DIM * CONTACTS] = n;
}

// States in turn: stick, slip, free; q = u - W r.
static void plant(large *a) {
  ssi_rng g = {.state = 7};
  for (int i = 0; i < CONTACTS; i++) {
    double *r = a->r + DIM * i, *q = a->q + DIM * i, size = 1 + ssi_rng_uniform(&g);
    a->mu[i] = 0.5;
    r[0] = i % 3 == 2 ? 0 : size;
    r[1] = i % 3 == 2 ? 0 : i % 3 ? -0.5 * size : 0.2 * size;
    q[0] = i % 3 == 2 ? 0.3 : 0;                   // u_N
    q[1] = i % 3 == 1 ? 0.7 : 0.4 * (i % 3 == 2);  // u_T, slip+ where r_T = -mu r_N
  }
  for (int row = 0; row < DIM * CONTACTS; row++) {
    double sum = 0;
    for (int64_t k = a->ptr[row]; k < a->ptr[row + 1]; k++) sum += a->x[k] * a->r[a->col[k]];
    a->q[row] -= sum;
  }
}

static bool make(large *a) {
  int64_t rows = DIM * CONTACTS, entries = rows * DIM * (NEIGHBOURS + 1);
  a->ptr = malloc(sizeof *a->ptr * (size_t)(rows + 1));
  a->col = malloc(sizeof *a->col * (size_t)entries);
  a->x = malloc(sizeof *a->x * (size_t)entries);
  a->q = malloc(sizeof *a->q * (size_t)rows);
  a->r = malloc(sizeof *a->r * (size_t)rows);
  a->mu = malloc(sizeof *a->mu * CONTACTS);
  if (!a->ptr || !a->col || !a->x || !a->q || !a->r || !a->mu) return false;
  fill(a), plant(a);
  a->p = (ss_problem){.form = SS_REDUCED, .dim = DIM, .nc = CONTACTS, .mu = a->mu, .q = a->q};
  a->p.W = (ss_sparse){DIM * CONTACTS, DIM * CONTACTS, a->ptr, a->col, a->x};
  return true;
}

static void judge(const large *a) {
  ss_context ctx = {0};
  ss_verdict v;
  double *last = a->r + DIM * (CONTACTS - 1), kept = last[0];
  assert_int_equal(SS_OK,
                   ss_verify(&ctx, &a->p, &(ss_solution){.r = a->r}, NULL, NULL, NULL, NULL, &v));
  assert_true(v.error < 1e-12);
  last[0] += 1;
  assert_int_equal(SS_OK,
                   ss_verify(&ctx, &a->p, &(ss_solution){.r = a->r}, NULL, NULL, NULL, NULL, &v));
  assert_true(v.error > 1e-5);
  assert_int_equal(v.worst_contact, CONTACTS - 1);
  last[0] = kept;
}

static void solve(const large *a) {
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  o.method = "nsgs", o.tol = 1e-6, o.max_iter = 100;
  ss_solver *s = NULL;
  ss_info info;
  double *r = calloc(DIM * CONTACTS, sizeof *r), apart = 0;
  assert_non_null(r);
  assert_int_equal(SS_OK, ss_solver_create(&ctx, &a->p, &o, &s));
  assert_int_equal(SS_OK, ss_solve(s, r, NULL, NULL, NULL, &info));
  assert_int_equal(info.status, SS_SOLVED);
  for (int k = 0; k < DIM * CONTACTS; k++) apart = fmax(apart, fabs(r[k] - a->r[k]));
  assert_true(apart < 1e-3);  // W is strictly dominant and mu small: one solution
  ss_solver_destroy(s);
  free(r);
}

static void more_than_2_31_bytes(void **state) {
  (void)state;
  if (free_memory() < NEEDED) {
    char why[100];
    snprintf(why, sizeof why, "%.0f GB of memory are free, it takes %.0f", 1e-9 * free_memory(),
             1e-9 * NEEDED);
    skip_because(why);
  }
  large a = {0};
  assert_true(make(&a));
  int64_t bytes = (int64_t)sizeof *a.x * a.ptr[DIM * CONTACTS];
  print_message("W has %lld bytes of numbers\n", (long long)bytes);
  assert_true(bytes > ((int64_t)1 << 31));
  ss_context ctx = {0};
  assert_int_equal(SS_OK, ss_problem_check(&ctx, &a.p));
  judge(&a);
  solve(&a);
  free(a.ptr), free(a.col), free(a.x), free(a.q), free(a.r), free(a.mu);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(more_than_2_31_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
