// problem/shifted.h - (W + rho Lambda) x = b, Lambda = diag(lambda_i I), for methods that solve it
// many times over with few values of rho.
//
// Either W + rho Lambda is factored (m rows), or, with W = H M^-1 H^T and rigid bodies,
//
//     ( M + 1/rho H^T Lambda^-1 H ) v = 1/rho H^T Lambda^-1 b,    x = (rho Lambda)^-1 (b - H v)    (1)
//
// (ndof rows; v = M^-1 H^T x, so that H v = W x). One symbolic analysis serves all rho.
#pragma once

#include "la/direct.h"
#include "problem/system.h"

typedef enum ssi_shifted_form {
  SSI_SHIFTED_AUTO,  // dofs where there are bodies and ndof < 1.2 m
  SSI_SHIFTED_CONTACTS,
  SSI_SHIFTED_DOFS
} ssi_shifted_form;

typedef struct ssi_shifted {
  ssi_system *sys;
  const double *lambda;  // (nc)
  double rho;
  bool dofs;
  ss_sparse A;           // pattern of the matrix that is factored
  double *base, *slope;  // A = base + t slope, t = rho, or 1/rho with dofs   (entries)
  double *x;             // its numbers                                       (entries)
  double *v;             // (ndof)
  ssi_direct *direct;
} ssi_shifted;

// lambda > 0 is kept, not copied. Makes the blocks of W unless the dofs are used.
// SS_ERR_METHOD: dofs asked for without bodies. Release *out whatever is returned.
ss_error ssi_shifted_create(ssi_system *sys, ssi_arena *arena, const double *lambda, double rho,
                            ssi_shifted_form form, ssi_shifted *out);
void ssi_shifted_release(ssi_shifted *s);

ss_error ssi_shifted_change(ssi_shifted *s, double rho);  // factors anew

ss_error ssi_shifted_solve(ssi_shifted *s, const double *b, double *x);  // x must not be b
