// la/block_lu.h - LU of a sparse matrix of small dense blocks, as rigid bodies make it: fixed symmetric
// pattern of blocks, order by minimum degree, exchanges of rows within a diagonal block only. The result
// must be checked.
//
// Blocks are stored with `size` rows of `stride` numbers, 6 x 8 or 3 x 4, so that a row is two or one
// vectors of the processor. A block row with fewer rows of the matrix is filled up with those of I.
#pragma once

#include "la/direct.h"
#include "la/fill.h"

// direct.A is the pattern of the blocks, symmetric, the diagonal in it; the numbers are written to `a`.
typedef struct ssi_block_lu {
  ssi_direct direct;
  int n;             // block rows; 0: not ready
  int size, stride;  // rows of a block, numbers from one of its rows to the next
  int area;          // size stride: numbers of a block
  const int *start;  // first row of each block row, at most 6 rows each, the caller's   (n + 1)
  ssi_fill fill;     // of the blocks; position[i]: of block row i; fill.n = 0: too many operations
  double flops;      // of one factorisation
  double *a;         // the matrix, filled by the caller                         (blocks area)
  int *row;          // block row at a position                                  (n)
  double *u, *l;     // blocks of the factors                                    (fill.uptr[n] area)
  double *d;         // factors of the diagonal blocks of L                      (n area)
  int *pivot;        // exchanges of rows in them                                (n size)
  double *work;      // one block row                                            (n area)
  double *rest;      // b - A x                                                  (start[n])
  double *fix;       // of x                                                     (start[n])
  double *copy;      // of b, where x takes its place                            (start[n])
} ssi_block_lu;

extern const ssi_backend ssi_body_blocks_lu;  // analyse: of direct.A, with `start` set

int64_t ssi_block_lu_find(const ssi_block_lu *f, int row,
                          int col);  // the block's number; it is there

// a = I in the rows that fill up, 0 elsewhere.
void ssi_block_lu_clear(ssi_block_lu *f);

// x, an answer, once more where that helps; what direct.wish.refine does with each. false: what is left
// of b is more than a millionth of it.
bool ssi_block_lu_refine(ssi_block_lu *f, const double *b, double *x);
