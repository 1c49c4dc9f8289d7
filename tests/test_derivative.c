// Derivatives against differences of solutions: 1,000 random problems of all kinds and, for each, all kinds of data.
#include "harness.h"
#include "random_problem.h"
#include "stickslip/stickslip.h"

enum { RANDOM = 1000, KINDS = 12 };

static const double STEP = 1e-5, TOLERANCE = 1e-6;

// ---- the data by name ------------------------------------------------------------------------

// The arrays of a problem, in the order of ss_data_direction.
typedef struct field {
  const char *name;
  const double **x;
  int64_t count;
} field;

static void fields_of(ss_problem *p, field out[KINDS]) {
  int64_t m = (int64_t)p->dim * p->nc;
  bool reduced = p->form == SS_REDUCED;
  field all[KINDS] = {{"mu", &p->mu, p->nc},
                      {"W", &p->W.x, reduced ? ssi_sparse_entries(&p->W) : 0},
                      {"V", &p->V.x, reduced ? ssi_sparse_entries(&p->V) : 0},
                      {"R", &p->R.x, reduced ? ssi_sparse_entries(&p->R) : 0},
                      {"q", &p->q, reduced ? m : 0},
                      {"s", &p->s, reduced ? p->nl : 0},
                      {"M", &p->M.x, reduced ? 0 : ssi_sparse_entries(&p->M)},
                      {"H", &p->H.x, reduced ? 0 : ssi_sparse_entries(&p->H)},
                      {"G", &p->G.x, reduced ? 0 : ssi_sparse_entries(&p->G)},
                      {"f", &p->f, reduced ? 0 : p->ndof},
                      {"w", &p->w, reduced ? 0 : m},
                      {"b", &p->b, reduced ? 0 : p->nl}};
  memcpy(out, all, sizeof all);
}

static const double **slot(ss_data_direction *d, int kind) {
  const double **all[KINDS] = {&d->mu, &d->W, &d->V, &d->R, &d->q, &d->s,
                               &d->M,  &d->H, &d->G, &d->f, &d->w, &d->b};
  return all[kind];
}

static double **gradient_slot(ss_data_gradient *d, int kind) {
  double **all[KINDS] = {&d->mu, &d->W, &d->V, &d->R, &d->q, &d->s,
                         &d->M,  &d->H, &d->G, &d->f, &d->w, &d->b};
  return all[kind];
}

static double *random_vector(ssi_arena *arena, int64_t n, ssi_rng *g) {
  double *x = SSI_TAKE(arena, n + 1, double);
  for (int64_t k = 0; k < n; k++) x[k] = random_signed(g);
  return x;
}

static double dot(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// ---- solutions -------------------------------------------------------------------------------

typedef struct answer {
  double *r, *u, *v, *l;
  int m, ndof, nl;
} answer;

static answer answer_for(ssi_arena *arena, const ss_problem *p) {
  answer a = {.m = p->dim * p->nc, .ndof = p->ndof, .nl = p->nl};
  a.r = SSI_TAKE(arena, a.m + 1, double), a.u = SSI_TAKE(arena, a.m + 1, double);
  a.v = SSI_TAKE(arena, a.ndof + 1, double), a.l = SSI_TAKE(arena, a.nl + 1, double);
  return a;
}

// From a.r on: what is near the last solution is found near it.
static bool solve(const ss_problem *p, answer *a) {
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  o.tol = 1e-14;
  if (ss_solver_create(&ctx, p, &o, &s)) fail_msg("%s", ctx.message);
  assert_int_equal(ss_solve(s, a->r, a->u, a->v, a->l, &info), SS_OK);
  ss_solver_destroy(s);
  return info.error <= 1e-12;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

// |found - (after - before) / width| over the larger of 1, |found| and the solution, in the largest norm
static double difference(int n, const double *found, const double *before, const double *after,
                         double width, const double *at) {
  double most = 0, scale = fmax(1, fmax(largest(found, n), largest(at, n)));
  for (int k = 0; k < n; k++) most = fmax(most, fabs(found[k] - (after[k] - before[k]) / width));
  return most / scale;
}

// p with `kind` moved by h along dx
static ss_problem moved(ssi_arena *arena, const ss_problem *p, int kind, const double *dx,
                        double h) {
  ss_problem to = *p;
  field all[KINDS];
  fields_of(&to, all);
  double *x = SSI_TAKE(arena, all[kind].count + 1, double);
  for (int64_t k = 0; k < all[kind].count; k++) x[k] = (*all[kind].x)[k] + h * dx[k];
  *all[kind].x = x;
  return to;
}

typedef struct comparison {
  ssi_arena *arena;
  const ss_problem *p;
  const answer *at;
  ss_derivative *d;
  double worst;  // of all so far
  int compared, unsolved;
} comparison;

// J dx against (x(h) - x(-h)) / 2h
static void compare_kind(comparison *c, int kind, ssi_rng *g) {
  field all[KINDS];
  ss_problem copy = *c->p;
  fields_of(&copy, all);
  if (!all[kind].count) return;
  const double *dx = random_vector(c->arena, all[kind].count, g);
  ss_data_direction direction = {0};
  *slot(&direction, kind) = dx;
  answer found = answer_for(c->arena, c->p), side[2];
  assert_int_equal(ss_derivative_forward(c->d, &direction, found.r, found.u, found.v, found.l),
                   SS_OK);
  for (int k = 0; k < 2; k++) {
    ss_problem p = moved(c->arena, c->p, kind, dx, k ? STEP : -STEP);
    side[k] = answer_for(c->arena, c->p);
    memcpy(side[k].r, c->at->r, sizeof(double) * (size_t)c->at->m);
    if (!solve(&p, &side[k])) {
      c->unsolved++;
      return;
    }
  }
  double off = difference(found.m, found.r, side[0].r, side[1].r, 2 * STEP, c->at->r);
  off = fmax(off, difference(found.m, found.u, side[0].u, side[1].u, 2 * STEP, c->at->u));
  off = fmax(off, difference(found.ndof, found.v, side[0].v, side[1].v, 2 * STEP, c->at->v));
  off = fmax(off, difference(found.nl, found.l, side[0].l, side[1].l, 2 * STEP, c->at->l));
  if (!(off <= TOLERANCE)) fail_msg("direction of %s: off by %g", all[kind].name, off);
  c->worst = fmax(c->worst, off);
  c->compared++;
}

// g.(J dx) = (J^T g).dx for random g and dx of everything at once
static void compare_adjoint(comparison *c, ssi_rng *g) {
  field all[KINDS];
  ss_problem copy = *c->p;
  fields_of(&copy, all);
  ss_data_direction direction = {0};
  ss_data_gradient gradient = {0};
  answer found = answer_for(c->arena, c->p), seed = answer_for(c->arena, c->p);
  for (int k = 0; k < found.m; k++) seed.r[k] = random_signed(g), seed.u[k] = random_signed(g);
  for (int k = 0; k < found.ndof; k++) seed.v[k] = random_signed(g);
  for (int k = 0; k < found.nl; k++) seed.l[k] = random_signed(g);
  for (int k = 0; k < KINDS; k++) {
    if (!all[k].count) continue;
    *slot(&direction, k) = random_vector(c->arena, all[k].count, g);
    *gradient_slot(&gradient, k) = SSI_TAKE(c->arena, all[k].count, double);
  }
  assert_int_equal(ss_derivative_forward(c->d, &direction, found.r, found.u, found.v, found.l),
                   SS_OK);
  assert_int_equal(
      ss_derivative_adjoint(c->d, &(ss_solution){seed.r, seed.u, seed.v, seed.l}, &gradient),
      SS_OK);
  double forward = dot(found.r, seed.r, found.m) + dot(found.u, seed.u, found.m) +
                   dot(found.v, seed.v, found.ndof) + dot(found.l, seed.l, found.nl);
  double adjoint = 0, size = 0;
  for (int k = 0; k < KINDS; k++) {
    if (!all[k].count) continue;
    double part = dot(*gradient_slot(&gradient, k), *slot(&direction, k), all[k].count);
    adjoint += part, size += fabs(part);
  }
  size = fmax(size, 1);
  if (!(fabs(forward - adjoint) <= 1e-12 * size))
    fail_msg("g.(J dx) = %.17g, (J^T g).dx = %.17g", forward, adjoint);
}

// ---- random problems -------------------------------------------------------------------------

typedef struct tally {
  int regular, unsolved, kinks, compared, states[3], mixed, bilateral, reduced, three;
  double worst;
} tally;

static void count(tally *t, const ss_problem *p, const ss_derivative_info *info, int compared) {
  const int *n = info->places;
  t->regular++;
  for (int k = 0; k < 3; k++) t->states[k] += n[k];
  t->mixed += n[0] > 0 && n[1] > 0 && n[2] > 0;
  t->bilateral += p->nl > 0;
  t->reduced += p->form == SS_REDUCED;
  t->three += p->dim == 3;
  t->compared += compared;
}

// Inside its states by 1e-3, so that a step of 1e-5 does not leave them.
static void try_problem(ssi_arena *arena, const ss_problem *p, uint64_t seed, tally *t) {
  ss_context ctx = {0};
  ssi_rng g = {.state = seed};
  answer at = answer_for(arena, p);
  if (!solve(p, &at)) {
    t->unsolved++;
    return;
  }
  ss_derivative_options o = ss_derivative_options_default();
  ss_derivative *d;
  o.strict = 3e-3;
  if (ss_derivative_create(&ctx, p, &(ss_solution){.r = at.r, .l = at.l}, &o, &d))
    fail_msg("%s", ctx.message);
  const ss_derivative_info *info = ss_derivative_summary(d);
  if (info->smoothness == SS_SMOOTH) {
    comparison c = {.arena = arena, .p = p, .at = &at, .d = d};
    for (int kind = 0; kind < KINDS; kind++) compare_kind(&c, kind, &g);
    compare_adjoint(&c, &g);
    count(t, p, info, c.compared);
    t->unsolved += c.unsolved;
    t->worst = fmax(t->worst, c.worst);
  } else {
    t->kinks++;
  }
  ss_derivative_destroy(d);
}

static random_shape shape_of(ssi_rng *g) {
  random_shape c = {.dim = 2 + ssi_rng_below(g, 2),
                    .contacts = 1 + ssi_rng_below(g, 5),
                    .bodies = 3 + ssi_rng_below(g, 3),
                    .bilateral = ssi_rng_below(g, 3),
                    .coupled = ssi_rng_below(g, 2),
                    .mu = 0.05 + 0.6 * ssi_rng_uniform(g)};
  c.body_dofs = c.dim == 2 ? 3 : 6;
  return c;
}

static void derivatives_agree_with_differences(void **state) {
  (void)state;
  tally t = {0};
  for (uint64_t seed = 1; t.regular < RANDOM && seed < 4 * RANDOM; seed++) {
    ssi_arena arena = {0};
    ssi_rng g = {.state = seed};
    ss_problem p = random_problem(&arena, shape_of(&g), seed), *reduced = NULL;
    if (seed % 3 == 0) assert_int_equal(ss_problem_reduce(NULL, &p, &reduced), SS_OK);
    try_problem(&arena, reduced ? reduced : &p, seed, &t);
    ss_problem_destroy(reduced);
    ssi_arena_release(&arena);
  }
  print_message(
      "%d regular, %d near kinks, %d not solved to 1e-12, %d directions, worst %g; %d free "
      "%d stick %d slip, %d with all three, %d with joints, %d reduced, %d in 3D\n",
      t.regular, t.kinks, t.unsolved, t.compared, t.worst, t.states[0], t.states[1], t.states[2],
      t.mixed, t.bilateral, t.reduced, t.three);
  assert_int_equal(t.regular, RANDOM);
  assert_true(t.unsolved <= RANDOM / 50);
  assert_true(t.mixed > 20 && t.bilateral > 200 && t.reduced > 200 && t.three > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
