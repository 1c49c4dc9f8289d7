// Sweeps over domains: every contact and every dof has its place, masses are split, the answers are answers, and
// neither threads nor an earlier problem change a bit.
#include "harness.h"

#include "base/rng.h"
#include "problem/system.h"
#include "random_problem.h"
#include "solvers/contact_order.h"
#include "solvers/domains.h"
#include "stickslip/stickslip.h"

#include "counted_memory.h"

static ss_problem *pile(int dim, int contacts, double mass_ratio) {
  ss_pile_options o = ss_pile_options_default();
  ss_problem *p = NULL;
  o.dim = dim, o.contacts = contacts, o.mu = 0.3, o.mass_ratio = mass_ratio;
  assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
  return p;
}

static void domains_cover_all_contacts_evenly(void **state) {
  (void)state;
  static const int64_t contacts[] = {0, 1, 7, 8000, 8001, 100000, 5000000000};
  for (size_t n = 0; n < sizeof contacts / sizeof *contacts; n++) {
    int64_t count = ssi_domain_count(contacts[n], 8000);
    assert_true(count >= 1 && (count - 1) * 8000 < contacts[n] + (contacts[n] == 0));
    assert_int_equal(ssi_domain_first(contacts[n], count, 0), 0);
    assert_int_equal(ssi_domain_first(contacts[n], count, count), contacts[n]);
    for (int64_t k = 0; k < count; k++) {
      int64_t size =
          ssi_domain_first(contacts[n], count, k + 1) - ssi_domain_first(contacts[n], count, k);
      assert_true(size >= contacts[n] / count && size <= contacts[n] / count + 1);
    }
  }
}

// W_ii of the split masses, block by block, from H and M: sum over dofs of m_j h_j h_j^T / M_jj (M is diagonal).
static void expect_split(const ss_problem *p, const ssi_domains *d, int k) {
  const ssi_domain *own = &d->domain[k];
  int dim = p->dim;
  for (int i = 0; i < own->bodies.nc; i++) {
    int64_t row = dim * (d->first[k] + i);
    for (int a = 0; a < dim; a++)
      for (int b = 0; b < dim; b++) {
        double sum = 0;
        for (int64_t e = p->H.ptr[row + a]; e < p->H.ptr[row + a + 1]; e++) {
          int dof = p->H.col[e];
          int64_t copies = d->copy_ptr[dof + 1] - d->copy_ptr[dof];
          double other = p->H.x[p->H.ptr[row + b] + e - p->H.ptr[row + a]];
          sum += (double)copies * p->H.x[e] * other / p->M.x[dof];
        }
        assert_near(own->bodies.diag[dim * dim * i + dim * a + b], sum, 1e-13 * (1 + fabs(sum)));
      }
  }
}

static void masses_are_split_among_the_domains_that_touch_a_body(void **state) {
  (void)state;
  ss_problem *p = pile(3, 700, 100);
  ssi_arena arena = {0};
  ssi_system *sys;
  ssi_domains d;
  assert_int_equal(ssi_system_create(NULL, p, &sys), SS_OK);
  assert_true(ssi_domains_create(&arena, &sys->bodies, NULL, 50, 1, &d));
  assert_true(d.count == (p->nc + 49) / 50);
  int shared = 0;
  for (int k = 0; k < d.count; k++) {
    for (int64_t c = d.at[k] + 1; c < d.at[k + 1]; c++) assert_true(d.dof[c - 1] < d.dof[c]);
    expect_split(p, &d, k);
  }
  for (int j = 0; j < p->ndof; j++) shared += d.copy_ptr[j + 1] - d.copy_ptr[j] > 1;
  assert_true(shared > p->ndof / 10);
  ssi_system_destroy(sys);
  ssi_arena_release(&arena);
  ss_problem_destroy(p);
}

static ss_error create(ss_context *ctx, const ss_problem *p, const char *size, int threads,
                       double tol, ss_solver **out) {
  const ss_setting settings[] = {{"order", "domains"}, {"domain", size}, {"momentum", "0.98"}};
  ss_options o = ss_options_default();
  o.method = "nsgs", o.settings = settings, o.setting_count = 3, o.threads = threads, o.tol = tol;
  o.max_iter = 20000;
  return ss_solver_create(ctx, p, &o, out);
}

static void solve(const ss_problem *p, const char *size, int threads, double *r, ss_info *info) {
  ss_context ctx = {0};
  ss_solver *s;
  if (create(&ctx, p, size, threads, 1e-7, &s)) fail_msg("%s", ctx.message);
  memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, info), SS_OK);
  ss_solver_destroy(s);
}

static void piles_are_solved_with_the_same_bits_for_any_threads(void **state) {
  (void)state;
  static const char *const sizes[] = {"7", "60", "1e9"};
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem *p = pile(dim, 600, 1);
    size_t bytes = sizeof(double) * (size_t)(dim * p->nc);
    double *r = malloc(bytes), *again = malloc(bytes);
    for (int k = 0; k < 3; k++) {
      ss_info info, other;
      ss_verdict verdict;
      solve(p, sizes[k], 1, r, &info);
      if (info.status != SS_SOLVED)
        fail_msg("%dD, domains of %s: %s at %g", dim, sizes[k], ss_status_name(info.status),
                 info.error);
      assert_int_equal(ss_verify(NULL, p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &verdict),
                       SS_OK);
      assert_true(verdict.error <= 1e-7);
      solve(p, sizes[k], 3, again, &other);
      assert_int_equal(info.iterations, other.iterations);
      assert_memory_equal(r, again, bytes);
    }
    free(r);
    free(again);
    ss_problem_destroy(p);
  }
}

// Bodies with full 6 x 6 mass blocks, each touched by many domains.
static void mass_blocks_are_kept_whole(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(
      &arena, (random_shape){.dim = 3, .contacts = 60, .bodies = 30, .body_dofs = 6}, 4);
  double *r = SSI_TAKE(&arena, 3 * p.nc, double);
  ss_info info;
  solve(&p, "4", 1, r, &info);
  assert_int_equal(info.status, SS_SOLVED);
  ssi_arena_release(&arena);
}

// The same contacts in a random order, in memory of the arena.
static ss_problem shuffled(ssi_arena *arena, const ss_problem *p) {
  int dim = p->dim, *from = SSI_TAKE(arena, p->nc, int);
  int64_t *ptr = SSI_TAKE(arena, dim * p->nc + 1, int64_t), entries = p->H.ptr[dim * p->nc];
  int *col = SSI_TAKE(arena, entries, int);
  double *x = SSI_TAKE(arena, entries, double), *mu = SSI_TAKE(arena, p->nc, double);
  double *w = SSI_TAKE(arena, dim * p->nc, double);
  ssi_rng g = {7};
  for (int i = 0; i < p->nc; i++) from[i] = i;
  for (int k = p->nc - 1; k > 0; k--) {
    int other = ssi_rng_below(&g, k + 1), t = from[k];
    from[k] = from[other], from[other] = t;
  }
  for (int row = 0; row < dim * p->nc; row++) {
    int old = dim * from[row / dim] + row % dim;
    int64_t count = p->H.ptr[old + 1] - p->H.ptr[old];
    memcpy(col + ptr[row], p->H.col + p->H.ptr[old], sizeof *col * (size_t)count);
    memcpy(x + ptr[row], p->H.x + p->H.ptr[old], sizeof *x * (size_t)count);
    ptr[row + 1] = ptr[row] + count;
    w[row] = p->w[old];
    mu[row / dim] = p->mu[from[row / dim]];
  }
  ss_problem q = *p;
  q.H.ptr = ptr, q.H.col = col, q.H.x = x, q.w = w, q.mu = mu;
  return q;
}

// All contacts once; a quarter of the copies that the shuffled order has, and not many more than the true one.
static void a_bad_order_is_mended(void **state) {
  (void)state;
  ssi_arena arena = {0};
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem *p = pile(dim, 4000, 1), q = shuffled(&arena, p);
    int *order = SSI_TAKE(&arena, p->nc, int), *seen = SSI_TAKE(&arena, p->nc, int);
    ssi_touches there, here;
    bool changed;
    assert_int_equal(ssi_contact_renumber(NULL, p, 400, order, &changed), SS_OK);
    assert_false(changed);
    assert_int_equal(ssi_contact_renumber(NULL, &q, 400, order, &changed), SS_OK);
    assert_true(changed);
    for (int k = 0; k < p->nc; k++) assert_int_equal(seen[order[k]]++, 0);
    assert_int_equal(ssi_touches_create(NULL, p, &there), SS_OK);
    assert_int_equal(ssi_touches_create(NULL, &q, &here), SS_OK);
    int64_t shuffled_copies = ssi_order_copies(NULL, &here, NULL, 400) - p->ndof;
    int64_t copies = ssi_order_copies(NULL, &here, order, 400) - p->ndof;
    int64_t before = ssi_order_copies(NULL, &there, NULL, 400) - p->ndof;
    assert_true(copies < shuffled_copies / 4 && copies < 2 * before);
    ssi_touches_release(NULL, &there);
    ssi_touches_release(NULL, &here);
    ss_problem_destroy(p);
  }
  ssi_arena_release(&arena);
}

static void renumbered_contacts_are_solved_and_renewed(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem *p = pile(3, 600, 1), q = shuffled(&arena, p), heavier = q;
  size_t bytes = sizeof(double) * (size_t)(3 * p->nc);
  double *r = SSI_TAKE(&arena, 3 * p->nc, double), *again = SSI_TAKE(&arena, 3 * p->nc, double);
  double *x = SSI_TAKE(&arena, p->ndof, double);
  ss_info info;
  ss_verdict verdict;
  solve(&q, "60", 1, r, &info);
  assert_int_equal(info.status, SS_SOLVED);
  assert_int_equal(ss_verify(NULL, &q, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &verdict),
                   SS_OK);
  assert_true(verdict.error <= 1e-7);
  solve(&q, "60", 3, again, &info);
  assert_memory_equal(r, again, bytes);
  for (int j = 0; j < p->ndof; j++) x[j] = p->M.x[j] * (1 + j / 6 % 3);
  heavier.M.x = x;
  ss_solver *s;
  assert_int_equal(create(NULL, &q, "60", 1, 1e-7, &s), SS_OK);
  assert_int_equal(ss_solver_retarget(s, &heavier), SS_OK);
  memset(again, 0, bytes);
  assert_int_equal(ss_solve(s, again, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  solve(&heavier, "60", 1, r, &info);
  assert_memory_equal(r, again, bytes);
  ss_problem_destroy(p);
  ssi_arena_release(&arena);
}

static void without_bodies_it_says_what_is_needed(void **state) {
  (void)state;
  ss_problem *p = pile(2, 20, 1), *reduced, none = {.form = SS_GLOBAL, .dim = 3};
  ss_context ctx = {0};
  ss_solver *s;
  ss_info info;
  assert_int_equal(ss_problem_reduce(&ctx, p, &reduced), SS_OK);
  assert_int_equal(create(&ctx, reduced, "8000", 1, 1e-7, &s), SS_ERR_METHOD);
  assert_non_null(strstr(ctx.message, "nsgs.order=domains needs bodies"));
  assert_int_equal(create(&ctx, &none, "8000", 1, 1e-7, &s), SS_OK);
  assert_int_equal(ss_solve(s, NULL, NULL, NULL, NULL, &info), SS_OK);
  assert_int_equal(info.status, SS_SOLVED);
  ss_solver_destroy(s);
  ss_problem_destroy(reduced);
  ss_problem_destroy(p);
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  ss_problem *p = pile(3, 200, 1);
  ssi_arena arena = {0};
  ss_problem q = shuffled(&arena, p);
  ss_context ctx = {.alloc = take, .release = give};
  ss_solver *s = NULL;
  for (fail_at = 0;; fail_at++) {
    taken = 0;
    ss_error e = create(&ctx, &q, "20", 1, 1e-7, &s);
    if (!e) break;
    assert_int_equal(e, SS_ERR_MEMORY);
    if (live) fail_msg("%d blocks left when allocation %d fails", live, fail_at);
  }
  fail_at = -1;
  ss_solver_destroy(s);
  assert_int_equal(live, 0);
  ss_problem_destroy(p);
  ssi_arena_release(&arena);
}

// New masses in the same patterns: what a new solver would answer.
static void new_numbers_leave_nothing_behind(void **state) {
  (void)state;
  ss_problem *p = pile(3, 300, 1), q = *p;
  size_t bytes = sizeof(double) * (size_t)(3 * p->nc);
  double *r = calloc(1, bytes), *fresh = calloc(1, bytes);
  double *x = malloc(sizeof *x * (size_t)p->ndof);
  for (int j = 0; j < p->ndof; j++) x[j] = p->M.x[j] * (1 + j / 6 % 3);
  q.M.x = x;
  ss_solver *s;
  ss_info info;
  assert_int_equal(create(NULL, p, "40", 1, 1e-6, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  assert_int_equal(ss_solver_retarget(s, &q), SS_OK);
  memset(r, 0, bytes);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &info), SS_OK);
  ss_solver_destroy(s);
  assert_int_equal(create(NULL, &q, "40", 1, 1e-6, &s), SS_OK);
  assert_int_equal(ss_solve(s, fresh, NULL, NULL, NULL, &info), SS_OK);
  assert_memory_equal(r, fresh, bytes);
  ss_solver_destroy(s);
  free(r);
  free(fresh);
  free(x);
  ss_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(domains_cover_all_contacts_evenly),
      cmocka_unit_test(masses_are_split_among_the_domains_that_touch_a_body),
      cmocka_unit_test(piles_are_solved_with_the_same_bits_for_any_threads),
      cmocka_unit_test(mass_blocks_are_kept_whole),
      cmocka_unit_test(a_bad_order_is_mended),
      cmocka_unit_test(renumbered_contacts_are_solved_and_renewed),
      cmocka_unit_test(without_bodies_it_says_what_is_needed),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(new_numbers_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
