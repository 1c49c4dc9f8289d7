// Contacts where the step ends (contact_map "implicit"). With q^(v) = q_k moved by h v, the end of the step for theta = 1,
//
//   M (v_{k+1} - v_k) = h F + H(q^)^T r,   u = H(q^) v_{k+1} + w(q^),   (u, r) in C(mu),   q^ = q^(v_{k+1})      (1)
//
// H, frames, arms and imposed velocities are those of the contacts found at q^, with externals where they are at the
// end. It is solved by passes: the first is the step with the contacts of its beginning, the next have q^ of the last
// answer. A pass changes the velocities by O(h) of what the last one did.
//
// With drift "gap" the bound is on the gap at q^ itself: the part of its change that u_N does not have,
//
//   bow = (g(q^) - g(q_k))/h - u_N(q^),     u_N + drift + bow >= 0   <=>   g(q^) >= g(q_k) - h drift             (2)
//
// at the end of the passes, where `drift` is what the gap may close (detect.c). So nothing is lost per step at contacts
// that push, and nothing goes into walls that bend. Where a contact bounces, u_N + e u_N^- >= 0, and (2) counts only where
// it asks for more: what slides past while it rebounds. With the other drifts the velocity is bound: u_N + e u_N^- >= 0.
//
// A contact of the beginning that is not there at q^, or whose normal has turned away, is as it was at the beginning. One
// that is there after every other pass (features of boxes that change with the pose) stays as it was at the beginning.
// Passes that have not settled by then go on by Anderson's method: from the first one on it saves some where contacts keep
// their states, and loses the way where they change them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"

static const double TURNED = 0.5;  // the least n(q_k) . n(q^): by 60 degrees it is another contact
enum { TO_AND_FRO = 8 };           // passes after which contacts and answers should have settled

bool ssi_ahead_create(const ssi_world *w, ssi_arena *a, ssi_ahead *ahead) {
  ahead->answer = SSI_TAKE(a, w->ndof, double);
  ahead->pose = SSI_TAKE(a, w->nb, ss_pose);
  ahead->rotation = SSI_TAKE(a, 9 * (size_t)w->nb, double);
  ahead->weight = SSI_TAKE(a, w->ndof, double);
  if (a->failed) return false;
  for (int k = 0; k < w->ndof; k++) ahead->weight[k] = sqrt(w->mass[k]);
  return ssi_anderson_create(a, w->ndof, SSI_PASS_RULE, ahead->weight, &ahead->passing);
}

// Point, frame and imposed velocity; `later`: the centres of the externals' motion have gone along for that long.
static void put(const ssi_world *w, const ssi_step *step, const ss_contact *c, double later,
                ssi_touch *t) {
  double imposed[3] = {0};
  ssi_touch_frame(w, c->point, c->normal, t);
  if (c->b >= w->nb) {
    ssi_twist twist = step->twist[c->b - w->nb];
    ssi_add3(twist.c, later, twist.v, twist.c);
    ssi_twist_at(&twist, c->point, imposed);
    ssi_surface_add_velocity(w->scene->externals + (c->b - w->nb), c->normal, imposed);
  }
  for (int k = 0; k < w->dim; k++) t->w[k] = 0.0 - ssi_dot3(t->e[k], imposed);
}

ss_error ssi_ahead_place(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  ssi_ahead *ahead = &step->ahead;
  ss_contacts found;
  double h = step->h;
  memcpy(ahead->pose, s->pose, sizeof(ss_pose) * (size_t)w->nb);
  ssi_displace(w, h, ahead->answer, ahead->pose);
  for (int i = 0; i < w->nb; i++) ss_rotation(ahead->pose[i].q, ahead->rotation + 9 * (size_t)i);
  ssi_set_colliders(w, ahead->pose, s->now.time + h, step);
  SS_TRY(ss_collide(step->detector, step->collider, w->nb + w->ne, &found));
  for (int i = 0, at = 0; i < step->touch_count; i++) {
    ssi_touch *t = step->touch + i;
    const ss_contact *there = ssi_contact_find(&found, &t->c, &at);
    bool seen = there && ssi_dot3(there->normal, t->c.normal) >= TURNED;
    t->stays = t->stays || (ahead->passes > TO_AND_FRO && seen != t->ahead);
    t->ahead = seen && !t->stays;
    put(w, step, t->ahead ? there : &t->c, t->ahead ? h : 0, t);
    t->bow = t->ahead ? (there->gap - t->c.gap) / h : 0;  // u_N is taken off when H is known
  }
  return SS_OK;
}

void ssi_ahead_bind(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  const ss_sparse *H = &step->problem.H;
  for (int i = 0; i < step->touch_count; i++) {
    ssi_touch *t = step->touch + i;
    for (int d = 0; d < w->dim; d++) {
      double answer = t->w[d];
      t->u0[d] = t->w[d];
      for (int64_t k = H->ptr[i * w->dim + d]; k < H->ptr[i * w->dim + d + 1]; k++) {
        t->u0[d] += H->x[k] * s->v[H->col[k]];
        answer += H->x[k] * step->ahead.answer[H->col[k]];
      }
      if (d == 0 && t->ahead) t->bow -= answer;
    }
    if (w->scene->stepping.drift != SS_DRIFT_GAP) t->bow = 0;
    if (t->bounce < 0) t->bow = fmin(0, t->open + t->bow - t->bounce);
  }
}

ss_error ssi_ahead_follow(const ssi_world *w, const ssi_state *s, ssi_step *step, double *change) {
  double *difference = SSI_TAKE(&step->work, w->ndof, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d bodies", w->nb);
  for (int k = 0; k < w->ndof; k++) difference[k] = step->v_new[k] - step->ahead.answer[k];
  *change = ssi_relative(w, s, step, step->v_new, difference);
  return SS_OK;
}

void ssi_ahead_next(const ssi_world *w, const double *answer, ssi_ahead *ahead) {
  memcpy(ahead->answer, answer, sizeof(double) * (size_t)w->ndof);
  ahead->passes++;
  if (w->nl || ahead->passes < TO_AND_FRO) return;
  if (ahead->passes == TO_AND_FRO)
    ssi_anderson_begin(&ahead->passing, answer);
  else
    ssi_anderson_next(&ahead->passing, ahead->answer);
}
