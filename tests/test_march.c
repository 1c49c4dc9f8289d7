// elastic/march*: closed forms of lumped models, both levels against each other, energies, H over time, errors.
#include "harness.h"

#include "stickslip/elastic.h"

// A block on a table, pulled by a spring: K = diag(k_n, k), H = I (normal up), f = (-N, 0). The spring's end
// moves by d(t), so that the force is k (d - x): f_t = k d.
static const int64_t ptr2[] = {0, 1, 2};
static const int col2[] = {0, 1};
static const double K_x[] = {100, 10}, unit_x[] = {1, 1};
static const ss_sparse K2 = {2, 2, ptr2, col2, K_x}, H2 = {2, 2, ptr2, col2, unit_x};
static const double press[] = {-2, 0}, pull[] = {0, 10}, no_gap[] = {0, 0};
static const double ramp_table[] = {0, 0, 1, 1, 2, -1, 3, 1};
static const ss_history ramp = {.rows = 4, .table = ramp_table};

static ss_march *begin(const ss_structure *s, const ss_march_options *o) {
  static ss_context ctx;
  ss_march *m = NULL;
  if (ss_march_create(&ctx, s, o, &m)) fail_msg("%s", ctx.message);
  return m;
}

static ss_march_info step(ss_march *m) {
  ss_march_info info;
  assert_int_equal(ss_march_step(m, &info), SS_OK);
  assert_int_equal(info.status, SS_SOLVED);
  return info;
}

static ss_structure slider(const double *mu, ss_history_term *loads) {
  loads[0] = (ss_history_term){press, NULL};
  loads[1] = (ss_history_term){pull, &ramp};
  static const ss_history_term gaps[] = {{no_gap, NULL}};
  return (ss_structure){.dim = 2,
                        .nc = 1,
                        .ndof = 2,
                        .mu = mu,
                        .K = K2,
                        .H_count = 1,
                        .H = &H2,
                        .loads = loads,
                        .load_count = 2,
                        .gaps = gaps,
                        .gap_count = 1};
}

// Play operator: with r_T limited by mu N = 0.6, x = d -+ mu N / k when it slips: after 0 -> 1, x = 1 - 0.06; on
// the way back it sticks until d = 1 - 0.12.
static void slider_at(ss_march_scheme scheme) {
  double mu = 0.3;
  ss_history_term loads[2];
  ss_structure s = slider(&mu, loads);
  ss_march_options o = ss_march_options_default();
  o.scheme = scheme, o.step = 0.01, o.duration = 3, o.solver.tol = 1e-12;
  ss_march *m = begin(&s, &o);
  ss_march_view v;
  ss_march_energy w;
  double x = 0, lost = 0;
  while (!ss_march_end(m)) {
    ss_march_info info = step(m);
    double d = ss_history_at(&ramp, info.time), before = x;
    x = fmin(fmax(x, d - 0.06), d + 0.06);  // the play operator, exactly
    lost += 0.6 * fabs(x - before);
    ss_march_look(m, &v);
    ss_march_get_energy(m, &w);
    assert_near(v.q[1], x, 1e-9);
    assert_near(v.q[0], 0, 1e-12);
    assert_near(v.r[0], 2, 1e-9);
    assert_near(v.r[1], 10 * (x - d), 1e-8);
    assert_near(w.friction, lost, 1e-8);
    assert_true(w.closure < 1e-9);
    assert_int_equal(v.states[0], fabs(x - before) > 1e-6 ? SS_SLIP : SS_STICK);
  }
  assert_string_equal(ss_march_end(m), "duration");
  ss_march_destroy(m);
}

static void test_play(void **state) {
  (void)state;
  slider_at(SS_MARCH_VELOCITY);
  slider_at(SS_MARCH_POSITION);
}

// Kelvin-Voigt: C q' + K q = f, no contact: backward Euler's own numbers, and its order.
static void test_viscous(void **state) {
  (void)state;
  static const double C_x[] = {50, 5}, mu[] = {0}, up[] = {1, 0}, high[] = {1e3, 0};
  static const ss_sparse C = {2, 2, ptr2, col2, C_x};
  static const ss_history_term loads[] = {{up, NULL}}, gaps[] = {{high, NULL}};
  ss_structure s = {.dim = 2,
                    .nc = 1,
                    .ndof = 2,
                    .mu = mu,
                    .K = K2,
                    .C = C,
                    .H_count = 1,
                    .H = &H2,
                    .loads = loads,
                    .load_count = 1,
                    .gaps = gaps,
                    .gap_count = 1};
  for (int scheme = SS_MARCH_VELOCITY; scheme <= SS_MARCH_POSITION; scheme++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      ss_march_options o = ss_march_options_default();
      o.scheme = (ss_march_scheme)scheme, o.step = k ? 0.005 : 0.01, o.duration = 1;
      ss_march *m = begin(&s, &o);
      while (!ss_march_end(m)) step(m);
      ss_march_view v;
      ss_march_energy w;
      ss_march_look(m, &v);
      ss_march_get_energy(m, &w);
      error[k] = fabs(v.q[0] - 0.01 * (1 - exp(-2)));  // relaxes with time C/K = 1/2
      assert_true(w.closure < 1e-12);
      assert_true(w.viscous > 0);
      ss_march_destroy(m);
    }
    assert_near(error[0] / error[1], 2, 0.03);
  }
}

// ---- prescribed displacements, H over time ----------------------------------------------------------

// The end of the spring as a degree of freedom of its own: the same motion, and the work of the support.
static void test_prescribed(void **state) {
  (void)state;
  static const int64_t ptr[] = {0, 1, 3, 5}, row[] = {0, 1, 2};
  static const int col[] = {0, 1, 2, 1, 2}, of[] = {0, 1};
  static const double x[] = {100, 10, -10, -10, 10}, one[] = {1, 1}, mu[] = {0.3};
  static const double weight[] = {-2, 0, 0};
  static const ss_sparse K = {3, 3, ptr, col, x}, H = {2, 3, row, of, one};
  static const ss_history_term loads[] = {{weight, NULL}};
  const ss_prescribed end = {2, 1, &ramp};
  ss_structure s = {.dim = 2,
                    .nc = 1,
                    .ndof = 3,
                    .mu = mu,
                    .K = K,
                    .H_count = 1,
                    .H = &H,
                    .loads = loads,
                    .load_count = 1,
                    .prescribed = &end,
                    .prescribed_count = 1};
  ss_march_options o = ss_march_options_default();
  o.step = 0.01, o.duration = 2;
  ss_march *m = begin(&s, &o);
  double play = 0;
  while (!ss_march_end(m)) {
    ss_march_info info = step(m);
    double d = ss_history_at(&ramp, info.time);
    play = fmin(fmax(play, d - 0.06), d + 0.06);
    ss_march_view v;
    ss_march_look(m, &v);
    assert_near(v.q[1], play, 1e-8);
    assert_near(v.q[2], d, 1e-15);
    assert_near(v.support[2], 10 * (d - play), 1e-7);
  }
  ss_march_energy w;
  ss_march_get_energy(m, &w);
  assert_true(w.closure < 1e-8);
  assert_near(w.support - w.friction - w.elastic - w.integrator - w.closing, -w.load, 1e-9);
  ss_march_destroy(m);
}

// A table that turns: with a vertical load N the body, held by springs, begins to slip where tan(angle) = mu
// of the loads on it; here springs are stiff, and the reaction stays vertical until the cone leaves it.
static void test_turning_frame(void **state) {
  (void)state;
  enum { FRAMES = 7 };
  static int64_t ptr[] = {0, 2, 4};
  static int col[] = {0, 1, 0, 1};
  static double x[FRAMES][4], time[FRAMES];
  static ss_sparse H[FRAMES];
  static const double soft[] = {1, 1}, mu[] = {0.3}, weight[] = {0, -2};
  static const ss_sparse K = {2, 2, ptr2, col2, soft};
  for (int k = 0; k < FRAMES; k++) {
    double a = 0.1 * k;  // normal (-sin, cos), tangent (cos, sin)
    double rows[4] = {-sin(a), cos(a), cos(a), sin(a)};
    memcpy(x[k], rows, sizeof rows);
    time[k] = k;
    H[k] = (ss_sparse){2, 2, ptr, col, x[k]};
  }
  static const ss_history_term loads[] = {{weight, NULL}};
  ss_structure s = {.dim = 2,
                    .nc = 1,
                    .ndof = 2,
                    .mu = mu,
                    .K = K,
                    .H_count = FRAMES,
                    .H_time = time,
                    .H = H,
                    .loads = loads,
                    .load_count = 1};
  ss_march_options o = ss_march_options_default();
  o.step = 1, o.duration = 6, o.scheme = SS_MARCH_VELOCITY;
  ss_march *m = begin(&s, &o);
  ss_march_view v;
  for (int k = 1; k < FRAMES; k++) {
    step(m);
    ss_march_look(m, &v);
    if (0.1 * k < atan(0.3))
      assert_int_equal(v.states[0], SS_STICK);
    else
      assert_int_equal(v.states[0], SS_SLIP);
  }
  ss_march_destroy(m);
}

// ---- elastic bodies ----------------------------------------------------------------------------------

// A block pressed on a table and pulled along it by its upper side: partial slip.
typedef struct pulled {
  ss_mesh *mesh;
  ss_elastic_material material;
  ss_elastic_body body;
  ss_support support;
  ss_obstacle table;
  ss_elastic_scene scene;
  ss_surface_load press;
} pulled;

static const double pull_table[] = {0, 0, 1, 1};
static const ss_history pull_history = {.rows = 2, .table = pull_table};

static void make_pulled(pulled *p, ss_element_kind kind, int cells) {
  static ss_context ctx;
  ss_zone x = {2, 2 * cells, 1}, y = {1, cells, 1};
  ss_grid g = {.dim = 2, .kind = kind, .axis = {{0, 1, &x}, {0, 1, &y}}};
  assert_int_equal(ss_mesh_grid(&ctx, &g, &p->mesh), SS_OK);
  p->material = (ss_elastic_material){.name = "rubber", .E = 1, .nu = 0.3, .rho = 1};
  p->body = (ss_elastic_body){.name = "block", .mesh = p->mesh};
  p->support = (ss_support){"top", {true, true}, {0.02, -0.03}, &pull_history};
  p->table = (ss_obstacle){.boundary = "bottom", .normal = {0, 1}, .mu = 0.4};
  p->scene = ss_elastic_scene_default(2);
  p->scene.materials = &p->material, p->scene.material_count = 1;
  p->scene.bodies = &p->body, p->scene.body_count = 1;
  p->scene.supports = &p->support, p->scene.support_count = 1;
  p->scene.obstacles = &p->table, p->scene.obstacle_count = 1;
}

static void run_pulled(pulled *p, ss_march_scheme scheme, int steps, double *force, double *q_sum,
                       ss_march_energy *w) {
  static ss_context ctx;
  ss_elastic *e;
  p->scene.stepping.scheme = scheme;
  if (ss_elastic_build(&ctx, &p->scene, &e)) fail_msg("%s", ctx.message);
  ss_march_options o = p->scene.stepping;
  o.step = 1.0 / steps, o.duration = 1, o.solver.tol = 1e-10;
  ss_march *m = begin(&e->structure, &o);
  ss_march_view v;
  while (!ss_march_end(m)) step(m);
  ss_march_look(m, &v);
  ss_march_get_energy(m, w);
  *force = *q_sum = 0;
  for (int i = 0; i < e->structure.nc; i++) *force += v.r[2 * i + 1], *q_sum += v.r[2 * i];
  ss_march_destroy(m);
  ss_elastic_destroy(e);
}

// The two levels: their difference halves with the step. Contacts close within steps, so that single halvings are
// uneven (orders 0.8 to 1.4 are seen); the order is that over five of them.
static void test_levels_agree(void **state) {
  (void)state;
  pulled p;
  make_pulled(&p, SS_QUAD4, 4);
  p.table.curvature = 0.03, p.table.point[0] = 0.6;  // contacts come one by one
  // not proportional: pressed first, then pulled, so that the path counts
  static const double table[] = {0, 0, 0.5, 0.2, 1, 1};
  static const ss_history late = {.rows = 3, .table = table};
  ss_support both[2] = {{"top", {true, false}, {0.05}, &late},
                        {"top", {false, true}, {0, -0.03}, &pull_history}};
  p.scene.supports = both, p.scene.support_count = 2;
  enum { RUNS = 6 };
  double difference[RUNS], T, N, unused;
  ss_march_energy a, b;
  for (int k = 0; k < RUNS; k++) {
    double t;
    run_pulled(&p, SS_MARCH_VELOCITY, 20 << k, &T, &N, &a);
    run_pulled(&p, SS_MARCH_POSITION, 20 << k, &t, &unused, &b);
    difference[k] = fabs(T - t) + fabs(a.friction - b.friction);
    assert_true(a.closure < 1e-6 && b.closure < 1e-6);
    print_message("%3d steps: velocity T %.8f friction %.8f, position %.8f %.8f, apart %.2e\n",
                  20 << k, T, a.friction, t, b.friction, difference[k]);
  }
  double order = log2(difference[0] / difference[RUNS - 1]) / (RUNS - 1);
  print_message("order %.2f\n", order);
  assert_true(order > 0.9 && order < 1.2);
  ss_mesh_destroy(p.mesh);
}

static void test_static_problem(void **state) {
  (void)state;
  static ss_context ctx;
  pulled p;
  make_pulled(&p, SS_TRIANGLE3, 3);
  ss_elastic *e;
  ss_problem *whole, *small;
  assert_int_equal(ss_elastic_build(&ctx, &p.scene, &e), SS_OK);
  assert_int_equal(e->structure.nc, 7);
  if (ss_structure_problem(&ctx, &e->structure, 0, 1, false, &whole)) fail_msg("%s", ctx.message);
  if (ss_structure_problem(&ctx, &e->structure, 0, 1, true, &small)) fail_msg("%s", ctx.message);
  double r[14] = {0}, u[14], u2[14];
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  assert_int_equal(ss_solver_create(&ctx, whole, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, u, NULL, NULL, &info), SS_OK);
  assert_int_equal(info.status, SS_SOLVED);
  ss_verdict verdict;
  ss_solution answer = {.r = r};
  assert_int_equal(ss_verify(&ctx, small, &answer, u2, NULL, NULL, NULL, &verdict), SS_OK);
  assert_true(verdict.error < 1e-8);  // the answer of one is that of the other
  for (int k = 0; k < 14; k++) assert_near(u[k], u2[k], 1e-9);
  ss_solver_destroy(s);
  ss_problem_destroy(whole);
  ss_problem_destroy(small);
  ss_elastic_destroy(e);
  ss_mesh_destroy(p.mesh);
}

// ---- errors that name the entity -------------------------------------------------------------------

static void expect(pulled *p, const char *text) {
  ss_context ctx = {0};
  ss_elastic *e = NULL;
  ss_march *m = NULL;
  ss_error error = ss_elastic_build(&ctx, &p->scene, &e);
  if (!error) error = ss_march_create(&ctx, &e->structure, &p->scene.stepping, &m);
  if (error != SS_ERR_DATA || !strstr(ctx.message, text)) fail_msg("%s", ctx.message);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
}

static void test_errors(void **state) {
  (void)state;
  pulled p;
  make_pulled(&p, SS_QUAD4, 3);
  p.support.boundary = "tap";
  expect(&p, "support 0: there is no boundary \"tap\"; the nearest is top");
  p.support.boundary = "top";
  p.support.held[0] = false;  // free to slide along x
  expect(&p, "C + h K is singular: \"block\" is held by nothing");
  p.scene.support_count = 0;
  expect(&p, "C + h K is singular: \"block\" is held by nothing");
  p.material.drag = 1;  // with viscosity a free motion is legal
  static ss_context ctx;
  ss_elastic *e;
  ss_march *m;
  assert_int_equal(ss_elastic_build(&ctx, &p.scene, &e), SS_OK);
  if (ss_march_create(&ctx, &e->structure, &p.scene.stepping, &m)) fail_msg("%s", ctx.message);
  step(m);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  p.material.drag = 0, p.support.held[0] = true, p.scene.support_count = 1;
  p.table.point[1] = NAN;
  expect(&p, "gaps b, term 0: contact 0, component 0 is nan");
  p.table.point[1] = 0, p.material.nu = 0.5;
  expect(&p, "material rubber: nu is 0.5");
  p.scene.plane = SS_PLANE_STRESS;  // may grow thinner: legal
  assert_int_equal(ss_elastic_build(&ctx, &p.scene, &e), SS_OK);
  ss_elastic_destroy(e);
  ss_mesh_destroy(p.mesh);
  double mu = 0.3;
  ss_history_term loads[2];
  ss_structure s = slider(&mu, loads);
  static const ss_prescribed twice[] = {{1, 0.5, NULL}, {1, 0.25, NULL}};
  s.prescribed = twice, s.prescribed_count = 2;
  assert_int_equal(ss_march_create(&ctx, &s, &p.scene.stepping, &m), SS_ERR_DATA);
  assert_string_equal(ctx.message,
                      "prescribed displacement 1: degree of freedom 1 is prescribed twice");
}

// ---- with inertia ----------------------------------------------------------------------------------

// A bar, free fall onto a table: energy never grows beyond what gravity gives, the balance closes; theta = 1/2
// without contact keeps the energy.
static void test_inertia(void **state) {
  (void)state;
  for (int redistribute = 0; redistribute < 2; redistribute++) {
    pulled p;
    make_pulled(&p, SS_QUAD4, 3);
    ss_gravity gravity = {{0, -1}, NULL};
    p.scene.support_count = 0;
    p.scene.gravity = &gravity, p.scene.gravity_count = 1;
    p.table.point[1] = -0.05;
    p.material.E = 200;
    p.scene.redistribute_mass = redistribute;
    p.scene.stepping.scheme = SS_MARCH_MOREAU;
    static ss_context ctx;
    ss_elastic *e;
    if (ss_elastic_build(&ctx, &p.scene, &e)) fail_msg("%s", ctx.message);
    ss_march_options o = p.scene.stepping;
    o.step = 0.005, o.duration = 1, o.theta = redistribute ? 1 : 0.5;
    ss_march *m = begin(&e->structure, &o);
    ss_march_energy w;
    ss_march_view v;
    bool landed = false;
    while (!ss_march_end(m)) {
      ss_march_info info = step(m);
      ss_march_get_energy(m, &w);
      assert_true(w.closure < 1e-7);
      if (o.theta == 1) assert_true(w.friction > -1e-12);  // the law is that of v_{k+1}
      landed = landed || info.states[SS_FREE] < e->structure.nc;
      ss_march_look(m, &v);
      if (!landed) assert_near(w.elastic + w.kinetic + w.integrator, w.load, 1e-12);
      if (!landed) assert_true(w.elastic < 1e-14);  // all fall alike, wherever the mass is
    }
    assert_true(landed);
    assert_true(w.elastic + w.kinetic < 2 * 0.11);  // mass 2, fallen 0.05 and a little
    for (int i = 0; i < e->structure.nc; i++) assert_true(v.gap[2 * i] > -2e-3);
    ss_march_destroy(m);
    ss_elastic_destroy(e);
    ss_mesh_destroy(p.mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_play),         cmocka_unit_test(test_viscous),
      cmocka_unit_test(test_prescribed),   cmocka_unit_test(test_turning_frame),
      cmocka_unit_test(test_levels_agree), cmocka_unit_test(test_static_problem),
      cmocka_unit_test(test_errors),       cmocka_unit_test(test_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
