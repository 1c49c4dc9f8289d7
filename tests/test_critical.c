// Critical friction: closed forms, the tables of [Agw20], fresh determinants, and what holds
// between the criteria.
#include "harness.h"

#include <lapacke.h>

#include "analysis/critical.h"
#include "base/rng.h"
#include "budget.h"
#include "critical_models.h"
#include "stickslip/stickslip.h"

static const double DEGREE = 0.017453292519943295;

static ss_critical *compute(const ss_problem *p, const ss_critical_options *o) {
  static ss_context ctx;  // lives as long as what is made with it
  ss_critical *c = NULL;
  ss_error e = ss_critical_compute(&ctx, p, o, &c);
  if (e) fail_msg("%s", ss_error_detail(&ctx, e));
  for (int k = 0; k < SS_CRITERIA; k++)
    if (c->value[k].computed) assert_true(c->value[k].lower <= c->value[k].upper);
  return c;
}

static void assert_all(const ss_problem *p, double expected, double tol) {
  ss_critical *c = compute(p, NULL);
  for (int k = 0; k < SS_CRITERIA; k++) {
    const ss_critical_value *v = &c->value[k];
    if (!v->exact || !(fabs(v->mu - expected) <= tol * expected))
      fail_msg("%s: %.17g, expected %.17g", ss_criterion_name(k), v->mu, expected);
    assert_true(v->lower >= v->upper * (1 - 1.01e-10));
    assert_non_null(v->pattern);
  }
#ifdef SS_WITH_NLOPT
  if (!(fabs(c->sqp - expected) <= 1e-6 * expected))
    fail_msg("by SQP: %.17g, expected %.17g", c->sqp, expected);
#endif
  ss_critical_destroy(c);
}

// ---- closed forms, 50 angles each ------------------------------------------------------------

static void test_closed_forms(void **state) {
  (void)state;
  stiffness m;
  ssi_rng rng = {7};
  for (int k = 0; k < 50; k++) {
    double theta = (1.5 + 87.0 * k / 49) * DEGREE;
    double expected = klarbring(&m, theta);
    assert_all(&m.p, expected, 1e-12);
    expected = alart(&m, theta);
    assert_all(&m.p, expected, 1e-12);
    expected = alart3(&m, theta);
    assert_all(&m.p, expected, 1e-12);
    double k1 = 0.2 + 5 * ssi_rng_uniform(&rng), k2 = 0.2 + 5 * ssi_rng_uniform(&rng);
    expected = periodic(&m, theta, k1, k2, 3 * ssi_rng_uniform(&rng));
    assert_all(&m.p, expected, 1e-12);
  }
}

// The next roots of Alart's model that the closed forms give, pattern by pattern.
static void test_pattern_roots(void **state) {
  (void)state;
  enum { F = SS_PATTERN_FREE, D = SS_PATTERN_STICK, P = SS_PATTERN_SLIP_PLUS };
  double theta = 37 * DEGREE, s = sin(theta), c = cos(theta), t = s / c;
  stiffness m;
  alart(&m, theta);
  double W[16], g[2] = {1, 1};
  ss_problem *reduced;
  assert_int_equal(ss_problem_reduce(NULL, &m.p, &reduced), SS_OK);
  memset(W, 0, sizeof W);
  for (int i = 0; i < 4; i++)
    for (int64_t k = reduced->W.ptr[i]; k < reduced->W.ptr[i + 1]; k++)
      W[4 * i + reduced->W.col[k]] = reduced->W.x[k];
  ssi_critical_part part = {.n = 2, .W = W, .g = g};
  ssi_arena arena = {0};
  ssi_roots *w = ssi_roots_create(&arena, 2);
  const struct {
    unsigned char pattern[2];
    double root;
  } known[] = {{{P, P}, sqrt(2 + s * s) / c},
               {{F, P}, 1.5 * t},
               {{D, P}, (1 + s * s) / (s * c)},
               {{D, D}, INFINITY},
               {{F, F}, INFINITY}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    double root = ssi_pattern_root(w, &part, known[k].pattern, false);
    if (isinf(known[k].root))
      assert_true(isinf(root));
    else
      assert_near(root, known[k].root, 1e-13);
  }
  ssi_arena_release(&arena);
  ss_problem_destroy(reduced);
}

// ---- Tables 1, 2, 3 of [Agw20] ----------------------------------------------------------------

// All digits printed, by truncation or by rounding: the paper does both.
static void assert_printed(double found, const char *printed) {
  int digits = (int)strlen(strchr(printed, '.') + 1);
  double unit = pow(10, -digits), value = strtod(printed, NULL);
  if (!(found - value > -0.5000001 * unit && found - value < 1.0000001 * unit))
    fail_msg("%.12f, printed %s", found, printed);
}

static void test_tables(void **state) {
  (void)state;
  const struct {
    double (*model)(stiffness *, double);
    double theta, ours;
    const char *printed;
  } rows[] = {
      {klarbring, 10, 0.176326980708, "0.17632698"}, {klarbring, 20, 0.363970234266, "0.36397023"},
      {klarbring, 30, 0.577350269190, "0.57735026"}, {klarbring, 50, 1.191753592594, "1.19175359"},
      {klarbring, 80, 5.671281819618, "5.67128182"}, {alart, 10, 0.176326980708, "0.1763269"},
      {alart, 40, 0.839099631177, "0.8390996"},      {alart, 50, 1.191753592594, "1.1917535"},
      {alart, 60, 1.732050807569, "1.7320508"},      {alart3, 10, 0.347492683931, "0.34749"},
      {alart3, 40, 1.432868336508, "1.43286"},       {alart3, 50, 1.942784284012, "1.9427"},
      {alart3, 60, 2.721794126180, "2.7218"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    stiffness m;
    rows[k].model(&m, rows[k].theta * DEGREE);
    ss_critical *c = compute(&m.p, NULL);
    for (int i = 0; i < SS_CRITERIA; i++) {
      assert_printed(c->value[i].mu, rows[k].printed);
      assert_near(c->value[i].mu, rows[k].ours, 1e-12);
    }
#ifdef SS_WITH_NLOPT
    assert_printed(c->sqp, rows[k].printed);
#endif
    ss_critical_destroy(c);
  }
}

// ---- fresh determinants
// --------------------------------------------------------------------------

typedef struct dense {
  int n;
  double W[MODEL_MAX * MODEL_MAX], g[MODEL_MAX], mu[MODEL_MAX], q[MODEL_MAX];
  int64_t ptr[MODEL_MAX + 1];
  int col[MODEL_MAX * MODEL_MAX];
  ss_problem p;
} dense;

// W = A A^T + shift I, unsymmetric by `skew`.
static void random_dense(dense *d, int n, double shift, double skew, ssi_rng *rng) {
  int N = 2 * n;
  double A[MODEL_MAX * MODEL_MAX];
  memset(d, 0, sizeof *d);
  d->n = n;
  for (int i = 0; i < N * N; i++) A[i] = 2 * ssi_rng_uniform(rng) - 1;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < N; k++) d->W[i * N + j] += A[i * N + k] * A[j * N + k];
      d->W[i * N + j] += (i == j) * shift + skew * (2 * ssi_rng_uniform(rng) - 1);
      d->col[i * N + j] = j;
    }
    d->ptr[i + 1] = (int64_t)(i + 1) * N;
  }
  for (int i = 0; i < n; i++) d->g[i] = 1, d->mu[i] = 0.5 + ssi_rng_uniform(rng);
  d->p = (ss_problem){.form = SS_REDUCED, .dim = 2, .nc = n, .mu = d->mu, .q = d->q};
  d->p.W = (ss_sparse){N, N, d->ptr, d->col, d->W};
}

// The determinant of a pattern, from its definition.
static double determinant(const dense *d, const int *pattern, double mu) {
  int rows = 0, row[MODEL_MAX], N = 2 * d->n;
  double B[MODEL_MAX * MODEL_MAX], shift[MODEL_MAX];
  for (int c = 0; c < d->n; c++) {
    int s = pattern[c];
    bool slip = s == SS_PATTERN_SLIP_PLUS || s == SS_PATTERN_SLIP_MINUS;
    if (slip || s == SS_PATTERN_STICK) {
      shift[rows] = slip ? (s == SS_PATTERN_SLIP_PLUS ? -mu : mu) * d->g[c] : 0;
      row[rows++] = 2 * c;
    }
    if (s == SS_PATTERN_STICK || s == SS_PATTERN_CROSS) shift[rows] = 0, row[rows++] = 2 * c + 1;
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      B[i * rows + j] = d->W[row[i] * N + row[j]];
      if (shift[j] != 0) B[i * rows + j] += shift[j] * d->W[row[i] * N + row[j] + 1];
    }
  lapack_int pivot[MODEL_MAX];
  double det = 1;
  if (rows) LAPACKE_dgetrf(LAPACK_ROW_MAJOR, rows, rows, B, rows, pivot);
  for (int i = 0; i < rows; i++) det *= (pivot[i] == i + 1 ? 1 : -1) * B[i * rows + i];
  return det;
}

// Smallest determinant over all patterns of `states`, each made fresh.
static double smallest(const dense *d, unsigned states, double mu) {
  double least = INFINITY, count = pow(5, d->n);
  for (int index = 0; index < count; index++) {
    int pattern[MODEL_MAX];
    bool allowed = true;
    for (int c = 0, k = index; c < d->n; c++, k /= 5) {
      pattern[c] = k % 5;
      allowed = allowed && states >> pattern[c] & 1;
    }
    if (allowed) least = fmin(least, determinant(d, pattern, mu));
  }
  return least;
}

static const unsigned all_states[] = {SSI_STATES_BIJECTIVE, SSI_STATES_PMATRIX,
                                      SSI_STATES_SIMPLIFIED};
static const ss_criterion of_states[] = {SS_BIJECTIVE, SS_PMATRIX, SS_SIMPLIFIED};

static void test_signs_against_fresh_determinants(void **state) {
  (void)state;
  ssi_rng rng = {11};
  dense d;
  int fails = 0, holds_count = 0;
  for (int k = 0; k < 240; k++) {
    random_dense(&d, 1 + k % 5, 0.3 * (k % 7), k % 3 ? 0 : 0.05, &rng);
    double mu = 0.1 + 2.5 * ssi_rng_uniform(&rng);
    if (smallest(&d, SSI_STATES_PMATRIX, 0) <= 0) continue;  // not even without friction
    for (int i = 0; i < 3; i++) {
      double least = smallest(&d, all_states[i], mu);
      bool holds;
      unsigned char found[MODEL_MAX];
      assert_int_equal(ss_critical_test(NULL, &d.p, of_states[i], mu, NULL, &holds, found, NULL),
                       SS_OK);
      assert_int_equal(holds, least > 0);
      if (holds) {
        holds_count++;
        continue;
      }
      int pattern[MODEL_MAX];
      for (int c = 0; c < d.n; c++) {
        pattern[c] = found[c];
        assert_true(all_states[i] >> found[c] & 1);
      }
      double witness = determinant(&d, pattern, mu);
      if (!(witness <= 0))
        fail_msg("%s: witness %g of %d contacts, least %g", ss_criterion_name(of_states[i]),
                 witness, d.n, least);
      fails++;
    }
  }
  assert_true(fails > 100 && holds_count > 100);
}

// mu is a root of the pattern that comes with it, no determinant is negative just below, one is
// just above.
static void test_values_against_fresh_determinants(void **state) {
  (void)state;
  ssi_rng rng = {12};
  dense d;
  for (int k = 0; k < 120; k++) {
    random_dense(&d, 1 + k % 4, 0.5 * (k % 4), k % 5 ? 0 : 0.03, &rng);
    ss_critical *c = compute(&d.p, NULL);
    assert_false(c->singular);
    double P = c->value[SS_PMATRIX].mu, bij = c->value[SS_BIJECTIVE].mu,
           s59 = c->value[SS_SIMPLIFIED].mu;
    assert_true(P <= bij * (1 + 1e-12) && bij <= s59 * (1 + 1e-12));
    assert_near(c->value[SS_ANDERSSON].mu, bij, 1e-10);
    for (int i = 0; i < 3; i++) {
      const ss_critical_value *v = &c->value[of_states[i]];
      assert_true(v->exact && isfinite(v->mu) && v->mu > 0);
      assert_true(smallest(&d, all_states[i], v->mu * (1 - 1e-7)) > 0);
      assert_true(smallest(&d, all_states[i], v->mu * (1 + 1e-7)) < 0);
      int pattern[MODEL_MAX];
      for (int j = 0; j < d.n; j++) pattern[j] = v->pattern[j];
      double scale = fabs(determinant(&d, pattern, v->mu * 0.9));
      assert_true(fabs(determinant(&d, pattern, v->mu)) <= 1e-9 * scale);
    }
#ifdef SS_WITH_NLOPT
    assert_true(c->sqp >= s59 * (1 - 1e-9));  // at a feasible point, so never below
#endif
    ss_critical_destroy(c);
  }
}

// For larger n the walk has unrolled and vectorised levels that small ones do not reach.
static void test_larger_parts(void **state) {
  (void)state;
  ssi_rng rng = {13};
  dense d;
  ss_critical_options o = ss_critical_options_default();
  for (int n = 5; n <= 9; n++)
    for (int k = 0; k < 4; k++) {
      random_dense(&d, n, 0.5 * n, 0, &rng);
      ss_critical *c = compute(&d.p, &o);
      double P = c->value[SS_PMATRIX].mu, bij = c->value[SS_BIJECTIVE].mu;
      assert_true(c->value[SS_PMATRIX].exact && c->value[SS_BIJECTIVE].exact);
      assert_true(P <= bij * (1 + 1e-12) && bij <= c->value[SS_SIMPLIFIED].mu * (1 + 1e-12));
      if (n <= SSI_ANDERSSON_CONTACTS)  // the eigenvalue problems know nothing of the walk
        assert_near(c->value[SS_ANDERSSON].mu, bij, 1e-10);
      for (int i = 0; i < 3; i++) {
        bool below, above;
        double mu = c->value[of_states[i]].mu;
        assert_int_equal(
            ss_critical_test(NULL, &d.p, of_states[i], mu * (1 - 1e-9), NULL, &below, NULL, NULL),
            SS_OK);
        assert_int_equal(
            ss_critical_test(NULL, &d.p, of_states[i], mu * (1 + 1e-9), NULL, &above, NULL, NULL),
            SS_OK);
        assert_true(below && !above);
      }
      ss_critical_destroy(c);
    }
}

// With many contacts most patterns are settled by the bound; with 12 the walk over all of them can
// still be asked, on both sides of the critical friction and close to it.
static void test_branches_against_the_walk(void **state) {
  (void)state;
  ssi_rng rng = {19};
  static dense d;
  ssi_arena arena = {0};
  ssi_tree *tree = ssi_tree_create(&arena, 12);
  ssi_branch *branch = ssi_branch_create(&arena, 12);
  ss_critical_options o = ss_critical_options_default();
  o.criteria = 1u << SS_BIJECTIVE;
  for (int k = 0; k < 6; k++) {
    random_dense(&d, 12, 2.0 * (k % 4), k % 3 ? 0 : 0.02, &rng);
    ss_critical *c = compute(&d.p, &o);
    if (c->singular) continue;
    ssi_critical_part part = {.n = 12, .W = d.W, .g = d.g};
    const double factors[] = {0.9, 1 - 1e-6, 1 + 1e-6, 1.1};
    for (int i = 0; i < 4; i++) {
      unsigned char pattern[12];
      int p[12];
      double mu = c->value[SS_BIJECTIVE].mu * factors[i];
      ssi_signs walked = ssi_tree_test(tree, &part, SSI_STATES_BIJECTIVE, mu, NULL, NULL);
      ssi_signs branched =
          ssi_branch_test(branch, &part, SSI_STATES_BIJECTIVE, mu, INFINITY, NULL, pattern);
      assert_int_equal(walked, i < 2 ? SSI_ALL_POSITIVE : SSI_ONE_FAILS);
      assert_int_equal(branched, walked);
      for (int j = 0; j < 12; j++) p[j] = pattern[j];
      if (branched == SSI_ONE_FAILS) assert_true(determinant(&d, p, mu) <= 0);
    }
    ss_critical_destroy(c);
  }
  ssi_arena_release(&arena);
}

// 18 contacts, 7e10 patterns: settled, and the value is a root of its pattern.
static void test_many_contacts_exactly(void **state) {
  (void)state;
  ssi_rng rng = {20};
  static dense d;
  random_dense(&d, 18, 36, 0, &rng);
  ss_critical_options o = ss_critical_options_default();
  o.criteria = 1u << SS_BIJECTIVE | 1u << SS_PMATRIX;
  ss_critical *c = compute(&d.p, &o);
  for (int i = 0; i < 2; i++) {
    const ss_critical_value *v = &c->value[of_states[i]];
    assert_true(v->exact && v->lower >= v->upper * (1 - 1e-10));
    int pattern[18];
    for (int j = 0; j < 18; j++) pattern[j] = v->pattern[j];
    assert_true(determinant(&d, pattern, v->mu * (1 - 1e-6)) > 0);
    assert_true(determinant(&d, pattern, v->mu * (1 + 1e-6)) < 0);
  }
  assert_true(c->value[SS_PMATRIX].mu <= c->value[SS_BIJECTIVE].mu);
  ss_critical_destroy(c);
}

// ---- ranges, parts, scaling, condensation -----------------------------------------------------

static void test_ranges_contain_the_exact_values(void **state) {
  (void)state;
  ssi_rng rng = {14};
  dense d;
  ss_critical_options o = ss_critical_options_default();
  for (int k = 0; k < 15; k++) {
    random_dense(&d, 3 + k % 5, 1 + k % 5, k % 4 ? 0 : 0.03, &rng);
    ss_critical *exact = compute(&d.p, NULL);
    o.effort = 0;
    ss_critical *range = compute(&d.p, &o);
    for (int i = 0; i < 3; i++) {
      const ss_critical_value *v = &range->value[of_states[i]];
      double mu = exact->value[of_states[i]].mu;
      assert_true(v->lower > 0 && v->lower <= mu * (1 + 1e-12) && mu <= v->upper * (1 + 1e-12));
      assert_true(isnan(v->mu) == !v->exact);
    }
    ss_critical_destroy(exact);
    ss_critical_destroy(range);
  }
}

static void test_large_problem_gets_a_range(void **state) {
  (void)state;
  ssi_rng rng = {15};
  static dense d;
  random_dense(&d, 30, 15, 0, &rng);
  ss_critical_options o = ss_critical_options_default();
  o.sqp_starts = 2, o.effort = 8;
  ss_critical *c = compute(&d.p, &o);
  assert_false(c->value[SS_BIJECTIVE].exact);
  assert_true(c->value[SS_BIJECTIVE].lower > 0 && isfinite(c->value[SS_BIJECTIVE].upper));
  assert_true(c->value[SS_PMATRIX].upper <= c->value[SS_BIJECTIVE].upper);
  ss_critical_destroy(c);
}

static void test_independent_parts(void **state) {
  (void)state;
  stiffness m, parts;
  double angles[] = {50, 20, 70};
  stiffness_begin(&parts, 3);
  for (int k = 0; k < 3; k++) {
    klarbring(&m, angles[k] * DEGREE);
    stiffness_set(&parts, 2 * k, 2 * k, m.K[0]), stiffness_set(&parts, 2 * k, 2 * k + 1, m.K[1]);
    stiffness_set(&parts, 2 * k + 1, 2 * k + 1, m.K[3]);
  }
  ss_critical *c = compute(stiffness_end(&parts), NULL);
  assert_int_equal(c->parts, 3);
  assert_int_equal(c->largest, 1);
  for (int k = 0; k < SS_CRITERIA; k++) {
    assert_near(c->value[k].mu, tan(20 * DEGREE), 1e-12);
    assert_int_equal(c->value[k].pattern[0], SS_PATTERN_STICK);
    assert_int_equal(c->value[k].pattern[1], SS_PATTERN_SLIP_PLUS);
    assert_int_equal(c->value[k].pattern[2], SS_PATTERN_STICK);
  }
  ss_critical_destroy(c);
  // each contact has its own friction, and the answer scales it
  parts.mu[0] = 4, parts.mu[1] = 0, parts.mu[2] = 0.5;
  ss_critical_options o = ss_critical_options_default();
  o.scale_mu = true;
  c = compute(&parts.p, &o);
  for (int k = 0; k < SS_CRITERIA; k++) assert_near(c->value[k].mu, tan(50 * DEGREE) / 4, 1e-12);
  ss_critical_destroy(c);
}

static void test_scale_mu_in_one_part(void **state) {
  (void)state;
  ssi_rng rng = {16};
  dense d;
  ss_critical_options o = ss_critical_options_default();
  o.scale_mu = true;
  for (int k = 0; k < 20; k++) {
    random_dense(&d, 3, 1, 0, &rng);
    if (k % 4 == 0) d.mu[1] = 0;
    for (int i = 0; i < 3; i++) d.g[i] = d.mu[i];
    ss_critical *c = compute(&d.p, &o);
    for (int i = 0; i < 3; i++) {
      double mu = c->value[of_states[i]].mu;
      assert_true(smallest(&d, all_states[i], mu * (1 - 1e-7)) > 0);
      assert_true(smallest(&d, all_states[i], mu * (1 + 1e-7)) < 0);
    }
#ifdef SS_WITH_NLOPT
    assert_true(c->sqp >= c->value[SS_SIMPLIFIED].mu * (1 - 1e-9));
#endif
    ss_critical_destroy(c);
  }
}

// Springs through nodes that touch nothing: the same W, so the same answers as the condensed
// stiffness.
static void test_other_degrees_of_freedom_are_condensed(void **state) {
  (void)state;
  // Klarbring's particle hangs on an inner node by its own two springs, the inner node on the
  // ground by the same two, twice as stiff each: in series K/1.5
  double theta = 33 * DEGREE, s = sin(theta), c = cos(theta);
  double k[2][2] = {{1 + c * c, s * c}, {s * c, s * s}}, M[16];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      M[4 * i + j] = k[i][j], M[4 * i + j + 2] = M[4 * (i + 2) + j] = -k[i][j];
      M[4 * (i + 2) + j + 2] = 3 * k[i][j];
    }
  const int64_t ptr[] = {0, 4, 8, 12, 16}, hptr[] = {0, 1, 2};
  const int col[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, hcol[] = {0, 1};
  const double hx[] = {-1, 1}, zero[4] = {0}, mu[] = {0};
  ss_problem p = {.form = SS_GLOBAL, .dim = 2, .nc = 1, .ndof = 4, .mu = mu, .f = zero, .w = zero};
  p.M = (ss_sparse){4, 4, ptr, col, M}, p.H = (ss_sparse){2, 4, hptr, hcol, hx};
  assert_all(&p, s / c, 1e-12);
}

static void test_no_coupling_is_infinite(void **state) {
  (void)state;
  stiffness m;
  periodic(&m, 0.6, 2, 2, 1);
  ss_critical *c = compute(&m.p, NULL);
  for (int k = 0; k < SS_CRITERIA; k++) {
    assert_true(isinf(c->value[k].mu) && c->value[k].exact);
    assert_null(c->value[k].pattern);
  }
  ss_critical_destroy(c);
}

static void test_singular_is_zero(void **state) {
  (void)state;
  ssi_rng rng = {17};
  dense d;
  random_dense(&d, 2, 1, 0, &rng);
  for (int i = 0; i < 4; i++)
    d.W[4 * i + 3] = 2 * d.W[4 * i + 1];  // t of contact 1 = 2 t of contact 0
  for (int j = 0; j < 4; j++) d.W[4 * 3 + j] = 2 * d.W[4 * 1 + j];
  ss_critical *c = compute(&d.p, NULL);
  assert_true(c->singular);
  for (int k = 0; k < SS_CRITERIA; k++) assert_true(c->value[k].mu == 0);
  ss_critical_destroy(c);
}

// ---- refusals, memory, cancellation
// -----------------------------------------------------------------

static void test_refusals(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_critical *c;
  stiffness m;
  klarbring(&m, 0.5);
  assert_int_equal(ss_critical_compute(&ctx, NULL, NULL, &c), SS_ERR_ARGUMENT);
  ss_critical_options o = ss_critical_options_default();
  o.time_limit_s = NAN;
  assert_int_equal(ss_critical_compute(&ctx, &m.p, &o, &c), SS_ERR_ARGUMENT);
  bool holds;
  assert_int_equal(ss_critical_test(&ctx, &m.p, SS_BIJECTIVE, -1, NULL, &holds, NULL, NULL),
                   SS_ERR_ARGUMENT);
  const int64_t ptr[] = {0, 1, 2, 3};
  const int col[] = {0, 1, 2};
  const double x[] = {1, 1, 1}, q[3] = {0}, mu[] = {1};
  ss_problem p = {
      .form = SS_REDUCED, .dim = 3, .nc = 1, .mu = mu, .q = q, .W = {3, 3, ptr, col, x}};
  assert_int_equal(ss_critical_compute(&ctx, &p, NULL, &c), SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "expected 2"));
  ss_problem none = {.form = SS_REDUCED, .dim = 2};
  c = compute(&none, NULL);
  assert_true(isinf(c->value[SS_BIJECTIVE].mu));
  ss_critical_destroy(c);
}

static int cancel(void *user, const ss_critical_progress *now) {
  ++*(int *)user;
  assert_true(now->done >= 0 && now->done <= now->total && now->total == pow(4, 13));
  return 1;
}

static void test_cancellation_leaves_a_range(void **state) {
  (void)state;
  ssi_rng rng = {18};
  static dense d;
  random_dense(&d, 13, 6, 0, &rng);
  int calls = 0;
  ss_critical_options o = ss_critical_options_default();
  o.criteria = 1u << SS_BIJECTIVE, o.progress = cancel, o.user = &calls;
  ss_critical *c = compute(&d.p, &o);
  assert_int_equal(calls, 1);
  assert_true(c->cancelled && !c->value[SS_BIJECTIVE].exact);
  assert_true(c->value[SS_BIJECTIVE].lower > 0);
  assert_false(c->value[SS_PMATRIX].computed);
  assert_true(isnan(c->value[SS_PMATRIX].mu));
  ss_critical_destroy(c);
}

static void test_every_allocation_may_fail(void **state) {
  (void)state;
  stiffness m;
  alart3(&m, 0.5);
  ss_critical_options o = ss_critical_options_default();
  o.sqp_starts = 1;
  int k = 0;
  for (ss_error e = SS_ERR_MEMORY; e; k++) {
    budget b = {.left = k};
    ss_context ctx = on_budget(&b);
    ss_critical *c;
    e = ss_critical_compute(&ctx, &m.p, &o, &c);
    assert_true(e == SS_OK || e == SS_ERR_MEMORY);
    if (!e) ss_critical_destroy(c);
    assert_int_equal(b.held, 0);
  }
  assert_true(k > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_pattern_roots),
      cmocka_unit_test(test_tables),
      cmocka_unit_test(test_signs_against_fresh_determinants),
      cmocka_unit_test(test_values_against_fresh_determinants),
      cmocka_unit_test(test_larger_parts),
      cmocka_unit_test(test_branches_against_the_walk),
      cmocka_unit_test(test_many_contacts_exactly),
      cmocka_unit_test(test_ranges_contain_the_exact_values),
      cmocka_unit_test(test_large_problem_gets_a_range),
      cmocka_unit_test(test_independent_parts),
      cmocka_unit_test(test_scale_mu_in_one_part),
      cmocka_unit_test(test_other_degrees_of_freedom_are_condensed),
      cmocka_unit_test(test_no_coupling_is_infinite),
      cmocka_unit_test(test_singular_is_zero),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_cancellation_leaves_a_range),
      cmocka_unit_test(test_every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
