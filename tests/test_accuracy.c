// problem/verify.c: the figure is the residual of the given doubles to many digits, where plain
// double arithmetic has none; it does not depend on units; global and reduced form agree.
#include "dense.h"

#include "base/rng.h"
#include "problem/blocks.h"
#include "problem/verify.h"
#include "quad.h"

enum { NC = 8, M3 = 3 * NC, BODIES = 3, NDOF = 6 * BODIES };

static double centred(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// ---- the definition, as it stands, in 113 bits ---------------------------------------------

static quad natural(int dim, quad mu, quad rho, const double *r, const quad *u) {
  quad x[3], P[3] = {0, 0, 0}, uT = 0, xT = 0, sum = 0;
  for (int k = 1; k < dim; k++) uT += u[k] * u[k];
  uT = quad_sqrt(uT);
  for (int k = 0; k < dim; k++) x[k] = (quad)r[k] - rho * (u[k] + (k == 0 ? mu * uT : 0));
  for (int k = 1; k < dim; k++) xT += x[k] * x[k];
  xT = quad_sqrt(xT);
  if (xT <= mu * x[0]) {
    for (int k = 0; k < dim; k++) P[k] = x[k];
  } else if (mu * xT > -x[0]) {
    P[0] = (x[0] + mu * xT) / (1 + mu * mu);
    for (int k = 1; k < dim; k++) P[k] = mu * P[0] * x[k] / xT;
  }
  for (int k = 0; k < dim; k++) sum += ((quad)r[k] - P[k]) * ((quad)r[k] - P[k]);
  return sum / (rho * rho);
}

typedef struct reference {
  quad error, fclib;
} reference;

// What a contact leaves of the law, squared, for moderate mu: docs/theory.md (6'), (6'').
static quad law(int dim, double mu, quad lambda, const double *r, const quad *u) {
  quad F = natural(dim, mu, 1 / lambda, r, u), size = 0, normal = u[0] * u[0];
  for (int k = 0; k < dim; k++) size += lambda * lambda * (quad)r[k] * (quad)r[k];
  if (u[0] < 0 && size < normal) {
    quad slide = 0, friction = (quad)mu * (quad)mu * normal;
    for (int k = 1; k < dim; k++) slide += u[k] * u[k];
    quad missing = friction < slide ? friction : slide;
    if (missing > normal) normal = missing;
  }
  if (u[0] > 0 && size < normal) normal = size;
  return F > normal ? F : normal;
}

static reference judge_u(int dim, int nc, const double *mu, const double *lambda, const double *r,
                         const quad *u, const quad *q) {
  quad F = 0, fclib = 0, uu = 0, qq = 0, rr = 0;
  for (int i = 0; i < dim * nc; i++) {
    uu += u[i] * u[i];
    qq += q[i] * q[i];
    rr += (quad)r[i] * (quad)r[i];
  }
  for (int i = 0; i < nc; i++) {
    F += law(dim, mu[i], (quad)lambda[i], r + dim * i, u + dim * i);
    fclib += natural(dim, mu[i], 1, r + dim * i, u + dim * i);
  }
  quad scale = uu > qq ? uu : qq, larger = scale > rr ? scale : rr;
  return (reference){quad_sqrt(F / scale), quad_sqrt(fclib / larger)};
}

static void multiply(int rows, int cols, const double *A, const double *x, const double *y,
                     quad *out) {
  for (int i = 0; i < rows; i++) {
    out[i] = y[i];
    for (int j = 0; j < cols; j++) out[i] += (quad)A[i * cols + j] * (quad)x[j];
  }
}

static double plain_error(int dim, int nc, const double *mu, const double *lambda, const double *W,
                          const double *q, const double *r) {
  double F = 0, uu = 0, qq = 0;
  for (int i = 0; i < nc; i++) {
    double u[3], x[3], P[3] = {0}, uT = 0, xT = 0, rho = 1 / lambda[i];
    for (int k = 0; k < dim; k++) {
      u[k] = q[dim * i + k];
      for (int j = 0; j < dim * nc; j++) u[k] += W[(dim * i + k) * dim * nc + j] * r[j];
      uu += u[k] * u[k], qq += q[dim * i + k] * q[dim * i + k];
      if (k) uT += u[k] * u[k];
    }
    for (int k = 0; k < dim; k++) x[k] = r[dim * i + k] - rho * (u[k] + (k ? 0 : mu[i] * sqrt(uT)));
    for (int k = 1; k < dim; k++) xT += x[k] * x[k];
    xT = sqrt(xT);
    if (xT <= mu[i] * x[0]) {
      memcpy(P, x, sizeof x);
    } else if (mu[i] * xT > -x[0]) {
      P[0] = (x[0] + mu[i] * xT) / (1 + mu[i] * mu[i]);
      for (int k = 1; k < dim; k++) P[k] = mu[i] * P[0] * x[k] / xT;
    }
    for (int k = 0; k < dim; k++)
      F += (r[dim * i + k] - P[k]) * (r[dim * i + k] - P[k]) * lambda[i] * lambda[i];
  }
  return sqrt(F / fmax(uu, qq));
}

// ---- hyperstatic stacks --------------------------------------------------------------------

// W = B B^T of rank 6: many more contact forces than motions.
static void random_W(ssi_rng *g, int m, double *W) {
  enum { RANK = 6 };
  double B[M3 * RANK];
  for (int i = 0; i < m * RANK; i++) B[i] = centred(g);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      W[i * m + j] = 0;
      for (int k = 0; k < RANK; k++) W[i * m + j] += B[i * RANK + k] * B[j * RANK + k];
    }
}

// Reactions of the given size: well inside the cone, on its edge to rounding, or zero.
static void random_r(ssi_rng *g, int dim, int nc, double size, const double *mu, double *r) {
  for (int i = 0; i < nc; i++) {
    int kind = ssi_rng_below(g, 3);
    double angle = 6.28 * ssi_rng_uniform(g), part = kind == 1 ? 1 : 0.7 * ssi_rng_uniform(g);
    double *ri = r + dim * i;
    ri[0] = kind == 2 ? 0 : size * (0.5 + ssi_rng_uniform(g));
    ri[1] = part * mu[i] * ri[0] * (dim == 2 ? 1 : cos(angle));
    if (dim == 3) ri[2] = part * mu[i] * ri[0] * sin(angle);
  }
}

// With the step lengths given.
static void judge_with(ssi_arena *arena, const ss_problem *p, const double *lambda, const double *r,
                       double *u, ss_verdict *out) {
  ssi_judge judge;
  ssi_factor *mass = NULL;
  ss_solution answer = {.r = r};
  if (p->form == SS_GLOBAL) assert_int_equal(ssi_factor_create(NULL, &p->M, &mass), SS_OK);
  assert_int_equal(ssi_judge_create(arena, p, mass, lambda, NULL, &judge), SS_OK);
  assert_int_equal(ssi_judge_answer(&judge, &answer, u, NULL, NULL, NULL, out), SS_OK);
  ssi_factor_destroy(mass);
}

static void reduced_residual_has_many_digits(void **state) {
  (void)state;
  ssi_rng g = {21};
  int plain_fails = 0;
  for (int trial = 0; trial < 300; trial++) {
    ssi_arena arena = {0};
    int dim = 2 + trial % 2, m = dim * NC;
    double W[M3 * M3], q[M3], r[M3], mu[NC], lambda[NC];
    quad u[M3], wide_q[M3];
    random_W(&g, m, W);
    for (int i = 0; i < NC; i++) mu[i] = trial % 5 == 0 && i == 0 ? 0 : 1.5 * ssi_rng_uniform(&g);
    for (int i = 0; i < NC; i++) lambda[i] = 0.1 + ssi_rng_uniform(&g);
    random_r(&g, dim, NC, 1e6, mu, r);
    double none[M3] = {0};
    multiply(m, m, W, r, none, u);
    for (int i = 0; i < m; i++) {
      q[i] = -(double)u[i];  // u is what rounding of q leaves: about 1e-10
      wide_q[i] = q[i];
      u[i] += wide_q[i];
    }
    ss_problem p = reduced_problem(&arena, dim, NC, W, q, mu);
    ss_verdict v;
    double found[M3];
    judge_with(&arena, &p, lambda, r, found, &v);
    reference exact = judge_u(dim, NC, mu, lambda, r, u, wide_q);
    assert_near(v.error / (double)exact.error, 1, 1e-11);
    assert_near(v.error_fclib / (double)exact.fclib, 1, 1e-11);
    assert_true(v.error < 1e-14);
    for (int i = 0; i < m; i++) assert_near(found[i] / (double)u[i], 1, 1e-11);
    plain_fails += fabs(plain_error(dim, NC, mu, lambda, W, q, r) / (double)exact.error - 1) > 0.1;
    ssi_arena_release(&arena);
  }
  assert_true(plain_fails > 200);  // else the cases are not hard
}

// One contact that slips, its r right to the last bit: what is left is rounding of r, and it must come
// out to many digits although u, mu |u_T| and the distance to the cone are all of size one.
static void rounding_of_an_answer_is_measured(void **state) {
  (void)state;
  ssi_rng g = {27};
  for (int trial = 0; trial < 2000; trial++) {
    ssi_arena arena = {0};
    int dim = 2 + trial % 2;
    double w = 0.5 + ssi_rng_uniform(&g), mu = (trial % 4 < 2 ? 1 : 4) * ssi_rng_uniform(&g);
    double W[9] = {0}, q[3], r[3], angle = 6.28 * ssi_rng_uniform(&g);
    for (int i = 0; i < dim; i++) W[(dim + 1) * i] = w;
    const double t[] = {dim == 2 ? 1 : cos(angle), sin(angle)};
    q[0] = -ssi_rng_uniform(&g);
    r[0] = -q[0] / w;
    for (int i = 1; i < dim; i++) {
      q[i] = (1 - mu * q[0]) * t[i - 1];  // u_T = t
      r[i] = -mu * r[0] * t[i - 1];
    }
    quad u[3], wide_q[3] = {q[0], q[1], dim == 3 ? q[2] : 0};
    multiply(dim, dim, W, r, q, u);
    ss_problem p = reduced_problem(&arena, dim, 1, W, q, &mu);
    ss_verdict v;
    assert_int_equal(ss_verify(NULL, &p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &v),
                     SS_OK);
    reference exact = judge_u(dim, 1, &mu, &w, r, u, wide_q);
    assert_true(v.error < 1e-15 && v.states[SS_SLIP] == 1);
    if (exact.error > 1e-20) assert_near(v.error / (double)exact.error, 1, 1e-10);
    ssi_arena_release(&arena);
  }
}

// ---- global form ---------------------------------------------------------------------------

typedef enum mass_kind { RIGID, CONNECTED, SKEWED, MASS_KINDS } mass_kind;

typedef struct scene {
  double M[NDOF * NDOF], f[NDOF], H[M3 * NDOF], w[M3], mu[NC], r[M3];
} scene;

static void random_scene(ssi_rng *g, mass_kind kind, scene *s) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < NDOF; i++)
    for (int j = 0; j <= i; j++) {
      bool coupled = i / 6 == j / 6 || (kind != RIGID && i - j < 8);
      double x = i == j ? 4 + ssi_rng_uniform(g) : coupled ? 0.4 * centred(g) : 0;
      s->M[i * NDOF + j] = s->M[j * NDOF + i] = x;
      if (kind == SKEWED && i != j) s->M[j * NDOF + i] *= 1 + 1e-6;
    }
  for (int i = 0; i < NDOF; i++) s->f[i] = centred(g);
  for (int i = 0; i < M3; i++) {
    s->w[i] = centred(g);
    int a = i / 3 % BODIES, b = (i / 3 + 1) % BODIES;
    for (int k = 0; k < 6; k++) {
      s->H[i * NDOF + 6 * a + k] = centred(g);
      if (i / 3 % 4) s->H[i * NDOF + 6 * b + k] = centred(g);
    }
  }
  for (int i = 0; i < NC; i++) s->mu[i] = ssi_rng_uniform(g);
  random_r(g, 3, NC, 1, s->mu, s->r);
}

static void solve_wide(const double *M, int count, quad *x) {  // Gauss-Jordan; x (count, NDOF)
  quad A[NDOF * NDOF];
  for (int i = 0; i < NDOF * NDOF; i++) A[i] = M[i];
  for (int p = 0; p < NDOF; p++)
    for (int i = 0; i < NDOF; i++) {
      if (i == p) continue;
      quad factor = A[i * NDOF + p] / A[p * NDOF + p];
      for (int j = p; j < NDOF; j++) A[i * NDOF + j] -= factor * A[p * NDOF + j];
      for (int c = 0; c < count; c++) x[c * NDOF + i] -= factor * x[c * NDOF + p];
    }
  for (int c = 0; c < count; c++)
    for (int i = 0; i < NDOF; i++) x[c * NDOF + i] /= A[i * NDOF + i];
}

static void velocity_wide(const scene *s, const double *r, quad *u) {
  quad v[NDOF];
  for (int i = 0; i < NDOF; i++) {
    v[i] = -(quad)s->f[i];
    for (int k = 0; r && k < M3; k++) v[i] += (quad)s->H[k * NDOF + i] * (quad)r[k];
  }
  solve_wide(s->M, 1, v);
  for (int k = 0; k < M3; k++) {
    u[k] = s->w[k];
    for (int i = 0; i < NDOF; i++) u[k] += (quad)s->H[k * NDOF + i] * v[i];
  }
}

static void reduce_wide(const scene *s, double *W, double *q) {
  static quad y[M3 * NDOF];
  quad u[M3];
  for (int i = 0; i < M3 * NDOF; i++) y[i] = s->H[i];
  solve_wide(s->M, M3, y);
  for (int i = 0; i < M3; i++)
    for (int j = 0; j < M3; j++) {
      quad sum = 0;
      for (int k = 0; k < NDOF; k++) sum += (quad)s->H[i * NDOF + k] * y[j * NDOF + k];
      W[i * M3 + j] = (double)sum;
    }
  velocity_wide(s, NULL, u);
  for (int i = 0; i < M3; i++) q[i] = (double)u[i];
}

static ss_problem scene_problem(ssi_arena *arena, const scene *s) {
  return global_problem(arena, 3, NC, NDOF, s->M, s->f, s->H, s->w, s->mu);
}

static ss_verdict judge(const ss_problem *p, const double *r, double *u) {
  ss_verdict v;
  assert_int_equal(ss_verify(NULL, p, &(ss_solution){.r = r}, u, NULL, NULL, NULL, &v), SS_OK);
  return v;
}

static void global_and_reduced_agree(void **state) {
  (void)state;
  ssi_rng g = {22};
  for (int trial = 0; trial < 100 * MASS_KINDS; trial++) {
    ssi_arena arena = {0};
    scene s;
    double W[M3 * M3], q[M3], u[M3], also[M3], blocks[9 * NC];
    random_scene(&g, (mass_kind)(trial % MASS_KINDS), &s);
    reduce_wide(&s, W, q);
    ss_problem global = scene_problem(&arena, &s);
    ss_problem reduced = reduced_problem(&arena, 3, NC, W, q, s.mu);
    ss_verdict a = judge(&global, s.r, u), b = judge(&reduced, s.r, also);
    assert_near(a.error, b.error, 1e-14);
    assert_near(a.error_fclib, b.error_fclib, 1e-14);
    assert_near(a.scale, b.scale, 1e-14);
    for (int k = 0; k < 3; k++) assert_int_equal(a.states[k], b.states[k]);
    for (int i = 0; i < M3; i++) assert_near(u[i], also[i], 1e-14);
    ssi_factor *mass;
    assert_int_equal(ssi_factor_create(NULL, &global.M, &mass), SS_OK);
    assert_int_equal(ssi_contact_blocks(NULL, &global, mass, blocks), SS_OK);
    for (int i = 0; i < NC; i++)
      for (int k = 0; k < 9; k++)
        assert_near(blocks[9 * i + k], W[(3 * i + k / 3) * M3 + 3 * i + k % 3], 1e-14);
    ssi_factor_destroy(mass);
    ssi_arena_release(&arena);
  }
}

// w nearly cancels H v: what is left, 1e-10 of it, must come out to many digits. Terms of 1e6 leave 1e-25 to double-doubles.
static void global_residual_has_many_digits(void **state) {
  (void)state;
  ssi_rng g = {23};
  for (int trial = 0; trial < 60 * MASS_KINDS; trial++) {
    ssi_arena arena = {0};
    scene s;
    quad u[M3], q[M3];
    double found[M3], lambda[NC];
    random_scene(&g, (mass_kind)(trial % MASS_KINDS), &s);
    for (int i = 0; i < NC; i++) lambda[i] = 0.1 + ssi_rng_uniform(&g);
    for (int i = 0; i < M3; i++) s.r[i] *= 1e6;
    velocity_wide(&s, s.r, u);
    for (int i = 0; i < M3; i++) s.w[i] -= (double)u[i];
    velocity_wide(&s, s.r, u);
    velocity_wide(&s, NULL, q);
    ss_problem p = scene_problem(&arena, &s);
    ss_verdict v;
    judge_with(&arena, &p, lambda, s.r, found, &v);
    reference exact = judge_u(3, NC, s.mu, lambda, s.r, u, q);
    for (int i = 0; i < M3; i++) {
      assert_true(fabs(found[i]) < 1e-8);
      assert_true(quad_abs(found[i] - u[i]) <= (quad)1e-11 * quad_abs(u[i]) + (quad)1e-24);
    }
    assert_near(v.error / (double)exact.error, 1, 1e-11);
    assert_near(v.error_fclib / (double)exact.fclib, 1, 1e-11);
    ssi_arena_release(&arena);
  }
}

// ---- units ---------------------------------------------------------------------------------

static void assert_same_verdict(ss_verdict a, ss_verdict b, double tol) {
  if (tol == 0)
    assert_true(a.error == b.error);
  else
    assert_near(b.error / a.error, 1, tol);
  assert_int_equal(a.worst_contact, b.worst_contact);
  for (int k = 0; k < 3; k++) assert_int_equal(a.states[k], b.states[k]);
}

// Mass x a, length x b: W x 1/a, q x b, r x a b.
static void units_of_reduced_data_do_not_matter(void **state) {
  (void)state;
  static const struct {
    double mass, length, tol;
  } units[] = {{0x1p20, 1, 0},   {0x1p-37, 0x1p-10, 0}, {1, 0x1p-60, 0},    {1e6, 1, 1e-13},
               {1, 1e-3, 1e-13}, {1e6, 1e-3, 1e-13},    {0x1p3, 0x1p41, 0}, {1e-6, 1e3, 1e-13}};
  ssi_rng g = {24};
  for (int trial = 0; trial < 200; trial++) {
    ssi_arena arena = {0};
    int dim = 2 + trial % 2, m = dim * NC;
    double W[M3 * M3], q[M3], r[M3], mu[NC], Ws[M3 * M3], qs[M3], rs[M3];
    random_W(&g, m, W);
    for (int i = 0; i < NC; i++) mu[i] = ssi_rng_uniform(&g);
    for (int i = 0; i < m; i++) q[i] = centred(&g);
    random_r(&g, dim, NC, 1, mu, r);
    ss_problem p = reduced_problem(&arena, dim, NC, W, q, mu);
    ss_verdict v = judge(&p, r, NULL);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
      for (int i = 0; i < m * m; i++) Ws[i] = W[i] / units[k].mass;
      for (int i = 0; i < m; i++) qs[i] = q[i] * units[k].length;
      for (int i = 0; i < m; i++) rs[i] = r[i] * (units[k].mass * units[k].length);
      ss_problem scaled = reduced_problem(&arena, dim, NC, Ws, qs, mu);
      assert_same_verdict(v, judge(&scaled, rs, NULL), units[k].tol);
    }
    ssi_arena_release(&arena);
  }
}

// The same with bodies: per body three translations and three rotations.
static void rescale(const scene *s, double mass, double length, scene *out) {
  *out = *s;
  for (int i = 0; i < NDOF; i++) {
    double arm = i % 6 < 3 ? 1 : length;
    for (int j = 0; j < NDOF; j++) out->M[i * NDOF + j] *= mass * arm * (j % 6 < 3 ? 1 : length);
    out->f[i] *= mass * length * arm;
    for (int k = 0; k < M3; k++) out->H[k * NDOF + i] *= arm;
  }
  for (int k = 0; k < M3; k++) {
    out->w[k] *= length;
    out->r[k] *= mass * length;
  }
}

static void units_of_global_data_do_not_matter(void **state) {
  (void)state;
  static const struct {
    double mass, length, tol;
  } units[] = {{0x1p20, 1, 0}, {1, 0x1p-10, 0}, {1e6, 1, 1e-12}, {1, 1e-3, 1e-12}};
  ssi_rng g = {25};
  for (int trial = 0; trial < 100; trial++) {
    ssi_arena arena = {0};
    scene s, t;
    random_scene(&g, RIGID, &s);
    ss_problem p = scene_problem(&arena, &s);
    ss_verdict v = judge(&p, s.r, NULL);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
      rescale(&s, units[k].mass, units[k].length, &t);
      ss_problem scaled = scene_problem(&arena, &t);
      assert_same_verdict(v, judge(&scaled, t.r, NULL), units[k].tol);
    }
    ssi_arena_release(&arena);
  }
}

// Turning the tangents of every contact changes neither error nor states.
static void tangent_frames_do_not_matter(void **state) {
  (void)state;
  ssi_rng g = {26};
  for (int trial = 0; trial < 100; trial++) {
    ssi_arena arena = {0};
    scene s, t;
    random_scene(&g, RIGID, &s);
    t = s;
    for (int i = 0; i < NC; i++) {
      double a = 6.28 * ssi_rng_uniform(&g), c = cos(a), d = sin(a);
      for (int k = 0; k < NDOF; k++) {
        double x = s.H[(3 * i + 1) * NDOF + k], y = s.H[(3 * i + 2) * NDOF + k];
        t.H[(3 * i + 1) * NDOF + k] = c * x + d * y;
        t.H[(3 * i + 2) * NDOF + k] = -d * x + c * y;
      }
      t.w[3 * i + 1] = c * s.w[3 * i + 1] + d * s.w[3 * i + 2];
      t.w[3 * i + 2] = -d * s.w[3 * i + 1] + c * s.w[3 * i + 2];
      t.r[3 * i + 1] = c * s.r[3 * i + 1] + d * s.r[3 * i + 2];
      t.r[3 * i + 2] = -d * s.r[3 * i + 1] + c * s.r[3 * i + 2];
    }
    ss_problem p = scene_problem(&arena, &s), turned = scene_problem(&arena, &t);
    assert_same_verdict(judge(&p, s.r, NULL), judge(&turned, t.r, NULL), 1e-12);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduced_residual_has_many_digits),
      cmocka_unit_test(rounding_of_an_answer_is_measured),
      cmocka_unit_test(global_and_reduced_agree),
      cmocka_unit_test(global_residual_has_many_digits),
      cmocka_unit_test(units_of_reduced_data_do_not_matter),
      cmocka_unit_test(units_of_global_data_do_not_matter),
      cmocka_unit_test(tangent_frames_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
