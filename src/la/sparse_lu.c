// Sparse LU with exchanges of rows by UMFPACK, which is given the rows as the columns of A^T.
#include <string.h>
#include <umfpack.h>

#include "base/error.h"
#include "la/direct.h"
#include "la/sparse.h"

typedef struct sparse_lu {
  ssi_direct direct;
  SuiteSparse_long *index;       // columns of the pattern   (entries)
  SuiteSparse_long *work_index;  // (n)
  double *copy, *work;           // (n), (n, or 5 n with refinement)
  void *symbolic, *numeric;
  double control[UMFPACK_CONTROL];
} sparse_lu;

static ss_error outcome(SuiteSparse_long status) {
  if (status == UMFPACK_OK) return SS_OK;
  return status == UMFPACK_ERROR_out_of_memory ? SS_ERR_MEMORY : SS_ERR_LINEAR;
}

static void release(ssi_direct *d) {
  sparse_lu *s = (sparse_lu *)d;
  if (s->numeric) umfpack_dl_free_numeric(&s->numeric);
  if (s->symbolic) umfpack_dl_free_symbolic(&s->symbolic);
}

static const SuiteSparse_long *ptr_of(const sparse_lu *s) {
  return (const SuiteSparse_long *)s->direct.A.ptr;
}

// Once: before the analysis, or in it.
static bool take_index(sparse_lu *s, ssi_arena *arena) {
  if (!s->index) s->index = SSI_TAKE(arena, ssi_sparse_entries(&s->direct.A), SuiteSparse_long);
  return s->index;
}

// It looks at the numbers too, where there are some.
static ss_error analyse(ssi_direct *d, ssi_arena *arena) {
  sparse_lu *s = (sparse_lu *)d;
  double info[UMFPACK_INFO];
  release(d);
  if (!take_index(s, arena)) return SS_ERR_MEMORY;
  if (d->A.x && !ssi_direct_finite(d)) return SS_ERR_LINEAR;
  for (int64_t k = 0; k < ssi_sparse_entries(&d->A); k++) s->index[k] = d->A.col[k];
  umfpack_dl_defaults(s->control);
  if (!d->wish.refine) s->control[UMFPACK_IRSTEP] = 0;  // it doubles the cost of a solve
  SS_TRY(outcome(umfpack_dl_symbolic(d->A.rows, d->A.rows, ptr_of(s), s->index, d->A.x,
                                     &s->symbolic, s->control, info)));
  d->flops = info[UMFPACK_FLOPS_ESTIMATE];
  d->entries = info[UMFPACK_LNZ_ESTIMATE] + info[UMFPACK_UNZ_ESTIMATE];
  return SS_OK;
}

static ss_error room(ssi_direct *d, ssi_arena *arena) {
  sparse_lu *s = (sparse_lu *)d;
  size_t n = (size_t)d->A.rows;
  s->work_index = SSI_TAKE(arena, n, SuiteSparse_long);
  s->copy = SSI_TAKE(arena, n, double);
  s->work = SSI_TAKE(arena, d->wish.refine ? 5 * n : n, double);
  return take_index(s, arena) && !arena->failed ? SS_OK : SS_ERR_MEMORY;
}

static ss_error factor(ssi_direct *d) {
  sparse_lu *s = (sparse_lu *)d;
  if (s->numeric) umfpack_dl_free_numeric(&s->numeric);
  if (!ssi_direct_finite(d)) return SS_ERR_LINEAR;
  return outcome(
      umfpack_dl_numeric(ptr_of(s), s->index, d->A.x, s->symbolic, &s->numeric, s->control, NULL));
}

static ss_error substitute(sparse_lu *s, int how, const double *b, double *x) {
  const ssi_direct *d = &s->direct;
  if (x == b) b = memcpy(s->copy, b, sizeof(double) * (size_t)d->A.rows);
  return outcome(umfpack_dl_wsolve(how, ptr_of(s), s->index, d->A.x, x, b, s->numeric, s->control,
                                   NULL, s->work_index, s->work));
}

static ss_error solve(ssi_direct *d, const double *b, double *x) {
  return substitute((sparse_lu *)d, UMFPACK_Aat, b, x);
}

static ss_error solve_transposed(ssi_direct *d, const double *b, double *x) {
  return substitute((sparse_lu *)d, UMFPACK_A, b, x);
}

const ssi_backend ssi_sparse_lu = {.name = "umfpack",
                                   .size = sizeof(sparse_lu),
                                   .analyse = analyse,
                                   .room = room,
                                   .factor = factor,
                                   .solve = solve,
                                   .solve_transposed = solve_transposed,
                                   .release = release};
