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

// det x of a point inside Q. It comes with its margin x_0 - |x_T| as a number of its own: near the
// boundary the difference of the two has no digits left, the margin has all.
static inline double ssi_soc_det(int dim, const double x[], double margin) {
  return margin * (margin + 2 * ssi_soc_tangent(dim, x));
}

// out = x o y; out may be x or y.
static inline void ssi_soc_product(int dim, const double x[], const double y[], double out[]) {
  double x0 = x[0], y0 = y[0], dot = ssi_soc_dot(dim, x, y);
  for (int k = 1; k < dim; k++) out[k] = x0 * y[k] + y0 * x[k];
  out[0] = dot;
}

// Solves x o out = g for x inside Q; out may be g.
static inline void ssi_soc_divide(int dim, const double x[], double margin, const double g[],
                                  double out[]) {
  double along = ssi_soc_dot(dim, x, g) - x[0] * g[0];  // x_T.g_T
  double first = (x[0] * g[0] - along) / ssi_soc_det(dim, x, margin);
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

// sum = x_T/|x_T| + y_T/|y_T|, taking 0/|0| as the opposite of the other
static inline void ssi_soc_directions(int dim, const double x[], const double y[], double sum[]) {
  double tx = ssi_soc_tangent(dim, x), ty = ssi_soc_tangent(dim, y);
  for (int k = 1; k < dim; k++) sum[k] = tx > 0 && ty > 0 ? x[k] / tx + y[k] / ty : 0;
}

// x.y of two points inside Q, exact to rounding even where both are on the boundary and orthogonal:
//   x.y = margin_x y_0 + |x_T| margin_y + |x_T| |y_T| (1 + cos),  1 + cos = |sum of directions|^2 / 2
static inline double ssi_soc_gap(int dim, const double x[], double margin_x, const double y[],
                                 double margin_y) {
  double n[3], turn = 0, tx = ssi_soc_tangent(dim, x), ty = ssi_soc_tangent(dim, y);
  ssi_soc_directions(dim, x, y, n);
  for (int k = 1; k < dim; k++) turn += n[k] * n[k];
  return margin_x * (margin_y + ty) + tx * margin_y + 0.5 * tx * ty * turn;
}

// margin of x + d
static inline double ssi_soc_margin_after(int dim, const double x[], double margin,
                                          const double d[]) {
  double moved[3] = {0}, change = 0;
  for (int k = 1; k < dim; k++) {
    moved[k] = x[k] + d[k];
    change += (moved[k] + x[k]) * d[k];
  }
  double sum = ssi_soc_tangent(dim, x) + ssi_soc_tangent(dim, moved);
  return margin + d[0] - (sum > 0 ? change / sum : 0);
}

// The scaling of z, y inside Q; false where one of them is not.
static inline bool ssi_soc_scaling(int dim, const double z[], double margin_z, const double y[],
                                   double margin_y, ssi_scaling *f) {
  if (!(margin_z > 0 && margin_y > 0)) return false;
  double rz = 1 / sqrt(ssi_soc_det(dim, z, margin_z));
  double ry = 1 / sqrt(ssi_soc_det(dim, y, margin_y)), norm = 0, n[3];
  double tz = ssi_soc_tangent(dim, z), ty = ssi_soc_tangent(dim, y);
  double z0 = (margin_z + tz) * rz, y0 = (margin_y + ty) * ry;
  double c = sqrt(0.5 * (1 + ssi_soc_gap(dim, z, margin_z, y, margin_y) * rz * ry));
  double size = 1 / sqrt(rz * ry);
  ssi_soc_directions(dim, z, y, n);
  for (int k = 1; k < dim; k++) {
    f->w[k] = (y[k] * ry - z[k] * rz) / (2 * c);
    norm += f->w[k] * f->w[k];
    // lambda' = (c, ((c + z_0') y_T' + (c + y_0') z_T') / (z_0' + y_0' + 2 c))
    double cross = margin_z * y[k] + margin_y * z[k] + tz * ty * n[k];
    f->lambda[k] = size * (cross * rz * ry + c * (y[k] * ry + z[k] * rz)) / (z0 + y0 + 2 * c);
  }
  f->lambda[0] = size * c;
  f->w[0] = sqrt(1 + norm);  // (y_0' + z_0') / (2 c), with det w = 1 to the last digit
  f->eta = sqrt(rz / ry);
  return isfinite(f->eta) && f->eta > 0 && isfinite(c);
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
static inline double ssi_soc_step(int dim, const double x[], double margin, const double d[]) {
  double h = x[0] * d[0], c = ssi_soc_det(dim, x, margin);
  double t = ssi_soc_tangent(dim, d), a = (d[0] - t) * (d[0] + t);  // det d
  if (a >= 0 && d[0] >= 0) return 1;
  for (int k = 1; k < dim; k++) h -= x[k] * d[k];
  double root = sqrt(fmax(h * h - a * c, 0));
  double step = h > 0 ? (h + root) / -a : c / (root - h);
  return step < 1 ? step : 1;
}
