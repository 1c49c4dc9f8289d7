#include "dynamics/scene/span.h"

#include "dynamics/scene/frame_motion.h"
#include "la/vec3.h"

// ---- sides ------------------------------------------------------------------------------------

static void set_means(const ss_pose *from, const ss_pose *to, ssi_side *out) {
  double R1[9], P1[3];
  ss_rotation(from->q, out->R0);
  ss_rotation(to->q, R1);
  ss_pose_apply(from, out->at, out->P0);
  ss_pose_apply(to, out->at, P1);
  for (int k = 0; k < 9; k++) out->R[k] = (out->R0[k] + R1[k]) / 2;
  for (int k = 0; k < 3; k++) out->P[k] = (out->P0[k] + P1[k]) / 2;
}

// The rates of an external object: from where it is at t to where it is at t + h, or at one time (h = 0).
static void set_external(const ssi_world *w, int k, const ssi_span *span, ssi_side *out) {
  ss_pose from, to;
  ssi_imposed_pose(w->external + k, span->begin, &from);
  ssi_imposed_pose(w->external + k, span->begin + span->h, &to);
  set_means(&from, &to, out);
  if (span->h > 0) {
    for (int i = 0; i < 9; i++) out->turn[i] = 2 * (out->R[i] - out->R0[i]) / span->h;
    for (int i = 0; i < 3; i++) out->rate[i] = 2 * (out->P[i] - out->P0[i]) / span->h;
    return;
  }
  ssi_twist twist;
  if (span->twist) {
    twist = span->twist[k];
    ssi_add3(twist.c, span->begin - span->since, twist.v, twist.c);
  } else {
    ssi_imposed_rate(w->external + k, span->begin, &twist);
  }
  ssi_twist_at(&twist, out->P, out->rate);
  for (int j = 0; j < 3; j++) {
    double axis[3], moved[3];
    ssi_axis3(out->R, j, axis);
    ssi_cross3(twist.a, axis, moved);
    for (int i = 0; i < 3; i++) out->turn[3 * i + j] = moved[i];
  }
}

ssi_side ssi_side_of(const ssi_world *w, int which, const double at[3], const ssi_span *span) {
  ssi_side out = {.body = -1};
  ssi_copy3(at, out.at);
  if (which >= 0) {
    out.body = which;
    set_means(span->from + which, span->to + which, &out);
  } else if (which <= SS_EXTERNAL) {
    set_external(w, SS_EXTERNAL - which, span, &out);
  } else {
    ss_pose world = ss_pose_identity();
    set_means(&world, &world, &out);
  }
  return out;
}

ss_pose ssi_side_start(const ssi_world *w, int which) {
  if (which == SS_WORLD) return ss_pose_identity();
  return which >= 0 ? w->body[which].start : w->scene->externals[SS_EXTERNAL - which].pose;
}

void ssi_pose_turned(const ss_pose *from, const double vector[3], double out[3]) {
  double R[9];
  ss_rotation(from->q, R);
  ssi_unrotate3(R, vector, out);
}

void ssi_pose_seen(const ss_pose *from, const double point[3], double out[3]) {
  double arm[3];
  ssi_sub3(point, from->x, arm);
  ssi_pose_turned(from, arm, out);
}

// ---- rows -------------------------------------------------------------------------------------

// out += weight x with (R' x0) . y = w . (x0 x R^T y): what y sees of a vector that turns with its side.
static void add_turn(const ssi_side *of, const double x0[3], const double y[3], double weight,
                     double *spin) {
  double local[3], moment[3];
  ssi_unrotate3(of->R, y, local);
  ssi_cross3(x0, local, moment);
  ssi_add3(spin, weight, moment, spin);
}

void ssi_line_point(const ssi_side *a, const ssi_side *b, const double mean[3],
                    const double begin[3], ssi_line *out) {
  double apart[3];
  *out = (ssi_line){.given = -ssi_dot3(mean, b->rate)};
  ssi_copy3(mean, out->a);
  ssi_scale3(-1, mean, out->b);
  ssi_copy3(begin, out->e);
  add_turn(a, a->at, mean, 1, out->a + 3);
  add_turn(b, b->at, mean, -1, out->b + 3);
  ssi_sub3(a->P0, b->P0, apart);
  out->begin = ssi_dot3(begin, apart);
}

void ssi_line_along(const ssi_side *a, const ssi_side *b, const double n[3], ssi_line *out) {
  double mean[3], begin[3], apart[3], turned[3];
  ssi_rotate3(b->R, n, mean);
  ssi_rotate3(b->R0, n, begin);
  ssi_line_point(a, b, mean, begin, out);
  ssi_sub3(a->P, b->P, apart);
  add_turn(b, n, apart, 1, out->b + 3);
  ssi_rotate3(b->turn, n, turned);
  out->given += ssi_dot3(turned, apart);
}

void ssi_line_add_angle(const ssi_side *a, const ssi_side *b, const double t[3], const double s[3],
                        double weight, ssi_line *out) {
  double tm[3], sm[3], turned[3];
  ssi_rotate3(b->R, t, tm);
  ssi_rotate3(a->R, s, sm);
  add_turn(a, s, tm, weight, out->a + 3);
  add_turn(b, t, sm, weight, out->b + 3);
  ssi_rotate3(b->turn, t, turned);
  out->given += weight * ssi_dot3(turned, sm);
  ssi_rotate3(b->R0, t, tm);
  ssi_rotate3(a->R0, s, sm);
  out->begin += weight * ssi_dot3(tm, sm);
}

void ssi_line_dofs(int dim, const double from[6], double *x) {
  for (int k = 0; k < dim; k++) x[k] = from[k];
  if (dim == 2)
    x[2] = from[5];
  else
    ssi_copy3(from + 3, x + 3);
}
