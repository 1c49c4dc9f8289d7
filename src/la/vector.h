// la/vector.h - sums and tests over plain vectors, term after term.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline double ssi_dot(int64_t n, const double *a, const double *b) {
  double sum = 0;
  for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static inline double ssi_largest(int64_t n, const double *x) {  // |x_k|
  double most = 0;
  for (int64_t k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

// true for NULL. LAPACK is given finite numbers only: with others pivots point anywhere, and it prints.
static inline bool ssi_all_finite(const double *x, size_t count) {
  for (size_t k = 0; x && k < count; k++)
    if (!isfinite(x[k])) return false;
  return true;
}
