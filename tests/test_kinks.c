// Where a solution is not differentiable: refused, and the derivative along one direction against one-sided differences.
#include "harness.h"

#include "moving_data.h"
#include "without_memory.h"

static ss_sparse full(ssi_arena *arena, int rows, int cols, const double *x) {
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, rows * cols + 1, int);
  for (int i = 0; i <= rows; i++) ptr[i] = (int64_t)i * cols;
  for (int k = 0; k < rows * cols; k++) col[k] = k % cols;
  return (ss_sparse){rows, cols, ptr, col, x};
}

static ss_derivative *derive(ss_context *ctx, const ss_problem *p, const double *r,
                             const double *l) {
  ss_derivative *d;
  if (ss_derivative_create(ctx, p, &(ss_solution){.r = r, .l = l}, NULL, &d))
    fail_msg("%s", ctx->message);
  return d;
}

// ---- one contact, W = I ----------------------------------------------------------------------

typedef struct one_case {
  double q[2], mu, r[2];
  ss_rate_place place;
  double dq[2], dmu;  // direction
  double dr[2], du[2];
} one_case;

static const one_case CASES[] = {
    // on the surface of the cone: pulled on it slips, let go it sticks, more friction holds it
    {{-1, 0.5}, 0.5, {1, -0.5}, SS_PLACE_EDGE, {0, 1}, 0, {0, 0}, {0, 1}},
    {{-1, 0.5}, 0.5, {1, -0.5}, SS_PLACE_EDGE, {0, -1}, 0, {0, 1}, {0, 0}},
    {{-1, 0.5}, 0.5, {1, -0.5}, SS_PLACE_EDGE, {0, 0}, -1, {0, 1}, {0, 1}},
    {{-1, 0.5}, 0.5, {1, -0.5}, SS_PLACE_EDGE, {0, 0}, 1, {0, 0}, {0, 0}},
    {{-1, 0.5}, 0.5, {1, -0.5}, SS_PLACE_EDGE, {1, 0}, 0, {-1, 0.5}, {0, 0.5}},
    // touching while it slides
    {{0, 2}, 0.5, {0, 0}, SS_PLACE_GRAZE, {-1, 0}, 0, {1, -0.5}, {0, -0.5}},
    {{0, 2}, 0.5, {0, 0}, SS_PLACE_GRAZE, {1, 1}, 1, {0, 0}, {1, 1}},
    // touching at rest: the law itself
    {{0, 0}, 0.5, {0, 0}, SS_PLACE_GRAZE, {-1, 0.2}, 0, {1, -0.2}, {0, 0}},
    {{0, 0}, 0.5, {0, 0}, SS_PLACE_GRAZE, {-1, 2}, 0, {1, -0.5}, {0, 1.5}},
    {{0, 0}, 0.5, {0, 0}, SS_PLACE_GRAZE, {1, 2}, 0, {0, 0}, {1, 2}},
    // frictionless and touching
    {{0, 0}, 0, {0, 0}, SS_PLACE_GRAZE, {-1, 2}, 0, {1, 0}, {0, 2}},
};

static void one_contact_at_each_kink(void **state) {
  (void)state;
  ssi_arena arena = {0};
  static const double W[4] = {1, 0, 0, 1};
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    const one_case *c = &CASES[k];
    ss_context ctx = {0};
    ss_problem p = {.dim = 2, .nc = 1, .mu = &c->mu, .q = c->q, .W = full(&arena, 2, 2, W)};
    ss_derivative *d = derive(&ctx, &p, c->r, NULL);
    ss_data_direction dx = {.q = c->dq, .mu = &c->dmu};
    double r[2], u[2], gradient[2];
    assert_int_equal(ss_derivative_summary(d)->smoothness, SS_KINKS);
    assert_int_equal(ss_derivative_summary(d)->first_kink, 0);
    assert_int_equal(ss_derivative_places(d)[0], c->place);
    assert_int_equal(ss_derivative_forward(d, &dx, r, u, NULL, NULL), SS_ERR_METHOD);
    assert_non_null(strstr(ctx.message, "contact 0"));
    assert_int_equal(
        ss_derivative_adjoint(d, &(ss_solution){.u = c->q}, &(ss_data_gradient){.q = gradient}),
        SS_ERR_METHOD);
    assert_int_equal(ss_derivative_one_sided(d, &dx, r, u, NULL, NULL), SS_OK);
    for (int j = 0; j < 2; j++) assert_near(r[j], c->dr[j], 1e-9);
    for (int j = 0; j < 2; j++) assert_near(u[j], c->du[j], 1e-9);
    ss_derivative_destroy(d);
  }
  ssi_arena_release(&arena);
}

// ---- random solutions with kinks -------------------------------------------------------------

typedef struct planted_kinks {
  ss_problem p;
  double *r, *l;
  int kinks;
} planted_kinks;

typedef enum plan { FREE, STICK, SLIP, EDGE, PRESS, APEX, PLANS } plan;

// u and r of a contact in the state, or at the kink.
static void plant_contact(ssi_rng *g, int dim, double mu, plan what, double *r, double *u) {
  double angle = 6.283185307179586 * ssi_rng_uniform(g), t[3] = {0};
  double a = 0.5 + ssi_rng_uniform(g), b = 0.5 + ssi_rng_uniform(g);
  t[1] = dim == 2 ? (angle < 3 ? 1 : -1) : cos(angle), t[2] = sin(angle);
  for (int k = 0; k < dim; k++) r[k] = u[k] = 0;
  if (what == FREE) u[0] = a;
  if (what == STICK || what == SLIP || what == EDGE) r[0] = a;
  for (int k = 1; k < dim; k++) {
    if (what == FREE || what == SLIP || what == PRESS) u[k] = b * t[k];
    if (what == STICK) r[k] = -0.5 * mu * a * t[k];
    if (what == SLIP || what == EDGE) r[k] = -mu * a * t[k];
  }
}

// M, H, G, v, l are random; f, w, b such that the planted u, r are the solution.
static planted_kinks plant(ssi_arena *arena, int dim, uint64_t seed) {
  ssi_rng g = {.state = seed};
  int nc = 1 + ssi_rng_below(&g, 4), m = dim * nc, nl = ssi_rng_below(&g, 3), n = m + nl + 2;
  double *M = SSI_TAKE(arena, n * n, double), *H = random_vector(arena, m * n, &g);
  double *G = random_vector(arena, n * nl, &g), *v = random_vector(arena, n, &g);
  double *f = SSI_TAKE(arena, n, double), *w = SSI_TAKE(arena, m, double);
  double *b = SSI_TAKE(arena, nl + 1, double), *mu = SSI_TAKE(arena, nc, double);
  planted_kinks out = {.r = SSI_TAKE(arena, m, double), .l = random_vector(arena, nl, &g)};
  for (int i = 0; i < nc; i++) {
    plan what = ssi_rng_below(&g, PLANS);
    out.kinks += what >= EDGE;
    mu[i] = 0.1 + 0.3 * ssi_rng_uniform(&g);
    plant_contact(&g, dim, mu[i], what, out.r + dim * i, w + dim * i);  // w holds u
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      M[n * i + j] = M[n * j + i] = i == j ? 3 : 0.3 * random_signed(&g) / n;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) f[j] += H[n * i + j] * out.r[i], w[i] -= H[n * i + j] * v[j];
    for (int k = 0; k < nl; k++) f[j] += G[nl * j + k] * out.l[k], b[k] -= G[nl * j + k] * v[j];
    for (int i = 0; i < n; i++) f[j] -= M[n * j + i] * v[i];
  }
  out.p = (ss_problem){.form = SS_GLOBAL,
                       .dim = dim,
                       .nc = nc,
                       .ndof = n,
                       .nl = nl,
                       .mu = mu,
                       .f = f,
                       .w = w,
                       .M = full(arena, n, n, M),
                       .H = full(arena, m, n, H)};
  if (nl) out.p.G = full(arena, n, nl, G), out.p.b = b;
  return out;
}

// Everything of p moved by h along dx.
static ss_problem all_moved(ssi_arena *arena, const ss_problem *p, ss_data_direction *dx,
                            double h) {
  ss_problem to = *p;
  field all[KINDS];
  fields_of(&to, all);
  for (int k = 0; k < KINDS; k++)
    if (all[k].count) to = moved(arena, &to, k, *slot(dx, k), h), fields_of(&to, all);
  return to;
}

typedef struct sides {
  int compared, unsolved, refused, off, listed;
} sides;

// (4 x(h/2) - x(h) - 3 x(0)) / h, up to terms of h^2.
static bool one_sided_difference(ssi_arena *arena, const ss_problem *p, const double *r,
                                 ss_data_direction *dx, double h, answer *out) {
  static const double WEIGHT[3] = {-3, 4, -1}, AT[3] = {0, 0.5, 1};
  *out = answer_for(arena, p);
  for (int k = 0; k < 3; k++) {
    ss_problem near = all_moved(arena, p, dx, h * AT[k]);
    answer x = answer_for(arena, p);
    memcpy(x.r, r, sizeof *r * (size_t)x.m);
    if (!solve(&near, &x)) return false;
    for (int i = 0; i < x.m; i++) {
      out->r[i] += WEIGHT[k] / h * x.r[i];
      out->u[i] += WEIGHT[k] / h * x.u[i];
    }
    for (int i = 0; i < x.ndof; i++) out->v[i] += WEIGHT[k] / h * x.v[i];
    for (int i = 0; i < x.nl; i++) out->l[i] += WEIGHT[k] / h * x.l[i];
  }
  return true;
}

static double apart(const double *a, const double *b, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most / fmax(1, largest(a, n));
}

static void random_direction(ssi_arena *arena, ss_problem *p, ssi_rng *g, ss_data_direction *dx) {
  field all[KINDS];
  fields_of(p, all);
  for (int k = 0; k < KINDS; k++)
    if (all[k].count) *slot(dx, k) = random_vector(arena, all[k].count, g);
}

static void compare_sides(ssi_arena *arena, planted_kinks *t, ssi_rng *g, sides *count) {
  ss_context ctx = {0};
  ss_data_direction dx = {0};
  answer found = answer_for(arena, &t->p), expected;
  random_direction(arena, &t->p, g, &dx);
  ss_derivative *d = derive(&ctx, &t->p, t->r, t->l);
  const ss_derivative_info *info = ss_derivative_summary(d);
  assert_int_equal(info->places[SS_PLACE_EDGE] + info->places[SS_PLACE_GRAZE], t->kinks);
  assert_int_equal(info->smoothness, t->kinks ? SS_KINKS : SS_SMOOTH);
  ss_error e = ss_derivative_one_sided(d, &dx, found.r, found.u, found.v, found.l);
  ss_derivative_destroy(d);
  if (e) {
    count->refused++;
    return;
  }
  if (!one_sided_difference(arena, &t->p, t->r, &dx, 1e-5, &expected)) {
    count->unsolved++;
    return;
  }
  count->compared++;
  double off = fmax(apart(found.r, expected.r, found.m), apart(found.u, expected.u, found.m));
  off =
      fmax(off, fmax(apart(found.v, expected.v, found.ndof), apart(found.l, expected.l, found.nl)));
  if (!(off <= 1e-4)) {
    count->off++;
    print_message("off by %g with %d kinks in %dD\n", off, t->kinks, t->p.dim);
  }
}

static void one_sided_derivatives_agree_with_differences(void **state) {
  (void)state;
  sides count = {0};
  for (uint64_t seed = 1; seed <= 400; seed++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = seed};
    planted_kinks t = plant(&arena, 2 + (int)(seed % 2), seed);
    compare_sides(&arena, &t, &g, &count);
    ssi_arena_release(&arena);
  }
  print_message("%d compared, %d refused, %d not solved to 1e-12, %d off\n", count.compared,
                count.refused, count.unsolved, count.off);
  assert_true(count.compared >= 380);
  assert_int_equal(count.off, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact_at_each_kink),
      cmocka_unit_test(one_sided_derivatives_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
