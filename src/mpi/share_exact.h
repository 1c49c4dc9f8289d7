// mpi/share_exact.h - solutions of A x = b whose bits do not depend on how they are found.
//
// A solver over ranks adds in an order of its own, so that the last bits of its answer S b depend on the number of
// ranks. It is refined, with residuals in double-double,
//
//     x <- x + d,   d = S (b - A x),   |error| ~ c |d|,   c: what a step is of the one before           (1)
//
// in each connected component, since iterative solvers look at the largest only and come to the others in later rounds,
//
// until what is left is far smaller than the spacing of the numbers that x is rounded to. These are doubles, but not
// finer than
//
//     2^-56 z / sqrt(A_ii),   z = max_j sqrt(A_jj) |x_j| over the connected component                   (2)
//
// so that what is zero but for rounding becomes zero. Whatever S is, the nearest such numbers are the same, unless some
// x_i lies as close to where the other is taken as (1) leaves it: this is looked at, with 16 times of it for what an
// estimate is, and refined further [Z91]. What is still in doubt after some rounds is counted.
//
// [Z91] A. Ziv, Fast evaluation of elementary mathematical functions with correctly rounded last bit, ACM
//       Transactions on Mathematical Software 17 (1991) 410-423.
#pragma once

#include <petscksp.h>

#include "mpi/share_forest.h"
#include "mpi/share_rows.h"

typedef struct share_exact {
  const share *s;
  share_rows *A;
  KSP ksp;  // S; borrowed
  Vec right, left;
  int *part;        // component of each own dof, in the arrays below; -1: none   (own_dofs)
  int parts;        // components that this rank has dofs of
  PetscSF meeting;  // leaves: these; roots: even shares of the contacts, by a component's first
  double *met;      // room at the roots
  double *root;     // sqrt(A_ii)                                                   (own_dofs)
  double *size;     // z of (2)                                                     (parts)
  double *step;     // the same of d, and of the one before                         (parts)
  double *last;
  double *error;    // what (1) leaves, in the same measure                         (parts)
  ssi_dd *rhs, *x;  // (own_dofs)
  double *d;
  int doubtful;  // solutions so far that another solver might have rounded otherwise
} share_exact;

// A symmetric positive definite, its rows and ksp borrowed, which must not stop at an absolute tolerance; component: the first contact of each own dof's connected
// component, as a number, INFINITY where none moves it (own_dofs). Collective, as what follows.
PetscErrorCode share_exact_create(share_rows *A, KSP ksp, Mat K, const double *component,
                                  share_exact *out);
void share_exact_destroy(share_exact *x);

// *failed: the solver did. Where d is not finite, neither is v.
PetscErrorCode share_exact_solve(share_exact *x, const double *b, double *v, bool *failed);
