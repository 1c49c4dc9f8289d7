// la/phase1.h - is a small dense system of linear inequalities solvable? The first phase of the simplex
// method on a condensed dictionary.
//
//     x >= 0,   (A x + c)_i >= 0,  or = 0 where equal[i]                                          (1)
//
// minimises the sum of what is missing, less wish.x. A positive minimum comes with multipliers (Farkas)
//
//     y_i >= 0 unless equal[i],   A^T y <= -wish,   c.y = -minimum < 0                             (2)
//
// which prove that (1) has no solution, to the rounding of the pivots: callers judge y themselves.
#pragma once

#include "base/arena.h"

typedef enum ssi_phase1_state {
  SSI_PHASE1_FEASIBLE,
  SSI_PHASE1_INFEASIBLE,
  SSI_PHASE1_FAILED,  // no end within the pivots allowed
} ssi_phase1_state;

typedef struct ssi_phase1 {
  int rows, cols;  // of the present system, within the sizes taken
  double *A, *c;   // filled by the caller, kept; A row-major with stride cols   (rows cols), (rows)
  bool *equal;     // filled by the caller   (rows)
  double *wish;    // >= 0: by how much the columns are to miss; 0 after taking   (cols)
  double *x, *y;   // answers   (cols), (rows)
  double missing;  // the minimum
  double *T, *cost, *b;   // the dictionary: basic = b + T nonbasic, sum = value + cost nonbasic
  int *basic, *nonbasic;  // variable of each row, of each column
} ssi_phase1;

bool ssi_phase1_take(ssi_phase1 *s, int rows, int cols, ssi_arena *arena);  // false: no memory
ssi_phase1_state ssi_phase1_solve(ssi_phase1 *s);                           // entries of order 1
