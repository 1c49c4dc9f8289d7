// Critical friction in the ways of [Agw20]: the scan over the directions of the reactions, (55) to (57) on the interval
// hull, copositivity of the matrix of (30). Closed forms, and each against a definition that shares nothing with it.
#include "harness.h"

#include "base/rng.h"
#include "counted_memory.h"
#include "critical_models.h"
#include "dense.h"
#include "stickslip/critical.h"
#include "stickslip/enumerate.h"
#include "stickslip/report.h"

static const double DEGREE = 0.017453292519943295;

static ss_critical_published *published(const ss_problem *p, const ss_critical_options *o) {
  static ss_context ctx;
  ss_critical_published *r = NULL;
  if (ss_critical_published_compute(&ctx, p, o, &r)) fail_msg("%s", ctx.message);
  return r;
}

static void assert_value(const char *what, double found, double expected, double tol) {
  if (!(fabs(found - expected) <= tol * expected))
    fail_msg("%s: %.17g, expected %.17g", what, found, expected);
}

// One particle: tan, tan / (2 (1 + cos^2)), 2 sin / (1 + cos^2); docs/agwa.md.
static void test_one_particle(void **state) {
  (void)state;
  stiffness m;
  for (int k = 0; k < 50; k++) {
    double theta = (1.5 + 87.0 * k / 49) * DEGREE, s = sin(theta), c = cos(theta);
    double expected = klarbring(&m, theta);
    ss_critical_published *r = published(&m.p, NULL);
    assert_value("scan", r->scan, expected, 1e-12);
    assert_value("grid", r->scan_grid, expected, 1e-12);  // one direction only
    assert_value("interval", r->interval, expected / (2 * (1 + c * c)), 1e-12);
    assert_value("copositive", r->copositive, 2 * s / (1 + c * c), 1e-12);
    assert_value("angle", fabs(tan(r->scan_angle_deg[0] * DEGREE)), expected, 1e-9);
    ss_critical_published_destroy(r);
  }
}

static void test_two_particles(void **state) {
  (void)state;
  stiffness m;
  for (int k = 0; k < 50; k++) {
    double expected = alart(&m, (1.5 + 87.0 * k / 49) * DEGREE);
    ss_critical_published *r = published(&m.p, NULL);
    assert_value("scan", r->scan, expected, 1e-10);
    assert_true(r->scan_grid >= r->scan);
    ss_critical_published_destroy(r);
  }
}

// ---- random problems ------------------------------------------------------------------------

typedef struct random_w {
  ssi_arena arena;
  int n;
  double W[36], mu[3], q[6];
  ss_problem p;
} random_w;

static void draw(random_w *d, int n, ssi_rng *rng) {
  double B[36];
  *d = (random_w){.n = n};
  for (int i = 0; i < 4 * n * n; i++) B[i] = 2 * ssi_rng_uniform(rng) - 1;
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < 2 * n; j++)
      for (int k = 0; k < 2 * n; k++) d->W[i * 2 * n + j] += B[i * 2 * n + k] * B[j * 2 * n + k];
  for (int i = 0; i < 2 * n; i++) d->W[i * (2 * n + 1)] += 0.1;
  for (int i = 0; i < n; i++) d->mu[i] = 0.3 + ssi_rng_uniform(rng);
  d->p = reduced_problem(&d->arena, 2, n, d->W, d->q, d->mu);
}

// The scan is (59), whose exact value is the smallest root over patterns of stick and slip.
static void test_scan_is_59(void **state) {
  (void)state;
  ssi_rng rng = {5};
  int sticking = 0;
  for (int k = 0; k < 400; k++) {
    random_w d;
    static ss_context ctx;
    ss_critical *c = NULL;
    ss_critical_options o = ss_critical_options_default();
    o.criteria = 1u << SS_SIMPLIFIED, o.sqp_starts = 0, o.scale_mu = k % 2;
    draw(&d, 1 + k % 2, &rng);
    if (ss_critical_compute(&ctx, &d.p, &o, &c)) fail_msg("%s", ctx.message);
    ss_critical_published *r = published(&d.p, &o);
    assert_value("scan", r->scan, c->value[SS_SIMPLIFIED].mu, 1e-8);
    for (int i = 0; i < d.n; i++)
      sticking += c->value[SS_SIMPLIFIED].pattern[i] == SS_PATTERN_STICK;
    ss_critical_published_destroy(r);
    ss_critical_destroy(c);
    ssi_arena_release(&d.arena);
  }
  assert_true(sticking > 10);  // where a contact drops out of the maximum
}

// Determinant of the rows and columns in `set` of A (N x N), by Gauss.
static double minor_of(const double *A, int N, unsigned set) {
  double B[81], det = 1;
  int n = 0, index[9];
  for (int i = 0; i < N; i++)
    if (set >> i & 1) index[n++] = i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) B[i * n + j] = A[index[i] * N + index[j]];
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(B[i * n + k]) > fabs(B[best * n + k])) best = i;
    for (int j = 0; j < n; j++) {
      double swap = B[k * n + j];
      B[k * n + j] = B[best * n + j], B[best * n + j] = swap;
    }
    if (best != k) det = -det;
    det *= B[k * n + k];
    if (B[k * n + k] == 0) return 0;
    for (int i = k + 1; i < n; i++) {
      double f = B[i * n + k] / B[k * n + k];
      for (int j = k; j < n; j++) B[i * n + j] -= f * B[k * n + j];
    }
  }
  return det;
}

// Whether every matrix at a corner of the hull, each entry on its own, has positive principal minors: a minor is affine
// in each entry, so the corners decide, with no theorem of Rohn and Rex.
static bool hull_is_p(const random_w *d, double mu) {
  int N = 2 * d->n, count = N * d->n;
  for (unsigned corner = 0; corner < 1u << count; corner++) {
    double A[16];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        int bit = i * d->n + j / 2;
        double radius = j % 2 ? 0 : mu * fabs(d->W[i * N + j + 1]);
        A[i * N + j] = d->W[i * N + j] + (corner >> bit & 1 ? radius : -radius);
      }
    for (unsigned set = 1; set < 1u << N; set++)
      if (!(minor_of(A, N, set) > 0)) return false;
  }
  return true;
}

static void test_interval_hull(void **state) {
  (void)state;
  ssi_rng rng = {6};
  for (int k = 0; k < 60; k++) {
    random_w d;
    draw(&d, 1 + k % 2, &rng);
    ss_critical_published *r = published(&d.p, NULL);
    assert_true(hull_is_p(&d, r->interval * (1 - 1e-9)));
    assert_false(hull_is_p(&d, r->interval * (1 + 1e-9)));
    ss_critical_published_destroy(r);
    ssi_arena_release(&d.arena);
  }
}

static void test_interval_is_below_pmatrix(void **state) {
  (void)state;
  ssi_rng rng = {7};
  for (int k = 0; k < 60; k++) {
    random_w d;
    static ss_context ctx;
    ss_critical *c = NULL;
    ss_critical_options o = ss_critical_options_default();
    o.criteria = 1u << SS_PMATRIX, o.scale_mu = k % 2;
    draw(&d, 1 + k % 3, &rng);
    if (ss_critical_compute(&ctx, &d.p, &o, &c)) fail_msg("%s", ctx.message);
    ss_critical_published *r = published(&d.p, &o);
    assert_true(r->interval <= c->value[SS_PMATRIX].upper * (1 + 1e-10));
    ss_critical_published_destroy(r);
    ss_critical_destroy(c);
    ssi_arena_release(&d.arena);
  }
}

// The matrix of (30), symmetric part, order psi_n, psi_t-, xi_t+; F is W with the sign of n exchanged.
static void matrix_30(const random_w *d, double mu, double *S) {
  int n = d->n, N = 3 * n;
  double Q[81] = {0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double nn = d->W[2 * i * 2 * n + 2 * j], nt = -d->W[2 * i * 2 * n + 2 * j + 1];
      double tn = -d->W[(2 * i + 1) * 2 * n + 2 * j], tt = d->W[(2 * i + 1) * 2 * n + 2 * j + 1];
      Q[i * N + j] = nn - nt * mu, Q[i * N + n + j] = nt;
      Q[(n + i) * N + j] = tn - tt * mu, Q[(n + i) * N + n + j] = tt;
      if (i == j)
        Q[(n + i) * N + 2 * n + i] = 1, Q[(2 * n + i) * N + i] = 2 * mu,
                                Q[(2 * n + i) * N + n + i] = -1;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) S[i * N + j] = (Q[i * N + j] + Q[j * N + i]) / 2;
}

// Keller's theorem: strictly copositive if and only if every principal submatrix whose cofactors of the last row are all
// >= 0 has a positive determinant.
static bool is_strictly_copositive(const double *S, int N) {
  for (unsigned set = 1; set < 1u << N; set++) {
    int index[9], n = 0;
    for (int i = 0; i < N; i++)
      if (set >> i & 1) index[n++] = i;
    bool cofactors = true;
    for (int k = 0; k < n && cofactors; k++) {  // without the last row and column k
      double C[81];
      for (int i = 0; i < n - 1; i++)
        for (int j = 0, to = 0; j < n; j++)
          if (j != k) C[i * (n - 1) + to++] = S[index[i] * N + index[j]];
      double c = n > 1 ? minor_of(C, n - 1, (1u << (n - 1)) - 1) : 1;
      cofactors = ((n - 1 + k) % 2 ? -c : c) >= 0;
    }
    if (cofactors && !(minor_of(S, N, set) > 0)) return false;
  }
  return true;
}

static void test_copositive(void **state) {
  (void)state;
  ssi_rng rng = {8};
  int found = 0;
  for (int k = 0; k < 90; k++) {
    random_w d;
    double S[81];
    draw(&d, 1 + k % 3, &rng);
    ss_critical_published *r = published(&d.p, NULL);
    int N = 3 * d.n;
    assert_true(r->copositive == r->copositive_lower);
    for (int side = -1; side <= 1 && isfinite(r->copositive); side += 2) {
      matrix_30(&d, r->copositive * (1 + side * 1e-5), S);
      for (int i = 0; i < N; i++)
        S[i * (N + 1)] += 1e-9;  // (30) itself is never strictly copositive
      if (is_strictly_copositive(S, N) != (side < 0))
        fail_msg("%d contacts: copositive up to %.12g, on side %d Keller's theorem says otherwise",
                 d.n, r->copositive, side);
      found++;
    }
    ss_critical_published_destroy(r);
    ssi_arena_release(&d.arena);
  }
  assert_true(found > 100);
}

// ---- sizes and refusals -----------------------------------------------------------------------

static void test_sizes(void **state) {
  (void)state;
  stiffness m;
  alart3(&m, 0.7);
  ss_critical_published *r = published(&m.p, NULL);
  assert_true(isnan(r->scan) && !r->scan_angle_deg);  // three contacts hang together
  assert_true(r->interval > 0 && r->copositive > 0 && r->largest == 3);
  ss_critical_published_destroy(r);
}

static void test_uncoupled_parts(void **state) {
  (void)state;
  stiffness m;
  double theta[3] = {0.9, 0.4, 1.1};
  stiffness_begin(&m, 3);
  for (int k = 0; k < 3; k++) {
    double s = sin(theta[k]), c = cos(theta[k]);
    stiffness_set(&m, 2 * k, 2 * k, 1 + c * c), stiffness_set(&m, 2 * k, 2 * k + 1, s * c);
    stiffness_set(&m, 2 * k + 1, 2 * k + 1, s * s);
  }
  stiffness_end(&m);
  ss_critical_published *r = published(&m.p, NULL);
  assert_int_equal(r->parts, 3);
  assert_value("scan", r->scan, tan(0.4), 1e-12);
  assert_true(isnan(r->scan_angle_deg[0]) && !isnan(r->scan_angle_deg[1]));
  assert_value("copositive", r->copositive, 2 * sin(0.4) / (1 + cos(0.4) * cos(0.4)), 1e-12);
  ss_critical_published_destroy(r);
}

static void test_refused(void **state) {
  (void)state;
  stiffness m;
  ss_context ctx = {0};
  ss_critical_published *r;
  ss_critical_options o = ss_critical_options_default();
  klarbring(&m, 0.7);
  o.scan_step_deg = 0;
  assert_int_equal(ss_critical_published_compute(&ctx, &m.p, &o, &r), SS_ERR_ARGUMENT);
  assert_string_equal(ctx.message, "scan_step_deg is 0, expected > 0 and at most 45");
  assert_int_equal(ss_critical_published_compute(&ctx, NULL, NULL, &r), SS_ERR_ARGUMENT);
}

// ---- memory -------------------------------------------------------------------------------------

static ss_error use(ss_context *ctx, int which, const ss_problem *p) {
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_critical_published *r = NULL;
  ss_solution_set *set = NULL;
  char *text = NULL;
  o.method = SS_ENUMERATE_GLCP;
  ss_error e = which == 0   ? ss_critical_published_compute(ctx, p, NULL, &r)
               : which == 1 ? ss_enumerate(ctx, p, &o, &set)
                            : ss_sketch_svg(ctx, "piston", NULL, 0, &text);
  ss_critical_published_destroy(r);
  ss_solution_set_destroy(set);
  ss_text_destroy(ctx, text);
  return e;
}

// Each call for memory fails in turn: said so, and nothing is left behind.
static void test_without_memory(void **state) {
  (void)state;
  stiffness m;
  alart(&m, 0.7);
  for (int which = 0; which < 3; which++) {
    ss_error e = SS_ERR_MEMORY;
    for (fail_at = 0; e == SS_ERR_MEMORY && fail_at < 1000; fail_at++) {
      ss_context ctx = {.alloc = take, .release = give};
      taken = live = 0;
      e = use(&ctx, which, &m.p);
      assert_int_equal(live, 0);
    }
    assert_int_equal(e, SS_OK);
    assert_true(fail_at > 5);
  }
  fail_at = -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_particle),
      cmocka_unit_test(test_two_particles),
      cmocka_unit_test(test_scan_is_59),
      cmocka_unit_test(test_interval_hull),
      cmocka_unit_test(test_interval_is_below_pmatrix),
      cmocka_unit_test(test_copositive),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_uncoupled_parts),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
