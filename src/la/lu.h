// la/lu.h - LU of a general sparse matrix that is refilled again and again: dense LAPACK where it is
// small, UMFPACK otherwise. The symbolic analysis is kept for as long as the pattern stays.
#pragma once

#include "base/arena.h"

enum { SSI_LU_DENSE = 200 };  // rows up to which LAPACK is faster; docs/solvers-newton.md

typedef struct ssi_lu {
  int n;         // rows in use: set by the caller before ssi_lu_factor   (<= rows)
  int64_t *ptr;  // rows with ascending columns, filled by the caller     (rows + 1)
  int64_t *col;  //                                                       (entries)
  double *x;     //                                                       (entries)

  int analysed;              // rows of the last analysis; 0: none
  double *dense;             // column-major transpose   (dense_rows^2)
  int *pivot;                // (dense_rows)
  void *symbolic, *numeric;  // UMFPACK's own memory
} ssi_lu;

// Room for `rows` rows and `entries` entries. false: no memory.
bool ssi_lu_create(ssi_arena *arena, int rows, int64_t entries, ssi_lu *out);
void ssi_lu_release(ssi_lu *lu);  // what UMFPACK owns; the rest goes with the arena

// same_pattern: ptr and col are those of the last call. SS_ERR_LINEAR when the matrix is singular or
// not finite; writes no message, since a method may try again with another matrix.
ss_error ssi_lu_factor(ssi_lu *lu, bool same_pattern);
ss_error ssi_lu_solve(ssi_lu *lu, const double *b, double *x);  // b and x must not overlap
