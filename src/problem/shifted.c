#include "problem/shifted.h"

#include <string.h>

#include "base/clones.h"
#include "base/error.h"
#include "la/cliques.h"
#include "la/sparse.h"

// Asymmetry |A - A^T| / |A| up to which a Cholesky factor of A is as good as A: what is left after
// writing numbers as text, or after products of matrices.
static const double rounding = 1e-13;

// ---- W + rho Lambda ------------------------------------------------------------------------

static ss_error make_contacts(ssi_shifted *s, ssi_arena *arena, bool *symmetric) {
  ssi_system *sys = s->sys;
  SS_TRY(ssi_system_need_blocks(sys));
  if (!ssi_delassus_to_sparse(arena, &sys->W, &s->A)) return SS_ERR_MEMORY;
  *symmetric = ss_sparse_asymmetry(&s->A) <= rounding;
  s->base = (double *)(uintptr_t)s->A.x;
  s->slope = SSI_TAKE(arena, ssi_sparse_entries(&s->A), double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < s->A.rows; i++)
    for (int64_t k = s->A.ptr[i]; k < s->A.ptr[i + 1]; k++)
      if (s->A.col[k] == i) s->slope[k] = s->lambda[i / sys->dim];
  return SS_OK;
}

// ---- M + 1/rho H^T Lambda^-1 H -------------------------------------------------------------

// M_ij joins i and j, a row of H all that it touches.
static bool find_pattern(const ssi_system *sys, ssi_arena *arena, ssi_arena *scratch,
                         ss_sparse *A) {
  const ss_sparse *M = &sys->p.M, *H = &sys->p.H;
  int64_t pairs = ssi_sparse_entries(M), touched = ssi_sparse_entries(H), used = 0;
  int64_t *ptr = SSI_TAKE(scratch, (size_t)(pairs + H->rows) + 1, int64_t);
  int *col = SSI_TAKE(scratch, 2 * pairs + touched, int);
  if (scratch->failed) return false;
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++) {
      col[2 * used] = i;
      col[2 * used++ + 1] = M->col[k];
      ptr[used] = 2 * used;
    }
  for (int i = 0; i <= H->rows; i++) ptr[pairs + i] = 2 * pairs + H->ptr[i];
  for (int64_t k = 0; k < touched; k++) col[2 * pairs + k] = H->col[k];
  ss_sparse cliques = {(int)(pairs + H->rows), M->rows, ptr, col, NULL};
  return ssi_cliques_pattern(arena, &cliques, false, A);
}

static ss_error make_dofs(ssi_shifted *s, ssi_arena *arena, bool *symmetric) {
  const ss_sparse *M = &s->sys->p.M, *H = &s->sys->p.H;
  ssi_arena scratch = {.ctx = s->sys->ctx};
  bool ok = find_pattern(s->sys, arena, &scratch, &s->A);
  ssi_arena_release(&scratch);
  if (!ok) return SS_ERR_MEMORY;
  s->v = SSI_TAKE(arena, M->rows, double);
  s->base = SSI_TAKE(arena, ssi_sparse_entries(&s->A), double);
  s->slope = SSI_TAKE(arena, ssi_sparse_entries(&s->A), double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++)
      s->base[ssi_sparse_find(&s->A, i, M->col[k])] = M->x[k];
  for (int i = 0; i < H->rows; i++)
    for (int64_t k = H->ptr[i]; k < H->ptr[i + 1]; k++) {
      double factor = H->x[k] / s->lambda[i / s->sys->dim];
      for (int64_t e = H->ptr[i], at = 0; e < H->ptr[i + 1]; e++) {
        bool next = e > H->ptr[i] && H->col[e] == H->col[e - 1] + 1;  // in A too, then
        at = next ? at + 1 : ssi_sparse_find(&s->A, H->col[k], H->col[e]);
        s->slope[at] += factor * H->x[e];
      }
    }
  *symmetric = ss_sparse_asymmetry(M) <= rounding;
  return SS_OK;
}

// v = t H^T Lambda^-1 b
SSI_INLINE void gather(const ssi_shifted *s, int dim, double t, const double *b, double *v) {
  const ssi_bodies *bodies = &s->sys->bodies;
  const double *H = bodies->H;
  memset(v, 0, sizeof(double) * (size_t)bodies->ndof);
  for (int64_t i = 0; i < bodies->nc; i++) {
    double y[3] = {0}, factor = t / s->lambda[i];
    for (int l = 0; l < dim; l++) y[l] = factor * b[dim * i + l];
    for (int64_t k = bodies->run_ptr[i]; k < bodies->run_ptr[i + 1]; k++) {
      double *x = v + bodies->run[k].start;
      for (int j = 0; j < bodies->run[k].length; j++, H += dim)
        x[j] += dim == 3 ? H[0] * y[0] + H[1] * y[1] + H[2] * y[2] : H[0] * y[0] + H[1] * y[1];
    }
  }
}

// x = t Lambda^-1 (b - H v)
SSI_INLINE void recover(const ssi_shifted *s, int dim, double t, const double *b, const double *v,
                        double *x) {
  const ssi_bodies *bodies = &s->sys->bodies;
  for (int64_t i = 0; i < bodies->nc; i++) {
    double sum[3] = {0}, factor = t / s->lambda[i];
    ssi_bodies_velocity(bodies, i, v, sum);
    for (int l = 0; l < dim; l++) x[dim * i + l] = factor * (b[dim * i + l] - sum[l]);
  }
}

SSI_CLONES static void gather2(const ssi_shifted *s, const double *b) {
  gather(s, 2, 1 / s->rho, b, s->v);
}
SSI_CLONES static void gather3(const ssi_shifted *s, const double *b) {
  gather(s, 3, 1 / s->rho, b, s->v);
}
SSI_CLONES static void recover2(const ssi_shifted *s, const double *b, double *x) {
  recover(s, 2, 1 / s->rho, b, s->v, x);
}
SSI_CLONES static void recover3(const ssi_shifted *s, const double *b, double *x) {
  recover(s, 3, 1 / s->rho, b, s->v, x);
}

// ---- interface -----------------------------------------------------------------------------

static void set_numbers(ssi_shifted *s, double rho) {
  double t = s->dofs ? 1 / rho : rho;
  s->rho = rho;
  for (int64_t k = 0; k < ssi_sparse_entries(&s->A); k++) s->x[k] = s->base[k] + t * s->slope[k];
}

ss_error ssi_shifted_create(ssi_system *sys, ssi_arena *arena, const double *lambda, double rho,
                            ssi_shifted_form form, ssi_shifted *out) {
  bool has = ssi_system_has_bodies(sys) && sys->p.ndof > 0, symmetric = true;
  *out = (ssi_shifted){.sys = sys, .lambda = lambda};
  if (form == SSI_SHIFTED_DOFS && !has)
    return ssi_fail(sys->ctx, SS_ERR_METHOD,
                    "a factor of dof size needs the global form with a block-diagonal M (blocks of "
                    "at most 6) and no bilateral constraints");
  out->dofs =
      form == SSI_SHIFTED_DOFS || (form == SSI_SHIFTED_AUTO && has && sys->p.ndof < 1.2 * sys->m);
  SS_TRY(out->dofs ? make_dofs(out, arena, &symmetric) : make_contacts(out, arena, &symmetric));
  out->x = SSI_TAKE(arena, ssi_sparse_entries(&out->A), double);
  if (arena->failed) return SS_ERR_MEMORY;
  set_numbers(out, rho);
  out->A.x = out->x;
  return ssi_direct_choose(arena, &out->A, symmetric, &out->direct);
}

void ssi_shifted_release(ssi_shifted *s) {
  ssi_direct_release(s->direct);
  s->direct = NULL;
}

ss_error ssi_shifted_change(ssi_shifted *s, double rho) {
  set_numbers(s, rho);
  return ssi_direct_factor(s->direct, &s->A);
}

ss_error ssi_shifted_solve(ssi_shifted *s, const double *b, double *x) {
  if (!s->dofs) return ssi_direct_solve(s->direct, b, x);
  bool flat = s->sys->dim == 2;
  (flat ? gather2 : gather3)(s, b);
  SS_TRY(ssi_direct_solve(s->direct, s->v, s->v));
  (flat ? recover2 : recover3)(s, b, x);  // (1)
  return SS_OK;
}
