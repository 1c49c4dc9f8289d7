// elastic/body*: contacts of meshes in the plane and in space, the contact patch test, mass that is moved.
#include "harness.h"

#include "la/sparse.h"
#include "stickslip/elastic.h"
#include "stickslip/models.h"

static ss_context ctx;

static ss_mesh *box(int dim, ss_element_kind kind, int cells, double low, double high) {
  ss_zone side = {1, cells, 1}, up = {high, cells, 1};
  ss_grid g = {.dim = dim, .kind = kind};
  for (int a = 0; a < dim; a++)
    g.axis[a] = (ss_axis){a == dim - 1 ? low : 0, 1, a == dim - 1 ? &up : &side};
  ss_mesh *m = NULL;
  if (ss_mesh_grid(&ctx, &g, &m)) fail_msg("%s", ctx.message);
  return m;
}

static const ss_elastic_material soft = {.name = "soft", .E = 2, .nu = 0.25, .rho = 3};

static ss_elastic_scene scene_of(int dim, const ss_elastic_body *bodies, int count) {
  ss_elastic_scene s = ss_elastic_scene_default(dim);
  s.materials = &soft, s.material_count = 1;
  s.bodies = bodies, s.body_count = count;
  s.stepping.step = s.stepping.duration = 1;
  s.stepping.solver.tol = 1e-12;
  return s;
}

static ss_march *one_step(const ss_elastic_scene *s, ss_elastic **e) {
  ss_march *m;
  ss_march_info info;
  if (ss_elastic_build(&ctx, s, e)) fail_msg("%s", ctx.message);
  if (ss_march_create(&ctx, &(*e)->structure, &s->stepping, &m)) fail_msg("%s", ctx.message);
  if (ss_march_step(m, &info)) fail_msg("%s", ctx.message);
  assert_int_equal(info.status, SS_SOLVED);
  return m;
}

static double sum_normal(const ss_elastic *e, const ss_march *m) {
  ss_march_view v;
  double sum = 0;
  ss_march_look(m, &v);
  for (int i = 0; i < e->structure.nc; i++) sum += v.r[i * e->structure.dim];
  return sum;
}

// Pressure on a box on a table without friction, held against sliding only: every node carries its share.
static void on_a_table(int dim, ss_element_kind kind) {
  ss_mesh *mesh = box(dim, kind, 3, 0, 1);
  ss_elastic_body body = {.name = "box", .mesh = mesh};
  ss_support held[] = {{"left", {true}, {0}, NULL},
                       {"front", {false, true}, {0}, NULL},
                       {"top", {false, dim == 2, dim == 3}, {0, -0.1, -0.1}, NULL}};
  ss_obstacle table = {.boundary = "bottom", .mu = 0};
  table.normal[dim - 1] = 1;
  ss_elastic_scene s = scene_of(dim, &body, 1);
  if (dim == 2) held[1] = held[2];
  s.supports = held, s.support_count = dim;
  s.obstacles = &table, s.obstacle_count = 1;
  ss_elastic *e;
  ss_march *m = one_step(&s, &e);
  ss_march_view v;
  ss_march_look(m, &v);
  // uniaxial in space: p = E 0.1; in plane strain E/(1 - nu^2) 0.1
  double p = dim == 3 ? 0.2 : 0.2 / (1 - 0.0625);
  for (int i = 0; i < e->structure.nc; i++) {
    assert_near(v.r[dim * i], p * e->contacts[i].share, 1e-10);
    assert_true(v.states[i] != SS_FREE);
    if (i && dim == 2) assert_true(e->contacts[i].point[0] > e->contacts[i - 1].point[0]);
  }
  assert_near(sum_normal(e, m), p, 1e-10);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  ss_mesh_destroy(mesh);
}

static void test_patch_on_a_table(void **state) {
  (void)state;
  on_a_table(2, SS_QUAD4);
  on_a_table(2, SS_TRIANGLE3);
  on_a_table(2, SS_QUAD9);
  on_a_table(3, SS_HEX8);
  on_a_table(3, SS_TET4);
}

// Two boxes on each other, pressed: node to node the stress is the same everywhere; node to segment on meshes that
// do not match the forces still balance, and nothing goes through a side.
static void on_each_other(int dim, ss_element_kind kind, int upper_cells, ss_pairing pairing) {
  ss_mesh *mesh[2] = {box(dim, kind, 3, 0, 1), box(dim, kind, upper_cells, 1.25, 2.25)};
  ss_elastic_body bodies[] = {
      {.name = "lower", .mesh = mesh[0]},
      {.name = "upper", .mesh = mesh[1], .move = {0, dim == 2 ? -0.25 : 0, dim == 3 ? -0.25 : 0}}};
  ss_support held[] = {{"lower.bottom", {false, dim == 2, dim == 3}, {0}, NULL},
                       {"upper.top", {false, dim == 2, dim == 3}, {0, -0.2, -0.2}, NULL},
                       {"lower.left", {true}, {0}, NULL},
                       {"upper.left", {true}, {0}, NULL},
                       {"lower.front", {false, true}, {0}, NULL},
                       {"upper.front", {false, true}, {0}, NULL}};
  ss_contact_pair pair = {
      .slave = "upper.bottom", .master = "lower.top", .pairing = pairing, .mu = 0.5};
  ss_elastic_scene s = scene_of(dim, bodies, 2);
  s.supports = held, s.support_count = dim == 2 ? 4 : 6;
  s.pairs = &pair, s.pair_count = 1;
  ss_elastic *e;
  ss_march *m = one_step(&s, &e);
  ss_march_view v;
  ss_march_look(m, &v);
  int across = upper_cells + 1;
  assert_int_equal(e->structure.nc, dim == 2 ? across : across * across);
  double p = dim == 3 ? 0.2 : 0.2 / (1 - 0.0625), up = 0, down = 0;  // 0.2 over a height of 2
  for (int i = 0; i < e->structure.nc; i++) {
    assert_near(e->contacts[i].normal[dim - 1], 1, 1e-12);
    if (upper_cells == 3) assert_near(v.r[dim * i], p * e->contacts[i].share, 1e-9);
    assert_true(v.gap[dim * i] > -1e-9);
  }
  for (int k = dim - 1; k < e->structure.ndof; k += dim) {
    double f = v.support[k];
    if (f > 0) up += f;
    if (f < 0) down -= f;
  }
  assert_near(up, down, 1e-9);
  assert_near(sum_normal(e, m), up, 1e-9);
  assert_near(up / p, 1, upper_cells == 3 ? 1e-9 : 0.05);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  for (int k = 0; k < 2; k++) ss_mesh_destroy(mesh[k]);
}

static void test_patch_between_bodies(void **state) {
  (void)state;
  on_each_other(2, SS_QUAD4, 3, SS_PAIR_NODES);
  on_each_other(2, SS_TRIANGLE3, 3, SS_PAIR_NODES);
  on_each_other(3, SS_HEX8, 3, SS_PAIR_NODES);
  on_each_other(2, SS_QUAD4, 3, SS_PAIR_SEGMENTS);
  on_each_other(2, SS_QUAD4, 5, SS_PAIR_SEGMENTS);
  on_each_other(2, SS_TRIANGLE3, 7, SS_PAIR_SEGMENTS);
  on_each_other(3, SS_HEX8, 5, SS_PAIR_SEGMENTS);
  on_each_other(3, SS_TET4, 4, SS_PAIR_SEGMENTS);
}

// A block in space dragged along (0.6, 0.8): in the end all nodes that touch slide that way, and so does the
// friction, mu times the normal force, at both levels.
static void dragged(ss_march_scheme scheme) {
  static const double table[] = {0, 0, 1, 1, 2, 1}, later[] = {1, 0, 2, 1};
  static const ss_history press = {.rows = 3, .table = table}, pull = {.rows = 2, .table = later};
  ss_mesh *mesh = box(3, SS_HEX8, 3, 0, 0.5);
  ss_elastic_body body = {.name = "box", .mesh = mesh};
  ss_support top[] = {{"top", {false, false, true}, {0, 0, -0.02}, &press},
                      {"top", {true, true, false}, {0.6, 0.8, 0}, &pull}};
  ss_obstacle table_top = {.boundary = "bottom", .normal = {0, 0, 1}, .mu = 0.4};
  ss_elastic_scene s = scene_of(3, &body, 1);
  s.supports = top, s.support_count = 2;
  s.obstacles = &table_top, s.obstacle_count = 1;
  s.stepping.scheme = scheme, s.stepping.step = 0.1, s.stepping.duration = 2;
  s.stepping.solver.tol = 1e-10;
  ss_elastic *e;
  ss_march *m = one_step(&s, &e);
  ss_march_info info;
  while (!ss_march_end(m)) {
    if (ss_march_step(m, &info)) fail_msg("%s", ctx.message);
    assert_int_equal(info.status, SS_SOLVED);
  }
  ss_march_view v;
  ss_march_look(m, &v);
  double world[3] = {0};
  for (int k = 0; k < e->structure.ndof; k++) world[k % 3] += v.support[k];
  assert_int_equal(info.states[SS_STICK], 0);
  assert_near(world[0], 0.6 * 0.4 * sum_normal(e, m), 1e-8);  // the support pulls as friction holds
  assert_near(world[1], 0.8 * 0.4 * sum_normal(e, m), 1e-8);
  assert_near(-world[2], sum_normal(e, m), 1e-9);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  ss_mesh_destroy(mesh);
}

static void test_dragged_in_space(void **state) {
  (void)state;
  dragged(SS_MARCH_POSITION);
  dragged(SS_MARCH_VELOCITY);
}

// Many contacts: W comes from a block of the inverse, and the answer is judged in (M, H) form as any other.
static void test_many_contacts(void **state) {
  (void)state;
  ss_zone along = {20, 200, 1}, up = {1, 4, 1};
  ss_grid g = {.dim = 2, .kind = SS_QUAD4, .axis = {{0, 1, &along}, {0, 1, &up}}};
  ss_mesh *mesh;
  assert_int_equal(ss_mesh_grid(&ctx, &g, &mesh), SS_OK);
  ss_elastic_body body = {.name = "strip", .mesh = mesh};
  ss_support top = {"top", {true, true}, {0.02, -0.05}, NULL};
  ss_obstacle table = {
      .boundary = "bottom", .normal = {0, 1}, .mu = 0.3, .curvature = 1e-3, .point = {8}};
  ss_elastic_scene s = scene_of(2, &body, 1);
  s.supports = &top, s.support_count = 1;
  s.obstacles = &table, s.obstacle_count = 1;
  s.stepping.solver.tol = 1e-8;
  ss_elastic *e;
  ss_march *m = one_step(&s, &e);
  assert_int_equal(e->structure.nc, 201);
  ss_solution answer;
  ss_verdict verdict;
  const ss_problem *p = ss_march_problem(m, &answer);
  assert_int_equal(ss_verify(&ctx, p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
  assert_true(verdict.error <= 1e-8);
  for (int k = 0; k < 3; k++) assert_true(verdict.states[k] > 0);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  ss_mesh_destroy(mesh);
}

// Contact nodes have none, and the whole is what it was.
static void test_redistributed_mass(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ss_mesh *mesh = box(dim, dim == 2 ? SS_TRIANGLE3 : SS_HEX8, 3, 0, 1);
    ss_elastic_body body = {.name = "box", .mesh = mesh};
    ss_obstacle table = {.boundary = "bottom", .mu = 0.3};
    table.normal[dim - 1] = 1;
    ss_elastic_scene s = scene_of(dim, &body, 1);
    s.obstacles = &table, s.obstacle_count = 1;
    s.stepping.scheme = SS_MARCH_MOREAU, s.redistribute_mass = true;
    ss_elastic *e;
    if (ss_elastic_build(&ctx, &s, &e)) fail_msg("%s", ctx.message);
    double all = 0;
    for (int k = 0; k < e->structure.ndof; k++) all += ssi_sparse_entry(&e->structure.M, k, k);
    assert_near(all, dim * soft.rho, 1e-12);
    for (int i = 0; i < e->structure.nc; i++)
      assert_true(ssi_sparse_entry(&e->structure.M, dim * e->contacts[i].node,
                                   dim * e->contacts[i].node) == 0);
    ss_elastic_destroy(e);
    ss_mesh_destroy(mesh);
  }
}

// One linear element whose right angle is on the foundation, the rest held: K of [Jack, (1)] with the corrected sign,
// b = (lambda + 3 G)/2 and c = (lambda + G)/2, and the model `static` of those.
static void test_one_element(void **state) {
  (void)state;
  ss_mesh *mesh = box(2, SS_TRIANGLE3, 1, 0, 1);
  ss_elastic_material stuff = {.name = "stuff", .E = 2, .nu = 0.2};
  ss_elastic_body body = {.name = "element", .mesh = mesh};
  ss_support held[] = {{"left", {true, true}, {0}, NULL}, {"top", {true, true}, {0}, NULL}};
  ss_obstacle foundation = {.boundary = "bottom", .normal = {0, 1}, .mu = 0.5};
  ss_surface_load push = {"bottom", {0.6, -0.8}, 0, NULL};  // half of it on the node
  ss_elastic_scene s = scene_of(2, &body, 1);
  s.materials = &stuff;
  s.supports = held, s.support_count = 2;
  s.obstacles = &foundation, s.obstacle_count = 1;
  s.loads = &push, s.load_count = 1;
  ss_elastic *e;
  ss_problem *p, *model;
  if (ss_elastic_build(&ctx, &s, &e)) fail_msg("%s", ctx.message);
  if (ss_structure_problem(&ctx, &e->structure, 0, 1, true, &p)) fail_msg("%s", ctx.message);
  double G = 2 / (2 * 1.2), lambda = 2 * 0.2 / (1.2 * 0.6);
  assert_int_equal(p->nc, 1);
  assert_near(ssi_sparse_entry(&p->M, 0, 0), (lambda + 3 * G) / 2, 1e-13);
  assert_near(ssi_sparse_entry(&p->M, 1, 1), (lambda + 3 * G) / 2, 1e-13);
  ss_model_setting given[] = {{"lambda", NULL, lambda},
                              {"nu", NULL, G},
                              {"mu", NULL, 0.5},
                              {"f_n", NULL, 0.4},
                              {"f_t", NULL, -0.3}};
  if (ss_model_build(&ctx, "static", given, 5, &model)) fail_msg("%s", ctx.message);
  // u_N = -x_n there, and this element is mirrored: u_T = -x_t
  for (int i = 0; i < 2; i++) {
    assert_near(p->f[i], -model->f[i], 1e-13);
    for (int j = 0; j < 2; j++)
      assert_near(ssi_sparse_entry(&p->M, i, j), ssi_sparse_entry(&model->M, i, j), 1e-13);
  }
  ss_problem_destroy(p);
  ss_problem_destroy(model);
  ss_elastic_destroy(e);
  ss_mesh_destroy(mesh);
}

// Two blocks held on their left sides: the pair of nodes that both are held is no contact, the others are.
static void test_held_pair(void **state) {
  (void)state;
  ss_mesh *mesh[2] = {box(2, SS_QUAD4, 2, 0, 1), box(2, SS_QUAD4, 2, 1, 2)};
  ss_elastic_body bodies[] = {{.name = "a", .mesh = mesh[0]}, {.name = "b", .mesh = mesh[1]}};
  ss_contact_pair pair = {.slave = "b.bottom", .master = "a.top", .mu = 0.5};
  ss_support held[] = {{"a.left", {true, true}, {0}, NULL}, {"b.left", {true, true}, {0}, NULL}};
  ss_elastic_scene s = scene_of(2, bodies, 2);
  s.pairs = &pair, s.pair_count = 1, s.supports = held, s.support_count = 2;
  for (int segments = 0; segments < 2; segments++) {
    pair.pairing = segments ? SS_PAIR_SEGMENTS : SS_PAIR_NODES;
    ss_elastic *e;
    ss_problem *p;
    if (ss_elastic_build(&ctx, &s, &e)) fail_msg("%s", ctx.message);
    assert_int_equal(e->structure.nc, 2);
    assert_near(e->contacts[0].point[0], 0.5, 1e-15);
    if (ss_structure_problem(&ctx, &e->structure, 0, 1, true, &p)) fail_msg("%s", ctx.message);
    ss_problem_destroy(p);
    ss_elastic_destroy(e);
  }
  for (int k = 0; k < 2; k++) ss_mesh_destroy(mesh[k]);
}

static void expect(const ss_elastic_scene *s, const char *text) {
  ss_context own = {0};
  ss_elastic *e = NULL;
  ss_error error = ss_elastic_build(&own, s, &e);
  if (error != SS_ERR_DATA || !strstr(own.message, text)) fail_msg("%s", own.message);
}

static void test_errors(void **state) {
  (void)state;
  ss_mesh *mesh[2] = {box(2, SS_QUAD4, 2, 0, 1), box(2, SS_QUAD4, 2, 1, 2)};
  ss_elastic_body bodies[] = {{.name = "a", .mesh = mesh[0]},
                              {.name = "b", .mesh = mesh[1], .move = {5}}};
  ss_contact_pair pair = {.slave = "b.bottom", .master = "a.top", .pairing = SS_PAIR_SEGMENTS};
  ss_elastic_scene s = scene_of(2, bodies, 2);
  s.pairs = &pair, s.pair_count = 1;
  expect(&s, "contact pair 0: no node of b.bottom that can move is opposite to a.top");
  pair.master = "a.topp";
  expect(&s, "contact pair 0: there is no boundary \"a.topp\"; the nearest is a.top");
  pair.master = "b.bottom";
  expect(&s, "contact pair 0: no node of b.bottom that can move is opposite to b.bottom");
  bodies[1].move[0] = 0, pair.master = "a.bottom";
  expect(&s, "contact pair 0: the normal at a.bottom points out of b.bottom");
  pair.master = "a.top", pair.normal[1] = -1;
  expect(&s, "contact pair 0: the normal at a.top points out of b.bottom");
  pair.normal[1] = NAN;
  expect(&s, "contact pair 0: its normal has no direction");
  pair.normal[1] = 0, pair.reach = -1;
  expect(&s, "contact pair 0: mu 0, curvature 0, reach -1");
  pair.reach = 0;
  ss_support both[] = {{"a.top", {true, true}, {0}, NULL}, {"b.bottom", {true, true}, {0}, NULL}};
  s.supports = both, s.support_count = 2;
  expect(&s, "contact pair 0: no node of b.bottom that can move is opposite to a.top");
  s.pair_count = 0;
  both[1].held[0] = both[1].held[1] = false;
  expect(&s, "support 1 (b.bottom): no component is held");
  ss_support held[] = {{"a.top", {true}, {1}, NULL}, {"a.left", {true}, {0}, NULL}};
  s.supports = held, s.support_count = 2;
  expect(&s, "is moved otherwise by support 0 (a.top)");
  s.support_count = 0;
  ss_obstacle wall = {
      .name = "wall", .boundary = "a.left", .normal = {1}, .point = {0, 9}, .reach = 1};
  s.obstacles = &wall, s.obstacle_count = 1;
  expect(&s, "obstacle 0 (wall): no node of a.left can touch it");
  wall.reach = -1;
  expect(&s, "obstacle 0 (wall): curvature 0, mu 0, reach -1");
  wall.reach = 0, wall.normal[0] = -1;
  expect(&s, "obstacle 0 (wall): its normal points out of the body at a.left");
  s.obstacle_count = 0;
  ss_domain_material other = {"a.all", 7};
  s.domains = &other, s.domain_count = 1;
  expect(&s, "domain a.all: material 7");
  s.domain_count = 0;
  ss_elastic_material light = soft;
  ss_gravity down = {{0, -1}, NULL};
  light.rho = 0, s.materials = &light;
  s.gravity = &down, s.gravity_count = 1;
  expect(&s, "gravity acts on nothing: no body has a density");
  bodies[1].material = 3;
  expect(&s, "body b: material 3");
  bodies[1].name = "a";
  expect(&s, "body 1: a second body \"a\"");
  for (int k = 0; k < 2; k++) ss_mesh_destroy(mesh[k]);
}

// Each way in which a body can be left free, by its name; one more support, and it is held.
static void test_loose_bodies(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    static const char *const last[] = {"", "", "moving along y", "moving along z"};
    ss_mesh *mesh = box(dim, dim == 2 ? SS_QUAD4 : SS_HEX8, 2, 0, 1);
    ss_elastic_body body = {.name = "box", .mesh = mesh};
    ss_support held[] = {{"left", {true}, {0}, NULL},
                         {"front", {false, true}, {0}, NULL},
                         {"bottom", {false, dim == 2, dim == 3}, {0}, NULL}};
    if (dim == 2) held[1] = held[2];
    ss_elastic_scene s = scene_of(dim, &body, 1);
    s.supports = held;
    expect(&s, "\"box\" is held by nothing against");
    s.support_count = dim - 1;
    expect(&s, last[dim]);
    s.support_count = dim;
    ss_elastic *e = NULL;
    if (ss_elastic_build(&ctx, &s, &e)) fail_msg("%s", ctx.message);
    ss_elastic_destroy(e);
    ss_mesh_destroy(mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patch_on_a_table),   cmocka_unit_test(test_patch_between_bodies),
      cmocka_unit_test(test_many_contacts),      cmocka_unit_test(test_dragged_in_space),
      cmocka_unit_test(test_redistributed_mass), cmocka_unit_test(test_one_element),
      cmocka_unit_test(test_held_pair),          cmocka_unit_test(test_errors),
      cmocka_unit_test(test_loose_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
