// The two blocks of [LSCM03, 3]: shared samples, the work of the sweeps, the four regions of Fig. 2 (a) and (b) as
// atlases of statuses, and the same regions by Lemke's method on the plane problem.
#include "predicted.h"

#include <jansson.h>

#include "dense.h"
#include "stickslip/models.h"
#include "stickslip/solver.h"
#include "without_memory.h"

static const double WEIGHT = 10, G = 9.81;
enum { SEPARATION, STICK_SLIP };
static const char *const kinds[] = {"separation", "stick_slip"};

static ss_problem *blocks(int kind, double F1, double F2) {
  ss_model_setting s[] = {{"kind", kinds[kind], 0}, {"F1", NULL, F1}, {"F2", NULL, F2}};
  static ss_context ctx;  // lives as long as the problem
  ss_problem *p;
  if (ss_model_build(&ctx, "two-blocks", s, 3, &p)) fail_msg("%s", ctx.message);
  return p;
}

static ss_prediction *predict_blocks(const ss_problem *p, const ss_status_options *o) {
  return predict(&(ss_instant){.system = p}, o);
}

// ---- shared samples ---------------------------------------------------------------------------

static double at(const json_t *sample, const char *key, const char *inner) {
  return json_number_value(json_object_get(json_object_get(sample, key), inner));
}

// "open" is free, "slip+" and "slip-" are slip.
static bool is_named(const char *word, ss_state s) {
  if (s == SS_FREE) return strcmp(word, "open") == 0;
  return strncmp(word, ss_state_name(s), strlen(ss_state_name(s))) == 0;
}

static bool is_listed(const json_t *list, const ss_prediction *p) {
  size_t k;
  json_t *states;
  json_array_foreach(list, k, states) {
    bool same = true;
    for (int i = 0; i < 2; i++)
      same = same &&
             is_named(json_string_value(json_array_get(states, (size_t)i)), p->contacts[i].next);
    if (same) return true;
  }
  return false;
}

// Statuses of the regions, border points included.
static ss_state expected_state(int kind, const char *region, int contact) {
  bool both = strcmp(region, "II") == 0, none = strcmp(region, "I") == 0;
  bool first = strcmp(region, "IV") == 0;
  bool stays = both || (!none && first == (contact == 0));
  return stays ? SS_STICK : kind == SEPARATION ? SS_FREE : SS_SLIP;
}

static void check_forces(const json_t *sample, const ss_prediction *p) {
  static const char *const lambda[] = {"lambda1", "lambda2"};
  static const char *const frame[] = {"local_R1_xyN", "local_R2_xyN"};
  for (int i = 0; i < 2; i++) {
    const json_t *xyn = json_object_get(json_object_get(sample, lambda[i]), frame[i]);
    for (int k = 0; k < 3; k++)
      assert_near(p->force[3 * i + k], json_number_value(json_array_get(xyn, (size_t)(k + 2) % 3)),
                  1e-9);
  }
}

static void check_accelerations(const json_t *sample, const ss_prediction *p) {
  static const char *const body[] = {"m_times_acc_block1", "m_times_acc_block2"};
  static const char *const contact[] = {"m_times_rel_acc_contact1", "m_times_rel_acc_contact2"};
  double m = WEIGHT / G, turned = sqrt(0.5);
  for (int i = 0; i < 2; i++) {
    const double *a = p->acceleration + 3 * i, *slip = p->slip + 3 * i;
    assert_near(m * turned * (a[0] + a[1]), at(sample, body[i], "X2"), 1e-9);
    assert_near(turned * (a[1] - a[0]), 0, 1e-9);
    assert_near(m * a[2], at(sample, body[i], "Z"), 1e-9);
    assert_near(m * slip[0], at(sample, contact[i], "N"), 1e-9);
    double along = i == 0 ? turned * (slip[1] + slip[2]) : slip[1];
    assert_near(m * along, at(sample, contact[i], "T"), 1e-9);
  }
}

static void shared_samples(void **state) {
  (void)state;
  json_t *oracles = json_load_file(STICKSLIP_SHARED "/oracles/oracles.json", 0, NULL), *sample;
  size_t k;
  if (!oracles) {
    print_message("oracles.json is not there: skipped\n");
    skip();
  }
  json_t *list = json_object_get(json_object_get(oracles, "C_two_blocks"), "samples");
  assert_true(json_array_size(list) > 20);
  for (ss_status_method m = SS_STATUS_AUTO; m <= SS_STATUS_GENERAL; m++)
    json_array_foreach(list, k, sample) {
      const char *name = json_string_value(json_object_get(sample, "kind"));
      const char *region = json_string_value(json_object_get(sample, "region"));
      int kind = strcmp(name, "stick-slip") == 0 ? STICK_SLIP : SEPARATION;
      ss_problem *p = blocks(kind, json_number_value(json_object_get(sample, "F1")),
                             json_number_value(json_object_get(sample, "F2")));
      ss_status_options o = ss_status_options_default();
      o.method = m;
      ss_prediction *x = predict_blocks(p, &o);
      assert_true(x->solved);
      assert_true(is_listed(json_object_get(sample, "states_enumeration"), x));
      for (int i = 0; i < 2; i++)
        assert_int_equal(x->contacts[i].next, expected_state(kind, region, i));
      check_forces(sample, x);
      check_accelerations(sample, x);
      ss_prediction_destroy(x);
      ss_problem_destroy(p);
    }
  json_decref(oracles);
}

// ---- the work of the sweeps -------------------------------------------------------------------

// "Less than 22 iterations of Gauss-Seidel and less than 4 of Newton, for a precision of 1e-5."
static void work_of_sweeps(void **state) {
  (void)state;
  ss_status_options o = ss_status_options_default();
  o.method = SS_STATUS_SWEEPS, o.polish = false, o.tol = 1e-5;
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i <= 40; i++)
      for (int j = 0; j <= 40; j++) {
        ss_problem *p = blocks(kind, 2.0 * i - 40, 2.0 * j - 40);
        ss_prediction *x = predict_blocks(p, &o);
        assert_true(x->solved);
        assert_true(x->iterations < 22);
        assert_true(x->newton < 4);
        ss_prediction_destroy(x);
        ss_problem_destroy(p);
      }
}

// ---- regions ----------------------------------------------------------------------------------

// Closed forms (oracles C): which contacts keep still, as bits.
static int separation(double F1, double F2) {
  if (F2 <= 10 && F1 + F2 <= 20) return 3;
  if (F1 + F2 > 20 && F1 >= F2) return 2;
  return F2 > 10 && F1 <= 10 ? 1 : 0;
}

static int stick_slip(double F1, double F2) {
  double sigma = F1 + F2 > 0 ? 1 : -1, apart = sigma * (F1 - F2);
  if (fabs(F2) <= 10 && fabs(F1 + F2) <= 20) return 3;
  if (fabs(F1 + F2) > 20 && apart >= 0 && apart <= 40) return 2;
  if (F2 > 10 && F1 >= -30 && F1 <= 10) return 1;
  return F2 < -10 && F1 >= -10 && F1 <= 30 ? 1 : 0;
}

static int closed_form(int kind, double F1, double F2) {
  return kind == SEPARATION ? separation(F1, F2) : stick_slip(F1, F2);
}

static ss_error instant_at(void *user, ss_context *ctx, double x, double y, ss_instant *out,
                           void **owner) {
  ss_model_setting s[] = {{"kind", kinds[*(int *)user], 0}, {"F1", NULL, x}, {"F2", NULL, y}};
  ss_problem *p = NULL;
  ss_error e = ss_model_build(ctx, "two-blocks", s, 3, &p);
  *out = (ss_instant){.system = p};
  *owner = p;
  return e;
}

static void release(void *user, void *owner) {
  (void)user;
  ss_problem_destroy(owner);
}

static ss_atlas *map(int kind, int threads) {
  static ss_context ctx;
  ss_atlas_options o = ss_atlas_options_default();
  o.x = (ss_atlas_axis){-40, 40, 40}, o.y = (ss_atlas_axis){-40, 40, 40};
  o.refine = 2, o.threads = threads;
  ss_atlas *a;
  ss_status_plane plane = {.at = instant_at, .release = release, .user = &kind};
  if (ss_status_atlas(&ctx, &o, &plane, &a)) fail_msg("%s", ctx.message);
  return a;
}

static int still_of(const ss_atlas_kind *k, int kind) {
  int bits = 0;
  assert_int_equal(k->count, 1);
  for (int i = 0; i < 2; i++) {
    ss_cell_state s = k->solutions[0].states[i];
    if (s == SS_CELL_STICK)
      bits |= 1 << i;
    else
      assert_int_equal(s, kind == SEPARATION ? SS_CELL_FREE : SS_CELL_SLIP_PLUS);
  }
  return bits;
}

static void regions_of_figure_2(void **state) {
  (void)state;
  static const int regions[] = {
      4, 9};  // the four statuses, once each; II, twice III and IV, four times I
  for (int kind = 0; kind < 2; kind++) {
    ss_atlas *a = map(kind, 1), *b = map(kind, 3);
    assert_true(a->judged);
    assert_int_equal(a->kind_count, 4);
    assert_int_equal(a->region_count, regions[kind]);
    for (int k = 0; k < a->cell_count; k++) {
      double x, y;
      ss_atlas_point(a, &a->cells[k], &x, &y);
      assert_int_equal(still_of(&a->kinds[a->cells[k].kind], kind), closed_form(kind, x, y));
    }
    assert_int_equal(a->cell_count, b->cell_count);
    for (int k = 0; k < a->cell_count; k++)
      assert_memory_equal(&a->cells[k], &b->cells[k], sizeof *a->cells);
    assert_string_equal(ss_atlas_state_name(a, SS_CELL_SLIP_PLUS), "slip");
    ss_atlas_destroy(a), ss_atlas_destroy(b);
  }
}

static ss_error small_map(ss_context *ctx, void *plane) {
  ss_atlas_options o = ss_atlas_options_default();
  ss_atlas *a = NULL;
  o.x = (ss_atlas_axis){0, 40, 2}, o.y = (ss_atlas_axis){0, 40, 2};
  o.refine = 0, o.threads = 1;
  ss_error e = ss_status_atlas(ctx, &o, plane, &a);
  if (e) assert_null(a);
  ss_atlas_destroy(a);
  return e;
}

static void map_without_memory(void **state) {
  (void)state;
  int kind = SEPARATION;
  ss_status_plane plane = {.at = instant_at, .release = release, .user = &kind};
  let_each_call_fail("map", small_map, &plane, 1000, true);
  assert_int_equal(small_map(NULL, NULL), SS_ERR_ARGUMENT);
}

// The plane of X2 and Z, accelerations (x1, z1, x2, z2): the cone is two rays, and the problem one of linear
// complementarity, as Pfeiffer and Glocker solve it.
static int by_lemke(int kind, double F1, double F2) {
  double m = WEIGHT / G, mu[] = {1, 1}, w[4] = {0}, r[4] = {0}, u[4];
  double M[16] = {m, 0, 0, 0, 0, m, 0, 0, 0, 0, m, 0, 0, 0, 0, m};
  const double H[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, -1, 0, 1, -1, 0, 1, 0};
  double f[4] = {0, WEIGHT, 0, WEIGHT};
  int along = kind == SEPARATION ? 1 : 0, bits = 0;
  f[along] -= F1, f[2 + along] -= F2;
  ssi_arena arena = {0};
  ss_problem p = global_problem(&arena, 2, 2, 4, M, f, H, w, mu);
  ss_options o = ss_options_default();
  ss_solver *solver;
  ss_info info;
  o.method = "lemke", o.tol = 1e-12;
  assert_int_equal(ss_solver_create(NULL, &p, &o, &solver), SS_OK);
  assert_int_equal(ss_solve(solver, r, u, NULL, NULL, &info), SS_OK);
  assert_int_equal(info.status, SS_SOLVED);
  for (int i = 0; i < 2; i++)
    if (r[2 * i] > 1e-9 && fabs(u[2 * i + 1]) < 1e-9) bits |= 1 << i;
  ss_solver_destroy(solver);
  ssi_arena_release(&arena);
  return bits;
}

static void regions_by_lemke(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < 40; i++)
      for (int j = 0; j < 40; j++) {
        double F1 = 2 * (i + 0.538) - 40, F2 = 2 * (j + 0.447) - 40;
        ss_problem *p = blocks(kind, F1, F2);
        ss_prediction *x = predict_blocks(p, NULL);
        int bits = (x->contacts[0].next == SS_STICK) | (x->contacts[1].next == SS_STICK) << 1;
        assert_int_equal(by_lemke(kind, F1, F2), bits);
        assert_int_equal(closed_form(kind, F1, F2), bits);
        ss_prediction_destroy(x);
        ss_problem_destroy(p);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_samples),      cmocka_unit_test(work_of_sweeps),
      cmocka_unit_test(regions_of_figure_2), cmocka_unit_test(map_without_memory),
      cmocka_unit_test(regions_by_lemke),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
