// The linear system of one Newton step, two ways. With x = lambda r, F, A, C of cone/jacobian.h and
// the proximal weight alpha,
//
//     A_i lambda_i dr_i + C_i ( du_i + alpha lambda_i dr_i ) = -F_i,     du = W dr               (1)
//
// Blocks: unknown z_i = sqrt(lambda_i) dr_i of the active contacts, W scaled to unit diagonal,
//
//     (A_i + alpha C_i) z_i + C_i sum_j W~_ij z_j = -F_i/sqrt(lambda_i)                          (2)
//     W~_ij = W_ij / sqrt(lambda_i lambda_j)
//
// A free contact (A = I, C = 0) has dr = -r: it is known and moves to the right-hand side.
//
// Bodies: (1) is solved for dr_i, one small system per contact, and put into M dv = H^T dr:
//
//     dr_i = -(g_i + K_i H_i dv),   [K_i g_i] = (1/lambda_i) (A_i + alpha C_i)^-1 [C_i F_i]      (3)
//     (M + sum_i H_i^T K_i H_i) dv = -sum_i H_i^T g_i                                            (4)
//
// As many unknowns as dofs, however many contacts, and one pattern for all steps. A sticking contact
// has K = 1/(alpha lambda): the condition of (4) grows like 1/alpha.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/small.h"
#include "solvers/newton.h"

// ---- blocks --------------------------------------------------------------------------------

// Rows of z for the active contacts; true when they are those of the last analysis.
static bool number_active(ssi_newton *n, const ssi_system *sys) {
  int count = 0;
  bool same = true;
  for (int i = 0; i < sys->nc; i++) {
    int place = n->region[i] == SSI_REGION_FREE ? -1 : count++;
    same &= n->place[i] == place;
    n->place[i] = place;
  }
  n->active = count;
  n->lu.n = sys->dim * count;
  for (int i = 0; i < sys->nc; i++)
    for (int k = 0; n->place[i] >= 0 && k < sys->dim; k++)
      n->lu.full[sys->dim * n->place[i] + k] = sys->dim * i + k;
  return same;
}

// B (dim x dim, row-major) -> dim rows of the matrix at column block j; at[k] is the end of row k.
static void put_block(ssi_lu *lu, int dim, int j, const double *B, int64_t *at) {
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      lu->col[at[k]] = dim * j + l;
      lu->x[at[k]++] = B[dim * k + l];
    }
}

// B = C V scale, V row-major (by_rows) or column-major.
static void multiply(int dim, const double *C, const double *V, bool by_rows, double scale,
                     double *B) {
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      double sum = 0;
      for (int e = 0; e < dim; e++) sum += C[dim * k + e] * V[by_rows ? dim * e + l : dim * l + e];
      B[dim * k + l] = scale * sum;
    }
}

static void put_diagonal(ssi_newton *n, const ssi_system *sys, int i, double alpha, int64_t *at) {
  int dim = sys->dim;
  const ssi_linear *f = &n->linear[i];
  double B[9];
  multiply(dim, f->C, sys->diag + dim * dim * (int64_t)i, true, 1 / n->lambda[i], B);
  for (int k = 0; k < dim * dim; k++) B[k] += f->A[k] + alpha * f->C[k];
  put_block(&n->lu, dim, n->place[i], B, at);
}

// Rows of contact i in (2).
static void put_rows(ssi_newton *n, const ssi_system *sys, int i, double alpha, int64_t *used) {
  int dim = sys->dim, row = dim * n->place[i];
  const ssi_delassus *W = &sys->W;
  const ssi_linear *f = &n->linear[i];
  double root = 1 / sqrt(n->lambda[i]), B[9];
  int64_t at[3], first = *used, blocks = 1;
  for (int64_t e = W->ptr[i]; e < W->ptr[i + 1]; e++) blocks += n->place[W->col[e]] >= 0;
  for (int k = 0; k < dim; k++) {
    at[k] = first + k * blocks * dim;
    n->lu.ptr[row + k + 1] = at[k] + blocks * dim;
  }
  *used = n->lu.ptr[row + dim];
  bool diagonal = false;
  for (int64_t e = W->ptr[i]; e < W->ptr[i + 1]; e++) {
    int j = W->col[e];
    const double *V = W->block + dim * dim * e;
    if (n->place[j] < 0) continue;
    if (!diagonal && j > i) put_diagonal(n, sys, i, alpha, at), diagonal = true;
    multiply(dim, f->C, V, false, root / sqrt(n->lambda[j]), B);
    put_block(&n->lu, dim, n->place[j], B, at);
  }
  if (!diagonal) put_diagonal(n, sys, i, alpha, at);
}

static ss_error factor_blocks(ssi_newton *n, ssi_system *sys, double alpha) {
  bool same = number_active(n, sys);
  int64_t used = 0;
  for (int i = 0; i < sys->nc; i++)
    if (n->place[i] >= 0) put_rows(n, sys, i, alpha, &used);
  return ssi_lu_factor(&n->lu, same);
}

// The right-hand side of (2) for contact i: what the free ones move goes there.
static void put_right(ssi_newton *n, const ssi_system *sys, int64_t i, const double *F,
                      const double *dr) {
  int dim = sys->dim;
  const ssi_delassus *W = &sys->W;
  double move[3] = {0}, *b = n->rhs + dim * (int64_t)n->place[i], root = 1 / sqrt(n->lambda[i]);
  for (int64_t e = W->ptr[i]; e < W->ptr[i + 1]; e++) {
    if (n->place[W->col[e]] >= 0) continue;
    const double *V = W->block + dim * dim * e, *known = dr + dim * (int64_t)W->col[e];
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) move[k] += V[dim * l + k] * known[l];
  }
  for (int k = 0; k < dim; k++) {
    b[k] = -F[dim * i + k];
    for (int l = 0; l < dim; l++) b[k] -= n->linear[i].C[dim * k + l] * move[l];
    b[k] *= root;
  }
}

static ss_error solve_blocks(ssi_newton *n, ssi_system *sys, const double *F, double *dr) {
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; n->place[i] < 0 && k < dim; k++)
      dr[dim * i + k] = -F[dim * i + k] / n->lambda[i];
  for (int64_t i = 0; i < sys->nc; i++)
    if (n->place[i] >= 0) put_right(n, sys, i, F, dr);
  SS_TRY(ssi_lu_solve(&n->lu, n->rhs, n->dx));
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; n->place[i] >= 0 && k < dim; k++)
      dr[dim * i + k] = n->dx[dim * n->place[i] + k] / sqrt(n->lambda[i]);
  return SS_OK;
}

// ---- bodies --------------------------------------------------------------------------------

// (3): the inverse of A + alpha C, and K.
static bool condense(ssi_newton *n, int64_t i, int dim, double alpha) {
  const ssi_linear *f = &n->linear[i];
  double sum[9], G[9];
  for (int k = 0; k < dim * dim; k++) sum[k] = f->A[k] + alpha * f->C[k];
  if (!ssi_invert_small(dim, sum, G)) return false;
  memcpy(n->G + dim * dim * i, G, sizeof(double) * (size_t)(dim * dim));
  multiply(dim, G, f->C, true, 1 / n->lambda[i], n->K + dim * dim * i);
  return true;
}

static ss_error factor_bodies(ssi_newton *n, ssi_system *sys, double alpha) {
  n->active = 0;
  for (int i = 0; i < sys->nc; i++) {
    n->active += n->region[i] != SSI_REGION_FREE;  // else K = 0
    if (!condense(n, i, sys->dim, alpha)) return SS_ERR_LINEAR;
  }
  return ssi_body_matrix_factor(&n->by_bodies, n->K);
}

static ss_error solve_bodies(ssi_newton *n, ssi_system *sys, const double *F, double *dr) {
  int dim = sys->dim, size = dim * dim;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; k < dim; k++) {
      double minus_g = 0;
      for (int l = 0; l < dim; l++)
        minus_g -= n->G[size * i + dim * k + l] * F[dim * i + l] / n->lambda[i];
      dr[dim * i + k] = minus_g;
    }
  ssi_bodies_impulses(&sys->bodies, dr, n->rhs);
  SS_TRY(ssi_direct_solve(&n->by_bodies.lu.direct, n->rhs, n->dx));
  for (int64_t i = 0; i < sys->nc; i++) {
    double du[3] = {0};
    ssi_bodies_velocity(&sys->bodies, i, n->dx, du);
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) dr[dim * i + k] -= n->K[size * i + dim * k + l] * du[l];
  }
  return SS_OK;
}

// ---- choice --------------------------------------------------------------------------------

static ss_error create_blocks(ssi_newton *n, ssi_system *sys, ssi_arena *arena) {
  SS_TRY(ssi_system_need_blocks(sys));
  int64_t entries = (sys->W.ptr[sys->nc] + sys->nc) * sys->dim * sys->dim;
  if (!ssi_lu_create(arena, sys->m, entries, &n->lu)) return SS_ERR_MEMORY;
  n->lu.full = SSI_TAKE(arena, sys->m, int);
  if (arena->failed) return SS_ERR_MEMORY;
  int64_t used = 0;
  for (int i = 0; i < sys->nc; i++) n->region[i] = SSI_REGION_STICK;
  number_active(n, sys);
  for (int i = 0; i < sys->nc; i++) put_rows(n, sys, i, 1, &used);
  return ssi_lu_analyse(&n->lu, arena) ? SS_OK : SS_ERR_MEMORY;
}

// By bodies, in blocks, an entry costs about a quarter of what it costs UMFPACK.
enum { CHEAPER = 4 };
static ss_error choose(ssi_newton *n, ssi_system *sys) {
  n->bodies = n->o.space == SSI_NEWTON_BODIES;
  if (n->o.space != SSI_NEWTON_AUTO) return SS_OK;
  int64_t enough = n->by_bodies.entries / (CHEAPER * sys->dim * sys->dim);
  int64_t neighbours = ssi_bodies_neighbours(&sys->bodies, sys->ctx, enough);
  if (neighbours < 0) return SS_ERR_MEMORY;
  n->bodies = enough < neighbours + sys->nc;
  return SS_OK;
}

static ss_error create_bodies(ssi_newton *n, ssi_system *sys, ssi_arena *arena) {
  if (!ssi_body_matrix_create(arena, sys, n->o.max_flops, &n->by_bodies)) return SS_ERR_MEMORY;
  SS_TRY(choose(n, sys));
  if (!n->bodies) return SS_OK;
  if (!n->by_bodies.lu.fill.n) return SS_ERR_METHOD;  // too many operations; blocks have more
  n->by_bodies.lu.direct.wish.refine = true;
  n->K = SSI_TAKE(arena, (int64_t)sys->m * sys->dim, double);
  n->G = SSI_TAKE(arena, (int64_t)sys->m * sys->dim, double);
  if (arena->failed || !ssi_body_matrix_ready(&n->by_bodies, arena)) return SS_ERR_MEMORY;
  return SS_OK;
}

ss_error ssi_newton_linear_create(ssi_newton *n, ssi_system *sys, ssi_arena *arena) {
  bool possible = ssi_system_has_bodies(sys);
  if (n->o.space == SSI_NEWTON_BODIES && !possible)
    return ssi_fail(sys->ctx, SS_ERR_METHOD,
                    "newton.space=bodies needs the global form with a block-diagonal M (blocks of "
                    "at most 6) and no bilateral constraints");
  if (possible && sys->p.ndof && n->o.space != SSI_NEWTON_BLOCKS)
    SS_TRY(create_bodies(n, sys, arena));
  if (!n->bodies) SS_TRY(create_blocks(n, sys, arena));
  int64_t size = n->bodies ? sys->p.ndof : sys->m;
  n->entries = n->bodies ? n->by_bodies.entries : n->lu.ptr[size];
  n->F = SSI_TAKE(arena, sys->m, double);
  n->rhs = SSI_TAKE(arena, size, double);
  n->dx = SSI_TAKE(arena, size, double);
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

ss_error ssi_newton_direction(ssi_newton *n, ssi_system *sys, double alpha) {
  int dim = sys->dim;
  n->factorisations++;
  SS_TRY((n->bodies ? factor_bodies : factor_blocks)(n, sys, alpha));
  ss_error (*solve)(ssi_newton *, ssi_system *, const double *, double *) =
      n->bodies ? solve_bodies : solve_blocks;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; k < dim; k++) n->F[dim * i + k] = n->linear[i].F[k];
  return solve(n, sys, n->F, n->dr);
}

ssi_newton_work ssi_newton_work_of(const ssi_newton *n, const ssi_system *sys) {
  const ssi_block_lu *by_bodies = &n->by_bodies.lu;
  ssi_newton_work w = {.entries = (double)n->entries,
                       .flops = n->bodies ? by_bodies->flops : n->lu.fixed.fill.flops,
                       .by_bodies = by_bodies->fill.n > 0,
                       .body_flops = by_bodies->flops};
  w.kind = n->bodies                ? SSI_NEWTON_BODY_LU
           : sys->m <= SSI_LU_DENSE ? SSI_NEWTON_DENSE_LU
           : n->lu.fixed.fill.n     ? SSI_NEWTON_FIXED_LU
                                    : SSI_NEWTON_UMFPACK;
  return w;
}
