// The matrix of (7) or (8), row after row, and its factors.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "derive/gathered.h"
#include "derive/implicit.h"
#include "la/vector.h"

// factor times row `row` of A, whose columns are components of contacts: those of y through B, (5).
static void add_contacts(const ss_derivative *d, ssi_gathered *g, const ss_sparse *A, int row,
                         double factor) {
  int dim = d->p.dim;
  for (int64_t k = A->ptr[row]; k < A->ptr[row + 1]; k++) {
    const ssi_local *c = &d->locals[A->col[k] / dim];
    int part = A->col[k] % dim;
    for (int j = 0; j < c->count; j++) {
      double B = c->B[dim * j + part];
      if (B != 0) ssi_gathered_add(g, c->first + j, factor * A->x[k] * B);
    }
  }
}

static void add_scaled(ssi_gathered *g, const ss_sparse *A, int row, double factor, int first,
                       const double *scale) {
  for (int64_t k = A->ptr[row]; k < A->ptr[row + 1]; k++)
    ssi_gathered_add(g, first + A->col[k], factor * A->x[k] * scale[A->col[k]]);
}

static void balance_row(const ss_derivative *d, ssi_gathered *g, int j) {
  double own = d->motion_scale[j];
  add_scaled(g, &d->p.M, j, own, 0, d->motion_scale);
  if (d->p.nc) add_contacts(d, g, &d->HT, j, -own);
  if (d->p.nl) add_scaled(g, &d->p.G, j, -own, d->first_joint, d->joint_scale);
}

static void contact_row(const ss_derivative *d, ssi_gathered *g, int i, int k) {
  const ssi_local *c = &d->locals[i];
  int dim = d->p.dim;
  for (int part = 0; part < dim; part++) {
    double E = c->E[dim * k + part];
    int row = dim * i + part;
    if (E == 0) continue;
    if (d->p.form == SS_GLOBAL) {
      add_scaled(g, &d->p.H, row, E, 0, d->motion_scale);
      continue;
    }
    add_contacts(d, g, &d->p.W, row, E);
    if (d->p.nl) add_scaled(g, &d->p.V, row, E, d->first_joint, d->joint_scale);
  }
  ssi_gathered_add(g, c->first + k, c->D[k]);
}

static void joint_row(const ss_derivative *d, ssi_gathered *g, int j) {
  double own = d->joint_scale[j];
  if (d->p.form == SS_GLOBAL) {
    add_scaled(g, &d->GT, j, own, 0, d->motion_scale);
  } else {
    if (d->p.nc) add_contacts(d, g, &d->VT, j, own);
    add_scaled(g, &d->p.R, j, own, d->first_joint, d->joint_scale);
  }
  ssi_gathered_add(g, d->first_joint + j, 0);
}

static bool append_all(const ss_derivative *d, ssi_gathered *g, ssi_rows *to) {
  for (int j = 0; j < ssi_free_unknown(d); j++) {
    balance_row(d, g, j);
    if (!ssi_gathered_append(g, to)) return false;
  }
  for (int i = 0; i < d->p.nc; i++)
    for (int k = 0; k < d->locals[i].count; k++) {
      contact_row(d, g, i, k);
      if (!ssi_gathered_append(g, to)) return false;
    }
  for (int j = 0; j < d->p.nl; j++) {
    joint_row(d, g, j);
    if (!ssi_gathered_append(g, to)) return false;
  }
  return true;
}

// ---- the scales ----------------------------------------------------------------------------

static void scale_joints(ss_derivative *d) {
  double mean = 0;
  for (int i = 0; i < d->p.nc; i++) mean += d->lambda[i] / d->p.nc;
  for (int j = 0; j < d->p.nl; j++) {
    double square = 0, most = 0;
    if (d->p.form == SS_GLOBAL) {
      for (int64_t k = d->GT.ptr[j]; k < d->GT.ptr[j + 1]; k++) {
        double x = d->GT.x[k] * d->motion_scale[d->GT.col[k]];
        square += x * x;
      }
    } else {
      square = fabs(ssi_sparse_entry(&d->p.R, j, j));
      if (d->p.nc) most = ssi_largest(d->VT.ptr[j + 1] - d->VT.ptr[j], d->VT.x + d->VT.ptr[j]);
      if (!(square > 0) && mean > 0) square = most * most / mean;
    }
    d->joint_scale[j] = square > 0 ? 1 / sqrt(square) : 1;
  }
}

static void find_scales(ss_derivative *d) {
  for (int j = 0; j < ssi_free_unknown(d); j++) {
    double own = ssi_sparse_entry(&d->p.M, j, j);
    d->motion_scale[j] = own > 0 ? 1 / sqrt(own) : 1;
  }
  scale_joints(d);
}

static bool transpose(ss_derivative *d) {
  const ss_problem *p = &d->p;
  if (p->form == SS_GLOBAL && p->nc && !ssi_sparse_transpose(&d->arena, &p->H, &d->HT))
    return false;
  if (p->form == SS_GLOBAL && p->nl && !ssi_sparse_transpose(&d->arena, &p->G, &d->GT))
    return false;
  return p->form == SS_GLOBAL || !p->nl || !p->nc || ssi_sparse_transpose(&d->arena, &p->V, &d->VT);
}

static ss_error assemble(ss_derivative *d) {
  ssi_gathering g;
  bool ok = ssi_gathering_begin(d->ctx, d->n, &g) && append_all(d, &g.row, &g.rows) &&
            ssi_gathering_keep(&g, &d->arena, &d->A);
  ssi_gathering_end(&g);
  return ok ? SS_OK : SS_ERR_MEMORY;
}

ss_error ssi_derive_assemble(ss_derivative *d) {
  d->motion_scale = SSI_TAKE(&d->arena, ssi_free_unknown(d), double);
  d->joint_scale = SSI_TAKE(&d->arena, d->p.nl, double);
  if (d->arena.failed || !transpose(d)) return SS_ERR_MEMORY;
  find_scales(d);
  SS_TRY(assemble(d));
  d->info.unknowns = d->n;
  d->info.entries = ssi_sparse_entries(&d->A);
  return SS_OK;
}
