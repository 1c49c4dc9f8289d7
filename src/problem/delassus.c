#include "problem/delassus.h"

#include <string.h>

#include "base/clones.h"
#include "la/largest_eigenvalue.h"
#include "la/sparse.h"

// Marks the block columns met in the rows of contact i: fills row[] with them, ascending, without i.
// where[] is -1 on entry and again on leaving.
static int block_columns(const ss_sparse *W, int dim, int i, int *where, int *row) {
  int count = 0;
  for (int k = 0; k < dim; k++) {
    const int64_t end = W->ptr[dim * i + k + 1];
    int at = 0;  // row[0..count) ascends; merge by insertion, rows of a block share their pattern
    for (int64_t e = W->ptr[dim * i + k]; e < end; e++) {
      int j = W->col[e] / dim;
      if (j == i || where[j] >= 0) continue;
      where[j] = 1;
      while (at < count && row[at] < j) at++;
      memmove(row + at + 1, row + at, sizeof *row * (size_t)(count - at));
      row[at++] = j;
      count++;
    }
  }
  for (int k = 0; k < count; k++) where[row[k]] = -1;
  return count;
}

static void fill_rows(const ss_sparse *W, int dim, int i, int64_t first, const int *where,
                      ssi_delassus *out) {
  for (int k = 0; k < dim; k++)
    for (int64_t e = W->ptr[dim * i + k]; e < W->ptr[dim * i + k + 1]; e++) {
      int j = W->col[e] / dim, l = W->col[e] % dim;
      if (j == i)
        out->diag[dim * dim * (int64_t)i + dim * k + l] = W->x[e];
      else
        out->block[dim * dim * (first + where[j]) + dim * l + k] = W->x[e];
    }
}

bool ssi_delassus_from_sparse(ssi_arena *arena, int dim, const ss_sparse *W, ssi_delassus *out) {
  int nc = W->rows / dim, size = dim * dim;
  *out = (ssi_delassus){.dim = dim, .nc = nc};
  out->ptr = SSI_TAKE(arena, (size_t)nc + 1, int64_t);
  out->diag = SSI_TAKE(arena, (size_t)nc * (size_t)size, double);
  int *where = ssi_alloc(arena->ctx, (size_t)nc, 2 * sizeof *where);
  bool ok = where && !arena->failed;
  if (ok) {
    int *row = where + nc;
    for (int i = 0; i < nc; i++) where[i] = -1;
    for (int i = 0; i < nc; i++)
      out->ptr[i + 1] = out->ptr[i] + block_columns(W, dim, i, where, row);
    out->col = SSI_TAKE(arena, out->ptr[nc], int);
    out->block = SSI_TAKE(arena, out->ptr[nc] * size + 1, double);
    ok = !arena->failed;
  }
  for (int i = 0; ok && i < nc; i++) {
    int count = block_columns(W, dim, i, where, out->col + out->ptr[i]);
    for (int k = 0; k < count; k++) where[out->col[out->ptr[i] + k]] = k;
    fill_rows(W, dim, i, out->ptr[i], where, out);
    for (int k = 0; k < count; k++) where[out->col[out->ptr[i] + k]] = -1;
  }
  ssi_release(arena->ctx, where);
  return ok;
}

bool ssi_delassus_refill(ss_context *ctx, const ss_sparse *W, ssi_delassus *out) {
  int *where = ssi_alloc(ctx, (size_t)out->nc, sizeof *where);
  for (int i = 0; where && i < out->nc; i++) {
    for (int64_t k = out->ptr[i]; k < out->ptr[i + 1]; k++)
      where[out->col[k]] = (int)(k - out->ptr[i]);
    fill_rows(W, out->dim, i, out->ptr[i], where, out);
  }
  ssi_release(ctx, where);
  return where != NULL;
}

bool ssi_delassus_to_sparse(ssi_arena *arena, const ssi_delassus *W, ss_sparse *out) {
  int dim = W->dim, size = dim * dim, rows = dim * W->nc;
  int64_t entries = (W->ptr[W->nc] + W->nc) * size, used = 0;
  int64_t *ptr = SSI_TAKE(arena, (size_t)rows + 1, int64_t);
  int *col = SSI_TAKE(arena, entries, int);
  double *x = SSI_TAKE(arena, entries, double);
  if (arena->failed) return false;
  for (int i = 0; i < W->nc; i++)
    for (int k = 0; k < dim; k++) {
      bool diagonal_done = false;
      for (int64_t e = W->ptr[i]; e <= W->ptr[i + 1]; e++) {
        bool last = e == W->ptr[i + 1];
        if (!diagonal_done && (last || W->col[e] > i)) {
          for (int l = 0; l < dim; l++) {
            col[used] = dim * i + l;
            x[used++] = W->diag[size * (int64_t)i + dim * k + l];
          }
          diagonal_done = true;
        }
        for (int l = 0; !last && l < dim; l++) {
          col[used] = dim * W->col[e] + l;
          x[used++] = W->block[size * e + dim * l + k];
        }
      }
      ptr[dim * i + k + 1] = used;
    }
  *out = (ss_sparse){rows, rows, ptr, col, x};
  return true;
}

void ssi_delassus_multiply_add(const ssi_delassus *W, const double *r, double *y) {
  ssi_delassus_multiply_add_rows(W, 0, W->nc, r, y);
}

SSI_CLONES void ssi_delassus_multiply_add_rows(const ssi_delassus *W, int from, int to,
                                               const double *r, double *y) {
  for (int i = from; i < to; i++) {
    double *yi = y + W->dim * (int64_t)i;
    const double *D = W->diag + W->dim * W->dim * (int64_t)i, *ri = r + W->dim * (int64_t)i;
    for (int k = 0; k < W->dim; k++)
      for (int l = 0; l < W->dim; l++) yi[k] += D[W->dim * k + l] * ri[l];
    if (W->dim == 3)
      ssi_delassus_row3(W, W->ptr[i], W->ptr[i + 1], r, yi);
    else
      ssi_delassus_row2(W, W->ptr[i], W->ptr[i + 1], r, yi);
  }
}

void ssi_block_lambda_max(int dim, int nc, const double *diag, double *lambda_max) {
  ssi_largest_eigenvalues(dim, nc, diag, lambda_max);
  for (int i = 0; i < nc; i++)
    if (!(lambda_max[i] > 0)) lambda_max[i] = 0;
}
