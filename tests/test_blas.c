// la/blas.c, here with its inside, against sums in 113 bits: every triangle, transpose and side, sizes around the blocks,
// strides, negative increments; and la/elementary.c against quadruple and (hypot) extended precision.
#include "harness.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "la/blas.c"
#include "quad.h"

enum { MOST = 70, TRIALS = 160 };

static double random_entry(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

static int random_size(ssi_rng *g) {  // 0, small, and around the blocks of 6, 8, 16 and 32
  static const int near[] = {0, 1, 2, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, MOST};
  return ssi_rng_below(g, 2) ? near[ssi_rng_below(g, 18)] : ssi_rng_below(g, MOST);
}

typedef struct matrix {
  int rows, cols, ld;
  double *x;
} matrix;

static matrix draw(ssi_rng *g, int rows, int cols) {
  matrix A = {rows, cols, rows + 1 + ssi_rng_below(g, 4), NULL};
  A.x = malloc(sizeof *A.x * (size_t)A.ld * (size_t)(cols + 1));
  for (int k = 0; k < A.ld * (cols + 1); k++) A.x[k] = random_entry(g);
  return A;
}

static matrix copy(const matrix *A) {
  matrix B = *A;
  B.x = malloc(sizeof *B.x * (size_t)B.ld * (size_t)(B.cols + 1));
  memcpy(B.x, A->x, sizeof *B.x * (size_t)B.ld * (size_t)(B.cols + 1));
  return B;
}

// Entry (i, j) of op(A).
static double at(const matrix *A, bool trans, int i, int j) {
  return trans ? A->x[j + A->ld * i] : A->x[i + A->ld * j];
}

// The same of a triangle, whose other half must not be read.
static double in_triangle(const matrix *A, bool lower, bool unit, bool trans, int i, int j) {
  int row = trans ? j : i, col = trans ? i : j;
  if (row == col && unit) return 1;
  return (lower ? row >= col : row <= col) ? A->x[row + A->ld * col] : 0;
}

static void assert_sum(double found, quad expected, double terms) {
  if (!(quad_abs(found - expected) <= 1e-15 * (terms + 1)))
    fail_msg("%.17g, expected %.17g", found, (double)expected);
}

// What lies between columns and behind them is not touched.
static void assert_only(const matrix *A, const matrix *before) {
  for (int j = 0; j < A->cols + 1; j++)
    for (int i = 0; i < A->ld; i++)
      if (i >= A->rows || j >= A->cols)
        assert_true(A->x[i + A->ld * j] == before->x[i + A->ld * j]);
}

#ifdef SSI_X86

// A processor runs the widest of these that it has: all add in the same order.
static void tiles_of_any_width(void **state) {
  (void)state;
  ssi_rng g = {49};
  for (int t = 0; t < 20 * TRIALS; t++) {
    int k = ssi_rng_below(&g, DEPTH + 1), columns_wanted = 1 + ssi_rng_below(&g, COLUMNS);
    _Alignas(64) static double strip[DEPTH * ROWS], B[DEPTH * COLUMNS];
    double out[3][COLUMNS][ROWS] = {0};
    for (int i = 0; i < DEPTH * ROWS; i++) strip[i] = random_entry(&g);
    for (int i = 0; i < DEPTH * COLUMNS; i++) B[i] = random_entry(&g);
    view b = {B, 1, DEPTH};
    tiles[columns_wanted - 1](k, strip, b, out[0]);
    if (__builtin_cpu_supports("avx2")) tiles_avx2[columns_wanted - 1](k, strip, b, out[1]);
    if (__builtin_cpu_supports("avx512f")) tiles_avx512[columns_wanted - 1](k, strip, b, out[2]);
    if (__builtin_cpu_supports("avx2")) assert_memory_equal(out[0], out[1], sizeof *out);
    if (__builtin_cpu_supports("avx512f")) assert_memory_equal(out[0], out[2], sizeof *out);
  }
}

#endif

static void products(void **state) {
  (void)state;
  ssi_rng g = {41};
  for (int t = 0; t < TRIALS; t++) {
    int m = random_size(&g), n = random_size(&g), k = random_size(&g);
    if (t % 50 == 0) k = 500;  // several blocks of depth
    if (t % 50 == 1) n = 400;
    bool ta = t & 1, tb = t & 2;
    matrix A = draw(&g, ta ? k : m, ta ? m : k), B = draw(&g, tb ? n : k, tb ? k : n);
    matrix C = draw(&g, m, n), before = copy(&C);
    double alpha = random_entry(&g), beta = t % 3 ? random_entry(&g) : 0;
    if (beta == 0 && m && n) C.x[0] = NAN;  // overwritten
    ssi_dgemm_(ta ? "T" : "N", tb ? "T" : "N", &m, &n, &k, &alpha, A.x, &A.ld, B.x, &B.ld, &beta,
               C.x, &C.ld);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        quad sum = beta == 0 ? 0 : (quad)beta * before.x[i + C.ld * j];
        for (int l = 0; l < k; l++) sum += (quad)alpha * at(&A, ta, i, l) * at(&B, tb, l, j);
        assert_sum(C.x[i + C.ld * j], sum, k);
      }
    assert_only(&C, &before);
    free(A.x), free(B.x), free(C.x), free(before.x);
  }
}

static void symmetric_products(void **state) {
  (void)state;
  ssi_rng g = {42};
  for (int t = 0; t < TRIALS; t++) {
    int n = random_size(&g), k = random_size(&g);
    bool trans = t & 1, lower = t & 2, two = t & 4;
    matrix A = draw(&g, trans ? k : n, trans ? n : k), B = draw(&g, A.rows, A.cols);
    matrix C = draw(&g, n, n), before = copy(&C);
    double alpha = random_entry(&g), beta = t % 3 ? random_entry(&g) : 0;
    const char *uplo = lower ? "L" : "U", *how = trans ? "T" : "N";
    if (two)
      ssi_dsyr2k_(uplo, how, &n, &k, &alpha, A.x, &A.ld, B.x, &B.ld, &beta, C.x, &C.ld);
    else
      ssi_dsyrk_(uplo, how, &n, &k, &alpha, A.x, &A.ld, &beta, C.x, &C.ld);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        quad sum = (quad)beta * before.x[i + C.ld * j];
        for (int l = 0; l < k; l++) {
          quad a = at(&A, trans, i, l), b = at(two ? &B : &A, trans, j, l);
          sum += alpha * a * b;
          if (two) sum += (quad)alpha * at(&B, trans, i, l) * at(&A, trans, j, l);
        }
        if (lower ? i >= j : i <= j)
          assert_sum(C.x[i + C.ld * j], sum, 2 * k);
        else
          assert_true(C.x[i + C.ld * j] == before.x[i + C.ld * j]);
      }
    assert_only(&C, &before);
    free(A.x), free(B.x), free(C.x), free(before.x);
  }
}

// op(A) X or X op(A) against B, whichever of them was computed.
static void triangles(void **state) {
  (void)state;
  ssi_rng g = {43};
  for (int t = 0; t < 4 * TRIALS; t++) {
    int m = random_size(&g), n = random_size(&g);
    bool left = t & 1, lower = t & 2, trans = t & 4, unit = t & 8, solve = t & 16;
    int size = left ? m : n;
    matrix A = draw(&g, size, size), B = draw(&g, m, n), before = copy(&B);
    for (int j = 0; j < size; j++)
      for (int i = 0; i < size; i++) {
        double *entry = &A.x[i + A.ld * j];
        *entry = i == j ? (unit ? NAN : 1 + fabs(*entry)) : *entry / size;
        if (lower ? i < j : i > j) *entry = NAN;  // not read
      }
    double alpha = 1 + random_entry(&g) / 2;
    (solve ? ssi_dtrsm_ : ssi_dtrmm_)(left ? "L" : "R", lower ? "L" : "U", trans ? "T" : "N",
                                      unit ? "U" : "N", &m, &n, &alpha, A.x, &A.ld, B.x, &B.ld);
    const matrix *X = solve ? &B : &before, *Y = solve ? &before : &B;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        quad sum = 0;
        for (int l = 0; l < size; l++) {
          double x = left ? at(X, false, l, j) : at(X, false, i, l);
          sum += (quad)x * (left ? in_triangle(&A, lower, unit, trans, i, l)
                                 : in_triangle(&A, lower, unit, trans, l, j));
        }
        if (solve)
          assert_sum((double)sum, (quad)alpha * at(Y, false, i, j), 20 * size);
        else
          assert_sum(at(Y, false, i, j), alpha * sum, size);
      }
    assert_only(&B, &before);
    free(A.x), free(B.x), free(before.x);
  }
}

// Element i of a vector with increment inc, as BLAS counts it.
static double *element(double *x, int n, int inc, int i) {
  return x + (inc < 0 ? (i - n + 1) * inc : i * inc);
}

static void vectors(void **state) {
  (void)state;
  static const int incs[] = {1, 2, -1, -3};
  ssi_rng g = {44};
  for (int t = 0; t < TRIALS; t++) {
    int m = random_size(&g), n = random_size(&g), incx = incs[t % 4], incy = incs[t / 4 % 4];
    bool trans = t & 1, lower = t & 2, unit = t & 8;
    int in = trans ? m : n, out = trans ? n : m;
    matrix A = draw(&g, m, n), x = draw(&g, 3 * MOST, 1), y = draw(&g, 3 * MOST, 1), z = copy(&y);
    double alpha = random_entry(&g), beta = t % 3 ? random_entry(&g) : 0;
    ssi_dgemv_(trans ? "T" : "N", &m, &n, &alpha, A.x, &A.ld, x.x, &incx, &beta, y.x, &incy);
    for (int i = 0; i < out; i++) {
      quad sum = (in ? (quad)beta : 1) * *element(z.x, out, incy, i);
      for (int j = 0; j < in; j++)
        sum += (quad)alpha * at(&A, trans, i, j) * *element(x.x, in, incx, j);
      assert_sum(*element(y.x, out, incy, i), sum, in);
    }
    matrix R = copy(&A);
    ssi_dger_(&m, &n, &alpha, x.x, &incx, y.x, &incy, R.x, &R.ld);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        assert_sum(at(&R, false, i, j),
                   at(&A, false, i, j) +
                       (quad)alpha * *element(x.x, m, incx, i) * *element(y.x, n, incy, j),
                   1);
    matrix T = draw(&g, n, n), b = copy(&x);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) T.x[i + T.ld * j] = i == j ? 1.5 : T.x[i + T.ld * j] / n;
    ssi_dtrsv_(lower ? "L" : "U", trans ? "T" : "N", unit ? "U" : "N", &n, T.x, &T.ld, x.x, &incx);
    for (int i = 0; i < n; i++) {
      quad sum = 0;
      for (int j = 0; j < n; j++)
        sum += (quad)in_triangle(&T, lower, unit, trans, i, j) * *element(x.x, n, incx, j);
      assert_sum((double)sum, *element(b.x, n, incx, i), 20 * n);
    }
    free(A.x), free(x.x), free(y.x), free(z.x), free(R.x), free(T.x), free(b.x);
  }
}

static void cholesky(void **state) {
  (void)state;
  ssi_rng g = {45};
  for (int t = 0; t < TRIALS / 2; t++) {
    int n = random_size(&g), info = -1;
    bool lower = t & 1;
    matrix A = draw(&g, n, n);
    for (int j = 0; j < n; j++) {
      A.x[j + A.ld * j] = 2;
      for (int i = 0; i < j; i++) A.x[i + A.ld * j] = A.x[j + A.ld * i] /= n;
    }
    matrix L = copy(&A);
    ssi_dpotrf_(lower ? "L" : "U", &n, L.x, &L.ld, &info);
    assert_int_equal(info, 0);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        quad sum = 0;
        for (int k = 0; k < n; k++)
          sum += (quad)in_triangle(&L, lower, false, !lower, i, k) *
                 in_triangle(&L, lower, false, lower, k, j);
        assert_sum((double)sum, at(&A, false, i, j), 4);
        if (lower ? i < j : i > j) assert_true(at(&L, false, i, j) == at(&A, false, i, j));
      }
    if (n) {
      int bad = ssi_rng_below(&g, n);
      A.x[bad + A.ld * bad] = -1;
      ssi_dpotrf_(lower ? "L" : "U", &n, A.x, &A.ld, &info);
      assert_int_equal(info, bad + 1);
    }
    free(A.x), free(L.x);
  }
}

static void lu(void **state) {
  (void)state;
  ssi_rng g = {46};
  for (int t = 0; t < TRIALS / 2; t++) {
    int m = random_size(&g), n = random_size(&g), info = -1, pivot[MOST], least = m < n ? m : n;
    matrix A = draw(&g, m, n), before = copy(&A);
    ssi_dgetrf_(&m, &n, A.x, &A.ld, pivot, &info);
    assert_int_equal(info, 0);
    matrix P = copy(&before);
    for (int i = 0; i < least; i++)
      for (int j = 0; j < n; j++) {
        double *here = &P.x[i + P.ld * j], *there = &P.x[pivot[i] - 1 + P.ld * j], x = *here;
        *here = *there, *there = x;
      }
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        quad sum = 0;
        for (int k = 0; k <= i && k <= j && k < least; k++)
          sum += (quad)(k == i ? 1 : at(&A, false, i, k)) * at(&A, false, k, j);
        if (i > j) assert_true(fabs(at(&A, false, i, j)) <= 1);  // the largest of the column
        assert_sum((double)sum, at(&P, false, i, j), 10 * least);
      }
    assert_only(&A, &before);
    if (least) {
      int zero = ssi_rng_below(&g, least);
      for (int i = 0; i < m; i++) before.x[i + before.ld * zero] = 0;
      ssi_dgetrf_(&m, &n, before.x, &before.ld, pivot, &info);
      assert_int_equal(info, zero + 1);
    }
    free(A.x), free(before.x), free(P.x);
  }
}

#ifdef SS_QUADRUPLE

quad sinf128(quad), cosf128(quad), tanf128(quad), acosf128(quad), atanf128(quad), expf128(quad);
quad exp2f128(quad), logf128(quad), log2f128(quad), log10f128(quad), cbrtf128(quad);
quad atan2f128(quad, quad), powf128(quad, quad);

// Correctly rounded, but for what extended precision itself may be off.
static void assert_rounded(const char *name, double x, double found, long double expected) {
  double ulp = nextafter(fabs(found), INFINITY) - fabs(found);
  if (!(fabsl(found - expected) <= 0.502L * ulp))
    fail_msg("%s(%a) = %a, expected %La", name, x, found, expected);
}

// The value from extended precision, where it is certain, is that from quadruple precision.
#define EXPECT_SAME(name, x) assert_true(name(x) == (double)name##f128(x))
static void as_in_quadruple_precision(void **state) {
  (void)state;
  ssi_rng g = {50};
  for (int t = 0; t < 20000; t++) {
    double x = ldexp(random_entry(&g), ssi_rng_below(&g, 40) - 30), y = random_entry(&g);
    EXPECT_SAME(sin, x);
    EXPECT_SAME(cos, x);
    EXPECT_SAME(tan, x);
    EXPECT_SAME(atan, x);
    EXPECT_SAME(acos, y);
    EXPECT_SAME(exp, x);
    EXPECT_SAME(exp2, x);
    EXPECT_SAME(log, fabs(x));
    EXPECT_SAME(log2, fabs(x));
    EXPECT_SAME(log10, 1 + fabs(y));
    EXPECT_SAME(cbrt, x);
    assert_true(atan2(x, y) == (double)atan2f128(x, y));
    assert_true(pow(fabs(x), y) == (double)powf128(fabs(x), y));
  }
  assert_true(exp(1000) == INFINITY && exp(-1000) == 0 && exp(-740) == (double)expf128(-740));
  assert_true(log(0) == -INFINITY && isnan(log(-1)) && isnan(sin(INFINITY)) && isnan(acos(2)));
  assert_true(pow(0, 0) == 1 && pow(2, 0.5) == sqrt(2) && pow(-2, 3) == -8 && sin(0) == 0);
  assert_true(signbit(sin(-0.0)) && signbit(atan2(-0.0, 1)) && cos(0) == 1);
}

static void hypotenuses(void **state) {
  (void)state;
  ssi_rng g = {48};
  for (int t = 0; t < 100000; t++) {
    int size = ssi_rng_below(&g, 2000) - 1000, apart = ssi_rng_below(&g, 60);
    double x = ldexp(random_entry(&g), size), y = ldexp(random_entry(&g), size - apart);
    if (t & 1) {
      double s = x;
      x = y, y = s;
    }
    assert_rounded("hypot", x, hypot(x, y), hypotl(x, y));
  }
  assert_true(hypot(3, -4) == 5 && hypot(0, -2) == 2 && hypot(0, 0) == 0);
  assert_true(hypot(0x1p-1074, 0) == 0x1p-1074 && hypot(3e-324, 4e-324) > 0);
  assert_true(isinf(hypot(INFINITY, NAN)) && isinf(hypot(NAN, -INFINITY)));
  assert_true(isnan(hypot(NAN, 1)) && isnan(hypot(1, NAN)) && isinf(hypot(1.7e308, 1.7e308)));
  assert_true(hypot(3e307, 4e307) == 5e307);
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef SSI_X86
      cmocka_unit_test(tiles_of_any_width),
#endif
      cmocka_unit_test(products),
      cmocka_unit_test(symmetric_products),
      cmocka_unit_test(triangles),
      cmocka_unit_test(vectors),
      cmocka_unit_test(cholesky),
      cmocka_unit_test(lu),
#ifdef SS_QUADRUPLE
      cmocka_unit_test(as_in_quadruple_precision),
      cmocka_unit_test(hypotenuses),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
