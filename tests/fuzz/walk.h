// tests/fuzz/walk.h - looks at everything a reader returned, so that a wrong pointer shows, and
// aborts where it is not what stickslip/problem.h promises.
#pragma once

#include <math.h>
#include <stdlib.h>

#include "stickslip/problem.h"

static inline void walk_vector(const double *x, int count) {
  for (int k = 0; k < count; k++)
    if (!isfinite(x[k])) abort();
}

static inline void walk_matrix(const ss_sparse *A, int rows, int cols) {
  if (A->rows != rows || A->cols != cols || A->ptr[0] != 0) abort();
  for (int i = 0; i < rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      bool increasing = k == A->ptr[i] ? A->col[k] >= 0 : A->col[k] > A->col[k - 1];
      if (!increasing || A->col[k] >= cols || !isfinite(A->x[k])) abort();
    }
}

static inline void walk_problem(const ss_problem *p) {
  int m = p->dim * p->nc;
  bool reduced = p->form == SS_REDUCED;
  walk_vector(p->mu, p->nc);
  if (reduced) {
    walk_matrix(&p->W, m, m);
    walk_vector(p->q, m);
  } else {
    walk_matrix(&p->M, p->ndof, p->ndof);
    walk_matrix(&p->H, m, p->ndof);
    walk_vector(p->f, p->ndof);
    walk_vector(p->w, m);
  }
  if (p->nl == 0) return;
  if (reduced) {
    walk_matrix(&p->V, m, p->nl);
    walk_matrix(&p->R, p->nl, p->nl);
  } else {
    walk_matrix(&p->G, p->ndof, p->nl);
  }
  walk_vector(reduced ? p->s : p->b, p->nl);
}
