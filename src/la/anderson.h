// la/anderson.h - Anderson acceleration (type II) of a fixed-point map g = G(x), x in R^n.
//
// With f_k = G(x_k) - x_k and the last columns of differences
//
//     dF = [ f_k - f_{k-1}, ... ],   dG = [ g_k - g_{k-1}, ... ]
//
// the next point is   x_{k+1} = g_k - dG gamma,   gamma = argmin | f_k - dF gamma |       (1)
//
// For a linear map this is GMRES; for a nonsmooth one it is a guess that may be bad: after an
// extrapolation that makes |f| grow by more than `growth` the caller is sent back to the plain
// iterate and the columns are forgotten. Cost of a step: 2 memory + 3 passes over n numbers.
//
// The caller evaluates the map in place; the helper remembers where it was evaluated:
//
//     ssi_anderson_begin(&a, x);
//     for (;;) {
//       x = G(x);
//       ssi_anderson_next(&a, x);
//     }
//
// [WN11] H. F. Walker, P. Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer.
//        Anal. 49 (2011) 1715-1735.
// [PSP16] P. P. Pratapa, P. Suryanarayana, J. E. Pask, Anderson acceleration of the Jacobi iterative
//        method, J. Comput. Phys. 306 (2016) 43-54: extrapolating only every p-th step.
#pragma once

#include "base/arena.h"

enum { SSI_ANDERSON_MEMORY = 20 };  // at most

typedef struct ssi_anderson_rule {
  int memory;             // columns, 0 .. SSI_ANDERSON_MEMORY; 0: never extrapolates
  int period;             // extrapolate every period-th step; 1: every step
  double regularisation;  // added to the diagonal of dF^T dF, times its trace
  double growth;          // of |f| that an extrapolation may cause; INFINITY: any
  int threads;            // 0: one
} ssi_anderson_rule;

typedef enum ssi_anderson_action {
  SSI_ANDERSON_PLAIN,         // x is left at G(x)
  SSI_ANDERSON_EXTRAPOLATED,  // x is (1)
  SSI_ANDERSON_REJECTED       // x is back at the value of the map before the last extrapolation
} ssi_anderson_action;

typedef struct ssi_anderson {
  ssi_anderson_rule rule;
  int64_t n;
  const double *weight;  // of the components in |f|; NULL: all 1   (n)
  double norm;           // |f| at the last evaluation, in that norm
  double *x;             // where the map is evaluated next              (n)
  double *f, *g;         // of the last evaluation; f times the weight   (n)
  double *dF, *dG;       // columns one after the other, a ring          (n memory)
  double *gram;          // dF^T dF by slots of the ring                 (memory^2)
  double *parts;         // sums over parts of the n numbers             (part_count (2 memory + 1))
  int part_count;        //
  int columns, slot;     // filled; where the next one goes
  int steps;             // since the last extrapolation
  bool started;          // f and g are there
  bool extrapolated;     // by the last call
} ssi_anderson;

// false: no memory. weight, if given, must live as long as *out and be positive.
bool ssi_anderson_create(ssi_arena *arena, int64_t n, ssi_anderson_rule rule, const double *weight,
                         ssi_anderson *out);

// Forgets everything; the map will be evaluated at x.
void ssi_anderson_begin(ssi_anderson *a, const double *x);

// x is G at the point that the last call gave; becomes the point at which to evaluate G next.
ssi_anderson_action ssi_anderson_next(ssi_anderson *a, double *x);
