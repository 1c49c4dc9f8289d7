// cone/nearest.h - every answer of one contact, and of these the one nearest to the r at hand. For
// contacts that may have several (docs/theory.md (13)): jumping between them wrecks the sweeps.
//
// In 2D take-off, stick and the two slips are written down. In 3D slip (cone/onecontact.h (3)) reads
//
//     r_T = N/D,  r_N = P/D,   D = det(S + lambda I),  N = -adj(S + lambda I) d,  P = -(b_N D/w + a.N/w)
//
//     mu^2 P^2 - |N|^2 = 0,    lambda > 0,  P/D > 0                                        (4)
//
// a polynomial of degree 4 in lambda: all its positive roots are found, between those of its
// derivative.
#pragma once

#include "cone/contact.h"
#include "la/small.h"

enum { SSI_ANSWERS = 16 };  // at most 1 + 4 + 4 and, doubled, the slips

typedef struct ssi_answers {  // all that were offered, unordered
  int count;
  double r[SSI_ANSWERS][3];
} ssi_answers;

typedef struct ssi_nearest {
  double r[3], distance, slip;
  char state;
  bool found;
  ssi_answers *all;  // NULL: only the nearest is wanted
} ssi_nearest;

static inline void ssi_nearest_offer(ssi_nearest *best, int dim, const double at_hand[],
                                     const double r[], char state, double slip) {
  double distance = 0;
  for (int k = 0; k < dim; k++) distance += fabs(r[k] - at_hand[k]);
  if (!(distance <= DBL_MAX)) return;
  if (best->all && best->all->count < SSI_ANSWERS)
    for (int k = 0, at = best->all->count++; k < dim; k++) best->all->r[at][k] = r[k];
  if (best->found && distance >= best->distance) return;
  best->distance = distance, best->slip = slip, best->state = state, best->found = true;
  for (int k = 0; k < dim; k++) best->r[k] = r[k];
}

// ---- two dimensions -------------------------------------------------------------------------

// u = 0. Where W is singular, the points of the line w r_N + a r_T = -b_N that lie in K, if u_T = 0
// on it: the nearest one, or (as slips that do not move) its ends. True if there is such a line.
static inline bool ssi_nearest_stick2(const ssi_contact *c, const double b[], const double r[],
                                      ssi_nearest *best) {
  const double w = c->W[0], a = c->W[1], e = c->W[2], B = c->W[3];
  double det = w * B - a * e, z[2];
  if (fabs(det) > SSI_SINGULAR * (fabs(w * B) + fabs(a * e))) {
    z[0] = -(B * b[0] - a * b[1]) / det, z[1] = -(w * b[1] - e * b[0]) / det;
    if (fabs(z[1]) <= c->mu * z[0]) ssi_nearest_offer(best, 2, r, z, SSI_CONTACT_STICK, 0);
    return false;
  }
  double part = e * b[0] * c->inverse_w;
  if (c->inverse_w == 0 || fabs(b[1] - part) > SSI_SINGULAR * (fabs(b[1]) + fabs(part)))
    return false;
  double off = (w * r[0] + a * r[1] + b[0]) / (w * w + a * a);
  z[0] = r[0] - w * off, z[1] = r[1] - a * off;
  if (fabs(z[1]) <= c->mu * z[0]) ssi_nearest_offer(best, 2, r, z, SSI_CONTACT_STICK, 0);
  return true;
}

// A projection step where there is no answer.
static inline void ssi_contact_nearest2(const ssi_contact *c, const double b[], double r[]) {
  const double w = c->W[0], a = c->W[1], e = c->W[2], B = c->W[3], zero[2] = {0, 0};
  ssi_nearest best = {.found = false};
  if (b[0] >= 0) ssi_nearest_offer(&best, 2, r, zero, SSI_CONTACT_FREE, 0);
  bool line = ssi_nearest_stick2(c, b, r, &best);
  for (double sign = -1; sign <= 1; sign += 2) {  // slip, r_T = sign mu r_N, u_T of the other sign
    double rn = -b[0] / (w + sign * c->mu * a), ut = (e + sign * c->mu * B) * rn + b[1];
    const double z[2] = {rn, sign * c->mu * rn};
    if (rn > 0 && (line || sign * ut <= 0)) ssi_nearest_offer(&best, 2, r, z, SSI_CONTACT_SLIP, 0);
  }
  if (!best.found) {
    ssi_contact_project(c, 2, b, r);
    return;
  }
  r[0] = best.r[0];
  r[1] = best.r[1];
}

// ---- positive roots of a polynomial ---------------------------------------------------------

enum { SSI_DEGREE = 4 };

static inline double ssi_polynomial(int degree, const double c[], double x) {
  double y = c[degree];
  for (int k = degree - 1; k >= 0; k--) y = y * x + c[k];
  return y;
}

// The root between low and high, where the signs differ; roots may lie orders of magnitude apart, so
// long intervals are halved on the logarithmic scale.
static inline double ssi_root_between(int degree, const double c[], double low, double high) {
  bool rising = ssi_polynomial(degree, c, high) > 0;
  for (int k = 0; k < 200 && high - low > 2 * DBL_EPSILON * high; k++) {
    double middle = low > 0.25 * high ? 0.5 * (low + high)
                    : low > 0         ? sqrt(low) * sqrt(high)
                                      : 0x1p-10 * high;
    if ((ssi_polynomial(degree, c, middle) > 0) == rising)
      high = middle;
    else
      low = middle;
  }
  return 0.5 * (low + high);
}

// Ascending; a double root counts where the polynomial vanishes to rounding at an extremum.
static inline int ssi_positive_roots(int degree, const double c[], double root[]) {
  double slope[SSI_DEGREE + 1], turn[SSI_DEGREE + 2] = {0}, bound = 0;
  while (degree > 0 && c[degree] == 0) degree--;
  if (degree == 0) return 0;
  for (int k = 0; k < degree; k++) bound = fmax(bound, fabs(c[k] / c[degree]));
  int turns = 0, count = 0;
  if (degree > 1) {
    for (int k = 0; k < degree; k++) slope[k] = (k + 1) * c[k + 1];
    turns = ssi_positive_roots(degree - 1, slope, turn + 1);
  }
  turn[turns + 1] = 1 + bound;  // [Cauchy] beyond all roots
  for (int k = 0; k <= turns; k++) {
    double low = turn[k], high = fmax(turn[k + 1], low);
    double at_low = ssi_polynomial(degree, c, low), at_high = ssi_polynomial(degree, c, high);
    if (k > 0) {
      double size = 0;
      for (int j = degree; j >= 0; j--) size = size * low + fabs(c[j]);
      if (fabs(at_low) <= 8 * DBL_EPSILON * size) root[count++] = low;
    }
    if ((at_low < 0 && at_high > 0) || (at_low > 0 && at_high < 0))
      root[count++] = ssi_root_between(degree, c, low, high);
    if (count > degree) return degree;
  }
  return count;
}

// ---- three dimensions -----------------------------------------------------------------------

// (4) divided by powers of `unit`, in lambda / unit.
static inline void ssi_slip_polynomial(const ssi_contact *c, const double d[2], double bn,
                                       double unit, double q[SSI_DEGREE + 1]) {
  const double S[4] = {c->S[0] / unit, c->S[1] / unit, c->S[2] / unit, c->S[3] / unit};
  double trace = S[0] + S[3], det = S[0] * S[3] - S[1] * S[2];
  const double e[2] = {d[0] / unit, d[1] / unit};
  const double n0[2] = {S[1] * e[1] - S[3] * e[0], S[2] * e[0] - S[0] * e[1]};
  const double P[3] = {bn * det + c->a[0] * n0[0] + c->a[1] * n0[1],
                       bn * trace - c->a[0] * e[0] - c->a[1] * e[1], bn};
  double square = c->mu * c->mu;
  q[0] = square * P[0] * P[0] - n0[0] * n0[0] - n0[1] * n0[1];
  q[1] = 2 * (square * P[0] * P[1] + n0[0] * e[0] + n0[1] * e[1]);
  q[2] = square * (P[1] * P[1] + 2 * P[0] * P[2]) - e[0] * e[0] - e[1] * e[1];
  q[3] = 2 * square * P[1] * P[2];
  q[4] = square * P[2] * P[2];
}

static inline void ssi_nearest_slips3(const ssi_contact *c, const double d[2], double bn,
                                      const double r[], ssi_nearest *best) {
  double unit = fabs(c->S[0]) + fabs(c->S[1]) + fabs(c->S[2]) + fabs(c->S[3]);
  if (!(unit > 0)) unit = c->lambda_max;
  double q[SSI_DEGREE + 1], root[SSI_DEGREE + 1];
  ssi_slip_polynomial(c, d, bn, unit, q);
  int count = ssi_positive_roots(SSI_DEGREE, q, root);
  for (int k = 0; k < count; k++) {
    double lambda = root[k] * unit;
    if (!c->regular && root[k] <= SSI_SINGULAR)
      continue;  // where S is rounding: stick, if anything
    ssi_slip3 p = {0};
    bool closed = false;
    for (int step = 0; step < 4 && !closed && lambda > 0; step++) {  // to rounding
      p = ssi_slip_at(c, d, bn, lambda);
      closed = ssi_slip_close(c, &p, &lambda);
    }
    if (!closed || !(p.rn > 0 && lambda > 0)) continue;
    double scale = c->mu * p.rn * p.inverse;
    const double z[3] = {p.rn, p.rt[0] * scale, p.rt[1] * scale};
    ssi_nearest_offer(best, 3, r, z, SSI_CONTACT_SLIP, lambda);
  }
}

static inline void ssi_nearest_offer_stick3(const ssi_contact *c, double bn, const double t[2],
                                            const double r[], ssi_nearest *best) {
  const double z[3] = {ssi_slip_normal(c, bn, t), t[0], t[1]};
  if (ssi_tangent_norm(3, z) <= c->mu * z[0] * (1 + 16 * DBL_EPSILON))
    ssi_nearest_offer(best, 3, r, z, SSI_CONTACT_STICK, 0);
}

// S singular, and d in its range: r_T = p + t n, n the direction that S does not see; t such that r_T
// is nearest to the one at hand, or on the cone, |r_T|^2 = mu^2 r_N^2.
static inline void ssi_nearest_stick_line3(const ssi_contact *c, const ssi_slip3 *p, double bn,
                                           const double r[], ssi_nearest *best) {
  const double *S = c->S;
  double n[2] = {-S[1], S[0]};
  if (fabs(S[2]) + fabs(S[3]) > fabs(S[0]) + fabs(S[1])) n[0] = -S[3], n[1] = S[2];
  double size = sqrt(n[0] * n[0] + n[1] * n[1]);
  if (!(size > 0)) {  // S = 0: any r_T will do
    const double none[2] = {0, 0};
    ssi_nearest_offer_stick3(c, bn, none, r, best);
    ssi_nearest_offer_stick3(c, bn, r + 1, r, best);
    return;
  }
  n[0] /= size, n[1] /= size;
  double slope = -(c->a[0] * n[0] + c->a[1] * n[1]), square = c->mu * c->mu;
  double A = 1 - square * slope * slope, B = p->rt[0] * n[0] + p->rt[1] * n[1];
  double C = p->rt[0] * p->rt[0] + p->rt[1] * p->rt[1] - square * p->rn * p->rn;
  B -= square * p->rn * slope;  // A t^2 + 2 B t + C = 0
  double root = sqrt(fmax(B * B - A * C, 0)), sum = -(B + copysign(root, B));
  const double t[3] = {(r[1] - p->rt[0]) * n[0] + (r[2] - p->rt[1]) * n[1], sum / A, C / sum};
  for (int k = 0; k < 3; k++) {
    double point[2] = {p->rt[0] + t[k] * n[0], p->rt[1] + t[k] * n[1]};
    for (int step = 0; k > 0 && step < 2; step++) {  // onto the cone to rounding: |r_T| = mu r_N
      double length = ssi_length2(point[0], point[1]);
      double gap = length - c->mu * ssi_slip_normal(c, bn, point);
      double move = gap / ((point[0] * n[0] + point[1] * n[1]) / length - c->mu * slope);
      point[0] -= move * n[0], point[1] -= move * n[1];
    }
    ssi_nearest_offer_stick3(c, bn, point, r, best);
  }
}

static inline void ssi_nearest_stick3(const ssi_contact *c, const double b[], const double d[2],
                                      double bn, const double r[], ssi_nearest *best) {
  const double *S = c->S;
  double det = S[0] * S[3] - S[1] * S[2];
  if (!c->regular && fabs(det) > ssi_contact_det_floor(c)) {  // indefinite
    const double t[2] = {(S[1] * d[1] - S[3] * d[0]) / det, (S[2] * d[0] - S[0] * d[1]) / det};
    ssi_nearest_offer_stick3(c, bn, t, r, best);
    return;
  }
  ssi_slip3 p = ssi_stick_point(c, d, b, bn);
  if (!(p.norm <= DBL_MAX)) return;
  ssi_nearest_offer_stick3(c, bn, p.rt, r, best);
  if (!c->regular) ssi_nearest_stick_line3(c, &p, bn, r, best);
}

static inline void ssi_contact_answers3(const ssi_contact *c, const double b[], const double d[2],
                                        double bn, const double r[], ssi_nearest *best) {
  const double zero[3] = {0, 0, 0};
  if (b[0] >= 0) ssi_nearest_offer(best, 3, r, zero, SSI_CONTACT_FREE, 0);
  ssi_nearest_stick3(c, b, d, bn, r, best);
  ssi_nearest_slips3(c, d, bn, r, best);
}

// False where there is no answer; r and what the contact remembers are left alone then.
static inline bool ssi_contact_nearest3(ssi_contact *c, const double b[], const double d[2],
                                        double bn, double r[]) {
  ssi_nearest best = {.found = false};
  ssi_contact_answers3(c, b, d, bn, r, &best);
  if (!best.found) return false;
  for (int k = 0; k < 3; k++) r[k] = best.r[k];
  c->state = best.state;
  if (best.state == SSI_CONTACT_SLIP) c->slip = best.slip;
  return true;
}
