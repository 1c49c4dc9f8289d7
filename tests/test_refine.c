// solvers/driver.c with joints that are nearly redundant: R is then known to some digits only, and so is what is left when
// they are eliminated. Planted problems, judged from the raw data with the l of the answer; the same bits twice.
#include "harness.h"

#include "base/rng.h"
#include "stickslip/stickslip.h"

enum { CONTACTS = 6, JOINTS = 5, ROWS = 3 * CONTACTS, DOFS = 40, PROBLEMS = 300 };

typedef struct planted {
  ss_problem p;
  double mu[CONTACTS], M[DOFS], H[ROWS * DOFS], G[DOFS * JOINTS], f[DOFS], w[ROWS], b[JOINTS];
  int64_t Mp[DOFS + 1], Hp[ROWS + 1], Gp[DOFS + 1];
  int Mc[DOFS], Hc[ROWS * DOFS], Gc[DOFS * JOINTS];
} planted;

static double normal(ssi_rng *g) {
  return sqrt(-2 * log(1 - ssi_rng_uniform(g))) * cos(6.283185307179586 * ssi_rng_uniform(g));
}

static double decades(ssi_rng *g, double from, double to) {
  return pow(10, from + (to - from) * ssi_rng_uniform(g));
}

static ss_sparse dense(int rows, int cols, const double *x, int64_t *ptr, int *col) {
  for (int i = 0; i <= rows; i++) ptr[i] = (int64_t)i * cols;
  for (int k = 0; k < rows * cols; k++) col[k] = k % cols;
  return (ss_sparse){rows, cols, ptr, col, x};
}

// Free, sticking or slipping.
static void plant_contact(ssi_rng *g, int dim, double mu, double *r, double *u) {
  int kind = ssi_rng_below(g, 3);
  double angle = 6.283185307179586 * ssi_rng_uniform(g), speed = 0.1 + ssi_rng_uniform(g);
  double t[2] = {dim == 2 ? (angle < 3 ? 1 : -1) : cos(angle), sin(angle)};
  r[0] = kind ? 0.1 + fabs(normal(g)) : 0;
  u[0] = kind ? 0 : speed;
  for (int d = 1; d < dim; d++) {
    r[d] = kind ? -(kind == 1 ? 0.5 : 1) * mu * r[0] * t[d - 1] : 0;
    u[d] = kind == 1 ? 0 : speed * t[d - 1];
  }
}

// M v + f = H^T r + G l, u = H v + w, G^T v + b = 0; the last column of G is a sum of the others but for `near`,
// and each has units of its own.
static void make(planted *t, uint64_t seed) {
  ssi_rng g = {.state = seed};
  int dim = 2 + ssi_rng_below(&g, 2), nc = 1 + ssi_rng_below(&g, CONTACTS), m = dim * nc;
  int nl = 2 + ssi_rng_below(&g, JOINTS - 1), n = nl + 1 + ssi_rng_below(&g, DOFS - nl);
  double r[ROWS], u[ROWS], v[DOFS], l[JOINTS], near = decades(&g, -6, -1);
  for (int i = 0; i < n; i++) {
    t->M[i] = decades(&g, -1, 1), t->Mc[i] = i, t->Mp[i + 1] = i + 1;
    v[i] = normal(&g);
    t->G[nl * i + nl - 1] = near * normal(&g);
    for (int j = 0; j < nl - 1; j++)
      t->G[nl * i + nl - 1] += (j + 1) * (t->G[nl * i + j] = normal(&g));
  }
  for (int j = 0; j < nl; j++) {
    double unit = decades(&g, -2, 2);
    for (int i = 0; i < n; i++) t->G[nl * i + j] *= unit;
    l[j] = normal(&g) / unit;
  }
  for (int k = 0; k < m * n; k++) t->H[k] = normal(&g);
  for (int i = 0; i < nc; i++) {
    t->mu[i] = decades(&g, -1, 0);
    plant_contact(&g, dim, t->mu[i], r + dim * i, u + dim * i);
  }
  for (int i = 0; i < n; i++) {
    t->f[i] = -t->M[i] * v[i];
    for (int k = 0; k < m; k++) t->f[i] += t->H[n * k + i] * r[k];
    for (int j = 0; j < nl; j++) t->f[i] += t->G[nl * i + j] * l[j];
  }
  for (int k = 0; k < m; k++) {
    t->w[k] = u[k];
    for (int i = 0; i < n; i++) t->w[k] -= t->H[n * k + i] * v[i];
  }
  for (int j = 0; j < nl; j++) {
    t->b[j] = 0;
    for (int i = 0; i < n; i++) t->b[j] -= t->G[nl * i + j] * v[i];
  }
  t->Mp[0] = 0;
  t->p = (ss_problem){.form = SS_GLOBAL, .dim = dim, .nc = nc, .ndof = n, .nl = nl, .mu = t->mu};
  t->p.M = (ss_sparse){n, n, t->Mp, t->Mc, t->M};
  t->p.H = dense(m, n, t->H, t->Hp, t->Hc);
  t->p.G = dense(n, nl, t->G, t->Gp, t->Gc);
  t->p.f = t->f, t->p.w = t->w, t->p.b = t->b;
}

static bool solved(const ss_problem *p) {
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  ss_verdict verdict;
  double r[ROWS] = {0}, again[ROWS] = {0}, l[JOINTS];
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, l, &info), SS_OK);
  assert_int_equal(ss_solve(s, again, NULL, NULL, NULL, NULL), SS_OK);
  assert_memory_equal(r, again, sizeof(double) * (size_t)(p->dim * p->nc));
  ss_solver_destroy(s);
  ss_solution answer = {.r = r, .l = l};
  assert_int_equal(ss_verify(NULL, p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
  if (info.status == SS_SOLVED && !(verdict.error <= o.tol))
    fail_msg("solved, but the error is %g", verdict.error);
  return info.status == SS_SOLVED;
}

static void nearly_redundant_joints(void **state) {
  (void)state;
  planted *t = calloc(1, sizeof *t);
  assert_non_null(t);
  int count = 0;
  for (int k = 0; k < PROBLEMS; k++) {
    make(t, 5000 + (uint64_t)k);
    ss_problem *reduced = NULL;
    if (k % 2) assert_int_equal(ss_problem_reduce(NULL, &t->p, &reduced), SS_OK);
    bool good = solved(reduced ? reduced : &t->p);
    if (!good) print_message("%d: not solved\n", k);
    count += good;
    ss_problem_destroy(reduced);
  }
  free(t);
  if (count < PROBLEMS - PROBLEMS / 30) fail_msg("%d of %d are solved", count, PROBLEMS);
}

// As many joints as degrees of freedom, and one more that is the sum of two, leave one v, the last of the first ones
// within `near` of another, which is not redundant yet (problem/bilateral.h): f says nothing of v, and l is about
// |f| / near. u_N of contact 0 is `parting`.
static void lock(planted *t, uint64_t seed, double parting) {
  enum { N = 4, NL = 5, M = 4 };
  ssi_rng g = {.state = seed};
  double v[N], near = decades(&g, -4, -2);
  for (int i = 0; i < N; i++) {
    double *G = t->G + NL * i;
    t->M[i] = decades(&g, -1, 1), t->Mc[i] = i, t->Mp[i + 1] = i + 1;
    t->f[i] = normal(&g), v[i] = normal(&g);
    for (int j = 0; j < N; j++) G[j] = (i == j ? 3 : 0) + 0.5 * normal(&g);
    G[3] = G[0] + near * G[3];
    G[4] = G[1] + 2 * G[2];
    for (int k = 0; k < M; k++) t->H[N * k + i] = normal(&g);
  }
  for (int j = 0; j < NL; j++) {
    t->b[j] = 0;
    for (int i = 0; i < N; i++) t->b[j] -= t->G[NL * i + j] * v[i];
  }
  for (int k = 0; k < M; k++) {
    t->w[k] = k % 2 ? normal(&g) : k ? 1 : parting;
    for (int i = 0; i < N; i++) t->w[k] -= t->H[N * k + i] * v[i];
    t->mu[k / 2] = 0.5;
  }
  t->Mp[0] = 0;
  t->p = (ss_problem){.form = SS_GLOBAL, .dim = 2, .nc = 2, .ndof = N, .nl = NL, .mu = t->mu};
  t->p.M = (ss_sparse){N, N, t->Mp, t->Mc, t->M};
  t->p.H = dense(M, N, t->H, t->Hp, t->Hc);
  t->p.G = dense(N, NL, t->G, t->Gp, t->Gc);
  t->p.f = t->f, t->p.w = t->w, t->p.b = t->b;
}

// r = 0 without l, from the raw data; a penetration of 1e-6 is none of rounding.
static void weak_joints_that_leave_no_motion(void **state) {
  (void)state;
  const double nothing[4] = {0};
  const ss_solution answer = {.r = nothing};
  ss_verdict verdict;
  planted *t = calloc(1, sizeof *t);
  assert_non_null(t);
  for (uint64_t k = 0; k < PROBLEMS; k++) {
    lock(t, 9000 + k, k % 3 ? 0 : 1);
    assert_int_equal(ss_verify(NULL, &t->p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    if (!(verdict.error <= 1e-9)) fail_msg("%d: r = 0 has an error of %g", (int)k, verdict.error);
    if (!solved(&t->p)) fail_msg("%d: not solved", (int)k);
    lock(t, 9000 + k, -1e-6);
    assert_int_equal(ss_verify(NULL, &t->p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    if (!(verdict.error > 1e-8)) fail_msg("%d: penetration passes, %g", (int)k, verdict.error);
  }
  free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nearly_redundant_joints),
                                     cmocka_unit_test(weak_joints_that_leave_no_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
