// Which contacts only reactions close. A bead that is hit runs into the next one, which bounces into
// the next: solving, adding what the answer closes and solving again takes as many solves as the blow
// has stations. So first a rough answer with all contacts within reach, far ones too; those of them
// that have a reaction are taken in, and may bounce, which may push others. Where its velocities take
// a body farther than contacts were looked for, they are looked for again. What it gets wrong costs a
// contact that stays open, or one more round after the solve (ssi_sim_extend); the answer of the step
// is never this one, but begins with it.
//
// Gauss-Seidel sweeps over contacts, without the Delassus matrix: v = v_free + M^-1 H^T r is kept, and
// with W_N = (H M^-1 H^T)_NN, W_T the larger of the tangential ones (for spheres and disks that block
// is diagonal, and this is the answer of the one contact)
//
//   r_N <- max(0, r_N - u_N / W_N),     r_T <- projection of r_T - u_T / W_T on |r_T| <= mu r_N
//
// until a sweep changes the velocities at contacts by less than a small part of |q|, q = H v_free + w.
// An open contact costs one row of H.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "dynamics/step/sim.h"

static const double ROUGH = 2e-2;
enum { SWEEPS = 200, ROUNDS = 20 };

typedef struct station {  // what a sweep needs of one contact, close together
  const double *x;        // H: per row one block of per_body numbers for each body
  int place[2], bodies;   // where each body is in v
  double w[3], mu;
  double stiffness[2];  // W_N and W_T
} station;

typedef struct scout {
  ss_simulation *s;
  double h;
  station *station;     //                                                  (contacts)
  double *v, *inverse;  // velocities, 1/mass                               (ndof)
} scout;

// Loops of known length are worth the two lines.
static inline double times(int width, const double *x, const double *y) {
  double sum = 0;
  for (int j = 0; j < width; j++) sum += x[j] * y[j];
  return sum;
}

static inline void add(int width, double scale, const double *x, const double *weight, double *to) {
  for (int j = 0; j < width; j++) to[j] += scale * x[j] * weight[j];
}

static double row_times(const scout *k, const station *c, int d, const double *v) {
  int width = k->s->per_body;
  double sum = 0;
  for (int n = 0; n < c->bodies; n++) {
    const double *x = c->x + (d * c->bodies + n) * width, *at = v + c->place[n];
    sum += width == 6 ? times(6, x, at) : times(3, x, at);
  }
  return sum;
}

static void push(const scout *k, const station *c, const double *impulse) {
  int width = k->s->per_body;
  for (int n = 0; n < c->bodies; n++) {
    const double *inverse = k->inverse + c->place[n];
    double *at = k->v + c->place[n];
    for (int d = 0; d < k->s->dim; d++) {
      const double *x = c->x + (d * c->bodies + n) * width;
      if (width == 6)
        add(6, impulse[d], x, inverse, at);
      else
        add(3, impulse[d], x, inverse, at);
    }
  }
}

// One contact; by how much its relative velocity changes, squared.
static double relax(scout *k, int i) {
  const station *c = k->station + i;
  int dim = k->s->dim;
  double *r = k->s->r + (size_t)i * dim, u = row_times(k, c, 0, k->v) + c->w[0];
  if (r[0] == 0 && u >= 0) return 0;
  double next[3] = {fmax(0, r[0] - u / c->stiffness[0])}, change[3], length = 0, moved = 0;
  for (int d = 1; d < dim; d++) {
    next[d] = r[d] - (row_times(k, c, d, k->v) + c->w[d]) / c->stiffness[1];
    length += next[d] * next[d];
  }
  double limit = c->mu * next[0];
  if (length > limit * limit) {
    double scale = limit / sqrt(length);
    for (int d = 1; d < dim; d++) next[d] *= scale;
  }
  for (int d = 0; d < dim; d++) {
    change[d] = next[d] - r[d];
    r[d] = next[d];
    moved += c->stiffness[d > 0] * change[d] * c->stiffness[d > 0] * change[d];
  }
  push(k, c, change);
  return moved;
}

static void set_station(const scout *k, const ssi_touch *t, const double *x, station *c) {
  const ss_simulation *s = k->s;
  int width = s->per_body;
  *c = (station){.x = x, .mu = t->mu, .bodies = t->c.b < s->nb ? 2 : 1};
  c->place[0] = t->c.a * width;
  if (c->bodies == 2) c->place[1] = t->c.b * width;
  for (int d = 0; d < s->dim; d++) {
    double W = 0;
    for (int n = 0; n < c->bodies; n++)
      for (int j = 0; j < width; j++, x++) W += *x * *x * k->inverse[c->place[n] + j];
    c->stiffness[d > 0] = fmax(c->stiffness[d > 0], W);
    c->w[d] = t->w[d];
  }
  c->w[0] += t->bounce + t->drift;
}

// Velocities with the guess, and the square of |q| over what is not far.
static ss_error begin(scout *k, double *q2) {
  ss_simulation *s = k->s;
  ss_sparse H;
  SS_TRY(ssi_sim_contact_rows(s, s->touch, s->touch_count, &H));
  k->v = SSI_TAKE(&s->work, s->ndof, double);
  k->inverse = SSI_TAKE(&s->work, s->ndof, double);
  k->station = SSI_TAKE(&s->work, s->touch_count, station);
  s->r = SSI_TAKE(&s->work, (size_t)s->touch_count * (size_t)s->dim, double);
  if (s->work.failed)
    return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", s->touch_count);
  ssi_sim_recall(s, k->h, s->r);
  for (int j = 0; j < s->ndof; j++) {
    k->v[j] = s->v_free[j];
    k->inverse[j] = 1 / s->mass[j];
  }
  for (int i = 0; i < s->touch_count; i++) {
    station *c = k->station + i;
    const double *r = s->r + (size_t)i * s->dim;
    set_station(k, s->touch + i, H.x + H.ptr[(size_t)i * s->dim], c);
    for (int d = 0; d < s->dim && !s->touch[i].far; d++) {
      double q = row_times(k, c, d, s->v_free) + c->w[d];
      *q2 += q * q;
    }
    if (r[0] > 0) push(k, c, r);
  }
  return SS_OK;
}

static int take_in(scout *k) {
  int count = 0;
  for (int i = 0; i < k->s->touch_count; i++) {
    ssi_touch *t = k->s->touch + i;
    if (!t->far || !(k->s->r[(size_t)i * k->s->dim] > 0)) continue;
    ssi_sim_bound(k->s, k->h, true, t);
    k->station[i].w[0] = t->w[0] + t->bounce + t->drift;
    t->far = false;
    count++;
  }
  return count;
}

// Nearly closed: the answer may be a little different.
static void keep_near(scout *k) {
  for (int i = 0; i < k->s->touch_count; i++) {
    ssi_touch *t = k->s->touch + i;
    if (!t->far) continue;
    double u = row_times(k, k->station + i, 0, k->v) + k->station[i].w[0];
    t->far = k->h * u > k->s->spare;
  }
}

static ss_error sweep(scout *k, int *sweeps) {
  double q2 = 0, moved;
  SS_TRY(begin(k, &q2));
  do {
    moved = 0;
    for (int i = 0; i < k->s->touch_count; i++) moved += relax(k, i);
  } while (++*sweeps < SWEEPS && (moved > ROUGH * ROUGH * q2 || take_in(k)));
  take_in(k);
  keep_near(k);
  // after one sweep the guess was good enough: it may be better than what is here
  return *sweeps > 1 ? ssi_sim_remember(k->s, k->h, false) : SS_OK;
}

static void drop_far(ss_simulation *s) {
  int count = 0;
  for (int i = 0; i < s->touch_count; i++)
    if (!s->touch[i].far) s->touch[count++] = s->touch[i];
  s->touch_count = count;
  s->far_count = 0;
}

// One rough answer; its velocities are v_new.
static ss_error rough_answer(ss_simulation *s, double h, int *sweeps) {
  ssi_arena work = s->work;  // with the contacts in it
  s->work = (ssi_arena){.ctx = s->ctx};
  scout k = {.s = s, .h = h};
  ss_error e = sweep(&k, sweeps);
  if (!e) memcpy(s->v_new, k.v, sizeof(double) * (size_t)s->ndof);
  ssi_arena_release(&s->work);
  s->work = work;
  s->r = NULL;
  return e;
}

ss_error ssi_sim_scout(ss_simulation *s, double h, ss_step_info *info) {
  if (!s->touch_count || s->nl || s->scene->stepping.drift != SS_DRIFT_GAP) return SS_OK;
  double start = ssi_now_s();
  for (int round = 0, added = 1; added && round < ROUNDS; round++) {
    int sweeps = 0;
    SS_TRY(rough_answer(s, h, &sweeps));
    info->sweeps += sweeps;
    if (!ssi_sim_outran(s, h)) break;
    SS_TRY(ssi_sim_extend(s, h, &added));
  }
  drop_far(s);
  info->time_solve_s += ssi_now_s() - start;
  return SS_OK;
}
