#include "certify/definite.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/lapack.h"
#include "la/vector.h"

enum { DENSE = 3000, STEPS = 100 };
static const double ROUNDED = 1e-13;  // of the largest entry: rounding of forming W

// A += part of B at (row, col), symmetrised: A (size x size) gets (B + B^T)/2 where B is on the diagonal.
static void add(const ss_sparse *B, int row, int col, int size, double *A) {
  for (int i = 0; B->ptr && i < B->rows; i++)
    for (int64_t k = B->ptr[i]; k < B->ptr[i + 1]; k++) {
      A[(size_t)size * (size_t)(row + i) + (size_t)(col + B->col[k])] += B->x[k] / 2;
      A[(size_t)size * (size_t)(col + B->col[k]) + (size_t)(row + i)] += B->x[k] / 2;
    }
}

static void fill(const ss_problem *p, int size, double *A) {
  int m = p->dim * p->nc;
  memset(A, 0, sizeof(double) * (size_t)size * (size_t)size);
  add(&p->W, 0, 0, size, A);
  if (!p->nl) return;
  add(&p->V, 0, m, size, A), add(&p->V, 0, m, size, A);  // V and V^T, each whole
  add(&p->R, m, m, size, A);
}

static bool is_definite(const ss_problem *p, int size, double shift, double *A) {
  fill(p, size, A);
  for (int i = 0; i < size; i++) A[(size_t)size * (size_t)i + (size_t)i] += shift;
  return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', size, A, size) == 0;
}

static ss_error lowest(ssi_arena *arena, const ss_problem *p, int size, double *A, double *z) {
  lapack_int found = 0, *support = SSI_TAKE(arena, 2, lapack_int);
  double *value = SSI_TAKE(arena, size, double);
  if (arena->failed) return SS_ERR_MEMORY;
  fill(p, size, A);
  return ssi_lapack_error(LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', size, A, size, 0, 0, 1, 1,
                                         0, &found, value, z, size, support));
}

// ---- large ---------------------------------------------------------------------------------

static void multiply(const ss_problem *p, const double *x, double *y) {
  int m = p->dim * p->nc;
  memset(y, 0, sizeof(double) * (size_t)(m + p->nl));
  const struct {
    const ss_sparse *A;
    int row, col;
    double part;
  } blocks[] = {{&p->W, 0, 0, 0.5}, {&p->V, 0, m, 1}, {&p->R, m, m, 0.5}};
  for (int b = 0; b < (p->nl ? 3 : 1); b++) {
    const ss_sparse *A = blocks[b].A;
    for (int i = 0; A->ptr && i < A->rows; i++)
      for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
        int r = blocks[b].row + i, c = blocks[b].col + A->col[k];
        y[r] += blocks[b].part * A->x[k] * x[c];
        y[c] += blocks[b].part * A->x[k] * x[r];
      }
  }
}

// Lanczos with full orthogonalisation; z: the Ritz vector of the lowest value.
static ss_error lanczos(ssi_arena *arena, const ss_problem *p, int size, double *z, double *value) {
  size_t n = (size_t)size;
  double *Q = SSI_TAKE(arena, n * (STEPS + 1), double), a[STEPS] = {0}, b[STEPS] = {0};
  double *S = SSI_TAKE(arena, STEPS * STEPS, double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < size; i++) Q[i] = 1 + 0.5 * sin(1 + 1.7 * i);
  double norm = sqrt(ssi_dot(size, Q, Q));
  for (int i = 0; i < size; i++) Q[i] /= norm;
  int steps = 0;
  while (steps < STEPS && steps < size) {
    double *q = Q + n * (size_t)steps, *next = q + n;
    multiply(p, q, next);
    a[steps] = ssi_dot(size, q, next);
    for (int k = 0; k <= steps; k++) {
      double along = ssi_dot(size, Q + n * (size_t)k, next);
      for (int i = 0; i < size; i++) next[i] -= along * Q[n * (size_t)k + (size_t)i];
    }
    b[steps] = sqrt(ssi_dot(size, next, next));
    if (!(b[steps++] > 0)) break;
    for (int i = 0; i < size; i++) next[i] /= b[steps - 1];
  }
  SS_TRY(ssi_lapack_error(LAPACKE_dstev(LAPACK_COL_MAJOR, 'V', steps, a, b, S, STEPS)));
  *value = a[0];
  memset(z, 0, sizeof *z * n);
  for (int k = 0; k < steps; k++)
    for (int i = 0; i < size; i++) z[i] += S[k] * Q[n * (size_t)k + (size_t)i];
  return SS_OK;
}

// ---- interface -----------------------------------------------------------------------------

static double largest_entry(const ss_problem *p) {
  double most = 0;
  const ss_sparse *both[] = {&p->W, &p->R};
  for (int b = 0; b < (p->nl ? 2 : 1); b++)
    for (int i = 0; both[b]->ptr && i < both[b]->rows; i++)
      for (int64_t k = both[b]->ptr[i]; k < both[b]->ptr[i + 1]; k++)
        most = fmax(most, fabs(both[b]->x[k]));
  return most;
}

ss_error ssi_find_class(ssi_arena *arena, const ss_problem *p, double rank_tol, ssi_class *out,
                        double *z) {
  int size = p->dim * p->nc + p->nl;
  double unit = largest_entry(p), value = 0;
  *out = SSI_SEMIDEFINITE;
  if (!size || !(unit > 0)) return SS_OK;
  if (size > DENSE) {
    SS_TRY(lanczos(arena, p, size, z, &value));
    *out = value < -rank_tol * unit ? SSI_INDEFINITE : SSI_BLURRED;
    return SS_OK;
  }
  double *A = SSI_TAKE(arena, (size_t)size * (size_t)size, double);
  if (!A) return SS_ERR_MEMORY;
  if (is_definite(p, size, ROUNDED * unit, A)) return SS_OK;
  *out = is_definite(p, size, rank_tol * unit, A) ? SSI_BLURRED : SSI_INDEFINITE;
  return *out == SSI_INDEFINITE ? lowest(arena, p, size, A, z) : SS_OK;
}
