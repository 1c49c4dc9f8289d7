// certify/: verdicts where the rounding of the data decides. Joints that repeat others exactly, but for rounding, or not
// at all; criterion (A) that fails by less than its tolerance, and by less than rounding.
#include "harness.h"

#include "base/rng.h"
#include "dense.h"
#include "stickslip/certify.h"

// One contact that two degrees of freedom move, and a third; two joints on the first two of them, or as G says.
typedef struct mechanism {
  double M[9], f[3], H[6], w[2], mu[1], G[6], b[2];
  ssi_arena arena;
  ss_problem p;
} mechanism;

static void build(mechanism *t, const double G[6], double b0, double b1) {
  static const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, H[6] = {1, 0, 0.5, 0, 0, 1};
  *t = (mechanism){.mu = {0.5}, .w = {-0.25, 0.5}, .b = {b0, b1}};
  memcpy(t->M, M, sizeof M);
  memcpy(t->H, H, sizeof H);
  memcpy(t->G, G, sizeof t->G);
  t->p = global_problem(&t->arena, 2, 1, 3, t->M, t->f, t->H, t->w, t->mu);
  t->p.nl = 2;
  t->p.G = from_dense(&t->arena, 3, 2, t->G);
  t->p.b = t->b;
}

static ss_certificate *certify(const ss_problem *p) {
  static ss_context ctx;
  ss_certificate *c = NULL;
  ss_certificate_report report;
  if (ss_certify(&ctx, p, NULL, &c)) fail_msg("%s", ctx.message);
  assert_int_equal(ss_certificate_check(NULL, p, c, &report), SS_OK);
  if (!report.holds) fail_msg("the certificate fails its check: %s", report.failure);
  return c;
}

static void expect(const ss_problem *p, ss_existence verdict, ss_existence_reason reason) {
  ss_certificate *c = certify(p);
  assert_int_equal(c->verdict, verdict);
  if (verdict != SS_EXISTS) assert_int_equal(c->reason, reason);
  ss_certificate_destroy(c);
}

// ---- joints -----------------------------------------------------------------------------------

static void redundant_exactly(void **state) {
  (void)state;
  static const double twice[6] = {0.1, 0.2, 0.7, 1.4, 0, 0}, third[6] = {3, -1, 0.75, -0.25, 0, 0};
  static const double nothing[6] = {0.1, 0, 0.7, 0, 0, 0};
  mechanism t;
  build(&t, twice, 0.3, 0.6);
  expect(&t.p, SS_EXISTS, 0);
  ssi_arena_release(&t.arena);
  build(&t, third, 1.5, -0.5);
  expect(&t.p, SS_EXISTS, 0);
  ssi_arena_release(&t.arena);
  build(&t, nothing, 0.3, 0);
  expect(&t.p, SS_EXISTS, 0);
  ssi_arena_release(&t.arena);
}

// 3 x 0.1 is not 0.3, and 3 x 0.7 not 2.1, in doubles: the rows are independent, by their rounding alone. The same where
// only b is off.
static void redundant_but_for_rounding(void **state) {
  (void)state;
  static const double thrice[6] = {0.1, 0.3, 0.7, 2.1, 0, 0}, twice[6] = {1, 2, 3, 6, 0, 0};
  static const double off[] = {0x1p-52, 0x1p-40, 0x1p-30};
  mechanism t;
  build(&t, thrice, 0.1, 0.3);
  expect(&t.p, SS_UNDECIDED, SS_REASON_DATA);
  ssi_arena_release(&t.arena);
  for (size_t k = 0; k < sizeof off / sizeof *off; k++) {
    build(&t, twice, 0.5, 1 + off[k]);
    ss_certificate *c = certify(&t.p);
    assert_true(c->verdict != SS_EXISTS);
    assert_true(c->a_prime != SS_YES && c->for_every_w != SS_YES);
    ss_certificate_destroy(c);
    ssi_arena_release(&t.arena);
  }
}

// A joint that no degree of freedom can obey, beside a contact that has nothing to do with it.
static void contradictory_elsewhere(void **state) {
  (void)state;
  static const double G[6] = {0, 0, 0, 0, 0, 1};
  mechanism t;
  build(&t, G, 1, 0);
  ss_certificate *c = certify(&t.p);
  assert_int_equal(c->verdict, SS_NONE);
  assert_int_equal(c->reason, SS_REASON_BILATERAL);
  assert_true(c->margin == -INFINITY && !c->margin_exact);
  ss_certificate_destroy(c);
  ssi_arena_release(&t.arena);
}

// ---- the boundary of (A) ------------------------------------------------------------------------

// One degree of freedom, u = (0.2, -1.9) v + w, w = -1.6 (0.2, -1.9) less `off` in the tangent: with mu = 0.5 the contact
// jams for off > 0, by 1e-13 as well as by 1.
static void expect_at(double off, bool exists) {
  ssi_arena arena = {0};
  const double M = 2, f = 1.5, H[2] = {0.2, -1.9}, mu = 0.5, w[2] = {-0.32, 3.04 - off};
  ss_problem p = global_problem(&arena, 2, 1, 1, &M, &f, H, w, &mu);
  ss_certificate *c = certify(&p);
  assert_int_equal(c->verdict == SS_EXISTS, exists);
  if (exists) assert_int_equal(c->criterion_A, SS_CRITERION_BOUNDARY);
  ss_certificate_destroy(c);
  ssi_arena_release(&arena);
}

static void boundary_to_rounding(void **state) {
  (void)state;
  expect_at(0, true);
  expect_at(4e-16, true);
  for (double off = 1e-13; off < 1e-7; off *= 7) expect_at(off, false);
}

// u = (1.3, 1.9) v + w, w = -1.7 (1.3, 1.9) less 8e-15 in the normal: with mu = 3 no motion opens the contact, and rounding,
// 2.5e-15 in the normal and 2.9e-15 in the tangent, does not help. Eight times less is rounding.
static void boundary_row_by_row(void **state) {
  (void)state;
  const double M = 4, f = 1.6, H[2] = {1.3, 1.9}, mu = 3;
  for (int k = 0; k < 2; k++) {
    ssi_arena arena = {0};
    const double w[2] = {-2.21 - (k ? 8e-15 : 1e-15), -3.23};
    ss_problem p = global_problem(&arena, 2, 1, 1, &M, &f, H, w, &mu);
    ss_certificate *c = certify(&p);
    assert_int_equal(c->verdict == SS_EXISTS, k == 0);
    ss_certificate_destroy(c);
    ssi_arena_release(&arena);
  }
}

// u_N - mu |u_T| at most, where row k of u may move by x t_k, u_T towards 0.
static double margin_within(int dim, const double *u, const double *t, double mu, double x) {
  double slip = 0, part = 1;
  for (int k = 1; k < dim; k++) slip = hypot(slip, u[k]);
  for (int k = 1; k < dim; k++) part = fmin(part, x * t[k] / fmax(fabs(u[k]), 1e-300));
  return u[0] + x * t[0] - mu * slip * (1 - part);
}

// `off` of a report against its meaning, with u = v + w: rows that move by that part of their terms reach K*; by less,
// they do not.
static void off_is_what_rows_must_move(void **state) {
  (void)state;
  ssi_rng g = {.state = 7};
  int outside = 0;
  for (int trial = 0; trial < 400; trial++) {
    ssi_arena arena = {0};
    int dim = 2 + trial % 2;
    double one[9] = {0}, f[3] = {0}, w[3], v[3], u[3], t[3], mu = 4 * ssi_rng_uniform(&g), most = 0;
    for (int k = 0; k < dim; k++) {
      one[(dim + 1) * k] = 1;
      w[k] = (ssi_rng_below(&g, 65) - 32) / 32.0;
      v[k] = trial % 3 ? -w[k] : (ssi_rng_below(&g, 65) - 32) / 32.0;
      if (trial % 3 && (k == 0 || trial % 5)) v[k] += (ssi_rng_below(&g, 65) - 32) / 4096.0;
      u[k] = v[k] + w[k], most = fmax(most, fabs(w[k]));
    }
    for (int k = 0; k < dim; k++) t[k] = most + fabs(v[k]);
    ss_problem p = global_problem(&arena, dim, 1, dim, one, f, one, w, &mu);
    ss_certificate c = {.velocity_size = dim, .velocity = v, .tol = 1e-9, .rank_tol = 1e-6};
    ss_certificate_report report;
    assert_int_equal(ss_certificate_check(NULL, &p, &c, &report), SS_OK);
    assert_true(report.has_velocity);
    assert_true(margin_within(dim, u, t, mu, report.off * (1 + 1e-12)) >= 0);
    assert_true(report.off == 0 || margin_within(dim, u, t, mu, report.off * (1 - 1e-9)) < 0);
    outside += report.off > 0;
    ssi_arena_release(&arena);
  }
  assert_in_range(outside, 100, 399);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(redundant_exactly),       cmocka_unit_test(redundant_but_for_rounding),
      cmocka_unit_test(contradictory_elsewhere), cmocka_unit_test(boundary_to_rounding),
      cmocka_unit_test(boundary_row_by_row),     cmocka_unit_test(off_is_what_rows_must_move)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
