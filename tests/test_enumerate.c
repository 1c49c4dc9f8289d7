// analysis/enumerate*.c: solution sets with known answers, from closed forms.
#include "budget.h"
#include "enumerate_help.h"

#include "stickslip/generate.h"

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

// Each allocation fails in turn, GMP's too: an error, nothing lost. Of the many that rational numbers take for four
// contacts each 50th part of those before.
static void no_memory(void **state) {
  (void)state;
  ssi_arena arena = {0};
  budget b = {0};
  ss_context ctx = on_budget(&b);
  int allowed;
  double r[16];
  ss_problem big = random_known(&arena, (random_case){4, 1, 0.1, 3}, r);
  const double one = 1, H[2] = {3, 4}, f = 3, w[2] = {0, 0}, mu = 0.25;  // a segment
  ss_problem rod_problem = global_problem(&arena, 2, 1, 1, &one, &f, H, w, &mu);
  for (int k = 0; k < 4; k++) {
    ss_enumerate_options o = ss_enumerate_options_default();
    o.rational = k % arithmetics(), o.verify = true;
    ss_error e = SS_ERR_MEMORY;
    for (allowed = 0; e; allowed += 1 + (k < 2 ? allowed / 50 : 0)) {
      ss_solution_set *set;
      b.left = allowed;
      e = ss_enumerate(&ctx, k < 2 ? &big : &rod_problem, &o, &set);
      if (e) {
        assert_int_equal(e, SS_ERR_MEMORY);
        assert_null(set);
      }
      ss_solution_set_destroy(set);
      assert_int_equal(b.held, 0);
    }
    assert_int_equal(e, SS_OK);
    assert_true(allowed > 10);
  }
  ssi_arena_release(&arena);
}

// ---- bilateral constraints, both forms --------------------------------------------------------

static void bilateral(void **state) {
  (void)state;
  int isolated = 0;
  for (int k = 0; k < 20; k++) {
    static ss_context ctx;
    ssi_arena arena = {0};
    random_shape shape = {2, k % 2 ? 3 : 5, 3, 3, 2, k % 3 == 0, 0.8};
    ss_problem p = random_problem(&arena, shape, 40 + (uint64_t)k), *reduced;
    assert_int_equal(ss_problem_reduce(&ctx, &p, &reduced), SS_OK);
    ss_solution_set *sets[3] = {enumerate(&p, false), enumerate(reduced, false),
                                enumerate(&p, arithmetics() == 2)};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(sets[i]->count, sets[0]->count);
      for (int c = 0; c < sets[i]->count; c++) {
        const ss_component *a = &sets[i]->components[c];
        if (!a->isolated) continue;
        ss_verdict verdict;
        ss_solution answer = {.r = a->r};
        assert_int_equal(ss_verify(&ctx, &p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
        assert_true(verdict.error < 1e-10);
        isolated++;
      }
    }
    for (int i = 0; i < 3; i++) ss_solution_set_destroy(sets[i]);
    ss_problem_destroy(reduced);
    ssi_arena_release(&arena);
  }
  assert_true(isolated > 30);
}

// Two bilateral constraints that contradict each other: nothing to find, proved in rational arithmetic.
static void contradiction(void **state) {
  (void)state;
  ssi_arena arena = {0};
  const double M[4] = {1, 0, 0, 1}, H[4] = {0, 1, 1, 0}, f[2] = {0, 1}, w[2] = {0}, mu = 0.5;
  const double G[4] = {1, 1, 0, 0}, b[2] = {0, 1};
  ss_problem p = global_problem(&arena, 2, 1, 2, M, f, H, w, &mu);
  p.nl = 2, p.G = from_dense(&arena, 2, 2, G), p.b = b;
  for (int rational = 0; rational < arithmetics(); rational++) {
    ss_solution_set *set = enumerate(&p, rational);
    assert_int_equal(set->count, 0);
    assert_int_equal(set->rigorous, rational);
    ss_solution_set_destroy(set);
  }
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rod_counts),
      cmocka_unit_test(square),
      cmocka_unit_test(alart_regions),

      cmocka_unit_test(sizes_of_friction),

      cmocka_unit_test(wall),
      cmocka_unit_test(no_memory),

      cmocka_unit_test(bilateral),
      cmocka_unit_test(contradiction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
