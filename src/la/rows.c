#include "la/rows.h"

#include "base/arena.h"

bool ssi_rows_begin(ss_context *ctx, int row_limit, int cols, ssi_rows *out) {
  *out = (ssi_rows){.ctx = ctx, .cols = cols};
  out->ptr = ssi_alloc(ctx, (size_t)row_limit + 1, sizeof *out->ptr);
  if (out->ptr) out->ptr[0] = 0;
  return out->ptr != NULL;
}

static bool make_room(ssi_rows *b, int64_t more) {
  size_t used = (size_t)b->used, need = used + (size_t)more;
  return ssi_grow(b->ctx, &b->col, &b->col_room, need, used, sizeof *b->col) &&
         ssi_grow(b->ctx, &b->x, &b->x_room, need, used, sizeof *b->x);
}

bool ssi_rows_append_dense(ssi_rows *b, const double *dense) {
  if (!make_room(b, b->cols)) return false;
  for (int j = 0; j < b->cols; j++) {
    if (dense[j] == 0) continue;
    b->col[b->used] = j;
    b->x[b->used++] = dense[j];
  }
  b->ptr[++b->rows] = b->used;
  return true;
}

bool ssi_rows_append_sparse(ssi_rows *b, int64_t count, const int *col, const double *x) {
  if (!make_room(b, count)) return false;
  for (int64_t k = 0; k < count; k++) {
    b->col[b->used] = col[k];
    b->x[b->used++] = x[k];
  }
  b->ptr[++b->rows] = b->used;
  return true;
}

ss_sparse ssi_rows_view(const ssi_rows *b) {
  return (ss_sparse){b->rows, b->cols, b->ptr, b->col, b->x};
}

void ssi_rows_end(ssi_rows *b) {
  ssi_release(b->ctx, b->ptr);
  ssi_release(b->ctx, b->col);
  ssi_release(b->ctx, b->x);
}
