// analysis/dual_qp.h - convex quadratic programs by the dual active-set method, stopped as soon as
// the value is known to be positive:
//
//     min  f(x) = 1/2 x.Q x + c.x + c0    subject to   a_k + b_k.x >= 0                     (1)
//
// Q positive definite. The method climbs along the dual, so that each iterate (x, y) with
// Q x + c = sum y_k b_k, y >= 0 gives the lower bound
//
//     f(x) - sum y_k (a_k + b_k.x)                                                            (2)
//
// [GI83] D. Goldfarb, A. Idnani, A numerically stable dual method for solving strictly convex
// quadratic
//        programs, Mathematical Programming 27 (1983) 1-33.
#pragma once

#include "base/arena.h"

typedef enum ssi_qp_answer {
  SSI_QP_OPEN,  // the minimum is <= 0, or not known to be positive: x is the minimiser or near it
  SSI_QP_POSITIVE,  // (2) is positive beyond rounding
  SSI_QP_EMPTY,     // no x satisfies the inequalities: a combination of them is negative everywhere
} ssi_qp_answer;

typedef struct ssi_dual_qp {
  int n, count;      // unknowns, inequalities
  int room_n, room;  // for so many
  double *Q;         // row-major                       (n n); overwritten by its factor
  double *c, c0;     // (n)
  double *a, *b;     // row-major b                     (count), (count n)
  double *x;         // answer                          (n)
  // scratch
  double *J, *R, *d, *z, *r, *y, *norm;
  int *active;
  bool *in;
  int active_count;
  double value;            // f(x)
  double violated, empty;  // what counts as violated, as a contradiction; relative
} ssi_dual_qp;

bool ssi_dual_qp_take(ssi_dual_qp *p, ssi_arena *arena, int n, int count);  // false: no memory

// Q -> its Cholesky factor; false: not positive definite (pivots relative to the diagonal).
bool ssi_dual_qp_factor(ssi_dual_qp *p);
// After ssi_dual_qp_factor. bounded: whether POSITIVE may be answered; else only EMPTY.
ssi_qp_answer ssi_dual_qp_solve(ssi_dual_qp *p, bool bounded);

// The same with Q = 1, for EMPTY alone, of inequalities that fail by as little as `least`, which
// must be well above rounding.
ssi_qp_answer ssi_dual_qp_feasible(ssi_dual_qp *p, double least);
