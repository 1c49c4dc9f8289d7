// The first phase of the simplex method: points that satisfy, or multipliers that prove there are none.
#include "harness.h"

#include "base/rng.h"
#include "la/phase1.h"

enum { ROWS = 12, COLS = 20 };

static double row_value(const ssi_phase1 *s, int i) {
  double sum = s->c[i];
  for (int j = 0; j < s->cols; j++) sum += s->A[i * s->cols + j] * s->x[j];
  return sum;
}

static void check_point(const ssi_phase1 *s) {
  for (int j = 0; j < s->cols; j++) assert_true(s->x[j] >= 0);
  for (int i = 0; i < s->rows; i++) {
    double value = row_value(s, i);
    assert_true(s->equal[i] ? fabs(value) < 1e-9 : value > -1e-9);
  }
}

static void check_multipliers(const ssi_phase1 *s) {
  double sum = 0, size = 0;
  for (int i = 0; i < s->rows; i++) {
    assert_true(s->equal[i] || s->y[i] >= 0);
    sum += s->c[i] * s->y[i], size += fabs(s->y[i]);
  }
  assert_true(sum < 0);
  assert_near(sum, -s->missing, 1e-9 * (1 + size));
  for (int j = 0; j < s->cols; j++) {
    double column = s->wish[j];
    for (int i = 0; i < s->rows; i++) column += s->y[i] * s->A[i * s->cols + j];
    assert_true(column <= 1e-9 * (1 + size));
  }
}

static void random_system(ssi_phase1 *s, ssi_rng *g) {
  s->rows = 1 + ssi_rng_below(g, ROWS), s->cols = 1 + ssi_rng_below(g, COLS);
  for (int i = 0; i < s->rows; i++) {
    s->equal[i] = ssi_rng_uniform(g) < 0.4;
    s->c[i] = ssi_rng_uniform(g) < 0.2 ? 0 : 2 * ssi_rng_uniform(g) - 1;
    for (int j = 0; j < s->cols; j++)
      s->A[i * s->cols + j] = ssi_rng_uniform(g) < 0.3 ? 0 : 2 * ssi_rng_uniform(g) - 1;
  }
}

static void either_way_is_proved(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_phase1 s;
  ssi_rng g = {7};
  int count[3] = {0};
  assert_true(ssi_phase1_take(&s, ROWS, COLS, &arena));
  for (int k = 0; k < 20000; k++) {
    random_system(&s, &g);
    ssi_phase1_state end = ssi_phase1_solve(&s);
    count[end]++;
    if (end == SSI_PHASE1_FEASIBLE) check_point(&s);
    if (end == SSI_PHASE1_INFEASIBLE) check_multipliers(&s);
  }
  assert_true(count[SSI_PHASE1_FEASIBLE] > 2000 && count[SSI_PHASE1_INFEASIBLE] > 2000);
  assert_int_equal(count[SSI_PHASE1_FAILED], 0);
  ssi_arena_release(&arena);
}

// A right-hand side made from a point: never called infeasible. Ties in plenty: entries -1, 0, 1.
static void systems_with_a_point_stay_feasible(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_phase1 s;
  ssi_rng g = {11};
  assert_true(ssi_phase1_take(&s, ROWS, COLS, &arena));
  for (int k = 0; k < 20000; k++) {
    random_system(&s, &g);
    double x[COLS];
    for (int j = 0; j < s.cols; j++) x[j] = ssi_rng_below(&g, 3);
    for (int i = 0; i < s.rows; i++) {
      s.c[i] = s.equal[i] ? 0 : ssi_rng_below(&g, 2);
      for (int j = 0; j < s.cols; j++) {
        s.A[i * s.cols + j] = ssi_rng_below(&g, 3) - 1;
        s.c[i] -= s.A[i * s.cols + j] * x[j];
      }
    }
    assert_int_equal(ssi_phase1_solve(&s), SSI_PHASE1_FEASIBLE);
    check_point(&s);
  }
  ssi_arena_release(&arena);
}

// Wishes: multipliers with a margin, where the system is infeasible and stays so.
static void wishes_are_granted(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_phase1 s;
  ssi_rng g = {13};
  int granted = 0, asked = 0;
  assert_true(ssi_phase1_take(&s, ROWS, COLS, &arena));
  for (int k = 0; k < 5000; k++) {
    random_system(&s, &g);
    if (ssi_phase1_solve(&s) != SSI_PHASE1_INFEASIBLE) continue;
    for (int j = 0; j < COLS; j++) s.wish[j] = 1e-4 * s.missing;
    asked++;
    if (ssi_phase1_solve(&s) == SSI_PHASE1_INFEASIBLE) check_multipliers(&s), granted++;
    for (int j = 0; j < COLS; j++) s.wish[j] = 0;
  }
  assert_true(granted > asked / 2);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(either_way_is_proved),
      cmocka_unit_test(systems_with_a_point_stay_feasible),
      cmocka_unit_test(wishes_are_granted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
