// la/fixed.h - LU in a fixed symmetric pattern, without exchanges, for matrices so sparse that a
// general solver spends its time on book-keeping. One analysis serves the full pattern and every
// choice of some of its rows and columns. Exchanges are not possible: the result must be checked.
#pragma once

#include "base/arena.h"

typedef struct ssi_fixed {
  int n;             // rows of the full pattern; 0: not available
  double flops;      // of one factorisation with all rows
  int *position;     // of a row in the order of elimination                       (n)
  int64_t *uptr;     // U above its diagonal by rows, in positions                 (n + 1)
  int *ucol;         //                                                            (uptr[n])
  int64_t *lptr;     // L below its unit diagonal by rows                          (n + 1)
  int *lcol;         //                                                            (uptr[n])
  double *u, *l;     //                                                            (uptr[n])
  double *diagonal;  // of U; 0 in rows that are not there                         (n)
  double *work;      //                                                            (n)
  int *row;          // the caller's row at a position, or -1                      (n)
} ssi_fixed;

// ptr, col: the full pattern by rows, columns ascending, the diagonal in it. out->n stays 0 where the
// pattern is not symmetric or a factorisation takes more than max_flops. false: no memory.
bool ssi_fixed_create(ssi_arena *arena, int n, const int64_t *ptr, const int64_t *col,
                      double max_flops, ssi_fixed *out);

// Row i of the matrix (count rows) is row full[i] of the full pattern, column j likewise; full NULL:
// all. false: a pivot is too small beside its row.
bool ssi_fixed_factor(ssi_fixed *f, int count, const int *full, const int64_t *ptr,
                      const int64_t *col, const double *x);
void ssi_fixed_solve(ssi_fixed *f, int count, const int *full, const double *b, double *x);
