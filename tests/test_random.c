// Random problems, every method: 1 to 30 contacts, 2D and 3D, both forms, rank-deficient, mu from 0 to 100,
// degenerate states; with a planted solution, without one that is known, and jammed (there is none).
//
//     test_random [COUNT [FIRST]]
//
// No false `solved`: judged by the natural map in long double, written here, from the dense matrices. No
// crash, no endless run. Prints how many each method solved of those where a solution exists.
#include "harness.h"

#include "la/factor.h"
#include "random_problem.h"
#include "stickslip/stickslip.h"

enum { NC = 30, M_MOST = 3 * NC, DOFS = 6 * 40, METHODS = 16 };
static const double TOL = 1e-8;

typedef enum kind { PLANTED, UNKNOWN, JAMMED, KINDS } kind;
static const char *const kind_names[] = {"planted", "unknown", "jammed"};

typedef struct tally {
  int tried[KINDS], solved[KINDS], refused;
  int64_t iterations;
  double time;
} tally;

static int count = 100;
static uint64_t first = 1;
static tally tallies[METHODS];

// ---- problems ------------------------------------------------------------------------------

static double random_mu(ssi_rng *g) {
  switch (ssi_rng_below(g, 5)) {
  case 0:
    return 0;
  case 1:
  case 2:
    return ssi_rng_uniform(g);
  case 3:
    return 1 + 4 * ssi_rng_uniform(g);
  default:
    return pow(10, 4 * ssi_rng_uniform(g) - 2);  // 0.01 to 100
  }
}

// (u, r) of one contact that obeys the law; one in ten at the border of two states.
static void plant(ssi_rng *g, int dim, double mu, double *u, double *r) {
  double t[2] = {random_signed(g), dim == 3 ? random_signed(g) : 0};
  double length = sqrt(t[0] * t[0] + t[1] * t[1]), size = ssi_rng_uniform(g) + 0.1;
  bool border = ssi_rng_below(g, 10) == 0;
  int state = ssi_rng_below(g, 3);
  for (int k = 0; k < dim; k++) u[k] = r[k] = 0;
  if (!(length > 0)) return;
  if (state > 0) r[0] = size;
  if (state == 0) u[0] = border ? 0 : size;
  for (int k = 1; k < dim; k++) {
    double along = t[k - 1] / length;
    if (state == 0) u[k] = random_signed(g);
    if (state == 1) r[k] = mu * size * along * (border ? 1 : ssi_rng_uniform(g));
    if (state == 2) r[k] = -mu * size * along, u[k] = border ? 0 : along * ssi_rng_uniform(g);
  }
}

// v = M^-1 (H^T r - f), u = H v
static void move(const ss_problem *p, const double *r, double *u) {
  double v[DOFS];
  ssi_factor *mass;
  for (int d = 0; d < p->ndof; d++) v[d] = -p->f[d];
  for (int i = 0; i < p->H.rows; i++)
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++) v[p->H.col[k]] += p->H.x[k] * r[i];
  assert_int_equal(ssi_factor_create(NULL, &p->M, &mass), SS_OK);
  assert_int_equal(ssi_factor_solve(mass, v, v), SS_OK);
  ssi_factor_destroy(mass);
  for (int i = 0; i < p->H.rows; i++) {
    u[i] = 0;
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++) u[i] += p->H.x[k] * v[p->H.col[k]];
  }
}

// Contact 1 is contact 0 seen from the other side: u_0N + u_1N = w_0N + w_1N < 0, whatever moves.
static bool jam(ss_problem *p) {
  int d = p->dim;
  double *x = (double *)(uintptr_t)p->H.x, *w = (double *)(uintptr_t)p->w;
  int64_t n = p->H.ptr[1], m = p->H.ptr[d + 1] - p->H.ptr[d];
  if (p->nc < 2 || n != m) return false;
  for (int64_t k = 0; k < n; k++)
    if (p->H.col[k] != p->H.col[p->H.ptr[d] + k]) return false;
  for (int64_t k = 0; k < n; k++) x[p->H.ptr[d] + k] = -x[k];
  w[0] = w[d] = -0.5;
  return true;
}

// Few bodies make W rank-deficient.
static ss_problem make(ssi_arena *arena, ssi_rng *g, kind *what) {
  int dim = 2 + ssi_rng_below(g, 2), nc = 1 + ssi_rng_below(g, NC);
  *what = (kind)(ssi_rng_below(g, 10) < 7 ? PLANTED : 1 + ssi_rng_below(g, 2));
  int bodies = *what == JAMMED ? 1 + ssi_rng_below(g, 2) : 1 + ssi_rng_below(g, nc + 8);
  random_shape shape = {
      .dim = dim, .contacts = nc, .bodies = bodies, .body_dofs = dim == 2 ? 3 : 6};
  shape.coupled = ssi_rng_below(g, 4) == 0;
  ss_problem p = random_problem(arena, shape, ssi_rng_next(g));
  double *mu = (double *)(uintptr_t)p.mu, *w = (double *)(uintptr_t)p.w;
  bool common = ssi_rng_below(g, 2);
  for (int i = 0; i < nc; i++) mu[i] = common && i ? mu[0] : random_mu(g);
  if (*what == JAMMED && !jam(&p)) *what = UNKNOWN;
  if (*what != PLANTED) return p;
  double r[M_MOST], u[M_MOST], moved[M_MOST];
  for (int i = 0; i < nc; i++) plant(g, dim, mu[i], u + dim * i, r + dim * i);
  move(&p, r, moved);
  for (int k = 0; k < dim * nc; k++) w[k] = u[k] - moved[k];
  return p;
}

// ---- a judge of its own --------------------------------------------------------------------

// Projection onto |x_T| <= mu x_N.
static void project(int dim, long double mu, const long double *x, long double *out) {
  long double length = 0;
  for (int k = 1; k < dim; k++) length += x[k] * x[k];
  length = sqrtl(length);
  long double along = (x[0] + mu * length) / (1 + mu * mu);  // on the cone, if outside
  for (int k = 0; k < dim; k++) out[k] = x[k];
  if (length <= mu * x[0]) return;
  for (int k = 0; k < dim; k++) out[k] = 0;
  if (mu * length <= -x[0] || along <= 0) return;
  out[0] = along;
  for (int k = 1; k < dim; k++) out[k] = mu * along * x[k] / length;
}

// |u - ...|, the natural map with steps 1 / trace(W_ii), over max(|q|, |u|): within a factor of `dim` of the
// error of docs/theory.md (7).
static double judge(const ss_problem *W, const double *r) {
  int dim = W->dim, m = dim * W->nc;
  long double u[M_MOST], sum = 0, size_q = 0, size_u = 0, trace[NC] = {0}, mean = 0;
  for (int i = 0; i < m; i++) {
    u[i] = W->q[i];
    for (int64_t k = W->W.ptr[i]; k < W->W.ptr[i + 1]; k++) {
      u[i] += (long double)W->W.x[k] * r[W->W.col[k]];
      if (W->W.col[k] == i) trace[i / dim] += W->W.x[k];
    }
    size_q += (long double)W->q[i] * W->q[i];
    size_u += u[i] * u[i];
  }
  for (int i = 0; i < W->nc; i++) mean += trace[i] / W->nc;
  for (int i = 0; i < W->nc; i++) {
    long double x[3], z[3], tangent = 0, rho = 1 / (trace[i] > 0 ? trace[i] : mean > 0 ? mean : 1);
    for (int k = 1; k < dim; k++) tangent += u[dim * i + k] * u[dim * i + k];
    for (int k = 0; k < dim; k++) x[k] = r[dim * i + k] - rho * u[dim * i + k];
    x[0] -= rho * W->mu[i] * sqrtl(tangent);
    project(dim, W->mu[i], x, z);
    for (int k = 0; k < dim; k++) sum += powl((r[dim * i + k] - z[k]) / rho, 2);
  }
  long double scale = sqrtl(size_q > size_u ? size_q : size_u);
  return (double)(sqrtl(sum) / (scale > 0 ? scale : 1));
}

// ---- the run -------------------------------------------------------------------------------

// Iterations that make 20,000 problems bearable; where a method needs more it counts as not solved.
static int limit_of(const char *method) {
  static const struct {
    const char *method;
    int limit;
  } limits[] = {{"auto", 3000}, {"nsgs", 3000}, {"admm", 3000}, {"newton", 500}, {"aclm", 40}};
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
    if (!strcmp(method, limits[k].method)) return limits[k].limit;
  return 0;  // its own
}

static void try_method(const ss_problem *p, const ss_problem *reduced, const char *method,
                       kind what, uint64_t number, tally *t) {
  ss_options o = ss_options_default();
  ss_setting inner = {"inner_max", "300"};
  o.method = method, o.tol = TOL, o.max_iter = limit_of(method);
  if (!strcmp(method, "aclm")) o.settings = &inner, o.setting_count = 1;
  ss_context ctx = {0};
  ss_solver *s;
  ss_info info;
  double r[M_MOST] = {0};
  ss_error e = ss_solver_create(&ctx, p, &o, &s);
  if (e) {
    assert_int_equal(e, SS_ERR_METHOD);  // what it does not take it says
    t->refused++;
    return;
  }
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  t->tried[what]++;
  t->iterations += info.iterations;
  t->time += info.time_solve_s + info.time_setup_s;
  if (info.status != SS_SOLVED) return;
  t->solved[what]++;
  double error = judge(reduced, r);
  if (!(error <= 10 * TOL) || what == JAMMED)
    fail_msg("%s on problem %llu (%s): false 'solved', error %g", method,
             (unsigned long long)number, kind_names[what], error);
}

static void no_false_answers(void **state) {
  (void)state;
  for (int k = 0; k < count; k++) {
    uint64_t number = first + (uint64_t)k;
    ssi_arena arena = {0};
    ssi_rng g = {.state = number * 1000003};
    kind what;
    ss_problem p = make(&arena, &g, &what), *reduced;
    bool as_W = ssi_rng_below(&g, 2);
    assert_int_equal(ss_problem_reduce(NULL, &p, &reduced), SS_OK);
    for (int method = 0; ss_method_name(method); method++)
      try_method(as_W ? reduced : &p, reduced, ss_method_name(method), what, number,
                 &tallies[method]);
    ss_problem_destroy(reduced);
    ssi_arena_release(&arena);
  }
  printf("%-8s %22s %16s %16s %8s\n", "method", "planted solved/tried", "unknown", "jammed",
         "refused time_s");
  for (int method = 0; ss_method_name(method); method++) {
    const tally *t = &tallies[method];
    printf("%-8s %6d/%6d = %5.1f %% %8d/%7d %8d/%7d %8d %6.1f\n", ss_method_name(method),
           t->solved[PLANTED], t->tried[PLANTED], 100.0 * t->solved[PLANTED] / t->tried[PLANTED],
           t->solved[UNKNOWN], t->tried[UNKNOWN], t->solved[JAMMED], t->tried[JAMMED], t->refused,
           t->time);
    assert_true(t->tried[JAMMED] > 0);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) count = atoi(argv[1]);
  if (argc > 2) first = (uint64_t)atoll(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_false_answers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
