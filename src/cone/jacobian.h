// cone/jacobian.h - the two maps whose zero is Coulomb's law at one contact, and an element of the
// generalised Jacobian of each.
//
// In velocities: x = lambda r, so that both arguments have one unit, and y = x - u (Alart-Curnier) or
// y = x - u^, u^ = u + mu |u_T| e (natural). s = |y_T|, t = y_T/s, Q = I - t t^T.
//
// Natural map     F = x - P_K(y),       dF = dx - D (dx - B du)                            (1)
//
//   B = I + mu e t_u^T,  t_u = u_T/|u_T| (0 where u_T = 0): the derivative of u^
//   D = derivative of P_K, docs/theory.md (5):
//       y in the polar cone   D = 0
//       y in K                D = I
//       else                  D = g g^T/(1 + mu^2) + (mu p/s) Q_T,   g = (1, mu t)         (2)
//                             p = (y_N + mu s)/(1 + mu^2), Q_T = Q on the tangent, 0 on the normal
//
// (2): P_K(y) = p g, so dP = dp g + mu p (0, dt), dp = g.dy/(1 + mu^2), dt = Q dy_T/s.
//
// Alart-Curnier   F_N = x_N - max(y_N, 0),  F_T = x_T - projection of y_T on |.| <= mu max(y_N, 0)
//
//       y_N <= 0              F = x
//       s <= mu y_N           F = u
//       else                  F = (u_N, x_T - mu y_N t)
//                             dF_T = dx_T - mu t dy_N - (mu y_N/s) Q dy_T                  (3)
//
// Where mu = 0 the cone is a half-line: never stick, t drops out.
//
// [AC91] P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton
//        like solution methods, CMAME 92 (1991) 353-375.
#pragma once

#include "cone/friction.h"

typedef enum ssi_map { SSI_MAP_AC, SSI_MAP_NATURAL } ssi_map;

typedef enum ssi_region { SSI_REGION_FREE, SSI_REGION_STICK, SSI_REGION_SLIP } ssi_region;

typedef struct ssi_linear {  // F + A dx + C du = 0; row-major dim x dim
  double A[9], C[9], F[3];
} ssi_linear;

static inline void ssi_identity(int dim, double scale, double A[9]) {
  for (int k = 0; k < 9; k++) A[k] = 0;
  for (int k = 0; k < dim; k++) A[dim * k + k] = scale;
}

// (3), the third line.
static inline void ssi_linear_ac_slip(int dim, double mu, const double x[], const double u[],
                                      const double y[], double s, ssi_linear *out) {
  double *A = out->A, *C = out->C, t[3] = {0}, shrink = s > 0 ? mu * y[0] / s : 0;
  for (int k = 1; k < dim; k++) t[k] = s > 0 ? y[k] / s : 0;
  ssi_identity(dim, 0, A);
  ssi_identity(dim, 0, C);
  out->F[0] = u[0];
  C[0] = 1;
  for (int k = 1; k < dim; k++) {
    out->F[k] = x[k] - mu * y[0] * t[k];
    C[dim * k] = mu * t[k];
    for (int l = 1; l < dim; l++) C[dim * k + l] = shrink * ((k == l) - t[k] * t[l]);
    for (int l = 0; l < dim; l++) A[dim * k + l] = (k == l) - C[dim * k + l];
  }
}

static inline ssi_region ssi_linearise_ac(int dim, double mu, const double x[], const double u[],
                                          ssi_linear *out) {
  double y[3] = {0};
  for (int k = 0; k < dim; k++) y[k] = x[k] - u[k];
  double s = ssi_tangent_norm(dim, y);
  if (!(y[0] > 0)) {
    ssi_identity(dim, 1, out->A);
    ssi_identity(dim, 0, out->C);
    for (int k = 0; k < dim; k++) out->F[k] = x[k];
    return SSI_REGION_FREE;
  }
  if (mu > 0 && s <= mu * y[0]) {
    ssi_identity(dim, 0, out->A);
    ssi_identity(dim, 1, out->C);
    for (int k = 0; k < dim; k++) out->F[k] = u[k];
    return SSI_REGION_STICK;
  }
  ssi_linear_ac_slip(dim, mu, x, u, y, s, out);
  return SSI_REGION_SLIP;
}

// (2), the third line.
static inline void ssi_projection_slope(int dim, double mu, const double y[], double s,
                                        double D[9]) {
  double g[3] = {1, 0, 0}, t[3] = {0}, unit = 1 / (1 + mu * mu);
  for (int k = 1; k < dim; k++) t[k] = s > 0 ? y[k] / s : 0, g[k] = mu * t[k];
  double shrink = s > 0 ? mu * (y[0] + mu * s) * unit / s : 0;
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      D[dim * k + l] = g[k] * g[l] * unit;
      if (k && l) D[dim * k + l] += shrink * ((k == l) - t[k] * t[l]);
    }
}

static inline ssi_region ssi_linearise_natural(int dim, double mu, const double x[],
                                               const double u[], ssi_linear *out) {
  double y[3] = {0}, D[9], slide = ssi_tangent_norm(dim, u);
  for (int k = 0; k < dim; k++) y[k] = x[k] - u[k];
  y[0] -= mu * slide;
  double s = ssi_tangent_norm(dim, y);
  ssi_region region = mu * s <= -y[0]            ? SSI_REGION_FREE
                      : mu > 0 && s <= mu * y[0] ? SSI_REGION_STICK
                                                 : SSI_REGION_SLIP;
  if (region == SSI_REGION_SLIP)
    ssi_projection_slope(dim, mu, y, s, D);
  else
    ssi_identity(dim, region == SSI_REGION_STICK, D);
  double p[3] = {y[0], y[1], y[2]};
  ssi_project(dim, mu, p);
  for (int k = 0; k < dim; k++) {
    out->F[k] = x[k] - p[k];
    for (int l = 0; l < dim; l++) {  // (1): A = I - D, C = D B = D + mu (D e) t_u^T
      out->A[dim * k + l] = (k == l) - D[dim * k + l];
      out->C[dim * k + l] = D[dim * k + l];
      if (l && slide > 0) out->C[dim * k + l] += mu * D[dim * k] * (u[l] / slide);
    }
  }
  return region;
}

static inline ssi_region ssi_linearise(ssi_map map, int dim, double mu, const double x[],
                                       const double u[], ssi_linear *out) {
  return map == SSI_MAP_AC ? ssi_linearise_ac(dim, mu, x, u, out)
                           : ssi_linearise_natural(dim, mu, x, u, out);
}
