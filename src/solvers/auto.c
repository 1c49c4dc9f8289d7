// auto: the choice made for the user. Cheap sweeps first, then whatever the problem turns out to need.
//
// The acts, in order; each hands its best r to the next, and the driver keeps the best of all:
//
//   1. Gauss-Seidel sweeps with Anderson acceleration, then momentum (nsgs), as long as the error
//      falls fast enough to end within the work that a few factorisations would cost. A problem whose
//      contacts fall apart into components is then divided (parts.h), and each part begins here;
//   2. Newton (newton.h), a few steps, whenever the error is below `polish`: it identifies the status
//      of every contact and ends the matter where they are clear;
//   3. the interior point method from scratch (degenerate stacks; piles that slide, where r has far to
//      go past many changes of status, docs/solvers-piles.md); by bodies, where it costs least, in rounds
//      with sweeps between them, then Newton and sweeps in turn; sweeps from where that ends, and Newton;
//   4. ADMM from r, and Newton from its iterate, which does not sit on degenerate vertices;
//   5. plain sweeps in random order, and Newton each time the error fell tenfold; where they get
//      nowhere, the attempts of auto_last.h one after the other, with Newton from what each of them leaves;
//      then the sweeps again, for ever.
//
// Problems too large to factor stay with the sweeps. What to do next depends on counted work and
// measured errors only, never on a clock: the same bits every time.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solvers/auto_cost.h"
#include "solvers/auto_last.h"
#include "solvers/ipm.h"
#include "solvers/method.h"
#include "solvers/newton.h"
#include "solvers/parts.h"

extern const ssi_method ssi_method_auto;

typedef enum act { SWEEP, IPM, NEWTON, AGAIN, ADMM, PLAIN, ACTS, LAST = ACTS } act;

typedef struct stage {  // one of the other methods, made when first needed
  const ssi_method *method;
  void *state;
  bool ready, refused;
} stage;

typedef struct automatic {
  double memory, momentum, polish, patience, newton_steps, direct_limit, direct_flops;  // options
  ssi_arena late;  // what stages need when their time comes; kept for the next solve
  uint64_t seed;
  stage stages[ACTS];
  ssi_newton newton;
  bool newton_ready, newton_refused;
  ssi_parts parts;
  bool part;     // this is one of them: not to be divided again
  bool asked;    // whether the problem falls apart; parts then tells
  int largest;   // component, in contacts; 0: not known
  bool divided;  // at work on the parts
  ssi_last last;
  bool spent;      // all attempts of it have been made
  double *before;  // the best r when they began, or since   (m)
  double before_error;
  uint32_t tried;  // methods whose turn it was

  act act;
  bool weighed;  // Newton was looked at in this solve: what an earlier one knew must not count
  bool polishing;
  int round;            // times that interior points began near r
  int steps;            // in this act, or in this polishing
  double error;         // measured last; INFINITY before
  double first;         // error at the first measure of this act
  double polish_below;  // error at which Newton is tried next
  double window[3];     // smallest errors after the last windows, latest first
  int returns;          // to the sweeps after Newton, since one was from a better place
  double return_error;  // the best of these places
  double *kept;         // r before Newton   (m)
  double kept_error;
} automatic;

static const ssi_option options[] = {
    {"memory", offsetof(automatic, memory), 5, 0, 20,
     "of Anderson acceleration in the first 60 sweeps, or all without momentum", NULL},
    {"momentum", offsetof(automatic, momentum), 0.98, 0, 0.9999, "of the sweeps from there on",
     NULL},
    {"polish", offsetof(automatic, polish), 5e-2, 0, 1, "error below which Newton is tried", NULL},
    {"patience", offsetof(automatic, patience), 1, 0, 1e6,
     "work given to an act before it may be left, over that of five steps of Newton", NULL},
    {"newton_steps", offsetof(automatic, newton_steps), 100, 0, 1000, "at most, each time", NULL},
    {"direct_limit", offsetof(automatic, direct_limit), 200000, 0, 1e9,
     "unknowns of the largest linear system that is looked at for a factorisation", NULL},
    {"direct_flops", offsetof(automatic, direct_flops), 3e10, 0, 1e18,
     "operations of the largest factorisation that is made", NULL},
};

// Steps between two measures; predicted ones from which Newton is thought of at all; steps after which
// an act can be judged, however dear the next one is; steps without progress at which Newton is
// left for more sweeps once it came a long way; and times that it is from no better place.
// A step of Newton below CHEAP sweeps is tried on the whole before a problem is divided, unless no
// component has more than 1/MANY of the contacts: one of so many is then likely to hold up the rest.
enum {
  WINDOW = 10,
  FEW = 40,
  ENOUGH = 1000,
  CHEAP = 50,
  MANY = 16,
  TOGETHER = 32,
  IDLE = 20,
  RETURNS = 5,
  SHORT = 15
};
// Sweeps to come at which plain ones get nowhere.
static const double FAR = 5000;

// Factorisations by bodies cost little: interior points in rounds, and little patience with Newton, which
// piles of beads defeat.
static bool by_bodies(const automatic *s) {
  return s->newton.by_bodies.lu.fill.n > 0;  // Newton's analysis, which comes before all other acts
}

// ---- stages --------------------------------------------------------------------------------

// The method of each act, one option of it, and its steps at most; 0: as long as it is worth it.
static const struct {
  const char *method;
  ss_setting setting;
  int steps;
} casting[ACTS] = {
    [SWEEP] = {"nsgs", {NULL, NULL}, 0},        // and the options memory, momentum of auto
    [IPM] = {"ipm", {NULL, NULL}, 250},         // by bodies in rounds, as many as it takes
    [NEWTON] = {"newton", {NULL, NULL}, 1000},  // by bodies only
    [AGAIN] = {"nsgs", {NULL, NULL}, 500},      // momentum only
    [ADMM] = {"admm", {NULL, NULL}, 0},        [PLAIN] = {"nsgs", {"order", "random"}, 0},
};

static ss_error prepare(automatic *s, ssi_system *sys, act a) {
  stage *g = &s->stages[a];
  if (g->ready || g->refused) return SS_OK;
  const ss_setting *setting = &casting[a].setting;
  g->method = ssi_method_find(casting[a].method);
  ss_error e = g->method ? SS_OK : SS_ERR_METHOD;
  if (!e) g->state = ssi_arena_take(&s->late, 1, g->method->state_size);
  if (!e && !g->state) e = SS_ERR_MEMORY;
  if (!e) e = ssi_settings_apply(sys->ctx, g->method, setting, setting->key ? 1 : 0, g->state);
  if (!e && (a == SWEEP || a == AGAIN)) {
    *ssi_setting_of(g->method, "memory", g->state) = a == SWEEP || s->momentum == 0 ? s->memory : 0;
    *ssi_setting_of(g->method, "momentum", g->state) = s->momentum;
  }
  if (!e && a == IPM && by_bodies(s))
    *ssi_setting_of(g->method, "system", g->state) = SSI_IPM_GLOBAL;
  if (!e && g->method->setup) e = g->method->setup(g->state, sys, s->seed, &s->late);
  if (!e && g->method->refresh) e = g->method->refresh(g->state, sys);
  g->ready = !e;
  g->refused = e != SS_OK;
  return e == SS_ERR_MEMORY ? e : SS_OK;
}

// Can the linear systems of the acts be factored? By their size, the smaller of the two forms, and
// once Newton has analysed one of them by the operations that takes: a 2D pile of 100,000 contacts
// takes 4e9, a 3D one of a tenth of that 1.2e10.
static bool factorable(const automatic *s, const ssi_system *sys) {
  int n = ssi_system_has_bodies(sys) && sys->p.ndof < sys->m ? sys->p.ndof : sys->m;
  double flops = s->newton.bodies ? s->newton.by_bodies.lu.flops : s->newton.lu.fixed.fill.flops;
  return n <= s->direct_limit && flops <= s->direct_flops;
}

static bool newton_possible(automatic *s, ssi_system *sys) {
  s->weighed = true;
  if (s->newton_ready || s->newton_refused) return s->newton_ready;
  ssi_newton_options o = ssi_newton_options_default();
  o.max_flops = s->direct_flops;
  s->newton_refused = !factorable(s, sys) || ssi_newton_create(&s->newton, sys, &o, &s->late) ||
                      !factorable(s, sys);
  s->newton_ready = !s->newton_refused;
  return s->newton_ready;
}

// Interior points do not come past a fold of their path: they creep, off a little at every contact. Some
// sweeps, with momentum from the first on, mend that (by a factor of 20 to 30 and more on piles of beads, so
// that the answer may be there already), and let what has to give way do so. From there, with z o y of
// about the error, the path is another one. docs/solvers-piles.md
enum { SMOOTH_EVERY = 3, SMOOTHING = 60, SNAP = 2000, ROUNDS = 40 };
static const double ROUND_FLOPS = 2e10;  // of all rounds, one factorisation counted for each
enum { LIMIT = 30, LONGER = 15, LONGEST = 150 };  // iterations of a round, the later ones longer

static bool sweep(automatic *s, ssi_system *sys, int sweeps, double *r) {
  stage *g = &s->stages[AGAIN];
  if (prepare(s, sys, AGAIN) || !g->ready) return false;
  double estimate = INFINITY;
  g->method->begin(g->state, sys, r);
  for (int k = 0; k < sweeps && !(estimate <= 0.1 * sys->tol); k++)
    g->method->step(g->state, sys, r, &estimate);
  return true;
}

// r is not what interior points go on from, only what they report.
static void smooth(automatic *s, ssi_system *sys, double *r) {
  if (by_bodies(s) && s->steps % SMOOTH_EVERY == 0 && s->error < 1e-3) sweep(s, sys, SMOOTHING, r);
}

static bool begin_near(automatic *s, ssi_system *sys, double *r) {
  enum { KINDS = 6 };
  static const double share[KINDS] = {1, 0.3, 3, 0.1, 10, 0};  // 0: from the middle, another start
  stage *g = &s->stages[IPM];
  double rounds = fmin(ROUNDS, ROUND_FLOPS / s->newton.by_bodies.lu.flops);
  if (!by_bodies(s) || s->round >= rounds || !sweep(s, sys, SNAP, r)) return false;
  double error, error_fclib, part = share[s->round % KINDS];
  ssi_system_velocity(sys, r, s->kept);
  ssi_system_measure(sys, r, s->kept, &error, &error_fclib);
  *ssi_setting_of(g->method, "near", g->state) = fmax(error, 1e-12) * part;
  *ssi_setting_of(g->method, "limit", g->state) = fmin(LIMIT + LONGER * s->round, LONGEST);
  s->round++;
  *ssi_setting_of(g->method, "first", g->state) = s->round / KINDS;
  *ssi_setting_of(g->method, "direction", g->state) =
      s->round / KINDS % 2 ? SSI_IPM_NT : SSI_IPM_AHO;
  g->method->begin(g->state, sys, r);
  return true;
}

// ---- moving on -----------------------------------------------------------------------------

// From the middle, not from r; by bodies one start, else all of them.
static void cast_interior_points(automatic *s) {
  stage *g = &s->stages[IPM];
  *ssi_setting_of(g->method, "near", g->state) = 0;
  if (!by_bodies(s)) {
    *ssi_setting_of(g->method, "direction", g->state) = SSI_IPM_NT;
    return;
  }
  *ssi_setting_of(g->method, "starts", g->state) = 1;
  *ssi_setting_of(g->method, "first", g->state) = 0;
  *ssi_setting_of(g->method, "direction", g->state) = SSI_IPM_AHO;
  *ssi_setting_of(g->method, "limit", g->state) = LIMIT;
}

// Newton's analysis, made once, tells what a factorisation takes.
static bool playable(automatic *s, ssi_system *sys, act a) {
  if (a > SWEEP) newton_possible(s, sys);
  if (a > SWEEP && !factorable(s, sys)) return false;
  if (a == NEWTON && !by_bodies(s)) return false;
  return !prepare(s, sys, a) && !s->stages[a].refused;
}

static void enter(automatic *s, ssi_system *sys, act a, const double *r) {
  while (a < PLAIN && !playable(s, sys, a)) a++;
  if (a == PLAIN) prepare(s, sys, a);
  s->act = a;
  s->tried |= ssi_method_bit(s->stages[a].method);
  s->steps = 0;
  s->round = 0;
  if (a == IPM && s->stages[a].ready) cast_interior_points(s);
  s->first = INFINITY;
  for (int k = 0; k < 3; k++) s->window[k] = INFINITY;
  if (s->stages[a].ready && s->stages[a].method->begin)
    s->stages[a].method->begin(s->stages[a].state, sys, r);
}

static bool crumbles(automatic *s, const ssi_system *sys) {
  if (s->part || s->act != SWEEP) return false;
  if (!s->largest) s->largest = ssi_parts_largest(sys);
  return s->largest <= sys->nc / MANY;
}

// Work on the parts from here on, if there are any. They are made anew after a change of the problem.
static bool divide(automatic *s, ssi_system *sys, const double *r) {
  if (s->part || s->divided || s->act != SWEEP) return false;
  if (!s->asked) {
    automatic own = {.part = true};  // the options, and nothing else
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
      memcpy((char *)&own + options[k].offset, (char *)s + options[k].offset, sizeof(double));
    s->asked = true;
    if (ssi_parts_create(&s->parts, sys, &ssi_method_auto, &own, s->seed)) return false;
  }
  if (!s->parts.count) return false;
  s->divided = true;
  ssi_parts_begin(&s->parts, sys, r);
  return true;
}

// The next attempt of auto_last.h, or plain sweeps from the best r where all have been made.
static void enter_last(automatic *s, ssi_system *sys, double *r) {
  double newton_s = 1e-9 * ssi_sweep_cost(sys) * ssi_newton_in_sweeps(&s->newton, sys);
  s->act = LAST;
  s->steps = 0;
  if (ssi_last_enter(&s->last, sys, s->seed, newton_s, r)) return;
  s->spent = true;
  s->error = s->before_error;
  s->polish_below = 0.1 * s->error;
  memcpy(r, s->before, sizeof(double) * (size_t)sys->m);
  enter(s, sys, PLAIN, r);
}

static void keep_before(automatic *s, const ssi_system *sys, const double *r) {
  s->before_error = s->error;
  memcpy(s->before, r, sizeof(double) * (size_t)sys->m);
}

// Plain sweeps get nowhere.
static void begin_last(automatic *s, ssi_system *sys, double *r) {
  keep_before(s, sys, r);
  enter_last(s, sys, r);
}

static void start_polishing(automatic *s, ssi_system *sys, const double *r) {
  memcpy(s->kept, r, sizeof(double) * (size_t)sys->m);
  s->kept_error = s->error;
  s->polishing = true;
  s->tried |= ssi_method_bit(ssi_method_find("newton"));
  s->steps = 0;
  ssi_newton_begin(&s->newton, sys, r);
}

// Newton came a long way. What it sticks at then is often some statuses that a few sweeps put right. But
// from there they may lead back to where Newton began, round and round.
static bool gained(const automatic *s) {
  return s->act == SWEEP && s->returns < RETURNS &&
         s->newton.best_error > 1e-10 &&  // else rounding holds it up
         s->newton.best_error < 0.01 * s->kept_error;
}

// Sweeps again, for the first time from as good a place or not.
static void count_return(automatic *s) {
  s->returns = s->newton.best_error < 0.5 * s->return_error ? 0 : s->returns + 1;
  s->return_error = fmin(s->return_error, s->newton.best_error);
}

// Newton ended without an answer: go on from its best iterate if that is much better.
static void end_polishing(automatic *s, ssi_system *sys, double *r) {
  s->polishing = false;
  bool better = s->newton.best_error < 0.5 * s->kept_error, again = gained(s);
  memcpy(r, better ? s->newton.best : s->kept, sizeof(double) * (size_t)sys->m);
  s->error = better ? s->newton.best_error : s->kept_error;
  s->polish_below = again ? INFINITY : 0.1 * s->error;
  if (divide(s, sys, r)) return;
  if (again) count_return(s);
  if (s->act == LAST && s->error < s->before_error) keep_before(s, sys, r);
  if (s->act == LAST)
    enter_last(s, sys, r);
  else
    enter(s, sys, again ? SWEEP : s->act < PLAIN ? s->act + 1 : PLAIN, r);
}

// Steps that the act still needs if the error goes on falling as over the last two windows, or as on
// average since the act's first measure, whichever is better: accelerated sweeps fall in fits.
static double predicted(const automatic *s, const ssi_system *sys) {
  double recent = log(s->window[0] / s->window[2]) / (2 * WINDOW);
  double average = log(s->window[0] / s->first) / s->steps;
  double rate = fmin(recent, average);
  return rate < 0 ? fmax(0, log(sys->tol / s->window[0]) / rate) : INFINITY;
}

// The act has had its steps: Newton from where it ended, but sweeps first after interior points.
static void leave(automatic *s, ssi_system *sys, double *r) {
  bool polish =
      s->act != IPM && s->act != NEWTON && s->error < s->polish && s->error < s->polish_below;
  if (polish && newton_possible(s, sys))
    start_polishing(s, sys, r);
  else
    enter(s, sys, s->act < PLAIN ? s->act + 1 : PLAIN, r);
}

// Called after a measure: is it time to try Newton, or to leave the act?
static void reconsider(automatic *s, ssi_system *sys, double *r) {
  if (s->act == IPM && by_bodies(s)) return;
  if (casting[s->act].steps) {
    if (s->steps >= casting[s->act].steps) leave(s, sys, r);
    return;
  }
  if (s->first == INFINITY) s->first = s->error;
  for (int k = 2; k > 0; k--) s->window[k] = s->window[k - 1];
  s->window[0] = fmin(s->error, s->window[1]);
  double left = predicted(s, sys);
  if (s->steps < 3 * WINDOW || left <= FEW) return;
  if (!s->weighed && left <= ssi_analysis_in_sweeps(sys)) return;
  if (crumbles(s, sys) && divide(s, sys, r)) return;
  double cost = newton_possible(s, sys) ? ssi_newton_in_sweeps(&s->newton, sys) : INFINITY;
  if ((cost > CHEAP && divide(s, sys, r)) || cost == INFINITY) return;
  double few = fmax(FEW, 5 * cost);
  if (s->steps < s->patience * fmin(few, ENOUGH) || left <= few) return;
  if (s->error < s->polish && s->error < s->polish_below) {
    start_polishing(s, sys, r);
    return;
  }
  bool hopeless = left > 10 * few && s->steps > 30 * WINDOW;
  if (s->act != PLAIN && hopeless)
    enter(s, sys, s->act + 1, r);
  else if (hopeless && left > FAR && !s->spent)
    begin_last(s, sys, r);
}

// ---- the method ----------------------------------------------------------------------------

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  automatic *s = state;
  s->late.ctx = sys->ctx;
  s->seed = seed;
  s->kept = SSI_TAKE(arena, sys->m, double);
  s->before = SSI_TAKE(arena, sys->m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  SS_TRY(prepare(s, sys, SWEEP));
  return s->stages[SWEEP].refused ? SS_ERR_METHOD : SS_OK;
}

static ss_error refresh(void *state, ssi_system *sys) {
  automatic *s = state;
  if (s->newton_ready) ssi_newton_refresh(&s->newton);
  if (s->asked) ssi_parts_release(&s->parts);
  s->asked = false;
  s->largest = 0;
  for (act a = SWEEP; a < ACTS; a++)
    if (s->stages[a].ready && s->stages[a].method->refresh)
      SS_TRY(s->stages[a].method->refresh(s->stages[a].state, sys));
  return SS_OK;
}

static void begin(void *state, ssi_system *sys, const double *r) {
  automatic *s = state;
  s->error = INFINITY;
  s->polish_below = INFINITY;
  s->polishing = s->divided = s->weighed = s->spent = false;
  s->tried = 0;
  s->returns = 0;
  s->return_error = INFINITY;
  ssi_last_begin(&s->last);
  enter(s, sys, SWEEP, r);
}

static void notice(void *state, double error) {
  ((automatic *)state)->error = error;
}

// One step of the parts, or some where there are many: the driver counts them against max_iter.
static ssi_verdict step_parts(automatic *s, ssi_system *sys, double *r, double *estimate) {
  ssi_verdict v = SSI_CONTINUE;
  for (int k = 0; v == SSI_CONTINUE && k <= s->parts.count / TOGETHER; k++) {
    v = ssi_parts_step(&s->parts, sys, r, estimate);
    if (isnan(*estimate)) break;
  }
  return v;
}

// One step of an attempt, and Newton from where it ends if that is near enough.
static ssi_verdict step_last(automatic *s, ssi_system *sys, double *r, double *estimate) {
  double error_fclib;
  if (ssi_last_step(&s->last, r, estimate) == SSI_CONTINUE) return SSI_CONTINUE;
  *estimate = NAN;
  ssi_system_velocity(sys, r, s->kept);
  ssi_system_measure(sys, r, s->kept, &s->error, &error_fclib);
  if (s->error < s->polish)
    start_polishing(s, sys, r);
  else
    enter_last(s, sys, r);
  return SSI_CONTINUE;
}

static double newton_steps(const automatic *s) {
  return by_bodies(s) ? fmin(s->newton_steps, SHORT) : s->newton_steps;
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  automatic *s = state;
  if (s->divided && step_parts(s, sys, r, estimate) == SSI_CONTINUE) return SSI_CONTINUE;
  if (s->divided) {  // some part cannot be solved: go on with the whole
    s->divided = false;
    s->error = INFINITY;
    enter(s, sys, IPM, r);
  }
  if (s->polishing) {
    bool on = ssi_newton_step(&s->newton, sys, r) == SSI_CONTINUE &&
              !(s->newton.idle >= IDLE && gained(s));
    if (!on || ++s->steps >= newton_steps(s)) end_polishing(s, sys, r);
    return SSI_CONTINUE;  // the estimate stays NaN: the driver measures, cheap beside an LU
  }
  if (s->act == LAST) return step_last(s, sys, r, estimate);
  if (s->steps && s->steps % WINDOW == 0) {
    reconsider(s, sys, r);
    if (s->polishing || s->divided || s->act == LAST) return step(state, sys, r, estimate);
  }
  stage *g = &s->stages[s->act];
  if (!g->ready) return SSI_STALLED;
  ssi_verdict v = g->method->step(g->state, sys, r, estimate);
  if (s->act == IPM) smooth(s, sys, r);
  if (++s->steps % WINDOW == 0) *estimate = NAN;  // so that the driver measures and notice() hears
  if (v == SSI_STALLED && s->act == PLAIN) {
    if (s->spent || !newton_possible(s, sys)) return v;
    begin_last(s, sys, r);
    return SSI_CONTINUE;
  }
  if (v == SSI_STALLED && s->act == IPM && begin_near(s, sys, r)) return SSI_CONTINUE;
  if (v == SSI_STALLED) leave(s, sys, r);
  return SSI_CONTINUE;
}

static void release(void *state) {
  automatic *s = state;
  for (act a = SWEEP; a < ACTS; a++)
    if (s->stages[a].state && s->stages[a].method->release)
      s->stages[a].method->release(s->stages[a].state);
  if (s->newton_ready || s->newton_refused) ssi_newton_release(&s->newton);
  if (s->asked) ssi_parts_release(&s->parts);
  ssi_last_release(&s->last);
  ssi_arena_release(&s->late);
}

static void end(void *state) {
  automatic *s = state;
  ssi_last_release(&s->last);
  for (int k = 0; s->divided && k < s->parts.count; k++) end(s->parts.part[k].state);
}

static uint32_t tried(const void *state) {
  const automatic *s = state;
  uint32_t all = s->tried | s->last.tried;
  for (int k = 0; s->divided && k < s->parts.count; k++) all |= tried(s->parts.part[k].state);
  return all;
}

const ssi_method ssi_method_auto = {
    .name = "auto",
    .summary = "sweeps, Newton, ADMM, interior point, paths: what the problem needs",
    .state_size = sizeof(automatic),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 200000,
    .setup = setup,
    .refresh = refresh,
    .begin = begin,
    .notice = notice,
    .step = step,
    .end = end,
    .release = release,
    .tried = tried,
};
