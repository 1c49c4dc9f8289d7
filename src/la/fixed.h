// la/fixed.h - LU in a fixed symmetric pattern, without exchanges, for matrices so sparse that a
// general solver spends its time on book-keeping. One analysis serves the full pattern and every
// choice of some of its rows and columns. Exchanges are not possible: the result must be checked.
#pragma once

#include "la/fill.h"

typedef struct ssi_fixed {
  ssi_fill fill;     // fill.n = 0: not available
  double *u, *l;     // (fill.uptr[n])
  double *diagonal;  // of U; 0 in rows that are not there   (n)
  double *work;      // (n)
  int *row;          // the caller's row at a position, or -1   (n)
} ssi_fixed;

// ptr, col: the full pattern; otherwise as ssi_fill_create.
bool ssi_fixed_create(ssi_arena *arena, int n, const int64_t *ptr, const int64_t *col,
                      double max_flops, ssi_fixed *out);

// Row i of the matrix (count rows) is row full[i] of the full pattern, column j likewise; full NULL:
// all. false: a pivot is too small beside its row.
bool ssi_fixed_factor(ssi_fixed *f, int count, const int *full, const int64_t *ptr,
                      const int64_t *col, const double *x);
void ssi_fixed_solve(ssi_fixed *f, int count, const int *full, const double *b, double *x);
