// The friction problem of one step: M diagonal, f = -M v_free, H and w per contact, motor and limit, G and b per joint.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"
#include "problem/rigid.h"

typedef struct rows {
  const ssi_world *w;
  const ssi_state *s;
  const ssi_step *step;
  const ssi_touch *touch;
} rows;

// On a sphere the arm is along the normal: put exactly there, so that a push through the centre does
// not turn it.
static void set_arm(const rows *k, const ssi_touch *t, int body, ssi_rigid_arm *out) {
  double arm[3];
  const ss_pose *pose = t->ahead ? k->step->ahead.pose : k->s->pose;
  const double *rotation = t->ahead ? k->step->ahead.rotation : k->step->rotation;
  ssi_sub3(t->point, pose[body].x, arm);
  bool sphere = ss_shape_kind_of(k->w->body[body].shape) == SS_SPHERE;
  ssi_copy3(sphere ? t->e[0] : arm, out->x);
  out->length = sphere ? ssi_dot3(arm, t->e[0]) : 1;
  out->R = rotation + 9 * (size_t)body;
}

static void contact(const void *user, int index, ssi_rigid_contact *out) {
  const rows *k = user;
  const ssi_touch *t = k->touch + index;
  *out = (ssi_rigid_contact){.a = t->c.a, .b = t->c.b < k->w->nb ? t->c.b : -1};
  memcpy(out->e, t->e, sizeof out->e);
  set_arm(k, t, out->a, &out->arm_a);
  if (out->b >= 0) set_arm(k, t, out->b, &out->arm_b);
}

ss_error ssi_contact_rows(const ssi_world *w, const ssi_state *s, ssi_step *step,
                          const ssi_touch *touch, int count, ss_sparse *H) {
  if (count > INT32_MAX / w->dim - 1)
    return ssi_fail(w->ctx, SS_ERR_DATA, "%d contacts do not fit 32-bit indices", count);
  rows k = {w, s, step, touch};
  ssi_rigid_contacts c = {.dim = w->dim, .bodies = w->nb, .count = count};
  c.contact = contact;
  c.user = &k;
  for (int i = 0; i < count; i++) c.ends += touch[i].c.b < w->nb ? 2 : 1;
  return ssi_rigid_rows(&step->work, &c, H)
             ? SS_OK
             : ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", count);
}

// Gaps change with the velocity that moves the bodies, which has the joints' kick in it (hold.c).
static void add_kicks(const ssi_world *w, ssi_step *step) {
  const ss_sparse *H = &step->problem.H;
  for (int i = 0; i < step->touch_count; i++) {
    ssi_touch *t = step->touch + i;
    t->kick = 0;
    if (t->bounce < 0 || w->scene->stepping.drift != SS_DRIFT_GAP) continue;
    for (int64_t k = H->ptr[i * w->dim]; k < H->ptr[i * w->dim + 1]; k++)
      t->kick += H->x[k] * step->hold.second[H->col[k]];
  }
}

ss_error ssi_assemble(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  int nc = step->touch_count + step->drives.count;
  ss_problem *p = &step->problem;
  *p = (ss_problem){.form = SS_GLOBAL, .dim = w->dim, .nc = nc, .ndof = w->nall, .nl = w->nl};
  size_t m = (size_t)nc * w->dim;
  double *mu = SSI_TAKE(&step->work, nc, double), *imposed = SSI_TAKE(&step->work, m, double);
  double *b = SSI_TAKE(&step->work, w->nl, double);
  step->guess = SSI_TAKE(&step->work, m, double);
  step->r = SSI_TAKE(&step->work, m, double);
  step->u = SSI_TAKE(&step->work, m, double);
  step->l = SSI_TAKE(&step->work, w->nl, double);
  step->verdict = SSI_TAKE(&step->work, nc, ss_contact_verdict);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", nc);
  if (step->ahead.passes) SS_TRY(ssi_ahead_place(w, s, step));
  SS_TRY(ssi_contact_rows(w, s, step, step->touch, step->touch_count, &p->H));
  if (step->ahead.passes) ssi_ahead_bind(w, s, step);
  if (w->nl) {
    SS_TRY(ssi_hold_aim(w, s, step, b));
    p->G = step->hold.mean.G;
    p->G.rows = w->nall;
    add_kicks(w, step);
  }
  for (int i = 0; i < step->touch_count; i++) {
    const ssi_touch *t = step->touch + i;
    mu[i] = t->mu;
    for (int k = 0; k < w->dim; k++) imposed[(size_t)i * w->dim + k] = t->w[k];
    imposed[(size_t)i * w->dim] += ssi_touch_term(t);
  }
  p->M = w->element_count ? step->flex.A : w->all;
  p->f = step->f;
  p->mu = mu;
  p->w = imposed;
  p->b = b;
  return w->drive_count ? ssi_drive_aim(w, s, step, mu, imposed) : SS_OK;
}
