// cone/onecontact.h - one contact against everything else held fixed, docs/theory.md (11)-(13).
//
// Given W (dim x dim, not necessarily symmetric) and b, find r with
//
//     u = W r + b,    K* ∋ u + mu |u_T| e  ⊥  r ∈ K                                     (1)
//
// W = [w a^T; c B]. Take-off if b_N >= 0. Else u_N = 0 gives r_N = -(b_N + a.r_T)/w, and with
//
//     S = B - c a^T / w,   d = b_T - c b_N / w:     u_T = S r_T + d                     (2)
//
// stick is S r_T = -d when that lies in the cone, and slip is u_T = -lambda r_T, lambda > 0:
//
//     (S + lambda I) r_T = -d,   |r_T| = mu r_N                                         (3)
//
// one equation for lambda. lambda -> inf gives r_T -> 0 and r_N -> -b_N/w > 0, inside the cone; the
// sticking point (lambda = 0) was outside: a root lies between. Newton runs on
// 1/|r_T| - 1/(mu r_N), which is nearly linear in lambda, inside a bracket; lambda is kept from
// visit to visit.
//
// Where mu |a| >= w or mu |c| >= w, (1) may have several solutions and jumping between them wrecks
// the sweeps (Painleve's region). 2D then takes the solution nearest to the r at hand; 3D takes one
// projection step from it, and goes on to the sticking point only if the step lands inside the cone.
// So does a contact without a usable w.
#pragma once

#include <float.h>
#include <stdbool.h>

#include "cone/friction.h"

typedef struct ssi_contact {
  double W[9];        // row-major dim x dim
  double inverse_w;   // 1 / W_NN; 0 when W_NN is not positive
  double mu;          //
  double lambda_max;  // largest eigenvalue of the symmetric part of W
  double slip;        // lambda of (3) at the last visit: where Newton starts
  bool guarded;       // several solutions possible, or no usable w
} ssi_contact;

static inline void ssi_contact_prepare(ssi_contact *c, int dim, double mu, double lambda_max) {
  double w = c->W[0], a = 0, e = 0;
  for (int k = 1; k < dim; k++) {
    a += c->W[k] * c->W[k];
    e += c->W[dim * k] * c->W[dim * k];
  }
  c->inverse_w = w > 0 && 1 / w <= DBL_MAX ? 1 / w : 0;
  c->mu = mu;
  c->lambda_max = lambda_max;
  c->slip = 0;
  c->guarded = c->inverse_w == 0 || (mu > 0 && mu * sqrt(fmax(a, e)) >= w);
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

// ---- two dimensions: every candidate in closed form -----------------------------------------

// Among the solutions of (1) the one nearest to r; a projection step where there is none.
static inline void ssi_contact_nearest2(const ssi_contact *c, const double b[], double r[]) {
  const double w = c->W[0], a = c->W[1], e = c->W[2], B = c->W[3], mu = c->mu;
  double best = INFINITY, nearest[2] = {0, 0};
  double candidate[4][2], det = w * B - a * e;
  int count = 0;
  if (b[0] >= 0) candidate[count][0] = candidate[count][1] = 0, count++;
  if (det > 0) {  // stick
    double rn = -(B * b[0] - a * b[1]) / det, rt = -(w * b[1] - e * b[0]) / det;
    if (fabs(rt) <= mu * rn) candidate[count][0] = rn, candidate[count][1] = rt, count++;
  }
  for (double sign = -1; sign <= 1; sign += 2) {  // slip, r_T = sign mu r_N, u_T of the other sign
    double rn = -b[0] / (w + sign * mu * a), ut = (e + sign * mu * B) * rn + b[1];
    if (rn > 0 && rn <= DBL_MAX && sign * ut <= 0)
      candidate[count][0] = rn, candidate[count][1] = sign * mu * rn, count++;
  }
  for (int k = 0; k < count; k++) {
    double distance = fabs(candidate[k][0] - r[0]) + fabs(candidate[k][1] - r[1]);
    if (distance >= best) continue;
    best = distance;
    nearest[0] = candidate[k][0];
    nearest[1] = candidate[k][1];
  }
  if (count == 0) {
    ssi_contact_project(c, 2, b, r);
    return;
  }
  r[0] = nearest[0];
  r[1] = nearest[1];
}

static inline void ssi_contact_solve2(const ssi_contact *c, const double b[], double r[]) {
  if (c->guarded) {
    ssi_contact_nearest2(c, b, r);
    return;
  }
  const double a = c->W[1], e = c->W[2], mu = c->mu;
  if (b[0] >= 0) {
    r[0] = r[1] = 0;
    return;
  }
  double S = c->W[3] - e * a * c->inverse_w, d = b[1] - e * b[0] * c->inverse_w;  // (2)
  if (S > 0) {
    double rt = -d / S, rn = -(b[0] + a * rt) * c->inverse_w;
    if (fabs(rt) <= mu * rn) {
      r[0] = rn, r[1] = rt;
      return;
    }
  } else if (d == 0) {  // the tangent is inert: any r_T sticks
    r[0] = -b[0] * c->inverse_w, r[1] = 0;
    return;
  }
  double sign = d > 0 ? -1 : 1;
  r[0] = -b[0] / (c->W[0] + sign * mu * a);
  r[1] = sign * mu * r[0];
}

// ---- three dimensions -----------------------------------------------------------------------

typedef struct ssi_slip3 {  // (3) at one lambda
  double rt[2], rn, norm;   // r_T, r_N, |r_T|
  double det;               // of S + lambda I
} ssi_slip3;

static inline ssi_slip3 ssi_slip_at(const ssi_contact *c, const double S[4], const double d[2],
                                    double bn, double lambda) {
  ssi_slip3 p;
  double s0 = S[0] + lambda, s3 = S[3] + lambda;
  p.det = s0 * s3 - S[1] * S[2];
  p.rt[0] = (-s3 * d[0] + S[1] * d[1]) / p.det;
  p.rt[1] = (S[2] * d[0] - s0 * d[1]) / p.det;
  p.rn = -(bn + c->W[1] * p.rt[0] + c->W[2] * p.rt[1]) * c->inverse_w;
  p.norm = sqrt(p.rt[0] * p.rt[0] + p.rt[1] * p.rt[1]);
  return p;
}

// Newton's change of lambda for 1/|r_T| - 1/(mu r_N) = 0; r_T' = -(S + lambda I)^-1 r_T.
static inline double ssi_slip_newton(const ssi_contact *c, const double S[4], const ssi_slip3 *p,
                                     double lambda) {
  double s0 = S[0] + lambda, s3 = S[3] + lambda;
  double d0 = (-s3 * p->rt[0] + S[1] * p->rt[1]) / p->det;
  double d1 = (S[2] * p->rt[0] - s0 * p->rt[1]) / p->det;
  double dn = -(c->W[1] * d0 + c->W[2] * d1) * c->inverse_w, limit = c->mu * p->rn;
  double slope = -(p->rt[0] * d0 + p->rt[1] * d1) / (p->norm * p->norm * p->norm) +
                 c->mu * dn / (limit * limit);
  return -(1 / p->norm - 1 / limit) / slope;
}

static inline void ssi_contact_slip3(ssi_contact *c, const double S[4], const double d[2],
                                     double bn, double lowest, double r[]) {
  double low = lowest, high = INFINITY, unit = fabs(S[0]) + fabs(S[3]) + c->lambda_max;
  double lambda = c->slip > low ? c->slip : low + 0.1 * unit;
  ssi_slip3 p = {0};
  for (int iteration = 0; iteration < 100; iteration++) {
    p = ssi_slip_at(c, S, d, bn, lambda);
    double limit = c->mu * p.rn, gap = p.norm - limit, next = -1;
    if (fabs(gap) <= 4 * DBL_EPSILON * p.norm) break;
    if (gap > 0)
      low = lambda;
    else
      high = lambda;
    if (limit > 0 && p.norm > 0) next = lambda + ssi_slip_newton(c, S, &p, lambda);
    if (!(next > low && next < high))  // outside the bracket, or not a number
      next = high < INFINITY ? 0.5 * (low + high) : 4 * lambda + 0.1 * unit;
    if (fabs(next - lambda) <= 2 * DBL_EPSILON * lambda) break;
    lambda = next;
  }
  c->slip = lambda;
  double scale = p.norm > 0 ? c->mu * p.rn / p.norm : 0;  // exactly on the cone
  r[0] = p.rn;
  r[1] = p.rt[0] * scale;
  r[2] = p.rt[1] * scale;
}

// Sticking with S of rank one (or zero): r_T = -S^+ d = -S^T d / |S|^2, if d lies in the range of S
// to rounding; norm = inf where it does not.
static inline ssi_slip3 ssi_stick_singular(const ssi_contact *c, const double S[4],
                                           const double d[2], double bn, double noise) {
  ssi_slip3 p = {0};
  double size = S[0] * S[0] + S[1] * S[1] + S[2] * S[2] + S[3] * S[3];
  if (size > 0) {
    p.rt[0] = -(S[0] * d[0] + S[2] * d[1]) / size;
    p.rt[1] = -(S[1] * d[0] + S[3] * d[1]) / size;
  }
  double u0 = S[0] * p.rt[0] + S[1] * p.rt[1] + d[0], u1 = S[2] * p.rt[0] + S[3] * p.rt[1] + d[1];
  p.rn = -(bn + c->W[1] * p.rt[0] + c->W[2] * p.rt[1]) * c->inverse_w;
  p.norm = fabs(u0) + fabs(u1) <= noise ? sqrt(p.rt[0] * p.rt[0] + p.rt[1] * p.rt[1]) : INFINITY;
  return p;
}

// r <- -W^-1 b if that lies in K (by cofactors; a singular W fails the test).
static inline void ssi_contact_stick3(const ssi_contact *c, const double b[], double r[]) {
  const double *W = c->W;
  double C[9] = {W[4] * W[8] - W[5] * W[7], W[2] * W[7] - W[1] * W[8], W[1] * W[5] - W[2] * W[4],
                 W[5] * W[6] - W[3] * W[8], W[0] * W[8] - W[2] * W[6], W[2] * W[3] - W[0] * W[5],
                 W[3] * W[7] - W[4] * W[6], W[1] * W[6] - W[0] * W[7], W[0] * W[4] - W[1] * W[3]};
  double det = W[0] * C[0] + W[1] * C[3] + W[2] * C[6], z[3];
  if (!(det > 1e-12 * c->lambda_max * c->lambda_max * c->lambda_max)) return;
  for (int k = 0; k < 3; k++)
    z[k] = -(C[3 * k] * b[0] + C[3 * k + 1] * b[1] + C[3 * k + 2] * b[2]) / det;
  if (ssi_tangent_norm(3, z) <= c->mu * z[0]) r[0] = z[0], r[1] = z[1], r[2] = z[2];
}

static inline void ssi_contact_solve3(ssi_contact *c, const double b[], double r[]) {
  if (c->guarded) {
    ssi_contact_project(c, 3, b, r);
    if (ssi_tangent_norm(3, r) < c->mu * r[0]) ssi_contact_stick3(c, b, r);
    return;
  }
  if (b[0] >= 0) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  const double *W = c->W;
  double a0 = W[1] * c->inverse_w, a1 = W[2] * c->inverse_w, bn = b[0] * c->inverse_w;
  if (c->mu == 0) {
    r[0] = -bn, r[1] = r[2] = 0;
    return;
  }
  const double S[4] = {W[4] - W[3] * a0, W[5] - W[3] * a1, W[7] - W[6] * a0, W[8] - W[6] * a1};
  const double d[2] = {b[1] - W[3] * bn, b[2] - W[6] * bn};
  double trace = S[0] + S[3], det = S[0] * S[3] - S[1] * S[2];
  // S and d are differences: their rounding is that of the parts
  double part = fabs(W[4]) + fabs(W[8]) + (fabs(W[3]) + fabs(W[6])) * (fabs(a0) + fabs(a1));
  double noise = 1e-13 * (fabs(b[1]) + fabs(b[2]) + (fabs(W[3]) + fabs(W[6])) * fabs(bn));
  bool regular = trace > 0 && det > 1e-13 * trace * part;
  ssi_slip3 p = regular ? ssi_slip_at(c, S, d, b[0], 0) : ssi_stick_singular(c, S, d, b[0], noise);
  if (p.norm <= c->mu * p.rn) {
    r[0] = p.rn, r[1] = p.rt[0], r[2] = p.rt[1];
    return;
  }
  double lowest = regular ? 0 : 1e-15 * part;
  ssi_contact_slip3(c, S, d, b[0], lowest, r);
}

static inline void ssi_contact_solve(ssi_contact *c, int dim, const double b[], double r[]) {
  if (dim == 2)
    ssi_contact_solve2(c, b, r);
  else
    ssi_contact_solve3(c, b, r);
}
