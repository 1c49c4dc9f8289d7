// la/dd.h against 113-bit arithmetic: exact transformations are exact, operations keep 100 bits.
#include "harness.h"

#include "base/rng.h"
#include "la/dd.h"
#include "quad.h"

enum { TRIALS = 20000 };

static quad wide(ssi_dd a) {
  return (quad)a.hi + (quad)a.lo;
}

static double random_double(ssi_rng *g, int exponents) {
  double x = 2 * ssi_rng_uniform(g) - 1 + 0x1p-60;
  return ldexp(x, ssi_rng_below(g, 2 * exponents + 1) - exponents);
}

static ssi_dd random_dd(ssi_rng *g, int exponents) {
  double hi = random_double(g, exponents);
  return ssi_two_sum(hi, hi * 0x1p-53 * (2 * ssi_rng_uniform(g) - 1));
}

static void assert_close(ssi_dd found, quad expected, double bits) {
  quad error = quad_abs(wide(found) - expected);
  if (!(error <= quad_abs(expected) * (quad)exp2(-bits)))
    fail_msg("relative error %g", (double)(error / quad_abs(expected)));
  assert_true(fabs(found.lo) <= 0x1p-53 * fabs(found.hi) * (1 + 1e-15));  // normalised
}

static void sums_and_products_are_exact(void **state) {
  (void)state;
  ssi_rng g = {3};
  for (int t = 0; t < TRIALS; t++) {
    double a = random_double(&g, 25), b = random_double(&g, 25);
    ssi_dd s = ssi_two_sum(a, b), p = ssi_two_prod(a, b);
    assert_true(s.hi == a + b && wide(s) == (quad)a + (quad)b);
    assert_true(p.hi == a * b && wide(p) == (quad)a * (quad)b);
  }
}

static void products_near_the_ends_of_the_range(void **state) {
  (void)state;
  ssi_rng g = {4};
  for (int t = 0; t < TRIALS; t++) {
    double a = ldexp(0.5 + ssi_rng_uniform(&g) / 2, 1024), b = random_double(&g, 40) * 0x1p-200;
    ssi_dd p = ssi_two_prod(a, b), q = ssi_two_prod(b, a);
    assert_true(wide(p) == (quad)a * (quad)b);
    assert_true(q.hi == p.hi && q.lo == p.lo);
    double c = random_double(&g, 20) * 0x1p-420, d = random_double(&g, 20) * 0x1p-420;
    assert_true(wide(ssi_two_prod(c, d)) == (quad)c * (quad)d);
  }
  assert_true(ssi_two_prod(0x1p1000, 0x1p1000).hi == INFINITY);
}

static void operations_keep_100_bits(void **state) {
  (void)state;
  ssi_rng g = {5};
  for (int t = 0; t < TRIALS; t++) {
    ssi_dd a = random_dd(&g, 30), b = random_dd(&g, 30);
    assert_close(ssi_dd_mul(a, b), wide(a) * wide(b), 102);
    assert_close(ssi_dd_mul_d(a, b.hi), wide(a) * (quad)b.hi, 102);
    assert_close(ssi_dd_div(a, b), wide(a) / wide(b), 100);
    assert_close(ssi_dd_add(a, b), wide(a) + wide(b), 103);
    assert_close(ssi_dd_sub(a, b), wide(a) - wide(b), 103);
    ssi_dd positive = a.hi < 0 ? ssi_dd_neg(a) : a;
    assert_close(ssi_dd_sqrt(positive), quad_sqrt(wide(positive)), 100);
    assert_close(ssi_dd_length2(a, b), quad_sqrt(wide(a) * wide(a) + wide(b) * wide(b)), 100);
    assert_int_equal(ssi_dd_less(a, b), wide(a) < wide(b));
    assert_int_equal(ssi_dd_sign(a), (wide(a) > 0) - (wide(a) < 0));
  }
  assert_true(ssi_dd_sqrt(ssi_dd_from(0)).hi == 0);
}

// Cancellation of the leading parts must not cost bits: a - b where a and b agree in 60.
static void differences_of_neighbours(void **state) {
  (void)state;
  ssi_rng g = {6};
  for (int t = 0; t < TRIALS; t++) {
    ssi_dd a = random_dd(&g, 10), b = {a.hi, a.lo * (1 + 0x1p-8)};
    quad expected = wide(a) - wide(b);
    assert_true(quad_abs(wide(ssi_dd_sub(a, b)) - expected) <= quad_abs(wide(a)) * (quad)0x1p-105);
  }
}

static void lengths_at_any_scale(void **state) {
  (void)state;
  for (int e = -1000; e <= 1000; e += 50) {
    ssi_dd n = ssi_dd_length2(ssi_dd_from(ldexp(3, e)), ssi_dd_from(ldexp(-4, e)));
    assert_true(n.hi == ldexp(5, e) && n.lo == 0);
  }
  assert_true(ssi_dd_length2(ssi_dd_from(0), ssi_dd_from(0)).hi == 0);
}

// sum a b with condition number 1e25: the sum keeps the digits that double-double has left.
static void dot_products_that_cancel(void **state) {
  (void)state;
  enum { N = 100 };
  ssi_rng g = {8};
  for (int t = 0; t < 200; t++) {
    ssi_dd sum = {0, 0};
    quad exact = 0, size = 0;
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
      a[i] = random_double(&g, 20);
      b[i] = random_double(&g, 20);
      if (i == N - 1) b[i] = -(double)exact / a[i];
      exact += (quad)a[i] * (quad)b[i];
      size += quad_abs((quad)a[i] * (quad)b[i]);
      ssi_dd_accumulate(&sum, a[i], b[i]);
    }
    quad error = quad_abs(wide(ssi_dd_finish(sum)) - exact);
    assert_true(error <= size * N * (quad)0x1p-105);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_and_products_are_exact),
      cmocka_unit_test(products_near_the_ends_of_the_range),
      cmocka_unit_test(operations_keep_100_bits),
      cmocka_unit_test(differences_of_neighbours),
      cmocka_unit_test(lengths_at_any_scale),
      cmocka_unit_test(dot_products_that_cancel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
