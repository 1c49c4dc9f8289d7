// cone/onecontact.h - one contact against everything else held fixed, docs/theory.md (11)-(13').
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
// 1/|r_T| - 1/(mu r_N), which is nearly linear in lambda, inside a bracket.
//
// A contact remembers what it did at the last visit and its lambda, and tries that first: within sweeps
// nearly all do the same again. A slip is then continued by Newton steps without a bracket, usually one:
// as soon as the gap of (3) is below `near`, the step is made in r itself, and r is set on the cone.
//
// Where mu |a| >= w or mu |c| >= w, (1) may have several solutions and jumping between them wrecks
// the sweeps (Painleve's region). 2D then takes the solution nearest to the r at hand; 3D goes part of
// the way to it. So does, in 3D, a contact with indefinite S. A contact without a usable w takes one
// projection step.
#pragma once

#include "cone/nearest.h"

// ---- two dimensions -------------------------------------------------------------------------

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
      ssi_slip_accept(c, &p, lambda, r);  // a positive root of (3), with r_N > 0: an answer
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

// How far a guarded contact goes towards its answer. Sweeps over contacts that go all the way, or
// half of it, run in circles (a body of the shared problems with one such contact; random problems
// with mu from 1.5 to 10); 0.3 and less do not.
static const double SSI_PART_WAY = 0.25;

// A contact that may have several answers: towards the one it had last time as long as that goes on,
// else towards the nearest. A projection step where there is none, or no usable w.
static inline void ssi_contact_guarded3(ssi_contact *c, const double b[], const double d[2],
                                        double bn, double r[]) {
  double z[3] = {r[0], r[1], r[2]};
  bool known = c->state != SSI_CONTACT_FREE || (r[0] == 0 && r[1] == 0 && r[2] == 0);
  if (c->inverse_w == 0 ||
      !((known && ssi_contact_again3(c, b, d, bn, z)) || ssi_contact_nearest3(c, b, d, bn, z))) {
    ssi_contact_project(c, 3, b, r);
    return;
  }
  double left = 0;
  for (int k = 0; k < 3; k++) {
    r[k] += SSI_PART_WAY * (z[k] - r[k]);
    left += fabs(r[k]);
  }
  bool gone = c->state == SSI_CONTACT_FREE && c->lambda_max * left <= 1e-6 * b[0];
  for (int k = 0; gone && k < 3; k++) r[k] = 0;
}

static inline void ssi_contact_solve3(ssi_contact *c, const double b[], double r[]) {
  double bn = b[0] * c->inverse_w;
  const double d[2] = {b[1] - c->c[0] * bn, b[2] - c->c[1] * bn};  // (2)
  if (c->guarded) {
    ssi_contact_guarded3(c, b, d, bn, r);
    return;
  }
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
