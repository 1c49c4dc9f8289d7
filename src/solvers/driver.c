// The one loop every method runs in: same stopping test, same clock, same accounting.
//
// Inside the loop the residual is measured in plain arithmetic, and not after every step: a method's
// free estimate, calibrated by the last true measure, tells when it is worth while. `solved` is said
// only after problem/verify.c agrees, from the caller's data, in double-double arithmetic.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "base/timer.h"
#include "problem/check.h"
#include "problem/fingerprint.h"
#include "problem/verify.h"
#include "solvers/method.h"

struct ss_solver {
  ssi_pool *pool;   // all memory below, used again when the solver gets another problem
  ss_context *ctx;  // that of the pool
  ssi_arena home;   // this struct, state and initial
  ssi_arena arena;  // what else the driver needs for the problem at hand
  ssi_arena method_arena;
  ss_options o;
  ssi_fingerprint print;
  bool ready;  // false after a failed change of the problem
  ssi_system *sys;
  ssi_judge judge;
  const ssi_method *method;
  void *state;
  void *initial;   // the state with nothing but its options
  double *u;       // (m)
  double *best;    // iterate with the smallest measure so far   (m)
  double *l;       // (nl)
  double *gap;     // that l leaves in the joints   (nl)
  double *q;       // of the system as it was before corrections, with joints   (m)
  uint32_t tried;  // in the last solve, bits of ssi_method_bit
  double time_setup_s;
  double unspent_s;  // of time_setup_s: counts towards the limit of the first solve
};

const char *ss_status_name(ss_status s) {
  static const char *const names[] = {
      [SS_UNSOLVED] = "unsolved", [SS_SOLVED] = "solved",         [SS_STALLED] = "stalled",
      [SS_MAX_ITER] = "max_iter", [SS_TIME_LIMIT] = "time_limit", [SS_CANCELLED] = "cancelled",
      [SS_ACCEPTED] = "accepted"};
  return (size_t)s < sizeof names / sizeof *names ? names[s] : "unknown";
}

ss_options ss_options_default(void) {
  return (ss_options){
      .method = "auto", .tol = 1e-8, .measure = SS_MEASURE_ERROR, .seed = 1, .threads = 1};
}

static ss_error check_options(ss_context *ctx, const ss_options *o) {
  if (!(o->tol > 0) || !isfinite(o->tol))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "tolerance is %g, expected a positive number", o->tol);
  if (o->max_iter < 0 || o->check_every < 0 || o->setting_count < 0)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "max_iter, check_every and setting_count must be >= 0");
  if (o->setting_count && !o->settings)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%d settings, but the array of settings is NULL",
                    o->setting_count);
  if (!(o->time_limit_s >= 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "time limit is %g s, expected >= 0", o->time_limit_s);
  if (o->threads < 0 || o->threads > SS_THREADS_MAX)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "threads is %d, expected 0 to %d", o->threads,
                    SS_THREADS_MAX);
  if (o->measure < SS_MEASURE_ERROR || o->measure > SS_MEASURE_BOTH)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "unknown measure %d", (int)o->measure);
  return SS_OK;
}

// ---- life cycle ----------------------------------------------------------------------------

static ss_error set_up_method(ss_solver *s) {
  memcpy(s->state, s->initial, s->method->state_size);
  if (s->method->setup) SS_TRY(s->method->setup(s->state, s->sys, s->o.seed, &s->method_arena));
  if (s->method_arena.failed) return SS_ERR_MEMORY;
  s->method_arena.sealed = true;
  s->sys->keep_blocks = s->sys->W.ptr != NULL;
  return SS_OK;
}

static void release_method(ss_solver *s) {
  if (s->method->release) s->method->release(s->state);
  memcpy(s->state, s->initial, s->method->state_size);
  ssi_arena_reset(&s->method_arena);
}

static ss_error refresh_method(ss_solver *s) {
  return s->method->refresh ? s->method->refresh(s->state, s->sys) : SS_OK;
}

static ss_error fill_solver(ss_solver *s, const ss_problem *p) {
  SS_TRY(ssi_system_create_for(s->ctx, p, ssi_threads(s->o.threads), &s->sys));
  s->sys->tol = s->o.tol;
  s->sys->measure = s->o.measure;
  s->sys->stop = s->o.stop, s->sys->doubt = s->o.doubt, s->sys->user = s->o.user;
  size_t m = (size_t)s->sys->m;
  size_t nl = (size_t)p->nl;
  s->u =
      SSI_TAKE(&s->arena, (nl ? 3 : 2) * m + 2 * nl, double);  // one block: tiny problems feel it
  if (s->arena.failed) return SS_ERR_MEMORY;
  s->best = s->u + m;
  s->l = s->best + m;
  s->gap = s->l + nl;
  s->q = nl ? s->gap + nl : NULL;
  SS_TRY(ssi_judge_create(&s->arena, &s->sys->p, s->sys->mass, s->sys->lambda_max,
                          &s->sys->components, &s->judge));
  if (s->arena.failed) return SS_ERR_MEMORY;
  s->arena.sealed = true;
  SS_TRY(set_up_method(s));
  return refresh_method(s);
}

static void empty_solver(ss_solver *s) {
  release_method(s);
  ssi_system_destroy(s->sys);
  s->sys = NULL;
  ssi_arena_reset(&s->arena);
}

// The outcome of creating a solver for p or of giving it another problem.
static ss_error conclude(ss_solver *s, ss_error e, ssi_fingerprint print, double start) {
  s->ready = !e;
  s->print = print;
  s->time_setup_s = s->unspent_s = ssi_now_s() - start;
  return e == SS_ERR_MEMORY
             ? ssi_fail(s->ctx, e, "out of memory while setting up %s", s->method->name)
             : e;
}

static ss_error make_solver(ssi_pool *pool, const ssi_method *method, const ss_options *o,
                            ss_solver **out) {
  ss_context *ctx = ssi_pool_context(pool);
  ssi_arena home = {.ctx = ctx};
  ss_solver *s = SSI_TAKE(&home, 1, ss_solver);
  char *states = ssi_arena_take(&home, 2, method->state_size);
  ss_error e = home.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "out of memory")
                           : ssi_settings_apply(ctx, method, o->settings, o->setting_count, states);
  if (e) {
    ssi_arena_release(&home);
    return e;
  }
  *s = (ss_solver){.pool = pool, .ctx = ctx, .o = *o, .method = method, .home = home};
  s->initial = states, s->state = states + method->state_size;
  s->o.settings = NULL;  // read; the caller's array need not live on
  s->o.setting_count = 0;
  s->arena.ctx = s->method_arena.ctx = ctx;
  *out = s;
  return SS_OK;
}

ss_error ss_solver_create(ss_context *ctx, const ss_problem *p, const ss_options *o,
                          ss_solver **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_solver_create: out is NULL");
  *out = NULL;
  if (!p || !o) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_solver_create: null argument");
  double start = ssi_now_s();
  SS_TRY(check_options(ctx, o));
  const ssi_method *method = ssi_method_find(o->method);
  if (!method)
    return ssi_fail(ctx, SS_ERR_METHOD, "unknown method '%s'", o->method ? o->method : "(null)");
  if (!o->checked) SS_TRY(ssi_problem_check_data(ctx, p));
  ssi_pool *pool = ssi_pool_create(ctx);
  if (!pool) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory");
  ss_solver *s = NULL;
  ss_error e = make_solver(pool, method, o, &s);
  if (!e) e = conclude(s, fill_solver(s, p), ssi_fingerprint_of(p), start);
  ssi_pool_answer(pool, e);
  if (e) {
    ss_solver_destroy(s);
    if (!s) ssi_pool_destroy(pool);
    return e;
  }
  *out = s;
  return SS_OK;
}

void ss_solver_destroy(ss_solver *s) {
  if (!s) return;
  empty_solver(s);
  ssi_arena_release(&s->method_arena);
  ssi_arena_release(&s->arena);
  ssi_pool *pool = s->pool;
  ssi_arena_release_home(s->home);
  ssi_pool_destroy(pool);
}

// New numbers in the matrices.
static ss_error renew(ss_solver *s, const ss_problem *p) {
  bool moved;
  SS_TRY(ssi_system_renew(s->sys, p, &moved));
  ssi_judge_renew(&s->judge, s->sys->lambda_max);
  if (!moved && s->method->renew) {
    SS_TRY(s->method->renew(s->state, s->sys));
  } else {
    release_method(s);
    SS_TRY(set_up_method(s));
  }
  return refresh_method(s);
}

static ss_error change(ss_solver *s, const ss_problem *p, bool structure_too) {
  double start = ssi_now_s();
  if (!s->o.checked) SS_TRY(ssi_problem_check_data(s->ctx, p));
  ssi_fingerprint print = ssi_fingerprint_of(p);
  bool same = s->ready && print.structure == s->print.structure;
  if (!same && !structure_too)
    return ssi_fail(s->ctx, SS_ERR_ARGUMENT, "ss_solver_update: %s; ss_solver_retarget is for that",
                    s->ready ? "sizes or patterns of the matrices have changed"
                             : "the last change of the problem failed");
  ssi_pool_keep(s->pool);
  ss_error e;
  if (!same) {
    empty_solver(s);
    e = fill_solver(s, p);
  } else if (print.numbers != s->print.numbers) {
    e = renew(s, p);
  } else {
    ssi_judge_reload(&s->judge);
    e = ssi_system_update(s->sys, p);
    if (!e) e = refresh_method(s);
  }
  ssi_pool_age(s->pool);
  return conclude(s, e, print, start);
}

ss_error ss_solver_update(ss_solver *s, const ss_problem *p) {
  if (!s) return SS_ERR_ARGUMENT;
  ss_error e = p ? change(s, p, false)
                 : ssi_fail(s->ctx, SS_ERR_ARGUMENT, "ss_solver_update: null argument");
  return ssi_pool_answer(s->pool, e);
}

ss_error ss_solver_retarget(ss_solver *s, const ss_problem *p) {
  if (!s) return SS_ERR_ARGUMENT;
  ss_error e = p ? change(s, p, true)
                 : ssi_fail(s->ctx, SS_ERR_ARGUMENT, "ss_solver_retarget: null argument");
  return ssi_pool_answer(s->pool, e);
}

// ---- the loop ------------------------------------------------------------------------------

typedef struct run {
  ss_info now;
  double start;
  double best;          // smallest measure so far
  double verify_below;  // plain measure at which the next verification is worth its cost
  double ratio;         // true measure over the method's estimate, from the last measure
  double equality;      // part of the error that the joints leave, at the last verification
  double verified;      // what tol bounds, as verified last
  double corrected;     // the same when q was last corrected to go on from an answer
  bool reloaded;        // q was corrected
  int64_t next_check;   // iteration at which a measure is due whatever the estimate says
  double *u, *v, *l;    // the caller's, filled by the last verification; may be NULL
} run;

static double measure(ss_solver *s, const double *r, run *c) {
  ssi_system_velocity(s->sys, r, s->u);
  ssi_system_measure(s->sys, r, s->u, &c->now.error, &c->now.error_fclib);
  c->now.checks++;
  ss_verdict now = {.error = c->now.error, .error_fclib = c->now.error_fclib};
  return isfinite(now.error) && isfinite(now.error_fclib) ? ss_verdict_measure(&now, s->o.measure)
                                                          : INFINITY;
}

// Where joints are nearly redundant l is a difference of large numbers, and what rounding leaves of it is taken back:
// the gap is known in double-double arithmetic. u is off by more than the gap where they are weak.
static ss_error refine_multipliers(ss_solver *s, const ss_solution *answer, const run *c,
                                   ss_verdict *verdict) {
  enum { REFINEMENTS = 3 };  // each gains what R's condition leaves of the sixteen digits
  for (int k = 0; k < REFINEMENTS; k++) {
    bool off = s->sys->bilateral.weak && ss_verdict_measure(verdict, s->o.measure) > s->o.tol;
    if (!off && !(verdict->equality > s->o.tol)) break;
    for (int j = 0; j < s->sys->p.nl; j++) s->gap[j] = s->judge.motion.gap[j].hi;
    SS_TRY(ssi_bilateral_refine(&s->sys->bilateral, s->gap, s->l));
    SS_TRY(ssi_judge_answer(&s->judge, answer, c->u, c->v, c->l, NULL, verdict));
  }
  return SS_OK;
}

// The verdict of problem/verify.c on r; fills the figures that the caller will see.
static ss_error verify(ss_solver *s, const double *r, run *c) {
  ss_verdict verdict;
  bool joined = s->sys->p.nl > 0;
  if (joined) ssi_bilateral_multipliers(&s->sys->bilateral, r, s->l);
  ss_solution answer = {.r = r, .l = joined ? s->l : NULL};
  SS_TRY(ssi_judge_answer(&s->judge, &answer, c->u, c->v, c->l, NULL, &verdict));
  if (joined) SS_TRY(refine_multipliers(s, &answer, c, &verdict));
  c->now.error = verdict.error;
  c->now.error_fclib = verdict.error_fclib;
  c->verified = ss_verdict_measure(&verdict, s->o.measure);
  c->equality = verdict.equality;
  return SS_OK;
}

// l leaves as little of V^T r + R l + s as it can, so what is left does not go away with more steps.
static bool joints_contradict(ss_solver *s, const run *c) {
  if (s->o.measure == SS_MEASURE_FCLIB || c->equality <= s->o.tol) return false;
  ssi_log(s->ctx, SS_LOG_WARN,
          "the bilateral constraints are not met: %.3g of the error is left in them, more than "
          "the tolerance",
          c->equality);
  return true;
}

// Joints are eliminated, and where they are nearly redundant W - V R^+ V^T and q - V R^+ s are known to some digits only:
// r solves that problem and not the one given. With q such that both give r the velocity that the raw data gives
// it, what is left is the error of W times the change of r: the method goes on from r. (Iterative refinement.)
static ss_error match_load(ss_solver *s, run *c) {
  size_t m = (size_t)s->sys->m;
  if (!c->reloaded) memcpy(s->q, s->sys->q, m * sizeof *s->q);
  c->reloaded = true;
  for (size_t k = 0; k < m; k++) s->sys->q[k] += s->judge.motion.u[k].hi - s->u[k];
  return refresh_method(s);
}

static ss_error correct_load(ss_solver *s, const double *r, run *c) {
  if (!s->q || !(c->verified < 0.5 * c->corrected)) return SS_OK;
  c->corrected = c->verified;
  c->verify_below = INFINITY;
  c->best = INFINITY;
  SS_TRY(match_load(s, c));
  if (s->method->begin) s->method->begin(s->state, s->sys, r);
  return SS_OK;
}

// The same before the first step where joints are weak: where they leave no motion W - V R^+ V^T is nothing but
// rounding, and impulses of any size would answer a q that is off.
static ss_error begin_with_true_load(ss_solver *s, const double *r, run *c) {
  if (!s->q || !s->sys->m || !s->sys->bilateral.weak) return SS_OK;
  ssi_system_velocity(s->sys, r, s->u);
  SS_TRY(verify(s, r, c));
  return match_load(s, c);
}

// The same bits in the next solve.
static ss_error restore_load(ss_solver *s, const run *c) {
  if (!c->reloaded) return SS_OK;
  memcpy(s->sys->q, s->q, (size_t)s->sys->m * sizeof *s->q);
  return refresh_method(s);
}

// Measures r, keeps it if it is the best, and decides whether the run ends here.
static ss_error look(ss_solver *s, const double *r, double estimate, run *c) {
  double value = measure(s, r, c);
  if (s->method->notice && c->now.iterations) s->method->notice(s->state, value);
  if (value < c->best || c->now.iterations == 0) {
    c->best = value;
    if (s->sys->m) memcpy(s->best, r, sizeof(double) * (size_t)s->sys->m);
  }
  c->ratio = estimate > 0 ? value / estimate : INFINITY;
  int every = s->o.check_every ? s->o.check_every : 10 + c->now.iterations / 5;
  c->next_check = (int64_t)c->now.iterations + every;
  if (value <= s->o.tol && value <= c->verify_below) {
    SS_TRY(verify(s, r, c));
    if (c->verified <= s->o.tol)
      c->now.status = SS_SOLVED;
    else if (joints_contradict(s, c))
      c->now.status = SS_STALLED;
    c->verify_below = 0.5 * value;
    if (!c->now.status) SS_TRY(correct_load(s, r, c));
  }
  if (!c->now.status && !isfinite(value)) c->now.status = SS_STALLED;
  bool tells = c->now.iterations && s->method->own_test;
  c->now.own_test = tells ? s->method->own_test(s->state) : NAN;
  c->now.time_solve_s = ssi_now_s() - c->start;
  if (s->o.progress && s->o.progress(s->o.user, &c->now) && !c->now.status)
    c->now.status = SS_CANCELLED;
  return SS_OK;
}

static bool worth_a_look(const ss_solver *s, const run *c, double estimate) {
  if (c->now.iterations >= c->next_check) return true;
  if (s->o.check_every) return false;
  return isnan(estimate) || estimate * fmin(c->ratio, 1) <= s->o.tol;
}

// Where the velocities of a guess, or their squares, are beyond the range of doubles it tells nothing: r = 0 in its place,
// unless that is no better, and the data is at fault. The guess is measured twice only where it is that large.
static void drop_wild_guess(ss_solver *s, double *r, run *c) {
  static const double LARGE = 1e100;  // far from 1e154, beyond which squares are infinite
  size_t m = (size_t)s->sys->m;
  double size = 0, stiff = 0;
  for (size_t k = 0; k < m; k++) size = fmax(size, fabs(r[k]));
  for (int i = 0; i < s->sys->nc; i++) stiff = fmax(stiff, s->sys->lambda_max[i]);
  if (!(size * fmax(stiff, 1) > LARGE) || isfinite(measure(s, r, c))) return;
  memcpy(s->best, r, m * sizeof *r);
  memset(r, 0, m * sizeof *r);
  if (isfinite(measure(s, r, c)))
    ssi_log(s->ctx, SS_LOG_WARN,
            "the guess leaves velocities beyond the range of numbers; r = 0 is used in its place");
  else
    memcpy(r, s->best, m * sizeof *r);
}

static ss_error iterate(ss_solver *s, double *r, run *c) {
  int max_iter = s->o.max_iter ? s->o.max_iter : s->method->max_iter;
  double begin = ssi_now_s();
  drop_wild_guess(s, r, c);
  SS_TRY(begin_with_true_load(s, r, c));
  SS_TRY(look(s, r, NAN, c));
  if (s->method->begin) s->method->begin(s->state, s->sys, r);
  while (!c->now.status) {
    double estimate = NAN;
    if (ssi_system_stopped(s->sys)) return c->now.status = SS_CANCELLED, SS_OK;
    ssi_verdict v = s->method->step(s->state, s->sys, r, &estimate);
    c->now.iterations++;
    double spent_s = s->unspent_s + ssi_now_s() - begin;
    bool late = s->o.time_limit_s > 0 && spent_s > s->o.time_limit_s;
    bool last = v != SSI_CONTINUE || c->now.iterations >= max_iter || late;
    if (last || worth_a_look(s, c, estimate)) SS_TRY(look(s, r, estimate, c));
    if (c->now.status || !last) continue;
    c->now.status = v == SSI_ACCEPTED  ? SS_ACCEPTED
                    : v == SSI_STALLED ? SS_STALLED
                    : late             ? SS_TIME_LIMIT
                                       : SS_MAX_ITER;
  }
  return SS_OK;
}

// r = 0 in the components whose q is zero as far as the data can tell; whether that changes r.
static bool unload_still_components(const ss_solver *s, double *r) {
  const ssi_components *parts = s->judge.parts;
  const ssi_load_scale *load = &s->judge.load;
  int d = s->sys->dim;
  bool changes = false;
  for (int k = 0; k < parts->count; k++) {
    if (!load->still[k] && load->scale[k] > 0) continue;
    for (int at = parts->first[k]; at < parts->first[k + 1]; at++)
      for (int j = 0; j < d; j++) {
        double *x = &r[(int64_t)d * parts->contact[at] + j];
        changes = changes || *x != 0;
        *x = 0;
      }
  }
  return changes;
}

// There r = 0 is as good as the data, and is the answer: what a method makes of rounding is rounding, and a guess may be
// anything.
static ss_error answer_rounding_by_zero(ss_solver *s, double *r, run *c) {
  size_t size = sizeof *r * (size_t)s->sys->m;
  double found = c->verified;
  if (!s->judge.load_known || !isfinite(found))
    return SS_OK;  // numbers overflow: of q nothing is known
  if (size) memcpy(s->best, r, size);
  if (!unload_still_components(s, r)) return SS_OK;
  SS_TRY(verify(s, r, c));
  if (c->verified <= fmax(found, s->o.tol)) return SS_OK;
  memcpy(r, s->best, size);
  return verify(s, r, c);
}

static ss_error solve(ss_solver *s, double *r, double *u, double *v, double *l, ss_info *info) {
  if (!s->ready)
    return ssi_fail(s->ctx, SS_ERR_ARGUMENT, "ss_solve: the last change of the problem failed");
  if (!r && s->sys->m) return ssi_fail(s->ctx, SS_ERR_ARGUMENT, "ss_solve: null argument");
  for (int k = 0; k < s->sys->m; k++)
    if (!isfinite(r[k]))
      return ssi_fail(s->ctx, SS_ERR_ARGUMENT, "guess r[%d] is not finite (contact %d)", k,
                      k / s->sys->dim);
  run c = {.start = ssi_now_s(), .best = INFINITY, .verify_below = INFINITY, .ratio = 1};
  c.corrected = INFINITY;
  c.u = u, c.v = v, c.l = l;
  SS_TRY(iterate(s, r, &c));
  if (c.now.status != SS_SOLVED) {
    bool best = c.now.status != SS_ACCEPTED;  // what was accepted is the last one
    if (s->sys->m && best) memcpy(r, s->best, sizeof(double) * (size_t)s->sys->m);
    SS_TRY(verify(s, r, &c));
  }
  SS_TRY(answer_rounding_by_zero(s, r, &c));
  if (c.verified <= s->o.tol) c.now.status = SS_SOLVED;
  if (c.now.iterations && s->method->inner_solves)
    c.now.inner_solves = s->method->inner_solves(s->state);
  s->tried = ssi_method_bit(s->method);
  if (c.now.iterations && s->method->tried) s->tried |= s->method->tried(s->state);
  if (s->method->end) s->method->end(s->state);
  SS_TRY(restore_load(s, &c));
  s->unspent_s = 0;
  c.now.time_setup_s = s->time_setup_s;
  c.now.time_solve_s = ssi_now_s() - c.start;
  if (info) *info = c.now;
  return SS_OK;
}

ss_error ss_solve(ss_solver *s, double *r, double *u, double *v, double *l, ss_info *info) {
  if (info) *info = (ss_info){.error = INFINITY, .error_fclib = INFINITY, .own_test = NAN};
  return s ? ssi_pool_answer(s->pool, solve(s, r, u, v, l, info)) : SS_ERR_ARGUMENT;
}

bool ss_solver_tried(const ss_solver *s, const char *method) {
  const ssi_method *m = ssi_method_find(method);
  return s && m && s->tried & ssi_method_bit(m);
}
