// support/quad.h - reference arithmetic with 113 bits, so that double-double is judged by something
// better than itself. Only + - * / of the compiler's own type; no library.
#pragma once

#include <math.h>

#if defined(__x86_64__)
typedef __float128 quad;
#else
typedef long double quad;
#endif

static inline quad quad_abs(quad a) {
  return a < 0 ? -a : a;
}

static inline quad quad_sqrt(quad a) {  // Newton from the double, twice: 53 -> 106 -> 113 bits
  if (a <= 0) return 0;
  quad s = sqrt((double)a);
  s = (s + a / s) / 2;
  return (s + a / s) / 2;
}
