// Joints within one step. Positions obey them at its end, velocities too, and neither gives energy.
//
// The velocity that moves the bodies, v_m, is that which the joints bind: with the rows G of joints.c from the poses
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
#include "dynamics/step/sim.h"
#include "dynamics/vec3.h"

// theta is for contacts: what is joined together and has none moves with 1/2. The rows of a joint have it from
// their body, and all bodies of a group the same.
static void set_theta(ss_simulation *s) {
  ssi_hold *hold = &s->hold;
  for (int i = 0; i < s->nb; i++) hold->touched[i] = false;
  for (int i = 0; i < s->touch_count; i++) {
    const ss_contact *c = &s->touch[i].c;
    if (s->body[c->a].group >= 0) hold->touched[s->body[c->a].group] = true;
    if (c->b < s->nb && s->body[c->b].group >= 0) hold->touched[s->body[c->b].group] = true;
  }
  for (int i = 0; i < s->nb; i++) {
    int group = s->body[i].group;
    hold->theta[i] = group < 0 || hold->touched[group] ? s->scene->stepping.theta : 0.5;
  }
}

static double theta_of_row(const ss_simulation *s, const ssi_simjoint *j) {
  return s->hold.theta[j->a];
}

static double ratio(double theta) {
  return (1 - theta) / theta;
}

// out = M^-1 G l
static void push(const ss_simulation *s, const ss_sparse *G, const double *l, double *out) {
  for (int k = 0; k < s->ndof; k++) {
    double sum = 0;
    for (int64_t i = G->ptr[k]; i < G->ptr[k + 1]; i++) sum += G->x[i] * l[G->col[i]];
    out[k] = sum / s->mass[k];
  }
}

// The kicks of (3) where they act, the first as strong in each group as the second.
static void set_kicks(ss_simulation *s) {
  ssi_hold *hold = &s->hold;
  const double strongest = 2;
  push(s, &hold->begin.G, hold->kick, hold->first);
  push(s, &hold->end.G, hold->kick, hold->second);
  for (int i = 0; i < s->nb; i++) hold->energy[i][0] = hold->energy[i][1] = 0;
  for (int k = 0; k < s->ndof; k++) {
    int group = s->body[k / s->per_body].group;
    if (group < 0) continue;
    hold->energy[group][0] += s->mass[k] * hold->first[k] * hold->first[k];
    hold->energy[group][1] += s->mass[k] * hold->second[k] * hold->second[k];
  }
  for (int i = 0; i < s->nb; i++) {
    int group = s->body[i].group;
    if (group < 0) continue;
    const double *e = hold->energy[group];
    hold->sigma[i] = ratio(hold->theta[i]) * (e[0] > 0 ? fmin(strongest, sqrt(e[1] / e[0])) : 1);
    for (int k = i * s->per_body; k < (i + 1) * s->per_body; k++) hold->first[k] *= hold->sigma[i];
  }
}

static double norm2(const ss_simulation *s, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < s->ndof; k++) sum += s->mass[k] * (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

// The unknowns of the passes are v_1 and k, in the metric of the masses: |v|_M and |M^-1 G_0 k|_M row by row.
bool ssi_sim_hold_create(ss_simulation *s) {
  ssi_hold *hold = &s->hold;
  ssi_arena *a = &s->arena;
  size_t ndof = (size_t)s->ndof, n = ndof + (size_t)s->nl;
  const ssi_anderson_rule rule = {.memory = 6, .period = 1, .regularisation = 1e-14, .growth = 4};
  hold->answer = SSI_TAKE(a, n, double);
  hold->weight = SSI_TAKE(a, n, double);
  hold->next = SSI_TAKE(a, s->nl, double);
  hold->scratch = SSI_TAKE(a, 2 * (size_t)s->nl, double);
  hold->first = SSI_TAKE(a, ndof, double);
  hold->second = SSI_TAKE(a, ndof, double);
  hold->theta = SSI_TAKE(a, s->nb, double);
  hold->sigma = SSI_TAKE(a, s->nb, double);
  hold->energy = ssi_arena_take(a, (size_t)s->nb, sizeof *hold->energy);
  hold->touched = SSI_TAKE(a, s->nb, bool);
  hold->to = SSI_TAKE(a, s->nb, ss_pose);
  if (a->failed) return false;
  hold->kick = hold->answer + ndof;
  return ssi_anderson_create(a, (int64_t)n, rule, hold->weight, &hold->passing);
}

static void set_weights(ss_simulation *s) {
  ssi_hold *hold = &s->hold;
  const ss_sparse *G = &hold->begin.G;
  double *row = hold->weight + s->ndof;
  memset(row, 0, sizeof(double) * (size_t)s->nl);
  for (int k = 0; k < s->ndof; k++) {
    hold->weight[k] = sqrt(s->mass[k]);
    for (int64_t i = G->ptr[k]; i < G->ptr[k + 1]; i++)
      row[G->col[i]] += G->x[i] * G->x[i] / s->mass[k];
  }
  for (int k = 0; k < s->nl; k++) row[k] = sqrt(row[k]);
}

// The velocities nearest to `from` that the joints of `block` allow, and the impulses that lead there: none where
// only rounding is against it.
static ss_error project(ss_simulation *s, const ssi_joint_block *block, const double *from,
                        double *v, double *l) {
  const double rounding = 1e-14;
  double rate2, terms2;
  memcpy(v, from, sizeof(double) * (size_t)s->ndof);
  memset(l, 0, sizeof(double) * (size_t)s->nl);
  ssi_sim_joint_size(s, &block->G, block->given, from, &rate2, &terms2);
  if (rate2 <= rounding * rounding * terms2) return SS_OK;
  ss_problem p = {.form = SS_GLOBAL, .dim = s->dim, .ndof = s->ndof, .nl = s->nl};
  double *f = SSI_TAKE(&s->work, s->ndof, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for the joints");
  for (int k = 0; k < s->ndof; k++) f[k] = 0.0 - s->mass[k] * from[k];
  p.M = s->M;
  p.G = block->G;
  p.f = f;
  p.b = block->given;
  ss_options o = s->scene->solver;
  o.progress = NULL;
  ss_info info;
  if (s->hold.solver)
    SS_TRY(ss_solver_retarget(s->hold.solver, &p));
  else
    SS_TRY(ss_solver_create(s->ctx, &p, &o, &s->hold.solver));
  return ss_solve(s->hold.solver, NULL, NULL, v, l, &info);
}

// Velocities against the joints, as a scene may begin with or what they are tied to may ask for when it is moved
// at once, end in an impulse at the beginning of the step.
static ss_error comply(ss_simulation *s) {
  ssi_hold *hold = &s->hold;
  double *v = SSI_TAKE(&s->work, s->ndof, double), *l = SSI_TAKE(&s->work, s->nl, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for the joints");
  SS_TRY(project(s, &hold->begin, s->v, v, l));
  ssi_sim_energy_comply(s, v, l);
  memcpy(s->v, v, sizeof(double) * (size_t)s->ndof);
  return SS_OK;
}

ss_error ssi_sim_hold_begin(ss_simulation *s) {
  ssi_hold *hold = &s->hold;
  size_t size = sizeof(double) * (size_t)s->ndof;
  ssi_span here = {s->pose, s->pose, s->now.time, 0};
  SS_TRY(ssi_sim_joint_block(s, &here, &hold->begin));
  SS_TRY(comply(s));
  hold->passes = 0;
  memset(hold->kick, 0, sizeof(double) * (size_t)s->nl);
  memset(hold->first, 0, size);
  memset(hold->second, 0, size);
  memcpy(hold->answer, s->v, size);
  set_weights(s);
  ssi_anderson_begin(&hold->passing, hold->answer);
  return SS_OK;
}

// gyro = -(h/2) w_m x (I w~_1 + I w~_0 + h moment): (1) of free.c with the velocities that move the body.
static void gyroscopic(ss_simulation *s, double h, int i) {
  const ssi_simbody *b = s->body + i;
  const ssi_hold *hold = &s->hold;
  size_t at = (size_t)i * s->per_body + 3;
  double moment[3], sum[3], *gyro = s->gyro + 3 * (size_t)i;
  ssi_unrotate3(s->rotation + 9 * (size_t)i, s->load + 6 * (size_t)i + 3, moment);
  for (size_t k = 0; k < 3; k++)
    sum[k] = h * moment[k] + b->inertia[k] * (hold->answer[at + k] + hold->second[at + k] +
                                              s->v[at + k] + hold->first[at + k]);
  ssi_cross3(s->v_move + at, sum, gyro);
  ssi_scale3(-h / 2, gyro, gyro);
  for (size_t k = 0; k < 3; k++) s->v_free[at + k] += gyro[k] / b->inertia[k];
}

// Velocities without contacts and joints, but with the kicks.
static void free_motion(ss_simulation *s, double h) {
  for (int i = 0; i < s->nb; i++) {
    if (s->body[i].group < 0) continue;
    ssi_sim_accelerate(s, i, h);
    if (!s->body[i].isotropic) gyroscopic(s, h, i);
    size_t at = (size_t)i * s->per_body;
    for (size_t k = at; k < at + (size_t)s->per_body; k++)
      s->v_free[k] += s->hold.first[k] - s->hold.second[k];
  }
  for (int k = 0; k < s->ndof; k++) s->f[k] = 0.0 - s->mass[k] * s->v_free[k];
}

static void set_move(ss_simulation *s) {
  const ssi_hold *hold = &s->hold;
  for (int k = 0; k < s->ndof; k++) {
    double theta = hold->theta[k / s->per_body];
    s->v_move[k] =
        theta * (hold->answer[k] + hold->second[k]) + (1 - theta) * (s->v[k] + hold->first[k]);
  }
}

// b of (1) as an equation for v_1.
static void set_aim(ss_simulation *s, double *b) {
  const ssi_hold *hold = &s->hold;
  const ss_sparse *G = &hold->mean.G;
  for (int j = 0; j < s->nj; j++)
    for (int k = s->joint[j].row; k < s->joint[j].row + s->joint[j].rows; k++)
      b[k] =
          (hold->mean.given[k] + hold->rate * hold->mean.error[k]) / theta_of_row(s, s->joint + j);
  for (int k = 0; k < s->ndof; k++) {
    double rho = ratio(hold->theta[k / s->per_body]);
    double v = rho * (s->v[k] + hold->first[k]) + hold->second[k];
    for (int64_t i = G->ptr[k]; i < G->ptr[k + 1]; i++) b[G->col[i]] += G->x[i] * v;
  }
}

ss_error ssi_sim_hold_aim(ss_simulation *s, double h, double *b) {
  ssi_hold *hold = &s->hold;
  hold->passes++;
  hold->rate = s->scene->stepping.drift == SS_DRIFT_GAP ? 1 / h : 0;
  set_theta(s);
  set_move(s);
  memcpy(hold->to, s->pose, sizeof(ss_pose) * (size_t)s->nb);
  ssi_sim_move(s, h, s->v_move, hold->to);
  ssi_span across = {s->pose, hold->to, s->now.time, h};
  ssi_span there = {hold->to, hold->to, s->now.time + h, 0};
  SS_TRY(ssi_sim_joint_block(s, &across, &hold->mean));
  SS_TRY(ssi_sim_joint_block(s, &there, &hold->end));
  set_kicks(s);
  free_motion(s, h);
  set_aim(s, b);
  return SS_OK;
}

ss_error ssi_sim_hold_follow(ss_simulation *s, double *change) {
  ssi_hold *hold = &s->hold;
  double *v = SSI_TAKE(&s->work, s->ndof, double), *l = SSI_TAKE(&s->work, s->nl, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for the joints");
  SS_TRY(project(s, &hold->end, s->v_new, v, l));
  double all = 0;
  for (int k = 0; k < s->ndof; k++)
    all +=
        s->mass[k] * (s->v[k] * s->v[k] + s->v_new[k] * s->v_new[k] + s->v_free[k] * s->v_free[k]);
  double moved = norm2(s, s->v_new, hold->answer) + norm2(s, s->v_new, v);
  *change = all > 0 ? sqrt(moved / all) : 0;
  memcpy(hold->answer, s->v_new, sizeof(double) * (size_t)s->ndof);
  memcpy(hold->next, l, sizeof(double) * (size_t)s->nl);
  set_move(s);
  return SS_OK;
}

void ssi_sim_hold_kick(ss_simulation *s) {
  ssi_hold *hold = &s->hold;
  for (int j = 0; j < s->nj; j++) {
    double rho = ratio(theta_of_row(s, s->joint + j));
    for (int k = s->joint[j].row; k < s->joint[j].row + s->joint[j].rows; k++)
      hold->kick[k] -= hold->next[k] / (1 + rho * rho);
  }
  ssi_anderson_next(&hold->passing, hold->answer);
  set_kicks(s);
}

double ssi_sim_hold_impulse(const ss_simulation *s, const ssi_simjoint *j, int k) {
  return s->l[j->row + k] + (s->hold.sigma[j->a] - 1) * s->hold.kick[j->row + k];
}
