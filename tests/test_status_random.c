// events/status*.c on random systems: against all statuses tried one by one, in space against the laws and the solvers,
// and with memory that fails.
#include "predicted.h"

#include "base/rng.h"
#include "dense.h"
#include "stickslip/solver.h"
#include "without_memory.h"

// ---- random systems ---------------------------------------------------------------------------

enum { CONTACTS = 3, ROWS = 3 * CONTACTS, DOFS = 10 };

typedef struct system_data {
  int dim, nc, m;
  double M[DOFS * DOFS], f[DOFS], H[ROWS * DOFS], w[ROWS], mu[CONTACTS];
  double gap[CONTACTS], rate[ROWS];
  double W[ROWS * ROWS], q[ROWS];  // of all contacts
  ssi_arena arena;
  ss_problem p;
  ss_instant at;
} system_data;

static double wild(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// x of A x = b by elimination with pivots; false: singular. A and b are destroyed.
static bool eliminate(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int top = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[top * n + k])) top = i;
    if (fabs(A[top * n + k]) < 1e-12) return false;
    for (int j = 0; j < n; j++) {
      double t = A[k * n + j];
      A[k * n + j] = A[top * n + j], A[top * n + j] = t;
    }
    double t = b[k];
    b[k] = b[top], b[top] = t;
    for (int i = 0; i < n; i++) {
      double factor = i == k ? 0 : A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = 0; k < n; k++) b[k] /= A[k * n + k];
  return true;
}

static void solve_M(const system_data *s, const double *right, double *out) {
  double A[DOFS * DOFS];
  memcpy(A, s->M, sizeof A);
  memcpy(out, right, sizeof *out * DOFS);
  assert_true(eliminate(DOFS, A, out));
}

static void reduce(system_data *s) {
  double a[DOFS];
  solve_M(s, s->f, a);
  for (int i = 0; i < s->m; i++) {
    s->q[i] = s->w[i];
    for (int k = 0; k < DOFS; k++) s->q[i] -= s->H[i * DOFS + k] * a[k];
  }
  for (int j = 0; j < s->m; j++) {
    solve_M(s, s->H + j * DOFS, a);
    for (int i = 0; i < s->m; i++) {
      s->W[i * s->m + j] = 0;
      for (int k = 0; k < DOFS; k++) s->W[i * s->m + j] += s->H[i * DOFS + k] * a[k];
    }
  }
}

enum { OPEN, OPENING, STILL, SLIDING };

// Contacts of all four kinds, with friction up to mu_most.
static void make_system(system_data *s, int dim, int nc, double mu_most, uint64_t seed) {
  ssi_rng g = {.state = seed};
  *s = (system_data){.dim = dim, .nc = nc, .m = dim * nc};
  double A[DOFS * DOFS];
  for (int k = 0; k < DOFS * DOFS; k++) A[k] = wild(&g);
  for (int i = 0; i < DOFS; i++)
    for (int j = 0; j < DOFS; j++) {
      s->M[i * DOFS + j] = i == j;
      for (int k = 0; k < DOFS; k++) s->M[i * DOFS + j] += 0.3 * A[i * DOFS + k] * A[j * DOFS + k];
    }
  for (int k = 0; k < DOFS; k++) s->f[k] = 2 * wild(&g);
  for (int k = 0; k < s->m * DOFS; k++) s->H[k] = wild(&g);
  for (int k = 0; k < s->m; k++) s->w[k] = wild(&g);
  for (int i = 0; i < nc; i++) {
    int kind = ssi_rng_below(&g, 6);  // two of three are still or slide
    s->mu[i] = mu_most * ssi_rng_uniform(&g);
    s->gap[i] = kind == OPEN ? 0.1 : 0;
    s->rate[dim * i] = kind == OPENING ? 0.2 : kind == OPEN ? -0.5 : 0;
    for (int k = 1; k < dim && (kind == OPENING || kind >= SLIDING + 1); k++)
      s->rate[dim * i + k] = wild(&g);
  }
  s->p = global_problem(&s->arena, dim, nc, DOFS, s->M, s->f, s->H, s->w, s->mu);
  s->at = (ss_instant){&s->p, s->gap, s->rate};
  reduce(s);
}

static ss_persistence now_of(const system_data *s, int i) {
  bool moves = false;
  for (int k = 1; k < s->dim; k++) moves = moves || s->rate[s->dim * i + k] != 0;
  if (s->gap[i] > 0) return SS_CONTACT_OPEN;
  if (s->rate[s->dim * i] > 0) return SS_CONTACT_OPENING;
  return moves ? SS_CONTACT_SLIDING : SS_CONTACT_STILL;
}

static bool persists(const system_data *s, int i) {
  return now_of(s, i) == SS_CONTACT_STILL || now_of(s, i) == SS_CONTACT_SLIDING;
}

// ---- all statuses, one by one ------------------------------------------------------------------

enum { FREE, STICK, PLUS, MINUS };

typedef struct brute {
  int count;
  double r[64][ROWS];
  int state[64][CONTACTS];
  bool close;  // some decision was narrow
} brute;

// Two rows of the linear system for contact i in state `state` (plane): W r + q = 0 or r = 0.
static void put_rows(const system_data *s, int i, int state, double *A, double *b) {
  int m = s->m;
  for (int k = 0; k < 2; k++) {
    double *row = A + (2 * i + k) * m;
    memset(row, 0, sizeof *row * (size_t)m);
    b[2 * i + k] = 0;
    bool moves = state == STICK || (state >= PLUS && k == 0);
    if (moves) {
      memcpy(row, s->W + (2 * i + k) * m, sizeof *row * (size_t)m);
      b[2 * i + k] = -s->q[2 * i + k];
    } else {
      row[2 * i + k] = 1;
      if (state >= PLUS) row[2 * i] = state == PLUS ? s->mu[i] : -s->mu[i];  // r_T + s mu r_N = 0
    }
  }
}

static bool holds(brute *out, double x) {
  if (fabs(x) < 1e-7) out->close = true;
  return x >= 0;
}

static bool obeys(const system_data *s, int i, int state, const double *r, brute *out) {
  double slip[2], *N = &slip[0], *T = &slip[1];
  for (int k = 0; k < 2; k++) {
    slip[k] = s->q[2 * i + k];
    for (int j = 0; j < s->m; j++) slip[k] += s->W[(2 * i + k) * s->m + j] * r[j];
  }
  if (!persists(s, i)) return true;
  if (state == FREE) return holds(out, *N);
  if (!holds(out, r[2 * i])) return false;
  if (state == STICK) return holds(out, s->mu[i] * r[2 * i] - fabs(r[2 * i + 1]));
  if (now_of(s, i) == SS_CONTACT_SLIDING) return true;
  return holds(out, state == PLUS ? *T : -*T);
}

static bool fits(const system_data *s, int i, int state) {
  if (!persists(s, i)) return state == FREE;
  if (now_of(s, i) == SS_CONTACT_STILL) return true;
  return state == FREE || state == (s->rate[2 * i + 1] > 0 ? PLUS : MINUS);
}

static void try_all(const system_data *s, brute *out) {
  int patterns = 1;
  *out = (brute){0};
  for (int i = 0; i < s->nc; i++) patterns *= 4;
  for (int k = 0; k < patterns; k++) {
    double A[ROWS * ROWS], r[ROWS];
    bool ok = true;
    for (int i = 0, rest = k; i < s->nc; i++, rest /= 4) {
      out->state[out->count][i] = rest % 4;
      ok = ok && fits(s, i, rest % 4);
      put_rows(s, i, rest % 4, A, r);
    }
    if (!ok || !eliminate(s->m, A, r)) continue;
    for (int i = 0; i < s->nc && ok; i++) ok = obeys(s, i, out->state[out->count][i], r, out);
    if (ok) memcpy(out->r[out->count++], r, sizeof r);
  }
}

static ss_state state_of(int brute_state) {
  return brute_state == FREE ? SS_FREE : brute_state == STICK ? SS_STICK : SS_SLIP;
}

static bool is_solution(const system_data *s, const brute *b, const ss_prediction *p) {
  for (int k = 0; k < b->count; k++) {
    double apart = 0, size = 1;
    bool same = true;
    for (int j = 0; j < s->m; j++) {
      apart = fmax(apart, fabs(b->r[k][j] - p->force[j]));
      size = fmax(size, fabs(b->r[k][j]));
    }
    for (int i = 0; i < s->nc; i++) same = same && p->contacts[i].next == state_of(b->state[k][i]);
    if (same && apart <= 1e-9 * size) return true;
  }
  return false;
}

static int painleve_of(const system_data *s) {
  int count = 0;
  for (int i = 0; i < s->nc; i++) {
    double t = s->rate[2 * i + 1] > 0 ? 1 : -1, *row = (double *)s->W + 2 * i * s->m + 2 * i;
    if (now_of(s, i) == SS_CONTACT_SLIDING) count += row[0] - s->mu[i] * row[1] * t <= 0;
  }
  return count;
}

// 500 systems of up to three contacts; friction that makes none, one and several solutions.
static void against_all_statuses(void **state) {
  (void)state;
  static system_data s;
  static brute b;
  int close = 0, none = 0, several = 0, painleve = 0, mixed = 0;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    make_system(&s, 2, 1 + (int)(seed % 3), 3, seed);
    try_all(&s, &b);
    bool still = false, sliding = false;
    for (int i = 0; i < s.nc; i++) {
      still = still || now_of(&s, i) == SS_CONTACT_STILL;
      sliding = sliding || now_of(&s, i) == SS_CONTACT_SLIDING;
    }
    if (b.close) {
      close++, ssi_arena_release(&s.arena);
      continue;
    }
    ss_prediction *p = predict(&s.at, NULL);
    assert_int_equal(p->count, b.count);
    assert_int_equal(p->solved, b.count > 0);
    assert_int_equal(p->existence, b.count > 0 ? SS_EXISTS : SS_NONE);
    assert_int_equal(p->painleve, painleve_of(&s));
    for (int i = 0; i < s.nc; i++) assert_int_equal(p->contacts[i].now, now_of(&s, i));
    if (p->solved) assert_true(is_solution(&s, &b, p));
    none += b.count == 0, several += b.count > 1, painleve += p->painleve > 0;
    mixed += still && sliding;
    ss_prediction_destroy(p);
    ssi_arena_release(&s.arena);
  }
  print_message("none %d, several %d, Painleve %d, still and sliding %d, left out %d\n", none,
                several, painleve, mixed, close);
  assert_true(close < 10 && none > 5 && several > 5 && painleve > 20 && mixed > 50);
}

// ---- space --------------------------------------------------------------------------------------

// (2) and (3), written down once more.
static void check_laws(const system_data *s, const ss_prediction *p) {
  for (int i = 0; i < s->nc; i++) {
    const double *r = p->force + 3 * i, *a = p->slip + 3 * i, *v = s->rate + 3 * i;
    double push = hypot(r[1], r[2]), go = hypot(a[1], a[2]), speed = hypot(v[1], v[2]);
    if (!persists(s, i)) {
      assert_true(r[0] == 0 && push == 0 && p->contacts[i].next == SS_FREE);
      continue;
    }
    assert_true(r[0] >= -1e-9 && a[0] >= -1e-9 && fabs(r[0] * a[0]) < 1e-8);
    for (int k = 1; k < 3 && speed > 0; k++)
      assert_near(r[k], -s->mu[i] * r[0] * v[k] / speed, 1e-9);
    if (speed > 0) continue;
    assert_true(push <= s->mu[i] * r[0] + 1e-9);
    if (p->contacts[i].next != SS_SLIP) continue;
    for (int k = 1; k < 3; k++) assert_near(r[k], -s->mu[i] * r[0] * a[k] / go, 1e-8);
  }
}

static void check_motion(const system_data *s, const ss_prediction *p) {
  for (int i = 0; i < DOFS; i++) {
    double sum = s->f[i];
    for (int k = 0; k < DOFS; k++) sum += s->M[i * DOFS + k] * p->acceleration[k];
    for (int j = 0; j < s->m; j++) sum -= s->H[j * DOFS + i] * p->force[j];
    assert_near(sum, 0, 1e-10);
  }
  for (int j = 0; j < s->m; j++) {
    double sum = s->w[j];
    for (int k = 0; k < DOFS; k++) sum += s->H[j * DOFS + k] * p->acceleration[k];
    assert_near(p->slip[j], sum, 1e-10);
  }
}

static void laws_in_space(void **state) {
  (void)state;
  static system_data s;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    make_system(&s, 3, 1 + (int)(seed % 3), 0.4, 1000 + seed);
    double first[ROWS];
    for (ss_status_method m = SS_STATUS_AUTO; m <= SS_STATUS_GENERAL; m++) {
      ss_status_options o = ss_status_options_default();
      o.method = m;
      ss_prediction *p = predict(&s.at, &o);
      assert_true(p->solved);
      check_laws(&s, p);
      check_motion(&s, p);
      if (m == SS_STATUS_AUTO) memcpy(first, p->force, sizeof *first * (size_t)s.m);
      for (int j = 0; j < s.m; j++) assert_near(p->force[j], first[j], 1e-8);
      ss_prediction_destroy(p);
    }
    ssi_arena_release(&s.arena);
  }
}

// One contact that keeps still has the law of velocities: the solver of the library.
static void one_contact_in_space(void **state) {
  (void)state;
  static system_data s;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    make_system(&s, 3, 1, 0.5, 5000 + seed);
    ss_prediction *p = predict(&(ss_instant){.system = &s.p}, NULL);
    ss_options o = ss_options_default();
    ss_solver *solver;
    ss_info info;
    double r[3] = {0};
    o.method = "newton", o.tol = 1e-13;
    assert_int_equal(ss_solver_create(NULL, &s.p, &o, &solver), SS_OK);
    assert_int_equal(ss_solve(solver, r, NULL, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_SOLVED);
    for (int k = 0; k < 3; k++) assert_near(p->force[k], r[k], 1e-9);
    ss_solver_destroy(solver);
    ss_prediction_destroy(p);
    ssi_arena_release(&s.arena);
  }
}

// ---- memory, and nothing to do ----------------------------------------------------------------------

static ss_status_method method_without_memory;

static ss_error predict_once(ss_context *ctx, void *at) {
  ss_status_options o = ss_status_options_default();
  ss_prediction *x = NULL;
  o.method = method_without_memory;
  ss_error e = ss_status_predict(ctx, at, &o, &x);
  if (e) assert_null(x);
  ss_prediction_destroy(x);
  return e;
}

static void failing_memory(void **state) {
  (void)state;
  static system_data s;
  make_system(&s, 2, 3, 1, 12);
  for (int method = SS_STATUS_AUTO; method <= SS_STATUS_GENERAL; method++) {
    method_without_memory = (ss_status_method)method;
    let_each_call_fail("status", predict_once, &s.at, 1000, true);
  }
  ssi_arena_release(&s.arena);
}

// Nothing touches: free flight. No contacts at all: the same.
static void nothing_touches(void **state) {
  (void)state;
  static system_data s;
  make_system(&s, 3, 2, 1, 3);
  s.gap[0] = s.gap[1] = 1;
  ss_prediction *x = predict(&s.at, NULL);
  assert_true(x->solved && x->count == 1);
  check_motion(&s, x);
  ss_prediction_destroy(x);
  s.p.nc = 0, s.p.H = from_dense(&s.arena, 0, DOFS, s.H), s.m = 0;
  x = predict(&(ss_instant){.system = &s.p}, NULL);
  assert_true(x->solved);
  check_motion(&s, x);
  ss_prediction_destroy(x);
  ssi_arena_release(&s.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_all_statuses), cmocka_unit_test(laws_in_space),
      cmocka_unit_test(one_contact_in_space), cmocka_unit_test(failing_memory),
      cmocka_unit_test(nothing_touches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
