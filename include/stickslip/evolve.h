// stickslip/evolve.h - a mechanism in time: from event to event, or in steps of one size.
//
//   events                each transition (stick, slip, part, touch) is located; between them the motion is smooth
//                         and integrated to a tolerance (SUNDIALS)
//   midpoint              [Jack, 5]: laws of contact and friction at the middle of each step
//   midpoint-stabilized   the same, with the slip velocity set to 0 where a contact sticks
//   moreau                velocities at the end of each step
//
//   ss_evolution *e;
//   ss_evolve_options o = ss_evolve_options_default();
//   if (ss_evolution_create(&ctx, &mechanism, &o, 0, q0, v0, &e)) ...
//   while (!ss_evolution_end(e) && t < 10) ss_evolution_advance(e, t += 0.1);
//   ss_evolution_destroy(e);
#pragma once

#include "stickslip/mechanism.h"
#include "stickslip/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_scheme {
  SS_SCHEME_EVENTS,
  SS_SCHEME_MIDPOINT,
  SS_SCHEME_MIDPOINT_STABILIZED,
  SS_SCHEME_MOREAU,
} ss_scheme;
SS_API const char *ss_scheme_name(ss_scheme s);  // NULL past the last

typedef enum ss_mode { SS_MODE_FREE, SS_MODE_STICK, SS_MODE_SLIP, SS_MODE_SLIP_BACK } ss_mode;
// "free", "stick", "slip+", "slip-"; in space "slip" for SS_MODE_SLIP, and no SS_MODE_SLIP_BACK
SS_API const char *ss_mode_name(int dim, ss_mode m);

// What happens where a gap closes with a normal velocity.
typedef enum ss_impact_law {
  SS_IMPACT_COULOMB,       // Moreau: impulses obey the law of friction, g'_N jumps to -e g'_N
  SS_IMPACT_FRICTIONLESS,  // normal impulses only
} ss_impact_law;
SS_API const char *ss_impact_law_name(ss_impact_law l);  // "coulomb", "frictionless"

// What is done about impacts that accumulate.
typedef enum ss_zeno {
  SS_ZENO_CLOSE,  // the contact is closed at the limit of the times of impact
  SS_ZENO_STEP,   // Moreau steps, as long as what is left (or `step`), until it stays closed
  SS_ZENO_STOP,
} ss_zeno;
SS_API const char *ss_zeno_name(ss_zeno z);  // "close", "step", "stop"

typedef struct ss_evolve_options {
  ss_scheme scheme;
  double step;     // of the stepping schemes; of `events`: the longest, 0: no limit
  double theta;    // moreau, in [1/2, 1]
  double rel_tol;  // events: of a step, relative
  double abs_tol;  // and absolute
  ss_impact_law impact;
  ss_zeno zeno;
  double zeno_tol;     // impacts that end within this time are taken as ended, in units of time
  int64_t max_events;  // 0: no limit
  bool count_modes;    // midpoint, plane: count the admissible modes of each step
  // Asked for at the start; a mode that the prediction does not find there is refused. NULL: whatever it finds (nc)
  const ss_mode *start_modes;
} ss_evolve_options;
SS_API ss_evolve_options ss_evolve_options_default(void);

typedef enum ss_event_kind {
  SS_EVENT_START,
  SS_EVENT_STATUS,        // a contact changes its mode
  SS_EVENT_IMPACT,        // a gap closes, velocities jump
  SS_EVENT_ACCUMULATION,  // of impacts: their limit
} ss_event_kind;
SS_API const char *
ss_event_kind_name(ss_event_kind k);  // "start", "status", "impact", "accumulation"

typedef struct ss_event {
  double time;
  ss_event_kind kind;
  int contact;  // -1: start
  ss_mode from, to;
  const double *q, *v;  // right after it     (nq, nv)
} ss_event;

// A view, valid until the next call.
typedef struct ss_evolution_state {
  double time;
  const double *q, *v;         // (nq), (nv)
  const double *acceleration;  // v'                                      (nv)
  const ss_mode *modes;        //                                         (nc)
  const double *gap;           //                                         (nc)
  const double *slip;          // g', contact frames                      (dim nc)
  const double *force;         // r; of a stepping scheme: of the last step, mean    (dim nc)
  // of a contact that sticks, in the plane: its force is (1 - share) times that of slip- and share times that
  // of slip+ [Jack, 7.1], with static friction where there is one; NAN elsewhere   (nc)
  const double *share;
} ss_evolution_state;

// kinetic - start = applied + contact + impact + scheme
typedef struct ss_evolution_energy {
  double kinetic, start;
  double potential;  // NAN without one; its change is part of `applied`
  double applied;    // work of F
  double contact;    // work of contact forces and joints, impacts excepted
  double impact;     // of impacts
  double scheme;     // of the stepping scheme itself
  double closure;    // what is missing, over the largest term so far
} ss_evolution_energy;

typedef struct ss_evolution_totals {
  int64_t steps;        // of the integrator, or of the scheme
  int64_t evaluations;  // of the right-hand side
  int64_t events, impacts, predictions;
  int64_t solves;  // of friction problems by a scheme that steps
  int64_t none,
      several;       // midpoint with count_modes: steps without, and with several, admissible modes
  double violation;  // largest violation of a mode's inequalities seen at an output, relative
} ss_evolution_totals;

// The mechanism at (t, q, v) as ss_status_predict has it; what it points to belongs to it.
SS_API ss_error ss_mechanism_instant(ss_context *ctx, const ss_mechanism *m, double t,
                                     const double *q, const double *v, ss_instant **out);
SS_API void ss_mechanism_instant_destroy(ss_instant *at);  // NULL allowed

typedef struct ss_evolution ss_evolution;

// The mechanism must outlive it. Refuses with SS_ERR_DATA: functions that are missing, a mass matrix that is not
// definite, gaps that penetrate at the start, gap functions without gradient, joints that are not closed. Velocities
// that joints do not allow end in an impulse.
SS_API ss_error ss_evolution_create(ss_context *ctx, const ss_mechanism *m,
                                    const ss_evolve_options *o, double t, const double *q,
                                    const double *v, ss_evolution **out);
SS_API void ss_evolution_destroy(ss_evolution *e);  // NULL allowed

// To time t, which must not lie before now. Where the motion cannot go on (no accelerations, a phase that SUNDIALS
// cannot integrate, a function of the mechanism that fails) it stops earlier, with the state there: ss_evolution_end.
SS_API ss_error ss_evolution_advance(ss_evolution *e, double t);

// The same in pieces: to right before the next event; over it, where the last call stopped there; of schemes that step
// one step.
SS_API ss_error ss_evolution_advance_once(ss_evolution *e, double t);

SS_API double ss_evolution_time(const ss_evolution *e);
SS_API ss_scheme ss_evolution_scheme(const ss_evolution *e);

// Why it cannot go on: a sentence; NULL while it can.
SS_API const char *ss_evolution_end(const ss_evolution *e);

SS_API ss_error ss_evolution_state_now(ss_evolution *e, ss_evolution_state *out);
SS_API ss_error ss_evolution_energy_now(ss_evolution *e, ss_evolution_energy *out);
// The step below which a step from here has one admissible mode for every load, by the critical friction of its matrix
// (critical.h); in the plane, for schemes that step, without joints: else NAN. Looked for from 1e-6 to 1e6 times the scheme's own:
// INFINITY where there is one at any, 0 where at none (more contacts than degrees of freedom).
SS_API ss_error ss_evolution_unique_step(ss_evolution *e, double *below);
SS_API void ss_evolution_totals_now(const ss_evolution *e, ss_evolution_totals *out);
SS_API int ss_evolution_event_count(const ss_evolution *e);
SS_API ss_error ss_evolution_event(const ss_evolution *e, int index, ss_event *out);

#ifdef __cplusplus
}
#endif
