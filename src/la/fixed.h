// la/fixed.h - LU in a fixed symmetric pattern, without exchanges, for matrices so sparse that a
// general solver spends its time on book-keeping. One analysis serves the full pattern and every
// choice of some of its rows and columns (direct.part). Exchanges are not possible: each solution is
// checked, and refused where more than a millionth of b is left (or a number is not finite).
//
// By hand: the refactorisation of KLU takes 1.07 to 1.43 of its time (docs/notes/linear-algebra.md).
#pragma once

#include "la/direct.h"
#include "la/fill.h"

typedef struct ssi_fixed {
  ssi_direct direct;
  ssi_fill fill;     // fill.n = 0: not available
  double *u, *l;     // (fill.uptr[n])
  double *diagonal;  // of U; 0 in rows that are not there   (n)
  double *work;      // (n)
  int *at;           // position of the caller's row        (n)
  int *row;          // the caller's row at a position, or -1   (n)
  double *copy;      // of b, where x takes its place        (n)
} ssi_fixed;

extern const ssi_backend ssi_fixed_lu;
