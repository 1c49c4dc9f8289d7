// solvers/auto/numbers.h - every number that `auto` was tuned by: twenty, each with its unit, what it is for and the
// measurement behind it (docs/solvers-auto.md has the tables). The costs of cost.c are not among them: bench_cost
// measures those.
#pragma once

// ---- options that a user can change (stickslip help auto) ------------------------------------

enum {
  SSI_SWEEP_MEMORY = 5
};  // sweeps that Anderson looks back on; docs/solvers.md, small problems
static const double SSI_SWEEP_MOMENTUM = 0.98;  // of a change; docs/solvers-piles.md, Momentum
static const double SSI_NEWTON_BELOW =
    5e-2;                           // error; docs/solvers-newton.md: from where it converges
enum { SSI_NEWTON_STEPS = 100 };    // steps; more never ended in an answer, docs/solvers-newton.md
enum { SSI_DIRECT_ROWS = 200000 };  // unknowns; above, the analysis alone takes seconds
static const double SSI_DIRECT_FLOPS = 3e10;  // operations; some 20 s: a 3D pile of 20,000 contacts

// ---- when a phase is left --------------------------------------------------------------------

enum {
  SSI_WINDOW = 10,    // sweeps between two measures: a measure costs about one of them
  SSI_FEW = 40,       // sweeps to come for which nothing else is thought of: set-up of Newton
  SSI_WORTH = 5,      // steps of Newton that the sweeps to come must exceed: it takes 3 to 8
  SSI_JUDGED = 500,   // sweeps after which a phase is judged however dear the next one is
  SSI_HOPELESS = 10,  // times what would be worth Newton: the phase is given up
};
static const double SSI_GAIN = 0.1;  // of the error: a decade is what counts as progress

// ---- by bodies: rounds of interior points and sweeps, docs/solvers-piles.md -------------------

enum {
  SSI_SHORT = 15,        // steps of Newton, which piles of beads defeat
  SSI_ROUNDS = 40,       // rounds
  SSI_ROUND_START = 30,  // iterations of the first round; most solutions take 24
  SSI_SMOOTH_EVERY = 3,  // iterations between two smoothings, of SSI_FEW sweeps
  SSI_SETTLE = 2000,     // sweeps between two rounds
};
static const double SSI_SMOOTH_BELOW =
    1e-3;  // error; above, sweeps from an interior point go astray

// ---- parts and attempts ----------------------------------------------------------------------

enum { SSI_BUNDLE = 10 };  // contacts to which small components are put together: set-up of a part
static const double SSI_ATTEMPT_S = 4;  // counted seconds of one attempt, docs/solvers-friction.md
