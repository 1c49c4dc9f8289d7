// la/lu.h - LU of a general sparse matrix that is refilled again and again, by whichever back-end of
// la/direct.h is the fastest: dense where there are few rows, in a fixed pattern where it is very sparse,
// sparse with exchanges otherwise, and where the fixed one fails.
#pragma once

#include "la/fixed.h"

enum { SSI_LU_DENSE = 200 };  // rows up to which LAPACK is faster; docs/solvers-newton.md

typedef struct ssi_lu {
  int n;         // rows in use: set by the caller before ssi_lu_factor   (<= rows)
  int64_t *ptr;  // rows with ascending columns, filled by the caller     (rows + 1)
  int *col;      //                                                       (entries)
  double *x;     //                                                       (entries)

  int *full;  // row of the full pattern that row i is; only where a part is used   (rows)

  ssi_fixed fixed;
  ssi_direct *dense, *sparse;
  ssi_direct *used;  // the one that has the factors
  int analysed;      // rows of the last analysis by `sparse`; 0: none
} ssi_lu;

// Room for `rows` rows and `entries` entries. Release it whatever is returned. false: no memory.
bool ssi_lu_create(ssi_arena *arena, int rows, int64_t entries, ssi_lu *out);
void ssi_lu_release(ssi_lu *lu);  // the rest goes with the arena

// To be called when ptr and col hold the full pattern, of which later ones take some rows and the same
// columns (lu->full), or all. false: no memory.
bool ssi_lu_analyse(ssi_lu *lu, ssi_arena *arena);

// same_pattern: ptr and col are those of the last call. SS_ERR_LINEAR when the matrix is singular or
// not finite; writes no message, since a method may try again with another matrix.
ss_error ssi_lu_factor(ssi_lu *lu, bool same_pattern);
ss_error ssi_lu_solve(ssi_lu *lu, const double *b, double *x);  // b and x must not overlap
