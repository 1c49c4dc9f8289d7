// [LSCM03, 2.1 to 2.3], as published. Sweeps over the contacts, each with the forces of the others held:
//
//   sliding       the one-dimensional LCP (5):  g''_N = c + delta r_N,  0 <= g''_N _|_ r_N >= 0
//   not sliding   Newton's method on G(g'', r) = 0 in R^(2 dim), (8):
//
//     G1, G2 = g'' - c - W r,       G3, G4: events/status_map.h
//
// The first lines are linear, so that after one step g'' = c + W r for good and what is left is
// (A W + B) dr = -(G3, G4). It ends when no contact of a sweep changes its force by more than tol of the largest
// force: r_corr and r_est of the test |r_corr - r_est| < eps differ in one contact, and eps has the unit of a force.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "events/instant.h"
#include "events/status_map.h"

enum { NEWTON_STEPS = 30 };
static const double NEWTON_TOL = 1e-13;  // of G over the largest force it compares

typedef struct one {
  int d;
  double mu, W[9], c[3];  // g'' = W r + c
  double rho_N, rho_T;
} one;

static one make_one(const ssi_instant *x, int i, const double *r) {
  int d = x->dim;
  one o = {.d = d, .mu = x->mu[i]};
  ssi_instant_slip(x, i, r, o.c);
  for (int k = 0; k < d * d; k++)
    o.W[k] = x->W[(size_t)(d * i + k / d) * (size_t)x->m + (size_t)(d * i + k % d)];
  for (int k = 0; k < d; k++)
    for (int j = 0; j < d; j++) o.c[k] -= o.W[d * k + j] * r[d * i + j];
  ssi_instant_steps(x, i, &o.rho_N, &o.rho_T);
  return o;
}

static ssi_status_map map_at(const one *o, const double *r) {
  double slip[3];
  for (int k = 0; k < o->d; k++) {
    slip[k] = o->c[k];
    for (int j = 0; j < o->d; j++) slip[k] += o->W[o->d * k + j] * r[j];
  }
  return ssi_status_map_at(o->d, o->mu, o->rho_N, o->rho_T, slip, r);
}

// Steps taken; the r of the smallest |G| is kept.
static int newton(const one *o, double *r) {
  int d = o->d, step = 0;
  double scale = o->rho_N * fabs(o->c[0]) + o->rho_T * ssi_tangent_norm(d, o->c);
  double best[3] = {r[0], r[1], d == 3 ? r[2] : 0}, least = INFINITY;
  for (;; step++) {
    double J[9], size = 0;
    lapack_int pivots[3];
    ssi_status_map x = map_at(o, r);
    for (int k = 0; k < d; k++) size = fmax(size, fabs(x.G[k]));
    if (size < least) least = size, memcpy(best, r, sizeof *r * (size_t)d);
    if (!(size > NEWTON_TOL * scale) || step == NEWTON_STEPS) break;
    for (int k = 0; k < d * d; k++) {
      double *entry = &J[d * (k % d) + k / d];
      *entry = x.B[k];
      for (int l = 0; l < d; l++) *entry += x.A[d * (k / d) + l] * o->W[d * l + k % d];
    }
    if (LAPACKE_dgesv(LAPACK_COL_MAJOR, d, 1, J, d, pivots, x.G, d)) break;
    for (int k = 0; k < d; k++) r[k] -= x.G[k];
  }
  memcpy(r, best, sizeof *r * (size_t)d);
  return step;
}

// (5). Without delta > 0 there may be none or two: the one that r is nearer to, and none is none.
static void slide(const ssi_instant *x, int i, double *r) {
  double slip[3], *normal = &r[x->dim * i];
  ssi_instant_slip(x, i, r, slip);
  double c = slip[0] - x->delta[i] * *normal;
  if (x->delta[i] > 0)
    *normal = fmax(0, -c / x->delta[i]);
  else if (c < 0 || *normal <= 0)
    *normal = 0;
  else
    *normal = -c / x->delta[i];
  ssi_instant_drag(x, i, r);
}

static double distance(int d, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < d; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

static double larger(double a, double b) {  // a NaN stays
  return a >= b || isnan(a) ? a : b;
}

ssi_status_work ssi_status_sweeps(const ssi_instant *x, double tol, int max_iter, double *r) {
  ssi_status_work work = {0};
  const double zero[3] = {0};
  int d = x->dim;
  while (!work.ended && work.iterations < max_iter) {
    double change = 0, size = 0;
    for (int i = 0; i < x->count; i++) {
      double old[3];
      memcpy(old, r + d * i, sizeof *r * (size_t)d);
      if (x->slides[i]) {
        slide(x, i, r);
      } else {
        one o = make_one(x, i, r);
        int steps = newton(&o, r + d * i);
        if (steps > work.newton) work.newton = steps;
      }
      change = larger(change, distance(d, r + d * i, old));
      size = larger(size, distance(d, r + d * i, zero));
    }
    work.iterations++;
    work.ended = change <= tol * size;
    if (!isfinite(change)) break;
  }
  return work;
}
