#include "certify/conic.h"

#include <math.h>
#include <string.h>

#include "base/worst.h"
#include "cone/friction.h"
#include "la/lapack.h"
#include "la/sparse.h"

static const double SMALL_WORK =
    1e8;  // m n min(m, n) up to which a basis is made: a tenth of a second
static const double ROUNDING = 1e-15;
static const double RANK_TOL = 1e-10;  // singular values that are rounding, of the largest

static double length(int dim, const double *x) {
  return hypot(x[0], ssi_tangent_norm(dim, x));
}

// unit and row; c_i = 1 / max(1, mu), so that a large mu does not make large rows
static void scale_rows(ssi_conic *c, const double *mu, const double *w) {
  c->unit = 0;
  for (int64_t i = 0; i < c->nc; i++) {
    double friction = mu ? mu[i] : 0, factor = friction > 1 ? 1 / friction : 1;
    c->unit = fmax(c->unit, length(c->dim, w + c->dim * i));
    c->e[i] = factor;
    for (int k = 0; k < c->dim; k++)
      c->row[c->dim * i + k] = k == 0 ? factor : friction > 1 ? 1 : friction;
  }
  if (!(c->unit > 0)) c->unit = 1;
  for (int j = 0; j < c->m; j++) c->q[j] = c->row[j] * (w[j] / c->unit);
}

typedef struct entries {  // of A, while they are written
  int64_t *ptr;
  int *col;
  double *x;
} entries;

// The largest entry of contact i in each of its columns; 0 again with clear.
static void column_peaks(const ssi_conic *c, const ss_sparse *H, int64_t i, bool clear,
                         double *peak) {
  for (int64_t k = H->ptr[c->dim * i]; k < H->ptr[c->dim * (i + 1)]; k++)
    peak[H->col[k]] = clear ? 0 : fmax(peak[H->col[k]], fabs(H->x[k]));
}

// A = row H col without what is zero, or rounding beside the same column's other entries in the contact
// (frames that were turned leave such); col makes its columns 1 long. Largest entries first, then lengths
// over them: no overflow. square (n) is zeroed scratch.
static void scale_columns(ssi_conic *c, const ss_sparse *H, const entries *to, double *square) {
  int64_t used = 0;
  for (int64_t i = 0; i < c->nc; i++) {
    column_peaks(c, H, i, false, square);
    for (int64_t j = c->dim * i; j < c->dim * (i + 1); j++) {
      for (int64_t k = H->ptr[j]; k < H->ptr[j + 1]; k++) {
        double value = c->row[j] * H->x[k];
        if (value == 0 || fabs(H->x[k]) <= ROUNDING * square[H->col[k]]) continue;
        to->col[used] = H->col[k];
        to->x[used++] = value;
        c->col[H->col[k]] = fmax(c->col[H->col[k]], fabs(value));
      }
      to->ptr[j + 1] = used;
    }
    column_peaks(c, H, i, true, square);
  }
  for (int64_t k = 0; k < used; k++) {
    to->x[k] /= c->col[to->col[k]];
    square[to->col[k]] += to->x[k] * to->x[k];
  }
  for (int64_t k = 0; k < used; k++) to->x[k] /= sqrt(square[to->col[k]]);
  for (int k = 0; k < c->n; k++) c->col[k] = c->col[k] > 0 ? 1 / (c->col[k] * sqrt(square[k])) : 1;
}

static bool take(ssi_arena *arena, int64_t count, ssi_conic *c, entries *to) {
  c->m = c->dim * c->nc;
  c->q = SSI_TAKE(arena, c->m, double);
  c->e = SSI_TAKE(arena, c->nc, double);
  c->row = SSI_TAKE(arena, c->m, double);
  c->col = SSI_TAKE(arena, c->n, double);
  to->ptr = SSI_TAKE(arena, (size_t)c->m + 1, int64_t);
  to->col = SSI_TAKE(arena, count, int);
  to->x = SSI_TAKE(arena, count, double);
  c->A = (ss_sparse){c->m, c->n, to->ptr, to->col, to->x};
  return !arena->failed;
}

// ---- a basis of the image --------------------------------------------------------------------

// A = U diag(value) V^T; column-major, k = min(m, n) columns of U, rows of Vt
typedef struct svd {
  int k;
  double *U, *value, *Vt;
} svd;

static ss_error decompose(ssi_arena *scratch, const ssi_conic *c, svd *d) {
  size_t m = (size_t)c->m, n = (size_t)c->n;
  d->k = c->m < c->n ? c->m : c->n;
  double *A = SSI_TAKE(scratch, m * n, double);
  d->U = SSI_TAKE(scratch, m * (size_t)d->k, double);
  d->Vt = SSI_TAKE(scratch, n * (size_t)d->k, double);
  d->value = SSI_TAKE(scratch, d->k, double);
  if (scratch->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < c->m; i++)
    for (int64_t e = c->A.ptr[i]; e < c->A.ptr[i + 1]; e++)
      A[m * (size_t)c->A.col[e] + (size_t)i] = c->A.x[e];
  lapack_int info =
      LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', c->m, c->n, A, c->m, d->value, d->U, c->m, d->Vt, d->k);
  return ssi_lapack_error(info);
}

// A <- U, basis <- V / value, for the values that are not rounding
static ss_error compress(ssi_arena *arena, ssi_conic *c) {
  ssi_arena scratch = {.ctx = arena->ctx};
  svd d = {0};
  ss_error e = decompose(&scratch, c, &d);
  int rank = 0;
  while (!e && rank < d.k && d.value[rank] > RANK_TOL * d.value[0]) rank++;
  int64_t *ptr = SSI_TAKE(arena, (size_t)c->m + 1, int64_t);
  int *col = SSI_TAKE(arena, (size_t)c->m * (size_t)rank, int);
  double *x = SSI_TAKE(arena, (size_t)c->m * (size_t)rank, double);
  c->basis = SSI_TAKE(arena, (size_t)c->n * (size_t)rank, double);
  if (!e && arena->failed) e = SS_ERR_MEMORY;
  if (!e) {
    int64_t used = 0;
    for (int i = 0; i < c->m; i++) {
      for (int k = 0; k < rank && c->row[i] > 0; k++) {
        col[used] = k;
        x[used++] = d.U[(size_t)c->m * (size_t)k + (size_t)i];
      }
      ptr[i + 1] = used;
    }
    for (int k = 0; k < rank; k++)
      for (int j = 0; j < c->n; j++)
        c->basis[(size_t)c->n * (size_t)k + (size_t)j] =
            d.Vt[(size_t)d.k * (size_t)j + (size_t)k] / d.value[k];
    c->A = (ss_sparse){c->m, rank, ptr, col, x};
    c->n = rank;
  }
  ssi_arena_release(&scratch);
  return e;
}

static bool is_small(const ssi_conic *c) {
  double m = c->m, n = c->n;
  return m > 0 && n > 0 && m * n * fmin(m, n) <= SMALL_WORK;
}

ss_error ssi_conic_create(ssi_arena *arena, int dim, int nc, const double *mu, const ss_sparse *H,
                          const double *w, ssi_conic *out) {
  entries to;
  *out = (ssi_conic){.dim = dim, .nc = nc, .n = H->cols, .dofs = H->cols};
  double *square = SSI_TAKE(arena, H->cols, double);
  if (!take(arena, ssi_sparse_entries(H), out, &to)) return SS_ERR_MEMORY;
  scale_rows(out, mu, w);
  if (nc) scale_columns(out, H, &to, square);
  return is_small(out) ? compress(arena, out) : SS_OK;
}

void ssi_conic_velocity(const ssi_conic *c, const double *x, double b, const double *d, double *v) {
  double unit = x ? c->unit : 1;
  for (int j = 0; j < c->dofs; j++) v[j] = 0;
  for (int k = 0; k < c->n; k++) {
    double value = (x ? x[k] : 0) + (d ? b * d[k] : 0);
    if (!c->basis) v[k] = value;
    for (int j = 0; j < c->dofs && c->basis; j++)
      v[j] += c->basis[(size_t)c->dofs * (size_t)k + (size_t)j] * value;
  }
  for (int j = 0; j < c->dofs; j++) v[j] *= unit * c->col[j];
}

// ---- use -------------------------------------------------------------------------------------

void ssi_conic_multiply(const ssi_conic *c, const double *x, double *y) {
  if (c->m) memset(y, 0, sizeof(double) * (size_t)c->m);
  ssi_sparse_multiply_add(&c->A, x, y);
}

void ssi_conic_multiply_transposed(const ssi_conic *c, const double *z, double *x) {
  if (c->n) memset(x, 0, sizeof(double) * (size_t)c->n);
  ssi_sparse_multiply_transposed_add(&c->A, z, x);
}

double ssi_conic_margin(const ssi_conic *c, const double *y) {
  double least = INFINITY;
  for (int64_t i = 0; i < c->nc; i++) {
    const double *yi = y + c->dim * i;
    least = ssi_smaller(least, (yi[0] - ssi_tangent_norm(c->dim, yi)) / c->e[i]);
  }
  return least;
}

double ssi_conic_largest(const ssi_conic *c, const double *y) {
  double most = 0;
  for (int64_t i = 0; i < c->nc; i++) {
    most = ssi_larger(most, length(c->dim, y + c->dim * i) / c->e[i]);
  }
  return most;
}
