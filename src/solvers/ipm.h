// solvers/ipm.h - the interior point iteration as other methods use it: the convex program (3.15) of
// [ACLM11], s given.
#pragma once

#include "cone/soc.h"
#include "solvers/ipm_linear.h"

typedef struct ssi_ipm {
  ssi_ipm_linear linear;
  double unit_r, unit_u;       // r = unit_r T z,  u_T = unit_u y_T
  double *q;                   // T q / unit_u                                     (m)
  double *s;                   // s / unit_u, where it is given                    (nc)
  bool given;                  // s is given: the convex program; else s = |y_T|
  double *z, *y;               // inside the cones                                 (m)
  double *zm, *ym;             // their margins z_0 - |z_T|, y_0 - |y_T|           (nc)
  double *dz, *dy, *g, *b;     // (m)
  double *dn;                  // change of u_N / mu                               (nc)
  bool aho;
  bool curved;                 // y follows u exactly: rho shrinks with every step
  double *rho;                 // W^ z + q + s e - y                               (m)
  ssi_scaling *scaling;        // (nc)
  double theta;                // share of the derivative of s kept in the system
  double gap, infeasible;      // mean of z_i.y_i; |rho|, both now
  double gap_first, infeasible_first;
  double step;                 // the last one
  int iterations;
} ssi_ipm;

ss_error ssi_ipm_setup(ssi_ipm *p, ssi_system *sys, ssi_arena *arena);
void ssi_ipm_refresh(ssi_ipm *p);  // after a change of q or mu
void ssi_ipm_release(ssi_ipm *p);

void ssi_ipm_begin(ssi_ipm *p, const double *s);  // s (nc): the convex program; NULL: s = |u_T|
bool ssi_ipm_iterate(ssi_ipm *p);                 // false: cannot go on
void ssi_ipm_reactions(const ssi_ipm *p, double *r);  // (m)
