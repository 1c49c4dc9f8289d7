// The contacts of one step: which are kept, and what is imposed on each.
//
// u_N is bounded below: with e Newton's restitution coefficient, u^- = H v_k + w, g the gap,
//
//   drift "gap":   u_N + min( g/h, e u_N^- where the gap would close ) >= 0: a gap may close and not more,
//                  a bounce opens the contact. A gap up to `closed` counts as none: the term is 0.
//                  For g < 0: 0, or recovery (g + allowed)/h below -allowed.
//                  At walls that bend or turn towards the body, bend/h is added (bend.c); with contacts taken at the
//                  end of the step, what their gaps do there is (ahead.c)
//   otherwise:     u_N + e u_N^- >= 0 where the gap closes in half a step with u^- or without
//                  reactions (Moreau's prediction; what rests is then not let fall for a step), or where the
//                  contact pushed in the last step: its gap is then the scheme's own
//
// and the problem's w_N is the imposed velocity plus that term ([AC11, (17)] has neither). e u_N^- only
// counts where u_N^- < -h |gravity|: contacts that open need no further push, and one that comes no faster than what
// falls for one step has no impact that a step could tell from resting.
//
// With "gap", contacts that are near or would close without reactions come first. Reactions may push
// bodies elsewhere: those that are within reach are `far`, and a rough answer tells which of them are needed
// (scout.c). After the solve the contacts that close and are still not there are added, and it is
// solved again (handover.c), so that in the end no contact is missed, however far bodies move in a step.
//
// Why small overlaps and slow impacts are left alone: with friction a pile holds stresses of its own, r in K
// with H^T r = 0, and w_N < 0 on such contacts makes w . r < 0: criterion (A) fails and the problem may have
// no solution. Why small gaps are: contacts of a pile that touched before are a little open, each by another
// amount (bodies move along tangents, so that gaps of spheres grow by (h u_T)^2 over twice the diameter). With
// w_N = g/h > 0, however little, bodies that rest cannot keep all of these contacts: r has to leave the kernel of
// H^T until those that are too many have opened, a long way for any solver. With w_N = 0 it may stay.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"
#include "problem/rigid.h"

void ssi_spin(const ssi_world *w, const ssi_step *step, int body, const double *v, double out[3]) {
  const double *x = v + (size_t)body * w->per_body;
  if (w->dim == 2)
    ssi_set3(0, 0, x[2], out);
  else
    ssi_rotate3(step->rotation + 9 * (size_t)body, x + 3, out);
}

// Velocity of the point p of a body that moves with v.
void ssi_point_velocity(const ssi_world *w, const ssi_state *s, const ssi_step *step, int body,
                        const double *v, const double p[3], double out[3]) {
  const double *x = v + (size_t)body * w->per_body;
  double spin[3], arm[3], turn[3];
  ssi_spin(w, step, body, v, spin);
  ssi_sub3(p, s->pose[body].x, arm);
  ssi_cross3(spin, arm, turn);
  for (int k = 0; k < 3; k++) out[k] = (k < w->dim ? x[k] : 0) + turn[k];
}

double ssi_speed(const ssi_world *w, int body, const double *v, double extent) {
  const double *x = v + (size_t)body * w->per_body;
  double velocity[3] = {x[0], x[1], w->dim == 3 ? x[2] : 0}, spin[3] = {0, 0, x[2]};
  if (w->dim == 3) ssi_copy3(x + 3, spin);
  return ssi_norm3(velocity) + ssi_norm3(spin) * extent;
}

// How fast any point of a body moves, before the step, without reactions, or with them.
static double fastest(const ssi_world *w, const ssi_state *s, const ssi_step *step, int i,
                      bool solved) {
  double extent = w->body[i].extent;
  double most = fmax(ssi_speed(w, i, s->v, extent), ssi_speed(w, i, step->v_free, extent));
  return solved ? fmax(most, ssi_speed(w, i, step->v_new, extent)) : most;
}

// An external object's points near bodies move at most this fast.
static double external_speed(const ssi_world *w, const ssi_state *s, const ssi_step *step, int k) {
  const ssi_twist *t = step->twist + k;
  double spin = ssi_norm3(t->a), arm = 0;
  if (!(spin > 0)) return ssi_norm3(t->v);
  const ss_shape *shape = w->scene->externals[k].shape;
  if (ss_shape_is_bounded(shape)) {
    arm = ss_shape_extent(shape) + ssi_distance3(step->collider[w->nb + k].pose.x, t->c);
  } else {
    for (int i = 0; i < w->nb; i++)
      arm = fmax(arm, ssi_distance3(s->pose[i].x, t->c) + w->body[i].extent);
  }
  return ssi_norm3(t->v) + spin * arm;
}

double ssi_external_reach(const ssi_world *w, const ssi_state *s, const ssi_step *step, int k) {
  return step->h * external_speed(w, s, step, k);
}

void ssi_set_colliders(const ssi_world *w, const ss_pose *pose, double time, ssi_step *step) {
  for (int i = 0; i < w->nb; i++) step->collider[i].pose = pose[i];
  for (int k = 0; k < w->ne; k++)
    ssi_imposed_pose(w->external + k, time, &step->collider[w->nb + k].pose);
}

ss_error ssi_find_contacts(const ssi_world *w, const ssi_state *s, bool solved, ssi_step *step,
                           ss_contacts *out) {
  ssi_set_colliders(w, s->pose, s->now.time, step);
  for (int i = 0; i < w->nb; i++)
    step->collider[i].reach = step->h * fastest(w, s, step, i, solved);
  for (int k = 0; k < w->ne; k++)
    step->collider[w->nb + k].reach =
        step->external_reach ? step->external_reach[k] : ssi_external_reach(w, s, step, k);
  return ss_collide(step->detector, step->collider, w->nb + w->ne, out);
}

void ssi_touch_frame(const ssi_world *w, const double point[3], const double normal[3],
                     ssi_touch *t) {
  ssi_copy3(point, t->point);
  ssi_contact_frame(w->dim, normal, t->e);
}

// Fills t but for the gap terms; *approach: u_N with the velocities `ahead`.
static void describe(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                     const ss_contact *c, const double *ahead, ssi_touch *t, double *approach) {
  ssi_law law = ssi_world_law(w, c->a, c->b);
  *t = (ssi_touch){.c = *c, .mu = law.mu, .restitution = law.restitution};
  ssi_touch_frame(w, c->point, c->normal, t);
  double va[3], vb[3], fa[3], fb[3], imposed[3] = {0}, u[3];
  ssi_point_velocity(w, s, step, c->a, s->v, c->point, va);
  ssi_point_velocity(w, s, step, c->a, ahead, c->point, fa);
  if (c->b < w->nb) {
    ssi_point_velocity(w, s, step, c->b, s->v, c->point, vb);
    ssi_point_velocity(w, s, step, c->b, ahead, c->point, fb);
  } else {
    ssi_twist_at(step->twist + (c->b - w->nb), c->point, imposed);
    ssi_surface_add_velocity(w->scene->externals + (c->b - w->nb), c->normal, imposed);
    ssi_copy3(imposed, vb);
    ssi_copy3(imposed, fb);
  }
  ssi_sub3(va, vb, u);
  for (int k = 0; k < w->dim; k++) {
    t->u0[k] = ssi_dot3(t->e[k], u);
    t->w[k] = 0.0 - ssi_dot3(t->e[k], imposed);
  }
  ssi_sub3(fa, fb, u);
  *approach = ssi_dot3(t->e[0], u);
  const ss_stepping *o = &w->scene->stepping;
  if (o->drift == SS_DRIFT_GAP && o->contact_map == SS_MAP_EXPLICIT)
    t->bend = fmin(ssi_bend(w, s, step, c, s->v), ssi_bend(w, s, step, c, ahead));
}

// What one whole step of falling gains: the parts of a halved step have the same thresholds, or they would find
// open what the steps before left as closed.
static double fall(const ssi_world *w) {
  return w->scene->stepping.step * ssi_norm3(w->scene->gravity);
}

static const double CLOSED = 0.1;   // of h^2 |gravity|: gaps that count as closed
static const double UNSEEN = 1e-3;  // of `closed`: accelerations below 2e-4 gravity

// Gaps that gravity closes in less than half a step, from rest (0.1 h^2 |gravity| = (0.45 h)^2 |gravity|/2), and at
// most 1 % of the smallest radius.
double ssi_closed_below(const ssi_world *w) {
  return fmin(w->length.soft, CLOSED * w->scene->stepping.step * fall(w));
}

// e u_N^- of an impact, else 0.
static double rebound(const ssi_world *w, const ssi_touch *t) {
  return t->u0[0] < -fall(w) ? t->restitution * t->u0[0] : 0;
}

// What of its gap a contact may close in this step. One that pushed in the last step had u_N = 0 to first order:
// its gap is what bodies that turn or curve lose of second order, h^2 c/2 in every step. Taking that back all at
// once whenever it passes a threshold makes u_N jump by O(h), and the force by O(1), for any h. With x = g - closed
//   x^2 / (x + X),   X = 1 % of the smallest radius,
// the gap settles where this is h^2 c/2, at x = h sqrt(X c/2) or, for large steps, h^2 c/2 + X; until then u_N
// changes per step by no more than 2 (x/X) h c/2 = O(h^2), and the force is right to O(h). It is no more than twice
// what the last step lost, h^2 c/2, and so nothing where bodies rest: a pile's problem is far harder with w_N > 0.
static double closing(const ssi_world *w, const ssi_touch *t, double closed) {
  double g = t->c.gap, x = g - closed, soft = w->length.soft;
  if (!t->held) return g;
  return x > 0 ? fmin(x * x / (x + soft), 2 * fmax(0, t->lost - UNSEEN * closed)) : 0;
}

// Newton's restitution or the gap term, whichever asks for more.
void ssi_touch_bound(const ssi_world *w, double h, bool closes, ssi_touch *t) {
  double g = t->c.gap, over = g + w->length.allowed, closed = ssi_closed_below(w),
         coming = rebound(w, t);
  double open =
      (g > 0 ? closing(w, t, closed) : fmin(0, w->scene->stepping.recovery * over)) + t->bend;
  if (g <= closed) open = fmin(0, open);
  bool bounces = (closes || g <= closed) && coming < 0 && coming < open / h;
  t->bounce = bounces ? coming : 0;
  t->open = open / h;
  t->drift = bounces ? 0 : t->open;
}

// The terms of t, whose gap is `ahead` at the end of the step with the velocities looked at.
static bool impose(const ssi_world *w, double h, double approach, ssi_touch *t, double *ahead) {
  const ss_stepping *o = &w->scene->stepping;
  double g = t->c.gap, theta = o->theta;
  if (o->drift != SS_DRIFT_GAP) {
    *ahead = g + h / 2 * fmin(t->u0[0], approach);
    t->bounce = rebound(w, t);
    return *ahead <= w->length.slop || (t->held && g <= w->length.near);
  }
  *ahead = g + h * (theta * approach + (1 - theta) * t->u0[0]) + t->bend;
  ssi_touch_bound(w, h, *ahead <= 0, t);
  return fmin(*ahead, g) <= w->length.near;
}

bool ssi_touch_make(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                    const ss_contact *c, const ssi_remembered *last, const double *v, ssi_touch *t,
                    double *ahead) {
  double approach;
  describe(w, s, step, c, v, t, &approach);
  t->held = last && last->held;
  t->lost = t->held ? c->gap - last->gap : 0;
  return impose(w, step->h, approach, t, ahead);
}

ss_error ssi_take_touches(const ssi_world *w, ssi_step *step, int count, ssi_touch **out) {
  *out = SSI_TAKE(&step->work, count, ssi_touch);
  return step->work.failed ? ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", count)
                           : SS_OK;
}

ss_error ssi_detect(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  ss_contacts found;
  SS_TRY(ssi_find_contacts(w, s, false, step, &found));
  SS_TRY(ssi_take_touches(w, step, found.count, &step->touch));
  step->touch_count = 0;
  step->penetration = 0;
  int at = 0;
  bool scouting = w->scene->stepping.drift == SS_DRIFT_GAP && !w->nl;
  for (int i = 0; i < found.count; i++) {
    ssi_touch *t = step->touch + step->touch_count;
    const ss_contact *c = found.contact + i;
    double ahead;
    const ssi_remembered *last = ssi_memory_find(&s->memory, c, &at);
    t->far = !ssi_touch_make(w, s, step, c, last, step->v_free, t, &ahead);
    step->penetration = fmax(step->penetration, -c->gap);
    step->touch_count += !t->far || scouting;
  }
  return SS_OK;
}

bool ssi_outran(const ssi_world *w, const ssi_state *s, const ssi_step *step) {
  for (int i = 0; i < w->nb; i++)
    if (step->h * fastest(w, s, step, i, true) > step->collider[i].reach + w->length.near / 2)
      return true;
  return false;
}
