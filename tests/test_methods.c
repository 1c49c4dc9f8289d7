// Every registered method on every small problem with a known answer, plus the promises of the
// interface: no allocation while solving, clean failure of any allocation, same bits twice, input
// untouched, cancellation and limits. Answers are judged by ss_verify from the raw data.
#include "harness.h"

#include "counted_memory.h"
#include "random_problem.h"
#include "stickslip/solver.h"

typedef struct known {  // one contact, W given, and the only solution
  const char *name;
  int dim;
  double W[9], q[3], mu, r[3], u[3];
} known;

#define UNIT3                                                                                      \
  { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
#define UNIT2                                                                                      \
  { 1, 0, 0, 1 }
static const known problems[] = {
    {"stick", 3, UNIT3, {-1, 0.3, 0}, 0.5, {1, -0.3, 0}, {0, 0, 0}},
    {"slip", 3, UNIT3, {-1, 2, 0}, 0.5, {1, -0.5, 0}, {0, 1.5, 0}},
    {"slip aslant", 3, UNIT3, {-5, 3, 4}, 0.2, {5, -0.6, -0.8}, {0, 2.4, 3.2}},
    {"open", 3, UNIT3, {1, 2, 3}, 0.5, {0, 0, 0}, {1, 2, 3}},
    {"frictionless", 3, UNIT3, {-2, 1, 1}, 0, {2, 0, 0}, {0, 1, 1}},
    {"large friction", 3, UNIT3, {-1, 7e3, -2e3}, 1e5, {1, -7e3, 2e3}, {0, 0, 0}},
    {"tiny units", 3, UNIT3, {-1e-18, 2e-18, 0}, 0.5, {1e-18, -0.5e-18, 0}, {0, 1.5e-18, 0}},
    {"stick", 2, UNIT2, {-1, 0.3}, 0.5, {1, -0.3}, {0, 0}},
    {"slip", 2, UNIT2, {-1, 2}, 0.5, {1, -0.5}, {0, 1.5}},
    {"open", 2, UNIT2, {1, 2}, 0.5, {0, 0}, {1, 2}},
    {"frictionless", 2, UNIT2, {-2, 1}, 0, {2, 0}, {0, 1}},
    // coupled: u_N = 2 r_N + 0.5 r_T - 1, slipping to the left: r_T = 0.5 r_N
    {"coupled slip", 2, {2, 0.5, 0.5, 1}, {-1, -9}, 0.5, {4.0 / 9, 2.0 / 9}, {0, -77.0 / 9}},
};

static ss_problem one_contact(const known *k) {
  static const int64_t ptr[] = {0, 3, 6, 9}, ptr2[] = {0, 2, 4};
  static const int col[] = {0, 1, 2, 0, 1, 2, 0, 1, 2}, col2[] = {0, 1, 0, 1};
  ss_problem p = {.dim = k->dim, .nc = 1, .mu = &k->mu, .q = k->q};
  p.W = (ss_sparse){k->dim, k->dim, k->dim == 3 ? ptr : ptr2, k->dim == 3 ? col : col2, k->W};
  return p;
}

static ss_solver *create_while_failing(ss_context *ctx, const ss_problem *p, const ss_options *o) {
  for (fail_at = 0;; fail_at++) {  // let each allocation fail in turn until none does
    ss_solver *s;
    taken = 0;
    ss_error e = ss_solver_create(ctx, p, o, &s);
    if (!e) {
      fail_at = -1;
      return s;
    }
    assert_int_equal(e, SS_ERR_MEMORY);
    assert_null(s);
    if (live) fail_msg("%d blocks left when allocation %d fails", live, fail_at);
  }
}

static void known_answers(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++)
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
      const known *wanted = &problems[k];
      ss_problem p = one_contact(wanted);
      ss_options o = ss_options_default();
      o.method = ss_method_name(method), o.tol = 1e-12;
      ss_context ctx = {.alloc = take, .release = give};
      ss_solver *s = create_while_failing(&ctx, &p, &o);
      double r[3] = {0}, u[3], again[3] = {0};
      ss_info info;
      assert_int_equal(ss_solve(s, r, u, NULL, NULL, &info), SS_OK);
      if (info.status != SS_SOLVED)
        fail_msg("%s on %s: %s", o.method, wanted->name, ss_status_name(info.status));
      double size = fabs(wanted->q[0]) + fabs(wanted->q[1]) + fabs(wanted->q[2]);
      for (int i = 0; i < p.dim; i++) {
        assert_near(r[i] / size, wanted->r[i] / size, 1e-11);
        assert_near(u[i] / size, wanted->u[i] / size, 1e-11);
      }
      assert_int_equal(ss_solve(s, again, u, NULL, NULL, &info), SS_OK);
      assert_memory_equal(r, again, sizeof(double) * (size_t)p.dim);
      ss_solver_destroy(s);
      assert_int_equal(live, 0);
    }
}

static uint64_t hash(uint64_t h, const void *bytes, size_t n) {  // FNV-1a
  for (size_t k = 0; k < n; k++) h = (h ^ ((const unsigned char *)bytes)[k]) * 1099511628211u;
  return h;
}

static uint64_t hash_sparse(uint64_t h, const ss_sparse *A) {
  if (!A->ptr) return h;
  size_t entries = (size_t)A->ptr[A->rows];
  h = hash(h, A->ptr, sizeof(int64_t) * ((size_t)A->rows + 1));
  return hash(hash(h, A->col, sizeof(int) * entries), A->x, sizeof(double) * entries);
}

static uint64_t hash_problem(const ss_problem *p) {
  uint64_t h = hash_sparse(hash_sparse(hash_sparse(14695981039346656037u, &p->M), &p->H), &p->G);
  h = hash(h, p->f, sizeof(double) * (size_t)p->ndof);
  return hash(hash(h, p->w, sizeof(double) * (size_t)(p->dim * p->nc)), p->mu,
              sizeof(double) * (size_t)p->nc);
}

// Enough dofs for H to have full row rank (W regular), so that a solution exists for every load.
static const random_shape shapes[] = {
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 0.3},
    {.dim = 2, .contacts = 10, .bodies = 12, .body_dofs = 3, .mu = 0.3},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .coupled = true, .mu = 0.3},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .bilateral = 4, .mu = 0.3},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void global_problems_are_solved_and_kept(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++)
    for (int k = 0; k < SHAPES; k++) {
      ssi_arena arena = {0};
      ss_problem p = random_problem(&arena, shapes[k], 40 + (uint64_t)k);
      uint64_t before = hash_problem(&p);
      ss_context ctx = {.alloc = take, .release = give};
      ss_options o = ss_options_default();
      o.method = ss_method_name(method), o.tol = 1e-10;
      ss_solver *s = create_while_failing(&ctx, &p, &o);
      double r[30] = {0}, u[30], v[72], l[4], again[30] = {0};
      ss_info info;
      assert_int_equal(ss_solve(s, r, u, v, l, &info), SS_OK);
      if (info.status != SS_SOLVED)
        fail_msg("%s, shape %d: %s, error %g", o.method, k, ss_status_name(info.status),
                 info.error);
      ss_solution answer = {.r = r, .l = l};
      ss_verdict verdict;
      assert_int_equal(ss_verify(NULL, &p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
      assert_true(verdict.error <= 1e-10);
      assert_int_equal(ss_solve(s, again, u, v, l, &info), SS_OK);
      assert_memory_equal(r, again, sizeof(double) * (size_t)(p.dim * p.nc));
      assert_true(hash_problem(&p) == before);
      // warm start: nothing to do
      assert_int_equal(ss_solve(s, r, u, v, l, &info), SS_OK);
      assert_int_equal(info.iterations, 0);
      ss_solver_destroy(s);
      assert_int_equal(live, 0);
      ssi_arena_release(&arena);
    }
}

// Neither the loop nor the verdict, inside it or at its end, takes memory.
static void solving_allocates_nothing(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++)
    for (int k = 0; k < 2 * SHAPES; k++) {
      ssi_arena arena = {0};
      ss_problem p = random_problem(&arena, shapes[k / 2], 40);
      ss_context ctx = {.alloc = take, .release = give};
      ss_options o = ss_options_default();
      o.method = ss_method_name(method);
      if (k % 2) o.max_iter = 3, o.tol = 1e-300;
      ss_solver *s;
      assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_OK);
      int before = taken;
      double r[30] = {0};
      ss_info info;
      assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
      assert_int_equal(info.status, k % 2 ? SS_MAX_ITER : SS_SOLVED);
      if (k % 2) assert_int_equal(info.iterations, 3);
      assert_int_equal(taken, before);
      ss_solver_destroy(s);
      ssi_arena_release(&arena);
    }
}

static int stop_at_once(void *user, const ss_info *now) {
  (void)now;
  return ++*(int *)user >= 2;
}

static void cancelled_and_updated(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[0], 41);
    ss_options o = ss_options_default();
    int calls = 0;
    o.method = ss_method_name(method), o.tol = 1e-15, o.progress = stop_at_once, o.user = &calls;
    o.check_every = 1;
    ss_solver *s;
    assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
    double r[30] = {0}, u[30];
    ss_info info;
    assert_int_equal(ss_solve(s, r, u, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_CANCELLED);
    ss_solver_destroy(s);

    o = ss_options_default();
    o.method = ss_method_name(method), o.tol = 1e-10;
    assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
    double w[30], again[30] = {0};
    for (int k = 0; k < 30; k++) w[k] = 2 * p.w[k] - 0.1, r[k] = 0;
    ss_problem other = p;
    other.w = w;
    assert_int_equal(ss_solve(s, again, u, NULL, NULL, &info), SS_OK);  // the verdict's first load
    memset(again, 0, sizeof again);
    assert_int_equal(ss_solver_update(s, &other), SS_OK);
    assert_int_equal(ss_solve(s, r, u, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_SOLVED);
    double error = info.error;
    ss_solver_destroy(s);
    assert_int_equal(ss_solver_create(NULL, &other, &o, &s), SS_OK);  // the same from scratch
    assert_int_equal(ss_solve(s, again, u, NULL, NULL, &info), SS_OK);
    assert_memory_equal(r, again, sizeof r);
    assert_true(info.error == error);
    other.H.rows--;
    assert_int_equal(ss_solver_update(s, &other), SS_ERR_DATA);
    ss_solver_destroy(s);
    ssi_arena_release(&arena);
  }
}

static void orders_and_operators_agree(void **state) {
  (void)state;
  static const ss_setting choices[] = {
      {"order", "natural"},   {"order", "symmetric"}, {"order", "shuffled"}, {"order", "random"},
      {"operator", "blocks"}, {"operator", "bodies"}, {"omega", "0.9"},      {"order", "coloured"}};
  for (int k = 0; k < 2; k++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[k], 42);
    double first[30] = {0};
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
      ss_options o = ss_options_default();
      o.method = "nsgs";
      o.tol = 1e-13, o.settings = &choices[c], o.setting_count = 1;
      ss_solver *s;
      double r[30] = {0};
      ss_info info;
      assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
      assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
      assert_int_equal(info.status, SS_SOLVED);
      for (int i = 0; i < p.dim * p.nc; i++)
        if (c)
          assert_near(r[i], first[i], 1e-10);
        else
          first[i] = r[i];
      ss_solver_destroy(s);
    }
    ssi_arena_release(&arena);
  }
}

// A choice has as many words as its range has values: else each word means the one beside it.
static void words_of_options_fit_their_range(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++) {
    ss_option_help h;
    for (int k = 0; ss_method_option(ss_method_name(method), k, &h); k++) {
      assert_true(h.low <= h.initial && h.initial <= h.high);
      int words = 0;
      while (h.names && h.names[words]) words++;
      if (h.names) assert_true(h.low == 0 && h.high == words - 1);
    }
  }
}

// W with an asymmetry of some percent, as real files have it: what is solved is what was given. The answer
// of the symmetric part of W, which a method that takes W for symmetric would find, is another one.
static void asymmetric_W_is_solved_as_given(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[dim == 3 ? 0 : 1], 43), *reduced;
    assert_int_equal(ss_problem_reduce(NULL, &p, &reduced), SS_OK);
    ss_problem given = *reduced, symmetric = *reduced;
    size_t entries = (size_t)given.W.ptr[given.W.rows];
    double *x = SSI_TAKE(&arena, entries, double);
    for (int i = 0; i < given.W.rows; i++)
      for (int64_t k = given.W.ptr[i]; k < given.W.ptr[i + 1]; k++)
        x[k] = given.W.x[k] * (given.W.col[k] > i ? 1.05 : given.W.col[k] < i ? 0.95 : 1);
    given.W.x = x;
    assert_true(ss_sparse_asymmetry(&given.W) > 0.01);
    for (int method = 0; ss_method_name(method); method++) {
      ss_options o = ss_options_default();
      o.method = ss_method_name(method), o.tol = 1e-9;
      double r[30] = {0};
      ss_solver *s;
      ss_info info;
      ss_verdict as_given, as_symmetric;
      assert_int_equal(ss_solver_create(NULL, &given, &o, &s), SS_OK);
      assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
      ss_solver_destroy(s);
      if (info.status != SS_SOLVED)
        fail_msg("%s in %dD: %s, error %g", o.method, dim, ss_status_name(info.status), info.error);
      ss_solution answer = {.r = r};
      assert_int_equal(ss_verify(NULL, &given, &answer, NULL, NULL, NULL, NULL, &as_given), SS_OK);
      assert_int_equal(ss_verify(NULL, &symmetric, &answer, NULL, NULL, NULL, NULL, &as_symmetric),
                       SS_OK);
      assert_true(as_given.error <= 1e-9);
      assert_true(as_symmetric.error > 1e-4);
    }
    ss_problem_destroy(reduced);
    ssi_arena_release(&arena);
  }
}

static void sweeps(const ss_problem *p, const char *order, int count, double r[30]) {
  ss_setting setting = {"order", order};
  ss_options o = ss_options_default();
  o.method = "nsgs";
  o.tol = 1e-300, o.max_iter = count, o.settings = &setting, o.setting_count = order ? 1 : 0;
  ss_solver *s;
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  memset(r, 0, 30 * sizeof *r);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, NULL), SS_OK);
  ss_solver_destroy(s);
}

// The orders of nsgs are told apart by what one and two sweeps leave behind.
static void orders_are_what_they_are_called(void **state) {
  (void)state;
  ssi_arena arena = {0};
  random_shape crowded = {.dim = 3, .contacts = 10, .bodies = 9, .body_dofs = 6, .mu = 0.3};
  ss_problem p = random_problem(&arena, crowded, 7);
  double natural[2][30], other[30];
  for (int k = 0; k < 2; k++) {
    sweeps(&p, "natural", k + 1, natural[k]);
    sweeps(&p, NULL, k + 1, other);  // the default
    assert_memory_equal(other, natural[k], sizeof other);
    sweeps(&p, "symmetric", k + 1, other);  // the first sweep forth, the second back
    assert_true((memcmp(other, natural[k], sizeof other) == 0) == (k == 0));
  }
  double shuffled[2][30];
  for (int k = 0; k < 2; k++) {
    sweeps(&p, "shuffled", k + 1, shuffled[k]);
    sweeps(&p, "random", k + 1, other);
    assert_true(memcmp(other, natural[k], sizeof other) != 0);
    assert_true(memcmp(other, shuffled[k], sizeof other) != 0);
  }
  assert_true(memcmp(shuffled[0], natural[0], sizeof other) != 0);
  ssi_arena_release(&arena);
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  ss_problem p = one_contact(&problems[0]);
  ss_context ctx = {0};
  ss_solver *s;
  ss_options o = ss_options_default();
  o.method = "ngss";
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_METHOD);
  o = ss_options_default();
  o.method = "nsgs";
  o.tol = 0;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_ARGUMENT);
  o.tol = NAN;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_ARGUMENT);
  o = ss_options_default();
  o.method = "nsgs";
  static const ss_setting wrong[] = {
      {"omga", "1"}, {"omega", "7"}, {"omega", "1x"}, {"order", "up"}};
  static const char *const said[] = {"'omega'", "0.1 to 1.9", "'1x'", "symmetric"};
  for (int k = 0; k < 4; k++) {
    o.settings = &wrong[k], o.setting_count = 1;
    assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_ARGUMENT);
    assert_non_null(strstr(ctx.message, said[k]));
  }
  o = ss_options_default();
  o.method = "nsgs";
  o.setting_count = 1;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_solver_create(&ctx, NULL, &o, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_solver_create(&ctx, &p, NULL, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_solver_create(&ctx, &p, &o, NULL), SS_ERR_ARGUMENT);
  o = ss_options_default();
  o.method = "nsgs";
  double bad[3] = {0, NAN, 0};
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, bad, NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  ss_info info;
  assert_int_equal(ss_solve(s, NULL, NULL, NULL, NULL, &info), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "ss_solve"));
  assert_int_equal(info.status, SS_UNSOLVED);
  assert_int_equal(ss_solve(NULL, bad, NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_solver_update(s, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_solver_update(NULL, &p), SS_ERR_ARGUMENT);
  assert_string_equal(ss_error_detail(&ctx, SS_OK), ss_error_text(SS_OK));
  ss_solver_destroy(s);
  ss_solver_destroy(NULL);
}

// No contact at all, with arrays that are NULL; bodies that nothing touches; joints alone.
static void no_contacts_is_solved(void **state) {
  (void)state;
  const random_shape shapes_of_nothing[] = {
      {.dim = 3, .bodies = 2, .body_dofs = 6},
      {.dim = 2, .bodies = 3, .body_dofs = 3},
      {.dim = 3, .bodies = 2, .body_dofs = 6, .coupled = true},
      {.dim = 3, .bodies = 3, .body_dofs = 6, .bilateral = 2},
  };
  for (int method = 0; ss_method_name(method); method++)
    for (int k = -1; k < 4; k++) {
      ssi_arena arena = {0};
      ss_problem p = {.dim = 3};
      if (k >= 0) p = random_problem(&arena, shapes_of_nothing[k], 5);
      ss_options o = ss_options_default();
      o.method = ss_method_name(method);
      ss_solver *s;
      ss_info info;
      double v[18], l[2];
      assert_int_equal(ss_solver_create(NULL, &p, &o, &s), SS_OK);
      assert_int_equal(ss_solve(s, NULL, NULL, v, l, &info), SS_OK);
      assert_int_equal(info.status, SS_SOLVED);
      assert_int_equal(ss_solver_update(s, &p), SS_OK);
      assert_int_equal(ss_solve(s, NULL, NULL, NULL, NULL, &info), SS_OK);
      assert_int_equal(info.status, SS_SOLVED);
      ss_solver_destroy(s);
      ssi_arena_release(&arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers),
      cmocka_unit_test(global_problems_are_solved_and_kept),
      cmocka_unit_test(solving_allocates_nothing),
      cmocka_unit_test(cancelled_and_updated),
      cmocka_unit_test(orders_and_operators_agree),
      cmocka_unit_test(asymmetric_W_is_solved_as_given),
      cmocka_unit_test(words_of_options_fit_their_range),
      cmocka_unit_test(orders_are_what_they_are_called),
      cmocka_unit_test(bad_requests_are_refused),
      cmocka_unit_test(no_contacts_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
