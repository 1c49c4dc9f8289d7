// solvers/ipm_linear.h - the linear system of one interior point iteration, two ways:
//
//   (W^ + D) x = b,    W^ = T W T / lambda,    D block-diagonal, one block per contact          (1)
//
// reduced: LU of (1) itself, m rows; global, for rigid bodies, with N = D^-1 and W = H M^-1 H^T:
//
//   (lambda M + H^T T N T H) v = H^T T N b,    x = N (b - T H v)                                (2)
//
// dofs rows. (2) loses digits where N is large (contacts that stick); both are refined against (1).
#pragma once

#include "problem/system.h"

typedef struct ssi_ipm_lu ssi_ipm_lu;

typedef struct ssi_ipm_linear {
  ssi_system *sys;
  double *T;           // diagonal of T                                     (m)
  double lambda;       // mean of tr W_ii / dim
  double *D, *N;       // filled by the caller before ssi_ipm_factor        (nc dim^2)
  ssi_ipm_lu *reduced, *global;
  bool use_global;     // which of the two the next factorisation is
  int64_t *diag_at;    // reduced: first entry of the diagonal block in each row   (m)
  int64_t *block_at;   // global: per contact, (width x runs) first entries
  int64_t *block_ptr;  // (nc + 1)
  double *r, *u, *v;   // scratch (m), (m), (ndof)
  double *residual, *correction, *trial;  // (m)
  double accuracy;     // |b - (W^ + D) x| / |b| of the last solve
} ssi_ipm_linear;

ss_error ssi_ipm_linear_setup(ssi_ipm_linear *k, ssi_system *sys, ssi_arena *arena);
// After a change of mu: T must have been filled.
void ssi_ipm_linear_refresh(ssi_ipm_linear *k);
void ssi_ipm_linear_release(ssi_ipm_linear *k);

void ssi_ipm_multiply(ssi_ipm_linear *k, const double *x, double *y);  // y = W^ x
bool ssi_ipm_factor(ssi_ipm_linear *k);  // false: singular or out of memory
bool ssi_ipm_solve(ssi_ipm_linear *k, const double *b, double *x);
