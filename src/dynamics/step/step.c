// One step, or a part of one, in its phases: place, comply, predict, detect, scout, assemble, solve, extend,
// balance, move. A part that is not solved leaves the state as it was, but for the memory of reactions.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "dynamics/quaternion.h"
#include "dynamics/step/step.h"

void ssi_turn(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  for (int i = 0; i < w->nb; i++) ss_rotation(s->pose[i].q, step->rotation + 9 * (size_t)i);
}

void ssi_place(const ssi_world *w, const ssi_state *s, double h, ssi_step *step) {
  step->h = h;
  ssi_turn(w, s, step);
  for (int k = 0; k < w->ne; k++) {
    ssi_imposed_pose(w->external + k, s->now.time, &step->collider[w->nb + k].pose);
    ssi_imposed_twist(w->external + k, s->now.time, h, step->twist + k);
  }
}

// From the state to the contacts of a part of length h.
static ss_error prepare(const ssi_world *w, ssi_state *s, double h, ssi_step *step,
                        ss_step_info *info) {
  ssi_arena_reset(&step->work);
  ssi_place(w, s, h, step);
  step->ahead.passes = 0;
  if (w->nl) SS_TRY(ssi_comply(w, s, step));
  ssi_drive_begin(w, s, step);
  SS_TRY(ssi_predict(w, s, step));
  double begin = ssi_now_s();
  SS_TRY(ssi_detect(w, s, step));
  info->time_detect_s += ssi_now_s() - begin;
  return SS_OK;
}

// ---- the answer -------------------------------------------------------------------------------

// Passes that do not come to an end leave the step unsolved.
static void give_up(double change, double limit, ssi_outcome *out) {
  if (change <= fmax(limit, SSI_PASS_POOR)) return;
  out->solved = false;
  out->apart = change;
  out->info.status = SS_MAX_ITER;
}

// Whether another pass is needed to make the joints hold at the end of the step (hold.c); with contacts they are
// as exact as those.
static ss_error joints_agree(const ssi_world *w, const ssi_state *s, ssi_step *step,
                             ssi_outcome *out, bool *again) {
  double change;
  SS_TRY(ssi_hold_follow(w, s, step, &change));
  double limit = step->problem.nc ? fmax(SSI_PASS_ENOUGH, w->scene->solver.tol) : SSI_PASS_ENOUGH;
  if (w->element_count && step->flex.lost) change = INFINITY;
  if (!ssi_drive_take(w, step)) change = fmax(change, 1);
  *again = change > limit && change < INFINITY && step->hold.passes < SSI_PASSES;
  if (*again) ssi_hold_kick(w, &step->hold);
  if (!*again) give_up(change, limit, out);
  return SS_OK;
}

// Whether another pass is needed to make the forces of elements those of the answer (flex.c).
static ss_error elements_agree(const ssi_world *w, const ssi_state *s, ssi_step *step,
                               ssi_outcome *out, bool *again) {
  double missing;
  SS_TRY(ssi_flex_follow(w, s, step, &missing));
  *again = missing > SSI_PASS_ENOUGH && step->flex.passes < SSI_PASSES && !step->flex.lost;
  if (!*again) give_up(missing, SSI_PASS_ENOUGH, out);
  return SS_OK;
}

// Whether another pass is needed to have the contacts where the answer ends (ahead.c), as exact as the answer. With joints
// their passes are those of the contacts, too.
static ss_error contacts_agree(const ssi_world *w, const ssi_state *s, ssi_step *step,
                               ssi_outcome *out, bool *again) {
  ssi_ahead *ahead = &step->ahead;
  const double *answer = w->nl ? step->hold.answer : step->v_new;
  double change = 0, limit = fmax(SSI_PASS_ENOUGH, w->scene->solver.tol);
  bool first = !ahead->passes;
  if (!first && !w->nl) SS_TRY(ssi_ahead_follow(w, s, step, &change));
  *again = *again || first || (change > limit && ahead->passes < SSI_PASSES);
  if (*again)
    ssi_ahead_next(w, answer, ahead);
  else
    give_up(change, limit, out);
  return SS_OK;
}

static ss_error all_agree(const ssi_world *w, const ssi_state *s, ssi_step *step, ssi_outcome *out,
                          bool *again) {
  *again = false;
  if (w->nl)
    SS_TRY(joints_agree(w, s, step, out, again));
  else if (w->element_count)
    SS_TRY(elements_agree(w, s, step, out, again));
  bool ahead = w->scene->stepping.contact_map == SS_MAP_IMPLICIT && step->touch_count;
  return ahead && out->solved ? contacts_agree(w, s, step, out, again) : SS_OK;
}

static ss_error solve_once(const ssi_world *w, ssi_state *s, ssi_step *step, ss_step_info *info,
                           ssi_outcome *out) {
  SS_TRY(ssi_assemble(w, s, step));
  ssi_recall(w, s, step, step->guess);
  ssi_drive_recall(w, step, step->guess);
  double begin = ssi_now_s();
  SS_TRY(ssi_solve(w, step, out));
  info->time_solve_s += ssi_now_s() - begin;
  info->solves += out->info.inner_solves ? out->info.inner_solves : out->info.checks > 0;
  info->iterations += out->info.iterations;
  return out->solved ? ssi_remember(w, step, false, s) : SS_OK;
}

// Solves, looks for contacts that the answer closes and that were not in the problem, and for limits of joints that it
// is beyond, and solves again, as often as it takes: each round has one of them more at least, and there are only so many.
static ss_error solve_in_rounds(const ssi_world *w, ssi_state *s, ssi_step *step,
                                ss_step_info *info, ssi_outcome *out) {
  SS_TRY(ssi_scout(w, s, step, info));
  for (;;) {
    SS_TRY(solve_once(w, s, step, info, out));
    if (!out->solved) return SS_OK;
    bool again;
    SS_TRY(all_agree(w, s, step, out, &again));
    if (again) continue;
    if (!out->solved) return SS_OK;
    int limits, contacts = 0;
    double begin = ssi_now_s();
    ssi_drive_extend(w, s, step, &limits);
    if (w->scene->stepping.drift == SS_DRIFT_GAP) SS_TRY(ssi_extend(w, s, step, &contacts));
    info->time_detect_s += ssi_now_s() - begin;
    if (!limits && !contacts) return SS_OK;
    if (limits) ssi_hold_again(&step->hold);
    if (step->ahead.passes) step->ahead.passes = 1;  // of another problem
  }
}

// ---- moving -----------------------------------------------------------------------------------

// (2) of stickslip/simulate.h; rotations by cay(h w) in the body's axes.
void ssi_displace(const ssi_world *w, double h, const double *v, ss_pose *pose) {
  for (int i = 0; i < w->nb; i++) {
    double by[6];
    for (int k = 0; k < w->per_body; k++) by[k] = h * v[(size_t)i * w->per_body + k];
    for (int k = 0; k < w->dim; k++) pose[i].x[k] += by[k];
    double turn[3] = {0, 0, by[2]};
    ssi_quat_cayley(pose[i].q, w->dim == 2 ? turn : by + 3);
  }
}

static bool all_finite(const ssi_world *w, const double *v) {
  for (int k = 0; k < w->ndof; k++)
    if (!isfinite(v[k])) return false;
  return true;
}

static void set_move(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  double theta = w->scene->stepping.theta;
  for (int k = 0; k < w->ndof; k++)
    step->v_move[k] = theta * step->v_new[k] + (1 - theta) * s->v[k];
}

// The state at the end of the part.
static ss_error move(const ssi_world *w, const ssi_step *step, ssi_state *s) {
  ssi_displace(w, step->h, step->v_move, s->pose);
  memcpy(s->v, step->v_new, sizeof(double) * (size_t)w->ndof);
  s->now.time += step->h;
  ssi_drive_move(w, step, s);
  if (w->angle_count) ssi_flex_wind(w, &step->flex, s->angle);
  return ssi_remember(w, step, true, s);
}

static ss_error advance(const ssi_world *w, ssi_state *s, ssi_step *step, ssi_view *view) {
  if (!all_finite(w, step->v_new))
    return ssi_fail(w->ctx, SS_ERR_DATA, "a velocity is not finite after step %lld, t = %g",
                    (long long)s->now.step + 1, s->now.time + step->h);
  if (!w->nl) set_move(w, s, step);  // with joints it is known already
  if (w->element_count) ssi_flex_settle(w, s, step);
  ssi_balance(w, step, s);
  ssi_drive_balance(w, step, s);
  if (w->nl) ssi_joint_impulses(w, s, step, view->joint_impulse);
  ssi_view_elements(w, &step->flex, view);
  SS_TRY(ssi_view_contacts(w, step, view));
  ssi_coordinates_follow(w, step, s);
  SS_TRY(move(w, step, s));
  if (w->scene->stepping.drift == SS_DRIFT_PROJECTION) SS_TRY(ssi_push_out(w, s, step));
  ssi_coordinates_settle(w, s);
  ssi_balance_end(w, s);
  return SS_OK;
}

// ---- a part -----------------------------------------------------------------------------------

static void account(const ssi_world *w, const ssi_step *step, const ssi_outcome *out,
                    ss_step_info *info) {
  info->h = fmin(info->h, step->h);
  info->contacts = step->touch_count;
  info->active = 0;
  for (int i = 0; i < step->touch_count; i++) info->active += step->r[(size_t)i * w->dim] > 0;
  info->status = out->solved ? SS_SOLVED : out->info.status;
  info->apart = out->apart;
  info->error = fmax(info->error, out->error);
  info->rounded += out->rounded;
  info->penetration = fmax(info->penetration, step->penetration);
}

ss_error ssi_step_part(const ssi_world *w, ssi_state *s, double h, ssi_step *step, ssi_view *view,
                       ss_step_info *info, bool *done) {
  ssi_outcome out = {0};
  view->contact_count = 0;
  SS_TRY(prepare(w, s, h, step, info));
  SS_TRY(solve_in_rounds(w, s, step, info, &out));
  account(w, step, &out, info);
  bool accepted = !out.solved && out.info.status == SS_ACCEPTED && !(out.apart > 0);
  *done = out.solved || accepted || w->scene->stepping.unsolved == SS_UNSOLVED_GO;
  if (!*done) return SS_OK;
  info->parts++;
  info->unsolved += !out.solved && !accepted;
  info->accepted += accepted;
  SS_TRY(advance(w, s, step, view));
  if (!out.solved && !accepted) ssi_forget_impulses(&s->memory);
  return SS_OK;
}

ss_error ssi_step_first(const ssi_world *w, ssi_state *s, double h, ssi_step *step,
                        ss_step_info *info) {
  SS_TRY(prepare(w, s, h, step, info));
  return ssi_start(w, s, step);
}
