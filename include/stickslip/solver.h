// stickslip/solver.h - solve one frictional contact problem.
//
// Life cycle: ss_options_default -> ss_solver_create -> ss_solve (as often as wanted, with
// ss_solver_update or ss_solver_retarget in between) -> ss_solver_destroy. A solve takes no memory, save
// what CHOLMOD and UMFPACK take inside a solve with a general M, and what `auto` takes when it first
// needs more than sweeps.
#pragma once

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a solve concluded. Anything here is an answer; failures of the call itself are ss_error.
typedef enum ss_status {
  SS_UNSOLVED = 0,  // ss_solve not called yet
  SS_SOLVED,        // verified on the caller's data: the chosen measure is <= tol
  SS_STALLED,       // the method gave up
  SS_MAX_ITER,
  SS_TIME_LIMIT,
  SS_CANCELLED,  // progress or stop returned nonzero
  SS_ACCEPTED,  // not solved, but the method's own stopping test is met, as it was asked for (aclm: stop)
} ss_status;
SS_API const char *ss_status_name(ss_status s);  // "solved", "stalled", "max_iter", ...

typedef struct ss_info {
  ss_status status;
  int iterations;
  double error, error_fclib;  // of the returned r, whatever the method
  double time_setup_s, time_solve_s;
  int checks;        // how often the residual was measured
  int inner_solves;  // convex programs solved inside the iterations (aclm); 0 for other methods
  // The method's own stopping test, aclm: |F(s) - s| / (|s| + 1) / contacts [ACLM11, (6.1)]; NAN: none
  double own_test;
} ss_info;

typedef struct ss_setting {  // one option of a method, as text: {"omega", "1.2"}
  const char *key, *value;
} ss_setting;

enum { SS_THREADS_MAX = 1024 };

// Whether a problem has a solution, for `auto` to spend its work by. ss_certify can tell.
typedef enum ss_doubt {
  SS_DOUBT_NOT,  // it has one, or nothing is known: whatever may help is tried
  SS_DOUBT_THERE,  // criterion (A) is violated: each of the last attempts has the counted seconds of the
                   // option `doubtful` in place of `attempt`, and nothing follows them
  SS_DOUBT_REFUTED,  // there is none: no more is tried
} ss_doubt;

typedef struct ss_options {
  const char *method;          // "nsgs": see ss_method_name
  double tol;                  // > 0; bounds what `measure` names
  ss_measure measure;          //
  int max_iter;                // 0: the method's own default
  double time_limit_s;         // 0: none
  int check_every;             // iterations between residuals; 0: the driver chooses
  uint64_t seed;               // of everything random
  int threads;                 // same bits for any number; 0: as many as OpenMP would take
  const ss_setting *settings;  // options of the method; copied
  int setting_count;
  bool checked;  // its problems have passed ss_problem_check: they are not checked again
  int (*progress)(void *user, const ss_info *now);  // at each residual; nonzero cancels
  int (*stop)(
      void *user);  // between any two iterations, and in the loops inside long ones; likewise
  // What the caller knows of a solution: `auto` asks before what is dearest, at most once for itself and each part of
  // the problem; the answer is about the whole, and counts for each part. NULL: nobody is asked. Steps of a simulation
  // answer for themselves.
  ss_doubt (*doubt)(void *user);
  void *user;
} ss_options;

typedef struct ss_solver ss_solver;

SS_API ss_options ss_options_default(void);

// The registered methods and their options, for help texts and tests.
typedef struct ss_option_help {
  const char *key, *help;
  double initial, low, high;
  const char *const *names;  // NULL for a number; else the accepted words, NULL-terminated,
} ss_option_help;            // of which `initial` is an index
SS_API const char *ss_method_name(int index);            // NULL past the last one
SS_API const char *ss_method_summary(const char *name);  // NULL if unknown
SS_API bool ss_method_option(const char *name, int index, ss_option_help *out);

// Whether ss_solver_create would take the setting: "METHOD.KEY: found ..., expected ..." otherwise.
SS_API ss_error ss_setting_check(ss_context *ctx, const char *method, const ss_setting *setting);

// Validates, copies the options, allocates, factors. ctx may be NULL. On error *out is NULL.
SS_API ss_error ss_solver_create(ss_context *ctx, const ss_problem *p, const ss_options *o,
                                 ss_solver **out);

// New numbers in any array: vectors, friction, entries of the matrices. Sizes and the patterns (ptr,
// col) must be as before; the arrays themselves may be others, or the same ones overwritten: what
// changed is found by looking. Matrices with the same numbers are not worked on again; with new
// numbers, what was learnt from their pattern is used again. Refuses a changed structure with
// SS_ERR_ARGUMENT, and the solver is as before.
SS_API ss_error ss_solver_update(ss_solver *s, const ss_problem *p);

// Another problem: any sizes, patterns, form or dimension; the method and the other options stay. Does
// as much as ss_solver_create, or as little as ss_solver_update where the structure happens to be the
// same, and gives the same bits as a new solver. For time stepping, where contacts come and go.
//
// Memory: from the first update or retarget on, the solver keeps what it has and takes more only when it
// needs larger pieces than ever before; what lies idle for 32 changes goes back.
//
// Both keep the address of p's arrays, not of p, like ss_solver_create. After an error other than that of
// the arguments or of inconsistent data (memory; M not positive definite) the solver has no problem: it
// can only be retargeted or destroyed.
SS_API ss_error ss_solver_retarget(ss_solver *s, const ss_problem *p);

// r (m) is guess and answer; u (m), v (ndof), l (nl) are answers and may be NULL. Where it does not end
// in SS_SOLVED, r is the best iterate that was measured.
SS_API ss_error ss_solve(ss_solver *s, double *r, double *u, double *v, double *l, ss_info *info);

// One solve of a problem whose M is singular (ss_problem_loose), from the guess r on: proximal steps, each of them a solve by
// the method of the options with a mass added along the loose motions, then a correction with the states so found.
// iterations counts the steps, at most 12; max_iter is that of each. u (m), l (nl) may be NULL where nothing is wanted of them; v (ndof) is part of the answer.
SS_API ss_error ss_solve_loose(ss_context *ctx, const ss_problem *p, const ss_options *o, double *r,
                               double *u, double *v, double *l, ss_info *info);

// Did the last ss_solve run this method, alone or inside `auto`, or find that it cannot take the problem?
SS_API bool ss_solver_tried(const ss_solver *s, const char *method);

SS_API void ss_solver_destroy(ss_solver *s);  // NULL allowed

// ---- hyperstatic answers -------------------------------------------------------------------

typedef struct ss_least_norm_info {
  bool reached;     // r is that of least norm; else it is as it was
  bool stopped;     // by o->stop or o->time_limit_s: then it is not reached
  double norm[2];   // |r| before and after
  double error;     // of the measure that was asked for, after
  double velocity;  // largest change of u of a component, over its scale
  int newtons;      // linear systems solved
} ss_least_norm_info;

// Among the reactions with the velocities of a solved r (m), those of least norm, docs/theory.md "Reactions of
// least norm": rigid bodies held at more places than needed leave them undetermined. `o` as r was solved with: tol and
// measure bound the answer and the change of its velocities, both from the raw data; where one of the two is too
// large, r is solved again to a tenth, then to a hundredth of tol, and `velocity` tells what both steps changed. Where that does not help either, or r is not solved,
// r stays as it is.
SS_API ss_error ss_least_norm(ss_context *ctx, const ss_problem *p, const ss_options *o, double *r,
                              ss_least_norm_info *out);

#ifdef __cplusplus
}
#endif
