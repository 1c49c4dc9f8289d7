#include "certify/hsd.h"

#include <math.h>
#include <string.h>

#include "cone/pairs.h"
#include "la/vector.h"

static double dot_e(const ssi_conic *c, const double *y) {  // e.y
  double sum = 0;
  for (int64_t i = 0; i < c->nc; i++) sum += c->e[i] * y[c->dim * i];
  return sum;
}

// ---- the iterate ---------------------------------------------------------------------------

bool ssi_hsd_create(ssi_arena *arena, const ssi_conic *c, ssi_normal *normal, ssi_hsd *out) {
  *out = (ssi_hsd){.c = c, .normal = normal};
  double **rows[] = {&out->y, &out->z, &out->rp, &out->dy, &out->dz,
                     &out->g, &out->p, &out->zp, &out->ze, &out->bm};
  double **columns[] = {&out->x, &out->rd, &out->dx, &out->xp, &out->xe};
  double **contacts[] = {&out->margin_y, &out->margin_z};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) *rows[k] = SSI_TAKE(arena, c->m, double);
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
    *columns[k] = SSI_TAKE(arena, c->n, double);
  for (size_t k = 0; k < sizeof contacts / sizeof *contacts; k++)
    *contacts[k] = SSI_TAKE(arena, c->nc, double);
  out->scaling = SSI_TAKE(arena, c->nc, ssi_scaling);
  return !arena->failed;
}

// residuals and gap of the iterate
static void look(ssi_hsd *h) {
  const ssi_conic *c = h->c;
  double sum = h->tau * h->kappa;
  ssi_conic_multiply(c, h->x, h->rp);
  for (int j = 0; j < c->m; j++) h->rp[j] = h->y[j] - h->rp[j] - h->tau * c->q[j];
  for (int64_t i = 0; i < c->nc; i++) {
    h->rp[c->dim * i] += h->sigma * c->e[i];
    sum +=
        ssi_soc_gap(c->dim, h->z + c->dim * i, h->margin_z[i], h->y + c->dim * i, h->margin_y[i]);
  }
  ssi_conic_multiply_transposed(c, h->z, h->rd);
  h->rs = dot_e(c, h->z) - h->nu * h->tau;
  h->gap = sum / (c->nc + 1);
}

// x = 0 and sigma so low that y is well inside; z = e.
void ssi_hsd_begin(ssi_hsd *h) {
  const ssi_conic *c = h->c;
  h->nu = 0;
  h->tau = h->kappa = 1;
  h->sigma = fmin(ssi_conic_margin(c, c->q), 0) - 1;
  h->iterations = 0;
  memset(h->x, 0, sizeof(double) * (size_t)c->n);
  for (int64_t i = 0; i < c->nc; i++) {
    double *y = h->y + c->dim * i, *z = h->z + c->dim * i;
    for (int k = 0; k < c->dim; k++) y[k] = c->q[c->dim * i + k], z[k] = 0;
    y[0] -= h->sigma * c->e[i];
    z[0] = c->e[i];
    h->margin_y[i] = y[0] - ssi_soc_tangent(c->dim, y);
    h->margin_z[i] = z[0];
    h->nu += c->e[i] * c->e[i];
  }
  look(h);
}

static ssi_cone_pairs pairs_of(const ssi_hsd *h) {
  return (ssi_cone_pairs){.dim = h->c->dim,
                          .count = h->c->nc,
                          .z = h->z,
                          .y = h->y,
                          .margin_z = h->margin_z,
                          .margin_y = h->margin_y,
                          .dz = h->dz,
                          .dy = h->dy};
}

static double scalar_step(double x, double d) {
  return d < 0 ? -x / d : INFINITY;
}

static double step_to_boundary(const ssi_hsd *h) {
  ssi_cone_pairs pairs = pairs_of(h);
  double a = fmin(1, fmin(scalar_step(h->tau, h->dtau), scalar_step(h->kappa, h->dkappa)));
  return ssi_pairs_reach(&pairs, a);
}

// No product far below the others after a step a.
static bool central(const ssi_hsd *h, double a) {
  ssi_cone_pairs pairs = pairs_of(h);
  double product = (h->tau + a * h->dtau) * (h->kappa + a * h->dkappa);
  double low = 1e-3 * (ssi_pairs_gap_after(&pairs, a, product) / (h->c->nc + 1));
  return product >= low && ssi_pairs_central(&pairs, a, low);
}

static void take_step(ssi_hsd *h, double a) {
  ssi_cone_pairs pairs = pairs_of(h);
  ssi_pairs_move(&pairs, a);
  for (int j = 0; j < h->c->n; j++) h->x[j] += a * h->dx[j];
  h->tau += a * h->dtau;
  h->kappa += a * h->dkappa;
  h->sigma += a * h->dsigma;
  look(h);
}

// ---- the direction -------------------------------------------------------------------------
//
// Measured from where the iterate is: with alpha = sigma/tau, p = A x/tau + q - alpha e (which is y/tau up
// to rp/tau) and dx = dx' + x dtau/tau, dsigma = dsigma' + alpha dtau, the linearised (1) reads
//
//   dz = g - S dy,    dy = A dx' + p dtau - e dsigma' - eta rp,    A^T dz = -eta rd             (2)
//   e.dz - nu dtau = -eta rs
//   dkappa - nu dsigma' + p.dz = -eta (kappa + p.z)
//   kappa dtau + tau dkappa = t
//
// with S = F^-2 of cone/soc.h and N = A^T S A:
//
//   dx' = x0 - xp dtau + xe dsigma',   N x0 = A^T (g + eta S rp + eta z)                       (3)
//   dz  = z0 - zp dtau + ze dsigma',   z0 = g + eta S rp - S A x0                               (4)
//
// Written with q and sigma themselves the two scalars would be differences of numbers 1/gap times as
// large; here S p is nearly z/tau.

// (xe, ze) or (xp, zp) of the right-hand side in *z
static void prepare_part(ssi_hsd *h, double *x, double *z) {
  const ssi_conic *c = h->c;
  ssi_normal_weigh(h->normal, z, h->bm);
  ssi_normal_solve(h->normal, h->bm, x);
  ssi_conic_multiply(c, x, h->bm);
  for (int j = 0; j < c->m; j++) z[j] -= h->bm[j];
  ssi_normal_weigh(h->normal, z, z);
}

// S, its factors, and what belongs to p and e. false: the iterate has left the cones, or no factor.
static bool prepare(ssi_hsd *h) {
  const ssi_conic *c = h->c;
  int dim = c->dim;
  double *F = ssi_normal_roots(h->normal);
  for (int64_t i = 0; i < c->nc; i++) {
    ssi_scaling *f = &h->scaling[i];
    if (!ssi_soc_scaling(dim, h->z + dim * i, h->margin_z[i], h->y + dim * i, h->margin_y[i], f))
      return false;
    for (int k = 0; k < dim; k++) {
      double axis[3] = {0};
      axis[k] = 1;
      ssi_soc_map(dim, f, -1, axis, F + dim * dim * i + dim * k);
    }
  }
  if (!ssi_normal_factor(h->normal)) return false;
  ssi_normal_aim(h->normal, c->basis ? 0 : fmin(1e-7, 1e-6 * h->gap));  // more than a step needs
  for (int j = 0; j < c->m; j++) {
    h->p[j] = h->zp[j] = (h->y[j] - h->rp[j]) / h->tau;
    h->ze[j] = j % dim ? 0 : c->e[j / dim];
  }
  prepare_part(h, h->xp, h->zp);
  prepare_part(h, h->xe, h->ze);
  return true;
}

// dtau and dsigma' from
//   -(k + nu) dtau + b dsigma' = r1,    -(a + kappa/tau) dtau + (k - nu) dsigma' = r2
// with a = p.zp, b = e.ze, k = e.zp = p.ze. The determinant nu^2 + b (a - k^2/b + kappa/tau) is written
// by the part of p that is not along e, which is how it keeps its digits.
static void solve_scalars(const ssi_hsd *h, double r1, double r2, double *dtau, double *dsigma) {
  const ssi_conic *c = h->c;
  double a = ssi_dot(c->m, h->p, h->zp), b = dot_e(c, h->ze);
  double k = 0.5 * (dot_e(c, h->zp) + ssi_dot(c->m, h->p, h->ze));
  double along = b > 0 ? k / b : 0, rest = 0;
  for (int64_t i = 0; i < c->nc; i++)
    for (int l = 0; l < c->dim; l++) {
      int64_t j = c->dim * i + l;
      rest += (h->p[j] - (l ? 0 : along * c->e[i])) * (h->zp[j] - along * h->ze[j]);
    }
  double ratio = h->kappa / h->tau;
  double det = h->nu * h->nu + b * (fmax(rest, 0) + ratio);
  *dtau = ((k - h->nu) * r1 - b * r2) / det;
  *dsigma = ((a + ratio) * r1 - (k + h->nu) * r2) / det;
}

// (2) to (4) for the g in h->g and t
static void solve_direction(ssi_hsd *h, double eta, double t) {
  const ssi_conic *c = h->c;
  int dim = c->dim;
  ssi_normal_weigh(h->normal, h->rp, h->bm);
  for (int j = 0; j < c->m; j++) h->dz[j] = h->g[j] + eta * h->bm[j];
  for (int j = 0; j < c->m; j++) h->bm[j] = h->dz[j] + eta * h->z[j];
  ssi_normal_solve(h->normal, h->bm, h->dx);
  ssi_conic_multiply(c, h->dx, h->dy);
  ssi_normal_weigh(h->normal, h->dy, h->bm);
  for (int j = 0; j < c->m; j++) h->dz[j] -= h->bm[j];
  double rg = h->kappa + ssi_dot(c->m, h->p, h->z);
  double r1 = -eta * h->rs - dot_e(c, h->dz);
  double r2 = -eta * rg - ssi_dot(c->m, h->p, h->dz) - t / h->tau;
  double dsigma, alpha = h->sigma / h->tau;
  solve_scalars(h, r1, r2, &h->dtau, &dsigma);
  h->dsigma = dsigma + alpha * h->dtau;
  h->dkappa = (t - h->kappa * h->dtau) / h->tau;
  for (int j = 0; j < c->n; j++) h->dx[j] += dsigma * h->xe[j] - h->dtau * h->xp[j];
  for (int j = 0; j < c->m; j++) h->dz[j] += dsigma * h->ze[j] - h->dtau * h->zp[j];
  ssi_conic_multiply(c, h->dx, h->dy);
  for (int j = 0; j < c->m; j++) h->dy[j] += h->dtau * h->p[j] - eta * h->rp[j];
  for (int64_t i = 0; i < c->nc; i++) h->dy[dim * i] -= dsigma * c->e[i];
  for (int j = 0; j < c->n; j++) h->dx[j] += h->dtau / h->tau * h->x[j];
}

// g = F^-1 (lambda \ (target e - (F dz) o (F^-1 dy))) - z
static void corrector(ssi_hsd *h, double target, bool second_order) {
  int dim = h->c->dim;
  for (int64_t i = 0; i < h->c->nc; i++) {
    double *g = h->g + dim * i;
    ssi_soc_correction(dim, &h->scaling[i], h->dz + dim * i, h->dy + dim * i, target, second_order,
                       g);
    ssi_soc_map(dim, &h->scaling[i], -1, g, g);
    for (int k = 0; k < dim; k++) g[k] -= h->z[dim * i + k];
  }
}

bool ssi_hsd_iterate(ssi_hsd *h) {
  if (!prepare(h)) return false;
  for (int j = 0; j < h->c->m; j++) h->g[j] = -h->z[j];
  solve_direction(h, 1, -h->tau * h->kappa);
  double reach = step_to_boundary(h), left = 1 - reach;
  double centring = fmin(1, fmax(left * left * left, 1e-6));
  double target = centring * h->gap, square = h->dtau * h->dkappa;
  corrector(h, target, true);
  solve_direction(h, 1 - centring, target - square - h->tau * h->kappa);
  double full = step_to_boundary(h);
  if (full < 0.1 * reach) {  // the square can be all rounding, or all curvature
    centring = fmax(centring, 0.5);
    target = centring * h->gap;
    corrector(h, target, false);
    solve_direction(h, 1 - centring, target - h->tau * h->kappa);
    full = step_to_boundary(h);
  }
  double a = fmin(1, 0.99 * full);
  while (a > 1e-8 && !central(h, a)) a *= 0.8;
  if (!(a > 1e-8)) return false;
  take_step(h, a);
  h->iterations++;
  return isfinite(h->gap) && isfinite(h->sigma) && h->gap > 0;
}

// ---- what the iterate says -----------------------------------------------------------------

double ssi_hsd_high(const ssi_hsd *h) {
  return ssi_dot(h->c->m, h->c->q, h->z) / dot_e(h->c, h->z);
}

double ssi_hsd_equilibrium(const ssi_hsd *h) {
  double most = 0, size = 0;
  for (int j = 0; j < h->c->n; j++) most = fmax(most, fabs(h->rd[j]));
  for (int64_t i = 0; i < h->c->nc; i++) size = fmax(size, h->z[h->c->dim * i]);
  return most / size;
}
