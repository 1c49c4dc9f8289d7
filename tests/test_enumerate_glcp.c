// The two methods of ss_enumerate agree: the tree of states, which solves patterns, and the rays of the generalised
// linear complementarity problem [Agw20, 4.4], which solves none. The same components, isolated solutions, cells,
// dimensions, vertices and directions, on regular and on degenerate problems; every point judged from the raw data.
//
//   test_enumerate_glcp [N]     N random problems with up to five contacts (default 500)
#include "harness.h"

#include "base/rng.h"
#include "dense.h"
#include "stickslip/enumerate.h"

enum { CONTACTS = 5 };
static int random_problems = 500;

typedef struct dense {
  int n;
  double W[4 * CONTACTS * CONTACTS], q[2 * CONTACTS], mu[CONTACTS];
} dense;

typedef struct tally {
  int problems, several, continua, none, unbounded;
} tally;

// Largest difference of (u, r), over the size of what is compared, at least 1.
static double apart(int n, const double *u, const double *r, const double *v, const double *s) {
  double most = 0, size = 1;
  for (int i = 0; i < 2 * n; i++) {
    size = fmax(size, fmax(fabs(u[i]), fabs(r[i])));
    most = fmax(most, fmax(fabs(u[i] - v[i]), fabs(r[i] - s[i])));
  }
  return most / size;
}

static bool same_states(int n, const ss_cell_state *a, const ss_cell_state *b) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static bool same_points(int n, const ss_cell_point *a, const ss_cell_point *b, int count) {
  for (int k = 0; k < count; k++) {
    bool found = false;
    for (int j = 0; j < count && !found; j++)
      found = apart(n, a[k].u, a[k].r, b[j].u, b[j].r) < 1e-7;
    if (!found) return false;
  }
  return true;
}

static bool same_cell(int n, const ss_cell *a, const ss_cell *b) {
  return a->dimension == b->dimension && a->vertex_count == b->vertex_count &&
         a->ray_count == b->ray_count && same_states(n, a->states, b->states) &&
         same_points(n, a->vertices, b->vertices, a->vertex_count) &&
         same_points(n, a->rays, b->rays, a->ray_count);
}

static bool same_component(int n, const ss_component *a, const ss_component *b) {
  if (a->isolated != b->isolated || a->dimension != b->dimension || a->cell_count != b->cell_count)
    return false;
  if (a->isolated)
    return same_states(n, a->states, b->states) && a->tie == b->tie && a->index == b->index &&
           apart(n, a->u, a->r, b->u, b->r) < 1e-7;
  for (int k = 0; k < a->cell_count; k++) {
    bool found = false;
    for (int j = 0; j < b->cell_count && !found; j++)
      found = same_cell(n, &a->cells[k], &b->cells[j]);
    if (!found) return false;
  }
  return true;
}

// A solution of the problem, whatever found it.
static void judge(const ss_problem *p, const double *r) {
  static ss_context ctx;
  ss_verdict v;
  assert_int_equal(ss_verify(&ctx, p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &v), SS_OK);
  if (!(v.error < 1e-8)) fail_msg("error %g, expected < 1e-8", v.error);
}

static void judge_all(const ss_problem *p, const ss_solution_set *set) {
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    if (c->isolated) judge(p, c->r);
    for (int j = 0; j < c->cell_count; j++)
      for (int v = 0; v < c->cells[j].vertex_count; v++) judge(p, c->cells[j].vertices[v].r);
  }
}

static ss_solution_set *enumerate(const ss_problem *p, ss_enumerate_method method, bool rational) {
  static ss_context ctx;
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set;
  o.method = method, o.rational = rational;
  o.recheck = 0;  // one arithmetic at a time
  ss_error e = ss_enumerate(&ctx, p, &o, &set);
  if (e == SS_ERR_UNSUPPORTED) skip_because("this build has no GMP");
  if (e) fail_msg("%s", ctx.message);
  assert_true(set->complete);
  return set;
}

static void compare(const dense *d, bool rational, tally *t) {
  ssi_arena arena = {0};
  ss_problem p = reduced_problem(&arena, 2, d->n, d->W, d->q, d->mu);
  ss_solution_set *tree = enumerate(&p, SS_ENUMERATE_TREE, rational);
  ss_solution_set *rays = enumerate(&p, SS_ENUMERATE_GLCP, false);
  if (tree->count != rays->count)
    fail_msg("%d components, by rays %d (%d contacts)", tree->count, rays->count, d->n);
  bool taken[4000] = {false};
  for (int k = 0; k < tree->count; k++) {
    int at = -1;
    for (int j = 0; j < rays->count && at < 0; j++)
      if (!taken[j] && same_component(d->n, &tree->components[k], &rays->components[j])) at = j;
    if (at < 0) fail_msg("component %d of %d is not found by rays", k, tree->count);
    taken[at] = true;  // one to one
    if (tree->components[k].isolated) continue;
    t->continua++;
    for (int j = 0; j < tree->components[k].cell_count; j++)
      t->unbounded += tree->components[k].cells[j].ray_count > 0;
  }
  judge_all(&p, rays);
  assert_true(rays->rays_most > 0 && !rays->rigorous && rays->recheck == SS_RECHECK_NONE);
  t->problems++, t->several += tree->count > 1, t->none += tree->count == 0;
  ss_solution_set_destroy(tree);
  ss_solution_set_destroy(rays);
  ssi_arena_release(&arena);
}

// W = B B^T, B (2n x rank) with entries of `entry`.
static void product(dense *d, int n, int rank, double (*entry)(ssi_rng *), ssi_rng *rng) {
  double B[2 * CONTACTS * 2 * CONTACTS];
  memset(d, 0, sizeof *d);
  d->n = n;
  for (int i = 0; i < 2 * n * rank; i++) B[i] = entry(rng);
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < 2 * n; j++)
      for (int k = 0; k < rank; k++) d->W[i * 2 * n + j] += B[i * rank + k] * B[j * rank + k];
}

static double real_entry(ssi_rng *rng) {
  return 2 * ssi_rng_uniform(rng) - 1;
}

static double whole_entry(ssi_rng *rng) {
  return ssi_rng_below(rng, 5) - 2;
}

// Any load, and (odd k) loads made from a solution that slips or lifts off somewhere, which have
// several solutions more often.
static void load(dense *d, int k, ssi_rng *rng) {
  double u[2 * CONTACTS] = {0}, r[2 * CONTACTS] = {0};
  for (int i = 0; i < d->n; i++) {
    int s = ssi_rng_below(rng, 3);
    double a = 0.1 + ssi_rng_uniform(rng), sign = ssi_rng_below(rng, 2) ? 1 : -1;
    if (s == 0) u[2 * i] = a, u[2 * i + 1] = real_entry(rng);
    if (s == 1)
      r[2 * i] = a, r[2 * i + 1] = -sign * d->mu[i] * a, u[2 * i + 1] = sign * ssi_rng_uniform(rng);
    if (s == 2) r[2 * i] = a, r[2 * i + 1] = d->mu[i] * a * real_entry(rng);
  }
  for (int i = 0; i < 2 * d->n; i++) {
    d->q[i] = k % 2 ? u[i] : real_entry(rng);
    for (int j = 0; k % 2 && j < 2 * d->n; j++) d->q[i] -= d->W[i * 2 * d->n + j] * r[j];
  }
}

static void test_random(void **state) {
  (void)state;
  tally t = {0};
  ssi_rng rng = {31};
  dense d;
  for (int k = 0; k < random_problems; k++) {
    int n = 1 + k % CONTACTS;
    product(&d, n, 2 * n, real_entry, &rng);
    for (int i = 0; i < n; i++) d.mu[i] = 4 * ssi_rng_uniform(&rng);
    load(&d, k / CONTACTS, &rng);
    compare(&d, false, &t);
  }
  assert_int_equal(t.problems, random_problems);
  assert_true(t.several > random_problems / 10 && t.none == 0);
}

static void test_up_to_three(void **state) {
  (void)state;
  tally t = {0};
  ssi_rng rng = {32};
  dense d;
  for (int k = 0; k < 600; k++) {
    int n = 1 + k % 3;
    product(&d, n, 2 * n, real_entry, &rng);
    for (int i = 0; i < n; i++) d.mu[i] = 4 * ssi_rng_uniform(&rng);
    load(&d, k / 3, &rng);
    compare(&d, false, &t);
  }
  assert_true(t.several > 60 && t.none == 0);
}

// Whole numbers, few of them: ties and singular W, so continua, rays and problems without solution.
// Decided exactly on one side, within rounding on the other.
static void test_degenerate(void **state) {
  (void)state;
  tally t = {0};
  ssi_rng rng = {33};
  dense d;
  for (int k = 0; k < 600; k++) {
    int n = 1 + k % 3;
    product(&d, n, 1 + ssi_rng_below(&rng, 2 * n), whole_entry, &rng);
    for (int i = 0; i < n; i++) d.mu[i] = ssi_rng_below(&rng, 5) / 2.0;
    for (int i = 0; i < 2 * n; i++) d.q[i] = whole_entry(&rng);
    compare(&d, true, &t);
  }
  assert_true(t.continua > 50 && t.unbounded > 20 && t.none > 20 && t.several > 20);
}

static ss_error refused(const ss_problem *p, bool rational, char *message) {
  ss_context ctx = {0};
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set;
  o.method = SS_ENUMERATE_GLCP, o.rational = rational;
  ss_error e = ss_enumerate(&ctx, p, &o, &set);
  snprintf(message, 200, "%.199s", ctx.message);
  return e;
}

static void test_refused(void **state) {
  (void)state;
  ssi_arena arena = {0};
  double W[24 * 24] = {0}, q[24] = {0}, mu[12] = {0};
  char message[200];
  for (int i = 0; i < 24; i++) W[25 * i] = 1;
  ss_problem many = reduced_problem(&arena, 2, 11, W, q, mu);
  for (int i = 0; i < 9; i++) W[i] = i % 4 == 0;
  ss_problem space = reduced_problem(&arena, 3, 1, W, q, mu);
  ss_problem one = reduced_problem(&arena, 2, 1, W, q, mu);
  assert_int_equal(refused(&many, false, message), SS_ERR_METHOD);
  assert_string_equal(message, "11 contacts, expected at most 10 for the method glcp");
  assert_int_equal(refused(&space, false, message), SS_ERR_METHOD);
  assert_string_equal(message, "the problem has dim 3, expected 2 for the method glcp");
  assert_int_equal(refused(&one, true, message), SS_ERR_ARGUMENT);
  assert_string_equal(message, "the method glcp works in doubles, not exactly");
  ssi_arena_release(&arena);
}

int main(int argc, char **argv) {
  if (argc > 1) random_problems = atoi(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_up_to_three),
      cmocka_unit_test(test_degenerate),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
