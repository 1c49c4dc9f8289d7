#include "la/block_lu.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

typedef double four __attribute__((vector_size(4 * sizeof(double)), may_alias));

// ---- analysis ------------------------------------------------------------------------------

static int largest_block(int n, const int *start) {
  int most = 0;
  for (int i = 0; i < n; i++)
    if (start[i + 1] - start[i] > most) most = start[i + 1] - start[i];
  return most;
}

bool ssi_block_lu_create(ssi_arena *arena, int n, const int *start, const int64_t *ptr,
                         const int64_t *col, double max_flops, ssi_block_lu *out) {
  int size = largest_block(n, start) > 3 ? 6 : 3, stride = size == 6 ? 8 : 4;
  double cube = (double)size * size * size;
  *out = (ssi_block_lu){.size = size, .stride = stride, .area = size * stride, .start = start};
  if (!ssi_fill_create(arena, n, ptr, col, max_flops / cube, &out->fill)) return false;
  out->flops = out->fill.flops * cube;
  if (!out->fill.n) return true;
  out->ptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  out->col = SSI_TAKE(arena, ptr[n], int);
  out->row = SSI_TAKE(arena, n, int);
  if (arena->failed) return false;
  memcpy(out->ptr, ptr, sizeof *ptr * ((size_t)n + 1));
  for (int64_t k = 0; k < ptr[n]; k++) out->col[k] = (int)col[k];
  for (int i = 0; i < n; i++) out->row[out->fill.position[i]] = i;
  return true;
}

bool ssi_block_lu_ready(ssi_block_lu *f, ssi_arena *arena) {
  int64_t n = f->fill.n, blocks = n ? f->fill.uptr[n] : 0, area = f->area;
  if (!n || f->n) return true;
  f->a = SSI_TAKE(arena, f->ptr[n] * area, double);
  f->u = SSI_TAKE(arena, blocks * area, double);
  f->l = SSI_TAKE(arena, blocks * area, double);
  f->d = SSI_TAKE(arena, n * area, double);
  f->pivot = SSI_TAKE(arena, n * f->size, int);
  f->work = SSI_TAKE(arena, n * area, double);
  f->rest = SSI_TAKE(arena, f->start[n], double);
  f->fix = SSI_TAKE(arena, f->start[n], double);
  if (arena->failed) return false;
  f->n = (int)n;
  return true;
}

int64_t ssi_block_lu_find(const ssi_block_lu *f, int row, int col) {
  int64_t low = f->ptr[row], high = f->ptr[row + 1] - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (f->col[middle] < col)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void ssi_block_lu_clear(ssi_block_lu *f) {
  if (f->n) memset(f->a, 0, sizeof(double) * (size_t)f->ptr[f->n] * (size_t)f->area);
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
  size_t bytes = sizeof(double) * (size_t)f->area;
  int64_t area = f->area;
  for (int64_t e = p->lptr[i]; e < p->lptr[i + 1]; e++)
    memset(f->work + area * p->lcol[e], 0, bytes);
  memset(f->work + area * i, 0, bytes);
  for (int64_t e = p->uptr[i]; e < p->uptr[i + 1]; e++)
    memset(f->work + area * p->ucol[e], 0, bytes);
  for (int64_t e = f->ptr[f->row[i]]; e < f->ptr[f->row[i] + 1]; e++)
    memcpy(f->work + area * p->position[f->col[e]], f->a + area * e, bytes);
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

bool ssi_block_lu_factor(ssi_block_lu *f) {
  return f->size == 6 ? factor6(f) : factor3(f);
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

void ssi_block_lu_solve(ssi_block_lu *f, const double *b, double *x) {
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
  const int64_t area = size == 6 ? 48 : 12, stride = area / size;
  double most = 0, *rest = f->rest;
  memcpy(rest, b, sizeof(double) * (size_t)f->start[f->n]);
  for (int i = 0; i < f->n; i++) {
    int rows = f->start[i + 1] - f->start[i];
    for (int64_t e = f->ptr[i]; e < f->ptr[i + 1]; e++) {
      int first = f->start[f->col[e]], columns = f->start[f->col[e] + 1] - first;
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
    ssi_block_lu_solve(f, f->rest, f->fix);
    for (int k = 0; k < rows; k++) f->fix[k] += x[k];
    double now = residual_of(f, b, f->fix);
    if (now < left) {
      memcpy(x, f->fix, sizeof(double) * (size_t)rows);
      left = now;
    }
  }
  return left <= 1e-6 * size && left < INFINITY;
}
