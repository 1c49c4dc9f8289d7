// io/siconos_write.c: what is written reads back to the same bits, in every storage and both forms, and what has no place in
// the format is refused.
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <unistd.h>

#include "budget.h"
#include "la/sparse.h"
#include "same_problem.h"
#include "stickslip/generate.h"
#include "stickslip/io.h"

static char path[] = "/tmp/stickslip-siconos-XXXXXX";
static ss_context ctx;

static int set_up(void **state) {
  (void)state;
  int fd = mkstemp(path);
  return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state) {
  (void)state;
  return unlink(path);
}

static ss_file *write_and_read(const ss_problem *p, ss_siconos_storage storage) {
  const ss_file what = {.problem = *p};
  ss_file *back = NULL;
  if (ss_siconos_write(&ctx, path, storage, &what)) fail_msg("%s", ctx.message);
  if (ss_file_open(&ctx, path, NULL, &back)) fail_msg("%s", ctx.message);
  assert_int_equal(back->format, SS_FORMAT_SICONOS);
  return back;
}

// Exact zeros are stored in the sparse storage only.
static void assert_same_but_for_zeros(const ss_sparse *A, const ss_sparse *B) {
  int64_t count = 0;
  assert_int_equal(A->rows, B->rows);
  assert_int_equal(A->cols, B->cols);
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      double x = ssi_sparse_entry(B, i, A->col[k]);
      if (A->x[k] != 0) assert_memory_equal(&x, &A->x[k], sizeof x);
      count += A->x[k] != 0;
    }
  assert_int_equal(count, ssi_sparse_entries(B));
}

static void assert_round_trips(const ss_problem *p) {
  for (int storage = SS_SICONOS_DENSE; storage <= SS_SICONOS_SPARSE; storage++) {
    ss_file *back = write_and_read(p, (ss_siconos_storage)storage);
    ss_problem b = back->problem;
    if (storage != SS_SICONOS_SPARSE) {
      assert_same_but_for_zeros(&p->W, &b.W);
      assert_same_but_for_zeros(&p->M, &b.M);
      assert_same_but_for_zeros(&p->H, &b.H);
      b.W = p->W, b.M = p->M, b.H = p->H;
    }
    b.s = p->s, b.b = p->b;  // arrays of length 0, or none
    assert_same_problem(p, &b);
    ss_file_close(back);
  }
}

static void piles_and_walls_come_back(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ss_pile_options o = ss_pile_options_default();
    o.dim = dim, o.contacts = 40, o.mass_ratio = 1e6;
    ss_problem *pile, *wall, *reduced;
    assert_int_equal(ss_generate_pile(&ctx, &o, &pile), SS_OK);
    ss_wall_options w = ss_wall_options_default();
    w.dim = dim, w.rows = 3, w.cols = 2;
    assert_int_equal(ss_generate_wall(&ctx, &w, &wall), SS_OK);
    assert_int_equal(ss_problem_reduce(&ctx, pile, &reduced), SS_OK);
    assert_round_trips(pile);
    assert_round_trips(wall);
    assert_round_trips(reduced);
    ss_problem_destroy(pile), ss_problem_destroy(wall), ss_problem_destroy(reduced);
  }
}

// Unsymmetric, so that a transposed matrix shows; the numbers at the ends of the doubles; f = 0 is written as -0.
static const double hard[] = {4.9406564584124654e-324, -1.7976931348623157e308, 0.1, -1.0 / 3};

static void hard_numbers_come_back(void **state) {
  (void)state;
  const double mu[1] = {0.1}, f[3] = {0, -0.0, 1.0 / 3}, w[2] = {-0.0, 2.2250738585072011e-308};
  const ss_problem p = {
      .form = SS_GLOBAL,
      .dim = 2,
      .nc = 1,
      .ndof = 3,
      .mu = mu,
      .M = {3, 3, (const int64_t[]){0, 1, 3, 4}, (const int[]){0, 1, 2, 1}, hard},
      .H = {2, 3, (const int64_t[]){0, 2, 3}, (const int[]){0, 2, 1}, hard + 1},
      .f = f,
      .w = w,
  };
  assert_round_trips(&p);
}

// q = (2, 1, 1, ...) would begin a second matrix if it were written as people write such numbers.
static void a_local_problem_is_not_taken_for_a_global_one(void **state) {
  (void)state;
  const double mu[2] = {1, 1}, x[1] = {1}, q[4] = {0, 4, 4, 0};
  const ss_problem p = {
      .form = SS_REDUCED,
      .dim = 2,
      .nc = 2,
      .mu = mu,
      .W = {4, 4, (const int64_t[]){0, 1, 1, 1, 1}, (const int[]){3}, x},
      .q = q,
  };
  assert_round_trips(&p);
}

static void zeros_that_are_stored_stay_where_it_is_sparse(void **state) {
  (void)state;
  const double mu[1] = {1}, x[3] = {0, -0.0, 2}, q[2] = {1, 2};
  const ss_problem p = {
      .form = SS_REDUCED,
      .dim = 2,
      .nc = 1,
      .mu = mu,
      .W = {2, 2, (const int64_t[]){0, 2, 3}, (const int[]){0, 1, 1}, x},
      .q = q,
  };
  ss_file *back = write_and_read(&p, SS_SICONOS_SPARSE);
  assert_same_problem(&p, &back->problem);
  ss_file_close(back);
  back = write_and_read(&p, SS_SICONOS_BLOCKS);
  assert_int_equal(ssi_sparse_entries(&back->problem.W), 1);
  ss_file_close(back);
}

static void no_contacts_and_no_entries(void **state) {
  (void)state;
  const double one[2] = {1, -2};
  const ss_problem none = {
      .form = SS_REDUCED, .dim = 3, .mu = one, .q = one, .W = {.ptr = (const int64_t[]){0}}};
  const ss_problem free_body = {.form = SS_GLOBAL,
                                .dim = 2,
                                .ndof = 1,
                                .mu = one,
                                .f = one,
                                .w = one,
                                .M = {1, 1, (const int64_t[]){0, 1}, (const int[]){0}, one},
                                .H = {0, 1, (const int64_t[]){0}, NULL, NULL}};
  assert_round_trips(&none);
  assert_round_trips(&free_body);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  const double x[1] = {1}, two[2] = {1, 2};
  const ss_file held = {
      .problem = {.form = SS_REDUCED,
                  .dim = 2,
                  .nc = 1,
                  .nl = 1,
                  .mu = x,
                  .q = two,
                  .s = x,
                  .W = {2, 2, (const int64_t[]){0, 1, 2}, (const int[]){0, 1}, two},
                  .V = {2, 1, (const int64_t[]){0, 1, 1}, (const int[]){0}, x},
                  .R = {1, 1, (const int64_t[]){0, 1}, (const int[]){0}, x}},
  };
  assert_int_equal(ss_siconos_write(&ctx, path, SS_SICONOS_SPARSE, &held), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "no place for the 1 bilateral constraint"));
  assert_int_equal(ss_siconos_write(&ctx, path, (ss_siconos_storage)3, &held), SS_ERR_ARGUMENT);
  assert_int_equal(ss_siconos_write(&ctx, "-", SS_SICONOS_SPARSE, &held), SS_ERR_ARGUMENT);
  assert_int_equal(ss_file_write(&ctx, path, SS_FORMAT_SICONOS, &held), SS_ERR_ARGUMENT);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  ss_problem *wall;
  ss_wall_options o = ss_wall_options_default();
  o.rows = o.cols = 2;
  assert_int_equal(ss_generate_wall(&ctx, &o, &wall), SS_OK);
  const ss_file what = {.problem = *wall};
  for (int storage = SS_SICONOS_DENSE; storage <= SS_SICONOS_SPARSE; storage++) {
    ss_error e = SS_ERR_MEMORY;
    for (int n = 0; e == SS_ERR_MEMORY && n < 100; n++) {
      budget b = {.left = n};
      ss_context few = on_budget(&b);
      e = ss_siconos_write(&few, path, (ss_siconos_storage)storage, &what);
      assert_int_equal(b.held, 0);
    }
    assert_int_equal(e, SS_OK);
  }
  ss_problem_destroy(wall);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(piles_and_walls_come_back),
      cmocka_unit_test(hard_numbers_come_back),
      cmocka_unit_test(a_local_problem_is_not_taken_for_a_global_one),
      cmocka_unit_test(zeros_that_are_stored_stay_where_it_is_sparse),
      cmocka_unit_test(no_contacts_and_no_entries),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
