// solvers/auto/parts.c: several piles in one problem. The division is that of the contact graph; each part is the
// problem it was made from; auto solves together what it solves apart, both forms, with the same
// bits twice and after an update.
#include "harness.h"

#include "problem/check.h"
#include "problem/graph.h"
#include "solvers/auto/parts.h"
#include "stickslip/stickslip.h"

extern const ssi_method ssi_method_auto;

enum { MOST = 48 };

static int piles = 5;  // in a scene, of so many contacts each, but for the second one
static int pile_size = 60;

static ss_context ctx;  // outlives the problems that were made with it

static void *room(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  assert_non_null(p);
  return p;
}

// Of auto: the struct that its state begins with.
static size_t options_size(void) {
  return (size_t)ssi_method_auto.option_count * sizeof(double);
}

typedef struct scene {
  ss_problem *pile[MOST];
  ss_problem p;
} scene;

// A below B, entries of B moved to the right.
static ss_sparse stack(const ss_sparse *const *A) {
  int rows = 0, cols = 0;
  int64_t entries = 0, used = 0;
  for (int k = 0; k < piles; k++) rows += A[k]->rows, entries += A[k]->ptr[A[k]->rows];
  int64_t *ptr = room((size_t)rows + 1, sizeof *ptr);
  int *col = room((size_t)entries, sizeof *col), row = 0;
  double *x = room((size_t)entries, sizeof *x);
  for (int k = 0; k < piles; k++) {
    for (int i = 0; i < A[k]->rows; i++) {
      for (int64_t e = A[k]->ptr[i]; e < A[k]->ptr[i + 1]; e++) {
        col[used] = cols + A[k]->col[e];
        x[used++] = A[k]->x[e];
      }
      ptr[++row] = used;
    }
    cols += A[k]->cols;
  }
  return (ss_sparse){rows, cols, ptr, col, x};
}

static double *join(const double *const *x, const int *n) {
  int total = 0, used = 0;
  for (int k = 0; k < piles; k++) total += n[k];
  double *all = room((size_t)total, sizeof *all);
  for (int k = 0; k < piles; k++)
    for (int i = 0; i < n[k]; i++) all[used++] = x[k][i];
  return all;
}

static scene make(ss_form form, double mu) {
  scene s = {.p = {.form = form, .dim = 3}};
  const ss_sparse *W[MOST], *M[MOST], *H[MOST];
  const double *mus[MOST] = {0}, *q[MOST], *f[MOST], *w[MOST];
  int nc[MOST] = {0}, m[MOST], ndof[MOST];
  for (int k = 0; k < piles; k++) {
    ss_pile_options o = ss_pile_options_default();
    ss_problem *g;
    o.contacts = k == 1 ? 3 : pile_size, o.mu = mu, o.seed = (uint64_t)k + 1;
    assert_int_equal(ss_generate_pile(&ctx, &o, &g), SS_OK);
    s.pile[k] = g;
    if (form == SS_REDUCED) {
      assert_int_equal(ss_problem_reduce(&ctx, g, &s.pile[k]), SS_OK);
      ss_problem_destroy(g);
    }
    const ss_problem *p = s.pile[k];
    W[k] = &p->W, M[k] = &p->M, H[k] = &p->H;
    mus[k] = p->mu, q[k] = p->q, f[k] = p->f, w[k] = p->w;
    nc[k] = p->nc, m[k] = 3 * p->nc, ndof[k] = p->ndof;
    s.p.nc += p->nc, s.p.ndof += p->ndof;
  }
  s.p.mu = join(mus, nc);
  if (form == SS_REDUCED) {
    s.p.W = stack(W), s.p.q = join(q, m);
  } else {
    s.p.M = stack(M), s.p.H = stack(H), s.p.f = join(f, ndof), s.p.w = join(w, m);
  }
  return s;
}

static void drop_matrix(ss_sparse *A) {
  free((void *)(uintptr_t)A->ptr);
  free((void *)(uintptr_t)A->col);
  free((void *)(uintptr_t)A->x);
}

static void drop(scene *s) {
  const double *vectors[] = {s->p.mu, s->p.q, s->p.f, s->p.w};
  for (int k = 0; k < 4; k++) free((void *)(uintptr_t)vectors[k]);
  drop_matrix(&s->p.W), drop_matrix(&s->p.M), drop_matrix(&s->p.H);
  for (int k = 0; k < piles; k++) ss_problem_destroy(s->pile[k]);
}

// u of a part is u of the whole at its contacts, for any r.
static void check_division(ss_form form) {
  scene s = make(form, 0.5);
  ssi_system *sys;
  ssi_parts parts;
  assert_int_equal(ssi_system_create(&ctx, &s.p, &sys), SS_OK);
  sys->tol = 1e-8;
  double *r = room((size_t)sys->m, sizeof *r), *u = room((size_t)sys->m, sizeof *u);
  for (int k = 0; k < sys->m; k++) r[k] = sin(k + 1.0);
  ssi_system_velocity(sys, r, u);
  void *initial = room(1, ssi_method_auto.state_size);
  ssi_options_default(&ssi_method_auto, initial);
  assert_int_equal(ssi_parts_create(&parts, sys, &ssi_method_auto, initial, options_size(), 1),
                   SS_OK);
  assert_in_range(parts.count, 4, 40);
  ssi_parts_begin(&parts, sys, r);
  int contacts = 0;
  for (int k = 0; k < parts.count; k++) {
    ssi_part *p = &parts.part[k];
    assert_int_equal(ssi_problem_check_data(&ctx, &p->p), SS_OK);
    contacts += p->sys->nc;
    ssi_system_velocity(p->sys, p->r, p->u);
    for (int i = 0; i < p->sys->nc; i++)
      for (int c = 0; c < 3; c++) assert_near(p->u[3 * i + c], u[3 * p->contact[i] + c], 1e-13);
  }
  assert_int_equal(contacts, sys->nc);
  ssi_parts_release(&parts);
  free(initial), free(r), free(u);
  ssi_system_destroy(sys);
  drop(&s);
}

static void divides_reduced(void **state) {
  (void)state;
  check_division(SS_REDUCED);
}

static void divides_global(void **state) {
  (void)state;
  check_division(SS_GLOBAL);
}

static void solves(ss_form form) {
  scene s = make(form, 0.8);
  ss_options o = ss_options_default();
  ss_solver *solver;
  ss_info info;
  ss_verdict verdict;
  size_t m = 3 * (size_t)s.p.nc;
  double *r[3];
  assert_int_equal(ss_solver_create(&ctx, &s.p, &o, &solver), SS_OK);
  for (int k = 0; k < 3; k++) {
    r[k] = room(m, sizeof **r);
    if (k == 2) assert_int_equal(ss_solver_update(solver, &s.p), SS_OK);
    assert_int_equal(ss_solve(solver, r[k], NULL, NULL, NULL, &info), SS_OK);
    assert_int_equal(info.status, SS_SOLVED);
    assert_memory_equal(r[k], r[0], m * sizeof **r);
  }
  ss_solution answer = {.r = r[0]};
  assert_int_equal(ss_verify(&ctx, &s.p, &answer, NULL, NULL, NULL, NULL, &verdict), SS_OK);
  assert_true(verdict.error <= 1e-8);
  for (int k = 0; k < 3; k++) free(r[k]);
  ss_solver_destroy(solver);
  drop(&s);
}

static void solves_reduced(void **state) {
  (void)state;
  solves(SS_REDUCED);
}

static void solves_global(void **state) {
  (void)state;
  solves(SS_GLOBAL);
}

// Many small ones: several parts in a step.
static void solves_crumbs(void **state) {
  (void)state;
  piles = MOST, pile_size = 20;
  scene s = make(SS_GLOBAL, 0.8);
  ssi_system *sys;
  ssi_parts parts;
  assert_int_equal(ssi_system_create(&ctx, &s.p, &sys), SS_OK);
  void *initial = room(1, ssi_method_auto.state_size);
  ssi_options_default(&ssi_method_auto, initial);
  assert_int_equal(ssi_parts_create(&parts, sys, &ssi_method_auto, initial, options_size(), 1),
                   SS_OK);
  int largest = 0, most = 0;
  for (int k = 0; k < parts.count; k++)
    largest = parts.part[k].p.nc > largest ? parts.part[k].p.nc : largest;
  for (int k = 0; k < piles; k++) most = s.pile[k]->nc > most ? s.pile[k]->nc : most;
  assert_in_range(largest, 1, most);
  ssi_parts_release(&parts);
  free(initial);
  ssi_system_destroy(sys);
  drop(&s);
  solves(SS_GLOBAL);
  solves(SS_REDUCED);
  piles = 5, pile_size = 60;
}

static void leaves_one_component_alone(void **state) {
  (void)state;
  ss_wall_options o = ss_wall_options_default();
  ss_problem *p;
  ssi_system *sys;
  ssi_parts parts;
  o.dim = 3, o.rows = 4, o.cols = 6;
  assert_int_equal(ss_generate_wall(&ctx, &o, &p), SS_OK);
  assert_int_equal(ssi_system_create(&ctx, p, &sys), SS_OK);
  int *leader = room((size_t)(p->nc + p->ndof), sizeof *leader);
  ssi_contact_components(p, leader);
  for (int i = 0; i < p->nc; i++) assert_int_equal(leader[i], 0);
  free(leader);
  void *initial = room(1, ssi_method_auto.state_size);
  ssi_options_default(&ssi_method_auto, initial);
  assert_int_equal(ssi_parts_create(&parts, sys, &ssi_method_auto, initial, options_size(), 1),
                   SS_OK);
  assert_int_equal(parts.count, 0);
  ssi_parts_release(&parts);
  free(initial);
  ssi_system_destroy(sys);
  ss_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(divides_reduced), cmocka_unit_test(divides_global),
      cmocka_unit_test(solves_reduced),  cmocka_unit_test(solves_global),
      cmocka_unit_test(solves_crumbs),   cmocka_unit_test(leaves_one_component_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
