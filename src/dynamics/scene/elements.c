#include "dynamics/scene/elements.h"

#include <math.h>
#include <string.h>

#include "dynamics/quaternion.h"
#include "la/vec3.h"

// What all kinds need of a span.
typedef struct reach {
  const ssi_world *w;
  const ssi_element *e;
  double h, theta;
  const double *v[2];  // of the bodies' dofs; NULL: not a body
  ssi_side a, b;
  bool steep;
} reach;

// Row k from a line; returns its change over the span, or its rate at an instant.
static double set_row(const reach *r, const ssi_line *l, int k, ssi_action *out) {
  double rate = l->given;
  for (int side = 0; side < 2; side++) {
    double *row = out->row[k][side];
    if (!r->v[side]) continue;
    ssi_line_dofs(r->w->dim, side ? l->b : l->a, row);
    for (int d = 0; d < r->w->per_body; d++) rate += row[d] * r->v[side][d];
  }
  out->given[k] = l->given;
  out->change[k] = r->h > 0 ? r->h * rate : 0;
  return rate;
}

// ---- one number: angles and bushings ----------------------------------------------------------

// (2) for measure k, which begins at s and has this rate.
static void pull(const reach *r, int k, double s, double rate, ssi_action *out) {
  const ssi_curve *f = r->e->force + k, *g = r->e->damping + k;
  double x0 = s - r->e->rest, x1 = x0 + out->change[k], slope, end_slope, rate_slope;
  double mean = ssi_curve_mean(f, x0, x1, &slope), begin = ssi_curve_at(f, x0, &end_slope);
  double end = ssi_curve_at(f, x1, &end_slope), drag = ssi_curve_at(g, rate, &rate_slope);
  double extra = (r->theta - 0.5) * (end - begin), time = r->h > 0 ? r->h : 1;
  slope = fmax(slope, 0) + (r->theta - 0.5) * fmax(end_slope, 0);
  out->force[k] = mean + extra + drag;
  out->stiffness[k][k] = r->steep ? r->theta * ssi_curve_steepest(f) : slope;
  out->damping[k][k] = r->steep ? ssi_curve_steepest(g) : fmax(rate_slope, 0);
  out->potential += ssi_curve_integral(f, x1);
  out->lost += drag * rate * time;
  out->numerical += extra * out->change[k];
}

static double unwind(double principal, double near) {
  const double turn = 6.283185307179586476925287;
  return principal + turn * floor((near - principal) / turn + 0.5);
}

// x^2 + y^2 below is cos(swing/2)^4 with the angle by which the two have turned about axes normal to k; the angle about k
// has no limit where it is 0. 160 degrees are still good.
static const double SWUNG = 9e-4;

// The angle about axis k of the frame, (i, j, k) cyclic:  sin and cos of it, times one number, are
//   y = (b_j . a_i - b_i . a_j)/2,   x = (b_i . a_i + b_j . a_j)/2,
// bilinear both, and from one pose to another it changes by atan2(n, d) with
//   n = y_1 x_0 - x_1 y_0 = x_m dy - y_m dx,    d = x_1 x_0 + y_1 y_0.
// So atan2(n, d)/n times (x_m dy - y_m dx), as a row, is exact. Returns the rate; *begin: the angle.
static double twist(const reach *r, int k, int measure, double *begin, ssi_action *out) {
  const ssi_element *e = r->e;
  int i = (k + 1) % 3, j = (k + 2) % 3;
  ssi_line x = {0}, y = {0}, l = {0};
  ssi_line_add_angle(&r->a, &r->b, e->axes_b[j], e->axes_a[i], 0.5, &y);
  ssi_line_add_angle(&r->a, &r->b, e->axes_b[i], e->axes_a[j], -0.5, &y);
  ssi_line_add_angle(&r->a, &r->b, e->axes_b[i], e->axes_a[i], 0.5, &x);
  ssi_line_add_angle(&r->a, &r->b, e->axes_b[j], e->axes_a[j], 0.5, &x);
  set_row(r, &x, measure, out);
  double dx = out->change[measure];
  set_row(r, &y, measure, out);
  double dy = out->change[measure], xm = x.begin + dx / 2, ym = y.begin + dy / 2;
  double n = xm * dy - ym * dx, d = xm * xm + ym * ym - (dx * dx + dy * dy) / 4;
  double angle = atan2(n, d), per = fabs(n) > 1e-9 * fabs(d) ? angle / n : d > 0 ? 1 / d : 0;
  for (int c = 0; c < 6; c++) {
    l.a[c] = per * (xm * y.a[c] - ym * x.a[c]);
    l.b[c] = per * (xm * y.b[c] - ym * x.b[c]);
  }
  l.given = per * (xm * y.given - ym * x.given);
  *begin = atan2(y.begin, x.begin);
  double first = x.begin * x.begin + y.begin * y.begin;
  double last = (x.begin + dx) * (x.begin + dx) + (y.begin + dy) * (y.begin + dy);
  out->undefined = out->undefined || !(fmin(first, last) > SWUNG);
  memset(out->row[measure], 0, sizeof out->row[measure]);
  return set_row(r, &l, measure, out);
}

// A force f at the arm x of a body that turns by d has the potential -f . (d x x + d x (d x x)/2), to second order, with
//   G = (f . x) 1 - (f x^T + x f^T)/2,
// whose eigenvalues are f . x about f x x, and (f . x -+ |f| |x|)/2 about f/|f| +- x/|x|: those that are positive.
static void set_turning(const ssi_side *of, double sign, const double force[3], const double x[3],
                        double G[3][3]) {
  double f[3], normal[3], apart[3], strong = ssi_norm3(force), far = ssi_norm3(x);
  if (!(strong > 0) || !(far > 0)) return;
  ssi_unrotate3(of->R, force, f);
  ssi_scale3(sign, f, f);
  ssi_cross3(f, x, normal);
  for (int k = 0; k < 3; k++) apart[k] = f[k] / strong - x[k] / far;
  double dot = ssi_dot3(f, x), about = ssi_dot3(normal, normal), across = ssi_dot3(apart, apart);
  bool aligned = about <= 1e-24 * strong * strong * far * far;
  double first = fmax(dot, 0), second = fmax(dot + strong * far, 0) / 2;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      G[i][j] = aligned
                    ? first * ((i == j) - x[i] * x[j] / (far * far))
                    : first * normal[i] * normal[j] / about + second * apart[i] * apart[j] / across;
}

// ---- kinds ------------------------------------------------------------------------------------

static void act_twist(const reach *r, int axis, int measure, const double *near, ssi_action *out) {
  double begin, rate = twist(r, axis, measure, &begin, out);
  int which = r->e->kind == SSI_TWIST || r->w->dim == 2 ? 0 : axis;
  begin = unwind(begin, near ? near[which] : begin);
  out->angle[which] = begin + out->change[measure];
  pull(r, measure, begin, rate, out);
}

static void act_travel(const reach *r, ssi_action *out) {
  ssi_line l;
  ssi_line_along(&r->a, &r->b, r->e->axes_b[0], &l);
  double rate = set_row(r, &l, 0, out);
  out->angle[0] = l.begin + out->change[0];
  pull(r, 0, l.begin, rate, out);
}

static void act_bushing(const reach *r, const double *near, ssi_action *out) {
  int dim = r->w->dim;
  double force[3] = {0}, axis[3], apart[3], arm[3];
  for (int k = 0; k < dim; k++) {
    ssi_line l;
    ssi_line_along(&r->a, &r->b, r->e->axes_b[k], &l);
    pull(r, k, l.begin, set_row(r, &l, k, out), out);
    ssi_rotate3(r->b.R, r->e->axes_b[k], axis);
    ssi_add3(force, out->force[k], axis, force);
  }
  ssi_sub3(r->a.P, r->b.P, apart);
  ssi_unrotate3(r->b.R, apart, arm);
  ssi_add3(arm, 1, r->e->at_b, arm);  // b is held where the point of a is
  set_turning(&r->a, -1, force, r->e->at_a, out->turning[0]);
  set_turning(&r->b, -1, force, arm, out->turning[1]);
  for (int k = dim == 2 ? 2 : 0; k < 3; k++) act_twist(r, k, dim == 2 ? dim : dim + k, near, out);
  out->n = dim == 2 ? 3 : 6;
}

// S += along n n^T + across (1 - n n^T)
static void add_stiffness(int dim, double along, double across, const double n[3], double S[6][6]) {
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) S[i][j] += (along - across) * n[i] * n[j] + (i == j ? across : 0);
}

// A tension over the length that it turns with; `slope` in the limit of a spring without length.
static double over_length(double tension, double length, double slope) {
  return length > 0 ? fmax(tension, 0) / length : tension == 0 ? fmax(slope, 0) : 0;
}

// T(s_1) - T(s_0) of (2): with tension as vectors, the gradients of a convex potential; with pressure, whose potential
// is not convex across the line, along the mean direction n only. Returns what it takes over the span.
static double act_beyond(const reach *r, const double s[2][3], const double x[2], const double n[3],
                         ssi_action *out) {
  double part = r->theta - 0.5, pressure[2], sum[3] = {0}, slope, work = 0;
  if (part == 0) return 0;
  for (int end = 0; end < 2; end++) {
    double length = ssi_norm3(s[end]), T = ssi_curve_at(r->e->force, x[end], &slope);
    pressure[end] = fmin(T, 0);
    ssi_add3(sum, (end ? 1 : -1) * over_length(T, length, slope), s[end], sum);
    if (!end) continue;
    double unit[3];
    ssi_scale3(length > 0 ? 1 / length : 0, s[end], unit);
    slope = part * fmax(slope, 0);
    add_stiffness(r->w->dim, T > 0 ? slope : 0, part * over_length(T, length, slope / part), unit,
                  out->stiffness);
    if (!(T > 0)) add_stiffness(r->w->dim, slope, 0, n, out->stiffness);
  }
  ssi_add3(sum, pressure[1] - pressure[0], n, sum);
  for (int k = 0; k < r->w->dim; k++) {
    out->force[k] += part * sum[k];
    work += part * sum[k] * out->change[k];
  }
  return work;
}

// s = P_a - P_b as a vector. |s| changes by  n . (s_1 - s_0),  n = (s_0 + s_1)/(|s_0| + |s_1|).
static void act_length(const reach *r, ssi_action *out) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int dim = r->w->dim;
  const ssi_element *e = r->e;
  double s[2][3] = {{0}}, rate[3] = {0}, n[3], x[2], slope, drag_slope;
  out->n = dim;
  for (int k = 0; k < dim; k++) {
    ssi_line l;
    ssi_line_point(&r->a, &r->b, axes[k], axes[k], &l);
    rate[k] = set_row(r, &l, k, out);
    s[0][k] = l.begin;
    s[1][k] = l.begin + out->change[k];
  }
  double lengths = ssi_norm3(s[0]) + ssi_norm3(s[1]), turn = lengths > 0 ? 1 / lengths : 0;
  for (int k = 0; k < 3; k++) n[k] = (s[0][k] + s[1][k]) * turn;
  double along = ssi_dot3(n, rate), time = r->h > 0 ? r->h : 1;
  x[0] = ssi_norm3(s[0]) - e->rest;
  x[1] = r->h > 0 ? x[0] + r->h * along : x[0];
  double pull = ssi_curve_mean(e->force, x[0], x[1], &slope);
  double drag = ssi_curve_at(e->damping, along, &drag_slope);
  for (int k = 0; k < dim; k++) out->force[k] = (pull + drag) * n[k];
  double across = lengths > 0 ? over_length(pull + drag, lengths, 0)
                              : over_length(pull, 0, slope);  // not the drag's: it has no direction
  add_stiffness(dim, fmax(slope, 0), across, n, out->stiffness);
  add_stiffness(dim, fmax(drag_slope, 0), 0, n, out->damping);
  out->numerical = act_beyond(r, s, x, n, out);
  set_turning(&r->a, -1, out->force, e->at_a, out->turning[0]);
  set_turning(&r->b, 1, out->force, e->at_b, out->turning[1]);
  if (r->steep) {
    add_stiffness(dim, r->theta * ssi_curve_steepest(e->force), 0, n, out->stiffness);
    add_stiffness(dim, ssi_curve_steepest(e->damping), 0, n, out->damping);
  }
  out->potential = ssi_curve_integral(e->force, x[1]);
  out->lost = drag * along * time;
}

// ---- the action -------------------------------------------------------------------------------

void ssi_element_act(const ssi_world *w, const ssi_element *e, const ssi_span *span,
                     const double *v, double theta, const double *angle, bool steep,
                     ssi_action *out) {
  reach r = {.w = w, .e = e, .h = span->h, .theta = theta, .steep = steep};
  r.a = ssi_side_of(w, e->a, e->at_a, span);
  r.b = ssi_side_of(w, e->b, e->at_b, span);
  *out = (ssi_action){.body = {r.a.body, r.b.body}, .n = 1};
  for (int side = 0; side < 2; side++)
    if (out->body[side] >= 0) r.v[side] = v + (size_t)out->body[side] * w->per_body;
  const double *near = angle && e->angle >= 0 ? angle + e->angle : NULL;
  switch (e->kind) {
  case SSI_LENGTH:
    act_length(&r, out);
    break;
  case SSI_TWIST:
    act_twist(&r, 0, 0, near, out);
    break;
  case SSI_BUSHING:
    act_bushing(&r, near, out);
    break;
  case SSI_TRAVEL:
    act_travel(&r, out);
    break;
  }
}

void ssi_action_force(const ssi_world *w, const ssi_action *act, double scale, double *force) {
  for (int side = 0; side < 2; side++) {
    if (act->body[side] < 0) continue;
    double *to = force + (size_t)act->body[side] * w->per_body;
    for (int k = 0; k < act->n; k++)
      for (int d = 0; d < w->per_body; d++) to[d] -= scale * act->row[k][side][d] * act->force[k];
  }
}

void ssi_action_block(const ssi_world *w, const ssi_action *act, const double S[6][6], int i, int j,
                      double *out) {
  int width = w->per_body;
  for (int c = 0; c < width; c++) {
    double column[SSI_MEASURES] = {0};  // S B_j
    for (int m = 0; m < act->n; m++)
      for (int l = 0; l < act->n; l++) column[m] += S[m][l] * act->row[l][j][c];
    for (int d = 0; d < width; d++) {
      double sum = 0;
      for (int m = 0; m < act->n; m++) sum += act->row[m][i][d] * column[m];
      out[d * width + c] = sum;
    }
  }
}

void ssi_elements_at(const ssi_world *w, double t, const ss_pose *pose, const double *v,
                     const double *angle, double *force, ssi_elements_sum *out) {
  ssi_span here = {.from = pose, .to = pose, .begin = t};
  *out = (ssi_elements_sum){0};
  for (int k = 0; k < w->element_count; k++) {
    ssi_action act;
    ssi_element_act(w, w->element + k, &here, v, 1, angle, false, &act);
    ssi_action_force(w, &act, 1, force);
    out->potential += act.potential;
    out->lost += act.lost;
    for (int m = 0; m < act.n; m++) out->external += act.force[m] * act.given[m];
  }
}
