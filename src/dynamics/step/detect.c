// The contacts of one step: which are kept, and what is imposed on each.
//
// u_N is bounded below: with e Newton's restitution coefficient, u^- = H v_k + w, g the gap,
//
//   drift "gap":   u_N + min( g/h, e u_N^- where the gap would close ) >= 0: a gap may close and not more,
//                  a bounce opens the contact. A gap up to `closed` counts as none: the term is 0.
//                  For g < 0: 0, or recovery (g + allowed)/h below -allowed.
//                  At walls that bend or turn towards the body, bend/h is added (bend.c)
//   otherwise:     u_N + e u_N^- >= 0 where the gap closes in half a step with u^- or without
//                  reactions (Moreau's prediction; what rests is then not let fall for a step), or where the
//                  contact pushed in the last step: its gap is then the scheme's own
//
// and the problem's w_N is the imposed velocity plus that term (000 (17) has neither). e u_N^- only
// counts where u_N^- < -h |gravity|: contacts that open need no further push, and one that comes no faster than what
// falls for one step has no impact that a step could tell from resting.
//
// With "gap", contacts that are near or would close without reactions come first. Reactions may push
// bodies elsewhere: those that are within reach are `far`, and a rough answer tells which of them are needed
// (scout.c). After the solve the contacts that close and are still not there are added, and it is
// solved again (ssi_sim_extend), so that in the end no contact is missed, however far bodies move in a step.
//
// Why small overlaps and slow impacts are left alone: with friction a pile holds stresses of its own, r in K
// with H^T r = 0, and w_N < 0 on such contacts makes w . r < 0: criterion (A) fails and the problem may have
// no solution. Why small gaps are: contacts of a pile that touched before are a little open, each by another
// amount (bodies move along tangents, so that gaps of spheres grow by (h u_T)^2 over twice the diameter). With
// w_N = g/h > 0, however little, bodies that rest cannot keep all of these contacts: r has to leave the kernel of
// H^T until those that are too many have opened, a long way for any solver. With w_N = 0 it may stay.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/sim.h"
#include "dynamics/vec3.h"
#include "problem/rigid.h"

void ssi_sim_spin(const ss_simulation *s, int body, const double *v, double w[3]) {
  const double *x = v + (size_t)body * s->per_body;
  if (s->dim == 2)
    ssi_set3(0, 0, x[2], w);
  else
    ssi_rotate3(s->rotation + 9 * (size_t)body, x + 3, w);
}

// Velocity of the point p of a body that moves with v.
void ssi_sim_point_velocity(const ss_simulation *s, int body, const double *v, const double p[3],
                            double out[3]) {
  const double *x = v + (size_t)body * s->per_body;
  double w[3], arm[3], turn[3];
  ssi_sim_spin(s, body, v, w);
  ssi_sub3(p, s->pose[body].x, arm);
  ssi_cross3(w, arm, turn);
  for (int k = 0; k < 3; k++) out[k] = (k < s->dim ? x[k] : 0) + turn[k];
}

// How fast any point of a body moves, before the step, without reactions, or with them.
static double fastest(const ss_simulation *s, int i, bool solved) {
  const double *const all[3] = {s->v, s->v_free, s->v_new};
  double most = 0;
  for (int k = 0; k < (solved ? 3 : 2); k++) {
    const double *x = all[k] + (size_t)i * s->per_body;
    double v[3] = {x[0], x[1], s->dim == 3 ? x[2] : 0}, w[3] = {0, 0, x[2]};
    if (s->dim == 3) ssi_copy3(x + 3, w);
    most = fmax(most, ssi_norm3(v) + ssi_norm3(w) * s->body[i].extent);
  }
  return most;
}

// An external object's points near bodies move at most this fast.
static double external_speed(const ss_simulation *s, int k) {
  const ssi_twist *w = s->twist + k;
  double spin = ssi_norm3(w->a), arm = 0;
  if (!(spin > 0)) return ssi_norm3(w->v);
  const ss_shape *shape = s->scene->externals[k].shape;
  if (ss_shape_is_bounded(shape)) {
    arm = ss_shape_extent(shape) + ssi_distance3(s->collider[s->nb + k].pose.x, w->c);
  } else {
    for (int i = 0; i < s->nb; i++)
      arm = fmax(arm, ssi_distance3(s->pose[i].x, w->c) + s->body[i].extent);
  }
  return ssi_norm3(w->v) + spin * arm;
}

static void place(ss_simulation *s, double h, bool solved) {
  for (int i = 0; i < s->nb; i++) {
    s->collider[i].pose = s->pose[i];
    s->collider[i].reach = h * fastest(s, i, solved);
  }
  for (int k = 0; k < s->ne; k++) s->collider[s->nb + k].reach = h * external_speed(s, k);
}

static ssi_law law_of(const ss_simulation *s, int a, int b) {
  int ma = s->body[a].material;
  int mb = b < s->nb ? s->body[b].material : s->scene->externals[b - s->nb].material;
  return s->law[(size_t)ma * (size_t)s->scene->material_count + (size_t)mb];
}

static double dot(int dim, const double a[3], const double b[3]) {
  double sum = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? sum + a[2] * b[2] : sum;
}

// Fills t but for the gap terms; *approach: u_N with the velocities `ahead`.
static void describe(const ss_simulation *s, const ss_contact *c, double h, const double *ahead,
                     ssi_touch *t, double *approach) {
  ssi_law law = law_of(s, c->a, c->b);
  *t = (ssi_touch){.c = *c, .mu = law.mu, .restitution = law.restitution};
  ssi_contact_frame(s->dim, c->normal, t->e);
  double va[3], vb[3], fa[3], fb[3], imposed[3] = {0}, u[3];
  ssi_sim_point_velocity(s, c->a, s->v, c->point, va);
  ssi_sim_point_velocity(s, c->a, ahead, c->point, fa);
  if (c->b < s->nb) {
    ssi_sim_point_velocity(s, c->b, s->v, c->point, vb);
    ssi_sim_point_velocity(s, c->b, ahead, c->point, fb);
  } else {
    ssi_twist_at(s->twist + (c->b - s->nb), c->point, imposed);
    ssi_copy3(imposed, vb);
    ssi_copy3(imposed, fb);
  }
  ssi_sub3(va, vb, u);
  for (int k = 0; k < s->dim; k++) {
    t->u0[k] = dot(s->dim, t->e[k], u);
    t->w[k] = 0.0 - dot(s->dim, t->e[k], imposed);
  }
  ssi_sub3(fa, fb, u);
  *approach = dot(s->dim, t->e[0], u);
  if (s->scene->stepping.drift == SS_DRIFT_GAP)
    t->bend = fmin(ssi_sim_bend(s, c, s->v, h), ssi_sim_bend(s, c, ahead, h));
}

// What one whole step of falling gains: the parts of a halved step have the same thresholds, or they would find
// open what the steps before left as closed.
static double fall(const ss_simulation *s) {
  return s->scene->stepping.step * ssi_norm3(s->scene->gravity);
}

// Gaps that gravity closes in less than half a step, from rest (0.1 h^2 |gravity| = (0.45 h)^2 |gravity|/2), and at
// most 1 % of the smallest radius.
double ssi_sim_closed_below(const ss_simulation *s) {
  return fmin(10 * s->allowed, 0.1 * s->scene->stepping.step * fall(s));
}

// e u_N^- of an impact, else 0.
static double rebound(const ss_simulation *s, const ssi_touch *t) {
  return t->u0[0] < -fall(s) ? t->restitution * t->u0[0] : 0;
}

// What of its gap a contact may close in this step. One that pushed in the last step had u_N = 0 to first order:
// its gap is what bodies that turn or curve lose of second order, h^2 c/2 in every step. Taking that back all at
// once whenever it passes a threshold makes u_N jump by O(h), and the force by O(1), for any h. With x = g - closed
//   x^2 / (x + X),   X = 1 % of the smallest radius,
// the gap settles where this is h^2 c/2, at x = h sqrt(X c/2) or, for large steps, h^2 c/2 + X; until then u_N
// changes per step by no more than 2 (x/X) h c/2 = O(h^2), and the force is right to O(h). It is no more than twice
// what the last step lost, h^2 c/2, and so nothing where bodies rest: a pile's problem is far harder with w_N > 0.
static double closing(const ss_simulation *s, const ssi_touch *t, double closed) {
  const double unseen = 1e-3;  // of `closed`: accelerations below 2e-4 gravity
  double g = t->c.gap, x = g - closed, soft = 10 * s->allowed;
  if (!t->held) return g;
  return x > 0 ? fmin(x * x / (x + soft), 2 * fmax(0, t->lost - unseen * closed)) : 0;
}

// Newton's restitution or the gap term, whichever asks for more.
void ssi_sim_bound(const ss_simulation *s, double h, bool closes, ssi_touch *t) {
  double g = t->c.gap, over = g + s->allowed, closed = ssi_sim_closed_below(s),
         coming = rebound(s, t);
  double open =
      (g > 0 ? closing(s, t, closed) : fmin(0, s->scene->stepping.recovery * over)) + t->bend;
  if (g <= closed) open = fmin(0, open);
  bool bounces = (closes || g <= closed) && coming < 0 && coming < open / h;
  t->bounce = bounces ? coming : 0;
  t->drift = bounces ? 0 : open / h;
}

// The terms of t, whose gap is `ahead` at the end of the step with the velocities looked at.
static bool impose(const ss_simulation *s, double h, double approach, ssi_touch *t, double *ahead) {
  const ss_stepping *o = &s->scene->stepping;
  double g = t->c.gap, theta = o->theta;
  if (o->drift != SS_DRIFT_GAP) {
    *ahead = g + h / 2 * fmin(t->u0[0], approach);
    t->bounce = rebound(s, t);
    return *ahead <= s->slop || (t->held && g <= s->near);
  }
  *ahead = g + h * (theta * approach + (1 - theta) * t->u0[0]) + t->bend;
  ssi_sim_bound(s, h, *ahead <= 0, t);
  return fmin(*ahead, g) <= s->near;
}

static ss_error take_touches(ss_simulation *s, int count, ssi_touch **out) {
  *out = SSI_TAKE(&s->work, count, ssi_touch);
  return s->work.failed ? ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", count)
                        : SS_OK;
}

int ssi_contact_order(int a, int b, uint64_t key, const ss_contact *c) {
  if (a != c->a) return a < c->a ? -1 : 1;
  if (b != c->b) return b < c->b ? -1 : 1;
  return key < c->key ? -1 : key > c->key;
}

// The reaction of the last step at c, or NULL. Contacts and memory are sorted by bodies and key; *at goes along.
static const ssi_memory *look_up(const ss_simulation *s, const ss_contact *c, int *at) {
  while (*at < s->memory_count) {
    const ssi_memory *m = s->memory + *at;
    int sign = ssi_contact_order(m->a, m->b, m->key, c);
    if (sign >= 0) return sign ? NULL : m;
    ++*at;
  }
  return NULL;
}

ss_error ssi_sim_detect(ss_simulation *s, double h) {
  ss_contacts found;
  place(s, h, false);
  SS_TRY(ss_collide(s->detector, s->collider, s->nb + s->ne, &found));
  SS_TRY(take_touches(s, found.count, &s->touch));
  s->touch_count = s->far_count = 0;
  int at = 0;
  bool scouting = s->scene->stepping.drift == SS_DRIFT_GAP && !s->nl;
  for (int i = 0; i < found.count; i++) {
    ssi_touch *t = s->touch + s->touch_count;
    double approach, ahead;
    describe(s, found.contact + i, h, s->v_free, t, &approach);
    const ssi_memory *last = look_up(s, &t->c, &at);
    t->held = last && last->held;
    t->lost = t->held ? t->c.gap - last->gap : 0;
    s->penetration = fmax(s->penetration, -t->c.gap);
    t->far = !impose(s, h, approach, t, &ahead);
    if (t->far && !scouting) continue;
    s->touch_count++;
    s->far_count += t->far;
  }
  return SS_OK;
}

// Whether v_new takes a body farther than contacts were looked for.
bool ssi_sim_outran(const ss_simulation *s, double h) {
  for (int i = 0; i < s->nb; i++)
    if (h * fastest(s, i, true) > s->collider[i].reach + s->near / 2) return true;
  return false;
}

// Contacts that v_new closes by more than `allowed` and that are not in the list yet; where there are any,
// those that it nearly closes too. Both lists are sorted, and so is the one they make together.
ss_error ssi_sim_extend(ss_simulation *s, double h, int *added) {
  ss_contacts found;
  ssi_touch *old = s->touch, *all;
  int old_count = s->touch_count, at = 0, count = 0;
  bool missed = false;
  place(s, h, true);
  SS_TRY(ss_collide(s->detector, s->collider, s->nb + s->ne, &found));
  SS_TRY(take_touches(s, old_count + found.count, &all));
  for (int i = 0; i < found.count; i++) {
    const ss_contact *c = found.contact + i;
    while (at < old_count && ssi_contact_order(old[at].c.a, old[at].c.b, old[at].c.key, c) < 0)
      all[count++] = old[at++];
    if (at < old_count && ssi_contact_order(old[at].c.a, old[at].c.b, old[at].c.key, c) == 0)
      continue;
    double approach, ahead;
    describe(s, c, h, s->v_new, all + count, &approach);
    (void)impose(s, h, approach, all + count, &ahead);
    missed = missed || ahead < -s->allowed;
    if (ahead <= s->spare) count++;
  }
  while (at < old_count) all[count++] = old[at++];
  *added = missed ? count - old_count : 0;
  if (*added) {
    s->touch = all;
    s->touch_count = count;
  }
  return SS_OK;
}

// ---- warm start -------------------------------------------------------------------------------

// Impulses grow with the step.
void ssi_sim_recall(const ss_simulation *s, double h, double *guess) {
  double scale = s->now.last_h > 0 ? h / s->now.last_h : 0;
  int at = 0;
  for (int i = 0; i < s->touch_count; i++) {
    const ssi_touch *t = s->touch + i;
    double *r = guess + (size_t)i * s->dim;
    const ssi_memory *last = look_up(s, &t->c, &at);
    for (int k = 0; k < s->dim; k++) r[k] = last ? scale * dot(s->dim, t->e[k], last->impulse) : 0;
    if (r[0] < 0) memset(r, 0, sizeof(double) * (size_t)s->dim);
  }
}

ss_error ssi_sim_remember(ss_simulation *s, double h, bool taken) {
  if (s->touch_count > s->memory_capacity) {
    int capacity = s->touch_count + s->touch_count / 2;
    ssi_memory *more = ssi_alloc(s->ctx, (size_t)capacity, sizeof(ssi_memory));
    if (!more) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", capacity);
    ssi_release(s->ctx, s->memory);
    s->memory = more;
    s->memory_capacity = capacity;
  }
  s->memory_count = 0;
  for (int i = 0; i < s->touch_count; i++) {
    const ssi_touch *t = s->touch + i;
    const double *r = s->r + (size_t)i * s->dim;
    if (r[0] == 0) continue;
    ssi_memory *m = s->memory + s->memory_count++;
    *m = (ssi_memory){.a = t->c.a, .b = t->c.b, .key = t->c.key};
    m->held = taken || t->held;
    m->gap = taken ? t->c.gap - h * ssi_touch_term(t) : t->c.gap - t->lost;
    for (int k = 0; k < s->dim; k++) ssi_add3(m->impulse, r[k], t->e[k], m->impulse);
  }
  s->now.last_h = h;
  return SS_OK;
}
