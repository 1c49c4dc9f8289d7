// la/dd.h - double-double arithmetic: a number is an unevaluated sum hi + lo, |lo| <= ulp(hi)/2,
// about 32 digits. For residuals, where the doubles that are judged cancel. By hand: a few instructions in registers,
// where GMP's floats take memory for each number.
//
// Products by fma(), which gives their exact error; callers in a hurry are SSI_CLONES_FMA, into which
// everything here is inlined. Relies on -ffp-contract=off.
// [ORO05] T. Ogita, S. M. Rump, S. Oishi, Accurate sum and dot product (2005).
#pragma once

#include <math.h>

#include "base/clones.h"

typedef struct ssi_dd {
  double hi, lo;
} ssi_dd;

// a + b = hi + lo exactly, for any a, b.
SSI_INLINE ssi_dd ssi_two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (ssi_dd){s, (a - (s - t)) + (b - t)};
}

// The same for |a| >= |b| (or a = 0).
SSI_INLINE ssi_dd ssi_quick_two_sum(double a, double b) {
  double s = a + b;
  return (ssi_dd){s, b - (s - a)};
}

// a b = hi + lo exactly, unless lo would fall below the smallest double or hi overflows.
SSI_INLINE ssi_dd ssi_two_prod(double a, double b) {
  double p = a * b;
  return (ssi_dd){p, fma(a, b, -p)};
}

SSI_INLINE ssi_dd ssi_dd_from(double a) {
  return (ssi_dd){a, 0};
}

SSI_INLINE ssi_dd ssi_dd_neg(ssi_dd a) {
  return (ssi_dd){-a.hi, -a.lo};
}

SSI_INLINE ssi_dd ssi_dd_add(ssi_dd a, ssi_dd b) {  // error 3 * 2^-106 |a + b|
  ssi_dd s = ssi_two_sum(a.hi, b.hi), t = ssi_two_sum(a.lo, b.lo);
  s = ssi_quick_two_sum(s.hi, s.lo + t.hi);
  return ssi_quick_two_sum(s.hi, s.lo + t.lo);
}

SSI_INLINE ssi_dd ssi_dd_sub(ssi_dd a, ssi_dd b) {
  return ssi_dd_add(a, ssi_dd_neg(b));
}

SSI_INLINE ssi_dd ssi_dd_add_d(ssi_dd a, double b) {
  ssi_dd s = ssi_two_sum(a.hi, b);
  return ssi_quick_two_sum(s.hi, s.lo + a.lo);
}

SSI_INLINE ssi_dd ssi_dd_mul(ssi_dd a, ssi_dd b) {  // relative error 2^-103
  ssi_dd p = ssi_two_prod(a.hi, b.hi);
  return ssi_quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

SSI_INLINE ssi_dd ssi_dd_mul_d(ssi_dd a, double b) {
  ssi_dd p = ssi_two_prod(a.hi, b);
  return ssi_quick_two_sum(p.hi, p.lo + a.lo * b);
}

SSI_INLINE ssi_dd ssi_dd_div(ssi_dd a, ssi_dd b) {  // two steps of long division
  double q = a.hi / b.hi;
  ssi_dd rest = ssi_dd_sub(a, ssi_dd_mul_d(b, q));
  double q2 = rest.hi / b.hi;
  rest = ssi_dd_sub(rest, ssi_dd_mul_d(b, q2));
  return ssi_dd_add_d(ssi_quick_two_sum(q, q2), rest.hi / b.hi);
}

SSI_INLINE ssi_dd ssi_dd_sqrt(ssi_dd a) {  // one Newton step from the double; a >= 0
  double s = sqrt(a.hi);
  if (!(s > 0) || isinf(s)) return ssi_dd_from(s);
  ssi_dd rest = ssi_dd_sub(a, ssi_two_prod(s, s));
  return ssi_quick_two_sum(s, rest.hi / (2 * s));
}

SSI_INLINE int ssi_dd_sign(ssi_dd a) {  // of hi + lo; hi is zero only when all is
  return (a.hi > 0) - (a.hi < 0);
}

SSI_INLINE int ssi_dd_less(ssi_dd a, ssi_dd b) {
  return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

// sqrt(a^2 + b^2), at any scale that double has.
SSI_INLINE ssi_dd ssi_dd_length2(ssi_dd a, ssi_dd b) {
  double large = fmax(fabs(a.hi), fabs(b.hi)), scale = 1;
  if (large < 0x1p-400) scale = 0x1p600;
  if (large > 0x1p400) scale = 0x1p-600;
  if (scale != 1) {
    a = (ssi_dd){a.hi * scale, a.lo * scale};
    b = (ssi_dd){b.hi * scale, b.lo * scale};
  }
  ssi_dd n = ssi_dd_sqrt(ssi_dd_add(ssi_dd_mul(a, a), ssi_dd_mul(b, b)));
  return scale == 1 ? n : (ssi_dd){n.hi / scale, n.lo / scale};
}

// Running sum of products [ORO05, Dot2]: after any number of steps, sum->hi + sum->lo has the error
// n^2 2^-106 sum |a b|. Not normalised: finish with ssi_dd_finish.
SSI_INLINE void ssi_dd_accumulate(ssi_dd *sum, double a, double b) {
  ssi_dd p = ssi_two_prod(a, b), s = ssi_two_sum(sum->hi, p.hi);
  sum->hi = s.hi;
  sum->lo += s.lo + p.lo;
}

SSI_INLINE ssi_dd ssi_dd_finish(ssi_dd sum) {
  return ssi_two_sum(sum.hi, sum.lo);
}
