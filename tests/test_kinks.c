// Where a solution is not differentiable: refused, and the derivative along one direction against one-sided differences.
#include "harness.h"

#include "moving_data.h"
#include "without_memory.h"

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
  int kinks, resting;
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
    out.kinks += what >= EDGE, out.resting += what == APEX;
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
  double worst;
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

// A step of 1e-5 of an asymmetric change would be more than what problems may have.
static void make_symmetric(const ss_sparse *M, const double *x) {
  if (!x) return;
  double *to = (double *)(uintptr_t)x;
  for (int i = 0; i < M->rows; i++)
    for (int j = 0; j < i; j++) to[M->rows * i + j] = to[M->rows * j + i];
}

static void compare_sides(ssi_arena *arena, planted_kinks *t, ssi_rng *g, sides *count) {
  ss_context ctx = {0};
  ss_data_direction dx = {0};
  answer found = answer_for(arena, &t->p), expected;
  random_direction(arena, &t->p, g, &dx);
  make_symmetric(&t->p.M, dx.M);
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
  count->worst = fmax(count->worst, off);
  if (!(off <= 1e-6)) {
    count->off++;
    print_message("off by %g with %d kinks in %dD\n", off, t->kinks, t->p.dim);
  }
}

// In 2D all ways on are listed by ss_rate_enumerate, for changes of loads and friction: ours is one of them. (It takes the size of u
// and r for its unit: not where both are rounding.)
static void look_it_up(ssi_arena *arena, planted_kinks *t, ssi_rng *g, sides *count) {
  ss_context ctx = {0};
  const ss_problem *p = &t->p;
  ss_rate_load load = {.f = random_vector(arena, p->ndof, g),
                       .w = random_vector(arena, p->dim * p->nc, g),
                       .mu = random_vector(arena, p->nc, g)};
  ss_data_direction dx = {.f = load.f, .w = load.w, .mu = load.mu};
  ss_rate_options o = ss_rate_options_default();
  answer found = answer_for(arena, p);
  ss_rate_set *set;
  o.law = SS_RATE_INCREMENT;
  ss_derivative *d = derive(&ctx, p, t->r, t->l);
  assert_int_equal(ss_derivative_one_sided(d, &dx, found.r, found.u, NULL, NULL), SS_OK);
  if (ss_rate_enumerate(&ctx, p, t->r, &load, &o, &set)) fail_msg("%s", ctx.message);
  double nearest = INFINITY;
  for (int k = 0; k < set->count; k++)
    if (set->ways[k].time)
      nearest = fmin(nearest, fmax(apart(found.r, set->ways[k].r, found.m),
                                   apart(found.u, set->ways[k].u, found.m)));
  for (int i = 0; i < p->nc; i++) assert_int_equal(set->places[i], ss_derivative_places(d)[i]);
  assert_true(nearest <= 1e-8);
  count->listed++;
  ss_rate_set_destroy(set);
  ss_derivative_destroy(d);
}

static void one_sided_derivatives_agree_with_differences(void **state) {
  (void)state;
  sides count = {0};
  for (uint64_t seed = 1; seed <= 400; seed++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = seed};
    planted_kinks t = plant(&arena, 2 + (int)(seed % 2), seed);
    ss_problem global = t.p, *reduced = NULL;
    if (seed % 3 == 0) assert_int_equal(ss_problem_reduce(NULL, &t.p, &reduced), SS_OK);
    if (reduced) t.p = *reduced;
    compare_sides(&arena, &t, &g, &count);
    t.p = global;
    if (t.p.dim == 2 && t.resting < t.p.nc) look_it_up(&arena, &t, &g, &count);
    ss_problem_destroy(reduced);
    ssi_arena_release(&arena);
  }
  print_message("%d compared, %d refused, %d not solved to 1e-12, %d off, worst %g; %d looked up\n",
                count.compared, count.refused, count.unsolved, count.off, count.worst,
                count.listed);
  assert_true(count.compared >= 380 && count.listed >= 100);
  assert_int_equal(count.off, 0);
}

static ss_error derive_and_use(ss_context *ctx, void *user) {
  planted_kinks *t = user;
  double zero[64] = {0}, r[16];
  ss_derivative *d;
  ss_error e = ss_derivative_create(ctx, &t->p, &(ss_solution){.r = t->r, .l = t->l}, NULL, &d);
  if (!e) e = ss_derivative_one_sided(d, &(ss_data_direction){.f = zero}, r, NULL, NULL, NULL);
  ss_derivative_destroy(d);
  return e;
}

static void without_memory(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 6; seed++) {
    ssi_arena arena = {0};
    planted_kinks t = plant(&arena, 3, seed);
    let_each_call_fail("derivative", derive_and_use, &t, 200, true);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact_at_each_kink),
      cmocka_unit_test(one_sided_derivatives_agree_with_differences),
      cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
