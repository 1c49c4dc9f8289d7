// Joints as equations Phi(q) = 0 that are bilinear in positions and rotations of their two sides, and the rows
// of their change from one pose to another (dynamics/scene/joint_terms.h).
//
// The rows of such a Phi between two poses are exact (dynamics/scene/span.h), so that
//
//   Phi_1 - Phi_0 = h (G^T v + given)                                                            (1)
//
// to rounding; between equal poses they are the derivative.
#include <string.h>

#include "base/error.h"
#include "dynamics/scene/joint_terms.h"
#include "dynamics/scene/span.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"

static int lines_of(int dim, const ssi_simjoint *j, const ssi_side *a, const ssi_side *b,
                    ssi_line out[SSI_JOINT_ROWS]) {
  ssi_joint_term terms[SSI_JOINT_ROWS];
  int n = ssi_joint_terms(dim, j, terms);
  for (int k = 0; k < n; k++) {
    const ssi_joint_term *t = terms + k;
    if (t->rotation) {
      out[k] = (ssi_line){.rotation = true};
      for (int i = 0; i < t->angles; i++)
        ssi_line_add_angle(a, b, t->angle[i].t, t->angle[i].s, t->angle[i].weight, out + k);
      ssi_rotate3(b->R0, t->e, out[k].e);
    } else if (t->turns) {
      ssi_line_along(a, b, t->e, out + k);
    } else {
      ssi_line_point(a, b, t->e, t->e, out + k);
    }
  }
  return n;
}

// ---- the block --------------------------------------------------------------------------------

typedef struct joint_matrix {  // G^T, two blocks per row
  int (*body)[2];              // -1: none
  double *x;                   // (2 per_body per row)
} joint_matrix;

static void fill_joint(const ssi_world *w, const ssi_simjoint *j, const ssi_span *span,
                       joint_matrix *g, ssi_joint_block *out) {
  ssi_side sa = ssi_side_of(w, j->a, j->at_a, span), sb = ssi_side_of(w, j->b, j->at_b, span);
  ssi_line lines[SSI_JOINT_ROWS];
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
  int64_t *ptr = SSI_TAKE(&step->work, (size_t)w->nall + 2, int64_t);
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
  for (int i = w->ndof; i < w->nall; i++) ptr[i + 1] = ptr[w->ndof];  // none of them is in a joint
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
    ssi_line lines[SSI_JOINT_ROWS];
    int n = lines_of(w->dim, j, &sa, &sb, lines);
    for (int i = 0; i < n; i++) {
      double *to = out + (lines[i].rotation ? 3 : 0);
      ssi_add3(to, ssi_hold_impulse(step, j, i), lines[i].e, to);
    }
  }
}
