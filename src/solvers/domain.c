#include "solvers/domain.h"

#include <string.h>

#include "problem/delassus.h"
#include "solvers/visit.h"

// W_ii = H_i P_i in the order of problem/bodies.c
static void fill_diagonal(const ssi_bodies *b, int64_t i) {
  int dim = b->dim;
  int64_t width = b->at[i + 1] - b->at[i];
  const double *H = b->H + dim * b->at[i], *P = b->P + dim * b->at[i];
  double *D = b->diag + dim * dim * i;
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      D[dim * k + l] = 0;
      for (int64_t j = 0; j < width; j++) D[dim * k + l] += H[dim * j + k] * P[l * width + j];
    }
}

static void split_contact(const ssi_bodies *whole, const int *copies, ssi_bodies *b, int64_t i) {
  int64_t width = b->at[i + 1] - b->at[i], slot = 0;
  const double *from = whole->P + b->dim * whole->at[i];
  double *to = b->P + b->dim * b->at[i];
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
    for (int j = 0; j < b->run[k].length; j++, slot++)
      for (int l = 0; l < b->dim; l++)
        to[l * width + slot] = from[l * width + slot] * copies[b->run[k].start + j];
}

void ssi_domain_split(const ssi_bodies *whole, const int *copies, ssi_bodies *split) {
  for (int64_t i = 0; i < split->nc; i++) {
    split_contact(whole, copies, split, i);
    fill_diagonal(split, i);
  }
}

void ssi_domain_prepare(ssi_domain *d, const double *mu) {
  int dim = d->bodies.dim;
  ssi_block_lambda_max(dim, d->bodies.nc, d->bodies.diag, d->lambda);
  for (int i = 0; i < d->bodies.nc; i++) {
    const double *W = d->bodies.diag + dim * dim * (int64_t)i;
    ssi_contact_prepare(&d->contact[i], dim, W, mu[i], d->lambda[i]);
    d->contact[i].near = SSI_VISIT_NEAR;
  }
}

void ssi_domain_begin(ssi_domain *d) {
  for (int i = 0; i < d->bodies.nc; i++) ssi_visit_forget(&d->contact[i]);
}

void ssi_domain_contribute(const ssi_domain *d, const double *r) {
  if (d->bodies.ndof) memset(d->sum, 0, sizeof(double) * (size_t)d->bodies.ndof);
  ssi_bodies_push(&d->bodies, r, d->sum);
}

SSI_INLINE double sweep(ssi_domain *d, int dim, double omega, double *r) {
  double change = 0;
  for (int64_t i = 0; i < d->bodies.nc; i++) {
    if (i + SSI_VISIT_AHEAD < d->bodies.nc) {
      __builtin_prefetch(&d->contact[i + SSI_VISIT_AHEAD]);
      ssi_fetch_bodies(&d->bodies, dim, i + SSI_VISIT_AHEAD);
    }
    double b[3] = {0}, z[3] = {0};
    bool moved;
    for (int k = 0; k < dim; k++) b[k] = d->w[dim * i + k];
    ssi_visit_load(&d->contact[i], &d->bodies, dim, i, d->v, r + dim * i, b);
    change += ssi_visit_solve(&d->contact[i], dim, omega, b, r + dim * i, z, &moved);
    if (moved) ssi_bodies_kick(&d->bodies, i, z, d->v);  // (1)
  }
  return change;
}

SSI_CLONES static double sweep2(ssi_domain *d, double omega, double *r) {
  return sweep(d, 2, omega, r);
}
SSI_CLONES static double sweep3(ssi_domain *d, double omega, double *r) {
  return sweep(d, 3, omega, r);
}

double ssi_domain_sweep(ssi_domain *d, double omega, double *r) {
  return d->bodies.dim == 2 ? sweep2(d, omega, r) : sweep3(d, omega, r);
}
