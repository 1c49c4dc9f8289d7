// Elementary functions with the same bits on every processor. A C library chooses other code for these where the
// processor has fused multiply-add, and the last bit changes with it. cmake/linear_algebra.cmake lets the linker redirect
// sin() to __wrap_sin() (--wrap) in all objects of the library and of the command, archives included.
//
// Each value is the one computed in quadruple precision, by integer arithmetic, and rounded once: the correctly rounded one
// but for one argument in 2^55 or so. That takes 0.5 to 2.2 us. Where long double is x87's, its value comes first: a few
// units of 2^-64 are uncertain in it, in the C library and in the processor, and where both ends of that interval round to
// the same double, that is the value (63 of 64 calls).
// [Z91] A. Ziv, Fast evaluation of elementary mathematical functions with correctly rounded last bit, ACM Trans. Math.
// Softw. 17 (1991).
//
// hypot is computed in doubles.
// [B20] C. F. Borges, Algorithm 1014: an improved algorithm for hypot(x, y), ACM Trans. Math. Softw. 47 (2020).
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "la/dd.h"

// The C library has these under the same names wherever it has such a type. Compilers that lack the type's C23 name
// know one of these two.
#if defined(__x86_64__)
typedef __float128 quad;
#else
typedef long double quad;
#endif

// Does every number within 16 units of the last place of y round to *rounded?
static inline bool is_certain(long double y, double *rounded) {
  long double error_bound = 0x1p-60L * y;
  *rounded = (double)(y - error_bound);
  return LDBL_MANT_DIG == 64 && *rounded == (double)(y + error_bound);
}

#define ONE(name)                                                                                  \
  quad name##f128(quad x);                                                                         \
  double __wrap_##name(double x);                                                                  \
  double __wrap_##name(double x) {                                                                 \
    double rounded;                                                                                \
    return is_certain(name##l(x), &rounded) ? rounded : (double)name##f128(x);                     \
  }
#define TWO(name)                                                                                  \
  quad name##f128(quad x, quad y);                                                                 \
  double __wrap_##name(double x, double y);                                                        \
  double __wrap_##name(double x, double y) {                                                       \
    double rounded;                                                                                \
    return is_certain(name##l(x, y), &rounded) ? rounded : (double)name##f128(x, y);               \
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
