// certify/definite.c: the class of W, and what ss_certify says outside it (relatives of reproducer 09).
#include "dense.h"

#include "base/rng.h"
#include "certify/definite.h"
#include "stickslip/stickslip.h"

static ss_context ctx;  // outlives what is made with it

static double signed_uniform(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// Q^T D Q with Q a product of reflections: eigenvalues `value` (n).
static void with_eigenvalues(ssi_rng *g, int n, const double *value, double *A) {
  double v[60], Av[60];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i * n + j] = i == j ? value[i] : 0;
  for (int k = 0; k < 4; k++) {  // A <- (1 - 2 v v^T) A (1 - 2 v v^T), |v| = 1
    double size = 0, vAv = 0;
    for (int i = 0; i < n; i++) v[i] = signed_uniform(g), size += v[i] * v[i];
    for (int i = 0; i < n; i++) v[i] /= sqrt(size);
    for (int i = 0; i < n; i++) {
      Av[i] = 0;
      for (int j = 0; j < n; j++) Av[i] += A[i * n + j] * v[j];
    }
    for (int i = 0; i < n; i++) vAv += v[i] * Av[i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        A[i * n + j] = A[j * n + i] =
            A[i * n + j] - 2 * v[i] * Av[j] - 2 * Av[i] * v[j] + 4 * vAv * v[i] * v[j];
  }
}

// z.A z in long double, and the sum of the sizes of its terms.
static long double form(const ss_sparse *A, const double *z, long double *terms) {
  long double sum = 0;
  *terms = 0;
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      long double x = (long double)z[i] * A->x[k] * z[A->col[k]];
      sum += x, *terms += fabsl(x);
    }
  return sum;
}

static bool has_negative_diagonal(int n, const double *A) {
  for (int i = 0; i < n; i++)
    if (A[i * n + i] < 0) return true;
  return false;
}

// ---- the class -----------------------------------------------------------------------------------

// The smallest eigenvalue is planted: -0.01 to -1 indefinite, -1e-9 blurred, 0 and above semi-definite.
static void classes_are_told_apart(void **state) {
  (void)state;
  ssi_rng g = {41};
  static const struct {
    double low;
    ssi_class is;
  } kinds[] = {{-0.01, SSI_INDEFINITE}, {-1, SSI_INDEFINITE},  {-1e-5, SSI_INDEFINITE},
               {-1e-9, SSI_BLURRED},    {0, SSI_SEMIDEFINITE}, {1e-9, SSI_SEMIDEFINITE},
               {0.3, SSI_SEMIDEFINITE}};
  for (int k = 0; k < 280; k++) {
    ssi_arena arena = {0};
    int dim = 2 + k % 2, nc = 1 + ssi_rng_below(&g, 6), n = dim * nc;
    double value[18], A[324], mu[6] = {0}, q[18] = {0}, z[18] = {0};
    double unit = pow(10, ssi_rng_below(&g, 21) - 10);
    int kind = k % 7;
    for (int i = 0; i < n; i++) value[i] = unit * (i ? 0.5 + ssi_rng_uniform(&g) : kinds[kind].low);
    with_eigenvalues(&g, n, value, A);
    ss_problem p = reduced_problem(&arena, dim, nc, A, q, mu);
    ssi_class found;
    assert_int_equal(ssi_find_class(&arena, &p, 1e-6, &found, z), SS_OK);
    if (found != kinds[kind].is)
      fail_msg("case %d: lowest eigenvalue %g, class %d", k, value[0], found);
    if (found == SSI_INDEFINITE) {
      long double terms, value_of_z = form(&p.W, z, &terms);
      if (!(value_of_z < -1e-16L * terms)) fail_msg("case %d: z.W z = %Lg", k, value_of_z);
    }
    ssi_arena_release(&arena);
  }
}

// Asymmetric W: only z.W z counts.
static void asymmetric_parts_do_not_count(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double W[] = {1, 5, -5, 1}, q[2] = {0}, mu = 0.5;
  double z[2];
  ss_problem p = reduced_problem(&arena, 2, 1, W, q, &mu);
  ssi_class found;
  assert_int_equal(ssi_find_class(&arena, &p, 1e-6, &found, z), SS_OK);
  assert_int_equal(found, SSI_SEMIDEFINITE);
  const double other[] = {1, 5, 0, 1};  // symmetric part (1, 2.5; 2.5, 1)
  p = reduced_problem(&arena, 2, 1, other, q, &mu);
  assert_int_equal(ssi_find_class(&arena, &p, 1e-6, &found, z), SS_OK);
  assert_int_equal(found, SSI_INDEFINITE);
  long double terms;
  assert_true(form(&p.W, z, &terms) < 0);
  ssi_arena_release(&arena);
}

// With joints: [W V; V^T R] is judged; W alone is fine, V too large for R is not.
static void joints_belong_to_it(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    ssi_arena arena = {0};
    const double W[] = {1, 0, 0, 1}, V[] = {k ? 2 : 0.5, 0}, R[] = {1}, q[2] = {0}, s[1] = {0};
    const double mu = 0.5;
    double z[3] = {0};
    ss_problem p = reduced_problem(&arena, 2, 1, W, q, &mu);
    p.nl = 1, p.V = from_dense(&arena, 2, 1, V), p.R = from_dense(&arena, 1, 1, R), p.s = s;
    ssi_class found;
    assert_int_equal(ssi_find_class(&arena, &p, 1e-6, &found, z), SS_OK);
    assert_int_equal(found, k ? SSI_INDEFINITE : SSI_SEMIDEFINITE);
    double value = z[0] * z[0] + z[1] * z[1] + 2 * V[0] * z[0] * z[2] + z[2] * z[2];
    if (k) assert_true(value < -0.1);
    ssi_arena_release(&arena);
  }
}

// Above 3000 rows: a chain of contacts, each coupled with the next, lowest eigenvalue known.
static void large_ones_are_looked_at(void **state) {
  (void)state;
  enum { NC = 1600, ROWS = 2 * NC };
  for (int k = 0; k < 2; k++) {
    ssi_arena arena = {0};
    int64_t *ptr = SSI_TAKE(&arena, ROWS + 1, int64_t), used = 0;
    int *col = SSI_TAKE(&arena, 3 * ROWS, int);
    double *x = SSI_TAKE(&arena, 3 * ROWS, double), *z = SSI_TAKE(&arena, ROWS, double);
    double *q = SSI_TAKE(&arena, ROWS, double), *mu = SSI_TAKE(&arena, NC, double);
    for (int i = 0; i < ROWS; i++) {  // eigenvalues 1 + 2 c cos(...): from 1 - 2 c
      for (int j = i - 2; j <= i + 2; j += 2) {
        if (j < 0 || j >= ROWS) continue;
        col[used] = j, x[used++] = i == j ? 1 : k ? 0.6 : 0.4;
      }
      ptr[i + 1] = used;
    }
    ss_problem p = {
        .form = SS_REDUCED, .dim = 2, .nc = NC, .mu = mu, .q = q, .W = {ROWS, ROWS, ptr, col, x}};
    ssi_class found;
    assert_int_equal(ssi_find_class(&arena, &p, 1e-6, &found, z), SS_OK);
    assert_int_equal(found, k ? SSI_INDEFINITE : SSI_BLURRED);
    long double terms;
    if (k) assert_true(form(&p.W, z, &terms) < -1e-3L * terms);
    ssi_arena_release(&arena);
  }
}

// ---- what is said --------------------------------------------------------------------------------

static void check_claims(const ss_problem *p, int k) {
  ss_certificate *c;
  ss_certificate_report report;
  if (ss_certify(&ctx, p, NULL, &c)) fail_msg("case %d: %s", k, ctx.message);
  assert_int_equal(ss_certificate_check(&ctx, p, c, &report), SS_OK);
  if (!report.holds) fail_msg("case %d: the certificate does not hold: %s", k, report.failure);
  if (c->verdict == SS_EXISTS || c->reason == SS_REASON_ROBUST || c->reason == SS_REASON_EVERY_W)
    fail_msg("case %d: %s, %s", k, ss_existence_name(c->verdict),
             ss_existence_reason_name(c->reason));
  assert_int_not_equal(c->criterion_A, SS_CRITERION_ROBUST);
  assert_int_not_equal(c->for_every_w, SS_YES);
  if (c->verdict != SS_NONE) {
    long double terms, value;
    assert_non_null(c->indefinite);
    value = form(&p->W, c->indefinite, &terms);
    assert_true(value < 0);
    assert_near(c->indefinite_value / (double)value, 1, 1e-9);
    // the same without z, or with a z that proves nothing, and a claim by (A)
    ss_certificate forged = *c;
    double z[18] = {1};
    forged.indefinite = z;
    assert_int_equal(ss_certificate_check(&ctx, p, &forged, &report), SS_OK);
    assert_false(report.holds);
    forged = *c;
    forged.verdict = SS_EXISTS, forged.reason = SS_REASON_ROBUST;
    assert_int_equal(ss_certificate_check(&ctx, p, &forged, &report), SS_OK);
    assert_false(report.holds);
  }
  ss_certificate_destroy(c);
}

// A negative eigenvalue of 0.001 to 1 of the others, random q: nothing is claimed by (A).
static void nothing_is_claimed_outside_the_class(void **state) {
  (void)state;
  ssi_rng g = {42};
  int tried = 0;
  for (int k = 0; tried < 50; k++) {
    ssi_arena arena = {0};
    int dim = 2 + k % 2, nc = 1 + ssi_rng_below(&g, 5), n = dim * nc;
    double value[18], A[324], mu[6], q[18], unit = pow(10, ssi_rng_below(&g, 9) - 4);
    for (int i = 0; i < n; i++)
      value[i] = unit * (i ? 0.5 + ssi_rng_uniform(&g) : -pow(10, -3 * ssi_rng_uniform(&g)));
    with_eigenvalues(&g, n, value, A);
    for (int i = 0; i < nc; i++) mu[i] = ssi_rng_uniform(&g);
    for (int i = 0; i < n; i++) q[i] = signed_uniform(&g);
    ss_problem p = reduced_problem(&arena, dim, nc, A, q, mu);
    if (!has_negative_diagonal(n, A)) check_claims(&p, k), tried++;
    ssi_arena_release(&arena);
  }
}

// A part outside the class beside a good one, at other scales: nothing is claimed of the whole.
static void one_bad_part_is_enough(void **state) {
  (void)state;
  ssi_rng g = {43};
  for (int k = 0; k < 30; k++) {
    ssi_arena arena = {0};
    double good = pow(10, ssi_rng_below(&g, 17) - 8), bad = pow(10, ssi_rng_below(&g, 17) - 8);
    double s = 1.1 + ssi_rng_uniform(&g), mu[2] = {0.5, 0.5};
    double W[16] = {good, 0, 0, 0, 0, good, 0, 0, 0, 0, bad, s * bad, 0, 0, s * bad, bad};
    double q[4] = {-1, 0.3, -ssi_rng_uniform(&g), signed_uniform(&g)};
    ss_problem p = reduced_problem(&arena, 2, 2, W, q, mu);
    check_claims(&p, k);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_are_told_apart),
      cmocka_unit_test(asymmetric_parts_do_not_count),
      cmocka_unit_test(joints_belong_to_it),
      cmocka_unit_test(large_ones_are_looked_at),
      cmocka_unit_test(nothing_is_claimed_outside_the_class),
      cmocka_unit_test(one_bad_part_is_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
