// problem/load.c, problem/radius.h: relatives of reproducers 01 and 02. With f = -M v and w = -H v in doubles
// everything moves as one, and q = w - H M^-1 f is nothing but rounding: r = 0 is the answer.
#include "joined.h"

#include "problem/radius.h"
#include "problem/system.h"
#include "stickslip/stickslip.h"

static ss_context ctx;  // outlives what is made with it

// A number with few decimals, as people write them.
static double decimal(ssi_rng *g) {
  return (ssi_rng_below(g, 41) - 20) / 10.;
}

typedef struct wanted {
  int dim, nc, ndof, nl;
  bool decimals, full_mass;
} wanted;

static wanted any_size(ssi_rng *g, bool joints) {
  int dim = 2 + ssi_rng_below(g, 2), nc = 1 + ssi_rng_below(g, 5);
  int ndof = 1 + ssi_rng_below(g, 2 * dim * nc), nl = joints ? 1 + ssi_rng_below(g, 2) : 0;
  if (nl >= ndof) ndof = nl + 1;
  return (wanted){dim, nc, ndof, nl, ssi_rng_below(g, 2), ssi_rng_below(g, 2)};
}

static dense_problem moving_as_one(ssi_arena *arena, ssi_rng *g, wanted c, double *v) {
  double mu = ssi_rng_below(g, 3) ? 0.5 : 3;
  dense_problem d = dense_problem_random(arena, g, c.dim, c.nc, c.ndof, c.nl, mu);
  int n = c.ndof;
  for (int i = 0; i < c.dim * c.nc * n && c.decimals; i++) d.H[i] = decimal(g);
  for (int i = 0; i < n * c.nl && c.decimals; i++) d.G[i] = decimal(g);
  for (int i = 0; i < n && !c.full_mass; i++)
    for (int j = 0; j < n; j++) d.M[i * n + j] = i == j ? 1 + ssi_rng_below(g, 6) : 0;
  for (int j = 0; j < n; j++) v[j] = c.decimals ? decimal(g) : joined_signed(g);
  for (int i = 0; i < n; i++) {
    d.f[i] = 0;
    for (int j = 0; j < n; j++) d.f[i] -= d.M[i * n + j] * v[j];
  }
  for (int i = 0; i < c.dim * c.nc; i++) {
    d.w[i] = 0;
    for (int j = 0; j < n; j++) d.w[i] -= d.H[i * n + j] * v[j];
  }
  for (int k = 0; k < c.nl; k++) {
    d.b[k] = 0;
    for (int j = 0; j < n; j++) d.b[k] -= d.G[j * c.nl + k] * v[j];
  }
  return d;
}

static ss_verdict judge(const ss_problem *p, const double *r) {
  ss_verdict v;
  if (ss_verify(&ctx, p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &v))
    fail_msg("%s", ctx.message);
  return v;
}

static bool solve(const ss_problem *p, const char *method, double tol, double *r, ss_info *info) {
  ss_options o = ss_options_default();
  ss_solver *solver;
  o.method = method;
  o.tol = tol;
  ss_error e = ss_solver_create(&ctx, p, &o, &solver);
  if (e == SS_ERR_METHOD) return *info = (ss_info){.status = SS_SOLVED}, true;  // cannot take it
  if (e) fail_msg("%s: %s", method, ctx.message);
  assert_int_equal(ss_solve(solver, r, NULL, NULL, NULL, info), SS_OK);
  ss_solver_destroy(solver);
  return info->status == SS_SOLVED;
}

static double largest_q(const ss_problem *p) {
  ss_problem *reduced;
  double most = 0;
  if (ss_problem_reduce(&ctx, p, &reduced)) fail_msg("%s", ctx.message);
  for (int i = 0; i < p->dim * p->nc; i++) most = fmax(most, fabs(reduced->q[i]));
  ss_problem_destroy(reduced);
  return most;
}

// ---- tests -------------------------------------------------------------------------------------

static void rounding_is_no_load(void **state) {
  (void)state;
  ssi_rng g = {31};
  int rounded = 0;
  for (int k = 0; k < 200; k++) {
    ssi_arena arena = {0};
    double v[40], zero[15] = {0};
    dense_problem d = moving_as_one(&arena, &g, any_size(&g, k % 4 == 3), v);
    ss_problem p = dense_problem_view(&arena, &d);
    bool q = largest_q(&p) > 0;
    ss_verdict verdict = judge(&p, zero);
    rounded += q;
    if (!(verdict.error <= 1e-14)) fail_msg("case %d: r = 0 has error %g", k, verdict.error);
    if (q && verdict.components == 1 && verdict.still != d.nc)
      fail_msg("case %d: %d of %d contacts are still", k, verdict.still, d.nc);
    ssi_arena_release(&arena);
  }
  assert_true(rounded > 100);  // q = 0 exactly is another matter
}

// Every method gives r = 0 or something as good, at a tolerance of 1e-12, within the first steps.
static void every_method_solves_it_at_once(void **state) {
  (void)state;
  ssi_rng g = {32};
  for (int k = 0; k < 60; k++) {
    ssi_arena arena = {0};
    double v[40];
    dense_problem d = moving_as_one(&arena, &g, any_size(&g, k % 4 == 3), v);
    ss_problem p = dense_problem_view(&arena, &d);
    for (int method = 0; ss_method_name(method); method++) {
      double r[15] = {0};
      ss_info info;
      if (!solve(&p, ss_method_name(method), 1e-12, r, &info) || info.iterations > 3)
        fail_msg("case %d, %s: %s after %d iterations, error %g", k, ss_method_name(method),
                 ss_status_name(info.status), info.iterations, info.error);
    }
    ssi_arena_release(&arena);
  }
}

// 1e-10 of what cancels is far more than rounding: it is a load like any other, and r = 0 is judged by it.
static void a_small_load_is_one(void **state) {
  (void)state;
  ssi_rng g = {33};
  int closing = 0;
  for (int k = 0; k < 100; k++) {
    ssi_arena arena = {0};
    double v[40], zero[15] = {0};
    dense_problem d = moving_as_one(&arena, &g, any_size(&g, false), v);
    double least = 0;
    for (int i = 0; i < d.dim * d.nc; i++) {
      double more = 1e-10 * joined_signed(&g);
      d.w[i] += more;
      if (i % d.dim == 0) least = fmin(least, more);
    }
    ss_problem p = dense_problem_view(&arena, &d);
    ss_verdict verdict = judge(&p, zero);
    assert_int_equal(verdict.still, 0);
    if (least < -2e-11) {
      closing++;
      if (!(verdict.error > 0.01)) fail_msg("case %d: r = 0 has error %g", k, verdict.error);
    }
    ssi_arena_release(&arena);
  }
  assert_true(closing > 50);
}

// Data known to 1e-16 and a load of 1e-6, 1e-9 of its terms: solvable to 1e-8 all the same.
static void partly_cancelling_loads_are_solved(void **state) {
  (void)state;
  ssi_rng g = {34};
  int solved = 0;
  for (int k = 0; k < 60; k++) {
    ssi_arena arena = {0};
    double v[40], r[15] = {0};
    wanted c = any_size(&g, false);
    c.ndof = c.dim * c.nc + ssi_rng_below(&g, 3);  // no more forces than motions
    dense_problem d = moving_as_one(&arena, &g, c, v);
    for (int i = 0; i < d.dim * d.nc; i++) d.w[i] += (k % 2 ? 1e-6 : 1e-9) * joined_signed(&g);
    for (int i = 0; i < d.nc; i++) d.mu[i] = 0.3;
    ss_problem p = dense_problem_view(&arena, &d);
    ss_info info;
    bool yes = solve(&p, "auto", 1e-8, r, &info);
    ss_verdict verdict = judge(&p, r);
    assert_int_equal(yes, verdict.error <= 1e-8);
    solved += yes;
    if (!yes) print_message("case %d: %s, error %g\n", k, ss_status_name(info.status), info.error);
    ssi_arena_release(&arena);
  }
  assert_true(solved >= 58);
}

// Without joints everything moves as one, and q is rounding, or 1e-12, 1e-9 of what cancels; but joints want another
// motion. The velocities that they leave are what an error is relative to, in either form.
static void joints_that_move_what_cancels(void **state) {
  (void)state;
  ssi_rng g = {36};
  int solved = 0, reduced_solved = 0, cases = 30;
  for (int k = 0; k < cases; k++) {
    ssi_arena arena = {0};
    double v[40], r[15] = {0}, eps = k % 3 ? pow(10, k % 3 == 1 ? -12 : -9) : 0;
    wanted c = any_size(&g, true);
    c.ndof = c.dim * c.nc + c.nl + ssi_rng_below(&g, 3);  // no more forces than motions
    dense_problem d = moving_as_one(&arena, &g, c, v);
    for (int i = 0; i < d.dim * d.nc; i++) d.w[i] += eps * joined_signed(&g);
    for (int i = 0; i < d.nl; i++) d.b[i] += joined_signed(&g);
    for (int i = 0; i < d.nc; i++) d.mu[i] = 0.3;
    ss_problem p = dense_problem_view(&arena, &d), *reduced;
    ss_info info;
    solved += solve(&p, "auto", 1e-8, r, &info);
    if (ss_problem_reduce(&ctx, &p, &reduced)) fail_msg("%s", ctx.message);
    reduced_solved += solve(reduced, "auto", 1e-8, r, &info);
    ss_problem_destroy(reduced);
    ssi_arena_release(&arena);
  }
  if (solved < cases - 2 || reduced_solved < cases - 2)
    fail_msg("solved %d and, reduced, %d of %d", solved, reduced_solved, cases);
}

// A body lies on one that a joint holds, and both would fall alike: q_N = 5.6e-17, u_N = 0, r = (0.3, 0).
static void a_body_on_one_that_is_held(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double M[] = {1, 0, 0, 1}, f[] = {0.3, 0.30000000000000004}, H[] = {1, -1, 0, 0}, w[] = {0, 0};
  double mu[] = {0.5}, G[] = {0, 1}, b[] = {0}, r[2] = {0}, right[] = {0.3, 0}, zero[] = {0, 0};
  ss_problem p = global_problem(&arena, 2, 1, 2, M, f, H, w, mu), *reduced;
  ss_info info;
  p.nl = 1;
  p.G = from_dense(&arena, 2, 1, G);
  p.b = b;
  assert_int_equal(ss_problem_reduce(&ctx, &p, &reduced), SS_OK);
  for (int k = 0; k < 2; k++) {
    const ss_problem *given = k ? reduced : &p;
    assert_true(judge(given, right).error < 1e-14);
    assert_true(judge(given, zero).error > 0.5);
    assert_true(solve(given, "auto", 1e-8, r, &info));
    assert_near(r[0], 0.3, 1e-12);
  }
  ss_problem_destroy(reduced);
  ssi_arena_release(&arena);
}

// R = G^T M^-1 G and V = H M^-1 G have the kernel of G in common; others are refused, since l = -R^+ (V^T r + s) would
// lose solutions such as r = (1, 0), l = -1 here.
static void joints_of_no_bodies(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double W[] = {1, 0, 0, 1}, V[] = {1, 0}, R[] = {0}, q[] = {0, 0}, s[] = {-1}, mu[] = {0.5};
  double r[] = {1, 0}, l[] = {-1};
  ss_problem p = reduced_problem(&arena, 2, 1, W, q, mu);
  p.nl = 1;
  p.V = from_dense(&arena, 2, 1, V);
  p.R = from_dense(&arena, 1, 1, R);
  p.s = s;
  ss_solver *solver = NULL;
  ss_solution_set *set = NULL;
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_verdict verdict;
  ss_options plain = ss_options_default();
  assert_int_equal(ss_solver_create(&ctx, &p, &plain, &solver), SS_ERR_DATA);
  assert_int_equal(ss_enumerate(&ctx, &p, &o, &set), SS_ERR_DATA);
  o.rational = true;
  assert_int_equal(ss_enumerate(&ctx, &p, &o, &set), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "R is singular"));
  assert_int_equal(
      ss_verify(&ctx, &p, &(ss_solution){.r = r, .l = l}, NULL, NULL, NULL, NULL, &verdict), SS_OK);
  assert_true(verdict.error == 0);
  ssi_arena_release(&arena);
}

// On ordinary problems nothing is taken off the error, and the scale is |q|.
static void ordinary_loads_have_no_doubt(void **state) {
  (void)state;
  ssi_rng g = {35};
  for (int k = 0; k < 200; k++) {
    ssi_arena arena = {0};
    wanted c = any_size(&g, k % 4 == 3);
    dense_problem d = dense_problem_random(&arena, &g, c.dim, c.nc, c.ndof, c.nl, 0.5);
    dense_problem_scale(&d, pow(10, ssi_rng_below(&g, 21) - 10), pow(10, ssi_rng_below(&g, 9) - 4));
    ss_problem p = dense_problem_view(&arena, &d);
    ssi_system *s;
    assert_int_equal(ssi_system_create(&ctx, &p, &s), SS_OK);
    for (int i = 0; i < p.nc; i++) assert_true(s->load.doubt[i] == 0);
    for (int q = 0; q < s->components.count; q++) {
      double size = 0;
      for (int at = s->components.first[q]; at < s->components.first[q + 1]; at++)
        for (int e = 0; e < p.dim; e++)
          size = hypot(size, s->q[p.dim * s->components.contact[at] + e]);
      assert_false(s->load.still[q]);
      if (!p.nl) assert_near(s->load.scale[q] / size, 1, 1e-12);
    }
    ssi_system_destroy(s);
    ssi_arena_release(&arena);
  }
}

// A part that moves as one beside one that does not: each by itself.
static void still_parts_stay_apart(void **state) {
  (void)state;
  ssi_rng g = {36};
  for (int k = 0; k < 60; k++) {
    ssi_arena arena = {0};
    double v[40], r[30] = {0};
    wanted c = {2 + k % 2, 1 + k % 3, 9, 0, k % 2, k % 3 == 0};
    dense_problem part[2] = {moving_as_one(&arena, &g, c, v)};
    part[1] = dense_problem_random(&arena, &g, c.dim, 2, 3 * c.dim, 0, 0.5);
    dense_problem_scale(&part[1], pow(10, ssi_rng_below(&g, 17) - 8), 1);
    ss_problem one = dense_problem_view(&arena, &part[0]);
    int still = judge(&one, r).still;
    joined j = join_parts(&arena, &g, 2, part, 0);
    ss_problem p = dense_problem_view(&arena, &j.all);
    ss_info info;
    if (!solve(&p, "auto", 1e-8, r, &info)) fail_msg("case %d: error %g", k, info.error);
    assert_int_equal(judge(&p, r).still, still);
    // what is wrong in the part that is loaded is seen: nothing pushes where it closes
    for (int i = 0; i < c.dim * 2; i++) r[c.dim * j.contact[c.nc + i / c.dim] + i % c.dim] = 0;
    ss_problem other = dense_problem_view(&arena, &part[1]);
    double zero[6] = {0}, expected = judge(&other, zero).error;
    assert_near(judge(&p, r).error, expected, 1e-9);
    ssi_arena_release(&arena);
  }
}

// Units of velocity and mass in powers of ten: r = 0 stays the answer, and a load stays one.
static void stillness_has_no_units(void **state) {
  (void)state;
  ssi_rng g = {37};
  for (int k = 0; k < 100; k++) {
    ssi_arena arena = {0};
    double v[40], zero[15] = {0};
    dense_problem d = moving_as_one(&arena, &g, any_size(&g, k % 4 == 3), v);
    dense_problem_scale(&d, pow(10, ssi_rng_below(&g, 31) - 15),
                        pow(10, ssi_rng_below(&g, 31) - 15));
    ss_problem p = dense_problem_view(&arena, &d);
    ss_verdict verdict = judge(&p, zero);
    if (!(verdict.error <= 1e-14)) fail_msg("case %d: r = 0 has error %g", k, verdict.error);
    ssi_arena_release(&arena);
  }
}

// v = G l with M = 1, b = -G^T v, f = 0, w = 0 and H normal to v but for rounding: nothing moves without the joints, and
// these move everything but the contacts.
static dense_problem moved_by_joints(ssi_arena *arena, ssi_rng *g) {
  int nl = 1 + ssi_rng_below(g, 3), n = nl + 1 + ssi_rng_below(g, 4);
  dense_problem d =
      dense_problem_random(arena, g, 2 + ssi_rng_below(g, 2), 1 + ssi_rng_below(g, 4), n, nl, 0.5);
  double v[10] = {0}, square = 0;
  for (int i = 0; i < n; i++) {
    d.f[i] = 0;
    for (int j = 0; j < n; j++) d.M[i * n + j] = i == j;
    for (int k = 0; k < nl; k++) v[i] += d.G[i * nl + k] * (1 + k);
    square += v[i] * v[i];
  }
  for (int i = 0; i < d.dim * d.nc; i++) {
    double along = 0, size = 0;
    d.w[i] = 0;
    for (int j = 0; j < n; j++) {
      along += d.H[i * n + j] * v[j];
      size += d.H[i * n + j] * d.H[i * n + j];
    }
    bool cancels =
        along * along > 0.5 * square * size;  // to numbers known to less than their rounding
    for (int j = 0; j < n; j++)
      d.H[i * n + j] = cancels ? 0 : d.H[i * n + j] - along / square * v[j];
  }
  for (int k = 0; k < nl; k++) {
    d.b[k] = 0;
    for (int j = 0; j < n; j++) d.b[k] -= d.G[j * nl + k] * v[j];
  }
  return d;
}

static void joints_that_leave_contacts_at_rest(void **state) {
  (void)state;
  ssi_rng g = {37};
  int still = 0;
  for (int k = 0; k < 200; k++) {
    ssi_arena arena = {0};
    double r[12] = {0};
    ss_info info;
    dense_problem d = moved_by_joints(&arena, &g);
    ss_problem p = dense_problem_view(&arena, &d);
    ss_verdict verdict = judge(&p, r);
    if (!(verdict.error <= 1e-12)) fail_msg("case %d: r = 0 has error %g", k, verdict.error);
    still += verdict.still > 0;  // contacts that nothing moves are parts of their own
    for (int j = 0; j < p.dim * p.nc; j++) r[j] = k % 2 ? ssi_rng_uniform(&g) : 0;  // a guess
    if (!solve(&p, "auto", 1e-8, r, &info)) fail_msg("case %d: not solved", k);
    for (int j = 0; j < p.dim * p.nc && verdict.still == p.nc; j++)
      if (r[j] != 0) fail_msg("case %d: r[%d] = %g, where r = 0 is the answer", k, j, r[j]);
    memset(r, 0, sizeof r);
    d.w[0] = -1e-6;  // one contact closes
    assert_true(judge(&p, r).error > 1e-3);
    d.w[0] = 0;
    d.b[0] += 1e-6;  // v turns, if there is more than one joint, and H v is no longer rounding
    if (p.nl > 1) assert_int_equal(judge(&p, r).still, 0);
    ssi_arena_release(&arena);
  }
  assert_true(still > 180);
}

static void short_numbers_are_exact(void **state) {
  (void)state;
  static const double exact[] = {0, 1, -3, 0.25, 1e5, -0.375, 65536, 0x1p-20};
  for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
    assert_true(ssi_is_short(exact[k], 0));
    assert_true(ssi_radius(exact[k], fabs(exact[k])) == 0);
  }
  static const double rounded[] = {0.1, 1. / 3, 0.6, 1e-7, 1 + 0x1p-52, 123456.789};
  for (size_t k = 0; k < sizeof rounded / sizeof *rounded; k++) {
    assert_false(ssi_is_short(rounded[k], 0));
    assert_true(ssi_radius(rounded[k], 0) == 0x1p-51 * rounded[k]);
    assert_true(ssi_radius(rounded[k], 1e8) == 0x1p-51 * 1e8);
  }
  assert_true(ssi_radius(0x1p-54, 1) == 0x1p-51);  // what is left of 1 - 1
  assert_true(ssi_radius(0x1p-54, 0) == 0);
}

// One joint holds what f pushes, two that repeat each other hold the body at the contact, which nothing pushes: u is exactly
// zero with the joints held, and rounding with the l that least squares find.
static void joints_beside_those_that_carry(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double M[] = {2, 0, 0, 0, 4, 0, 0, 0, 1}, f[] = {-2, 0, 0}, H[] = {0, 0, 2, 0, 2, 0}, w[2] = {0};
  double mu[] = {1.5}, G[] = {2, 2, -2, 0, 1, -1, 0, 2, -2}, b[3] = {0}, zero[2] = {0};
  for (double size = 1e-3; size < 1e4; size *= 10) {
    f[0] = -2 * size;
    ss_problem p = global_problem(&arena, 2, 1, 3, M, f, H, w, mu);
    p.nl = 3;
    p.G = from_dense(&arena, 3, 3, G);
    p.b = b;
    assert_true(judge(&p, zero).error < 1e-14);
    double pushes[] = {1e-6 * size, 0};
    assert_true(judge(&p, pushes).error > 1e-8);
  }
  ssi_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounding_is_no_load),
      cmocka_unit_test(every_method_solves_it_at_once),
      cmocka_unit_test(a_small_load_is_one),
      cmocka_unit_test(partly_cancelling_loads_are_solved),
      cmocka_unit_test(joints_that_move_what_cancels),
      cmocka_unit_test(a_body_on_one_that_is_held),
      cmocka_unit_test(joints_of_no_bodies),
      cmocka_unit_test(ordinary_loads_have_no_doubt),
      cmocka_unit_test(still_parts_stay_apart),
      cmocka_unit_test(stillness_has_no_units),
      cmocka_unit_test(joints_that_leave_contacts_at_rest),
      cmocka_unit_test(joints_beside_those_that_carry),
      cmocka_unit_test(short_numbers_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
