// Joints within one step. Positions obey them at its end, velocities too, and neither gives energy.
//
// The velocity that moves the bodies, v_m, is that which the joints bind: with the rows G of joint_rows.c from the poses
// at the beginning to those at the end, (1) there, Phi_1 = 0 is
//
//   G^T v_m + given + Phi_0/h = 0,    v_m = theta v~_1 + (1 - theta) v~_0                          (1)
//
// and, M (v~_1 - v~_0) being the impulses h F + G l (and gyroscopic ones, normal to v_m), the energy changes by
//
//   (v~_1 + v~_0)/2 . M (v~_1 - v~_0) - h F . v_m = -(theta - 1/2) |v~_1 - v~_0|_M^2               (2)
//
// since l does no work on v_m: none at all for theta = 1/2, and never a gain. With v~ = v and theta = 1/2 alone, (1)
// turns a velocity against the joints into its opposite in each step, for ever, and the multipliers with it. So
// v~ are the velocities with kicks, which go along the joints' directions where they act,
//
//   v~_0 = v_0 + sigma M^-1 G_0 k,   v~_1 = v_1 + M^-1 G_1 k,   G_1^T v_1 + given_1 = 0            (3)
//
// with G_0, G_1 the derivatives at both ends; the last equation, as G_0^T v_0 + given_0 = 0 does for v_0, makes v_1
// normal to its kick. sigma |G_0 k| = rho |G_1 k|, rho = (1 - theta)/theta, in the metric of M^-1: what the first kick
// adds to the energy the second takes, for theta = 1/2, where the step is symmetric in time, and takes more for
// larger theta. sigma is at most 2 rho. k is O(h^2). For theta = 1 there is no first kick, and the second
// is the projection of v~_1 on the joints' velocities.
//
// (1) to (3) are solved by passes: poses at the end, rows, gyroscopic impulses and kicks from the last answer, then
// the problem of the step with them. A pass changes the velocities by O(h) of what the last one did; Anderson's
// method (la/anderson.h) makes that faster, and has it converge where h is large.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"

// theta is for contacts, and for motors, which may be stiff: what is joined together and has none moves with 1/2. At a
// limit it is 1: what is bound there is the velocity that moves the bodies (drive.c). The rows of a joint have it from their
// body, and all bodies of a group the same.
static void set_theta(const ssi_world *w, ssi_step *step) {
  ssi_hold *hold = &step->hold;
  for (int i = 0; i < w->nb; i++) hold->touched[i] = hold->stopped[i] = false;
  for (int i = 0; i < step->touch_count; i++) {
    const ss_contact *c = &step->touch[i].c;
    if (w->body[c->a].group >= 0) hold->touched[w->body[c->a].group] = true;
    if (c->b < w->nb && w->body[c->b].group >= 0) hold->touched[w->body[c->b].group] = true;
  }
  for (int k = 0; k < w->drive_count; k++) {
    if (!step->drives.pull[k].in) continue;
    int group = w->body[w->joint[w->drive[k].joint].a].group;
    *(w->drive[k].kind == SSI_MOTOR ? hold->touched + group : hold->stopped + group) = true;
  }
  for (int i = 0; i < w->nb; i++) {
    int group = w->body[i].group;
    hold->theta[i] = group < 0 || hold->touched[group] ? w->scene->stepping.theta : 0.5;
    if (group >= 0 && hold->stopped[group]) hold->theta[i] = 1;
  }
}

static double theta_of_row(const ssi_hold *hold, const ssi_simjoint *j) {
  return hold->theta[j->a];
}

static double ratio(double theta) {
  return (1 - theta) / theta;
}

// out = M^-1 G l
static void push(const ssi_world *w, const ss_sparse *G, const double *l, double *out) {
  for (int k = 0; k < w->ndof; k++) {
    double sum = 0;
    for (int64_t i = G->ptr[k]; i < G->ptr[k + 1]; i++) sum += G->x[i] * l[G->col[i]];
    out[k] = sum / w->mass[k];
  }
}

// The kicks of (3) where they act, the first as strong in each group as the second.
static void set_kicks(const ssi_world *w, ssi_hold *hold) {
  const double strongest = 2;
  push(w, &hold->begin.G, hold->kick, hold->first);
  push(w, &hold->end.G, hold->kick, hold->second);
  for (int i = 0; i < w->nb; i++) hold->energy[i][0] = hold->energy[i][1] = 0;
  for (int k = 0; k < w->ndof; k++) {
    int group = w->body[k / w->per_body].group;
    if (group < 0) continue;
    hold->energy[group][0] += w->mass[k] * hold->first[k] * hold->first[k];
    hold->energy[group][1] += w->mass[k] * hold->second[k] * hold->second[k];
  }
  for (int i = 0; i < w->nb; i++) {
    int group = w->body[i].group;
    if (group < 0) continue;
    const double *e = hold->energy[group];
    hold->sigma[i] = ratio(hold->theta[i]) * (e[0] > 0 ? fmin(strongest, sqrt(e[1] / e[0])) : 1);
    for (int k = i * w->per_body; k < (i + 1) * w->per_body; k++) hold->first[k] *= hold->sigma[i];
  }
}

static double norm2(const ssi_world *w, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < w->ndof; k++) sum += w->mass[k] * (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

// The unknowns of the passes are v~_1, which the poses at the end follow from, and k, in the metric of the masses: |v|_M and |M^-1 G_0 k|_M row by row.
bool ssi_hold_create(const ssi_world *w, ssi_arena *a, ssi_hold *hold) {
  size_t ndof = (size_t)w->ndof, n = ndof + (size_t)w->nl;
  hold->answer = SSI_TAKE(a, n, double);
  hold->weight = SSI_TAKE(a, n, double);
  hold->next = SSI_TAKE(a, w->nl, double);
  hold->scratch = SSI_TAKE(a, 2 * (size_t)w->nl, double);
  hold->first = SSI_TAKE(a, ndof, double);
  hold->second = SSI_TAKE(a, ndof, double);
  hold->theta = SSI_TAKE(a, w->nb, double);
  hold->sigma = SSI_TAKE(a, w->nb, double);
  hold->energy = ssi_arena_take(a, (size_t)w->nb, sizeof *hold->energy);
  hold->touched = SSI_TAKE(a, w->nb, bool);
  hold->stopped = SSI_TAKE(a, w->nb, bool);
  hold->to = SSI_TAKE(a, w->nb, ss_pose);
  if (a->failed) return false;
  hold->kick = hold->answer + ndof;
  return ssi_anderson_create(a, (int64_t)n, SSI_PASS_RULE, hold->weight, &hold->passing);
}

static void set_weights(const ssi_world *w, ssi_hold *hold) {
  const ss_sparse *G = &hold->begin.G;
  double *row = hold->weight + w->ndof;
  memset(row, 0, sizeof(double) * (size_t)w->nl);
  for (int k = 0; k < w->ndof; k++) {
    hold->weight[k] = sqrt(w->mass[k]);
    for (int64_t i = G->ptr[k]; i < G->ptr[k + 1]; i++)
      row[G->col[i]] += G->x[i] * G->x[i] / w->mass[k];
  }
  for (int k = 0; k < w->nl; k++) row[k] = sqrt(row[k]);
}

// The velocities nearest to `from` that the joints of `block` allow, and the impulses that lead there: none where
// only rounding is against it.
static ss_error project(const ssi_world *w, ssi_step *step, const ssi_joint_block *block,
                        const double *from, double *v, double *l) {
  const double rounding = 1e-14;
  double rate2, terms2;
  memcpy(v, from, sizeof(double) * (size_t)w->ndof);
  memset(l, 0, sizeof(double) * (size_t)w->nl);
  ssi_joint_size(w, step, &block->G, block->given, from, &rate2, &terms2);
  if (rate2 <= rounding * rounding * terms2) return SS_OK;
  ss_problem p = {.form = SS_GLOBAL, .dim = w->dim, .ndof = w->ndof, .nl = w->nl};
  double *f = SSI_TAKE(&step->work, w->ndof, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the joints");
  for (int k = 0; k < w->ndof; k++) f[k] = 0.0 - w->mass[k] * from[k];
  p.M = w->M;
  p.G = block->G;
  p.f = f;
  p.b = block->given;
  ss_info info;
  return ssi_solve_aside(w, step, &p, NULL, v, l, &info);
}

// Velocities against the joints, as a scene may begin with or what they are tied to may ask for when it is moved
// at once, end in an impulse at the beginning of the step.
static ss_error obey(const ssi_world *w, ssi_state *s, ssi_step *step) {
  ssi_hold *hold = &step->hold;
  double *v = SSI_TAKE(&step->work, w->ndof, double), *l = SSI_TAKE(&step->work, w->nl, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the joints");
  SS_TRY(project(w, step, &hold->begin, s->v, v, l));
  ssi_balance_comply(w, step, v, l, s);
  memcpy(s->v, v, sizeof(double) * (size_t)w->ndof);
  return SS_OK;
}

ss_error ssi_comply(const ssi_world *w, ssi_state *s, ssi_step *step) {
  ssi_hold *hold = &step->hold;
  size_t size = sizeof(double) * (size_t)w->ndof;
  ssi_span here = {s->pose, s->pose, s->now.time, 0, step->twist, s->now.time};
  SS_TRY(ssi_joint_rows(w, step, &here, &hold->begin));
  SS_TRY(obey(w, s, step));
  hold->passes = 0;
  memset(hold->kick, 0, sizeof(double) * (size_t)w->nl);
  memset(hold->first, 0, size);
  memset(hold->second, 0, size);
  memcpy(hold->answer, s->v, size);
  set_weights(w, hold);
  ssi_anderson_begin(&hold->passing, hold->answer);
  return SS_OK;
}

// Velocities without contacts and joints, but with the kicks.
static void free_motion(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  const ssi_hold *hold = &step->hold;
  for (int i = 0; i < w->nb; i++) {
    if (w->body[i].group < 0 && !(w->element_count && step->flex.bound[i])) continue;
    ssi_accelerate(w, s, step, i);
    if (!w->body[i].isotropic) {
      double spins[3];
      size_t spin = (size_t)i * w->per_body + 3;
      for (size_t k = 0; k < 3; k++)
        spins[k] = hold->answer[spin + k] + s->v[spin + k] + hold->first[spin + k];
      ssi_gyroscopic(w, step, i, spins);
    }
    size_t at = (size_t)i * w->per_body;
    for (size_t k = at; k < at + (size_t)w->per_body; k++)
      step->v_free[k] += step->hold.first[k] - step->hold.second[k];
  }
  for (int k = 0; k < w->ndof; k++) step->f[k] = 0.0 - w->mass[k] * step->v_free[k];
}

static void set_move(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  const ssi_hold *hold = &step->hold;
  for (int k = 0; k < w->ndof; k++) {
    double theta = hold->theta[k / w->per_body];
    step->v_move[k] = theta * hold->answer[k] + (1 - theta) * (s->v[k] + hold->first[k]);
  }
}

// b of (1) as an equation for v_1.
static void set_aim(const ssi_world *w, const ssi_state *s, const ssi_step *step, double *b) {
  const ssi_hold *hold = &step->hold;
  const ss_sparse *G = &hold->mean.G;
  for (int j = 0; j < w->nj; j++)
    for (int k = w->joint[j].row; k < w->joint[j].row + w->joint[j].rows; k++)
      b[k] = (hold->mean.given[k] + hold->rate * hold->mean.error[k]) /
             theta_of_row(hold, w->joint + j);
  for (int k = 0; k < w->ndof; k++) {
    double rho = ratio(hold->theta[k / w->per_body]);
    double v = rho * (s->v[k] + hold->first[k]) + hold->second[k];
    for (int64_t i = G->ptr[k]; i < G->ptr[k + 1]; i++) b[G->col[i]] += G->x[i] * v;
  }
}

ss_error ssi_hold_aim(const ssi_world *w, const ssi_state *s, ssi_step *step, double *b) {
  double h = step->h;
  ssi_hold *hold = &step->hold;
  hold->passes++;
  hold->rate = w->scene->stepping.drift == SS_DRIFT_GAP ? 1 / h : 0;
  set_theta(w, step);
  set_move(w, s, step);
  memcpy(hold->to, s->pose, sizeof(ss_pose) * (size_t)w->nb);
  ssi_displace(w, h, step->v_move, hold->to);
  ssi_span across = {s->pose, hold->to, s->now.time, h, NULL, 0};
  ssi_span there = {hold->to, hold->to, s->now.time + h, 0, step->twist, s->now.time};
  SS_TRY(ssi_joint_rows(w, step, &across, &hold->mean));
  SS_TRY(ssi_joint_rows(w, step, &there, &hold->end));
  set_kicks(w, hold);
  free_motion(w, s, step);
  set_aim(w, s, step, b);
  if (!w->element_count) return SS_OK;
  double *v = SSI_TAKE(&step->work, w->nall, double);  // v_1, which the elements are linear about
  if (!v) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the joints");
  for (int k = 0; k < w->ndof; k++) v[k] = hold->answer[k] - hold->second[k];
  memcpy(step->flex.theta, hold->theta, sizeof(double) * (size_t)w->nb);
  return ssi_flex_aim(w, s, v, step);
}

ss_error ssi_hold_follow(const ssi_world *w, const ssi_state *s, ssi_step *step, double *change) {
  ssi_hold *hold = &step->hold;
  double *v = SSI_TAKE(&step->work, w->ndof, double), *l = SSI_TAKE(&step->work, w->nl, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the joints");
  SS_TRY(project(w, step, &hold->end, step->v_new, v, l));
  double all = 0;
  for (int k = 0; k < w->ndof; k++)
    all += w->mass[k] * (s->v[k] * s->v[k] + step->v_new[k] * step->v_new[k] +
                         step->v_free[k] * step->v_free[k]);
  double moved = norm2(w, step->v_new, v);
  for (int k = 0; k < w->ndof; k++) {
    double now = step->v_new[k] + hold->second[k], change_k = now - hold->answer[k];
    moved += w->mass[k] * change_k * change_k;
    hold->answer[k] = now;
  }
  *change = all > 0 ? sqrt(moved / all) : 0;
  memcpy(hold->next, l, sizeof(double) * (size_t)w->nl);
  set_move(w, s, step);
  return SS_OK;
}

void ssi_hold_kick(const ssi_world *w, ssi_hold *hold) {
  for (int j = 0; j < w->nj; j++) {
    double rho = ratio(theta_of_row(hold, w->joint + j));
    for (int k = w->joint[j].row; k < w->joint[j].row + w->joint[j].rows; k++)
      hold->kick[k] -= hold->next[k] / (1 + rho * rho);
  }
  ssi_anderson_next(&hold->passing, hold->answer);
  set_kicks(w, hold);
}

void ssi_hold_again(ssi_hold *hold) {
  hold->passes = 0;
  ssi_anderson_begin(&hold->passing, hold->answer);
}

double ssi_hold_impulse(const ssi_step *step, const ssi_simjoint *j, int k) {
  return step->l[j->row + k] + (step->hold.sigma[j->a] - 1) * step->hold.kick[j->row + k];
}
