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
  bool guarded;       // several solutions possible, or no usable w
  bool regular;       // S can be inverted
  char state;         // at the last visit: tried first
} ssi_contact;

// S is a difference: below the rounding of its parts it counts as singular.
static inline void ssi_contact_prepare3(ssi_contact *c) {
  const double *W = c->W;
  for (int k = 0; k < 2; k++) {
    c->a[k] = W[1 + k] * c->inverse_w;
    c->c[k] = W[3 * (1 + k)];
  }
  for (int k = 0; k < 4; k++) c->S[k] = W[4 + k + k / 2] - c->c[k / 2] * c->a[k % 2];
  const double *S = c->S;
  double trace = S[0] + S[3], det = S[0] * S[3] - S[1] * S[2];
  double part =
      fabs(W[4]) + fabs(W[8]) + (fabs(c->c[0]) + fabs(c->c[1])) * (fabs(c->a[0]) + fabs(c->a[1]));
  c->regular = trace > 0 && det > 1e-13 * trace * part;
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

static inline void ssi_contact_slip3(ssi_contact *c, const double d[2], double bn, double r[]) {
  double unit = fabs(c->S[0]) + fabs(c->S[3]) + c->lambda_max;
  double low = c->regular ? 0 : 1e-15 * unit, high = INFINITY;
  double lambda = c->slip > low ? c->slip : low + 0.1 * unit;
  ssi_slip3 p = {0};
  for (int iteration = 0; iteration < 100; iteration++) {
    p = ssi_slip_at(c, d, bn, lambda);
    if (p.norm > c->mu * p.rn)
      low = lambda;
    else
      high = lambda;
    double next = lambda;
    if (ssi_slip_close(c, &p, &next)) {
      lambda = next;
      break;
    }
    if (!(next > low && next < high))  // outside the bracket, or not a number
      next = high < INFINITY ? 0.5 * (low + high) : 4 * lambda + 0.1 * unit;
    p.inverse = p.norm > 0 ? 1 / p.norm : 0;
    if (fabs(next - lambda) <= 2 * DBL_EPSILON * lambda) break;
    lambda = next;
  }
  ssi_slip_accept(c, &p, lambda, r);
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

static inline void ssi_contact_free3(ssi_contact *c, double r[]) {
  r[0] = r[1] = r[2] = 0;
  c->state = SSI_CONTACT_FREE;
}

// What the contact did last time, tried again; true when that is the answer. The switch depends on
// nothing but the record, so the processor takes the right way long before b is known; the tests that
// follow nearly always come out the same.
static inline bool ssi_contact_again3(ssi_contact *c, const double b[], const double d[], double bn,
                                      double r[]) {
  if (c->state == SSI_CONTACT_SLIP) {
    double lambda = c->slip;
    for (int iteration = 0; iteration < 4 && lambda > 0; iteration++) {  // else with a bracket
      ssi_slip3 p = ssi_slip_at(c, d, bn, lambda);
      if (!ssi_slip_close(c, &p, &lambda)) continue;
      if (!(lambda > 0)) return false;
      ssi_slip_accept(c, &p, lambda, r);  // a positive root of (3): nothing else can be the answer
      return true;
    }
    return false;
  }
  if (c->state == SSI_CONTACT_STICK) {
    ssi_slip3 p = ssi_stick_point(c, d, b, bn);
    if (!(p.norm <= c->mu * p.rn)) return false;
    r[0] = p.rn, r[1] = p.rt[0], r[2] = p.rt[1];
    return true;
  }
  if (!(b[0] >= 0)) return false;
  r[0] = r[1] = r[2] = 0;
  return true;
}

static inline void ssi_contact_solve3(ssi_contact *c, const double b[], double r[]) {
  if (c->guarded) {
    ssi_contact_project(c, 3, b, r);
    if (ssi_tangent_norm(3, r) < c->mu * r[0]) ssi_contact_stick3(c, b, r);
    return;
  }
  double bn = b[0] * c->inverse_w;
  const double d[2] = {b[1] - c->c[0] * bn, b[2] - c->c[1] * bn};  // (2)
  if (ssi_contact_again3(c, b, d, bn, r)) return;
  if (b[0] >= 0) {
    ssi_contact_free3(c, r);
    return;
  }
  ssi_slip3 p = ssi_stick_point(c, d, b, bn);
  if (c->mu == 0) {
    r[0] = -bn, r[1] = r[2] = 0;
  } else if (p.norm <= c->mu * p.rn) {
    r[0] = p.rn, r[1] = p.rt[0], r[2] = p.rt[1];
    c->state = SSI_CONTACT_STICK;
  } else {
    ssi_contact_slip3(c, d, bn, r);
  }
}

static inline void ssi_contact_solve(ssi_contact *c, int dim, const double b[], double r[]) {
  if (dim == 2)
    ssi_contact_solve2(c, b, r);
  else
    ssi_contact_solve3(c, b, r);
}
