// crosscheck/rational.c - see rational.h.
#include "rational.h"

#include <math.h>
#include <stdlib.h>

qmat qmat_new(int rows, int cols) {
  qmat a = {rows, cols, malloc(sizeof(mpq_t) * (size_t)(rows * cols + 1))};
  if (!a.x) abort();
  for (int k = 0; k < rows * cols; k++) mpq_init(a.x[k]);
  return a;
}

void qmat_free(qmat *a) {
  for (int k = 0; k < a->rows * a->cols; k++) mpq_clear(a->x[k]);
  free(a->x);
  *a = (qmat){0};
}

void qmat_set(qmat *to, const qmat *from) {
  for (int k = 0; k < from->rows * from->cols; k++) mpq_set(to->x[k], from->x[k]);
}

static void swap_rows(qmat *a, int i, int j) {
  for (int k = 0; k < a->cols && i != j; k++) mpq_swap(qat(a, i, k), qat(a, j, k));
}

static void divide_row(qmat *a, int i, mpq_srcptr by) {
  for (int k = 0; k < a->cols; k++) mpq_div(qat(a, i, k), qat(a, i, k), by);
}

static void subtract_row(qmat *a, int from, int what, mpq_srcptr times) {
  mpq_t t;
  mpq_init(t);
  for (int k = 0; k < a->cols; k++) {
    if (mpq_sgn(qat(a, what, k)) == 0) continue;
    mpq_mul(t, times, qat(a, what, k));
    mpq_sub(qat(a, from, k), qat(a, from, k), t);
  }
  mpq_clear(t);
}

bool qmat_solve(qmat *a, qmat *b) {
  mpq_t t;
  mpq_init(t);
  bool regular = true;
  for (int p = 0; p < a->rows && regular; p++) {
    int i = p;
    while (i < a->rows && mpq_sgn(qat(a, i, p)) == 0) i++;
    regular = i < a->rows;
    if (!regular) break;
    swap_rows(a, i, p);
    swap_rows(b, i, p);
    mpq_set(t, qat(a, p, p));
    divide_row(a, p, t);
    divide_row(b, p, t);
    for (i = 0; i < a->rows; i++) {
      if (i == p || mpq_sgn(qat(a, i, p)) == 0) continue;
      mpq_set(t, qat(a, i, p));
      subtract_row(a, i, p, t);
      subtract_row(b, i, p, t);
    }
  }
  mpq_clear(t);
  return regular;
}

double q_nearest(mpq_srcptr a) {
  double low = mpq_get_d(a);  // towards zero
  double high = nextafter(low, mpq_sgn(a) < 0 ? -INFINITY : INFINITY);
  mpq_t x, y;
  mpq_inits(x, y, NULL);
  mpq_set_d(x, low);
  mpq_set_d(y, high);
  mpq_sub(x, a, x);
  mpq_sub(y, y, a);
  mpq_abs(x, x);
  mpq_abs(y, y);
  bool up = mpq_cmp(x, y) >= 0 && mpq_sgn(a) != 0;
  mpq_clears(x, y, NULL);
  return up ? high : low;
}

// ---- the problem ---------------------------------------------------------------------------

exact_problem exact_new(int n, int dofs) {
  return (exact_problem){.n = n,
                         .dofs = dofs,
                         .mu = qmat_new(n, 1),
                         .M = qmat_new(dofs, dofs),
                         .f = qmat_new(dofs, 1),
                         .H = qmat_new(2 * n, dofs),
                         .w = qmat_new(2 * n, 1),
                         .W = qmat_new(2 * n, 2 * n),
                         .q = qmat_new(2 * n, 1),
                         .terms = qmat_new(2 * n, 1)};
}

void exact_free(exact_problem *p) {
  qmat *all[] = {&p->mu, &p->M, &p->f, &p->H, &p->w, &p->W, &p->q, &p->terms};
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) qmat_free(all[k]);
}

// out += sum_k H_ik x_kj
static void add_row_times_column(mpq_ptr out, const qmat *H, int i, const qmat *x, int j) {
  mpq_t t;
  mpq_init(t);
  for (int k = 0; k < H->cols; k++) {
    if (mpq_sgn(qat(H, i, k)) == 0) continue;
    mpq_mul(t, qat(H, i, k), qat(x, k, j));
    mpq_add(out, out, t);
  }
  mpq_clear(t);
}

// terms_i = |w_i| + sum_k |H_ik| |x_kj|
static void add_terms(exact_problem *p, int i, const qmat *x, int j) {
  mpq_t t;
  mpq_init(t);
  mpq_abs(p->terms.x[i], p->w.x[i]);
  for (int k = 0; k < p->dofs; k++) {
    mpq_mul(t, qat(&p->H, i, k), qat(x, k, j));
    mpq_abs(t, t);
    mpq_add(p->terms.x[i], p->terms.x[i], t);
  }
  mpq_clear(t);
}

bool exact_reduce(exact_problem *p) {
  int m = 2 * p->n, d = p->dofs;
  qmat a = qmat_new(d, d), b = qmat_new(d, m + 1);  // M, [H^T f]
  qmat_set(&a, &p->M);
  for (int k = 0; k < d; k++) {
    for (int i = 0; i < m; i++) mpq_set(qat(&b, k, i), qat(&p->H, i, k));
    mpq_set(qat(&b, k, m), qat(&p->f, k, 0));
  }
  bool regular = qmat_solve(&a, &b);
  for (int i = 0; i < m && regular; i++) {
    for (int j = 0; j < m; j++) {
      mpq_set_ui(qat(&p->W, i, j), 0, 1);
      add_row_times_column(qat(&p->W, i, j), &p->H, i, &b, j);
    }
    mpq_set_ui(qat(&p->q, i, 0), 0, 1);
    add_row_times_column(qat(&p->q, i, 0), &p->H, i, &b, m);
    mpq_sub(qat(&p->q, i, 0), qat(&p->w, i, 0), qat(&p->q, i, 0));
    add_terms(p, i, &b, m);
  }
  qmat_free(&a);
  qmat_free(&b);
  return regular;
}
