// stickslip/structure.h - linear structures with contacts in time: loads applied slowly, or with inertia.
//
//   M q'' + C q' + K q = f(t) + H(t)^T r,     g = H(t) q + b(t),     u = H(t) q' + w(t),   w = db/dt     (1)
//
// contact by contact (g, u, r) of Coulomb's law, in contact frames, normal first. Finite element models
// (elastic.h) become one; matrices given by the user are one. Some degrees of freedom may be
// prescribed. Three schemes (docs/elastic.md), each step one ss_problem for the library's solvers:
//
//   velocity   (C + h K) v = -K q_k + f + H^T r,  contacts with g_N(q_k) <= 0         [AC11, (21), (22)]
//   position   (K + C/h) q = C q_k/h + f + H^T r, (g_N, g_T - g_T,k) for g            [AC11, (26) - (28)]
//   moreau     with M, by a theta-method; the gap may close, not more
//
// A structure is plain data: everything it points to is borrowed and must outlive what is made from it.
#pragma once

#include "stickslip/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// A factor over time: linear in a table of rows (t, factor) with t increasing, the first and the last
// hold beyond their times; or mean + amplitude sin(2 pi frequency t + phase), where rows = 0.
typedef struct ss_history {
  int rows;
  const double *table;
  double mean, amplitude, frequency, phase;
} ss_history;
SS_API double ss_history_at(const ss_history *h, double t);  // NULL: 1

typedef struct ss_history_term {
  const double *x;           // the vector
  const ss_history *factor;  // times this; NULL: 1
} ss_history_term;

typedef struct ss_prescribed {
  int dof;
  double value;
  const ss_history *factor;  // NULL: 1
} ss_prescribed;

typedef struct ss_structure {
  int dim;               // 2 or 3
  int nc;                // contacts
  int ndof;              //
  const double *mu;      // (nc)
  ss_sparse K;           // symmetric, positive semi-definite                  (ndof x ndof)
  ss_sparse C, M;        // absent: zero
  int H_count;           // at least 1 where nc > 0
  const double *H_time;  // increasing; H is linear between, constant beyond   (H_count)
  const ss_sparse *H;    // (dim nc x ndof each)

  const ss_history_term *loads;  // f(t) is their sum                            (load_count)
  int load_count;
  const ss_history_term *gaps;  // b(t)                                          (gap_count)
  int gap_count;
  const ss_history_term *slides;  // w(t); none: db/dt                            (slide_count)
  int slide_count;
  const ss_prescribed *prescribed;  // several of one dof add up
  int prescribed_count;
  const double *q, *v;  // at the start; NULL: 0. Prescribed ones are as prescribed.   (ndof)

  const int *part;  // what each dof belongs to, for messages; NULL: nothing known   (ndof)
  const char *const *part_name;  //
} ss_structure;

// ---- stepping ----------------------------------------------------------------------------------

typedef enum ss_march_scheme {
  SS_MARCH_VELOCITY,
  SS_MARCH_POSITION,
  SS_MARCH_MOREAU
} ss_march_scheme;
SS_API const char *ss_march_scheme_name(ss_march_scheme s);  // "velocity", ...; NULL past the last

typedef struct ss_march_options {
  ss_march_scheme scheme;
  double start, step, duration;
  double theta;       // moreau: in [1/2, 1]
  bool go_on;         // after a step that is not solved; else it ends
  ss_options solver;  // progress and user are not looked at
} ss_march_options;
SS_API ss_march_options ss_march_options_default(void);

// Sums since the start. The balance is
//   elastic + kinetic - start = load + support + obstacle - friction - viscous - closing - integrator.
typedef struct ss_march_energy {
  double elastic, kinetic, start;
  double load;        // work of f
  double support;     // of what moves prescribed degrees of freedom
  double obstacle;    // of what moves the other side of contacts
  double friction;    // lost by sliding
  double viscous;     // lost in C
  double closing;     // of normal forces over gaps that close or open within a step: none as h -> 0
  double integrator;  // (theta - 1/2) of |q_{k+1} - q_k|_K^2 + |v_{k+1} - v_k|_M^2
  double closure;     // what is missing in the balance over its largest term so far
} ss_march_energy;

typedef struct ss_march_info {
  int64_t step;
  double time;    // at its end
  int contacts;   // of the problem
  int states[3];  // of all nc: free, stick, slip
  ss_status status;
  double error;  // of the problem in (M, H) form, judged from the raw data
  int iterations;
  double time_s;
} ss_march_info;

typedef struct ss_march_view {  // valid until the next step
  double time;
  const double *q, *v;     // all degrees of freedom                 (ndof)
  const double *r;         // forces, contact frames                 (dim nc)
  const double *u;         // relative velocities                    (dim nc)
  const double *gap;       // g                                      (dim nc)
  const ss_state *states;  // (nc)
  const double *support;   // forces that hold prescribed dofs, 0 elsewhere   (ndof)
} ss_march_view;

typedef struct ss_march ss_march;

// SS_ERR_DATA where (C + h K) has a motion without resistance: the message names the part or the row.
SS_API ss_error ss_march_create(ss_context *ctx, const ss_structure *s, const ss_march_options *o,
                                ss_march **out);
SS_API void ss_march_destroy(ss_march *m);  // NULL allowed

// An unsolved step is an answer (info->status); without go_on the state is then that before it.
SS_API ss_error ss_march_step(ss_march *m, ss_march_info *info);  // info may be NULL
SS_API const char *ss_march_end(const ss_march *m);  // "duration", "unsolved"; NULL: not yet
SS_API void ss_march_look(const ss_march *m, ss_march_view *out);
SS_API void ss_march_get_energy(const ss_march *m, ss_march_energy *out);

// The friction problem of the last step in (M, H) form, and its answer; NULL before the first.
SS_API const ss_problem *ss_march_problem(const ss_march *m, ss_solution *answer);

// One step at position level from time `from`, where q is as at the start, to time t, without C: the
// static problem that enumerate, critical, atlas and trace are asked about. For ss_problem_destroy.
// condensed: onto the contacts, M = (H K^-1 H^T)^-1 (their stiffness), H = I.
SS_API ss_error ss_structure_problem(ss_context *ctx, const ss_structure *s, double from, double t,
                                     bool condensed, ss_problem **out);

#ifdef __cplusplus
}
#endif
