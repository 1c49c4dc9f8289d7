// bench_collide [--dim D] [--kind sphere|box|mixed] [BODIES...] - contact detection of a dense
// random packing on a plane, in a box of planes: time per call, pairs, contacts, and the growth
// with the number of bodies as an exponent: time ~ bodies^x from the first size to the last.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stickslip/stickslip.h>

enum { SIZES = 16, REPEATS = 5 };

static uint64_t state = 1;

static double uniform(double low, double high) {  // splitmix64
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double cpu_s(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static void fail(const ss_context *ctx, ss_error e) {
  fprintf(stderr, "bench_collide: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

// Bodies on a jittered lattice, in an order that has nothing to do with their places: about 3
// contacts each.
static void place(ss_collider *body, int count, int dim, ss_shape *const *shape, int shapes) {
  int side = dim == 2 ? (int)ceil(sqrt(count)) : (int)ceil(cbrt(count));
  for (int k = 0; k < count; k++) {
    int i = k % side, j = k / side % side, l = dim == 3 ? k / side / side : 0;
    double q[4] = {uniform(-1, 1), dim == 3 ? uniform(-1, 1) : 0, dim == 3 ? uniform(-1, 1) : 0,
                   uniform(-1, 1)};
    ss_pose p = {.x = {i + uniform(-0.1, 0.1), j + uniform(-0.1, 0.1),
                       dim == 3 ? l + uniform(-0.1, 0.1) : 0}};
    memcpy(p.q, q, sizeof q);
    body[k] = (ss_collider){.shape = shape[k % shapes], .pose = p};
  }
  for (int k = count - 1; k > 0; k--) {
    int other = (int)uniform(0, k + 1);
    ss_collider t = body[k];
    body[k] = body[other], body[other] = t;
  }
}

typedef struct result {
  double time_s;
  int pairs, contacts;
} result;

static result run(int dim, int count, ss_shape *const *shape, int shapes) {
  ss_context ctx = {0};
  ss_shape *plane;
  ss_detector *d;
  ss_collide_options o = ss_collide_options_default();
  o.margin = 0.01;
  ss_error e = ss_shape_plane(&ctx, dim, &plane);
  if (!e) e = ss_detector_create(&ctx, dim, &o, &d);
  ss_collider *body = calloc((size_t)count + 1, sizeof *body);
  if (e || !body) fail(&ctx, e ? e : SS_ERR_MEMORY);
  place(body, count, dim, shape, shapes);
  body[count] = (ss_collider){.shape = plane, .pose = ss_pose_identity(), .external = true};
  body[count].pose.x[dim - 1] = -0.45;
  result r = {.time_s = INFINITY};
  for (int k = 0; k < REPEATS; k++) {
    ss_contacts found;
    double start = cpu_s();
    e = ss_collide(d, body, count + 1, &found);
    if (e) fail(&ctx, e);
    double t = cpu_s() - start;
    if (k > 0 && t < r.time_s) r.time_s = t;  // the first call takes the memory
    r.pairs = found.pairs, r.contacts = found.count;
  }
  free(body);
  ss_detector_destroy(d);
  ss_shape_destroy(plane);
  return r;
}

static int make_shapes(int dim, const char *kind, ss_shape **shape) {
  ss_context ctx = {0};
  ss_error e = SS_OK;
  int count = 0;
  const double half[3] = {0.33, 0.4, 0.36};
  double cloud[3 * 12];
  for (int k = 0; k < 36; k++) cloud[k] = uniform(-0.45, 0.45);
  bool all = !strcmp(kind, "mixed");
  if (all || !strcmp(kind, "sphere")) e = ss_shape_sphere(&ctx, dim, 0.5, &shape[count++]);
  if (!e && (all || !strcmp(kind, "box"))) e = ss_shape_box(&ctx, dim, half, &shape[count++]);
  if (!e && (all || !strcmp(kind, "capsule")))
    e = ss_shape_capsule(&ctx, dim, 0.25, 0.3, &shape[count++]);
  if (!e && (all || !strcmp(kind, "hull")))
    e = ss_shape_hull(&ctx, dim, 12, cloud, &shape[count++]);
  if (!e && dim == 3 && !strcmp(kind, "cylinder"))
    e = ss_shape_cylinder(&ctx, 0.4, 0.35, &shape[count++]);
  if (e) fail(&ctx, e);
  return count;
}

int main(int argc, char **argv) {
  int sizes[SIZES] = {1000, 10000, 100000, 1000000}, count = 4, given = 0, dim = 3;
  const char *kind = "sphere";
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--dim") && k + 1 < argc)
      dim = atoi(argv[++k]);
    else if (!strcmp(argv[k], "--kind") && k + 1 < argc)
      kind = argv[++k];
    else if (given < SIZES && atoi(argv[k]) > 0)
      sizes[given++] = atoi(argv[k]);
    else
      return fprintf(stderr, "usage: bench_collide [--dim D] [--kind KIND] [BODIES...]\n"), 2;
  if (given) count = given;
  ss_shape *shape[8];
  int shapes = make_shapes(dim, kind, shape);
  if (!shapes) return fprintf(stderr, "bench_collide: no kind '%s' in %dD\n", kind, dim), 2;
  printf("kind bodies ms ns_per_body pairs contacts ns_per_contact\n");
  double first = 0, last = 0;
  for (int k = 0; k < count; k++) {
    result r = run(dim, sizes[k], shape, shapes);
    if (k == 0) first = r.time_s;
    last = r.time_s;
    printf("%s %d %.3f %.1f %d %d %.1f\n", kind, sizes[k], 1e3 * r.time_s,
           1e9 * r.time_s / sizes[k], r.pairs, r.contacts, 1e9 * r.time_s / r.contacts);
  }
  if (count > 1 && first > 0)
    printf("exponent %.3f\n", log(last / first) / log((double)sizes[count - 1] / sizes[0]));
  for (int k = 0; k < shapes; k++) ss_shape_destroy(shape[k]);
  return 0;
}
