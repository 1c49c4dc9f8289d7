// la/qp.h - convex quadratic programs with bounds, by conjugate gradients on faces.
//
//     min  1/2 x.A x + b.x,    x_j >= 0 where bounded[j]                                          (1)
//
// A symmetric positive semi-definite, given by its products.
#pragma once

#include "base/arena.h"

typedef struct ssi_qp {
  int n;
  void (*multiply)(void *user, const double *x, double *y);  // y = A x
  bool (*stopped)(void *user);  // asked before each product; NULL: never
  void *user;
  const double *b;      // (n)
  const bool *bounded;  // (n)
  const double *h;      // scale of each unknown, about 1/sqrt(A_jj)   (n)
  double norm;          // estimate of the largest eigenvalue of h A h
  double tol;           // stop when | (y - P(y - h g)) / h | <= tol, y = x / h, g = A x + b
  int max_iter;         // products with A at most
  double *y, *g, *p, *Ap, *x, *face;  // scratch   (capacity)
} ssi_qp;

bool ssi_qp_take(ssi_qp *q, int capacity, ssi_arena *arena);  // scratch; false: no memory

// Improves x, which must satisfy the bounds; returns the number of products used. Where (1)
// has no minimum it stops early, or leaves x as it was when the iterates overflow.
int ssi_qp_solve(ssi_qp *q, double *x);

// q->norm from a few power steps on h A h; costs that many products.
void ssi_qp_estimate_norm(ssi_qp *q);
