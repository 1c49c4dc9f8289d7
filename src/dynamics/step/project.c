// Positions out of overlap: the smallest displacement in the metric of the masses,
//
//   min (1/2) dq . M dq   such that   H_N dq + recovery gap >= 0  wherever bodies are close,
//                                     G^T dq + error = 0
//
// which is a frictionless problem of the same form (velocities are displacements, h = 1). Velocities
// stay as they are; the potential energy that is added counts as correction.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/sim.h"
#include "problem/rigid.h"

// Contacts of the moved bodies with a gap below the deepest overlap: pushing out must not push in.
static ss_error find_close(ss_simulation *s, ssi_touch **close, int *count) {
  ss_contacts found;
  double deepest = 0;
  for (int i = 0; i < s->nb; i++) {
    s->collider[i].pose = s->pose[i];
    s->collider[i].reach = s->slop;
  }
  for (int k = 0; k < s->ne; k++) {
    ssi_imposed_pose(s->scene->externals + k, s->now.time, &s->collider[s->nb + k].pose);
    s->collider[s->nb + k].reach = s->slop;
  }
  SS_TRY(ss_collide(s->detector, s->collider, s->nb + s->ne, &found));
  for (int i = 0; i < found.count; i++)
    if (-found.contact[i].gap > deepest) deepest = -found.contact[i].gap;
  *count = 0;
  if (deepest <= s->slop && !s->nl) return SS_OK;
  *close = SSI_TAKE(&s->work, found.count, ssi_touch);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for a projection");
  for (int i = 0; i < found.count; i++) {
    if (found.contact[i].gap > deepest + s->slop) continue;
    ssi_touch *t = *close + (*count)++;
    *t = (ssi_touch){.c = found.contact[i]};
    ssi_contact_frame(s->dim, t->c.normal, t->e);
  }
  return SS_OK;
}

static ss_error solve(ss_simulation *s, const ss_problem *p, double *dq) {
  ss_options o = s->scene->solver;
  o.progress = NULL;
  double *r = SSI_TAKE(&s->work, (size_t)p->nc * p->dim, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for a projection");
  ss_solver *solver;
  ss_info info;
  SS_TRY(ss_solver_create(s->ctx, p, &o, &solver));
  ss_error e = ss_solve(solver, r, NULL, dq, NULL, &info);
  ss_solver_destroy(solver);
  SS_TRY(e);
  if (info.status != SS_SOLVED)
    ssi_log(s->ctx, SS_LOG_WARN, "t = %g: a projection against drift ended with error %.2g",
            s->now.time, info.error);
  return SS_OK;
}

ss_error ssi_sim_project(ss_simulation *s) {
  ssi_touch *close = NULL;
  int count;
  ssi_sim_turn(s);
  SS_TRY(find_close(s, &close, &count));
  if (!count && !s->nl) return SS_OK;
  double recovery = s->scene->stepping.recovery, before = ssi_sim_potential(s);
  ss_problem p = {.form = SS_GLOBAL, .dim = s->dim, .nc = count, .ndof = s->ndof, .nl = s->nl};
  double *w = SSI_TAKE(&s->work, (size_t)count * s->dim, double);
  double *dq = SSI_TAKE(&s->work, s->ndof, double);
  p.mu = SSI_TAKE(&s->work, count, double);
  p.f = SSI_TAKE(&s->work, s->ndof, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for a projection");
  for (int i = 0; i < count; i++) {
    double gap = close[i].c.gap;
    w[(size_t)i * s->dim] = gap < 0 ? recovery * gap : gap;
  }
  SS_TRY(ssi_sim_contact_rows(s, close, count, &p.H));
  ssi_span here = {s->pose, s->pose, s->now.time, 0};
  ssi_joint_block joints = {0};
  if (s->nl) SS_TRY(ssi_sim_joint_block(s, &here, &joints));
  p.G = joints.G;
  p.M = s->M;
  p.w = w;
  p.b = joints.error;
  SS_TRY(solve(s, &p, dq));
  ssi_sim_move(s, 1, dq, s->pose);
  ssi_sum_add(&s->now.correction, ssi_sim_potential(s) - before);
  return SS_OK;
}
