// bench_contact_map
//   Motions in contact whose rows turn, with contacts taken at the beginning of a step (explicit) and at its end
//   (implicit), theta = 1 and 1/2, h = 10, 5, 2.5 ms: distance from the exact motion at the end, widest gap and deepest
//   overlap of contacts that push, solves per step. Then scenes that come with the program.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

static const double GRAVITY = 9.81;

static void fail(const ss_context *ctx, ss_error e) {
  fprintf(stderr, "bench_contact_map: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

// ---- exact motions ----------------------------------------------------------------------------

// y' = f(y) by Runge-Kutta's method in so many steps that its error is that of rounding.
static void integrate(void (*f)(const double *, double *), int n, double time, double *y) {
  enum { MOST = 4, STEPS = 20000 };
  double h = time / STEPS, k[4][MOST], z[MOST];
  const double at[4] = {0, 0.5, 0.5, 1};
  for (int step = 0; step < STEPS; step++) {
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < n; i++) z[i] = y[i] + (stage ? at[stage] * h * k[stage - 1][i] : 0);
      f(z, k[stage]);
    }
    for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

// A disc of radius 1/4 that rolls on or in one of radius 1: angle and rate of the line of centres.
static void rolls_on(const double *y, double *f) {
  f[0] = y[1], f[1] = GRAVITY * sin(y[0]) / (1.5 * 1.25);
}
static void rolls_in(const double *y, double *f) {
  f[0] = y[1], f[1] = -GRAVITY * sin(y[0]) / (1.5 * 0.75);
}
static void slides_in(const double *y, double *f) {
  f[0] = y[1], f[1] = -GRAVITY * sin(y[0]) / 0.75;
}

// A rod of length 2 and radius 1/20 that slides to the left on its lower end: angle, rate, x, x'.
static void rod_slides(const double *y, double *f) {
  const double I = 1.0 / 3, mu = 0.5, radius = 0.05;
  double c = cos(y[0]), d = sin(y[0]);
  double N = (GRAVITY - d * y[1] * y[1]) / (1 + c / I * (c - (d + radius) * mu));
  f[0] = y[1], f[1] = -N * (c - (d + radius) * mu) / I;
  f[2] = y[3], f[3] = mu * N;
}

static void on_disc(double t, double out[2]) {
  double y[2] = {0.5, 1};
  integrate(rolls_on, 2, t, y);
  out[0] = 1.25 * sin(y[0]), out[1] = 1.25 * cos(y[0]);
}
static void in_drum(void (*f)(const double *, double *), double t, double out[2]) {
  double y[2] = {1, 0};
  integrate(f, 2, t, y);
  out[0] = 0.75 * sin(y[0]), out[1] = -0.75 * cos(y[0]);
}
static void rolls_in_drum(double t, double out[2]) {
  in_drum(rolls_in, t, out);
}
static void slides_in_drum(double t, double out[2]) {
  in_drum(slides_in, t, out);
}
static void rod(double t, double out[2]) {
  double y[4] = {atan2(2, 1), 1, 1 / sqrt(5), -1 - 2 / sqrt(5)};
  integrate(rod_slides, 4, t, y);
  out[0] = y[2], out[1] = sin(y[0]) + 0.05;
}
// A box that a plane carries along, one turn in 2 pi seconds.
static void on_plane(double t, double out[2]) {
  double x = 0.5, y = 0.1;
  out[0] = x * cos(t) - y * sin(t), out[1] = x * sin(t) + y * cos(t);
}

// ---- scenes -----------------------------------------------------------------------------------

typedef struct motion {
  const char *name, *scene;
  double duration;
  void (*exact)(double t, double out[2]);
} motion;

static const motion MOTIONS[] = {
    {"disc rolls off a disc",
     "'dim':2,'materials':[{'name':'m','mu':5}],'bodies':[{'shape':{'kind':'disk','radius':0.25},"
     "'position':[0.59928192325525375,1.0969782023629660],'velocity':[1.0969782023629660,"
     "-0.59928192325525375],'spin':-5}],'externals':[{'shape':{'kind':'disk','radius':1}}]",
     0.2, on_disc},
    {"disc rolls in a drum",
     "'dim':2,'materials':[{'name':'m','mu':5}],'bodies':[{'shape':{'kind':'disk','radius':0.25},"
     "'position':[0.63110323860592240,-0.40522672940110479]}],'externals':[{'shape':{'kind':"
     "'drum','radius':1}}]",
     1, rolls_in_drum},
    {"disc slides in a drum",
     "'dim':2,'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':'disk','radius':0.25},"
     "'position':[0.63110323860592240,-0.40522672940110479]}],'externals':[{'shape':{'kind':"
     "'drum','radius':1}}]",
     1, slides_in_drum},
    {"rod slides and turns",
     "'dim':2,'materials':[{'name':'m','mu':0.5}],'bodies':[{'shape':{'kind':'capsule','radius':"
     "0.05,'length':2},'mass':1,'inertia':0.3333333333333333,'position':[0.44721359549995793,"
     "0.94442719099991588],'rotation':63.43494882292201,'velocity':[-1.8944271909999159,"
     "0.44721359549995793],'spin':1}],'externals':[{'shape':{'kind':'plane'}}]",
     0.1, rod},
    {"box on a plane that turns",
     "'dim':2,'materials':[{'name':'m','mu':1}],'bodies':[{'shape':{'kind':'box','size':[0.4,0.2]},"
     "'position':[0.5,0.1],'velocity':[-0.1,0.5],'spin':1}],'externals':[{'shape':{'kind':'plane'},"
     "'motion':{'kind':'constant','spin':1}}]",
     0.5, on_plane},
};

static void step_on(ss_context *ctx, ss_simulation *sim) {
  ss_step_info info;
  ss_error e = ss_simulation_step(sim, &info);
  if (e) fail(ctx, e);
  if (info.unsolved) printf("step of t = %g is not solved\n", info.time);
}

typedef struct outcome {
  double error, wide, deep, solves;
} outcome;

static outcome run(const motion *m, const char *map, double theta, double h) {
  ss_context ctx = {0};
  ss_scene *scene;
  ss_simulation *sim = NULL;
  char text[2000];
  int n = snprintf(text, sizeof text,
                   "{%s,'stepping':{'step':%.17g,'duration':%.17g,'contact_map':'%s',"
                   "'theta':%.17g},'solver':{'tol':1e-12}}",
                   m->scene, h, m->duration, map, theta);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  ss_error e = ss_scene_parse(&ctx, m->name, text, (size_t)n, &scene);
  if (!e) e = ss_simulation_create(&ctx, scene, &sim);
  if (e) fail(&ctx, e);
  double exact[2];
  outcome out = {0};
  ss_sim_state s = {0};
  while (!ss_simulation_done(sim)) {
    step_on(&ctx, sim);
    ss_simulation_state(sim, &s);
    for (int i = 0; i < s.contact_count; i++) {
      if (s.contacts[i].state == SS_FREE) continue;
      out.wide = fmax(out.wide, s.contacts[i].gap);
      out.deep = fmax(out.deep, 0 - s.contacts[i].gap);
    }
  }
  ss_sim_totals t;
  m->exact(s.time, exact);
  ss_simulation_totals(sim, &t);
  out.error = hypot(s.pose[0].x[0] - exact[0], s.pose[0].x[1] - exact[1]);
  out.solves = (double)t.solve_sum / (double)t.steps;
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
  return out;
}

static void print_motion(const motion *m, ss_contact_map map, double theta) {
  const char *name = ss_contact_map_name(map);
  outcome at[3];
  for (int k = 0; k < 3; k++) at[k] = run(m, name, theta, 0.01 / (1 << k));
  printf("| %s | %.1f | %s | %.1e | %.1e | %.1e | %.0e | %.0e | %.1f |\n", m->name, theta, name,
         at[0].error, at[1].error, at[2].error, at[0].wide, at[0].deep, at[0].solves);
}

// ---- scenes that come with the program --------------------------------------------------------

static void run_builtin(const char *name, ss_contact_map map) {
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_simulation *sim = NULL;
  const char *found, *text;
  for (int k = 0; (found = ss_scene_builtin(k, NULL, &text)); k++)
    if (strcmp(found, name) == 0) break;
  ss_error e = ss_scene_parse(&ctx, name, text, strlen(text), &scene);
  if (!e) scene->stepping.duration = 0.5, scene->stepping.contact_map = map;
  if (!e) e = ss_simulation_create(&ctx, scene, &sim);
  if (e) fail(&ctx, e);
  while (!ss_simulation_done(sim)) step_on(&ctx, sim);
  ss_sim_totals t;
  ss_simulation_totals(sim, &t);
  printf("| %s | %s | %lld | %.0f | %.1e | %.2f | %.2g |\n", name, ss_contact_map_name(map),
         (long long)t.steps, t.contacts_mean, t.penetration_max,
         (double)t.solve_sum / (double)t.steps, 1e3 * t.time_s / (double)t.steps);
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
}

int main(void) {
  puts("| motion | theta | contact_map | error (m), h = 10 ms | 5 ms | 2.5 ms | gap (m), 10 ms | "
       "overlap | solves/step |");
  puts("|---|---|---|---|---|---|---|---|---|");
  for (size_t k = 0; k < sizeof MOTIONS / sizeof *MOTIONS; k++)
    for (double theta = 1; theta >= 0.5; theta -= 0.5)
      for (int map = 0; ss_contact_map_name((ss_contact_map)map); map++)
        print_motion(MOTIONS + k, (ss_contact_map)map, theta);
  puts("\n| scene, 0.5 s | contact_map | steps | contacts | overlap (m) | solves/step | ms/step |");
  puts("|---|---|---|---|---|---|---|");
  const char *const names[] = {"domino", "rotating-drum", "beads-150"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    for (int map = 0; ss_contact_map_name((ss_contact_map)map); map++)
      run_builtin(names[k], (ss_contact_map)map);
  return 0;
}
