// problem/check.c: what is refused, with the place in the message; what is accepted, and said.
#include "dense.h"

#include <limits.h>

#include "problem/check.h"

static char said[2048];

static void listen(void *user, ss_level level, const char *text) {
  (void)user;
  assert_int_equal(level, SS_LOG_WARN);
  strncat(said, text, sizeof said - strlen(said) - 2);
  strcat(said, "\n");
}

static const double W[] = {2, 0.5, 0.1, 0, 0.5, 2, 0, 0.1, 0.1, 0, 2, 0, 0, 0.1, 0, 2};
static const double q[] = {-1, 0, -1, 0}, mu[] = {0.5, 0};
static const double M[] = {2, 1, 0, 1, 2, 0, 0, 0, 3}, f[] = {1, 1, 1};
static const double H[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, w[] = {0, 0, 0, 0};
static const double V[] = {1, 0, 0, 0}, R[] = {1}, G[] = {1, 0, 0}, one[] = {1};

// Both forms, each with one bilateral constraint, in writable memory.
static ss_problem reduced(ssi_arena *arena) {
  ss_problem p = reduced_problem(arena, 2, 2, W, q, mu);
  p.nl = 1;
  p.V = from_dense(arena, 4, 1, V);
  p.R = from_dense(arena, 1, 1, R);
  p.s = one;
  return p;
}

static ss_problem global(ssi_arena *arena) {
  ss_problem p = global_problem(arena, 2, 2, 3, M, f, H, w, mu);
  p.nl = 1;
  p.G = from_dense(arena, 3, 1, G);
  p.b = one;
  return p;
}

static void set_value(const ss_sparse *A, int64_t k, double x) {
  ((double *)(uintptr_t)A->x)[k] = x;
}
static void set_column(const ss_sparse *A, int64_t k, int j) {
  ((int *)(uintptr_t)A->col)[k] = j;
}
static void set_start(const ss_sparse *A, int i, int64_t at) {
  ((int64_t *)(uintptr_t)A->ptr)[i] = at;
}

static void sound_problems_pass_in_silence(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_context ctx = {.log = listen};
  said[0] = 0;
  ss_problem p = reduced(&arena);
  assert_int_equal(ss_problem_check(&ctx, &p), SS_OK);
  p = global(&arena);
  assert_int_equal(ss_problem_check(&ctx, &p), SS_OK);
  p = (ss_problem){.form = SS_REDUCED, .dim = 2};
  assert_int_equal(ss_problem_check(&ctx, &p), SS_OK);
  p = (ss_problem){.form = SS_GLOBAL, .dim = 3};
  assert_int_equal(ss_problem_check(NULL, &p), SS_OK);
  assert_string_equal(said, "");
  ssi_arena_release(&arena);
}

static const double with_nan[] = {0, NAN, 0, 0}, with_inf[] = {0, 0, INFINITY, 0};
static const double negative_mu[] = {0.5, -0.1}, infinite_mu[] = {INFINITY, 0}, nan_mu[] = {NAN, 0};

typedef struct fault {
  ss_form form;
  void (*spoil)(ss_problem *p);
  const char *message;
} fault;

#define FAULT(name, ...)                                                                           \
  static void name(ss_problem *p) {                                                                \
    __VA_ARGS__;                                                                                   \
  }
FAULT(bad_form, p->form = (ss_form)7)
FAULT(bad_dim, p->dim = 4)
FAULT(negative_contacts, p->nc = -1)
FAULT(too_many_contacts, p->nc = INT_MAX / 2 + 1)
FAULT(negative_bilateral, p->nl = -3)
FAULT(negative_dofs, p->ndof = -3)
FAULT(no_mu, p->mu = NULL)
FAULT(mu_below_zero, p->mu = negative_mu)
FAULT(mu_infinite, p->mu = infinite_mu)
FAULT(mu_nan, p->mu = nan_mu)
FAULT(no_q, p->q = NULL)
FAULT(q_nan, p->q = with_nan)
FAULT(w_inf, p->w = with_inf)
FAULT(f_nan, p->f = with_nan)
FAULT(s_missing, p->s = NULL)
FAULT(b_nan, p->b = with_nan + 1)
FAULT(W_shape, p->W.rows = 3)
FAULT(W_absent, p->W = (ss_sparse){0})
FAULT(W_no_ptr, p->W.ptr = NULL)
FAULT(W_no_x, p->W.x = NULL)
FAULT(W_no_col, p->W.col = NULL)
FAULT(W_nan, set_value(&p->W, 4, NAN))
FAULT(W_column_high, set_column(&p->W, 2, 4))
FAULT(W_column_negative, set_column(&p->W, 0, -1))
FAULT(W_unsorted, set_column(&p->W, 1, 0))
FAULT(W_start, set_start(&p->W, 0, 1))
FAULT(W_backwards, set_start(&p->W, 2, 1))
FAULT(W_huge_row, set_start(&p->W, 4, INT64_MAX))
FAULT(W_diagonal, set_value(&p->W, 4, -1e-9))
FAULT(V_shape, p->V.cols = 2)
FAULT(V_left_over, p->nl = 0)
FAULT(R_inf, set_value(&p->R, 0, -INFINITY))
FAULT(M_shape, p->ndof = 4)
FAULT(M_inf, set_value(&p->M, 4, INFINITY))
FAULT(M_asymmetric, set_value(&p->M, 1, 1.001))
FAULT(M_indefinite, set_value(&p->M, 3, 0.4))
FAULT(H_nan, set_value(&p->H, 3, NAN))
FAULT(H_shape, p->H.cols = 2)
FAULT(G_shape, p->G.rows = 2)

static const fault faults[] = {
    {SS_REDUCED, bad_form, "form is 7"},
    {SS_REDUCED, bad_dim, "dimension is 4, expected 2 or 3"},
    {SS_REDUCED, negative_contacts, "number of contacts is -1"},
    {SS_REDUCED, too_many_contacts, "number of contacts is 1073741824, expected 0 to 1073741823"},
    {SS_REDUCED, negative_bilateral, "bilateral constraints is -3"},
    {SS_GLOBAL, negative_dofs, "degrees of freedom is -3"},
    {SS_REDUCED, no_mu, "mu is missing, expected 2 numbers"},
    {SS_REDUCED, mu_below_zero, "friction of contact 1 is -0.1, expected finite and >= 0"},
    {SS_GLOBAL, mu_infinite, "friction of contact 0 is inf"},
    {SS_GLOBAL, mu_nan, "friction of contact 0 is "},
    {SS_REDUCED, no_q, "q is missing, expected 4 numbers"},
    {SS_REDUCED, q_nan, "q: entry 1 is "},
    {SS_GLOBAL, w_inf, "w: entry 2 is inf"},
    {SS_GLOBAL, f_nan, "f: entry 1 is "},
    {SS_REDUCED, s_missing, "s is missing, expected 1 numbers"},
    {SS_GLOBAL, b_nan, "b: entry 0 is "},
    {SS_REDUCED, W_shape, "W is 3 x 4, expected 4 x 4"},
    {SS_REDUCED, W_absent, "W is 0 x 0, expected 4 x 4"},
    {SS_REDUCED, W_no_ptr, "W has 4 rows but no row pointers"},
    {SS_REDUCED, W_no_x, "W has 10 entries but no values"},
    {SS_REDUCED, W_no_col, "W has 10 entries but no columns"},
    {SS_REDUCED, W_nan, "W: row 1, column 1 is "},
    {SS_REDUCED, W_column_high, "W: row 0 has column 4, expected 0 to 3"},
    {SS_REDUCED, W_column_negative, "W: row 0 has column -1"},
    {SS_REDUCED, W_unsorted, "W: row 0 has column 0 after column 0"},
    {SS_REDUCED, W_start, "W: rows start at entry 1"},
    {SS_REDUCED, W_backwards, "W: row 1 goes from entry 3 to 1"},
    {SS_REDUCED, W_huge_row, "W: row 3 goes from entry"},
    {SS_REDUCED, W_diagonal, "W: diagonal entry 1 (contact 0) is -1e-09"},
    {SS_REDUCED, V_shape, "V is 4 x 2, expected 4 x 1"},
    {SS_REDUCED, V_left_over, "V is 4 x 1, expected 4 x 0"},
    {SS_REDUCED, R_inf, "R: row 0, column 0 is -inf"},
    {SS_GLOBAL, M_shape, "M is 3 x 3, expected 4 x 4"},
    {SS_GLOBAL, M_inf, "M: row 2, column 2 is inf"},
    {SS_GLOBAL, M_asymmetric, "row 0, column 1 is 1.001, its mirror image 1"},
    {SS_GLOBAL, M_indefinite, "M is not positive definite: pivot at row 1"},
    {SS_GLOBAL, H_nan, "H: row 3, column 0 is "},
    {SS_GLOBAL, H_shape, "H is 4 x 2, expected 4 x 3"},
    {SS_GLOBAL, G_shape, "G is 2 x 1, expected 3 x 1"},
};

static void faults_are_refused_with_their_place(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
    ssi_arena arena = {0};
    ss_context ctx = {0};
    ss_problem p = faults[k].form == SS_REDUCED ? reduced(&arena) : global(&arena);
    faults[k].spoil(&p);
    ss_error e = ss_problem_check(&ctx, &p);
    if (e != SS_ERR_DATA || !strstr(ctx.message, faults[k].message))
      fail_msg("expected \"%s\", found %d \"%s\"", faults[k].message, e, ctx.message);
    assert_int_equal(ss_problem_check(NULL, &p), SS_ERR_DATA);
    ssi_arena_release(&arena);
  }
  assert_int_equal(ss_problem_check(NULL, NULL), SS_ERR_ARGUMENT);
}

static void slightly_asymmetric_M_is_accepted_and_said(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_context ctx = {.log = listen};
  ss_problem p = global(&arena);
  said[0] = 0;
  set_value(&p.M, 1, 1 + 2e-5);  // |M - M^T|/|M| = 2e-5 sqrt 2/sqrt 19
  assert_int_equal(ss_problem_check(&ctx, &p), SS_OK);
  assert_non_null(strstr(said, "M is not symmetric: |M - M^T|/|M| = 6.49e-06, most at row 0, "
                               "column 1"));
  set_value(&p.M, 1, 1 + 4e-5);  // 1.3e-5
  assert_int_equal(ss_problem_check(&ctx, &p), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "1.3e-05, expected at most 1e-05"));
  ssi_arena_release(&arena);
}

static void unusual_W_is_accepted_and_said(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_context ctx = {.log = listen};
  ss_problem p = reduced(&arena);
  said[0] = 0;
  set_value(&p.W, 1, 0.6);
  assert_int_equal(ss_problem_check(&ctx, &p), SS_OK);
  assert_non_null(strstr(said, "W is not symmetric"));
  assert_non_null(strstr(said, "most at row 0, column 1 (0.6 and 0.5)"));

  p = reduced(&arena);
  said[0] = 0;
  set_value(&p.W, 4, -1e-12);  // within 1e-12 of the largest, 2; and the block is indefinite
  assert_int_equal(ss_problem_check(&ctx, &p), SS_OK);
  assert_non_null(strstr(said, "W has 1 negative diagonal entries"));
  assert_non_null(strstr(said, "-1e-12 at row 1"));
  assert_non_null(strstr(said, "diagonal blocks of 1 contacts are indefinite; contact 0"));
  set_value(&p.W, 4, -3e-12);
  assert_int_equal(ss_problem_check(&ctx, &p), SS_ERR_DATA);
  p = reduced(&arena);  // the same figure is not rounding where the largest is 2e-6
  for (int64_t k = 0; k < 10; k++) set_value(&p.W, k, p.W.x[k] * 1e-6);
  set_value(&p.W, 4, -1e-12);
  assert_int_equal(ss_problem_check(&ctx, &p), SS_ERR_DATA);

  p = reduced(&arena);
  said[0] = 0;
  set_value(&p.W, 9, 0);  // zero diagonal: a tangent that cannot move
  assert_int_equal(ss_problem_check(&ctx, &p), SS_OK);
  assert_string_equal(said, "");
  ssi_arena_release(&arena);
}

// ssi_problem_check_data does not factor: an indefinite M passes it.
static void data_check_leaves_the_factor_to_others(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = global(&arena);
  M_indefinite(&p);
  assert_int_equal(ssi_problem_check_data(NULL, &p), SS_OK);
  assert_int_equal(ss_problem_check(NULL, &p), SS_ERR_DATA);
  ssi_arena_release(&arena);
}

// A copy is the same problem, and lives when the first one is gone.
static void a_copy_has_arrays_of_its_own(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    ssi_arena arena = {0};
    ss_problem p = form ? global(&arena) : reduced(&arena), *copy;
    assert_int_equal(ss_problem_copy(NULL, &p, &copy), SS_OK);
    const ss_sparse *from = form ? &p.M : &p.W, *to = form ? &copy->M : &copy->W;
    assert_ptr_not_equal(from->x, to->x);
    assert_ptr_not_equal(p.mu, copy->mu);
    assert_int_equal(copy->nl, 1);
    double r[4] = {1, -0.5, 0.25, 0}, u[2][4], l[] = {0.5};
    ss_solution answer = {.r = r, .l = l};
    ss_verdict v;
    assert_int_equal(ss_verify(NULL, &p, &answer, u[0], NULL, NULL, NULL, &v), SS_OK);
    ssi_arena_release(&arena);
    assert_int_equal(ss_verify(NULL, copy, &answer, u[1], NULL, NULL, NULL, &v), SS_OK);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    ss_problem_destroy(copy);
  }
  ss_problem empty = {.form = SS_REDUCED, .dim = 3}, *copy;
  assert_int_equal(ss_problem_copy(NULL, &empty, &copy), SS_OK);
  assert_int_equal(ss_problem_check(NULL, copy), SS_OK);
  ss_problem_destroy(copy);
  assert_int_equal(ss_problem_copy(NULL, NULL, &copy), SS_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_problems_pass_in_silence),
      cmocka_unit_test(faults_are_refused_with_their_place),
      cmocka_unit_test(slightly_asymmetric_M_is_accepted_and_said),
      cmocka_unit_test(unusual_W_is_accepted_and_said),
      cmocka_unit_test(data_check_leaves_the_factor_to_others),
      cmocka_unit_test(a_copy_has_arrays_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
