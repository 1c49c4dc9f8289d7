// A rubber block (2 x 1, plane strain) is pressed on a table by its upper side, which is then pulled along it: slip
// begins at the leading end and runs back until all nodes that touch slide. Expected: in the end one corner is
// lifted and 16 nodes slip, the tangential force is 0.4 times the normal one, and the energies balance.
#include <stdio.h>

#include <stickslip/stickslip.h>

static int fail(const ss_context *ctx, ss_error e) {
  printf("%s\n", ss_error_detail(ctx, e));
  return 1;
}

int main(void) {
  ss_context ctx = {0};

  // the mesh: 16 x 8 bilinear elements
  ss_zone x = {.to = 2, .cells = 16}, y = {.to = 1, .cells = 8};
  ss_grid grid = {.dim = 2, .kind = SS_QUAD4, .axis = {{0, 1, &x}, {0, 1, &y}}};
  ss_mesh *mesh;
  ss_error e = ss_mesh_grid(&ctx, &grid, &mesh);
  if (e) return fail(&ctx, e);

  // the scene: pressed from t = 0 to 1, pulled from 1 to 2
  const double press_table[] = {0, 0, 1, 1}, pull_table[] = {1, 0, 2, 1};
  const ss_history press = {.rows = 2, .table = press_table},
                   pull = {.rows = 2, .table = pull_table};
  const ss_elastic_material rubber = {.name = "rubber", .E = 1, .nu = 0.3};
  const ss_elastic_body block = {.name = "block", .mesh = mesh};
  const ss_support top[] = {{"top", {false, true}, {0, -0.03}, &press},
                            {"top", {true, false}, {0.1, 0}, &pull}};
  const ss_obstacle table = {.boundary = "bottom", .normal = {0, 1}, .mu = 0.4};
  ss_elastic_scene scene = ss_elastic_scene_default(2);
  scene.materials = &rubber, scene.material_count = 1;
  scene.bodies = &block, scene.body_count = 1;
  scene.supports = top, scene.support_count = 2;
  scene.obstacles = &table, scene.obstacle_count = 1;
  scene.stepping.step = 0.05, scene.stepping.duration = 2;

  // stepping: every step is solved and verified
  ss_elastic *model;
  ss_march *march;
  if ((e = ss_elastic_build(&ctx, &scene, &model))) return fail(&ctx, e);
  if ((e = ss_march_create(&ctx, &model->structure, &scene.stepping, &march))) return fail(&ctx, e);
  printf("%6s %6s %6s %10s %10s\n", "t", "stick", "slip", "normal", "tangent");
  for (int k = 1; !ss_march_end(march); k++) {
    ss_march_info info;
    if ((e = ss_march_step(march, &info))) return fail(&ctx, e);
    if (info.status != SS_SOLVED) return printf("not solved\n"), 1;
    ss_march_view v;
    double force[2] = {0};
    ss_march_look(march, &v);
    for (int i = 0; i < 2 * model->structure.nc; i++) force[i % 2] += v.r[i];
    if (k >= 20 && k % 4 == 0)
      printf("%6.2f %6d %6d %10.5f %10.5f\n", v.time, info.states[SS_STICK], info.states[SS_SLIP],
             force[0], force[1]);
  }
  ss_march_energy w;
  ss_march_get_energy(march, &w);
  printf("lost by friction %.4e, balance %s\n", w.friction, w.closure < 1e-9 ? "closed" : "open");
  ss_march_destroy(march);
  ss_elastic_destroy(model);
  ss_mesh_destroy(mesh);
  return 0;
}
