// problem/radius.h - how well a number of the data is known.
//
// A double stands for the real number that was rounded to it, or that sums and products were rounded to: it
// is known to a few units in the last place of what it was computed from. Only a number that needs no more than
// half of its 53 bits (0, 3, -0.25, 1e5) is taken for exact: rounding leaves one by chance in 2^26 cases.
// `unit` is the largest number that it may have been computed from; what cancelled to 2^-54 beside numbers of
// size 1 has few bits, and is none the less known to 2^-53 only.
#pragma once

#include <math.h>
#include <stdbool.h>

// Part of its terms below which a sum says nothing: four units of rounding.
static const double SSI_ROUNDING = 0x1p-51;

static inline bool ssi_is_short(double x, double unit) {
  int exponent;
  frexp(fmax(fabs(x), unit), &exponent);
  double scaled = ldexp(x, 26 - exponent);
  return scaled == rint(scaled);
}

static inline double ssi_radius(double x, double unit) {
  return ssi_is_short(x, unit) ? 0 : SSI_ROUNDING * fmax(fabs(x), unit);
}
