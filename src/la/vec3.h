// la/vec3.h - vectors of three numbers and row-major 3 x 3 rotations, in place of libraries
// of them.
#pragma once

#include <math.h>

static inline void ssi_set3(double x, double y, double z, double out[3]) {
  out[0] = x, out[1] = y, out[2] = z;
}

static inline void ssi_copy3(const double a[3], double out[3]) {
  out[0] = a[0], out[1] = a[1], out[2] = a[2];
}

static inline double ssi_dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double ssi_norm3(const double a[3]) {
  return sqrt(ssi_dot3(a, a));
}

static inline void ssi_sub3(const double a[3], const double b[3], double out[3]) {
  out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}

// out = a + s b
static inline void ssi_add3(const double a[3], double s, const double b[3], double out[3]) {
  out[0] = a[0] + s * b[0], out[1] = a[1] + s * b[1], out[2] = a[2] + s * b[2];
}

static inline void ssi_scale3(double s, const double a[3], double out[3]) {
  out[0] = s * a[0], out[1] = s * a[1], out[2] = s * a[2];
}

static inline void ssi_cross3(const double a[3], const double b[3], double out[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  double z = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y, out[2] = z;
}

static inline double ssi_distance3(const double a[3], const double b[3]) {
  double d[3];
  ssi_sub3(a, b, d);
  return ssi_norm3(d);
}

// out = R a
static inline void ssi_rotate3(const double R[9], const double a[3], double out[3]) {
  double x = ssi_dot3(R, a), y = ssi_dot3(R + 3, a), z = ssi_dot3(R + 6, a);
  out[0] = x, out[1] = y, out[2] = z;
}

// out = R^T a
static inline void ssi_unrotate3(const double R[9], const double a[3], double out[3]) {
  double x = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
  double y = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
  double z = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
  out[0] = x, out[1] = y, out[2] = z;
}

// Column k of R: the local axis k seen from the world.
static inline void ssi_axis3(const double R[9], int k, double out[3]) {
  out[0] = R[k], out[1] = R[3 + k], out[2] = R[6 + k];
}
