// la/diagonal.h - a block-diagonal matrix of positive definite symmetric part, blocks of at most 6 x 6,
// as the mass matrix of rigid bodies: each block is inverted by itself.
#pragma once

#include "la/direct.h"

typedef struct ssi_diagonal {
  ssi_direct direct;
  int count;            // 0: A has a larger block
  int *start;           // first row of each block             (count + 1)
  int *of;              // block of each row                   (rows)
  int64_t *inverse_at;  // where each block's inverse starts   (count + 1)
  double *inverse;      // row-major, one block after the other
  double weakest;       // of ssi_backend
} ssi_diagonal;

extern const ssi_backend ssi_diagonal_blocks;

// x = (block)^-1 b; b and x hold the block's own rows only and must not overlap.
void ssi_diagonal_solve_block(const ssi_diagonal *f, int block, const double *b, double *x);
