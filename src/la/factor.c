#include "la/factor.h"

#include <string.h>

#include "base/error.h"
#include "la/diagonal.h"
#include "la/sparse.h"

struct ssi_factor {
  ssi_arena arena;       // this struct and all below
  ssi_diagonal blocks;   // blocks.count = 0: not of this form
  ss_sparse symmetric;   // else the symmetric part, up to the diagonal
  ssi_direct *cholesky;  // of it
  ss_sparse copy;        // and where M is asymmetric M itself,
  ssi_direct *lu;        // with its own
  ssi_direct *used;      // the one that solves
};

// The symmetric part of M up to the diagonal: row j of M met with row j of T = M^T.
static void fill_symmetric_part(const ss_sparse *M, const ss_sparse *T, ss_sparse *out) {
  int64_t *ptr = (int64_t *)(uintptr_t)out->ptr, used = 0;
  int *col = (int *)(uintptr_t)out->col;
  double *x = (double *)(uintptr_t)out->x;
  for (int j = 0; j < M->cols; j++) {
    int64_t a = M->ptr[j], t = T->ptr[j], a_end = M->ptr[j + 1], t_end = T->ptr[j + 1];
    for (;;) {
      int ca = a < a_end ? M->col[a] : M->cols, ct = t < t_end ? T->col[t] : M->cols;
      int i = ca < ct ? ca : ct;
      if (i > j) break;
      double in_row = ca == i ? M->x[a++] : 0, in_column = ct == i ? T->x[t++] : 0;
      col[used] = i;
      x[used++] = 0.5 * (in_row + in_column);
    }
    ptr[j + 1] = used;
  }
}

static ss_error take_symmetric_part(ssi_factor *f, const ss_sparse *M) {
  int64_t entries = 2 * ssi_sparse_entries(M);  // union of M and M^T at most
  f->symmetric =
      (ss_sparse){M->rows, M->cols, SSI_TAKE(&f->arena, (size_t)M->rows + 1, int64_t),
                  SSI_TAKE(&f->arena, entries, int), SSI_TAKE(&f->arena, entries, double)};
  return f->arena.failed ? SS_ERR_MEMORY : SS_OK;
}

// Is M positive definite?
static ss_error factor_symmetric_part(ssi_factor *f, const ss_sparse *M) {
  ssi_arena scratch = {.ctx = f->arena.ctx};
  ss_sparse T = {0};
  bool first = !f->cholesky;
  ss_error e = first ? take_symmetric_part(f, M) : SS_OK;
  if (!e && !ssi_sparse_transpose(&scratch, M, &T)) e = SS_ERR_MEMORY;
  if (!e) fill_symmetric_part(M, &T, &f->symmetric);
  ssi_arena_release(&scratch);
  if (e) return e;
  if (first) {
    f->cholesky =
        ssi_direct_begin(&f->arena, &ssi_sparse_cholesky, (ssi_direct_wishes){.lower = true});
    if (!f->cholesky) return SS_ERR_MEMORY;
    SS_TRY(ssi_direct_analyse(f->cholesky, &f->symmetric, &f->arena));
  }
  f->used = f->cholesky;
  return ssi_direct_factor(f->cholesky, &f->symmetric);
}

// The analysis looks at the numbers too, so it is made anew for new ones.
static ss_error factor_as_it_is(ssi_factor *f, const ss_sparse *M) {
  if (!f->lu) {
    f->lu = ssi_direct_begin(&f->arena, &ssi_sparse_lu, (ssi_direct_wishes){.refine = true});
    if (!f->lu || !ssi_sparse_copy(&f->arena, M, &f->copy)) return SS_ERR_MEMORY;
    f->lu->A = f->copy;
    SS_TRY(ssi_direct_room(f->lu, &f->arena));
  }
  memcpy((double *)(uintptr_t)f->copy.x, M->x, sizeof(double) * (size_t)ssi_sparse_entries(M));
  f->used = f->lu;
  SS_TRY(ssi_direct_analyse(f->lu, &f->copy, &f->arena));
  return ssi_direct_factor(f->lu, &f->copy);
}

static ss_error factor(ssi_factor *f, const ss_sparse *M) {
  if (f->used == &f->blocks.direct) return ssi_direct_factor(f->used, M);
  SS_TRY(factor_symmetric_part(f, M));
  if (!(ssi_factor_weakest_pivot(f) > SSI_NO_PIVOT)) return SS_ERR_DATA;
  return ss_sparse_asymmetry(M) != 0 ? factor_as_it_is(f, M) : SS_OK;
}

static ss_error said(ss_context *ctx, ss_error e, const ssi_factor *f, const ss_sparse *M) {
  if (e == SS_ERR_MEMORY)
    return ssi_fail(ctx, e, "out of memory while factoring M (%d rows)", M->rows);
  if (e == SS_ERR_DATA)
    return ssi_fail(ctx, e,
                    "M is not positive definite beyond rounding: its weakest pivot is %.2g of its "
                    "diagonal entry",
                    ssi_factor_weakest_pivot(f));
  if (e != SS_ERR_LINEAR) return e;
  if (f->used->bad_row < 0)
    return ssi_fail(ctx, e, "%s failed on M (%d rows)", f->used->with->name, M->rows);
  return ssi_fail(ctx, SS_ERR_DATA, "M is not positive definite: pivot at row %d is not positive",
                  f->used->bad_row);
}

ss_error ssi_factor_create(ss_context *ctx, const ss_sparse *M, ssi_factor **out) {
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ssi_factor *f = SSI_TAKE(&arena, 1, ssi_factor);
  if (!f) return SS_ERR_MEMORY;
  f->arena = arena;
  f->blocks.direct.with = &ssi_diagonal_blocks;
  ss_error e = ssi_direct_analyse(&f->blocks.direct, M, &f->arena);
  if (!e) {
    f->used = &f->blocks.direct;
    e = ssi_direct_room(f->used, &f->arena);
  }
  if (!e || e == SS_ERR_METHOD) e = factor(f, M);
  if (!e) {
    *out = f;
    return SS_OK;
  }
  e = said(ctx, e, f, M);
  ssi_factor_destroy(f);
  return e;
}

ss_error ssi_factor_renew(ss_context *ctx, ssi_factor *f, const ss_sparse *M) {
  return said(ctx, factor(f, M), f, M);
}

void ssi_factor_destroy(ssi_factor *f) {
  if (!f) return;
  ssi_direct_release(f->cholesky);
  ssi_direct_release(f->lu);
  ssi_arena_release_home(f->arena);
}

ss_error ssi_factor_solve_many(ssi_factor *f, int count, const double *b, double *x) {
  return ssi_direct_solve_many(f->used, count, b, x);
}

ss_error ssi_factor_solve(ssi_factor *f, const double *b, double *x) {
  return ssi_direct_solve(f->used, b, x);
}

void ssi_factor_solve_block(const ssi_factor *f, int block, const double *b, double *x) {
  ssi_diagonal_solve_block(&f->blocks, block, b, x);
}

int ssi_factor_block_count(const ssi_factor *f) {
  return f->blocks.count;
}
const int *ssi_factor_block_start(const ssi_factor *f) {
  return f->blocks.start;
}
const int *ssi_factor_block_of(const ssi_factor *f) {
  return f->blocks.of;
}
const double *ssi_factor_diagonal_inverse(const ssi_factor *f) {
  bool diagonal = f->blocks.count && f->blocks.count == f->blocks.start[f->blocks.count];
  return diagonal ? f->blocks.inverse : NULL;
}
double ssi_factor_weakest_pivot(const ssi_factor *f) {
  const ssi_direct *d = f->cholesky ? f->cholesky : &f->blocks.direct;
  return d->with->weakest(d);
}
