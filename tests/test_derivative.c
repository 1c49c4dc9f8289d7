// Derivatives against differences of solutions: 1,000 random problems of all kinds and, for each, all kinds of data.
#include "harness.h"
#include "moving_data.h"

enum { RANDOM = 1000 };

static const double STEP = 1e-5, TOLERANCE = 1e-6;

// |found - slope| over the largest of 1, |found| and the solution, in the largest norm
static double difference(int n, const double *found, const double *slope, const double *at) {
  double most = 0, scale = fmax(1, fmax(largest(found, n), largest(at, n)));
  for (int k = 0; k < n; k++) most = fmax(most, fabs(found[k] - slope[k]));
  return most / scale;
}

typedef struct comparison {
  ssi_arena *arena;
  const ss_problem *p;
  const answer *at;
  ss_derivative *d;
  double worst;  // of all so far
  int compared, unsolved, five;
} comparison;

// slope += weight x(h). false: not solved.
static bool add_solution(comparison *c, int kind, const double *dx, double h, double weight,
                         answer *slope) {
  ss_problem p = moved(c->arena, c->p, kind, dx, h);
  answer x = answer_for(c->arena, c->p);
  memcpy(x.r, c->at->r, sizeof(double) * (size_t)x.m);
  if (!solve(&p, &x)) return false;
  for (int k = 0; k < x.m; k++) slope->r[k] += weight * x.r[k], slope->u[k] += weight * x.u[k];
  for (int k = 0; k < x.ndof; k++) slope->v[k] += weight * x.v[k];
  for (int k = 0; k < x.nl; k++) slope->l[k] += weight * x.l[k];
  return true;
}

static double off_by(const answer *found, const answer *slope, const answer *at) {
  double r = difference(found->m, found->r, slope->r, at->r);
  double u = difference(found->m, found->u, slope->u, at->u);
  double v = difference(found->ndof, found->v, slope->v, at->v);
  return fmax(fmax(r, u), fmax(v, difference(found->nl, found->l, slope->l, at->l)));
}

// Where the solution changes much faster than the data, second differences count: five points, nearer.
static double off_by_five(comparison *c, int kind, const double *dx, const answer *found) {
  answer slope = answer_for(c->arena, c->p);
  double growth = fmax(fmax(largest(found->r, found->m), largest(found->u, found->m)),
                       fmax(largest(found->v, found->ndof), largest(found->l, found->nl)));
  double h = 5e-4 / fmax(1, growth);
  c->five++;
  bool solved = add_solution(c, kind, dx, h, 8 / (12 * h), &slope) &&
                add_solution(c, kind, dx, -h, -8 / (12 * h), &slope) &&
                add_solution(c, kind, dx, 2 * h, -1 / (12 * h), &slope) &&
                add_solution(c, kind, dx, -2 * h, 1 / (12 * h), &slope);
  return solved ? off_by(found, &slope, c->at) : INFINITY;
}

// J dx against (x(h) - x(-h)) / 2h
static void compare_kind(comparison *c, int kind, ssi_rng *g) {
  field all[KINDS];
  ss_problem copy = *c->p;
  fields_of(&copy, all);
  if (!all[kind].count) return;
  const double *dx = random_vector(c->arena, all[kind].count, g);
  ss_data_direction direction = {0};
  *slot(&direction, kind) = dx;
  answer found = answer_for(c->arena, c->p), slope = answer_for(c->arena, c->p);
  assert_int_equal(ss_derivative_forward(c->d, &direction, found.r, found.u, found.v, found.l),
                   SS_OK);
  if (!add_solution(c, kind, dx, STEP, 1 / (2 * STEP), &slope) ||
      !add_solution(c, kind, dx, -STEP, -1 / (2 * STEP), &slope)) {
    c->unsolved++;
    return;
  }
  double off = off_by(&found, &slope, c->at);
  if (!(off <= TOLERANCE)) off = off_by_five(c, kind, dx, &found);
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
  int regular, unsolved, kinks, compared, five, states[3], mixed, bilateral, reduced, three;
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
    t->five += c.five;
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
                    .mu = 0.05 + ssi_rng_uniform(g)};
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
  print_message("%d regular, %d near kinks, %d not solved to 1e-12, %d directions (%d by five "
                "points), worst %g; %d free "
                "%d stick %d slip, %d with all three, %d with joints, %d reduced, %d in 3D\n",
                t.regular, t.kinks, t.unsolved, t.compared, t.five, t.worst, t.states[0],
                t.states[1], t.states[2], t.mixed, t.bilateral, t.reduced, t.three);
  assert_int_equal(t.regular, RANDOM);
  assert_true(t.unsolved <= RANDOM / 50 && t.five <= RANDOM / 50);
  assert_true(t.mixed > 20 && t.bilateral > 200 && t.reduced > 200 && t.three > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
