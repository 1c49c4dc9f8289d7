// events/instant.h - the contacts of an instant that persist, in the reduced form: g'' = W r + q.
//
// Joints are eliminated: W = W0 - V R^+ V^T, q = q0 - V R^+ s. A sliding contact has one unknown, r_N, and acts
// along (1, -mu t): its column of `A` is W (1, -mu t), its rows keep W's.
#pragma once

#include "base/arena.h"
#include "stickslip/status.h"

typedef struct ssi_instant {
  int dim, count, m;  // m = dim * count
  int *contact;       // its number in the system                    (count)
  double *mu;         //                                             (count)
  bool *slides;       //                                             (count)
  double *t;          // g'_T / |g'_T| where it slides               (dim - 1 each)
  double *W;          // row-major                                   (m x m)
  double *q;          // g'' without contact forces                  (m)
  double *delta;      // of (2); NAN where it does not slide         (count)
  double unit;        // largest entry of q: what accelerations are measured by
} ssi_instant;

// Tells open, opening, sliding and still contacts apart (now[i].now, .delta), and reduces what persists.
ss_error ssi_instant_make(ss_context *ctx, ssi_arena *arena, const ss_instant *at,
                          const ss_status_options *o, ss_status_contact *now, ssi_instant *out);

// r_T of contact i where it slides, from r_N.
void ssi_instant_drag(const ssi_instant *x, int i, double *r);

// g'' of contact i, all forces given.
void ssi_instant_slip(const ssi_instant *x, int i, const double *r, double *slip);

// rho_N = 1/W_NN and rho_T = 1/(largest eigenvalue of W_TT), of contact i.
void ssi_instant_steps(const ssi_instant *x, int i, double *rho_N, double *rho_T);

// How far contact i is from (2) or (3), an acceleration.
double ssi_instant_error(const ssi_instant *x, int i, const double *slip, const double *r);

// ---- the ways to solve it ----------------------------------------------------------------------

typedef struct ssi_status_work {
  int iterations, newton;
  bool ended;  // by its own stopping test
} ssi_status_work;

// r (m): guess and answer.
ssi_status_work ssi_status_sweeps(const ssi_instant *x, double tol, int max_iter, double *r);

// Newton's method for all contacts together, from r, with the statuses that r has. false: r is as it was.
ss_error ssi_status_polish(ss_context *ctx, const ssi_instant *x, double *r, bool *better);

// The solvers of the library on the reduced form.
ss_error ssi_status_solve(ss_context *ctx, const ssi_instant *x, double *r, ssi_status_work *work);

// All solutions: in the plane, or in space where all contacts slide. *set is NULL elsewhere, and where there are
// too many contacts.
ss_error ssi_status_enumerate(ss_context *ctx, const ssi_instant *x, ss_solution_set **set);

// Whether there is a solution, where no contact slides: then it is the problem that certificates are for.
ss_error ssi_status_certify(ss_context *ctx, const ssi_instant *x, ss_existence *out);

// The statuses of each solution, of all nc contacts of the system (set->count nc). NULL: no memory.
ss_state *ssi_status_states(ssi_arena *arena, const ssi_instant *x, int nc,
                            const ss_solution_set *set);
