// bench_elastic [CELLS_X CELLS_Y] - what friction costs beside the linear solve: a block of quad4 elements (default
// 2000 x 50: 204,102 degrees of freedom, 2,001 contact nodes) pressed on a table and pulled along it by
// its upper side, one quasi-static step at 1e-8. Processor time, and the most memory the process has had.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <stickslip/stickslip.h>

static double now_s(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static double memory_mb(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

static void check(ss_context *ctx, ss_error e) {
  if (!e) return;
  fprintf(stderr, "bench_elastic: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

// One step, with the table or without; the time of everything after the assembly.
static double one_step(ss_context *ctx, ss_elastic_scene *s, bool touch) {
  ss_elastic *e;
  ss_march *m;
  ss_march_info info;
  s->obstacle_count = touch;
  double begin = now_s();
  check(ctx, ss_elastic_build(ctx, s, &e));
  double built = now_s();
  check(ctx, ss_march_create(ctx, &e->structure, &s->stepping, &m));
  double ready = now_s();
  check(ctx, ss_march_step(m, &info));
  double end = now_s();
  printf("%-16s %7d %8d %10.2f %16.2f %10.2f %12.0f  %s, error %.1e, %d iterations, "
         "free/stick/slip %d/%d/%d\n",
         touch ? "with friction" : "linear alone", e->structure.ndof, e->structure.nc,
         built - begin, ready - built, end - ready, memory_mb(), ss_status_name(info.status),
         info.error, info.iterations, info.states[0], info.states[1], info.states[2]);
  fflush(stdout);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  return end - built;
}

int main(int argc, char **argv) {
  int nx = argc > 2 ? atoi(argv[1]) : 2000, ny = argc > 2 ? atoi(argv[2]) : 50;
  ss_context ctx = {0};
  ss_zone x = {(double)nx / ny, nx, 1}, y = {1, ny, 1};
  ss_grid g = {.dim = 2, .kind = SS_QUAD4, .axis = {{0, 1, &x}, {0, 1, &y}}};
  ss_mesh *mesh;
  check(&ctx, ss_mesh_grid(&ctx, &g, &mesh));
  ss_elastic_material rubber = {.name = "rubber", .E = 1, .nu = 0.3};
  ss_elastic_body body = {.name = "block", .mesh = mesh};
  ss_support top = {"top", {true, true}, {0.02, -0.05}, NULL};
  // a table that is not quite flat: contacts that are free, too
  ss_obstacle table = {.boundary = "bottom",
                       .normal = {0, 1},
                       .mu = 0.3,
                       .curvature = 1e-3,
                       .point = {0.4 * x.to, 0}};
  ss_elastic_scene s = ss_elastic_scene_default(2);
  s.materials = &rubber, s.material_count = 1;
  s.bodies = &body, s.body_count = 1;
  s.supports = &top, s.support_count = 1;
  s.obstacles = &table;
  s.stepping.step = s.stepping.duration = 1;
  printf("%-16s %7s %8s %10s %16s %10s %12s\n", "", "dofs", "contacts", "assembly s",
         "factor+condense s", "step s", "memory MB");
  double alone = one_step(&ctx, &s, false), friction = one_step(&ctx, &s, true);
  printf("friction costs %.1f times the linear solve\n", friction / alone);
  ss_mesh_destroy(mesh);
  return 0;
}
