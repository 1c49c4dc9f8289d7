// Critical friction: which criteria, part by part, and how their answers fit together.
//
// A determinant is affine in the friction m_p of each slipping contact alone, so where it is
// positive at all corners m = +-mu g it is positive inside: if all determinants are positive at one
// mu they are at every smaller one. Hence the critical mu is the smallest root of any pattern (an
// upper bound is any one root), and one walk over all patterns just below an upper bound either
// proves it or finds a smaller one.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/critical.h"
#include "base/error.h"
#include "base/timer.h"

static const double CAP = 1e8;         // mu above this is called infinite
static const double GAP = 1e-11;       // relative, between the walk that proves and the root
static const double GAP_MOST = 1e-7;   // where rounding needs more; above 1e-10 not called exact
static const double BOUND_WORK = 4e8;  // steps times cubes of sizes, for the lower bound of a part
static const double PIVOT = 1e-13;     // of W over its diagonal: singular below
static const double EIGENVALUES =
    10;  // operations of eigenvalues and -vectors over the cube of the size
static const double CHOLESKY = 0.02;  // cubes beside those of eigenvalues

ss_critical_options ss_critical_options_default(void) {
  return (ss_critical_options){
      .effort = 17, .sqp_starts = 64, .seed = 1, .scan_step_deg = 1, .time_limit_s = INFINITY};
}

typedef struct critical_work {
  ss_context *ctx;
  const ss_problem *p;
  ss_critical_options o;
  ssi_arena arena;
  ssi_critical_parts parts;
  ssi_branch *branch;
  ssi_critical_bound *bound;
  ssi_roots *roots;
  ssi_critical_search *search;
  double *dual;            // of the part being tested   (2 largest)^2
  lapack_int *pivot;       // (2 largest)
  double *work;            // (2 largest)^2
  double *at;              // of the bound               (3 largest)
  unsigned char *pattern;  // of one part                (largest)
  unsigned char *failing;  // (largest)
  double end_s;            // when the time limit is over
  double until_s;          // the share of it that the criterion in hand has
  ss_critical_progress now;
  ssi_watch watch;
  bool cancelled;
  bool late;      // until_s has come, or what comes next would take longer
  bool was_late;  // for any criterion
} critical_work;

// What is left of the time is shared equally by the `questions` that are still open: one that takes
// for ever does not leave the others without an answer.
static void take_share(critical_work *j, int questions) {
  double now = ssi_now_s();
  j->until_s = now + (j->end_s - now) / (questions > 0 ? questions : 1);
  j->was_late = j->was_late || j->late;
  j->late = false;
}

static bool stop(void *user, double done) {
  critical_work *j = user;
  if (done >= 0) j->now.done = done;
  if (!j->cancelled && j->o.progress && j->o.progress(j->o.user, &j->now)) j->cancelled = true;
  if (ssi_time_is_over(j->until_s)) j->late = true;
  return j->cancelled || j->late;
}

static bool affords(void *user, double cubes) {
  critical_work *j = user;
  if (!ssi_time_affords(j->until_s, EIGENVALUES * cubes)) j->late = true;
  return !j->late;
}

static ss_error begin(critical_work *j, ss_context *ctx, const ss_problem *p,
                      const ss_critical_options *o) {
  j->ctx = ctx, j->arena.ctx = ctx, j->p = p;
  j->watch = (ssi_watch){stop, affords, j};
  double begin_s = ssi_now_s();
  j->o = o ? *o : ss_critical_options_default();
  if (!(j->o.effort >= 0) || !(j->o.sqp_starts >= 0) || !(j->o.time_limit_s >= 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "effort %d, sqp_starts %d, time_limit_s %g: expected >= 0", j->o.effort,
                    j->o.sqp_starts, j->o.time_limit_s);
  j->end_s = j->until_s = begin_s + j->o.time_limit_s;
  SS_TRY(ssi_critical_parts_create(ctx, p, j->o.scale_mu, &j->arena, &j->parts));
  int n = j->parts.largest;
  int64_t size = 4 * (int64_t)n * n;
  j->dual = SSI_TAKE(&j->arena, size, double), j->work = SSI_TAKE(&j->arena, size, double);
  j->pivot = SSI_TAKE(&j->arena, 2 * (int64_t)n, lapack_int);
  j->pattern = SSI_TAKE(&j->arena, n, unsigned char);
  j->failing = SSI_TAKE(&j->arena, n, unsigned char);
  j->roots = ssi_roots_create(&j->arena, n), j->search = ssi_critical_search_create(&j->arena, n);
  j->branch = ssi_branch_create(&j->arena, n < SSI_BRANCH_CONTACTS ? n : SSI_BRANCH_CONTACTS);
  j->bound = ssi_critical_bound_create(&j->arena, n);
  j->at = SSI_TAKE(&j->arena, 3 * (int64_t)n, double);
  return j->arena.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "out of memory for %d contacts", p->nc)
                         : SS_OK;
}

// ---- one part ----------------------------------------------------------------------------------

// W^-T with n and t of each contact exchanged. False: W is singular.
static bool make_dual(critical_work *j, const ssi_critical_part *p) {
  int N = 2 * p->n;
  memcpy(j->dual, p->W, sizeof(double) * (size_t)N * (size_t)N);
  if (LAPACKE_dgetrf_work(LAPACK_ROW_MAJOR, N, N, j->dual, N, j->pivot) ||
      LAPACKE_dgetri_work(LAPACK_ROW_MAJOR, N, j->dual, N, j->pivot, j->work, N * N))
    return false;
  memcpy(j->work, j->dual, sizeof(double) * (size_t)N * (size_t)N);
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) j->dual[(a ^ 1) * N + (b ^ 1)] = j->work[b * N + a];
  return true;
}

static unsigned char undual(unsigned char s) {
  static const unsigned char to[] = {SS_PATTERN_STICK, SS_PATTERN_FREE, SS_PATTERN_SLIP_MINUS,
                                     SS_PATTERN_SLIP_PLUS, SS_PATTERN_CROSS};
  return to[s];
}

static double budget_of(const critical_work *j) {
  return ssi_pattern_count(j->o.effort, SSI_STATES_BIJECTIVE);
}

// All patterns of one part at mu; the failing one into j->failing.
static ss_error walk(critical_work *j, const ssi_critical_part *p, unsigned states, double mu,
                     double budget, ssi_signs *out) {
  *out = SSI_STOPPED;
  if (p->n > SSI_BRANCH_CONTACTS || stop(j, -1)) return SS_OK;
  if (states & 1 << SS_PATTERN_FREE) {
    *out = ssi_branch_test(j->branch, p, states, mu, budget, &j->watch, j->failing);
    return SS_OK;
  }
  if (!make_dual(j, p)) return ssi_fail(j->ctx, SS_ERR_LINEAR, "W is singular");
  ssi_critical_part dual = *p;
  dual.W = j->dual;
  unsigned dual_states = (states & ~(1u << SS_PATTERN_STICK)) | 1u << SS_PATTERN_FREE;
  *out = ssi_branch_test(j->branch, &dual, dual_states, mu, budget, &j->watch, j->failing);
  for (int i = 0; i < p->n; i++) j->failing[i] = undual(j->failing[i]);
  return SS_OK;
}

// Proves or improves v->upper (with j->pattern) by walks over all patterns.
static ss_error prove(critical_work *j, const ssi_critical_part *p, unsigned states,
                      ss_critical_value *v) {
  for (double gap = GAP; gap <= GAP_MOST * 1.01;) {
    if (v->upper > CAP) v->upper = INFINITY;
    double mu = isfinite(v->upper) ? v->upper * (1 - gap) : CAP;
    ssi_signs signs;
    j->now.upper = v->upper, j->now.done = 0, j->now.total = ssi_pattern_count(p->n, states);
    SS_TRY(walk(j, p, states, mu, budget_of(j), &signs));
    if (signs == SSI_STOPPED) return SS_OK;
    v->patterns += j->now.total;
    if (signs == SSI_ALL_POSITIVE) {
      v->lower = isfinite(v->upper) ? mu : INFINITY;
      v->exact = gap <= 1e-10;
      return SS_OK;
    }
    double root = ssi_pattern_root(j->roots, p, j->failing, false);
    if (!(root < mu)) {  // the sign was rounding: stand further off
      gap *= 10;
      continue;
    }
    memcpy(j->pattern, j->failing, (size_t)p->n);
    v->upper = root;
    if (!ssi_critical_search_descend(j->search, j->roots, p, states, &j->watch, j->pattern,
                                     &v->upper))
      return ssi_fail(j->ctx, SS_ERR_LINEAR, "eigenvalues of a pattern did not converge");
  }
  return SS_OK;
}

// What the callback is told until the walk over all patterns begins.
static void announce(critical_work *j, ss_criterion c, const ssi_critical_part *p) {
  j->now = (ss_critical_progress){c, 0, ssi_pattern_count(p->n, ssi_criterion_states(c)), INFINITY};
}

// hint: a pattern (of all contacts) to begin the search with; NULL: none.
static ss_error part_value(critical_work *j, const ssi_critical_part *p, ss_criterion c,
                           double lower, const unsigned char *hint, ss_critical_value *v) {
  *v = (ss_critical_value){.computed = true, .lower = lower, .upper = INFINITY};
  announce(j, c, p);
  for (int i = 0; i < p->n; i++) j->pattern[i] = hint ? hint[p->contact[i]] : SS_PATTERN_STICK;
  if (c == SS_ANDERSSON && p->n <= SSI_ANDERSSON_CONTACTS) {
    if (!ssi_critical_andersson(j->roots, p, &j->watch, j->pattern, &v->upper, &v->patterns,
                                &v->exact))
      return ssi_fail(j->ctx, SS_ERR_LINEAR, "eigenvalues of a pattern did not converge");
    if (v->upper > CAP) v->upper = INFINITY;
    if (v->exact) v->lower = v->upper * (1 - GAP);
    return SS_OK;
  }
  unsigned states = ssi_criterion_states(c);
  if (!affords(j, 8.0 * p->n * p->n * p->n)) return SS_OK;
  v->upper = ssi_pattern_root(j->roots, p, j->pattern, false);
  if (isnan(v->upper) || !ssi_critical_search_many(j->search, j->roots, p, states, j->o.seed,
                                                   &j->watch, j->pattern, &v->upper))
    return ssi_fail(j->ctx, SS_ERR_LINEAR, "eigenvalues of a pattern did not converge");
  return j->cancelled ? SS_OK : prove(j, p, states, v);
}

// The weakest pivot of the symmetric part of W over its diagonal entry; <= 0: not positive
// definite.
static double weakest_pivot(critical_work *j, const ssi_critical_part *p) {
  int N = 2 * p->n;
  double weakest = 1;
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) j->work[b * N + a] = (p->W[a * N + b] + p->W[b * N + a]) / 2;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', N, j->work, N)) return 0;
  for (int a = 0; a < N; a++)
    weakest = fmin(weakest, j->work[a * N + a] * j->work[a * N + a] / p->W[a * N + a]);
  return weakest;
}

// ---- all parts ---------------------------------------------------------------------------------

// The smaller of two parts' values into *all; pattern (nc) is that of all's upper, others stick.
static void join(const ssi_critical_part *p, int nc, const ss_critical_value *v,
                 const unsigned char *states, ss_critical_value *all, unsigned char *pattern) {
  all->patterns += v->patterns;
  all->lower = fmin(all->lower, v->lower);
  all->exact = all->exact && v->exact;
  if (!(v->upper < all->upper)) return;
  all->upper = v->upper;
  memset(pattern, SS_PATTERN_STICK, (size_t)nc);
  for (int i = 0; i < p->n; i++) pattern[p->contact[i]] = states[i];
  all->pattern = pattern;
}

static ss_error criterion_value(critical_work *j, int nc, ss_criterion c, const double *bound,
                                const unsigned char *hint, ss_critical_value *all,
                                unsigned char *pattern) {
  *all = (ss_critical_value){
      .computed = true, .exact = true, .lower = INFINITY, .upper = INFINITY, .mu = NAN};
  for (int k = 0; k < j->parts.count; k++) {
    const ssi_critical_part *p = &j->parts.part[k];
    if (bound[k] > all->upper) continue;  // cannot be the smallest
    ss_critical_value v;
    SS_TRY(part_value(j, p, c, bound[k], hint, &v));
    join(p, nc, &v, j->pattern, all, pattern);
  }
  // a part that is not settled does not matter when its lower bound is above another's root
  if (all->lower >= all->upper * (1 - 1e-10)) all->exact = true;
  if (all->exact) all->mu = all->upper;
  return SS_OK;
}

static double asymmetry(const ssi_critical_part *p) {
  double skew = 0, sum = 0;
  for (int a = 0; a < 2 * p->n; a++)
    for (int b = 0; b < 2 * p->n; b++) {
      double x = p->W[a * 2 * p->n + b], y = p->W[b * 2 * p->n + a];
      skew = fmax(skew, fabs(x - y)), sum = fmax(sum, fabs(x));
    }
  return sum > 0 ? skew / sum : 0;
}

// Lower bounds of all parts, and whether some determinant is not positive even without friction.
// For a symmetric W that is the case if and only if it is not positive definite.
static ss_error all_bounds(critical_work *j, ss_critical *r, double *bound) {
  bool hidden = false;
  SS_TRY(ssi_joints_hide_W(j->ctx, j->p, &hidden));
  for (int k = 0; k < j->parts.count && !r->singular; k++) {
    const ssi_critical_part *p = &j->parts.part[k];
    announce(j, SS_BIJECTIVE, p);
    double evaluations = 0, cube = 8.0 * p->n * p->n * p->n;
    int steps = ssi_pattern_count(p->n, SSI_STATES_PMATRIX) <= budget_of(j) ? 0
                : cube * 200 < BOUND_WORK                                   ? 200
                                          : (int)(BOUND_WORK / cube);
    bound[k] = ssi_critical_bound_lower(j->bound, p, false, j->at, steps, INFINITY, &j->watch,
                                        &evaluations);
    if (!affords(j, CHOLESKY * cube) || (!hidden && weakest_pivot(j, p) > PIVOT)) continue;
    if (hidden) {
      r->doubtful = true;
      continue;
    }
    if (asymmetry(p) < 1e-9) {
      r->singular = ssi_is_singular_for_certain(&j->arena, j->p, p, j->work);
      if (j->arena.failed) return ssi_fail(j->ctx, SS_ERR_MEMORY, "out of memory");
      r->doubtful = r->doubtful || !r->singular;
      continue;
    }
    ssi_signs signs;
    SS_TRY(walk(j, p, SSI_STATES_BIJECTIVE, 0, budget_of(j), &signs));
    r->singular = signs == SSI_ONE_FAILS;
  }
  return SS_OK;
}

static ss_error all_sqp(critical_work *j, ss_critical *r) {
  r->sqp = j->parts.count ? NAN : INFINITY;
  for (int k = 0; k < j->parts.count && !stop(j, 0); k++) {  // some parts give a bound too
    double mu;
    SS_TRY(ssi_critical_sqp(j->ctx, &j->parts.part[k], j->o.sqp_starts, j->o.seed, &j->watch, &mu));
    r->sqp = fmin(r->sqp, mu);  // fmin: a NAN gives way
  }
  return SS_OK;
}

static ss_error compute(critical_work *j, unsigned wanted, ss_critical *r,
                        unsigned char *patterns) {
  double *bound = SSI_TAKE(&j->arena, j->parts.count, double);
  if (j->arena.failed) return ssi_fail(j->ctx, SS_ERR_MEMORY, "out of memory");
  r->parts = j->parts.count, r->largest = j->parts.largest, r->sqp = NAN;
  bool sqp = wanted >> SS_SIMPLIFIED & 1 && j->o.sqp_starts;
  int open = 1 + sqp;  // questions, the lower bounds among them
  for (int c = 0; c < SS_CRITERIA; c++) open += wanted >> c & 1;
  take_share(j, open--);
  SS_TRY(all_bounds(j, r, bound));
  if (r->singular) return ssi_critical_all_zero(r, wanted, patterns), SS_OK;
  if (r->doubtful) return ssi_critical_nothing_known(r, wanted), SS_OK;
  for (int c = 0; c < SS_CRITERIA; c++) {
    unsigned char *pattern = patterns + (size_t)c * (size_t)r->contacts;
    if (!(wanted >> c & 1)) continue;
    take_share(j, open--);
    bool same = c == SS_ANDERSSON && r->largest > SSI_ANDERSSON_CONTACTS;
    if (same && r->value[SS_BIJECTIVE].computed) {  // by equivalence: nothing new to look at
      r->value[c] = r->value[SS_BIJECTIVE], r->value[c].patterns = 0;
      continue;
    }
    const unsigned char *hint = c == SS_PMATRIX ? r->value[SS_BIJECTIVE].pattern : NULL;
    SS_TRY(criterion_value(j, r->contacts, (ss_criterion)c, bound, hint, &r->value[c], pattern));
  }
  j->now = (ss_critical_progress){.criterion = SS_SIMPLIFIED, .total = 1, .upper = NAN};
  take_share(j, 1);
  if (sqp && !j->cancelled) SS_TRY(all_sqp(j, r));
  ssi_critical_order(r, wanted);
  r->cancelled = j->cancelled;
  r->late = j->late || j->was_late;
  return SS_OK;
}

typedef struct owned {
  ss_critical result;  // first, so that ss_critical_destroy finds its owner
  ssi_arena arena;
} owned;

ss_error ss_critical_compute(ss_context *ctx, const ss_problem *p, const ss_critical_options *o,
                             ss_critical **out) {
  if (!p || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_critical_compute: null argument");
  *out = NULL;
  critical_work j = {0};
  ss_error e = begin(&j, ctx, p, o);
  ssi_arena arena = {.ctx = ctx};
  owned *r = e ? NULL : SSI_TAKE(&arena, 1, owned);
  unsigned char *patterns =
      e ? NULL : SSI_TAKE(&arena, SS_CRITERIA * (int64_t)p->nc, unsigned char);
  if (!e && arena.failed) e = ssi_fail(ctx, SS_ERR_MEMORY, "out of memory");
  if (!e) {
    unsigned wanted =
        j.o.criteria ? j.o.criteria & ((1u << SS_CRITERIA) - 1) : (1u << SS_CRITERIA) - 1;
    r->result.contacts = p->nc;
    for (int c = 0; c < SS_CRITERIA; c++) r->result.value[c].mu = NAN;
    e = compute(&j, wanted, &r->result, patterns);
  }
  ssi_arena_release(&j.arena);
  if (e) return ssi_arena_release(&arena), e;
  r->arena = arena;
  *out = &r->result;
  return SS_OK;
}

void ss_critical_destroy(ss_critical *c) {
  if (!c) return;
  ssi_arena_release_home(((owned *)c)->arena);
}

ss_error ss_critical_test(ss_context *ctx, const ss_problem *p, ss_criterion c, double mu,
                          const ss_critical_options *o, bool *holds, unsigned char *pattern,
                          double *patterns) {
  if (!p || !holds || (unsigned)c >= SS_CRITERIA || !(mu >= 0) || !isfinite(mu))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "ss_critical_test: null argument, or mu %g, expected >= 0", mu);
  critical_work j = {0};
  ss_error e = begin(&j, ctx, p, o);
  ssi_signs signs = SSI_ALL_POSITIVE;
  if (patterns) *patterns = 0;
  for (int k = 0; !e && signs == SSI_ALL_POSITIVE && k < j.parts.count; k++) {
    const ssi_critical_part *part = &j.parts.part[k];
    if (part->n > SSI_BRANCH_CONTACTS)
      e = ssi_fail(ctx, SS_ERR_METHOD, "%d contacts hang together, expected at most %d", part->n,
                   SSI_BRANCH_CONTACTS);
    else
      announce(&j, c, part), e = walk(&j, part, ssi_criterion_states(c), mu, INFINITY, &signs);
    if (e) break;
    if (patterns) *patterns += ssi_pattern_count(part->n, ssi_criterion_states(c));
    if (signs != SSI_ONE_FAILS || !pattern) continue;
    memset(pattern, SS_PATTERN_STICK, (size_t)p->nc);
    for (int i = 0; i < part->n; i++) pattern[part->contact[i]] = j.failing[i];
  }
  if (!e && signs == SSI_STOPPED)
    e = ssi_fail(ctx, SS_ERR_UNSUPPORTED, "stopped before all patterns were looked at");
  *holds = signs == SSI_ALL_POSITIVE;
  ssi_arena_release(&j.arena);
  return e;
}
