// solvers/ipm.h - the interior point iteration, as the method `ipm` and others use it; the equations
// are in ipm_core.c.
//
// Life cycle: zero the struct, choose `way` and `direction`, setup, refresh; then as often as wanted
// begin and iterate, or solve_convex; release.
#pragma once

#include "cone/soc.h"
#include "solvers/ipm_linear.h"
#include "solvers/method.h"

typedef enum ssi_ipm_direction { SSI_IPM_AHO, SSI_IPM_NT } ssi_ipm_direction;

typedef struct ssi_ipm {
  ssi_ipm_way way;              // set by the caller before setup
  ssi_ipm_direction direction;  // may be changed before begin
  ssi_ipm_linear linear;
  double unit;              // r = unit T z, T (u + mu s e) = unit y: |q| becomes 1
  double *q;                // T q / unit                                          (m)
  double *s;                // T_T s / unit, where it is given                      (nc)
  bool given;               // s is given: the convex program; else s = |y_T|
  double *z, *y;            // the iterate, inside the cones                       (m)
  double *margin_z;         // z_0 - |z_T|                                         (nc)
  double *margin_y;         // y_0 - |y_T|                                         (nc)
  double *rho;              // W^ z + q + s e - y                                  (m)
  double *dz, *dy, *g, *b;  // directions, right-hand sides                        (m)
  double *dn;               // change of u_N / mu                                  (nc)
  ssi_scaling *scaling;     // with the direction of Nesterov and Todd             (nc)
  double theta;             // share of the derivative of s kept in the system
  bool curved;              // y follows u, so that rho shrinks with every step
  double gap, infeasible;   // mean of z_i.y_i; |rho|
  double gap_first, infeasible_first;
  double energy;  // z.W^ z / 2 + |z.(q + s e)|: what nc gap is compared with
  double best_gap, best_infeasible;
  int idle;  // iterations since either of them got better
} ssi_ipm;

// T of contact i: c diag(1/mu, 1, 1), c such that the mean of the diagonal of T W_ii T is 1; c (1, 0, 0) for
// mu = 0.
void ssi_ipm_scale(const ssi_system *sys, int64_t i, double *T);

ss_error ssi_ipm_setup(ssi_ipm *p, ssi_system *sys, ssi_arena *arena);
void ssi_ipm_refresh(ssi_ipm *p);  // after a change of q or mu
void ssi_ipm_release(ssi_ipm *p);

// From z = z0 e, y = y0 e. s (nc) given: the convex program (3.15) of [ACLM11]; NULL: s = |u_T|.
void ssi_ipm_begin(ssi_ipm *p, const double *s, double z0, double y0);
// From z o y = tau e with the z - y of r and u (m); s as there.
void ssi_ipm_begin_near(ssi_ipm *p, const double *s, const double *r, const double *u, double tau);
bool ssi_ipm_iterate(ssi_ipm *p);                     // false: cannot go on
void ssi_ipm_reactions(const ssi_ipm *p, double *r);  // r of the iterate, in K   (m)

double ssi_ipm_relative_gap(const ssi_ipm *p);         // duality gap / max(energy, 1e-2), s given
bool ssi_ipm_converged(const ssi_ipm *p, double tol);  // that and |rho| / max(1, |s|) below tol

// The convex program with s given, until ssi_ipm_converged. r (m) and u = W r + q (m) are answers; true if converged. *gap (may be NULL): the
// relative gap reached; *iterations (may be NULL).
bool ssi_ipm_solve_convex(ssi_ipm *p, const double *s, double tol, int max_iter, double *r,
                          double *u, double *gap, int *iterations);

// ---- the method ----------------------------------------------------------------------------

typedef struct ssi_ipm_options {
  double s;          // refreshed, or that of the guess
  double system;     // ssi_ipm_way
  double direction;  // ssi_ipm_direction
  double limit;      // iterations from one start
  double first;      // which of its starts comes first
  double starts;     // how many are tried
  double near;       // > 0: begin near the guess, with this complementarity
} ssi_ipm_options;

extern const ssi_method ssi_method_ipm;

// Options for the next begin; s and system stay as they were at set-up.
void ssi_ipm_choose(void *state, const ssi_ipm_options *o);
