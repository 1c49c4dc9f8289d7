// la/block_lu.h - LU of a sparse matrix of small dense blocks, as rigid bodies make it: fixed symmetric
// pattern of blocks, order by minimum degree, exchanges of rows within a diagonal block only. The result
// must be checked.
//
// Blocks are stored with `size` rows of `stride` numbers, 6 x 8 or 3 x 4, so that a row is two or one
// vectors of the processor. A block row with fewer rows of the matrix is filled up with those of I.
#pragma once

#include "la/fill.h"

typedef struct ssi_block_lu {
  int n;             // block rows; 0: not ready
  int size, stride;  // rows of a block, numbers from one of its rows to the next
  int area;          // size stride: numbers of a block
  const int *start;  // first row of each block row, the caller's                (n + 1)
  ssi_fill fill;     // of the blocks; position[i]: of block row i
  double flops;      // of one factorisation
  int64_t *ptr;      // the matrix: blocks of each block row                     (n + 1)
  int *col;          // ascending within a row, in the caller's numbers          (ptr[n])
  double *a;         // filled by the caller                                     (ptr[n] area)
  int *row;          // block row at a position                                  (n)
  double *u, *l;     // blocks of the factors                                    (fill.uptr[n] area)
  double *d;         // factors of the diagonal blocks of L                      (n area)
  int *pivot;        // exchanges of rows in them                                (n size)
  double *work;      // one block row                                            (n area)
  double *rest;      // b - A x                                                  (start[n])
  double *fix;       // of x                                                     (start[n])
} ssi_block_lu;

// The analysis. start: n + 1 numbers that must outlive it, at most 6 rows each. ptr, col: pattern of the
// blocks by rows, columns ascending, symmetric, the diagonal in it. out->fill.n stays 0 where a
// factorisation takes more than max_flops. false: no memory.
bool ssi_block_lu_create(ssi_arena *arena, int n, const int *start, const int64_t *ptr,
                         const int64_t *col, double max_flops, ssi_block_lu *out);

// Room for the numbers, once, if there is an analysis: out->n is then set. false: no memory.
bool ssi_block_lu_ready(ssi_block_lu *f, ssi_arena *arena);

int64_t ssi_block_lu_find(const ssi_block_lu *f, int row,
                          int col);  // the block's number; it is there

// a = I in the rows that fill up, 0 elsewhere.
void ssi_block_lu_clear(ssi_block_lu *f);
bool ssi_block_lu_factor(ssi_block_lu *f);  // false: a diagonal block is singular or not finite
void ssi_block_lu_solve(ssi_block_lu *f, const double *b, double *x);  // A x = b   (start[n])

// x, an answer, once more where that helps. false: what is left of b is more than a millionth of it.
bool ssi_block_lu_refine(ssi_block_lu *f, const double *b, double *x);
