// Springs, dampers, bushings and loads in time, against closed forms.
#include "scene_run.h"

static double all_energy(const run *r) {
  ss_energy e;
  ss_simulation_energy(r->sim, &e);
  return e.kinetic + e.potential + e.elastic;
}

// A ball of mass 1 on a spring of 100 N/m along x, elongated by 0.5 m.
#define OSCILLATOR                                                                                 \
  "{'gravity':[0,0,0],'materials':[{'name':'m','mu':0.5}],"                                        \
  "'bodies':[{'name':'x','shape':{'kind':'sphere','radius':0.1},'mass':1,'position':[1.5,0,0]}],"  \
  "'springs':[{'a':'x','anchor_b':[0,0,0],'stiffness':%g,'rest_length':%g,'damping':%g}],"         \
  "'stepping':{'step':%.17g,'duration':%.17g,'theta':%g}}"

static double elongation_at_end(double k, double rest, double damping, double h, int steps,
                                double theta) {
  run r = begin(OSCILLATOR, k, rest, damping, h, h * steps, theta);
  for (int n = 0; n < steps; n++) solved_step(&r);
  double x = r.s.pose[0].x[0] - rest;
  end(&r);
  return x;
}

// theta = 1/2 keeps the energy to rounding and is of second order; theta = 1 is implicit Euler exactly.
static void test_oscillator(void **state) {
  (void)state;
  double error[2];
  for (int n = 0; n < 2; n++) {
    int steps = 100 << n;
    run r = begin(OSCILLATOR, 100., 1., 0., 1. / steps, 1., 0.5);
    double first = all_energy(&r);
    for (int k = 0; k < steps; k++) {
      solved_step(&r);
      assert_near(all_energy(&r), first, 1e-12);
    }
    error[n] = fabs(r.s.pose[0].x[0] - 1 - 0.5 * cos(10));
    end(&r);
  }
  assert_in_range((int)(100 * error[0] / error[1]), 390, 410);
  double h = 0.01, x = 0.5, v = 0;
  run r = begin(OSCILLATOR, 100., 1., 0., h, 1., 1.);
  for (int k = 0; k < 100; k++) {
    solved_step(&r);
    v = (v - h * 100 * x) / (1 + h * h * 100);
    x += h * v;
    assert_near(r.s.pose[0].x[0] - 1, x, 1e-12);
  }
  end(&r);
}

// x'' + 2 d x' + w^2 x = 0
static void test_damped_oscillator(void **state) {
  (void)state;
  double damping = 4, d = damping / 2, w = sqrt(100 - d * d);
  double exact = 0.5 * exp(-d) * (cos(w) + d / w * sin(w));
  double coarse = elongation_at_end(100, 1, damping, 1e-2, 100, 0.5) - exact;
  double fine = elongation_at_end(100, 1, damping, 1e-3, 1000, 0.5) - exact;
  assert_near(fine, 0, 1e-5);
  assert_in_range((int)fabs(coarse / fine), 90, 110);
}

// k h^2/m = 1e6: stays, and with theta = 1 dies down at once; without a rest length too, where it goes through the point.
static void test_stiff_springs(void **state) {
  (void)state;
  for (int n = 0; n < 4; n++) {
    double rest = n % 2, theta = n < 2 ? 1 : 0.5, h = 0.01;
    run r = begin(OSCILLATOR, 1e10, rest, 0., h, 1., theta);
    double first = all_energy(&r);
    for (int k = 0; k < 100; k++) {
      solved_step(&r);
      assert_true(all_energy(&r) <= first * (1 + 1e-9));
      assert_true(fabs(r.s.pose[0].x[0]) <= 1.6);
      if (theta == 1 && k > 3) assert_near(r.s.pose[0].x[0], rest, 1e-9);
      if (theta == 0.5) assert_near(all_energy(&r) / first, 1, 1e-8);
    }
    ss_simulation_destroy(r.sim);
    ss_scene_close(r.scene);
  }
}

#define TWO                                                                                        \
  "{'gravity':[0,0,0],'materials':[{'name':'m','mu':0.5}],'bodies':["                              \
  "{'name':'a','shape':{'kind':'box','size':[0.5,0.3,0.2]},'mass':1,'velocity':[0,1,0.3],"         \
  "'spin':[0.4,0.2,1]},"                                                                           \
  "{'name':'b','shape':{'kind':'box','size':[0.2,0.3,0.4]},'mass':2,'position':[1.5,0.2,0],"       \
  "'velocity':[0,-0.5,-0.15],'spin':[0.1,-0.3,0.2]}],%s,"                                          \
  "'stepping':{'step':%.17g,'duration':1,'theta':0.5}}"
static const char *const ties[] = {
    "'springs':[{'a':'a','b':'b','anchor_a':[0.2,0.1,0.1],'anchor_b':[1.4,0.3,0],'stiffness':50,'"
    "rest_length':0.8}]",
    "'bushings':[{'a':'a','b':'b','anchor':[0.7,0,0.1],'rotation':{'axis':[1,1,0],'degrees':30},"
    "'stiffness':[60,40,50],'rotational_stiffness':[3,4,5]}]",
    "'springs':[{'a':'a','b':'b','table':[[-0.5,-40],[0,0],[0.2,2],[1,60]],'rest_length':1.4},"
    "{'kind':'torsional','a':'a','b':'b','axis':[1,0,0],'stiffness':2}]"};

static void pose_after(const char *tie, int steps, double out[3], double *momentum) {
  run r = begin(TWO, tie, 1. / steps);
  double first = all_energy(&r);
  for (int n = 0; n < steps; n++) solved_step(&r);
  assert_near(all_energy(&r), first, 1e-11);
  memcpy(out, r.s.pose[0].x, 3 * sizeof *out);
  *momentum = 0;
  for (int k = 0; k < 3; k++) *momentum += fabs(r.s.velocity[k] + 2 * r.s.velocity[3 + k]);
  end(&r);
}

// Two bodies that turn and are tied together: energy to rounding whatever the characteristic, momentum, second order.
static void test_two_bodies(void **state) {
  (void)state;
  for (int n = 0; n < 3; n++) {
    double x[3][3], momentum, coarse = 0, fine = 0;
    for (int k = 0; k < 3; k++) {
      pose_after(ties[n], 100 << k, x[k], &momentum);
      assert_near(momentum, 0, 1e-12);
    }
    for (int k = 0; k < 3; k++) {
      coarse = fmax(coarse, fabs(x[0][k] - x[1][k]));
      fine = fmax(fine, fabs(x[1][k] - x[2][k]));
    }
    assert_true(coarse > 3 * fine);  // 4: second order; corners of the table
    if (n < 2) assert_true(coarse < 5 * fine);
  }
}

// A disk (2D) and a box (3D) that a torsional spring turns back: angle = a cos(t sqrt(k/I)), over many turns.
static void test_torsional_pendulum(void **state) {
  (void)state;
  double h = 1e-3, k = 5, w = sqrt(k / 2.), first = 9;  // more than one turn
  run r = begin(
      "{'dim':2,'gravity':[0,0],'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'x',"
      "'shape':{'kind':'disk','radius':0.1},'mass':1,'inertia':2}],'springs':[{'kind':'torsional',"
      "'a':'x','stiffness':%g,'rest_angle':%g}],'stepping':{'step':%g,'duration':1,'theta':0.5}}",
      k, first, h);
  for (int n = 0; n < 1000; n++) solved_step(&r);
  double angle = first * (1 - cos(w)), found = 2 * atan2(r.s.pose[0].q[3], r.s.pose[0].q[0]);
  assert_near(cos(found - angle), 1, 1e-7);
  assert_near(r.s.spin[2], first * w * sin(w), 1e-4);
  end(&r);
  r = begin(
      "{'gravity':[0,0,0],'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'x',"
      "'shape':{'kind':'box','size':[1,2,3]},'mass':1,'inertia':[1,2,3]}],'springs':[{'kind':'"
      "torsional',"
      "'a':'x','axis':[0,1,0],'stiffness':%g,'rest_angle':0.4}],'stepping':{'step':%g,'duration':1,"
      "'theta':0.5}}",
      k, h);
  for (int n = 0; n < 1000; n++) solved_step(&r);
  assert_near(2 * atan2(r.s.pose[0].q[2], r.s.pose[0].q[0]), 0.4 * (1 - cos(w)), 1e-6);
  end(&r);
}

// A block of 2 kg on rough ground, pulled by a spring whose other end moves at V: it sticks until k V t = mu m g, then
//   x = V (t - sin(w t)/w),  t from there on, to the next stop after a period.
static void test_block_is_dragged(void **state) {
  (void)state;
  const double k = 40, V = 0.5, mu = 0.2, m = 2, start = mu * m * G / (k * V), w = sqrt(k / m);
  double error[2];
  for (int n = 0; n < 2; n++) {
    double h = n ? 1e-3 : 2e-3, begins = -1;
    run r = begin(
        "{'dim':2,'materials':[{'name':'m','mu':%g}],'bodies':[{'name':'x','shape':{'kind':'box',"
        "'size':[0.4,0.2]},'mass':%g,'position':[0,0.1]}],'externals':[{'shape':{'kind':'plane'}},"
        "{'name':'hand','shape':{'kind':'disk','radius':0.01},'position':[1,0.1],'motion':{'kind':'"
        "constant',"
        "'velocity':[%g,0]}}],'springs':[{'a':'x','b':'hand','stiffness':%g}],"
        "'stepping':{'step':%g,'duration':1.5,'theta':0.5},'solver':{'tol':1e-11}}",
        mu, m, V, k, h);
    while (!ss_simulation_done(r.sim)) {
      solved_step(&r);
      if (begins < 0 && r.s.velocity[0] > 1e-7) begins = r.s.time;
    }
    double t = r.s.time - start;
    assert_near(begins, start, 2 * h);
    error[n] = fabs(r.s.pose[0].x[0] - V * (t - sin(w * t) / w));
    end(&r);
  }
  assert_true(error[1] < 2e-3 && error[1] < 0.7 * error[0]);
}

// Held by friction against a spring, for as long as it takes; weight on a bushing: at rest where k x = m g.
static void test_equilibrium(void **state) {
  (void)state;
  run r = begin(
      "{'materials':[{'name':'m','mu':0.6}],'bodies':[{'name':'x','shape':{'kind':'box','size':[1,"
      "1,1]},"
      "'mass':1,'position':[0,0,0.5]},{'name':'y','shape':{'kind':'box','size':[1,1,1]},'mass':1,"
      "'position':[5,0,3]}],'externals':[{'shape':{'kind':'plane'}}],'springs':[{'a':'x','anchor_b'"
      ":[3,0,0.5],"
      "'stiffness':10,'rest_length':2.5}],'bushings':[{'a':'y','anchor':[5.2,0,3],'stiffness':[500,"
      "500,500],"
      "'damping':[50,50,50],'rotational_stiffness':[100,100,100],'rotational_damping':[9,9,9]}],"
      "'stepping':{'step':0.01,'duration':6}}");
  for (int n = 0; n < 600; n++) {
    solved_step(&r);
    assert_near(r.s.pose[0].x[0], 0, 1e-9);
  }
  double tilt = 0.2 * G / 100;  // to first order
  assert_near(r.s.pose[1].x[2], 3 - G / 500 - 0.2 * tilt, 1e-5);
  assert_near(r.s.element_force[0], -5, 1e-9);
  assert_near(r.s.element_force[6 + 2], -G, 1e-6);
  end(&r);
}

// In the plane: bodies, an external object that moves and turns, all kinds of elements.
static void test_plane(void **state) {
  (void)state;
  const char *const text =
      "{'dim':2,'gravity':[0,-9.81],'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'a','"
      "shape':{'kind':'box',"
      "'size':[0.5,0.3]},'mass':1,'spin':2},{'name':'b','shape':{'kind':'disk','radius':0.1},'mass'"
      ":2,'position':[2,0],"
      "'velocity':[0,1]}],'externals':[{'name':'e','shape':{'kind':'disk','radius':0.1},'position':"
      "[0,3],"
      "'motion':{'kind':'%s','%s':[0.3,0.2]%s}}],"
      "'springs':[{'a':'a','b':'b','anchor_a':[0.2,0.1],'stiffness':30},{'kind':'torsional','a':'a'"
      ",'b':'b','stiffness':2},"
      "{'a':'b','b':'e','anchor_a':[2.05,0.05],'stiffness':10,'rest_length':0}],"
      "'bushings':[{'a':'a','b':'e','anchor':[0,0.5],'rotation':30,'stiffness':[40,60],'rotational_"
      "stiffness':3}],"
      "'stepping':{'step':0.01,'duration':2,'theta':0.5}}";
  for (int n = 0; n < 3; n++) {
    run r = begin(text, n ? n == 1 ? "constant" : "harmonic" : "constant",
                  n < 2 ? "velocity" : "amplitude",
                  n == 2 ? ",'swing':0.4,'frequency':0.8"
                  : n    ? ",'spin':0.7"
                         : "");
    double first = all_energy(&r);
    for (int k = 0; k < 200; k++) solved_step(&r);
    ss_energy e;
    ss_simulation_energy(r.sim, &e);
    assert_near(all_energy(&r) - e.external - e.contact - e.correction, first, 1e-10);
    assert_true(fabs(e.external) > 0.1);
    end(&r);
  }
}

// A gate on a hinge that a torsional spring closes: energy to rounding while nothing touches it.
static void test_with_joints(void **state) {
  (void)state;
  run r =
      begin("{'gravity':[0,0,-9.81],'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'x','"
            "shape':{'kind':'box',"
            "'size':[1,0.1,1]},'mass':3,'position':[0.5,0,0]},{'name':'y','shape':{'kind':'sphere',"
            "'radius':0.1},"
            "'mass':1,'position':[2,0,0]}],'joints':[{'kind':'hinge','a':'x','anchor':[0,0,0],'"
            "axis':[0,0,1]}],"
            "'springs':[{'kind':'torsional','a':'x','axis':[0,0,1],'stiffness':8,'rest_angle':1},"
            "{'a':'x','b':'y','anchor_a':[1,0,0.3],'stiffness':200}],"
            "'stepping':{'step':0.005,'duration':2,'theta':0.5}}");
  double first = all_energy(&r);
  for (int n = 0; n < 400; n++) {
    solved_step(&r);
    assert_near(all_energy(&r), first, 1e-9);
  }
  end(&r);
}

// m x'' = F sin(2 pi f t) from rest: x' = F/(2 pi f m) (1 - cos).
static void test_harmonic_load(void **state) {
  (void)state;
  run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'x','"
                "shape':{'kind':'sphere',"
                "'radius':0.1},'mass':2}],'loads':[{'body':'x','force':[3,0,0],'frequency':0.7,'"
                "phase':0.2}],"
                "'stepping':{'step':0.001,'duration':1,'theta':0.5}}");
  for (int n = 0; n < 1000; n++) solved_step(&r);
  double w = 2 * PI * 0.7;
  assert_near(r.s.velocity[0], 3 / (2 * w) * (cos(0.2) - cos(w + 0.2)), 1e-5);
  end(&r);
}

// Saved and loaded in the middle of it, the rest has the same bits.
static void test_resumed_run_has_the_same_bits(void **state) {
  (void)state;
  run r = begin(TWO, ties[2], 0.01), again = begin(TWO, ties[2], 0.01);
  const void *bytes;
  size_t size;
  for (int n = 0; n < 30; n++) solved_step(&r);
  assert_int_equal(ss_simulation_save(r.sim, &bytes, &size), SS_OK);
  assert_int_equal(ss_simulation_load(again.sim, bytes, size), SS_OK);
  for (int n = 0; n < 30; n++) {
    solved_step(&r);
    solved_step(&again);
  }
  assert_memory_equal(r.s.pose, again.s.pose, 2 * sizeof(ss_pose));
  assert_memory_equal(r.s.velocity, again.s.velocity, 6 * sizeof(double));
  run other = begin(TWO, ties[0], 0.01);
  assert_int_equal(ss_simulation_load(other.sim, bytes, size), SS_ERR_DATA);
  end(&r);
  end(&again);
  end(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oscillator),
      cmocka_unit_test(test_damped_oscillator),
      cmocka_unit_test(test_stiff_springs),
      cmocka_unit_test(test_two_bodies),
      cmocka_unit_test(test_torsional_pendulum),
      cmocka_unit_test(test_block_is_dragged),
      cmocka_unit_test(test_equilibrium),
      cmocka_unit_test(test_plane),
      cmocka_unit_test(test_with_joints),
      cmocka_unit_test(test_harmonic_load),
      cmocka_unit_test(test_resumed_run_has_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
