// ss_enumerate against the double-description algorithm of glcp.h: the same components, isolated
// solutions, dimensions, vertices and directions, on regular and on degenerate problems.
#include "harness.h"

#include "base/rng.h"
#include "glcp.h"
#include "stickslip/enumerate.h"

typedef struct dense {
  int n;
  double W[4 * GLCP_CONTACTS * GLCP_CONTACTS], q[2 * GLCP_CONTACTS], mu[GLCP_CONTACTS];
  int64_t ptr[2 * GLCP_CONTACTS + 1];
  int col[4 * GLCP_CONTACTS * GLCP_CONTACTS];
  ss_problem p;
} dense;

static const ss_problem *finish(dense *d) {
  int N = 2 * d->n;
  for (int i = 0; i <= N; i++) d->ptr[i] = (int64_t)i * N;
  for (int i = 0; i < N * N; i++) d->col[i] = i % N;
  d->p = (ss_problem){.form = SS_REDUCED, .dim = 2, .nc = d->n, .mu = d->mu, .q = d->q};
  d->p.W = (ss_sparse){N, N, d->ptr, d->col, d->W};
  return &d->p;
}

// Largest difference of (u, r), over the size of what is compared, at least 1.
static double apart(int n, const double *u, const double *r, const glcp_solution *s,
                    double factor) {
  double most = 0, size = 1;
  for (int i = 0; i < 2 * n; i++) {
    size = fmax(size, fmax(fabs(u[i]), fabs(r[i])));
    most = fmax(most, fmax(fabs(u[i] - factor * s->u[i]), fabs(r[i] - factor * s->r[i])));
  }
  return most / size;
}

static int vertex_at(const glcp *g, const double *u, const double *r) {
  for (int k = 0; k < g->vertex_count; k++)
    if (apart(g->n, u, r, &g->vertices[k], 1) < 1e-7) return k;
  return -1;
}

static bool direction_at(const glcp *g, const double *u, const double *r) {
  for (int k = 0; k < g->direction_count; k++) {
    double sum = 0;
    for (int i = 0; i < g->n; i++) sum += g->directions[k].r[2 * i];
    if (apart(g->n, u, r, &g->directions[k], 1 / sum) < 1e-7) return true;
  }
  return false;
}

// A vertex in the variables of the complementarity problem only: there u_T of a free contact is the
// difference of two numbers >= 0, and 0 is an end.
static bool may_be_inside(const glcp_solution *s, int n) {
  for (int i = 0; i < n; i++)
    if (fabs(s->r[2 * i]) < 1e-9 && fabs(s->u[2 * i + 1]) < 1e-9) return true;
  return false;
}

// All vertices of a continuum belong to one component of g, which is returned.
static int match_continuum(const glcp *g, const ss_component *c, bool *seen) {
  int component = -1;
  for (int k = 0; k < c->cell_count; k++) {
    for (int v = 0; v < c->cells[k].vertex_count; v++) {
      int at = vertex_at(g, c->cells[k].vertices[v].u, c->cells[k].vertices[v].r);
      if (at < 0) fail_msg("a vertex of a cell is no vertex of the double description");
      if (component >= 0) assert_int_equal(g->vertices[at].component, component);
      component = g->vertices[at].component;
      seen[at] = true;
    }
    for (int v = 0; v < c->cells[k].ray_count; v++)
      if (!direction_at(g, c->cells[k].rays[v].u, c->cells[k].rays[v].r))
        fail_msg("a ray of a cell is no direction of the double description");
  }
  return component;
}

typedef struct tally {
  int problems, several, continua, none, unbounded;
} tally;

static void compare(dense *d, bool rational, tally *t) {
  static ss_context ctx;
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set;
  glcp g;
  o.rational = rational;
  o.recheck = 0;  // one arithmetic at a time
  ss_error e = ss_enumerate(&ctx, finish(d), &o, &set);
  if (e == SS_ERR_UNSUPPORTED) skip_because("this build has no GMP");
  if (e) fail_msg("%s", ctx.message);
  glcp_solve(d->n, d->W, d->q, d->mu, &g);
  assert_true(set->complete);
  if (set->count != g.components)
    fail_msg("%d components, by double description %d (%d contacts)", set->count, g.components,
             d->n);
  bool *seen = calloc((size_t)g.vertex_count + 1, sizeof *seen);
  bool *taken = calloc((size_t)g.components + 1, sizeof *taken);
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    int component;
    if (c->isolated) {
      int at = vertex_at(&g, c->u, c->r);
      if (at < 0) fail_msg("an isolated solution is no vertex of the double description");
      seen[at] = true, component = g.vertices[at].component;
    } else {
      component = match_continuum(&g, c, seen);
      t->continua++, t->unbounded += g.direction_count > 0;
    }
    assert_false(taken[component]);  // one to one
    taken[component] = true;
    assert_int_equal(c->dimension, g.dimension[component]);
  }
  for (int k = 0; k < g.vertex_count; k++)
    if (!seen[k] && !may_be_inside(&g.vertices[k], d->n))
      fail_msg("a vertex of the double description is missing");
  t->problems++, t->several += g.components > 1, t->none += g.components == 0;
  free(seen), free(taken);
  glcp_release(&g);
  ss_solution_set_destroy(set);
}

// W = B B^T, B (2n x rank) with entries of `entry`.
static void product(dense *d, int n, int rank, double (*entry)(ssi_rng *), ssi_rng *rng) {
  double B[2 * GLCP_CONTACTS * 2 * GLCP_CONTACTS];
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
  double u[2 * GLCP_CONTACTS] = {0}, r[2 * GLCP_CONTACTS] = {0};
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

static void regular(int count, int n_most, uint64_t seed, tally *t) {
  ssi_rng rng = {seed};
  dense d;
  for (int k = 0; k < count; k++) {
    int n = 1 + k % n_most;
    product(&d, n, 2 * n, real_entry, &rng);
    for (int i = 0; i < n; i++) d.mu[i] = 4 * ssi_rng_uniform(&rng);
    load(&d, k / n_most, &rng);
    compare(&d, false, t);
  }
}

static void test_regular(void **state) {
  (void)state;
  tally t = {0};
  regular(600, 4, 31, &t);
  assert_true(t.problems == 600 && t.several > 60 && t.none == 0);
}

static void test_five_contacts(void **state) {
  (void)state;
  tally t = {0};
  ssi_rng rng = {32};
  dense d;
  for (int k = 0; k < 12; k++) {
    product(&d, 5, 10, real_entry, &rng);
    for (int i = 0; i < 5; i++) d.mu[i] = 1 + 3 * ssi_rng_uniform(&rng);
    load(&d, k, &rng);
    compare(&d, false, &t);
  }
  assert_true(t.several > 0);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_regular),
      cmocka_unit_test(test_five_contacts),
      cmocka_unit_test(test_degenerate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
