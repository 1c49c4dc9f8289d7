// models/number.h - a number that remembers being a fraction.
//
// x is always there; exact.q > 0 says that the number is exact.p / exact.q and x the double nearest to
// it. Arithmetic keeps the fraction while its parts stay within 2^53, and goes on in double after that,
// so a model writes its formulas once and gets both. By hand, not by GMP: parts of 53 bits, whose products fit into
// 128, are plain values that need no memory, and models are exact in builds without GMP.
#pragma once

#include "stickslip/base.h"

// p/q in lowest terms, |p| and q at most 2^53. q == 0: not known as such a fraction.
typedef struct ssi_fraction {
  int64_t p, q;
} ssi_fraction;

typedef struct ssi_number {
  double x;
  ssi_fraction exact;
} ssi_number;

ssi_number ssi_whole(int64_t k);
ssi_number ssi_real(double x);               // known as a double only, save whole numbers
ssi_number ssi_ratio(int64_t p, int64_t q);  // q > 0
ssi_number ssi_add(ssi_number a, ssi_number b);
ssi_number ssi_sub(ssi_number a, ssi_number b);
ssi_number ssi_mul(ssi_number a, ssi_number b);
ssi_number ssi_div(ssi_number a, ssi_number b);
ssi_number ssi_neg(ssi_number a);
ssi_number ssi_sqrt(ssi_number a);  // a.x >= 0

static inline ssi_number ssi_mul3(ssi_number a, ssi_number b, ssi_number c) {
  return ssi_mul(ssi_mul(a, b), c);
}

// "-3/5", "0.25/7", "1e-3": the whole text, finite. NULL, or what is wrong with it.
const char *ssi_number_parse(const char *text, ssi_number *out);
