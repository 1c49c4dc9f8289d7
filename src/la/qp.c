// Modified proportioning with reduced gradient projections [Dos09], in unknowns y = x/h.
//
// phi is the part of the gradient at free components, beta the part that pulls components off their
// bounds. While |beta| <= |phi| conjugate gradients run on the face; a step that would leave the
// feasible set stops at the bound and is followed by one projected gradient step of fixed length,
// which may change many bounds at once; where |beta| > |phi| a step along beta opens the face. For
// positive definite A it ends after finitely many steps when no component is degenerate; the gradient
// is computed afresh at every change of face, so that it does not drift.
//
// [Dos09] Z. Dostal, Optimal quadratic programming algorithms, Springer 2009 (MPRGP).
#include "la/qp.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "la/vector.h"

bool ssi_qp_take(ssi_qp *q, int capacity, ssi_arena *arena) {
  double **arrays[] = {&q->y, &q->g, &q->p, &q->Ap, &q->x, &q->face};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = SSI_TAKE(arena, capacity, double);
  return !arena->failed;
}

// out = h A h in
static void multiply(ssi_qp *q, const double *in, double *out) {
  for (int k = 0; k < q->n; k++) q->x[k] = q->h[k] * in[k];
  q->multiply(q->user, q->x, out);
  for (int k = 0; k < q->n; k++) out[k] *= q->h[k];
}

static void fresh_gradient(ssi_qp *q) {
  multiply(q, q->y, q->g);
  for (int k = 0; k < q->n; k++) q->g[k] += q->h[k] * q->b[k];
}

static bool at_bound(const ssi_qp *q, int k) {
  return q->bounded[k] && q->y[k] <= 0;
}

// face = phi (free components of the gradient); returns |beta|^2; *measure as the header says.
static double split(ssi_qp *q, double *phi2, double *measure) {
  double beta2 = 0, sum = 0;
  *phi2 = 0;
  for (int k = 0; k < q->n; k++) {
    double g = q->g[k], off = g;
    q->face[k] = 0;
    if (at_bound(q, k)) {
      off = fmin(g, 0);
      beta2 += off * off;
    } else {
      if (q->bounded[k]) off = fmin(g, q->y[k]);
      q->face[k] = g;
      // the reduced part: what a step of length 1/norm can use before it meets the bound
      *phi2 += g * (q->bounded[k] ? fmin(g, q->norm * q->y[k]) : g);
    }
    off /= q->h[k];
    sum += off * off;
  }
  *measure = sqrt(sum);
  return beta2;
}

// Longest t with y - t p >= 0, and the component that stops it in *stop.
static double room(const ssi_qp *q, const double *p, int *stop) {
  double t = INFINITY;
  *stop = -1;
  for (int k = 0; k < q->n; k++)
    if (q->bounded[k] && p[k] > 0 && q->y[k] < t * p[k]) t = q->y[k] / p[k], *stop = k;
  return t;
}

static void move(ssi_qp *q, double t, const double *p) {
  for (int k = 0; k < q->n; k++) {
    q->y[k] -= t * p[k];
    if (q->bounded[k]) q->y[k] = fmax(q->y[k], 0);
  }
}

// To the bound along p, then one projected gradient step. false: nothing stops p.
static bool expand(ssi_qp *q) {
  int stop;
  double t = room(q, q->p, &stop);
  if (!isfinite(t)) return false;
  move(q, t, q->p);
  for (int k = 0; k < q->n; k++) q->g[k] -= t * q->Ap[k];
  if (stop >= 0) q->y[stop] = 0;
  for (int k = 0; k < q->n; k++)
    if (!at_bound(q, k)) {
      q->y[k] -= q->g[k] / q->norm;
      if (q->bounded[k]) q->y[k] = fmax(q->y[k], 0);
    }
  fresh_gradient(q);
  return true;
}

// One step along beta, opening the face. false: no minimum along it.
static bool open_face(ssi_qp *q) {
  for (int k = 0; k < q->n; k++) q->p[k] = at_bound(q, k) ? fmin(q->g[k], 0) : 0;
  multiply(q, q->p, q->Ap);
  double curvature = ssi_dot(q->n, q->p, q->Ap), slope = ssi_dot(q->n, q->p, q->g);
  if (!(curvature > 1e-14 * q->norm * ssi_dot(q->n, q->p, q->p))) return false;
  move(q, slope / curvature, q->p);
  fresh_gradient(q);
  return true;
}

int ssi_qp_solve(ssi_qp *q, double *x) {
  int products = 1;
  bool restart = true;
  for (int k = 0; k < q->n; k++) q->y[k] = x[k] / q->h[k];
  fresh_gradient(q);
  while (products < q->max_iter && !(q->stopped && q->stopped(q->user))) {
    double phi2, measure, beta2 = split(q, &phi2, &measure);
    if (!(measure > q->tol)) break;
    if (beta2 > phi2) {
      if (!open_face(q)) break;
      products += 2, restart = true;
      continue;
    }
    if (restart) memcpy(q->p, q->face, sizeof(double) * (size_t)q->n);
    restart = false;
    multiply(q, q->p, q->Ap), products++;
    double curvature = ssi_dot(q->n, q->p, q->Ap), slope = ssi_dot(q->n, q->p, q->g);
    int stop;
    bool flat = !(curvature > 1e-14 * q->norm * ssi_dot(q->n, q->p, q->p));
    double t = flat ? INFINITY : slope / curvature;
    if (!(slope > 0)) {  // rounding, or A not quite symmetric, has spoilt p
      restart = true;
      continue;
    }
    if (t > room(q, q->p, &stop)) {
      if (!expand(q)) break;
      products++, restart = true;
      continue;
    }
    move(q, t, q->p);
    for (int k = 0; k < q->n; k++) q->g[k] -= t * q->Ap[k];
    double gamma = 0;
    for (int k = 0; k < q->n; k++) gamma += at_bound(q, k) ? 0 : q->g[k] * q->Ap[k];
    gamma /= curvature;
    for (int k = 0; k < q->n; k++) q->p[k] = (at_bound(q, k) ? 0 : q->g[k]) - gamma * q->p[k];
    if (products % 50 == 0) fresh_gradient(q), products++, restart = true;
  }
  bool finite = true;
  for (int k = 0; k < q->n; k++) finite = finite && isfinite(q->y[k]);
  for (int k = 0; k < q->n && finite; k++) x[k] = q->h[k] * q->y[k];
  return products;
}

enum { POWER_STEPS = 12 };

void ssi_qp_estimate_norm(ssi_qp *q) {
  ssi_rng r = {.state = 11};
  double largest = 0;
  for (int k = 0; k < q->n; k++) q->p[k] = 0.5 + ssi_rng_uniform(&r);
  for (int step = 0; step < POWER_STEPS; step++) {
    double norm = sqrt(ssi_dot(q->n, q->p, q->p));
    if (!(norm > 0)) break;
    for (int k = 0; k < q->n; k++) q->p[k] /= norm;
    multiply(q, q->p, q->Ap);
    largest = fmax(largest, ssi_dot(q->n, q->p, q->Ap));
    memcpy(q->p, q->Ap, sizeof(double) * (size_t)q->n);
  }
  q->norm = largest > 0 ? 1.1 * largest : 1;
}
