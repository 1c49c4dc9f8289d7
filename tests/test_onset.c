// The onset of multiplicity on the elastic square, over the mesh: the critical friction by all patterns, and by those
// in which every contact slips.
//
//   test_onset [N]    up to N contact nodes (default 8)
#include "harness.h"

#include "stickslip/critical.h"
#include "stickslip/models.h"

static int most = 8;
static ss_context ctx;

static ss_problem *build(const char *model, const char *key, const char *value) {
  ss_problem *p, *reduced;
  ss_model_setting s = {key, value, 0};
  if (ss_model_build(&ctx, model, &s, 1, &p)) fail_msg("%s", ctx.message);
  if (ss_problem_reduce(&ctx, p, &reduced)) fail_msg("%s", ctx.message);
  ss_problem_destroy(p);
  return reduced;
}

static double entry(const ss_problem *p, int i, int j) {
  for (int64_t k = p->W.ptr[i]; k < p->W.ptr[i + 1]; k++)
    if (p->W.col[k] == j) return p->W.x[k];
  return 0;
}

// The sign of det of W_nn - mu W_nt S over contacts that slip; free ones are left out. Plain elimination.
static int sign_of(const ss_problem *p, const unsigned char *pattern, double mu) {
  double A[32][32];
  int at[32], n = 0, sign = 1;
  for (int i = 0; i < p->nc; i++)
    if (pattern[i] != SS_PATTERN_FREE) at[n++] = i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      assert_true(pattern[at[j]] == SS_PATTERN_SLIP_PLUS ||
                  pattern[at[j]] == SS_PATTERN_SLIP_MINUS);
      double s = pattern[at[j]] == SS_PATTERN_SLIP_PLUS ? 1 : -1;
      A[i][j] = entry(p, 2 * at[i], 2 * at[j]) - s * mu * entry(p, 2 * at[i], 2 * at[j] + 1);
    }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    if (best != k) sign = -sign;
    for (int j = 0; j < n; j++) {
      double swap = A[k][j];
      A[k][j] = A[best][j], A[best][j] = swap;
    }
    if (A[k][k] < 0) sign = -sign;
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  }
  return sign;
}

static void check_root(const ss_problem *p, const unsigned char *pattern, double mu) {
  assert_int_equal(sign_of(p, pattern, mu * (1 - 1e-6)), 1);
  assert_int_equal(sign_of(p, pattern, mu * (1 + 1e-6)), -1);
}

static void test_square(void **state) {
  (void)state;
  double before = 0;
  for (int n = 3; n <= most; n++) {
    char text[16];
    unsigned char pattern[64];
    snprintf(text, sizeof text, "%d", n);
    ss_problem *p = build("elastic-square", "n", text);
    ss_critical_value slip;
    ss_critical *c;
    ss_critical_options o = ss_critical_options_default();
    o.criteria = 1u << SS_BIJECTIVE;
    if (ss_critical_compute(&ctx, p, &o, &c)) fail_msg("%s", ctx.message);
    if (ss_critical_all_slip(&ctx, p, NULL, &slip, pattern)) fail_msg("%s", ctx.message);
    const ss_critical_value *all = &c->value[SS_BIJECTIVE];
    assert_true(all->exact && slip.exact);
    assert_near(slip.patterns, pow(2, n), 0);
    check_root(p, pattern, slip.mu);
    check_root(p, all->pattern, all->mu);
    bool ends_free = all->pattern[0] == SS_PATTERN_FREE && all->pattern[n - 1] == SS_PATTERN_FREE;
    print_message("n %2d: critical %.9f, all slip %.9f%s\n", n, all->mu, slip.mu,
                  ends_free ? ", ends free" : "");
    assert_true(all->mu <= slip.mu * (1 + 1e-9));
    assert_int_equal(ends_free, n > 5);
    if (n <= 5) assert_near(all->mu, slip.mu, 1e-9);
    if (n > 6) assert_near(all->mu, before, 0.02);  // it converges
    before = all->mu;
    ss_critical_destroy(c);
    ss_problem_destroy(p);
  }
}

// One contact: (k_tt)/|k_nt|, tan(theta) of Klarbring's springs.
static void test_one_contact(void **state) {
  (void)state;
  ss_problem *p = build("klarbring", "tan_theta", "3/4");
  ss_critical_value v;
  unsigned char pattern[1];
  assert_int_equal(ss_critical_all_slip(&ctx, p, NULL, &v, pattern), SS_OK);
  assert_near(v.mu, 0.75, 1e-12);
  ss_critical_options o = ss_critical_options_default();
  o.time_limit_s = 0;  // over before it begins: an upper bound of nothing
  assert_int_equal(ss_critical_all_slip(&ctx, p, &o, &v, pattern), SS_OK);
  assert_false(v.exact);
  ss_problem_destroy(p);
}

int main(int argc, char **argv) {
  if (argc > 1) most = atoi(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_square),
      cmocka_unit_test(test_one_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
