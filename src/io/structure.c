// io/structure.c - the one check that every reader's result and every problem to be written passes.
#include "base/error.h"
#include "io/reader.h"

#include <limits.h>
#include <math.h>

typedef struct checking {
  ss_context *ctx;
  ss_error code;
  const char *name;
} checking;

static ss_error check_vector(const checking *c, const char *at, const double *x, int length) {
  if (length && !x)
    return ssi_fail(c->ctx, c->code, "%s: %s: missing, expected %d numbers", c->name, at, length);
  for (int k = 0; k < length; k++)
    if (!isfinite(x[k]))
      return ssi_fail(c->ctx, c->code, "%s: %s[%d] is %g, expected a finite number", c->name, at, k,
                      x[k]);
  return SS_OK;
}

static ss_error check_row(const checking *c, const char *at, const ss_sparse *A, int i) {
  int last = -1;
  for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
    if (A->col[k] <= last || A->col[k] >= A->cols)
      return ssi_fail(c->ctx, c->code,
                      "%s: %s, row %d: column %d after column %d, expected increasing in 0 .. %d",
                      c->name, at, i, A->col[k], last, A->cols - 1);
    last = A->col[k];
    if (!isfinite(A->x[k]))
      return ssi_fail(c->ctx, c->code, "%s: %s(%d, %d) is %g, expected a finite number", c->name,
                      at, i, last, A->x[k]);
  }
  return SS_OK;
}

static ss_error check_matrix(const checking *c, const char *at, const ss_sparse *A, int rows,
                             int cols) {
  if (A->rows != rows || A->cols != cols)
    return ssi_fail(c->ctx, c->code, "%s: %s is %d x %d, expected %d x %d", c->name, at, A->rows,
                    A->cols, rows, cols);
  if (!A->ptr) {
    if (rows == 0) return SS_OK;
    return ssi_fail(c->ctx, c->code, "%s: %s: missing, expected %d rows", c->name, at, rows);
  }
  if (A->ptr[0] != 0)
    return ssi_fail(c->ctx, c->code, "%s: %s: the first row starts at entry %lld, expected 0",
                    c->name, at, (long long)A->ptr[0]);
  for (int i = 0; i < rows; i++) {
    if (A->ptr[i + 1] < A->ptr[i])
      return ssi_fail(c->ctx, c->code, "%s: %s, row %d: starts at entry %lld and ends at %lld",
                      c->name, at, i, (long long)A->ptr[i], (long long)A->ptr[i + 1]);
    if (A->ptr[i + 1] > A->ptr[i] && (!A->col || !A->x))
      return ssi_fail(c->ctx, c->code, "%s: %s, row %d: its entries are missing", c->name, at, i);
    SS_TRY(check_row(c, at, A, i));
  }
  return SS_OK;
}

static ss_error check_sizes(const checking *c, const ss_problem *p) {
  if (p->form != SS_REDUCED && p->form != SS_GLOBAL)
    return ssi_fail(c->ctx, c->code, "%s: form %d is neither reduced nor global", c->name,
                    (int)p->form);
  if (p->dim != 2 && p->dim != 3)
    return ssi_fail(c->ctx, c->code, "%s: dimension %d, expected 2 or 3", c->name, p->dim);
  if (p->nc < 0 || p->nc > INT_MAX / p->dim)
    return ssi_fail(c->ctx, c->code, "%s: %d contacts, expected 0 .. %d", c->name, p->nc,
                    INT_MAX / p->dim);
  if (p->nl < 0 || p->ndof < 0)
    return ssi_fail(c->ctx, c->code, "%s: %d degrees of freedom, %d bilateral constraints", c->name,
                    p->ndof, p->nl);
  return SS_OK;
}

static ss_error check_reduced(const checking *c, const ss_problem *p) {
  int m = p->dim * p->nc;
  SS_TRY(check_matrix(c, "W", &p->W, m, m));
  SS_TRY(check_vector(c, "q", p->q, m));
  if (!p->nl) return SS_OK;
  SS_TRY(check_matrix(c, "V", &p->V, m, p->nl));
  SS_TRY(check_matrix(c, "R", &p->R, p->nl, p->nl));
  return check_vector(c, "s", p->s, p->nl);
}

static ss_error check_global(const checking *c, const ss_problem *p) {
  int m = p->dim * p->nc;
  SS_TRY(check_matrix(c, "M", &p->M, p->ndof, p->ndof));
  SS_TRY(check_matrix(c, "H", &p->H, m, p->ndof));
  SS_TRY(check_vector(c, "f", p->f, p->ndof));
  SS_TRY(check_vector(c, "w", p->w, m));
  if (!p->nl) return SS_OK;
  SS_TRY(check_matrix(c, "G", &p->G, p->ndof, p->nl));
  return check_vector(c, "b", p->b, p->nl);
}

static bool is_finite(const double *x, int length) {
  for (int k = 0; x && k < length; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

static void say_if_not_finite(const checking *c, const char *what, const ss_problem *p,
                              const ss_solution *s) {
  int m = p->dim * p->nc;
  if (!is_finite(s->r, m) || !is_finite(s->u, m) || !is_finite(s->v, p->ndof) ||
      !is_finite(s->l, p->nl))
    ssi_log(c->ctx, SS_LOG_WARN, "%s: the %s in it has numbers that are not finite", c->name, what);
}

ss_error ssi_check_structure(ss_context *ctx, ss_error code, const char *name,
                             const ss_file *what) {
  const checking c = {ctx, code, name};
  const ss_problem *p = &what->problem;
  SS_TRY(check_sizes(&c, p));
  SS_TRY(check_vector(&c, "mu", p->mu, p->nc));
  SS_TRY(p->form == SS_GLOBAL ? check_global(&c, p) : check_reduced(&c, p));
  if (what->normals) SS_TRY(check_vector(&c, "normals", what->normals, p->dim * p->nc));
  if ((what->gap || what->rate) && p->form != SS_GLOBAL)
    return ssi_fail(ctx, code, "%s: gaps and rates belong to an instant, which has the global form",
                    name);
  if (what->gap) SS_TRY(check_vector(&c, "gap", what->gap, p->nc));
  if (what->rate) SS_TRY(check_vector(&c, "rate", what->rate, p->dim * p->nc));
  say_if_not_finite(&c, "solution", p, &what->solution);
  for (int k = 0; k < what->guess_count; k++) say_if_not_finite(&c, "guess", p, &what->guesses[k]);
  return SS_OK;
}
