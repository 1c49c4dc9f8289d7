// certify/solution_proof.c: regular solutions prove themselves; nothing does where there is none, where a contact is
// between two states, or where the data's rounding decides.
#include "joined.h"

#include "stickslip/stickslip.h"

static ss_context ctx;  // outlives what is made with it

static ss_solution_proof prove(const ss_problem *p, const double *r) {
  ss_solution_proof proof;
  if (ss_prove_solution(&ctx, p, r, &proof)) fail_msg("%s", ctx.message);
  return proof;
}

enum { FREE, STICK, SLIP, GRAZING, EDGE, STATES };

// u and r of one contact in a state, with room of at least 0.1; GRAZING and EDGE lie between two states.
static void plant(ssi_rng *g, int dim, double mu, int state, double *u, double *r) {
  double angle = 6.283185307179586 * ssi_rng_uniform(g), t[2] = {cos(angle), sin(angle)};
  double a = 0.1 + ssi_rng_uniform(g), b = 0.1 + ssi_rng_uniform(g);
  if (dim == 2) t[0] = angle < 3 ? 1 : -1, t[1] = 0;
  for (int k = 0; k < dim; k++) u[k] = r[k] = 0;
  if (state == FREE || state == GRAZING) {
    u[0] = state == FREE ? a : 0;
    for (int k = 1; k < dim; k++) u[k] = b * t[k - 1];
    return;
  }
  r[0] = a;
  double part = state == STICK ? 0.7 * ssi_rng_uniform(g) : 1;
  for (int k = 1; k < dim; k++) r[k] = -part * mu * a * t[k - 1];
  for (int k = 1; k < dim && state == SLIP; k++) u[k] = b * t[k - 1];
}

typedef struct planted_solution {
  ssi_arena arena;
  ss_problem p;
  double *W, *q, *mu, *r;
} planted_solution;

// W = B B^T / m + shift, or rank < m. tie: a state beyond SLIP for the first contact.
static planted_solution plant_all(ssi_rng *g, int dim, int nc, double shift, int rank, int tie) {
  planted_solution s = {0};
  int m = dim * nc;
  double *B = SSI_TAKE(&s.arena, m * rank + 1, double);
  s.W = SSI_TAKE(&s.arena, m * m, double), s.q = SSI_TAKE(&s.arena, m, double);
  s.r = SSI_TAKE(&s.arena, m, double), s.mu = SSI_TAKE(&s.arena, nc, double);
  for (int i = 0; i < m * rank; i++) B[i] = joined_signed(g);
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      double sum = i == j ? shift : 0;
      for (int k = 0; k < rank; k++) sum += B[i * rank + k] * B[j * rank + k] / m;
      s.W[i * m + j] = s.W[j * m + i] = sum;
    }
  for (int i = 0; i < nc; i++) {
    s.mu[i] = 0.2 + 0.6 * ssi_rng_uniform(g);
    int state = i == 0 && tie ? tie : ssi_rng_below(g, 3);
    plant(g, dim, s.mu[i], state, s.q + dim * i, s.r + dim * i);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) s.q[i] -= s.W[i * m + j] * s.r[j];
  s.p = reduced_problem(&s.arena, dim, nc, s.W, s.q, s.mu);
  return s;
}

// ---- what is proved --------------------------------------------------------------------------------

static void regular_solutions_prove_themselves(void **state) {
  (void)state;
  ssi_rng g = {51};
  int proved = 0, tried = 0;
  for (int k = 0; k < 200; k++) {
    int dim = 2 + k % 2, nc = 1 + ssi_rng_below(&g, k % 10 ? 8 : 30);
    planted_solution s = plant_all(&g, dim, nc, 0.3, dim * nc, 0);
    ss_solution_proof proof = prove(&s.p, s.r);
    assert_true(proof.error <= 1e-13);
    tried++, proved += proof.proved;
    if (proof.proved) {
      assert_true(proof.margin > 0.01);
      assert_true(proof.distance < 1e-9);
    }
    for (int i = 0; i < dim * nc; i++) s.r[i] += 1e-11 * joined_signed(&g);  // polished
    assert_int_equal(prove(&s.p, s.r).proved, proof.proved);
    for (int i = 0; i < dim * nc; i++) s.r[i] += 1e-3;  // too far to be one
    assert_false(prove(&s.p, s.r).proved);
    ssi_arena_release(&s.arena);
  }
  if (proved < 95 * tried / 100) fail_msg("%d of %d proved", proved, tried);
}

// Units: velocities and masses in other powers of ten.
static void units_change_nothing(void **state) {
  (void)state;
  ssi_rng g = {52};
  for (int k = 0; k < 100; k++) {
    int dim = 2 + k % 2, nc = 1 + ssi_rng_below(&g, 6), m = dim * nc;
    planted_solution s = plant_all(&g, dim, nc, 0.3, m, 0);
    bool before = prove(&s.p, s.r).proved;
    double speed = ldexp(1, ssi_rng_below(&g, 61) - 30),
           force = ldexp(1, ssi_rng_below(&g, 61) - 30);
    double *x = (double *)s.p.W.x;
    for (int64_t e = 0; e < s.p.W.ptr[m]; e++) x[e] *= speed / force;
    for (int i = 0; i < m; i++) s.q[i] *= speed, s.r[i] *= force;
    assert_int_equal(prove(&s.p, s.r).proved, before);
    ssi_arena_release(&s.arena);
  }
}

// ---- what is not -----------------------------------------------------------------------------------

static void ties_are_not_proved(void **state) {
  (void)state;
  ssi_rng g = {53};
  for (int k = 0; k < 200; k++) {
    int dim = 2 + k % 2, nc = 1 + ssi_rng_below(&g, 6);
    planted_solution s = plant_all(&g, dim, nc, 0.3, dim * nc, k / 2 % 2 ? GRAZING : EDGE);
    ss_solution_proof proof = prove(&s.p, s.r);
    assert_true(proof.error <= 1e-13);
    if (proof.proved) fail_msg("case %d: a contact between two states is a proof", k);
    ssi_arena_release(&s.arena);
  }
}

// More forces than motions: the pattern's equations are singular, but for rounding.
static void singular_ones_are_not_proved(void **state) {
  (void)state;
  ssi_rng g = {54};
  for (int k = 0; k < 100; k++) {
    int dim = 2 + k % 2, nc = 2 + ssi_rng_below(&g, 4);
    planted_solution s = plant_all(&g, dim, nc, 0, 1, 0);
    int active = 0;
    for (int i = 0; i < nc; i++) active += s.r[dim * i] > 0;
    if (active >= 2 && prove(&s.p, s.r).proved)
      fail_msg("case %d: %d contacts share one motion, and it is a proof", k, active);
    ssi_arena_release(&s.arena);
  }
}

// Any reactions: of any size, of a pattern of states solved by itself, of sweeps that do not converge.
static void attack(ssi_rng *g, const ss_problem *p, int *tries) {
  int m = p->dim * p->nc;
  double r[12], size = 0;
  for (int i = 0; i < m; i++) size = fmax(size, fabs(p->q[i]));
  for (int k = 0; k < 20; k++, ++*tries) {
    double unit = size * pow(10, 24 * ssi_rng_uniform(g) - 8);
    for (int i = 0; i < p->nc; i++) {
      double n = ssi_rng_below(g, 4) ? unit * ssi_rng_uniform(g) : 0;
      int way = ssi_rng_below(g, 3);
      r[2 * i] = n;
      r[2 * i + 1] = p->mu[i] * n * (way == 0 ? -1 : way == 1 ? 1 : joined_signed(g));
    }
    if (prove(p, r).proved) fail_msg("r of size %g is a proof where there is no solution", unit);
  }
  for (int method = 0; ss_method_name(method); method++) {
    ss_options o = ss_options_default();
    ss_solver *solver;
    ss_info info;
    o.method = ss_method_name(method), o.tol = 1e-12, o.max_iter = 1 + ssi_rng_below(g, 60);
    if (ss_solver_create(&ctx, p, &o, &solver)) continue;
    for (int i = 0; i < m; i++) r[i] = 0;
    assert_int_equal(ss_solve(solver, r, NULL, NULL, NULL, &info), SS_OK);
    ss_solver_destroy(solver);
    if (info.status == SS_SOLVED) fail_msg("%s solves what has no solution", o.method);
    if (prove(p, r).proved) fail_msg("%s finds a proof where there is no solution", o.method);
    ++*tries;
  }
}

// Reduced forms of rank one or two with friction enough to jam, as rational enumeration proves.
static void where_there_is_none_nothing_is_proved(void **state) {
  (void)state;
  ssi_rng g = {55};
  int none = 0, tries = 0;
  for (int k = 0; k < 400 && none < 60; k++) {
    ssi_arena arena = {0};
    int nc = 1 + ssi_rng_below(&g, 3), n = 1 + ssi_rng_below(&g, nc);
    dense_problem d = dense_problem_random(&arena, &g, 2, nc, n, 0, 2);
    for (int i = 0; i < 2 * nc * n; i++) d.H[i] = rint(8 * d.H[i]) / 8;
    for (int i = 0; i < 2 * nc; i++) d.w[i] = rint(8 * d.w[i]) / 8;
    for (int i = 0; i < n * n; i++) d.M[i] = i % (n + 1) ? 0 : 1;
    for (int i = 0; i < n; i++) d.f[i] = rint(8 * d.f[i]) / 8;
    for (int i = 0; i < nc; i++) d.mu[i] = rint(8 * d.mu[i]) / 8;
    ss_problem p = dense_problem_view(&arena, &d), *reduced;
    ss_solution_set *set;
    ss_enumerate_options o = ss_enumerate_options_default();
    o.rational = true;
    if (ss_enumerate(&ctx, &p, &o, &set)) fail_msg("%s", ctx.message);
    bool is_none = set->count == 0 && set->rigorous;
    ss_solution_set_destroy(set);
    if (is_none) {
      none++;
      assert_int_equal(ss_problem_reduce(&ctx, &p, &reduced), SS_OK);
      attack(&g, reduced, &tries);
      ss_problem_destroy(reduced);
    }
    ssi_arena_release(&arena);
  }
  if (none < 40 || tries < 1000) fail_msg("only %d problems, %d tries", none, tries);
}

// A rod on its tip, H = (s, c), that slides backwards by u_T = w_T - (c/s) w_N < 0, and has no solution where that is
// positive. w_N and w_T are large and all but cancel; the load f makes q as small as u_T. What u_T is, is then
// rounding of the data, and the other sign is as true.
static void cancelling_data_proves_nothing(void **state) {
  (void)state;
  ssi_rng g = {56};
  int sound = 0, small = 0;
  for (int k = 0; k < 200; k++) {
    ssi_arena arena = {0};
    dense_problem d = dense_problem_take(&arena, 2, 1, 1, 0);
    double s = 0.3 + 0.5 * ssi_rng_uniform(&g), c = sqrt(1 - s * s), r[2];
    // rounding of s, c, w is worth about 4e-16 of w; u_T is that much, or far more
    bool lost = k % 2;
    double fast = 1 + ssi_rng_uniform(&g), slow = lost ? 3e-16 : 1e-8;
    d.M[0] = 1, d.H[0] = s, d.H[1] = c, d.mu[0] = 2 * s / c;
    d.w[0] = fast * s, d.w[1] = fast * c - slow * fast;
    d.f[0] = fast + 2 * slow * fast;  // v = -f closes the gap by 2 slow fast s
    ss_problem p = dense_problem_view(&arena, &d), *reduced;
    assert_int_equal(ss_problem_reduce(&ctx, &p, &reduced), SS_OK);
    // slip-: r_T = mu r_N, q_N + r_N s (s + mu c) = 0
    r[0] = -reduced->q[0] / (s * s + d.mu[0] * s * c), r[1] = d.mu[0] * r[0];
    ss_problem_destroy(reduced);
    ss_solution_proof proof = prove(&p, r);
    if (lost && proof.proved)
      fail_msg("case %d: u_T = %g of |w| is a proof, margin %g", k, -slow, proof.margin);
    small += lost, sound += !lost && proof.proved;
    ssi_arena_release(&arena);
  }
  assert_true(small == 100);
  if (sound < 90) fail_msg("only %d of 100 that are beyond rounding are proved", sound);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regular_solutions_prove_themselves),
      cmocka_unit_test(units_change_nothing),
      cmocka_unit_test(ties_are_not_proved),
      cmocka_unit_test(singular_ones_are_not_proved),
      cmocka_unit_test(where_there_is_none_nothing_is_proved),
      cmocka_unit_test(cancelling_data_proves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
