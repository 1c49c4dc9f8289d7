// solvers/auto/plan.h - what `auto` does next, from counted facts alone. The table of phases is in plan.c; it runs no
// method and measures nothing, so that tests can put any facts to it.
//
//   auto.c, in every step:   ssi_plan_observe -> ssi_plan_next -> SSI_STAY, or a phase to enter, and then
//                            ssi_plan_enter -> one step of that phase -> ssi_plan_wants_measure
//
// To change the plan: a row of the table, a rule beside it, a test in tests/test_plan.c. To add a phase: a name in
// ssi_phase, its row, and, where no worker of another phase makes its steps, a row in the table of auto.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum ssi_phase {
  // one after the other
  SSI_SWEEPS,         // accelerated Gauss-Seidel
  SSI_TURNS,          // the method `newton`, for the work of one settling
  SSI_INTERIOR,       // interior points from the middle; by bodies in rounds
  SSI_NEWTON_SWEEPS,  // the method `newton`: Newton and sweeps in turn
  SSI_MOMENTUM,       // sweeps with momentum
  SSI_ADMM,
  SSI_RANDOM,    // sweeps in random order
  SSI_ATTEMPTS,  // other methods and starts, attempts.h
  // between them
  SSI_PARTS,      // every component by itself, parts.h
  SSI_NEWTON,     // Newton from the iterate of another phase
  SSI_SMOOTHING,  // a few sweeps from an interior point
  SSI_SETTLING,   // sweeps between two rounds
  SSI_PHASES,
  // answers that are no phase
  SSI_STAY = SSI_PHASES,
  SSI_WEIGH,    // find out what a factorisation takes, and ask again
  SSI_ASK,      // find out whether a solution is in doubt, and ask again
  SSI_GIVE_UP,  // nothing can go on
} ssi_phase;

// What makes the steps of a phase, auto.c. Phases that share one share its memory.
typedef enum ssi_worker {
  SSI_BY_SWEEPS,    // nsgs
  SSI_BY_MOMENTUM,  // nsgs, with momentum from its first sweep on
  SSI_BY_RANDOM,    // nsgs, in random order
  SSI_BY_INTERIOR,  // ipm
  SSI_BY_TURNS,     // newton, which sweeps in turn
  SSI_BY_ADMM,
  SSI_BY_NEWTON,    // Newton alone, solvers/newton.h
  SSI_BY_PARTS,     // auto on every part
  SSI_BY_ATTEMPTS,  // what the attempt says
  SSI_WORKERS
} ssi_worker;

typedef struct ssi_facts {
  // the caller's
  double tol;
  double newton_below;  // error from which Newton is tried
  double newton_steps;  // of it at most
  double patience;  // work given to a phase before it may be left, over SSI_WORTH steps of Newton
  double analysis_steps;  // what Newton's analysis costs, in sweeps
  // what a factorisation takes; not known before `weighed`
  bool weighed;
  bool factorable;     // it is affordable at all
  bool by_bodies;      // and in blocks of the bodies
  bool balls;          // no normal reaction makes its own contact slide: W_NT = 0
  double newton_cost;  // of a step of Newton, in sweeps
  int rounds;          // of interior points, that are affordable
  // what the caller knows of a solution; not known before `asked`
  bool asked;
  bool doubtful;  // there may be none
  bool refuted;   // there is none
  // the phase under way
  ssi_phase phase;
  ssi_phase from;    // phase that SSI_NEWTON began in
  int steps;         // of the phase
  int limit;         // of them by the method itself
  bool stalled;      // its method has given up
  double error;      // measured last; INFINITY: not yet
  double estimate;   // of the last step; not a number: none
  double first;      // error at the first measure of the phase
  double window[3];  // smallest errors after the last windows, latest first
  // what went before
  uint32_t refused;     // bit p: phase p cannot be entered (again)
  double newton_again;  // error below which Newton is tried next
  double newton_began;  // error from which SSI_NEWTON began
  double newton_best;   // of its errors
  int newton_idle;      // its steps since then
  double returned;      // smallest error from which sweeps began again after Newton
  int interior_steps;   // when the sweeps between interior points began
  int round;            // rounds made
} ssi_facts;

// What the next phase begins from.
typedef enum ssi_handover {
  SSI_HAND_ITERATE,     // the last iterate
  SSI_HAND_BEST,        // the best iterate, or that from which the phase began, whichever is better
  SSI_HAND_BEST_SINCE,  // the best one before the first attempt or since
} ssi_handover;

typedef struct ssi_phase_row {
  const char *name;
  ssi_worker by;                          // what makes its steps
  bool (*enter)(const ssi_facts *);       // may it be entered, the facts being weighed
  ssi_phase (*leave)(const ssi_facts *);  // where to: SSI_STAY, SSI_WEIGH, SSI_GIVE_UP or a phase
  int budget;      // steps at most; 0: what the rule or the method itself allows
  bool windows;    // the error is wanted every SSI_WINDOW steps; else at the end only
  ssi_phase next;  // that follows in the order of the table
  ssi_handover hands_on;
} ssi_phase_row;

const ssi_phase_row *ssi_phase_of(ssi_phase p);

ssi_phase ssi_plan_next(const ssi_facts *f);

// The facts of a change of phase, f->error being that of what is handed on: among them where Newton is tried again.
// limit: steps that the method itself allows.
void ssi_plan_enter(ssi_facts *f, ssi_phase to, int limit);

void ssi_plan_observe(ssi_facts *f);              // before each step: the windows
bool ssi_plan_wants_measure(const ssi_facts *f);  // after it: the error

// Steps that the phase still needs if the error goes on falling.
double ssi_steps_left(const ssi_facts *f);
