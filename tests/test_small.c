// la/small.h: eigenvalues of 2 x 2 and 3 x 3 blocks against closed forms and invariants; la/small_cholesky.h.
#include "harness.h"

#include "base/rng.h"
#include "la/largest_eigenvalue.h"
#include "la/small.h"
#include "la/small_cholesky.h"

static double random_in(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

static void random_orthogonal(ssi_rng *g, double Q[9]) {  // from a unit quaternion
  double a = random_in(g), b = random_in(g), c = random_in(g), d = random_in(g);
  double n = sqrt(a * a + b * b + c * c + d * d);
  a /= n, b /= n, c /= n, d /= n;
  const double R[9] = {1 - 2 * (c * c + d * d), 2 * (b * c - a * d),     2 * (b * d + a * c),
                       2 * (b * c + a * d),     1 - 2 * (b * b + d * d), 2 * (c * d - a * b),
                       2 * (b * d - a * c),     2 * (c * d + a * b),     1 - 2 * (b * b + c * c)};
  memcpy(Q, R, sizeof R);
}

// A = Q diag(l) Q^T: the eigenvalues come back to rounding of the largest, repeated or not.
static void known_spectrum_is_found(void **state) {
  (void)state;
  static const double spectra[][3] = {
      {1, 2, 3},    {1, 1, 2},         {1, 2, 2}, {1, 1, 1},  {0, 0, 1},
      {0, 1, 1},    {-1e-17, 1e-9, 1}, {0, 0, 0}, {-1, 0, 1}, {1e-12, 1, 1 + 1e-9},
      {-3, -2, -1}, {0, 1e-8, 1e8},
  };
  ssi_rng g = {7};
  for (size_t k = 0; k < sizeof spectra / sizeof *spectra; k++)
    for (int trial = 0; trial < 200; trial++) {
      const double *l = spectra[k];
      double Q[9], A[9] = {0}, found[3];
      random_orthogonal(&g, Q);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int e = 0; e < 3; e++) A[3 * i + j] += Q[3 * i + e] * l[e] * Q[3 * j + e];
      ssi_eig3(A, found);
      double largest = fmax(fabs(l[0]), fabs(l[2]));
      for (int e = 0; e < 3; e++) assert_true(fabs(found[e] - l[e]) <= 4e-15 * largest);
    }
}

static void two_by_two_closed_form(void **state) {
  (void)state;
  double l[2];
  ssi_eig2((const double[]){2, 1, 1, 2}, l);
  assert_near(l[0], 1, 1e-15);
  assert_near(l[1], 3, 1e-15);
  ssi_eig2((const double[]){0, 3, 5, 0}, l);  // symmetric part: off-diagonal 4
  assert_near(l[0], -4, 1e-15);
  assert_near(l[1], 4, 1e-15);
  ssi_eig2((const double[]){1e300, 1e300, 1e300, 1e300}, l);
  assert_near(l[0] / 1e300, 0, 1e-15);
  assert_near(l[1] / 1e300, 2, 1e-15);
}

// In 3D with the third axis uncoupled the 2 x 2 formula must be met, at any scale, and powers of two
// must pass through to the bit.
static void scales_are_equal(void **state) {
  (void)state;
  ssi_rng g = {11};
  for (int trial = 0; trial < 500; trial++) {
    double A[9], B[9], two[2], l[3], scaled[3];
    for (int i = 0; i < 9; i++) A[i] = random_in(&g);
    for (int e = -900; e <= 900; e += 300) {
      for (int i = 0; i < 9; i++) B[i] = ldexp(A[i], e);
      ssi_eig3(A, l);
      ssi_eig3(B, scaled);
      for (int i = 0; i < 3; i++) assert_true(ldexp(l[i], e) == scaled[i]);
      ssi_eig2(A, l);
      ssi_eig2(B, scaled);
      for (int i = 0; i < 2; i++) assert_true(ldexp(l[i], e) == scaled[i]);
    }
    ssi_eig3(A, l);
    assert_true(l[0] <= l[1] && l[1] <= l[2]);
    assert_true(fabs(l[0] + l[1] + l[2] - A[0] - A[4] - A[8]) < 1e-14);
    A[2] = A[5] = A[6] = A[7] = 0;
    A[8] = 100;
    ssi_eig3(A, l);
    ssi_eig2((const double[]){A[0], A[1], A[3], A[4]}, two);
    assert_near(l[0], two[0], 4e-15);
    assert_near(l[1], two[1], 4e-15);
    assert_true(l[2] == 100);
  }
}

// Many blocks at once have the bits of one by one: random, diagonal, zero, of equal eigenvalues, infinite, at any scale, in any
// place.
static void largest_of_many_blocks(void **state) {
  (void)state;
  enum { BLOCKS = 61 };
  ssi_rng g = {13};
  for (int dim = 2; dim <= 3; dim++)
    for (int count = 0; count <= BLOCKS; count++) {
      double A[BLOCKS * 9] = {0}, lambda[BLOCKS], one[3];
      for (int i = 0; i < count; i++)
        for (int k = 0; k < dim * dim; k++) {
          bool diagonal = k % (dim + 1) == 0;
          double x = i % 7 == 1 && !diagonal ? 0 : i % 7 == 2 ? diagonal : random_in(&g);
          A[i * dim * dim + k] = i % 7 == 3 ? 0
                                            : ldexp(x, i % 7 == 4   ? -700
                                                       : i % 7 == 5 ? 700
                                                                    : 0);
        }
      if (count > 9) A[9 * dim * dim] = INFINITY;
      ssi_largest_eigenvalues(dim, count, A, lambda);
      for (int i = 0; i < count; i++) {
        ssi_eig(dim, A + i * dim * dim, one);
        assert_true(lambda[i] == one[dim - 1] || (isnan(lambda[i]) && isnan(one[dim - 1])));
      }
    }
}

// A = B B^T + I in rows of 7, x known: L L^T is A again, and A^-1 A x is x, in every second place of an array. What
// lies beyond n in a row stays as it was.
static void cholesky_of_few_rows(void **state) {
  (void)state;
  ssi_rng g = {9};
  for (int n = 1; n <= 6; n++) {
    double A[6][7], L[6][7], B[6][6], x[6], y[12] = {0};
    for (int k = 0; k < 36; k++) B[k / 6][k % 6] = random_in(&g);
    for (int i = 0; i < n; i++) x[i] = random_in(&g);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 7; j++) {
        A[i][j] = i == j;
        for (int k = 0; k < n && j < 6; k++) A[i][j] += B[i][k] * B[j][k];
      }
    memcpy(L, A, sizeof A);
    assert_true(ssi_cholesky(n, L[0], 7, 0, 0));
    for (int i = 0; i < n; i++) {
      assert_true(memcmp(L[i] + n, A[i] + n, sizeof(double) * (size_t)(7 - n)) == 0);
      for (int j = 0; j <= i; j++) {
        double sum = 0;
        for (int k = 0; k <= j; k++) sum += L[i][k] * L[j][k];
        assert_near(sum, A[i][j], 1e-14);
      }
      for (int j = 0; j < n; j++) y[2 * i] += A[i][j] * x[j];
    }
    ssi_cholesky_solve(n, L[0], 7, y, 2);
    for (int i = 0; i < n; i++) assert_near(y[2 * i], x[i], 1e-13);
    for (int i = 0; i < 6; i++) assert_true(y[2 * i + 1] == 0);
  }
}

static void cholesky_refuses_small_pivots(void **state) {
  (void)state;
  // pivots 4 and 1e-3 of a diagonal entry of 1
  const double given[4] = {4, 2, 2, 1.001};
  double A[4], asymmetric[4] = {1, 3, 1, 5};
  const double floors[] = {0, 0, 2e-3}, shares[] = {1e-4, 2e-3, 0};
  for (int k = 0; k < 3; k++) {
    memcpy(A, given, sizeof A);
    assert_int_equal(ssi_cholesky(2, A, 2, floors[k], shares[k]), k == 0);
  }
  A[0] = -1;
  assert_false(ssi_cholesky(1, A, 1, 0, 0));
  A[0] = NAN;
  assert_false(ssi_cholesky(1, A, 1, 0, 0));
  ssi_symmetrise(2, asymmetric);
  assert_true(asymmetric[2] == 2 && asymmetric[1] == 3 && asymmetric[0] == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_spectrum_is_found), cmocka_unit_test(two_by_two_closed_form),
      cmocka_unit_test(scales_are_equal),        cmocka_unit_test(largest_of_many_blocks),
      cmocka_unit_test(cholesky_of_few_rows),    cmocka_unit_test(cholesky_refuses_small_pivots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
