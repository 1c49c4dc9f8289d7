// problem/verify.c: closed-form answers of one and two contacts, bilateral constraints, and answers
// that are not numbers.
#include "budget.h"
#include "dense.h"

#include "stickslip/problem.h"

static ss_verdict judge(const ss_problem *p, const double *r, double *u, ss_contact_verdict *each) {
  ss_verdict out;
  assert_int_equal(ss_verify(NULL, p, &(ss_solution){.r = r}, u, NULL, NULL, each, &out), SS_OK);
  return out;
}

// W is the same multiple of the identity for every contact of a list of (q, mu, r); what comes out
// must be the closed form to rounding.
typedef struct single {
  const char *name;
  int dim;
  double mu, q[3], r[3], u[3];
  ss_state state;
} single;

static const single exact_answers[] = {
    // W = 2 I: stick r = -q/2; slip r_N = -q_N/2, r_T = -mu r_N t, u_T = q_T + 2 r_T
    {"free, moving apart", 2, 0.5, {1, 3}, {0, 0}, {1, 3}, SS_FREE},
    {"free, just touching", 2, 0.5, {0, 3}, {0, 0}, {0, 3}, SS_FREE},
    {"stick", 2, 0.5, {-4, 1}, {2, -0.5}, {0, 0}, SS_STICK},
    {"stick on the edge of the cone", 2, 0.5, {-4, 2}, {2, -1}, {0, 0}, SS_STICK},
    {"slip+", 2, 0.5, {-4, 3}, {2, -1}, {0, 1}, SS_SLIP},
    {"slip-", 2, 0.5, {-4, -3}, {2, 1}, {0, -1}, SS_SLIP},
    {"no friction", 2, 0, {-4, 3}, {2, 0}, {0, 3}, SS_SLIP},
    {"no friction, at rest", 2, 0, {-4, 0}, {2, 0}, {0, 0}, SS_STICK},
    {"mu = 1e6", 2, 1e6, {-4, 3e6}, {2, -1.5e6}, {0, 0}, SS_STICK},
    {"mu = 1e200", 2, 1e200, {-4, 3e6}, {2, -1.5e6}, {0, 0}, SS_STICK},
    {"free in space", 3, 0.5, {1, 3, 4}, {0, 0, 0}, {1, 3, 4}, SS_FREE},
    {"stick in space", 3, 0.5, {-4, 0.5, -1}, {2, -0.25, 0.5}, {0, 0, 0}, SS_STICK},
    {"slip in space", 3, 5. / 8, {-16, 9, 12}, {8, -3, -4}, {0, 3, 4}, SS_SLIP},
    {"no friction in space", 3, 0, {-4, 3, 4}, {2, 0, 0}, {0, 3, 4}, SS_SLIP},
    {"mu = 1e200 in space", 3, 1e200, {-4, 3e6, 4e6}, {2, -1.5e6, -2e6}, {0, 0, 0}, SS_STICK},
};

static void closed_forms_have_no_error(void **state) {
  (void)state;
  const double W2[] = {2, 0, 0, 2}, W3[] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  for (size_t k = 0; k < sizeof exact_answers / sizeof *exact_answers; k++) {
    const single *c = &exact_answers[k];
    ssi_arena arena = {0};
    ss_problem p = reduced_problem(&arena, c->dim, 1, c->dim == 2 ? W2 : W3, c->q, &c->mu);
    double u[3];
    ss_contact_verdict each;
    ss_verdict v = judge(&p, c->r, u, &each);
    if (!(v.error <= 1e-31) || each.state != c->state)
      fail_msg("%s: error %g, state %s", c->name, v.error, ss_state_name(each.state));
    assert_true(v.error_fclib <= 1e-31);
    for (int i = 0; i < c->dim; i++) assert_true(u[i] == c->u[i]);
    assert_int_equal(v.worst_contact, 0);
    assert_int_equal(v.states[each.state], 1);
    assert_int_equal(v.states[0] + v.states[1] + v.states[2], 1);
    assert_true(v.state_tol == 1e-8);
    assert_true(v.equality == 0);
    ssi_arena_release(&arena);
  }
}

// Wrong answers whose F can be written down.
static void wrong_answers_have_the_known_error(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double mu, q[2], r[2], F, scale, fclib;
  } cases[] = {
      // r = 0, u = q: F = u^ in K, else lambda r
      {"nothing pushes", 0.5, {-4, 0}, {0, 0}, 4, 4, 1},
      // u = (2, 0): x = 2 r - u = (4, 0) in K: F = u. fclib x = (1, 0): F = u as well
      {"pushed too hard", 0.5, {-4, 0}, {3, 0}, 2, 4, 0.5},
      // u = (0, 3), u^ = (1.5, 3), x = 2 r - u^ = (2.5, -3): d = (3 - 1.25)/1.25 = 1.4,
      // F = u^ + 1.4 (-1/2, -1) = (0.8, 1.6), |F| = 0.8 sqrt 5. fclib: x = (0.5, -3), d = 2.2,
      // F = (0.4, 0.8), |F| = 0.4 sqrt 5
      {"no friction force", 0.5, {-4, 3}, {2, 0}, 1.7888543819998317, 5, 0.17888543819998317},
      // u = (1, 0), x = 2 r - u = (-3, 0) in the polar cone: F = 2 r. fclib: F = r
      {"adhesion", 0.5, {3, 0}, {-1, 0}, 2, 3, 1. / 3},
      // u = 0, x = 2 r = (-1, 6); K is the half-plane x_N >= 0: F = (-1, 0). fclib: F = (-1/2, 0)
      {"adhesion, mu = 1e200", 1e200, {1, -6}, {-0.5, 3}, 1, 6.082762530298219, 0.0821994936526786},
  };
  const double W[] = {2, 0, 0, 2};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ssi_arena arena = {0};
    ss_problem p = reduced_problem(&arena, 2, 1, W, cases[k].q, &cases[k].mu);
    ss_contact_verdict each;
    ss_verdict v = judge(&p, cases[k].r, NULL, &each);
    assert_near(v.scale, cases[k].scale, 4e-16);
    assert_near(v.error, cases[k].F / cases[k].scale, 4e-16);
    assert_near(v.error_fclib, cases[k].fclib, 4e-16);
    assert_true(each.error == v.error);
    assert_true(v.state_tol == v.error);
    ssi_arena_release(&arena);
  }
}

// rho_i is 1/lambda_max of the symmetric part of W_ii, and the mean of the others where W_ii = 0.
static void steps_come_from_the_blocks(void **state) {
  (void)state;
  ssi_arena arena = {0};
  // sym(W_11) = (3 1; 1 3): lambda_max 4. W_22 = (6 0; 0 2): 6. W_33 = 0: (4 + 6)/2 = 5.
  const double W[36] = {3, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 2};
  // adhesive r in the polar cone: F_i = lambda_i r_i
  const double q[] = {9, 0, 9, 0, 9, 0}, mu[] = {0.5, 0.5, 0.5}, r[] = {-1, 0, -1, 0, -1, 0};
  ss_problem p = reduced_problem(&arena, 2, 3, W, q, mu);
  ss_contact_verdict each[3];
  ss_verdict v = judge(&p, r, NULL, each);
  // three components, each relative to its own |q| = 9
  assert_near(each[0].error * 9, 4, 1e-15);
  assert_near(each[1].error * 9, 6, 1e-15);
  assert_near(each[2].error * 9, 5, 1e-15);
  assert_near(v.error * 9, 6, 1e-15);
  assert_int_equal(v.components, 3);
  assert_int_equal(v.worst_component, 1);
  assert_int_equal(v.worst_contact, 1);
  const double none[36] = {0};
  p = reduced_problem(&arena, 2, 3, none, q, mu);
  v = judge(&p, r, NULL, each);
  for (int i = 0; i < 3; i++) assert_near(each[i].error * 9, 1, 1e-15);
  ssi_arena_release(&arena);
}

// A contact that cannot move (W_ii = 0) may carry any force in its cone when q = 0 there.
static void singular_blocks(void **state) {
  (void)state;
  ssi_arena arena = {0};
  // sticks by its normal alone: W_ii has rank one; r_T is free within the cone, u = 0
  const double W[16] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const double q[] = {-4, 0, 0, 0}, mu[] = {0.5, 0.5}, r[] = {2, 0.9, 5, 1};
  ss_problem p = reduced_problem(&arena, 2, 2, W, q, mu);
  ss_verdict v = judge(&p, r, NULL, NULL);
  assert_true(v.error <= 1e-31);
  assert_int_equal(v.states[SS_STICK], 2);
  const double outside[] = {2, 1.5, 5, 1};  // d = (2 * 1.5 - 2)/1.25 = 0.8 with lambda = 2
  v = judge(&p, outside, NULL, NULL);
  assert_near(v.error * v.scale, 0.8 * sqrt(1.25), 1e-15);
  ssi_arena_release(&arena);
}

static void small_numbers_are_not_zero(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double W[] = {2, 0, 0, 2}, mu = 0.5;
  for (int e = -300; e <= 200; e += 50) {
    const double q[] = {-ldexp(4, e), ldexp(3, e)}, r[] = {ldexp(2, e), 0};
    ss_problem p = reduced_problem(&arena, 2, 1, W, q, &mu);
    ss_verdict v = judge(&p, r, NULL, NULL);
    assert_near(v.error, 1.7888543819998317 / 5, 1e-15);
    assert_int_equal(v.states[SS_STICK] + v.states[SS_SLIP], 1);
    // FCLIB's measure does not divide by a norm below DBL_EPSILON
    double plain = ldexp(0.4 * sqrt(5), e);
    assert_near(v.error_fclib / (ldexp(5, e) > 2.3e-16 ? plain / ldexp(5, e) : plain), 1, 1e-14);
  }
  const double zero[2] = {0, 0};
  ss_problem p = reduced_problem(&arena, 2, 1, W, zero, &mu);
  ss_verdict v = judge(&p, zero, NULL, NULL);
  assert_true(v.error == 0 && v.error_fclib == 0 && v.states[SS_FREE] == 1);
  ssi_arena_release(&arena);
}

static void answers_that_are_not_numbers(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double W[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2}, q[] = {-4, 3, -4, 3};
  const double mu[] = {0.5, 0.5};
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    for (int at = 0; at < 4; at++) {
      double r[] = {2, -1, 2, -1}, u[4];
      r[at] = bad[k];
      ss_problem p = reduced_problem(&arena, 2, 2, W, q, mu);
      ss_contact_verdict each[2];
      ss_verdict v = judge(&p, r, u, each);
      assert_true(v.error == INFINITY && v.error_fclib == INFINITY);
      assert_int_equal(v.states[0] + v.states[1] + v.states[2], 0);
      assert_int_equal(v.worst_contact, at / 2);
      assert_true(each[at / 2].error == INFINITY);
    }
  const double r[] = {2, -1, 2, -1}, steep[] = {0.5, 1e308};  // mu |u_T| overflows
  const double moving[] = {-4, 3, -4, 30};
  ss_problem p = reduced_problem(&arena, 2, 2, W, moving, steep);
  ss_verdict v = judge(&p, r, NULL, NULL);
  assert_true(v.error > 0.1 && v.error_fclib == INFINITY);  // the distance from the law does not
  assert_int_equal(v.worst_contact, 1);
  // each u is a number, their norm is not: the residual of the third contact must not vanish over it
  const double fast[] = {1.5e308, 0, 1.5e308, 0, -1, 0}, rest[6] = {0}, three[] = {0.5, 0.5, 0.5};
  double W3[36] = {0};
  for (int i = 0; i < 6; i++) W3[7 * i] = 1;
  p = reduced_problem(&arena, 2, 3, W3, fast, three);
  v = judge(&p, rest, NULL, NULL);
  assert_true(v.error == INFINITY && v.error_fclib == INFINITY);
  ssi_arena_release(&arena);
}

static void no_contacts(void **state) {
  (void)state;
  ss_problem p = {.form = SS_REDUCED, .dim = 3};
  ss_verdict v = judge(&p, NULL, NULL, NULL);
  assert_true(v.error == 0 && v.error_fclib == 0);
  assert_int_equal(v.worst_contact, -1);
  p.form = SS_GLOBAL;
  v = judge(&p, NULL, NULL, NULL);
  assert_true(v.error == 0);
}

static void calls_that_make_no_sense(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_context ctx = {0};
  const double W[] = {2, 0, 0, 2}, q[] = {1, 0}, mu = 0.5;
  ss_problem p = reduced_problem(&arena, 2, 1, W, q, &mu);
  ss_verdict v;
  ss_solution none = {0};
  assert_int_equal(ss_verify(&ctx, &p, &none, NULL, NULL, NULL, NULL, &v), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "no reactions"));
  assert_int_equal(ss_verify(&ctx, NULL, &none, NULL, NULL, NULL, NULL, &v), SS_ERR_ARGUMENT);
  assert_int_equal(ss_verify(&ctx, &p, &none, NULL, NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  p.q = NULL;
  none.r = q;
  assert_int_equal(ss_verify(&ctx, &p, &none, NULL, NULL, NULL, NULL, &v), SS_ERR_DATA);
  ssi_arena_release(&arena);
}

// ---- bilateral constraints -----------------------------------------------------------------

// Two masses (2 and 4) on a line each, tangential dof 2: M = diag(2, 2, 4, 4), the second hangs on
// the first by a rod (v_2N = v_1N), one contact under the first: forces (-6, 0, -12, 0) press down.
// Rod: v_1N = v_2N = v. Stick: v = 0, so l carries the second: 12; r_N = 18.
typedef struct hanging {
  double M[16], f[4], H[8], w[2], mu, G[8], b[2];
} hanging;

static const hanging rod = {
    .M = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4},
    .f = {6, 0, 12, 0},  // minus the applied forces
    .H = {1, 0, 0, 0, 0, 1, 0, 0},
    .mu = 0.5,
    .G = {-1, -1, 0, 0, 1, 1, 0, 0},  // the rod twice: redundant when both columns are used
};

static ss_problem hanging_problem(ssi_arena *arena, int nl) {
  ss_problem p = global_problem(arena, 2, 1, 4, rod.M, rod.f, rod.H, rod.w, &rod.mu);
  double G[8];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < nl; j++) G[nl * i + j] = rod.G[2 * i + j];
  p.nl = nl;
  p.G = from_dense(arena, 4, nl, G);
  p.b = rod.b;
  return p;
}

static void bilateral_global(void **state) {
  (void)state;
  for (int nl = 1; nl <= 2; nl++) {
    ssi_arena arena = {0};
    ss_problem p = hanging_problem(&arena, nl);
    const double r[] = {18, 0}, l[] = {12. / nl, 6};
    double u[2], v[4], found[2];
    ss_verdict out;
    ss_solution answer = {.r = r, .l = l};
    assert_int_equal(ss_verify(NULL, &p, &answer, u, v, found, NULL, &out), SS_OK);
    assert_true(out.error <= 1e-30 && out.equality <= 1e-30);
    assert_int_equal(out.states[SS_STICK], 1);
    for (int j = 0; j < nl; j++) assert_true(found[j] == l[j]);
    answer.l = NULL;  // least squares, least norm where redundant
    assert_int_equal(ss_verify(NULL, &p, &answer, u, v, found, NULL, &out), SS_OK);
    assert_true(out.error <= 1e-14);
    for (int j = 0; j < nl; j++) assert_near(found[j], 12. / nl, 1e-14);
    for (int i = 0; i < 4; i++) assert_near(v[i], 0, 1e-14);
    // a rod force too small by 1: v = (r - l - 6)/2 = 1/2, v_2 = (11 - 12)/4 = -1/4
    const double weak[] = {11, 0};
    answer.l = weak;
    assert_int_equal(ss_verify(NULL, &p, &answer, u, v, found, NULL, &out), SS_OK);
    assert_near(v[0], 0.5, 1e-15);
    assert_near(v[2], -0.25, 1e-15);
    assert_near(out.equality * out.scale, 0.75 * sqrt(nl), 1e-15);
    assert_true(out.scale == 3);  // q = -f/M at the contact
    assert_near(out.error, 0.5 / 3 + out.equality, 1e-15);
    assert_near(out.error_fclib, (0.5 + 0.75 * sqrt(nl)) / 18, 1e-15);
    ssi_arena_release(&arena);
  }
}

// One rod given three times with different factors a_j: l is a multiple of a, to rounding.
static void redundant_constraints_share_the_load(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double a[] = {1, 0.3, 0.7}, b[3] = {0}, r[] = {18, 0};
  double G[12] = {0}, l[3];
  for (int j = 0; j < 3; j++) G[j] = -a[j], G[6 + j] = a[j];
  ss_problem p = hanging_problem(&arena, 1);
  p.nl = 3;
  p.G = from_dense(&arena, 4, 3, G);
  p.b = b;
  ss_verdict out;
  ss_solution answer = {.r = r};
  assert_int_equal(ss_verify(NULL, &p, &answer, NULL, NULL, l, NULL, &out), SS_OK);
  assert_true(out.error <= 1e-14);
  for (int j = 0; j < 3; j++) assert_near(l[j], 12 * a[j] / 1.58, 1e-14);
  // reduced, with R as files have it: rounded by whoever formed it
  const double W[] = {0.5, 0, 0, 0.5}, q[] = {-3, 0}, noise[] = {3e-15, -5e-15, 4e-15};
  double V[6] = {0}, R[9];
  for (int j = 0; j < 3; j++) V[j] = -0.5 * a[j];
  for (int k = 0; k < 9; k++) R[k] = 0.75 * a[k / 3] * a[k % 3] + (k % 4 ? 0 : noise[k / 4]);
  p = reduced_problem(&arena, 2, 1, W, q, &rod.mu);
  p.nl = 3;
  p.V = from_dense(&arena, 2, 3, V);
  p.R = from_dense(&arena, 3, 3, R);
  p.s = b;
  assert_int_equal(ss_verify(NULL, &p, &answer, NULL, NULL, l, NULL, &out), SS_OK);
  assert_true(out.error <= 1e-13);
  for (int j = 0; j < 3; j++) assert_near(l[j], 12 * a[j] / 1.58, 1e-13);
  ssi_arena_release(&arena);
}

// The same in reduced form: W = H M^-1 H^T, V = H M^-1 G, R = G^T M^-1 G, q, s.
static void bilateral_reduced(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double W[] = {0.5, 0, 0, 0.5}, q[] = {-3, 0}, V[] = {-0.5, 0}, R[] = {0.75}, s[] = {0};
  ss_problem p = reduced_problem(&arena, 2, 1, W, q, &rod.mu);
  p.nl = 1;
  p.V = from_dense(&arena, 2, 1, V);
  p.R = from_dense(&arena, 1, 1, R);
  p.s = s;
  const double r[] = {18, 0}, l[] = {12}, weak[] = {11}, broken[] = {NAN};
  double found[1], u[2];
  ss_verdict out;
  ss_solution answer = {.r = r, .l = l};
  assert_int_equal(ss_verify(NULL, &p, &answer, u, NULL, found, NULL, &out), SS_OK);
  assert_true(out.error <= 1e-30);
  answer.l = NULL;
  assert_int_equal(ss_verify(NULL, &p, &answer, u, NULL, found, NULL, &out), SS_OK);
  assert_true(out.error <= 1e-14);
  assert_near(found[0], 12, 1e-14);
  answer.l = weak;
  assert_int_equal(ss_verify(NULL, &p, &answer, u, NULL, found, NULL, &out), SS_OK);
  assert_near(out.equality * out.scale, 0.75, 1e-15);
  assert_near(out.error, 0.5 / 3 + 0.25, 1e-15);
  answer.l = broken;
  assert_int_equal(ss_verify(NULL, &p, &answer, u, NULL, found, NULL, &out), SS_OK);
  assert_true(out.error == INFINITY && out.equality == INFINITY && isnan(u[0]));
  // a joint alone, no contacts: R l + s = 0
  const double s1[] = {-1.5}, l2[] = {2};
  ss_problem joint = {.form = SS_REDUCED, .dim = 2, .nl = 1, .R = p.R, .s = s1};
  answer = (ss_solution){.l = l2};
  assert_int_equal(ss_verify(NULL, &joint, &answer, NULL, NULL, NULL, NULL, &out), SS_OK);
  assert_true(out.error == 0);
  ssi_arena_release(&arena);
}

static void too_many_constraints_ask_for_l(void **state) {
  (void)state;
  enum { N = 2001 };
  ssi_arena arena = {0};
  int64_t *ptr = SSI_TAKE(&arena, N + 1, int64_t);
  int *col = SSI_TAKE(&arena, N, int);
  double *x = SSI_TAKE(&arena, N, double), *s = SSI_TAKE(&arena, N, double);
  for (int i = 0; i < N; i++) ptr[i + 1] = i + 1, col[i] = i, x[i] = 1;
  ss_problem p = {.form = SS_REDUCED, .dim = 2, .nl = N, .R = {N, N, ptr, col, x}, .s = s};
  ss_context ctx = {0};
  ss_verdict out;
  ss_solution answer = {.l = s};
  assert_int_equal(ss_verify(&ctx, &p, &answer, NULL, NULL, NULL, NULL, &out), SS_OK);
  answer.l = NULL;
  assert_int_equal(ss_verify(&ctx, &p, &answer, NULL, NULL, NULL, NULL, &out), SS_ERR_UNSUPPORTED);
  assert_non_null(strstr(ctx.message, "give l"));
  ssi_arena_release(&arena);
}

// ---- memory --------------------------------------------------------------------------------

static void each_allocation_may_fail(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = hanging_problem(&arena, 2);
  const double r[] = {18, 0};
  ss_solution answer = {.r = r};
  int needed = 0;
  for (;; needed++) {
    budget b = {.left = needed};
    ss_context ctx = on_budget(&b);
    ss_verdict out;
    ss_error e = ss_verify(&ctx, &p, &answer, NULL, NULL, NULL, NULL, &out);
    assert_int_equal(b.held, 0);
    if (e == SS_OK) break;
    assert_int_equal(e, SS_ERR_MEMORY);
    assert_true(needed < 100);
  }
  assert_true(needed > 3);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms_have_no_error),
      cmocka_unit_test(wrong_answers_have_the_known_error),
      cmocka_unit_test(steps_come_from_the_blocks),
      cmocka_unit_test(singular_blocks),
      cmocka_unit_test(small_numbers_are_not_zero),
      cmocka_unit_test(answers_that_are_not_numbers),
      cmocka_unit_test(no_contacts),
      cmocka_unit_test(calls_that_make_no_sense),
      cmocka_unit_test(bilateral_global),
      cmocka_unit_test(redundant_constraints_share_the_load),
      cmocka_unit_test(bilateral_reduced),
      cmocka_unit_test(too_many_constraints_ask_for_l),
      cmocka_unit_test(each_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
