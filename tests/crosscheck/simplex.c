// crosscheck/simplex.c - see simplex.h. Two phases on a dense tableau, Bland's rule.
#include "simplex.h"

#include <stdlib.h>

typedef struct tableau {
  int rows, real, cols;  // cols = real + rows artificial ones + the right-hand side
  qmat t;                // rows x cols, and the reduced costs as the last row
  int *basis;            // (rows)
} tableau;

static mpq_ptr at(const tableau *T, int i, int j) {
  return qat(&T->t, i, j);
}

static void pivot(tableau *T, int row, int col) {
  mpq_t factor, t;
  mpq_inits(factor, t, NULL);
  mpq_inv(factor, at(T, row, col));
  for (int j = 0; j < T->cols; j++)
    if (mpq_sgn(at(T, row, j))) mpq_mul(at(T, row, j), at(T, row, j), factor);
  for (int i = 0; i <= T->rows; i++) {
    if (i == row || mpq_sgn(at(T, i, col)) == 0) continue;
    mpq_set(factor, at(T, i, col));
    for (int j = 0; j < T->cols; j++) {
      if (mpq_sgn(at(T, row, j)) == 0) continue;
      mpq_mul(t, factor, at(T, row, j));
      mpq_sub(at(T, i, j), at(T, i, j), t);
    }
  }
  T->basis[row] = col;
  mpq_clears(factor, t, NULL);
}

// The row that leaves when col enters: smallest ratio, then smallest variable; -1: none.
static int leaving(const tableau *T, int col) {
  int best = -1, rhs = T->cols - 1;
  mpq_t ratio, least;
  mpq_inits(ratio, least, NULL);
  for (int i = 0; i < T->rows; i++) {
    if (mpq_sgn(at(T, i, col)) <= 0) continue;
    mpq_div(ratio, at(T, i, rhs), at(T, i, col));
    int order = best < 0 ? -1 : mpq_cmp(ratio, least);
    if (order > 0 || (order == 0 && T->basis[i] > T->basis[best])) continue;
    best = i;
    mpq_set(least, ratio);
  }
  mpq_clears(ratio, least, NULL);
  return best;
}

static lp_status descend(tableau *T, int columns) {
  for (;;) {
    int col = 0;
    while (col < columns && mpq_sgn(at(T, T->rows, col)) >= 0) col++;
    if (col == columns) return LP_OPTIMAL;
    int row = leaving(T, col);
    if (row < 0) return LP_UNBOUNDED;
    pivot(T, row, col);
  }
}

static tableau begin(const qmat *A, const qmat *b) {
  int m = A->rows, n = A->cols, rhs = n + m;
  tableau T = {m, n, n + m + 1, qmat_new(m + 1, n + m + 1), calloc((size_t)m + 1, sizeof(int))};
  if (!T.basis) abort();
  for (int i = 0; i < m; i++) {
    bool flip = mpq_sgn(qat(b, i, 0)) < 0;
    for (int j = 0; j < n; j++) mpq_set(at(&T, i, j), qat(A, i, j));
    mpq_set(at(&T, i, rhs), qat(b, i, 0));
    for (int j = 0; j < T.cols && flip; j++) mpq_neg(at(&T, i, j), at(&T, i, j));
    mpq_set_ui(at(&T, i, n + i), 1, 1);
    T.basis[i] = n + i;
    for (int j = 0; j < T.cols; j++)  // costs: the sum of the artificial ones
      if (j < n || j == rhs) mpq_sub(at(&T, m, j), at(&T, m, j), at(&T, i, j));
  }
  return T;
}

// Artificial variables that are still in the basis, at zero, leave it where a real one can enter.
static void drive_out(tableau *T) {
  for (int i = 0; i < T->rows; i++) {
    if (T->basis[i] < T->real) continue;
    int j = 0;
    while (j < T->real && mpq_sgn(at(T, i, j)) == 0) j++;
    if (j < T->real) pivot(T, i, j);
  }
}

static void set_costs(tableau *T, const qmat *c) {
  mpq_t t, cost;
  mpq_inits(t, cost, NULL);
  for (int j = 0; j < T->cols; j++)
    j < T->real ? mpq_set(at(T, T->rows, j), c->x[j]) : mpq_set_ui(at(T, T->rows, j), 0, 1);
  for (int i = 0; i < T->rows; i++) {
    if (T->basis[i] >= T->real) continue;
    mpq_set(cost, c->x[T->basis[i]]);
    for (int j = 0; j < T->cols && mpq_sgn(cost); j++) {
      mpq_mul(t, cost, at(T, i, j));
      mpq_sub(at(T, T->rows, j), at(T, T->rows, j), t);
    }
  }
  mpq_clears(t, cost, NULL);
}

lp_status lp_solve(const qmat *A, const qmat *b, const qmat *c, mpq_t *x, mpq_ptr value) {
  tableau T = begin(A, b);
  int rhs = T.cols - 1;
  lp_status status = descend(&T, T.real);
  if (mpq_sgn(at(&T, T.rows, rhs)) != 0) status = LP_INFEASIBLE;
  if (status == LP_OPTIMAL && c) {
    drive_out(&T);
    set_costs(&T, c);
    status = descend(&T, T.real);
    if (value) mpq_neg(value, at(&T, T.rows, rhs));
  }
  for (int j = 0; j < T.real && x; j++) mpq_set_ui(x[j], 0, 1);
  for (int i = 0; i < T.rows && x; i++)
    if (T.basis[i] < T.real) mpq_set(x[T.basis[i]], at(&T, i, rhs));
  qmat_free(&T.t);
  free(T.basis);
  return status;
}
