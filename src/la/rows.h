// la/rows.h - a sparse matrix made row by row, its number of entries not known beforehand.
#pragma once

#include "la/sparse.h"

typedef struct ssi_rows {
  ss_context *ctx;
  int rows, cols;  // rows so far
  int64_t used;
  size_t col_room, x_room;
  int64_t *ptr;  // (row_limit + 1)
  int *col;
  double *x;
} ssi_rows;

bool ssi_rows_begin(ss_context *ctx, int row_limit, int cols, ssi_rows *out);
bool ssi_rows_append_dense(ssi_rows *b, const double *dense);  // (cols); exact zeros are dropped
bool ssi_rows_append_sparse(ssi_rows *b, int64_t count, const int *col, const double *x);
ss_sparse ssi_rows_view(const ssi_rows *b);  // borrowed
void ssi_rows_end(ssi_rows *b);
