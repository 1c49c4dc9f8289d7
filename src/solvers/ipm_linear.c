#include "solvers/ipm_linear.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/sparse.h"

enum {
  REFINEMENTS = 3,
  SPARE_ROWS = 6000,  // up to here W is formed as well, to fall back to it
};

// ---- the reduced matrix --------------------------------------------------------------------

static ss_error reduced_setup(ssi_ipm_linear *k, ssi_arena *arena) {
  SS_TRY(ssi_system_need_blocks(k->sys));
  ss_sparse *W = &k->reduced.W;
  ssi_lu *lu = &k->reduced.lu;
  k->diag_at = SSI_TAKE(arena, k->sys->m, int64_t);
  if (!ssi_delassus_to_sparse(arena, &k->sys->W, W)) return SS_ERR_MEMORY;
  if (!ssi_lu_create(arena, W->rows, ssi_sparse_entries(W), lu)) return SS_ERR_MEMORY;
  lu->n = W->rows;
  memcpy(lu->ptr, W->ptr, sizeof *lu->ptr * ((size_t)W->rows + 1));
  if (lu->n) memcpy(lu->col, W->col, sizeof *lu->col * (size_t)ssi_sparse_entries(W));
  for (int row = 0; row < lu->n; row++)
    k->diag_at[row] = ssi_sparse_find(W, row, row - row % k->sys->dim);
  return SS_OK;
}

// T W T + D
static bool reduced_factor(ssi_ipm_linear *k) {
  const ss_sparse *W = &k->reduced.W;
  double *x = k->reduced.lu.x;
  int dim = k->sys->dim;
  for (int64_t row = 0; row < W->rows; row++) {
    for (int64_t e = W->ptr[row]; e < W->ptr[row + 1]; e++)
      x[e] = k->T[row] * W->x[e] * k->T[W->col[e]];
    for (int l = 0; l < dim; l++) x[k->diag_at[row] + l] += k->D[dim * row + l];
  }
  k->reduced.analysed = ssi_lu_factor(&k->reduced.lu, k->reduced.analysed) == SS_OK;
  return k->reduced.analysed;
}

// ---- the global matrix ---------------------------------------------------------------------

// K = T N T
static bool global_factor(ssi_ipm_linear *k) {
  int dim = k->sys->dim;
  for (int64_t i = 0; i < k->sys->nc; i++)
    for (int a = 0; a < dim; a++)
      for (int l = 0; l < dim; l++) {
        int64_t at = dim * dim * i + dim * a + l;
        k->K[at] = k->T[dim * i + a] * k->N[at] * k->T[dim * i + l];
      }
  return ssi_body_matrix_factor(&k->global, k->K) == SS_OK;
}

// ---- solving -------------------------------------------------------------------------------

// y = B x, blocks of B row-major
static void block_multiply(const ssi_system *sys, const double *B, const double *x, double *y) {
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int a = 0; a < dim; a++) {
      double sum = 0;
      for (int l = 0; l < dim; l++) sum += B[dim * dim * i + dim * a + l] * x[dim * i + l];
      y[dim * i + a] = sum;
    }
}

void ssi_ipm_multiply(ssi_ipm_linear *k, const double *x, double *y) {
  ssi_system *sys = k->sys;
  for (int j = 0; j < sys->m; j++) k->r[j] = k->T[j] * x[j];
  if (ssi_system_has_bodies(sys)) {
    if (sys->p.ndof) memset(k->v, 0, sizeof(double) * (size_t)sys->p.ndof);
    ssi_bodies_push(&sys->bodies, k->r, k->v);
    ssi_bodies_velocities(&sys->bodies, k->v, y);
  } else {
    memset(y, 0, sizeof(double) * (size_t)sys->m);
    ssi_delassus_multiply_add(&sys->W, k->r, y);
  }
  for (int j = 0; j < sys->m; j++) y[j] *= k->T[j];
}

// (2)
static bool global_solve(ssi_ipm_linear *k, const double *b, double *x) {
  ssi_system *sys = k->sys;
  block_multiply(sys, k->N, b, k->r);
  for (int j = 0; j < sys->m; j++) k->r[j] *= k->T[j];
  ssi_bodies_impulses(&sys->bodies, k->r, k->rhs);
  if (ssi_direct_solve(&k->global.lu.direct, k->rhs, k->v)) return false;
  ssi_bodies_velocities(&sys->bodies, k->v, k->u);
  for (int j = 0; j < sys->m; j++) k->u[j] = b[j] - k->T[j] * k->u[j];
  block_multiply(sys, k->N, k->u, x);
  return true;
}

static bool solve_once(ssi_ipm_linear *k, const double *b, double *x) {
  return k->use_global ? global_solve(k, b, x) : ssi_lu_solve(&k->reduced.lu, b, x) == SS_OK;
}

static double norm(int n, const double *x) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += x[j] * x[j];
  return sqrt(sum);
}

// residual = b - (W^ + D) x; returns its norm
static double residual_of(ssi_ipm_linear *k, const double *b, const double *x) {
  block_multiply(k->sys, k->D, x, k->u);
  ssi_ipm_multiply(k, x, k->residual);
  for (int j = 0; j < k->sys->m; j++) k->residual[j] = b[j] - k->residual[j] - k->u[j];
  return norm(k->sys->m, k->residual);
}

bool ssi_ipm_solve(ssi_ipm_linear *k, const double *b, double *x) {
  int m = k->sys->m;
  double size = norm(m, b);
  if (!solve_once(k, b, x)) return false;
  double best = residual_of(k, b, x);
  for (int pass = 0; pass < REFINEMENTS && best > 1e-11 * size; pass++) {
    if (!solve_once(k, k->residual, k->fix)) return false;
    for (int j = 0; j < m; j++) k->trial[j] = x[j] + k->fix[j];
    double now = residual_of(k, b, k->trial);
    if (!(now < best)) break;
    memcpy(x, k->trial, sizeof(double) * (size_t)m);
    bool slow = now > 0.5 * best;
    best = now;
    if (slow) break;
  }
  k->accuracy = size > 0 ? best / size : 0;
  return isfinite(best);
}

bool ssi_ipm_factor(ssi_ipm_linear *k) {
  return k->use_global ? global_factor(k) : reduced_factor(k);
}

// ---- life cycle ----------------------------------------------------------------------------

ss_error ssi_ipm_linear_setup(ssi_ipm_linear *k, ssi_system *sys, ssi_ipm_way way,
                              ssi_arena *arena) {
  bool possible = ssi_system_has_bodies(sys) && sys->p.ndof > 0;
  if (way == SSI_IPM_GLOBAL && !possible)
    return ssi_fail(sys->ctx, SS_ERR_METHOD,
                    "ipm.system=global needs the global form with a block-diagonal M (blocks of at "
                    "most 6) and no bilateral constraints");
  k->sys = sys;
  k->use_global =
      way == SSI_IPM_GLOBAL || (way == SSI_IPM_AUTO && possible && sys->p.ndof < sys->m);
  double **vectors[] = {&k->T, &k->r, &k->u, &k->residual, &k->fix, &k->trial};
  for (size_t j = 0; j < sizeof vectors / sizeof *vectors; j++)
    *vectors[j] = SSI_TAKE(arena, sys->m, double);
  k->D = SSI_TAKE(arena, (size_t)sys->m * (size_t)sys->dim, double);
  k->N = SSI_TAKE(arena, (size_t)sys->m * (size_t)sys->dim, double);
  k->v = SSI_TAKE(arena, sys->p.ndof, double);
  k->rhs = SSI_TAKE(arena, sys->p.ndof, double);
  if (arena->failed) return SS_ERR_MEMORY;
  if (k->use_global) {
    k->K = SSI_TAKE(arena, (size_t)sys->m * (size_t)sys->dim, double);
    if (!ssi_body_matrix_create(arena, sys, INFINITY, &k->global) ||
        !ssi_body_matrix_ready(&k->global, arena))
      return SS_ERR_MEMORY;
  }
  bool spare = way == SSI_IPM_AUTO && sys->m <= SPARE_ROWS;
  return !k->use_global || spare ? reduced_setup(k, arena) : SS_OK;
}

void ssi_ipm_linear_release(ssi_ipm_linear *k) {
  ssi_lu_release(&k->reduced.lu);
}
