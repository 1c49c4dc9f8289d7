// crosscheck/interval.h - intervals of doubles, rounded outwards. They decide what is far from a
// tie without rationals; a sign that they do not decide is left to exact arithmetic.
#pragma once

#include <math.h>
#include <stdbool.h>

typedef struct interval {
  double lo, hi;
} interval;

static inline interval iv(double lo, double hi) {
  return (interval){lo, hi};
}
static inline interval iv_out(double lo, double hi) {
  return iv(nextafter(lo, -INFINITY), nextafter(hi, INFINITY));
}
static inline interval iv_sub(interval a, interval b) {
  return iv_out(a.lo - b.hi, a.hi - b.lo);
}
static inline interval iv_add(interval a, interval b) {
  return iv_out(a.lo + b.lo, a.hi + b.hi);
}
static inline interval iv_mul(interval a, interval b) {
  double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  if (isnan(p + q + r + s)) return iv(-INFINITY, INFINITY);  // 0 times infinity, or an overflow
  return iv_out(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}
static inline bool iv_has_zero(interval a) {
  return !(a.lo > 0 || a.hi < 0);
}
static inline interval iv_div(interval a, interval b) {  // b without zero
  return iv_mul(a, iv_out(1 / b.hi, 1 / b.lo));
}
static inline double iv_least(interval a) {  // smallest absolute value
  return iv_has_zero(a) ? 0 : fmin(fabs(a.lo), fabs(a.hi));
}
