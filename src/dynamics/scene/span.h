// dynamics/scene/span.h - two things that are tied together, from one set of poses to another: the rows of what is bilinear
// in the positions and rotations of the two.
//
// For what is bilinear the product rule with means, m = (begin + end)/2, is exact,
//
//   x_1 y_1 - x_0 y_0 = x_m (y_1 - y_0) + (x_1 - x_0) y_m,
//
// and a body that turns by cay(h w) has R_1 - R_0 = h R_m [w], R_m = (R_0 + R_1)/2 (dynamics/quaternion.h). So
// with the rows below and the velocity v that takes the bodies from one pose to the other within h,
//
//   Phi_1 - Phi_0 = h (a . v_a + b . v_b + given)                                                (1)
//
// holds to rounding, not to some order; `given` is the part of sides that are moved from outside. Between equal
// poses the rows are the derivative of Phi.
#pragma once

#include "dynamics/scene/imposed.h"
#include "dynamics/scene/world.h"

// From one set of poses to another, from the time `begin` on; h = 0: one instant, with the externals' velocities of then.
typedef struct ssi_span {
  const ss_pose *from, *to;  // (nb)
  double begin, h;
  const ssi_twist *
      twist;  // h = 0: velocities of the externals, centres as at the time `since`; NULL: as they are told
  double since;
} ssi_span;

typedef struct ssi_side {
  int body;                 // -1: not a body
  double at[3];             // a point, seen from the side
  double R[9], P[3];        // means
  double R0[9], P0[3];      // at the beginning
  double turn[9], rate[3];  // of a side that is moved from outside: R', P'
} ssi_side;

typedef struct ssi_line {  // one row
  double a[6], b[6];       // on the velocity (world axes) and the spin (own axes) of each side
  double given, begin;     // by what is moved from outside; Phi at the beginning
  double e[3];             // what a multiplier of it is a force along or a moment about
  bool rotation;
} ssi_line;

// `which` as in ss_joint: a body, SS_WORLD, or SS_EXTERNAL - k.
ssi_side ssi_side_of(const ssi_world *w, int which, const double at[3], const ssi_span *span);
ss_pose ssi_side_start(const ssi_world *w, int which);                          // at t = 0
void ssi_pose_seen(const ss_pose *from, const double point[3], double out[3]);  // of the world
void ssi_pose_turned(const ss_pose *from, const double vector[3], double out[3]);

// e . (P_a - P_b) for an e of its own that stays, from its mean and its value at the beginning.
void ssi_line_point(const ssi_side *a, const ssi_side *b, const double mean[3],
                    const double begin[3], ssi_line *out);
// (R_b n) . (P_a - P_b)
void ssi_line_along(const ssi_side *a, const ssi_side *b, const double n[3], ssi_line *out);
// adds weight (R_b t) . (R_a s)
void ssi_line_add_angle(const ssi_side *a, const ssi_side *b, const double t[3], const double s[3],
                        double weight, ssi_line *out);

// Six numbers of a line as those of a body's dofs: 6, in 2D 3.
void ssi_line_dofs(int dim, const double from[6], double *x);
