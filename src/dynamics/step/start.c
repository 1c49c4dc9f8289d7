// The velocities that a scene begins with, in contact. Step k has  H_k v_{k+1} = target  with the directions of its
// beginning: v_{k+1} is right for the pose before, and at the next one it is  H_{k+1} v_{k+1} = target + h c,  c the
// part of the gap's acceleration that is there without any change of velocities (bodies that turn, that roll off each
// other). The force of a step is the change of that, and has c in it. A scene's own velocities are right at
// the first pose, H_0 v_0 = 0, and the first force would be without c, wrong by O(1) for any h. So they begin
// as if there had been a step before,
//
//   v_0 + M^-1 H^T p,   H (v_0 + M^-1 H^T p) = target + h c,     target = -bend/h,               (1)
//
// at contacts that are closed and neither open nor close. With contacts taken at the end of a step (ahead.c) and drift
// "gap" a step leaves H_{k+1} v_{k+1} = h c/2, the mean of H v over it being 0, and that is what (1) asks for; with the
// other drifts it leaves 0, and there is nothing to do. The change is O(h), the energy's O(h^2). c is found by
// moving the bodies for one step:  gap(h) - gap(0) - h H v_0 = h^2 c/2 + O(h^3).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/sparse.h"
#include "la/vec3.h"

enum { CONTACTS_MAX = 500 };  // more are left as they are: (1) is solved by a pseudo-inverse

// gap(h) of the contacts in touch; NAN where it is another one by then.
static ss_error gaps_ahead(const ssi_world *w, const ssi_state *s, ssi_step *step, double *gap) {
  double h = step->h;
  ss_pose *there = SSI_TAKE(&step->work, w->nb, ss_pose);
  ss_contacts found;
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d bodies", w->nb);
  memcpy(there, s->pose, sizeof(ss_pose) * (size_t)w->nb);
  ssi_displace(w, h, s->v, there);
  ssi_set_colliders(w, there, s->now.time + h, step);
  SS_TRY(ss_collide(step->detector, step->collider, w->nb + w->ne, &found));
  for (int i = 0, at = 0; i < step->touch_count; i++) {
    const ss_contact *same = ssi_contact_find(&found, &step->touch[i].c, &at);
    gap[i] = same ? same->gap : NAN;
  }
  return SS_OK;
}

// Contacts of (1) come first in touch, with H M^-1 H^T p, what is to be changed, in `drift`; how many.
static int choose(const ssi_world *w, ssi_step *step, const double *gap) {
  double h = step->h;
  const double rounding = 1e-9;
  double slow = h * ssi_norm3(w->scene->gravity);
  bool implicit = w->scene->stepping.contact_map == SS_MAP_IMPLICIT;
  int count = 0;
  for (int i = 0; i < step->touch_count; i++) {
    ssi_touch t = step->touch[i];
    double speed = ssi_norm3(t.u0), half = gap[i] - t.c.gap - h * t.u0[0];  // h^2 c/2
    bool closed = t.c.gap <= ssi_closed_below(w) && t.bounce == 0;
    bool stays = fabs(t.u0[0]) <= slow + rounding * speed && fabs(half) <= w->length.soft;
    t.drift = ((implicit ? half : 2 * half) - t.bend) / h;
    if (closed && stays && fabs(half) > rounding * w->length.allowed) step->touch[count++] = t;
  }
  return count;
}

// p of (1) as impulses of joints along the normals: G = H_N^T.
static ss_error solve(const ssi_world *w, const ssi_state *s, ssi_step *step, int count,
                      double *v) {
  ss_sparse H, N;
  SS_TRY(ssi_contact_rows(w, s, step, step->touch, count, &H));
  int64_t *ptr = SSI_TAKE(&step->work, (size_t)count + 1, int64_t), at = 0;
  int *col = SSI_TAKE(&step->work, H.ptr[H.rows], int);
  double *x = SSI_TAKE(&step->work, H.ptr[H.rows], double),
         *f = SSI_TAKE(&step->work, w->ndof, double);
  double *b = SSI_TAKE(&step->work, count, double), *l = SSI_TAKE(&step->work, count, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", count);
  for (int i = 0; i < count; i++) {
    const ssi_touch *t = step->touch + i;
    for (int64_t k = H.ptr[i * w->dim]; k < H.ptr[i * w->dim + 1]; k++, at++) {
      col[at] = H.col[k];
      x[at] = H.x[k];
    }
    ptr[i + 1] = at;
    b[i] = t->w[0] - t->u0[0] - t->drift;
  }
  for (int k = 0; k < w->ndof; k++) f[k] = 0.0 - w->mass[k] * s->v[k];
  N = (ss_sparse){count, w->ndof, ptr, col, x};
  ss_problem p = {.form = SS_GLOBAL, .dim = w->dim, .ndof = w->ndof, .nl = count};
  if (!ssi_sparse_transpose(&step->work, &N, &p.G))
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", count);
  p.M = w->M;
  p.f = f;
  p.b = b;
  ss_info info;
  return ssi_solve_aside(w, step, &p, NULL, v, l, &info);
}

ss_error ssi_start(const ssi_world *w, ssi_state *s, ssi_step *step) {
  double *gap = SSI_TAKE(&step->work, step->touch_count, double);
  double *v = SSI_TAKE(&step->work, w->ndof, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d bodies", w->nb);
  const ss_stepping *o = &w->scene->stepping;
  bool right = o->contact_map == SS_MAP_IMPLICIT && o->drift != SS_DRIFT_GAP;
  if (!step->touch_count || right) return SS_OK;
  SS_TRY(gaps_ahead(w, s, step, gap));
  int count = choose(w, step, gap);
  if (!count || count > CONTACTS_MAX) return SS_OK;
  SS_TRY(solve(w, s, step, count, v));
  ssi_balance_start(w, v, s);
  memcpy(s->v, v, sizeof(double) * (size_t)w->ndof);
  return SS_OK;
}
