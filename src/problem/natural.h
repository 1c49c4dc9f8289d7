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

// The normal part of the law on its own: at a solution u_N = 0 or r = 0 and u_N > 0. size: lambda |r|.
SSI_INLINE double ssi_normal_part(double u_N, double size) {
  return u_N < 0 ? -u_N : fmin(u_N, size);
}

SSI_INLINE double ssi_length(int dim, const ssi_dd *x) {
  return sqrt(x[0].hi * x[0].hi + x[1].hi * x[1].hi + (dim == 3 ? x[2].hi * x[2].hi : 0));
}

// How far (u, lambda r) is from the graph of the law, at most: from the nearest of its states, where slip keeps
// the direction of u_T. Does not depend on how large mu is, as F does. docs/theory.md (6')
SSI_INLINE double ssi_law_distance(int dim, double mu, double lambda, const double *r,
                                   const ssi_dd *u, ssi_dd tangent) {
  ssi_dd x[3] = {{0}}, c = {1, 0}, s = {mu, 0};
  if (mu > 1) c = ssi_dd_div(ssi_dd_from(1), ssi_dd_from(mu)), s = ssi_dd_from(1);
  for (int k = 0; k < dim; k++) x[k] = ssi_two_prod(lambda, r[k]);
  double size = ssi_length(dim, x), speed = ssi_length(dim, u);
  double best = hypot(size, fmin(u[0].hi, 0));  // free
  // stick: K is left by `outside` along its surface's normal, or altogether
  ssi_dd square = ssi_dd_add(ssi_dd_mul(c, c), ssi_dd_mul(s, s)), xT = ssi_tangent_length(dim, x);
  double outside = ssi_dd_sub(ssi_dd_mul(c, xT), ssi_dd_mul(s, x[0])).hi / sqrt(square.hi);
  bool polar = ssi_dd_add(ssi_dd_mul(s, xT), ssi_dd_mul(c, x[0])).hi <= 0;
  best = fmin(best, hypot(speed, polar ? size : fmax(outside, 0)));
  if (!(tangent.hi > 0)) return best;
  // slip: from x to the ray of direction g = (c, -s t), t = u_T/|u_T|
  ssi_dd g[3] = {c}, along = ssi_dd_mul(c, x[0]);
  for (int k = 1; k < dim; k++) {
    g[k] = ssi_dd_neg(ssi_dd_mul(s, ssi_dd_div(u[k], tangent)));
    along = ssi_dd_add(along, ssi_dd_mul(g[k], x[k]));
  }
  along = ssi_dd_div(along, square);
  for (int k = 0; k < dim && along.hi > 0; k++) x[k] = ssi_dd_sub(x[k], ssi_dd_mul(along, g[k]));
  return fmin(best, hypot(u[0].hi, ssi_length(dim, x)));
}
