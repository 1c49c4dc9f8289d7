// Threads: what is visited at the same time has nothing in common, and the number of threads changes no
// bit, whichever operator, order or method.
#include "harness.h"

#include "problem/colour.h"
#include "problem/system.h"
#include "random_problem.h"
#include "stickslip/stickslip.h"

static ss_problem *pile(int dim, int contacts) {
  ss_pile_options o = ss_pile_options_default();
  ss_problem *p = NULL;
  o.dim = dim, o.contacts = contacts, o.mu = 0.3;
  assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
  return p;
}

// ---- colours -------------------------------------------------------------------------------

// Each chunk once; colour_of[i] of its contacts: a number of its own for those without a colour.
static int *colours_of(ssi_arena *arena, const ssi_colouring *c) {
  int *colour_of = SSI_TAKE(arena, c->nc + 1, int), *times = SSI_TAKE(arena, c->chunks + 1, int);
  assert_true(c->colours <= SSI_COLOURS);
  assert_int_equal(c->chunks, (c->nc + c->size - 1) / c->size);
  assert_true(c->first[0] == 0 && c->first[c->colours] <= c->chunks);
  int colour = 0;
  for (int k = 0; k < c->chunks; k++) {
    while (colour < c->colours && k >= c->first[colour + 1]) colour++;
    times[c->order[k]]++;
    int mine = k < c->first[c->colours] ? colour : SSI_COLOURS + k;
    for (int i = c->size * c->order[k]; i < c->size * (c->order[k] + 1) && i < c->nc; i++)
      colour_of[i] = mine;
  }
  for (int k = 0; k < c->chunks; k++) assert_int_equal(times[k], 1);
  return colour_of;
}

// Contacts with a common block of W, in either direction, are in one chunk or differ in colour.
static void expect_apart(const ssi_delassus *W, const ssi_colouring *c) {
  ssi_arena arena = {0};
  const int *colour_of = colours_of(&arena, c);
  for (int i = 0; i < W->nc; i++)
    for (int64_t k = W->ptr[i]; k < W->ptr[i + 1]; k++)
      if (i / c->size != W->col[k] / c->size && colour_of[i] == colour_of[W->col[k]])
        fail_msg("contacts %d and %d have colour %d", i, W->col[k], colour_of[i]);
  ssi_arena_release(&arena);
}

static void check_colours(const ss_problem *p, int colours_at_most, int without_at_least) {
  ssi_arena arena = {0};
  ssi_system *sys;
  assert_int_equal(ssi_system_create(NULL, p, &sys), SS_OK);
  assert_int_equal(ssi_system_need_blocks(sys), SS_OK);
  for (int way = 0; way < 2; way++) {
    ssi_colouring c;
    if (way == 1 && !ssi_system_has_bodies(sys)) break;
    assert_true(way ? ssi_colour_bodies(&arena, &sys->bodies, &c)
                    : ssi_colour_blocks(&arena, &sys->W, &c));
    expect_apart(&sys->W, &c);
    assert_true(c.colours <= colours_at_most);
    assert_true(c.chunks - c.first[c.colours] >= without_at_least);
  }
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
}

// `contacts` contacts, all on the first body, and each on one of its own.
static ss_problem drum(ssi_arena *arena, int contacts) {
  ss_problem p = {.form = SS_GLOBAL, .dim = 2, .nc = contacts, .ndof = 2 * (contacts + 1)};
  int n = p.ndof, m = 2 * contacts;
  int *i = SSI_TAKE(arena, n + 2 * m, int), *j = SSI_TAKE(arena, n + 2 * m, int);
  double *x = SSI_TAKE(arena, n + 2 * m, double), *mu = SSI_TAKE(arena, contacts, double);
  for (int k = 0; k < n; k++) i[k] = j[k] = k, x[k] = 1;
  ssi_sparse_from_triplets(arena, n, n, n, i, j, x, &p.M, NULL, NULL);
  for (int k = 0; k < m; k++) {
    i[2 * k] = i[2 * k + 1] = k;
    j[2 * k] = k % 2, j[2 * k + 1] = 2 + k;
    x[2 * k] = -1, x[2 * k + 1] = 1;
  }
  ssi_sparse_from_triplets(arena, m, n, 2 * m, i, j, x, &p.H, NULL, NULL);
  for (int k = 0; k < contacts; k++) mu[k] = 0.5;
  p.mu = mu;
  double *f = SSI_TAKE(arena, n, double), *w = SSI_TAKE(arena, m, double);
  for (int k = 0; k < n; k++) f[k] = k % 2 ? 0.3 : 1;
  p.f = f, p.w = w;
  return p;
}

static void neighbours_have_different_colours(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem *p = pile(dim, 3000);
    check_colours(p, 30, 0);
    ss_problem_destroy(p);
  }
  ssi_arena arena = {0};
  ss_problem random = random_problem(
      &arena, (random_shape){.dim = 3, .contacts = 200, .bodies = 150, .body_dofs = 6}, 5);
  check_colours(&random, 60, 0);
  ss_problem crowded = drum(&arena, 300);  // no two contacts apart: most stay without a colour
  check_colours(&crowded, SSI_COLOURS, 200);
  ss_problem none = {.dim = 3};
  check_colours(&none, 0, 0);
  ssi_arena_release(&arena);
}

// W_ij given without W_ji: whoever reads and whoever is read must still not meet.
static void one_sided_blocks_count_both_ways(void **state) {
  (void)state;
  enum { N = 90 };
  ssi_arena arena = {0};
  int i[4 * N], j[4 * N], count = 0;
  double x[4 * N];
  for (int k = 0; k < N; k++) {
    int other = k % 2 ? (7 * k + 20) % N : k;
    for (int l = 0; l < 2; l++) i[count] = j[count] = 2 * k + l, x[count++] = 2;
    if (other != k) i[count] = 2 * k, j[count] = 2 * other, x[count++] = 0.1;
  }
  ss_problem p = {.dim = 2, .nc = N};
  ssi_sparse_from_triplets(&arena, 2 * N, 2 * N, count, i, j, x, &p.W, NULL, NULL);
  p.q = p.mu = SSI_TAKE(&arena, 2 * N, double);
  check_colours(&p, 10, 0);
  ssi_arena_release(&arena);
}

// ---- the parts -----------------------------------------------------------------------------

static void matrices_and_velocities_have_the_same_bits(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem *p = pile(dim, 4500);
    ssi_arena arena = {0};
    ssi_system *one, *many;
    int m = dim * p->nc;
    double *r = SSI_TAKE(&arena, m, double), *u = SSI_TAKE(&arena, m, double),
           *v = SSI_TAKE(&arena, m, double);
    ssi_rng g = {.state = 8};
    for (int k = 0; k < m; k++) r[k] = random_signed(&g);
    assert_int_equal(ssi_system_create(NULL, p, &one), SS_OK);
    assert_int_equal(ssi_system_create_for(NULL, p, 3, &many), SS_OK);
    for (int turn = 0; turn < 2; turn++) {  // without and with blocks
      double error[2], fclib[2];
      ssi_system_velocity(one, r, u);
      ssi_system_velocity(many, r, v);
      assert_memory_equal(u, v, sizeof(double) * (size_t)m);
      ssi_system_measure(one, r, u, &error[0], &fclib[0]);
      ssi_system_measure(many, r, v, &error[1], &fclib[1]);
      assert_true(error[0] == error[1] && fclib[0] == fclib[1]);
      assert_int_equal(ssi_system_need_blocks(one), SS_OK);
      assert_int_equal(ssi_system_need_blocks(many), SS_OK);
    }
    size_t blocks = (size_t)one->W.ptr[p->nc];
    assert_memory_equal(one->W.ptr, many->W.ptr, sizeof(int64_t) * ((size_t)p->nc + 1));
    assert_memory_equal(one->W.col, many->W.col, sizeof(int) * blocks);
    assert_memory_equal(one->W.block, many->W.block, sizeof(double) * blocks * (size_t)(dim * dim));
    assert_memory_equal(one->diag, many->diag, sizeof(double) * (size_t)(m * dim));
    ssi_system_destroy(one);
    ssi_system_destroy(many);
    ssi_arena_release(&arena);
    ss_problem_destroy(p);
  }
}

// ---- solves --------------------------------------------------------------------------------

typedef struct variant {
  const char *method, *key, *value, *order, *memory, *momentum;
} variant;

static void solve(const ss_problem *p, const variant *v, int threads, int sweeps, double *r,
                  ss_info *info) {
  ss_setting settings[4];
  int count = 0;
  if (v->key) settings[count++] = (ss_setting){v->key, v->value};
  if (v->order) settings[count++] = (ss_setting){"order", v->order};
  if (v->memory) settings[count++] = (ss_setting){"memory", v->memory};
  if (v->momentum) settings[count++] = (ss_setting){"momentum", v->momentum};
  ss_options o = ss_options_default();
  o.method = v->method, o.tol = 1e-300, o.max_iter = sweeps, o.threads = threads;
  o.settings = settings, o.setting_count = count;
  ss_context ctx = {0};
  ss_solver *s;
  if (ss_solver_create(&ctx, p, &o, &s)) fail_msg("%s", ctx.message);
  memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, info), SS_OK);
  double *again = calloc((size_t)(p->dim * p->nc), sizeof *again);
  assert_int_equal(ss_solve(s, again, NULL, NULL, NULL, info), SS_OK);
  assert_memory_equal(r, again, sizeof(double) * (size_t)(p->dim * p->nc));
  free(again);
  ss_solver_destroy(s);
}

static void threads_change_no_bit(void **state) {
  (void)state;
  static const variant variants[] = {
      {"nsgs", "operator", "blocks", "coloured", "0", "0"},
      {"nsgs", "operator", "bodies", "coloured", "0", "0"},
      {"nsgs", "operator", "blocks", "coloured", "5", "0"},
      {"nsgs", "operator", "bodies", "coloured", "5", "0"},
      {"nsgs", "operator", "bodies", "natural", "5", "0"},
      {"nsgs", "operator", "blocks", "random", "5", "0"},
      {"nsgs", "operator", "blocks", "coloured", "0", "0.98"},
      {"nsgs", "operator", "bodies", "coloured", "5", "0.98"},  // one after the other
      {"auto", NULL, NULL, NULL, NULL, NULL},
      {"auto", NULL, NULL, NULL, NULL, "0"},
  };
  static const int threads[] = {1, 2, 4, 0};
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem *p = pile(dim, 2600);
    size_t bytes = sizeof(double) * (size_t)(dim * p->nc);
    double *first = malloc(bytes), *r = malloc(bytes);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
      for (int t = 0; t < 4; t++) {
        ss_info info, one;
        solve(p, &variants[k], threads[t], variants[k].momentum ? 80 : 15, t ? r : first,
              t ? &info : &one);
        if (t == 0) continue;
        if (memcmp(r, first, bytes))
          fail_msg("%s %s %s: other bits with %d threads", variants[k].method,
                   variants[k].value ? variants[k].value : "",
                   variants[k].order ? variants[k].order : "", threads[t]);
        assert_true(info.error == one.error && info.error_fclib == one.error_fclib);
        assert_int_equal(info.iterations, one.iterations);
      }
    free(first);
    free(r);
    ss_problem_destroy(p);
  }
}

// The order of a large problem is the coloured one, of a small one the natural one.
static void large_problems_are_swept_by_colours(void **state) {
  (void)state;
  static const int contacts[] = {2000, 60000};
  for (int k = 0; k < 2; k++) {
    ss_problem *p = pile(2, contacts[k]);
    size_t bytes = sizeof(double) * (size_t)(2 * p->nc);
    double *left = malloc(bytes), *natural = malloc(bytes), *coloured = malloc(bytes);
    static const variant by_default = {"nsgs", NULL, NULL, NULL, NULL, NULL};
    static const variant as_given = {"nsgs", NULL, NULL, "natural", NULL, NULL};
    static const variant by_colours = {"nsgs", NULL, NULL, "coloured", NULL, NULL};
    ss_info info;
    solve(p, &by_default, 2, 3, left, &info);
    solve(p, &as_given, 1, 3, natural, &info);
    solve(p, &by_colours, 1, 3, coloured, &info);
    assert_true(memcmp(natural, coloured, bytes) != 0);
    assert_memory_equal(left, k ? coloured : natural, bytes);
    free(left);
    free(natural);
    free(coloured);
    ss_problem_destroy(p);
  }
}

static void coloured_sweeps_solve(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem *small = pile(3, 60), crowded = drum(&arena, 300);
  const ss_problem *const problems[] = {small, &crowded};
  for (int k = 0; k < 2; k++) {
    ss_setting order = {"order", "coloured"};
    ss_options o = ss_options_default();
    o.method = "nsgs", o.settings = &order, o.setting_count = 1, o.threads = 2, o.tol = 1e-7;
    ss_solver *s;
    ss_info info;
    double *r = SSI_TAKE(&arena, 3 * 400, double);
    assert_int_equal(ss_solver_create(NULL, problems[k], &o, &s), SS_OK);
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_SOLVED);
    ss_solver_destroy(s);
  }
  ss_problem_destroy(small);
  ssi_arena_release(&arena);
}

static void impossible_numbers_are_refused(void **state) {
  (void)state;
  ss_problem p = {.dim = 3};
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_solver *s;
  assert_int_equal(o.threads, 1);
  o.threads = -1;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "threads is -1"));
  o.threads = SS_THREADS_MAX + 1;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_have_different_colours),
      cmocka_unit_test(one_sided_blocks_count_both_ways),
      cmocka_unit_test(matrices_and_velocities_have_the_same_bits),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(large_problems_are_swept_by_colours),
      cmocka_unit_test(coloured_sweeps_solve),
      cmocka_unit_test(impossible_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
