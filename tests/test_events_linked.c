// Scenes from event to event: loads and motions that jump, joints, springs, Moreau's steps as they get shorter, bodies
// thrown anyhow, and what is refused.
#include "event_run.h"

#include "base/rng.h"

// ---- loads and motions that jump ----------------------------------------------------------------------

// 0.3 .. 0.6: more than friction holds; the block slides from exactly then, and stops as long after as friction needs.
static void test_loads_jump_at_their_times(void **state) {
  (void)state;
  need_sundials();
  const double mu = 0.4, mass = 100, push = 600, up = push / mass - mu * G;
  event_run run;
  begin_run(&run, scene_text(mu, 0,
                             "'bodies':[{'name':'box','shape':{'kind':'box','size':[1,1,0.1]"
                             "},'position':[0,0,0.05]}]," FLOOR
                             ",'loads':[{'body':'box','force':[600,0,0],'point':[0,0,-0.05],"
                             "'start':0.3,'stop':0.6}]"));
  advance_mechanism(&run.run, 0.3);  // outputs at a break show what follows
  assert_int_equal(state_of(&run.run).modes[0], SS_MODE_SLIP);
  advance_mechanism(&run.run, 2);
  expect_no_end(&run);
  assert_int_equal(ss_evolution_event_count(run.run.e), 9);
  for (int k = 1; k <= 4; k++) {
    assert_true(event_at(&run.run, k).time == 0.3);
    assert_int_equal(event_at(&run.run, k).to, SS_MODE_SLIP);
    assert_near(event_at(&run.run, 4 + k).time, 0.6 + 0.3 * up / (mu * G), 1e-8);
  }
  ss_evolution_state now = state_of(&run.run);
  assert_near(now.q[0], up * 0.09 / 2 * (1 + up / (mu * G)), 1e-8);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// A belt that starts at 0.2 with 1: a ball on it slides until it rolls, which takes 2/(7 mu g) of the jump; a table
// that stops it again at 0.5 makes the same once more.
static void test_motions_jump_at_their_times(void **state) {
  (void)state;
  need_sundials();
  const double mu = 0.3, none[3] = {0}, lasts = 2 / (7 * mu * G);
  event_run run;
  begin_run(&run, ball_text(mu, 0, (double[]){0, 0, 0.1}, none, none,
                            "'externals':[{'name':'belt','shape':{'kind':'plane'},'motion':{'kind':"
                            "'table','table':[[0.2,0,0,0,0,0,0],[0.5,0.3,0,0,0,0,0]]}}]"));
  advance_mechanism(&run.run, 1);
  expect_no_end(&run);
  const double times[] = {0.2, 0.2 + lasts, 0.5, 0.5 + lasts};
  assert_int_equal(ss_evolution_event_count(run.run.e), 5);
  for (int k = 0; k < 4; k++) assert_near(event_at(&run.run, k + 1).time, times[k], 1e-8);
  assert_true(event_at(&run.run, 1).time == 0.2 && event_at(&run.run, 3).time == 0.5);
  assert_near(state_of(&run.run).v[0], 0, 1e-9);
  end_run(&run);
}

// A floor that begins to rise hits what stands on it: an impact, e times back.
static void test_floor_that_starts_hits(void **state) {
  (void)state;
  need_sundials();
  const double none[3] = {0};
  event_run run;
  begin_run(&run, ball_text(0.3, 0.5, (double[]){0, 0, 0.1}, none, none,
                            "'externals':[{'name':'lift','shape':{'kind':'plane'},'motion':{'kind':"
                            "'constant','velocity':[0,0,2],'start':0.25}}]"));
  advance_mechanism(&run.run, 0.3);
  ss_event x = event_at(&run.run, 1);
  assert_int_equal(x.kind, SS_EVENT_IMPACT);
  assert_true(x.time == 0.25);
  assert_near(x.v[2], 3, 1e-12);
  assert_near(closure_of(&run.run), 0, 1e-12);
  end_run(&run);
}

// ---- joints -----------------------------------------------------------------------------------------

// A bar on a hinge, let go at the level: period 4 K(sin(pi/4)) sqrt(I/(m g l)). Five rows hold it.
static void test_pendulum_has_its_period(void **state) {
  (void)state;
  need_sundials();
  event_run run;
  begin_run(&run, scene_text(0, 0,
                             "'bodies':[{'name':'bar','shape':{'kind':'box','size':[1,0.1,0.2]"
                             "},'position':[0.5,0,0]}],'joints':[{'kind':'hinge','a':'bar',"
                             "'b':'world','anchor':[0,0,0],'axis':[0,1,0]}]"));
  double a = 1, g = sqrt(0.5), inertia = (1 + 0.04) / 12 + 0.25;
  for (int k = 0; k < 10; k++) {
    double mean = (a + g) / 2;
    g = sqrt(a * g), a = mean;
  }
  double period = 2 * acos(-1) / a * sqrt(inertia / (G * 0.5));
  advance_mechanism(&run.run, period / 4);
  assert_true(closure_of(&run.run) < 1e-9);  // relative to the energy down there
  advance_mechanism(&run.run, 3 * period);
  expect_no_end(&run);
  ss_evolution_state now = state_of(&run.run);
  assert_near(now.q[0], 0.5, 1e-9);
  for (int k = 1; k < 3; k++) assert_near(now.q[k], 0, 1e-8);
  for (int k = 0; k < 6; k++) assert_near(now.v[k], 0, 1e-7);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// A bar dragged behind a carriage, its end on the ground: r_N (l cos + mu l sin) = m g l/2 cos about the pivot, up to
// the radius of its end.
static void test_dragged_bar(void **state) {
  (void)state;
  need_sundials();
  const char *name, *text = NULL;
  for (int i = 0; (name = ss_scene_builtin(i, NULL, &text)) && strcmp(name, "rod") != 0; i++) {
  }
  event_run run;
  begin_run(&run, text);
  advance_mechanism(&run.run, 2);
  expect_no_end(&run);
  ss_evolution_state now = state_of(&run.run);
  const ss_mechanism *m = &run.run.machine->mechanism;
  double M[9], l = 1, mu = 0.5, angle = acos(-1) / 3, r = 0.02;
  m->mass(m->user, 2, now.q, M);
  double arm = l * cos(angle), depth = l * sin(angle) + r;
  assert_int_equal(now.modes[0], SS_MODE_SLIP);
  assert_near(now.force[0], M[0] * G * arm / 2 / (arm + mu * depth), 1e-9);
  assert_near(now.v[0], 1, 1e-12);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// Four bars, all in hinges of which one is one too many in space (redundant rows): the platform swings between two
// cranks and drags a bead over a floor that brakes it.
#define FOUR_BARS                                                                                  \
  "'bodies':[{'name':'left','shape':{'kind':'sphere','radius':0.05},'position':[0,0,0.5],"         \
  "'mass':1,'inertia':[0.08,0.08,0.01]},{'name':'right','shape':{'kind':'sphere','radius':0.05},"  \
  "'position':[1,0,0.5],'mass':1,'inertia':[0.08,0.08,0.01]},{'name':'platform','shape':{'kind':'" \
  "sphere','radius':0.1},'position':[0.5,0,0],"                                                    \
  "'mass':2,'velocity':[1,0,0]}],'joints':["                                                       \
  "{'kind':'hinge','a':'left','b':'world','anchor':[0,0,1],'axis':[0,1,0]},"                       \
  "{'kind':'hinge','a':'right','b':'world','anchor':[1,0,1],'axis':[0,1,0]},"                      \
  "{'kind':'hinge','a':'platform','b':'left','anchor':[0,0,0],'axis':[0,1,0]},"                    \
  "{'kind':'hinge','a':'platform','b':'right','anchor':[1,0,0],'axis':[0,1,0]}]"

static void test_four_bars(void **state) {
  (void)state;
  need_sundials();
  event_run run;
  begin_run(&run, scene_text(0, 0, FOUR_BARS));  // it swings like a pendulum: platform and cranks
  advance_mechanism(&run.run, 2);
  expect_no_end(&run);
  ss_evolution_state now = state_of(&run.run);
  assert_near(hypot(now.q[14] - 0.5, now.q[16] - 1), 1, 1e-12);  // on its circle
  assert_near(now.q[15], 0, 1e-12);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// ---- Moreau's steps -----------------------------------------------------------------------------------

// Where a body is in the end, by the steps of `simulate`.
static double by_steps(const char *text, double h, double until, int body) {
  event_run run;
  ss_simulation *sim;
  ss_step_info info;
  ss_sim_state s;
  open_run(&run, text);
  run.scene->stepping.step = h, run.scene->stepping.duration = until;
  run.scene->solver.tol = 1e-12;
  if (ss_simulation_create(&run.run.ctx, run.scene, &sim)) fail_msg("%s", run.run.ctx.message);
  while (!ss_simulation_done(sim)) assert_int_equal(ss_simulation_step(sim, &info), SS_OK);
  ss_simulation_state(sim, &s);
  double x = s.pose[body].x[0];
  ss_simulation_destroy(sim);
  ss_scene_close(run.scene);
  return x;
}

// Of steps that are halved four times; each must come nearer to x by the factor at least.
static void check_steps(const char *text, double x, double until, int body, double h, int halvings,
                        double factor) {
  double before = INFINITY, first = 0;
  for (int k = 0; k <= halvings; k++, h /= 2) {
    double error = fabs(by_steps(text, h, until, body) - x);
    if (!(error < before)) fail_msg("step %g: %g after %g", h, error, before);
    first = k ? first : error, before = error;
  }
  if (!(before * pow(factor, halvings) < first)) fail_msg("from %g to %g", first, before);
}

// A box that slides down a slope and stops there: order 1 in its place, since a step is all slip or all stick.
static void test_steps_approach_events(void **state) {
  (void)state;
  need_sundials();
  event_run run;
  begin_on_slope(&run, 0.5, 1.234, 0.7);
  advance_mechanism(&run.run, 2);
  expect_no_end(&run);
  check_steps(slope_text(0.5, 1.234, 0.7), state_of(&run.run).q[0], 2, 0, 0.04, 4, 1.8);
  end_run(&run);
}

// The bead meets a ramp, and friction stops the bars: an impact, slip, stick.
static void test_steps_approach_four_bars(void **state) {
  (void)state;
  need_sundials();
  char text[5000];
  snprintf(text, sizeof text, "%s",
           scene_text(0.3, 0,
                      FOUR_BARS ",'externals':[{'name':'ramp','shape':{'kind':'plane'},'position':"
                                "[0.6,0,-0.1],'rotation':{'axis':[0,1,0],'degrees':-30}}]"));
  event_run run;
  begin_run(&run, text);
  advance_mechanism(&run.run, 0.6);
  expect_no_end(&run);
  assert_true(ss_evolution_event_count(run.run.e) > 1);
  assert_true(closure_of(&run.run) < 1e-9);
  check_steps(text, state_of(&run.run).q[14], 0.6, 2, 8e-3, 2, 1.8);
  end_run(&run);
}

// ---- elements -----------------------------------------------------------------------------------------

// A block on a belt, held by a spring: it is carried to where that pulls with mu m g, and swings from there with the
// speed of the belt, which it has again after a whole period.
static void test_springs_act(void **state) {
  (void)state;
  need_sundials();
  const double mu = 0.4, mass = 100, k = 500, speed = 0.5, w = sqrt(k / mass);
  event_run run;
  begin_run(&run, "{'dim':2,'materials':[{'name':'m','mu':0.4,'density':1000}],'stepping':{'step':"
                  "0.01,'duration':1},'bodies':[{'name':'box','shape':{'kind':'box','size':[1,0.1]}"
                  ",'position':[0,0.05],'velocity':[0.5,0]}],'externals':[{'name':'belt','shape':"
                  "{'kind':'plane'},'motion':{'kind':'constant','velocity':[0.5,0]}}],'springs':[{"
                  "'a':'box','b':'world','anchor_a':[0,0.05],'anchor_b':[-2,0.05],'stiffness':500,"
                  "'rest_length':2}]}");
  double reach = mu * mass * G / k, when = reach / speed;
  advance_mechanism(&run.run, when + 1);
  expect_no_end(&run);
  ss_event x = first_event(&run, SS_EVENT_STATUS, SS_MODE_SLIP_BACK);
  assert_near(x.time, when, 1e-8);
  ss_evolution_state now = state_of(&run.run);
  assert_near(now.q[0], reach + speed / w * sin(w), 1e-8);
  assert_near(now.v[0], speed * cos(w), 1e-8);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// ---- thrown bodies ------------------------------------------------------------------------------------

static double between(ssi_rng *g, double low, double high) {
  return low + (high - low) * ssi_rng_uniform(g);
}

// A body of any shape, anyhow, onto a floor that may shake, before a wall.
static const char *thrown_text(ssi_rng *g) {
  static const double friction[] = {0, 0.2, 0.5, 1}, bounce[] = {0, 0, 0.3, 0.6};
  static char text[3000];
  char shape[700];
  int kind = ssi_rng_below(g, 3), used = 0;
  if (kind == 0)
    snprintf(shape, sizeof shape, "{'kind':'box','size':[%g,%g,%g]}", between(g, 0.1, 0.6),
             between(g, 0.1, 0.6), between(g, 0.1, 0.6));
  if (kind == 1) snprintf(shape, sizeof shape, "{'kind':'capsule','radius':0.1,'length':0.4}");
  if (kind == 2) {
    used = snprintf(shape, sizeof shape, "{'kind':'hull','points':[");
    for (int k = 0; k < 8; k++)
      used += snprintf(shape + used, sizeof shape - (size_t)used, "%s[%g,%g,%g]", k ? "," : "",
                       between(g, -0.3, 0.3), between(g, -0.3, 0.3), between(g, -0.3, 0.3));
    snprintf(shape + used, sizeof shape - (size_t)used, "]}");
  }
  bool shakes = ssi_rng_uniform(g) < 0.4;
  snprintf(
      text, sizeof text,
      "'bodies':[{'name':'body','shape':%s,'position':[0,0,%g],'rotation':{'axis':[%g,%g,1],"
      "'degrees':%g},'velocity':[%g,%g,%g],'spin':[%g,%g,%g]}],'externals':[{'name':'floor',"
      "'shape':{'kind':'plane'}%s},{'name':'wall','shape':{'kind':'plane'},'position':[1.5,0,0],"
      "'rotation':{'up':[-1,0,0]}}]",
      shape, between(g, 0.6, 0.8), between(g, -1, 1), between(g, -1, 1), between(g, 0, 180),
      between(g, -1, 2), between(g, -1, 1), between(g, -1, 1), between(g, -6, 6), between(g, -6, 6),
      between(g, -6, 6),
      shakes ? ",'motion':{'kind':'harmonic','amplitude':[0.05,0.02,0.01],'frequency':2}" : "");
  return scene_text(friction[ssi_rng_below(g, 4)], bounce[ssi_rng_below(g, 4)], text);
}

static void test_thrown_bodies(void **state) {
  (void)state;
  need_sundials();
  ssi_rng g = {2026};
  for (int n = 0; n < 6; n++) {
    event_run run;
    begin_run(&run, thrown_text(&g));
    for (int k = 1; k <= 12; k++) {
      advance_mechanism(&run.run, 0.1 * k);
      if (ss_evolution_end(run.run.e)) fail_msg("%d: %s", n, ss_evolution_end(run.run.e));
      state_of(&run.run);
      if (!(closure_of(&run.run) < 1e-9)) fail_msg("%d: energy %g", n, closure_of(&run.run));
    }
    ss_evolution_totals t;
    ss_evolution_totals_now(run.run.e, &t);
    if (!(t.violation < 1e-8)) fail_msg("%d: violation %g", n, t.violation);
    assert_true(t.impacts > 0);
    end_run(&run);
  }
}

// ---- what is said of wrong ones -----------------------------------------------------------------------

static void test_wrong_scenes(void **state) {
  (void)state;
  need_sundials();
  const double none[3] = {0};
  event_run run;
  build_run(&run, ball_text(0.3, 0, (double[]){0, 0, 0.05}, none, none, FLOOR));
  ss_machine *m = run.run.machine;
  ss_evolution *e;
  assert_int_equal(ss_evolution_create(&run.run.ctx, &m->mechanism, &m->options, 0, m->q, m->v, &e),
                   SS_ERR_DATA);
  assert_non_null(strstr(run.run.ctx.message,
                         "scene: contact 0 (ball-floor) penetrates at the start: gap -0.05"));
  const double out_of_order[] = {0.5, 0.4};
  ss_mechanism wrong = m->mechanism;
  wrong.breaks = out_of_order, wrong.break_count = 2;
  assert_int_equal(ss_evolution_create(&run.run.ctx, &wrong, &m->options, 0, m->q, m->v, &e),
                   SS_ERR_DATA);
  assert_non_null(strstr(run.run.ctx.message, "break 1 is at t = 0.4: times out of order"));
  wrong = m->mechanism, wrong.nl = 2, wrong.joints = NULL;
  assert_int_equal(ss_evolution_create(&run.run.ctx, &wrong, &m->options, 0, m->q, m->v, &e),
                   SS_ERR_DATA);
  end_run(&run);
  build_run(&run, scene_text(0, 0, FOUR_BARS));
  m = run.run.machine;
  double q[21];
  memcpy(q, m->q, sizeof q);
  q[0] += 0.1;
  assert_int_equal(ss_evolution_create(&run.run.ctx, &m->mechanism, &m->options, 0, q, m->v, &e),
                   SS_ERR_DATA);
  assert_non_null(strstr(run.run.ctx.message, "is not closed at the start: Phi = "));
  end_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads_jump_at_their_times),
      cmocka_unit_test(test_motions_jump_at_their_times),
      cmocka_unit_test(test_floor_that_starts_hits),
      cmocka_unit_test(test_pendulum_has_its_period),
      cmocka_unit_test(test_dragged_bar),
      cmocka_unit_test(test_four_bars),
      cmocka_unit_test(test_steps_approach_events),
      cmocka_unit_test(test_steps_approach_four_bars),
      cmocka_unit_test(test_springs_act),
      cmocka_unit_test(test_thrown_bodies),
      cmocka_unit_test(test_wrong_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
