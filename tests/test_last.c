// solvers/path.c, solvers/continuation.c and the attempts of auto (auto/attempts.c): its derivatives, planted
// problems with large friction and the files of ../shared, every attempt reached, limits and cancellation kept.
#include "harness.h"

#include "../bench/planted_friction.h"
#include "base/rng.h"
#include "base/timer.h"
#include "cone/split.h"
#include "solvers/auto/attempts.h"
#include "solvers/path.h"
#include "stickslip/io.h"

// ---- the smoothed map ----------------------------------------------------------------------

// z - y = x, z o y = tau e, both inside Q; slopes against differences.
static void a_split_is_what_it_says(void **state) {
  (void)state;
  ssi_rng g = {4};
  for (int k = 0; k < 400; k++) {
    int dim = 2 + k % 2;
    double x[3], D[9], by_log[3], h = 1e-6, tau = pow(10, 4 * ssi_rng_uniform(&g) - 4), e[3];
    for (int c = 0; c < 3; c++) x[c] = 4 * ssi_rng_uniform(&g) - 2;
    ssi_split s, more, less;
    ssi_split_of(dim, x, tau, &s);
    ssi_soc_product(dim, s.z, s.y, e);
    for (int c = 0; c < dim; c++) {
      assert_near(s.z[c] - s.y[c], x[c], 1e-14);
      assert_near(e[c], c ? 0 : tau, 1e-14);
    }
    assert_true(s.margin_z > 0 && s.margin_y > 0);
    ssi_split_slopes(dim, &s, tau, D, by_log);
    for (int b = 0; b <= dim; b++) {
      double y[3] = {x[0], x[1], x[2]}, z[3] = {x[0], x[1], x[2]};
      if (b < dim) y[b] += h, z[b] -= h;
      ssi_split_of(dim, y, b < dim ? tau : tau * exp(h), &more);
      ssi_split_of(dim, z, b < dim ? tau : tau * exp(-h), &less);
      for (int a = 0; a < dim; a++)
        assert_near((more.z[a] - less.z[a]) / (2 * h), b < dim ? D[dim * a + b] : by_log[a], 2e-6);
    }
  }
}

static ssi_system *system_of(const planted_friction *t) {
  ssi_system *sys;
  assert_int_equal(ssi_system_create(NULL, &t->p, &sys), SS_OK);
  return sys;
}

static void the_map_has_the_derivatives_it_says(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    planted_friction t = planted_make((planted_shape){dim, 4, 2, 0.5}, 3);
    ((double *)(uintptr_t)t.p.mu)[1] = 0;  // one without friction
    ssi_system *sys = system_of(&t);
    ssi_arena arena = {0};
    ssi_path_map f = {0};
    ssi_rng g = {9};
    int m = sys->m;
    double x[13], y[13], F[13], more[13], less[13], A[13 * 13], h = 1e-6;
    assert_int_equal(ssi_path_map_create(&f, sys, &arena), SS_OK);
    ssi_path_map_fill(&f);
    for (int k = 0; k < m; k++) x[k] = f.T[k] > 0 ? 2 * ssi_rng_uniform(&g) - 1 : 0;
    for (int k = 0; k < m; k++) f.shift[k] = ssi_rng_uniform(&g);
    x[m] = -1.5;
    ssi_path_map_linear(&f, x, F, A);
    for (int b = 0; b <= m; b++) {
      if (b < m && f.T[b] == 0) continue;  // x_T stays 0 there
      memcpy(y, x, sizeof y);
      y[b] = x[b] + h, ssi_path_map_value(&f, y, more);
      y[b] = x[b] - h, ssi_path_map_value(&f, y, less);
      for (int a = 0; a < m; a++)
        assert_near((more[a] - less[a]) / (2 * h), A[(m + 1) * a + b], 1e-6);
    }
    ssi_arena_release(&arena);
    ssi_system_destroy(sys);
    planted_free(&t);
  }
}

// ---- solving -------------------------------------------------------------------------------

static ss_info solve(const ss_problem *p, ss_options o, double *r) {
  ss_solver *s;
  ss_info info;
  memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  return info;
}

// Solved, and no contact closes by more than the tolerance allows, whatever the measure makes of large mu.
static bool solved_and_open(const ss_problem *p, ss_info info, const double *r) {
  ssi_system *sys;
  double lowest = 0;
  assert_int_equal(ssi_system_create(NULL, p, &sys), SS_OK);
  double *u = calloc((size_t)sys->m, sizeof *u);
  ss_solution answer = {.r = r};
  ss_verdict verdict;
  assert_non_null(u);
  assert_int_equal(ss_verify(NULL, p, &answer, u, NULL, NULL, NULL, &verdict), SS_OK);
  double scale = fmax(sys->norm_q, ssi_system_norm(sys, u));
  for (int i = 0; i < p->nc; i++) lowest = fmin(lowest, u[p->dim * i]);
  free(u);
  ssi_system_destroy(sys);
  if (info.status == SS_SOLVED && !(verdict.error <= 1e-8))
    fail_msg("solved, but the error is %g", verdict.error);
  return info.status == SS_SOLVED && lowest >= -1e-8 * scale;
}

// 48 relatives of the files below. None of the older methods alone solves more than two thirds of them.
static void planted_relatives_are_solved(void **state) {
  (void)state;
  static const double mus[] = {3, 10, 100, 1e4}, dofs[] = {0.5, 1, 2};
  static const int contacts[] = {3, 10};
  int solved = 0, problems = 0;
  for (int dim = 2; dim <= 3; dim++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 3; b++)
        for (int c = 0; c < 2; c++, problems++) {
          planted_friction t =
              planted_make((planted_shape){dim, contacts[c], mus[a], dofs[b]}, (uint64_t)(700 + a));
          double r[30];
          ss_info info = solve(&t.p, ss_options_default(), r);
          bool good = solved_and_open(&t.p, info, r);
          solved += good;
          if (!good)
            print_message("%dD, %d contacts, mu %g, dofs %g: %s, error %g\n", dim, contacts[c],
                          mus[a], dofs[b], ss_status_name(info.status), info.error);
          planted_free(&t);
        }
  if (solved < problems - 1) fail_msg("%d of %d are solved", solved, problems);
}

static void the_path_alone_solves_large_friction(void **state) {
  (void)state;
  ss_options o = ss_options_default();
  o.method = "path";
  for (int k = 0; k < 12; k++) {
    planted_friction t =
        planted_make((planted_shape){2 + k % 2, 12, k % 3 ? 10 : 100, 0.5}, (uint64_t)(40 + k));
    double r[36], again[36];
    assert_true(solved_and_open(&t.p, solve(&t.p, o, r), r));
    solve(&t.p, o, again);
    assert_memory_equal(r, again, sizeof(double) * (size_t)(t.p.dim * t.p.nc));
    planted_free(&t);
  }
}

static void the_path_says_what_is_too_large(void **state) {
  (void)state;
  planted_friction t = planted_make((planted_shape){3, 201, 1, 0.02}, 1);
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_solver *s;
  o.method = "path";
  assert_int_equal(ss_solver_create(&ctx, &t.p, &o, &s), SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "603 unknowns for 201 contacts, at most 600"));
  planted_free(&t);
}

static void friction_grows_to_its_value(void **state) {
  (void)state;
  int solved = 0;
  for (int k = 0; k < 10; k++) {
    planted_friction t = planted_make((planted_shape){2 + k % 2, 8, 3, 1}, (uint64_t)k);
    ssi_system *sys = system_of(&t);
    ssi_arena arena = {0};
    const ssi_method *method = &ssi_method_continuation;
    void *c = ssi_arena_take(&arena, 1, method->state_size);
    double r[24] = {0}, u[24], error = 1, error_fclib, estimate = 0;
    assert_int_equal(method->setup(c, sys, 1, &arena), SS_OK);
    method->begin(c, sys, r);
    for (int step = 0; step < 600 && error > 1e-8; step++) {
      estimate = NAN;
      if (method->step(c, sys, r, &estimate) == SSI_STALLED) break;
      if (!isnan(estimate)) continue;  // r answers the problem with less friction
      ssi_system_velocity(sys, r, u);
      ssi_system_measure(sys, r, u, &error, &error_fclib);
    }
    solved += error <= 1e-8;
    method->release(c);
    ssi_arena_release(&arena);
    ssi_system_destroy(sys);
    planted_free(&t);
  }
  assert_true(solved >= 8);
}

// ---- the files -----------------------------------------------------------------------------

static void shared_files_that_were_not_solved(void **state) {
  (void)state;
  static const char *const names[] = {"2d-mu10-20c", "3d-mu100-3c", "3d-mu1e4-3c", "3d-mu3-20c"};
  for (int k = 0; k < 4; k++) {
    char name[64];
    ss_file *file;
    double r[60];
    ss_read_options o = {0};
    snprintf(name, sizeof name, "reproducers/11-unsolved-%s.json", names[k]);
    assert_int_equal(ss_file_open(NULL, need_shared(name), &o, &file), SS_OK);
    ss_info info = solve(&file->problem, ss_options_default(), r);
    if (!solved_and_open(&file->problem, info, r))
      fail_msg("%s: %s, error %g", names[k], ss_status_name(info.status), info.error);
    ss_file_close(file);
  }
}

// ---- the attempts --------------------------------------------------------------------------

typedef struct ear {
  unsigned heard;  // bit k: attempt k
} ear;

static void listen(void *user, ss_level level, const char *text) {
  ear *e = user;
  if (level != SS_LOG_INFO || !strstr(text, "auto: attempt by")) return;
  for (int k = 0; ssi_attempt_name(k); k++) {
    char name[80];
    snprintf(name, sizeof name, "attempt by %s,", ssi_attempt_name(k));
    if (strstr(text, name)) e->heard |= 1u << k;
  }
}

// Two contacts press one body from two sides, and the body's motions cannot open both: there is no solution.
static planted_friction jammed(int dim) {
  planted_friction t = planted_make((planted_shape){dim, 6, 5, 0.5}, 8);
  int n = t.p.ndof;
  double *H = (double *)(uintptr_t)t.p.H.x, *w = (double *)(uintptr_t)t.p.w;
  for (int j = 0; j < n; j++) H[n * dim + j] = -H[j];
  w[0] = w[dim] = -1;
  return t;
}

static void every_attempt_has_its_turn(void **state) {
  (void)state;
  static const char *const methods[] = {"nsgs", "newton", "ipm", "admm", "aclm", "lemke", "path"};
  unsigned heard = 0;
  for (int dim = 2; dim <= 3; dim++) {
    planted_friction t = jammed(dim);
    ear e = {0};
    ss_context ctx = {.log = listen, .user = &e};
    ss_options o = ss_options_default();
    ss_solver *s;
    ss_info info;
    double r[18] = {0};
    assert_int_equal(ss_solver_create(&ctx, &t.p, &o, &s), SS_OK);
    assert_false(ss_solver_tried(s, "path"));
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    assert_int_not_equal(info.status, SS_SOLVED);
    for (int k = 0; k < 7; k++)
      if (!ss_solver_tried(s, methods[k])) fail_msg("%dD: %s is not tried", dim, methods[k]);
    assert_false(ss_solver_tried(s, "nosuch"));
    ss_solver_destroy(s);
    heard |= e.heard;
    planted_free(&t);
  }
  for (int k = 0; ssi_attempt_name(k); k++)
    if (!(heard & 1u << k)) fail_msg("%s is never reached", ssi_attempt_name(k));
}

// What a caller knows of a solution: asked once, and only where sweeps, Newton and interior points got nowhere.
typedef struct doubter {
  ss_doubt answer;
  int asked;
} doubter;

static ss_doubt doubt(void *user) {
  doubter *d = user;
  d->asked++;
  return d->answer;
}

static void doubt_shortens_the_attempts(void **state) {
  (void)state;
  planted_friction t = jammed(3);
  double freely[18], r[18];
  ss_options o = ss_options_default();
  ss_info whole = solve(&t.p, o, freely), info;
  assert_int_equal(whole.status, SS_MAX_ITER);
  static const ss_status ends[] = {SS_MAX_ITER, SS_STALLED, SS_STALLED};
  int iterations[3];
  for (ss_doubt answer = SS_DOUBT_NOT; answer <= SS_DOUBT_REFUTED; answer++) {
    doubter d = {.answer = answer};
    o.doubt = doubt, o.user = &d;
    info = solve(&t.p, o, r);
    assert_int_equal(d.asked, 1);
    assert_int_equal(info.status, ends[answer]);
    iterations[answer] = info.iterations;
    if (answer == SS_DOUBT_NOT) assert_memory_equal(r, freely, sizeof r);
  }
  assert_int_equal(iterations[0], whole.iterations);
  assert_true(10 * iterations[2] < iterations[1] && 2 * iterations[1] < iterations[0]);
  doubter d = {.answer = SS_DOUBT_THERE};
  o.user = &d, o.settings = &(ss_setting){"doubtful", "1e-9"}, o.setting_count = 1;
  info = solve(&t.p, o, r);  // too little for any of them
  assert_true(info.status == SS_STALLED && info.iterations < iterations[1]);
  planted_free(&t);
}

// The first solve that comes to the attempts is broken off at many places; the next one has the same bits.
typedef struct stopper {
  int calls, stop;
} stopper;

static int stop_at(void *user, const ss_info *now) {
  stopper *w = user;
  (void)now;
  return ++w->calls >= w->stop;
}

static void limits_hold_inside_the_attempts(void **state) {
  (void)state;
  planted_friction t = jammed(3);
  double fresh[18], r[18];
  stopper w = {.stop = 1 << 30};
  ss_options o = ss_options_default();
  o.max_iter = 9000, o.progress = stop_at, o.user = &w;
  ss_info whole = solve(&t.p, o, fresh);
  int calls = w.calls;
  assert_int_equal(whole.status, SS_MAX_ITER);
  assert_int_equal(whole.iterations, 9000);
  ss_solver *s;
  ss_info info;
  assert_int_equal(ss_solver_create(NULL, &t.p, &o, &s), SS_OK);
  for (int k = 0; k < 6; k++) {
    memset(r, 0, sizeof r);
    w.calls = 0, w.stop = calls * (k + 3) / 9;
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_CANCELLED);
    assert_int_equal(w.calls, w.stop);
    memset(r, 0, sizeof r);
    w.calls = 0, w.stop = 1 << 30;
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.iterations, whole.iterations);
    assert_memory_equal(r, fresh, sizeof r);
  }
  ss_solver_destroy(s);
  planted_free(&t);
}

// A limit of time is kept to 10 % and 0.2 s, of processor time where the machine is busy.
static void a_limit_of_time_is_kept(void **state) {
  (void)state;
  planted_friction t = planted_make((planted_shape){3, 60, 100, 0.5}, 5);
  ((double *)(uintptr_t)t.p.w)[0] -= 100;  // no longer planted
  double r[180], begin = ssi_now_s();
  ss_options o = ss_options_default();
  o.time_limit_s = 1.5, o.tol = 1e-14;
  ss_info info = solve(&t.p, o, r);
  assert_int_equal(info.status, SS_TIME_LIMIT);
  double taken = ssi_now_s() - begin;
  if (taken > 1.1 * o.time_limit_s + 0.2)
    fail_msg("%g s for a limit of %g s", taken, o.time_limit_s);
  planted_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_split_is_what_it_says),
      cmocka_unit_test(the_map_has_the_derivatives_it_says),
      cmocka_unit_test(the_path_alone_solves_large_friction),
      cmocka_unit_test(the_path_says_what_is_too_large),
      cmocka_unit_test(friction_grows_to_its_value),
      cmocka_unit_test(planted_relatives_are_solved),
      cmocka_unit_test(shared_files_that_were_not_solved),
      cmocka_unit_test(every_attempt_has_its_turn),
      cmocka_unit_test(doubt_shortens_the_attempts),
      cmocka_unit_test(limits_hold_inside_the_attempts),
      cmocka_unit_test(a_limit_of_time_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
