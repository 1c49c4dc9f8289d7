// certify/conic.h - criterion (A) as one conic program, scaled. docs/existence.md (4)
//
// With u = H v + w, the scaled unknown x and y_i = c_i (u_N, mu u_T) / unit, u is in K* iff y is in the
// product Q of the cones { |y_T| <= y_0 }; with r_i = c_i (z_0, mu z_T), r is in K iff z is in Q:
//
//   s* = unit sup { sigma : A x + q - sigma e in Q }                                            (1)
//      = unit min { q.z : A^T z = 0, e.z = 1, z in Q }                                          (2)
//
// e has e_i in the first component of cone i and 0 elsewhere. Without friction the tangential rows of A
// and q are zero and Q is the half-line. Columns of A have length 1.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_conic {
  int dim, nc, m, n;  // m = dim nc
  ss_sparse A;        // (m x n)
  double *q;          // (m)
  double *e;          // (nc)
  double *row;        // y = row u / unit, r = row z     (m)
  double *col;        // v = unit col x                  (n)
  double unit;        // the largest |w_i|; 1 where all are 0
} ssi_conic;

// H (m x n), w (m), mu (nc): only read here. false: no memory.
bool ssi_conic_create(ssi_arena *arena, int dim, int nc, const double *mu, const ss_sparse *H,
                      const double *w, ssi_conic *out);

// The same with all friction coefficients 0: criterion (A').
bool ssi_conic_frictionless(ssi_arena *arena, const ssi_conic *c, ssi_conic *out);

void ssi_conic_multiply(const ssi_conic *c, const double *x, double *y);             // y = A x
void ssi_conic_multiply_transposed(const ssi_conic *c, const double *z, double *x);  // x = A^T z

// The smallest margin (y_0 - |y_T|) / e_i over the contacts: the sigma of a given y. INFINITY if nc = 0.
double ssi_conic_margin(const ssi_conic *c, const double *y);
double ssi_conic_largest(const ssi_conic *c, const double *y);  // largest |y_i| / e_i
