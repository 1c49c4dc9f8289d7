// solvers/impulses.h - sequential impulses: rough answers for rigid bodies, sweep by sweep, without a matrix.
//
// The caller owns the loop: this is no method of the driver but a part for those who want a rough r at the price of
// a few sweeps, and who change w on the way (dynamics/step/scout.c). docs/theory-dynamics.md, "Rough answers".
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_station ssi_station;

typedef struct ssi_impulses {
  int dim, width;        // dofs of a body: 3 or 6
  int count;             // contacts
  ssi_station *station;  //                                                  (count)
  double *v, *inverse;   // velocities, 1/mass                               (ndof)
  double *r;             // reactions, the caller's                          (dim count)
} ssi_impulses;

// p in the global form with a diagonal M, no bilateral constraints, and rows of H that touch one or two whole bodies,
// which is what problem/rigid.h makes; w and mu are copied, H is borrowed. Velocities are then v_free: those without
// reactions. false: no memory.
bool ssi_impulses_begin(ssi_arena *arena, const ss_problem *p, const double *v_free, double *r,
                        ssi_impulses *out);

void ssi_impulses_apply(ssi_impulses *k);  // v += M^-1 H^T r: once, for a guess

// One sweep over r and v. Returns the square of the change of u.
double ssi_impulses_sweep(ssi_impulses *k);

double ssi_impulses_velocity(const ssi_impulses *k, int contact, int row);  // u = H v + w
void ssi_impulses_set_normal(ssi_impulses *k, int contact, double w);       // w_N
