// io/matrix_market.h - one Matrix Market file, for the reader of sets.
#pragma once

#include "io/reader.h"

// What the rest of the set says about the size of a file; rows or cols < 0: any.
typedef struct ssi_mtx_size {
  int rows, cols;
} ssi_mtx_size;

// `dim`, unless NULL, takes the number of a comment "%stickslip dim 3"; unchanged where none is.
ss_error ssi_read_mtx_sized(ss_context *ctx, const ssi_source *in, ssi_mtx_size expected,
                            ssi_arena *arena, ss_sparse *out, int *dim);
