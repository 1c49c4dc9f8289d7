// certify/joints.h - velocities that respect the bilateral constraints:
//
//   G^T v + b = 0   <=>   v = v0 + N x                                                          (1)
//
// The dofs that constraints join, directly or through others, form groups; each group has a dense
// pivoted QR factorisation of its part of G, the other dofs are left alone. So N is block-diagonal.
// Where (1) has no solution there is an l with G l = 0 and b.l != 0: nothing that obeys the constraints
// exists, whatever the contacts do.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_joint_group {
  int dofs, rows, rank;  // of G's part, transposed: rows constraints on dofs
  int *dof, *row;        // which ones
  double *Q;             // (dofs x dofs), column-major; the first `rank` columns span G's part
  double *R;             // (dofs x rows), column-major, upper triangle: part of G = Q R, pivoted
  int *pivot;            // column k of Q R is constraint row[pivot[k]]
  int first;             // column of N of the first of dofs - rank
} ssi_joint_group;

typedef struct ssi_joints {
  int n, free, nl;  // dofs, columns of N, constraints
  int count;        // groups
  ssi_joint_group *group;
  int *group_of;  // of a dof; -1: none      (n)
  int *place_of;  // of a dof in its group, or its column of N where it has none   (n)
  double *v0;     // (n)
  bool consistent;
  double *work;           // (n)
  double *contradiction;  // l, where not consistent   (nl)
} ssi_joints;

// G (n x nl), b (nl). rank_tol: pivots below this part of the largest are zero; contradictions below
// this part of |b| too. SS_ERR_MEMORY, SS_ERR_LINEAR.
ss_error ssi_joints_create(ssi_arena *arena, const ss_sparse *G, const double *b, double rank_tol,
                           ssi_joints *out);

// out = A N; A (rows x n). false: no memory.
bool ssi_joints_restrict(ssi_arena *arena, const ssi_joints *j, const ss_sparse *A, ss_sparse *out);

void ssi_joints_expand(const ssi_joints *j, const double *x, double *v);  // v = N x

// l with G l + p as small as possible; p (n), l (nl).
void ssi_joints_multipliers(const ssi_joints *j, const double *p, double *l);

// Joints that repeat others, exactly or but for rounding (redundant.c).
// A joint that depends on others, to rank_tol, says nothing new if it does so exactly, b included. Where it does so but
// for rounding the doubles may just as well contradict each other, or bind a motion that was meant to be free: then
// nothing that obeys all of them is known to be there, and *blurred is set. Exactly: d times it is a sum of whole
// multiples of the others, d <= 12.
ss_error ssi_joints_ask_redundant(ssi_arena *arena, const ss_sparse *G, const double *b,
                                  double rank_tol, bool *blurred);
