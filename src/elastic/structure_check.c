// What a structure must be: sizes that agree, indices in range, finite numbers, K symmetric.
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "elastic/march.h"
#include "la/sparse.h"

static ss_error check_matrix(ss_context *ctx, const char *name, const ss_sparse *A, int rows,
                             int cols) {
  if (A->rows != rows || A->cols != cols || !A->ptr)
    return ssi_fail(ctx, SS_ERR_DATA, "%s is %d x %d, expected %d x %d", name, A->rows, A->cols,
                    rows, cols);
  for (int i = 0; i < rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      if (A->col[k] < 0 || A->col[k] >= cols || (k > A->ptr[i] && A->col[k] <= A->col[k - 1]))
        return ssi_fail(ctx, SS_ERR_DATA, "%s: row %d: columns must increase within 0 .. %d", name,
                        i, cols - 1);
      if (!isfinite(A->x[k]))
        return ssi_fail(ctx, SS_ERR_DATA, "%s[%d][%d] is %g, expected a finite number", name, i,
                        A->col[k], A->x[k]);
    }
  return SS_OK;
}

static ss_error check_square(ss_context *ctx, const char *name, const ss_sparse *A, int n) {
  SS_TRY(check_matrix(ctx, name, A, n, n));
  double off = ss_sparse_asymmetry(A);
  if (!(off <= 1e-5))
    return ssi_fail(ctx, SS_ERR_DATA, "%s is not symmetric: |A - A^T| / |A| = %.2g", name, off);
  return SS_OK;
}

static ss_error check_history(ss_context *ctx, const char *where, const ss_history *h) {
  if (!h) return SS_OK;
  if (h->rows == 0) {
    if (isfinite(h->mean) && isfinite(h->amplitude) && isfinite(h->frequency) && isfinite(h->phase))
      return SS_OK;
    return ssi_fail(ctx, SS_ERR_DATA, "%s: its history has a number that is not finite", where);
  }
  for (int k = 0; k < h->rows; k++) {
    if (!isfinite(h->table[2 * k]) || !isfinite(h->table[2 * k + 1]))
      return ssi_fail(ctx, SS_ERR_DATA, "%s: row %d of its history is not finite", where, k);
    if (k && !(h->table[2 * k] > h->table[2 * k - 2]))
      return ssi_fail(ctx, SS_ERR_DATA, "%s: row %d of its history: t = %g after %g, expected more",
                      where, k, h->table[2 * k], h->table[2 * k - 2]);
  }
  return SS_OK;
}

static ss_error check_terms(ss_context *ctx, const char *name, const ss_history_term *terms,
                            int count, int length, int per_contact) {
  for (int k = 0; k < count; k++) {
    char where[80];
    snprintf(where, sizeof where, "%s, term %d", name, k);
    SS_TRY(check_history(ctx, where, terms[k].factor));
    for (int i = 0; i < length; i++)
      if (!isfinite(terms[k].x[i])) {
        if (per_contact)
          return ssi_fail(ctx, SS_ERR_DATA, "%s: contact %d, component %d is %g, expected finite",
                          where, i / per_contact, i % per_contact, terms[k].x[i]);
        return ssi_fail(ctx, SS_ERR_DATA, "%s: degree of freedom %d is %g, expected finite", where,
                        i, terms[k].x[i]);
      }
  }
  return SS_OK;
}

static ss_error check_prescribed(ss_context *ctx, const ss_structure *s, bool *taken) {
  for (int k = 0; k < s->prescribed_count; k++) {
    char where[80];
    snprintf(where, sizeof where, "prescribed displacement %d", k);
    int dof = s->prescribed[k].dof;
    if (dof < 0 || dof >= s->ndof)
      return ssi_fail(ctx, SS_ERR_DATA, "%s: degree of freedom %d, expected 0 .. %d", where, dof,
                      s->ndof - 1);
    if (taken[dof])
      return ssi_fail(ctx, SS_ERR_DATA, "%s: degree of freedom %d is prescribed twice", where, dof);
    taken[dof] = true;
    if (!isfinite(s->prescribed[k].value))
      return ssi_fail(ctx, SS_ERR_DATA, "%s: is %g, expected finite", where,
                      s->prescribed[k].value);
    SS_TRY(check_history(ctx, where, s->prescribed[k].factor));
  }
  return SS_OK;
}

static ss_error check_H(ss_context *ctx, const ss_structure *s) {
  if (s->nc > 0 && s->H_count < 1) return ssi_fail(ctx, SS_ERR_DATA, "H is missing");
  for (int k = 0; k < s->H_count; k++) {
    SS_TRY(check_matrix(ctx, "H", &s->H[k], s->dim * s->nc, s->ndof));
    if (s->H_count > 1 && (!isfinite(s->H_time[k]) || (k && !(s->H_time[k] > s->H_time[k - 1]))))
      return ssi_fail(ctx, SS_ERR_DATA, "H: time %d is %g, expected finite and increasing", k,
                      s->H_time[k]);
  }
  return SS_OK;
}

ss_error ssi_structure_check(ss_context *ctx, const ss_structure *s) {
  int64_t rows = (int64_t)s->dim * s->nc;
  if (s->dim < 2 || s->dim > 3 || s->nc < 0 || s->ndof < 1 || rows > INT32_MAX / 2)
    return ssi_fail(ctx, SS_ERR_DATA, "a structure needs dim 2 or 3 and degrees of freedom");
  int m = (int)rows;
  for (int i = 0; i < s->nc; i++)
    if (!(s->mu[i] >= 0) || !isfinite(s->mu[i]))
      return ssi_fail(ctx, SS_ERR_DATA, "friction of contact %d is %g, expected >= 0", i, s->mu[i]);
  SS_TRY(check_square(ctx, "K", &s->K, s->ndof));
  if (s->C.ptr) SS_TRY(check_square(ctx, "C", &s->C, s->ndof));
  if (s->M.ptr) SS_TRY(check_square(ctx, "M", &s->M, s->ndof));
  SS_TRY(check_H(ctx, s));
  SS_TRY(check_terms(ctx, "loads f", s->loads, s->load_count, s->ndof, 0));
  SS_TRY(check_terms(ctx, "gaps b", s->gaps, s->gap_count, m, s->dim));
  SS_TRY(check_terms(ctx, "velocities w", s->slides, s->slide_count, m, s->dim));
  ssi_arena scratch = {.ctx = ctx};
  bool *taken = SSI_TAKE(&scratch, s->ndof, bool);
  ss_error e = taken ? check_prescribed(ctx, s, taken)
                     : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a structure");
  ssi_arena_release(&scratch);
  SS_TRY(e);
  for (int k = 0; k < s->ndof; k++)
    if ((s->q && !isfinite(s->q[k])) || (s->v && !isfinite(s->v[k])))
      return ssi_fail(ctx, SS_ERR_DATA, "start: degree of freedom %d is not finite", k);
  return SS_OK;
}
