// base/worst.h - the largest of several numbers, and the smallest, where one that is not a number is the worst there is:
// a comparison with NAN alone is false both ways, and the next number would take its place.
#pragma once

#include <math.h>

static inline double ssi_larger(double most, double x) {
  return x <= most ? most : isnan(x) ? INFINITY : x;
}

static inline double ssi_smaller(double least, double x) {
  return x >= least ? least : isnan(x) ? -INFINITY : x;
}
