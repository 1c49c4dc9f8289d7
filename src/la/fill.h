// la/fill.h - what an LU without exchanges fills in: the order of elimination by approximate minimum
// degree and the patterns of L and U, for a matrix of symmetric pattern.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_fill {
  int n;          // rows; 0: not available
  double flops;   // of one factorisation
  int *position;  // of a row in the order of elimination                       (n)
  int64_t *uptr;  // U above its diagonal by rows, in positions, ascending      (n + 1)
  int *ucol;      //                                                            (uptr[n])
  int64_t *lptr;  // L below its diagonal by rows, ascending                    (n + 1)
  int *lcol;      //                                                            (uptr[n])
} ssi_fill;

// A: the pattern, the diagonal in it. out->n stays 0 where it is not symmetric or a factorisation takes
// more than max_flops. false: no memory.
bool ssi_fill_create(ssi_arena *arena, const ss_sparse *A, double max_flops, ssi_fill *out);
