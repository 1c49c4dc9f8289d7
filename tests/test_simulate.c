// Rigid bodies in time against closed forms, laws of conservation, and themselves.
#include "scene_run.h"

// ---- one body ---------------------------------------------------------------------------------

static const char *end_of(int dim, const char *shape, double mu, double v, const char *spin) {
  run r = begin("{'dim':%d,'materials':[{'name':'m','mu':%g}],'bodies':[{'shape':{%s},"
                "'position':[0,%s],'velocity':[%g,0%s],'spin':%s}],"
                "'externals':[{'shape':{'kind':'plane'}}],'stepping':{'step':0.01,'duration':0.5,"
                "'until_rest':true},'solver':{'tol':1e-10}}",
                dim, mu, shape, dim == 2 ? "0.1" : "0,0.1", v, dim == 2 ? "" : ",0", spin);
  while (!ss_simulation_done(r.sim)) solved_step(&r);
  const char *why = ss_simulation_end(r.sim);
  if (strcmp(why, "rest") == 0) {
    assert_int_equal(r.s.step, 10);
    assert_near(r.s.spin[2], 5, 1e-9);  // still there: nothing brakes it
    assert_true(r.info.speed < 1e-9);
  } else {
    assert_true(r.info.speed > 0.1);
  }
  end(&r);
  return why;
}

// Rest is that of the shapes: a ball spinning about the normal of its contact rests, one that rolls
// does not, nor does a box that turns.
static void test_rest_is_that_of_shapes(void **state) {
  (void)state;
  const char *ball = "'kind':'sphere','radius':0.1", *box = "'kind':'box','size':[0.3,0.2,0.2]";
  assert_string_equal(end_of(3, ball, 0.3, 0, "[0,0,5]"), "rest");
  assert_string_equal(end_of(3, ball, 0.3, 0.5, "[0,5,0]"), "duration");
  assert_string_equal(end_of(3, box, 0, 0, "[0,0,5]"), "duration");
  assert_string_equal(end_of(2, ball, 0, 0, "5"), "rest");
  assert_string_equal(end_of(2, ball, 0.3, 0.5, "-5"), "duration");
}

// A ball of uniform density thrown along the floor slides until t = 2 v0/(7 mu g), then rolls with 5/7 v0.
static double ball_position(double h, double t_end, double *rolling_from) {
  const double v0 = 3, mu = 0.2;
  run r = begin("{'materials':[{'name':'m','mu':%g}],"
                "'bodies':[{'shape':{'kind':'sphere','radius':0.1},'position':[0,0,0.1],"
                "'velocity':[%g,0,0]}],'externals':[{'shape':{'kind':'plane'}}],"
                "'stepping':{'step':%.17g,'duration':10},'solver':{'tol':1e-12}}",
                mu, v0, h);
  *rolling_from = 0;
  for (int k = 0; k < (int)lround(t_end / h); k++) {
    solved_step(&r);
    assert_int_equal(r.s.contact_count, 1);
    if (r.s.contacts[0].state == SS_STICK && *rolling_from == 0) *rolling_from = r.s.time;
  }
  assert_near(r.s.velocity[0], 5.0 / 7 * v0, 1e-11);
  assert_near(r.s.spin[1], 5.0 / 7 * v0 / 0.1, 1e-11);
  assert_near(r.s.pose[0].x[2], 0.1, 1e-13);
  double x = r.s.pose[0].x[0];
  end(&r);
  return x;
}

static void test_sliding_ball_starts_to_roll(void **state) {
  (void)state;
  const double v0 = 3, mu = 0.2, t1 = 2 * v0 / (7 * mu * G), t_end = 1;
  const double exact = v0 * t1 - mu * G * t1 * t1 / 2 + 5.0 / 7 * v0 * (t_end - t1);
  double error[4];
  for (int k = 0; k < 4; k++) {
    double h = 0.02 / (1 << k), from;
    error[k] = ball_position(h, t_end, &from) - exact;
    assert_true(from >= t1 - 1e-12 && from <= t1 + h + 1e-12);
  }
  assert_true(fabs(error[3]) < 0.006);
  for (int k = 0; k < 3; k++) {  // first order
    double ratio = error[k] / error[k + 1];
    assert_true(ratio > 1.8 && ratio < 2.2);
  }
}

#define SLOPE                                                                                      \
  "{'materials':[{'name':'m','mu':%.17g}],"                                                        \
  "'bodies':[{'shape':{'kind':'box','size':[0.4,0.3,0.2]},'position':[%.17g,0,%.17g],"             \
  "'rotation':{'axis':[0,1,0],'degrees':25}}],"                                                    \
  "'externals':[{'shape':{'kind':'plane'},'rotation':{'axis':[0,1,0],'degrees':25}}],"             \
  "'stepping':{'step':0.01,'duration':100},'solver':{'tol':1e-13}}"

static run begin_slope(double mu) {
  double a = 25 * PI / 180;
  return begin(SLOPE, mu, 0.1 * sin(a), 0.1 * cos(a));
}

static void test_block_sticks_to_a_slope(void **state) {
  (void)state;
  const double factors[] = {1.0000001, 1.05, 3};
  for (int k = 0; k < 3; k++) {
    run r = begin_slope(factors[k] * tan(25 * PI / 180));
    double fastest = 0;
    for (int i = 0; i < 10000 && !ss_simulation_done(r.sim); i++) {
      solved_step(&r);
      fastest = fmax(fastest, r.info.speed);
    }
    assert_int_equal(r.s.step, 10000);
    if (!(fastest < 1e-12)) fail_msg("mu = %g tan: moved with %g", factors[k], fastest);
    end(&r);
  }
}

static void test_block_slides_down_a_slope(void **state) {
  (void)state;
  const double a = 25 * PI / 180, mu = 0.3, acceleration = G * (sin(a) - mu * cos(a));
  run r = begin_slope(mu);
  for (int i = 0; i < 100; i++) solved_step(&r);
  double along = r.s.velocity[0] * cos(a) - r.s.velocity[2] * sin(a);
  double across = r.s.velocity[0] * sin(a) + r.s.velocity[2] * cos(a);
  assert_near(along, acceleration * 1.0, 1e-9);
  assert_near(across, 0, 1e-10);
  // force: m g cos(a) along the normal, mu times that against the motion
  double normal = 0, mass = 1000 * 0.4 * 0.3 * 0.2;
  for (int i = 0; i < r.s.contact_count; i++)
    normal += r.s.contacts[i].impulse[2] * cos(a) + r.s.contacts[i].impulse[0] * sin(a);
  assert_near(normal / 0.01, mass * G * cos(a), 1e-8);
  end(&r);
}

// Dropped from height H with restitution e: bounces at t_n = t_0 (1 + 2 (e + ... + e^n)), t_0 = sqrt(2H/g).
static double bounce_error(double h) {
  const double H = 1, e = 0.6;
  run r = begin("{'materials':[{'name':'m','mu':0.5,'restitution':%g}],"
                "'bodies':[{'shape':{'kind':'sphere','radius':0.1},'position':[0,0,%.17g]}],"
                "'externals':[{'shape':{'kind':'plane'}}],"
                "'stepping':{'step':%.17g,'duration':10},'solver':{'tol':1e-12}}",
                e, 0.1 + H, h);
  double t = sqrt(2 * H / G), worst = 0, before = 0, speed = G * t;
  for (int n = 1; n <= 3 && r.s.time < 3;) {
    solved_step(&r);
    double v = r.s.velocity[2];
    if (before < 0 && v > 0) {
      worst = fmax(worst, fabs(r.s.time - t));
      speed *= e;
      assert_near(v, speed, 40 * h);
      t += 2 * speed / G;
      n++;
    }
    assert_true(r.s.pose[0].x[2] > 0.1 - 1e-12);
    before = v;
  }
  end(&r);
  return worst;
}

static void test_bouncing_ball(void **state) {
  (void)state;
  double e1 = bounce_error(4e-3), e2 = bounce_error(1e-3), e3 = bounce_error(2.5e-4);
  assert_true(e3 < 1e-3);
  assert_true(e1 / e2 > 2 && e2 / e3 > 2);  // first order, in steps of four
}

// A ball of restitution 1 keeps its energy but for the integrator's part.
static void test_free_fall_and_theta(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double theta = k ? 1 : 0.5, h = 0.01;
    run r =
        begin("{'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':'sphere','radius':1},"
              "'mass':2,'velocity':[1,2,3],'spin':[4,5,6]}],"
              "'stepping':{'step':%g,'duration':1,'theta':%g}}",
              h, theta);
    for (int i = 0; i < 100; i++) solved_step(&r);
    double fall = -G / 2 - (theta - 0.5) * G * h;  // t = 1: z = v t - g t^2/2 - (theta - 1/2) g t h
    assert_near(r.s.pose[0].x[2], 3 + fall, 1e-12);
    assert_near(r.s.velocity[2], 3 - G, 1e-12);
    assert_near(r.s.spin[0], 4, 1e-12);
    end(&r);
  }
}

// ---- rotation ---------------------------------------------------------------------------------

static void angular_momentum(const run *r, double L[3]) {
  L[0] = L[1] = L[2] = 0;
  for (int i = 0; i < r->s.body_count; i++) {
    ss_sim_body b;
    double R[9];
    ss_simulation_body(r->sim, i, &b);
    ss_rotation(r->s.pose[i].q, R);
    const double *w = r->s.spin + 3 * i, *x = r->s.pose[i].x, *v = r->s.velocity + 3 * i;
    for (int k = 0; k < 3; k++) {
      double local = R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2];
      for (int d = 0; d < 3; d++) L[d] += R[3 * d + k] * b.inertia[k] * local;
    }
    L[0] += b.mass * (x[1] * v[2] - x[2] * v[1]);
    L[1] += b.mass * (x[2] * v[0] - x[0] * v[2]);
    L[2] += b.mass * (x[0] * v[1] - x[1] * v[0]);
  }
}

// A box that tumbles freely keeps its momentum for any theta, and with theta = 1/2 its energy.
static void test_tumbling_box(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    double theta = k == 0 ? 0.5 : k == 1 ? 0.75 : 1, L0[3], L1[3];
    run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0}],"
                  "'bodies':[{'shape':{'kind':'box','size':[1,2,3]},'spin':[0.1,3,0.2]}],"
                  "'stepping':{'step':0.01,'duration':100,'theta':%g}}",
                  theta);
    double E0 = energy(&r), turned = 0;
    angular_momentum(&r, L0);
    for (int i = 0; i < 2000; i++) {
      solved_step(&r);
      double R[9];
      ss_rotation(r.s.pose[0].q, R);
      turned = fmax(turned, -R[4]);
    }
    angular_momentum(&r, L1);
    for (int d = 0; d < 3; d++) assert_near((L1[d] - L0[d]) / L0[1], 0, 1e-12);
    if (k == 0) {
      assert_near(energy(&r) / E0, 1, 1e-11);
      assert_true(turned > 0);  // about the middle axis it flips over
    } else {
      assert_true(energy(&r) < E0);
    }
    end(&r);
  }
}

// Steady precession of a heavy top, its tip in a ball joint: with I' = I_1 + m l^2, tilt a, rate p,
//   I_3 w_3 p = m g l + I' p^2 cos(a)
static double precession_error(double h, double theta) {
  const double m = 1, l = 0.5, I1 = 0.02, I3 = 0.04, a = PI / 3, p = 2, t_end = 1;
  const double w3 = (m * G * l + (I1 + m * l * l) * p * p * cos(a)) / (I3 * p);
  const double axis[3] = {sin(a), 0, cos(a)}, spin = w3 - p * cos(a);
  double w[3] = {spin * axis[0], 0, spin * axis[2] + p};
  double v[3] = {0, p * l * sin(a), 0};
  run r =
      begin("{'materials':[{'name':'m','mu':0}],'bodies':[{'name':'top',"
            "'shape':{'kind':'sphere','radius':0.1},'mass':%g,'inertia':[%g,%g,%g],"
            "'position':[%.17g,0,%.17g],'rotation':{'axis':[0,1,0],'degrees':60},"
            "'velocity':[%.17g,%.17g,%.17g],'spin':[%.17g,%.17g,%.17g]}],"
            "'joints':[{'kind':'ball','a':'top','anchor':[0,0,0]}],"
            "'stepping':{'step':%.17g,'duration':10,'theta':%g},'solver':{'tol':1e-12}}",
            m, I1, I1, I3, l * axis[0], l * axis[2], v[0], v[1], v[2], w[0], w[1], w[2], h, theta);
  for (int k = 0; k < (int)lround(t_end / h); k++) solved_step(&r);
  const double *x = r.s.pose[0].x;
  double error =
      hypot(hypot(x[0] - l * sin(a) * cos(p * t_end), x[1] - l * sin(a) * sin(p * t_end)),
            x[2] - l * cos(a));
  end(&r);
  return error;
}

static void test_spinning_top_precesses(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double theta = k ? 1 : 0.5;
    double e1 = precession_error(4e-3, theta), e2 = precession_error(2e-3, theta),
           e3 = precession_error(1e-3, theta);
    if (!(e3 < (k ? 0.1 : 0.02) && e1 / e2 > 1.6 && e2 / e3 > 1.6))
      fail_msg("theta = %g: errors %g, %g, %g", theta, e1, e2, e3);
  }
}

// ---- many bodies ------------------------------------------------------------------------------

// Balls that fly into each other, without gravity: momentum and its moment are kept to rounding.
static void test_momentum_is_conserved(void **state) {
  (void)state;
  run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0.4,'restitution':0.5}],"
                "'generators':[{'kind':'packing','shape':{'kind':'sphere','radius':0.1},'count':60,"
                "'region':[[0,0,0],[1,1,1]],'spread':0.2,'speed':2,'seed':5}],"
                "'stepping':{'step':0.01,'duration':1},'solver':{'tol':1e-8}}");
  double p0[3] = {0}, L0[3], L1[3], size = 0;
  angular_momentum(&r, L0);
  for (int pass = 0; pass < 2; pass++) {
    double p[3] = {0};
    for (int i = 0; i < r.s.body_count; i++) {
      ss_sim_body b;
      ss_simulation_body(r.sim, i, &b);
      for (int k = 0; k < 3; k++) p[k] += b.mass * r.s.velocity[3 * i + k];
      if (!pass) size += b.mass * 2;
    }
    for (int k = 0; k < 3; k++) {
      if (pass) assert_near((p[k] - p0[k]) / size, 0, 1e-14);
      p0[k] = p[k];
    }
    int64_t touched = 0;
    for (int i = 0; !pass && i < 60; i++) {
      solved_step(&r);
      touched += r.info.active;
    }
    if (!pass) assert_true(touched > 20);
  }
  angular_momentum(&r, L1);
  for (int k = 0; k < 3; k++) assert_near((L1[k] - L0[k]) / size, 0, 1e-13);
  end(&r);
}

// theta = 1, e = 0, nothing against drift, fixed supports, spheres: energy never grows.
static void test_energy_does_not_grow(void **state) {
  (void)state;
  run r = begin("{'materials':[{'name':'m','mu':0.5}],"
                "'generators':[{'kind':'packing','shape':{'kind':'sphere','radius':0.1},'count':60,"
                "'region':[[-0.35,-0.35,0],[0.35,0.35,4]],'spread':0.2,'speed':1,'seed':3}],"
                "'externals':[{'shape':{'kind':'plane'}},"
                "{'shape':{'kind':'plane'},'position':[-0.4,0,0],'rotation':{'up':[1,0,0.2]}},"
                "{'shape':{'kind':'plane'},'position':[0.4,0,0],'rotation':{'up':[-1,0,0.2]}}],"
                "'stepping':{'step':0.01,'duration':1,'drift':'none'},'solver':{'tol':1e-9}}");
  double E0 = energy(&r), E = E0;
  for (int i = 0; i < 100; i++) {
    solved_step(&r);
    double next = energy(&r);
    if (!(next <= E + 1e-9 * fabs(E0 - E))) fail_msg("step %d: %.17g -> %.17g", i + 1, E, next);
    E = next;
  }
  assert_true(E < E0);
  end(&r);
}

// In every built-in scene some steps run, and the balance closes (checked by end).
static void test_balance_closes_in_every_scene(void **state) {
  (void)state;
  const char *name;
  for (int k = 0; (name = ss_scene_builtin(k, NULL, NULL)); k++) {
    for (int drift = SS_DRIFT_GAP; drift <= SS_DRIFT_PROJECTION; drift++) {
      run r = begin_builtin(name);
      r.scene->solver.tol = 1e-4;
      r.scene->stepping.drift = (ss_drift)drift;
      r.scene->stepping.unsolved = SS_UNSOLVED_GO;
      build(&r);
      for (int i = 0; i < 8; i++) step(&r);
      end(&r);
    }
  }
}

// A column of blocks, each heavier than the one below: the floor carries the weight of all.
static void test_stack_stands(void **state) {
  (void)state;
  run r = begin("{'materials':[{'name':'m','mu':0.5}],"
                "'generators':[{'kind':'stack','shape':{'kind':'box','size':[0.2,0.2,0.2]},"
                "'count':10,'at':[0,0,0.1],'spacing':[0,0,0.2],'mass':1,'mass_ratio':1.5}],"
                "'externals':[{'shape':{'kind':'plane'}}],"
                "'stepping':{'step':0.01,'duration':2},'solver':{'tol':1e-10}}");
  double weight = 0, floor_force = 0, moved = 0;
  for (int i = 0; i < r.s.body_count; i++) {
    ss_sim_body b;
    ss_simulation_body(r.sim, i, &b);
    weight += b.mass * G;
  }
  for (int i = 0; i < 200; i++) solved_step(&r);
  for (int i = 0; i < r.s.contact_count; i++)
    if (r.s.contacts[i].b <= SS_EXTERNAL) floor_force += r.s.contacts[i].impulse[2] / 0.01;
  for (int i = 0; i < r.s.body_count; i++)
    moved = fmax(moved, fabs(r.s.pose[i].x[2] - 0.1 - 0.2 * i) + fabs(r.s.pose[i].x[0]));
  assert_near(floor_force / weight, 1, 1e-8);
  if (!(moved < 0.2e-6)) fail_msg("moved by %g", moved);
  end(&r);
}

// ---- joints -----------------------------------------------------------------------------------

// A plane pendulum: theta = 1/2 keeps the energy well, the pivot stays in place, the period is that of
// small swings.
static void test_pendulum(void **state) {
  (void)state;
  const double l = 1, I = 0.1, a = 0.01, period = 2 * PI * sqrt((l * l + I) / (G * l));
  run r = begin("{'dim':2,'materials':[{'name':'m','mu':0}],'bodies':[{'name':'bob','shape':"
                "{'kind':'disk','radius':0.1},'mass':1,'inertia':%g,'position':[%.17g,%.17g]}],"
                "'joints':[{'kind':'hinge','a':'bob','anchor':[0,0]}],"
                "'stepping':{'step':0.001,'duration':100,'theta':0.5},'solver':{'tol':1e-12}}",
                I, l * sin(a), -l * cos(a));
  double last = 1, crossed = 0, first = 0;
  int crossings = 0;
  while (r.s.time < 3 * period) {
    double x0 = r.s.pose[0].x[0];
    solved_step(&r);
    double x1 = r.s.pose[0].x[0];
    if (x0 < 0 && x1 >= 0) {
      crossed = r.s.time - 0.001 * x1 / (x1 - x0);
      if (!crossings++) first = crossed;
      last = crossed;
    }
    assert_near(hypot(x1, r.s.pose[0].x[1]), l, 1e-6);
  }
  assert_int_equal(crossings, 3);
  assert_near((last - first) / 2, period, 1e-3);
  end(&r);
}

// Every kind of joint, 2D and 3D, under load: what it holds stays.
static void test_joints_hold(void **state) {
  (void)state;
  const char *kinds[] = {"ball", "hinge", "slider", "fixed"};
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 4; k++)
      for (int drift = 0; drift < 2; drift++) {
        const char *axis = k == 1 || k == 2 ? dim == 2 ? ",'axis':[1,0]" : ",'axis':[1,0,0]" : "";
        run r = begin("{'dim':%d,'materials':[{'name':'m','mu':0}],'bodies':["
                      "{'name':'x','shape':{'kind':'box','size':[1,0.2%s]},'position':[0.5,0%s],"
                      "'spin':%s},{'name':'y','shape':{'kind':'box','size':[1,0.2%s]},"
                      "'position':[1.5,0%s]}],'joints':[{'kind':'%s','a':'x','anchor':[0,0%s]%s},"
                      "{'kind':'%s','a':'x','b':'y','anchor':[1,0%s]%s}],"
                      "'loads':[{'body':'y','force':[1,2%s]}],"
                      "'stepping':{'step':0.002,'duration':1,'drift':'%s'},'solver':{'tol':1e-10}}",
                      dim, dim == 2 ? "" : ",0.1", dim == 2 ? "" : ",0", dim == 2 ? "1" : "[1,2,3]",
                      dim == 2 ? "" : ",0.1", dim == 2 ? "" : ",0", kinds[k], dim == 2 ? "" : ",0",
                      axis, kinds[k], dim == 2 ? "" : ",0", axis, dim == 2 ? "" : ",3",
                      ss_drift_name((ss_drift)drift));
        for (int i = 0; i < 300; i++) solved_step(&r);
        const double at[3] = {-0.5, 0, 0}, other[3] = {0.5, 0, 0};
        double a[3], b[3], c[3];
        ss_pose_apply(&r.s.pose[0], at, a);
        ss_pose_apply(&r.s.pose[0], other, b);
        ss_pose_apply(&r.s.pose[1], at, c);
        bool slides = k == 2;
        for (int d = slides ? 1 : 0; d < dim; d++) {
          assert_near(a[d], 0, 1e-4);
          assert_near(b[d] - c[d], 0, 1e-4);
        }
        if (k >= 2)
          for (int i = 0; i < 2; i++) assert_near(fabs(r.s.pose[i].q[0]), 1, 1e-8);
        end(&r);
      }
}

// ---- unsolved steps ---------------------------------------------------------------------------

// The pivoted rod of [AC11, 4.3]: pushed over the ground with tan(angle) <= mu no solution exists.
#define ROD                                                                                        \
  "{'dim':2,'materials':[{'name':'m','mu':%g}],'bodies':[{'name':'rod','shape':{'kind':'capsule'," \
  "'radius':0.02,'length':1},'position':[-0.25,0.4530127018922193],'rotation':60}],"               \
  "'externals':[{'shape':{'kind':'plane'}},{'name':'cart','shape':{'kind':'disk','radius':0.05},"  \
  "'position':[0,0.8860254037844386],'motion':{'kind':'constant','velocity':[%g,0]}}],"            \
  "'joints':[{'kind':'hinge','a':'rod','b':'cart','anchor':[0,0.8860254037844386]}],"              \
  "'stepping':{'step':0.01,'duration':0.1,'unsolved':'%s','halvings':2},"                          \
  "'solver':{'tol':1e-8,'method':'nsgs','max_iter':2000}}"

static void test_jammed_rod_is_reported(void **state) {
  (void)state;
  run r = begin(ROD, 0.8, -1.0, "stop");
  step(&r);
  assert_int_equal(r.info.unsolved, 1);
  assert_true(ss_simulation_done(r.sim));
  assert_string_equal(ss_simulation_end(r.sim), "unsolved");
  assert_int_equal(r.s.step, 0);
  assert_near(r.s.velocity[0], 0, 0);
  const ss_problem *p = ss_simulation_problem(r.sim, NULL, NULL);
  assert_int_equal(p->nc, 1);
  assert_int_equal(p->nl, 2);
  end(&r);

  r = begin(ROD, 0.8, -1.0, "halve");  // halving does not help where there is no solution
  step(&r);
  assert_string_equal(ss_simulation_end(r.sim), "unsolved");
  assert_near(r.info.h, 0.0025, 0);
  end(&r);

  r = begin(ROD, 0.8, -1.0, "go");
  for (int i = 0; i < 3; i++) step(&r);
  ss_sim_totals t;
  ss_simulation_totals(r.sim, &t);
  assert_int_equal(t.steps, 3);
  assert_true(t.unsolved_steps >= 1);
  end(&r);

  r = begin(ROD, 0.5, -1.0, "stop");  // tan(30 degrees) = 0.577 > 0.5: it exists
  for (int i = 0; i < 10; i++) solved_step(&r);
  end(&r);
}

// ---- the same again ---------------------------------------------------------------------------

#define PILE                                                                                       \
  "{'materials':[{'name':'m','mu':0.3,'restitution':0.2}],"                                        \
  "'generators':[{'kind':'packing','shape':{'kind':'sphere','radius':0.1},'count':40,"             \
  "'region':[[-0.3,-0.3,0],[0.3,0.3,4]],'spread':0.1,'speed':1,'seed':%d},"                        \
  "{'kind':'packing','shape':{'kind':'box','size':[0.1,0.12,0.14]},'count':10,"                    \
  "'region':[[-0.3,-0.3,4],[0.3,0.3,6]],'turned':true,'seed':2}],"                                 \
  "'externals':[{'shape':{'kind':'plane'},'motion':{'kind':'harmonic','amplitude':[0.01,0,0],"     \
  "'frequency':2}}],'stepping':{'step':0.01,'duration':10},'solver':{'tol':1e-5}}"

static void test_same_bits_and_resumed_bits(void **state) {
  (void)state;
  enum { HALF = 25 };
  const void *bytes;
  size_t size, final_size;
  run a = begin(PILE, 1), b = begin(PILE, 1), c = begin(PILE, 1), other = begin(PILE, 2);
  for (int i = 0; i < HALF; i++) solved_step(&a);
  assert_int_equal(ss_simulation_save(a.sim, &bytes, &size), SS_OK);
  unsigned char *saved = malloc(size);
  memcpy(saved, bytes, size);
  for (int i = 0; i < HALF; i++) solved_step(&a);
  for (int i = 0; i < 2 * HALF; i++) solved_step(&b);
  assert_int_equal(ss_simulation_load(c.sim, saved, size), SS_OK);
  for (int i = 0; i < HALF; i++) solved_step(&c);
  const void *all[3];
  run *runs[3] = {&a, &b, &c};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(ss_simulation_save(runs[k]->sim, &all[k], &final_size), SS_OK);
    assert_memory_equal(all[0], all[k], final_size);
    assert_memory_equal(a.s.pose, runs[k]->s.pose, sizeof(ss_pose) * (size_t)a.s.body_count);
    assert_int_equal(a.s.contact_count, runs[k]->s.contact_count);
    for (int i = 0; i < a.s.contact_count; i++)
      assert_memory_equal(a.s.contacts[i].impulse, runs[k]->s.contacts[i].impulse, 24);
  }
  // a block of another scene, a damaged one and a short one change nothing
  assert_int_equal(ss_simulation_load(other.sim, saved, size), SS_ERR_DATA);
  saved[size / 2] ^= 1;
  assert_int_equal(ss_simulation_load(c.sim, saved, size), SS_ERR_DATA);
  saved[size / 2] ^= 1;
  assert_int_equal(ss_simulation_load(c.sim, saved, size - 1), SS_ERR_DATA);
  assert_int_equal(ss_simulation_load(c.sim, saved, 3), SS_ERR_DATA);
  assert_int_equal(ss_simulation_save(c.sim, &bytes, &size), SS_OK);
  assert_memory_equal(all[0], bytes, size);
  free(saved);
  end(&a), end(&b), end(&c), end(&other);
}

// No body tunnels through another, however far it flies in a step.
static void test_fast_bodies_do_not_pass_through(void **state) {
  (void)state;
  run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0.3,'restitution':0}],"
                "'bodies':[{'shape':{'kind':'sphere','radius':0.1},'velocity':[100,0,0]}],"
                "'generators':[{'kind':'stack','shape':{'kind':'sphere','radius':0.1},'count':8,"
                "'at':[1,0,0],'spacing':[0.25,0,0]}],"
                "'stepping':{'step':0.01,'duration':1},'solver':{'tol':1e-10}}");
  for (int i = 0; i < 20; i++) {
    solved_step(&r);
    for (int k = 1; k < r.s.body_count; k++)
      assert_true(r.s.pose[k].x[0] - r.s.pose[k - 1].x[0] > 0.2 * (1 - 1.1e-3));
  }
  end(&r);
}

// A blow goes through a whole row within one step, bead by bead, and each of them has a reaction.
static void test_blow_goes_through_a_row(void **state) {
  (void)state;
  run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':0.3,'restitution':0}],"
                "'bodies':[{'shape':{'kind':'sphere','radius':0.1},'velocity':[20,0,0]}],"
                "'generators':[{'kind':'stack','shape':{'kind':'sphere','radius':0.1},'count':12,"
                "'at':[0.2022,0,0],'spacing':[0.2022,0,0]}],"
                "'stepping':{'step':0.01,'duration':1},'solver':{'tol':1e-8}}");
  for (int i = 0; i < 10; i++) {
    solved_step(&r);
    if (i == 0) assert_int_equal(r.info.active, 12);
    for (int k = 1; k < r.s.body_count; k++)
      assert_true(r.s.pose[k].x[0] - r.s.pose[k - 1].x[0] > 0.2 * (1 - 1.1e-3));
  }
  end(&r);
}

// Walls that bend or turn towards a body: a bead slides round in a drum and keeps its speed; one turns with
// the drum, one with a plane about an axis above it. None goes deeper than what is allowed.
static void test_walls_that_bend(void **state) {
  (void)state;
  const char *const walls[] = {
      "'velocity':[4,0,0]}],'externals':[{'shape':{'kind':'drum','radius':1,'length':1},"
      "'rotation':{'axis':[1,0,0],'degrees':90}}]",
      "'velocity':[-3.8,0,0],'spin':[0,4,0]}],'externals':[{'shape':{'kind':'drum','radius':1,"
      "'length':1},'rotation':{'axis':[1,0,0],'degrees':90},"
      "'motion':{'kind':'constant','spin':[0,4,0]}}]",
      "'velocity':[-3.8,0,0],'spin':[0,4,0]}],'externals':[{'shape':{'kind':'plane'},"
      "'position':[0,0,-1],'motion':{'kind':'constant','spin':[0,4,0],'centre':[0,0,0]}}]"};
  const double speeds[] = {4, 3.8, 3.8};
  for (int k = 0; k < 3; k++) {
    run r = begin("{'gravity':[0,0,0],'materials':[{'name':'m','mu':%g}],"
                  "'bodies':[{'shape':{'kind':'sphere','radius':0.05},'position':[0,0,-0.95],%s,"
                  "'stepping':{'step':0.005,'duration':2},'solver':{'tol':1e-10}}",
                  k == 0 ? 0.0 : 1.0, walls[k]);
    for (int i = 0; i < 100; i++) {
      solved_step(&r);
      const double *x = r.s.pose[0].x, *v = r.s.velocity;
      double rho = sqrt(x[0] * x[0] + x[2] * x[2]), speed = sqrt(v[0] * v[0] + v[2] * v[2]);
      assert_true(r.info.penetration <= 1.1e-3 * 0.05);
      assert_near(rho, 0.95, 2e-3 * 0.05);
      assert_near(speed, speeds[k], 1e-3 * speeds[k]);
    }
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest_is_that_of_shapes),
      cmocka_unit_test(test_sliding_ball_starts_to_roll),
      cmocka_unit_test(test_block_sticks_to_a_slope),
      cmocka_unit_test(test_block_slides_down_a_slope),
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_free_fall_and_theta),
      cmocka_unit_test(test_tumbling_box),
      cmocka_unit_test(test_spinning_top_precesses),
      cmocka_unit_test(test_momentum_is_conserved),
      cmocka_unit_test(test_energy_does_not_grow),
      cmocka_unit_test(test_balance_closes_in_every_scene),
      cmocka_unit_test(test_stack_stands),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_joints_hold),
      cmocka_unit_test(test_jammed_rod_is_reported),
      cmocka_unit_test(test_same_bits_and_resumed_bits),
      cmocka_unit_test(test_fast_bodies_do_not_pass_through),
      cmocka_unit_test(test_blow_goes_through_a_row),
      cmocka_unit_test(test_walls_that_bend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
