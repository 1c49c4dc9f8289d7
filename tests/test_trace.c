// analysis/trace: the models with closed forms (oracles B, E) over load angle and friction; folds, vertical pieces, ends;
// the rate problem.
#include "harness.h"

#include "agwa_forms.h"
#include "stickslip/models.h"
#include "stickslip/rate.h"
#include "stickslip/trace.h"
#include "without_memory.h"

typedef struct model_family {
  const char *model, *over;
  ss_model_setting fixed[6];
  int count;
} model_family;

static ss_error model_at(void *user, ss_context *ctx, double p, ss_problem **out) {
  model_family *f = user;
  ss_model_setting all[7];
  memcpy(all, f->fixed, sizeof f->fixed);
  all[f->count] = (ss_model_setting){f->over, NULL, p};
  return ss_model_build(ctx, f->model, all, f->count + 1, out);
}

static ss_context context;  // outlives the traces

static ss_trace *trace(model_family *f, double from, double to) {
  ss_trace_options o = ss_trace_options_default();
  ss_trace *found;
  o.from = from, o.to = to, o.samples = 33;
  if (ss_trace_create(&context, &o, model_at, f, &found)) fail_msg("%s", context.message);
  assert_true(found->error_max <= 1e-9);  // of reactions up to 1e6 times the load
  return found;
}

static bool is_one_of(double x, const double *places, int count) {
  for (int k = 0; k < count; k++)
    if (fabs(x - places[k]) <= 1e-10 * fmax(1, fabs(places[k]))) return true;
  return false;
}

// All changes, folds and branchings are at one of the places.
static void assert_places(const ss_trace *of, const double *places, int count) {
  for (int k = 0; k < of->change_count; k++)
    if (!is_one_of(of->changes[k].parameter, places, count))
      fail_msg("a change at %.17g", of->changes[k].parameter);
  for (int k = 0; k < of->fold_count; k++)
    if (!is_one_of(of->folds[k].parameter, places, count))
      fail_msg("a fold at %.17g", of->folds[k].parameter);
  for (int k = 0; k < of->branching_count; k++)
    if (!is_one_of(of->branchings[k].parameter, places, count))
      fail_msg("a branching at %.17g", of->branchings[k].parameter);
}

// The patterns that have a piece over p, as bits of agwa_forms.h.
static unsigned patterns_over(const ss_trace *of, double p) {
  unsigned set = 0;
  for (int b = 0; b < of->branch_count; b++)
    for (int k = 0; k + 1 < of->branches[b].point_count; k++) {
      const ss_trace_point *x = &of->branches[b].points[k], *y = x + 1;
      if (memcmp(x->states, y->states, sizeof *x->states * (size_t)of->nc) != 0) continue;
      if ((x->parameter - p) * (y->parameter - p) < 0)
        set |= of->nc == 1 ? ONE(x->states[0]) : TWO(x->states[0], x->states[1]);
    }
  return set;
}

// ---- Klarbring ------------------------------------------------------------------------------

// u_T and r_N of a state (Table 4 corrected) in our signs.
static void klarbring_point(double mu, double T, ss_cell_state state, double *u_T, double *r_N) {
  double side = state == SS_CELL_SLIP_PLUS ? 1 : -1;
  *u_T = 0, *r_N = 1;
  if (state == SS_CELL_FREE) {
    *u_T = -c / s + (1 + c * c) / (s * s) * T, *r_N = 0;
  } else if (state != SS_CELL_STICK) {
    *u_T = (T - side * mu) / (s * (s - side * mu * c));
    *r_N = -(c * T - s) / (s - side * mu * c);
  }
}

static void klarbring_over_load(void **state) {
  (void)state;
  static const double frictions[] = {0, 0.2, 0.5, 0.7, 0.74, 0.76, 0.9, 1.5, 2.5};
  for (size_t k = 0; k < sizeof frictions / sizeof *frictions; k++) {
    double mu = frictions[k], places[] = {-mu, mu, t};
    model_family f = {"klarbring", "tan_alpha", {{"tan_theta", "3/4", 0}, {"mu", NULL, mu}}, 2};
    ss_trace *x = trace(&f, -3, 3);
    assert_true(x->complete);
    assert_int_equal(x->branch_count, 1);
    assert_int_equal(x->change_count, mu > 0 ? 3 : 2);
    assert_int_equal(x->fold_count, mu > t ? 2 : 0);
    assert_places(x, places, 3);
    for (int i = 0; i < 50; i++) {
      double T = -2.96 + 0.1181 * i;
      assert_int_equal(patterns_over(x, T), klarbring(mu, 1, T));
    }
    for (int i = 0; i < x->branches[0].point_count; i++) {
      const ss_trace_point *p = &x->branches[0].points[i];
      double u_T, r_N;
      klarbring_point(mu, p->parameter, p->states[0], &u_T, &r_N);
      assert_near(p->u[1], u_T, 1e-10 / fmin(1, fabs(s - mu * c)));
      assert_near(p->r[0], r_N, 1e-10 / fmin(1, fabs(s - mu * c)));
    }
    ss_trace_destroy(x);
  }
}

// f_t = tan(theta) f_n at mu = tan(theta): u_T from 0 to 1/(s c), a vertical piece, over the load and over friction.
static void klarbring_continuum(void **state) {
  (void)state;
  for (int over_mu = 0; over_mu < 2; over_mu++) {
    model_family f = {"klarbring",
                      over_mu ? "mu" : "tan_alpha",
                      {{"tan_theta", "3/4", 0}, {over_mu ? "tan_alpha" : "mu", "3/4", 0}},
                      2};
    ss_trace *x = trace(&f, 0, 2);
    assert_true(x->complete);
    assert_int_equal(x->continuum_count, 1);
    const ss_trace_continuum *v = &x->continua[0];
    assert_near(v->parameter, t, 1e-12);
    assert_int_equal(v->states[0], SS_CELL_SLIP_PLUS);
    assert_false(v->unbounded);
    assert_near(fmin(v->u[0][1], v->u[1][1]), 0, 1e-10);
    assert_near(fmax(v->u[0][1], v->u[1][1]), 1 / (s * c), 1e-10);
    ss_trace_destroy(x);
  }
}

// Between t and mu three solutions: over friction the fold of stick and slip is at mu = f_t/f_n.
static void klarbring_over_friction(void **state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    double T = -1.4 + 0.3 * k, places[] = {fabs(T)};
    model_family f = {"klarbring", "mu", {{"tan_theta", "3/4", 0}, {"tan_alpha", NULL, T}}, 2};
    ss_trace *x = trace(&f, 0, 4);
    assert_true(x->complete);
    assert_places(x, places, 1);
    assert_int_equal(x->fold_count, T > t ? 1 : 0);
    for (int i = 0; i < 50; i++) {
      double mu = 0.0137 + 0.0795 * i;
      assert_int_equal(patterns_over(x, mu), klarbring(mu, 1, T));
    }
    ss_trace_destroy(x);
  }
}

// The load turns by more than half a circle: f = (cos, sin) alpha.
static void klarbring_turning(void **state) {
  (void)state;
  double mu = 1.3, places[] = {-atan(mu), atan(mu), atan(t), atan(t) + 3.14159265358979323846};
  model_family f = {"klarbring", "alpha", {{"tan_theta", "3/4", 0}, {"mu", NULL, mu}}, 2};
  ss_trace *x = trace(&f, -1.5, 4.6);
  assert_true(x->complete);
  assert_places(x, places, 4);
  assert_int_equal(x->fold_count, 2);
  for (int i = 0; i < 50; i++) {
    double alpha = -1.47 + 0.1213 * i;
    assert_int_equal(patterns_over(x, alpha), klarbring(mu, cos(alpha), sin(alpha)));
  }
  ss_trace_destroy(x);
}

// ---- the static contact of paper 004 ----------------------------------------------------------

static void static_contact(void **state) {
  (void)state;
  static const double frictions[] = {0.4, 1, 1.5, 2};
  double beta = 1.2, coupling = 1, ratio = beta / coupling;
  for (int k = 0; k < 4; k++) {
    double friction = frictions[k], places[] = {-friction, friction, -ratio};
    model_family f = {"static",
                      "f_t",
                      {{"beta", "6/5", 0}, {"c", "1", 0}, {"mu", NULL, friction}, {"f_n", "1", 0}},
                      4};
    ss_trace *x = trace(&f, -4, 4);
    assert_true(x->complete);
    assert_int_equal(x->branch_count, 1);
    assert_int_equal(x->change_count, 3);
    assert_int_equal(x->fold_count, friction > ratio ? 2 : 0);
    assert_places(x, places, 3);
    for (int i = 0; i < 50; i++) {
      double f_t = -3.97 + 0.1571 * i;
      int three = friction > ratio && f_t > -friction && f_t < -ratio, found = 0;
      for (unsigned set = patterns_over(x, f_t); set; set &= set - 1) found++;
      assert_int_equal(found, three ? 3 : 1);
    }
    ss_trace_destroy(x);
  }
  // friction = beta/c: the continuum u_tau in [-f_nu/c, 0] at f_tau = -friction f_nu
  model_family f = {
      "static", "f_t", {{"beta", "6/5", 0}, {"c", "1", 0}, {"mu", "6/5", 0}, {"f_n", "1", 0}}, 4};
  ss_trace *x = trace(&f, -4, 4);
  assert_int_equal(x->continuum_count, 1);
  assert_near(x->continua[0].parameter, -1.2, 1e-12);
  assert_near(fmin(x->continua[0].u[0][1], x->continua[0].u[1][1]), -1, 1e-10);
  assert_near(fmax(x->continua[0].u[0][1], x->continua[0].u[1][1]), 0, 1e-10);
  ss_trace_destroy(x);
}

// ---- Alart ----------------------------------------------------------------------------------

static void alart_over_load(void **state) {
  (void)state;
  static const double frictions[] = {0.3, 0.7, 0.9, 1.1, 1.3, 2, 3, 4.5, 6};
  double M1 = t + 1 / (s * c), M2 = t + 2 / (s * c);
  for (size_t k = 0; k < sizeof frictions / sizeof *frictions; k++) {
    double mu = frictions[k], L = (s * c - 2 * mu) / (s * s), places[] = {-mu, mu, -M1, -M2, L};
    model_family f = {"alart", "tan_alpha", {{"tan_theta", "3/4", 0}, {"mu", NULL, mu}}, 2};
    ss_trace *x = trace(&f, -12, 8);
    assert_true(x->complete);
    assert_places(x, places, 5);
    for (int i = 0; i < 50; i++) {
      double T = -11.93 + 0.3973 * i;
      if (patterns_over(x, T) != alart_down(mu, T)) fail_msg("mu %g, T %g", mu, T);
    }
    ss_trace_destroy(x);
  }
}

// Over friction: branchings at mu = t (with a vertical piece of slip- slip+ for -M2 < T < -t) and at mu = -T.
static void alart_over_friction(void **state) {
  (void)state;
  static const double loads[] = {-0.4, -1, -2, -2.5, -3.5, -4.7, -5.5, -7};
  double M1 = t + 1 / (s * c), M2 = t + 2 / (s * c);
  for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
    double T = loads[k], edge = s * (c - s * T) / 2;  // L(mu) = T
    double places[] = {t, -T, edge};
    model_family f = {"alart", "mu", {{"tan_theta", "3/4", 0}, {"tan_alpha", NULL, T}}, 2};
    ss_trace *x = trace(&f, 0, 8);
    assert_true(x->complete);
    assert_places(x, places, 3);
    bool vertical = T > -M2 && T < -t;
    assert_int_equal(x->continuum_count, vertical ? 1 : 0);
    if (vertical) {
      // from where one contact stops to where the other does, or lifts
      const ss_trace_continuum *v = &x->continua[0];
      assert_near(v->parameter, t, 1e-12);
      assert_int_equal(v->states[0], SS_CELL_SLIP_MINUS);
      assert_int_equal(v->states[1], SS_CELL_SLIP_PLUS);
      double sum = v->u[0][3] - v->u[0][1];
      assert_near(v->u[1][3] - v->u[1][1], sum, 1e-9);  // the mode is (1, 1)
      if (T > -M1) assert_near(fmin(v->u[0][3], v->u[1][3]), 0, 1e-9);
    }
    for (int i = 0; i < 50; i++) {
      double mu = 0.031 + 0.1591 * i;
      if (patterns_over(x, mu) != alart_down(mu, T)) fail_msg("mu %g, T %g", mu, T);
    }
    ss_trace_destroy(x);
  }
}

// The corners of Fig. 13, where several vertical pieces meet.
static void alart_corners(void **state) {
  (void)state;
  static const struct {
    const char *mu;
    int pieces;
  } corners[] = {{"9/8", 2}, {"17/6", 2}, {"59/12", 1}};
  for (int k = 0; k < 3; k++) {
    model_family f = {"alart", "tan_alpha", {{"tan_theta", "3/4", 0}, {"mu", corners[k].mu, 0}}, 2};
    ss_trace *x = trace(&f, -9, 3);
    assert_true(x->complete);
    assert_int_equal(x->continuum_count, corners[k].pieces);
    ss_trace_destroy(x);
  }
  // at mu = t a whole range of loads has a continuum: said
  model_family f = {"alart", "tan_alpha", {{"tan_theta", "3/4", 0}, {"mu", "3/4", 0}}, 2};
  ss_trace *x = trace(&f, -9, 3);
  assert_false(x->complete);
  ss_trace_destroy(x);
}

// ---- ends -----------------------------------------------------------------------------------

// The rod with g > 0, u0 > 0: beside take-off a slip that comes from infinity at mu = t.
static void rod_from_infinity(void **state) {
  (void)state;
  model_family f = {"painleve", "mu", {{"tan_theta", "3/4", 0}, {"u0", "1", 0}, {"g", "1", 0}}, 3};
  ss_trace *x = trace(&f, 0, 3);
  assert_int_equal(x->branch_count, 2);
  const ss_trace_branch *b = &x->branches[1];
  assert_int_equal(b->ends[0], SS_END_INFINITY);
  assert_near(b->limit[0], t, 1e-12);
  assert_int_equal(b->ends[1], SS_END_RANGE);
  ss_trace_destroy(x);
}

static void one_solution_only(void **state) {
  (void)state;
  model_family f = {"klarbring", "mu", {{"tan_theta", "3/4", 0}, {"tan_alpha", "1", 0}}, 2};
  ss_trace_options o = ss_trace_options_default();
  double at = 1.5;
  ss_trace *x;
  o.from = 0, o.to = 2, o.at = &at, o.at_count = 1, o.only = 1;
  assert_int_equal(ss_trace_create(&context, &o, model_at, &f, &x), SS_OK);
  assert_int_equal(x->branch_count, 1);
  assert_int_equal(x->fold_count, 1);
  ss_trace_destroy(x);
  o.only = 3;
  assert_int_equal(ss_trace_create(&context, &o, model_at, &f, &x), SS_ERR_ARGUMENT);
  assert_non_null(strstr(context.message, "there are 3"));
  o.only = -1, o.to = 0;
  assert_int_equal(ss_trace_create(&context, &o, model_at, &f, &x), SS_ERR_ARGUMENT);
}

static int stop_soon(void *user, const ss_trace_progress *now) {
  (void)user;
  return now->points > 20;
}

static void stops(void **state) {
  (void)state;
  model_family f = {"alart", "mu", {{"tan_theta", "3/4", 0}, {"tan_alpha", "-4", 0}}, 2};
  ss_trace_options o = ss_trace_options_default();
  ss_trace *x;
  o.from = 0, o.to = 7, o.max_points = 30;
  assert_int_equal(ss_trace_create(&context, &o, model_at, &f, &x), SS_OK);
  assert_string_equal(x->stopped, "max_points");
  assert_false(x->complete);
  ss_trace_destroy(x);
  o.max_points = 1000, o.progress = stop_soon;
  assert_int_equal(ss_trace_create(&context, &o, model_at, &f, &x), SS_OK);
  assert_string_equal(x->stopped, "cancelled");
  ss_trace_destroy(x);
  model_family solid = {"painleve3d", "mu", {{0}}, 0};
  assert_int_equal(ss_trace_create(&context, &o, model_at, &solid, &x), SS_ERR_METHOD);
  assert_non_null(strstr(context.message, "dim 3"));
}

static ss_error trace_once(ss_context *ctx, void *family) {
  ss_trace_options o = ss_trace_options_default();
  ss_trace *x = NULL;
  o.from = 0.5, o.to = 1.5, o.samples = 2, o.step = 0.2;
  ss_error e = ss_trace_create(ctx, &o, model_at, family, &x);
  ss_trace_destroy(x);
  return e;
}

static void memory_fails(void **state) {
  (void)state;
  model_family f = {"alart", "mu", {{"tan_theta", "3/4", 0}, {"tan_alpha", "-4", 0}}, 2};
  let_each_call_fail("trace", trace_once, &f, 300, true);
}

// ---- the rate problem -------------------------------------------------------------------------

static ss_problem *klarbring_problem(double mu, double f_n, double f_t) {
  ss_problem *p;
  ss_model_setting fixed[] = {
      {"tan_theta", "3/4", 0}, {"mu", NULL, mu}, {"f_n", NULL, f_n}, {"f_t", NULL, f_t}};
  assert_int_equal(ss_model_build(&context, "klarbring", fixed, 4, &p), SS_OK);
  return p;
}

// At rest without load every rate is that of a load: the sets of Fig. 9, by the direction of the change.
static void rates_at_grazing(void **state) {
  (void)state;
  double r[2] = {0, 0};
  for (int k = 0; k < 60; k++) {
    double angle = 0.013 + 0.1047 * k, rate[2] = {-cos(angle), -sin(angle)};  // f is minus the load
    for (int high = 0; high < 2; high++) {
      double mu = high ? 1.5 : 0.4;
      ss_problem *p = klarbring_problem(mu, 0, 0);
      ss_rate_set *set;
      ss_rate_load load = {.f = rate};
      assert_int_equal(ss_rate_enumerate(&context, p, r, &load, NULL, &set), SS_OK);
      assert_int_equal(set->grazing, 1);
      assert_int_equal(set->patterns, 4);
      unsigned found = 0;
      for (int w = 0; w < set->count; w++) found |= ONE(set->ways[w].states[0]);
      assert_int_equal(found, klarbring(mu, cos(angle), sin(angle)));
      ss_rate_set_destroy(set);
      ss_problem_destroy(p);
    }
  }
}

// On the edge of the cone, beyond the critical friction: f_t falls: stick only; f_t grows: slip and lift have no way.
static void rates_on_the_edge(void **state) {
  (void)state;
  double mu = 0.5, r[2] = {1, -mu};
  ss_problem *p = klarbring_problem(mu, 1, mu);
  for (int side = -1; side <= 1; side += 2) {
    double rate[2] = {0, -side};
    ss_rate_load load = {.f = rate};
    ss_rate_set *set;
    assert_int_equal(ss_rate_enumerate(&context, p, r, &load, NULL, &set), SS_OK);
    assert_int_equal(set->edges, 1);
    assert_int_equal(set->patterns, 2);
    assert_int_equal(set->places[0], SS_PLACE_EDGE);
    assert_int_equal(set->count, 1);
    assert_int_equal(set->ways[0].states[0], side > 0 ? SS_CELL_SLIP_PLUS : SS_CELL_STICK);
    if (side > 0) assert_near(set->ways[0].u[1], 1 / (s * (s - mu * c)), 1e-10);
    ss_rate_set_destroy(set);
  }
  // not a solution: by how much
  double wrong[2] = {2, -mu}, rate[2] = {0, 1};
  ss_rate_load load = {.f = rate};
  ss_rate_set *set;
  assert_int_equal(ss_rate_enumerate(&context, p, wrong, &load, NULL, &set), SS_ERR_DATA);
  assert_non_null(strstr(context.message, "is no solution: its error is"));
  ss_problem_destroy(p);
}

// A contact that slips: in the evolution it may stop at once, in the increment only where u_T comes to zero.
static void two_laws(void **state) {
  (void)state;
  double mu = 0.5, T = 0.6, u_T, r_N;
  klarbring_point(mu, T, SS_CELL_SLIP_PLUS, &u_T, &r_N);
  double r[2] = {r_N, -mu * r_N}, rate[2] = {0, 1};  // f_t falls
  ss_problem *p = klarbring_problem(mu, 1, T);
  ss_rate_load load = {.f = rate};
  for (int law = 0; law < 2; law++) {
    ss_rate_options o = ss_rate_options_default();
    ss_rate_set *set;
    o.law = (ss_rate_law)law;
    assert_int_equal(ss_rate_enumerate(&context, p, r, &load, &o, &set), SS_OK);
    assert_int_equal(set->count, 1);
    assert_int_equal(set->places[0], law ? SS_PLACE_SLIP : SS_PLACE_EDGE);
    assert_int_equal(set->ways[0].states[0], law ? SS_CELL_SLIP_PLUS : SS_CELL_STICK);
    ss_rate_set_destroy(set);
  }
  ss_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(klarbring_over_load),
      cmocka_unit_test(klarbring_continuum),
      cmocka_unit_test(klarbring_over_friction),
      cmocka_unit_test(klarbring_turning),
      cmocka_unit_test(static_contact),
      cmocka_unit_test(alart_over_load),
      cmocka_unit_test(alart_over_friction),
      cmocka_unit_test(alart_corners),
      cmocka_unit_test(rod_from_infinity),
      cmocka_unit_test(one_solution_only),
      cmocka_unit_test(stops),
      cmocka_unit_test(memory_fails),
      cmocka_unit_test(rates_at_grazing),
      cmocka_unit_test(rates_on_the_edge),
      cmocka_unit_test(two_laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
