// Volume, centre of mass and inertia at density 1.
//
// Everything is summed as moments about the shape's origin,
//
//     m = int 1,   s = int x,   S = int x x^T,        then  c = s/m,
//     I = tr(S_c) 1 - S_c,   S_c = S - m c c^T                                      (1)
//
// (2D: I_zz = tr(S_c).) A polyhedron is the sum of the tetrahedra from a point inside to its faces'
// triangles; for one with corners 0, a, b, c and d = a . (b x c)
//
//     m = d/6,  s = d/24 t,  S = d/120 ( t t^T + a a^T + b b^T + c c^T ),  t = a + b + c     (2)
#include <string.h>

#include "base/error.h"
#include "dynamics/scene/shape.h"
#include "la/vec3.h"

static const double pi = 3.14159265358979323846;

typedef struct moments {
  double m, s[3], S[9];
} moments;

static void add_outer(double *S, double f, const double a[3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) S[3 * i + j] += f * a[i] * a[j];
}

// The same solid seen from a frame: x' = x0 + R x.
static void move(moments *m, const ss_pose *frame) {
  double R[9], T[9] = {0}, s[3], S[9] = {0};
  ss_rotation(frame->q, R);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) T[3 * i + j] += R[3 * i + k] * m->S[3 * k + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) S[3 * i + j] += T[3 * i + k] * R[3 * j + k];
  ssi_rotate3(R, m->s, s);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m->S[3 * i + j] =
          S[3 * i + j] + frame->x[i] * s[j] + s[i] * frame->x[j] + m->m * frame->x[i] * frame->x[j];
  ssi_add3(s, m->m, frame->x, m->s);
}

static moments diagonal(double m, double xx, double yy, double zz) {
  return (moments){.m = m, .S = {m * xx, 0, 0, 0, m * yy, 0, 0, 0, m * zz}};
}

// A point inside: sums from there are free of cancellation.
static void mean_corner(const ssi_hull *h, double o[3]) {
  for (int k = 0; k < 3; k++) o[k] = 0;
  for (int c = 0; c < h->corner_count; c++)
    ssi_add3(o, 1.0 / h->corner_count, h->corner + 3 * c, o);
}

static moments moved_by(moments m, const double by[3]) {
  ss_pose back = ss_pose_identity();
  ssi_copy3(by, back.x);
  move(&m, &back);
  return m;
}

static moments polyhedron(const ssi_hull *h) {
  moments m = {0};
  double o[3];
  mean_corner(h, o);
  for (int f = 0; f < h->face_count; f++)
    for (int k = h->face_ptr[f] + 1; k + 1 < h->face_ptr[f + 1]; k++) {
      double a[3], b[3], c[3], t[3], n[3];
      ssi_sub3(h->corner + 3 * h->face_corner[h->face_ptr[f]], o, a);
      ssi_sub3(h->corner + 3 * h->face_corner[k], o, b);
      ssi_sub3(h->corner + 3 * h->face_corner[k + 1], o, c);
      ssi_cross3(b, c, n);
      double d = ssi_dot3(a, n);
      for (int i = 0; i < 3; i++) t[i] = a[i] + b[i] + c[i];
      m.m += d / 6;  // (2)
      ssi_add3(m.s, d / 24, t, m.s);
      add_outer(m.S, d / 120, t);
      add_outer(m.S, d / 120, a);
      add_outer(m.S, d / 120, b);
      add_outer(m.S, d / 120, c);
    }
  return moved_by(m, o);
}

// The same with triangles 0, a, b, d = a x b: m = d/2, s = d/6 (a + b), S = d/24 (t t^T + a a^T + b
// b^T).
static moments polygon(const ssi_hull *h) {
  moments m = {0};
  double o[3];
  mean_corner(h, o);
  for (int e = 0; e < h->edge_count; e++) {
    double a[3], b[3], t[3];
    ssi_sub3(h->corner + 3 * h->edge[e].from, o, a);
    ssi_sub3(h->corner + 3 * h->edge[e].to, o, b);
    double d = a[0] * b[1] - a[1] * b[0];
    ssi_add3(a, 1, b, t);
    m.m += d / 2;
    ssi_add3(m.s, d / 6, t, m.s);
    add_outer(m.S, d / 24, t);
    add_outer(m.S, d / 24, a);
    add_outer(m.S, d / 24, b);
  }
  return moved_by(m, o);
}

// Ends: half balls with their centre of mass 3r/8 outside the end of the segment; half disks 4r/(3
// pi).
static moments capsule(const ss_shape *s) {
  double r = s->radius, h = s->half[0], rr = r * r;
  if (s->dim == 2) {
    moments bar = diagonal(4 * h * r, h * h / 3, rr / 3, 0);
    moments ends = diagonal(pi * rr, rr / 4 + h * h + 2 * h * 4 * r / (3 * pi), rr / 4, 0);
    bar.m += ends.m;
    for (int k = 0; k < 9; k++) bar.S[k] += ends.S[k];
    return bar;
  }
  moments bar = diagonal(2 * pi * rr * h, rr / 4, rr / 4, h * h / 3);
  moments ends = diagonal(4 * pi * rr * r / 3, rr / 5, rr / 5, rr / 5 + h * h + 2 * h * 3 * r / 8);
  bar.m += ends.m;
  for (int k = 0; k < 9; k++) bar.S[k] += ends.S[k];
  return bar;
}

static moments moments_of(const ss_shape *s) {
  const double *half = s->half;
  double r = s->radius, rr = r * r;
  moments sum = {0};
  switch (s->kind) {
  case SS_SPHERE:
    return s->dim == 2 ? diagonal(pi * rr, rr / 4, rr / 4, 0)
                       : diagonal(4 * pi * rr * r / 3, rr / 5, rr / 5, rr / 5);
  case SS_BOX:
    return s->dim == 2
               ? diagonal(4 * half[0] * half[1], half[0] * half[0] / 3, half[1] * half[1] / 3, 0)
               : diagonal(8 * half[0] * half[1] * half[2], half[0] * half[0] / 3,
                          half[1] * half[1] / 3, half[2] * half[2] / 3);
  case SS_CAPSULE:
    return capsule(s);
  case SS_CYLINDER:
    return diagonal(2 * pi * rr * half[0], rr / 4, rr / 4, half[0] * half[0] / 3);
  case SS_HULL:
    return s->dim == 2 ? polygon(&s->hull) : polyhedron(&s->hull);
  case SS_COMPOUND:
    for (int k = 0; k < s->part_count; k++) {
      moments part = moments_of(s->parts[k].shape);
      move(&part, &s->parts[k].pose);
      sum.m += part.m;
      ssi_add3(sum.s, 1, part.s, sum.s);
      for (int i = 0; i < 9; i++) sum.S[i] += part.S[i];
    }
    return sum;
  case SS_PLANE:
  case SS_DRUM:
    break;
  }
  return sum;
}

static void turn(double A[9], double V[9], int p, int q) {
  double theta = (A[4 * q] - A[4 * p]) / (2 * A[3 * p + q]);
  double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    double x = A[3 * k + p], y = A[3 * k + q];
    A[3 * k + p] = c * x - s * y, A[3 * k + q] = s * x + c * y;
    x = V[3 * k + p], y = V[3 * k + q];
    V[3 * k + p] = c * x - s * y, V[3 * k + q] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {
    double x = A[3 * p + k], y = A[3 * q + k];
    A[3 * p + k] = c * x - s * y, A[3 * q + k] = s * x + c * y;
  }
  A[3 * p + q] = A[3 * q + p] = 0;
}

// q of a rotation matrix, from its largest component (which is >= 1/2).
static void to_quaternion(const double R[9], double q[4]) {
  double four[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                    1 - R[0] - R[4] + R[8]};
  int big = 0;
  for (int k = 1; k < 4; k++)
    if (four[k] > four[big]) big = k;
  double f = 0.5 / sqrt(four[big]), wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1];
  double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
  const double rows[4][4] = {
      {four[0], wx, wy, wz}, {wx, four[1], xy, xz}, {wy, xy, four[2], yz}, {wz, xz, yz, four[3]}};
  double norm = 0;
  for (int k = 0; k < 4; k++) q[k] = f * rows[big][k], norm += q[k] * q[k];
  double sign = q[0] < 0 ? -1 : 1;
  for (int k = 0; k < 4; k++) q[k] *= sign / sqrt(norm);
}

// Cyclic Jacobi. Couplings below 1e-14 of the largest moment are rounding of the sums and are left:
// a tensor that is diagonal keeps the axes it has.
void ssi_principal_axes(ss_mass_properties *m) {
  double A[9], V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(A, m->inertia, sizeof A);
  double most = fmax(A[0], fmax(A[4], A[8]));
  double couplings = fmax(fabs(A[1]), fmax(fabs(A[2]), fabs(A[5])));
  static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int sweep = 0; sweep < 30 && couplings > 1e-14 * most; sweep++) {
    for (int k = 0; k < 3; k++)
      if (fabs(A[3 * pairs[k][0] + pairs[k][1]]) > 1e-18 * most)
        turn(A, V, pairs[k][0], pairs[k][1]);
    couplings = fmax(fabs(A[1]), fmax(fabs(A[2]), fabs(A[5])));
  }
  for (int k = 0; k < 3; k++) m->principal[k] = A[4 * k];
  to_quaternion(V, m->axes);  // products of turns: determinant +1
}

ss_error ss_shape_mass(ss_context *ctx, const ss_shape *s, ss_mass_properties *out) {
  if (!s || !out) return ssi_missing(ctx, "ss_shape_mass");
  if (!s || !ss_shape_is_bounded(s))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "a %s has no mass: it is boundless, only an external body may "
                    "have this shape",
                    s ? ss_shape_kind_name(s->kind) : "missing shape");
  moments m = moments_of(s);
  *out = (ss_mass_properties){.volume = m.m, .axes = {1, 0, 0, 0}};
  ssi_scale3(1 / m.m, m.s, out->centre);
  add_outer(m.S, -m.m, out->centre);  // (1)
  double trace = m.S[0] + m.S[4] + m.S[8];
  if (s->dim == 2) {
    out->inertia[8] = out->principal[2] = m.S[0] + m.S[4];
    return SS_OK;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out->inertia[3 * i + j] = (i == j ? trace : 0) - (m.S[3 * i + j] + m.S[3 * j + i]) / 2;
  ssi_principal_axes(out);
  return SS_OK;
}

ss_error ss_shape_centred(ss_context *ctx, const ss_shape *s, ss_shape **out, ss_pose *frame) {
  if (!s || !out) return ssi_missing(ctx, "ss_shape_centred");
  *out = NULL;
  ss_mass_properties m;
  SS_TRY(ss_shape_mass(ctx, s, &m));
  ss_pose to = ss_pose_identity();
  if (s->kind == SS_HULL || s->kind == SS_COMPOUND) {
    ssi_copy3(m.centre, to.x);
    memcpy(to.q, m.axes, sizeof to.q);
  }
  ss_pose back = ss_pose_inverse(&to);
  if (frame) *frame = to;
  return ssi_shape_moved(ctx, s, &back, out);
}
