// support/same_problem.h - two problems are the same to the last bit, in the same arrays.
#pragma once

#include "harness.h"
#include "la/sparse.h"
#include "stickslip/problem.h"

static inline void assert_same_matrix(const ss_sparse *A, const ss_sparse *B) {
  assert_int_equal(A->rows, B->rows);
  assert_int_equal(A->cols, B->cols);
  int64_t count = ssi_sparse_entries(A);
  assert_int_equal(count, ssi_sparse_entries(B));
  if (A->rows) assert_memory_equal(A->ptr, B->ptr, ((size_t)A->rows + 1) * sizeof *A->ptr);
  if (!count) return;
  assert_memory_equal(A->col, B->col, (size_t)count * sizeof *A->col);
  assert_memory_equal(A->x, B->x, (size_t)count * sizeof *A->x);
}

static inline void assert_same_vector(const double *x, const double *y, int count) {
  assert_int_equal(x == NULL, y == NULL);
  if (x && count) assert_memory_equal(x, y, (size_t)count * sizeof *x);
}

static inline void assert_same_solution(const ss_problem *p, const ss_solution *a,
                                        const ss_solution *b) {
  assert_same_vector(a->r, b->r, p->dim * p->nc);
  assert_same_vector(a->u, b->u, p->dim * p->nc);
  assert_same_vector(a->v, b->v, p->ndof);
  assert_same_vector(a->l, b->l, p->nl);
}

static inline void assert_same_problem(const ss_problem *a, const ss_problem *b) {
  int m = a->dim * a->nc;
  assert_int_equal(a->form, b->form);
  assert_int_equal(a->dim, b->dim);
  assert_int_equal(a->nc, b->nc);
  assert_int_equal(a->ndof, b->ndof);
  assert_int_equal(a->nl, b->nl);
  assert_same_vector(a->mu, b->mu, a->nc);
  assert_same_vector(a->q, b->q, m);
  assert_same_vector(a->s, b->s, a->nl);
  assert_same_vector(a->f, b->f, a->ndof);
  assert_same_vector(a->w, b->w, m);
  assert_same_vector(a->b, b->b, a->nl);
  assert_same_matrix(&a->W, &b->W);
  assert_same_matrix(&a->V, &b->V);
  assert_same_matrix(&a->R, &b->R);
  assert_same_matrix(&a->M, &b->M);
  assert_same_matrix(&a->H, &b->H);
  assert_same_matrix(&a->G, &b->G);
}
