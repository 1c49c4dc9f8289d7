// Joints as equations Phi(q) = 0 that are bilinear in positions and rotations of their two sides, and the rows
// of their change from one pose to another. With P the anchor as each side carries it, R the rotations,
//
//   point   e . (P_a - P_b)                     e along the world's axes             (ball, hinge, fixed)
//   line    (R_b n) . (P_a - P_b)               n normal to the axis                 (slider)
//   angle   sum of weight (R_b t) . (R_a s)     t, s fixed in the two sides          (hinge, slider, fixed)
//
// The rows of such a Phi between two poses are exact (dynamics/scene/span.h), so that
//
//   Phi_1 - Phi_0 = h (G^T v + given)                                                            (1)
//
// to rounding; between equal poses they are the derivative.
#include <string.h>

#include "base/error.h"
#include "dynamics/scene/span.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"
#include "problem/rigid.h"

enum { LINES_MAX = 6 };

// Two rows that keep the axis of a normal to t_1, t_2 of b: turned by d, t_1 . n_a = d . t_2, t_2 . n_a = -d . t_1.
static int hinge_axis(const ssi_simjoint *j, const ssi_side *a, const ssi_side *b, ssi_line *out) {
  double frame[3][3];
  ssi_contact_frame(3, j->axis_b, frame);
  for (int k = 0; k < 2; k++) {
    out[k] = (ssi_line){.rotation = true};
    ssi_line_add_angle(a, b, frame[1 + k], j->axis_a, 1, out + k);
    ssi_rotate3(b->R0, frame[2 - k], out[k].e);
    ssi_scale3(k ? -1 : 1, out[k].e, out[k].e);
  }
  return 2;
}

// No turning about axis k of b: with (i, j, k) cyclic and a_i what a has in place of b_i,
// (b_j . a_i - b_i . a_j)/2 = sin(angle) about k.
static int no_turning(int dim, const ssi_simjoint *joint, const ssi_side *a, const ssi_side *b,
                      ssi_line *out) {
  double relative[9], as_b[3][3], as_a[3][3];
  ss_rotation(joint->relative, relative);
  for (int k = 0; k < 3; k++) {
    ssi_set3(k == 0, k == 1, k == 2, as_b[k]);
    ssi_unrotate3(relative, as_b[k], as_a[k]);
  }
  int n = 0;
  for (int k = dim == 2 ? 2 : 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    ssi_line *l = out + n++;
    *l = (ssi_line){.rotation = true};
    ssi_line_add_angle(a, b, as_b[j], as_a[i], 0.5, l);
    ssi_line_add_angle(a, b, as_b[i], as_a[j], -0.5, l);
    ssi_rotate3(b->R0, as_b[k], l->e);
  }
  return n;
}

static int lines_of(int dim, const ssi_simjoint *j, const ssi_side *a, const ssi_side *b,
                    ssi_line out[LINES_MAX]) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int n = 0;
  if (j->kind == SS_JOINT_SLIDER) {
    double frame[3][3];
    ssi_contact_frame(dim, j->axis_b, frame);
    for (int k = 1; k < dim; k++) ssi_line_along(a, b, frame[k], out + n++);
  } else {
    for (int k = 0; k < dim; k++) ssi_line_point(a, b, axes[k], axes[k], out + n++);
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

static void fill_joint(const ssi_world *w, const ssi_simjoint *j, const ssi_span *span,
                       joint_matrix *g, ssi_joint_block *out) {
  ssi_side sa = ssi_side_of(w, j->a, j->at_a, span), sb = ssi_side_of(w, j->b, j->at_b, span);
  ssi_line lines[LINES_MAX];
  int n = lines_of(w->dim, j, &sa, &sb, lines);
  for (int k = 0; k < n; k++) {
    int row = j->row + k;
    double *x = g->x + (size_t)row * 2 * w->per_body;
    g->body[row][0] = sa.body;
    g->body[row][1] = sb.body;
    ssi_line_dofs(w->dim, lines[k].a, x);
    if (sb.body >= 0) ssi_line_dofs(w->dim, lines[k].b, x + w->per_body);
    out->given[row] = lines[k].given;
    out->error[row] = lines[k].begin;
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

ss_error ssi_joint_rows(const ssi_world *w, ssi_step *step, const ssi_span *span,
                        ssi_joint_block *out) {
  joint_matrix g;
  g.body = ssi_arena_take(&step->work, (size_t)w->nl, sizeof *g.body);
  g.x = SSI_TAKE(&step->work, (size_t)w->nl * 2 * w->per_body, double);
  out->given = SSI_TAKE(&step->work, w->nl, double);
  out->error = SSI_TAKE(&step->work, w->nl, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the joints");
  for (int k = 0; k < w->nj; k++) fill_joint(w, w->joint + k, span, &g, out);
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
  ssi_span here = {s->pose, s->pose, s->now.time, 0, step->twist, s->now.time};
  for (int k = 0; k < w->nj; k++) {
    const ssi_simjoint *j = w->joint + k;
    double *out = impulses + 6 * (size_t)k;
    memset(out, 0, sizeof(double) * 6);
    ssi_side sa = ssi_side_of(w, j->a, j->at_a, &here), sb = ssi_side_of(w, j->b, j->at_b, &here);
    ssi_line lines[LINES_MAX];
    int n = lines_of(w->dim, j, &sa, &sb, lines);
    for (int i = 0; i < n; i++) {
      double *to = out + (lines[i].rotation ? 3 : 0);
      ssi_add3(to, ssi_hold_impulse(step, j, i), lines[i].e, to);
    }
  }
}
