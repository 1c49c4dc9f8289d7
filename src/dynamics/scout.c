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
#include "dynamics/sim.h"

static const double ROUGH = 2e-2;
enum { SWEEPS = 200, ROUNDS = 20 };

typedef struct scout {
  ss_simulation *s;
  double h;
  ss_sparse H;
  double *v, *stiffness;  // (ndof), W_N and W_T                            (2 contacts)
} scout;

static double row_times(const scout *k, int row, const double *v) {
  const ss_sparse *H = &k->H;
  double sum = 0;
  for (int64_t j = H->ptr[row]; j < H->ptr[row + 1]; j++) sum += H->x[j] * v[H->col[j]];
  return sum;
}

static void push(scout *k, int row, double impulse) {
  const ss_sparse *H = &k->H;
  for (int64_t j = H->ptr[row]; j < H->ptr[row + 1]; j++)
    k->v[H->col[j]] += H->x[j] * impulse / k->s->mass[H->col[j]];
}

static double normal_velocity(const scout *k, int i) {
  const ssi_touch *t = k->s->touch + i;
  return row_times(k, i * k->s->dim, k->v) + t->w[0] + t->bounce + t->drift;
}

// One contact; by how much its relative velocity changes, squared.
static double relax(scout *k, int i) {
  const ss_simulation *s = k->s;
  const ssi_touch *t = s->touch + i;
  int dim = s->dim, row = i * dim;
  double *r = s->r + row, u = normal_velocity(k, i), length = 0, try[3], moved;
  if (r[0] == 0 && u >= 0) return 0;
  const double *stiffness = k->stiffness + 2 * (size_t)i;
  double next = fmax(0, r[0] - u / stiffness[0]);
  push(k, row, next - r[0]);
  moved = stiffness[0] * (next - r[0]) * stiffness[0] * (next - r[0]);
  r[0] = next;
  for (int d = 1; d < dim; d++) {
    try[d] = r[d] - (row_times(k, row + d, k->v) + t->w[d]) / stiffness[1];
    length += try[d] * try[d];
  }
  length = sqrt(length);
  double scale = length > t->mu * next ? t->mu * next / length : 1;
  for (int d = 1; d < dim; d++) {
    double change = scale * try[d] - r[d];
    push(k, row + d, change);
    moved += stiffness[1] * change * stiffness[1] * change;
    r[d] += change;
  }
  return moved;
}

// Velocities with the guess, and the square of |q| over what is not far.
static ss_error begin(scout *k, double *q2) {
  ss_simulation *s = k->s;
  size_t count = (size_t)s->touch_count;
  SS_TRY(ssi_sim_contact_rows(s, s->touch, s->touch_count, &k->H));
  k->v = SSI_TAKE(&s->work, s->ndof, double);
  k->stiffness = SSI_TAKE(&s->work, 2 * count, double);
  s->r = SSI_TAKE(&s->work, count * (size_t)s->dim, double);
  if (s->work.failed)
    return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", s->touch_count);
  ssi_sim_recall(s, k->h, s->r);
  memcpy(k->v, s->v_free, sizeof(double) * (size_t)s->ndof);
  for (int i = 0; i < s->touch_count; i++) {
    const ssi_touch *t = s->touch + i;
    for (int d = 0; d < s->dim; d++) {
      int row = i * s->dim + d;
      double q = row_times(k, row, s->v_free) + t->w[d] + (d ? 0 : t->bounce + t->drift), W = 0;
      for (int64_t j = k->H.ptr[row]; j < k->H.ptr[row + 1]; j++)
        W += k->H.x[j] * k->H.x[j] / s->mass[k->H.col[j]];
      double *stiffness = k->stiffness + 2 * (size_t)i + (d > 0);
      *stiffness = fmax(*stiffness, W);
      if (!t->far) *q2 += q * q;
      if (s->r[row] != 0) push(k, row, s->r[row]);
    }
  }
  return SS_OK;
}

static int take_in(scout *k) {
  int count = 0;
  for (int i = 0; i < k->s->touch_count; i++) {
    ssi_touch *t = k->s->touch + i;
    if (!t->far || !(k->s->r[(size_t)i * k->s->dim] > 0)) continue;
    ssi_sim_bound(k->s, k->h, true, t);
    t->far = false;
    count++;
  }
  return count;
}

static ss_error sweep(scout *k, int *sweeps) {
  double q2 = 0, moved;
  SS_TRY(begin(k, &q2));
  do {
    moved = 0;
    for (int i = 0; i < k->s->touch_count; i++) moved += relax(k, i);
  } while (++*sweeps < SWEEPS && (moved > ROUGH * ROUGH * q2 || take_in(k)));
  take_in(k);
  for (int i = 0; i < k->s->touch_count;
       i++)  // nearly closed: the answer may be a little different
    if (k->s->touch[i].far && k->h * normal_velocity(k, i) <= k->s->spare)
      k->s->touch[i].far = false;
  // after one sweep the guess was good enough: it may be better than what is here
  return *sweeps > 1 ? ssi_sim_remember(k->s, k->h) : SS_OK;
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
