// Mechanisms in time: closed forms, laws at every output, schemes against each other, what is refused.
#include "mechanism_run.h"
#include "without_memory.h"

#include "base/rng.h"

// ---- the stick-slip oscillator --------------------------------------------------------------------

static void check_belt(double speed, double limit, double friction, double stiffness, double mass) {
  const parameter given[] = {{"speed", speed},       {"static_friction", limit},
                             {"friction", friction}, {"stiffness", stiffness},
                             {"mass", mass},         {"x", friction / stiffness}};
  mechanism_run r;
  build_mechanism(&r, "belt", given, 6);
  double D = (limit - friction) / stiffness, w = sqrt(stiffness / mass);
  double stick = 2 * D / speed, slip = (2 * acos(-1) - 2 * atan(D * w / speed)) / w;
  begin_mechanism(&r);
  advance_mechanism(&r, 6 * (stick + slip));
  assert_null(ss_evolution_end(r.e));
  int count = ss_evolution_event_count(r.e);
  assert_true(count >= 10);
  for (int k = 2; k + 2 < count; k++) {  // after the start and the first break-away
    ss_event a = event_at(&r, k), b = event_at(&r, k + 1), c = event_at(&r, k + 2);
    assert_near(c.time - a.time, stick + slip, 1e-10);
    assert_near(b.time - a.time, a.to == SS_MODE_STICK ? stick : slip, 1e-10);
    assert_int_equal(a.to, a.from == SS_MODE_STICK ? SS_MODE_SLIP_BACK : SS_MODE_STICK);
  }
  assert_true(closure_of(&r) < 1e-10);
  end_mechanism(&r);
}

static void test_belt_has_its_period(void **state) {
  (void)state;
  need_sundials();
  check_belt(0.5, 1, 0.5, 1, 1);
  check_belt(0.05, 0.8, 0.3, 4, 0.5);
  check_belt(3, 2, 1, 10, 7);
  check_belt(1, 1.01, 1, 1, 1);
}

// ---- the bouncing ball ----------------------------------------------------------------------------

// Impacts at t1, then after 2 e^k v1/g; with friction the way along the ground does not matter for them.
static void check_ball(double e, ss_zeno zeno) {
  const parameter given[] = {{"restitution", e}, {"friction", 0.2}, {"speed", 2}};
  mechanism_run r;
  build_mechanism(&r, "bouncing-ball", given, 3);
  r.machine->options.zeno = zeno;
  double t1 = sqrt(2 / 9.81), limit = t1 * (1 + e) / (1 - e), next = t1, flight = 2 * t1;
  begin_mechanism(&r);
  advance_mechanism(&r, limit + 1);
  int k = 1, impacts = 0;
  for (; k < ss_evolution_event_count(r.e); k++) {
    ss_event x = event_at(&r, k);
    if (x.kind != SS_EVENT_IMPACT) break;
    assert_near(x.time, next, 1e-10);
    next += flight *= e;
    impacts++;
  }
  ss_event x = event_at(&r, k);
  assert_int_equal(x.kind, SS_EVENT_ACCUMULATION);
  assert_true(impacts >= 4 && event_at(&r, k - 1).time < limit);  // found before the limit
  assert_near(x.time, limit, zeno == SS_ZENO_STEP ? 5e-8 : 1e-9);
  if (zeno == SS_ZENO_STOP) {
    assert_non_null(strstr(ss_evolution_end(r.e), "accumulate"));
    assert_true(ss_evolution_time(r.e) < limit);
  } else {
    assert_null(ss_evolution_end(r.e));
    assert_int_equal(state_of(&r).modes[0], x.to);
    assert_int_not_equal(x.to, SS_MODE_FREE);
    assert_near(state_of(&r).q[0], 0, 1e-14);
    assert_near(state_of(&r).v[0], 0, 1e-14);
  }
  assert_true(closure_of(&r) < 1e-11);
  end_mechanism(&r);
}

static void test_ball_bounces_and_comes_to_rest(void **state) {
  (void)state;
  need_sundials();
  const double e[] = {0.1, 0.3, 0.5, 0.8, 0.9};
  for (size_t k = 0; k < sizeof e / sizeof *e; k++)
    for (int zeno = SS_ZENO_CLOSE; zeno <= SS_ZENO_STOP; zeno++) check_ball(e[k], (ss_zeno)zeno);
}

// After it has come to rest on the ground a ball thrown along slides, then rolls with 5/7 of its speed; impacts
// brake it by no more than mu times their normal impulse.
static void test_ball_rolls_in_the_end(void **state) {
  (void)state;
  need_sundials();
  const parameter given[] = {{"restitution", 0.4}, {"friction", 0.02}, {"speed", 3}};
  mechanism_run r;
  build_mechanism(&r, "bouncing-ball", given, 3);
  begin_mechanism(&r);
  advance_mechanism(&r, 20);
  ss_evolution_state s = state_of(&r);
  assert_int_equal(s.modes[0], SS_MODE_STICK);
  assert_near(s.v[1], 5.0 / 7 * 3, 1e-9);
  assert_near(s.v[1] + 0.1 * s.v[2], 0, 1e-12);
  // the time it takes does not depend on how the normal impulse is spread: mu (g t + v1 ...) sums to 2/7 v
  double when = 2.0 / 7 * 3 / (0.02 * 9.81);
  assert_near(event_at(&r, ss_evolution_event_count(r.e) - 1).time, when, 1e-8);
  end_mechanism(&r);
}

// ---- space ----------------------------------------------------------------------------------------

// A block on a slope, thrown across: q = (along, across, normal), mass 1, gravity 10.
typedef struct slope {
  double tangent, mu;  // of the slope's angle
} slope;

static ss_error slope_mass(void *user, double t, const double *q, double *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 9; i++) M[i] = i % 4 == 0;
  return SS_OK;
}

static ss_error slope_force(void *user, double t, const double *q, const double *v, double *F) {
  const slope *s = user;
  (void)t, (void)q, (void)v;
  double cosine = 1 / sqrt(1 + s->tangent * s->tangent);
  F[0] = 10 * cosine * s->tangent, F[1] = 0, F[2] = -10 * cosine;
  return SS_OK;
}

static ss_error slope_gap(void *user, double t, const double *q, double *gap) {
  (void)user, (void)t;
  gap[0] = q[2];
  return SS_OK;
}

static ss_error slope_frames(void *user, double t, const double *q, double *H, double *w) {
  (void)user, (void)t, (void)q, (void)w;
  H[2] = 1, H[3] = 1, H[7] = 1;
  return SS_OK;
}

static ss_mechanism slope_mechanism(slope *s) {
  return (ss_mechanism){.name = "slope",
                        .dim = 3,
                        .nq = 3,
                        .nv = 3,
                        .nc = 1,
                        .mu = &s->mu,
                        .user = s,
                        .mass = slope_mass,
                        .force = slope_force,
                        .gap = slope_gap,
                        .frames = slope_frames};
}

// With mu = tan(angle): |v| (1 + cos phi) stays, phi the angle of v against the line of fall. With more friction
// |v|' = g sin(a) (cos phi - k), phi' = -g sin(a) sin phi/|v|, k = mu/tan a: from phi = pi/2 it stops after
// |v0| k/((k^2 - 1) g sin a).
static void test_slip_turns_in_space(void **state) {
  (void)state;
  need_sundials();
  slope s = {0.5, 0.5};
  ss_mechanism m = slope_mechanism(&s);
  ss_context ctx = {0};
  ss_evolution *e;
  ss_evolution_state now;
  const double q[3] = {0}, v[3] = {0, 2, 0};
  assert_int_equal(ss_evolution_create(&ctx, &m, NULL, 0, q, v, &e), SS_OK);
  for (int k = 1; k <= 20; k++) {
    assert_int_equal(ss_evolution_advance(e, 0.1 * k), SS_OK);
    assert_int_equal(ss_evolution_state_now(e, &now), SS_OK);
    double speed = hypot(now.v[0], now.v[1]);
    assert_near(speed + now.v[0], 2, 1e-10);
    assert_true(law_violation(&m, &now, 2) < 1e-12);
  }
  ss_evolution_destroy(e);
  s.mu = 0.8;
  double k = s.mu / s.tangent, fall = 10 * s.tangent / sqrt(1 + s.tangent * s.tangent);
  assert_int_equal(ss_evolution_create(&ctx, &m, NULL, 0, q, v, &e), SS_OK);
  assert_int_equal(ss_evolution_advance(e, 3), SS_OK);
  ss_event x;
  assert_int_equal(ss_evolution_event_count(e), 2);
  assert_int_equal(ss_evolution_event(e, 1, &x), SS_OK);
  assert_int_equal(x.to, SS_MODE_STICK);
  assert_near(x.time, 2 * k / ((k * k - 1) * fall), 1e-8);
  ss_evolution_destroy(e);
}

// ---- mid-point rules ------------------------------------------------------------------------------

enum { GRID = 160 };  // states every 0.25

static int run_grid(const char *scheme, double h, double x[GRID][4]) {
  mechanism_run r;
  build_mechanism(&r, "jack-plane-5.3", NULL, 0);
  ss_evolve_options *o = &r.machine->options;
  while (strcmp(ss_scheme_name(o->scheme), scheme) != 0) o->scheme++;
  o->step = h;
  begin_mechanism(&r);
  for (int k = 0; k < GRID; k++) {
    advance_mechanism(&r, 0.25 * (k + 1));
    ss_evolution_state s = state_of(&r);
    const double now[4] = {s.q[0], s.v[0], s.q[1], s.v[1]};
    memcpy(x[k], now, sizeof now);
  }
  assert_null(ss_evolution_end(r.e));
  int events = ss_evolution_event_count(r.e) - 1;
  end_mechanism(&r);
  return events;
}

static double distance(double a[GRID][4], double b[GRID][4]) {
  double most = 0;
  for (int k = 0; k < GRID; k++)
    for (int i = 0; i < 4; i++) most = fmax(most, fabs(a[k][i] - b[k][i]));
  return most;
}

// The stabilised rule: as many changes as the motion itself has, and order 2; the plain one flips while it sticks.
static void test_midpoint_rules(void **state) {
  (void)state;
  need_sundials();
  static double exact[GRID][4], x[GRID][4];
  double error[4];
  int events = run_grid("events", 0, exact);
  for (int k = 0; k < 4; k++) {
    int changes = run_grid("midpoint-stabilized", 0.02 / (1 << k), x);
    assert_int_equal(changes, events);
    error[k] = distance(x, exact);
  }
  double order = log2(error[0] / error[3]) / 3;
  print_message("midpoint-stabilized: errors %.2e %.2e %.2e %.2e, order %.2f\n", error[0], error[1],
                error[2], error[3], order);
  assert_true(order > 1.8 && order < 2.3);
  assert_true(run_grid("midpoint", 0.01, x) > 10 * events);
  assert_true(distance(x, exact) < 3e-3);  // of the size of a step of velocity
}

// 4 a/h^2 = b + mu c: below it each step has one mode; above, for some load, none or several.
static void test_unique_step(void **state) {
  (void)state;
  const double mu[] = {1.3, 2, 5};
  for (int k = 0; k < 3; k++) {
    const parameter given[] = {{"friction", mu[k]}, {"a", 0.5}};
    mechanism_run r;
    build_mechanism(&r, "jack-plane-5.3", given, 2);
    r.machine->options.scheme = SS_SCHEME_MIDPOINT;
    r.machine->options.step = 0.01;
    begin_mechanism(&r);
    double below;
    assert_int_equal(ss_evolution_unique_step(r.e, &below), SS_OK);
    assert_near(below, sqrt(4 * 0.5 / (mu[k] - 1.2)), 1e-8);
    end_mechanism(&r);
  }
  mechanism_run r;
  double below;
  build_mechanism(&r, "jack-plane-5.3", NULL, 0);  // mu c < -b: at any step
  r.machine->options.scheme = SS_SCHEME_MIDPOINT;
  r.machine->options.step = 0.01;
  begin_mechanism(&r);
  assert_int_equal(ss_evolution_unique_step(r.e, &below), SS_OK);
  assert_true(isinf(below));
  end_mechanism(&r);
}

// All schemes tend to the same motion; the count of steps is what the step says, and time does not drift.
static void test_schemes_agree(void **state) {
  (void)state;
  need_sundials();
  static double exact[GRID][4], x[GRID][4];
  run_grid("events", 0, exact);
  double coarse, fine;
  run_grid("moreau", 0.01, x);
  coarse = distance(x, exact);
  run_grid("moreau", 0.0025, x);
  fine = distance(x, exact);
  assert_true(coarse < 0.01 && fine < coarse / 3);
  mechanism_run r;
  build_mechanism(&r, "jack-plane-5.3", NULL, 0);
  r.machine->options.scheme = SS_SCHEME_MOREAU, r.machine->options.step = 0.001;
  begin_mechanism(&r);
  advance_mechanism(&r, 20);
  ss_evolution_totals t;
  ss_evolution_totals_now(r.e, &t);
  assert_int_equal(t.steps, 20000);
  assert_true(ss_evolution_time(r.e) == 20);
  assert_true(closure_of(&r) < 1e-12);
  end_mechanism(&r);
}

// ---- Painleve -------------------------------------------------------------------------------------

static void test_rod_that_cannot_go_on_says_so(void **state) {
  (void)state;
  need_sundials();
  const parameter given[] = {{"friction", 2}, {"speed", -5}, {"angle", 1.2}};
  mechanism_run r;
  build_mechanism(&r, "painleve-rod", given, 3);
  begin_mechanism(&r);
  advance_mechanism(&r, 1);
  const char *why = ss_evolution_end(r.e);
  assert_non_null(why);
  assert_non_null(strstr(why, "no accelerations"));
  assert_non_null(strstr(why, "Painleve"));
  assert_true(ss_evolution_time(r.e) < 1);
  end_mechanism(&r);
}

// ---- what is refused ------------------------------------------------------------------------------

static ss_error weightless(void *user, double t, const double *q, double *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 9; i++) M[i] = i == 0 || i == 4;
  return SS_OK;
}

static ss_error no_frames(void *user, double t, const double *q, double *H, double *w) {
  (void)user, (void)t, (void)q, (void)H, (void)w;
  return SS_OK;
}

static void check_refused(const ss_mechanism *m, const ss_evolve_options *o, const double *q,
                          ss_error error, const char *text) {
  ss_context ctx = {0};
  ss_evolution *e;
  const double v[3] = {0};
  ss_error found = ss_evolution_create(&ctx, m, o, 0, q, v, &e);
  assert_null(e);
  if (found != error || !strstr(ctx.message, text)) fail_msg("'%s': %s", text, ctx.message);
}

static void test_wrong_descriptions(void **state) {
  (void)state;
  slope s = {0.5, 0.5};
  const double q[3] = {0}, deep[3] = {0, 0, -0.1};
  double below = 0.4, more = 1.5, negative = -1;
  ss_mechanism good = slope_mechanism(&s), m = good;
  ss_evolve_options o = ss_evolve_options_default();
  o.scheme = SS_SCHEME_MOREAU, o.step = 0.01;
  m.mass = weightless;
  check_refused(&m, &o, q, SS_ERR_DATA, "slope: the mass matrix is not positive definite at t = 0");
  m = good, m.frames = no_frames;
  check_refused(&m, &o, q, SS_ERR_DATA, "slope: contact 0: its gap has no gradient");
  check_refused(&good, &o, deep, SS_ERR_DATA, "slope: contact 0 penetrates at the start: gap -0.1");
  m = good, m.mu_static = &below;
  check_refused(&m, &o, q, SS_ERR_DATA, "slope: contact 0: static friction 0.4, expected at least");
  m = good, m.restitution = &more;
  check_refused(&m, &o, q, SS_ERR_DATA, "slope: contact 0: friction 0.5, restitution 1.5");
  m = good, m.mu = &negative;
  check_refused(&m, &o, q, SS_ERR_DATA, "slope: contact 0: friction -1");
  m = good, m.gap = NULL;
  check_refused(&m, &o, q, SS_ERR_DATA, "slope: needs mass, force");
  m = good, m.nq = 4;
  check_refused(&m, &o, q, SS_ERR_DATA, "slope: dim 3, 4 coordinates, 3 velocities");
  const ss_mode stick = SS_MODE_STICK, loose = SS_MODE_FREE;
  double none = 0;
  o.start_modes = &stick;
  m = good, m.mu = &none;
  check_refused(&m, &o, q, SS_ERR_DATA,
                "slope: contact 0: stick is asked for at the start, where there is no friction");
  o.start_modes = &loose;
  check_refused(&good, &o, q, SS_ERR_DATA,
                "slope: contact 0: free is asked for at the start, found stick");
  o.start_modes = NULL;
  o.step = 0;
  check_refused(&good, &o, q, SS_ERR_ARGUMENT, "step 0, expected > 0");
  o.step = 0.01, o.theta = 0.4;
  check_refused(&good, &o, q, SS_ERR_ARGUMENT, "theta 0.4");
}

static void test_times_out_of_order(void **state) {
  (void)state;
  mechanism_run r;
  build_mechanism(&r, "belt", NULL, 0);
  r.machine->options.scheme = SS_SCHEME_MOREAU, r.machine->options.step = 0.01;
  begin_mechanism(&r);
  advance_mechanism(&r, 1);
  assert_int_equal(ss_evolution_advance(r.e, 0.5), SS_ERR_ARGUMENT);
  assert_non_null(strstr(r.ctx.message, "belt: times out of order: to 0.5 from 1"));
  assert_int_equal(ss_evolution_advance(r.e, NAN), SS_ERR_ARGUMENT);
  end_mechanism(&r);
}

// v' = v^2 from 1: it leaves every bound at t = 1.
static ss_error one(void *user, double t, const double *q, double *M) {
  (void)user, (void)t, (void)q;
  M[0] = 1;
  return SS_OK;
}

static ss_error square(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q;
  F[0] = v[0] * v[0];
  return SS_OK;
}

static void test_phase_that_cannot_be_integrated(void **state) {
  (void)state;
  need_sundials();
  const ss_mechanism m = {
      .name = "flare", .dim = 2, .nq = 1, .nv = 1, .mass = one, .force = square};
  ss_context ctx = {0};
  ss_evolution *e;
  ss_evolution_state now;
  assert_int_equal(ss_evolution_create(&ctx, &m, NULL, 0, (double[]){0}, (double[]){1}, &e), SS_OK);
  assert_int_equal(ss_evolution_advance(e, 0.5), SS_OK);
  assert_null(ss_evolution_end(e));
  assert_int_equal(ss_evolution_advance(e, 2), SS_OK);
  assert_non_null(ss_evolution_end(e));
  assert_non_null(strstr(ss_evolution_end(e), "flare: SUNDIALS cannot integrate on"));
  assert_int_equal(ss_evolution_state_now(e, &now), SS_OK);
  assert_near(now.time, 1, 1e-9);
  assert_true(isfinite(now.v[0]) && now.v[0] > 1e9);
  ss_evolution_destroy(e);
}

// ---- memory, tables, pictures ---------------------------------------------------------------------

typedef struct short_run {
  const char *name;
  ss_scheme scheme;
  double until;
} short_run;

static ss_error run_short(ss_context *ctx, void *user) {
  const short_run *r = user;
  ss_machine *m = NULL;
  ss_evolution *e = NULL;
  ss_trajectory *t = NULL;
  char *picture = NULL;
  ss_error error = ss_machine_build(ctx, r->name, NULL, 0, &m);
  if (!error) {
    m->options.scheme = r->scheme;
    m->options.step = r->scheme == SS_SCHEME_EVENTS ? 0 : r->until / 4;
    error = ss_evolution_create(ctx, &m->mechanism, &m->options, m->t, m->q, m->v, &e);
  }
  if (!error) error = ss_trajectory_create(ctx, &m->mechanism, m->order, m->state_name, &t);
  for (int k = 0; k < 3 && !error; k++) {
    error = ss_evolution_advance(e, r->until * (k + 1) / 3);
    if (!error) error = ss_trajectory_append(t, e);
  }
  const ss_trajectory_caption caption = {.panels = "phase,forces"};
  if (!error) error = ss_trajectory_svg(ctx, t, &caption, &picture);
  if (!error) assert_null(ss_evolution_end(e));
  ss_text_destroy(ctx, picture);
  ss_trajectory_destroy(t);
  ss_evolution_destroy(e);
  ss_machine_destroy(m);
  return error;
}

static void test_failing_memory(void **state) {
  (void)state;
  short_run runs[] = {{"bouncing-ball", SS_SCHEME_EVENTS, 0.6},
                      {"jack-plane", SS_SCHEME_EVENTS, 0.3},
                      {"slider", SS_SCHEME_MOREAU, 0.01},
                      {"jack-plane", SS_SCHEME_MIDPOINT_STABILIZED, 0.01}};
  for (int k = has_sundials() ? 0 : 2; k < 4; k++)
    let_each_call_fail(runs[k].name, run_short, &runs[k], 400, true);
}

static void test_columns(void **state) {
  (void)state;
  mechanism_run r;
  build_mechanism(&r, "slider", NULL, 0);
  r.machine->options.scheme = SS_SCHEME_MOREAU, r.machine->options.step = 0.01;
  begin_mechanism(&r);
  ss_trajectory *t;
  assert_int_equal(ss_trajectory_create(&r.ctx, &r.machine->mechanism, NULL, NULL, &t), SS_OK);
  assert_int_equal(ss_trajectory_append(t, r.e), SS_OK);
  const char *const names[] = {"time",   "x",    "angle'", "mode1",   "r_N0",        "r_T1",
                               "share0", "gap1", "u_T0",   "kinetic", "work_scheme", "closure"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (ss_trajectory_find(t, names[k]) < 0) fail_msg("no column %s", names[k]);
  assert_int_equal(ss_trajectory_find(t, "r_S0"), -1);
  assert_int_equal(ss_trajectory_rows(t), 1);
  const double *row = ss_trajectory_row(t, 0);
  assert_near(row[ss_trajectory_find(t, "y")], 0.5, 0);
  ss_trajectory_caption wrong = {.panels = "x:r_N7"};
  char *text;
  assert_int_equal(ss_trajectory_svg(&r.ctx, t, &wrong, &text), SS_ERR_ARGUMENT);
  assert_non_null(strstr(r.ctx.message, "there is no column 'r_N7'; there are: time, x, y"));
  wrong.panels = "x,,y";
  assert_int_equal(ss_trajectory_svg(&r.ctx, t, &wrong, &text), SS_ERR_ARGUMENT);
  ss_trajectory_destroy(t);
  end_mechanism(&r);
}

// The share of (12): the force of a stick phase is the mixture of those of both slips with it.
static void test_share_mixes_the_forces_of_slip(void **state) {
  (void)state;
  need_sundials();
  mechanism_run r;
  int sticks = 0;
  build_mechanism(&r, "jack-plane", NULL, 0);
  begin_mechanism(&r);
  for (int k = 1; k <= 200; k++) {
    advance_mechanism(&r, 0.5 * k);
    ss_evolution_state s = state_of(&r);
    double limit = 0.4 * s.force[0], x = s.share[0];
    if (s.modes[0] != SS_MODE_STICK) {
      assert_true(isnan(x));
      continue;
    }
    sticks++;
    assert_true(x >= 0 && x <= 1);
    assert_near((1 - x) * limit + x * -limit, s.force[1], 1e-14);
    // x4' = 0 in the convex combination of both fields
    double load = sin(s.time / 6), u = s.q[1], f = 1.3;
    assert_near((1 - 2 * x) * 0.4 * (u + f) - 1.2 * u + load, 0, 1e-12);
  }
  assert_true(sticks > 50);
  end_mechanism(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_belt_has_its_period),
      cmocka_unit_test(test_ball_bounces_and_comes_to_rest),
      cmocka_unit_test(test_ball_rolls_in_the_end),
      cmocka_unit_test(test_slip_turns_in_space),
      cmocka_unit_test(test_midpoint_rules),
      cmocka_unit_test(test_unique_step),
      cmocka_unit_test(test_schemes_agree),
      cmocka_unit_test(test_rod_that_cannot_go_on_says_so),
      cmocka_unit_test(test_wrong_descriptions),
      cmocka_unit_test(test_times_out_of_order),
      cmocka_unit_test(test_phase_that_cannot_be_integrated),
      cmocka_unit_test(test_failing_memory),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_share_mixes_the_forces_of_slip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
