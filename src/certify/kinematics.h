// certify/kinematics.h - what criterion (A) needs to know of a problem in either form: the velocities
// u = w + H x that the contacts can have, x without constraints.
//
// Reduced form: Im H = Im W, and w - q lies in it. An orthonormal basis of Im W, as far as rank_tol sees
// it, takes the place of H (eigenvectors; singular vectors where W is not symmetric), W itself where it
// is too large for that. With bilateral constraints the same of [W V; V^T R].
#pragma once

#include "certify/joints.h"

typedef struct ssi_kinematics {
  const ss_problem *p;
  int n;            // of x
  ss_sparse H;      // (m x n)
  const double *w;  // (m)
  bool joined;      // there are bilateral constraints: x goes through `joints`
  ssi_joints joints;
  int base;          // unknowns before the joints
  ss_sparse base_H;  // H before the joints
  int size;          // of the velocity that users see: ndof, or m + nl
  double *back;      // reduced: velocity = back * base, column-major (size x base); NULL: equal
  double *scratch;   // (size + base)
} ssi_kinematics;

// Operations that the next one spends on dense matrices.
double ssi_kinematics_flops(const ss_problem *p);

// All memory from the arena.
ss_error ssi_kinematics_create(ssi_arena *arena, const ss_problem *p, double rank_tol,
                               ssi_kinematics *out);

// The velocity of x, or the direction, where the joints' own motion is left out.
void ssi_kinematics_velocity(const ssi_kinematics *k, const double *x, bool direction, double *v);
// l that balances r best; r (m), l (nl).
void ssi_kinematics_multipliers(const ssi_kinematics *k, const double *r, double *l);
