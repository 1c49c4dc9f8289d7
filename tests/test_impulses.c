// Sequential impulses where a contact's own block of W is diagonal (spheres, disks): an answer of the problem stays
// where it is.
#include "solvers/impulses.h"

#include "harness.h"
#include "stickslip/generate.h"
#include "stickslip/stickslip.h"

enum { CONTACTS = 150 };

typedef struct pile {
  ss_problem *p;
  double *v_free, *r;
  ssi_arena arena;
  ssi_impulses k;
} pile;

static pile begin(int dim, uint64_t seed) {
  pile s = {0};
  ss_pile_options o = ss_pile_options_default();
  o.dim = dim;
  o.contacts = CONTACTS;
  o.mu = 0.3;
  o.seed = seed;
  assert_int_equal(ss_generate_pile(NULL, &o, &s.p), SS_OK);
  s.v_free = SSI_TAKE(&s.arena, s.p->ndof, double);
  s.r = SSI_TAKE(&s.arena, (size_t)dim * (size_t)s.p->nc, double);
  for (int j = 0; j < s.p->ndof; j++) s.v_free[j] = -s.p->f[j] / s.p->M.x[j];
  assert_true(ssi_impulses_begin(&s.arena, s.p, s.v_free, s.r, &s.k));
  return s;
}

static void end(pile *s) {
  ssi_arena_release(&s->arena);
  ss_problem_destroy(s->p);
}

// How soon a pile settles is not promised: reactions are in their cones, and v is what they make of it.
static void test_velocities_are_those_of_the_reactions(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      pile s = begin(dim, seed);
      for (int n = 0; n < 200; n++) ssi_impulses_sweep(&s.k);
      for (int i = 0; i < s.p->nc; i++) {
        const double *r = s.r + (size_t)dim * (size_t)i;
        assert_true(hypot(r[1], dim == 3 ? r[2] : 0) <= s.p->mu[i] * r[0] * (1 + 1e-14));
      }
      ssi_impulses again;
      assert_true(ssi_impulses_begin(&s.arena, s.p, s.v_free, s.r, &again));
      ssi_impulses_apply(&again);
      for (int j = 0; j < s.p->ndof; j++) assert_near(again.v[j], s.k.v[j], 1e-9);
      end(&s);
    }
}

static void test_answer_stays(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      pile s = begin(dim, seed);
      ss_options o = ss_options_default();
      ss_solver *solver;
      ss_info info;
      o.tol = 1e-11;
      assert_int_equal(ss_solver_create(NULL, s.p, &o, &solver), SS_OK);
      assert_int_equal(ss_solve(solver, s.r, NULL, NULL, NULL, &info), SS_OK);
      assert_int_equal(info.status, SS_SOLVED);
      ss_solver_destroy(solver);
      ssi_impulses_apply(&s.k);
      assert_true(sqrt(ssi_impulses_sweep(&s.k)) < 1e-8);
      end(&s);
    }
}

// A contact that may not come nearer than with a speed of 1 is left with that.
static void test_bound_is_kept(void **state) {
  (void)state;
  pile s = begin(3, 1);
  ssi_impulses_set_normal(&s.k, 0, -1);
  for (int n = 0; n < 5000; n++) ssi_impulses_sweep(&s.k);
  assert_true(ssi_impulses_velocity(&s.k, 0, 0) >= -1e-9);
  assert_true(s.r[0] > 0);
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_velocities_are_those_of_the_reactions),
      cmocka_unit_test(test_answer_stays),
      cmocka_unit_test(test_bound_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
