// la/small.h - eigenvalues of the symmetric part of the 2 x 2 and 3 x 3 blocks of one contact, and
// their inverses.
//
// Accurate to a few units of rounding of the largest eigenvalue in absolute value, at any scale of
// the data; multiplying the block by a power of two multiplies the eigenvalues by it, to the bit.
// Blocks are row-major and need not be symmetric: S = (A + A^T)/2 is formed here.
#pragma once

#include <math.h>
#include <stdbool.h>

// sqrt(x^2 + y^2) without overflow; unlike hypot(), the same bits at every scale.
static inline double ssi_length2(double x, double y) {
  if (isunordered(x, y)) return NAN;  // fmax and fmin would take the other
  double large = fmax(fabs(x), fabs(y)), small = fmin(fabs(x), fabs(y));
  if (!(large > 0)) return large;
  double t = small / large;
  return large * sqrt(1 + t * t);
}

// lambda[0] <= lambda[1]:  lambda = (a + c)/2 -+ sqrt( ((a - c)/2)^2 + b^2 )
static inline void ssi_eig2(const double A[4], double lambda[2]) {
  double a = A[0] / 2, b = A[1] / 2 + A[2] / 2, c = A[3] / 2;
  double radius = ssi_length2(a - c, b);
  lambda[0] = (a + c) - radius;
  lambda[1] = (a + c) + radius;
}

// One Jacobi rotation of S = (d, off) in the plane of d[p], d[q], whose coupling is *pq; rp and rq
// are their couplings to the third axis.
static inline void ssi_jacobi_rotate(double *dp, double *dq, double *pq, double *rp, double *rq) {
  double theta = (*dq - *dp) / (2 * *pq);
  double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  double p = *rp, q = *rq;
  *dp -= t * *pq;
  *dq += t * *pq;
  *pq = 0;
  *rp = c * p - s * q;
  *rq = s * p + c * q;
}

static inline void ssi_order(double *a, double *b) {
  if (*b < *a) {
    double t = *a;
    *a = *b;
    *b = t;
  }
}

// lambda ascending, by cyclic Jacobi: a coupling below 2^-60 of the largest entry changes no
// eigenvalue by more than that and is dropped. Quadratic convergence: 3 to 5 sweeps.
static inline void ssi_eig3(const double A[9], double lambda[3]) {
  double d0 = A[0], d1 = A[4], d2 = A[8];
  double s01 = A[1] / 2 + A[3] / 2, s02 = A[2] / 2 + A[6] / 2, s12 = A[5] / 2 + A[7] / 2;
  double largest =
      fmax(fmax(fmax(fabs(d0), fabs(d1)), fabs(d2)), fmax(fmax(fabs(s01), fabs(s02)), fabs(s12)));
  double negligible = largest * 0x1p-60;
  for (int sweep = 0; sweep < 12; sweep++) {
    int rotated = 0;
    if (fabs(s01) > negligible) ssi_jacobi_rotate(&d0, &d1, &s01, &s02, &s12), rotated = 1;
    if (fabs(s02) > negligible) ssi_jacobi_rotate(&d0, &d2, &s02, &s01, &s12), rotated = 1;
    if (fabs(s12) > negligible) ssi_jacobi_rotate(&d1, &d2, &s12, &s01, &s02), rotated = 1;
    if (!rotated) break;
  }
  ssi_order(&d0, &d1);
  ssi_order(&d1, &d2);
  ssi_order(&d0, &d1);
  lambda[0] = d0;
  lambda[1] = d1;
  lambda[2] = d2;
}

// dim is 2 or 3; lambda (dim), ascending.
static inline void ssi_eig(int dim, const double *A, double *lambda) {
  if (dim == 2)
    ssi_eig2(A, lambda);
  else
    ssi_eig3(A, lambda);
}

// X <- G^-1, both dim x dim, row-major; pivoting by rows; G is spoilt. false: singular.
static inline bool ssi_invert_small(int dim, double *G, double *X) {
  for (int k = 0; k < dim * dim; k++) X[k] = k % (dim + 1) == 0;
  for (int p = 0; p < dim; p++) {
    int best = p;
    for (int k = p + 1; k < dim; k++)
      if (fabs(G[dim * k + p]) > fabs(G[dim * best + p])) best = k;
    if (!(fabs(G[dim * best + p]) > 0)) return false;
    for (int l = 0; best != p && l < dim; l++) {
      double g = G[dim * p + l], x = X[dim * p + l];
      G[dim * p + l] = G[dim * best + l], G[dim * best + l] = g;
      X[dim * p + l] = X[dim * best + l], X[dim * best + l] = x;
    }
    for (int k = 0; k < dim; k++) {
      if (k == p) continue;
      double factor = G[dim * k + p] / G[dim * p + p];
      for (int l = 0; l < dim; l++) {
        G[dim * k + l] -= factor * G[dim * p + l];
        X[dim * k + l] -= factor * X[dim * p + l];
      }
    }
  }
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) X[dim * k + l] /= G[dim * k + k];
  return true;
}
