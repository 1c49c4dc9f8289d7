#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cone/friction.h"
#include "solvers/aclm.h"

void ssi_convex_gradient(const ssi_convex *p, const double *r, double *g) {
  const ssi_system *sys = p->sys;
  ssi_system_velocity(p->sys, r, g);
  for (int i = 0; i < sys->nc; i++) g[sys->dim * (int64_t)i] += sys->p.mu[i] * p->s[i];
}

double ssi_convex_error(const ssi_convex *p, const double *r, const double *g) {
  const ssi_system *sys = p->sys;
  double sum = 0;
  for (int i = 0; i < sys->nc; i++) {
    const double *ri = r + sys->dim * (int64_t)i, *gi = g + sys->dim * (int64_t)i;
    double lambda = sys->lambda_max[i], z[3] = {0};
    for (int k = 0; k < sys->dim; k++) z[k] = ri[k] - gi[k] / lambda;
    ssi_project(sys->dim, sys->p.mu[i], z);
    for (int k = 0; k < sys->dim; k++) {
      double x = lambda * (ri[k] - z[k]) / p->scale;
      sum += x * x;
    }
  }
  return sqrt(sum);
}

double ssi_convex_reachable(const ssi_convex *p, const double *r) {
  const ssi_system *sys = p->sys;
  double sum = 0;
  for (int k = 0; k < sys->m; k++) {
    double x = sys->lambda_max[k / sys->dim] * r[k] / p->scale;
    sum += x * x;
  }
  return fmax(p->tol, 4 * DBL_EPSILON * fmax(1, sqrt(sum)));
}

static bool paper_is_content(const ssi_convex *p, const double *r, const double *g) {
  const ssi_system *sys = p->sys;
  double change = 0, size = 0;
  for (int i = 0; i < sys->nc; i++) {
    const double *ri = r + sys->dim * (int64_t)i, *gi = g + sys->dim * (int64_t)i;
    double z[3] = {0};
    for (int k = 0; k < sys->dim; k++) z[k] = ri[k] - gi[k], size += ri[k] * ri[k];
    ssi_project(sys->dim, sys->p.mu[i], z);
    for (int k = 0; k < sys->dim; k++) change += (z[k] - ri[k]) * (z[k] - ri[k]);
  }
  return sqrt(change) <= p->tol * sys->nc * (sqrt(size) + 1);
}

bool ssi_convex_done(const ssi_convex *p, const double *r, const double *g) {
  if (ssi_system_stopped(p->sys)) return true;  // whatever comes of it is thrown away
  if (p->paper) return paper_is_content(p, r, g);
  return ssi_convex_error(p, r, g) <= ssi_convex_reachable(p, r);
}

enum { POWER_STEPS = 30 };

double ssi_convex_spectral_radius(const ssi_convex *p, double *x, double *y) {
  const ssi_system *sys = p->sys;
  ssi_rng g = {.state = 7};
  double norm = 0, largest = 0;
  for (int k = 0; k < sys->m; k++) x[k] = ssi_rng_uniform(&g) - 0.5;
  for (int step = 0; step <= POWER_STEPS; step++) {
    norm = 0;
    for (int k = 0; k < sys->m; k++) norm += x[k] * x[k];
    norm = sqrt(norm);
    if (!(norm > 0)) break;  // W = 0
    for (int k = 0; k < sys->m; k++) x[k] /= norm;
    memset(y, 0, sizeof(double) * (size_t)sys->m);
    ssi_delassus_multiply_add(&sys->W, x, y);
    double rayleigh = 0;
    for (int k = 0; k < sys->m; k++) rayleigh += x[k] * y[k], x[k] = y[k];
    largest = fmax(largest, rayleigh);
  }
  return largest;
}
