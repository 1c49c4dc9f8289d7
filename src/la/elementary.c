// Elementary functions with the same bits on every processor. A C library chooses other code for these where the
// processor has fused multiply-add, and the last bit changes with it. cmake/linear_algebra.cmake lets the linker redirect
// sin() to __wrap_sin() (--wrap) in all objects of the library and of the command, archives included.
//
// Each value is computed in quadruple precision, by integer arithmetic, and rounded once: it is the correctly rounded value
// but for one argument in 2^55 or so. A call takes 0.6 us (pow 2 us), against 0.01 us: no inner loop of ours has one.
//
// hypot, which inner loops do have, is computed in doubles.
// [B20] C. F. Borges, Algorithm 1014: an improved algorithm for hypot(x, y), ACM Trans. Math. Softw. 47 (2020).
#include <math.h>

#include "la/dd.h"

// The C library has these under the same names wherever it has such a type. Compilers that lack the type's C23 name
// know one of these two.
#if defined(__x86_64__)
typedef __float128 quad;
#else
typedef long double quad;
#endif

#define ONE(name)                                                                                  \
  quad name##f128(quad x);                                                                         \
  double __wrap_##name(double x);                                                                  \
  double __wrap_##name(double x) {                                                                 \
    return (double)name##f128(x);                                                                  \
  }
#define TWO(name)                                                                                  \
  quad name##f128(quad x, quad y);                                                                 \
  double __wrap_##name(double x, double y);                                                        \
  double __wrap_##name(double x, double y) {                                                       \
    return (double)name##f128(x, y);                                                               \
  }

ONE(sin)
ONE(cos)
ONE(tan)
ONE(acos)
ONE(atan)
ONE(exp)
ONE(exp2)
ONE(log)
ONE(log2)
ONE(log10)
ONE(cbrt)
TWO(atan2)
TWO(pow)

quad logf128(quad x);
float __wrap_logf(float x);
float __wrap_logf(float x) {  // LAPACK's choice of a number of shifts
  return (float)logf128(x);
}

void __wrap_sincos(double x, double *sine, double *cosine);  // compilers join sin(x) and cos(x)
void __wrap_sincos(double x, double *sine, double *cosine) {
  *sine = __wrap_sin(x);
  *cosine = __wrap_cos(x);
}

// h = sqrt(a^2 + b^2), then one step of Newton's method with the exact error of h^2 [B20]. a >= b >= 0.
SSI_CLONES_FMA static double norm(double a, double b) {
  double h = sqrt(a * a + b * b);
  ssi_dd hh = ssi_two_prod(h, h), aa = ssi_two_prod(a, a), bb = ssi_two_prod(b, b);
  double error = hh.hi - aa.hi - bb.hi + (hh.lo - aa.lo - bb.lo);
  return h - error / (2 * h);
}

double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) {
  static const double large = 0x1p500, small = 0x1p-400, shift = 0x1p600;
  double a = fabs(x), b = fabs(y);
  if (isinf(a) || isinf(b)) return INFINITY;
  if (a < b) {
    double t = a;
    a = b, b = t;
  }
  if (!(b > a * 0x1p-54)) return a + b;  // NaN as well
  if (a > large) return norm(a / shift, b / shift) * shift;
  if (b < small) return norm(a * shift, b * shift) / shift;
  return norm(a, b);
}
