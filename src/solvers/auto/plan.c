// The plan of `auto`: cheap sweeps first, then whatever the problem turns out to need.
//
// Phases follow each other as the table at the end says; each is entered only where its `enter` agrees, and left by the
// rule `leave`. Between them come Newton, from an iterate that is near enough; parts, where the contacts fall apart
// into components; and, by bodies, the sweeps between interior points (docs/solvers-piles.md). The last phase but
// one, sweeps in random order, ends with the driver's limits, or, where these sweeps get nowhere, in attempts.
//
// Decisions depend on counted work and measured errors, never on a clock: the same bits every time.
#include "solvers/auto/plan.h"

#include <math.h>
#include <stddef.h>

#include "solvers/auto/numbers.h"
#include "solvers/auto/rounds.h"

static const ssi_phase_row plan[SSI_PHASES];

const ssi_phase_row *ssi_phase_of(ssi_phase p) {
  return &plan[p];
}

// ---- entering ------------------------------------------------------------------------------

static bool always(const ssi_facts *f) {
  (void)f;
  return true;
}

static bool if_factorable(const ssi_facts *f) {
  return f->factorable;
}

static bool if_by_bodies(const ssi_facts *f) {
  return f->factorable && f->by_bodies;
}

// Piles of balls defeat Newton and sweeps in turn, heaps of boxes do not: balls have rounds first.
static bool if_balls_had_rounds(const ssi_facts *f) {
  return if_by_bodies(f) && (!f->balls || f->round > 0);
}

static bool from_sweeps(const ssi_facts *f) {
  return f->phase == SSI_SWEEPS;
}

static bool may_enter(const ssi_facts *f, ssi_phase p) {
  return !(f->refused >> p & 1) && plan[p].enter(f);
}

// The first phase after p that may be entered.
static ssi_phase following(const ssi_facts *f, ssi_phase p) {
  if (!f->weighed) return SSI_WEIGH;
  for (p = plan[p].next; !may_enter(f, p); p = plan[p].next)
    if (p == SSI_RANDOM) return SSI_GIVE_UP;
  return p;
}

// ---- leaving -------------------------------------------------------------------------------

// The most expensive things that `auto` knows are not for what has no solution,
static ssi_phase unless_refuted(const ssi_facts *f, ssi_phase next) {
  return !f->asked ? SSI_ASK : f->refuted ? SSI_GIVE_UP : next;
}

// and where one is in doubt they end for good: no sweeps to the limit of iterations after them, and nothing on the whole
// after a part that failed.
static ssi_phase unless_doubtful(const ssi_facts *f, ssi_phase next) {
  return f->doubtful ? SSI_GIVE_UP : unless_refuted(f, next);
}

static bool spent(const ssi_facts *f) {
  int budget = plan[f->phase].budget;
  return f->stalled || f->steps >= (budget ? budget : f->limit);
}

static bool near_enough(const ssi_facts *f) {
  return f->error < f->newton_below && f->error < f->newton_again && may_enter(f, SSI_NEWTON);
}

static ssi_phase newton_or_following(const ssi_facts *f) {
  if (!f->weighed) return SSI_WEIGH;
  return near_enough(f) ? SSI_NEWTON : following(f, f->phase);
}

// As over the last two windows, or as on average since the first measure, whichever is better:
// accelerated sweeps fall in fits. An error below the tolerance that did not end the solve was not confirmed by the
// driver's verification, which has another look at half of it.
double ssi_steps_left(const ssi_facts *f) {
  double goal = f->window[0] > f->tol ? f->tol : 0.5 * f->window[0];
  double recent = log(f->window[0] / f->window[2]) / (2 * SSI_WINDOW);
  double average = log(f->window[0] / f->first) / f->steps;
  double rate = fmin(recent, average);
  return rate < 0 ? log(goal / f->window[0]) / rate : INFINITY;
}

// Sweeps that are worth more than what they would be left for.
static double worth(const ssi_facts *f) {
  return fmax(SSI_FEW, SSI_WORTH * f->newton_cost);
}

static ssi_phase when_hopeless(const ssi_facts *f, double left) {
  if (!(SSI_GAIN * left > worth(f)) || f->steps <= SSI_JUDGED) return SSI_STAY;
  if (f->phase != SSI_RANDOM) return following(f, f->phase);
  bool far = SSI_GAIN * left > SSI_JUDGED;
  if (!far) return SSI_STAY;
  return may_enter(f, SSI_ATTEMPTS) ? unless_refuted(f, SSI_ATTEMPTS)
                                    : unless_doubtful(f, SSI_STAY);
}

// Stays while the error is predicted to end within the work of a few steps of Newton.
static ssi_phase by_prediction(const ssi_facts *f) {
  if (f->stalled) return newton_or_following(f);
  if (f->steps < 3 * SSI_WINDOW || f->steps % SSI_WINDOW) return SSI_STAY;
  double left = ssi_steps_left(f);
  if (left <= SSI_FEW || (!f->weighed && left <= f->analysis_steps)) return SSI_STAY;
  if (may_enter(f, SSI_PARTS)) return SSI_PARTS;
  if (!f->weighed) return SSI_WEIGH;
  bool young = f->steps < f->patience * fmin(worth(f), SSI_JUDGED);
  if (!f->factorable || young || left <= worth(f)) return SSI_STAY;
  return near_enough(f) ? SSI_NEWTON : when_hopeless(f, left);
}

static ssi_phase when_spent(const ssi_facts *f) {
  return spent(f) ? following(f, f->phase) : SSI_STAY;
}

static ssi_phase when_a_part_failed(const ssi_facts *f) {
  return spent(f) ? unless_doubtful(f, following(f, f->phase)) : SSI_STAY;
}

// Newton and sweeps in turn: before the first round for the work of the sweeps between two of them, later for that of a
// quarter of the rounds made.
static ssi_phase for_a_turn(const ssi_facts *f) {
  double work = fmax(1, f->round / 4.0) * SSI_SETTLE;
  return spent(f) || f->steps * f->newton_cost >= work ? following(f, f->phase) : SSI_STAY;
}

static ssi_phase to_newton_when_spent(const ssi_facts *f) {
  return spent(f) ? newton_or_following(f) : SSI_STAY;
}

// By bodies: rounds, and every few iterations sweeps from where it is, which may be all that is missing.
static ssi_phase by_rounds(const ssi_facts *f) {
  if (!f->by_bodies) return when_spent(f);
  if (!f->stalled)
    return f->steps && f->steps % SSI_SMOOTH_EVERY == 0 && f->error < SSI_SMOOTH_BELOW &&
                   may_enter(f, SSI_SMOOTHING)
               ? SSI_SMOOTHING
               : SSI_STAY;
  return f->round < f->rounds && may_enter(f, SSI_SETTLING) ? SSI_SETTLING : following(f, f->phase);
}

// Done, or nothing moves any more.
static ssi_phase back_to_interior(const ssi_facts *f) {
  return spent(f) || f->estimate <= SSI_GAIN * f->tol ? SSI_INTERIOR : SSI_STAY;
}

// After rounds 2, 4, 8, ... Newton and sweeps have a turn again: a share of the work that falls as it fails. Before rounds
// of full length it costs less than they do to know whether there is a solution.
static ssi_phase to_next_round(const ssi_facts *f) {
  int made = f->round + 1;
  bool turn = made > 1 && (made & (made - 1)) == 0 && may_enter(f, SSI_TURNS);
  ssi_phase next = back_to_interior(f);
  if (next == SSI_INTERIOR && turn) next = SSI_TURNS;
  return next != SSI_STAY && made >= SSI_FULL_LENGTH ? unless_refuted(f, next) : next;
}

static ssi_phase next_attempt(const ssi_facts *f) {
  return may_enter(f, SSI_ATTEMPTS) ? SSI_ATTEMPTS : unless_doubtful(f, following(f, SSI_ATTEMPTS));
}

// Newton came a long way from the sweeps, and not to where sweeps began again before. What it sticks at then is
// often some statuses that a few sweeps put right.
static bool gained(const ssi_facts *f) {
  return f->from == SSI_SWEEPS && f->newton_best < SSI_GAIN * SSI_GAIN * f->newton_began &&
         f->newton_best < SSI_GAIN * f->returned;
}

static ssi_phase without_answer(const ssi_facts *f) {
  double most = f->by_bodies ? fmin(f->newton_steps, SSI_SHORT) : f->newton_steps;
  bool idle = f->newton_idle >= SSI_SHORT && gained(f);
  if (!f->stalled && !idle && f->steps < most) return SSI_STAY;
  if (gained(f)) return SSI_SWEEPS;
  return f->from == SSI_ATTEMPTS ? next_attempt(f) : following(f, f->from);
}

// An attempt is over: Newton from where it ended, or the next one.
static ssi_phase one_by_one(const ssi_facts *f) {
  if (!f->stalled) return SSI_STAY;
  if (f->error < f->newton_below && may_enter(f, SSI_NEWTON)) return SSI_NEWTON;
  return next_attempt(f);
}

// ---- facts ---------------------------------------------------------------------------------

static bool between_interior_points(ssi_phase p) {
  return p == SSI_SMOOTHING || p == SSI_SETTLING;
}

// Where Newton did not get to the end it is tried again from a decade below, or, having gained, from anywhere.
static void note_newton(ssi_facts *f, ssi_phase to) {
  bool again = f->phase == SSI_NEWTON && to == SSI_SWEEPS;
  bool attempted = f->phase == SSI_ATTEMPTS && to == SSI_RANDOM;
  if (f->phase == SSI_NEWTON || attempted) f->newton_again = again ? INFINITY : SSI_GAIN * f->error;
  if (again) f->returned = f->newton_best;
  if (to != SSI_NEWTON) return;
  f->from = f->phase;
  f->newton_began = f->newton_best = f->error;
  f->newton_idle = 0;
}

// Interior points go on counting after the sweeps between them; settling ends a round.
static void note_rounds(ssi_facts *f, ssi_phase to) {
  bool back = between_interior_points(f->phase);
  if (between_interior_points(to)) f->interior_steps = f->steps;
  if ((to == SSI_INTERIOR || to == SSI_TURNS) && !back && f->phase != SSI_TURNS) f->round = 0;
  if (f->phase == SSI_SETTLING) f->round++;
  f->steps = back && to == SSI_INTERIOR ? f->interior_steps : 0;
}

void ssi_plan_enter(ssi_facts *f, ssi_phase to, int limit) {
  note_newton(f, to);
  note_rounds(f, to);
  f->phase = to;
  f->limit = limit;
  f->stalled = false;
  f->first = INFINITY;
  for (int k = 0; k < 3; k++) f->window[k] = INFINITY;
}

void ssi_plan_observe(ssi_facts *f) {
  if (!f->steps || f->steps % SSI_WINDOW) return;
  if (f->first == INFINITY) f->first = f->error;
  for (int k = 2; k > 0; k--) f->window[k] = f->window[k - 1];
  f->window[0] = fmin(f->error, f->window[1]);
}

bool ssi_plan_wants_measure(const ssi_facts *f) {
  const ssi_phase_row *row = &plan[f->phase];
  return f->stalled || f->steps == row->budget || (row->windows && f->steps % SSI_WINDOW == 0);
}

// ---- the table -----------------------------------------------------------------------------

static const ssi_phase_row plan[SSI_PHASES] = {
    // clang-format off
    //                     name               by               enter when     leave when            budget      windows next               hands on
    [SSI_SWEEPS]        = {"sweeps",          SSI_BY_SWEEPS,   always,        by_prediction,        0,          true,   SSI_TURNS,         SSI_HAND_ITERATE},
    [SSI_TURNS]         = {"turns",           SSI_BY_TURNS,    if_balls_had_rounds, for_a_turn,     0,          true,   SSI_INTERIOR,      SSI_HAND_ITERATE},
    [SSI_INTERIOR]      = {"interior points", SSI_BY_INTERIOR, if_factorable, by_rounds,            0,          true,   SSI_NEWTON_SWEEPS, SSI_HAND_ITERATE},
    [SSI_NEWTON_SWEEPS] = {"newton by turns", SSI_BY_TURNS,    if_by_bodies,  when_spent,           0,          true,   SSI_MOMENTUM,      SSI_HAND_ITERATE},
    [SSI_MOMENTUM]      = {"momentum",        SSI_BY_MOMENTUM, if_factorable, to_newton_when_spent, SSI_JUDGED, false,  SSI_ADMM,          SSI_HAND_ITERATE},
    [SSI_ADMM]          = {"admm",            SSI_BY_ADMM,     if_factorable, by_prediction,        0,          true,   SSI_RANDOM,        SSI_HAND_ITERATE},
    [SSI_RANDOM]        = {"random sweeps",   SSI_BY_RANDOM,   always,        by_prediction,        0,          true,   SSI_RANDOM,        SSI_HAND_ITERATE},
    [SSI_ATTEMPTS]      = {"attempts",        SSI_BY_ATTEMPTS, if_factorable, one_by_one,           0,          false,  SSI_RANDOM,        SSI_HAND_BEST_SINCE},
    [SSI_PARTS]         = {"parts",           SSI_BY_PARTS,    from_sweeps,   when_a_part_failed,   0,          false,  SSI_INTERIOR,      SSI_HAND_ITERATE},
    [SSI_NEWTON]        = {"newton",          SSI_BY_NEWTON,   if_factorable, without_answer,       0,          false,  SSI_STAY,          SSI_HAND_BEST},
    [SSI_SMOOTHING]     = {"smoothing",       SSI_BY_MOMENTUM, if_by_bodies,  back_to_interior,     SSI_FEW,    false,  SSI_INTERIOR,      SSI_HAND_ITERATE},
    [SSI_SETTLING]      = {"settling",        SSI_BY_MOMENTUM, if_by_bodies,  to_next_round,        SSI_SETTLE, false,  SSI_INTERIOR,      SSI_HAND_ITERATE},
    // clang-format on
};

ssi_phase ssi_plan_next(const ssi_facts *f) {
  return plan[f->phase].leave(f);
}
