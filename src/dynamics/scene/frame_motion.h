// dynamics/scene/frame_motion.h - how a frame moves at an instant: where it is, its velocities and accelerations.
#pragma once

#include "dynamics/scene/imposed.h"

// Of its origin x; everything in world axes. A point c of it that is at rest in the frame moves with
//   v + w x (c - x),    a + alpha x (c - x) + w x (w x (c - x)).
typedef struct ssi_frame_motion {
  double x[3], R[9];
  double v[3], w[3];
  double a[3], alpha[3];
} ssi_frame_motion;

// An external object at t; where its velocity jumps, from t on.
void ssi_imposed_motion(const ss_external *e, double t, ssi_frame_motion *out);

// Its velocity alone.
void ssi_imposed_rate(const ss_external *e, double t, ssi_twist *out);
