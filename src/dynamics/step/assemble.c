// The friction problem of one step: M diagonal, f = -M v_free, H and w per contact, G and b per joint.
#include "base/error.h"
#include "dynamics/step/sim.h"
#include "dynamics/vec3.h"

// e . (velocity of the body's point) = e . v + (R^T (arm x e)) . w, w in body axes.
void ssi_sim_row(const ss_simulation *s, int body, double sign, const double e[3],
                 const double point[3], double *x) {
  double arm[3], moment[3];
  ssi_sub3(point, s->pose[body].x, arm);
  ssi_cross3(arm, e, moment);
  for (int k = 0; k < s->dim; k++) x[k] = sign * e[k] + 0.0;
  if (s->dim == 2) {
    x[2] = sign * moment[2] + 0.0;
    return;
  }
  ssi_unrotate3(s->rotation + 9 * (size_t)body, moment, moment);
  for (int k = 0; k < 3; k++) x[3 + k] = sign * moment[k] + 0.0;
}

// On a sphere the arm is along the normal: put exactly there, so that a push through the centre does
// not turn it.
static void contact_row(const ss_simulation *s, const ssi_touch *t, int body, double sign, int row,
                        double *x) {
  if (ss_shape_kind_of(s->body[body].shape) != SS_SPHERE) {
    ssi_sim_row(s, body, sign, t->e[row], t->c.point, x);
    return;
  }
  double arm[3], moment[3] = {0};
  ssi_sub3(t->c.point, s->pose[body].x, arm);
  double along = ssi_dot3(arm, t->e[0]);
  if (row > 0) ssi_cross3(t->e[0], t->e[row], moment);
  for (int k = 0; k < s->dim; k++) x[k] = sign * t->e[row][k] + 0.0;
  if (s->dim == 2) {
    x[2] = sign * along * moment[2] + 0.0;
    return;
  }
  ssi_unrotate3(s->rotation + 9 * (size_t)body, moment, moment);
  for (int k = 0; k < 3; k++) x[3 + k] = sign * along * moment[k] + 0.0;
}

ss_error ssi_sim_contact_rows(ss_simulation *s, const ssi_touch *touch, int count, ss_sparse *H) {
  if (count > INT32_MAX / s->dim - 1)
    return ssi_fail(s->ctx, SS_ERR_DATA, "%d contacts do not fit 32-bit indices", count);
  int64_t blocks = 0;
  for (int i = 0; i < count; i++) blocks += touch[i].c.b < s->nb ? 2 : 1;
  int64_t entries = blocks * s->per_body * s->dim, at = 0;
  int64_t *ptr = SSI_TAKE(&s->work, (size_t)count * s->dim + 1, int64_t);
  int *col = SSI_TAKE(&s->work, entries, int);
  double *x = SSI_TAKE(&s->work, entries, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", count);
  for (int i = 0; i < count; i++) {
    const ssi_touch *t = touch + i;
    int bodies = t->c.b < s->nb ? 2 : 1;
    for (int row = 0; row < s->dim; row++) {
      for (int k = 0; k < bodies; k++, at += s->per_body) {  // a < b: columns increase
        int body = k ? t->c.b : t->c.a;
        contact_row(s, t, body, k ? -1 : 1, row, x + at);
        for (int d = 0; d < s->per_body; d++) col[at + d] = s->per_body * body + d;
      }
      ptr[(size_t)i * s->dim + row + 1] = at;
    }
  }
  *H = (ss_sparse){count * s->dim, s->ndof, ptr, col, x};
  return SS_OK;
}

// Gaps change with the velocity that moves the bodies, which has the joints' kick in it (hold.c).
static void add_kicks(ss_simulation *s) {
  const ss_sparse *H = &s->problem.H;
  for (int i = 0; i < s->touch_count; i++) {
    ssi_touch *t = s->touch + i;
    t->kick = 0;
    if (t->bounce < 0 || s->scene->stepping.drift != SS_DRIFT_GAP) continue;
    for (int64_t k = H->ptr[i * s->dim]; k < H->ptr[i * s->dim + 1]; k++)
      t->kick += H->x[k] * s->hold.second[H->col[k]];
  }
}

ss_error ssi_sim_assemble(ss_simulation *s, double h) {
  int nc = s->touch_count;
  ss_problem *p = &s->problem;
  *p = (ss_problem){.form = SS_GLOBAL, .dim = s->dim, .nc = nc, .ndof = s->ndof, .nl = s->nl};
  size_t m = (size_t)nc * s->dim;
  double *mu = SSI_TAKE(&s->work, nc, double), *w = SSI_TAKE(&s->work, m, double);
  double *b = SSI_TAKE(&s->work, s->nl, double);
  s->guess = SSI_TAKE(&s->work, m, double);
  s->r = SSI_TAKE(&s->work, m, double);
  s->u = SSI_TAKE(&s->work, m, double);
  s->l = SSI_TAKE(&s->work, s->nl, double);
  s->verdict = SSI_TAKE(&s->work, nc, ss_contact_verdict);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", nc);
  SS_TRY(ssi_sim_contact_rows(s, s->touch, nc, &p->H));
  if (s->nl) {
    SS_TRY(ssi_sim_hold_aim(s, h, b));
    p->G = s->hold.mean.G;
    add_kicks(s);
  }
  for (int i = 0; i < nc; i++) {
    const ssi_touch *t = s->touch + i;
    mu[i] = t->mu;
    for (int k = 0; k < s->dim; k++) w[(size_t)i * s->dim + k] = t->w[k];
    w[(size_t)i * s->dim] += ssi_touch_term(t);
  }
  p->M = s->M;
  p->f = s->f;
  p->mu = mu;
  p->w = w;
  p->b = b;
  return SS_OK;
}
