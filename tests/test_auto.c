// solvers/auto/auto.c: every phase entered by real problems; limits and cancellation inside the sweeps between interior
// points. test_plan.c has the transitions.
#include "harness.h"

#include "solvers/auto/numbers.h"
#include "solvers/auto/plan.h"
#include "stickslip/stickslip.h"

typedef struct watch {
  uint32_t entered;
  ssi_phase last;
  int iterations;    // at the last measure
  int settled_from;  // where settling began first; 0: not yet
  bool stop;         // cancel in the middle of settling
  int calls_since;
} watch;

static void hear(void *user, ss_level level, const char *text) {
  watch *w = user;
  const char *at = strstr(text, "auto: phase=");
  if (level != SS_LOG_DEBUG || !at) return;
  for (ssi_phase p = 0; p < SSI_PHASES; p++) {
    char name[64];
    snprintf(name, sizeof name, "phase=%s error", ssi_phase_of(p)->name);
    if (!strstr(at, name)) continue;
    w->entered |= 1u << p;
    w->last = p;
  }
}

static int count(void *user, const ss_info *now) {
  watch *w = user;
  w->iterations = now->iterations;
  if (w->last != SSI_SETTLING) return 0;
  if (!w->settled_from) w->settled_from = now->iterations;
  return w->stop && ++w->calls_since > 1;
}

static ss_info run(const ss_problem *p, watch *w, int max_iter, double *r) {
  ss_context ctx = {.log = hear, .user = w};
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  o.progress = count, o.user = w, o.max_iter = max_iter;
  memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
  assert_int_equal(ss_solver_create(&ctx, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  return info;
}

// A body between two walls that come nearer: its motions cannot open both contacts, so there is no solution.
typedef struct vice {
  int64_t mptr[4], hptr[5];
  int mcol[3], hcol[12];
  double m[3], h[12], f[3], w[4], mu[2];
  ss_problem p;
} vice;

static void make_vice(vice *v) {
  static const double H[12] = {1, 0, 0.3, 0, 1, 0.7, -1, 0, 0.2, 0, -1, 0.5};
  *v = (vice){.m = {1, 1, 0.4}, .f = {0.1, 9.81, 0}, .w = {-1, 0.1, -1, 0.2}, .mu = {0.5, 0.3}};
  for (int k = 0; k < 3; k++) v->mcol[k] = k, v->mptr[k + 1] = k + 1;
  for (int k = 0; k < 12; k++) v->hcol[k] = k % 3, v->h[k] = H[k];
  for (int k = 0; k < 4; k++) v->hptr[k + 1] = 3 * (k + 1);
  v->h[2] = v->h[8] = 0;  // no turn opens them either
  v->p = (ss_problem){.form = SS_GLOBAL,
                      .dim = 2,
                      .nc = 2,
                      .ndof = 3,
                      .mu = v->mu,
                      .M = {3, 3, v->mptr, v->mcol, v->m},
                      .H = {4, 3, v->hptr, v->hcol, v->h},
                      .f = v->f,
                      .w = v->w};
}

static ss_problem *pile(int contacts, double mu, uint64_t seed) {
  ss_pile_options o = ss_pile_options_default();
  ss_problem *p;
  o.contacts = contacts, o.mu = mu, o.seed = seed;
  assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
  return p;
}

// Those that follow each other; a problem without a solution comes to all of them.
static void real_problems_enter_the_phases(void **state) {
  (void)state;
  watch w = {0};
  double r[4];
  vice v;
  make_vice(&v);
  ss_info info = run(&v.p, &w, 0, r);
  assert_int_not_equal(info.status, SS_SOLVED);
  uint32_t expected = 1u << SSI_INTERIOR | 1u << SSI_NEWTON_SWEEPS | 1u << SSI_MOMENTUM |
                      1u << SSI_ADMM | 1u << SSI_RANDOM | 1u << SSI_ATTEMPTS | 1u << SSI_SETTLING;
  for (ssi_phase p = 0; p < SSI_PHASES; p++)
    if ((expected & ~w.entered) >> p & 1) fail_msg("%s is not entered", ssi_phase_of(p)->name);
}

static void a_pile_is_solved_in_rounds(void **state) {
  (void)state;
  watch w = {0};
  ss_problem *p = pile(300, 0.8, 1);
  double *r = calloc((size_t)(3 * p->nc), sizeof *r);
  assert_non_null(r);
  ss_info info = run(p, &w, 0, r);
  assert_int_equal(info.status, SS_SOLVED);
  assert_true(w.entered >> SSI_NEWTON & 1 && w.entered >> SSI_INTERIOR & 1);
  assert_true(w.entered >> SSI_SMOOTHING & 1 || w.entered >> SSI_SETTLING & 1);
  free(r);
  ss_problem_destroy(p);
}

// Sweeps between interior points are iterations: a limit ends in the middle of them, to the iteration, and so does
// the caller.
static void limits_hold_while_settling(void **state) {
  (void)state;
  watch w = {0};
  double r[4];
  vice v;
  make_vice(&v);
  run(&v.p, &w, 0, r);
  assert_true(w.settled_from > 0);
  int inside = w.settled_from + SSI_SETTLE / 2;
  watch limited = {0};
  ss_info info = run(&v.p, &limited, inside, r);
  assert_int_equal(info.status, SS_MAX_ITER);
  assert_int_equal(info.iterations, inside);
  assert_int_equal(limited.last, SSI_SETTLING);
  watch cancelled = {.stop = true};
  info = run(&v.p, &cancelled, 0, r);
  assert_int_equal(info.status, SS_CANCELLED);
  assert_in_range(info.iterations, w.settled_from, w.settled_from + SSI_SETTLE - 1);
  assert_int_equal(cancelled.last, SSI_SETTLING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(real_problems_enter_the_phases),
      cmocka_unit_test(a_pile_is_solved_in_rounds),
      cmocka_unit_test(limits_hold_while_settling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
