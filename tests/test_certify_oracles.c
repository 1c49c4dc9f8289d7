// certify/ against closed forms: the rod of Painleve type in 2D and 3D, a ball and a block between plates,
// a wedge, a point crushed from four sides; then the shared oracles and every shared problem.
#include "harness.h"

#include <dirent.h>
#ifdef SS_WITH_JANSSON
#include <jansson.h>
#endif

#include "base/rng.h"
#include "io/frames.h"
#include "stickslip/certify.h"
#include "stickslip/io.h"

static ss_certificate *certify(const ss_problem *p) {
  static ss_context ctx;  // certificates are released through it
  ss_certificate *c = NULL;
  ss_certificate_report report;
  ss_error e = ss_certify(&ctx, p, NULL, &c);
  if (e) fail_msg("ss_certify: %s", ss_error_detail(&ctx, e));
  assert_int_equal(ss_certificate_check(&ctx, p, c, &report), SS_OK);
  if (!report.holds) fail_msg("the certificate fails its check: %s", report.failure);
  return c;
}

// Margin `expected` (INFINITY allowed) to tol, and the verdict that follows from its sign.
static void expect(const char *name, const ss_problem *p, double expected, double tol,
                   bool attained) {
  ss_certificate *c = certify(p);
  bool holds = expected > 0 || (expected == 0 && attained);
  if (isinf(expected) != isinf(c->margin) ||
      (isfinite(expected) && !(fabs(c->margin - expected) <= tol * fmax(1, fabs(expected)))))
    fail_msg("%s: margin %.12g, expected %.12g", name, c->margin, expected);
  if (holds != (c->verdict == SS_EXISTS))
    fail_msg("%s: %s for margin %g", name, ss_existence_name(c->verdict), expected);
  if (isfinite(expected) && (c->attained == SS_YES) != attained)
    fail_msg("%s: attained is %d", name, c->attained);
  assert_int_equal(c->for_every_w, isinf(expected) ? SS_YES : SS_NO);
  if (expected < 0) {
    assert_int_equal(c->criterion_A, SS_CRITERION_VIOLATED);
    assert_true(c->jamming_count > 0);
  }
  ss_certificate_destroy(c);
}

// ---- closed forms ----------------------------------------------------------------------------

typedef struct small {  // a dense problem in contact frames; M = I, f = 0
  ss_problem p;
  double mu[4], M[36], H[72], w[12], f[6];
  int64_t m_ptr[7], h_ptr[13];
  int m_col[36], h_col[72];
} small;

static void small_begin(small *s, int dim, int nc, int ndof) {
  *s = (small){.p = {.form = SS_GLOBAL, .dim = dim, .nc = nc, .ndof = ndof}};
  for (int i = 0; i < ndof; i++) {
    s->m_ptr[i + 1] = (int64_t)ndof * (i + 1);
    for (int j = 0; j < ndof; j++) s->M[ndof * i + j] = i == j, s->m_col[ndof * i + j] = j;
  }
  for (int i = 0; i < dim * nc; i++) {
    s->h_ptr[i + 1] = (int64_t)ndof * (i + 1);
    for (int j = 0; j < ndof; j++) s->h_col[ndof * i + j] = j;
  }
  s->p.mu = s->mu, s->p.w = s->w, s->p.f = s->f;
  s->p.M = (ss_sparse){ndof, ndof, s->m_ptr, s->m_col, s->M};
  s->p.H = (ss_sparse){dim * nc, ndof, s->h_ptr, s->h_col, s->H};
}

// Rows of H and w of contact i are given in world axes; turned into the frame of normal e.
static void small_turn(small *s, int i, const double *e) {
  int dim = s->p.dim, n = s->p.ndof;
  double Q[9], H[18], w[3];
  ssi_frame(dim, e, Q);
  memcpy(H, s->H + dim * n * i, sizeof(double) * (size_t)(dim * n));
  memcpy(w, s->w + dim * i, sizeof(double) * (size_t)dim);
  for (int a = 0; a < dim; a++) {
    s->w[dim * i + a] = 0;
    for (int b = 0; b < dim; b++) s->w[dim * i + a] += Q[dim * a + b] * w[b];
    for (int j = 0; j < n; j++) {
      s->H[n * (dim * i + a) + j] = 0;
      for (int b = 0; b < dim; b++) s->H[n * (dim * i + a) + j] += Q[dim * a + b] * H[n * b + j];
    }
  }
}

static void rod(small *s, int dim, double sine, double cosine, double mu, double u0, double a) {
  small_begin(s, dim, 1, 1);
  s->mu[0] = mu;
  s->H[0] = sine, s->H[1] = cosine;
  s->w[1] = u0;
  if (dim == 3) s->w[2] = a;
}

// t > mu: inf; else s* = -u0 t, attained.
static void rods(void **state) {
  (void)state;
  static const double angle[][2] = {{0.6, 0.8},
                                    {0.8, 0.6},
                                    {5.0 / 13, 12.0 / 13},
                                    {12.0 / 13, 5.0 / 13},
                                    {8.0 / 17, 15.0 / 17},
                                    {0.28, 0.96},
                                    {20.0 / 29, 21.0 / 29}};
  static const double mus[] = {0, 0.25,      5.0 / 12, 0.75, 8.0 / 15, 7.0 / 24, 20.0 / 21,
                               1, 21.0 / 20, 4.0 / 3,  2,    2.4,      7};
  static const double speed[] = {-2, -1, 0, 0.5, 1};
  static const int tie[][2] = {{0, 3}, {1, 9}, {2, 2}, {3, 11}, {4, 4}, {5, 5}, {6, 6}};
  for (int k = 0; k < 7; k++)
    for (int i = 0; i < 13; i++)
      for (int j = 0; j < 5; j++) {
        small s;
        char name[80];
        double t = angle[k][0] / angle[k][1];
        bool tied = tie[k][1] == i;
        rod(&s, 2, angle[k][0], angle[k][1], mus[i], speed[j], 0);
        snprintf(name, sizeof name, "rod tan %g mu %g u0 %g", t, mus[i], speed[j]);
        expect(name, &s.p, t > mus[i] && !tied ? INFINITY : -speed[j] * t, 1e-8, true);
      }
}

// t < mu: s* = -t u0 - |a| sqrt(mu^2 - t^2), attained; t = mu, a != 0: -mu u0, not attained; t > mu: inf.
static void rods_in_space(void **state) {
  (void)state;
  ssi_rng g = {7};
  for (int k = 0; k < 200; k++) {
    small s;
    char name[120];
    double angle = 0.05 + 1.4 * ssi_rng_uniform(&g), t = tan(angle);
    double mu = t * (k % 3 == 0 ? 1.01 + 2 * ssi_rng_uniform(&g) : 0.98 * ssi_rng_uniform(&g));
    double u0 = 4 * ssi_rng_uniform(&g) - 2, a = 2 * ssi_rng_uniform(&g) - 1;
    rod(&s, 3, sin(angle), cos(angle), mu, u0, a);
    snprintf(name, sizeof name, "rod in space, tan %g mu %g u0 %g a %g", t, mu, u0, a);
    expect(name, &s.p, t > mu ? INFINITY : -t * u0 - fabs(a) * sqrt(mu * mu - t * t), 1e-8, true);
  }
}

static void not_attained(void **state) {
  (void)state;
  static const double speed[] = {-1, 0, 1};
  for (int k = 0; k < 3; k++) {
    small s;
    rod(&s, 3, 0.6, 0.8, 0.75, speed[k], 1);
    ss_certificate *c = certify(&s.p);
    assert_near(c->margin, -0.75 * speed[k], 1e-7);
    assert_int_equal(c->attained, SS_NO);
    assert_int_equal(c->verdict, speed[k] < 0 ? SS_EXISTS : SS_UNDECIDED);
    if (speed[k] == 0) {
      assert_int_equal(c->criterion_A, SS_CRITERION_UNDECIDED);
      assert_int_equal(c->reason, SS_REASON_NOT_ATTAINED);
    }
    ss_certificate_destroy(c);
  }
}

// A ball (6 dofs, radius R) between two plates, the upper one closing with speed V and sliding with a:
// -V/2, since it can roll. A block that cannot turn: -(V + min(mu) |a|)/2.
static void between_plates(void **state) {
  (void)state;
  static const double up[] = {0, 0, 1}, down[] = {0, 0, -1};
  ssi_rng g = {3};
  for (int k = 0; k < 100; k++) {
    double V = 2 * ssi_rng_uniform(&g) - 1, a = 2 * ssi_rng_uniform(&g) - 1, R = 0.5;
    bool ball = k % 2;
    small s;
    char name[80];
    small_begin(&s, 3, 2, ball ? 6 : 3);
    for (int i = 0; i < 2; i++) {
      int n = s.p.ndof;
      double arm = i ? R : -R;  // u = v + omega x (0, 0, arm)
      for (int b = 0; b < 3; b++) s.H[n * (3 * i + b) + b] = 1;
      if (ball) s.H[n * 3 * i + 4] = arm, s.H[n * (3 * i + 1) + 3] = -arm;
      s.mu[i] = 0.05 + ssi_rng_uniform(&g);
    }
    s.w[3] = -a, s.w[5] = V;  // minus the velocity (a, 0, -V) of the upper plate
    small_turn(&s, 0, up);
    small_turn(&s, 1, down);
    snprintf(name, sizeof name, "%s V %g a %g", ball ? "ball" : "block", V, a);
    double margin = ball ? -V / 2 : -(V + fmin(s.mu[0], s.mu[1]) * fabs(a)) / 2;
    expect(name, &s.p, margin, 1e-8, true);
    ss_certificate *c = certify(&s.p);  // penetration is what makes it impossible, where V > 0
    assert_int_equal(c->verdict, V > 0 ? SS_NONE : margin < 0 ? SS_UNDECIDED : SS_EXISTS);
    assert_int_equal(c->a_prime, V > 0 ? SS_NO : SS_YES);
    ss_certificate_destroy(c);
  }
}

// A body (6 dofs) on two supports with normals (+-cos beta, 0, sin beta), the second moving with V:
// tan beta <= mu: V_x / (2 cos beta); else inf.
static void wedge(void **state) {
  (void)state;
  ssi_rng g = {11};
  for (int k = 0; k < 60; k++) {
    double beta = 0.1 + 1.2 * ssi_rng_uniform(&g), mu = 0.2 + ssi_rng_uniform(&g), V[3];
    if (fabs(tan(beta) - mu) < 0.02) continue;
    small s;
    small_begin(&s, 3, 2, 6);
    for (int b = 0; b < 3; b++) V[b] = 2 * ssi_rng_uniform(&g) - 1;
    for (int i = 0; i < 2; i++) {
      double x = i ? 1 : -1, e[] = {-x * cos(beta), 0, sin(beta)};
      for (int b = 0; b < 3; b++) s.H[6 * (3 * i + b) + b] = 1, s.w[3 * i + b] = i ? -V[b] : 0;
      s.H[6 * (3 * i + 1) + 5] = x, s.H[6 * (3 * i + 2) + 4] = -x;  // omega x (x, 0, 0)
      s.mu[i] = mu;
      small_turn(&s, i, e);
    }
    char name[80];
    snprintf(name, sizeof name, "wedge beta %g mu %g Vx %g", beta, mu, V[0]);
    expect(name, &s.p, tan(beta) < mu ? V[0] / (2 * cos(beta)) : INFINITY, 1e-8, true);
  }
}

static void tetrahedron(void **state) {
  (void)state;
  static const double sign[][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  small s;
  small_begin(&s, 3, 4, 3);
  for (int i = 0; i < 4; i++) {
    double e[3];
    for (int b = 0; b < 3; b++) {
      e[b] = sign[i][b] / sqrt(3);
      s.H[3 * (3 * i + b) + b] = 1;
      s.w[3 * i + b] = -0.25 * e[b];
    }
    s.mu[i] = 0.2 * (i + 1);
    small_turn(&s, i, e);
  }
  expect("tetrahedron", &s.p, -0.25, 1e-8, true);
}

// The rod with u0 > 0 satisfies (A) iff mu < tan.
static void largest_mu(void **state) {
  (void)state;
  small s;
  ss_mu_range range;
  rod(&s, 2, 0.6, 0.8, 0.3, 1, 0);
  assert_int_equal(ss_certify_mu_range(NULL, &s.p, NULL, 0, 3, 1e-9, &range), SS_OK);
  assert_true(range.low < range.high);
  assert_near(range.low, 0.75, 1e-7);
  assert_near(range.high, 0.75, 1e-7);
  assert_true(range.high > 0.75 - 2e-10);  // (A) holds below 0.75, however fast v must be
  assert_int_equal(range.at_low->verdict, SS_EXISTS);
  assert_int_equal(range.at_high->criterion_A, SS_CRITERION_VIOLATED);
  ss_mu_range_release(&range);
  s.w[1] = -1;  // the other way: any mu
  assert_int_equal(ss_certify_mu_range(NULL, &s.p, NULL, 0, 3, 1e-9, &range), SS_OK);
  assert_true(range.low == 3 && isinf(range.high));
  ss_mu_range_release(&range);
  s.w[1] = 1;
  assert_int_equal(ss_certify_mu_range(NULL, &s.p, NULL, 1, 3, 1e-9, &range), SS_OK);
  assert_true(isnan(range.low) && range.high == 1);
  ss_mu_range_release(&range);
  rod(&s, 3, 0.6, 0.8, 0.3, 0, 1);  // not attained at 0.75: the end of the range is undecided
  assert_int_equal(ss_certify_mu_range(NULL, &s.p, NULL, 0, 0.75, 1e-9, &range), SS_OK);
  assert_true(isinf(range.high) && range.low > 0.74 && range.low < 0.75);
  ss_mu_range_release(&range);
}

// ---- shared data -----------------------------------------------------------------------------

#ifdef SS_WITH_JANSSON
static double fraction(const json_t *x) {  // a number, or "3/5"
  if (json_is_number(x)) return json_number_value(x);
  double a = 0, b = 1;
  if (sscanf(json_string_value(x), "%lf/%lf", &a, &b) < 1) fail();
  return a / b;
}

static json_t *load(const char *path) {
  json_error_t error;
  return json_load_file(path, 0, &error);
}

static void shared_rods(void **state) {
  (void)state;
  json_t *all = load(need_shared("oracles/oracles.json")), *one;
  json_t *A = json_object_get(all, "A_painleve");
  size_t i;
  int count = 0;
  json_array_foreach(json_object_get(A, "cases"), i, one) {
    small s;
    json_t *star = json_object_get(one, "s_star");
    rod(&s, 2, fraction(json_object_get(one, "sin")), fraction(json_object_get(one, "cos")),
        fraction(json_object_get(one, "mu")), fraction(json_object_get(one, "u0")), 0);
    expect(json_string_value(json_object_get(one, "label")), &s.p,
           json_is_null(star) ? INFINITY : fraction(star), 1e-8, true);
    count++;
  }
  json_array_foreach(json_object_get(json_object_get(A, "grid"), "rows"), i, one) {
    small s;
    json_t *star = json_array_get(one, 6);
    rod(&s, 2, fraction(json_array_get(one, 1)), fraction(json_array_get(one, 2)),
        fraction(json_array_get(one, 3)), fraction(json_array_get(one, 0)), 0);
    expect("grid", &s.p, json_is_null(star) ? INFINITY : fraction(star), 1e-8, true);
    count++;
  }
  assert_true(count > 100);
  json_decref(all);
}

static void shared_criterion(void **state) {
  (void)state;
  int found = 0;
  const char *folder = need_shared("oracles/problems");
  for (int k = 1; k <= 30; k++) {
    char path[1100], expected[1100];
    snprintf(path, sizeof path, "%s/G%02d.json", folder, k);
    snprintf(expected, sizeof expected, "%s/G%02d.expected.json", folder, k);
    json_t *e = load(expected);
    if (!e) continue;
    ss_context ctx = {0};
    ss_read_options o = {0};
    ss_file *file = NULL;
    assert_int_equal(ss_file_open(&ctx, path, &o, &file), SS_OK);
    json_t *star = json_object_get(e, "s_star");
    bool attained = !strstr(json_string_value(json_object_get(e, "s_star_status")), "not");
    double want = json_is_null(star) ? INFINITY : json_number_value(star);
    if (attained) {
      expect(path, &file->problem, want, 1e-8, true);
    } else {
      ss_certificate *c = certify(&file->problem);
      assert_near(c->margin, want, 1e-7);
      assert_int_equal(c->attained, SS_NO);
      assert_int_equal(c->verdict == SS_EXISTS, want > 0);
      ss_certificate_destroy(c);
    }
    ss_file_close(file);
    json_decref(e);
    found++;
  }
  assert_true(found > 0);
}
#endif

// Every file gets a verdict, and its certificate passes the check.
static int certify_folder(const char *folder) {
  DIR *d = opendir(folder);
  int count = 0;
  for (struct dirent *entry; d && (entry = readdir(d));) {
    char path[1000];
    ss_context ctx = {0};
    ss_read_options o = {0};
    ss_file *file = NULL;
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    ss_error e = ss_file_open(&ctx, path, &o, &file);
    if (e == SS_ERR_UNSUPPORTED) continue;
    if (e) fail_msg("%s", ctx.message);
    ss_certificate *c = certify(&file->problem);
    if (c->verdict == SS_UNDECIDED)
      print_message("%s: undecided, %s\n", entry->d_name, ss_existence_reason_name(c->reason));
    ss_certificate_destroy(c);
    ss_file_close(file);
    count++;
  }
  if (d) closedir(d);
  return count;
}

static void shared_problems(void **state) {
  (void)state;
  static const char *const folders[] = {"boxstacks", "global2d", "global3d", "local2d", "local3d"};
  int count = 0;
  for (int k = 0; k < 5; k++) {
    char name[64];
    snprintf(name, sizeof name, "problems/%s", folders[k]);
    count += certify_folder(need_shared(name));
  }
  assert_true(count > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rods),
      cmocka_unit_test(rods_in_space),
      cmocka_unit_test(not_attained),
      cmocka_unit_test(between_plates),
      cmocka_unit_test(wedge),
      cmocka_unit_test(tetrahedron),
      cmocka_unit_test(largest_mu),
#ifdef SS_WITH_JANSSON
      cmocka_unit_test(shared_rods),
      cmocka_unit_test(shared_criterion),
#endif
      cmocka_unit_test(shared_problems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
