// Mechanisms without contact: no theta and no step gives them energy or takes them apart.
// `test_joints [COUNT [SECONDS]]`: random mechanisms (50) and simulated time of each (1).
//
// Energy and the places of joints are worked out here, from poses and velocities, with nothing of the library's.
#include <unistd.h>

#include "scene_run.h"

#include "base/rng.h"

static int count = 50;
static double seconds = 1;

static double between(ssi_rng *g, double low, double high) {
  return low + (high - low) * ssi_rng_uniform(g);
}

// ---- what is measured -------------------------------------------------------------------------

static double own_energy(const run *r) {
  double sum = 0;
  const double *gravity = r->scene->gravity;
  for (int i = 0; i < r->s.body_count; i++) {
    ss_sim_body b;
    double R[9];
    ss_simulation_body(r->sim, i, &b);
    ss_rotation(r->s.pose[i].q, R);
    for (int k = 0; k < 3; k++) {
      const double *w = r->s.spin + 3 * i, v = r->s.velocity[3 * i + k];
      double local = R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2];
      sum += b.mass * v * v / 2 - b.mass * gravity[k] * r->s.pose[i].x[k];
      if (r->scene->dim == 3 || k == 2) sum += b.inertia[k] * local * local / 2;
    }
  }
  return sum;
}

enum { JOINTS = 8 };

typedef struct anchors {  // of balls and hinges, seen from both sides
  int n;
  double a[JOINTS][3], b[JOINTS][3];
} anchors;

static ss_pose side(const run *r, int which) {
  return which >= 0 ? r->s.pose[which] : ss_pose_identity();
}

static anchors find_anchors(const run *r) {
  anchors at = {.n = r->scene->joint_count};
  assert_in_range(at.n, 1, JOINTS);
  for (int k = 0; k < at.n; k++) {
    const ss_joint *j = r->scene->joints + k;
    ss_pose a = side(r, j->a), b = side(r, j->b);
    a = ss_pose_inverse(&a), b = ss_pose_inverse(&b);
    ss_pose_apply(&a, j->anchor, at.a[k]);
    ss_pose_apply(&b, j->anchor, at.b[k]);
  }
  return at;
}

static double apart(const run *r, const anchors *at) {
  double most = 0;
  for (int k = 0; k < at->n; k++) {
    const ss_joint *j = r->scene->joints + k;
    if (j->kind == SS_JOINT_SLIDER) continue;
    double p[3], q[3];
    ss_pose a = side(r, j->a), b = side(r, j->b);
    ss_pose_apply(&a, at->a[k], p);
    ss_pose_apply(&b, at->b[k], q);
    for (int d = 0; d < 3; d++) most = fmax(most, fabs(p[d] - q[d]));
  }
  return most;
}

typedef struct figures {
  double gain, loss;  // over the largest kinetic energy
  double apart;
} figures;

// Energies from the first step on: a scene may begin with velocities that its joints do not allow.
static figures watch(run *r) {
  figures f = {0};
  anchors at = find_anchors(r);
  double before = own_energy(r), first = 0, largest = 0, low = 0, high = 0;
  for (int i = 0; !ss_simulation_done(r->sim); i++) {
    solved_step(r);
    double E = own_energy(r);
    ss_energy e;
    ss_simulation_energy(r->sim, &e);
    largest = fmax(largest, e.kinetic);
    if (i == 0) first = E;
    if (i == 0 && !(E <= before + 1e-9 * (1 + fabs(before))))
      fail_msg("first step: %g", E - before);
    low = fmin(low, E - first);
    high = fmax(high, E - first);
    f.apart = fmax(f.apart, apart(r, &at));
  }
  f.gain = high / largest;
  f.loss = -low / largest;
  end(r);
  return f;
}

// ---- mechanisms -------------------------------------------------------------------------------

typedef struct settings {
  double h, theta, duration;
} settings;

#define STEPPING "'stepping':{'step':%.17g,'duration':%.17g,'theta':%.17g},'solver':{'tol':1e-10}}"
#define WITH(o)  (o).h, (o).duration, (o).theta

// A box on a ball joint anywhere near it, thrown.
static run pendulum(ssi_rng *g, settings o) {
  double x[3], w[3];
  for (int k = 0; k < 3; k++) {
    x[k] = between(g, -0.7, 0.7);
    w[k] = between(g, -3, 3);
  }
  return begin("{'materials':[{'name':'m','mu':0}],'bodies':[{'name':'r','shape':{'kind':'box',"
               "'size':[%g,%g,1]},'mass':%g,'position':[%.17g,%.17g,%.17g],'rotation':{'axis':[1,2,"
               "3],'degrees':%g},'spin':[%.17g,%.17g,%.17g],'velocity':[%.17g,%.17g,%.17g]}],"
               "'joints':[{'kind':'ball','a':'r','anchor':[0,0,0]}]," STEPPING,
               between(g, 0.05, 0.5), between(g, 0.05, 0.5), between(g, 0.1, 10), x[0], x[1], x[2],
               between(g, 0, 360), w[0], w[1], w[2], w[1] * x[2] - w[2] * x[1],
               w[2] * x[0] - w[0] * x[2], w[0] * x[1] - w[1] * x[0], WITH(o));
}

static run double_pendulum(ssi_rng *g, settings o) {
  double a = between(g, 0, 2 * PI), b = between(g, 0, 2 * PI), l = between(g, 0.3, 1);
  double k = between(g, 0.3, 1), x = l * cos(a), y = l * sin(a);
  return begin("{'dim':2,'materials':[{'name':'m','mu':0}],'bodies':["
               "{'name':'a','shape':{'kind':'box','size':[%g,0.05]},'mass':%g,"
               "'position':[%.17g,%.17g],'rotation':%.17g},"
               "{'name':'b','shape':{'kind':'box','size':[%g,0.05]},'mass':%g,"
               "'position':[%.17g,%.17g],'rotation':%.17g}],"
               "'joints':[{'kind':'hinge','a':'a','anchor':[0,0]},"
               "{'kind':'hinge','a':'b','b':'a','anchor':[%.17g,%.17g]}]," STEPPING,
               l, between(g, 0.2, 5), x / 2, y / 2, a * 180 / PI, k, between(g, 0.2, 5),
               x + k / 2 * cos(b), y + k / 2 * sin(b), b * 180 / PI, x, y, WITH(o));
}

// Tilted by a about y, spinning about its own axis, in precession or not.
static run top(ssi_rng *g, settings o) {
  double a = between(g, 0.1, 1.5), l = between(g, 0.2, 0.6), w = between(g, 5, 60);
  double p = between(g, -2, 2), I1 = between(g, 0.01, 0.05), I3 = I1 * between(g, 0.3, 1.9);
  return begin("{'materials':[{'name':'m','mu':0}],'bodies':[{'name':'top','shape':{'kind':"
               "'sphere','radius':0.1},'mass':1,'inertia':[%.17g,%.17g,%.17g],"
               "'position':[%.17g,0,%.17g],'rotation':{'axis':[0,1,0],'degrees':%.17g},"
               "'velocity':[0,%.17g,0],'spin':[%.17g,0,%.17g]}],"
               "'joints':[{'kind':'ball','a':'top','anchor':[0,0,0]}]," STEPPING,
               I1, I1, I3, l * sin(a), l * cos(a), a * 180 / PI, p * l * sin(a), w * sin(a),
               w * cos(a) + p, WITH(o));
}

// A bar as a speck in its middle, with the bar's mass and moment of inertia: bars that cross do not collide.
#define BAR                                                                                        \
  "{'name':'%s','shape':{'kind':'disk','radius':0.001},'mass':%.17g,'inertia':%.17g,"              \
  "'position':[%.17g,%.17g],'velocity':[%.17g,%.17g],'spin':%.17g}"
#define OF_BAR(name, x0, y0, x1, y1, w)                                                            \
  name, hypot((x1) - (x0), (y1) - (y0)), pow(hypot((x1) - (x0), (y1) - (y0)), 3) / 12,             \
      ((x0) + (x1)) / 2, ((y0) + (y1)) / 2, -(w) * ((y1) - (y0)) / 2, (w) * ((x1) - (x0)) / 2, w

// Between (0, 0) and (1, 0): A and B are the ends of crank and rocker. Velocities are given to the crank alone,
// which the joints do not allow: the first step makes them agree.
static run four_bar(ssi_rng *g, settings o) {
  double a = between(g, 0.5, 2.6), c = between(g, 0.5, 1.6), l = between(g, 0.2, 0.5);
  double k = between(g, 0.5, 1.2), w = between(g, -6, 6);
  double ax = l * cos(a), ay = l * sin(a), bx = 1 + k * cos(c), by = k * sin(c);
  return begin("{'dim':2,'materials':[{'name':'m','mu':0}],'bodies':[" BAR "," BAR "," BAR "],"
               "'joints':[{'kind':'hinge','a':'a','anchor':[0,0]},"
               "{'kind':'hinge','a':'c','anchor':[1,0]},"
               "{'kind':'hinge','a':'a','b':'b','anchor':[%.17g,%.17g]},"
               "{'kind':'hinge','a':'b','b':'c','anchor':[%.17g,%.17g]}]," STEPPING,
               OF_BAR("a", 0, 0, ax, ay, w), OF_BAR("b", ax, ay, bx, by, 0.0),
               OF_BAR("c", 1, 0, bx, by, 0.0), ax, ay, bx, by, WITH(o));
}

// A slider on a line in space, a link hinged to it, another on a ball; all free to swing.
static run chain(ssi_rng *g, settings o) {
  return begin("{'materials':[{'name':'m','mu':0}],'bodies':["
               "{'name':'s','shape':{'kind':'box','size':[0.2,0.1,0.1]},'velocity':[%.17g,0,0]},"
               "{'name':'a','shape':{'kind':'box','size':[0.1,0.05,0.6]},'mass':%g,"
               "'position':[0,0,-0.3],'velocity':[%.17g,0,0]},"
               "{'name':'b','shape':{'kind':'box','size':[0.4,0.1,0.05]},'mass':%g,"
               "'position':[0.2,0,-0.6],'spin':[%.17g,0,0],'velocity':[%.17g,0,0]}],"
               "'joints':[{'kind':'slider','a':'s','anchor':[0,0,0],'axis':[1,0,%g]},"
               "{'kind':'hinge','a':'a','b':'s','anchor':[0,0,0],'axis':[0.2,1,0]},"
               "{'kind':'ball','a':'b','b':'a','anchor':[0,0,-0.6]}]," STEPPING,
               1.0, between(g, 0.1, 5), 1.0, between(g, 0.1, 5), between(g, -20, 20), 1.0,
               between(g, -1, 1), WITH(o));
}

// ---- the tests --------------------------------------------------------------------------------

typedef run mechanism(ssi_rng *, settings);
static mechanism *const MECHANISMS[] = {pendulum, double_pendulum, top, four_bar, chain};
static const char *const NAMES[] = {"pendulum", "double pendulum", "top", "four-bar", "chain"};
enum { KINDS = sizeof MECHANISMS / sizeof *MECHANISMS };

// Rounding, and what is left when the passes of a step end (1e-12), per step: no order of h is in it.
static const double ENERGY = 1e-13, APART = 1e-11;

static void check(const char *name, settings o, figures f) {
  double limit = ENERGY * (100 + o.duration / o.h);
  if (!(f.gain <= limit && f.loss <= limit && f.apart <= APART))
    fail_msg("%s, h = %g, theta = %g: gain %g, loss %g, apart %g", name, o.h, o.theta, f.gain,
             f.loss, f.apart);
}

static void random_mechanisms(void **state) {
  (void)state;
  for (int k = 0; k < count; k++) {
    ssi_rng g = {.state = 1000 + (uint64_t)k};
    double theta = k % 3 == 0 ? 0.5 : k % 3 == 1 ? 1 : between(&g, 0.5, 1);
    settings o = {.h = between(&g, 0.001, 0.02), .theta = theta, .duration = seconds};
    run r = MECHANISMS[k % KINDS](&g, o);
    check(NAMES[k % KINDS], o, watch(&r));
  }
}

// The pendulum that went from 0 to 1678 J.
static void shared_reproducer(void **state) {
  (void)state;
  const char *path = need_shared("reproducers/07-pendulum-theta-half.json");
  run r = {0};
  if (ss_scene_open(&ctx, path, &r.scene)) fail_msg("%s", ctx.message);
  build(&r);
  const ss_stepping *given = &r.scene->stepping;
  settings o = {.h = given->step, .theta = given->theta, .duration = given->duration};
  check("reproducer 07", o, watch(&r));
}

// Steady precession (test_simulate.c) over 1 s: second order, with any theta.
static double precession_error(double h, double theta) {
  const double m = 1, l = 0.5, I1 = 0.02, I3 = 0.04, a = PI / 3, p = 2;
  const double w3 = (m * G * l + (I1 + m * l * l) * p * p * cos(a)) / (I3 * p);
  double w = w3 - p * cos(a);
  run r = begin(
      "{'materials':[{'name':'m','mu':0}],'bodies':[{'name':'top','shape':{'kind':"
      "'sphere','radius':0.1},'mass':%g,'inertia':[%g,%g,%g],'position':[%.17g,0,%.17g],"
      "'rotation':{'axis':[0,1,0],'degrees':60},'velocity':[0,%.17g,0],"
      "'spin':[%.17g,0,%.17g]}],'joints':[{'kind':'ball','a':'top','anchor':[0,0,0]}]," STEPPING,
      m, I1, I1, I3, l * sin(a), l * cos(a), p * l * sin(a), w * sin(a), w * cos(a) + p, h, 1.0,
      theta);
  while (!ss_simulation_done(r.sim)) solved_step(&r);
  const double *x = r.s.pose[0].x;
  double error =
      hypot(hypot(x[0] - l * sin(a) * cos(p), x[1] - l * sin(a) * sin(p)), x[2] - l * cos(a));
  end(&r);
  return error;
}

static void second_order(void **state) {
  (void)state;
  for (double theta = 0.5; theta <= 1; theta += 0.25) {
    double e1 = precession_error(8e-3, theta), e2 = precession_error(4e-3, theta);
    double e3 = precession_error(2e-3, theta);
    if (!(e1 / e2 > 3.5 && e2 / e3 > 3.5 && e3 < 1e-2))
      fail_msg("theta = %g: errors %g, %g, %g", theta, e1, e2, e3);
  }
}

// Joints that a moved object carries, from rest to full speed at once, or to and fro: the joint goes with it.
static void supports_that_move(void **state) {
  (void)state;
  const char *const motions[] = {"'kind':'constant','velocity':[1,0,0]",
                                 "'kind':'constant','spin':[0,3,0],'centre':[0.3,0,0]",
                                 "'kind':'harmonic','amplitude':[0.05,0,0.1],'frequency':2"};
  for (int k = 0; k < 9; k++) {
    double theta = 0.5 + 0.25 * (k / 3);
    run r = begin(
        "{'materials':[{'name':'m','mu':0}],'bodies':[{'name':'a','shape':{'kind':'box',"
        "'size':[0.6,0.1,0.1]},'mass':2,'position':[0.3,0,0]},{'name':'b','shape':{'kind':"
        "'box','size':[0.1,0.1,0.6]},'mass':1,'position':[0.6,0,-0.3]}],"
        "'externals':[{'name':'e','shape':{'kind':'sphere','radius':0.01},"
        "'motion':{%s}}],'joints':[{'kind':'%s','a':'a','b':'e','anchor':[0,0,0]%s},"
        "{'kind':'ball','a':'b','b':'a','anchor':[0.6,0,0]}]," STEPPING,
        motions[k % 3], k % 2 ? "ball" : "hinge", k % 2 ? "" : ",'axis':[0,1,0]", 0.01, 1.0, theta);
    double most = 0;
    const double tip[3] = {-0.3, 0, 0};
    while (!ss_simulation_done(r.sim)) {
      double P[3];
      ss_sim_body a;
      solved_step(&r);
      ss_simulation_body(r.sim, 0, &a);
      ss_pose frame = ss_pose_inverse(&a.frame);
      ss_pose_apply(&frame, tip, P);
      ss_pose_apply(&r.s.pose[0], P, P);
      for (int d = 0; d < 3; d++) most = fmax(most, fabs(P[d] - r.s.external_pose[0].x[d]));
    }
    if (!(most <= APART)) fail_msg("motion %d, theta = %g: apart by %g", k % 3, theta, most);
    end(&r);
  }
}

// Boxes on hinges and balls fall on a floor. In flight they move as one, and no joint has an impulse; on the floor
// every step is solved and the energy falls.
static void chains_on_a_floor(void **state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    double h = 0.005 * (1 + k % 3), theta = 0.5 + 0.25 * (k % 3), mu = 0.4 * (k % 2);
    run r =
        begin("{'materials':[{'name':'m','mu':%g}],'bodies':["
              "{'name':'a','shape':{'kind':'box','size':[0.36,0.1,0.1]},'position':[0,0,0.5]},"
              "{'name':'b','shape':{'kind':'box','size':[0.36,0.1,0.1]},'mass':%g,"
              "'position':[0.4,0,0.5]},{'name':'c','shape':{'kind':'box','size':[0.36,0.1,0.1]},"
              "'position':[0.8,0,0.5]}],'externals':[{'shape':{'kind':'plane'},'rotation':"
              "{'axis':[0,1,0],'degrees':%d}}],'joints':[{'kind':'%s','a':'a','b':'b',"
              "'anchor':[0.2,0,0.5]%s},{'kind':'ball','a':'b','b':'c','anchor':[0.6,0,0.5]}],"
              "'stepping':{'step':%g,'duration':1,'theta':%g},'solver':{'tol':1e-8}}",
              mu, 1.0 + k, k % 4 ? 5 : 0, k % 2 ? "hinge" : "ball", k % 2 ? ",'axis':[0,1,0]" : "",
              h, theta);
    double before = own_energy(&r);
    while (!ss_simulation_done(r.sim)) {
      solved_step(&r);
      double E = own_energy(&r);
      if (r.s.time < 0.2)
        for (int i = 0; i < 3; i++) assert_near(r.s.velocity[3 * i + 2], -G * r.s.time, 1e-12);
      if (!(E <= before + 1e-6)) fail_msg("chain %d: %g J more", k, E - before);
    }
    assert_true(own_energy(&r) < before - 10);
    end(&r);
  }
}

// A sphere on a ball joint at the height of its centre lies on a plane and swings over it, h |w| up to 0.1 and m L^2 / I up
// to 1000: every step is solved, in a few passes.
static void a_ball_joint_over_a_plane(void **state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    double theta = 0.5 + 0.25 * (k % 3), length = 0.5 * (1 << k / 4), mu = k % 2 ? 0.3 : 0;
    run r = begin("{'materials':[{'name':'m','mu':%g}],'bodies':[{'name':'s','shape':{'kind':"
                  "'sphere','radius':0.1},'mass':1,'position':[%g,0,0]}],'joints':[{'kind':'ball',"
                  "'a':'s','anchor':[0,0,0]}],'externals':[{'shape':{'kind':'plane'},'position':"
                  "[0,0,-0.1]}],'gravity':[0,-9.81,-3],'stepping':{'step':0.02,'duration':3,"
                  "'theta':%g},'solver':{'tol':1e-8}}",
                  mu, length, theta);
    int64_t solves = 0, steps = 0;
    for (; !ss_simulation_done(r.sim); steps++) solved_step(&r), solves += r.info.solves;
    if (!(solves <= 12 * steps))
      fail_msg("theta %g, length %g: %g solves a step", theta, length,
               (double)solves / (double)steps);
    end(&r);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) count = atoi(argv[1]);
  if (argc > 2) seconds = atof(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_mechanisms), cmocka_unit_test(shared_reproducer),
      cmocka_unit_test(second_order),      cmocka_unit_test(supports_that_move),
      cmocka_unit_test(chains_on_a_floor), cmocka_unit_test(a_ball_joint_over_a_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
