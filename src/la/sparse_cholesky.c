// Sparse Cholesky by CHOLMOD: one analysis of the pattern, supernodes where they pay.
#include <cholmod.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/direct.h"
#include "la/sparse.h"

typedef struct sparse_cholesky {
  ssi_direct direct;
  bool started;
  cholmod_common common;
  SuiteSparse_long *index;  // columns of the pattern   (entries)
  cholmod_factor *L;
  cholmod_dense *X, *Y, *E;  // work of cholmod_l_solve2, kept
} sparse_cholesky;

_Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t),
               "SuiteSparse's long indices have 64 bits");

// Rows of one triangle are columns of the other; what lies on the wrong side is ignored.
static cholmod_sparse matrix(const sparse_cholesky *s) {
  const ss_sparse *A = &s->direct.A;
  return (cholmod_sparse){.nrow = (size_t)A->rows,
                          .ncol = (size_t)A->rows,
                          .nzmax = (size_t)A->ptr[A->rows],
                          .p = (void *)(uintptr_t)A->ptr,
                          .i = s->index,
                          .x = (void *)(uintptr_t)A->x,
                          .stype = s->direct.wish.lower ? 1 : -1,
                          .itype = CHOLMOD_LONG,
                          .xtype = A->x ? CHOLMOD_REAL : CHOLMOD_PATTERN,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static ss_error outcome(const sparse_cholesky *s) {
  if (s->common.status >= CHOLMOD_OK) return SS_OK;
  return s->common.status == CHOLMOD_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_ERR_LINEAR;
}

static void release(ssi_direct *d) {
  sparse_cholesky *s = (sparse_cholesky *)d;
  if (!s->started) return;
  cholmod_l_free_dense(&s->X, &s->common);
  cholmod_l_free_dense(&s->Y, &s->common);
  cholmod_l_free_dense(&s->E, &s->common);
  cholmod_l_free_factor(&s->L, &s->common);
  cholmod_l_finish(&s->common);
  s->started = false;
}

static void settings(sparse_cholesky *s) {
  cholmod_l_start(&s->common);
  s->started = true;
  s->common.print = 0;
  s->common.try_catch = 1;
  s->common.final_ll = 1;  // LDL^T would take a negative pivot without a word
  if (!s->direct.wish.many) return;
  // Supernodes only where they pay: on a stack (1710 rows, 100 operations per entry of L) they save
  // nothing in the factorisation, and CHOLMOD starts threads of its own for them.
  s->common.supernodal_switch = 200;
  s->common.nmethods = 1;
  s->common.method[0].ordering = CHOLMOD_AMD;
}

static ss_error analyse(ssi_direct *d, ssi_arena *arena) {
  sparse_cholesky *s = (sparse_cholesky *)d;
  s->index = SSI_TAKE(arena, ssi_sparse_entries(&d->A), SuiteSparse_long);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int64_t k = 0; k < ssi_sparse_entries(&d->A); k++) s->index[k] = d->A.col[k];
  release(d);
  settings(s);
  cholmod_sparse A = matrix(s);
  s->L = cholmod_l_analyze(&A, &s->common);
  if (!s->L) return SS_ERR_MEMORY;
  d->flops = s->common.fl;
  d->entries = s->common.lnz;
  return SS_OK;
}

// The smallest L_jj^2 over the diagonal entry of the row that became row j.
static double weakest(const ssi_direct *d) {
  const cholmod_factor *L = ((const sparse_cholesky *)d)->L;
  const SuiteSparse_long *order = L->Perm, *p = L->p, *super = L->super, *pi = L->pi, *px = L->px;
  const double *x = L->x;
  double least = 1;
  size_t supernode = 0;
  for (SuiteSparse_long j = 0; j < (SuiteSparse_long)L->n; j++) {
    while (L->is_super && j >= super[supernode + 1]) supernode++;
    SuiteSparse_long at =
        L->is_super  // dense columns of pi[s + 1] - pi[s] rows
            ? px[supernode] + (j - super[supernode]) * (pi[supernode + 1] - pi[supernode] + 1)
            : p[j];
    int row = (int)(order ? order[j] : j);
    least = fmin(least, x[at] * x[at] / ssi_sparse_entry(&d->A, row, row));
  }
  return least;
}

static ss_error factor(ssi_direct *d) {
  sparse_cholesky *s = (sparse_cholesky *)d;
  cholmod_sparse A = matrix(s);
  if (!ssi_direct_finite(d)) return SS_ERR_LINEAR;
  cholmod_l_factorize(&A, s->L, &s->common);
  SS_TRY(outcome(s));
  if (s->L->minor < (size_t)d->A.rows) {
    const SuiteSparse_long *order = s->L->Perm;
    d->bad_row = (int)(order ? order[s->L->minor] : (SuiteSparse_long)s->L->minor);
    return SS_ERR_LINEAR;
  }
  return SS_OK;
}

static ss_error solve_many(ssi_direct *d, int count, const double *b, double *x) {
  sparse_cholesky *s = (sparse_cholesky *)d;
  size_t n = (size_t)d->A.rows;
  cholmod_dense B = {.nrow = n,
                     .ncol = (size_t)count,
                     .nzmax = n * (size_t)count,
                     .d = n,
                     .x = (void *)(uintptr_t)b,
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_l_solve2(CHOLMOD_A, s->L, &B, NULL, &s->X, NULL, &s->Y, &s->E, &s->common))
    return s->common.status == CHOLMOD_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_ERR_LINEAR;
  memcpy(x, s->X->x, B.nzmax * sizeof(double));
  return SS_OK;
}

static ss_error solve(ssi_direct *d, const double *b, double *x) {
  return solve_many(d, 1, b, x);
}

const ssi_backend ssi_sparse_cholesky = {.name = "cholmod",
                                         .size = sizeof(sparse_cholesky),
                                         .analyse = analyse,
                                         .factor = factor,
                                         .solve = solve,
                                         .solve_many = solve_many,
                                         .weakest = weakest,
                                         .release = release};
