#include "problem/blocks.h"

#include <string.h>

#include "base/error.h"
#include "la/sparse.h"

static void read_blocks(const ss_problem *p, double *blocks) {
  int d = p->dim;
  for (int i = 0; i < d * p->nc; i++) {
    int first = i / d * d;
    double *row = blocks + (size_t)i * (size_t)d;
    for (int j = 0; j < d; j++) row[j] = 0;
    for (int64_t k = ssi_sparse_find(&p->W, i, first);
         k < p->W.ptr[i + 1] && p->W.col[k] < first + d; k++)
      row[p->W.col[k] - first] = p->W.x[k];
  }
}

// W_ii of one contact, body by body: the rows of H_i are walked together, as their columns increase.
static void sum_over_bodies(const ss_problem *p, const ssi_factor *mass, int contact, double *W) {
  const int *block_of = ssi_factor_block_of(mass), *start = ssi_factor_block_start(mass);
  const ss_sparse *H = &p->H;
  int d = p->dim;
  int64_t at[3];
  for (int a = 0; a < d; a++) at[a] = H->ptr[d * contact + a];
  for (;;) {
    int body = ssi_factor_block_count(mass);  // the next one that any row touches
    for (int a = 0; a < d; a++)
      if (at[a] < H->ptr[d * contact + a + 1] && block_of[H->col[at[a]]] < body)
        body = block_of[H->col[at[a]]];
    if (body == ssi_factor_block_count(mass)) return;
    double h[3][6] = {{0}}, y[6];  // blocks have at most 6 rows
    for (int a = 0; a < d; a++)
      for (; at[a] < H->ptr[d * contact + a + 1] && block_of[H->col[at[a]]] == body; at[a]++)
        h[a][H->col[at[a]] - start[body]] = H->x[at[a]];
    for (int b = 0; b < d; b++) {
      ssi_factor_solve_block(mass, body, h[b], y);
      for (int a = 0; a < d; a++)
        for (int k = 0; k < start[body + 1] - start[body]; k++) W[d * a + b] += h[a][k] * y[k];
    }
  }
}

// The same where M is diagonal and the rows touch the same dofs, as those of rigid bodies in their principal axes do.
// false: they do not.
static bool sum_over_dofs(const ss_problem *p, const double *inverse, int contact, double *W) {
  const ss_sparse *H = &p->H;
  int d = p->dim;
  const int64_t *ptr = H->ptr + (int64_t)d * contact;
  int64_t count = ptr[1] - ptr[0];
  for (int a = 1; a < d; a++)
    if (ptr[a + 1] - ptr[a] != count ||
        memcmp(H->col + ptr[0], H->col + ptr[a], sizeof *H->col * (size_t)count) != 0)
      return false;
  const int *col = H->col + ptr[0];
  const double *x = H->x + ptr[0];
  for (int64_t k = 0; k < count; k++)
    for (int b = 0; b < d; b++) {
      double y = inverse[col[k]] * x[b * count + k];
      for (int a = 0; a < d; a++) W[d * a + b] += x[a * count + k] * y;
    }
  return true;
}

// General M: y = M^-1 H_i^T for the rows of one contact, then H_i y. `y` (dim * ndof).
static ss_error solve_block(const ss_problem *p, ssi_factor *mass, int contact, double *y,
                            double *W) {
  const ss_sparse *H = &p->H;
  int d = p->dim;
  size_t n = (size_t)p->ndof;
  memset(y, 0, (size_t)d * n * sizeof *y);
  for (int b = 0; b < d; b++)
    for (int64_t k = H->ptr[d * contact + b]; k < H->ptr[d * contact + b + 1]; k++)
      y[(size_t)b * n + (size_t)H->col[k]] = H->x[k];
  SS_TRY(ssi_factor_solve_many(mass, d, y, y));
  for (int a = 0; a < d; a++)
    for (int64_t k = H->ptr[d * contact + a]; k < H->ptr[d * contact + a + 1]; k++)
      for (int b = 0; b < d; b++) W[d * a + b] += H->x[k] * y[(size_t)b * n + (size_t)H->col[k]];
  return SS_OK;
}

static ss_error blocks_by_solves(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                                 double *blocks) {
  int d = p->dim;
  double *y = ssi_alloc(ctx, (size_t)p->ndof, (size_t)d * sizeof *y);
  if (!y) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory for the blocks of %d contacts", p->nc);
  ss_error e = SS_OK;
  for (int i = 0; i < p->nc && !e; i++)
    e = solve_block(p, mass, i, y, blocks + (size_t)i * (size_t)(d * d));
  ssi_release(ctx, y);
  return e ? ssi_fail(ctx, e, "a solve with M failed") : SS_OK;
}

ss_error ssi_contact_blocks(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                            double *blocks) {
  size_t size = (size_t)(p->dim * p->dim);
  if (p->form == SS_REDUCED) {
    read_blocks(p, blocks);
    return SS_OK;
  }
  memset(blocks, 0, (size_t)p->nc * size * sizeof *blocks);
  if (p->ndof == 0 || p->nc == 0) return SS_OK;
  if (!ssi_factor_block_count(mass)) return blocks_by_solves(ctx, p, mass, blocks);
  const double *inverse = ssi_factor_diagonal_inverse(mass);
  for (int i = 0; i < p->nc; i++) {
    double *W = blocks + (size_t)i * size;
    if (!inverse || !sum_over_dofs(p, inverse, i, W)) sum_over_bodies(p, mass, i, W);
  }
  return SS_OK;
}
