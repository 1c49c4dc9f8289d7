// la/sparse.h - making and using compressed sparse rows.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

// Triplets (i, j, x), 0-based, indices already known to be in range -> canonical rows. Duplicates
// are summed in the order given; their number is added to *duplicates, and *unsorted is set when
// the entries did not come in row-major or column-major order (either may be NULL). false: no memory.
bool ssi_sparse_from_triplets(ssi_arena *arena, int rows, int cols, int64_t count, const int *i,
                              const int *j, const double *x, ss_sparse *out, int64_t *duplicates,
                              bool *unsorted);

bool ssi_sparse_transpose(ssi_arena *arena, const ss_sparse *A,
                          ss_sparse *out);  // A->x may be NULL
bool ssi_sparse_copy(ssi_arena *arena, const ss_sparse *A, ss_sparse *out);
bool ssi_sparse_copy_pattern(ssi_arena *arena, const ss_sparse *A, ss_sparse *out);  // out->x NULL

// Gives an absent matrix (no rows, no arrays) its size, all zero; leaves any other as it is.
bool ssi_sparse_complete(ssi_arena *arena, int rows, int cols, ss_sparse *A);

// The first place from `low` to before `high` whose number is not below `wanted`, or `high`; ascending.
static inline int64_t ssi_find(const int *in, int64_t low, int64_t high, int wanted) {
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (in[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline int64_t ssi_sparse_find(const ss_sparse *A, int i,
                                      int j) {  // first of row i with column >= j
  return ssi_find(A->col, A->ptr[i], A->ptr[i + 1], j);
}
double ssi_sparse_entry(const ss_sparse *A, int i, int j);  // A_ij; 0 where nothing is stored

static inline int64_t ssi_sparse_entries(const ss_sparse *A) {
  return A->ptr ? A->ptr[A->rows] : 0;
}

int ssi_ascending(const void *a, const void *b);  // of two int, for qsort

// Row i of a square A becomes column i of `out`, column-major.   (rows^2)
void ssi_sparse_to_square(const ss_sparse *A, double *out);

void ssi_sparse_multiply_add(const ss_sparse *A, const double *x, double *y);  // y += A x
void ssi_sparse_multiply_transposed_add(const ss_sparse *A, const double *x,
                                        double *y);  // y += A^T x
