#include "la/inverse_block.h"

#include <cholmod.h>
#include <lapacke.h>
#include <string.h>

#include "la/sparse.h"

typedef struct trailing {
  cholmod_common common;
  cholmod_sparse A;
  SuiteSparse_long *index, *order;
  SuiteSparse_long *member;  // 0: first, 1: last
  cholmod_factor *L;
} trailing;

static bool set_up(trailing *t, ssi_arena *scratch, const ss_sparse *A, int count,
                   const int *rows) {
  int64_t entries = ssi_sparse_entries(A);
  t->index = SSI_TAKE(scratch, entries + 1, SuiteSparse_long);
  t->order = SSI_TAKE(scratch, A->rows + 1, SuiteSparse_long);
  t->member = SSI_TAKE(scratch, A->rows + 1, SuiteSparse_long);
  if (scratch->failed) return false;
  for (int64_t k = 0; k < entries; k++) t->index[k] = A->col[k];
  for (int k = 0; k < count; k++) t->member[rows[k]] = 1;
  t->A = (cholmod_sparse){.nrow = (size_t)A->rows,
                          .ncol = (size_t)A->rows,
                          .nzmax = (size_t)entries,
                          .p = (void *)(uintptr_t)A->ptr,
                          .i = t->index,
                          .x = (void *)(uintptr_t)A->x,
                          .stype = 1,
                          .itype = CHOLMOD_LONG,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
  return true;
}

// The given order as it is: a postordering could mix the last rows with others.
static ss_error factor(trailing *t) {
  cholmod_common *c = &t->common;
  c->print = 0, c->try_catch = 1, c->final_ll = 1;
  c->nmethods = 1, c->method[0].ordering = CHOLMOD_GIVEN, c->postorder = 0;
  c->supernodal = CHOLMOD_SUPERNODAL;
  if (!cholmod_l_camd(&t->A, NULL, 0, t->member, t->order, c)) return SS_ERR_LINEAR;
  t->L = cholmod_l_analyze_p(&t->A, t->order, NULL, 0, c);
  if (!t->L) return c->status == CHOLMOD_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_ERR_LINEAR;
  cholmod_l_factorize(&t->A, t->L, c);
  if (c->status == CHOLMOD_OUT_OF_MEMORY) return SS_ERR_MEMORY;
  return c->status == CHOLMOD_OK && t->L->minor == t->L->n && t->L->is_super ? SS_OK
                                                                             : SS_ERR_LINEAR;
}

// L_cc, column-major, of the last `count` rows in the order of the factor.
static void take_last(const cholmod_factor *L, int count, double *out) {
  const SuiteSparse_long *super = L->super, *pi = L->pi, *px = L->px, *rows = L->s;
  const double *x = L->x;
  SuiteSparse_long first = (SuiteSparse_long)L->n - count;
  memset(out, 0, sizeof(double) * (size_t)count * (size_t)count);
  for (size_t s = 0; s < L->nsuper; s++)
    for (SuiteSparse_long j = super[s] < first ? first : super[s]; j < super[s + 1]; j++) {
      SuiteSparse_long height = pi[s + 1] - pi[s];
      const double *column = x + px[s] + (j - super[s]) * height;
      for (SuiteSparse_long k = j - super[s]; k < height; k++)
        out[(j - first) * count + (rows[pi[s] + k] - first)] = column[k];
    }
}

// From the order of the factor to that of `rows`, both triangles.
static void spread(const trailing *t, int count, const int *rows, int *place, const double *in,
                   double *out) {
  const SuiteSparse_long *order = t->L->Perm;
  SuiteSparse_long first = (SuiteSparse_long)t->L->n - count;
  for (int k = 0; k < count; k++) place[rows[k]] = k;
  for (int j = 0; j < count; j++)
    for (int i = j; i < count; i++) {
      int a = place[order[first + i]], b = place[order[first + j]];
      out[(size_t)a * (size_t)count + (size_t)b] = out[(size_t)b * (size_t)count + (size_t)a] =
          in[(size_t)j * (size_t)count + (size_t)i];
    }
}

ss_error ssi_inverse_block(ssi_arena *scratch, const ss_sparse *A, int count, const int *rows,
                           double *out) {
  trailing t = {0};
  double *block = SSI_TAKE(scratch, (size_t)count * (size_t)count + 1, double);
  int *place = SSI_TAKE(scratch, A->rows + 1, int);
  if (!set_up(&t, scratch, A, count, rows)) return SS_ERR_MEMORY;
  cholmod_l_start(&t.common);
  ss_error e = factor(&t);
  if (!e) {
    take_last(t.L, count, block);
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', count, block, count)) e = SS_ERR_LINEAR;
  }
  if (!e) spread(&t, count, rows, place, block, out);
  cholmod_l_free_factor(&t.L, &t.common);
  cholmod_l_finish(&t.common);
  return e;
}
