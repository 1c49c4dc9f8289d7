#include "problem/verify.h"

#include <math.h>

#include "base/error.h"
#include "la/small.h"
#include "problem/motion.h"

enum { JOINTS = 2000 };  // at most, as in problem/multipliers.c
static const double MOVED =
    1e-6;  // |q| over |s| of the component: above, rounding of the joints is nothing beside q

static size_t dofs(const ss_problem *p) {
  return p->form == SS_GLOBAL ? (size_t)p->ndof : 0;
}

ssi_load ssi_judge_plain_load(ssi_judge *s) {
  size_t m = (size_t)s->p->dim * (size_t)s->p->nc, nl = (size_t)s->p->nl, n = dofs(s->p);
  double *u = s->scratch, *gap = u + m, *v = gap + nl;
  for (size_t i = 0; i < m; i++) u[i] = s->motion.u[i].hi;
  for (size_t k = 0; k < nl; k++) gap[k] = s->motion.gap[k].hi;
  for (size_t k = 0; k < n; k++) v[k] = s->motion.v[k].hi;
  return (ssi_load){u, gap, n ? v : NULL, NULL};
}

double *ssi_judge_behind_load(ssi_judge *s) {
  return s->scratch + (size_t)s->p->dim * (size_t)s->p->nc + (size_t)s->p->nl + dofs(s->p);
}

// Whether joints have to move component k, while the motion without them hardly does.
static bool is_moved_by_joints(const ssi_judge *s, int k, const double *gap) {
  double apart = 0;
  for (int j = 0; j < s->p->nl; j++)
    if (s->parts->of_joint[j] == k) apart = ssi_length2(apart, gap[j]);
  return apart > 0 && s->load.scale[k] <= MOVED * apart;
}

// The gaps that rounding of the data may open, in motion.gap: each row by itself, |b| + |G^T| y, or all velocities by y
// at once, G^T y, which no redundant row excludes.
static void open_gaps(ssi_judge *s, const double *y, bool at_once) {
  const ss_problem *p = s->p;
  for (int k = 0; k < p->nl; k++) s->motion.gap[k] = ssi_dd_from(at_once ? 0 : fabs(p->b[k]));
  for (int i = 0; i < p->ndof; i++)
    for (int64_t e = p->G.ptr[i]; e < p->G.ptr[i + 1]; e++) {
      double opened = p->G.x[e] * y[i];
      s->motion.gap[p->G.col[e]].hi += at_once ? opened : fabs(opened);
    }
}

// l of the motion in `load` into |l| + |dl|, dl = R^+ of the gaps that rounding opens: joints that are nearly dependent
// move by that, and so do those that carry nothing beside others that hold f, as least squares find them.
static ss_error add_doubt(ssi_judge *s, const ssi_load *load, double *l) {
  const ss_problem *p = s->p;
  double *y = ssi_judge_behind_load(s), *sum = y + p->ndof;
  SS_TRY(ssi_load_motions(p, load, s->motion.mass, y));
  for (int k = 0; k < p->nl; k++) sum[k] = fabs(l[k]);
  bool weak;
  for (int at_once = 0; at_once < 2; at_once++) {
    open_gaps(s, y, at_once);
    SS_TRY(ssi_multipliers(s->ctx, &s->motion, l, &weak));
    for (int k = 0; k < p->nl; k++) sum[k] += fabs(l[k]);
  }
  for (int k = 0; k < p->nl; k++) l[k] = sum[k];
  return SS_OK;
}

ss_error ssi_judge_ask_joints(ssi_judge *s, const ssi_load *free_motion) {
  int nc = s->p->nc, asked = 0;
  for (int k = 0; k < s->parts->count && s->p->nl <= JOINTS; k++)
    asked += is_moved_by_joints(s, k, free_motion->gap);
  double *memory =
      asked ? ssi_alloc(s->ctx, ssi_load_scale_size(nc) + (size_t)nc, sizeof *memory) : NULL;
  if (!asked) return SS_OK;
  if (!memory) return ssi_fail(s->ctx, SS_ERR_MEMORY, "out of memory to judge %d contacts", nc);
  ssi_load_scale with;
  double *moved = memory + ssi_load_scale_size(nc);
  ssi_load_scale_place(memory, nc, &with);
  for (int k = 0; k < s->parts->count; k++) moved[k] = is_moved_by_joints(s, k, free_motion->gap);
  ss_error e = ssi_motion_hold_joints(&s->motion, NULL, 2, ssi_judge_behind_load(s), s->l);
  ssi_load load = ssi_judge_plain_load(s);
  if (load.v) {  // else nothing tells what has cancelled
    load.l = s->l;
    if (!e) e = add_doubt(s, &load, s->l);
  }
  if (!e)
    e = ssi_load_scales(s->p, s->parts, &load, s->motion.mass, ssi_judge_behind_load(s), &with);
  for (int i = 0; i < nc && !e; i++) {
    int k = s->parts->of[i];
    if (!moved[k]) continue;
    s->load.scale[k] = fmax(s->load.scale[k], with.scale[k]);
    if (!with.still[k]) continue;
    s->load.still[k] = true;
    s->load.doubt[i] = with.doubt[i];
  }
  ssi_release(s->ctx, memory);
  return e;
}
