// Positions out of overlap: the smallest displacement in the metric of the masses,
//
//   min (1/2) dq . M dq   such that   H_N dq + recovery gap >= 0  wherever bodies are close,
//                                     G^T dq + error = 0,   limits of joints likewise (drive.c)
//
// which is a frictionless problem of the same form (velocities are displacements, h = 1). Velocities
// stay as they are; the potential energy that is added counts as correction.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "problem/rigid.h"

// Contacts of the moved bodies with a gap below the deepest overlap: pushing out must not push in.
static ss_error find_close(const ssi_world *w, const ssi_state *s, ssi_step *step,
                           ssi_touch **close, int *count) {
  ss_contacts found;
  double deepest = 0;
  ssi_set_colliders(w, s->pose, s->now.time, step);
  for (int i = 0; i < w->nb + w->ne; i++) step->collider[i].reach = w->length.slop;
  SS_TRY(ss_collide(step->detector, step->collider, w->nb + w->ne, &found));
  for (int i = 0; i < found.count; i++)
    if (-found.contact[i].gap > deepest) deepest = -found.contact[i].gap;
  *count = 0;
  if (deepest <= w->length.slop && !w->nl) return SS_OK;
  *close = SSI_TAKE(&step->work, found.count, ssi_touch);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for a projection");
  for (int i = 0; i < found.count; i++) {
    if (found.contact[i].gap > deepest + w->length.slop) continue;
    ssi_touch *t = *close + (*count)++;
    *t = (ssi_touch){.c = found.contact[i]};
    ssi_touch_frame(w, t->c.point, t->c.normal, t);
  }
  return SS_OK;
}

static ss_error solve(const ssi_world *w, const ssi_state *s, ssi_step *step, const ss_problem *p,
                      double *dq) {
  double *r = SSI_TAKE(&step->work, (size_t)p->nc * p->dim, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for a projection");
  ss_info info;
  SS_TRY(ssi_solve_aside(w, step, p, r, dq, NULL, &info));
  if (info.status != SS_SOLVED)
    ssi_log(w->ctx, SS_LOG_WARN, "t = %g: a projection against drift ended with error %.2g",
            s->now.time, info.error);
  return SS_OK;
}

ss_error ssi_push_out(const ssi_world *w, ssi_state *s, ssi_step *step) {
  ssi_touch *close = NULL;
  int count;
  ssi_turn(w, s, step);
  SS_TRY(find_close(w, s, step, &close, &count));
  if (!count && !w->nl) return SS_OK;
  double recovery = w->scene->stepping.recovery, before = ssi_stored(w, s);
  ss_problem p = {.form = SS_GLOBAL, .dim = w->dim, .nc = count, .ndof = w->nall, .nl = w->nl};
  for (int k = 0; k < w->drive_count; k++) p.nc += w->drive[k].kind != SSI_MOTOR;
  double *gaps = SSI_TAKE(&step->work, (size_t)p.nc * w->dim, double);
  double *dq = SSI_TAKE(&step->work, w->nall, double);
  p.mu = SSI_TAKE(&step->work, p.nc, double);
  p.f = SSI_TAKE(&step->work, w->nall, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for a projection");
  for (int i = 0; i < count; i++) {
    double gap = close[i].c.gap;
    gaps[(size_t)i * w->dim] = gap < 0 ? recovery * gap : gap;
  }
  SS_TRY(ssi_contact_rows(w, s, step, close, count, &p.H));
  ssi_span here = {s->pose, s->pose, s->now.time, 0, step->twist, s->now.time};
  ssi_joint_block joints = {0};
  if (w->nl) SS_TRY(ssi_joint_rows(w, step, &here, &joints));
  if (p.nc > count) SS_TRY(ssi_drive_keep(w, s, step, &p.H, gaps));
  p.H.cols = w->nall;
  p.G = joints.G;
  if (w->nl) p.G.rows = w->nall;
  p.M = w->all;
  p.w = gaps;
  p.b = joints.error;
  SS_TRY(solve(w, s, step, &p, dq));
  ssi_displace(w, 1, dq, s->pose);
  ssi_sum_add(&s->now.correction, ssi_stored(w, s) - before);
  return SS_OK;
}
