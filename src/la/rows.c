#include "la/rows.h"

#include <string.h>

bool ssi_rows_begin(ss_context *ctx, int row_limit, int cols, ssi_rows *out) {
  *out = (ssi_rows){.ctx = ctx, .cols = cols};
  out->ptr = ssi_alloc(ctx, (size_t)row_limit + 1, sizeof *out->ptr);
  if (out->ptr) out->ptr[0] = 0;
  return out->ptr != NULL;
}

static bool make_room(ssi_rows *b, int64_t more) {
  if (b->used + more <= b->room) return true;
  int64_t room = 2 * b->room + more;
  int *col = ssi_alloc(b->ctx, (size_t)room, sizeof *col);
  double *x = ssi_alloc(b->ctx, (size_t)room, sizeof *x);
  bool ok = col && x;
  if (ok && b->used) {
    memcpy(col, b->col, (size_t)b->used * sizeof *col);
    memcpy(x, b->x, (size_t)b->used * sizeof *x);
  }
  ssi_release(b->ctx, ok ? b->col : col);
  ssi_release(b->ctx, ok ? b->x : x);
  if (!ok) return false;
  b->col = col;
  b->x = x;
  b->room = room;
  return true;
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
