// certify/: planted problems of every kind, both forms, bilateral constraints, units, and what the
// independent check refuses. STICKSLIP_LONG=1: ten thousand planted problems instead of some hundreds.
#include "harness.h"

#include "budget.h"
#include "planted.h"
#include "stickslip/certify.h"
#include "stickslip/generate.h"

static int repetitions(int ordinary, int many) {
  return getenv("STICKSLIP_LONG") ? many : ordinary;
}

static ss_certificate *certify(const ss_problem *p, ss_margin_wish margin) {
  static ss_context ctx;  // certificates are released through it
  ss_certify_options o = ss_certify_options_default();
  o.margin = margin;
  ss_certificate *c = NULL;
  ss_error e = ss_certify(&ctx, p, &o, &c);
  if (e) fail_msg("ss_certify: %s", ss_error_detail(&ctx, e));
  ss_certificate_report report;
  assert_int_equal(ss_certificate_check(NULL, p, c, &report), SS_OK);
  if (!report.holds) fail_msg("the certificate fails its check: %s", report.failure);
  return c;
}

typedef struct tally {
  int right, undecided;
  double worst_margin;     // |margin - s*| / max(unit, |s*|)
  double least_undecided;  // largest |s*| / unit that was left undecided
} tally;

// The verdict against the planted margin; a wrong one fails, an undecided one is counted.
static void judge(const planted *t, ss_margin_wish wish, uint64_t seed, tally *sum) {
  ss_certificate *c = certify(&t->p, wish);
  double size = isinf(t->margin) ? t->interior : fabs(t->margin) / t->unit;
  if (c->criterion_A == SS_CRITERION_UNDECIDED) {
    sum->undecided++;
    sum->least_undecided = fmax(sum->least_undecided, size);
  } else {
    bool holds = c->criterion_A != SS_CRITERION_VIOLATED;
    if (holds != (t->margin > 0) || holds != (c->verdict == SS_EXISTS) ||
        (c->verdict == SS_NONE && t->margin > 0))
      fail_msg("seed %llu: margin %g, criterion %s, verdict %s", (unsigned long long)seed,
               t->margin, ss_criterion_state_name(c->criterion_A), ss_existence_name(c->verdict));
    sum->right++;
    if (wish == SS_MARGIN_EXACT && isinf(t->margin)) {
      if (c->for_every_w != SS_YES || !isinf(c->margin))
        fail_msg("seed %llu", (unsigned long long)seed);
    } else if (wish == SS_MARGIN_EXACT) {
      double off = fabs(c->margin - t->margin) / fmax(t->unit, fabs(t->margin));
      if (!(off < 1e-7) || c->for_every_w != SS_NO)
        fail_msg("seed %llu: margin %.12g, planted %.12g, unit %g", (unsigned long long)seed,
                 c->margin, t->margin, t->unit);
      sum->worst_margin = fmax(sum->worst_margin, off);
    }
  }
  ss_certificate_destroy(c);
}

static planted draw(uint64_t seed) {
  ssi_rng g = {seed * 7919 + 13};
  int dim = 2 + ssi_rng_below(&g, 2), nc = 1 + ssi_rng_below(&g, 10), n = 1 + ssi_rng_below(&g, 18);
  double size = pow(10, -6 + 9 * ssi_rng_uniform(&g));
  int kind = ssi_rng_below(&g, 4);
  if (kind == 3) return planted_infinite(dim, nc, n, fmin(size, 1), seed);
  return planted_finite(dim, nc, n, 0, kind == 0 ? -size : size, seed);
}

static void planted_problems(void **state) {
  (void)state;
  tally sum = {0};
  int count = repetitions(400, 10000);
  for (int k = 0; k < count; k++) {
    planted t = draw((uint64_t)k);
    judge(&t, k % 3 ? SS_MARGIN_EXACT : SS_MARGIN_BOUND, (uint64_t)k, &sum);
    planted_release(&t);
  }
  printf("planted: %d right, %d undecided up to margin %.1e, margins off by %.1e at most\n",
         sum.right, sum.undecided, sum.least_undecided, sum.worst_margin);
  assert_true(sum.least_undecided < 1e-5);
  assert_true(sum.undecided <= count / 100);
}

static void sparse_problems(void **state) {  // CHOLMOD's side of certify/normal.c
  (void)state;
  tally sum = {0};
  for (int k = 0; k < repetitions(30, 300); k++) {
    enum { PARTS = 12 };
    planted part[PARTS];
    ssi_rng g = {(uint64_t)k};
    int dim = 2 + k % 2;
    for (int i = 0; i < PARTS; i++) {
      uint64_t seed = ssi_rng_next(&g);
      double size = pow(10, -4 + 4 * ssi_rng_uniform(&g));
      int nc = 1 + ssi_rng_below(&g, 6), n = 6 + ssi_rng_below(&g, 6);
      bool infinite = ssi_rng_uniform(&g) < 0.3, jammed = i == 5 && k % 3 == 0;
      part[i] = infinite && !jammed ? planted_infinite(dim, nc, n, 0.1, seed)
                                    : planted_finite(dim, nc, n, 0, jammed ? -size : size, seed);
    }
    planted t = planted_together(PARTS, part);
    judge(&t, SS_MARGIN_EXACT, (uint64_t)k, &sum);
    planted_release(&t);
    for (int i = 0; i < PARTS; i++) planted_release(&part[i]);
  }
  assert_int_equal(sum.undecided, 0);
}

static void bilateral(void **state) {
  (void)state;
  tally sum = {0};
  for (int k = 0; k < repetitions(60, 1000); k++) {
    ssi_rng g = {(uint64_t)k};
    int nl = 1 + ssi_rng_below(&g, 4), n = nl + 1 + ssi_rng_below(&g, 10);
    double size = pow(10, -3 + 3 * ssi_rng_uniform(&g));
    planted t = planted_finite(2 + k % 2, 1 + ssi_rng_below(&g, 6), n, nl, k % 2 ? size : -size,
                               (uint64_t)k + 5);
    judge(&t, SS_MARGIN_EXACT, (uint64_t)k, &sum);
    ss_problem *reduced = NULL;
    assert_int_equal(ss_problem_reduce(NULL, &t.p, &reduced), SS_OK);
    planted r = t;
    r.p = *reduced;
    ss_certificate *c = certify(&r.p, SS_MARGIN_EXACT);
    if (c->criterion_A != SS_CRITERION_UNDECIDED) {
      assert_int_equal(c->criterion_A == SS_CRITERION_VIOLATED, t.margin < 0);
      if (isfinite(c->margin)) assert_near(c->margin, t.margin, 1e-6);
    }
    ss_certificate_destroy(c);
    ss_problem_destroy(reduced);
    planted_release(&t);
  }
  assert_true(sum.undecided <= 1);
}

static void contradictory_joints(void **state) {
  (void)state;
  planted t = planted_finite(3, 2, 8, 3, 0.5, 1);
  double G[24], b[3];
  for (int i = 0; i < 8; i++) {
    G[3 * i] = 1 + i, G[3 * i + 1] = i == 2;
    G[3 * i + 2] = 2 * G[3 * i] - G[3 * i + 1];  // 2 times the first less the second, but b is not
  }
  b[0] = 1, b[1] = 0.5, b[2] = 1.6;
  t.p.G.x = G, t.p.b = b;
  ss_certificate *c = certify(&t.p, SS_MARGIN_AUTO);
  assert_int_equal(c->verdict, SS_NONE);
  assert_int_equal(c->reason, SS_REASON_BILATERAL);
  ss_certificate_destroy(c);
  b[2] = 1.5;  // now it is
  c = certify(&t.p, SS_MARGIN_AUTO);
  assert_true(c->reason != SS_REASON_BILATERAL);
  ss_certificate_destroy(c);
  planted_release(&t);
}

// The reduced form of the same problem: the same margin, though M and f have come in.
static void reduced_form(void **state) {
  (void)state;
  int undecided = 0, count = repetitions(150, 2000);
  for (int k = 0; k < count; k++) {
    planted t = draw((uint64_t)k + 100000);
    ss_problem *reduced = NULL;
    double size = isinf(t.margin) ? t.interior : fabs(t.margin) / t.unit;
    assert_int_equal(ss_problem_reduce(NULL, &t.p, &reduced), SS_OK);
    ss_certificate *c = certify(reduced, SS_MARGIN_EXACT);
    if (c->criterion_A == SS_CRITERION_UNDECIDED || size < 1e-4) {
      undecided += size >= 1e-4;
    } else {
      assert_int_equal(c->criterion_A == SS_CRITERION_VIOLATED, t.margin < 0);
      assert_int_equal(isinf(c->margin), isinf(t.margin));
      if (isfinite(c->margin)) assert_near(c->margin / t.unit, t.margin / t.unit, 1e-5);
    }
    ss_certificate_destroy(c);
    ss_problem_destroy(reduced);
    planted_release(&t);
  }
  assert_true(undecided <= count / 50);
}

// Other units of velocity and of each degree of freedom: the same answer in the new units.
static void units(void **state) {
  (void)state;
  for (int k = 0; k < 60; k++) {
    planted t = draw((uint64_t)k + 5000);
    int m = t.p.dim * t.p.nc, n = t.p.ndof;
    double *H = malloc(sizeof *H * (size_t)(m * n)), *w = malloc(sizeof *w * (size_t)m);
    double speed = k % 2 ? 1e9 : 1e-12;
    for (int i = 0; i < m; i++) {
      w[i] = speed * t.p.w[i];
      for (int j = 0; j < n; j++)
        H[n * i + j] = t.p.H.x[n * i + j] * (j % 3 == 0 ? 1e8 : j % 3 ? 1 : 1e-7);
    }
    ss_certificate *a = certify(&t.p, SS_MARGIN_EXACT);
    t.p.H.x = H, t.p.w = w;
    ss_certificate *b = certify(&t.p, SS_MARGIN_EXACT);
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->criterion_A, b->criterion_A);
    if (isfinite(a->margin)) assert_near(b->margin / speed / t.unit, a->margin / t.unit, 1e-8);
    ss_certificate_destroy(a);
    ss_certificate_destroy(b);
    free(H);
    free(w);
    planted_release(&t);
  }
}

// w in Im H: everything external moves as one. A solution exists, without margin or for every w. Where w is small
// beside the terms that it was summed from here, its rounding is more than w itself can tell: nothing is said then.
static void at_rest(void **state) {
  (void)state;
  int said = 0;
  for (int k = 0; k < 100; k++) {
    planted t = planted_finite(2 + k % 2, 1 + k % 7, 2 + k % 5, 0, 0.5, (uint64_t)k);
    int m = t.p.dim * t.p.nc, n = t.p.ndof;
    double *w = calloc((size_t)m, sizeof *w), largest = 0, terms = 0;
    for (int i = 0; i < m && k % 4; i++) {
      for (int j = 0; j < n; j++) {
        w[i] += t.p.H.x[n * i + j] * sin(1 + j);
        terms = fmax(terms, fabs(t.p.H.x[n * i + j]));
      }
      largest = fmax(largest, fabs(w[i]));
    }
    t.p.w = w;
    ss_certificate *c = certify(&t.p, SS_MARGIN_EXACT);
    if (c->verdict != SS_EXISTS && 10 * largest < terms) {
      ss_certificate_destroy(c);
      free(w);
      planted_release(&t);
      continue;
    }
    said++;
    assert_int_equal(c->verdict, SS_EXISTS);
    assert_int_equal(c->criterion_A, SS_CRITERION_BOUNDARY);
    assert_int_equal(c->reason, SS_REASON_REST);
    assert_int_equal(c->for_every_w, SS_NO);
    assert_true(c->margin == 0);
    assert_int_equal(c->attained, SS_YES);
    ss_certificate_destroy(c);
    free(w);
    planted_release(&t);
  }
  assert_true(said >= 95);
}

static void refuses(const ss_problem *p, const ss_certificate *c, const char *claim) {
  ss_certificate_report report;
  assert_int_equal(ss_certificate_check(NULL, p, c, &report), SS_OK);
  if (report.holds || strncmp(report.failure, claim, strlen(claim)) != 0)
    fail_msg("expected %s to be refused, found '%s'", claim, report.failure);
}

// A saddle: criterion (A) holds, a solution is none the less not promised, and z says so. Then its solution.
static void other_evidence(void **state) {
  (void)state;
  static const int64_t ptr[] = {0, 2, 4};
  static const int col[] = {0, 1, 0, 1};
  static const double W[] = {1, 2, 2, 1}, q[] = {1, 0}, mu[] = {0.1}, z[] = {1, -1}, r[] = {0, 0};
  static const double pressed[] = {0.1, 0};
  ss_problem p = {.form = SS_REDUCED, .dim = 2, .nc = 1, .mu = mu, .q = q};
  p.W = (ss_sparse){2, 2, ptr, col, W};
  ss_certificate *c = certify(&p, SS_MARGIN_AUTO);
  assert_int_equal(c->verdict, SS_UNDECIDED);
  assert_int_equal(c->reason, SS_REASON_OUTSIDE);
  ss_certificate x = *c;
  x.verdict = SS_EXISTS, x.reason = SS_REASON_EVERY_W;
  refuses(&p, &x, "verdict");
  x = *c, x.indefinite = z, x.indefinite_value = -2;
  ss_certificate_report report;
  ss_certificate_check(NULL, &p, &x, &report);
  assert_true(report.holds && report.indefinite == -2);
  x.indefinite_value = -1;
  refuses(&p, &x, "indefinite.value");
  x.indefinite = pressed;
  refuses(&p, &x, "indefinite.z");
  ss_solution answer = {.r = r};
  x = *c, x.solution = &answer, x.verdict = SS_EXISTS, x.reason = SS_REASON_SOLUTION;
  ss_certificate_check(NULL, &p, &x, &report);
  assert_true(report.holds && report.solution_error == 0);
  answer.u = z;
  refuses(&p, &x, "solution.u");
  answer = (ss_solution){.r = pressed};
  refuses(&p, &x, "solution");
  ss_certificate_destroy(c);
}

// The time is up before anything is known: nothing is claimed, and that holds.
static void no_time(void **state) {
  (void)state;
  planted t = planted_finite(3, 6, 12, 0, 0.25, 3);
  ss_certify_options o = ss_certify_options_default();
  ss_certificate *c = NULL;
  ss_certificate_report report;
  o.time_limit_s = 1e-9;
  assert_int_equal(ss_certify(NULL, &t.p, &o, &c), SS_OK);
  assert_int_equal(c->verdict, SS_UNDECIDED);
  assert_int_equal(c->reason, SS_REASON_TIME);
  assert_int_equal(ss_certificate_check(NULL, &t.p, c, &report), SS_OK);
  assert_true(report.holds);
  ss_certificate_destroy(c);
  o.time_limit_s = -1;
  assert_int_equal(ss_certify(NULL, &t.p, &o, &c), SS_ERR_ARGUMENT);
  planted_release(&t);
}

// Evidence that was tampered with.
static void refused(void **state) {
  (void)state;
  planted good = planted_finite(3, 4, 9, 0, 0.25, 3), bad = planted_finite(3, 4, 9, 0, -0.25, 4);
  ss_certificate *c = certify(&good.p, SS_MARGIN_EXACT), *d = certify(&bad.p, SS_MARGIN_EXACT), x;
  ss_certificate_report report;
  double v[9], r[12];
  x = *c, x.velocity = memcpy(v, c->velocity, sizeof v);
  v[3] += 1;
  ss_certificate_check(NULL, &good.p, &x, &report);
  assert_false(report.holds);
  x = *c, x.margin += 1e-3;
  ss_certificate_check(NULL, &good.p, &x, &report);
  assert_false(report.holds);
  x = *c, x.for_every_w = SS_YES;
  ss_certificate_check(NULL, &good.p, &x, &report);
  assert_false(report.holds);
  ss_certificate_check(NULL, &bad.p, c, &report);  // of another problem
  assert_false(report.holds);
  x = *d, x.impulse = memcpy(r, d->impulse, sizeof r);
  r[0] *= 1.001;  // out of equilibrium
  ss_certificate_check(NULL, &bad.p, &x, &report);
  assert_false(report.holds);
  assert_true(report.reach < 1e6);
  x = *d, x.verdict = SS_EXISTS;
  ss_certificate_check(NULL, &bad.p, &x, &report);
  assert_false(report.holds);
  x = *c, x.margin -= 1e-3;
  ss_certificate_check(NULL, &good.p, &x, &report);
  assert_false(report.holds);
  x = *c, x.margin += 1, x.margin_exact = false, x.attained = SS_UNKNOWN;
  ss_certificate_check(NULL, &good.p, &x, &report);
  assert_false(report.holds);
  x = *c, x.reason = SS_REASON_REST;
  ss_certificate_check(NULL, &good.p, &x, &report);
  assert_false(report.holds);
  x = *d, x.work = -x.work;
  ss_certificate_check(NULL, &bad.p, &x, &report);
  assert_false(report.holds);
  x = *d, x.jamming_count--;
  ss_certificate_check(NULL, &bad.p, &x, &report);
  assert_false(report.holds);
  memset(v, 0, sizeof v);  // a tolerance as large as the violation proves nothing
  x = *d, x.verdict = SS_EXISTS, x.criterion_A = SS_CRITERION_BOUNDARY;
  x.reason = SS_REASON_BOUNDARY, x.velocity = v, x.tol = 0.9;
  ss_certificate_check(NULL, &bad.p, &x, &report);
  assert_false(report.holds);
  x.tol = -10;
  ss_certificate_check(NULL, &bad.p, &x, &report);
  assert_false(report.holds);
  x = *d, x.verdict = SS_NONE, x.lambda = NULL;
  ss_certificate_check(NULL, &bad.p, &x, &report);
  assert_false(report.holds);
  x = *c, x.margin_low += 1e-6;
  refuses(&good.p, &x, "margin_bounds[0]");
  x = *c, x.margin_high -= 1e-6;
  refuses(&good.p, &x, "margin_bounds[1]");
  x = *c, x.residuals.dual += 1e-6;
  refuses(&good.p, &x, "residuals.dual");
  x = *c, x.direction = x.velocity;
  refuses(&good.p, &x, "direction");
  x = *c, x.verdict = SS_UNDECIDED, x.reason = SS_REASON_DATA;
  refuses(&good.p, &x, "verdict");
  x = *d, x.criterion_A = SS_CRITERION_UNDECIDED;
  refuses(&bad.p, &x, "criterion_A");
  x = *d, x.reason = SS_REASON_TOLERANCE;
  refuses(&bad.p, &x, "reason");
  ss_certificate_destroy(c);
  ss_certificate_destroy(d);
  planted_release(&good);
  planted_release(&bad);
}

// W small beside its largest entry, but regular: r_N = 1e8 is a solution. Nothing may be said to be none.
static void light_and_heavy(void **state) {
  (void)state;
  static const int64_t ptr[] = {0, 1, 2, 3};
  static const int col[] = {0, 1, 2};
  static const double W[] = {1e-8, 1, 1}, q[] = {-1, 0, 0}, mu[] = {0.1};
  ss_problem p = {.form = SS_REDUCED, .dim = 3, .nc = 1, .mu = mu, .q = q};
  p.W = (ss_sparse){3, 3, ptr, col, W};
  ss_certificate *c = certify(&p, SS_MARGIN_AUTO);
  assert_int_not_equal(c->verdict, SS_NONE);
  ss_certificate_destroy(c);
  static const double nothing[3] = {0};
  p.W.x = nothing;  // now it is
  c = certify(&p, SS_MARGIN_AUTO);
  assert_int_equal(c->verdict, SS_NONE);
  ss_certificate_destroy(c);
}

// Every allocation fails once: SS_ERR_MEMORY, nothing kept. (CHOLMOD and LAPACK have memory of their own.)
static void memory(void **state) {
  (void)state;
  planted t = planted_finite(3, 3, 8, 2, -0.3, 2);
  ss_problem *reduced = NULL;
  assert_int_equal(ss_problem_reduce(NULL, &t.p, &reduced), SS_OK);
  for (int form = 0; form < 2; form++) {
    bool done = false;
    for (int give_up = 0; !done; give_up++) {
      budget b = {.left = give_up};
      ss_context ctx = {.alloc = take, .release = give, .user = &b};
      ss_certificate *c = NULL;
      ss_error e = ss_certify(&ctx, form ? reduced : &t.p, NULL, &c);
      done = e == SS_OK;
      assert_true(done || e == SS_ERR_MEMORY);
      assert_true(done == (c != NULL));
      ss_certificate_destroy(c);
      assert_int_equal(b.held, 0);
      assert_true(give_up < 1000);
    }
  }
  ss_problem_destroy(reduced);
  planted_release(&t);
}

// A pile in its reduced form, too large for a basis: W itself is used. Rank 1e-6 blurs nothing here.
static void large_reduced_form(void **state) {
  (void)state;
  ss_pile_options o = ss_pile_options_default();
  ss_problem *pile = NULL, *reduced = NULL;
  o.dim = 2;
  o.contacts = 1700;
  assert_int_equal(ss_generate_pile(NULL, &o, &pile), SS_OK);
  assert_int_equal(ss_problem_reduce(NULL, pile, &reduced), SS_OK);
  assert_true(2 * reduced->nc > 3000);
  ss_certificate *a = certify(pile, SS_MARGIN_AUTO), *b = certify(reduced, SS_MARGIN_AUTO);
  assert_int_equal(a->verdict, SS_EXISTS);
  assert_int_equal(b->verdict, SS_EXISTS);
  ss_certificate_destroy(a);
  ss_certificate_destroy(b);
  ss_problem_destroy(reduced);
  ss_problem_destroy(pile);
}

// The same problem twice: the same bits.
static void repeated(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    planted t = draw(seed + 777);
    ss_certificate *a = certify(&t.p, SS_MARGIN_EXACT), *b = certify(&t.p, SS_MARGIN_EXACT);
    assert_memory_equal(&a->margin, &b->margin, sizeof a->margin);
    assert_memory_equal(a->velocity, b->velocity, sizeof(double) * (size_t)t.p.ndof);
    ss_certificate_destroy(a);
    ss_certificate_destroy(b);
    planted_release(&t);
  }
}

static void arguments(void **state) {
  (void)state;
  ss_context ctx = {0};
  planted t = planted_finite(2, 1, 1, 0, 1, 1);
  ss_certificate *c = (ss_certificate *)&ctx;
  ss_certify_options o = ss_certify_options_default();
  assert_int_equal(ss_certify(&ctx, NULL, &o, &c), SS_ERR_ARGUMENT);
  assert_null(c);
  o.tol = 0;
  assert_int_equal(ss_certify(&ctx, &t.p, &o, &c), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "tol"));
  ss_mu_range range;
  assert_int_equal(ss_certify_mu_range(&ctx, &t.p, NULL, 2, 1, 1e-6, &range), SS_ERR_ARGUMENT);
  ss_certificate_destroy(NULL);
  ss_problem empty = {.form = SS_GLOBAL, .dim = 3};
  assert_int_equal(ss_certify(&ctx, &empty, NULL, &c), SS_OK);
  assert_int_equal(c->reason, SS_REASON_NO_CONTACTS);
  ss_certificate_destroy(c);
  planted_release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_problems), cmocka_unit_test(sparse_problems),
      cmocka_unit_test(bilateral),        cmocka_unit_test(contradictory_joints),
      cmocka_unit_test(reduced_form),     cmocka_unit_test(units),
      cmocka_unit_test(at_rest),          cmocka_unit_test(refused),
      cmocka_unit_test(other_evidence),   cmocka_unit_test(no_time),
      cmocka_unit_test(light_and_heavy),  cmocka_unit_test(arguments),
      cmocka_unit_test(memory),           cmocka_unit_test(large_reduced_form),
      cmocka_unit_test(repeated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
