// la/momentum.h - momentum for a fixed-point map g = G(x), each block of x with its own.
//
// Nesterov's iteration
//
//     y_{k+1} = x_{k+1} + beta_k (x_{k+1} - x_k),   x_{k+1} = G(y_k)                       (1)
//     beta_k = (t_k - 1)/t_{k+1},   t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2
//
// with beta <= most, where t stays as it is,
//
// goes as far in k steps as plain ones in k^2 where G creeps, always in about the same direction. G must not throw
// x back and forth (of a linear map: eigenvalues from 0 to 1). Where a step went too
// far, (y_k - x_{k+1}).(x_{k+1} - x_k) > 0: the map points back. Then the momentum is cut,
// t <- max(1, keep t). With contacts as blocks, one whose status changes does not stop the others; with one t
// for all, piles of a thousand contacts never came to rest.
//
// [N83]   Y. Nesterov, A method of solving a convex programming problem with convergence rate O(1/k^2),
//         Soviet Mathematics Doklady 27 (1983) 372-376.
// [OC15]  B. O'Donoghue, E. Candes, Adaptive restart for accelerated gradient schemes, Foundations of
//         Computational Mathematics 15 (2015) 715-732.
#pragma once

#include "base/arena.h"

typedef struct ssi_momentum_rule {
  double most;  // beta at most; below 1
  double keep;  // share of t that a cut leaves
  int threads;  // 0: one
} ssi_momentum_rule;

typedef struct ssi_momentum {
  ssi_momentum_rule rule;  // keep may be changed at any time
  int dim;                 // numbers in a block
  int64_t blocks;
  double *x;  // last value of the map        (blocks dim)
  double *y;  // where it is evaluated next   (blocks dim)
  double *t;  // (blocks)
} ssi_momentum;

// false: no memory
bool ssi_momentum_create(ssi_arena *arena, int dim, int64_t blocks, ssi_momentum_rule rule,
                         ssi_momentum *out);

// Forgets everything; the map will be evaluated at x.
void ssi_momentum_begin(ssi_momentum *m, const double *x);

// x is G at the point that the last call gave; becomes the point at which to evaluate G next.
void ssi_momentum_next(ssi_momentum *m, double *x);
