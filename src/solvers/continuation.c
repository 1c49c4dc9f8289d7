// Continuation in mu: the problem with friction scale * mu is solved by Newton (newton.h), and its answer starts
// the one with a larger scale, up to 1.
//
// The first scale is the first of 1/4, 1/16, 1/64, 0 that Newton solves from r = 0; without friction the problem
// is convex. An increase that ends in an answer lets the next one be twice as large, one that does not a third.
// Where the branch of solutions ends before scale 1 (a fold) the increases become too small, and the method
// stalls: path.c passes folds. A part of `auto` (auto/attempts.c), not a method of its own in the table.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solvers/auto/attempts.h"
#include "solvers/newton.h"

enum { TRIES = 4, STEPS = 25 };                      // first scales; steps for one scale
static const double ENOUGH = 1e-7, SHORTEST = 1e-4;  // error that answers; smallest increase
static const double first_scale[TRIES] = {0.25, 1. / 16, 1. / 64, 0};

typedef struct continuation {
  ssi_newton newton;
  ssi_system scaled;  // the caller's but for mu
  double *mu;         // (nc)
  double *answer;     // at `solved`, or the start   (m)
  double solved;      // largest scale with an answer; < 0: none
  double scale, increase;
  int tries, steps;
} continuation;

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  continuation *c = state;
  (void)seed;
  c->mu = SSI_TAKE(arena, sys->nc, double);
  c->answer = SSI_TAKE(arena, sys->m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  ssi_newton_options o = ssi_newton_options_default();
  o.watchdog = 12;
  o.retries = 1;
  return ssi_newton_create(&c->newton, sys, &o, arena);
}

// Begins to solve the problem with friction scale * mu from the last answer.
static void begin_at(continuation *c, ssi_system *sys, double scale) {
  c->scaled = *sys;  // with whatever it has made since
  c->scaled.p.mu = c->mu;
  c->scale = scale;
  c->steps = 0;
  for (int i = 0; i < sys->nc; i++) c->mu[i] = scale * sys->p.mu[i];
  ssi_newton_begin(&c->newton, &c->scaled, c->answer);
}

static void begin(void *state, ssi_system *sys, const double *r) {
  continuation *c = state;
  (void)r;
  if (sys->m) memset(c->answer, 0, sizeof(double) * (size_t)sys->m);
  c->solved = -1;
  c->tries = 0;
  begin_at(c, sys, first_scale[0]);
}

static ssi_verdict go_on(continuation *c, ssi_system *sys) {
  if (c->solved < 0) c->increase = fmax(c->scale, first_scale[TRIES - 2]) / 2;
  c->solved = c->scale;
  if (sys->m) memcpy(c->answer, c->newton.best, sizeof(double) * (size_t)sys->m);
  c->increase *= 2;
  begin_at(c, sys, fmin(1, c->solved + c->increase));
  return SSI_CONTINUE;
}

static ssi_verdict go_back(continuation *c, ssi_system *sys) {
  if (c->solved < 0) {
    if (++c->tries == TRIES) return SSI_STALLED;
    begin_at(c, sys, first_scale[c->tries]);
    return SSI_CONTINUE;
  }
  c->increase = (c->scale - c->solved) / 3;
  if (c->increase < SHORTEST) return SSI_STALLED;
  begin_at(c, sys, c->solved + c->increase);
  return SSI_CONTINUE;
}

// At scale 1 the driver says when it is done.
static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  continuation *c = state;
  ssi_verdict v = ssi_newton_step(&c->newton, &c->scaled, r);
  bool last = c->scale == 1;
  if (!last) *estimate = INFINITY;  // r answers another problem
  if (!last && c->newton.best_error <= ENOUGH) return go_on(c, sys);
  return v == SSI_STALLED || ++c->steps >= STEPS ? go_back(c, sys) : SSI_CONTINUE;
}

static void release(void *state) {
  ssi_newton_release(&((continuation *)state)->newton);
}

const ssi_method ssi_method_continuation = {
    .name = "continuation",
    .summary = "Newton with the friction growing up to its value",
    .state_size = sizeof(continuation),
    .max_iter = 5000,
    .setup = setup,
    .begin = begin,
    .step = step,
    .release = release,
};
