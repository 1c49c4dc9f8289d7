// solvers/auto/numbers.h - every number that `auto` was tuned by: twenty, each with its unit and what it is for.
// docs/solvers-auto.md has the measurement behind each: what half of it and twice as much do. The costs of
// cost.c are not among them: bench_cost measures those.
#pragma once

// ---- options that a user can change (stickslip help auto) ------------------------------------

enum {
  SSI_SWEEP_MEMORY = 5,      // sweeps that Anderson looks back on
  SSI_NEWTON_STEPS = 100,    // steps of Newton at most, each time
  SSI_DIRECT_ROWS = 200000,  // unknowns of the largest system that is analysed
};
static const double SSI_SWEEP_MOMENTUM = 0.98;  // of a change, that the sweeps keep
static const double SSI_NEWTON_BELOW = 5e-2;    // error from which Newton is tried
static const double SSI_DIRECT_FLOPS = 3e10;    // operations of the largest factorisation

// ---- when a phase is left --------------------------------------------------------------------

enum {
  SSI_WINDOW = 10,   // sweeps between two measures: a measure costs about one of them
  SSI_FEW = 40,      // sweeps to come for which nothing else is thought of; of a smoothing
  SSI_WORTH = 5,     // steps of Newton that the sweeps to come must exceed
  SSI_JUDGED = 500,  // sweeps after which a phase is judged, however dear the next one is
};
static const double SSI_GAIN =
    0.1;  // a decade is what counts: as progress of an error, and as far more work than is worth

// ---- by bodies: rounds of interior points and sweeps, docs/solvers-piles.md -------------------

enum {
  SSI_SHORT = 15,        // steps of Newton, which piles of beads defeat
  SSI_ROUNDS = 40,       // rounds
  SSI_ROUND_START = 30,  // iterations of the first round
  SSI_SMOOTH_EVERY = 3,  // iterations between two smoothings
  SSI_SETTLE = 2000,     // sweeps between two rounds
};
static const double SSI_SMOOTH_BELOW = 1e-3;  // error from which on there are smoothings

// ---- parts and attempts ----------------------------------------------------------------------

enum { SSI_BUNDLE = 10 };               // contacts of the smallest part: its set-up is to pay
static const double SSI_ATTEMPT_S = 4;  // counted seconds of one attempt; and
static const double SSI_DOUBT_S = 0.1;  // where a solution is in doubt: both are options
