// The problem as dense maps of r alone: v = v0 + Y r, l = l0 + K r, u = q + W r, and the sizes that
// refutations are relative to.
//
//     X = M^-1 H^T,  Z = M^-1 G,  V = H Z,  R = G^T Z,  K = -R^-1 V^T,  Y = X + Z K,  W = H Y   global form
//     K = -R^-1 V^T,  W + V K for W,  q + K^T s for q                                         reduced form
//
// What is rounded here only makes certificates weaker: they are judged on the raw data.
#include <math.h>

#include "analysis/refute.h"
#include "base/error.h"
#include "la/factor.h"
#include "la/small.h"
#include "la/small_cholesky.h"
#include "la/sparse.h"

static void dense_of(const ss_sparse *A, double *out) {  // row-major
  for (int i = 0; A->ptr && i < A->rows; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++)
      out[(int64_t)i * A->cols + A->col[e]] = A->x[e];
}

// Of the symmetric part of R; false where a pivot is rounding.
static bool factor(int n, double *R) {
  ssi_symmetrise(n, R);
  return ssi_cholesky(n, R, n, 0, 1e-12);
}

// K = -R^-1 V^T (nl m) and l0 = -R^-1 s; V (m nl).
static void eliminate(const ssi_refute_data *d, const double *L, const double *V, const double *s,
                      double *l0) {
  int n = d->nl, m = d->m;
  for (int k = 0; k < n; k++) {
    l0[k] = -s[k];
    for (int i = 0; i < m; i++) d->K[k * m + i] = -V[i * n + k];
  }
  ssi_cholesky_solve(n, L, n, l0, 1);
  for (int i = 0; i < m; i++) ssi_cholesky_solve(n, L, n, d->K + i, m);
}

// ---- sizes -----------------------------------------------------------------------------------

static void contact_sizes(ssi_refute_data *d) {
  int dim = d->p->dim, nc = d->p->nc, positive = 0;
  double mean = 0;
  for (int i = 0; i < nc; i++) {
    double block[9], eig[3], square = 0;
    for (int k = 0; k < dim; k++) {
      square += d->q[dim * i + k] * d->q[dim * i + k];
      for (int l = 0; l < dim; l++)
        block[dim * k + l] = d->W[(size_t)(dim * i + k) * (size_t)d->m + (size_t)(dim * i + l)];
    }
    ssi_eig(dim, block, eig);
    d->lambda[i] = fmax(eig[dim - 1], 0);
    d->unit = fmax(d->unit, sqrt(square));
    if (d->lambda[i] > 0) mean += d->lambda[i], positive++;
  }
  mean = positive ? mean / positive : 1;
  for (int i = 0; i < nc; i++) {
    if (!(d->lambda[i] > 1e-15 * mean)) d->lambda[i] = mean;
    d->R[i] = d->unit / d->lambda[i];
  }
}

// |x0 + A r| over all |r_N,i| <= R_i, |r_T,i| <= mu_i R_i, and twice that: M^-1 is rounded.
static void response_sizes(const ssi_refute_data *d, int rows, const double *A, const double *x0,
                           double *out) {
  int dim = d->p->dim;
  for (int j = 0; j < rows; j++) {
    out[j] = fabs(x0[j]);
    for (int i = 0; i < d->m; i++)
      out[j] += (i % dim ? d->p->mu[i / dim] : 1) * d->R[i / dim] *
                fabs(A[(size_t)j * (size_t)d->m + (size_t)i]);
    out[j] *= 2;
  }
}

// ---- the two forms ---------------------------------------------------------------------------

static ss_error gather_reduced(ssi_arena *arena, ssi_refute_data *d) {
  const ss_problem *p = d->p;
  int m = d->m, n = d->nl;
  double *V = SSI_TAKE(arena, m * n, double), *R = SSI_TAKE(arena, n * n, double);
  double *l0 = SSI_TAKE(arena, n, double);
  if (arena->failed) return SS_ERR_MEMORY;
  dense_of(&p->W, d->W);
  for (int i = 0; i < m; i++) d->q[i] = p->q[i];
  if (n) {
    dense_of(&p->V, V), dense_of(&p->R, R);
    d->defined = factor(n, R);
    if (!d->defined) return SS_OK;
    eliminate(d, R, V, p->s, l0);
    for (int i = 0; i < m; i++)
      for (int k = 0; k < n; k++) {
        d->q[i] += V[i * n + k] * l0[k];
        for (int j = 0; j < m; j++) d->W[i * m + j] += V[i * n + k] * d->K[k * m + j];
      }
  }
  contact_sizes(d);
  response_sizes(d, n, d->K, l0, d->L);
  return SS_OK;
}

// out = M^-1 (columns of B), B given by its rows; out row-major (ndof count).
static ss_error solve_columns(ssi_factor *mass, int ndof, int count, const double *B, double *x,
                              double *out) {
  for (int j = 0; j < count; j++) {
    for (int i = 0; i < ndof; i++) x[i] = B[(size_t)i * (size_t)count + (size_t)j];
    SS_TRY(ssi_factor_solve(mass, x, x));
    for (int i = 0; i < ndof; i++) out[(size_t)i * (size_t)count + (size_t)j] = x[i];
  }
  return SS_OK;
}

// out (rows cols) = A X, A sparse (rows x n), X (n cols).
static void sparse_times(const ss_sparse *A, int cols, const double *X, double *out) {
  for (int i = 0; A->ptr && i < A->rows; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++)
      for (int j = 0; j < cols; j++)
        out[(size_t)i * (size_t)cols + (size_t)j] +=
            A->x[e] * X[(size_t)A->col[e] * (size_t)cols + (size_t)j];
}

typedef struct joints {
  double *Z, *V, *R, *s, *l0;  // (ndof nl), (m nl), (nl nl), (nl), (nl)
} joints;

static ss_error gather_joints(ssi_arena *arena, ssi_refute_data *d, ssi_factor *mass, double *x,
                              double *v0, joints *z) {
  const ss_problem *p = d->p;
  int n = d->nl, m = d->m, ndof = d->ndof;
  double *G = SSI_TAKE(arena, ndof * n, double);
  if (arena->failed) return SS_ERR_MEMORY;
  dense_of(&p->G, G);
  SS_TRY(solve_columns(mass, ndof, n, G, x, z->Z));
  sparse_times(&p->H, n, z->Z, z->V);
  for (int k = 0; k < n; k++) {
    z->s[k] = p->b[k];
    for (int i = 0; i < ndof; i++) {
      z->s[k] += G[i * n + k] * v0[i];
      for (int l = 0; l < n; l++) z->R[k * n + l] += G[i * n + k] * z->Z[i * n + l];
    }
  }
  d->defined = factor(n, z->R);
  if (!d->defined) return SS_OK;
  eliminate(d, z->R, z->V, z->s, z->l0);
  for (int i = 0; i < ndof; i++)
    for (int k = 0; k < n; k++) {
      v0[i] += z->Z[i * n + k] * z->l0[k];
      for (int j = 0; j < m; j++) d->Y[i * m + j] += z->Z[i * n + k] * d->K[k * m + j];
    }
  return SS_OK;
}

static ss_error gather_global(ssi_arena *arena, ssi_refute_data *d, ssi_factor *mass) {
  const ss_problem *p = d->p;
  int m = d->m, n = d->nl, ndof = d->ndof;
  double *HT = SSI_TAKE(arena, (size_t)ndof * (size_t)m, double),
         *x = SSI_TAKE(arena, ndof, double);
  double *v0 = SSI_TAKE(arena, ndof, double);
  joints z = {.Z = SSI_TAKE(arena, ndof * n, double), .V = SSI_TAKE(arena, m * n, double)};
  z.R = SSI_TAKE(arena, n * n, double), z.s = SSI_TAKE(arena, n, double);
  z.l0 = SSI_TAKE(arena, n, double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; p->H.ptr && i < m; i++)
    for (int64_t e = p->H.ptr[i]; e < p->H.ptr[i + 1]; e++)
      HT[(size_t)p->H.col[e] * (size_t)m + (size_t)i] = p->H.x[e];
  if (ndof) {
    SS_TRY(solve_columns(mass, ndof, m, HT, x, d->Y));
    SS_TRY(ssi_factor_solve(mass, p->f, v0));
  }
  for (int i = 0; i < ndof; i++) v0[i] = -v0[i];
  for (int j = 0; d->inverse && j < ndof; j++) {  // by columns: symmetric
    d->inverse[(size_t)j * (size_t)ndof + (size_t)j] = 1;
    SS_TRY(ssi_factor_solve(mass, d->inverse + (size_t)j * (size_t)ndof,
                            d->inverse + (size_t)j * (size_t)ndof));
  }
  if (n) SS_TRY(gather_joints(arena, d, mass, x, v0, &z));
  if (!d->defined) return SS_OK;
  sparse_times(&p->H, m, d->Y, d->W);
  for (int i = 0; i < m; i++) d->q[i] = p->w[i];
  if (p->H.ptr) ssi_sparse_multiply_add(&p->H, v0, d->q);
  contact_sizes(d);
  response_sizes(d, ndof, d->Y, v0, d->V);
  response_sizes(d, n, d->K, z.l0, d->L);
  return SS_OK;
}

ss_error ssi_refute_gather(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                           ssi_refute_data *out) {
  size_t m = (size_t)p->dim * (size_t)p->nc, ndof = p->form == SS_GLOBAL ? (size_t)p->ndof : 0;
  *out = (ssi_refute_data){.p = p, .m = (int)m, .ndof = (int)ndof, .nl = p->nl, .defined = true};
  out->W = SSI_TAKE(arena, m * m, double), out->q = SSI_TAKE(arena, m, double);
  out->Y = SSI_TAKE(arena, ndof * m, double), out->K = SSI_TAKE(arena, (size_t)p->nl * m, double);
  out->lambda = SSI_TAKE(arena, p->nc, double), out->R = SSI_TAKE(arena, p->nc, double);
  out->V = SSI_TAKE(arena, ndof, double), out->L = SSI_TAKE(arena, p->nl, double);
  if (ndof && ndof <= SSI_STRICT_DOFS && !p->nl)
    out->inverse = SSI_TAKE(arena, ndof * ndof, double);
  if (arena->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the states");
  ssi_factor *mass = NULL;
  if (ndof) SS_TRY(ssi_factor_create(ctx, &p->M, &mass));
  ss_error e = p->form == SS_GLOBAL ? gather_global(arena, out, mass) : gather_reduced(arena, out);
  ssi_factor_destroy(mass);
  if (e == SS_ERR_MEMORY) return ssi_fail(ctx, e, "no memory for the states");
  return e;
}
