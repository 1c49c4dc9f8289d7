// certify/normal.h - the linear systems of the interior point
//
//   A^T S A x = A^T g,    S block-diagonal, positive definite, one block per contact              (1)
//
// by one Cholesky factorisation per S: sparse (one analysis for all), or dense where A^T A is nearly full. What A leaves undetermined (a ball may spin about the
// line of its two contacts) makes (1) singular; so the diagonal is enlarged by a small part of itself,
// and conjugate residuals with that factor as preconditioner solve (1) as it stands.
#pragma once

#include "certify/conic.h"

typedef struct ssi_normal ssi_normal;

ss_error ssi_normal_create(ss_context *ctx, const ssi_conic *c, ssi_normal **out);
void ssi_normal_destroy(ssi_normal *k);  // NULL allowed

// Where to write the roots of S: dim x dim symmetric blocks F_i, S_i = F_i F_i (dim^2 nc).
double *ssi_normal_roots(ssi_normal *k);

// false: the factorisation failed, or no memory for it.
bool ssi_normal_factor(ssi_normal *k);

// How far the residual is to be reduced by the next solves; 1e-13 at first.
void ssi_normal_aim(ssi_normal *k, double accuracy);

// A^T S A x = A^T g; g (m), x (n). Returns what is left of |A^T (g - S A x)|, over |A^T g|.
double ssi_normal_solve(ssi_normal *k, const double *g, double *x);

void ssi_normal_weigh(const ssi_normal *k, const double *y, double *out);  // out = S y, may be y

double ssi_normal_flops(const ssi_normal *k);  // of one factorisation, from the analysis
