// M positive semi-definite and singular: what is seen of it, answers judged, problems certified and solved. The plane
// against exact linear programs is tests/crosscheck/semidefinite.c; here space, units, and what is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stickslip/diagnose.h"

enum { DOFS = 6, FEET = 5, ROWS = 3 * FEET };

// ---- problems ------------------------------------------------------------------------------

typedef struct dense_problem {
  ss_problem p;
  double mu[FEET], M[DOFS * DOFS], f[DOFS], H[ROWS * DOFS], w[ROWS], G[DOFS * DOFS], b[DOFS];
  int64_t ptr[ROWS + 1], joint_ptr[DOFS + 1];
  int col[ROWS * DOFS], joint_col[DOFS * DOFS];
} dense_problem;

static void shape(dense_problem *d, int dim, int nc, int dofs, int joints) {
  memset(d, 0, sizeof *d);
  for (int i = 0; i <= ROWS; i++) d->ptr[i] = (int64_t)i * dofs;
  for (int i = 0; i < ROWS * dofs; i++) d->col[i] = i % dofs;
  for (int i = 0; i <= DOFS; i++) d->joint_ptr[i] = (int64_t)i * joints;
  for (int i = 0; i < DOFS * joints; i++) d->joint_col[i] = i % joints;
  d->p = (ss_problem){.form = SS_GLOBAL, .dim = dim, .nc = nc, .ndof = dofs, .nl = joints};
  d->p.mu = d->mu, d->p.f = d->f, d->p.w = d->w, d->p.b = d->b;
  d->p.M = (ss_sparse){dofs, dofs, d->ptr, d->col, d->M};
  d->p.H = (ss_sparse){dim * nc, dofs, d->ptr, d->col, d->H};
  if (joints) d->p.G = (ss_sparse){dofs, joints, d->joint_ptr, d->joint_col, d->G};
}

static void set_mass(dense_problem *d, const double *M) {
  memcpy(d->M, M, sizeof *M * (size_t)(d->p.ndof * d->p.ndof));
}

// A rigid body without mass on `feet` points of the ground at height -1 below its centre: u = v + omega x a.
static void stand(dense_problem *d, int feet, double mu, const double (*at)[2]) {
  shape(d, 3, feet, DOFS, 0);
  for (int i = 0; i < feet; i++) {
    double x = at[i][0], y = at[i][1], z = -1, *H = d->H + 3 * DOFS * i;
    const double rows[3][DOFS] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
    memcpy(H, rows, sizeof rows);
    d->mu[i] = mu;
  }
}

static const double CORNERS[FEET][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {0.25, 0.5}};

// f = H^T r
static void load_by(dense_problem *d, const double *r) {
  memset(d->f, 0, sizeof d->f);
  for (int i = 0; i < d->p.dim * d->p.nc; i++)
    for (int k = 0; k < d->p.ndof; k++) d->f[k] += d->H[d->p.ndof * i + k] * r[i];
}

// ---- what is asked -------------------------------------------------------------------------

static int loose_of(const ss_problem *p) {
  int count = -2;
  ss_context ctx = {0};
  assert_int_equal(ss_problem_check(&ctx, p), SS_OK);
  assert_int_equal(ss_problem_loose(&ctx, p, &count), SS_OK);
  return count;
}

// As the command does; whatever is said must pass its check.
static ss_existence certify(const ss_problem *p, ss_existence_reason *reason) {
  ss_context ctx = {0};
  ss_certificate *c;
  ss_certificate_report report;
  ss_settlement *other = NULL;
  assert_int_equal(ss_certify(&ctx, p, NULL, &c), SS_OK);
  assert_int_equal(ss_certificate_check(&ctx, p, c, &report), SS_OK);
  if (!report.holds) print_error("%s\n", report.failure);
  assert_true(report.holds);
  ss_existence said = c->verdict;
  *reason = c->reason;
  if (said == SS_UNDECIDED) {
    assert_int_equal(ss_settle(&ctx, p, &(ss_settle_options){.solve = true}, &other), SS_OK);
    ss_certificate with = *c;
    ss_solution at = {.r = other->r, .v = other->v, .l = other->l};
    with.verdict = SS_EXISTS, with.reason = SS_REASON_SOLUTION, with.solution = &at;
    assert_int_equal(ss_certificate_check(&ctx, p, &with, &report), SS_OK);
    if (report.holds) said = SS_EXISTS, *reason = SS_REASON_SOLUTION;
  }
  ss_settlement_destroy(other);
  ss_certificate_destroy(c);
  return said;
}

static double solve(const ss_problem *p, ss_status *status) {
  double r[ROWS] = {0}, v[DOFS] = {0}, l[DOFS] = {0};
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_info info;
  ss_verdict verdict;
  assert_int_equal(ss_solve_loose(&ctx, p, &o, r, NULL, v, l, &info), SS_OK);
  ss_solution at = {.r = r, .v = v, .l = l};
  assert_int_equal(ss_verify(&ctx, p, &at, NULL, NULL, NULL, NULL, &verdict), SS_OK);
  assert_true((info.status == SS_SOLVED) == (verdict.error <= o.tol));
  *status = info.status;
  return verdict.error;
}

// ---- tests ---------------------------------------------------------------------------------

static void sees_what_M_is(void **state) {
  (void)state;
  dense_problem d;
  ss_context ctx = {0};
  int count;
  shape(&d, 2, 0, 2, 0);
  assert_int_equal(loose_of(&d.p), 2);
  set_mass(&d, (double[]){1, 0, 0, 1e-20});  // small is not zero
  assert_int_equal(loose_of(&d.p), -1);
  set_mass(&d, (double[]){1, -1, -1, 1});
  assert_int_equal(loose_of(&d.p), 1);
  set_mass(&d, (double[]){0.1, 0.3, 0.3, 0.9});  // but for rounding
  assert_int_equal(loose_of(&d.p), 1);
  set_mass(&d, (double[]){1e20, 1e-20, 1e-20, 1e-60});  // beside its neighbour
  assert_int_equal(loose_of(&d.p), 1);
  const double indefinite[][4] = {{1, 2, 2, 1}, {-1, 0, 0, 0}, {0, 1, 1, 0}, {1, 1, 1, 1 - 1e-9}};
  for (size_t k = 0; k < sizeof indefinite / sizeof *indefinite; k++) {
    set_mass(&d, indefinite[k]);
    assert_int_equal(ss_problem_check(&ctx, &d.p), SS_ERR_DATA);
    assert_int_equal(ss_problem_loose(&ctx, &d.p, &count), SS_ERR_DATA);
    assert_non_null(strstr(ctx.message, "not positive definite"));
  }
  shape(&d, 2, 0, 2, 1);  // a joint that holds one of two, and the only one
  d.G[0] = 1, d.G[1] = 1;
  assert_int_equal(loose_of(&d.p), 1);
  set_mass(&d, (double[]){1, 1, 1, 1});
  assert_int_equal(loose_of(&d.p), 1);
  set_mass(&d, (double[]){1, -1, -1, 1});
  assert_int_equal(loose_of(&d.p), 0);
}

static void others_refuse_it(void **state) {
  (void)state;
  dense_problem d;
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_solver *solver;
  ss_problem *reduced;
  stand(&d, 4, 0.5, CORNERS);
  assert_int_equal(ss_solver_create(&ctx, &d.p, &o, &solver), SS_ERR_DATA);
  assert_int_equal(ss_problem_reduce(&ctx, &d.p, &reduced), SS_ERR_DATA);
}

static void judges_answers(void **state) {
  (void)state;
  dense_problem d;
  ss_context ctx = {0};
  ss_verdict verdict;
  double r[ROWS] = {0}, v[DOFS] = {0};
  stand(&d, 4, 0.5, CORNERS);
  for (int i = 0; i < 4; i++) r[3 * i] = 2, r[3 * i + 1] = 0.75;
  load_by(&d, r);
  ss_solution at = {.r = r, .v = v};
  assert_int_equal(ss_verify(&ctx, &d.p, &at, NULL, NULL, NULL, NULL, &verdict), SS_OK);
  assert_true(verdict.error <= 1e-15);
  assert_int_equal(verdict.states[SS_STICK], 4);
  const struct {
    double *of;
    int at;
    double by;
  } wrong[] = {{v, 0, 1e-3}, {v, 2, -1e-3}, {r, 0, 1e-3}, {r, 1, 0.5}, {d.f, 3, 1e-3}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    wrong[k].of[wrong[k].at] += wrong[k].by;
    assert_int_equal(ss_verify(&ctx, &d.p, &at, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    assert_true(verdict.error > 1e-5);
    wrong[k].of[wrong[k].at] -= wrong[k].by;
  }
  v[1] = NAN;
  assert_int_equal(ss_verify(&ctx, &d.p, &at, NULL, NULL, NULL, NULL, &verdict), SS_OK);
  assert_true(isinf(verdict.error));
  at.v = NULL;
  assert_int_equal(ss_verify(&ctx, &d.p, &at, NULL, NULL, NULL, NULL, &verdict), SS_ERR_ARGUMENT);
}

// A change of the units of mass and of velocity changes nothing.
static void units_do_not_matter(void **state) {
  (void)state;
  double first = NAN;
  for (int k = -8; k <= 8; k += 4) {
    double force = pow(2, 5 * k), speed = pow(2, -3 * k);
    dense_problem d;
    ss_context ctx = {0};
    ss_verdict verdict;
    double r[ROWS] = {0}, v[DOFS] = {0.3 * speed};
    stand(&d, 4, 0.5, CORNERS);
    for (int i = 0; i < 4; i++) r[3 * i] = force, r[3 * i + 1] = -0.4 * force;
    load_by(&d, r);
    for (int i = 0; i < 4; i++) d.w[3 * i + 2] = 0.01 * speed;
    ss_solution at = {.r = r, .v = v};
    assert_int_equal(ss_verify(&ctx, &d.p, &at, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    if (isnan(first)) first = verdict.error;
    assert_true(fabs(verdict.error - first) <= 1e-12 * first);
  }
}

// Pressed down, pushed within and beyond the cones, pulled up: the answer is known.
static void a_body_on_its_feet(void **state) {
  (void)state;
  const struct {
    double across, down;
    ss_existence exists;
    ss_existence_reason reason;
  } load[] = {{0, 1, SS_EXISTS, SS_REASON_EVERY_W},
              {0.49, 1, SS_EXISTS, SS_REASON_SOLUTION},
              {0.51, 1, SS_NONE, SS_REASON_DRIVEN},
              {0, -1, SS_NONE, SS_REASON_DRIVEN},
              {0.1, 0, SS_NONE, SS_REASON_DRIVEN}};
  for (size_t k = 0; k < sizeof load / sizeof *load; k++) {
    dense_problem d;
    ss_existence_reason reason;
    ss_status status;
    double r[ROWS] = {0};
    stand(&d, 4, 0.5, CORNERS);
    for (int i = 0; i < 4; i++) r[3 * i] = load[k].down, r[3 * i + 2] = load[k].across;
    load_by(&d, r);
    assert_int_equal(loose_of(&d.p), 6);
    assert_int_equal(certify(&d.p, &reason), load[k].exists);
    assert_int_equal(reason, load[k].reason);
    solve(&d.p, &status);
    assert_int_equal(status == SS_SOLVED, load[k].exists == SS_EXISTS);
  }
}

// Random feet, mass in some directions, a planted solution at rest: never `none`, and mostly found.
static void planted_in_space(void **state) {
  (void)state;
  ssi_rng g = {.state = 7};
  int exists = 0, solved = 0;
  enum { TRIALS = 40 };
  for (int k = 0; k < TRIALS; k++) {
    dense_problem d;
    ss_existence_reason reason;
    ss_status status;
    double at[FEET][2], r[ROWS] = {0}, v[DOFS] = {0}, row[DOFS];
    int feet = 1 + (int)(ssi_rng_next(&g) % FEET), rank = (int)(ssi_rng_next(&g) % DOFS);
#define RANDOM ((double)(ssi_rng_next(&g) >> 11) * 0x1p-52 - 1)
    for (int i = 0; i < feet; i++) at[i][0] = RANDOM, at[i][1] = RANDOM;
    stand(&d, feet, 0.7, at);
    for (int j = 0; j < rank; j++) {
      for (int i = 0; i < DOFS; i++) row[i] = RANDOM;
      for (int i = 0; i < DOFS * DOFS; i++) d.M[i] += row[i / DOFS] * row[i % DOFS];
    }
    for (int i = 0; i < DOFS; i++) v[i] = RANDOM;
    for (int i = 0; i < feet; i++) r[3 * i] = 1.1 + RANDOM, r[3 * i + 1] = 0.5 * r[3 * i] * RANDOM;
    load_by(&d, r);
    for (int i = 0; i < DOFS; i++)
      for (int j = 0; j < DOFS; j++) d.f[i] -= d.M[DOFS * i + j] * v[j];
    for (int i = 0; i < 3 * feet; i++)
      for (int j = 0; j < DOFS; j++) d.w[i] -= d.H[DOFS * i + j] * v[j];
    ss_existence said = certify(&d.p, &reason);
    assert_int_not_equal(said, SS_NONE);
    solve(&d.p, &status);
    exists += said == SS_EXISTS, solved += status == SS_SOLVED;
  }
  print_message("%d of %d proved, %d solved\n", exists, (int)TRIALS, solved);
  assert_true(exists >= 30 && solved >= 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sees_what_M_is),     cmocka_unit_test(others_refuse_it),
      cmocka_unit_test(judges_answers),     cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(a_body_on_its_feet), cmocka_unit_test(planted_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
