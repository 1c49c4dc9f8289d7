// auto: the choice made for the user. The plan (plan.c) says what comes next; here are the methods that do it.
//
// One step is one step of the method of the phase under way: a sweep, a factorisation, a pivot. All of them count as
// iterations, and the driver's limits hold between any two. Each phase hands its r to the next as its row in the plan
// says, and the driver keeps the best of all.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solvers/auto/attempts.h"
#include "solvers/auto/cost.h"
#include "solvers/auto/numbers.h"
#include "solvers/auto/parts.h"
#include "solvers/auto/plan.h"
#include "solvers/auto/rounds.h"
#include "solvers/newton.h"
#include "solvers/nsgs.h"

extern const ssi_method ssi_method_auto, ssi_method_admm;

typedef struct auto_options {
  double memory, momentum, polish, patience, newton_steps, direct_limit, direct_flops, attempt,
      doubtful;
} auto_options;

typedef struct automatic {
  auto_options o;
  uint64_t seed;
  ssi_arena late;                    // of what is made when its time comes; kept for the next solve
  ssi_instance method[SSI_WORKERS];  // of those that are a method; made when first needed
  bool refused[SSI_WORKERS];         // could not be made
  ssi_newton newton;
  bool newton_made, newton_ready;
  ssi_newton_work work;  // of newton
  ssi_parts parts;
  bool asked;    // whether the problem falls apart; parts then tells
  bool divided;  // and this solve has been at work on them
  ssi_attempts attempts;
  ssi_facts f;
  double *kept;    // r from which Newton began   (m)
  double *before;  // the best r when the attempts began, or since   (m)
  double before_error;
  uint32_t tried;  // methods whose turn it was
} automatic;

static const ssi_option options[] = {
    {"memory", offsetof(auto_options, memory), SSI_SWEEP_MEMORY, 0, 20,
     "of Anderson acceleration in the first 60 sweeps, or all without momentum", NULL},
    {"momentum", offsetof(auto_options, momentum), SSI_SWEEP_MOMENTUM, 0, 0.9999,
     "of the sweeps from there on", NULL},
    {"polish", offsetof(auto_options, polish), SSI_NEWTON_BELOW, 0, 1,
     "error below which Newton is tried", NULL},
    {"patience", offsetof(auto_options, patience), 1, 0, 1e6,
     "work given to a phase before it may be left, over that of five steps of Newton", NULL},
    {"newton_steps", offsetof(auto_options, newton_steps), SSI_NEWTON_STEPS, 0, 1000,
     "at most, each time", NULL},
    {"direct_limit", offsetof(auto_options, direct_limit), SSI_DIRECT_ROWS, 0, 1e9,
     "unknowns of the largest linear system that is looked at for a factorisation", NULL},
    {"direct_flops", offsetof(auto_options, direct_flops), SSI_DIRECT_FLOPS, 0, 1e18,
     "operations of the largest factorisation that is made", NULL},
    {"attempt", offsetof(auto_options, attempt), SSI_ATTEMPT_S, 0, 1e6,
     "counted seconds of each of the last attempts", NULL},
    {"doubtful", offsetof(auto_options, doubtful), SSI_DOUBT_S, 0, 1e6,
     "the same in a step of `simulate` where criterion (A) is violated", NULL},
};

// ---- the methods ---------------------------------------------------------------------------

// What makes the steps of a phase: begin tells whether it can, step is one of them.
typedef struct phase_worker {
  const ssi_method *method;  // that has its turn; NULL: several, or none of the table
  void (*choose)(const automatic *s, void *own);  // other than the defaults; NULL: none
  bool (*begin)(automatic *s, ssi_system *sys, ssi_worker w, double *r);
  ssi_verdict (*step)(automatic *s, ssi_system *sys, double *r, double *estimate);
} phase_worker;

static const phase_worker workers[SSI_WORKERS];

static void accelerated(const automatic *s, void *own) {
  ssi_nsgs_options *o = own;
  o->memory = s->o.memory;
  o->momentum = s->o.momentum;
}

static void with_momentum(const automatic *s, void *own) {
  ssi_nsgs_options *o = own;
  o->memory = s->o.momentum == 0 ? s->o.memory : 0;
  o->momentum = s->o.momentum;
}

static void in_random_order(const automatic *s, void *own) {
  ssi_nsgs_options *o = own;
  (void)s;
  o->order = SSI_ORDER_RANDOM;
}

static void from_the_middle(const automatic *s, void *own) {
  *(ssi_ipm_options *)own = ssi_interior_first(s->f.by_bodies);
}

static ss_error prepare(automatic *s, ssi_system *sys, ssi_worker w) {
  ssi_instance *x = &s->method[w];
  if (x->method || s->refused[w]) return SS_OK;
  void *own = ssi_instance_create(x, workers[w].method, &s->late);
  if (own && workers[w].choose) workers[w].choose(s, own);
  ss_error e = ssi_instance_set_up(x, sys, s->seed, &s->late);
  if (e) ssi_instance_release(x);
  s->refused[w] = e != SS_OK;
  return e == SS_ERR_MEMORY ? e : SS_OK;
}

// Can the linear systems be factored? By their size, the smaller of the two forms, and once Newton has analysed
// one of them by the operations that takes: a 2D pile of 100,000 contacts takes 4e9, a 3D one of a tenth of
// that 1.2e10.
static bool small_enough(const automatic *s, const ssi_system *sys) {
  int n = ssi_system_has_bodies(sys) && sys->p.ndof < sys->m ? sys->p.ndof : sys->m;
  return n <= s->o.direct_limit && s->work.flops <= s->o.direct_flops;
}

static void make_newton(automatic *s, ssi_system *sys) {
  ssi_newton_options o = ssi_newton_options_default();
  o.max_flops = s->o.direct_flops;
  s->newton_made = true;
  if (!small_enough(s, sys)) return;
  ss_error e = ssi_newton_create(&s->newton, sys, &o, &s->late);
  s->work = ssi_newton_work_of(&s->newton, sys);
  s->newton_ready = !e && small_enough(s, sys);
}

// What bench_cost compares with its times, nanoseconds, and what they were counted from.
static void say_costs(const automatic *s, const ssi_system *sys) {
  ssi_log(sys->ctx, SS_LOG_DEBUG,
          "auto: cost sweep=%.6g newton=%.6g path=%.6g pivot=%.6g admm=%.6g kind=%d blocks=%.6g "
          "entries=%.6g flops=%.6g",
          ssi_cost_sweep(sys), ssi_cost_newton(&s->work, sys), ssi_cost_path(sys),
          ssi_cost_pivot(sys), ssi_cost_admm(sys), (int)s->work.kind, ssi_cost_blocks(sys),
          s->work.entries, s->work.flops);
}

// A ball's contact has its normal through the centre: W_NT and W_TN are zero but for rounding. The threshold is far from
// both: boxes have some tenths.
static bool are_balls(const ssi_system *sys) {
  int d = sys->dim;
  for (int i = 0; i < sys->nc; i++) {
    const double *W = sys->diag + (size_t)(d * d) * (size_t)i;
    for (int k = 1; k < d; k++)
      if (!(fabs(W[k]) + fabs(W[d * k]) <= 1e-9 * W[0])) return false;
  }
  return true;
}

// What a factorisation takes: Newton's analysis, made once, tells.
static void weigh(automatic *s, ssi_system *sys) {
  if (!s->newton_made) make_newton(s, sys);
  ssi_facts *f = &s->f;
  f->weighed = true;
  f->factorable = s->newton_ready;
  if (!f->factorable) return;
  f->newton_cost = ssi_cost_newton(&s->work, sys) / ssi_cost_sweep(sys);
  f->by_bodies = s->work.by_bodies;
  f->balls = f->by_bodies && are_balls(sys);
  f->rounds = f->by_bodies ? ssi_interior_rounds(s->work.body_flops, s->o.direct_flops) : 0;
  say_costs(s, sys);
}

// ---- beginnings ----------------------------------------------------------------------------

static void copy(const ssi_system *sys, const double *from, double *to) {
  if (sys->m) memcpy(to, from, sizeof(double) * (size_t)sys->m);
}

static bool begin_method(automatic *s, ssi_system *sys, ssi_worker w, double *r) {
  if (prepare(s, sys, w) || s->refused[w]) return false;
  ssi_instance_begin(&s->method[w], sys, r);
  return true;
}

// Rounds that are over as the next one begins; that of settling is counted when it is left.
static int rounds_made(const ssi_facts *f) {
  return f->phase == SSI_SETTLING ? f->round + 1 : f->phase == SSI_TURNS ? f->round : 0;
}

// Interior points go on after smoothing, near r after a round, or begin from the middle.
static bool begin_interior(automatic *s, ssi_system *sys, ssi_worker w, double *r) {
  if (prepare(s, sys, w) || s->refused[w]) return false;
  if (s->f.phase == SSI_SMOOTHING) return true;
  int made = rounds_made(&s->f);
  ssi_ipm_options o =
      made ? ssi_interior_round(made - 1, s->f.error) : ssi_interior_first(s->f.by_bodies);
  ssi_ipm_choose(s->method[w].state, &o);
  ssi_instance_begin(&s->method[w], sys, r);
  return true;
}

static bool begin_newton(automatic *s, ssi_system *sys, ssi_worker w, double *r) {
  (void)w;
  copy(sys, r, s->kept);
  ssi_newton_begin(&s->newton, sys, r);
  return true;
}

// The parts are made anew after a change of the problem.
static bool begin_parts(automatic *s, ssi_system *sys, ssi_worker w, double *r) {
  (void)w;
  if (!s->asked)
    s->asked = !ssi_parts_create(&s->parts, sys, &ssi_method_auto, &s->o, sizeof s->o, s->seed);
  s->divided = s->asked && s->parts.count;
  if (s->divided) ssi_parts_begin(&s->parts, sys, r);
  return s->divided;
}

static bool begin_attempt(automatic *s, ssi_system *sys, ssi_worker w, double *r) {
  (void)w;
  if (s->f.phase == SSI_RANDOM || s->f.error < s->before_error) {
    s->before_error = s->f.error;
    copy(sys, r, s->before);
  }
  ssi_attempt_means means = {.seed = s->seed,
                             .newton_ns = ssi_cost_newton(&s->work, sys),
                             .seconds =
                                 s->f.doubtful ? fmin(s->o.doubtful, s->o.attempt) : s->o.attempt};
  return ssi_attempts_enter(&s->attempts, sys, &means, r);
}

// ---- steps ---------------------------------------------------------------------------------

static ssi_worker worker_of(ssi_phase p) {
  return ssi_phase_of(p)->by;
}

static ssi_verdict step_method(automatic *s, ssi_system *sys, double *r, double *estimate) {
  return ssi_instance_step(&s->method[worker_of(s->f.phase)], sys, r, estimate);
}

static ssi_verdict step_newton(automatic *s, ssi_system *sys, double *r, double *estimate) {
  (void)estimate;
  ssi_verdict v = ssi_newton_step(&s->newton, sys, r);
  s->f.newton_best = s->newton.best_error;
  s->f.newton_idle = s->newton.idle;
  return v;
}

// Sweeps of parts, as many as there are parts: about the work of one on the whole. Dearer steps one by one.
static ssi_verdict step_parts(automatic *s, ssi_system *sys, double *r, double *estimate) {
  for (int k = 0; k < s->parts.count; k++) {
    ssi_verdict v = ssi_parts_step(&s->parts, sys, r, estimate);
    if (v == SSI_STALLED || s->parts.measured) return v;
  }
  return SSI_CONTINUE;
}

static ssi_verdict step_attempt(automatic *s, ssi_system *sys, double *r, double *estimate) {
  (void)sys;  // it has its own
  return ssi_attempts_step(&s->attempts, r, estimate);
}

static const phase_worker workers[SSI_WORKERS] = {
    [SSI_BY_SWEEPS] = {&ssi_method_nsgs, accelerated, begin_method, step_method},
    [SSI_BY_MOMENTUM] = {&ssi_method_nsgs, with_momentum, begin_method, step_method},
    [SSI_BY_RANDOM] = {&ssi_method_nsgs, in_random_order, begin_method, step_method},
    [SSI_BY_INTERIOR] = {&ssi_method_ipm, from_the_middle, begin_interior, step_method},
    [SSI_BY_TURNS] = {&ssi_method_newton, NULL, begin_method, step_method},
    [SSI_BY_ADMM] = {&ssi_method_admm, NULL, begin_method, step_method},
    [SSI_BY_NEWTON] = {&ssi_method_newton, NULL, begin_newton, step_newton},
    [SSI_BY_PARTS] = {NULL, NULL, begin_parts, step_parts},
    [SSI_BY_ATTEMPTS] = {NULL, NULL, begin_attempt, step_attempt},
};

// ---- from phase to phase -------------------------------------------------------------------

static void hand_best(automatic *s, const ssi_system *sys, double *r) {
  ssi_facts *f = &s->f;
  bool better = f->newton_best < f->newton_began;
  copy(sys, better ? s->newton.best : s->kept, r);
  f->error = better ? f->newton_best : f->newton_began;
}

static void hand_best_since(automatic *s, const ssi_system *sys, double *r) {
  if (s->f.error < s->before_error) return;
  copy(sys, s->before, r);
  s->f.error = s->before_error;
}

// What phase p, which is left, hands on to the next: into r and f.error.
static void hand_on(automatic *s, const ssi_system *sys, ssi_phase p, ssi_phase to, double *r) {
  switch (ssi_phase_of(p)->hands_on) {
  case SSI_HAND_ITERATE:
    break;
  case SSI_HAND_BEST:
    hand_best(s, sys, r);
    hand_on(s, sys, s->f.from, to, r);
    break;
  case SSI_HAND_BEST_SINCE:
    if (to == SSI_RANDOM) hand_best_since(s, sys, r);
    break;
  }
}

static bool enter(automatic *s, ssi_system *sys, ssi_phase p, double *r) {
  const phase_worker *w = &workers[worker_of(p)];
  hand_on(s, sys, s->f.phase, p, r);
  if (!w->begin(s, sys, worker_of(p), r)) {
    s->f.refused |= 1u << p;
    return false;
  }
  s->tried |= ssi_method_bit(w->method);
  ssi_plan_enter(&s->f, p, w->method ? w->method->max_iter : INT_MAX);
  return true;
}

static void ask(automatic *s, const ssi_system *sys) {
  ss_doubt doubt = sys->doubt ? sys->doubt(sys->user) : SS_DOUBT_NOT;
  s->f.asked = true;
  s->f.doubtful = doubt != SS_DOUBT_NOT;
  s->f.refuted = doubt == SS_DOUBT_REFUTED;
}

// Enters the phase that the plan asks for, or stays. false: there is none.
static bool follow_plan(automatic *s, ssi_system *sys, double *r) {
  for (;;) {
    ssi_phase next = ssi_plan_next(&s->f);
    if (next == SSI_STAY || next == SSI_GIVE_UP) return next == SSI_STAY;
    if (next == SSI_WEIGH) {
      weigh(s, sys);
    } else if (next == SSI_ASK) {
      ask(s, sys);
    } else if (enter(s, sys, next, r)) {
      ssi_log(sys->ctx, SS_LOG_DEBUG, "auto: phase=%s error=%.3g", ssi_phase_of(next)->name,
              s->f.error);
      return true;
    }
  }
}

// ---- the method ----------------------------------------------------------------------------

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  automatic *s = state;
  s->late.ctx = sys->ctx;
  s->seed = seed;
  s->kept = SSI_TAKE(arena, sys->m, double);
  s->before = SSI_TAKE(arena, sys->m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  SS_TRY(prepare(s, sys, SSI_BY_SWEEPS));
  return s->refused[SSI_BY_SWEEPS] ? SS_ERR_METHOD : SS_OK;
}

static ss_error refresh(void *state, ssi_system *sys) {
  automatic *s = state;
  if (s->newton_ready) ssi_newton_refresh(&s->newton);
  if (s->asked) ssi_parts_release(&s->parts);
  s->asked = false;
  for (ssi_worker w = 0; w < SSI_WORKERS; w++)
    if (s->method[w].method) SS_TRY(ssi_instance_refresh(&s->method[w], sys));
  return SS_OK;
}

static void begin(void *state, ssi_system *sys, const double *r) {
  automatic *s = state;
  s->f = (ssi_facts){.tol = sys->tol,
                     .newton_below = s->o.polish,
                     .newton_steps = s->o.newton_steps,
                     .patience = s->o.patience,
                     .analysis_steps = ssi_cost_newton_analysis(sys) / ssi_cost_sweep(sys),
                     .newton_cost = INFINITY,
                     .error = INFINITY,
                     .newton_again = INFINITY,
                     .returned = INFINITY};
  s->tried = ssi_method_bit(&ssi_method_nsgs);
  s->divided = false;
  s->before_error = INFINITY;
  ssi_attempts_begin(&s->attempts);
  ssi_instance_begin(&s->method[SSI_BY_SWEEPS], sys, r);
  ssi_plan_enter(&s->f, SSI_SWEEPS, ssi_method_nsgs.max_iter);
}

static void notice(void *state, double error) {
  ((automatic *)state)->f.error = error;
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  automatic *s = state;
  ssi_facts *f = &s->f;
  ssi_plan_observe(f);
  if (!follow_plan(s, sys, r)) return SSI_STALLED;
  f->stalled = workers[worker_of(f->phase)].step(s, sys, r, estimate) == SSI_STALLED;
  f->estimate = *estimate;
  f->steps++;
  if (ssi_plan_wants_measure(f)) *estimate = NAN;  // so that the driver measures
  return SSI_CONTINUE;
}

static void release(void *state) {
  automatic *s = state;
  for (ssi_worker w = 0; w < SSI_WORKERS; w++) ssi_instance_release(&s->method[w]);
  if (s->newton_made) ssi_newton_release(&s->newton);
  if (s->asked) ssi_parts_release(&s->parts);
  ssi_attempts_release(&s->attempts);
  ssi_arena_release(&s->late);
}

static void end(void *state) {
  automatic *s = state;
  ssi_attempts_release(&s->attempts);
  if (s->divided) ssi_parts_end(&s->parts);
}

static uint32_t tried(const void *state) {
  const automatic *s = state;
  uint32_t all = s->tried | s->attempts.tried;
  return s->divided ? all | ssi_parts_tried(&s->parts) : all;
}

const ssi_method ssi_method_auto = {
    .name = "auto",
    .summary = "sweeps, Newton, ADMM, interior point, paths: what the problem needs",
    .state_size = sizeof(automatic),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 400000,
    .setup = setup,
    .refresh = refresh,
    .begin = begin,
    .notice = notice,
    .step = step,
    .end = end,
    .release = release,
    .tried = tried,
};
