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

exact_problem exact_new(int n, int dofs, int joints) {
  return (exact_problem){.n = n,
                         .dofs = dofs,
                         .joints = joints,
                         .mu = qmat_new(n, 1),
                         .M = qmat_new(dofs, dofs),
                         .f = qmat_new(dofs, 1),
                         .H = qmat_new(2 * n, dofs),
                         .w = qmat_new(2 * n, 1),
                         .G = qmat_new(dofs, joints),
                         .b = qmat_new(joints, 1),
                         .W = qmat_new(2 * n, 2 * n),
                         .q = qmat_new(2 * n, 1),
                         .free_q = qmat_new(2 * n, 1),
                         .terms = qmat_new(2 * n, 1)};
}

void exact_free(exact_problem *p) {
  qmat *all[] = {&p->mu, &p->M, &p->f, &p->H,      &p->w,    &p->G,
                 &p->b,  &p->W, &p->q, &p->free_q, &p->terms};
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) qmat_free(all[k]);
}

// Contacts and joints as one: rows A = [H; G^T] (2n + joints), c = [w; b], so that [u; 0] = A v + c and
// v = M^-1 (A^T [r; l] - f).
typedef struct stacked {
  int m, rows;  // rows of contacts, of all
  qmat A, c;    // rows x dofs, rows x 1
  qmat X;       // M^-1 [A^T f]: dofs x (rows + 1)
  qmat T;       // [u; 0] = T [r; l; 1]: rows x (rows + 1)
  qmat terms;   // rows x 1: |c| + |A| |M^-1 f|
} stacked;

static void stack(const exact_problem *p, stacked *s) {
  int m = 2 * p->n, d = p->dofs;
  s->m = m;
  s->rows = m + p->joints;
  s->A = qmat_new(s->rows, d);
  s->c = qmat_new(s->rows, 1);
  s->X = qmat_new(d, s->rows + 1);
  s->T = qmat_new(s->rows, s->rows + 1);
  s->terms = qmat_new(s->rows, 1);
  for (int i = 0; i < s->rows; i++) {
    mpq_set(s->c.x[i], i < m ? p->w.x[i] : p->b.x[i - m]);
    for (int k = 0; k < d; k++) {
      mpq_set(qat(&s->A, i, k), i < m ? qat(&p->H, i, k) : qat(&p->G, k, i - m));
      mpq_set(qat(&s->X, k, i), qat(&s->A, i, k));
    }
  }
  for (int k = 0; k < d; k++) mpq_set(qat(&s->X, k, s->rows), p->f.x[k]);
}

static void stacked_free(stacked *s) {
  qmat *all[] = {&s->A, &s->c, &s->X, &s->T, &s->terms};
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) qmat_free(all[k]);
}

// T = [A M^-1 A^T, c - A M^-1 f]
static void multiply_out(stacked *s) {
  mpq_t t;
  mpq_init(t);
  for (int i = 0; i < s->rows; i++) {
    mpq_abs(s->terms.x[i], s->c.x[i]);
    for (int j = 0; j <= s->rows; j++) {
      mpq_ptr sum = qat(&s->T, i, j);
      for (int k = 0; k < s->A.cols; k++) {
        if (mpq_sgn(qat(&s->A, i, k)) == 0) continue;
        mpq_mul(t, qat(&s->A, i, k), qat(&s->X, k, j));
        mpq_add(sum, sum, t);
        if (j < s->rows) continue;
        mpq_abs(t, t);
        mpq_add(s->terms.x[i], s->terms.x[i], t);
      }
      if (j == s->rows) mpq_sub(sum, s->c.x[i], sum);
    }
  }
  mpq_clear(t);
}

// Contacts joined by W, V and R, before anything is eliminated.
static void find_reach(const stacked *s, unsigned *reach) {
  int group[2 * EXACT_CONTACTS + EXACT_JOINTS];
  for (int i = 0; i < s->rows; i++) group[i] = i < s->m ? i / 2 * 2 : i;
  for (int i = 0; i < s->rows; i++)
    for (int j = 0; j < s->rows; j++) {
      int a = group[i], b = group[j];
      if (a == b || mpq_sgn(qat(&s->T, i, j)) == 0) continue;
      for (int k = 0; k < s->rows; k++)
        if (group[k] == b) group[k] = a;
    }
  for (int a = 0; 2 * a < s->m; a++) {
    reach[a] = 0;
    for (int b = 0; 2 * b < s->m; b++)
      if (group[2 * a] == group[2 * b]) reach[a] |= 1u << b;
  }
}

// The l of one joint from one row of the joints, put into all others. A row that has no l left is redundant, and
// has no r either (A M^-1 A^T is semi-definite), or contradicts the others: find_gap says which.
static void eliminate_joints(stacked *s) {
  bool used[2 * EXACT_CONTACTS + EXACT_JOINTS] = {false};
  mpq_t factor, t;
  mpq_inits(factor, t, NULL);
  for (int k = s->m; k < s->rows; k++) {
    int pivot = s->m;
    while (pivot < s->rows && (used[pivot] || mpq_sgn(qat(&s->T, pivot, k)) == 0)) pivot++;
    if (pivot == s->rows) continue;
    used[pivot] = true;
    for (int i = 0; i < s->rows; i++) {
      if (i == pivot || mpq_sgn(qat(&s->T, i, k)) == 0) continue;
      mpq_div(factor, qat(&s->T, i, k), qat(&s->T, pivot, k));
      subtract_row(&s->T, i, pivot, factor);
      mpq_abs(factor, factor);
      mpq_mul(t, factor, s->terms.x[pivot]);
      mpq_add(s->terms.x[i], s->terms.x[i], t);
    }
  }
  mpq_clears(factor, t, NULL);
}

// Rows [G^T | 1 | b] are eliminated in the first part; what is left of a row is l with G l = 0, and b.l. For any v
// |b.l| = |l.(G^T v + b)| <= |l| |G^T v + b|.
static void find_gap(exact_problem *p) {
  int d = p->dofs, n = p->joints, done = 0;
  qmat A = qmat_new(n, d + n + 1);
  mpq_t factor;
  mpq_init(factor);
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < d; k++) mpq_set(qat(&A, j, k), qat(&p->G, k, j));
    mpq_set_si(qat(&A, j, d + j), 1, 1);
    mpq_set(qat(&A, j, d + n), p->b.x[j]);
  }
  for (int k = 0; k < d; k++) {
    int pivot = done;
    while (pivot < n && mpq_sgn(qat(&A, pivot, k)) == 0) pivot++;
    if (pivot == n) continue;
    swap_rows(&A, pivot, done);
    for (int j = done + 1; j < n; j++) {
      mpq_div(factor, qat(&A, j, k), qat(&A, done, k));
      subtract_row(&A, j, done, factor);
    }
    done++;
  }
  p->contradictory = false;
  p->gap = 0;
  for (int j = done; j < n; j++) {
    double size = 0;
    for (int k = 0; k < n; k++) size = hypot(size, mpq_get_d(qat(&A, j, d + k)));
    p->contradictory = p->contradictory || mpq_sgn(qat(&A, j, d + n)) != 0;
    p->gap = fmax(p->gap, fabs(mpq_get_d(qat(&A, j, d + n))) / size);
  }
  mpq_clear(factor);
  qmat_free(&A);
}

bool exact_reduce(exact_problem *p) {
  stacked s;
  qmat M = qmat_new(p->dofs, p->dofs);
  qmat_set(&M, &p->M);
  stack(p, &s);
  bool regular = qmat_solve(&M, &s.X);
  if (regular) {
    multiply_out(&s);
    find_reach(&s, p->reach);
    for (int i = 0; i < s.m; i++) mpq_set(p->free_q.x[i], qat(&s.T, i, s.rows));
    p->free_gap = 0;
    for (int i = s.m; i < s.rows; i++)
      p->free_gap = fmax(p->free_gap, fabs(mpq_get_d(qat(&s.T, i, s.rows))));
    eliminate_joints(&s);
    find_gap(p);
    for (int i = 0; i < s.m; i++) {
      for (int j = 0; j < s.m; j++) mpq_set(qat(&p->W, i, j), qat(&s.T, i, j));
      mpq_set(p->q.x[i], qat(&s.T, i, s.rows));
      mpq_set(p->terms.x[i], s.terms.x[i]);
    }
  }
  qmat_free(&M);
  stacked_free(&s);
  return regular;
}
