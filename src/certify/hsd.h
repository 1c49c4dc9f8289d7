// certify/hsd.h - (1), (2) of certify/conic.h by a homogeneous self-dual interior point.
//
// The embedding, with nu = e.e in place of the 1 of (2) (so that z is of order 1):
//
//   y = A x + q tau - e sigma,    A^T z = 0,    e.z = nu tau,    kappa = nu sigma - q.z         (1)
//   y, z in Q,    tau, kappa >= 0
//
// Every solution of (1) has y.z + tau kappa = 0. tau > 0: sigma/tau is the optimum, x/tau and z/tau
// attain it. tau = 0, kappa > 0: sigma > 0 and A x - sigma e in Q, so that x can be followed for ever: the
// optimum is infinite. (2) is bounded and (1) has an inner point, so there is no other case but the limit
// of both being 0, where the supremum is finite and not attained.
//
// Nesterov-Todd directions, Mehrotra's predictor and corrector, equal steps. One step costs one
// factorisation of A^T S A (certify/normal.h) and four solves with it.
//
// [YTM94] Y. Ye, M. Todd, S. Mizuno, An O(sqrt(n) L)-iteration homogeneous and self-dual linear
//         programming algorithm, Mathematics of Operations Research 19 (1994) 53-67.
#pragma once

#include "certify/normal.h"
#include "cone/soc.h"

typedef struct ssi_hsd {
  const ssi_conic *c;
  ssi_normal *normal;
  double nu;
  double tau, kappa, sigma;
  double *x;                    // (n)
  double *y, *z;                // (m)
  double *margin_y, *margin_z;  // y_0 - |y_T|, z_0 - |z_T|   (nc)
  double gap;                   // (y.z + tau kappa) / (nc + 1)
  double *rp, *rd;              // y - A x - q tau + e sigma (m);  A^T z (n)
  double rs;                    // e.z - nu tau
  int iterations;

  // the direction
  double dtau, dkappa, dsigma;
  double *dx, *dy, *dz;
  ssi_scaling *scaling;  // (nc)
  double *g;             // F^-1 of the right-hand side of the complementarity   (m)
  double *p;             // A x/tau + q - (sigma/tau) e   (m)
  double *xp, *xe;       // N^-1 A^T S p, N^-1 A^T S e   (n)
  double *zp, *ze;       // S (p - A xp), S (e - A xe)   (m)
  double *bm;            // scratch (m)
} ssi_hsd;

// false: no memory.
bool ssi_hsd_create(ssi_arena *arena, const ssi_conic *c, ssi_normal *normal, ssi_hsd *out);
void ssi_hsd_begin(ssi_hsd *h);
bool ssi_hsd_iterate(ssi_hsd *h);  // false: no further step is possible

// An upper bound of the optimum, as far as A^T z = 0.
double ssi_hsd_high(const ssi_hsd *h);
double ssi_hsd_equilibrium(const ssi_hsd *h);  // largest |A^T z| over e.z
