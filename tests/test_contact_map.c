// Contacts taken at the end of a step (contact_map "implicit"): what that means, from states and impulses alone, and
// what becomes of gaps, with joints, springs and objects that move.
#include "scene_run.h"

// Discs in a drum that turns.
static run discs(const char *map, const char *drift, double h) {
  return begin("{'dim':2,'materials':[{'name':'m','mu':0.4}],'generators':[{'kind':'packing',"
               "'shape':{'kind':'disk','radius':0.1},'count':12,'region':[[-0.5,-0.5],[0.5,0.5]],"
               "'mass':1,'speed':1,'seed':3}],'externals':[{'shape':{'kind':'drum','radius':1},"
               "'motion':{'kind':'constant','spin':2}}],'stepping':{'step':%.17g,'duration':1,"
               "'contact_map':'%s','drift':'%s'},'solver':{'tol':1e-12}}",
               h, map, drift);
}

// Momentum that is missing in the impulses of the contacts, as forces at the poses of the end of the step: the largest
// of all bodies, linear and about the centre, over that of the weight in a step. Discs of mass 1 and radius 0.1.
static double missing_momentum(const run *r, const double *v0, const double *spin0) {
  double worst = 0, h = r->scene->stepping.step, inertia = 0.1 * 0.1 / 2;
  for (int i = 0; i < r->s.body_count; i++) {
    const double *x = r->s.pose[i].x;
    double left[3] = {r->s.velocity[3 * i] - v0[3 * i],
                      r->s.velocity[3 * i + 1] - v0[3 * i + 1] + h * G,
                      inertia * (r->s.spin[3 * i + 2] - spin0[3 * i + 2])};
    for (int k = 0; k < r->s.contact_count; k++) {
      const ss_sim_contact *c = r->s.contacts + k;
      if (c->a != i && c->b != i) continue;
      double sign = c->a == i ? 1 : -1;
      left[0] -= sign * c->impulse[0];
      left[1] -= sign * c->impulse[1];
      left[2] -=
          sign * ((c->point[0] - x[0]) * c->impulse[1] - (c->point[1] - x[1]) * c->impulse[0]);
    }
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(left[k]) / (h * G));
  }
  return worst;
}

// Slip velocity of contacts that stick, from the poses and velocities at the end of the step; the drum's points turn
// with 2 rad/s.
static double slip_of_stick(const run *r) {
  double worst = 0;
  for (int k = 0; k < r->s.contact_count; k++) {
    const ss_sim_contact *c = r->s.contacts + k;
    if (c->state != SS_STICK) continue;
    double u[2];
    for (int i = 0; i < 2; i++) {
      double turned = i ? 1 : -1;
      const double *xa = r->s.pose[c->a].x;
      u[i] =
          r->s.velocity[3 * c->a + i] + turned * r->s.spin[3 * c->a + 2] * (c->point[!i] - xa[!i]);
      if (c->b < 0)
        u[i] -= turned * 2 * c->point[!i];
      else
        u[i] -= r->s.velocity[3 * c->b + i] +
                turned * r->s.spin[3 * c->b + 2] * (c->point[!i] - r->s.pose[c->b].x[!i]);
    }
    worst = fmax(worst, fabs(u[0] * c->normal[1] - u[1] * c->normal[0]));
  }
  return worst;
}

static void forces_act_at_the_end(void **state) {
  (void)state;
  const char *const drifts[] = {"gap", "none"};
  for (int k = 0; k < 4; k++) {
    bool implicit = k >= 2;
    run r = discs(implicit ? "implicit" : "explicit", drifts[k % 2], 0.005);
    double missing = 0, slip = 0, deep = 0, v0[3 * 12], spin0[3 * 12];
    while (!ss_simulation_done(r.sim)) {
      memcpy(v0, r.s.velocity, sizeof v0);
      memcpy(spin0, r.s.spin, sizeof spin0);
      bool first = r.s.step == 0;  // velocities before it are made those of the scheme
      solved_step(&r);
      if (first) continue;
      missing = fmax(missing, missing_momentum(&r, v0, spin0));
      slip = fmax(slip, slip_of_stick(&r));
      deep = fmax(deep, r.info.penetration);
    }
    if (implicit)
      assert_true(missing < 1e-8 && slip < 1e-8);
    else
      assert_true(missing > 1e-4 && slip > 1e-4);  // or nothing is told apart here
    if (implicit && k == 2) assert_true(deep < 1e-9);
    end(&r);
  }
}

// The gap of a disc of radius 1/4 that rolls in a drum of radius 1, or off a disc of radius 1; where it is.
static double roll(const char *map, double h, bool inside, double *gap, double out[2]) {
  double a = inside ? 1 : 0.3, rho = inside ? 0.75 : 1.25;
  run r = begin("{'dim':2,'materials':[{'name':'m','mu':5}],'bodies':[{'shape':{'kind':'disk',"
                "'radius':0.25},'position':[%.17g,%.17g]}],'externals':[{'shape':{'kind':'%s',"
                "'radius':1}}],'stepping':{'step':%.17g,'duration':0.3,'contact_map':'%s'},"
                "'solver':{'tol':1e-13}}",
                rho * sin(a), (inside ? -rho : rho) * cos(a), inside ? "drum" : "disk", h, map);
  *gap = 0;
  while (!ss_simulation_done(r.sim)) {
    solved_step(&r);
    double away = hypot(r.s.pose[0].x[0], r.s.pose[0].x[1]) - rho;
    *gap = fmax(*gap, fabs(away));
  }
  memcpy(out, r.s.pose[0].x, 2 * sizeof(double));
  double solves = r.info.solves;
  end(&r);
  return solves;
}

// a'' = +-g sin a/(3/2 rho), by Runge-Kutta's method.
static void rolled(bool inside, double out[2]) {
  double rho = inside ? 0.75 : 1.25, a = inside ? 1 : 0.3, w = 0;
  double rate = (inside ? -G : G) / (1.5 * rho), h = 0.3 / 3000;
  for (int k = 0; k < 3000; k++) {
    double k1 = rate * sin(a), k2 = rate * sin(a + h / 2 * w);
    double k3 = rate * sin(a + h / 2 * w + h * h / 4 * k1),
           k4 = rate * sin(a + h * w + h * h / 2 * k2);
    a += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  out[0] = rho * sin(a), out[1] = (inside ? -rho : rho) * cos(a);
}

static void rolls_without_a_gap(void **state) {
  (void)state;
  for (int inside = 0; inside < 2; inside++) {
    double exact[2], error[2], gap, wide, at[2];
    rolled(inside, exact);
    for (int k = 0; k < 2; k++) {
      roll("implicit", 0.005 / (1 << k), inside, &gap, at);
      error[k] = hypot(at[0] - exact[0], at[1] - exact[1]);
      assert_true(gap < 1e-12);
    }
    assert_true(error[0] < 0.02 && error[1] < 0.55 * error[0] && error[1] > 0.4 * error[0]);
    roll("explicit", 0.005, inside, &wide, at);
    assert_true(wide > 1e-6);
  }
}

// A box that rocks over a corner in 3D, a capsule that rolls in a drum that turns, a disc on a spring, two discs that a bar
// joins, each in a drum or on a disc: solved, no gap and no overlap where they stay, energies in balance.
static const char *const SCENES[] = {
    "'bodies':[{'shape':{'kind':'box','size':[1,0.6,2]},'rotation':{'axis':[1,2,0],'degrees':10},"
    "'position':[0,0,1.4]}],'externals':[{'shape':{'kind':'plane'}}]",
    "'bodies':[{'shape':{'kind':'capsule','radius':0.1,'length':0.5},'position':[0.8,0.1,0.1],"
    "'rotation':{'axis':[0,0,1],'degrees':10}}],'externals':[{'shape':{'kind':'drum','radius':1,"
    "'length':3},'motion':{'kind':'constant','spin':[0,0,3]}}]",
    "'dim':2,'bodies':[{'name':'d','shape':{'kind':'disk','radius':0.25},'mass':1,"
    "'position':[0.6311,-0.405]}],'externals':[{'shape':{'kind':'drum','radius':1}}],"
    "'springs':[{'a':'d','anchor_a':[0.6311,-0.305],'anchor_b':[0,-1],'stiffness':300,"
    "'damping':1,'rest_length':0.2}]",
    "'dim':2,'bodies':[{'name':'a','shape':{'kind':'disk','radius':0.2},'mass':1,"
    "'position':[0.7,-0.38]},{'name':'b','shape':{'kind':'disk','radius':0.2},'mass':2,"
    "'position':[0.4,-0.69]},{'name':'bar','shape':{'kind':'disk','radius':0.01},'mass':0.1,"
    "'position':[0.55,-0.535]}],'joints':[{'kind':'hinge','a':'bar','b':'a','anchor':[0.7,-0.38]},"
    "{'kind':'hinge','a':'bar','b':'b','anchor':[0.4,-0.69]}],'externals':[{'shape':{'kind':"
    "'drum','radius':1}}]",
};

static void with_all_else(void **state) {
  (void)state;
  const char *const drifts[] = {"gap", "projection", "none"};
  for (size_t k = 0; k < 3 * sizeof SCENES / sizeof *SCENES; k++)
    for (int theta = 0; theta < 2; theta++) {
      run r = begin("{'materials':[{'name':'m','mu':0.7}],%s,'stepping':{'step':0.005,'duration':1,"
                    "'contact_map':'implicit','drift':'%s','theta':%g},'solver':{'tol':1e-10}}",
                    SCENES[k / 3], drifts[k % 3], theta ? 0.5 : 1.0);
      double deep = 0;
      int64_t pushed = 0;
      while (!ss_simulation_done(r.sim)) {
        solved_step(&r);
        deep = fmax(deep, r.info.penetration);
        pushed += r.info.active;
      }
      assert_true(pushed > 20);
      if (k % 3 == 0 && !theta && !(deep < 1e-9)) fail_msg("scene %zu: overlap %g", k / 3, deep);
      end(&r);
    }
}

// Another map, another scene.
static void checkpoints_know_the_map(void **state) {
  (void)state;
  run a = discs("implicit", "gap", 0.01), b = discs("implicit", "gap", 0.01);
  run c = discs("explicit", "gap", 0.01);
  for (int k = 0; k < 30; k++) solved_step(&a);
  const void *bytes;
  size_t size;
  assert_int_equal(ss_simulation_save(a.sim, &bytes, &size), SS_OK);
  assert_int_equal(ss_simulation_load(c.sim, bytes, size), SS_ERR_DATA);
  assert_int_equal(ss_simulation_load(b.sim, bytes, size), SS_OK);
  for (int k = 0; k < 30; k++) {
    solved_step(&a);
    solved_step(&b);
  }
  assert_memory_equal(a.s.pose, b.s.pose, sizeof(ss_pose) * (size_t)a.s.body_count);
  end(&a), end(&b), end(&c);
}

// A bar that turns by more than a whole turn in a step: passes go round, and the step is not solved; halved it is.
static void passes_that_do_not_settle(void **state) {
  (void)state;
  for (int halve = 0; halve < 2; halve++) {
    run r = begin("{'dim':2,'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':'box',"
                  "'size':[2,0.1]},'position':[0,1.6],'rotation':130,'spin':-70,'velocity':[0,-5]}"
                  "],'externals':[{'shape':{'kind':'plane'}}],'stepping':{'step':0.15,'duration':2,"
                  "'contact_map':'implicit','unsolved':'%s'},'solver':{'tol':1e-10}}",
                  halve ? "halve" : "stop");
    double apart = 0;
    int parts = 0;
    while (!ss_simulation_done(r.sim)) {
      step(&r);
      apart = fmax(apart, r.info.apart);
      parts = r.info.parts > parts ? r.info.parts : parts;
    }
    if (halve)
      assert_true(apart == 0 && parts > 1);
    else
      assert_true(apart > 1e-6 && strcmp(ss_simulation_end(r.sim), "unsolved") == 0);
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_act_at_the_end),
      cmocka_unit_test(rolls_without_a_gap),
      cmocka_unit_test(with_all_else),
      cmocka_unit_test(checkpoints_know_the_map),
      cmocka_unit_test(passes_that_do_not_settle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
