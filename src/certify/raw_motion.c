#include "certify/raw_motion.h"

#include <math.h>

#include "base/worst.h"

SSI_CLONES_FMA void ssi_raw_motion(const ss_problem *p, const double *v, bool direction,
                                   ssi_dd *u) {
  int m = p->dim * p->nc;
  bool global = p->form == SS_GLOBAL;
  const double *w = global ? p->w : p->q, *b = global ? p->b : p->s;
  for (int i = 0; i < m; i++) u[i] = ssi_dd_from(direction ? 0 : w[i]);
  for (int k = 0; k < p->nl; k++) u[m + k] = ssi_dd_from(direction ? 0 : b[k]);
  if (global) {
    ssi_raw_add_rows(&p->H, v, u);
    if (p->nl) ssi_raw_add_columns(&p->G, v, u + m);
  } else {
    ssi_raw_add_rows(&p->W, v, u);
    if (p->nl) {
      ssi_raw_add_rows(&p->V, v + m, u);
      ssi_raw_add_columns(&p->V, v, u + m);
      ssi_raw_add_rows(&p->R, v + m, u + m);
    }
  }
  for (int i = 0; i < m + p->nl; i++) u[i] = ssi_dd_finish(u[i]);
}

double ssi_raw_parts_of_row(const ss_sparse *A, int i, const double *x) {
  double sum = 0;
  for (int64_t k = A->ptr ? A->ptr[i] : 0; A->ptr && k < A->ptr[i + 1]; k++)
    sum += fabs(A->x[k] * x[A->col[k]]);
  return sum;
}

double ssi_raw_parts(const ss_problem *p, const double *v) {
  int m = p->dim * p->nc;
  double most = 0;
  for (int i = 0; i < m; i++) {
    double sum = p->form == SS_GLOBAL ? ssi_raw_parts_of_row(&p->H, i, v)
                                      : ssi_raw_parts_of_row(&p->W, i, v);
    if (p->form == SS_REDUCED && p->nl) sum += ssi_raw_parts_of_row(&p->V, i, v + m);
    most = ssi_larger(most, sum);
  }
  return most;
}
