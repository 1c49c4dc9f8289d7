// Solutions whose reactions are not unique, singular ones, and what is refused; numbers of any size.
#include "harness.h"

#include "moving_data.h"

// A box of weight 1 on two feet, pushed by `push` (2D): both stick, and share the friction as they like.
typedef struct box {
  ssi_arena arena;
  double f[3], r[4];
  ss_problem p;
} box;

static void make_box(box *b, double push, double mu) {
  static const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1. / 6}, w[4] = {0};
  static const double H[12] = {0, 1, -0.5, 1, 0, 0.5, 0, 1, 0.5, 1, 0, 0.5};
  *b = (box){.f = {-push, 1, 0}};
  double *friction = SSI_TAKE(&b->arena, 2, double);
  friction[0] = friction[1] = mu;
  b->p = (ss_problem){
      .form = SS_GLOBAL, .dim = 2, .nc = 2, .ndof = 3, .mu = friction, .f = b->f, .w = w};
  b->p.M = full(&b->arena, 3, 3, M), b->p.H = full(&b->arena, 4, 3, H);
  answer a = answer_for(&b->arena, &b->p);
  assert_true(solve(&b->p, &a));
  memcpy(b->r, a.r, sizeof b->r);
  if (push < mu) {  // of all answers one inside the cones
    double shared[4] = {(1 - push) / 2, -push / 2, (1 + push) / 2, -push / 2};
    memcpy(b->r, shared, sizeof shared);
  }
}

static void hyperstatic_reactions_are_said_to_be(void **state) {
  (void)state;
  ss_context ctx = {0};
  box b;
  make_box(&b, 0.2, 0.5);
  ss_derivative *d = derive(&ctx, &b.p, b.r, NULL);
  const ss_derivative_info *info = ss_derivative_summary(d);
  double r[4], u[4], v[3], gradient[3];
  assert_int_equal(info->smoothness, SS_SMOOTH_MOTION);
  assert_int_equal(info->loose_count, 2);
  assert_true(ss_derivative_loose(d)[0] && ss_derivative_loose(d)[1]);
  // of the load: nothing moves, and the feet take what comes
  static const double df[3] = {-1, 2, 0};
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.f = df}, r, u, v, NULL), SS_OK);
  for (int k = 0; k < 3; k++) assert_near(v[k], 0, 1e-9);
  assert_near(r[0] + r[2], 2, 1e-9);
  assert_near(r[1] + r[3], -1, 1e-9);
  // of one foot: it cannot move away from the other; of both: the box goes along
  static const double apart_w[4] = {0, 1, 0, 0}, together[4] = {0, 1, 0, 1};
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.w = apart_w}, r, u, v, NULL),
                   SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "contact 0 first"));
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.w = together}, r, u, v, NULL),
                   SS_OK);
  assert_near(v[0], -1, 1e-9);
  // gradients of what all reactions agree on, and of what they do not
  static const double total[4] = {0, 1, 0, 1}, single[4] = {0, 1, 0, 0};
  ss_data_gradient out = {.f = gradient};
  assert_int_equal(ss_derivative_adjoint(d, &(ss_solution){.r = total}, &out), SS_OK);
  assert_near(gradient[0], 1, 1e-9);
  assert_int_equal(ss_derivative_adjoint(d, &(ss_solution){.r = single}, &out), SS_ERR_METHOD);
  ss_derivative_destroy(d);
  ssi_arena_release(&b.arena);
}

// The same box as u = W r + q, W of rank 3; and one that slides, where both reactions are known.
static void the_same_in_the_reduced_form(void **state) {
  (void)state;
  ss_context ctx = {0};
  box b;
  ss_problem *p;
  make_box(&b, 0.2, 0.5);
  assert_int_equal(ss_problem_reduce(&ctx, &b.p, &p), SS_OK);
  ss_derivative *d = derive(&ctx, p, b.r, NULL);
  assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SMOOTH_MOTION);
  assert_int_equal(ss_derivative_summary(d)->loose_count, 2);
  static const double lift[4] = {1, 0, 1, 0}, pull[4] = {0, 1, 0, 0};
  double r[4], u[4];
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.q = lift}, r, u, NULL, NULL),
                   SS_OK);
  assert_near(r[0] + r[2], -1, 1e-9);
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.q = pull}, r, u, NULL, NULL),
                   SS_ERR_METHOD);
  ss_derivative_destroy(d);
  ss_problem_destroy(p);
  ssi_arena_release(&b.arena);
  make_box(&b, 0.8, 0.5);
  d = derive(&ctx, &b.p, b.r, NULL);
  assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SMOOTH);
  ss_derivative_destroy(d);
  ssi_arena_release(&b.arena);
}

// W_NN = mu W_NT: the normal reaction of sliding is arbitrary, and moves the contact.
static void a_continuum_is_singular(void **state) {
  (void)state;
  ss_context ctx = {0};
  ssi_arena arena = {0};
  static const double W[4] = {1, 0.5, 0.5, 1}, q[2] = {0, 3}, mu[1] = {2}, r[2] = {1, -2};
  ss_problem p = {.dim = 2, .nc = 1, .mu = mu, .q = q, .W = full(&arena, 2, 2, W)};
  ss_derivative *d = derive(&ctx, &p, r, NULL);
  double u[2];
  assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SINGULAR);
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.q = q}, NULL, u, NULL, NULL),
                   SS_ERR_METHOD);
  assert_int_equal(ss_derivative_one_sided(d, &(ss_data_direction){.q = q}, NULL, u, NULL, NULL),
                   SS_ERR_METHOD);
  ss_derivative_destroy(d);
  ssi_arena_release(&arena);
}

// A frictionless contact at rest has all derivatives but that with respect to its friction.
static void no_friction_and_no_motion(void **state) {
  (void)state;
  ss_context ctx = {0};
  ssi_arena arena = {0};
  static const double W[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, mu[1] = {0};
  static const double r[3] = {0.5, 0, 0}, one[1] = {1}, dq[3] = {-2, 3, 4};
  ss_problem p = {.dim = 3, .nc = 1, .mu = mu, .q = q, .W = full(&arena, 3, 3, W)};
  ss_derivative *d = derive(&ctx, &p, r, NULL);
  double dr[3], du[3], gradient[1];
  assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SMOOTH);
  assert_int_equal(ss_derivative_summary(d)->without_mu, 1);
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.q = dq}, dr, du, NULL, NULL),
                   SS_OK);
  assert_near(dr[0], 1, 1e-14);
  assert_near(du[1], 3, 1e-14);
  assert_near(du[2], 4, 1e-14);
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.mu = one}, dr, du, NULL, NULL),
                   SS_ERR_METHOD);
  assert_int_equal(
      ss_derivative_adjoint(d, &(ss_solution){.u = dq}, &(ss_data_gradient){.mu = gradient}),
      SS_OK);
  assert_true(isnan(gradient[0]));
  ss_derivative_destroy(d);
  ssi_arena_release(&arena);
}

// A cone of 1e-9 is within 1e-6 of its axis: at rest the contact could slide in any direction.
static void a_narrow_cone_has_no_direction(void **state) {
  (void)state;
  ss_context ctx = {0};
  ssi_arena arena = {0};
  static const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, mu[1] = {1e-9},
                      r[3] = {1, 0, 0};
  ss_problem p = {.dim = 3, .nc = 1, .mu = mu, .q = q, .W = full(&arena, 3, 3, W)};
  ss_derivative *d = derive(&ctx, &p, r, NULL);
  assert_int_equal(ss_derivative_places(d)[0], SS_PLACE_EDGE);
  assert_int_equal(ss_derivative_one_sided(d, &(ss_data_direction){.q = q}, NULL, NULL, NULL, NULL),
                   SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "too narrow"));
  ss_derivative_destroy(d);
  ssi_arena_release(&arena);
}

// ---- what is refused -------------------------------------------------------------------------

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  ss_context ctx = {0};
  box b;
  ss_derivative *d;
  make_box(&b, 0.8, 0.5);
  double wrong[4] = {1, 0, 1, 0}, u[4], not_finite[4] = {NAN, 0, 0, 0};
  assert_int_equal(ss_derivative_create(&ctx, &b.p, &(ss_solution){.r = wrong}, NULL, &d),
                   SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "no solution to differentiate"));
  ss_derivative_options o = ss_derivative_options_default();
  o.strict = 0;
  assert_int_equal(ss_derivative_create(&ctx, &b.p, &(ss_solution){.r = b.r}, &o, &d),
                   SS_ERR_ARGUMENT);
  d = derive(&ctx, &b.p, b.r, NULL);
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.q = wrong}, NULL, u, NULL, NULL),
                   SS_ERR_ARGUMENT);
  assert_int_equal(
      ss_derivative_forward(d, &(ss_data_direction){.w = not_finite}, NULL, u, NULL, NULL),
      SS_ERR_ARGUMENT);
  assert_int_equal(
      ss_derivative_adjoint(d, &(ss_solution){.u = wrong}, &(ss_data_gradient){.q = u}),
      SS_ERR_ARGUMENT);
  ss_derivative_destroy(d);
  ssi_arena_release(&b.arena);
}

static void no_contacts_at_all(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_problem p = {.form = SS_REDUCED, .dim = 3};
  ss_derivative *d = derive(&ctx, &p, NULL, NULL);
  assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SMOOTH);
  assert_int_equal(ss_derivative_summary(d)->unknowns, 0);
  assert_int_equal(ss_derivative_one_sided(d, &(ss_data_direction){0}, NULL, NULL, NULL, NULL),
                   SS_OK);
  ss_derivative_destroy(d);
}

// ---- numbers of any size ---------------------------------------------------------------------

// Masses and loads in other units: reactions are too, velocities are not, and places and margins stay.
static void units_do_not_matter(void **state) {
  (void)state;
  ss_context ctx = {0};
  for (int power = -400; power <= 400; power += 400) {
    ssi_arena arena = {0};
    random_shape shape = {
        .dim = 3, .contacts = 4, .bodies = 3, .body_dofs = 6, .bilateral = 1, .mu = 0.4};
    ss_problem p = random_problem(&arena, shape, 12);
    double *M = (double *)(uintptr_t)p.M.x, *f = (double *)(uintptr_t)p.f, dmu[4] = {1, 1, 1, 1};
    for (int64_t k = 0; k < ssi_sparse_entries(&p.M); k++) M[k] = ldexp(M[k], power);
    for (int k = 0; k < p.ndof; k++) f[k] = ldexp(f[k], power);
    answer a = answer_for(&arena, &p), found = answer_for(&arena, &p);
    assert_true(solve(&p, &a));
    ss_derivative *d = derive(&ctx, &p, a.r, a.l);
    static double margin, dv[18], dr[12];
    assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SMOOTH);
    assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.mu = dmu}, found.r, found.u,
                                           found.v, found.l),
                     SS_OK);
    for (int k = 0; k < a.m; k++) found.r[k] = ldexp(found.r[k], -power);
    if (power == -400) {
      margin = ss_derivative_summary(d)->margin;
      memcpy(dv, found.v, sizeof dv), memcpy(dr, found.r, sizeof dr);
    }
    assert_near(ss_derivative_summary(d)->margin, margin, 1e-12);
    for (int k = 0; k < 18; k++) assert_near(found.v[k], dv[k], 1e-12);
    for (int k = 0; k < 12; k++) assert_near(found.r[k], dr[k], 1e-12);
    ss_derivative_destroy(d);
    ssi_arena_release(&arena);
  }
}

static void beyond_doubles_is_said(void **state) {
  (void)state;
  ss_context ctx = {0};
  ssi_arena arena = {0};
  static const double W[4] = {1e200, 0, 0, 1e200}, q[2] = {-1, 2}, mu[1] = {0.5},
                      r[2] = {1e-200, -0.5e-200};
  static const double dmu[1] = {1e300}, dq[2] = {-1e300, 1e300};
  double u[2], gradient[4];
  ss_problem p = {.dim = 2, .nc = 1, .mu = mu, .q = q, .W = full(&arena, 2, 2, W)};
  ss_derivative *d = derive(&ctx, &p, r, NULL);
  assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SMOOTH);
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.mu = dmu}, NULL, u, NULL, NULL),
                   SS_OK);
  assert_near(u[1], -1e300, 1e-12);
  assert_int_equal(
      ss_derivative_adjoint(d, &(ss_solution){.r = dq}, &(ss_data_gradient){.q = gradient}), SS_OK);
  assert_int_equal(
      ss_derivative_adjoint(d, &(ss_solution){.u = dq}, &(ss_data_gradient){.mu = gradient}),
      SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "range of double precision"));
  ss_derivative_destroy(d);
  ssi_arena_release(&arena);
}

// Of all reactions of the box a method may return some on the edge of a cone; those of least norm are inside.
static void least_norm_reactions_are_inside(void **state) {
  (void)state;
  ss_context ctx = {0};
  box b;
  make_box(&b, 0.2, 0.5);
  double edge[4] = {0.4, -0.2, 0.6, 0}, u[4];
  ss_options o = ss_options_default();
  ss_least_norm_info info;
  ss_derivative *d = derive(&ctx, &b.p, edge, NULL);
  assert_true(ss_derivative_summary(d)->places[SS_PLACE_EDGE] == 1);
  ss_derivative_destroy(d);
  assert_int_equal(ss_least_norm(&ctx, &b.p, &o, edge, &info), SS_OK);
  assert_true(info.reached);
  d = derive(&ctx, &b.p, edge, NULL);
  assert_int_equal(ss_derivative_summary(d)->smoothness, SS_SMOOTH_MOTION);
  assert_int_equal(ss_derivative_forward(d, &(ss_data_direction){.f = b.f}, NULL, u, NULL, NULL),
                   SS_OK);
  ss_derivative_destroy(d);
  ssi_arena_release(&b.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hyperstatic_reactions_are_said_to_be),
      cmocka_unit_test(the_same_in_the_reduced_form),
      cmocka_unit_test(least_norm_reactions_are_inside),
      cmocka_unit_test(a_continuum_is_singular),
      cmocka_unit_test(no_friction_and_no_motion),
      cmocka_unit_test(a_narrow_cone_has_no_direction),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(no_contacts_at_all),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(beyond_doubles_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
