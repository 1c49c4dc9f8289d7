// problem/bilateral.h - the bilateral part of a reduced problem, eliminated, docs/theory.md (10):
//
//     l = -R^+ (U^T r + s),   u = (W - V R^+ U^T) r + (q - V R^+ s)
//
// U = V, save where the problem comes from a slightly asymmetric M (problem/reduce.h).
// R^+ is the inverse where R is positive definite, else (redundant constraints) the pseudo-inverse. R = G^T M^-1 G and
// U = H M^-1 G share the kernel of G: a U^T r outside of the range of R is refused (SS_ERR_DATA).
#pragma once

#include "la/factor.h"
#include "stickslip/problem.h"

// Singular values of R below the first part of the largest are redundant constraints (double-counted joints), not stiff
// ones. Where one that counts is below the second, rounding leaves R^+ x eleven digits at most: it is refined.
#define SSI_REDUNDANT 1e-12
#define SSI_WEAK      1e-5

typedef struct ssi_bilateral {
  int nl, m;
  ssi_factor *factor;  // of R; NULL: the dense pseudo-inverse below
  double *inverse;     // R^+, row-major              (nl nl) or NULL
  double *X;           // R^+ U^T, row-major          (nl m)
  double *y;           // R^+ s                       (nl)
  double *refined;     // scratch                     (nl)
  bool weak;           // R^+ x needs refinement: SSI_WEAK
} ssi_bilateral;

// p: reduced form with nl > 0. U: NULL for V. W is the matrix without the bilateral part; its arrays and those of
// `out` live in arena; ssi_bilateral_release frees the factor, of which nothing is left where this fails.
ss_error ssi_bilateral_eliminate(ss_context *ctx, const ss_problem *p, const ss_sparse *U,
                                 ssi_arena *arena, ssi_bilateral *out, ss_sparse *W);
void ssi_bilateral_release(ssi_bilateral *b);
ss_error ssi_bilateral_foreign(ss_context *ctx);  // says what is wrong with such R and U

// q_eliminated = q - V R^+ s for new q and s.
ss_error ssi_bilateral_update(ssi_bilateral *b, const ss_sparse *V, const double *q,
                              const double *s, double *q_eliminated);

void ssi_bilateral_multipliers(const ssi_bilateral *b, const double *r, double *l);

// l -= R^+ gap, for the gap (nl) that l leaves of V^T r + R l + s.
ss_error ssi_bilateral_refine(ssi_bilateral *b, const double *gap, double *l);
