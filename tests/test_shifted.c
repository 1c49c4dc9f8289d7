// problem/shifted.c: (W + rho Lambda) x = b holds for the x of either form, for any rho, with W applied
// by the system itself.
#include "harness.h"

#include "problem/shifted.h"
#include "random_problem.h"

static void check_solve(ssi_shifted *s, const double *lambda, double rho) {
  ssi_system *sys = s->sys;
  double b[60], x[60], u[60];
  ssi_rng g = {.state = 3};
  assert_true(sys->m <= 60);
  for (int k = 0; k < sys->m; k++) b[k] = random_signed(&g);
  assert_int_equal(ssi_shifted_solve(s, b, x), SS_OK);
  ssi_system_velocity(sys, x, u);
  for (int k = 0; k < sys->m; k++)
    assert_near(u[k] - sys->q[k] + rho * lambda[k / sys->dim] * x[k], b[k], 1e-12);
}

// Few bodies, so that W is singular.
static const random_shape shapes[] = {
    {.dim = 3, .contacts = 20, .bodies = 5, .body_dofs = 6, .mu = 0.3},
    {.dim = 2, .contacts = 20, .bodies = 5, .body_dofs = 3, .mu = 0.3},
    {.dim = 3, .contacts = 20, .bodies = 30, .body_dofs = 6, .mu = 0.3},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .coupled = true, .mu = 0.3},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .bilateral = 4, .mu = 0.3},
};

static void both_forms_solve(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int form = SSI_SHIFTED_AUTO; form <= SSI_SHIFTED_DOFS; form++) {
      ssi_arena arena = {0};
      ss_problem p = random_problem(&arena, shapes[k], 60 + k);
      ss_context ctx = {0};
      ssi_system *sys;
      assert_int_equal(ssi_system_create(&ctx, &p, &sys), SS_OK);
      ssi_shifted s;
      ss_error e =
          ssi_shifted_create(sys, &arena, sys->lambda_max, 0.1, (ssi_shifted_form)form, &s);
      if (form == SSI_SHIFTED_DOFS && k > 2) {
        assert_int_equal(e, SS_ERR_METHOD);
        assert_non_null(strstr(ctx.message, "block-diagonal"));
      } else {
        assert_int_equal(e, SS_OK);
        assert_int_equal(s.dofs, form == SSI_SHIFTED_DOFS || (form == SSI_SHIFTED_AUTO && k < 2));
        check_solve(&s, sys->lambda_max, 0.1);
        assert_int_equal(ssi_shifted_change(&s, 2), SS_OK);
        check_solve(&s, sys->lambda_max, 2);
        assert_int_equal(ssi_shifted_change(&s, 0.01), SS_OK);
        check_solve(&s, sys->lambda_max, 0.01);
      }
      ssi_shifted_release(&s);
      ssi_system_destroy(sys);
      ssi_arena_release(&arena);
    }
}

// An asymmetric M, or W, is taken as it is.
static void asymmetry_is_kept(void **state) {
  (void)state;
  for (int form = SSI_SHIFTED_CONTACTS; form <= SSI_SHIFTED_DOFS; form++) {
    ssi_arena arena = {0};
    ss_problem p = random_problem(&arena, shapes[0], 70);
    for (int64_t k = p.M.ptr[3]; k < p.M.ptr[4]; k++)
      if (p.M.col[k] != 3) ((double *)(uintptr_t)p.M.x)[k] *= 1.5;
    ssi_system *sys;
    ssi_shifted s;
    assert_int_equal(ssi_system_create(NULL, &p, &sys), SS_OK);
    assert_int_equal(
        ssi_shifted_create(sys, &arena, sys->lambda_max, 0.1, (ssi_shifted_form)form, &s), SS_OK);
    check_solve(&s, sys->lambda_max, 0.1);
    ssi_shifted_release(&s);
    ssi_system_destroy(sys);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_forms_solve),
      cmocka_unit_test(asymmetry_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
