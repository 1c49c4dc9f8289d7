#include "la/lu.h"

#include "base/error.h"

// Up to here la/fixed.c, at half a flop per nanosecond, is faster than UMFPACK (docs/solvers-newton.md).
static const double MAX_FLOPS = 3e6;

static ss_sparse matrix(const ssi_lu *lu) {
  return (ss_sparse){lu->n, lu->n, lu->ptr, lu->col, lu->x};
}

bool ssi_lu_create(ssi_arena *arena, int rows, int64_t entries, ssi_lu *out) {
  *out = (ssi_lu){.fixed.direct = {.with = &ssi_fixed_lu, .wish.max_flops = MAX_FLOPS}};
  out->ptr = SSI_TAKE(arena, (size_t)rows + 1, int64_t);
  out->col = SSI_TAKE(arena, entries, int);
  out->x = SSI_TAKE(arena, entries, double);
  out->dense = ssi_direct_begin(arena, &ssi_dense_lu, (ssi_direct_wishes){0});
  out->sparse = ssi_direct_begin(arena, &ssi_sparse_lu, (ssi_direct_wishes){0});
  if (arena->failed) return false;
  out->ptr[rows] = entries;  // at most, until there is a pattern
  out->sparse->A = out->dense->A = (ss_sparse){rows, rows, out->ptr, out->col, NULL};
  if (rows > SSI_LU_DENSE) out->dense->A.rows = SSI_LU_DENSE;
  return !ssi_direct_room(out->dense, arena) && !ssi_direct_room(out->sparse, arena);
}

bool ssi_lu_analyse(ssi_lu *lu, ssi_arena *arena) {
  ss_sparse A = matrix(lu);
  ss_error e = ssi_direct_analyse(&lu->fixed.direct, &A, arena);
  return e != SS_ERR_MEMORY && !ssi_direct_room(&lu->fixed.direct, arena);
}

void ssi_lu_release(ssi_lu *lu) {
  ssi_direct_release(lu->sparse);
  lu->analysed = 0;
}

static ss_error factor_sparse(ssi_lu *lu) {
  ss_sparse A = matrix(lu);
  lu->used = lu->sparse;
  if (lu->analysed != lu->n) {
    lu->analysed = 0;
    SS_TRY(ssi_direct_analyse(lu->sparse, &A, NULL));
    lu->analysed = lu->n;
  }
  return ssi_direct_factor(lu->sparse, &A);
}

ss_error ssi_lu_factor(ssi_lu *lu, bool same_pattern) {
  ss_sparse A = matrix(lu);
  if (!same_pattern) lu->analysed = 0;
  lu->used = lu->n <= SSI_LU_DENSE ? lu->dense : &lu->fixed.direct;
  if (lu->used == lu->dense) return ssi_direct_factor(lu->dense, &A);
  lu->fixed.direct.part = lu->full;
  if (lu->fixed.fill.n && !ssi_direct_factor(lu->used, &A)) return SS_OK;
  return factor_sparse(lu);
}

ss_error ssi_lu_solve(ssi_lu *lu, const double *b, double *x) {
  ss_error e = ssi_direct_solve(lu->used, b, x);
  if (!e || lu->used != &lu->fixed.direct) return e;
  SS_TRY(factor_sparse(lu));
  return ssi_direct_solve(lu->sparse, b, x);
}
