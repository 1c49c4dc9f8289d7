#include "dynamics/scene/imposed.h"

#include "dynamics/quaternion.h"
#include "la/vec3.h"

static const double TWO_PI = 6.283185307179586476925287;

double ssi_wave(double frequency, double phase, double t) {
  return sin(TWO_PI * frequency * t + phase);
}

void ssi_imposed_displacement(const ss_motion *m, double t, double d[3], double a[3]) {
  for (int k = 0; k < 3; k++) d[k] = a[k] = 0;
  if (t < m->start) t = m->start;
  if (m->stop > 0 && t > m->stop) t = m->stop;
  double s = 0;
  switch (m->kind) {
  case SS_MOTION_FIXED:
    return;
  case SS_MOTION_CONSTANT:
    s = t - m->start;
    break;
  case SS_MOTION_HARMONIC:
    s = ssi_wave(m->frequency, m->phase, t - m->start) - sin(m->phase);
    break;
  case SS_MOTION_TABLE: {
    double row[6];
    ssi_table_at(m->table, m->rows, 7, t, row);
    ssi_copy3(row, d);
    ssi_copy3(row + 3, a);
    return;
  }
  }
  ssi_scale3(s, m->velocity, d);
  ssi_scale3(s, m->spin, a);
}

// x = c + d + exp(a) (x0 - c)
void ssi_imposed_pose(const ss_external *e, double t, ss_pose *out) {
  *out = e->pose;
  if (e->motion.kind == SS_MOTION_FIXED) return;
  double d[3], a[3], arm[3], turned[3];
  ss_pose turn = ss_pose_identity();
  ssi_imposed_displacement(&e->motion, t, d, a);
  ssi_quat_exp(a, turn.q);
  ssi_sub3(e->pose.x, e->motion.centre, arm);
  ss_pose_apply(&turn, arm, turned);
  for (int k = 0; k < 3; k++) out->x[k] = e->motion.centre[k] + d[k] + turned[k];
  ssi_quat_times(turn.q, e->pose.q, out->q);
  ssi_quat_normalise(out->q);
}

// About an axis that keeps its direction the mean angular velocity is the difference of the angle
// vectors over h, whatever the angle; in a table the axis may change, and it is the logarithm of the
// rotation from one to the other.
void ssi_imposed_twist(const ss_external *e, double t, double h, ssi_twist *out) {
  const ss_motion *m = &e->motion;
  double d0[3], a0[3], d1[3], a1[3];
  ssi_imposed_displacement(m, t, d0, a0);
  ssi_imposed_displacement(m, t + h, d1, a1);
  for (int k = 0; k < 3; k++) {
    out->v[k] = (d1[k] - d0[k]) / h;
    out->a[k] = (a1[k] - a0[k]) / h;
    out->c[k] = m->centre[k] + d0[k];
  }
  if (m->kind != SS_MOTION_TABLE) return;
  double q0[4], q1[4], turn[4];
  ssi_quat_exp(a0, q0);
  ssi_quat_exp(a1, q1);
  ssi_quat_conjugate(q0, q0);
  ssi_quat_times(q1, q0, turn);
  ssi_quat_log(turn, out->a);
  ssi_scale3(1 / h, out->a, out->a);
}

void ssi_twist_at(const ssi_twist *w, const double p[3], double out[3]) {
  double arm[3], turn[3];
  ssi_sub3(p, w->c, arm);
  ssi_cross3(w->a, arm, turn);
  ssi_add3(w->v, 1, turn, out);
}

void ssi_surface_add_velocity(const ss_external *e, const double n[3], double out[3]) {
  double along = ssi_dot3(e->surface, n);
  for (int k = 0; k < 3; k++) out[k] += e->surface[k] - along * n[k];
}
