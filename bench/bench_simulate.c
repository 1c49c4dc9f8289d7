// bench_simulate [--tol T] [--settle N] [--layers N] [--limit S] [BEADS...]
//   One step of a pile of beads for each size: time of detection, of the solve (the solver's set-up is
//   in it) and of the rest (assembly, verification, moving), memory, growth as an exponent over the size.
// bench_simulate --scene hopper|rotating-drum|vibrating-plane [--beads N] [--duration S] [--tol T]
//   A built-in scene with that many beads: contacts per second of computing, unsolved steps, overlap.
//
// The pile: `layers` layers of spheres in a box (0: as many as make a cube), nearly touching, each of its
// own size and a little off its place; more beads make it wider, so that a bead has as many contacts in
// each size. It falls `settle` steps into itself; the last of them is the step that is measured.
// --limit: seconds that one solve may take. Times are by the clock but for `cpu`, of this process.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <stickslip/stickslip.h>

enum { SIZES = 16, TEXT = 4000 };

typedef struct bench {
  int sizes[SIZES], count;
  double tol, duration, limit;
  int settle, layers, beads;
  const char *scene;
} bench;

static void fail(const ss_context *ctx, ss_error e) {
  fprintf(stderr, "bench_simulate: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

static double cpu_s(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static double peak_mib(void) {  // of the process so far: sizes grow
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)r.ru_maxrss / 1024;
}

// ---- one step ---------------------------------------------------------------------------------

// Cells of 1.02 diameters of the largest bead.
static void pile_text(char *text, int beads, int layers, double tol) {
  const double radius = 0.1, spread = 0.01;
  double half = radius * (1 + spread) * 1.0201, side;
  side = ceil(layers ? sqrt((double)beads / layers) : cbrt(beads));
  double high = 2 * half * ceil(beads / (side * side)) * 1.001;
  half *= side * 1.0001;
  int n = snprintf(
      text, TEXT,
      "{\"materials\":[{\"name\":\"m\",\"mu\":0.3,\"restitution\":0,\"density\":2500}],"
      "\"generators\":[{\"kind\":\"packing\",\"shape\":{\"kind\":\"sphere\",\"radius\":0.1},"
      "\"count\":%d,\"region\":[[%g,%g,0],[%g,%g,%g]],\"spread\":%g,\"seed\":1}],"
      "\"externals\":[{\"shape\":{\"kind\":\"plane\"}}",
      beads, -half, -half, half, half, high, spread);
  const char *const up[] = {"[1,0,0]", "[-1,0,0]", "[0,1,0]", "[0,-1,0]"};
  for (int k = 0; k < 4; k++) {
    double at = k % 2 ? half : -half;
    n += snprintf(
        text + n, (size_t)(TEXT - n),
        ",{\"shape\":{\"kind\":\"plane\"},\"position\":[%g,%g,0],\"rotation\":{\"up\":%s}}",
        k < 2 ? at : 0.0, k < 2 ? 0.0 : at, up[k]);
  }
  snprintf(text + n, (size_t)(TEXT - n),
           "],\"stepping\":{\"step\":0.01,\"duration\":100,\"unsolved\":\"go\"},"
           "\"solver\":{\"tol\":%g}}",
           tol);
}

typedef struct one_step {
  ss_step_info info;
  double cpu_s, other_s;
} one_step;

static one_step run_pile(const bench *b, int beads) {
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_simulation *sim = NULL;
  char text[TEXT];
  pile_text(text, beads, b->layers, b->tol);
  ss_error e = ss_scene_parse(&ctx, "pile", text, strlen(text), &scene);
  if (!e) scene->solver.time_limit_s = b->limit;
  if (!e) e = ss_simulation_create(&ctx, scene, &sim);
  one_step r = {0};
  for (int k = 0; !e && k < b->settle; k++) {
    double from = cpu_s();
    e = ss_simulation_step(sim, &r.info);
    r.cpu_s = cpu_s() - from;
  }
  if (e) fail(&ctx, e);
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
  return r;
}

static double exponent(double first, double last, const bench *b) {
  return log(last / first) / log((double)b->sizes[b->count - 1] / b->sizes[0]);
}

static void bench_steps(const bench *b) {
  printf("step %d of a pile, tolerance %g; ms: detection and solve by the clock, cpu of the step\n"
         "%8s %9s %9s %10s %10s %10s %6s %9s %9s %12s\n",
         b->settle, b->tol, "beads", "contacts", "detect", "solve", "other", "cpu", "iter", "error",
         "unsolved", "peak MiB");
  one_step first = {0}, last = {0};
  for (int k = 0; k < b->count; k++) {
    one_step r = run_pile(b, b->sizes[k]);
    const ss_step_info *i = &r.info;
    r.other_s = i->time_s - i->time_detect_s - i->time_solve_s;
    printf("%8d %9d %9.3g %10.4g %10.4g %10.4g %6d %9.1e %9d %12.1f\n", b->sizes[k], i->contacts,
           1e3 * i->time_detect_s, 1e3 * i->time_solve_s, 1e3 * r.other_s, 1e3 * r.cpu_s,
           i->iterations, i->error, i->unsolved, peak_mib());
    fflush(stdout);
    if (k == 0) first = r;
    last = r;
  }
  if (b->count > 1)
    printf("exponent: detection %.3f, other %.3f, cpu %.3f, cpu per iteration %.3f\n",
           exponent(first.info.time_detect_s, last.info.time_detect_s, b),
           exponent(first.other_s, last.other_s, b), exponent(first.cpu_s, last.cpu_s, b),
           exponent(first.cpu_s / (first.info.iterations + 1.0),
                    last.cpu_s / (last.info.iterations + 1.0), b));
}

// ---- scenes -----------------------------------------------------------------------------------

static const char *scene_text(const char *name) {
  const char *found, *text;
  for (int k = 0; (found = ss_scene_builtin(k, NULL, &text)); k++)
    if (strcmp(found, name) == 0) return text;
  fprintf(stderr, "bench_simulate: no scene %s\n", name);
  exit(2);
}

// The containers stay as they are: more beads stand higher.
static void resize(ss_scene *scene, int beads) {
  ss_generator *g = (ss_generator *)scene->generators;  // the scene is ours
  if (scene->generator_count < 1 || g->kind != SS_GENERATE_PACKING) {
    fprintf(stderr, "bench_simulate: the scene has no packing of beads\n");
    exit(2);
  }
  double more = (double)beads / g->count;
  if (more > 1) g->high[2] = g->low[2] + (g->high[2] - g->low[2]) * more;
  g->count = beads;
}

static void bench_scene(const bench *b) {
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_simulation *sim = NULL;
  const char *text = scene_text(b->scene);
  ss_error e = ss_scene_parse(&ctx, b->scene, text, strlen(text), &scene);
  if (e) fail(&ctx, e);
  resize(scene, b->beads);
  scene->stepping.duration = b->duration;
  scene->stepping.unsolved = SS_UNSOLVED_GO;
  scene->solver.tol = b->tol;
  scene->solver.time_limit_s = b->limit;
  if ((e = ss_simulation_create(&ctx, scene, &sim))) fail(&ctx, e);
  double from = cpu_s(), radius = ss_shape_extent(scene->generators[0].shape);
  while (!e && !ss_simulation_done(sim)) e = ss_simulation_step(sim, NULL);
  double cpu = cpu_s() - from;
  if (e) fail(&ctx, e);
  ss_sim_totals t;
  ss_simulation_totals(sim, &t);
  printf("%-16s %6d beads %5.2f s %6lld steps %8.1f contacts/step %5.2f solves/step %8.1f cpu s "
         "%9.3g contacts/s "
         "%4lld unsolved, error %.1e, overlap %.2g %% of a radius, %.1f MiB\n",
         b->scene, b->beads, b->duration, (long long)t.steps, t.contacts_mean,
         (double)t.solve_sum / (double)t.steps, cpu, (double)t.contact_sum / cpu,
         (long long)t.unsolved_steps, t.error_max, 100 * t.penetration_max / radius, peak_mib());
  fflush(stdout);
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
}

// ---- command line -----------------------------------------------------------------------------

static int usage(void) {
  fprintf(stderr,
          "usage: bench_simulate [--tol T] [--settle N] [--layers N] [--limit S] [BEADS...]\n"
          "       bench_simulate --scene NAME [--beads N] [--duration S] [--tol T] [--limit S]\n");
  return 2;
}

int main(int argc, char **argv) {
  bench b = {.sizes = {1000, 3000, 10000},
             .count = 3,
             .tol = 1e-6,
             .settle = 12,
             .layers = 10,
             .beads = 300};
  b.duration = 0.5;
  int given = 0;
  for (int k = 1; k < argc; k++) {
    const char *value = k + 1 < argc ? argv[k + 1] : "";
    bool option = argv[k][0] == '-';
    if (!strcmp(argv[k], "--tol"))
      b.tol = atof(value);
    else if (!strcmp(argv[k], "--settle"))
      b.settle = atoi(value);
    else if (!strcmp(argv[k], "--layers"))
      b.layers = atoi(value);
    else if (!strcmp(argv[k], "--limit"))
      b.limit = atof(value);
    else if (!strcmp(argv[k], "--beads"))
      b.beads = atoi(value);
    else if (!strcmp(argv[k], "--duration"))
      b.duration = atof(value);
    else if (!strcmp(argv[k], "--scene"))
      b.scene = value;
    else if (!option && given < SIZES && atoi(argv[k]) > 0)
      b.sizes[given++] = atoi(argv[k]);
    else
      return usage();
    k += option;
  }
  if (given) b.count = given;
  if (!(b.tol > 0) || b.settle < 1 || b.layers < 0 || b.beads < 1 || !(b.duration > 0))
    return usage();
  if (b.scene) return bench_scene(&b), 0;
  bench_steps(&b);
  if (given) return 0;
  const char *const scenes[] = {"hopper", "rotating-drum", "vibrating-plane"};
  for (int k = 0; k < 3; k++) {
    b.scene = scenes[k];
    bench_scene(&b);
  }
  return 0;
}
