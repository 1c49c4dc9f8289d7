// Joints as equations Phi(q) = 0 that are bilinear in positions and rotations of their two sides, and the rows
// of their change from one pose to another. With P the anchor as each side carries it, R the rotations,
//
//   point   e . (P_a - P_b)                     e along the world's axes             (ball, hinge, fixed)
//   line    (R_b n) . (P_a - P_b)               n normal to the axis                 (slider)
//   angle   sum of weight (R_b t) . (R_a s)     t, s fixed in the two sides          (hinge, slider, fixed)
//
// For what is bilinear the product rule with means, m = (begin + end)/2, is exact,
//
//   x_1 y_1 - x_0 y_0 = x_m (y_1 - y_0) + (x_1 - x_0) y_m,
//
// and a body that turns by cay(h w) has R_1 - R_0 = h R_m [w], R_m = (R_0 + R_1)/2 (dynamics/quaternion.h). So
// with the rows below and the velocity v that takes the bodies from one pose to the other within h,
//
//   Phi_1 - Phi_0 = h (G^T v + given)                                                            (1)
//
// holds to rounding, not to some order; `given` is the part of sides that are moved from outside. Between equal
// poses the rows are the derivative of Phi.
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"
#include "problem/rigid.h"

typedef struct side {
  int body;                 // -1: not a body
  double at[3];             // anchor, seen from the side
  double R[9], P[3];        // means
  double R0[9], P0[3];      // at the beginning
  double turn[9], rate[3];  // of a side that is moved from outside: R', P'
} side;

typedef struct line {   // one row
  double a[6], b[6];    // on the velocity (world axes) and the spin (own axes) of each side
  double given, error;  // Phi at the beginning
  double e[3];          // what the multiplier is a force along or a moment about
  bool rotation;
} line;

enum { LINES_MAX = 6 };

// ---- sides ------------------------------------------------------------------------------------

static void set_means(const ss_pose *from, const ss_pose *to, side *out) {
  double R1[9], P1[3];
  ss_rotation(from->q, out->R0);
  ss_rotation(to->q, R1);
  ss_pose_apply(from, out->at, out->P0);
  ss_pose_apply(to, out->at, P1);
  for (int k = 0; k < 9; k++) out->R[k] = (out->R0[k] + R1[k]) / 2;
  for (int k = 0; k < 3; k++) out->P[k] = (out->P0[k] + P1[k]) / 2;
}

// The rates of an external object: from where it is at t to where it is at t + h, or at one time (h = 0) with
// the twist of the step, which has its centre where that was when the step began.
static void set_external(const ssi_world *w, const ssi_state *s, const ssi_step *step, int k,
                         const ssi_span *span, side *out) {
  ss_pose from, to;
  ssi_imposed_pose(w->scene->externals + k, span->begin, &from);
  ssi_imposed_pose(w->scene->externals + k, span->begin + span->h, &to);
  set_means(&from, &to, out);
  if (span->h > 0) {
    for (int i = 0; i < 9; i++) out->turn[i] = 2 * (out->R[i] - out->R0[i]) / span->h;
    for (int i = 0; i < 3; i++) out->rate[i] = 2 * (out->P[i] - out->P0[i]) / span->h;
    return;
  }
  ssi_twist twist = step->twist[k];
  ssi_add3(twist.c, span->begin - s->now.time, twist.v, twist.c);
  ssi_twist_at(&twist, out->P, out->rate);
  for (int j = 0; j < 3; j++) {
    double axis[3], moved[3];
    ssi_axis3(out->R, j, axis);
    ssi_cross3(twist.a, axis, moved);
    for (int i = 0; i < 3; i++) out->turn[3 * i + j] = moved[i];
  }
}

static side side_of(const ssi_world *w, const ssi_state *s, const ssi_step *step, int which,
                    const double at[3], const ssi_span *span) {
  side out = {.body = -1};
  ssi_copy3(at, out.at);
  if (which >= 0) {
    out.body = which;
    set_means(span->from + which, span->to + which, &out);
  } else if (which <= SS_EXTERNAL) {
    set_external(w, s, step, SS_EXTERNAL - which, span, &out);
  } else {
    ss_pose world = ss_pose_identity();
    set_means(&world, &world, &out);
  }
  return out;
}

// ---- rows -------------------------------------------------------------------------------------

// out += weight x with (R' x0) . y = w . (x0 x R^T y): what y sees of a vector that turns with its side.
static void add_turn(const side *of, const double x0[3], const double y[3], double weight,
                     double *spin) {
  double local[3], moment[3];
  ssi_unrotate3(of->R, y, local);
  ssi_cross3(x0, local, moment);
  ssi_add3(spin, weight, moment, spin);
}

// e . (P_a - P_b) for an e of its own that stays, from its mean and its value at the beginning.
static void set_point(const side *a, const side *b, const double mean[3], const double begin[3],
                      line *out) {
  double apart[3];
  *out = (line){.given = -ssi_dot3(mean, b->rate)};
  ssi_copy3(mean, out->a);
  ssi_scale3(-1, mean, out->b);
  ssi_copy3(begin, out->e);
  add_turn(a, a->at, mean, 1, out->a + 3);
  add_turn(b, b->at, mean, -1, out->b + 3);
  ssi_sub3(a->P0, b->P0, apart);
  out->error = ssi_dot3(begin, apart);
}

// (R_b n) . (P_a - P_b)
static void set_line(const side *a, const side *b, const double n[3], line *out) {
  double mean[3], begin[3], apart[3], turned[3];
  ssi_rotate3(b->R, n, mean);
  ssi_rotate3(b->R0, n, begin);
  set_point(a, b, mean, begin, out);
  ssi_sub3(a->P, b->P, apart);
  add_turn(b, n, apart, 1, out->b + 3);
  ssi_rotate3(b->turn, n, turned);
  out->given += ssi_dot3(turned, apart);
}

// weight (R_b t) . (R_a s)
static void add_angle(const side *a, const side *b, const double t[3], const double s[3],
                      double weight, line *out) {
  double tm[3], sm[3], turned[3];
  ssi_rotate3(b->R, t, tm);
  ssi_rotate3(a->R, s, sm);
  add_turn(a, s, tm, weight, out->a + 3);
  add_turn(b, t, sm, weight, out->b + 3);
  ssi_rotate3(b->turn, t, turned);
  out->given += weight * ssi_dot3(turned, sm);
  ssi_rotate3(b->R0, t, tm);
  ssi_rotate3(a->R0, s, sm);
  out->error += weight * ssi_dot3(tm, sm);
}

// Two rows that keep the axis of a normal to t_1, t_2 of b: turned by d, t_1 . n_a = d . t_2, t_2 . n_a = -d . t_1.
static int hinge_axis(const ssi_simjoint *j, const side *a, const side *b, line *out) {
  double frame[3][3];
  ssi_contact_frame(3, j->axis_b, frame);
  for (int k = 0; k < 2; k++) {
    out[k] = (line){.rotation = true};
    add_angle(a, b, frame[1 + k], j->axis_a, 1, out + k);
    ssi_rotate3(b->R0, frame[2 - k], out[k].e);
    ssi_scale3(k ? -1 : 1, out[k].e, out[k].e);
  }
  return 2;
}

// No turning about axis k of b: with (i, j, k) cyclic and a_i what a has in place of b_i,
// (b_j . a_i - b_i . a_j)/2 = sin(angle) about k.
static int no_turning(int dim, const ssi_simjoint *joint, const side *a, const side *b, line *out) {
  double relative[9], as_b[3][3], as_a[3][3];
  ss_rotation(joint->relative, relative);
  for (int k = 0; k < 3; k++) {
    ssi_set3(k == 0, k == 1, k == 2, as_b[k]);
    ssi_unrotate3(relative, as_b[k], as_a[k]);
  }
  int n = 0;
  for (int k = dim == 2 ? 2 : 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    line *l = out + n++;
    *l = (line){.rotation = true};
    add_angle(a, b, as_b[j], as_a[i], 0.5, l);
    add_angle(a, b, as_b[i], as_a[j], -0.5, l);
    ssi_rotate3(b->R0, as_b[k], l->e);
  }
  return n;
}

static int lines_of(int dim, const ssi_simjoint *j, const side *a, const side *b,
                    line out[LINES_MAX]) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int n = 0;
  if (j->kind == SS_JOINT_SLIDER) {
    double frame[3][3];
    ssi_contact_frame(dim, j->axis_b, frame);
    for (int k = 1; k < dim; k++) set_line(a, b, frame[k], out + n++);
  } else {
    for (int k = 0; k < dim; k++) set_point(a, b, axes[k], axes[k], out + n++);
  }
  if (j->kind == SS_JOINT_BALL || (dim == 2 && j->kind == SS_JOINT_HINGE)) return n;
  if (j->kind == SS_JOINT_HINGE) return n + hinge_axis(j, a, b, out + n);
  return n + no_turning(dim, j, a, b, out + n);
}

// ---- the block --------------------------------------------------------------------------------

typedef struct joint_matrix {  // G^T, two blocks per row
  int (*body)[2];              // -1: none
  double *x;                   // (2 per_body per row)
} joint_matrix;

static void fill_block(int dim, const double from[6], double *x) {
  for (int k = 0; k < dim; k++) x[k] = from[k];
  if (dim == 2)
    x[2] = from[5];
  else
    ssi_copy3(from + 3, x + 3);
}

static void fill_joint(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                       const ssi_simjoint *j, const ssi_span *span, joint_matrix *g,
                       ssi_joint_block *out) {
  side sa = side_of(w, s, step, j->a, j->at_a, span), sb = side_of(w, s, step, j->b, j->at_b, span);
  line lines[LINES_MAX];
  int n = lines_of(w->dim, j, &sa, &sb, lines);
  for (int k = 0; k < n; k++) {
    int row = j->row + k;
    double *x = g->x + (size_t)row * 2 * w->per_body;
    g->body[row][0] = sa.body;
    g->body[row][1] = sb.body;
    fill_block(w->dim, lines[k].a, x);
    if (sb.body >= 0) fill_block(w->dim, lines[k].b, x + w->per_body);
    out->given[row] = lines[k].given;
    out->error[row] = lines[k].error;
  }
}

// G = (G^T)^T: rows of G are degrees of freedom.
static ss_error transpose(const ssi_world *w, ssi_step *step, const joint_matrix *g, ss_sparse *G) {
  int64_t *ptr = SSI_TAKE(&step->work, (size_t)w->ndof + 2, int64_t);
  size_t most = (size_t)w->nl * 2 * w->per_body;
  int *col = SSI_TAKE(&step->work, most, int);
  double *x = SSI_TAKE(&step->work, most, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the joints");
  int64_t *next = ptr + 1;  // filled one place ahead, so that it ends where it should begin
  for (int fill = 0; fill < 2; fill++) {
    for (int row = 0; row < w->nl; row++)
      for (int k = 0; k < 2; k++)
        for (int d = 0; g->body[row][k] >= 0 && d < w->per_body; d++) {
          int dof = g->body[row][k] * w->per_body + d;
          double value = g->x[(size_t)row * 2 * w->per_body + (size_t)k * w->per_body + d];
          if (value == 0) continue;
          if (fill) {
            col[next[dof]] = row;
            x[next[dof]] = value;
            next[dof]++;
          } else {
            ptr[dof + 2]++;
          }
        }
    for (int i = 0; !fill && i <= w->ndof; i++) ptr[i + 1] += ptr[i];
  }
  *G = (ss_sparse){w->ndof, w->nl, ptr, col, x};
  return SS_OK;
}

ss_error ssi_joint_rows(const ssi_world *w, const ssi_state *s, ssi_step *step,
                        const ssi_span *span, ssi_joint_block *out) {
  joint_matrix g;
  g.body = ssi_arena_take(&step->work, (size_t)w->nl, sizeof *g.body);
  g.x = SSI_TAKE(&step->work, (size_t)w->nl * 2 * w->per_body, double);
  out->given = SSI_TAKE(&step->work, w->nl, double);
  out->error = SSI_TAKE(&step->work, w->nl, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the joints");
  for (int k = 0; k < w->nj; k++) fill_joint(w, s, step, w->joint + k, span, &g, out);
  return transpose(w, step, &g, &out->G);
}

void ssi_joint_size(const ssi_world *w, const ssi_step *step, const ss_sparse *G, const double *b,
                    const double *v, double *rate2, double *terms2) {
  double *rate = step->hold.scratch, *terms = rate + w->nl;
  for (int k = 0; k < w->nl; k++) terms[k] = fabs(rate[k] = b[k]);
  for (int dof = 0; dof < w->ndof; dof++)
    for (int64_t k = G->ptr[dof]; k < G->ptr[dof + 1]; k++) {
      double x = G->x[k] * v[dof];
      rate[G->col[k]] += x;
      terms[G->col[k]] += fabs(x);
    }
  *rate2 = *terms2 = 0;
  for (int k = 0; k < w->nl; k++) {
    *rate2 += rate[k] * rate[k];
    *terms2 += terms[k] * terms[k];
  }
}

// What the multipliers are, as a force and a moment about the anchor on a.
void ssi_joint_impulses(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                        double *impulses) {
  ssi_span here = {s->pose, s->pose, s->now.time, 0};
  for (int k = 0; k < w->nj; k++) {
    const ssi_simjoint *j = w->joint + k;
    double *out = impulses + 6 * (size_t)k;
    memset(out, 0, sizeof(double) * 6);
    side sa = side_of(w, s, step, j->a, j->at_a, &here),
         sb = side_of(w, s, step, j->b, j->at_b, &here);
    line lines[LINES_MAX];
    int n = lines_of(w->dim, j, &sa, &sb, lines);
    for (int i = 0; i < n; i++) {
      double *to = out + (lines[i].rotation ? 3 : 0);
      ssi_add3(to, ssi_hold_impulse(step, j, i), lines[i].e, to);
    }
  }
}
