// Bodies driven from outside: loads, external objects that move, belts; given by the scene, or set between steps.
#include "scene_run.h"

static void test_loads_accelerate(void **state) {
  (void)state;
  run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0}],'bodies':[{'name':'b',"
                "'shape':{'kind':'sphere','radius':1},'mass':2}],"
                "'loads':[{'body':'b','force':[4,0,0],'factor':[[0,0],[1,1]]},"
                "{'body':0,'force':[0,2,0],'start':0.5,'stop':0.75},"
                "{'body':'b','force':[0,0,1],'point':[1,0,0]}],"
                "'stepping':{'step':0.01,'duration':1,'theta':0.5}}");
  for (int i = 0; i < 100; i++) solved_step(&r);
  assert_near(r.s.velocity[0], 1, 1e-12);  // integral of 2 t
  assert_near(r.s.velocity[1], 0.25, 1e-12);
  assert_near(r.s.velocity[2], 0.5, 1e-12);
  assert_true(r.s.spin[1] < 0);  // (1,0,0) x (0,0,1) = -y
  end(&r);
}

// m v' = F, I w' = T, each for half of the time; and a run that goes on from a checkpoint has the load, one that goes
// back to before it was set has not.
static void test_loads_set_between_steps(void **state) {
  (void)state;
  const char *scene = "{'gravity':[0,0,0],'materials':[{'name':'m','mu':0}],'bodies':[{"
                      "'shape':{'kind':'sphere','radius':1},'mass':2}],"
                      "'stepping':{'step':0.01,'duration':1,'theta':0.5}}";
  const double force[3] = {4, 0, 0}, moment[3] = {0, 0, 0.8}, inertia = 0.4 * 2;
  run r = begin(scene, 0), other = begin(scene, 0);
  const void *bytes;
  size_t size;
  assert_int_equal(ss_simulation_save(r.sim, &bytes, &size), SS_OK);
  unsigned char *fresh = malloc(size), *steered = malloc(size);
  memcpy(fresh, bytes, size);
  assert_int_equal(ss_simulation_set_load(r.sim, 0, force, NULL), SS_OK);
  assert_int_equal(ss_simulation_save(r.sim, &bytes, &size), SS_OK);
  memcpy(steered, bytes, size);
  for (int i = 0; i < 50; i++) solved_step(&r);
  assert_near(r.s.velocity[0], 1, 1e-12);
  assert_int_equal(ss_simulation_set_load(r.sim, 0, NULL, moment), SS_OK);
  for (int i = 0; i < 50; i++) solved_step(&r);
  assert_near(r.s.velocity[0], 1, 1e-12);
  assert_near(r.s.spin[2], 0.5 * 0.8 / inertia, 1e-12);
  ss_energy e;
  ss_simulation_energy(r.sim, &e);
  assert_near(e.external, 1 + 0.5 * inertia * 0.25, 1e-12);

  assert_int_equal(ss_simulation_load(other.sim, steered, size), SS_OK);
  for (int i = 0; i < 50; i++) solved_step(&other);
  assert_near(other.s.velocity[0], 1, 1e-12);
  assert_int_equal(ss_simulation_load(other.sim, fresh, size), SS_OK);
  solved_step(&other);
  assert_near(other.s.velocity[0], 0, 0);
  free(fresh), free(steered);

  const double wrong[3] = {0, NAN, 0};
  assert_int_equal(ss_simulation_set_load(r.sim, 1, force, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_set_load(r.sim, -1, force, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_set_load(r.sim, 0, force, wrong), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_set_load(NULL, 0, force, moment), SS_ERR_ARGUMENT);
  end(&r), end(&other);
}

// A box on a belt: it goes with the belt, whose velocity is set, back, and with a checkpoint as it was.
static void test_motions_set_between_steps(void **state) {
  (void)state;
  const char *scene =
      "{'dim':2,'materials':[{'name':'m','mu':1}],'bodies':[{'shape':{'kind':'box',"
      "'size':[0.2,0.2]},'position':[0,0.1]}],'externals':[{'shape':{'kind':'plane'},"
      "'motion':{'kind':'constant','velocity':[0.1,0]}}],"
      "'stepping':{'step':0.01,'duration':1},'solver':{'tol':1e-10}}";
  run r = begin(scene, 0), other = begin(scene, 0);
  for (int i = 0; i < 20; i++) solved_step(&r);
  assert_near(r.s.velocity[0], 0.1, 1e-9);
  double x = r.s.external_pose[0].x[0];
  assert_int_equal(ss_simulation_set_motion(r.sim, 0, (double[3]){-0.3, 0, 0}, NULL), SS_OK);
  for (int i = 0; i < 20; i++) solved_step(&r);
  assert_near(r.s.velocity[0], -0.3, 1e-9);
  assert_near(r.s.external_pose[0].x[0], x - 0.06, 1e-12);

  const void *bytes;
  size_t size;
  assert_int_equal(ss_simulation_save(r.sim, &bytes, &size), SS_OK);
  assert_int_equal(ss_simulation_load(other.sim, bytes, size), SS_OK);
  solved_step(&r), solved_step(&other);
  assert_memory_equal(r.s.pose, other.s.pose, sizeof(ss_pose));
  assert_memory_equal(r.s.external_pose, other.s.external_pose, sizeof(ss_pose));

  run fresh = begin(scene, 0);
  assert_int_equal(ss_simulation_save(fresh.sim, &bytes, &size), SS_OK);
  assert_int_equal(ss_simulation_load(other.sim, bytes, size), SS_OK);
  for (int i = 0; i < 20; i++) solved_step(&other);
  assert_near(other.s.velocity[0], 0.1, 1e-9);
  assert_near(other.s.external_pose[0].x[0], x, 1e-12);

  assert_int_equal(ss_simulation_set_motion(r.sim, 1, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulation_set_motion(r.sim, 0, NULL, (double[3]){0, 0, INFINITY}),
                   SS_ERR_ARGUMENT);
  end(&r), end(&other), end(&fresh);
}

// A ball on a plate that swings gently up and down never leaves it.
static void test_imposed_motion_carries(void **state) {
  (void)state;
  const double A = 0.1, f = 1;  // A (2 pi f)^2 = 3.9 < g
  run r = begin("{'materials':[{'name':'m','mu':0.5}],"
                "'bodies':[{'shape':{'kind':'sphere','radius':0.1},'position':[0,0,0.1]}],"
                "'externals':[{'shape':{'kind':'plane'},'motion':{'kind':'harmonic',"
                "'amplitude':[0,0,%g],'frequency':%g}}],"
                "'stepping':{'step':0.005,'duration':10},'solver':{'tol':1e-10}}",
                A, f);
  for (int i = 0; i < 400; i++) {
    solved_step(&r);
    assert_near(r.s.pose[0].x[2], 0.1 + A * sin(2 * PI * f * r.s.time), 1e-9);
  }
  end(&r);
}

// A belt takes a block along: in the end it moves with the belt and rests on it.
static void test_belt_takes_a_block_along(void **state) {
  (void)state;
  run r = begin("{'dim':2,'materials':[{'name':'m','mu':0.4}],"
                "'bodies':[{'shape':{'kind':'box','size':[0.5,0.2]},'position':[0,0.1]}],"
                "'externals':[{'shape':{'kind':'plane'},'motion':{'kind':'constant',"
                "'velocity':[1,0]}}],'stepping':{'step':0.01,'duration':1},"
                "'solver':{'tol':1e-12}}");
  for (int i = 0; i < 100; i++) {
    solved_step(&r);
    double expected = fmin(1, 0.4 * G * r.s.time);
    assert_near(r.s.velocity[0], expected, 1e-9);
  }
  ss_energy e;
  ss_simulation_energy(r.sim, &e);
  assert_near(e.external, 2 * e.kinetic, 0.05);  // half of the belt's work is heat
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads_accelerate),
      cmocka_unit_test(test_loads_set_between_steps),
      cmocka_unit_test(test_motions_set_between_steps),
      cmocka_unit_test(test_imposed_motion_carries),
      cmocka_unit_test(test_belt_takes_a_block_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
