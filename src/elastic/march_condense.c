// W = H A^-1 H^T once for all steps while H stays: by solves with the factor, or, where contacts are many and few degrees
// of freedom carry them, by the block of A^-1 that H sees,  W = H_c (A^-1)_cc H_c^T.                       (5)
#include <string.h>

#include "base/error.h"
#include "elastic/march.h"
#include "la/inverse_block.h"
#include "la/sparse.h"
#include "problem/owned.h"
#include "problem/reduce.h"

static ss_error no_memory(const ss_march *m) {
  return ssi_fail(m->ctx, SS_ERR_MEMORY, "no memory for %d contacts of %d degrees of freedom",
                  m->s.nc, m->s.ndof);
}

// Measured with bench_elastic: solves win below some hundred rows, and where H sees many more columns than it has
// rows (contacts between bodies that do not match), as the block is dense.
enum { ROWS = 300 };
static bool is_worth_it(int rows, int columns) {
  return rows >= ROWS && columns <= 2 * rows;
}

// Degrees of freedom that H sees, ascending; place: where each is among them.
static int find_columns(const ss_sparse *H, int *column, int *place) {
  int count = 0;
  for (int k = 0; k < H->cols; k++) place[k] = -1;
  for (int64_t k = 0; k < ssi_sparse_entries(H); k++) place[H->col[k]] = 0;
  for (int k = 0; k < H->cols; k++)
    if (place[k] == 0) place[k] = count, column[count++] = k;
  return count;
}

// Row i of W: t = row i of H_c B, then t H_c^T.
static void fill_row(const ss_sparse *H, const int *place, const double *B, int count, int i,
                     double *t, double *out) {
  memset(t, 0, sizeof(double) * (size_t)count);
  for (int64_t k = H->ptr[i]; k < H->ptr[i + 1]; k++) {
    const double *row = B + (size_t)place[H->col[k]] * (size_t)count;
    for (int j = 0; j < count; j++) t[j] += H->x[k] * row[j];
  }
  for (int j = 0; j < H->rows; j++) {
    double sum = 0;
    for (int64_t k = H->ptr[j]; k < H->ptr[j + 1]; k++) sum += H->x[k] * t[place[H->col[k]]];
    out[j] = sum;
  }
}

static ss_error fill_W(ss_march *m, ssi_arena *scratch, ssi_owned *o) {
  const ss_sparse *H = &m->all.H;
  size_t rows = (size_t)H->rows;
  int *column = SSI_TAKE(scratch, m->nfree + 1, int), *place = SSI_TAKE(scratch, m->nfree + 1, int);
  if (scratch->failed) return no_memory(m);
  int count = find_columns(H, column, place);
  if (!is_worth_it(H->rows, count)) return SS_ERR_METHOD;
  double *B = SSI_TAKE(scratch, (size_t)count * (size_t)count, double);
  double *t = SSI_TAKE(scratch, count, double), *x = SSI_TAKE(&o->arena, rows * rows, double);
  int64_t *ptr = SSI_TAKE(&o->arena, rows + 1, int64_t);
  int *col = SSI_TAKE(&o->arena, rows * rows, int);
  if (scratch->failed || o->arena.failed) return no_memory(m);
  SS_TRY(ssi_inverse_block(scratch, &m->A, count, column, B));
  for (int i = 0; i < H->rows; i++) {
    fill_row(H, place, B, count, i, t, x + (size_t)i * rows);
    for (int j = 0; j < H->rows; j++) col[(size_t)i * rows + (size_t)j] = j;
    ptr[i + 1] = ptr[i] + H->rows;
  }
  o->problem.W = (ss_sparse){H->rows, H->rows, ptr, col, x};
  return SS_OK;
}

// SS_ERR_METHOD, SS_ERR_LINEAR: not this way.
static ss_error condense_by_block(ss_march *m) {
  ssi_owned *o = ssi_owned_create(m->ctx);
  if (!o) return no_memory(m);
  ssi_arena scratch = {.ctx = m->ctx};
  ss_error e = fill_W(m, &scratch, o);
  double *q = SSI_TAKE(&o->arena, m->m + 1, double);
  ssi_arena_release(&scratch);
  if (!e && !q) e = no_memory(m);
  if (e) return ss_problem_destroy(&o->problem), e;
  o->problem.form = SS_REDUCED, o->problem.dim = m->s.dim, o->problem.nc = m->s.nc;
  o->problem.mu = m->s.mu, o->problem.q = q;
  m->reduced = &o->problem;
  return SS_OK;
}

ss_error ssi_march_condense(ss_march *m, double t) {
  ss_problem_destroy(m->reduced);
  m->reduced = NULL;
  ssi_arena_reset(&m->for_H);
  ss_problem *p = &m->all;
  *p = (ss_problem){.form = SS_GLOBAL,
                    .dim = m->s.dim,
                    .nc = m->s.nc,
                    .ndof = m->nfree,
                    .mu = m->s.mu,
                    .M = m->A};
  double *f = SSI_TAKE(&m->for_H, m->nfree + 1, double), *w = SSI_TAKE(&m->for_H, m->m + 1, double);
  if (!f || !w || !ssi_H_at(&m->for_H, &m->s, t, &m->H) ||
      !ssi_restrict_columns(&m->for_H, &m->H, m->free, m->nfree, &p->H))
    return no_memory(m);
  p->f = f, p->w = w;
  ss_error e = condense_by_block(m);
  bool other = e == SS_ERR_METHOD || e == SS_ERR_LINEAR;
  return other ? ssi_reduce(m->ctx, p, m->factor, &m->reduced) : e;
}
