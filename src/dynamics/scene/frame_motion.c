#include "dynamics/scene/frame_motion.h"

#include <math.h>

#include "la/vec3.h"

static const double TURN = 6.283185307179586476925287;

typedef struct imposed {  // displacement d, rotation vector p: first and second derivatives
  double d1[3], d2[3], p1[3], p2[3];
} imposed;

static void along(const ss_motion *m, double s1, double s2, imposed *out) {
  ssi_scale3(s1, m->velocity, out->d1);
  ssi_scale3(s2, m->velocity, out->d2);
  ssi_scale3(s1, m->spin, out->p1);
  ssi_scale3(s2, m->spin, out->p2);
}

static void along_table(const ss_motion *m, double t, imposed *out) {
  if (m->rows < 2 || t < m->table[0] || t >= m->table[7 * (size_t)(m->rows - 1)]) return;
  const double *row = m->table + 7 * (size_t)ssi_table_row(m->table, m->rows, 7, t);
  for (int i = 0; i < 3; i++) {
    out->d1[i] = (row[8 + i] - row[1 + i]) / (row[7] - row[0]);
    out->p1[i] = (row[11 + i] - row[4 + i]) / (row[7] - row[0]);
  }
}

static imposed derivatives(const ss_motion *m, double t) {
  imposed out = {0};
  if (m->kind == SS_MOTION_FIXED || t < m->start || (m->stop > 0 && t >= m->stop)) return out;
  double w = TURN * m->frequency, phase = w * (t - m->start) + m->phase;
  switch (m->kind) {
  case SS_MOTION_CONSTANT:
    along(m, 1, 0, &out);
    break;
  case SS_MOTION_HARMONIC:
    along(m, w * cos(phase), -w * w * sin(phase), &out);
    break;
  default:
    along_table(m, t, &out);
  }
  return out;
}

// B = (1 - cos f)/f^2, C = (f - sin f)/f^3 and their derivatives by f over f, from f^2. The closed forms cancel where f
// is small, the series do not.
typedef struct turn_series {
  double B, C, dB, dC;
} turn_series;

static turn_series turn_series_of(double f2) {
  turn_series s = {0};
  double f = sqrt(f2), term = 1;  // term: (-f^2)^k
  if (f >= 1) {
    s.B = (1 - cos(f)) / f2, s.C = (f - sin(f)) / (f2 * f);
    s.dB = (sin(f) / f - 2 * s.B) / f2, s.dC = (s.B - 3 * s.C) / f2;
    return s;
  }
  double factorial = 2, before = 0;  // (2 k + 2)!, the last term
  for (int k = 0; k < 10; k++) {
    s.B += term / factorial, s.C += term / (factorial * (2 * k + 3));
    s.dB -= 2 * k * before / factorial, s.dC -= 2 * k * before / (factorial * (2 * k + 3));
    before = term, term *= -f2, factorial *= (2 * k + 3) * (2 * k + 4);
  }
  return s;
}

// Of R = exp([p]), f = |p|:
//   w = p' + B p x p' + C p x (p x p'),
//   w' = p'' + B p x p'' + C p x (p x p'') + B' p x p' + C' p x (p x p') + C p' x (p x p')
static void turning(const double p[3], const imposed *m, double w[3], double alpha[3]) {
  turn_series s = turn_series_of(ssi_dot3(p, p));
  double rate = ssi_dot3(p, m->p1), once[3], twice[3], bent[3], aside[3];
  ssi_cross3(p, m->p1, once);
  ssi_cross3(p, once, twice);
  ssi_cross3(m->p1, once, aside);
  for (int k = 0; k < 3; k++) {
    w[k] = m->p1[k] + s.B * once[k] + s.C * twice[k];
    alpha[k] = m->p2[k] + rate * (s.dB * once[k] + s.dC * twice[k]) + s.C * aside[k];
  }
  ssi_cross3(p, m->p2, once);
  ssi_cross3(p, once, bent);
  for (int k = 0; k < 3; k++) alpha[k] += s.B * once[k] + s.C * bent[k];
}

// x = c + d + R (x0 - c)
void ssi_imposed_motion(const ss_external *e, double t, ssi_frame_motion *out) {
  ss_pose pose;
  double d[3], p[3], arm[3], turned[3], again[3];
  imposed m = derivatives(&e->motion, t);
  *out = (ssi_frame_motion){0};
  ssi_imposed_pose(e, t, &pose);
  ssi_copy3(pose.x, out->x);
  ss_rotation(pose.q, out->R);
  ssi_imposed_displacement(&e->motion, t, d, p);
  turning(p, &m, out->w, out->alpha);
  for (int k = 0; k < 3; k++) arm[k] = pose.x[k] - e->motion.centre[k] - d[k];
  ssi_cross3(out->w, arm, turned);
  ssi_add3(m.d1, 1, turned, out->v);
  ssi_cross3(out->w, turned, again);
  ssi_cross3(out->alpha, arm, turned);
  for (int k = 0; k < 3; k++) out->a[k] = m.d2[k] + turned[k] + again[k];
}

void ssi_imposed_rate(const ss_external *e, double t, ssi_twist *out) {
  ssi_frame_motion m;
  ssi_imposed_motion(e, t, &m);
  ssi_copy3(m.v, out->v);
  ssi_copy3(m.w, out->a);
  ssi_copy3(m.x, out->c);
}
