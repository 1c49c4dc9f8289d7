// la/anderson.c: on a linear map the iterates are GMRES's; far fewer steps than the plain map; a bad
// extrapolation is taken back; units do not matter; no memory is a clean failure.
#include "harness.h"

#include "base/rng.h"
#include "budget.h"
#include "la/anderson.h"

enum { N = 12 };

typedef struct linear_map {  // G(x) = A x + b, eigenvalues of A inside (-0.95, 0.95)
  double A[N][N], b[N];
} linear_map;

static linear_map make_map(uint64_t seed) {
  ssi_rng g = {.state = seed};
  linear_map map;
  for (int i = 0; i < N; i++) {
    double row = 0;
    for (int j = 0; j < N; j++) row += fabs(map.A[i][j] = ssi_rng_uniform(&g) - 0.4);
    for (int j = 0; j < N; j++) map.A[i][j] *= 0.95 / row;
    map.b[i] = ssi_rng_uniform(&g);
  }
  return map;
}

static void apply(const linear_map *map, const double *x, double *y) {
  for (int i = 0; i < N; i++) {
    y[i] = map->b[i];
    for (int j = 0; j < N; j++) y[i] += map->A[i][j] * x[j];
  }
}

static void apply_in_place(const linear_map *map, double *x) {
  double y[N];
  apply(map, x, y);
  memcpy(x, y, sizeof y);
}

// min |f_0 + (A - I) K c| over c, K = the first k vectors of the Krylov space of f_0, by modified
// Gram-Schmidt, twice over: the residual f of GMRES after k steps from x = 0.
static void gmres_residual(const linear_map *map, int k, double *f) {
  double v[N], basis[N][N], image[N][N];
  memcpy(f, map->b, sizeof v);
  memcpy(v, f, sizeof v);
  for (int c = 0; c < k; c++) {
    for (int pass = 0; pass < 2; pass++)  // basis of the space
      for (int e = 0; e < c; e++) {
        double s = 0;
        for (int i = 0; i < N; i++) s += v[i] * basis[e][i];
        for (int i = 0; i < N; i++) v[i] -= s * basis[e][i];
      }
    double size = 0;
    for (int i = 0; i < N; i++) size += v[i] * v[i];
    for (int i = 0; i < N; i++) basis[c][i] = v[i] / sqrt(size);
    for (int i = 0; i < N; i++) {
      v[i] = -basis[c][i];
      for (int j = 0; j < N; j++) v[i] += map->A[i][j] * basis[c][j];
      image[c][i] = v[i];
    }
    for (int pass = 0; pass < 2; pass++)  // orthonormal basis of its image
      for (int e = 0; e < c; e++) {
        double s = 0;
        for (int i = 0; i < N; i++) s += image[c][i] * image[e][i];
        for (int i = 0; i < N; i++) image[c][i] -= s * image[e][i];
      }
    size = 0;
    for (int i = 0; i < N; i++) size += image[c][i] * image[c][i];
    for (int i = 0; i < N; i++) image[c][i] /= sqrt(size);
    double s = 0;
    for (int i = 0; i < N; i++) s += f[i] * image[c][i];
    for (int i = 0; i < N; i++) f[i] -= s * image[c][i];
  }
}

// With all columns kept, x_{k+1} = G(z), z the k-th iterate of GMRES [WN11]; so f at x_{k+1} is A times
// the residual of GMRES.
static void linear_maps_give_gmres(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    linear_map map = make_map(seed);
    ssi_arena arena = {0};
    ssi_anderson a;
    ssi_anderson_rule rule = {.memory = N, .period = 1, .growth = INFINITY};
    assert_true(ssi_anderson_create(&arena, N, rule, NULL, &a));
    double x[N] = {0};
    ssi_anderson_begin(&a, x);
    for (int k = 0; k < 6; k++) {
      double f[N], sum = 0;
      apply_in_place(&map, x);
      ssi_anderson_next(&a, x);
      if (k == 0) continue;
      gmres_residual(&map, k - 1, f);
      for (int i = 0; i < N; i++) {
        double image = 0;
        for (int j = 0; j < N; j++) image += map.A[i][j] * f[j];
        sum += image * image;
      }
      assert_near(a.norm / sqrt(sum), 1, 1e-6);
    }
    ssi_arena_release(&arena);
  }
}

static int steps_to(const linear_map *map, ssi_anderson_rule rule, const double *weight,
                    double scale, double tol) {
  ssi_arena arena = {0};
  ssi_anderson a;
  linear_map scaled = *map;
  for (int i = 0; i < N; i++) scaled.b[i] *= scale;
  assert_true(ssi_anderson_create(&arena, N, rule, weight, &a));
  double x[N] = {0};
  ssi_anderson_begin(&a, x);
  int steps = 0;
  for (; steps < 10000; steps++) {
    apply_in_place(&scaled, x);
    ssi_anderson_next(&a, x);
    if (a.norm <= tol * scale) break;
  }
  ssi_arena_release(&arena);
  return steps;
}

static void fewer_steps_than_the_plain_map(void **state) {
  (void)state;
  double weight[N];
  for (int i = 0; i < N; i++) weight[i] = i % 2 ? 1 : 30;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    linear_map map = make_map(seed);
    for (int i = 0; i < N; i++)  // one slow direction: a rank-one part
      for (int j = 0; j < N; j++) map.A[i][j] = 0.3 * map.A[i][j] + 0.69 / N;
    ssi_anderson_rule rule = {.memory = 5, .period = 1, .regularisation = 1e-10, .growth = 2},
                      third = rule, never = rule;
    third.period = 3;
    never.memory = 0;
    int plain = steps_to(&map, never, NULL, 1, 1e-12);
    assert_true(plain > 60);
    assert_true(2 * steps_to(&map, rule, NULL, 1, 1e-12) < plain);
    assert_true(2 * steps_to(&map, rule, weight, 1, 1e-12) < plain);
    assert_true(3 * steps_to(&map, third, NULL, 1, 1e-12) < 2 * plain);
    // powers of two change no bit of the iteration
    assert_int_equal(steps_to(&map, rule, NULL, 0x1p-100, 1e-12),
                     steps_to(&map, rule, NULL, 1, 1e-12));
    assert_int_equal(steps_to(&map, third, NULL, 0x1p+90, 1e-12),
                     steps_to(&map, third, NULL, 1, 1e-12));
  }
}

static void period_and_memory_are_kept(void **state) {
  (void)state;
  linear_map map = make_map(3);
  ssi_arena arena = {0};
  ssi_anderson a;
  ssi_anderson_rule rule = {.memory = 2, .period = 3, .growth = INFINITY};
  assert_true(ssi_anderson_create(&arena, N, rule, NULL, &a));
  double x[N] = {0};
  ssi_anderson_begin(&a, x);
  for (int k = 1; k <= 12; k++) {
    double plain[N];
    apply_in_place(&map, x);
    memcpy(plain, x, sizeof x);
    ssi_anderson_action action = ssi_anderson_next(&a, x);
    assert_int_equal(action, k % 3 ? SSI_ANDERSON_PLAIN : SSI_ANDERSON_EXTRAPOLATED);
    assert_int_equal(memcmp(plain, x, sizeof x) == 0, k % 3 != 0);
    assert_true(a.columns <= 2);
  }
  ssi_arena_release(&arena);
}

// A map with a jump: what (1) extrapolates to from one side is far off on the other.
static double jump(double x) {
  return x < 1 ? x + 0.1 : 5 * x;
}

static void bad_extrapolations_are_taken_back(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_anderson a;
  ssi_anderson_rule rule = {.memory = 3, .period = 1, .regularisation = 1e-10, .growth = 2};
  assert_true(ssi_anderson_create(&arena, 1, rule, NULL, &a));
  double x = 0;
  ssi_anderson_begin(&a, &x);
  x = 0.1;  // f = 0.1
  assert_int_equal(ssi_anderson_next(&a, &x), SSI_ANDERSON_PLAIN);
  x = 0.19;  // f = 0.09: extrapolates to the fixed point 1 of x + 0.1 (1 - x)
  assert_int_equal(ssi_anderson_next(&a, &x), SSI_ANDERSON_EXTRAPOLATED);
  assert_near(x, 1, 1e-6);
  x = jump(1);  // f = 4
  assert_int_equal(ssi_anderson_next(&a, &x), SSI_ANDERSON_REJECTED);
  assert_true(x == 0.19);
  assert_int_equal(a.columns, 0);
  x = 0.3;
  assert_int_equal(ssi_anderson_next(&a, &x), SSI_ANDERSON_PLAIN);  // no columns yet
  assert_true(x == 0.3);
  x = NAN;  // a map that breaks down is not hidden
  assert_int_equal(ssi_anderson_next(&a, &x), SSI_ANDERSON_PLAIN);
  assert_true(isnan(x) && isnan(a.norm));
  ssi_arena_release(&arena);
}

static void fixed_points_stay(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_anderson a;
  ssi_anderson_rule rule = {.memory = 3, .period = 1, .regularisation = 1e-10, .growth = 2};
  assert_true(ssi_anderson_create(&arena, 2, rule, NULL, &a));
  double x[2] = {1, -2};
  ssi_anderson_begin(&a, x);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(ssi_anderson_next(&a, x), SSI_ANDERSON_PLAIN);
    assert_true(x[0] == 1 && x[1] == -2 && a.norm == 0);
  }
  assert_true(ssi_anderson_create(&arena, 0, rule, NULL, &a));
  ssi_anderson_begin(&a, x);
  assert_int_equal(ssi_anderson_next(&a, x), SSI_ANDERSON_PLAIN);
  ssi_arena_release(&arena);
}

static void no_memory_is_said(void **state) {
  (void)state;
  budget memory;
  ss_context ctx = on_budget(&memory);
  ssi_anderson_rule rule = {.memory = 3, .period = 1, .growth = 2};
  for (int allowed = 0;; allowed++) {
    ssi_arena arena = {.ctx = &ctx};
    ssi_anderson a;
    memory.left = allowed;
    bool made = ssi_anderson_create(&arena, 5, rule, NULL, &a);
    ssi_arena_release(&arena);
    if (made) break;
    assert_true(allowed < 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_maps_give_gmres),
      cmocka_unit_test(fewer_steps_than_the_plain_map),
      cmocka_unit_test(period_and_memory_are_kept),
      cmocka_unit_test(bad_extrapolations_are_taken_back),
      cmocka_unit_test(fixed_points_stay),
      cmocka_unit_test(no_memory_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
