#include "la/block_lu.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "la/sparse.h"

typedef double four __attribute__((vector_size(4 * sizeof(double)), may_alias));

// ---- analysis ------------------------------------------------------------------------------

static int largest_block(int n, const int *start) {
  int most = 0;
  for (int i = 0; i < n; i++)
    if (start[i + 1] - start[i] > most) most = start[i + 1] - start[i];
  return most;
}

static ss_error analyse(ssi_direct *d, ssi_arena *arena) {
  ssi_block_lu *f = (ssi_block_lu *)d;
  int n = d->A.rows, size = largest_block(n, f->start) > 3 ? 6 : 3;
  double cube = (double)size * size * size, most = d->wish.max_flops;
  f->size = size;
  f->stride = size == 6 ? 8 : 4;
  f->area = size * f->stride;
  if (!ssi_fill_create(arena, &d->A, most > 0 ? most / cube : INFINITY, &f->fill))
    return SS_ERR_MEMORY;
  f->flops = d->flops = f->fill.flops * cube;
  if (!f->fill.n) return SS_ERR_METHOD;
  d->entries = (2 * (double)f->fill.uptr[n] + n) * size * size;
  d->n = f->start[n];
  f->row = SSI_TAKE(arena, n, int);
  if (!ssi_sparse_copy_pattern(arena, &d->A, &d->A)) return SS_ERR_MEMORY;
  for (int i = 0; i < n; i++) f->row[f->fill.position[i]] = i;
  return SS_OK;
}

static ss_error room(ssi_direct *d, ssi_arena *arena) {
  ssi_block_lu *f = (ssi_block_lu *)d;
  int64_t n = f->fill.n, blocks = n ? f->fill.uptr[n] : 0, area = f->area;
  if (!n || f->n) return SS_OK;
  f->a = SSI_TAKE(arena, ssi_sparse_entries(&d->A) * area, double);
  f->u = SSI_TAKE(arena, blocks * area, double);
  f->l = SSI_TAKE(arena, blocks * area, double);
  f->d = SSI_TAKE(arena, n * area, double);
  f->pivot = SSI_TAKE(arena, n * f->size, int);
  f->work = SSI_TAKE(arena, n * area, double);
  f->rest = SSI_TAKE(arena, f->start[n], double);
  f->fix = SSI_TAKE(arena, f->start[n], double);
  f->copy = SSI_TAKE(arena, f->start[n], double);
  if (arena->failed) return SS_ERR_MEMORY;
  f->n = (int)n;
  return SS_OK;
}

int64_t ssi_block_lu_find(const ssi_block_lu *f, int row, int col) {
  return ssi_sparse_find(&f->direct.A, row, col);
}

void ssi_block_lu_clear(ssi_block_lu *f) {
  if (f->n)
    memset(f->a, 0, sizeof(double) * (size_t)ssi_sparse_entries(&f->direct.A) * (size_t)f->area);
  for (int i = 0; i < f->n; i++)
    for (int k = f->start[i + 1] - f->start[i]; k < f->size; k++)
      f->a[ssi_block_lu_find(f, i, i) * f->area + k * (f->stride + 1)] = 1;
}

// ---- blocks --------------------------------------------------------------------------------

// C -= A B. One vector per half row of B and C.
SSI_INLINE void subtract_product(int size, const double *A, const double *B, double *C) {
  int stride = size == 6 ? 8 : 4, halves = stride / 4;
  four c[6][2];
  for (int r = 0; r < size; r++)
    for (int h = 0; h < halves; h++) c[r][h] = ((const four *)(C + stride * r))[h];
#pragma GCC unroll 6
  for (int k = 0; k < size; k++)
#pragma GCC unroll 6
    for (int r = 0; r < size; r++)
#pragma GCC unroll 2
      for (int h = 0; h < halves; h++)
        c[r][h] -= A[stride * r + k] * ((const four *)(B + stride * k))[h];
  for (int r = 0; r < size; r++)
    for (int h = 0; h < halves; h++) ((four *)(C + stride * r))[h] = c[r][h];
}

// P A = L U in place, L with unit diagonal; pivot[k]: the row that came to place k; 1/u_kk on the diagonal.
SSI_INLINE bool factor_block(int size, double *A, int *pivot) {
  int stride = size == 6 ? 8 : 4;
  for (int p = 0; p < size; p++) {
    int best = p;
    for (int k = p + 1; k < size; k++)
      if (fabs(A[stride * k + p]) > fabs(A[stride * best + p])) best = k;
    pivot[p] = best;
    for (int c = 0; c < size; c++) {
      double t = A[stride * p + c];
      A[stride * p + c] = A[stride * best + c];
      A[stride * best + c] = t;
    }
    double inverse = 1 / A[stride * p + p];
    if (!isfinite(inverse) || inverse == 0) return false;  // 0: of an infinite pivot
    A[stride * p + p] = inverse;
    for (int k = p + 1; k < size; k++) {
      double l = A[stride * k + p] *= inverse;
      for (int c = p + 1; c < size; c++) A[stride * k + c] -= l * A[stride * p + c];
    }
  }
  return true;
}

// B <- A^-1 B with the factors of A, `width` numbers in each row of B.
SSI_INLINE void solve_block(int size, const double *A, const int *pivot, int width, double *B) {
  int stride = size == 6 ? 8 : 4;
  for (int p = 0; p < size; p++)
    for (int c = 0; c < width; c++) {
      double t = B[width * p + c];
      B[width * p + c] = B[width * pivot[p] + c];
      B[width * pivot[p] + c] = t;
    }
  for (int r = 1; r < size; r++)
    for (int k = 0; k < r; k++)
      for (int c = 0; c < width; c++) B[width * r + c] -= A[stride * r + k] * B[width * k + c];
  for (int r = size - 1; r >= 0; r--) {
    for (int k = r + 1; k < size; k++)
      for (int c = 0; c < width; c++) B[width * r + c] -= A[stride * r + k] * B[width * k + c];
    for (int c = 0; c < width; c++) B[width * r + c] *= A[(stride + 1) * r];
  }
}

SSI_INLINE bool zero(int area, const double *A) {
  for (int k = 0; k < area; k++)
    if (A[k] != 0) return false;
  return true;
}

// ---- factors -------------------------------------------------------------------------------

static void scatter(ssi_block_lu *f, int i) {
  const ssi_fill *p = &f->fill;
  const ss_sparse *A = &f->direct.A;
  size_t bytes = sizeof(double) * (size_t)f->area;
  int64_t area = f->area;
  for (int64_t e = p->lptr[i]; e < p->lptr[i + 1]; e++)
    memset(f->work + area * p->lcol[e], 0, bytes);
  memset(f->work + area * i, 0, bytes);
  for (int64_t e = p->uptr[i]; e < p->uptr[i + 1]; e++)
    memset(f->work + area * p->ucol[e], 0, bytes);
  for (int64_t e = A->ptr[f->row[i]]; e < A->ptr[f->row[i] + 1]; e++)
    memcpy(f->work + area * p->position[A->col[e]], f->a + area * e, bytes);
}

// Block row i of the factors, whose row of the matrix lies in work; U has unit diagonal blocks:
//   L_ik = W_k,  W -= L_ik U_k.   for k < i ascending;   D_i = W_i,  U_i. = D_i^-1 W
// D_i is solved with, not inverted: where contacts are stiff its condition is that of the whole.
SSI_INLINE bool eliminate(ssi_block_lu *f, int size, int i) {
  const ssi_fill *p = &f->fill;
  const int64_t area = size == 6 ? 48 : 12;
  const size_t bytes = sizeof(double) * (size_t)area;
  for (int64_t e = p->lptr[i]; e < p->lptr[i + 1]; e++) {
    int k = p->lcol[e];
    double *L = f->l + area * e;
    memcpy(L, f->work + area * k, bytes);
    if (zero((int)area, L)) continue;
    for (int64_t c = p->uptr[k]; c < p->uptr[k + 1]; c++)
      subtract_product(size, L, f->u + area * c, f->work + area * p->ucol[c]);
  }
  double *D = f->d + area * i;
  int *pivot = f->pivot + (int64_t)size * i;
  memcpy(D, f->work + area * i, bytes);
  if (!factor_block(size, D, pivot)) return false;
  for (int64_t c = p->uptr[i]; c < p->uptr[i + 1]; c++) {
    memcpy(f->u + area * c, f->work + area * p->ucol[c], bytes);
    solve_block(size, D, pivot, size == 6 ? 8 : 4, f->u + area * c);
  }
  return true;
}

SSI_CLONES static bool factor6(ssi_block_lu *f) {
  for (int i = 0; i < f->n; i++) {
    scatter(f, i);
    if (!eliminate(f, 6, i)) return false;
  }
  return true;
}

SSI_CLONES static bool factor3(ssi_block_lu *f) {
  for (int i = 0; i < f->n; i++) {
    scatter(f, i);
    if (!eliminate(f, 3, i)) return false;
  }
  return true;
}

static ss_error factor(ssi_direct *d) {
  ssi_block_lu *f = (ssi_block_lu *)d;
  d->n = f->start[f->n];
  return (f->size == 6 ? factor6 : factor3)(f) ? SS_OK : SS_ERR_LINEAR;
}

// y (size) -= A x
SSI_INLINE void subtract(int size, const double *A, const double *x, double *y) {
  int stride = size == 6 ? 8 : 4;
  for (int r = 0; r < size; r++) {
    double sum = 0;
    for (int c = 0; c < size; c++) sum += A[stride * r + c] * x[c];
    y[r] -= sum;
  }
}

SSI_INLINE void substitute(ssi_block_lu *f, int size, double *w) {
  const ssi_fill *p = &f->fill;
  const int64_t area = size == 6 ? 48 : 12, stride = area / size;
  for (int i = 0; i < f->n; i++) {
    for (int64_t e = p->lptr[i]; e < p->lptr[i + 1]; e++)
      subtract(size, f->l + area * e, w + stride * p->lcol[e], w + stride * i);
    solve_block(size, f->d + area * i, f->pivot + (int64_t)size * i, 1, w + stride * i);
  }
  for (int i = f->n - 1; i >= 0; i--)
    for (int64_t e = p->uptr[i]; e < p->uptr[i + 1]; e++)
      subtract(size, f->u + area * e, w + stride * p->ucol[e], w + stride * i);
}

SSI_CLONES static void substitute6(ssi_block_lu *f, double *w) {
  substitute(f, 6, w);
}

SSI_CLONES static void substitute3(ssi_block_lu *f, double *w) {
  substitute(f, 3, w);
}

static void solve_once(ssi_block_lu *f, const double *b, double *x) {
  double *w = f->work;
  for (int i = 0; i < f->n; i++) {
    double *y = w + (int64_t)f->stride * f->fill.position[i];
    int rows = f->start[i + 1] - f->start[i];
    for (int k = 0; k < f->size; k++) y[k] = k < rows ? b[f->start[i] + k] : 0;
  }
  if (f->size == 6)
    substitute6(f, w);
  else
    substitute3(f, w);
  for (int i = 0; i < f->n; i++)
    memcpy(x + f->start[i], w + (int64_t)f->stride * f->fill.position[i],
           sizeof(double) * (size_t)(f->start[i + 1] - f->start[i]));
}

// rest = b - A x; returns the largest of its entries, infinite where one is not a number
SSI_INLINE double residual(ssi_block_lu *f, int size, const double *b, const double *x) {
  const ss_sparse *pattern = &f->direct.A;
  const int64_t area = size == 6 ? 48 : 12, stride = area / size;
  double most = 0, *rest = f->rest;
  memcpy(rest, b, sizeof(double) * (size_t)f->start[f->n]);
  for (int i = 0; i < f->n; i++) {
    int rows = f->start[i + 1] - f->start[i];
    for (int64_t e = pattern->ptr[i]; e < pattern->ptr[i + 1]; e++) {
      int first = f->start[pattern->col[e]], columns = f->start[pattern->col[e] + 1] - first;
      const double *A = f->a + area * e;
      for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) rest[f->start[i] + r] -= A[stride * r + c] * x[first + c];
    }
    for (int r = f->start[i]; r < f->start[i + 1]; r++)
      if (!(fabs(rest[r]) <= most)) most = isnan(rest[r]) ? INFINITY : fabs(rest[r]);
  }
  return most;
}

SSI_CLONES static double residual6(ssi_block_lu *f, const double *b, const double *x) {
  return residual(f, 6, b, x);
}

SSI_CLONES static double residual3(ssi_block_lu *f, const double *b, const double *x) {
  return residual(f, 3, b, x);
}

static double residual_of(ssi_block_lu *f, const double *b, const double *x) {
  return f->size == 6 ? residual6(f, b, x) : residual3(f, b, x);
}

bool ssi_block_lu_refine(ssi_block_lu *f, const double *b, double *x) {
  if (!f->n) return true;
  double size = 0, left = residual_of(f, b, x);
  int rows = f->start[f->n];
  for (int k = 0; k < rows; k++) size = fmax(size, fabs(b[k]));
  if (left > 1e-12 * size && left < INFINITY) {
    solve_once(f, f->rest, f->fix);
    for (int k = 0; k < rows; k++) f->fix[k] += x[k];
    double now = residual_of(f, b, f->fix);
    if (now < left) {
      memcpy(x, f->fix, sizeof(double) * (size_t)rows);
      left = now;
    }
  }
  return left <= 1e-6 * size && left < INFINITY;
}

static ss_error solve(ssi_direct *d, const double *b, double *x) {
  ssi_block_lu *f = (ssi_block_lu *)d;
  if (x == b && d->wish.refine) b = memcpy(f->copy, b, sizeof(double) * (size_t)d->n);
  solve_once(f, b, x);
  return d->wish.refine && !ssi_block_lu_refine(f, b, x) ? SS_ERR_LINEAR : SS_OK;
}

const ssi_backend ssi_body_blocks_lu = {.name = "blocks of bodies",
                                        .size = sizeof(ssi_block_lu),
                                        .analyse = analyse,
                                        .room = room,
                                        .factor = factor,
                                        .solve = solve};
