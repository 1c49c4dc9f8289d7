// Scenes of rigid bodies from event to event: closed forms, balances, and Moreau's steps as they get shorter.
#include "event_run.h"

static const double G = 9.81;

// A scene in space: friction, restitution, then what else it has.
static const char *scene_text(double mu, double e, const char *rest) {
  static char text[5000];
  snprintf(text, sizeof text,
           "{'dim':3,'title':'test','materials':[{'name':'m','mu':%.17g,'restitution':%.17g,"
           "'density':1000}],'stepping':{'step':0.01,'duration':1},%s}",
           mu, e, rest);
  return text;
}

#define FLOOR "'externals':[{'name':'floor','shape':{'kind':'plane'}}]"

static const char *ball_text(double mu, double e, const double x[3], const double v[3],
                             const double w[3], const char *externals) {
  static char text[2000];
  snprintf(text, sizeof text,
           "'bodies':[{'name':'ball','shape':{'kind':'sphere','radius':0.1},'position':[%.17g,"
           "%.17g,%.17g],'velocity':[%.17g,%.17g,%.17g],'spin':[%.17g,%.17g,%.17g]}],%s",
           x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1], w[2], externals);
  return scene_text(mu, e, text);
}

// ---- balls ------------------------------------------------------------------------------------------

// Slip keeps its direction: u = v + w x (-r n) shrinks by 7/2 mu g t along itself, and v by mu g t.
static void check_rolling(double mu, const double v[3], const double w[3]) {
  const double r = 0.1, x[3] = {0.3, -0.2, r};
  double u[2] = {v[0] - r * w[1], v[1] + r * w[0]}, slip = hypot(u[0], u[1]);
  double when = 2 * slip / (7 * mu * G);
  event_run run;
  begin_run(&run, ball_text(mu, 0, x, v, w, FLOOR));
  advance_mechanism(&run.run, when + 1);
  expect_no_end(&run);
  assert_int_equal(ss_evolution_event_count(run.run.e), 2);
  ss_event event = event_at(&run.run, 1);
  assert_int_equal(event.to, SS_MODE_STICK);
  assert_near(event.time, when, 1e-8);
  ss_evolution_state now = state_of(&run.run);
  for (int k = 0; k < 2; k++) {
    double after = v[k] - mu * G * when * u[k] / slip;
    assert_near(now.v[k], after, 1e-8);
    assert_near(now.q[k], x[k] + (v[k] + after) / 2 * when + after, 1e-8);
  }
  assert_near(now.q[2], r, 1e-14);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

static void test_sliding_turns_to_rolling(void **state) {
  (void)state;
  need_sundials();
  check_rolling(0.3, (double[]){2, 0, 0}, (double[]){0, 0, 0});
  check_rolling(0.3, (double[]){2, 0, 0}, (double[]){3, 5, -4});
  check_rolling(0.05, (double[]){0.5, 1.5, 0}, (double[]){-30, 20, 10});
  check_rolling(1.2, (double[]){0, 0, 0}, (double[]){7, -3, 50});
}

static void check_bouncing(double e, double height) {
  const double v[3] = {1, 0.5, 0}, w[3] = {1, 2, 3};
  event_run run;
  begin_run(&run, ball_text(0.3, e, (double[]){0, 0, 0.1 + height}, v, w, FLOOR));
  double t1 = sqrt(2 * height / G), next = t1, flight = 2 * t1;
  advance_mechanism(&run.run, t1 * (1 + e) / (1 - e) + 0.5);
  expect_no_end(&run);
  int k = 1;
  for (; k < ss_evolution_event_count(run.run.e); k++) {
    ss_event x = event_at(&run.run, k);
    if (x.kind != SS_EVENT_IMPACT) break;
    assert_near(x.time, next, 1e-10);
    next += flight *= e;
  }
  assert_true(k > 5);
  assert_int_equal(event_at(&run.run, k).kind, SS_EVENT_ACCUMULATION);
  assert_near(event_at(&run.run, k).time, t1 * (1 + e) / (1 - e), 1e-8);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

static void test_ball_bounces(void **state) {
  (void)state;
  need_sundials();
  check_bouncing(0.5, 1);
  check_bouncing(0.8, 0.3);
}

// Equal balls, one at rest: along the line of centres (1 + e)/2 of the approach; across it, while impulses within the
// cone suffice, 1/7 of the slip each.
static void check_collision(double mu, double aside) {
  const double e = 0.5, r = 0.1, speed = 1;
  event_run run;
  char text[1000];
  snprintf(text, sizeof text,
           "'gravity':[0,0,0],'bodies':[{'name':'a','shape':{'kind':'sphere','radius':0.1},"
           "'velocity':[1,0,0]},{'name':'b','shape':{'kind':'sphere','radius':0.1},'position':"
           "[0.5,%.17g,0]}]",
           aside);
  begin_run(&run, scene_text(mu, e, text));
  advance_mechanism(&run.run, 1);
  double along = sqrt(4 * r * r - aside * aside), n[2] = {along / (2 * r), aside / (2 * r)};
  ss_event x = first_event(&run, SS_EVENT_IMPACT, SS_MODE_FREE);
  assert_near(x.time, (0.5 - along) / speed, 1e-10);
  double push = (1 + e) / 2 * n[0] * speed, slip = n[1] * speed;
  double drag = fmin(mu * push, slip / 7);  // per mass
  double after[2] = {speed - push * n[0] - drag * n[1], -push * n[1] + drag * n[0]};
  ss_evolution_state now = state_of(&run.run);
  assert_near(now.v[0], after[0], 1e-9);
  assert_near(now.v[1], after[1], 1e-9);
  assert_near(now.v[6], speed - after[0], 1e-9);
  assert_near(now.v[7], -after[1], 1e-9);
  assert_near(fabs(now.v[5]), drag * 5 / (2 * r), 1e-8);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

static void test_two_balls_collide(void **state) {
  (void)state;
  need_sundials();
  check_collision(0, 0.05);
  check_collision(0.3, 0.05);   // within the cone
  check_collision(0.05, 0.15);  // on it
  check_collision(0.3, 0);
}

// On a plane that moves with A sin(w t), A w^2 > g, a ball leaves it at sin(w t) = g/(A w^2), and comes back where its
// parabola meets the plane.
static void test_ball_on_a_vibrating_plane(void **state) {
  (void)state;
  need_sundials();
  const double A = 0.05, w = 8 * acos(-1), v[3] = {0, 0, A * w};
  event_run run;
  begin_run(&run, ball_text(0.3, 0.4, (double[]){0, 0, 0.1}, v, (double[]){0, 0, 0},
                            "'externals':[{'name':'plate','shape':{'kind':'plane'},'motion':"
                            "{'kind':'harmonic','amplitude':[0,0,0.05],'frequency':4}}]"));
  advance_mechanism(&run.run, 1);
  expect_no_end(&run);
  double off = asin(G / (A * w * w)) / w, z = A * sin(w * off), up = A * w * cos(w * off);
  ss_event x = event_at(&run.run, 1);
  assert_int_equal(x.to, SS_MODE_FREE);
  assert_near(x.time, off, 1e-10);
  double low = off + 1e-2, high = off + 0.5;  // the first meeting: scanned, then bisected
  for (double t = low; t < high; t += 1e-4)
    if (z + up * (t - off) - G / 2 * (t - off) * (t - off) < A * sin(w * t)) {
      low = t - 1e-4, high = t;
      break;
    }
  for (int k = 0; k < 60; k++) {
    double t = (low + high) / 2;
    *(z + up * (t - off) - G / 2 * (t - off) * (t - off) < A * sin(w * t) ? &high : &low) = t;
  }
  assert_near(first_event(&run, SS_EVENT_IMPACT, SS_MODE_FREE).time, low, 1e-10);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// Inside a drum: small swings of a ball that rolls take 2 pi sqrt(7 (R - r)/(5 g)), longer ones as a pendulum's.
static void test_ball_rolls_in_a_drum(void **state) {
  (void)state;
  need_sundials();
  const double R = 1, r = 0.1, angle = 0.8;
  const double x[3] = {(R - r) * sin(angle), 0, -(R - r) * cos(angle)}, none[3] = {0};
  event_run run;
  begin_run(&run, ball_text(1, 0, x, none, none,
                            "'externals':[{'name':'drum','shape':{'kind':'drum','radius':1,"
                            "'length':0},'rotation':{'axis':[1,0,0],'degrees':90}}]"));
  double a = 1, g = cos(angle / 2);  // K by the arithmetic-geometric mean
  for (int k = 0; k < 10; k++) {
    double mean = (a + g) / 2;
    g = sqrt(a * g), a = mean;
  }
  double period = 2 * acos(-1) / a * sqrt(7 * (R - r) / (5 * G));
  advance_mechanism(&run.run, period / 4);
  assert_true(closure_of(&run.run) < 1e-9);  // relative to the energy down there
  advance_mechanism(&run.run, period);
  expect_no_end(&run);
  ss_evolution_state now = state_of(&run.run);
  for (int k = 0; k < 3; k++) {
    assert_near(now.q[k], x[k], 1e-8);
    assert_near(now.v[k], 0, 1e-8);
  }
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

// ---- boxes ------------------------------------------------------------------------------------------

// On a slope of 20 degrees, thrown along (down it) and across.
static const char *slope_text(double mu, double down, double across) {
  double a = acos(-1) / 9, c = cos(a), s = sin(a);
  char text[1000];
  snprintf(text, sizeof text,
           "'bodies':[{'name':'box','shape':{'kind':'box','size':[0.4,0.4,0.2]},'position':[%.17g,"
           "0,%.17g],'rotation':{'axis':[0,1,0],'degrees':20},'velocity':[%.17g,%.17g,%.17g]}],"
           "'externals':[{'name':'slope','shape':{'kind':'plane'},'rotation':{'axis':[0,1,0],"
           "'degrees':20}}]",
           0.1 * s, 0.1 * c, down * c, across, -down * s);
  return scene_text(mu, 0, text);
}

static void begin_on_slope(event_run *run, double mu, double down, double across) {
  begin_run(run, slope_text(mu, down, across));
}

static void expect_stop(event_run *run, double when) {
  int stopped = 0;
  expect_no_end(run);
  for (int k = 1; k < ss_evolution_event_count(run->run.e); k++) {
    ss_event x = event_at(&run->run, k);
    assert_near(x.time, when, 1e-8);
    assert_int_equal(x.to, SS_MODE_STICK);
    stopped++;
  }
  assert_int_equal(stopped, 4);
  assert_true(closure_of(&run->run) < 1e-9);
}

// Four corners share the weight in one of many ways; the motion is the same for all.
static void test_box_slides_down_and_stops(void **state) {
  (void)state;
  need_sundials();
  double a = acos(-1) / 9, mu = 0.5, brake = G * (mu * cos(a) - sin(a));
  event_run run;
  begin_on_slope(&run, mu, 2, 0);
  advance_mechanism(&run.run, 2);
  expect_stop(&run, 2 / brake);
  ss_evolution_state now = state_of(&run.run);
  assert_near((now.q[0] - 0.1 * sin(a)) / cos(a), 2 / brake, 1e-8);  // v^2/(2 brake)
  end_run(&run);
}

// Thrown across, the direction of slip turns; friction, which acts below the centre, shifts the weight along itself, so
// that it does not spin. It stops as a point does: after v k/((k^2 - 1) g sin a), k = mu/tan a.
static void test_box_thrown_across_a_slope(void **state) {
  (void)state;
  need_sundials();
  double a = acos(-1) / 9, mu = 0.6, k = mu / tan(a);
  event_run run;
  begin_on_slope(&run, mu, 0, 1);
  advance_mechanism(&run.run, 1);
  expect_stop(&run, k / ((k * k - 1) * G * sin(a)));
  end_run(&run);
}

#define TALL                                                                                       \
  "'bodies':[{'name':'box','shape':{'kind':'box','size':[0.2,0.4,1]},'position':[0,0,0.5]}]"       \
  "," FLOOR

// A load at its top that grows with t tips it over an edge where the load's moment reaches that of its weight; until
// the next wall it turns about that edge with the energy that it has.
static void test_box_tips_over_an_edge(void **state) {
  (void)state;
  need_sundials();
  const double weight = 0.2 * 0.4 * 1000 * G;
  event_run run;
  begin_run(&run, scene_text(1, 0,
                             TALL ",'loads':[{'body':'box','force':[300,0,0],'point':[0,0,0.5"
                                  "],'factor':[[0,0],[1,1]]}]"));
  advance_mechanism(&run.run, 0.5);
  expect_no_end(&run);
  assert_int_equal(ss_evolution_event_count(run.run.e), 3);
  for (int k = 1; k <= 2; k++) {
    assert_int_equal(event_at(&run.run, k).to, SS_MODE_FREE);
    assert_near(event_at(&run.run, k).time, weight * 0.1 / 300, 1e-8);
  }
  advance_mechanism(&run.run, 3);  // it falls, slides and comes to lie
  expect_no_end(&run);
  ss_evolution_state now = state_of(&run.run);
  assert_near(now.q[2], 0.1, 1e-12);
  assert_near(law_violation(&run.run.machine->mechanism, &now, 5), 0, 1e-9);
  assert_true(closure_of(&run.run) < 1e-9);
  end_run(&run);
}

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
      cmocka_unit_test(test_sliding_turns_to_rolling),
      cmocka_unit_test(test_ball_bounces),
      cmocka_unit_test(test_two_balls_collide),
      cmocka_unit_test(test_ball_on_a_vibrating_plane),
      cmocka_unit_test(test_ball_rolls_in_a_drum),
      cmocka_unit_test(test_box_slides_down_and_stops),
      cmocka_unit_test(test_box_thrown_across_a_slope),
      cmocka_unit_test(test_box_tips_over_an_edge),
      cmocka_unit_test(test_loads_jump_at_their_times),
      cmocka_unit_test(test_motions_jump_at_their_times),
      cmocka_unit_test(test_floor_that_starts_hits),
      cmocka_unit_test(test_pendulum_has_its_period),
      cmocka_unit_test(test_dragged_bar),
      cmocka_unit_test(test_four_bars),
      cmocka_unit_test(test_steps_approach_events),
      cmocka_unit_test(test_steps_approach_four_bars),
      cmocka_unit_test(test_springs_act),
      cmocka_unit_test(test_wrong_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
