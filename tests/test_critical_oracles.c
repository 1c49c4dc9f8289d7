// Critical friction against the shared oracles, section B, and the simplified criterion caught:
// between mu_bijective and mu_simplified there are loads with three solutions.
#include "harness.h"

#include <jansson.h>

#include "base/rng.h"
#include "critical_models.h"
#include "dense.h"
#include "stickslip/stickslip.h"

enum { CONTACTS = 5 };

static json_t *oracles;  // section B_agwa; NULL where the shared data is not there

static int load(void **state) {
  (void)state;
  json_t *whole = json_load_file(STICKSLIP_SHARED "/oracles/oracles.json", 0, NULL);
  if (!whole) return 0;
  oracles = json_incref(json_object_get(whole, "B_agwa"));
  json_decref(whole);
  return 0;
}

static int unload(void **state) {
  (void)state;
  json_decref(oracles);
  return 0;
}

static const json_t *section(const char *name) {
  need_shared("oracles/oracles.json");
  return json_object_get(oracles, name);
}

static void read_stiffness(const json_t *K, stiffness *m) {
  int n = (int)json_array_size(K);
  stiffness_begin(m, n / 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      stiffness_set(m, i, j,
                    json_number_value(json_array_get(json_array_get(K, (size_t)i), (size_t)j)));
  stiffness_end(m);
}

static ss_critical *compute(const ss_problem *p) {
  static ss_context ctx;
  ss_critical *c = NULL;
  if (ss_critical_compute(&ctx, p, NULL, &c)) fail_msg("%s", ctx.message);
  return c;
}

// null or "inf": no root
static void assert_oracle(double found, const json_t *entry, const char *key, double tol) {
  const json_t *value = json_object_get(entry, key);
  assert_non_null(value);
  if (json_is_null(value) || json_is_string(value))
    assert_true(isinf(found));
  else
    assert_near(found, json_number_value(value), tol);
}

// One of the patterns named: f, d, +, -, t.
static void assert_pattern(const ss_critical_value *v, const json_t *names, int nc) {
  static const char letter[] = "fd+-t";
  char found[MODEL_MAX] = "";
  for (int i = 0; i < nc; i++) found[i] = letter[v->pattern[i]];
  for (size_t k = 0; k < json_array_size(names); k++)
    if (!strcmp(found, json_string_value(json_array_get(names, k)))) return;
  fail_msg("%s, expected %s", found, json_string_value(json_array_get(names, 0)));
}

static void shared_models(void **state) {
  (void)state;
  const json_t *list = section("critical");
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *entry = json_array_get(list, k);
    stiffness m;
    read_stiffness(json_object_get(entry, "K"), &m);
    ss_critical *c = compute(&m.p);
    assert_oracle(c->value[SS_BIJECTIVE].mu, entry, "mu_bijectivity", 1e-12);
    assert_oracle(c->value[SS_PMATRIX].mu, entry, "mu_P_interval", 1e-12);
    assert_oracle(c->value[SS_ANDERSSON].mu, entry, "mu_andersson58_eig", 1e-12);
    assert_oracle(c->value[SS_SIMPLIFIED].mu, entry, "mu_minmax59", 1e-12);
    ss_critical_destroy(c);
  }
  assert_true(json_array_size(list) >= 11);
}

static void shared_matrices_where_criteria_differ(void **state) {
  (void)state;
  const json_t *list = section("random_matrices_where_criteria_differ");
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *entry = json_array_get(list, k);
    stiffness m;
    read_stiffness(json_object_get(entry, "K"), &m);
    ss_critical *c = compute(&m.p);
    assert_oracle(c->value[SS_BIJECTIVE].mu, entry, "mu_bijectivity", 1e-12);
    assert_oracle(c->value[SS_ANDERSSON].mu, entry, "mu_bijectivity", 1e-12);
    assert_oracle(c->value[SS_PMATRIX].mu, entry, "mu_P_interval", 1e-12);
    assert_oracle(c->value[SS_SIMPLIFIED].mu, entry, "mu_minmax59", 1e-12);
    assert_pattern(&c->value[SS_BIJECTIVE], json_object_get(entry, "patterns_bij"), m.p.nc);
    assert_pattern(&c->value[SS_PMATRIX], json_object_get(entry, "patterns_P"), m.p.nc);
    assert_pattern(&c->value[SS_SIMPLIFIED], json_object_get(entry, "patterns_59"), m.p.nc);
#ifdef SS_WITH_NLOPT
    assert_oracle(c->sqp, entry, "mu_minmax59", 1e-6);
#endif
    ss_critical_destroy(c);
  }
  assert_true(json_array_size(list) >= 4);
}

// ---- the simplified criterion is not sufficient
// ---------------------------------------------------

static void flexibility(const ss_problem *p, double *W) {
  ss_problem *reduced;
  int N = 2 * p->nc;
  assert_int_equal(ss_problem_reduce(NULL, p, &reduced), SS_OK);
  memset(W, 0, sizeof(double) * (size_t)(N * N));
  for (int i = 0; i < N; i++)
    for (int64_t k = reduced->W.ptr[i]; k < reduced->W.ptr[i + 1]; k++)
      W[i * N + reduced->W.col[k]] = reduced->W.x[k];
  ss_problem_destroy(reduced);
}

// q such that (u, r) inside the pattern's cone is a solution.
static void load_for(const unsigned char *pattern, int n, const double *W, double mu, ssi_rng *rng,
                     double *q) {
  double u[2 * CONTACTS] = {0}, r[2 * CONTACTS] = {0};
  for (int i = 0; i < n; i++) {
    double a = 0.2 + ssi_rng_uniform(rng), b = 0.2 + ssi_rng_uniform(rng);
    int s = pattern[i];
    if (s == SS_PATTERN_FREE) u[2 * i] = a, u[2 * i + 1] = b - 0.7;
    if (s == SS_PATTERN_STICK) r[2 * i] = a, r[2 * i + 1] = mu * a * (b - 0.7);
    if (s == SS_PATTERN_SLIP_PLUS) r[2 * i] = a, r[2 * i + 1] = -mu * a, u[2 * i + 1] = b;
    if (s == SS_PATTERN_SLIP_MINUS) r[2 * i] = a, r[2 * i + 1] = mu * a, u[2 * i + 1] = -b;
  }
  for (int i = 0; i < 2 * n; i++) {
    q[i] = u[i];
    for (int j = 0; j < 2 * n; j++) q[i] -= W[i * 2 * n + j] * r[j];
  }
}

// By the method that solves no patterns, whose determinants are what is tested here.
static int solutions_by_rays(int n, const double *W, const double *q, const double *mu) {
  static ss_context ctx;
  ssi_arena arena = {0};
  ss_problem p = reduced_problem(&arena, 2, n, W, q, mu);
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set;
  o.method = SS_ENUMERATE_GLCP;
  if (ss_enumerate(&ctx, &p, &o, &set)) fail_msg("%s", ctx.message);
  assert_true(set->complete);
  int count = set->count;
  ss_solution_set_destroy(set);
  ssi_arena_release(&arena);
  return count;
}

// A solution whose pattern has a negative determinant counts -1 in a sum that is 1: there are at
// least three. Below mu_bijective random loads have one.
static void assert_not_sufficient(const stiffness *m, const ss_critical *c, ssi_rng *rng) {
  int n = m->p.nc;
  double W[4 * CONTACTS * CONTACTS], q[2 * CONTACTS], mu[CONTACTS];
  double bij = c->value[SS_BIJECTIVE].mu, simplified = c->value[SS_SIMPLIFIED].mu;
  flexibility(&m->p, W);
  for (int k = 0; k < 10; k++) {
    for (int i = 0; i < n; i++) mu[i] = bij + (simplified - bij) * 0.5;
    assert_true(mu[0] > bij && mu[0] < simplified);
    bool holds;
    unsigned char pattern[CONTACTS];
    assert_int_equal(ss_critical_test(NULL, &m->p, SS_SIMPLIFIED, mu[0], NULL, &holds, NULL, NULL),
                     SS_OK);
    assert_true(holds);
    assert_int_equal(
        ss_critical_test(NULL, &m->p, SS_BIJECTIVE, mu[0], NULL, &holds, pattern, NULL), SS_OK);
    assert_false(holds);
    load_for(pattern, n, W, mu[0], rng, q);
    int count = solutions_by_rays(n, W, q, mu);
    assert_true(count >= 3 && count % 2 == 1);
    for (int i = 0; i < n; i++) mu[i] = bij * 0.999;
    if (k % 2)
      for (int i = 0; i < 2 * n; i++) q[i] = 2 * ssi_rng_uniform(rng) - 1;
    assert_int_equal(solutions_by_rays(n, W, q, mu), 1);
  }
}

static void shared_three_solutions_below_the_simplified_value(void **state) {
  (void)state;
  const json_t *list = section("random_matrices_where_criteria_differ");
  ssi_rng rng = {21};
  for (size_t k = 0; k < json_array_size(list); k++) {
    stiffness m;
    read_stiffness(json_object_get(json_array_get(list, k), "K"), &m);
    ss_critical *c = compute(&m.p);
    assert_not_sufficient(&m, c, &rng);
    ss_critical_destroy(c);
  }
}

// The same on matrices of our own: integer K = B B^T, those where the two values differ by 3
// percent.
static void test_more_matrices(void **state) {
  (void)state;
  ssi_rng rng = {22};
  int found = 0, scanned = 0;
  for (; found < 8 && scanned < 2000; scanned++) {
    int n = 2 + scanned % 2, N = 2 * n, B[36];
    stiffness m;
    stiffness_begin(&m, n);
    for (int i = 0; i < N * N; i++) B[i] = ssi_rng_below(&rng, 7) - 3;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        int sum = i == j;
        for (int k = 0; k < N; k++) sum += B[i * N + k] * B[j * N + k];
        stiffness_set(&m, i, j, sum);
      }
    ss_critical *c = compute(stiffness_end(&m));
    double P = c->value[SS_PMATRIX].mu, bij = c->value[SS_BIJECTIVE].mu,
           s = c->value[SS_SIMPLIFIED].mu;
    assert_true(P <= bij * (1 + 1e-11) && bij <= s * (1 + 1e-11));
    if (s > 1.03 * bij && isfinite(s)) assert_not_sufficient(&m, c, &rng), found++;
    ss_critical_destroy(c);
  }
  assert_int_equal(found, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_models),
      cmocka_unit_test(shared_matrices_where_criteria_differ),
      cmocka_unit_test(shared_three_solutions_below_the_simplified_value),
      cmocka_unit_test(test_more_matrices),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
