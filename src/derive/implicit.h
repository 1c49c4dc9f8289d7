// derive/implicit.h - the linearised equations of a solution; docs/derivatives.md has the derivation and the numbers used below.
//
// Contact i keeps its state. In unknowns y_i, as many as it has ways to change its reaction (free 0, stick dim, slip dim - 1),
//
//   dr_i = B_i y_i - tau_i dmu_i,      E_i du_i + D_i y_i = 0                                        (5)
//
// so that with all contacts and the joints
//
//   M dv - H^T B y - G dl = a      E H dv + D y = c      G^T dv = e                 global form      (7)
//                (E W B + D) y + E V dl = c      V^T B y + R dl = e                 reduced form     (8)
//
// E, D, B hold the scaling that makes (7), (8) dimensionless: y and the rows of E in sqrt(lambda_i), dv in M_jj^-1/2, dl likewise.
#pragma once

#include "base/arena.h"
#include "la/direct.h"
#include "la/factor.h"
#include "la/vector.h"
#include "stickslip/derivative.h"

typedef enum ssi_going {  // how a contact goes on
  SSI_GOING_FREE,
  SSI_GOING_STICK,
  SSI_GOING_SLIP,
  SSI_GOING_EDGE,   // slips or sticks; as slip, with s.du_T = 0
  SSI_GOING_PRESS,  // touches without pressing while it slides: a normal reaction along g, or none
  SSI_GOING_APEX,   // touches at rest: Coulomb's law for the change itself
} ssi_going;

typedef struct ssi_local {  // one contact of (5)
  ssi_going going;
  int first, count;  // of its unknowns y
  double B[9];       // column after column   (dim x count)
  double E[9];       // row after row         (count x dim)
  double D[3];       // (count)
  double tau[3];     // (dim)
  double
      ray[3];   // what a critical reaction of 1 is: -p of an edge, g of one that may press   (dim)
  bool no_mu;   // tau does not exist
  bool no_way;  // an edge whose p is not known: the cone is too narrow
} ssi_local;

// What changes beside y: reactions r (m), velocities u (m), and the right-hand sides of the balance (ndof) and of the joints (nl).
typedef struct ssi_change {
  double *r, *u, *balance, *joints;
} ssi_change;

struct ss_derivative {
  ss_context *ctx;
  ssi_arena home, arena;
  ss_problem p;  // borrowed arrays
  ss_derivative_options o;
  ss_derivative_info info;
  int m;
  double *r, *u, *v, *l;  // the solution
  ss_rate_place *places;
  bool *loose;        // (nc + nl)
  double *lambda;     // velocity for a unit of impulse, docs/theory.md (6)   (nc)
  ssi_local *locals;  // (nc)
  ss_sparse HT, GT, VT;
  double *motion_scale, *joint_scale;  // of dv, dl in (7), (8)   (ndof), (nl)

  int n;            // ndof + unknowns of contacts + nl
  int first_joint;  // of the unknowns
  ss_sparse A;
  ssi_factor *mass;  // of M, while the derivative is made
  ss_sparse
      inverse;  // of the scaled M, where it has the blocks of rigid bodies; else ptr is NULL   (ndof x ndof)
  ss_sparse S;          // what is left of A without dv then; else A
  ssi_direct *factors;  // of S, or with `shift` on the rows of contacts and joints
  double shift;
  double *rhs, *x, *rest, *step;  // (n)
  double *reduced;                // scratch of eliminate.c   (n + ndof)
  double *impulse, *velocity;     // scratch of products   (m)
  ssi_change change;              // scratch of ss_derivative_forward
};

// ---- places.c: where each contact is, and (5)

// From u, r, lambda and each contact's velocity scale (nc). Fills locals, places, info.
void ssi_derive_places(ss_derivative *d, const double *scale, const ss_contact_verdict *state);

// ---- matrix.c: (7), (8)

ss_error ssi_derive_assemble(ss_derivative *d);

// ---- eliminate.c: (7')

ss_error ssi_derive_eliminate(ss_derivative *d);  // d->S, and d->inverse where it is not A
// A x = b, or A^T x = b, by d->factors, those of S.
ss_error ssi_derive_substitute(ss_derivative *d, bool transposed, const double *b, double *x);

// ---- factors.c: solving with it, and what it can tell

// Fills loose, info.smoothness; d->factors, which is NULL where the smoothness is SS_SINGULAR.
ss_error ssi_derive_factor(ss_derivative *d);

// A x = b, or A^T x = b, refined. *left: |b - A x| over |b|, in the largest norm. b, x: (n), not the same.
ss_error ssi_derive_solve(ss_derivative *d, bool transposed, const double *b, double *x,
                          double *left);

// ---- forward.c

typedef struct ssi_response {
  double *r, *u, *v, *l;  // NULL: not wanted
} ssi_response;
bool ssi_change_take(ssi_arena *arena, const ss_problem *p, ssi_change *out);
void ssi_change_of(const ss_derivative *d, const ss_data_direction *dx, ssi_change *out);
// change->r and ->u are kept.
ss_error ssi_derive_respond(ss_derivative *d, const ssi_change *change, const ssi_response *out);
ss_error ssi_derive_check_direction(const ss_derivative *d, const ss_data_direction *dx);

// ---- derivative.c: SS_ERR_METHOD and why, where there is none

ss_error ssi_derive_regular(const ss_derivative *d);
ss_error ssi_derive_exists(const ss_derivative *d);  // that, and no kinks
ss_error ssi_derive_overflow(const ss_derivative *d);

// ---- products of the data; each adds

void ssi_change_add(const ss_sparse *pattern, const double *entries, double sign, const double *x,
                    double *y);  // y += sign A x with A of these entries
void ssi_change_transposed_add(const ss_sparse *pattern, const double *entries, double sign,
                               const double *x, double *y);

static inline int ssi_free_unknown(const ss_derivative *d) {  // first unknown of the contacts
  return d->p.form == SS_GLOBAL ? d->p.ndof : 0;
}
