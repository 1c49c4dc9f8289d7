// la/lcp.h - linear complementarity problems by Lemke's pivots on a dense dictionary.
//
//     w = M z + q,    0 <= w ⊥ z >= 0                                                           (1)
//
// The dictionary writes the basic variables by the others, including the artificial z0:
//
//     w = q + M z + z0 (1, ..., 1)                                                              (2)
//
// One pivot costs n (n + 2) multiply-adds and as much memory traffic.
#pragma once

#include "base/arena.h"

typedef enum ssi_lcp_state { SSI_LCP_GOING, SSI_LCP_SOLVED, SSI_LCP_RAY } ssi_lcp_state;

typedef struct ssi_lcp {
  int n;          // of the present problem, <= the size taken
  double *T;      // row-major n x (n + 2): columns of the nonbasic variables, constants last
  int *basic;     // variable of each row: j is w_j, n + j is z_j, 2n is z0     (n)
  int *nonbasic;  // variable of each column                                    (n + 1)
  int *column;    // column of each w_j, or -1 while it is basic                 (n)
  int *tied;      // scratch                                                    (n)
  int *entry;     // scratch                                                    (n + 2)
  int entering;   // column that enters next
} ssi_lcp;

bool ssi_lcp_take(ssi_lcp *l, int size, ssi_arena *arena);  // false: no memory

static inline double *ssi_lcp_row(ssi_lcp *l, int i) {
  return l->T + (int64_t)i * (l->n + 2);
}

// After M (columns 0 .. n-1) and q (column n + 1) have been written into the rows, entries of order 1.
ssi_lcp_state ssi_lcp_start(ssi_lcp *l);
// One pivot. RAY: the entering variable can grow without end; (1) may have no solution, or only M is
// of a kind that this method does not treat.
ssi_lcp_state ssi_lcp_pivot(ssi_lcp *l);

// z_j from the dictionary; 0 if nonbasic. z (n).
void ssi_lcp_values(ssi_lcp *l, double *z);
