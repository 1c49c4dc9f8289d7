// J^T dL, docs/derivatives.md (11): one solve with the transpose of (7) or (8), then products of vectors on the patterns.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "derive/implicit.h"
#include "la/sparse.h"

static const double CONSISTENT = 1e-8;  // as in forward.c

typedef struct seeds {
  const double *r, *u, *v, *l;  // dL; NULL: zero
} seeds;

static double at(const double *x, int k) {
  return x ? x[k] : 0;
}

// impulse = dL/dr with u as a function of r (reduced form); else dL/dr
static void put_impulse(ss_derivative *d, const seeds *g) {
  for (int i = 0; i < d->m; i++) d->impulse[i] = at(g->r, i);
  if (d->p.form == SS_REDUCED && g->u && d->p.nc)
    ssi_sparse_multiply_transposed_add(&d->p.W, g->u, d->impulse);
}

static void put_seeds(ss_derivative *d, const seeds *g) {
  const ss_problem *p = &d->p;
  double *rhs = d->rhs, *joints = rhs + d->first_joint;
  put_impulse(d, g);
  for (int j = 0; j < p->nl; j++) joints[j] = at(g->l, j);
  if (p->form == SS_GLOBAL) {
    for (int j = 0; j < p->ndof; j++) rhs[j] = at(g->v, j);
    if (g->u && p->nc && p->ndof) ssi_sparse_multiply_transposed_add(&p->H, g->u, rhs);
    for (int j = 0; j < p->ndof; j++) rhs[j] *= d->motion_scale[j];
  } else if (g->u && p->nl && p->nc) {
    ssi_sparse_multiply_transposed_add(&p->V, g->u, joints);
  }
  for (int j = 0; j < p->nl; j++) joints[j] *= d->joint_scale[j];
  for (int i = 0; i < p->nc; i++)
    for (int k = 0; k < d->locals[i].count; k++) {
      double sum = 0;
      for (int c = 0; c < p->dim; c++)
        sum += d->locals[i].B[p->dim * k + c] * d->impulse[p->dim * i + c];
      rhs[d->locals[i].first + k] = sum;
    }
}

// velocity = dL/du - E^T z, which is the gradient with respect to w, or q
static void put_velocity(ss_derivative *d, const seeds *g) {
  int dim = d->p.dim;
  for (int i = 0; i < d->p.nc; i++) {
    const ssi_local *c = &d->locals[i];
    for (int part = 0; part < dim; part++) {
      double sum = at(g->u, dim * i + part);
      for (int k = 0; k < c->count; k++) sum -= c->E[dim * k + part] * d->x[c->first + k];
      d->velocity[dim * i + part] = sum;
    }
  }
}

// out_ij = sign a_i b_j, or that added, on the pattern
static void outer(const ss_sparse *pattern, double sign, const double *a, const double *b, bool sum,
                  double *out) {
  if (!out || !pattern->ptr) return;
  for (int i = 0; i < pattern->rows; i++)
    for (int64_t k = pattern->ptr[i]; k < pattern->ptr[i + 1]; k++)
      out[k] = (sum ? out[k] : 0) + sign * a[i] * b[pattern->col[k]];
}

static void copy(const double *x, double sign, int n, double *out) {
  for (int k = 0; out && k < n; k++) out[k] = sign * x[k];
}

// dL/dmu_i = -tau_i . pull_i, pull = dL/dr + H z_v, or dL/dr + W^T velocity - V z_l
static void put_friction(ss_derivative *d, const seeds *g, const double *z_v, const double *z_l,
                         double *out) {
  const ss_problem *p = &d->p;
  double *pull = d->impulse;
  for (int i = 0; i < d->m; i++) pull[i] = at(g->r, i);
  if (p->form == SS_GLOBAL && p->ndof && p->nc) ssi_sparse_multiply_add(&p->H, z_v, pull);
  if (p->form == SS_REDUCED && p->nc) {
    ssi_sparse_multiply_transposed_add(&p->W, d->velocity, pull);
    if (p->nl) ssi_change_add(&p->V, p->V.x, -1, z_l, pull);
  }
  for (int i = 0; i < p->nc; i++) {
    const ssi_local *c = &d->locals[i];
    double sum = 0;
    for (int k = 0; k < p->dim; k++) sum -= c->tau[k] * pull[p->dim * i + k];
    out[i] = c->no_mu ? NAN : sum;
  }
}

static void put_gradients(ss_derivative *d, const seeds *g, const ss_data_gradient *out) {
  const ss_problem *p = &d->p;
  double *z_v = d->x, *z_l = d->x + d->first_joint;
  for (int j = 0; j < ssi_free_unknown(d); j++) z_v[j] *= d->motion_scale[j];
  for (int j = 0; j < p->nl; j++) z_l[j] *= d->joint_scale[j];
  put_velocity(d, g);
  if (out->mu) put_friction(d, g, z_v, z_l, out->mu);
  if (p->form == SS_REDUCED) {
    copy(d->velocity, 1, d->m, out->q);
    copy(z_l, -1, p->nl, out->s);
    outer(&p->W, 1, d->velocity, d->r, false, out->W);
    outer(&p->V, 1, d->velocity, d->l, false, out->V);
    outer(&p->V, -1, d->r, z_l, true, out->V);
    outer(&p->R, -1, z_l, d->l, false, out->R);
    return;
  }
  copy(d->velocity, 1, d->m, out->w);
  copy(z_v, -1, p->ndof, out->f);
  copy(z_l, -1, p->nl, out->b);
  outer(&p->M, -1, z_v, d->v, false, out->M);
  outer(&p->H, 1, d->velocity, d->v, false, out->H);
  outer(&p->H, 1, d->r, z_v, true, out->H);
  outer(&p->G, 1, z_v, d->l, false, out->G);
  outer(&p->G, -1, d->v, z_l, true, out->G);
}

static ss_error check_wishes(const ss_derivative *d, const ss_data_gradient *out) {
  bool reduced = d->p.form == SS_REDUCED;
  const struct {
    const char *name;
    const double *x;
  } all[] = {{"W", out->W}, {"V", out->V}, {"R", out->R}, {"q", out->q},
             {"s", out->s}, {"M", out->M}, {"H", out->H}, {"G", out->G},
             {"f", out->f}, {"w", out->w}, {"b", out->b}};
  for (int k = 0; k < 11; k++)
    if (all[k].x && (k < 5) != reduced)
      return ssi_fail(d->ctx, SS_ERR_ARGUMENT,
                      "a gradient with respect to %s, which the %s form does not have", all[k].name,
                      reduced ? "reduced" : "global");
  return SS_OK;
}

ss_error ss_derivative_adjoint(ss_derivative *d, const ss_solution *gradient,
                               const ss_data_gradient *out) {
  if (!d || !gradient || !out) return ssi_missing(d ? d->ctx : NULL, "ss_derivative_adjoint");
  SS_TRY(ssi_derive_exists(d));
  SS_TRY(check_wishes(d, out));
  seeds g = {gradient->r, gradient->u, d->p.form == SS_GLOBAL ? gradient->v : NULL, gradient->l};
  double left;
  put_seeds(d, &g);
  ss_error e = ssi_derive_solve(d, true, d->rhs, d->x, &left);
  if (e) return ssi_fail(d->ctx, e, "the transposed linearised equations cannot be solved");
  if (!isfinite(left)) return ssi_derive_overflow(d);
  if (left > CONSISTENT)
    return ssi_fail(d->ctx, SS_ERR_METHOD,
                    "no gradient: it asks for reactions of %d contacts and joints that are not "
                    "unique (%.2g of it is "
                    "left)",
                    d->info.loose_count, left);
  put_gradients(d, &g, out);
  bool finite = ssi_all_finite(d->x, d->n) && ssi_all_finite(d->velocity, d->m);
  return finite ? SS_OK : ssi_derive_overflow(d);
}
