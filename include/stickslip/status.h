// stickslip/status.h - which contacts part, stick or slip next: prediction from accelerations [LSCM03].
//
// At an instant positions and velocities are known and continuous; accelerations a and contact forces r may
// jump. With g the gaps and slips in contact frames, normal first,
//
//   M a + f = H^T r + G l,    G^T a + c = 0,    g'' = H a + b                                          (1)
//
// and of the contacts that persist (g_N = g'_N = 0)
//
//   sliding, g'_T != 0:      0 <= g''_N  _|_  r_N >= 0,    r_T = -mu r_N t,   t = g'_T / |g'_T|         (2)
//   not sliding, g'_T = 0:   (g'', r) in C(mu)                                                         (3)
//
// Open contacts and those that open (g'_N > 0) are left out. One that closes (g'_N < 0) is an impact, where
// velocities jump: SS_ERR_DATA.
//
// Where delta = W_NN - mu W_NT t of a sliding contact is not positive (Painleve's region), (2) alone may have no
// solution or two: `existence` says which, and `count` how many where all are known.
#pragma once

#include "stickslip/atlas_blocks.h"
#include "stickslip/certify.h"

#ifdef __cplusplus
extern "C" {
#endif

// f: minus the applied forces and what inertia adds (gyroscopic terms); w: b of (1); b: c of (1).
typedef struct ss_instant {
  const ss_problem *system;  // global form, with accelerations for velocities
  const double *gap;         // g_N; NULL: all touch                                     (nc)
  const double *rate;        // g', contact frames; NULL: nothing moves                  (m)
} ss_instant;

typedef enum ss_persistence {
  SS_CONTACT_OPEN,     // g_N > 0
  SS_CONTACT_OPENING,  // g_N = 0, g'_N > 0
  SS_CONTACT_STILL,    // persists, not sliding
  SS_CONTACT_SLIDING,  // persists, sliding
} ss_persistence;
SS_API const char *ss_persistence_name(ss_persistence p);  // "open", "opening", "still", "sliding"

typedef struct ss_status_contact {
  ss_persistence now;
  ss_state next;  // where solved
  double delta;   // of (2) with the other forces held; NAN where it does not slide
} ss_status_contact;

typedef enum ss_status_method {
  SS_STATUS_AUTO,  // the published one; where it fails, the general one; in the plane, enumeration
  SS_STATUS_SWEEPS,  // as published: sweeps over the contacts, Newton's method on the map G within each
  SS_STATUS_GENERAL,  // the solvers of this library
} ss_status_method;
SS_API const char *ss_status_method_name(ss_status_method m);  // "auto", "sweeps", "general"

typedef struct ss_status_options {
  ss_status_method method;
  double gap_tol;   // gaps within it are closed; in units of length
  double rate_tol;  // velocities within it are zero; in units of velocity
  double
      tol;  // sweeps end where no contact's force changes by more than tol times the largest force
  int max_iter;  // sweeps
  bool polish;   // then solve for the statuses found, to rounding; else `solved` is what tol allows
  bool count;    // also enumerate all solutions (plane; space where all contacts slide)
  bool
      part_ties;  // neither force nor parting acceleration: free, as what loses its force is about to be
} ss_status_options;
SS_API ss_status_options ss_status_options_default(void);

typedef struct ss_prediction {
  int dim, nc, ndof;
  const ss_status_contact *contacts;  // (nc)
  const double *force;                // r, zero where left out                          (m)
  const double *slip;                 // g'', of all contacts                            (m)
  const double *acceleration;         // a                                               (ndof)
  const double *multipliers;          // l                                               (nl)
  bool solved;                        // verified from the data: error <= 1e-9, or what tol allows
  double error;                       // of (2), (3) and the joints over the largest term of g''
  const char *method;                 // that found it: "sweeps", "general", "enumeration"; "none"
  int iterations;                     // sweeps, or iterations of the solver
  int newton;                         // most steps of Newton's method for one contact in one sweep
  int painleve;                       // sliding contacts with delta <= 0
  ss_existence existence;             // of a solution of (1) to (3)
  int count;                          // solutions; -1: not counted
  bool rigorous;                      // the count is proved
  const ss_state *statuses;           // of the solutions counted, one after the other   (count nc)
} ss_prediction;

// ctx may be NULL, and lives as long as the prediction. A problem without a solution, or one that was not found, is an answer: solved is false.
SS_API ss_error ss_status_predict(ss_context *ctx, const ss_instant *at, const ss_status_options *o,
                                  ss_prediction **out);
SS_API void ss_prediction_destroy(ss_prediction *p);  // NULL allowed

// ---- maps -----------------------------------------------------------------------------------------

// The instant at (x, y). Called from several threads, as ss_atlas_problem; `owner` keeps what *out points to.
typedef struct ss_status_plane {
  ss_error (*at)(void *user, ss_context *ctx, double x, double y, ss_instant *out, void **owner);
  void (*release)(void *user, void *owner);  // after the prediction; NULL: nothing to release
  void *user;
  const ss_status_options *options;  // NULL: the defaults
} ss_status_plane;

// Where in a plane of two parameters which statuses come next, as Fig. 2 of [LSCM03]. A kind is the statuses of the
// contacts, or those of all solutions where they are counted and several. o->judge and o->enumerate are not used.
SS_API ss_error ss_status_atlas(ss_context *ctx, const ss_atlas_options *o,
                                const ss_status_plane *plane, ss_atlas **out);
// Some of its blocks, as ss_atlas_find_blocks.
SS_API ss_error ss_status_find_blocks(ss_context *ctx, const ss_atlas_options *o,
                                      const ss_status_plane *plane, ss_atlas_block_list *list);

#ifdef __cplusplus
}
#endif
