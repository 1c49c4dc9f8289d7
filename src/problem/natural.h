// problem/natural.h - the natural map of one contact in double-double, with a projection of its own:
// the verdict shares no code with the solvers it judges.
//
//   F = lambda r - P_K( lambda r - u^ ),   u^ = u + mu |u_T| e,   K = { |x_T| <= mu x_N }     (1)
//
// which is (1/rho)( r - P_K(r - rho u^) ) for rho = 1/lambda, as K is a cone. With x = lambda r - u^:
//
//   x in K            F = u^
//   x in polar of K   F = lambda r                            mu |x_T| <= -x_N
//   else              F = u^ + d (-s, c t),  t = x_T/|x_T|,  d = (c |x_T| - s x_N)/(c^2 + s^2)   (2)
//
// where (c, s) = (1, mu), or (1/mu, 1) for mu > 1 so that a huge mu does not overflow. (2) is
// x - P_K(x) written so that nothing cancels except in d and in the last sum.
#pragma once

#include "la/dd.h"

SSI_INLINE ssi_dd ssi_tangent_length(int dim, const ssi_dd *x) {
  if (dim == 2) return x[1].hi < 0 ? ssi_dd_neg(x[1]) : x[1];
  return ssi_dd_length2(x[1], x[2]);
}

// +1 where x lies inside K, -1 where it lies inside the polar cone, further from the border than the
// rounding of this test in plain arithmetic; 0 where that does not tell.
SSI_INLINE int ssi_cone_side(int dim, double c, double s, const ssi_dd *x) {
  double n = x[0].hi, a = x[1].hi, b = dim == 3 ? x[2].hi : 0;
  double size = fabs(n) + fabs(a) + fabs(b);
  if (!(size > 0x1p-400 && size < 0x1p400)) return 0;  // squares are numbers
  double t = sqrt(a * a + b * b), margin = 0x1p-40 * (c + s) * size;
  if (c * t - s * n < -margin) return 1;
  return s * t + c * n < -margin ? -1 : 0;
}

// tangent: |u_T| of this u. F (dim).
SSI_INLINE void ssi_natural_map(int dim, double mu, double lambda, const double *r, const ssi_dd *u,
                                ssi_dd tangent, ssi_dd *F) {
  ssi_dd x[3] = {{0}}, c = {1, 0}, s = {mu, 0};
  if (mu > 1) c = ssi_dd_div(ssi_dd_from(1), ssi_dd_from(mu)), s = ssi_dd_from(1);
  for (int k = 0; k < dim; k++) F[k] = u[k];
  F[0] = ssi_dd_add(u[0], ssi_dd_mul_d(tangent, mu));
  for (int k = 0; k < dim; k++) x[k] = ssi_dd_sub(ssi_two_prod(lambda, r[k]), F[k]);
  int side = ssi_cone_side(dim, c.hi, s.hi, x);
  if (side > 0) return;
  if (side < 0) {
    for (int k = 0; k < dim; k++) F[k] = ssi_two_prod(lambda, r[k]);
    return;
  }
  ssi_dd xT = ssi_tangent_length(dim, x);
  if (!isfinite(x[0].hi) || !isfinite(xT.hi)) {  // overflow must not pass for a branch below
    F[0] = ssi_dd_from(NAN);
    return;
  }
  if (!ssi_dd_less(ssi_dd_neg(ssi_dd_mul(c, x[0])), ssi_dd_mul(s, xT))) {  // polar
    for (int k = 0; k < dim; k++) F[k] = ssi_two_prod(lambda, r[k]);
    return;
  }
  ssi_dd outside = ssi_dd_sub(ssi_dd_mul(c, xT), ssi_dd_mul(s, x[0]));
  if (ssi_dd_sign(outside) <= 0) return;  // x in K
  ssi_dd d = ssi_dd_div(outside, ssi_dd_add(ssi_dd_mul(c, c), ssi_dd_mul(s, s)));
  F[0] = ssi_dd_sub(F[0], ssi_dd_mul(d, s));
  ssi_dd along = ssi_dd_div(ssi_dd_mul(d, c), xT);
  for (int k = 1; k < dim; k++) F[k] = ssi_dd_add(F[k], ssi_dd_mul(along, x[k]));
}
