// models/ against the shared oracles: the criterion problems G, the stiffness matrices and every stored
// solution of B and E, judged as a solution of the model's problem.
#include "harness.h"

#include <jansson.h>

#include "la/sparse.h"
#include "models/number.h"
#include "stickslip/io.h"
#include "stickslip/models.h"

static json_t *oracles;

static int load(void **state) {
  (void)state;
  oracles = json_load_file(STICKSLIP_SHARED "/oracles/oracles.json", 0, NULL);
  return 0;
}

static int unload(void **state) {
  (void)state;
  json_decref(oracles);
  return 0;
}

static json_t *section(const char *name, const char *key) {
  need_shared("oracles/oracles.json");
  json_t *list = json_object_get(json_object_get(oracles, name), key);
  assert_true(json_array_size(list) > 0);
  return list;
}

// A number, or a string "5/6".
static double number(const json_t *value) {
  ssi_number n;
  if (!json_is_string(value)) return json_number_value(value);
  assert_null(ssi_number_parse(json_string_value(value), &n));
  return n.x;
}

static double field(const json_t *object, const char *key) {
  return number(json_object_get(object, key));
}

// ---- G --------------------------------------------------------------------------------------

static void compare_criterion(const char *file, const char *model, const ss_model_setting *s,
                              int count) {
  char name[64];
  ss_file *f;
  ss_problem *p;
  ss_context ctx = {0};
  snprintf(name, sizeof name, "oracles/problems/%s.json", file);
  if (ss_file_open(&ctx, need_shared(name), &(ss_read_options){0}, &f)) fail_msg("%s", ctx.message);
  if (ss_model_build(&ctx, model, s, count, &p)) fail_msg("%s", ctx.message);
  const ss_problem *g = &f->problem;
  assert_int_equal(p->nc, g->nc);
  assert_int_equal(p->ndof, g->ndof);
  for (int i = 0; i < g->nc; i++) assert_near(p->mu[i], g->mu[i], 1e-15);
  for (int i = 0; i < 3 * g->nc; i++) {
    assert_near(p->w[i], g->w[i], 1e-15);
    for (int j = 0; j < g->ndof; j++)
      assert_near(ssi_sparse_entry(&p->H, i, j), ssi_sparse_entry(&g->H, i, j), 1e-15);
  }
  ss_problem_destroy(p);
  ss_file_close(f);
}

static void test_criterion(void **state) {
  (void)state;
  compare_criterion("G01", "ball", NULL, 0);
  compare_criterion("G03", "ball", &(ss_model_setting){"V", "-3/5", 0}, 1);
  ss_model_setting g05[] = {{"rotation", "0", 0},
                            {"V", "-2/5", 0},
                            {"a", "1/2", 0},
                            {"mu1", "1/2", 0},
                            {"mu2", "4/5", 0}};
  compare_criterion("G05", "ball", g05, 5);
  ss_model_setting g07[] = {{"u0", "-1", 0}, {"a", "1/2", 0}, {"mu", "1", 0}};
  compare_criterion("G07", "painleve3d", g07, 3);
  g07[0].text = "1";
  compare_criterion("G09", "painleve3d", g07, 3);
  ss_model_setting g11[] = {{"u0", "0", 0}, {"a", "1", 0}, {"mu", "3/4", 0}};
  compare_criterion("G11", "painleve3d", g11, 3);
  g11[0].text = "1";
  compare_criterion("G13", "painleve3d", g11, 3);
  ss_model_setting g15[] = {{"beta", "0.3", 0}, {"Vy", "2/5", 0}, {"Vz", "1/5", 0}};
  compare_criterion("G15", "wedge", g15, 3);
  g15[0].text = "0.8";
  compare_criterion("G17", "wedge", g15, 3);
}

// ---- B and E: matrices and solutions --------------------------------------------------------

static void test_stiffness(void **state) {
  (void)state;
  size_t i;
  json_t *c;
  json_array_foreach(section("B_agwa", "critical"), i, c) {
    const char *model = json_string_value(json_object_get(c, "model"));
    const json_t *params = json_object_get(c, "params"), *K = json_object_get(c, "K");
    bool periodic = strcmp(model, "periodic") == 0;
    if (strcmp(model, "ext_alart") == 0) model = "alart3";
    ss_model_setting s[] = {{"theta_deg", 0, field(params, "theta_deg")},
                            {"k1", 0, field(params, "k1")},
                            {"k2", 0, field(params, "k2")},
                            {"k3", 0, field(params, "k3")}};
    ss_problem *p;
    assert_int_equal(ss_model_build(NULL, model, s, periodic ? 4 : 1, &p), SS_OK);
    assert_int_equal((int)json_array_size(K), p->ndof);
    for (int a = 0; a < p->ndof; a++)
      for (int b = 0; b < p->ndof; b++)
        assert_near(ssi_sparse_entry(&p->M, a, b),
                    number(json_array_get(json_array_get(K, (size_t)a), (size_t)b)), 4e-16);
    ss_problem_destroy(p);
  }
}

// r of the paper is (-r_N, r_T) here.
static void judge(const ss_problem *p, const json_t *reaction, const json_t *displacement) {
  double r[8] = {0}, u[8] = {0};
  ss_verdict v;
  for (int k = 0; k < 2 * p->nc; k++)
    r[k] = (k % 2 ? 1 : -1) * number(json_array_get(reaction, (size_t)k));
  assert_int_equal(ss_verify(NULL, p, &(ss_solution){.r = r}, u, NULL, NULL, NULL, &v), SS_OK);
  assert_true(v.error <= 1e-14);
  for (int k = 0; k < 2 * p->nc; k++)
    assert_near(u[k], (k % 2 ? 1 : -1) * number(json_array_get(displacement, (size_t)k)), 1e-14);
}

static void test_samples(void **state) {
  (void)state;
  static const char *const lists[] = {"klarbring_samples", "alart_samples"};
  static const char *const models[] = {"klarbring", "alart"};
  for (int which = 0; which < 2; which++) {
    size_t i, k;
    json_t *c, *solution;
    json_array_foreach(section("B_agwa", lists[which]), i, c) {
      const json_t *f = json_object_get(c, "f");
      double tangent = field(c, "sin") / field(c, "cos");
      ss_model_setting s[] = {{"tan_theta", 0, tangent},
                              {"mu", 0, field(c, "mu")},
                              {"f_n", 0, number(json_array_get(f, 0))},
                              {"f_t", 0, number(json_array_get(f, 1))}};
      ss_problem *p;
      assert_int_equal(ss_model_build(NULL, models[which], s, 4, &p), SS_OK);
      json_array_foreach(json_object_get(c, "solutions"), k, solution)
          judge(p, json_object_get(solution, "r"), json_object_get(solution, "u"));
      ss_problem_destroy(p);
    }
  }
}

static void test_static(void **state) {
  (void)state;
  size_t i, k;
  json_t *c, *solution;
  json_array_foreach(section("E_static_one_contact", "samples"), i, c) {
    const json_t *f = json_object_get(c, "f");
    ss_model_setting s[] = {{"beta", 0, field(c, "beta")},
                            {"c", 0, field(c, "c")},
                            {"mu", 0, field(c, "F")},
                            {"f_n", 0, number(json_array_get(f, 0))},
                            {"f_t", 0, number(json_array_get(f, 1))}};
    ss_problem *p;
    assert_int_equal(ss_model_build(NULL, "static", s, 5, &p), SS_OK);
    json_array_foreach(json_object_get(c, "solutions"), k, solution)
        judge(p, json_object_get(solution, "lambda"), json_object_get(solution, "u"));
    ss_problem_destroy(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_criterion),
      cmocka_unit_test(test_stiffness),
      cmocka_unit_test(test_samples),
      cmocka_unit_test(test_static),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
