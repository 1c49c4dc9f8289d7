#include "la/sparse.h"

#include <math.h>
#include <string.h>

// Counting sort by `key`: order[] lists the entries of `from` so that key is non-decreasing, stable.
static void sort_by(const int *key, int keys, const int64_t *from, int64_t count, int64_t *start,
                    int64_t *order) {
  memset(start, 0, ((size_t)keys + 1) * sizeof *start);
  for (int64_t k = 0; k < count; k++) start[key[k] + 1]++;
  for (int i = 0; i < keys; i++) start[i + 1] += start[i];
  for (int64_t k = 0; k < count; k++) {
    int64_t entry = from ? from[k] : k;
    order[start[key[entry]]++] = entry;
  }
}

static bool in_order(int64_t count, const int *major, const int *minor) {
  for (int64_t k = 1; k < count; k++)
    if (major[k] < major[k - 1] || (major[k] == major[k - 1] && minor[k] < minor[k - 1]))
      return false;
  return true;
}

bool ssi_sparse_from_triplets(ssi_arena *arena, int rows, int cols, int64_t count, const int *i,
                              const int *j, const double *x, ss_sparse *out, int64_t *duplicates,
                              bool *unsorted) {
  if (unsorted && !in_order(count, i, j) && !in_order(count, j, i)) *unsorted = true;
  int keys = rows > cols ? rows : cols;
  int64_t *start = ssi_alloc(arena->ctx, (size_t)keys + 1, sizeof *start);
  int64_t *by_column = ssi_alloc(arena->ctx, (size_t)count, sizeof *by_column);
  int64_t *by_row = ssi_alloc(arena->ctx, (size_t)count, sizeof *by_row);
  int64_t *ptr = SSI_TAKE(arena, (size_t)rows + 1, int64_t);
  int *col = SSI_TAKE(arena, count, int);
  double *value = SSI_TAKE(arena, count, double);
  bool ok = start && by_column && by_row && !arena->failed;
  if (ok) {
    sort_by(j, cols, NULL, count, start, by_column);
    sort_by(i, rows, by_column, count, start, by_row);  // row-major; equal places in given order
    int64_t used = 0, last = -1;
    for (int64_t k = 0; k < count; k++) {
      int64_t e = by_row[k];
      if (last >= 0 && i[last] == i[e] && j[last] == j[e]) {
        value[used - 1] += x[e];
        if (duplicates) ++*duplicates;
      } else {
        col[used] = j[e];
        value[used++] = x[e];
        ptr[i[e] + 1] = used;
      }
      last = e;
    }
    for (int k = 0; k < rows; k++)
      if (ptr[k + 1] < ptr[k]) ptr[k + 1] = ptr[k];  // empty rows
    *out = (ss_sparse){rows, cols, ptr, col, value};
  }
  ssi_release(arena->ctx, start);
  ssi_release(arena->ctx, by_column);
  ssi_release(arena->ctx, by_row);
  return ok;
}

bool ssi_sparse_transpose(ssi_arena *arena, const ss_sparse *A, ss_sparse *out) {
  int64_t count = ssi_sparse_entries(A);
  int64_t *ptr = SSI_TAKE(arena, (size_t)A->cols + 2, int64_t);
  int *col = SSI_TAKE(arena, count, int);
  double *x = A->x ? SSI_TAKE(arena, count, double) : NULL;
  if (arena->failed) return false;
  for (int64_t k = 0; k < count; k++) ptr[A->col[k] + 2]++;
  for (int j = 0; j < A->cols; j++) ptr[j + 2] += ptr[j + 1];
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      int64_t at = ptr[A->col[k] + 1]++;
      col[at] = i;
      if (x) x[at] = A->x[k];
    }
  *out = (ss_sparse){A->cols, A->rows, ptr, col, x};
  return true;
}

bool ssi_sparse_copy_pattern(ssi_arena *arena, const ss_sparse *A, ss_sparse *out) {
  int64_t count = ssi_sparse_entries(A);
  int64_t *ptr = SSI_TAKE(arena, (size_t)A->rows + 1, int64_t);
  int *col = SSI_TAKE(arena, count, int);
  if (arena->failed) return false;
  if (A->ptr) memcpy(ptr, A->ptr, ((size_t)A->rows + 1) * sizeof *ptr);
  if (count) memcpy(col, A->col, (size_t)count * sizeof *col);
  *out = (ss_sparse){A->rows, A->cols, ptr, col, NULL};
  return true;
}

bool ssi_sparse_copy(ssi_arena *arena, const ss_sparse *A, ss_sparse *out) {
  int64_t count = ssi_sparse_entries(A);
  const double *from = A->x;
  double *x = SSI_TAKE(arena, count, double);
  if (!ssi_sparse_copy_pattern(arena, A, out)) return false;
  if (count) memcpy(x, from, (size_t)count * sizeof *x);
  out->x = x;
  return true;
}

bool ssi_sparse_complete(ssi_arena *arena, int rows, int cols, ss_sparse *A) {
  if (A->ptr) return true;
  *A = (ss_sparse){rows, cols, SSI_TAKE(arena, (size_t)rows + 1, int64_t), NULL, NULL};
  return A->ptr != NULL;
}

void ssi_sparse_multiply_add(const ss_sparse *A, const double *x, double *y) {
  for (int i = 0; i < A->rows; i++) {
    double sum = 0;
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) sum += A->x[k] * x[A->col[k]];
    y[i] += sum;
  }
}

void ssi_sparse_multiply_transposed_add(const ss_sparse *A, const double *x, double *y) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) y[A->col[k]] += A->x[k] * x[i];
}

int ssi_ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

void ssi_sparse_to_square(const ss_sparse *A, double *out) {
  size_t n = (size_t)A->rows;
  memset(out, 0, sizeof(double) * n * n);
  for (size_t i = 0; i < n; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) out[n * i + (size_t)A->col[k]] = A->x[k];
}

double ssi_sparse_entry(const ss_sparse *A, int i, int j) {
  int64_t k = ssi_sparse_find(A, i, j);
  return k < A->ptr[i + 1] && A->col[k] == j ? A->x[k] : 0;
}

// What entry k of row i adds to the sums, with its mirror image; false: it has none and stands for two places.
static bool add_pair(const ss_sparse *A, int i, int64_t k, double largest, double *difference,
                     double *norm) {
  int j = A->col[k];
  int64_t image = ssi_sparse_find(A, j, i);
  bool stored = image < A->ptr[j + 1] && A->col[image] == i;
  double x = A->x[k] / largest, y = stored ? A->x[image] / largest : 0;
  *difference += 2 * (x - y) * (x - y);
  *norm += x * x + y * y;
  return stored;
}

// Entries above the diagonal look for their mirror images, which needs no memory and so cannot fail; those below do
// only where not all of them have been found that way.
double ss_sparse_asymmetry(const ss_sparse *A) {
  if (!A || A->rows != A->cols) return NAN;
  double largest = 0, difference = 0, norm = 0;
  int64_t below = 0, found = 0;
  for (int64_t k = 0; k < ssi_sparse_entries(A); k++) largest = fmax(largest, fabs(A->x[k]));
  if (largest == 0) return 0;
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      int j = A->col[k];
      below += j < i;
      if (j > i) found += add_pair(A, i, k, largest, &difference, &norm);
      if (j == i) norm += (A->x[k] / largest) * (A->x[k] / largest);
    }
  for (int i = 0; i < A->rows && found < below; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1] && A->col[k] < i; k++) {
      int64_t image = ssi_sparse_find(A, A->col[k], i);
      if (image < A->ptr[A->col[k] + 1] && A->col[image] == i) continue;
      add_pair(A, i, k, largest, &difference, &norm);
    }
  return sqrt(difference / norm);
}
