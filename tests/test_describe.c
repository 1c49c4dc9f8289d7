// problem/describe.c and graph.c: figures of small problems that can be counted by hand.
#include "dense.h"

#include "base/rng.h"
#include "problem/graph.h"
#include "stickslip/describe.h"
#include "stickslip/generate.h"

static ss_description describe(const ss_problem *p) {
  ss_description d;
  ss_context ctx = {0};
  ss_error e = ss_describe(&ctx, p, 0, &d);
  if (e) fail_msg("%s", ss_error_detail(&ctx, e));
  return d;
}

static void reduced_figures(void **state) {
  (void)state;
  ssi_arena arena = {0};
  // contacts 0 - 1 coupled, 2 alone, 3 immovable; block 2 singular
  double W[64] = {0};
  const double diagonal[] = {4, 1, 2, 2, 8, 0, 0, 0};
  for (int i = 0; i < 8; i++) W[9 * i] = diagonal[i];
  W[8 * 0 + 2] = W[8 * 2 + 0] = 0.5;
  const double q[] = {3, 0, 4, 0, 0, 0, 12, 0}, mu[] = {0.1, 0.7, 0, 0.3};
  ss_problem p = reduced_problem(&arena, 2, 4, W, q, mu);
  ss_description d = describe(&p);
  assert_int_equal(d.entries_W, 7);
  assert_int_equal(d.entries_M + d.entries_H + d.bodies, 0);
  assert_int_equal(d.free_components, 3);
  assert_int_equal(d.largest_component, 2);
  assert_near(d.neighbours_mean, 0.5, 0);
  assert_int_equal(d.neighbours_max, 1);
  assert_true(isnan(d.density));
  assert_int_equal(d.rank, 5);
  assert_near(d.eigenvalue_min, 0, 1e-15);
  assert_near(d.eigenvalue_max, 8, 1e-15);
  assert_near(d.block_condition_min, 1, 1e-15);
  assert_true(d.block_condition_max == INFINITY);
  assert_near(d.block_scale_ratio, 4, 1e-15);
  assert_int_equal(d.zero_blocks, 1);
  assert_int_equal(d.painleve_contacts, 0);
  assert_near(d.mu_min, 0, 0);
  assert_near(d.mu_max, 0.7, 0);
  assert_near(d.norm_q, 13, 1e-15);
  assert_true(d.asymmetry_W == 0);
  ss_description limited;
  assert_int_equal(ss_describe(NULL, &p, 7, &limited), SS_OK);
  assert_int_equal(limited.rank, -1);
  assert_true(isnan(limited.eigenvalue_max));
  // an explicit zero couples nothing; an asymmetric entry couples both ways into one component
  ((double *)(uintptr_t)p.W.x)[1] = 0;
  d = describe(&p);
  assert_int_equal(d.free_components, 3);
  assert_near(d.neighbours_mean, 0.25, 0);
  assert_true(d.asymmetry_W > 0);
  ssi_arena_release(&arena);
}

static void painleve_contacts_are_counted(void **state) {
  (void)state;
  ssi_arena arena = {0};
  // mu |W_NT| > W_NN: 0.5 * 5 > 2, where |W_NT| = |(3, 4)|; not with mu = 0.39
  const double W[9] = {2, 3, 4, 3, 20, 0, 4, 0, 20}, q[3] = {1, 0, 0};
  double mu = 0.5;
  ss_problem p = reduced_problem(&arena, 3, 1, W, q, &mu);
  assert_int_equal(describe(&p).painleve_contacts, 1);
  mu = 0.39;
  assert_int_equal(describe(&p).painleve_contacts, 0);
  // eigenvalues of W: 20 and 11 +- sqrt(81 + 25)
  assert_near(describe(&p).eigenvalue_min, 11 - sqrt(106), 1e-14);
  assert_near(describe(&p).block_condition_max, (11 + sqrt(106)) / (11 - sqrt(106)), 1e-13);
  ssi_arena_release(&arena);
}

// Bilateral constraints join contacts that W does not.
static void joints_join_components(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double W[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                        0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
  const double q[6] = {0}, mu[3] = {0}, V[12] = {1, 0, 0, 0, 0, 1}, R[4] = {1, 0, 0, 1}, s[2] = {0};
  ss_problem p = reduced_problem(&arena, 2, 3, W, q, mu);
  p.nl = 2;
  p.V = from_dense(&arena, 6, 2, V);  // constraint 0 with contact 0, constraint 1 with contact 1
  p.R = from_dense(&arena, 2, 2, R);
  p.s = s;
  assert_int_equal(describe(&p).free_components, 3);
  const double coupled[4] = {1, 0.1, 0.1, 1};
  p.R = from_dense(&arena, 2, 2, coupled);
  assert_int_equal(describe(&p).free_components, 2);
  assert_int_equal(describe(&p).largest_component, 2);
  assert_int_equal(describe(&p).neighbours_max, 0);
  ssi_arena_release(&arena);
}

// Bodies a, b, c of two dofs; contacts: a-ground, a-b, b-ground, c-ground twice.
enum { BODIES = 3, NDOF = 2 * BODIES, NC = 5 };

static void fill_H(double *H) {
  static const int touches[NC][2] = {{0, -1}, {0, 1}, {1, -1}, {2, -1}, {2, -1}};
  memset(H, 0, 2 * NC * NDOF * sizeof *H);
  for (int i = 0; i < NC; i++)
    for (int k = 0; k < 2; k++)
      for (int c = 0; c < 2 && touches[i][k] >= 0; c++)
        H[(2 * i + c) * NDOF + 2 * touches[i][k] + c] = k ? -1 : 1;
}

static void global_figures(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double M[NDOF * NDOF] = {0}, H[2 * NC * NDOF], f[NDOF] = {0}, w[2 * NC] = {0}, mu[NC];
  for (int b = 0; b < BODIES; b++) {  // (2 1; 1 2): inverse (2 -1; -1 2)/3
    M[2 * b * NDOF + 2 * b] = M[(2 * b + 1) * NDOF + 2 * b + 1] = 2;
    M[2 * b * NDOF + 2 * b + 1] = M[(2 * b + 1) * NDOF + 2 * b] = 1;
  }
  fill_H(H);
  for (int i = 0; i < NC; i++) mu[i] = 0.5;
  f[0] = 3;  // M^-1 f = (2, -1): q = -(2, -1) at contacts 0 and 1
  ss_problem p = global_problem(&arena, 2, NC, NDOF, M, f, H, w, mu);
  ss_description d = describe(&p);
  assert_int_equal(d.bodies, BODIES);
  assert_int_equal(d.entries_M, 12);
  assert_int_equal(d.entries_H, 12);
  assert_int_equal(d.free_components, 2);
  assert_int_equal(d.largest_component, 3);
  assert_near(d.neighbours_mean, (1 + 2 + 1 + 1 + 1) / 5., 1e-15);
  assert_int_equal(d.neighbours_max, 2);
  assert_near(d.density, 10. / 6, 1e-15);
  assert_int_equal(d.rank, 6);
  assert_near(d.eigenvalue_min, 0, 1e-14);
  // per direction of M^-1 (1 and 1/3): contacts 0, 1, 2 give B B^T with eigenvalues 3, 1, 0; c: 2, 0
  assert_near(d.eigenvalue_max, 3, 1e-14);
  assert_near(d.block_condition_max, 3, 1e-14);
  assert_near(d.block_scale_ratio, 2, 1e-14);
  assert_near(d.norm_q, sqrt(10), 1e-15);
  // an elastic tie between b and c: M is one 4 x 4 block, a - b - c in one component
  M[3 * NDOF + 4] = M[4 * NDOF + 3] = 0.1;
  p = global_problem(&arena, 2, NC, NDOF, M, f, H, w, mu);
  d = describe(&p);
  assert_int_equal(d.bodies, 2);
  assert_int_equal(d.free_components, 1);
  assert_near(d.neighbours_mean, (1 + 4 + 3 + 3 + 3) / 5., 1e-15);
  // a joint between a and c
  M[3 * NDOF + 4] = M[4 * NDOF + 3] = 0;
  const double G[NDOF] = {1, 0, 0, 0, -1, 0}, b[1] = {0};
  p = global_problem(&arena, 2, NC, NDOF, M, f, H, w, mu);
  p.nl = 1;
  p.G = from_dense(&arena, NDOF, 1, G);
  p.b = b;
  d = describe(&p);
  assert_int_equal(d.free_components, 1);
  assert_int_equal(d.neighbours_max, 2);
  ssi_arena_release(&arena);
}

// Neighbours counted over bodies equal those read from W, on random graphs with contacts that touch
// one to three bodies.
static void both_forms_count_the_same(void **state) {
  (void)state;
  enum { N = 12, CONTACTS = 20 };
  ssi_rng g = {31};
  for (int trial = 0; trial < 200; trial++) {
    ssi_arena arena = {0};
    double M[N * N] = {0}, f[N] = {0}, H[2 * CONTACTS * N] = {0}, w[2 * CONTACTS] = {0};
    double W[4 * CONTACTS * CONTACTS], mu[CONTACTS] = {0};
    for (int i = 0; i < N; i++) M[i * N + i] = 1;  // every dof is a body: W = H H^T
    for (int i = 0; i < 2 * CONTACTS; i++)
      for (int k = ssi_rng_below(&g, 3); k >= 0; k--)
        H[i * N + ssi_rng_below(&g, N)] = 0.1 + ssi_rng_uniform(&g);
    for (int i = 0; i < 2 * CONTACTS; i++)
      for (int j = 0; j < 2 * CONTACTS; j++) {
        W[i * 2 * CONTACTS + j] = 0;
        for (int k = 0; k < N; k++) W[i * 2 * CONTACTS + j] += H[i * N + k] * H[j * N + k];
      }
    ss_problem global = global_problem(&arena, 2, CONTACTS, N, M, f, H, w, mu);
    ss_problem reduced = reduced_problem(&arena, 2, CONTACTS, W, w, mu);
    ssi_graph_summary a, b;
    assert_int_equal(ssi_contact_graph(NULL, &global, &a), SS_OK);
    assert_int_equal(ssi_contact_graph(NULL, &reduced, &b), SS_OK);
    assert_int_equal(a.components, b.components);
    assert_int_equal(a.largest_component, b.largest_component);
    assert_int_equal(a.neighbours, b.neighbours);
    assert_int_equal(a.neighbours_max, b.neighbours_max);
    ssi_arena_release(&arena);
  }
}

// Bodies are what moves together, whatever the blocks of M: inertia may be diagonal or full.
static void bodies_are_counted(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ss_pile_options o = ss_pile_options_default();
    ss_problem *pile = NULL, *tower = NULL;
    o.dim = dim, o.contacts = 300;
    assert_int_equal(ss_generate_pile(NULL, &o, &pile), SS_OK);
    assert_int_equal(ss_generate_tower(NULL, dim, 7, 1, 0.5, &tower), SS_OK);
    assert_int_equal(describe(pile).bodies, pile->ndof / (dim == 2 ? 3 : 6));
    assert_int_equal(describe(tower).bodies, 7);
    ss_problem_destroy(pile);
    ss_problem_destroy(tower);
  }
  // points in space in a chain, each contact between neighbours; then a contact on three of them
  enum { POINTS = 4 };
  ssi_arena arena = {0};
  double M[9 * POINTS * POINTS] = {0}, H[9 * 3 * POINTS] = {0}, f[3 * POINTS] = {0}, w[9] = {0};
  const double mu[3] = {0.5, 0.5, 0.5};
  for (int i = 0; i < 3 * POINTS; i++) M[(3 * POINTS + 1) * i] = 1;
  for (int i = 0; i < 9; i++) H[3 * POINTS * i + i] = -1, H[3 * POINTS * i + i + 3] = 1;
  ss_problem p = global_problem(&arena, 3, 3, 3 * POINTS, M, f, H, w, mu);
  assert_int_equal(describe(&p).bodies, POINTS);
  H[9] = 1;
  p = global_problem(&arena, 3, 3, 3 * POINTS, M, f, H, w, mu);
  assert_int_equal(describe(&p).bodies, 3 * POINTS);  // nothing to tell bodies by but the blocks
  ssi_arena_release(&arena);
}

static void empty_and_broken_problems(void **state) {
  (void)state;
  ss_problem p = {.form = SS_REDUCED, .dim = 2};
  ss_description d = describe(&p);
  assert_int_equal(d.rank, 0);
  assert_int_equal(d.free_components, 0);
  p = (ss_problem){.form = SS_GLOBAL, .dim = 3};
  d = describe(&p);
  assert_true(isnan(d.density));
  p.dim = 5;
  assert_int_equal(ss_describe(NULL, &p, 0, &d), SS_ERR_DATA);
  assert_int_equal(ss_describe(NULL, NULL, 0, &d), SS_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduced_figures),           cmocka_unit_test(painleve_contacts_are_counted),
      cmocka_unit_test(joints_join_components),    cmocka_unit_test(global_figures),
      cmocka_unit_test(both_forms_count_the_same), cmocka_unit_test(empty_and_broken_problems),
      cmocka_unit_test(bodies_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
