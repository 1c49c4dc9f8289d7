// The exact judge against closed forms: the rod ([AC11, 4.2], oracles A), Klarbring's model ([Agw20],
// oracles B), a square on two contacts, products of independent parts; and its intervals against
// its rationals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kinds.h"

static void set(mpq_ptr to, long a, long b) {
  mpq_set_si(to, a, (unsigned long)b);
  mpq_canonicalize(to);
}

static const long SIDES[][3] = {{3, 4, 5},   {4, 3, 5},   {5, 12, 13},
                                {12, 5, 13}, {15, 8, 17}, {20, 21, 29}};

// ---- the rod ------------------------------------------------------------------------------------

typedef struct rod {
  long side[3];      // sin = side 0 / side 2, cos = side 1 / side 2
  long mu, per;      // friction mu / per
  long gravity, u0;  //
} rod;

// M = 1, f = -g s, H = (s, c) normal first, w = (0, u0): v = s r_N + c r_T + g s.
static void add_rod(exact_problem *p, int contact, const rod *d) {
  set(p->mu.x[contact], d->mu, d->per);
  set(qat(&p->M, contact, contact), 1, 1);
  set(p->f.x[contact], -d->gravity * d->side[0], d->side[2]);
  set(qat(&p->H, 2 * contact, contact), d->side[0], d->side[2]);
  set(qat(&p->H, 2 * contact + 1, contact), d->side[1], d->side[2]);
  set(p->w.x[2 * contact + 1], d->u0, 1);
}

static int sign(long x) {
  return (x > 0) - (x < 0);
}

// Components and isolated ones, from the table of oracles A; MANY means a continuum.
static void rod_table(const rod *d, int *components, int *isolated) {
  int steep = sign(d->side[0] * d->per - d->mu * d->side[1]);  // sign of tan - mu
  int g = sign(d->gravity), u0 = sign(d->u0);
  *components = *isolated = 1;
  if (u0 < 0) return;
  if (g < 0 && u0 == 0) *isolated = d->mu == 0;
  if (g < 0 && u0 > 0) *components = *isolated = steep > 0;
  if (g == 0 && u0 == 0) *isolated = steep > 0;
  if (g == 0 && u0 > 0) *isolated = steep != 0;
  if (g > 0 && u0 == 0 && steep < 0) *components = 2, *isolated = 1;
  if (g > 0 && u0 > 0 && steep < 0) *components = *isolated = 2;
}

static void each_rod(void (*test)(const rod *d)) {
  for (unsigned k = 0; k < sizeof SIDES / sizeof *SIDES; k++)
    for (long g = -2; g <= 2; g++)
      for (long u0 = -2; u0 <= 2; u0++)
        for (int f = 0; f < 6; f++) {
          rod d = {{SIDES[k][0], SIDES[k][1], SIDES[k][2]}, 3 * f, 10, g, u0};
          if (f == 5) d.mu = SIDES[k][0], d.per = SIDES[k][1];  // tan = mu
          test(&d);
        }
}

static void check_rod(const rod *d) {
  exact_problem p = exact_new(1, 1, 0);
  int components, isolated;
  add_rod(&p, 0, d);
  assert_true(exact_reduce(&p));
  judge_truth t = judge(&p, JUDGE_FAST);
  rod_table(d, &components, &isolated);
  assert_int_equal(t.components, components);
  assert_int_equal(t.isolated, isolated);
  assert_true(t.exists == (components > 0));
  assert_true(t.semidefinite);
  bool steep = d->side[0] * d->per > d->mu * d->side[1];
  assert_true(t.for_every_w == steep);  // s* = inf if tan > mu, else -u0 tan
  if (!steep) {
    assert_int_equal(t.margin_sign, -sign(d->u0));
    assert_true(fabs(t.margin + (double)(d->u0 * d->side[0]) / (double)d->side[1]) < 1e-12);
  }
  assert_true(t.a_prime);
  exact_free(&p);
}

static void test_rod(void **state) {
  (void)state;
  each_rod(check_rod);
}

// ---- independent parts: numbers multiply --------------------------------------------------------

static const rod SECOND[] = {
    {{3, 4, 5}, 1, 1, 1, 1},   // two
    {{3, 4, 5}, 1, 1, -1, 1},  // none
    {{3, 4, 5}, 1, 1, 1, 0},   // a point and a ray
    {{4, 3, 5}, 1, 1, 1, 1},   // one
};

static void check_pair(const rod *d) {
  for (unsigned k = 0; k < sizeof SECOND / sizeof *SECOND; k++) {
    exact_problem p = exact_new(2, 2, 0);
    int components[2], isolated[2];
    add_rod(&p, 0, d);
    add_rod(&p, 1, &SECOND[k]);
    assert_true(exact_reduce(&p));
    judge_truth t = judge(&p, JUDGE_FAST);
    rod_table(d, &components[0], &isolated[0]);
    rod_table(&SECOND[k], &components[1], &isolated[1]);
    assert_int_equal(t.components, components[0] * components[1]);
    assert_int_equal(t.isolated, isolated[0] * isolated[1]);
    exact_free(&p);
  }
}

static void test_pairs(void **state) {
  (void)state;
  each_rod(check_pair);
}

// ---- Klarbring's model --------------------------------------------------------------------------

// K = [[1 + c2, sc], [sc, s2]], K (u_n, u_t) = f + r; our M = K, f = -f, H = diag(-1, 1). Loads off
// all borders.
static int klarbring(const long *side, double mu, double fn, double ft) {
  double s = (double)side[0] / (double)side[2], c = (double)side[1] / (double)side[2], t = s / c;
  bool stuck = fn > 0 && fabs(ft) < mu * fn;
  bool plus = fn > 0 && ((mu < ft / fn && ft / fn < t) || (t < ft / fn && ft / fn < mu));
  bool minus = ft < -mu * fn && ft < t * fn;
  bool apart = ft > t * fn;
  return stuck + plus + minus + apart;
}

static void test_klarbring(void **state) {
  (void)state;
  int seen[4] = {0};
  for (unsigned k = 0; k < sizeof SIDES / sizeof *SIDES; k++)
    for (long mu = 1; mu < 40; mu += 3)
      for (long fn = -3; fn <= 3; fn++)
        for (long ft = -45; ft <= 45; ft += 2) {
          const long *d = SIDES[k];
          long one = d[2] * d[2];
          exact_problem p = exact_new(1, 2, 0);
          set(p.mu.x[0], mu, 11);
          set(qat(&p.M, 0, 0), one + d[1] * d[1], one);
          set(qat(&p.M, 0, 1), d[0] * d[1], one);
          set(qat(&p.M, 1, 0), d[0] * d[1], one);
          set(qat(&p.M, 1, 1), d[0] * d[0], one);
          set(p.f.x[0], -fn * 7, 1);  // sevenths: never on a border
          set(p.f.x[1], -ft, 1);
          set(qat(&p.H, 0, 0), -1, 1);
          set(qat(&p.H, 1, 1), 1, 1);
          assert_true(exact_reduce(&p));
          judge_truth t = judge(&p, JUDGE_FAST);
          bool border =
              ft * 11 == mu * fn * 7 || ft * 11 == -mu * fn * 7 || ft * d[1] == d[0] * fn * 7;
          if (!border) {
            int count = klarbring(d, (double)mu / 11, (double)fn * 7, (double)ft);
            assert_int_equal(t.components, count);
            assert_int_equal(t.isolated, count);
            seen[count]++;
          }
          assert_true(t.semidefinite);
          exact_free(&p);
        }
  assert_true(seen[1] > 1000 && seen[3] > 100);
}

// ---- continua, definiteness, answers ------------------------------------------------------------

// A unit square of unit weight on two contacts: r_N = 1/2 each, r_T = (t, -t): one segment.
static void test_square(void **state) {
  (void)state;
  for (int mu = 0; mu < 3; mu++) {
    exact_problem p = exact_new(2, 3, 0);
    static const int H[4][3] = {
        {0, 2, -1}, {2, 0, 1}, {0, 2, 1}, {2, 0, 1}};  // halves; x, y, angle
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 3; k++) set(qat(&p.H, i, k), H[i][k], 2);
    for (int k = 0; k < 3; k++) set(qat(&p.M, k, k), 1, 1);
    for (int i = 0; i < 2; i++) set(p.mu.x[i], mu, 2);
    set(p.f.x[1], 1, 1);
    assert_true(exact_reduce(&p));
    judge_truth t = judge(&p, JUDGE_FAST);
    assert_int_equal(t.components, 1);
    assert_int_equal(t.isolated, mu == 0);
    const double r[] = {0.5, 0.125, 0.5, -0.125}, wrong[] = {0.5, 0.125, 0.5, 0.125};
    if (mu) assert_true(judge_answer(&p, r).worst.relative == 0);
    assert_true(judge_answer(&p, wrong).worst.relative > 0.01);
    exact_free(&p);
  }
}

static void test_penetration_never_passes(void **state) {
  (void)state;
  exact_problem p = exact_new(1, 0, 0);
  const double zero[] = {0, 0};
  mpq_set_d(p.mu.x[0], 1e10);
  for (int i = 0; i < 2; i++) set(qat(&p.W, i, i), 1, 1);
  set(p.q.x[0], -1, 1);
  assert_true(judge_answer(&p, zero).worst.relative == 1);
  const double r[] = {1, 0};
  assert_true(judge_answer(&p, r).worst.relative == 0);
  exact_free(&p);
}

static double quadratic(const exact_problem *p, const double *z) {
  double sum = 0;
  for (int i = 0; i < 2 * p->n; i++)
    for (int j = 0; j < 2 * p->n; j++) sum += z[i] * mpq_get_d(qat(&p->W, i, j)) * z[j];
  return sum;
}

static void each_sample(int count, void (*test)(const kind *k, const sample *s)) {
  for (int k = 0; k < kind_count; k++)
    for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
      sample s;
      sample_make(&kinds[k], seed, &s);
      test(&kinds[k], &s);
      sample_free(&s);
    }
}

static int indefinite;

static void check_definiteness(const kind *k, const sample *s) {
  judge_truth t = judge(&s->given, JUDGE_FAST);
  if (s->dofs) assert_true(t.semidefinite);  // H M^-1 H^T is, exactly
  if (strcmp(k->name, "indefinite") == 0) {
    assert_false(t.semidefinite);
    assert_true(quadratic(&s->given, t.negative) < 0);
    indefinite++;
  }
  // (A) suffices where W is semi-definite, a violated (A') excludes a solution: docs/existence.md
  if (t.semidefinite && t.margin_sign >= 0) assert_true(t.exists);
  if (!t.a_prime) assert_false(t.exists);
  // W definite, no ties: the indices of the solutions sum to 1, so that their number is odd
  if (strcmp(k->name, "ordinary") == 0 && s->dofs >= 2 * s->n)
    assert_int_equal(t.components % 2, 1);
}

static void test_definiteness(void **state) {
  (void)state;
  each_sample(150, check_definiteness);
  assert_int_equal(indefinite, 150);
}

// Intervals and eliminations must not change what the linear programs alone find, on any kind.
static void compare_methods(const sample *s, judge_method method) {
  judge_truth fast = judge(&s->given, JUDGE_FAST), slow = judge(&s->given, method);
  assert_int_equal(fast.components, slow.components);
  assert_int_equal(fast.isolated, slow.isolated);
  assert_int_equal(slow.by_interval, 0);
}

static void check_methods(const kind *k, const sample *s) {
  (void)k;
  if (s->n <= 3) compare_methods(s, JUDGE_NO_INTERVALS);
  if (s->n <= 2) compare_methods(s, JUDGE_PROGRAMS);
}

static void test_methods(void **state) {
  (void)state;
  each_sample(100, check_methods);
}

// ---- joints -------------------------------------------------------------------------------------

// v and l from [M -G; G^T 0] [v; l] = [H^T r - f; -b], solved as it stands; false: it is singular.
static bool move(const exact_problem *p, const long *r, qmat *v) {
  int d = p->dofs, rows = d + p->joints;
  qmat K = qmat_new(rows, rows), x = qmat_new(rows, 1);
  mpq_t t;
  mpq_init(t);
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) mpq_set(qat(&K, i, j), qat(&p->M, i, j));
    for (int j = 0; j < p->joints; j++) {
      mpq_neg(qat(&K, i, d + j), qat(&p->G, i, j));
      mpq_set(qat(&K, d + j, i), qat(&p->G, i, j));
    }
    mpq_neg(x.x[i], p->f.x[i]);
    for (int k = 0; k < 2 * p->n; k++) {
      mpq_set_si(t, r[k], 1);
      mpq_mul(t, t, qat(&p->H, k, i));
      mpq_add(x.x[i], x.x[i], t);
    }
  }
  for (int j = 0; j < p->joints; j++) mpq_neg(x.x[d + j], p->b.x[j]);
  bool regular = qmat_solve(&K, &x);
  for (int i = 0; i < d && regular; i++) mpq_set(v->x[i], x.x[i]);
  mpq_clear(t);
  qmat_free(&K);
  qmat_free(&x);
  return regular;
}

// u_i = c_i + sum_j A_ij x_j with the rows of p: W r + q, or H v + w.
static void sum_row(mpq_ptr u, const qmat *A, int i, const qmat *x, mpq_srcptr c) {
  mpq_t t;
  mpq_init(t);
  mpq_set(u, c);
  for (int j = 0; j < A->cols; j++) {
    mpq_mul(t, qat(A, i, j), x->x[j]);
    mpq_add(u, u, t);
  }
  mpq_clear(t);
}

static int moved;

static void check_joints(const kind *k, const sample *s) {
  (void)k;
  const exact_problem *p = &s->given;
  const long r[KIND_ROWS] = {3, -1, 0, 2, 1, 1, -2, 5};
  if (!p->joints) return;
  qmat v = qmat_new(p->dofs, 1), R = qmat_new(2 * p->n, 1);
  mpq_t a, b;
  mpq_inits(a, b, NULL);
  for (int i = 0; i < 2 * p->n; i++) mpq_set_si(R.x[i], r[i], 1);
  if (move(p, r, &v)) {
    moved++;
    assert_false(p->contradictory);
    for (int i = 0; i < 2 * p->n; i++) {
      sum_row(a, &p->W, i, &R, p->q.x[i]);
      sum_row(b, &p->H, i, &v, p->w.x[i]);
      assert_true(mpq_equal(a, b));
    }
  }
  mpq_clears(a, b, NULL);
  qmat_free(&v);
  qmat_free(&R);
}

static void test_joints_against_the_whole_system(void **state) {
  (void)state;
  each_sample(150, check_joints);
  assert_true(moved > 200);
}

// A rod with a second degree of freedom that a joint ties to the first, twice v_0 - v_1 = 0 and as often as
// asked: M = 1 + 4 in its own units, and the table of the rod as before. A copy that asks for something else
// contradicts.
static void tie_rod(const rod *d, int copies, long other, exact_problem *p) {
  *p = exact_new(1, 2, copies);
  add_rod(p, 0, d);
  set(qat(&p->M, 1, 1), 1, 1);
  for (int j = 0; j < copies; j++) {
    set(qat(&p->G, 0, j), 2 * (j + 1), 1);
    set(qat(&p->G, 1, j), -(j + 1), 1);
  }
  set(p->b.x[copies - 1], other, 7);
  assert_true(exact_reduce(p));
}

static void check_tied_rod(const rod *d) {
  int components, isolated;
  rod_table(d, &components, &isolated);
  for (int copies = 1; copies <= 3; copies++) {
    exact_problem p;
    tie_rod(d, copies, 0, &p);
    judge_truth t = judge(&p, JUDGE_FAST);
    assert_false(p.contradictory);
    assert_int_equal(t.components, components);
    assert_int_equal(t.isolated, isolated);
    bool steep = d->side[0] * d->per > d->mu * d->side[1];
    assert_true(t.for_every_w == steep);
    if (!steep) assert_int_equal(t.margin_sign, -sign(d->u0));
    exact_free(&p);
    if (copies == 1) continue;
    tie_rod(d, copies, 1, &p);
    t = judge(&p, JUDGE_FAST);
    assert_true(p.contradictory && !t.exists && !t.a_prime && t.margin == -INFINITY);
    exact_free(&p);
  }
}

static void test_tied_rod(void **state) {
  (void)state;
  each_rod(check_tied_rod);
}

static void test_nearest(void **state) {
  (void)state;
  mpq_t x;
  mpq_init(x);
  for (long a = -400; a <= 400; a += 7)
    for (long b = 1; b < 300; b += 11) {
      set(x, a, b);
      assert_true(q_nearest(x) == (double)a / (double)b);
    }
  mpq_clear(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rod),          cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_klarbring),    cmocka_unit_test(test_square),
      cmocka_unit_test(test_definiteness), cmocka_unit_test(test_penetration_never_passes),
      cmocka_unit_test(test_methods),      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_tied_rod),     cmocka_unit_test(test_joints_against_the_whole_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
