// Motors and limits of joints against closed forms and against recursions written here, with every theta and drift.
#include "scene_run.h"

#include "base/rng.h"

static const double thetas[] = {0.5, 0.75, 1};
#define EACH_SETTING                                                                               \
  for (int t = 0; t < 3; t++)                                                                      \
    for (int d = SS_DRIFT_GAP; d <= SS_DRIFT_NONE; d++)

static ss_sim_joint joint(const run *r, int k) {
  ss_sim_joint j;
  assert_int_equal(ss_simulation_joint(r->sim, k, &j), SS_OK);
  return j;
}

static void near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.15g, expected %.15g +- %g", found, expected, tolerance);
}

// A wheel on its own axis: I rate' = T until the rate is the target, at I target/T, and then nothing.
static void test_velocity_motor_reaches_its_speed(void **state) {
  (void)state;
  const double h = 0.01, I = 0.4, T = 0.8, target = 1;  // reached at 0.5 s
  EACH_SETTING {
    run r = begin("{'dim':2,'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':'disk',"
                  "'radius':1},'mass':1,'inertia':0.4}],'joints':[{'kind':'hinge','a':0,"
                  "'anchor':[0,0],'motor':{'kind':'velocity','target':1,'max_force':0.8}}],"
                  "'stepping':{'step':0.01,'duration':1,'theta':%g,'drift':'%s'}}",
                  thetas[t], ss_drift_name((ss_drift)d));
    for (int k = 1; k <= 100; k++) {
      double before = joint(&r, 0).coordinate;
      solved_step(&r);
      ss_sim_joint j = joint(&r, 0);
      near(j.motor, k <= 50 ? T : 0, 1e-3);
      near(j.rate, fmin(target, k * h * T / I), 1e-5);
      if (k > 52) near(j.coordinate - before, h * target, 1e-9);
      near(j.force[1], G, 1e-6);
    }
    end(&r);
  }
}

// A lift of mass m: (F - m g)/m up to its speed, then m g; with less than m g it sinks.
static void test_velocity_motor_of_a_slider(void **state) {
  (void)state;
  const double m = 2, force[] = {30, 15}, h = 0.01;
  EACH_SETTING for (int f = 0; f < 2; f++) {
    run r = begin("{'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':'box',"
                  "'size':[1,1,1]},'mass':2}],'joints':[{'kind':'slider','a':0,'anchor':[0,0,0],"
                  "'axis':[0,0,2],'motor':{'kind':'velocity','target':1,'max_force':%g}}],"
                  "'stepping':{'step':0.01,'duration':1,'theta':%g,'drift':'%s'}}",
                  force[f], thetas[t], ss_drift_name((ss_drift)d));
    for (int k = 1; k <= 50; k++) {
      solved_step(&r);
      ss_sim_joint j = joint(&r, 0);
      double rate = (force[f] - m * G) / m * k * h;
      near(j.rate, fmin(rate, 1), 1e-7);
      near(j.rate, r.s.velocity[2], 1e-15);
      near(j.coordinate, r.s.pose[0].x[2], 1e-12);
      bool reaching = rate > 1 && rate - (force[f] - m * G) / m * h <= 1;
      if (!reaching) near(j.motor, rate <= 1 ? force[f] : m * G, 1e-5);
    }
    end(&r);
  }
}

typedef struct servo {
  double m, k, d, most, target, h, theta;
} servo;

// (1) of drive.c for one mass in space: the law, its clip, the theta-method.
static void own_step(const servo *s, double *x, double *v, double *force) {
  double S = s->theta * s->h * s->k + s->d, other = (1 - s->theta) * *v;
  double pull = s->k * (*x - s->target) + S * other;
  double after = (s->m * *v - s->h * pull) / (s->m + s->h * s->theta * S);
  *force = -(pull + S * s->theta * after);
  if (fabs(*force) > s->most) *force = copysign(s->most, *force);
  after = *v + s->h * *force / s->m;
  *x += s->h * (s->theta * after + other);
  *v = after;
}

static servo random_servo(ssi_rng *g) {
  servo s = {.h = 0.01};
  s.m = pow(10, 2 * ssi_rng_uniform(g) - 1);
  s.k = pow(10, 6 * ssi_rng_uniform(g) - 1);
  s.d = ssi_rng_uniform(g) < 0.3 ? 0 : pow(10, 5 * ssi_rng_uniform(g) - 2);
  s.most = pow(10, 6 * ssi_rng_uniform(g) - 2);
  s.target = 2 * ssi_rng_uniform(g) - 1;
  s.theta = thetas[(int)(3 * ssi_rng_uniform(g)) % 3];
  return s;
}

static void test_servo_is_its_recursion(void **state) {
  (void)state;
  ssi_rng g = {7};
  for (int n = 0; n < 100; n++) {
    servo s = random_servo(&g);
    run r = begin("{'dim':2,'gravity':[0,0],'materials':[{'name':'m','mu':0}],'bodies':[{'shape':"
                  "{'kind':'box','size':[1,1]},'mass':%.17g,'velocity':[0.5,0]}],'joints':[{'kind':"
                  "'slider','a':0,'anchor':[0,0],'axis':[1,0],'motor':{'kind':'position',"
                  "'target':%.17g,'stiffness':%.17g,'damping':%.17g,'max_force':%.17g}}],"
                  "'stepping':{'step':0.01,'duration':1,'theta':%g},'solver':{'tol':1e-12}}",
                  s.m, s.target, s.k, s.d, s.most, s.theta);
    double x = 0, v = 0.5, force;
    for (int k = 0; k < 20; k++) {
      double size = 0.01 + fabs(v) + s.h * fmin(s.most, s.k * (fabs(x) + 1)) / s.m;
      own_step(&s, &x, &v, &force);
      solved_step(&r);
      ss_sim_joint j = joint(&r, 0);
      near(j.rate, v, 1e-7 * size);
      near(j.coordinate, x, 1e-7 * size * s.h * (k + 1) + 1e-9);
      near(j.motor, force, 1e-6 * s.m / s.h * size);
      x = j.coordinate, v = j.rate;  // stiff ones would carry the difference along
    }
    end(&r);
  }
}

#define ROD                                                                                        \
  "{'dim':2,'materials':[{'name':'m','mu':0.5}],'bodies':[{'shape':{'kind':'box',"                 \
  "'size':[1,0.1]},'mass':2,'position':[0.5,0]}],'joints':[{'name':'elbow','kind':'hinge','a':0,"  \
  "'anchor':[0,0],%s}],'stepping':{'step':0.01,'duration':9,'theta':%g,'drift':'%s'},"             \
  "'solver':{'tol':1e-10}}"

// k (target - q) = m g L cos q
static void test_servo_at_rest(void **state) {
  (void)state;
  EACH_SETTING {
    run r = begin(ROD, "'motor':{'kind':'position','target':0.7,'stiffness':60,'damping':20}",
                  thetas[t], ss_drift_name((ss_drift)d));
    for (int k = 0; k < 600; k++) solved_step(&r);
    ss_sim_joint j = joint(&r, 0);
    near(j.rate, 0, 1e-7);
    near(j.motor, 60 * (0.7 - j.coordinate), 1e-6);
    near(j.motor, 2 * G * 0.5 * cos(j.coordinate), 1e-6);
    near(j.force[1], 2 * G, 1e-6);
    assert_true(j.moves && strcmp(j.name, "elbow") == 0);
    end(&r);
  }
}

// A pendulum falls on its limit and stays there; nothing is lost before.
static void test_limit_is_kept(void **state) {
  (void)state;
  EACH_SETTING {
    run r = begin(ROD, "'low':-1,'high':0.5", thetas[t], ss_drift_name((ss_drift)d));
    bool reached = false;
    for (int k = 0; k < 200; k++) {
      solved_step(&r);
      ss_sim_joint j = joint(&r, 0);
      assert_true(j.coordinate >= -1 - 1e-8);
      reached = reached || j.coordinate < -1 + 1e-8;
      if (!reached) near(energy(&r), 0, 1e-10);
      if (reached) near(j.coordinate, -1, 1e-8);
    }
    ss_sim_joint j = joint(&r, 0);
    assert_true(reached);
    near(j.rate, 0, 1e-10);
    near(j.limit, 2 * G * 0.5 * cos(1), 1e-7);
    near(j.motor, 0, 0);
    end(&r);
  }
}

// A motor presses on a limit with all it has; the other way it leaves it at once.
static void test_motor_at_a_limit(void **state) {
  (void)state;
  EACH_SETTING {
    run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':"
                  "'box','size':[1,1,1]},'mass':2}],'joints':[{'kind':'slider','a':0,'anchor':"
                  "[0,0,0],'axis':[0,1,0],'high':0.1,'motor':{'kind':'velocity','target':1,"
                  "'max_force':5}}],'stepping':{'step':0.01,'duration':9,'theta':%g,'drift':'%s'}}",
                  thetas[t], ss_drift_name((ss_drift)d));
    for (int k = 0; k < 100; k++) solved_step(&r);
    near(joint(&r, 0).coordinate, 0.1, 1e-9);
    near(joint(&r, 0).limit, -5, 1e-6);
    assert_int_equal(ss_simulation_set_target(r.sim, 0, -1, 0), SS_OK);
    solved_step(&r);
    near(joint(&r, 0).rate, -5 * 0.01 / 2, 1e-8);
    near(joint(&r, 0).limit, 0, 0);
    end(&r);
  }
}

// A satellite and its wheel in free space: what one gets the other loses, and the motor gives all energy there is. Turns
// are counted.
static void test_reaction_wheel(void **state) {
  (void)state;
  run r =
      begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':"
            "'box','size':[1,1,1]},'mass':6},{'shape':{'kind':'sphere','radius':0.3},'mass':5}],"
            "'joints':[{'kind':'hinge','a':1,'b':0,'anchor':[0,0,0],'axis':[0,0,1],'motor':"
            "{'kind':'velocity','target':10,'max_force':1}}],'stepping':{'step':0.01,"
            "'duration':3},'solver':{'tol':1e-10}}");
  for (int k = 0; k < 300; k++) solved_step(&r);
  double wheel = 0.4 * 5 * 0.09, box = 1;
  near(wheel * r.s.spin[5] + box * r.s.spin[2], 0, 1e-10);
  near(joint(&r, 0).rate, 10, 0.01);
  double reduced = wheel * box / (wheel + box);
  double until = 10 * reduced;  // t at which the rate is reached, moment 1
  near(joint(&r, 0).coordinate, 10 * (3 - until / 2), 0.05);
  ss_energy e;
  ss_simulation_energy(r.sim, &e);
  near(e.external, reduced * 50, 0.02 * e.external);
  end(&r);
}

static void go_on(run *r, int from, int to) {
  for (int k = from; k < to; k++) {
    if (k == 20) assert_int_equal(ss_simulation_set_target(r->sim, 0, 0.4, 0.1), SS_OK);
    solved_step(r);
  }
}

static void test_checkpoints(void **state) {
  (void)state;
  const char *what = "'low':-0.2,'motor':{'kind':'position','table':[[0,0],[1,-1]],"
                     "'stiffness':100,'damping':5,'max_force':12}";
  run a = begin(ROD, what, 1.0, "gap"), b = begin(ROD, what, 1.0, "gap");
  const void *bytes[2];
  size_t size[2];
  go_on(&a, 0, 50);
  go_on(&b, 0, 25);
  assert_int_equal(ss_simulation_save(b.sim, bytes, size), SS_OK);
  run c = begin(ROD, what, 1.0, "gap");
  assert_int_equal(ss_simulation_load(c.sim, bytes[0], size[0]), SS_OK);
  near(joint(&c, 0).motor, joint(&b, 0).motor, 0);
  go_on(&c, 25, 50);
  assert_int_equal(ss_simulation_save(a.sim, bytes, size), SS_OK);
  assert_int_equal(ss_simulation_save(c.sim, bytes + 1, size + 1), SS_OK);
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
  run other = begin(ROD, "'low':-0.3", 1.0, "gap");
  assert_int_equal(ss_simulation_load(other.sim, bytes[0], size[0]), SS_ERR_DATA);
  end(&a), end(&b), end(&c), end(&other);
}

static void test_refused(void **state) {
  (void)state;
  run r = begin(ROD, "'motor':{'kind':'velocity','target':1,'max_force':2}", 1.0, "gap");
  run free_one = begin(ROD, "'low':-3", 1.0, "gap");
  ss_sim_joint j;
  assert_int_equal(ss_simulation_set_target(r.sim, 1, 0, 0), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_set_target(r.sim, 0, NAN, 0), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_set_target(r.sim, 0, 1, 1), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_set_target(r.sim, 0, 1, 0), SS_OK);
  assert_int_equal(ss_simulation_set_target(free_one.sim, 0, 1, 0), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "no motor"));
  assert_int_equal(ss_simulation_joint(r.sim, -1, &j), SS_ERR_ARGUMENT);
  assert_string_equal(ss_motor_kind_name(SS_MOTOR_POSITION), "position");
  assert_null(ss_motor_kind_name((ss_motor_kind)3));
  solved_step(&r);
  int a, b;
  assert_true(ss_simulation_problem_sides(r.sim, 0, &a, &b) && a == 0 && b == SS_WORLD);
  end(&r), end(&free_one);
}

// Two boxes on each other, and where their corners are.
static void test_sensors(void **state) {
  (void)state;
  run r = begin("{'materials':[{'name':'m','mu':0.5}],'bodies':[{'shape':{'kind':'box','size':"
                "[1,1,1]},'mass':2,'position':[0,0,0.5]},{'shape':{'kind':'box','size':[1,1,1]},"
                "'mass':1,'position':[0,0,1.5]}],'externals':[{'shape':{'kind':'plane'}}],"
                "'stepping':{'step':0.01,'duration':1},'solver':{'tol':1e-10}}");
  double f[3], x[3], v[3];
  const double corner[3] = {0.5, 0.5, 0.5};
  assert_int_equal(ss_simulation_contact_force(r.sim, 0, SS_ANYTHING, f), SS_OK);
  near(f[2], 0, 0);
  for (int k = 0; k < 5; k++) solved_step(&r);
  const int by[] = {SS_EXTERNAL, 1, SS_ANYTHING};
  const double expected[] = {3 * G, -G, 2 * G};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(ss_simulation_contact_force(r.sim, 0, by[k], f), SS_OK);
    near(f[2], expected[k], 1e-6);
  }
  assert_int_equal(ss_simulation_point(r.sim, 1, corner, x, v), SS_OK);
  near(x[2], 2, 1e-8);
  near(v[2], 0, 1e-8);
  assert_int_equal(ss_simulation_point(r.sim, 2, corner, x, v), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_contact_force(r.sim, 0, SS_WORLD, f), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_contact_force(r.sim, 0, SS_EXTERNAL - 1, f), SS_ERR_ARGUMENT);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_velocity_motor_reaches_its_speed),
      cmocka_unit_test(test_velocity_motor_of_a_slider),
      cmocka_unit_test(test_servo_is_its_recursion),
      cmocka_unit_test(test_servo_at_rest),
      cmocka_unit_test(test_limit_is_kept),
      cmocka_unit_test(test_motor_at_a_limit),
      cmocka_unit_test(test_reaction_wheel),
      cmocka_unit_test(test_checkpoints),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_sensors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
