// bench_simulate [--tol T] [--settle N] [--layers N] [--limit S] [BEADS...]
//   One step of a pile of beads for each size: time of detection, of the solve (the solver's set-up is
//   in it) and of the rest (assembly, verification, moving), memory, growth as an exponent over the size.
// bench_simulate --scene hopper|rotating-drum|vibrating-plane [--beads N] [--duration S] [--tol T]
//   A built-in scene with that many beads: contacts per second of computing, unsolved steps, overlap.
// bench_simulate --large [--duration S] [--tol T] [--limit S]
//   Hopper with 10,000 beads, drum and vibrating plane with 5,000, 2 s each; exit status 1 when a step is
//   unsolved or bodies overlap by more than 1 % of a radius.
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
  bool large;
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

static ss_generator *packing_of(ss_scene *scene) {
  ss_generator *g = (ss_generator *)scene->generators;  // the scene is ours
  if (scene->generator_count > 0 && g->kind == SS_GENERATE_PACKING) return g;
  fprintf(stderr, "bench_simulate: the scene has no packing of beads\n");
  exit(2);
}

// Containers stay as they are, and more beads stand higher; but a drum is closed, and holds 2,000 loosely:
// for more it gets longer. *longer is to be destroyed after the scene.
static void resize(ss_context *ctx, ss_scene *scene, int beads, ss_shape **longer) {
  ss_generator *g = packing_of(scene);
  int up = 2;
  double more = (double)beads / g->count;
  for (int k = 0; k < scene->external_count; k++) {
    ss_external *x = (ss_external *)scene->externals + k;
    if (ss_shape_kind_of(x->shape) != SS_DRUM) continue;
    up = 1;  // the drums' axis
    more = beads / 2000.0;
    if (!(more > 1)) break;
    double half = ss_shape_half(x->shape)[0] * more;
    ss_error e = ss_shape_drum(ctx, scene->dim, ss_shape_radius(x->shape), half, longer);
    if (e) fail(ctx, e);
    x->shape = *longer;
    break;
  }
  if (more > 1) {
    double low = g->low[up], width = g->high[up] - low;
    g->high[up] = up == 1 ? low + width * (1 + more) / 2 : low + width * more;
    g->low[up] = up == 1 ? low - width * (more - 1) / 2 : low;
  }
  g->count = beads;
}

// A line on standard error every ten seconds.
static void show_progress(const bench *b, const ss_step_info *i, time_t *last) {
  time_t now = time(NULL);
  if (now - *last < 10) return;
  *last = now;
  fprintf(stderr, "%s: t = %.3f of %g s, %d contacts, %.1f s of cpu\n", b->scene, i->time,
          b->duration, i->contacts, cpu_s());
}

// Whether all steps were solved and nothing overlaps by more than 1 % of the smallest bead's radius.
static bool bench_scene(const bench *b) {
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_simulation *sim = NULL;
  ss_shape *longer = NULL;
  ss_step_info info;
  const char *text = scene_text(b->scene);
  ss_error e = ss_scene_parse(&ctx, b->scene, text, strlen(text), &scene);
  if (e) fail(&ctx, e);
  resize(&ctx, scene, b->beads, &longer);
  scene->stepping.duration = b->duration;
  scene->stepping.unsolved = SS_UNSOLVED_GO;
  scene->solver.tol = b->tol;
  scene->solver.time_limit_s = b->limit;
  if ((e = ss_simulation_create(&ctx, scene, &sim))) fail(&ctx, e);
  const ss_generator *g = scene->generators;
  double from = cpu_s(), radius = ss_shape_extent(g->shape) * (1 - g->spread);
  time_t last = time(NULL);
  while (!e && !ss_simulation_done(sim)) {
    e = ss_simulation_step(sim, &info);
    if (!e) show_progress(b, &info, &last);
  }
  double cpu = cpu_s() - from;
  if (e) fail(&ctx, e);
  ss_sim_totals t;
  ss_simulation_totals(sim, &t);
  double overlap = 100 * t.penetration_max / radius;
  printf("%-16s %6d beads %5.2f s %6lld steps %8.1f contacts/step %5.2f solves/step %8.1f cpu s "
         "%9.3g contacts/s %4lld unsolved, error %.1e, overlap %.2g %% of a radius, %.1f MiB\n",
         b->scene, b->beads, b->duration, (long long)t.steps, t.contacts_mean,
         (double)t.solve_sum / (double)t.steps, cpu, (double)t.contact_sum / cpu,
         (long long)t.unsolved_steps, t.error_max, overlap, peak_mib());
  fflush(stdout);
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
  ss_shape_destroy(longer);
  return t.unsolved_steps == 0 && overlap <= 1;
}

static int bench_scenes(bench b) {
  static const char *const scenes[] = {"hopper", "rotating-drum", "vibrating-plane"};
  bool good = true;
  for (int k = 0; k < 3; k++) {
    b.scene = scenes[k];
    if (b.large) b.beads = k == 0 ? 10000 : 5000;
    good = bench_scene(&b) && good;
  }
  if (b.large && !good)
    fprintf(stderr, "bench_simulate: a step is unsolved, or an overlap above 1 %% of a radius\n");
  return b.large && !good;
}

// ---- command line -----------------------------------------------------------------------------

static int usage(void) {
  fprintf(stderr,
          "usage: bench_simulate [--tol T] [--settle N] [--layers N] [--limit S] [BEADS...]\n"
          "       bench_simulate --scene NAME [--beads N] [--duration S] [--tol T] [--limit S]\n"
          "       bench_simulate --large [--duration S] [--tol T] [--limit S]\n");
  return 2;
}

int main(int argc, char **argv) {
  bench b = {.sizes = {1000, 3000, 10000},
             .count = 3,
             .tol = 1e-6,
             .settle = 12,
             .layers = 10,
             .beads = 300};
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
    else if (!strcmp(argv[k], "--large"))
      b.large = true;
    else if (!option && given < SIZES && atoi(argv[k]) > 0)
      b.sizes[given++] = atoi(argv[k]);
    else
      return usage();
    k += option && strcmp(argv[k], "--large") != 0;
  }
  if (given) b.count = given;
  if (b.duration == 0) b.duration = b.large ? 2 : 0.5;
  if (!(b.tol > 0) || b.settle < 1 || b.layers < 0 || b.beads < 1 || !(b.duration > 0))
    return usage();
  if (b.large) return bench_scenes(b);
  if (b.scene) return bench_scene(&b), 0;
  bench_steps(&b);
  return given ? 0 : bench_scenes(b);
}
