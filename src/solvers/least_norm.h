// solvers/least_norm.h - the smallest point of a product of cones with a given image.
//
//     min  1/2 |x|^2    subject to    W x = b,   x in C = product of the C_i                  (1)
//
// C_i: a half-line, or the friction cone of a contact. docs/theory.md, "Reactions of least norm"
#pragma once

#include "la/lu.h"

typedef struct ssi_least_cone {  // C_i: rows `first` to before first + rows
  int first, rows;               // rows 1: the half-line x >= 0
  double mu;                     // of the friction cone, normal first
} ssi_least_cone;

typedef struct ssi_least {
  int n;                        // rows of W
  int count;                    // of cones
  const ssi_least_cone *cones;  // in the order of their rows
  ss_sparse W;                  // symmetric positive semi-definite, but for rounding      (n x n)
  const double *x0;             // in C, W x0 is about b                                    (n)
  const double *b;              // NULL: W x0                                              (n)
  double size;                  // of the diagonal of W, its mean
  double target;                // largest |W x - b| that is good enough
  int (*stop)(void *user);      // before each linear system: nonzero ends it; NULL: nobody asks
  void *user;

  int newtons;    // so far
  double change;  // |W x - b| of the answer
} ssi_least;

// x (n): the answer, P_C of a point of the image of W. false: no memory, or the target is not reached.
bool ssi_least_solve(ssi_least *p, ssi_arena *arena, double *x);
