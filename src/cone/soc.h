// cone/soc.h - the second-order cone Q = { x : |x_T| <= x_0 } of one contact and its Jordan algebra,
// x of 2 or 3 components. A half-line is the case x_T = 0: every formula here keeps it.
//
//   x o y = (x.y, x_0 y_T + y_0 x_T),   det x = x_0^2 - |x_T|^2,   J = diag(1, -1, -1)        (1)
//
// Nesterov-Todd scaling of z, y inside Q: the one symmetric positive definite F of the cone's
// automorphisms with F z = F^-1 y = lambda [NT97]. With x' = x / sqrt(det x)
//
//   w = (y' + J z') / (2 c),   c = sqrt((1 + z'.y') / 2),   eta = (det y / det z)^(1/4)
//   F   = eta [ w_0    w_T^T                     ]    P = F^2 = eta^2 (2 w w^T - J)            (2)
//             [ w_T    I + w_T w_T^T / (1 + w_0) ]
//
// [NT97] Yu. Nesterov, M. Todd, Self-scaled barriers and interior-point methods for convex
//        programming, Mathematics of Operations Research 22 (1997) 1-42.
#pragma once

#include <math.h>
#include <stdbool.h>

typedef struct ssi_scaling {
  double w[3];       // det w = 1
  double eta;        // F = eta * (hyperbolic Householder map of w)
  double lambda[3];  // F z = F^-1 y
} ssi_scaling;

static inline double ssi_soc_dot(int dim, const double x[], const double y[]) {
  double sum = 0;
  for (int k = 0; k < dim; k++) sum += x[k] * y[k];
  return sum;
}

static inline double ssi_soc_tangent(int dim, const double x[]) {
  return dim == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// As a product of the two eigenvalues: no cancellation but in the smaller of them.
static inline double ssi_soc_det(int dim, const double x[]) {
  double t = ssi_soc_tangent(dim, x);
  return (x[0] - t) * (x[0] + t);
}

// out = x o y; out may be x or y.
static inline void ssi_soc_product(int dim, const double x[], const double y[], double out[]) {
  double x0 = x[0], y0 = y[0], dot = ssi_soc_dot(dim, x, y);
  for (int k = 1; k < dim; k++) out[k] = x0 * y[k] + y0 * x[k];
  out[0] = dot;
}

// Solves x o out = g for x inside Q; out may be g.
static inline void ssi_soc_divide(int dim, const double x[], const double g[], double out[]) {
  double along = ssi_soc_dot(dim, x, g) - x[0] * g[0];  // x_T.g_T
  double first = (x[0] * g[0] - along) / ssi_soc_det(dim, x);
  for (int k = 1; k < dim; k++) out[k] = (g[k] - first * x[k]) / x[0];
  out[0] = first;
}

// out = F x (sign = 1) or F^-1 x (sign = -1); out may be x.
static inline void ssi_soc_map(int dim, const ssi_scaling *f, double sign, const double x[],
                               double out[]) {
  double along = 0, scale = sign > 0 ? f->eta : 1 / f->eta;
  for (int k = 1; k < dim; k++) along += f->w[k] * x[k];
  double x0 = x[0], turn = sign * x0 + along / (1 + f->w[0]);
  for (int k = 1; k < dim; k++) out[k] = scale * (x[k] + turn * f->w[k]);
  out[0] = scale * (f->w[0] * x0 + sign * along);
}

// The scaling of z, y inside Q; false where rounding puts one of them outside.
static inline bool ssi_soc_scaling(int dim, const double z[], const double y[], ssi_scaling *f) {
  double dz = ssi_soc_det(dim, z), dy = ssi_soc_det(dim, y);
  if (!(z[0] > 0 && y[0] > 0 && dz > 0 && dy > 0)) return false;
  double rz = 1 / sqrt(dz), ry = 1 / sqrt(dy), norm = 0;
  double c = sqrt(0.5 * (1 + ssi_soc_dot(dim, z, y) * rz * ry));
  for (int k = 1; k < dim; k++) {
    f->w[k] = (y[k] * ry - z[k] * rz) / (2 * c);
    norm += f->w[k] * f->w[k];
  }
  f->w[0] = sqrt(1 + norm);  // (y_0' + z_0') / (2 c), with det w = 1 to the last digit
  f->eta = sqrt(sqrt(dy / dz));
  ssi_soc_map(dim, f, 1, z, f->lambda);
  return isfinite(f->eta) && f->eta > 0;
}

// P = eta^2 (2 w w^T - J), row-major; the inverse for sign = -1.
static inline void ssi_soc_square(int dim, const ssi_scaling *f, double sign, double P[]) {
  double scale = sign > 0 ? f->eta * f->eta : 1 / (f->eta * f->eta);
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      double flip = (k == 0) != (l == 0) ? sign : 1;
      P[dim * k + l] = scale * (2 * flip * f->w[k] * f->w[l] + (k != l ? 0 : k == 0 ? -1 : 1));
    }
}

// Largest a <= 1 with x + a d in Q, for x inside: the smallest positive root of
//   det(x + a d) = det(d) a^2 + 2 h a + det(x),    h = x_0 d_0 - x_T.d_T
// d in Q never leaves; otherwise the discriminant is not negative, whatever rounding says.
static inline double ssi_soc_step(int dim, const double x[], const double d[]) {
  double h = x[0] * d[0], c = ssi_soc_det(dim, x), a = ssi_soc_det(dim, d);
  if (a >= 0 && d[0] >= 0) return 1;
  for (int k = 1; k < dim; k++) h -= x[k] * d[k];
  double root = sqrt(fmax(h * h - a * c, 0));
  double step = h > 0 ? (h + root) / -a : c / (root - h);
  return step < 1 ? step : 1;
}
