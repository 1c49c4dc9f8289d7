// certify/normal.h - the linear systems of the interior point
//
//   A^T S A x = b,    S block-diagonal, positive definite, one block per contact              (1)
//
// by one Cholesky factorisation per S: CHOLMOD (one analysis for all, AMD or METIS, whichever fills
// less), or LAPACK where A^T A is nearly full. What A leaves undetermined (a ball may spin about the
// line of its two contacts) makes (1) singular; so the diagonal is enlarged by a small part of itself,
// and conjugate gradients with that factor as preconditioner solve (1) as it stands.
#pragma once

#include "certify/conic.h"

typedef struct ssi_normal ssi_normal;

ss_error ssi_normal_create(ss_context *ctx, const ssi_conic *c, ssi_normal **out);
void ssi_normal_destroy(ssi_normal *k);  // NULL allowed

// Where to write S: dim x dim row-major blocks (dim^2 nc).
double *ssi_normal_blocks(ssi_normal *k);

// false: the factorisation failed, or no memory for it.
bool ssi_normal_factor(ssi_normal *k);

// x from b, both (n), not overlapping. b in the image of A^T. Returns |b - A^T S A x| / |b|.
double ssi_normal_solve(ssi_normal *k, const double *b, double *x);

void ssi_normal_weigh(const ssi_normal *k, const double *y, double *out);  // out = S y, may be y

double ssi_normal_flops(const ssi_normal *k);  // of one factorisation, from the analysis
