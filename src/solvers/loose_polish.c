#include "solvers/loose_polish.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "la/dd.h"
#include "la/lapack.h"
#include "la/sparse.h"

enum { PASSES = 4 };
static const double RANK = 1e-12;  // of the largest singular value

// Unknowns v, r, l; equations: balance (ndof), joints (nl), contacts (m).
typedef struct loose_system {
  const ss_problem *p;
  const ss_contact_verdict *state;
  int m, n, rows, cols;
  double *A, *rest;  // (rows x cols), column-major; (max(rows, cols))
  ssi_dd *sum;       // (rows)
  double *row_size;  // (rows)
} loose_system;

static void put(loose_system *s, int row, int col, double x) {
  s->A[(size_t)s->rows * (size_t)col + (size_t)row] += x;
}

// A += sign * B at (row, col), or its transpose
static void put_matrix(loose_system *s, const ss_sparse *B, int row, int col, double sign,
                       bool transposed) {
  for (int i = 0; i < B->rows && B->ptr; i++)
    for (int64_t k = B->ptr[i]; k < B->ptr[i + 1]; k++)
      put(s, row + (transposed ? B->col[k] : i), col + (transposed ? i : B->col[k]),
          sign * B->x[k]);
}

static void put_motion(loose_system *s, int i, int row) {  // row i of H
  const ss_sparse *H = &s->p->H;
  for (int64_t k = H->ptr ? H->ptr[i] : 0; H->ptr && k < H->ptr[i + 1]; k++)
    put(s, row, H->col[k], H->x[k]);
}

static void fill(loose_system *s, const double *tangent) {
  const ss_problem *p = s->p;
  int r = s->n, l = s->n + s->m, d = p->dim, at = s->n + p->nl;
  memset(s->A, 0, sizeof *s->A * (size_t)s->rows * (size_t)s->cols);
  put_matrix(s, &p->M, 0, 0, 1, false);
  put_matrix(s, &p->H, 0, r, -1, true);
  if (p->nl) put_matrix(s, &p->G, 0, l, -1, false), put_matrix(s, &p->G, s->n, 0, 1, true);
  for (int i = 0; i < s->m; i++) {
    ss_state state = s->state[i / d].state;
    bool moves = state == SS_STICK || (state == SS_SLIP && i % d == 0);
    if (moves)
      put_motion(s, i, at + i);
    else
      put(s, at + i, r + i, 1);
    if (state == SS_SLIP && i % d) put(s, at + i, r + i - i % d, p->mu[i / d] * tangent[i]);
  }
}

// What x leaves: A x and the constants, in double-double; then each row over its largest entry.
static void find_rest(loose_system *s, const double *x) {
  const ss_problem *p = s->p;
  int d = p->dim, at = s->n + p->nl;
  for (int i = 0; i < s->rows; i++) {
    double constant = i < s->n ? p->f[i] : i < at ? p->b[i - s->n] : p->w[i - at];
    ss_state state = i < at ? SS_STICK : s->state[(i - at) / d].state;
    bool moves = state == SS_STICK || (state == SS_SLIP && (i - at) % d == 0);
    s->sum[i] = ssi_dd_from(moves ? constant : 0);
    s->row_size[i] = 0;
  }
  for (int c = 0; c < s->cols; c++)
    for (int i = 0; i < s->rows; i++) {
      double a = s->A[(size_t)s->rows * (size_t)c + (size_t)i];
      if (a == 0) continue;
      s->sum[i] = ssi_dd_add(s->sum[i], ssi_two_prod(a, x[c]));
      s->row_size[i] = fmax(s->row_size[i], fabs(a));
    }
  for (int i = 0; i < s->rows; i++) {
    double size = s->row_size[i] > 0 ? s->row_size[i] : 1;
    s->rest[i] = -s->sum[i].hi / size;
    for (int c = 0; c < s->cols; c++) s->A[(size_t)s->rows * (size_t)c + (size_t)i] /= size;
  }
}

static void tangents(const loose_system *s, const double *v, double *tangent) {
  int d = s->p->dim;
  if (s->m) memcpy(tangent, s->p->w, sizeof *tangent * (size_t)s->m);
  ssi_sparse_multiply_add(&s->p->H, v, tangent);
  for (int i = 0; i < s->p->nc; i++) {
    double *t = tangent + d * i, size = hypot(t[1], d == 3 ? t[2] : 0);
    for (int k = 1; k < d; k++) t[k] = size > 0 ? t[k] / size : 0;
  }
}

ss_error ssi_loose_polish(ssi_arena *arena, const ss_problem *p, const ss_contact_verdict *state,
                          double *r, double *v, double *l) {
  loose_system s = {.p = p, .state = state, .m = p->dim * p->nc, .n = p->ndof};
  s.rows = s.cols = s.n + p->nl + s.m;
  size_t n = (size_t)s.rows, rank_size = n + 1;
  s.A = SSI_TAKE(arena, n * n, double);
  s.rest = SSI_TAKE(arena, n, double);
  s.sum = SSI_TAKE(arena, n, ssi_dd);
  s.row_size = SSI_TAKE(arena, n, double);
  double *x = SSI_TAKE(arena, n, double), *tangent = SSI_TAKE(arena, s.m, double);
  double *singular = SSI_TAKE(arena, rank_size, double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int pass = 0; pass < PASSES && n; pass++) {
    lapack_int rank;
    tangents(&s, v, tangent);
    fill(&s, tangent);
    memcpy(x, v, sizeof *x * (size_t)s.n);
    if (s.m) memcpy(x + s.n, r, sizeof *x * (size_t)s.m);
    if (p->nl) memcpy(x + s.n + s.m, l, sizeof *x * (size_t)p->nl);
    find_rest(&s, x);
    ss_error e =
        ssi_least_squares(LAPACK_COL_MAJOR, s.rows, 1, s.A, s.rest, singular, RANK, &rank);
    if (e) return e == SS_ERR_MEMORY ? e : SS_ERR_LINEAR;
    for (int i = 0; i < s.n; i++) v[i] += s.rest[i];
    for (int i = 0; i < s.m; i++) r[i] += s.rest[s.n + i];
    for (int k = 0; k < p->nl; k++) l[k] += s.rest[s.n + s.m + k];
  }
  return SS_OK;
}
