#include "problem/loose.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/factor.h"
#include "la/lapack.h"
#include "la/sparse.h"
#include "problem/check.h"

enum { DENSE_LIMIT = 3000 };
// Eigenvalues of a block with unit diagonal that are not told from zero: rounding of its entries.
static const double ROUNDED = 1e-13;

typedef struct loose_search {
  ssi_arena *arena;
  const ss_problem *p;
  int *leader;    // of the block that a dof is in    (ndof)
  int *member;    // dofs of the block at hand        (ndof)
  double *scale;  // 1/sqrt(M_ii), 1 where that is 0   (ndof)
  ssi_loose *out;
} loose_search;

// ---- blocks --------------------------------------------------------------------------------

static int lead(int *leader, int i) {
  while (leader[i] != i) i = leader[i] = leader[leader[i]];
  return i;
}

static void find_blocks(loose_search *f) {
  const ss_sparse *M = &f->p->M;
  for (int i = 0; i < f->p->ndof; i++) f->leader[i] = i;
  for (int i = 0; i < M->rows && M->ptr; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++) {
      int a = lead(f->leader, i), b = lead(f->leader, M->col[k]);
      if (M->x[k] != 0) f->leader[a > b ? a : b] = a > b ? b : a;
    }
  for (int i = 0; i < f->p->ndof; i++) f->leader[i] = lead(f->leader, i);
}

static double *append(loose_search *f) {
  size_t n = (size_t)f->out->ndof;
  double *z = f->out->Z + n * (size_t)f->out->count++;
  memset(z, 0, n * sizeof *z);
  return z;
}

static ss_error indefinite(const loose_search *f, int first, double value) {
  return ssi_fail(f->arena->ctx, SS_ERR_DATA,
                  "M is not positive semi-definite: its block with row %d, scaled to a unit "
                  "diagonal, has an eigenvalue of %.3g",
                  first, value);
}

// A (size x size): the symmetric part of the block, scaled. false: M_ii < 0, or M_ii = 0 with M_ij != 0.
static bool gather(loose_search *f, int size, const int *number, double *A) {
  const ss_sparse *M = &f->p->M;
  size_t n = (size_t)size;
  for (int a = 0; a < size; a++) {
    double own = ssi_sparse_entry(M, f->member[a], f->member[a]);
    if (!(own > 0)) return false;
    f->scale[f->member[a]] = 1 / sqrt(own);
  }
  memset(A, 0, n * n * sizeof *A);
  for (int a = 0; a < size; a++)
    for (int64_t k = M->ptr[f->member[a]]; k < M->ptr[f->member[a] + 1]; k++) {
      if (M->x[k] == 0) continue;
      size_t b = (size_t)number[M->col[k]];
      double x = 0.5 * M->x[k] * f->scale[f->member[a]] * f->scale[M->col[k]];
      A[n * (size_t)a + b] += x, A[n * b + (size_t)a] += x;
    }
  return true;
}

static ss_error search_block(loose_search *f, int size, const int *number) {
  ssi_arena scratch = {.ctx = f->arena->ctx};
  size_t n = (size_t)size;
  double *A = SSI_TAKE(&scratch, n * n, double), *value = SSI_TAKE(&scratch, n, double);
  ss_error e = scratch.failed ? SS_ERR_MEMORY : SS_OK;
  if (!e && !gather(f, size, number, A)) e = indefinite(f, f->member[0], -1);
  if (!e)
    e = ssi_lapack_error(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', size, A, size, value));
  if (e == SS_ERR_LINEAR) ssi_fail(f->arena->ctx, e, "the eigenvalues of M are not found");
  if (!e && value[0] < -ROUNDED * (double)size) e = indefinite(f, f->member[0], value[0]);
  for (size_t k = 0; !e && k < n && value[k] <= ROUNDED * (double)size; k++) {
    double *z = append(f), most = 0;
    for (size_t a = 0; a < n; a++) {
      z[f->member[a]] = f->scale[f->member[a]] * A[n * k + a];
      most = fmax(most, fabs(z[f->member[a]]));
    }
    for (size_t a = 0; a < n; a++) z[f->member[a]] /= most;
  }
  ssi_arena_release(&scratch);
  return e;
}

static ss_error search(loose_search *f) {
  int n = f->p->ndof, *number = SSI_TAKE(f->arena, n, int);
  if (!number) return SS_ERR_MEMORY;
  for (int first = 0; first < n; first++) {
    if (f->leader[first] != first) continue;
    int size = 0;
    for (int i = first; i < n; i++)
      if (f->leader[i] == first) number[i] = size, f->member[size++] = i;
    bool alone = size == 1 && ssi_sparse_entry(&f->p->M, first, first) == 0;
    if (alone)
      append(f)[first] = 1;
    else
      SS_TRY(search_block(f, size, number));
  }
  return SS_OK;
}

// ---- joints --------------------------------------------------------------------------------

// Z <- Z Y, Y the kernel of G^T Z: right singular vectors of values that are nothing beside the largest.
static ss_error obey_joints(loose_search *f) {
  ssi_loose *o = f->out;
  size_t n = (size_t)o->ndof, k = (size_t)o->count, nl = (size_t)f->p->nl;
  size_t least = nl < k ? nl : k;
  double *A = SSI_TAKE(f->arena, nl * k, double), *Y = SSI_TAKE(f->arena, k * k, double);
  double *value = SSI_TAKE(f->arena, k + nl, double), *Z = SSI_TAKE(f->arena, n * k, double);
  double *rest = SSI_TAKE(f->arena, least + 1, double);
  if (f->arena->failed) return SS_ERR_MEMORY;
  for (size_t c = 0; c < k; c++)
    ssi_sparse_multiply_transposed_add(&f->p->G, o->Z + n * c, A + nl * c);
  ss_error e = ssi_lapack_error(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', (int)nl, (int)k, A,
                                               (int)nl, value, NULL, 1, Y, (int)k, rest));
  if (e == SS_ERR_LINEAR)
    ssi_fail(f->arena->ctx, e, "the joints' share of loose motions is not found");
  if (e) return e;
  o->count = 0;
  for (size_t c = 0; c < k; c++) {
    if (c < least && value[c] > ROUNDED * (double)k * value[0]) continue;
    double *z = Z + n * (size_t)o->count++;
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < n; i++) z[i] += Y[k * j + c] * o->Z[n * j + i];
  }
  o->Z = Z;
  return SS_OK;
}

// ---- interface -----------------------------------------------------------------------------

ss_error ssi_loose_find(ssi_arena *arena, const ss_problem *p, ssi_loose *out) {
  size_t n = (size_t)p->ndof;
  loose_search f = {
      arena, p, SSI_TAKE(arena, n, int), SSI_TAKE(arena, n, int), SSI_TAKE(arena, n, double), out};
  *out = (ssi_loose){p->ndof, 0, NULL};
  if (p->ndof > DENSE_LIMIT)
    return ssi_fail(
        arena->ctx, SS_ERR_UNSUPPORTED,
        "M is singular or indefinite, and has %d rows: a semi-definite M of more than %d "
        "is not supported",
        p->ndof, (int)DENSE_LIMIT);
  out->Z = SSI_TAKE(arena, n * n, double);  // M = 0 has n of them
  if (arena->failed)
    return ssi_fail(arena->ctx, SS_ERR_MEMORY, "no memory for %d rows of M", p->ndof);
  find_blocks(&f);
  SS_TRY(search(&f));
  return p->nl && out->count ? obey_joints(&f) : SS_OK;
}

ss_error ssi_loose_instead(ss_context *ctx, const ss_problem *p, ss_error code) {
  if (code != SS_ERR_DATA || p->form != SS_GLOBAL) return code;
  char said[sizeof ctx->message] = "";
  if (ctx) memcpy(said, ctx->message, sizeof said);
  ssi_arena arena = {.ctx = ctx};
  ssi_loose loose;
  ss_error e = ssi_loose_find(&arena, p, &loose);
  ssi_arena_release(&arena);
  if (ctx && !e) ctx->message[0] = 0;
  if (ctx && e == SS_ERR_DATA) memcpy(ctx->message, said, sizeof said);
  return e;
}

ss_error ss_problem_loose(ss_context *ctx, const ss_problem *p, int *count) {
  if (!p || !count) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_problem_loose: null argument");
  *count = -1;
  SS_TRY(ssi_problem_check_structure(ctx, p));
  if (p->form != SS_GLOBAL || !p->ndof) return SS_OK;
  ssi_factor *mass;
  ss_error e = ssi_factor_create(ctx, &p->M, &mass);
  ssi_factor_destroy(mass);
  if (e != SS_ERR_DATA) return e;
  SS_TRY(ssi_loose_instead(ctx, p, e));
  ssi_arena arena = {.ctx = ctx};
  ssi_loose loose;
  e = ssi_loose_find(&arena, p, &loose);
  if (!e) *count = loose.count;
  ssi_arena_release(&arena);
  return e;
}
