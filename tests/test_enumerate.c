// analysis/enumerate*.c: solution sets with known answers, from closed forms.
#include "harness.h"

#include "analysis/enumerate_tree.h"
#include "dense.h"
#include "random_problem.h"
#include "stickslip/enumerate.h"
#include "stickslip/generate.h"
#include "stickslip/solver.h"

// 2 where both arithmetics are in this build, else 1.
static int arithmetics(void) {
  bool there = false;
  for (int k = 0; ss_capability(k, &there); k++)
    if (strcmp(ss_capability(k, &there), "gmp") == 0) return there ? 2 : 1;
  return 1;
}

static ss_solution_set *enumerate(const ss_problem *p, bool rational) {
  ss_enumerate_options o = ss_enumerate_options_default();
  o.rational = rational;
  static ss_context ctx;  // outlives the set
  ss_solution_set *set;
  if (ss_enumerate(&ctx, p, &o, &set)) fail_msg("%s", ctx.message);
  assert_true(set->complete);
  return set;
}

static int count_rays(const ss_component *c) {
  int rays = 0;
  for (int k = 0; k < c->cell_count; k++) rays += c->cells[k].ray_count;
  return rays;
}

// ---- the rod of Painleve type: docs/errata.md (R), normal first -----------------------------

static ss_solution_set *rod(double s, double c, double mu, double g, double u0, bool rational) {
  ssi_arena arena = {0};
  double one = 1, H[2] = {s, c}, f = -g * s, w[2] = {0, u0};
  ss_problem p = global_problem(&arena, 2, 1, 1, &one, &f, H, w, &mu);
  ss_solution_set *set = enumerate(&p, rational);
  ssi_arena_release(&arena);
  return set;
}

typedef struct rod_answer {
  int isolated, segments, rays;
} rod_answer;

// The 3 x 3 table of counts, t = tan theta.
static rod_answer rod_table(double t, double mu, double g, double u0) {
  if (u0 < 0) return (rod_answer){1, 0, 0};
  if (u0 == 0) {
    if (g < 0) return mu == 0 ? (rod_answer){1, 0, 0} : (rod_answer){0, t > mu, t <= mu};
    if (g == 0) return t > mu ? (rod_answer){1, 0, 0} : (rod_answer){0, 0, 1};
    return t >= mu ? (rod_answer){1, 0, 0} : (rod_answer){1, 0, 1};
  }
  if (g < 0) return (rod_answer){t > mu, 0, 0};
  if (g == 0) return t == mu ? (rod_answer){0, 0, 1} : (rod_answer){1, 0, 0};
  return (rod_answer){t >= mu ? 1 : 2, 0, 0};
}

static void check_rod(double mu, double g, double u0, bool rational) {
  // theta with sin and cos whose ratio is exact in binary: H = (3, 4), M = 1 instead of unit length
  double s = 3, c = 4, t = 0.75;
  ss_solution_set *set = rod(s, c, mu, g, u0, rational);
  rod_answer want = rod_table(t, mu, g, u0), found = {0};
  for (int k = 0; k < set->count; k++) {
    const ss_component *a = &set->components[k];
    found.isolated += a->isolated;
    if (a->isolated) continue;
    assert_int_equal(a->dimension, 1);
    count_rays(a) ? found.rays++ : found.segments++;
  }
  if (memcmp(&found, &want, sizeof want))
    fail_msg(
        "mu %g g %g u0 %g rational %d: found %d isolated, %d segments, %d rays, expected %d %d %d",
        mu, g, u0, rational, found.isolated, found.segments, found.rays, want.isolated,
        want.segments, want.rays);
  ss_solution_set_destroy(set);
}

static void rod_counts(void **state) {
  (void)state;
  static const double mus[] = {0, 0.25, 0.75, 2};
  for (int rational = 0; rational < arithmetics(); rational++)
    for (int a = 0; a < 4; a++)
      for (int g = -1; g <= 1; g++)
        for (int u0 = -1; u0 <= 1; u0++) check_rod(mus[a], g, u0, rational);
}

// ---- a square on the ground -----------------------------------------------------------------

// Unit square of unit mass and weight on two contacts: three equations for four reactions. At rest
// r_N = 1/2 each and the tangential forces (t, -t), |t| <= mu/2: a segment, and one velocity.
static void square(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.125}, f[3] = {0, 1, 0}, w[4] = {0};
  const double H[12] = {0, 1, -0.5, 1, 0, 0.5, 0, 1, 0.5, 1, 0, 0.5}, mu[2] = {0.5, 0.5};
  ss_problem p = global_problem(&arena, 2, 2, 3, M, f, H, w, mu);
  for (int rational = 0; rational < arithmetics(); rational++) {
    ss_solution_set *set = enumerate(&p, rational);
    assert_int_equal(set->count, 1);
    assert_true(set->singular && set->unique_velocity);
    assert_int_equal(set->rigorous, rational);
    const ss_component *c = &set->components[0];
    assert_false(c->isolated);
    assert_int_equal(c->dimension, 1);
    assert_int_equal(c->cell_count, 1);
    assert_int_equal(c->cells[0].vertex_count, 2);
    assert_int_equal(c->cells[0].ray_count, 0);
    for (int v = 0; v < 2; v++) {
      const double *r = c->cells[0].vertices[v].r, *u = c->cells[0].vertices[v].u;
      for (int i = 0; i < 2; i++) {
        assert_int_equal(c->cells[0].states[i], SS_CELL_STICK);
        assert_near(r[2 * i], 0.5, 1e-14);
        assert_near(fabs(r[2 * i + 1]), 0.25, 1e-14);
        assert_near(u[2 * i], 0, 1e-14);
        assert_near(u[2 * i + 1], 0, 1e-14);
      }
      assert_near(r[1] + r[3], 0, 1e-14);
    }
    ss_solution_set_destroy(set);
  }
  ssi_arena_release(&arena);
}

// ---- Alart's model under a symmetric load: regions A to J -----------------------------------

// The states of all solutions, as bits of 4 (state of A) + (state of B), t = tan theta = 3/4.
static unsigned region(double mu, double T) {
  enum { F = SS_CELL_FREE, D = SS_CELL_STICK, P = SS_CELL_SLIP_PLUS, M = SS_CELL_SLIP_MINUS };
#define PAIR(a, b) (1u << (4 * (a) + (b)))
  const double t = 0.75, sc = 0.48, s2 = 0.36, M1 = t + 1 / sc, M2 = t + 2 / sc;
  double L = (sc - 2 * mu) / s2;
  if (T > mu) return PAIR(P, M);                                                      // A
  if (fabs(T) < mu && T > -M1) return PAIR(D, D);                                     // B
  if (mu < t && -M2 < T && T < -mu) return PAIR(M, P);                                // C
  if (T < -M2 && (mu < 1.5 * t || T < L) && T < -mu) return PAIR(F, F);               // D
  if (mu < M1 && -M1 < T && T < -mu) return PAIR(D, P) | PAIR(M, D) | PAIR(M, P);     // E
  if (mu < 1.5 * t && -M2 < T && T < L) return PAIR(F, P) | PAIR(M, F) | PAIR(M, P);  // F
  if (mu < M2 && T > fmax(L, -M2) && T < fmin(-mu, -M1))
    return PAIR(D, F) | PAIR(F, D) | PAIR(M, P);  // G
  if (mu > 1.5 * t && L < T && T < fmin(-mu, -M2))
    return PAIR(F, P) | PAIR(M, F) | PAIR(D, F) | PAIR(F, D) | PAIR(F, F);  // H
  if (mu > M1 && T > fmax(-mu, -M2) && T < -M1)
    return PAIR(D, P) | PAIR(M, D) | PAIR(D, F) | PAIR(F, D) | PAIR(D, D);  // I, Table 7 corrected
  return PAIR(F, P) | PAIR(M, F) | PAIR(D, F) | PAIR(F, D) | PAIR(F, F) | PAIR(D, P) | PAIR(M, D) |
         PAIR(D, D) | PAIR(M, P);  // J: all nine
#undef PAIR
}

static void alart_regions(void **state) {
  (void)state;
  const double s = 0.6, c = 0.8, sc = s * c;
  const double K[16] = {1 + c * c, -sc, 0,         0,  -sc, 1 + s * s, 0,  -1,
                        0,         0,   1 + c * c, sc, 0,   -1,        sc, 1 + s * s};
  const double H[16] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1}, w[4] = {0};
  ssi_rng g = {.state = 1};
  int counts[10] = {0};
  for (int k = 0; k < 3000; k++) {
    ssi_arena arena = {0};
    double mu = 7 * ssi_rng_uniform(&g), T = -12 + 16 * ssi_rng_uniform(&g);
    double mus[2] = {mu, mu}, f[4] = {-1, -T, -1, T};
    ss_problem p = global_problem(&arena, 2, 2, 4, K, f, H, w, mus);
    ss_solution_set *set = enumerate(&p, false);
    unsigned found = 0;
    for (int i = 0; i < set->count; i++) {
      const ss_component *a = &set->components[i];
      assert_true(a->isolated && !a->tie);
      found |= 1u << (4 * a->states[0] + a->states[1]);
    }
    if (found != region(mu, T))
      fail_msg("mu %.17g T %.17g: %x, expected %x", mu, T, found, region(mu, T));
    assert_int_equal(set->degree, SS_DEGREE_HOLDS);
    assert_true(set->rigorous);
    counts[set->count]++;
    ss_solution_set_destroy(set);
    ssi_arena_release(&arena);
  }
  assert_true(counts[1] && counts[3] && counts[5] && counts[9]);
}

// ---- random problems: the tree against all patterns, and against solves from random starts --

typedef struct random_case {
  int n;
  double mu, shift;
  uint64_t seed;
} random_case;

// W = B B^T / m + shift; q such that one solution of random states is known (any of them: index
// +-1).
static ss_problem random_known(ssi_arena *arena, random_case c, double *r) {
  int n = c.n, m = 2 * n;
  ssi_rng g = {.state = c.seed};
  double *B = SSI_TAKE(arena, m * m, double), *W = SSI_TAKE(arena, m * m, double);
  double *q = SSI_TAKE(arena, m, double), *mu = SSI_TAKE(arena, n, double);
  for (int k = 0; k < m * m; k++) B[k] = random_signed(&g);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      W[i * m + j] = i == j ? c.shift : 0;
      for (int k = 0; k < m; k++) W[i * m + j] += B[i * m + k] * B[j * m + k] / m;
    }
  for (int i = 0; i < n; i++) {
    double kind = random_signed(&g), *ri = r + 2 * i, *ui = q + 2 * i;
    mu[i] = c.mu * (1 + 0.1 * random_signed(&g));
    ri[0] = kind < -0.5 ? 0 : ssi_rng_uniform(&g);
    ui[0] = kind < -0.5 ? ssi_rng_uniform(&g) : 0;
    ui[1] = kind < -0.5 || kind > 0 ? random_signed(&g) : 0;
    ri[1] = mu[i] * ri[0] * (kind < 0 ? random_signed(&g) : ui[1] > 0 ? -1 : 1);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) q[i] -= W[i * m + j] * r[j];
  return reduced_problem(arena, 2, n, W, q, mu);
}

static bool is_listed(const ss_solution_set *set, const double *r, double tol) {
  int m = 2 * set->nc;
  for (int k = 0; k < set->count; k++) {
    double far = 0, size = 1;
    for (int j = 0; set->components[k].isolated && j < m; j++) {
      far = fmax(far, fabs(set->components[k].r[j] - r[j]));
      size = fmax(size, fabs(r[j]));
    }
    if (set->components[k].isolated && far <= tol * size) return true;
  }
  return false;
}

// Every pattern solved one by one, without the tree: how many solutions there are.
static int count_by_patterns(const ss_problem *p) {
  ssi_arena arena = {0};
  ssi_solver_of_cells solver;
  assert_int_equal(ssi_cells_double(NULL, &arena, p, 1e-10, &solver), SS_OK);
  ssi_cells cells = {.arena = &arena, .n = p->nc};
  uint8_t states[8] = {0};
  for (int code = 0; code < 1 << (2 * p->nc); code++) {
    for (int i = 0; i < p->nc; i++) states[i] = (uint8_t)(code >> (2 * i) & 3);
    assert_int_equal(solver.solve(solver.state, states, &cells), SS_OK);
  }
  int count = cells.found_count;
  ssi_arena_release(&arena);
  return count;
}

static void tree_and_patterns(void **state) {
  (void)state;
  static const double mus[] = {0.3, 1, 3};
  int several = 0;
  for (int k = 0; k < 120; k++) {
    ssi_arena arena = {0};
    random_case c = {4 + k % 4, mus[k % 3], k % 2 ? 0.1 : 0, 100 + (uint64_t)k};
    double r[16];
    ss_problem p = random_known(&arena, c, r);
    ss_solution_set *set = enumerate(&p, false);
    assert_int_equal(set->count, count_by_patterns(&p));
    assert_true(is_listed(set, r, 1e-7));
    assert_int_equal(set->degree, SS_DEGREE_HOLDS);
    several += set->count > 1;
    ss_solution_set_destroy(set);
    ssi_arena_release(&arena);
  }
  assert_true(several >= 10);
}

// ---- singular W: continua ---------------------------------------------------------------------

static ssi_set *by_patterns(const ss_problem *p) {
  static ss_context ctx;
  ssi_arena scratch = {0}, arena = {.ctx = &ctx};
  ssi_solver_of_cells solver;
  assert_int_equal(ssi_cells_double(NULL, &scratch, p, 1e-10, &solver), SS_OK);
  ssi_cells cells = {.arena = &scratch, .n = p->nc};
  uint8_t states[8] = {0};
  for (int code = 0; code < 1 << (2 * p->nc); code++) {
    bool used = true;  // without friction, stick is part of both slips
    for (int i = 0; i < p->nc; i++) {
      states[i] = (uint8_t)(code >> (2 * i) & 3);
      used = used && (states[i] != SS_CELL_STICK || p->mu[i] > 0);
    }
    if (!used) continue;
    assert_int_equal(solver.solve(solver.state, states, &cells), SS_OK);
  }
  ssi_set *set = SSI_TAKE(&arena, 1, ssi_set);
  set->arena = arena;
  assert_int_equal(ssi_join_cells(&ctx, &cells, p->mu, set), SS_OK);
  ssi_arena_release(&scratch);
  return set;
}

static int sum_of(const ss_solution_set *set, int what) {
  int sum = 0;
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    sum += what == 0 ? c->dimension : what == 1 ? c->cell_count : c->isolated;
    for (int j = 0; what > 2 && j < c->cell_count; j++)
      sum += what == 3 ? c->cells[j].vertex_count : c->cells[j].ray_count;
  }
  return sum;
}

// Bodies fewer than contacts: the tree against all patterns, in both arithmetics.
static void singular(void **state) {
  (void)state;
  int continua = 0, rays = 0;
  for (int k = 0; k < 60; k++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = 900 + (uint64_t)k};
    int n = 4 + k % 2, m = 2 * n, dofs = 3 + k % 3;
    double H[100], M[36] = {0}, f[6], w[10], mu[5];
    for (int j = 0; j < m * dofs; j++) H[j] = (double)(ssi_rng_below(&g, 9) - 4) / 4;
    for (int j = 0; j < dofs; j++) M[j * dofs + j] = 1, f[j] = (double)ssi_rng_below(&g, 3) - 1;
    for (int j = 0; j < m; j++) w[j] = k % 4 ? 0 : (double)ssi_rng_below(&g, 3) / 2;
    for (int j = 0; j < n; j++) mu[j] = k % 5 == 0 && j == 0 ? 0 : 0.5;
    ss_problem p = global_problem(&arena, 2, n, dofs, M, f, H, w, mu);
    ssi_set *all = by_patterns(&p);
    for (int rational = 0; rational < arithmetics(); rational++) {
      ss_solution_set *set = enumerate(&p, rational);
      for (int what = -1; what < 5; what++) {
        int a = what < 0 ? set->count : sum_of(set, what);
        int b = what < 0 ? all->set.count : sum_of(&all->set, what);
        if (a != b)
          fail_msg("case %d rational %d: sum %d is %d, expected %d", k, rational, what, a, b);
      }
      continua += set->count - sum_of(set, 2);
      rays += sum_of(set, 4);
      ss_solution_set_destroy(set);
    }
    ss_solution_set_destroy(&all->set);
    ssi_arena_release(&arena);
  }
  assert_true(continua > 10 && rays > 2);
}

// ---- friction of any size, many contacts, no memory -------------------------------------------

static void sizes_of_friction(void **state) {
  (void)state;
  static const double mus[] = {1e-9, 1e-4, 1e4, 1e9};
  for (int k = 0; k < 24; k++) {
    ssi_arena arena = {0};
    random_case c = {k % 2 ? 3 : 6, mus[k % 4], 0.2, 300 + (uint64_t)k};
    double r[16];
    ss_problem p = random_known(&arena, c, r);
    ss_solution_set *set = enumerate(&p, false);
    assert_int_equal(set->count, count_by_patterns(&p));
    if (set->degree) assert_int_equal(set->degree, SS_DEGREE_HOLDS);
    ss_solution_set_destroy(set);
    ssi_arena_release(&arena);
  }
}

// All contacts tied at r = 0, u = 0: one solution, not 4^20 patterns.
static void all_tied(void **state) {
  (void)state;
  enum { N = 20 };
  ssi_arena arena = {0};
  double W[4 * N * N] = {0}, q[2 * N] = {0}, mu[N];
  for (int k = 0; k < 2 * N; k++) W[k * 2 * N + k] = 1, mu[k / 2] = 0.5;
  ss_problem p = reduced_problem(&arena, 2, N, W, q, mu);
  ss_solution_set *set = enumerate(&p, false);
  assert_int_equal(set->count, 1);
  assert_true(set->components[0].isolated && set->components[0].tie);
  assert_false(set->rigorous);
  assert_true(set->nodes < 1000);
  ss_solution_set_destroy(set);
  ssi_arena_release(&arena);
}

// Stacked bars: hyperstatic, a polytope of dimension 9 with 944 vertices; all of them solutions.
static void wall(void **state) {
  (void)state;
  ss_wall_options o = ss_wall_options_default();
  o.dim = 2, o.rows = 2, o.cols = 2, o.mu = 0.5, o.push = 0.1;
  static ss_context ctx;
  ss_problem *p;
  assert_int_equal(ss_generate_wall(&ctx, &o, &p), SS_OK);
  ss_solution_set *set = enumerate(p, false);
  assert_int_equal(set->count, 1);
  assert_int_equal(set->components[0].dimension, 9);
  assert_true(set->unique_velocity);
  const ss_cell *c = &set->components[0].cells[0];
  assert_int_equal(c->vertex_count, 944);
  for (int v = 0; v < c->vertex_count; v += 7) {
    ss_verdict verdict;
    ss_solution answer = {.r = c->vertices[v].r};
    assert_int_equal(ss_verify(&ctx, p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
    assert_true(verdict.error < 1e-9);
  }
  ss_solution_set_destroy(set);
  ss_problem_destroy(p);
}

static int allowed, taken, alive;

static void *limited_alloc(void *user, size_t bytes) {
  (void)user;
  if (taken++ >= allowed) return NULL;
  alive++;
  return malloc(bytes);
}

static void limited_release(void *user, void *mem) {
  (void)user;
  alive--;
  free(mem);
}

// Each allocation fails in turn: an error, nothing lost.
static void no_memory(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_context ctx = {.alloc = limited_alloc, .release = limited_release};
  double r[16];
  ss_problem big = random_known(&arena, (random_case){4, 1, 0.1, 3}, r);
  const double one = 1, H[2] = {3, 4}, f = 3, w[2] = {0, 0}, mu = 0.25;  // a segment
  ss_problem rod_problem = global_problem(&arena, 2, 1, 1, &one, &f, H, w, &mu);
  for (int k = 0; k < 4; k++) {
    ss_enumerate_options o = ss_enumerate_options_default();
    o.rational = k % arithmetics(), o.verify = true;
    ss_error e = SS_ERR_MEMORY;
    for (allowed = 0; e && allowed < 2000; allowed++) {
      ss_solution_set *set;
      taken = alive = 0;
      e = ss_enumerate(&ctx, k < 2 ? &big : &rod_problem, &o, &set);
      if (e) {
        assert_int_equal(e, SS_ERR_MEMORY);
        assert_null(set);
      }
      ss_solution_set_destroy(set);
      assert_int_equal(alive, 0);
    }
    assert_int_equal(e, SS_OK);
    assert_true(allowed > 10);
  }
  ssi_arena_release(&arena);
}

// ---- nodes: what the tableau loses is noticed ------------------------------------------------

static void node_error(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double known[16], r[12], u[12];
  ss_problem p = random_known(&arena, (random_case){6, 0.7, 0.1, 11}, known);
  ssi_solver_of_cells solver;
  assert_int_equal(ssi_cells_double(NULL, &arena, &p, 1e-10, &solver), SS_OK);
  const ssi_scaled *z = ssi_cells_scaled(&solver);
  static const int modes[6] = {SS_CELL_STICK,      SSI_LEFT_SIDE, SSI_RIGHT_SIDE,
                               SS_CELL_SLIP_MINUS, SS_CELL_FREE,  SS_CELL_SLIP_PLUS};
  ssi_node a, b;
  assert_true(ssi_node_take(&a, &arena, 6) && ssi_node_take(&b, &arena, 6));
  ssi_node_root(&a, z);
  for (int i = 0; i < 6; i++) {
    int side = modes[i] == SS_CELL_SLIP_MINUS ? SSI_LEFT_SIDE : SSI_RIGHT_SIDE;
    if (modes[i] < SSI_OPEN && modes[i] != SS_CELL_STICK) {  // through a side
      ssi_node_enter(&a, z->mu, i, side, &b);
      assert_true(ssi_node_error(&b, z, r, u) < 1e-13);
      ssi_node keep = a;
      a = b, b = keep;
    }
    ssi_node_enter(&a, z->mu, i, modes[i], &b);
    assert_true(ssi_node_error(&b, z, r, u) < 1e-13);
    ssi_node keep = a;
    a = b, b = keep;
  }
  for (int row = 0; row < 12; row++) {  // any wrong number shows
    if (a.mode[row / 2] == SS_CELL_FREE) continue;
    double *t = ssi_node_row(&a, row);
    t[0] += 1e-6;
    assert_true(ssi_node_error(&a, z, r, u) > 1e-9);
    t[0] -= 1e-6;
  }
  ssi_arena_release(&arena);
}

static void random_starts(void **state) {
  (void)state;
  static const char *const methods[] = {"nsgs", "lemke", "admm", "newton"};
  int solved = 0, several = 0;
  for (int k = 0; k < 6; k++) {
    ssi_arena arena = {0};
    random_case c = {12, k % 2 ? 3 : 1, 0.02, 500 + (uint64_t)k};
    double known[24];
    ss_problem p = random_known(&arena, c, known);
    ss_solution_set *set = enumerate(&p, false);
    assert_true(is_listed(set, known, 1e-6));
    several += set->count > 1;
    for (int method = 0; method < 4; method++) {
      ss_options o = ss_options_default();
      o.method = methods[method], o.tol = 1e-12, o.max_iter = 2000;
      ss_solver *solver;
      if (ss_solver_create(NULL, &p, &o, &solver)) continue;
      ssi_rng g = {.state = (uint64_t)k};
      for (int start = 0; start < (method == 1 ? 1 : 300); start++) {
        double r[24];
        ss_info info;
        for (int j = 0; j < 24; j++) r[j] = 3 * random_signed(&g);
        assert_int_equal(ss_solve(solver, r, NULL, NULL, NULL, &info), SS_OK);
        if (info.status != SS_SOLVED) continue;
        solved++;
        if (!is_listed(set, r, 1e-5)) fail_msg("case %d: %s found another solution", k, o.method);
      }
      ss_solver_destroy(solver);
    }
    ss_solution_set_destroy(set);
    ssi_arena_release(&arena);
  }
  assert_true(solved > 1000 && several > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rod_counts),
      cmocka_unit_test(square),
      cmocka_unit_test(alart_regions),
      cmocka_unit_test(tree_and_patterns),
      cmocka_unit_test(random_starts),
      cmocka_unit_test(singular),
      cmocka_unit_test(sizes_of_friction),
      cmocka_unit_test(all_tied),
      cmocka_unit_test(wall),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(node_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
