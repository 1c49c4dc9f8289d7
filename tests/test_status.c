// events/status*.c: Painleve's rod, which contacts take part, joints, existence, and what is refused.
#include "predicted.h"

#include "dense.h"

// ---- Painleve's rod -----------------------------------------------------------------------------

// A rod of length 2 and mass 1 at 60 degrees, its lower end sliding along x with speed v: W_NN = 1 + 3 c^2,
// W_NT = -3 s c, and g''_N without force -g + s omega^2.
static ss_prediction *rod(double mu, double v, double omega, int method) {
  double c = 0.5, s = sqrt(0.75), f[3] = {0, 9.81, 0},
         w[2] = {s * omega * omega, c * omega * omega};
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 3}, H[6] = {0, 1, -c, 1, 0, s};
  double gap = 0, rate[2] = {0, v};
  ssi_arena arena = {0};
  ss_problem p = global_problem(&arena, 2, 1, 3, M, f, H, w, &mu);
  ss_status_options o = ss_status_options_default();
  o.method = (ss_status_method)method, o.polish = o.method != SS_STATUS_SWEEPS;
  ss_prediction *x = predict(&(ss_instant){&p, &gap, rate}, &o);
  ssi_arena_release(&arena);
  return x;
}

static void painleve_rod(void **state) {
  (void)state;
  double c = 0.5, s = sqrt(0.75), mu = 2, N = 1 + 3 * c * c, T = -3 * s * c;
  // delta > 0: one solution, whatever the direction of the free acceleration
  ss_prediction *x = rod(mu, 1, 1, SS_STATUS_AUTO);
  double lift = -9.81 + s;
  assert_near(x->contacts[0].delta, N - mu * T, 1e-14);
  assert_int_equal(x->painleve, 0);
  assert_int_equal(x->count, 1);
  assert_true(x->rigorous && x->solved && x->contacts[0].next == SS_SLIP);
  assert_near(x->force[0], -lift / (N - mu * T), 1e-12);
  assert_near(x->force[1], mu * lift / (N - mu * T), 1e-12);
  ss_prediction_destroy(x);
  // which the sweeps alone find, in one sweep and one that confirms it
  x = rod(mu, 1, 1, SS_STATUS_SWEEPS);
  assert_near(x->force[0], -lift / (N - mu * T), 1e-14);
  assert_int_equal(x->iterations, 2);
  ss_prediction_destroy(x);
  // delta < 0 and pressed: none
  for (int m = SS_STATUS_AUTO; m <= SS_STATUS_GENERAL; m++) {
    x = rod(mu, -1, 1, m);
    assert_near(x->contacts[0].delta, N + mu * T, 1e-14);
    assert_true(x->contacts[0].delta < 0 && x->painleve == 1);
    assert_true(!x->solved && x->existence == SS_NONE && x->count == 0 && x->rigorous);
    assert_string_equal(x->method, "none");
    ss_prediction_destroy(x);
  }
  // delta < 0 and lifted: free, and one more with a force
  x = rod(mu, -1, 5, SS_STATUS_AUTO);
  assert_true(x->solved && x->existence == SS_EXISTS && x->count == 2 && x->rigorous);
  assert_int_equal(x->statuses[0] + x->statuses[1], SS_FREE + SS_SLIP);
  assert_true(x->contacts[0].next == SS_FREE && x->force[0] == 0);
  ss_prediction_destroy(x);
}

// ---- which contacts take part, joints -------------------------------------------------------------

// A mass of 1 in the plane, its weight 10 carried by contact 0; contact 1 is above it.
static void closing_and_open(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 1}, H[8] = {0, 1, 1, 0, 0, -1, -1, 0}, w[4] = {0};
  double f[2] = {-3, 10}, mu[2] = {0.5, 0.5}, gap[2] = {0, 0.1}, rate[4] = {0, 0, -1, 0};
  ssi_arena arena = {0};
  ss_context ctx = {0};
  ss_problem p = global_problem(&arena, 2, 2, 2, M, f, H, w, mu);
  ss_instant at = {&p, gap, rate};
  ss_prediction *x = predict(&at, NULL);
  assert_int_equal(x->contacts[1].now, SS_CONTACT_OPEN);
  assert_int_equal(x->contacts[1].next, SS_FREE);
  assert_int_equal(x->contacts[0].next, SS_STICK);
  assert_near(x->force[0], 10, 1e-14);
  assert_near(x->force[1], -3, 1e-14);
  ss_prediction_destroy(x);
  gap[1] = 0, rate[2] = 1;
  x = predict(&at, NULL);
  assert_int_equal(x->contacts[1].now, SS_CONTACT_OPENING);
  ss_prediction_destroy(x);
  rate[2] = -1e-6;
  assert_int_equal(ss_status_predict(&ctx, &at, NULL, &x), SS_ERR_DATA);
  assert_null(x);
  assert_non_null(strstr(ctx.message, "impact"));
  assert_non_null(strstr(ctx.message, "contact 1"));
  ss_status_options o = ss_status_options_default();
  o.rate_tol = 1e-5;  // still, for that tolerance
  x = predict(&at, &o);
  assert_int_equal(x->contacts[1].now, SS_CONTACT_STILL);
  ss_prediction_destroy(x);
  rate[2] = 0, gap[1] = -1e-3;
  assert_int_equal(ss_status_predict(&ctx, &at, NULL, &x), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "penetrates"));
  gap[1] = NAN;
  assert_int_equal(ss_status_predict(&ctx, &at, NULL, &x), SS_ERR_DATA);
  ssi_arena_release(&arena);
}

// Two masses side by side on the ground, held together along x by a joint, once or twice: their contacts stick until
// the force exceeds both frictions, and the joint carries what the second one needs.
static void joined_masses(void **state) {
  (void)state;
  const double M[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const double H[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0}, w[4] = {0};
  const double once[4] = {1, 0, -1, 0}, twice[8] = {1, 2, 0, 0, -1, -2, 0, 0};
  double f[4] = {-9, 10, 0, 10}, mu[2] = {0.3, 0.3}, b[2] = {0, 0};
  ssi_arena arena = {0};
  ss_problem p = global_problem(&arena, 2, 2, 4, M, f, H, w, mu);
  for (int joints = 1; joints <= 2; joints++) {
    p.nl = joints, p.b = b, p.G = from_dense(&arena, 4, joints, joints == 1 ? once : twice);
    ss_prediction *x = predict(&(ss_instant){.system = &p}, NULL);
    assert_true(x->solved);
    for (int i = 0; i < 2; i++) {
      assert_int_equal(x->contacts[i].next, SS_SLIP);
      assert_near(x->force[2 * i], 10, 1e-12);
      assert_near(x->force[2 * i + 1], -3, 1e-12);
      assert_near(x->acceleration[2 * i], 1.5, 1e-12);
    }
    double carried = x->multipliers[0] + (joints == 2 ? 2 * x->multipliers[1] : 0);
    assert_near(carried, -4.5, 1e-12);
    ss_prediction_destroy(x);
  }
  // the second one without friction, and pushed: the first one holds it through the joint
  f[0] = 0, f[2] = -2.5, mu[1] = 0;
  ss_prediction *x = predict(&(ss_instant){.system = &p}, NULL);
  assert_true(x->solved && x->contacts[0].next == SS_STICK);
  assert_near(x->force[1], -2.5, 1e-12);
  assert_near(x->acceleration[2], 0, 1e-12);
  ss_prediction_destroy(x);
  b[0] = 1;  // and twice with different accelerations: no motion has both
  x = predict(&(ss_instant){.system = &p}, NULL);
  assert_false(x->solved);
  ss_prediction_destroy(x);
  ssi_arena_release(&arena);
}

// A block between two plates in space that come together: no acceleration keeps both contacts from penetrating.
static void squeezed(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[3] = {0, 0, 10}, mu[2] = {0.5, 0.2};
  const double H[18] = {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, -1, 1, 0, 0, 0, -1, 0};
  double w[6] = {0, 0, 0, -1, 0.3, 0};
  ssi_arena arena = {0};
  ss_problem p = global_problem(&arena, 3, 2, 3, M, f, H, w, mu);
  ss_prediction *x = predict(&(ss_instant){.system = &p}, NULL);
  assert_true(!x->solved && x->existence == SS_NONE && x->count == -1);
  ss_prediction_destroy(x);
  w[3] = 1;  // that part
  x = predict(&(ss_instant){.system = &p}, NULL);
  assert_true(x->solved && x->contacts[0].next == SS_STICK && x->contacts[1].next == SS_FREE);
  ss_prediction_destroy(x);
  ssi_arena_release(&arena);
}

// ---- arguments --------------------------------------------------------------------------------------

static void refused(void **state) {
  (void)state;
  const double W[4] = {1, 0, 0, 1}, q[2] = {-1, 0}, mu = 0.5, M = 0, f = 1, H[2] = {1, 0};
  ssi_arena arena = {0};
  ss_context ctx = {0};
  ss_prediction *x;
  ss_problem local = reduced_problem(&arena, 2, 1, W, q, &mu);
  assert_int_equal(ss_status_predict(&ctx, &(ss_instant){.system = &local}, NULL, &x),
                   SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "global form"));
  ss_problem singular = global_problem(&arena, 2, 1, 1, &M, &f, H, q, &mu);
  assert_int_not_equal(ss_status_predict(&ctx, &(ss_instant){.system = &singular}, NULL, &x),
                       SS_OK);
  assert_true(strlen(ctx.message) > 0);
  assert_null(x);
  assert_int_equal(ss_status_predict(&ctx, NULL, NULL, &x), SS_ERR_ARGUMENT);
  assert_int_equal(ss_status_predict(&ctx, &(ss_instant){0}, NULL, &x), SS_ERR_ARGUMENT);
  assert_int_equal(ss_status_predict(&ctx, &(ss_instant){.system = &local}, NULL, NULL),
                   SS_ERR_ARGUMENT);
  ss_status_options o = ss_status_options_default();
  const double one = 1;
  ss_problem p = global_problem(&arena, 2, 1, 1, &one, &f, H, q, &mu);
  o.tol = 0;
  assert_int_equal(ss_status_predict(&ctx, &(ss_instant){.system = &p}, &o, &x), SS_ERR_ARGUMENT);
  o = ss_status_options_default(), o.gap_tol = NAN;
  assert_int_equal(ss_status_predict(&ctx, &(ss_instant){.system = &p}, &o, &x), SS_ERR_ARGUMENT);
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(painleve_rod),  cmocka_unit_test(closing_and_open),
      cmocka_unit_test(joined_masses), cmocka_unit_test(squeezed),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
