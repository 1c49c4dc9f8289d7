// What must not matter: the units of mass and length, the order of the contacts, the direction of
// their tangents. For every method, on generated piles and on random problems, through ss_solve and
// ss_verify. And that generated problems are problems: checked without remark, solved.
#include "harness.h"

#include "random_problem.h"
#include "stickslip/stickslip.h"

enum { MOST = 400 };  // rows of the largest problem here

typedef struct answer {
  ss_info info;
  ss_verdict verdict;
  ss_contact_verdict contact[MOST];
  double r[MOST], u[MOST];
} answer;

static void judge(const ss_problem *p, answer *a) {
  ss_solution given = {.r = a->r};
  assert_int_equal(ss_verify(NULL, p, &given, a->u, NULL, NULL, a->contact, &a->verdict), SS_OK);
}

static void solve(const ss_problem *p, const char *method, double tol, answer *a) {
  ss_options o = ss_options_default();
  ss_context ctx = {0};
  ss_solver *s;
  assert_true(p->dim * p->nc <= MOST);
  o.method = method, o.tol = tol;
  memset(a, 0, sizeof *a);
  if (ss_solver_create(&ctx, p, &o, &s)) fail_msg("%s: %s", method, ctx.message);
  assert_int_equal(ss_solve(s, a->r, NULL, NULL, NULL, &a->info), SS_OK);
  ss_solver_destroy(s);
  judge(p, a);
  assert_true(a->info.error == a->verdict.error);
}

static void expect_same_states(int nc, const answer *a, const answer *b, const int *place) {
  for (int i = 0; i < nc; i++) {
    int k = place ? place[i] : i;
    if (a->contact[k].state != b->contact[i].state)
      fail_msg("contact %d: %s became %s", k, ss_state_name(a->contact[k].state),
               ss_state_name(b->contact[i].state));
  }
  for (int k = 0; k < 3; k++) assert_int_equal(a->verdict.states[k], b->verdict.states[k]);
}

// ---- units ---------------------------------------------------------------------------------

typedef struct units {
  double mass, length;  // old units in new ones; time stays
} units;

static const units changes[] = {{1e6, 1}, {1, 1e-3}, {1e-7, 1e5}};
enum { CHANGES = sizeof changes / sizeof *changes };

// v of a translation is a length over time, of a rotation a number over time.
static double speed(const ss_problem *p, int dof, units c) {
  int per_body = p->dim == 2 ? 3 : 6;
  return dof % per_body < p->dim ? c.length : 1;
}

static double *scaled(ssi_arena *arena, const double *x, int n, double factor) {
  double *y = SSI_TAKE(arena, n, double);
  for (int k = 0; k < n; k++) y[k] = factor * x[k];
  return y;
}

// M v is an impulse conjugate to v, v.M v an energy; u = H v a velocity; r an impulse.
static ss_problem in_units(ssi_arena *arena, const ss_problem *p, units c) {
  double energy = c.mass * c.length * c.length;
  ss_problem out = *p;
  int m = p->dim * p->nc;
  if (p->form == SS_REDUCED) {
    out.W.x = scaled(arena, p->W.x, (int)ssi_sparse_entries(&p->W), 1 / c.mass);
    out.q = scaled(arena, p->q, m, c.length);
    return out;
  }
  double *M = scaled(arena, p->M.x, (int)ssi_sparse_entries(&p->M), energy);
  double *H = scaled(arena, p->H.x, (int)ssi_sparse_entries(&p->H), c.length);
  double *f = scaled(arena, p->f, p->ndof, energy);
  for (int i = 0; i < p->ndof; i++) {
    f[i] /= speed(p, i, c);
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
      M[k] /= speed(p, i, c) * speed(p, p->M.col[k], c);
  }
  for (int64_t k = 0; k < ssi_sparse_entries(&p->H); k++) H[k] /= speed(p, p->H.col[k], c);
  out.M.x = M, out.H.x = H, out.f = f;
  out.w = scaled(arena, p->w, m, c.length);
  return out;
}

static void expect_same_verdict(const ss_problem *p, const answer *a, units c) {
  ssi_arena arena = {0};
  answer *b = SSI_TAKE(&arena, 1, answer);
  ss_problem other = in_units(&arena, p, c);
  for (int k = 0; k < p->dim * p->nc; k++) b->r[k] = a->r[k] * c.mass * c.length;
  judge(&other, b);
  if (!(fabs(b->verdict.error - a->verdict.error) <= 1e-14 + 1e-12 * a->verdict.error))
    fail_msg("error %.17g became %.17g", a->verdict.error, b->verdict.error);
  assert_near(b->verdict.scale / (c.length * a->verdict.scale), 1, 1e-12);
  expect_same_states(p->nc, a, b, NULL);
  ssi_arena_release(&arena);
}

static void units_do_not_matter_to(const ss_problem *p, const char *method, bool unique) {
  ssi_arena arena = {0};
  answer *a = SSI_TAKE(&arena, 1, answer), *b = SSI_TAKE(&arena, 1, answer);
  answer *rough = SSI_TAKE(&arena, 1, answer);
  solve(p, method, 1e-10, a);
  assert_int_equal(a->info.status, SS_SOLVED);
  for (int k = 0; k < p->dim * p->nc; k++) rough->r[k] = a->r[k] * (k % 3 ? 1.1 : 0.9);
  judge(p, rough);
  assert_true(rough->verdict.error > 1e-3);
  for (int k = 0; k < CHANGES; k++) {
    double impulse = changes[k].mass * changes[k].length;
    expect_same_verdict(p, a, changes[k]);
    expect_same_verdict(p, rough, changes[k]);
    ss_problem other = in_units(&arena, p, changes[k]);
    solve(&other, method, 1e-10, b);
    assert_int_equal(b->info.status, SS_SOLVED);
    expect_same_states(p->nc, a, b, NULL);
    for (int i = 0; unique && i < p->dim * p->nc; i++)
      assert_near(b->r[i] / impulse, a->r[i], 1e-7);
  }
  ssi_arena_release(&arena);
}

static ss_problem *pile(int dim, int contacts, uint64_t seed) {
  ss_pile_options o = ss_pile_options_default();
  ss_problem *p = NULL;
  o.dim = dim, o.contacts = contacts, o.seed = seed, o.mu = 0.3;
  assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
  return p;
}

// Both forms of a problem.
static void in_both_forms(const ss_problem *p, const char *method, bool unique) {
  ss_problem *reduced = NULL;
  assert_int_equal(ss_problem_reduce(NULL, p, &reduced), SS_OK);
  units_do_not_matter_to(p, method, unique);
  units_do_not_matter_to(reduced, method, unique);
  ss_problem_destroy(reduced);
}

static void units_do_not_matter(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++)
    for (int dim = 2; dim <= 3; dim++) {
      ssi_arena arena = {0};
      random_shape shape = {
          .dim = dim, .contacts = 10, .bodies = 12, .body_dofs = dim == 2 ? 3 : 6, .mu = 0.3};
      ss_problem p = random_problem(&arena, shape, 40), *generated = pile(dim, 60, 5);
      in_both_forms(&p, ss_method_name(method), true);
      in_both_forms(generated, ss_method_name(method), false);
      ss_problem_destroy(generated);
      ssi_arena_release(&arena);
    }
}

// ---- order and frames ----------------------------------------------------------------------

// The rows of contact i of `out` are those of contact place[i] of p, its tangents turned by the angle
// with the cosine c[i] and the sine s[i] (2D: the tangent turned round where c < 0).
typedef struct rearrangement {
  int place[MOST];
  double c[MOST], s[MOST];
} rearrangement;

static rearrangement random_rearrangement(int nc, uint64_t seed) {
  rearrangement out;
  ssi_rng g = {.state = seed};
  for (int i = 0; i < nc; i++) out.place[i] = i;
  for (int i = nc - 1; i > 0; i--) {
    int k = ssi_rng_below(&g, i + 1), t = out.place[i];
    out.place[i] = out.place[k], out.place[k] = t;
  }
  for (int i = 0; i < nc; i++) {
    double angle = 6.28 * ssi_rng_uniform(&g);
    out.c[i] = cos(angle), out.s[i] = sin(angle);
  }
  return out;
}

// x of one contact into its new frame.
static void turn(int dim, double c, double s, const double *x, double *y) {
  y[0] = x[0];
  if (dim == 2) {
    y[1] = c < 0 ? -x[1] : x[1];
    return;
  }
  y[1] = c * x[1] + s * x[2];
  y[2] = c * x[2] - s * x[1];
}

static void rearrange_vector(int dim, int nc, const rearrangement *a, const double *x, double *y) {
  for (int i = 0; i < nc; i++) turn(dim, a->c[i], a->s[i], x + dim * a->place[i], y + dim * i);
}

// All rows of a contact have the same columns in the problems here.
static ss_problem rearrange(ssi_arena *arena, const ss_problem *p, const rearrangement *a) {
  ss_problem out = *p;
  int d = p->dim, m = d * p->nc;
  size_t entries = (size_t)ssi_sparse_entries(&p->H);
  int64_t *ptr = SSI_TAKE(arena, m + 1, int64_t);
  int *col = SSI_TAKE(arena, entries, int);
  double *x = SSI_TAKE(arena, entries, double), *w = SSI_TAKE(arena, m, double);
  double *mu = SSI_TAKE(arena, p->nc, double);
  for (int i = 0; i < p->nc; i++) {
    int from = d * a->place[i];
    int64_t width = p->H.ptr[from + 1] - p->H.ptr[from];
    mu[i] = p->mu[a->place[i]];
    for (int k = 0; k < d; k++) ptr[d * i + k + 1] = ptr[d * i + k] + width;
    for (int64_t e = 0; e < width; e++) {
      double old[3] = {0}, turned[3];
      for (int k = 0; k < d; k++) {
        assert_int_equal(p->H.col[p->H.ptr[from + k] + e], p->H.col[p->H.ptr[from] + e]);
        old[k] = p->H.x[p->H.ptr[from + k] + e];
      }
      turn(d, a->c[i], a->s[i], old, turned);
      for (int k = 0; k < d; k++) {
        col[ptr[d * i + k] + e] = p->H.col[p->H.ptr[from] + e];
        x[ptr[d * i + k] + e] = turned[k];
      }
    }
  }
  rearrange_vector(d, p->nc, a, p->w, w);
  out.H = (ss_sparse){m, p->ndof, ptr, col, x};
  out.w = w, out.mu = mu;
  return out;
}

static void order_and_frames_do_not_matter(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++)
    for (int trial = 0; trial < 10; trial++) {
      ssi_arena arena = {0};
      int dim = 2 + trial % 2, nc = 10;
      random_shape shape = {
          .dim = dim, .contacts = nc, .bodies = 12, .body_dofs = dim == 2 ? 3 : 6, .mu = 0.3};
      ss_problem p = random_problem(&arena, shape, 60 + (uint64_t)trial);
      double mu[10];
      for (int i = 0; i < nc; i++) mu[i] = 0.05 * i;
      p.mu = mu;
      rearrangement change = random_rearrangement(nc, 7 + (uint64_t)trial);
      ss_problem other = rearrange(&arena, &p, &change);
      answer *a = SSI_TAKE(&arena, 1, answer), *b = SSI_TAKE(&arena, 1, answer);
      answer *moved = SSI_TAKE(&arena, 1, answer);
      solve(&p, ss_method_name(method), 1e-11, a);
      solve(&other, ss_method_name(method), 1e-11, b);
      assert_int_equal(a->info.status, SS_SOLVED);
      assert_int_equal(b->info.status, SS_SOLVED);
      expect_same_states(nc, a, b, change.place);
      rearrange_vector(dim, nc, &change, a->r, moved->r);
      for (int k = 0; k < dim * nc; k++) assert_near(b->r[k], moved->r[k], 1e-8);
      judge(&other, moved);  // the same answer, the same error
      assert_near(moved->verdict.error, a->verdict.error, 1e-14);
      for (int i = 0; i < nc; i++)
        assert_near(moved->contact[i].error, a->contact[change.place[i]].error, 1e-14);
      ssi_arena_release(&arena);
    }
}

// ---- generated problems --------------------------------------------------------------------

static int remarks;
static void count_remarks(void *user, ss_level level, const char *text) {
  (void)user, (void)text;
  remarks += level <= SS_LOG_WARN;
}

static ss_problem *generated(int kind, int dim) {
  ss_problem *p = NULL;
  ss_wall_options wall = {.dim = dim, .rows = 4, .cols = 3, .mu = 0.6, .push = 0.1};
  if (kind == 0) return pile(dim, 120, 3);
  if (kind == 1)
    assert_int_equal(ss_generate_wall(NULL, &wall, &p), SS_OK);
  else
    assert_int_equal(ss_generate_tower(NULL, dim, 5, 2, 0.4, &p), SS_OK);
  return p;
}

static void generated_problems_are_solved(void **state) {
  (void)state;
  static const char *const names[] = {"pile", "wall", "tower"};
  for (int kind = 0; kind < 3; kind++)
    for (int dim = 2; dim <= 3; dim++) {
      ss_problem *p = generated(kind, dim);
      ss_context ctx = {.log = count_remarks};
      answer *a = calloc(1, sizeof *a);
      remarks = 0;
      assert_int_equal(ss_problem_check(&ctx, p), SS_OK);
      assert_int_equal(remarks, 0);
      solve(p, "nsgs", 1e-6, a);
      if (a->info.status != SS_SOLVED)
        fail_msg("%s in %dD: %s, error %g", names[kind], dim, ss_status_name(a->info.status),
                 a->info.error);
      assert_true(a->verdict.error <= 1e-6);
      assert_true(a->verdict.states[SS_STICK] + a->verdict.states[SS_SLIP] > 0);
      free(a);
      ss_problem_destroy(p);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(order_and_frames_do_not_matter),
      cmocka_unit_test(generated_problems_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
