#include "la/direct.h"

#include "base/error.h"
#include "la/sparse.h"

// Dense up to ALWAYS rows, and up to MOST rows where the sparse factor would hold more than one in
// FILL of the dense one's entries: an entry read through an index costs about that much more.
enum { ALWAYS = 60, MOST = 1000, FILL = 4 };

ssi_direct *ssi_direct_begin(ssi_arena *arena, const ssi_backend *with, ssi_direct_wishes wish) {
  ssi_direct *d = ssi_arena_take(arena, 1, with->size);
  if (d) *d = (ssi_direct){.with = with, .wish = wish};
  return d;
}

void ssi_direct_release(ssi_direct *d) {
  if (d && d->with && d->with->release) d->with->release(d);
}

ss_error ssi_direct_analyse(ssi_direct *d, const ss_sparse *A, ssi_arena *arena) {
  d->A = *A;
  d->n = A->rows;
  return A->rows ? d->with->analyse(d, arena) : SS_OK;
}

ss_error ssi_direct_room(ssi_direct *d, ssi_arena *arena) {
  return d->with->room ? d->with->room(d, arena) : SS_OK;
}

ss_error ssi_direct_factor(ssi_direct *d, const ss_sparse *A) {
  d->A = *A;
  d->n = A->rows;
  d->bad_row = -1;
  return A->rows ? d->with->factor(d) : SS_OK;
}

ss_error ssi_direct_solve(ssi_direct *d, const double *b, double *x) {
  return d->n ? d->with->solve(d, b, x) : SS_OK;
}

ss_error ssi_direct_solve_many(ssi_direct *d, int count, const double *b, double *x) {
  if (!d->n || !count) return SS_OK;
  if (d->with->solve_many) return d->with->solve_many(d, count, b, x);
  for (int64_t k = 0; k < count; k++) SS_TRY(d->with->solve(d, b + k * d->n, x + k * d->n));
  return SS_OK;
}

ss_error ssi_direct_solve_transposed(ssi_direct *d, const double *b, double *x) {
  if (!d->n) return SS_OK;
  return d->with->solve_transposed ? d->with->solve_transposed(d, b, x) : SS_ERR_METHOD;
}

bool ssi_direct_finite(const ssi_direct *d) {
  int64_t count = d->A.ptr ? ssi_sparse_entries(&d->A) : (int64_t)d->A.rows * d->A.rows;
  double sum = 0;
  for (int64_t k = 0; k < count; k++) sum += 0 * d->A.x[k];
  return sum == 0;
}

// ---- many solves ---------------------------------------------------------------------------

// *out: analysed, or what is to be released.
static ss_error analysed(ssi_arena *arena, const ssi_backend *with, const ss_sparse *A,
                         ssi_direct **out) {
  *out = ssi_direct_begin(arena, with, (ssi_direct_wishes){.many = true});
  return *out ? ssi_direct_analyse(*out, A, arena) : SS_ERR_MEMORY;
}

static ss_error choose_cholesky(ssi_arena *arena, const ss_sparse *A, ssi_direct **out) {
  double n = A->rows;
  if (n > ALWAYS) {
    SS_TRY(analysed(arena, &ssi_sparse_cholesky, A, out));
    if (n > MOST || FILL * (*out)->entries <= 0.5 * n * n) return SS_OK;
    ssi_direct_release(*out);
  }
  return analysed(arena, &ssi_dense_cholesky, A, out);
}

static ss_error factored(ssi_direct *d, const ss_sparse *A, ssi_arena *arena) {
  SS_TRY(ssi_direct_room(d, arena));
  return ssi_direct_factor(d, A);
}

static ss_error choose(ssi_arena *arena, const ss_sparse *A, bool symmetric, ssi_direct **out) {
  if (symmetric) {
    ss_error e = choose_cholesky(arena, A, out);
    if (!e) e = factored(*out, A, arena);
    if (e != SS_ERR_LINEAR) return e;
    ssi_direct_release(*out);  // not positive definite
  }
  SS_TRY(analysed(arena, A->rows <= ALWAYS ? &ssi_dense_lu : &ssi_sparse_lu, A, out));
  return factored(*out, A, arena);
}

ss_error ssi_direct_choose(ssi_arena *arena, const ss_sparse *A, bool symmetric, ssi_direct **out) {
  *out = NULL;
  ss_error e = choose(arena, A, symmetric, out);
  if (!e) return SS_OK;
  return ssi_fail(arena->ctx, e,
                  e == SS_ERR_MEMORY ? "out of memory while factoring %d rows"
                                     : "a matrix of %d rows is singular",
                  A->rows);
}
