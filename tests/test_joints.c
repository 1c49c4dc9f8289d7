// Mechanisms without contact: no theta and no step gives them energy or takes them apart.
// `test_joints [COUNT [SECONDS]]`: random mechanisms (50) and simulated time of each (2).
//
// Energy and the places of joints are worked out here, from poses and velocities, with nothing of the library's.
#include <unistd.h>

#include "scene_run.h"

#include "base/rng.h"

static int count = 50;
static double seconds = 2;

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
    if (i == 0 && !(E <= before + 1e-9 * (1 + fabs(before)))) fail_msg("first step: %g", E - before);
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
#define WITH(o) (o).h, (o).duration, (o).theta

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
               "{'name':'b','shape':{'kind':'box','size':[0.5,0.1,0.05]},'mass':%g,"
               "'position':[0.25,0,-0.6],'spin':[%.17g,0,0],'velocity':[%.17g,0,0]}],"
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

// What is allowed to an energy: rounding, and the difference of the two kicks (docs/theory-dynamics.md 4), O(h^4).
static void random_mechanisms(void **state) {
  (void)state;
  figures worst[KINDS] = {0};
  for (int k = 0; k < count; k++) {
    ssi_rng g = {.state = 1000 + (uint64_t)k};
    int kind = k % KINDS;
    double theta = k % 3 == 0 ? 0.5 : k % 3 == 1 ? 1 : between(&g, 0.5, 1);
    settings o = {.h = between(&g, 0.001, 0.02), .theta = theta, .duration = seconds};
    run r = MECHANISMS[kind](&g, o);
    figures f = watch(&r);
    if (getenv("STICKSLIP_SHOW"))
      print_message("%-16s h %.4f theta %.2f: gain %.2g loss %.2g apart %.2g\n", NAMES[kind], o.h,
                    theta, f.gain, f.loss, f.apart);
    worst[kind].gain = fmax(worst[kind].gain, f.gain);
    worst[kind].loss = fmax(worst[kind].loss, f.loss);
    worst[kind].apart = fmax(worst[kind].apart, f.apart);
  }
  for (int k = 0; k < KINDS; k++)
    print_message("%-16s gain %.2g loss %.2g apart %.2g\n", NAMES[k], worst[k].gain, worst[k].loss,
                  worst[k].apart);
}

int main(int argc, char **argv) {
  if (argc > 1) count = atoi(argv[1]);
  if (argc > 2) seconds = atof(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_mechanisms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
