// la/direct.h - A x = b by elimination, behind one contract whoever does the work.
//
//   ssi_direct_begin -> ssi_direct_analyse (the pattern) -> ssi_direct_room (memory for the numbers)
//   -> ssi_direct_factor (the numbers, as often as they change) -> ssi_direct_solve -> ssi_direct_release
//
// A back-end is one file of this folder: a struct that begins with an ssi_direct, the functions of
// ssi_backend, and that table. Nobody outside names the library behind it. What each is for:
//
//   ssi_dense_cholesky   few rows, or factors that fill up; symmetric positive definite
//   ssi_dense_lu         few rows
//   ssi_sparse_cholesky  symmetric positive definite (CHOLMOD)
//   ssi_sparse_lu        everything else (UMFPACK)
//   ssi_fixed_lu         symmetric pattern, few operations, no exchanges of rows; la/fixed.h
//   ssi_body_blocks_lu   blocks of bodies, no exchanges between them; la/block_lu.h
//   ssi_diagonal_blocks  M of rigid bodies: diagonal blocks of at most 6 x 6; la/diagonal.h
//
// Who chooses: la/factor.h for M^-1, la/lu.h for steps of Newton and interior points,
// ssi_direct_choose for many solves with one matrix, certify/normal.c for its normal equations.
#pragma once

#include <float.h>

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_backend ssi_backend;

// A pivot of M over its diagonal entry that is rounding of 0: a few roundings for each step of the elimination before it.
static const double SSI_NO_PIVOT = 16 * DBL_EPSILON;

typedef struct ssi_direct_wishes {
  bool
      lower;  // of a symmetric A the entries left of and on the diagonal are used, else those from it on
  bool many;         // solves with one factorisation: an inverse is worth its price
  bool refine;       // solutions once more (ssi_sparse_lu, ssi_body_blocks_lu)
  double max_flops;  // of a factorisation; 0: as many as it takes
} ssi_direct_wishes;

typedef struct ssi_direct {
  const ssi_backend *with;  // NULL: nothing is there
  ssi_direct_wishes wish;
  int n;  // unknowns
  ss_sparse
      A;  // square, by rows, as last given; A.ptr NULL: dense, n x n, overwritten by its factors
  const int *part;  // row of the analysed pattern that row i of A is; NULL: A has them all
  double flops;     // of one factorisation, from the analysis
  double entries;   // of the factors
  int bad_row;      // Cholesky: the row of A whose pivot is not positive, or -1
} ssi_direct;

// SS_ERR_METHOD: not for this pattern, or more operations than wished for (flops is then set, and
// everything else may still be called on another pattern). SS_ERR_LINEAR: singular or not finite; a further
// factorisation may follow. SS_ERR_MEMORY. They write no message: the caller may try another way.
struct ssi_backend {
  const char *name;
  size_t size;  // of the struct that begins with the ssi_direct
  ss_error (*analyse)(ssi_direct *d,
                      ssi_arena *arena);              // A's pattern, and numbers where it has them
  ss_error (*room)(ssi_direct *d, ssi_arena *arena);  // NULL: none needed
  ss_error (*factor)(ssi_direct *d);
  ss_error (*solve)(ssi_direct *d, const double *b, double *x);                  // x may be b
  ss_error (*solve_many)(ssi_direct *d, int count, const double *b, double *x);  // NULL: one by one
  ss_error (*solve_transposed)(ssi_direct *d, const double *b,
                               double *x);  // A^T x = b; NULL: symmetric, or not offered
  double (*weakest)(
      const ssi_direct *d);        // smallest pivot over its diagonal entry; NULL: not known
  void (*release)(ssi_direct *d);  // what is not in the arena; NULL: nothing
};

extern const ssi_backend ssi_dense_cholesky, ssi_dense_lu, ssi_sparse_cholesky, ssi_sparse_lu;

// A new one in the arena, of with->size bytes. NULL: no memory. (Where the struct is at hand, setting
// `with` and `wish` does the same.)
ssi_direct *ssi_direct_begin(ssi_arena *arena, const ssi_backend *with, ssi_direct_wishes wish);
void ssi_direct_release(ssi_direct *d);  // NULL allowed; the rest goes with the arena

// A's arrays are borrowed until the next factorisation. Again for another pattern, if it has no more
// rows and the back-end takes no memory for it (ssi_sparse_lu).
ss_error ssi_direct_analyse(ssi_direct *d, const ss_sparse *A, ssi_arena *arena);
ss_error ssi_direct_room(ssi_direct *d, ssi_arena *arena);
ss_error ssi_direct_factor(ssi_direct *d, const ss_sparse *A);

// x = A^-1 b; x may be b. Many: column after column.
ss_error ssi_direct_solve(ssi_direct *d, const double *b, double *x);
ss_error ssi_direct_solve_many(ssi_direct *d, int count, const double *b, double *x);
// x = A^-T b; x may be b. Where many solves are wished for there is none: SS_ERR_METHOD.
ss_error ssi_direct_solve_transposed(ssi_direct *d, const double *b, double *x);

// For many solves with each matrix of one pattern: whichever back-end should be fastest, A factored.
// A symmetric A may differ from its transpose by rounding. SS_ERR_LINEAR: singular. Says what failed;
// release *out whatever is returned.
ss_error ssi_direct_choose(ssi_arena *arena, const ss_sparse *A, bool symmetric, ssi_direct **out);

bool ssi_direct_finite(const ssi_direct *d);  // for back-ends: every number of A is
