// Evidence that is not about criterion (A): a solution itself, and a direction in which W is negative.
#include <lapacke.h>
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/worst.h"
#include "certify/certificate_check.h"
#include "la/dd.h"

// ---- a solution ----------------------------------------------------------------------------

// max |said - found| / max |found|; 0 where nothing is said
static double difference(int n, const double *said, const double *found) {
  double most = 0, size = 0;
  for (int i = 0; i < n && said; i++) {
    most = ssi_larger(most, fabs(said[i] - found[i]));
    size = fmax(size, fabs(found[i]));
  }
  return most > 0 ? most / size : 0;
}

ss_error ssi_certificate_measure_solution(ss_context *ctx, const ss_problem *p,
                                          const ss_solution *s, ss_certificate_report *out) {
  ssi_arena arena = {.ctx = ctx};
  int m = p->dim * p->nc, n = p->form == SS_GLOBAL ? p->ndof : 0;
  double *u = SSI_TAKE(&arena, m + 1, double), *v = SSI_TAKE(&arena, n + 1, double);
  ss_verdict verdict;
  ss_error e =
      arena.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to check a certificate") : SS_OK;
  if (!e) e = ss_verify(ctx, p, s, u, n ? v : NULL, NULL, NULL, &verdict);
  if (!e) {
    out->has_solution = true;
    out->solution_error = verdict.error;
    out->solution_u = difference(m, s->u, u);
    out->solution_v = difference(n, s->v, v);
    ss_solution_proof proof;
    e = ss_prove_solution(ctx, p, s->r, &proof);
    out->solution_proves = proof.proved;
  }
  ssi_arena_release(&arena);
  return e;
}

// ---- outside the class ---------------------------------------------------------------------

typedef struct form_sum {  // z.A z, and the sum of the sizes of its terms
  ssi_dd value;
  double terms;
} form_sum;

// x.A y, `times` over
static void add_form(form_sum *sum, const ss_sparse *A, const double *x, const double *y,
                     double times) {
  for (int i = 0; i < A->rows && A->ptr; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      ssi_dd term = ssi_dd_mul_d(ssi_two_prod(x[i], y[A->col[k]]), times * A->x[k]);
      sum->value = ssi_dd_add(sum->value, term);
      sum->terms += fabs(term.hi);
    }
}

void ssi_certificate_measure_indefinite(const ss_problem *p, const double *z,
                                        ss_certificate_report *out) {
  form_sum sum = {0};
  int m = p->dim * p->nc;
  if (p->form == SS_GLOBAL) {
    add_form(&sum, &p->M, z, z, 1);
  } else {
    add_form(&sum, &p->W, z, z, 1);
    if (p->nl) add_form(&sum, &p->V, z, z + m, 2), add_form(&sum, &p->R, z + m, z + m, 1);
  }
  out->has_indefinite = true;
  out->indefinite = sum.value.hi;
  out->indefinite_terms = sum.terms;
}

enum { DENSE_ROWS = 3000 };  // above, W is believed

// A (size x size, column-major, lower half): sym[W V; V^T R] + shift of its largest entry
static void fill_shifted(const ss_problem *p, int size, double shift, double *A) {
  int m = p->dim * p->nc;
  size_t n = (size_t)size;
  const ss_sparse *part[] = {&p->W, &p->R, &p->V};
  for (int which = 0; which < (p->nl ? 3 : 1); which++)
    for (int i = 0; i < part[which]->rows && part[which]->ptr; i++)
      for (int64_t k = part[which]->ptr[i]; k < part[which]->ptr[i + 1]; k++) {
        size_t row = (size_t)(which == 1 ? m + i : i);
        size_t col = (size_t)(which ? m + part[which]->col[k] : part[which]->col[k]);
        double x = part[which]->x[k] / (which == 2 ? 1 : 2);
        A[n * row + col] += x, A[n * col + row] += x;
      }
  double most = 0;
  for (size_t k = 0; k < n * n; k++) most = fmax(most, fabs(A[k]));
  for (size_t i = 0; i < n; i++) A[n * i + i] += shift * most;
}

ss_error ssi_certificate_measure_class(ss_context *ctx, const ss_problem *p, double rank_tol,
                                       ss_certificate_report *out) {
  int size = p->dim * p->nc + p->nl;
  out->outside_class = false;
  if (p->form == SS_GLOBAL || size > DENSE_ROWS || !size) return SS_OK;
  ssi_arena arena = {.ctx = ctx};
  double *A = SSI_TAKE(&arena, (size_t)size * (size_t)size, double);
  double most = 0;
  if (arena.failed)
    return ssi_arena_release(&arena),
           ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to check a certificate");
  fill_shifted(p, size, fmax(rank_tol, 1e-13), A);
  for (int64_t k = 0; k < (int64_t)size * size; k++) most = fmax(most, fabs(A[k]));
  if (most > 0)  // W = 0 is semi-definite
    out->outside_class = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size, A, size) != 0;
  ssi_arena_release(&arena);
  return SS_OK;
}
