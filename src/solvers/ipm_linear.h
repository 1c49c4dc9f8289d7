// solvers/ipm_linear.h - the linear system of one interior point iteration
//
//   (W^ + D) x = b,    W^ = T W T,    D block-diagonal, one block per contact                   (1)
//
// two ways. Reduced: LU of (1) itself, m rows. Global, for rigid bodies, with N = D^-1 and
// W = H M^-1 H^T: one row per degree of freedom,
//
//   (M + H^T T N T H) v = H^T T N b,    x = N (b - T H v)                                       (2)
//
// Where there are more contact components than degrees of freedom (2) is many times cheaper, but it
// loses as many digits as N is large (contacts that stick, near the end). So every solution of
// either is refined against (1), and `accuracy` tells how well that went.
#pragma once

#include "la/lu.h"
#include "problem/body_matrix.h"

typedef struct ssi_ipm_matrix {
  ssi_lu lu;
  ss_sparse W;    // W.ptr NULL: this way is not prepared
  bool analysed;  // lu knows the pattern
} ssi_ipm_matrix;

typedef enum ssi_ipm_way { SSI_IPM_AUTO, SSI_IPM_REDUCED, SSI_IPM_GLOBAL } ssi_ipm_way;

typedef struct ssi_ipm_linear {
  ssi_system *sys;
  double *T;                       // diagonal of T, filled by the caller            (m)
  double *D, *N;                   // filled by the caller, row-major                (nc dim^2)
  double accuracy;                 // |b - (W^ + D) x| / |b| of the last solution
  bool use_global;                 // which way the next factorisation goes
  ssi_ipm_matrix reduced;          //
  int64_t *diag_at;                // first entry of the diagonal block in each row  (m)
  ssi_body_matrix global;          // global.lu.n = 0: this way is not prepared
  double *K;                       // T N T                                          (nc dim^2)
  double *r, *u;                   // scratch                                        (m)
  double *v, *rhs;                 // scratch                                        (ndof)
  double *residual, *fix, *trial;  // of the refinement                           (m)
} ssi_ipm_linear;

// SS_ERR_METHOD when `way` is global and M is not block-diagonal (or there are bilateral constraints).
ss_error ssi_ipm_linear_setup(ssi_ipm_linear *k, ssi_system *sys, ssi_ipm_way way,
                              ssi_arena *arena);
void ssi_ipm_linear_release(ssi_ipm_linear *k);

void ssi_ipm_multiply(ssi_ipm_linear *k, const double *x, double *y);  // y = W^ x
bool ssi_ipm_factor(ssi_ipm_linear *k);  // false: singular, or no memory for the factors
bool ssi_ipm_solve(ssi_ipm_linear *k, const double *b, double *x);
