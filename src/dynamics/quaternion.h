// dynamics/quaternion.h - rotations as unit quaternions q = (w, x, y, z).
#pragma once

#include <math.h>

// out = a b: b first. out may be a or b.
static inline void ssi_quat_times(const double a[4], const double b[4], double out[4]) {
  double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

static inline void ssi_quat_conjugate(const double q[4], double out[4]) {
  out[0] = q[0], out[1] = -q[1], out[2] = -q[2], out[3] = -q[3];
}

static inline void ssi_quat_normalise(double q[4]) {
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++) q[k] /= norm;
}

// The rotation about `a` by the angle |a|.
static inline void ssi_quat_exp(const double a[3], double q[4]) {
  double angle = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  double s = angle < 1e-8 ? 0.5 : sin(angle / 2) / angle;  // 1/2 - angle^2/48
  q[0] = cos(angle / 2);
  for (int k = 0; k < 3; k++) q[k + 1] = s * a[k];
}

// The vector along the axis of q with its angle in [0, pi] as length.
static inline void ssi_quat_log(const double q[4], double a[3]) {
  double sign = q[0] < 0 ? -1 : 1;
  double s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double f = s < 1e-16 ? 2 : 2 * atan2(s, sign * q[0]) / s;
  for (int k = 0; k < 3; k++) a[k] = sign * f * q[k + 1];
}

// q <- q cay(a), a in the body's axes: cay(a) = (1 + [a/2]x) (1 - [a/2]x)^-1 has the quaternion
// (1, a/2) / |(1, a/2)|. A rotation by 2 atan(|a|/2), without trigonometric functions.
static inline void ssi_quat_cayley(double q[4], const double a[3]) {
  if (a[0] == 0 && a[1] == 0 && a[2] == 0) return;  // what rests keeps its bits
  double c[4] = {1, a[0] / 2, a[1] / 2, a[2] / 2};
  ssi_quat_times(q, c, q);
  ssi_quat_normalise(q);
}
