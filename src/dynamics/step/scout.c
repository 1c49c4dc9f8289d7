// Which contacts only reactions close. A bead that is hit runs into the next one, which bounces into
// the next: solving, adding what the answer closes and solving again takes as many solves as the blow
// has stations. So first a rough answer (solvers/impulses.h) with all contacts within reach, far ones too;
// those of them that have a reaction are taken in, and may bounce, which may push others. Where its
// velocities take a body farther than contacts were looked for, they are looked for again. What it gets wrong
// costs a contact that stays open, or one more round after the solve (ssi_extend); the answer of the step
// is never this one, but begins with it.
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "dynamics/step/step.h"
#include "solvers/impulses.h"

// Sweeps go on until one changes the velocities at contacts by less than this part of |q|, q = H v_free + w.
static const double ROUGH = 2e-2;
enum {
  SWEEPS = 200,  // of one rough answer: a blow that has not arrived by then is left to ssi_extend
  ROUNDS = 20    // of looking for contacts again: each has bodies that outran the last one's search
};

// The square of |q| over what is not far; k->v is v_free.
static double size_of_q(const ssi_world *w, const ssi_step *step, const ssi_impulses *k) {
  double sum = 0;
  for (int i = 0; i < step->touch_count; i++)
    for (int d = 0; d < w->dim && !step->touch[i].far; d++) {
      double q = ssi_impulses_velocity(k, i, d);
      sum += q * q;
    }
  return sum;
}

// Far contacts that push are far no longer; how many.
static int take_in(const ssi_world *w, ssi_step *step, ssi_impulses *k) {
  int count = 0;
  for (int i = 0; i < step->touch_count; i++) {
    ssi_touch *t = step->touch + i;
    if (!t->far || !(k->r[(size_t)i * w->dim] > 0)) continue;
    ssi_touch_bound(w, step->h, true, t);
    ssi_impulses_set_normal(k, i, t->w[0] + ssi_touch_term(t));
    t->far = false;
    count++;
  }
  return count;
}

// Nearly closed: the answer may be a little different.
static void keep_near(const ssi_world *w, ssi_step *step, const ssi_impulses *k) {
  for (int i = 0; i < step->touch_count; i++) {
    ssi_touch *t = step->touch + i;
    t->far = t->far && step->h * ssi_impulses_velocity(k, i, 0) > w->length.spare;
  }
}

// v_new and r; *sweeps: what it took.
static ss_error rough_answer(const ssi_world *w, const ssi_state *s, ssi_step *step, int *sweeps) {
  ssi_impulses k;
  SS_TRY(ssi_assemble(w, s, step));
  step->problem.M = w->M;  // rough: elements do not yield to reactions
  ssi_recall(w, s, step, step->r);
  if (!ssi_impulses_begin(&step->work, &step->problem, step->v_free, step->r, &k))
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", step->touch_count);
  double enough = ROUGH * ROUGH * size_of_q(w, step, &k), moved;
  ssi_impulses_apply(&k);
  do moved = ssi_impulses_sweep(&k);
  while (++*sweeps < SWEEPS && (moved > enough || take_in(w, step, &k)));
  take_in(w, step, &k);
  keep_near(w, step, &k);
  memcpy(step->v_new, k.v, sizeof(double) * (size_t)w->ndof);
  return SS_OK;
}

static void drop_far(ssi_step *step) {
  int count = 0;
  for (int i = 0; i < step->touch_count; i++)
    if (!step->touch[i].far) step->touch[count++] = step->touch[i];
  step->touch_count = count;
}

ss_error ssi_scout(const ssi_world *w, ssi_state *s, ssi_step *step, ss_step_info *info) {
  if (!step->touch_count || w->nl || w->scene->stepping.drift != SS_DRIFT_GAP) return SS_OK;
  double start = ssi_now_s();
  for (int round = 0, added = 1; added && round < ROUNDS; round++) {
    int sweeps = 0;
    SS_TRY(rough_answer(w, s, step, &sweeps));
    info->sweeps += sweeps;
    // after one sweep the guess was good enough: it may be better than what is here
    if (sweeps > 1) SS_TRY(ssi_remember(w, step, false, s));
    if (!ssi_outran(w, s, step)) break;
    SS_TRY(ssi_extend(w, s, step, &added));
  }
  drop_far(step);
  info->time_solve_s += ssi_now_s() - start;
  return SS_OK;
}
