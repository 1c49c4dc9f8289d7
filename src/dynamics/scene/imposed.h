// dynamics/scene/imposed.h - the motion of external objects: where they are, and the velocity that takes them
// from one time to another.
#pragma once

#include "la/time_table.h"
#include "stickslip/scene.h"

typedef struct ssi_twist {  // velocity of a point p:  v + a x (p - c)
  double v[3], a[3], c[3];
} ssi_twist;

void ssi_imposed_pose(const ss_external *e, double t, ss_pose *out);

// Displacement d and rotation vector a at time t.
void ssi_imposed_displacement(const ss_motion *m, double t, double d[3], double a[3]);

// The mean velocity between t and t + h, as one rigid motion.
void ssi_imposed_twist(const ss_external *e, double t, double h, ssi_twist *out);

void ssi_twist_at(const ssi_twist *w, const double p[3], double out[3]);

// out += the velocity of the surface where its normal is n.
void ssi_surface_add_velocity(const ss_external *e, const double n[3], double out[3]);

double ssi_wave(double frequency, double phase, double t);  // sin(2 pi frequency t + phase)
