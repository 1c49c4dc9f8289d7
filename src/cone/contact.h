// cone/contact.h - what one contact needs to be solved for, prepared once, and the pieces of its
// solution; the notation is that of cone/onecontact.h.
#pragma once

#include <float.h>
#include <stdbool.h>

#include "cone/friction.h"

static const double SSI_SINGULAR = 1e-13;  // a difference below this part of its terms is rounding

// What a contact did at the last visit; most do it again.
enum { SSI_CONTACT_FREE, SSI_CONTACT_STICK, SSI_CONTACT_SLIP };

typedef struct ssi_contact {
  const double *W;    // row-major dim x dim; borrowed
  double a[2], c[2];  // a / w, and c
  double S[4];        // (2)
  double stick[4];    // S^-1, where S is regular
  double inverse_w;   // 1 / W_NN; 0 when W_NN is not positive
  double mu;          //
  double lambda_max;  // largest eigenvalue of the symmetric part of W
  double slip;        // lambda of (3) at the last visit: where Newton starts
  float near;         // relative gap of (3) at which one Newton step in r closes the slip solution
  bool guarded;       // several solutions possible, S indefinite, or no usable w
  bool regular;       // S is positive definite beyond rounding
  char state;         // at the last visit: tried first
} ssi_contact;

// S is a difference, each entry known to the rounding of its parts; det S below this is rounding.
// Relative to each row and column, so that their scale does not matter.
static inline double ssi_contact_det_floor(const ssi_contact *c) {
  const double *W = c->W;
  double part[4];
  for (int k = 0; k < 4; k++) part[k] = fabs(W[4 + k + k / 2]) + fabs(c->c[k / 2] * c->a[k % 2]);
  return SSI_SINGULAR * (part[0] * part[3] + part[1] * part[2]);
}

static inline void ssi_contact_prepare3(ssi_contact *c) {
  const double *W = c->W;
  for (int k = 0; k < 2; k++) {
    c->a[k] = W[1 + k] * c->inverse_w;
    c->c[k] = W[3 * (1 + k)];
  }
  for (int k = 0; k < 4; k++) {
    double B = W[4 + k + k / 2], taken = c->c[k / 2] * c->a[k % 2];
    c->S[k] = fabs(B - taken) > 16 * DBL_EPSILON * fabs(B) ? B - taken : 0;
  }
  const double *S = c->S;
  double det = S[0] * S[3] - S[1] * S[2], rounding = ssi_contact_det_floor(c);
  c->regular = S[0] + S[3] > 0 && det > rounding;
  if (c->mu > 0 && (det < -rounding || S[0] + S[3] < 0)) c->guarded = true;  // poles in (3)
  if (!c->regular) return;
  c->stick[0] = S[3] / det, c->stick[1] = -S[1] / det;
  c->stick[2] = -S[2] / det, c->stick[3] = S[0] / det;
}

static inline void ssi_contact_prepare(ssi_contact *c, int dim, const double *W, double mu,
                                       double lambda_max) {
  double w = W[0], a = 0, e = 0;
  for (int k = 1; k < dim; k++) {
    a += W[k] * W[k];
    e += W[dim * k] * W[dim * k];
  }
  *c = (ssi_contact){.W = W, .mu = mu, .lambda_max = lambda_max, .near = 1e-8f};
  c->inverse_w = w > 0 && 1 / w <= DBL_MAX ? 1 / w : 0;
  c->guarded = c->inverse_w == 0 || (mu > 0 && mu * sqrt(fmax(a, e)) >= w);
  if (dim == 3) ssi_contact_prepare3(c);
}

static inline void ssi_contact_velocity(int dim, const double W[], const double b[],
                                        const double r[], double u[]) {
  for (int i = 0; i < dim; i++) {
    u[i] = b[i];
    for (int j = 0; j < dim; j++) u[i] += W[dim * i + j] * r[j];
  }
}

// One step of the natural map with rho = 1/lambda_max, from the r at hand.
static inline void ssi_contact_project(const ssi_contact *c, int dim, const double b[],
                                       double r[]) {
  double u[3], z[3];
  if (!(c->lambda_max > 0)) {  // nothing this contact does changes its own velocity
    for (int k = 0; k < dim; k++) r[k] = 0;
    return;
  }
  ssi_contact_velocity(dim, c->W, b, r, u);
  ssi_natural_step(dim, c->mu, 1 / c->lambda_max, r, u, z);
  for (int k = 0; k < dim; k++) r[k] = z[k];
}

// ---- three dimensions: points of (3) --------------------------------------------------------

typedef struct ssi_slip3 {  // (3) at one lambda
  double rt[2], rn, norm;   // r_T, r_N, |r_T|
  double inverse;           // 1 / det(S + lambda I); once closed, 1 / |r_T|
} ssi_slip3;

static inline double ssi_slip_normal(const ssi_contact *c, double bn, const double rt[2]) {
  return -(bn + c->a[0] * rt[0] + c->a[1] * rt[1]);  // bn = b_N / w
}

static inline ssi_slip3 ssi_slip_at(const ssi_contact *c, const double d[2], double bn,
                                    double lambda) {
  const double *S = c->S;
  ssi_slip3 p;
  double s0 = S[0] + lambda, s3 = S[3] + lambda;
  p.inverse = 1 / (s0 * s3 - S[1] * S[2]);
  p.rt[0] = (S[1] * d[1] - s3 * d[0]) * p.inverse;
  p.rt[1] = (S[2] * d[0] - s0 * d[1]) * p.inverse;
  p.rn = ssi_slip_normal(c, bn, p.rt);
  p.norm = sqrt(p.rt[0] * p.rt[0] + p.rt[1] * p.rt[1]);
  return p;
}

// One Newton step on 1/|r_T| - 1/(mu r_N) = 0: moves lambda and, where that closes (3) up to second
// order, r too, and returns true. r_T' = -(S + lambda I)^-1 r_T; numerator and denominator are
// multiplied by |r_T|^3 (mu r_N)^2, which leaves one division.
static inline bool ssi_slip_close(const ssi_contact *c, ssi_slip3 *p, double *lambda) {
  const double *S = c->S;
  double limit = c->mu * p->rn, gap = p->norm - limit, square = p->norm * p->norm;
  if (!(limit > 0 && p->norm > 0)) {
    *lambda = -1;
    return false;
  }
  double s0 = S[0] + *lambda, s3 = S[3] + *lambda;
  double t0 = (S[1] * p->rt[1] - s3 * p->rt[0]) * p->inverse;
  double t1 = (S[2] * p->rt[0] - s0 * p->rt[1]) * p->inverse;
  double n = -(c->a[0] * t0 + c->a[1] * t1);
  double slope = c->mu * n * square * p->norm - (p->rt[0] * t0 + p->rt[1] * t1) * limit * limit;
  double step = square * limit * gap / slope;
  bool near = fabs(gap) <= c->near * p->norm && fabs(step) <= 10 * c->near * *lambda;
  *lambda += step;
  if (!near) return false;
  p->rt[0] += t0 * step;
  p->rt[1] += t1 * step;
  p->rn += n * step;
  // 1/sqrt(x) near a known 1/|r_T|, to second order: no second root to wait for
  double known = 1 / p->norm, ratio = (p->rt[0] * p->rt[0] + p->rt[1] * p->rt[1]) * known * known;
  p->inverse = known * (1.5 - 0.5 * ratio);
  return true;
}

static inline void ssi_slip_accept(ssi_contact *c, const ssi_slip3 *p, double lambda, double r[]) {
  double scale = c->mu * p->rn * p->inverse;  // onto the cone
  c->slip = lambda;
  c->state = SSI_CONTACT_SLIP;
  r[0] = p->rn;
  r[1] = p->rt[0] * scale;
  r[2] = p->rt[1] * scale;
}

// The sticking point r_T = -S^-1 d. With S of rank one (or zero) r_T = -S^+ d = -S^T d / |S|^2, if d
// lies in the range of S to rounding; norm = inf where it does not.
static inline ssi_slip3 ssi_stick_point(const ssi_contact *c, const double d[2], const double b[3],
                                        double bn) {
  ssi_slip3 p = {0};
  if (c->regular) {
    p.rt[0] = -(c->stick[0] * d[0] + c->stick[1] * d[1]);
    p.rt[1] = -(c->stick[2] * d[0] + c->stick[3] * d[1]);
    p.rn = ssi_slip_normal(c, bn, p.rt);
    p.norm = sqrt(p.rt[0] * p.rt[0] + p.rt[1] * p.rt[1]);
    return p;
  }
  const double *S = c->S;
  double size = S[0] * S[0] + S[1] * S[1] + S[2] * S[2] + S[3] * S[3];
  double noise =
      1e-13 * (fabs(b[1]) + fabs(b[2]) + (fabs(c->c[0]) + fabs(c->c[1])) * fabs(bn));  // of d
  if (size > 0) {
    p.rt[0] = -(S[0] * d[0] + S[2] * d[1]) / size;
    p.rt[1] = -(S[1] * d[0] + S[3] * d[1]) / size;
  }
  double u0 = S[0] * p.rt[0] + S[1] * p.rt[1] + d[0], u1 = S[2] * p.rt[0] + S[3] * p.rt[1] + d[1];
  bool in_range = fabs(u0) + fabs(u1) <= noise;
  p.rn = ssi_slip_normal(c, bn, p.rt);
  p.norm = in_range ? sqrt(p.rt[0] * p.rt[0] + p.rt[1] * p.rt[1]) : INFINITY;
  return p;
}

static inline void ssi_contact_free3(ssi_contact *c, double r[]) {
  r[0] = r[1] = r[2] = 0;
  c->state = SSI_CONTACT_FREE;
}
