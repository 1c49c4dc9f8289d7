// From the global to the reduced form, docs/theory.md (9):
//
//     W = H M^-1 H^T,  V = H M^-1 G,  R = G^T M^-1 G,  q = w - H M^-1 f,  s = b - G^T M^-1 f
#include "problem/reduce.h"

#include <string.h>

#include "base/error.h"
#include "la/rows.h"
#include "problem/bodies.h"
#include "problem/check.h"
#include "problem/owned.h"

enum { PANEL = 32 };  // right-hand sides at a time: enough for the dense kernels, little memory

// out = A M^-1 B^T for A (a x n) and B (b x n). X = M^-1 B^T comes in panels of columns, each of
// which gives a column A X_k of the product: its transpose is built row by row.
static ss_error product(ss_context *ctx, const ss_sparse *A, const ss_sparse *B, ssi_factor *mass,
                        ssi_arena *arena, ss_sparse *out) {
  int64_t n = A->cols;
  ssi_arena scratch = {.ctx = ctx};
  double *X = SSI_TAKE(&scratch, n * PANEL, double);
  double *column = SSI_TAKE(&scratch, A->rows, double);
  ssi_rows rows = {0};
  ss_error e =
      ssi_rows_begin(ctx, B->rows, A->rows, &rows) && !scratch.failed ? SS_OK : SS_ERR_MEMORY;
  for (int first = 0; !e && first < B->rows; first += PANEL) {
    int count = B->rows - first < PANEL ? B->rows - first : PANEL;
    memset(X, 0, sizeof(double) * (size_t)(n * count));
    for (int k = 0; k < count; k++)
      for (int64_t j = B->ptr[first + k]; j < B->ptr[first + k + 1]; j++)
        X[n * k + B->col[j]] = B->x[j];
    e = ssi_factor_solve_many(mass, count, X, X);
    for (int k = 0; !e && k < count; k++) {
      memset(column, 0, sizeof(double) * (size_t)A->rows);
      ssi_sparse_multiply_add(A, X + n * k, column);
      if (!ssi_rows_append_dense(&rows, column)) e = SS_ERR_MEMORY;
    }
  }
  ss_sparse transposed = ssi_rows_view(&rows);
  if (!e && !ssi_sparse_transpose(arena, &transposed, out)) e = SS_ERR_MEMORY;
  ssi_rows_end(&rows);
  ssi_arena_release(&scratch);
  return e;
}

// W through the bodies that contacts share, when M is block-diagonal: O(contacts), not O(contacts^2).
static ss_error reduce_bodies(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                              ssi_arena *arena, ss_sparse *W) {
  ssi_arena scratch = {.ctx = ctx};
  ssi_bodies bodies;
  ssi_delassus blocks;
  bool ok = ssi_bodies_create(&scratch, p->dim, &p->H, mass, &bodies) &&
            ssi_bodies_delassus(&scratch, &bodies, &blocks) &&
            ssi_delassus_to_sparse(arena, &blocks, W);
  ssi_arena_release(&scratch);
  return ok ? SS_OK : SS_ERR_MEMORY;
}

ss_error ssi_reduce_vectors(const ss_problem *p, ssi_factor *mass, double *scratch, double *q,
                            double *s) {
  for (int k = 0; k < p->ndof; k++) scratch[k] = -p->f[k];
  SS_TRY(ssi_factor_solve(mass, scratch, scratch));  // velocity without reactions
  for (int k = 0; k < p->dim * p->nc; k++) q[k] = p->w[k];
  ssi_sparse_multiply_add(&p->H, scratch, q);
  for (int k = 0; k < p->nl; k++) s[k] = p->b[k];
  if (p->nl) ssi_sparse_multiply_transposed_add(&p->G, scratch, s);
  return SS_OK;
}

// W, V and R of (9).
static ss_error reduce_matrices(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                                ssi_arena *arena, ss_problem *r) {
  ss_problem full = *p;
  if (!ssi_sparse_complete(arena, p->dim * p->nc, p->ndof, &full.H) ||
      !ssi_sparse_complete(arena, p->ndof, p->nl, &full.G))
    return SS_ERR_MEMORY;
  bool blocks = ssi_factor_block_count(mass) > 0 || p->ndof == 0;
  SS_TRY(blocks ? reduce_bodies(ctx, &full, mass, arena, &r->W)
                : product(ctx, &full.H, &full.H, mass, arena, &r->W));
  if (!p->nl) return SS_OK;
  ss_sparse Gt;  // rows of G^T, so that product() applies
  if (!ssi_sparse_transpose(arena, &full.G, &Gt)) return SS_ERR_MEMORY;
  SS_TRY(product(ctx, &full.H, &Gt, mass, arena, &r->V));
  return product(ctx, &Gt, &Gt, mass, arena, &r->R);
}

ss_error ssi_reduce_left(ss_context *ctx, const ss_problem *p, ssi_factor *mass, ssi_arena *arena,
                         ss_sparse *U) {
  ss_sparse H = p->H, G = p->G, Gt, product_of_both;
  if (!ssi_sparse_complete(arena, p->dim * p->nc, p->ndof, &H) ||
      !ssi_sparse_complete(arena, p->ndof, p->nl, &G) || !ssi_sparse_transpose(arena, &G, &Gt))
    return SS_ERR_MEMORY;
  SS_TRY(product(ctx, &Gt, &H, mass, arena, &product_of_both));
  return ssi_sparse_transpose(arena, &product_of_both, U) ? SS_OK : SS_ERR_MEMORY;
}

ss_error ssi_reduce(ss_context *ctx, const ss_problem *p, ssi_factor *mass, ss_problem **out) {
  *out = NULL;
  ssi_owned *o = ssi_owned_create(ctx);
  if (!o) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory while reducing the problem");
  int m = p->dim * p->nc;
  double *q = SSI_TAKE(&o->arena, m, double), *s = SSI_TAKE(&o->arena, p->nl, double);
  double *mu = SSI_TAKE(&o->arena, p->nc, double), *scratch = SSI_TAKE(&o->arena, p->ndof, double);
  ss_problem r = {
      .form = SS_REDUCED, .dim = p->dim, .nc = p->nc, .nl = p->nl, .mu = mu, .q = q, .s = s};
  ss_error e = o->arena.failed ? SS_ERR_MEMORY : ssi_reduce_vectors(p, mass, scratch, q, s);
  if (!e && p->nc) memcpy(mu, p->mu, sizeof(double) * (size_t)p->nc);
  if (!e) e = reduce_matrices(ctx, p, mass, &o->arena, &r);
  if (e) {
    ss_problem_destroy(&o->problem);
    return ssi_fail(ctx, e, "%s while forming W",
                    e == SS_ERR_MEMORY ? "out of memory" : "a solve with M failed");
  }
  o->problem = r;
  *out = &o->problem;
  return SS_OK;
}

ss_error ss_problem_reduce(ss_context *ctx, const ss_problem *p, ss_problem **out) {
  if (out) *out = NULL;
  if (!p || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_problem_reduce: null argument");
  SS_TRY(ssi_problem_check_data(ctx, p));
  if (p->form != SS_GLOBAL)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_problem_reduce: the problem is already reduced");
  ssi_factor *mass;
  SS_TRY(ssi_factor_create(ctx, &p->M, &mass));
  ss_error e = ssi_reduce(ctx, p, mass, out);
  ssi_factor_destroy(mass);
  return e;
}
