// bench_drift [SECONDS]
//   Energy of a pendulum, a top and a four-bar over SECONDS (100) with theta = 1/2, 3/4, 1 and h = 20, 10, 5 ms: largest
//   gain and loss over the largest kinetic energy, how far joints are apart, calls of the solver per step.
//   Then the normal force of a rod that slides and turns, at every step, beside its closed form, h = 1e-3, 1e-4, 1e-5.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

static void fail(const ss_context *ctx, ss_error e) {
  fprintf(stderr, "bench_drift: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

static ss_simulation *build(ss_context *ctx, const char *text, double h, double theta,
                            double duration, const char *drift, ss_scene **scene) {
  ss_simulation *sim;
  char whole[4000];
  int n = snprintf(whole, sizeof whole,
                   "{%s,'stepping':{'step':%.17g,'duration':%.17g,'theta':%.17g,'drift':'%s'},"
                   "'solver':{'tol':1e-12}}",
                   text, h, duration, theta, drift);
  for (char *c = whole; *c; c++)
    if (*c == '\'') *c = '"';
  ss_error e = ss_scene_parse(ctx, "bench", whole, (size_t)n, scene);
  if (!e) e = ss_simulation_create(ctx, *scene, &sim);
  if (e) fail(ctx, e);
  return sim;
}

static double energy_of(const ss_simulation *sim, double *kinetic) {
  ss_energy e;
  ss_simulation_energy(sim, &e);
  *kinetic = fmax(*kinetic, e.kinetic);
  return e.kinetic + e.potential;
}

// ---- mechanisms -------------------------------------------------------------------------------

static const char *const NAMES[] = {"pendulum", "top", "four-bar"};
static const char *const SCENES[] = {
    "'materials':[{'name':'m','mu':0}],'bodies':[{'name':'r','shape':{'kind':'cylinder','radius':"
    "0.05,'length':1},'mass':1,'position':[0.32139380484,0,-0.38302222156],'rotation':{'axis':[0,1,"
    "0],'degrees':140}}],'joints':[{'kind':'ball','a':'r','anchor':[0,0,0]}]",
    "'materials':[{'name':'m','mu':0}],'bodies':[{'name':'t','shape':{'kind':'sphere','radius':0.1}"
    ","
    "'mass':1,'inertia':[0.03,0.03,0.05],'position':[0.43301270189,0,0.25],'rotation':{'axis':[0,1,"
    "0],'degrees':60},'spin':[34.641016151,0,20]}],'joints':[{'kind':'ball','a':'t','anchor':[0,0,"
    "0]}]",
    "'dim':2,'materials':[{'name':'m','mu':0}],'bodies':["
    "{'name':'a','shape':{'kind':'disk','radius':0.01},'mass':1,'inertia':0.02,'position':[0,0.25],"
    "'velocity':[-2,0],'spin':8},"
    "{'name':'b','shape':{'kind':'disk','radius':0.01},'mass':2,'inertia':0.18,'position':[0.5,"
    "0.625]},{'name':'c','shape':{'kind':'disk','radius':0.01},'mass':1.5,'inertia':0.07,"
    "'position':[1,0.375]}],'joints':[{'kind':'hinge','a':'a','anchor':[0,0]},"
    "{'kind':'hinge','a':'a','b':'b','anchor':[0,0.5]},{'kind':'hinge','a':'b','b':'c','anchor':[1,"
    "0.75]},{'kind':'hinge','a':'c','anchor':[1,0]}]"};

// How far the first joint's anchor, where the body had it at the start, is from the origin.
static double apart(const ss_pose *now, const double anchor[3]) {
  double P[3];
  ss_pose_apply(now, anchor, P);
  return fmax(fabs(P[0]), fmax(fabs(P[1]), fabs(P[2])));
}

static void mechanism(int k, double h, double theta, double seconds) {
  ss_context ctx = {0};
  ss_scene *scene;
  ss_simulation *sim = build(&ctx, SCENES[k], h, theta, seconds, "gap", &scene);
  ss_sim_state s;
  double origin[3] = {0}, anchor[3], kinetic = 0, first = 0, low = 0, high = 0, away = 0;
  ss_simulation_state(sim, &s);
  ss_pose inverse = ss_pose_inverse(s.pose);
  ss_pose_apply(&inverse, origin, anchor);
  while (!ss_simulation_done(sim)) {
    ss_error e = ss_simulation_step(sim, NULL);
    if (e) fail(&ctx, e);
    ss_simulation_state(sim, &s);
    double E = energy_of(sim, &kinetic);
    if (s.step == 1) first = E;  // the four-bar's velocities agree with its joints from here on
    low = fmin(low, E - first);
    high = fmax(high, E - first);
    away = fmax(away, apart(s.pose, anchor));
  }
  ss_sim_totals t;
  ss_simulation_totals(sim, &t);
  printf("| %s | %.2f | %.0f | %.1e | %.1e | %.1e | %.1f | %s |\n", NAMES[k], theta, 1e3 * h,
         high / kinetic, -low / kinetic, away, (double)t.solve_sum / (double)t.steps,
         ss_simulation_end(sim));
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
}

// ---- the rod ----------------------------------------------------------------------------------

static void rod(double h, const char *drift) {
  const double half = 1, radius = 0.05, I = 1.0 / 3, mu = 0.5, gravity = 9.81;
  const char *text = "'dim':2,'materials':[{'name':'m','mu':0.5}],'bodies':[{'shape':{'kind':"
                     "'capsule','radius':0.05,'length':2},'mass':1,'inertia':0.3333333333333333,"
                     "'position':[0.4472135955,0.9444271910],'rotation':63.43494882292201,"
                     "'velocity':[-1.894427191,0.4472135955],'spin':1}],'externals':[{'shape':"
                     "{'kind':'plane'}}]";
  ss_context ctx = {0};
  ss_scene *scene;
  ss_simulation *sim = build(&ctx, text, h, 1, 0.05, drift, &scene);
  double worst = 0, low = INFINITY, high = 0, gap = 0;
  while (!ss_simulation_done(sim)) {
    ss_sim_state s;
    ss_error e = ss_simulation_step(sim, NULL);
    if (e) fail(&ctx, e);
    ss_simulation_state(sim, &s);
    double angle = 2 * atan2(s.pose[0].q[3], s.pose[0].q[0]), w = s.spin[2];
    double c = half * cos(angle), d = half * sin(angle);
    double N = (gravity - d * w * w) / (1 + c / I * (c - (d + radius) * mu));
    double force = s.contact_count ? s.contacts[0].impulse[1] / h : 0;
    gap = fmax(gap, s.contact_count ? s.contacts[0].gap : 0);
    worst = fmax(worst, fabs(force - N));
    if (s.time > 0.003) continue;
    low = fmin(low, force);
    high = fmax(high, force);
  }
  printf("| %s | %.0e | %.4f .. %.4f | %.1e | %.1e |\n", drift, h, low, high, worst, gap);
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 100;
  puts("| | theta | h (ms) | gain | loss | apart (m) | solves/step | end |");
  puts("|---|---|---|---|---|---|---|---|");
  for (int k = 0; k < 3; k++)
    for (double theta = 0.5; theta <= 1; theta += 0.25)
      for (double h = 0.02; h > 0.004; h /= 2) mechanism(k, h, theta, seconds);
  puts("\n| drift | h | force (N), all steps up to 3 ms | largest deviation, 50 ms | gap (m) |");
  puts("|---|---|---|---|---|");
  const char *const drifts[] = {"gap", "projection", "none"};
  for (int k = 0; k < 3; k++)
    for (double h = 1e-3; h > 5e-6; h /= 10) rod(h, drifts[k]);
  return 0;
}
