// One step: detect, assemble, solve, verify, move. A step that is not solved may be halved.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "dynamics/quaternion.h"
#include "dynamics/step/sim.h"
#include "dynamics/vec3.h"

void ssi_sim_turn(ss_simulation *s) {
  for (int i = 0; i < s->nb; i++) ss_rotation(s->pose[i].q, s->rotation + 9 * (size_t)i);
}

static void place_externals(ss_simulation *s, double h) {
  for (int k = 0; k < s->ne; k++) {
    ssi_imposed_pose(s->scene->externals + k, s->now.time, &s->collider[s->nb + k].pose);
    ssi_imposed_twist(s->scene->externals + k, s->now.time, h, s->twist + k);
  }
}

// ---- the solve --------------------------------------------------------------------------------

typedef struct outcome {
  ss_info info;
  bool solved;
  bool rounded;  // only to the floor of rounding, above the tolerance
  double error;
} outcome;

static void contact_terms(const ss_simulation *s, const double *r, double *push, double *q2,
                          double *free2, double *reaction2) {
  const ss_problem *p = &s->problem;
  const ss_sparse *H = &p->H;
  for (int i = 0; i < H->rows; i++)
    for (int64_t k = H->ptr[i]; k < H->ptr[i + 1]; k++)
      push[H->col[k]] += fabs(H->x[k] * r[i]) / s->mass[H->col[k]];
  *q2 = *free2 = *reaction2 = 0;
  for (int i = 0; i < H->rows; i++) {
    double q = p->w[i], terms = fabs(q), reaction = 0;
    for (int64_t k = H->ptr[i]; k < H->ptr[i + 1]; k++) {
      double x = H->x[k] * s->v_free[H->col[k]];
      q += x;
      terms += fabs(x);
      reaction += fabs(H->x[k]) * push[H->col[k]];
    }
    *q2 += q * q;
    *free2 += terms * terms;
    *reaction2 += reaction * reaction;
  }
}

// The tolerance is relative to |q|, q = H v_free + w, and q and u = q + W r are sums of numbers of finite
// precision: nothing can be solved better than the rounding of their terms, which is the floor here.
// Bodies that move together make q small beside H v_free; heavy bodies on light ones make W r large.
//   floor = (8 eps | |H| |v_free| + |w| | + (eps/2) | |H| M^-1 |H^T| |r| |) / |q|
// Joints, s = G^T v_free + b, add 8 eps | |G^T| |v_free| + |b| |, and where there is no contact |s| is in place of |q|.
// The part with r depends on a guess that may be poor. Where the other is 1/8 of |q| and of |s| or more, these are
// nothing but rounding, and an error relative to them says nothing: *terms is then what they are the sums of, else 0.
static ss_error reachable(ss_simulation *s, const double *r, double *tol, double *terms) {
  double *push = SSI_TAKE(&s->work, s->ndof, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d bodies", s->nb);
  double q2, free2, reaction2, s2 = 0, joint2 = 0;
  contact_terms(s, r, push, &q2, &free2, &reaction2);
  if (s->nl) ssi_sim_joint_size(s, &s->problem.G, s->problem.b, s->v_free, &s2, &joint2);
  const double fine = 8 * DBL_EPSILON;
  bool nothing = q2 <= 64 * fine * fine * free2 && s2 <= 64 * fine * fine * joint2;
  double norm = sqrt(s->problem.nc ? q2 : s2), fixed = fine * sqrt(free2 + joint2);
  double rounding = fixed + DBL_EPSILON / 2 * sqrt(reaction2);
  *terms = nothing ? sqrt(free2 + joint2) : 0;
  if (rounding > *tol * norm) {  // a power of two, so that it rarely changes from step to step
    *tol = fmin(exp2(ceil(log2(rounding / norm))), 0x1p-7);
    if (fixed > *tol * norm) *tol = fmin(exp2(ceil(log2(fixed / norm))), 0x1p-3);
  }
  return SS_OK;
}

// The solver of the last step with the new problem, which saves its memory; the bits are those of a new
// one. The tolerance is given at creation.
static ss_error ready_solver(ss_simulation *s, const ss_options *o) {
  if (s->solver && s->solver_tol == o->tol) return ss_solver_retarget(s->solver, &s->problem);
  ss_solver_destroy(s->solver);
  s->solver = NULL;
  s->solver_tol = o->tol;
  return ss_solver_create(s->ctx, &s->problem, o, &s->solver);
}

static ss_error judge(ss_simulation *s, const ss_options *o, outcome *out, double *value) {
  ss_verdict verdict;
  ss_solution answer = {.r = s->r, .l = s->nl ? s->l : NULL};
  SS_TRY(ss_verify(s->ctx, &s->problem, &answer, s->u, s->v_new, NULL, s->verdict, &verdict));
  *value = ss_verdict_measure(&verdict, o->measure);
  out->solved = *value <= o->tol;
  out->error = verdict.error;
  return SS_OK;
}

// q and s are nothing but rounding, and so no reactions are as right as any: |F(0)| <= |q|. The error is told relative
// to the terms of q; without contacts it is that of s, which is at most the rounding of its terms.
static ss_error let_go(ss_simulation *s, double terms, outcome *out) {
  ss_verdict verdict;
  ss_solution answer = {.r = s->r, .l = s->nl ? s->l : NULL};
  memset(s->r, 0, sizeof(double) * (size_t)s->problem.dim * (size_t)s->problem.nc);
  if (s->nl) memset(s->l, 0, sizeof(double) * (size_t)s->nl);
  SS_TRY(ss_verify(s->ctx, &s->problem, &answer, s->u, s->v_new, NULL, s->verdict, &verdict));
  out->error = verdict.scale > 0 ? verdict.error * verdict.scale / terms : 64 * DBL_EPSILON;
  out->rounded = true;
  return SS_OK;
}

// Nothing the solver says about its answer is believed: u and v are what the judge makes of r.
static ss_error solve(ss_simulation *s, outcome *out) {
  const ss_problem *p = &s->problem;
  size_t m = (size_t)p->dim * (size_t)p->nc;
  *out = (outcome){.info = {.status = SS_SOLVED}, .solved = true};
  if (!p->nc && !p->nl) {
    if (s->ndof) memcpy(s->v_new, s->v_free, sizeof(double) * (size_t)s->ndof);
    return SS_OK;
  }
  ss_options o = s->scene->solver;
  double value = INFINITY, terms;
  o.progress = NULL;
  SS_TRY(reachable(s, s->guess, &o.tol, &terms));
  if (terms > 0) return let_go(s, terms, out);
  if (m) memcpy(s->r, s->guess, sizeof(double) * m);
  if (!s->nl) SS_TRY(judge(s, &o, out, &value));  // what rests needs no solver
  if (value > o.tol) {
    SS_TRY(ready_solver(s, &o));
    SS_TRY(ss_solve(s->solver, s->r, s->u, s->v_new, s->l, &out->info));
    SS_TRY(judge(s, &o, out, &value));
  }
  if (!out->solved) {  // the guess may not have known how large reactions are
    SS_TRY(reachable(s, s->r, &o.tol, &terms));
    out->solved = value <= o.tol;
  }
  out->rounded = out->solved && value > s->scene->solver.tol;
  return SS_OK;
}

// ---- moving -----------------------------------------------------------------------------------

// (2) of stickslip/simulate.h; rotations by cay(h w) in the body's axes.
void ssi_sim_move(const ss_simulation *s, double h, const double *v, ss_pose *pose) {
  for (int i = 0; i < s->nb; i++) {
    double step[6];
    for (int k = 0; k < s->per_body; k++) step[k] = h * v[(size_t)i * s->per_body + k];
    for (int k = 0; k < s->dim; k++) pose[i].x[k] += step[k];
    double turn[3] = {0, 0, step[2]};
    ssi_quat_cayley(pose[i].q, s->dim == 2 ? turn : step + 3);
  }
}

// A bound on the speed of the surface of any shape: |v| + |w| extent. A ball that turns about its centre
// fills the space it filled before, so that only |v| counts: friction at a point has no moment about the
// normal, and a ball may spin about it for ever while everything rests.
static double fastest_shape(const ss_simulation *s) {
  double most = 0;
  for (int i = 0; i < s->nb; i++) {
    const double *x = s->v + (size_t)i * s->per_body;
    double v[3] = {x[0], x[1], s->dim == 3 ? x[2] : 0}, w[3] = {0, 0, x[2]};
    if (s->dim == 3) ssi_copy3(x + 3, w);
    bool ball = ss_shape_kind_of(s->body[i].shape) == SS_SPHERE;  // centred: see create.c
    most = fmax(most, ssi_norm3(v) + (ball ? 0 : ssi_norm3(w) * s->body[i].extent));
  }
  return most;
}

static bool all_finite(const ss_simulation *s) {
  for (int k = 0; k < s->ndof; k++)
    if (!isfinite(s->v_new[k])) return false;
  return true;
}

static ss_error advance(ss_simulation *s, double h) {
  double theta = s->scene->stepping.theta;
  if (!all_finite(s))
    return ssi_fail(s->ctx, SS_ERR_DATA, "a velocity is not finite after step %lld, t = %g",
                    (long long)s->now.step + 1, s->now.time + h);
  for (int k = 0; !s->nl && k < s->ndof; k++)  // with joints it is known already
    s->v_move[k] = theta * s->v_new[k] + (1 - theta) * s->v[k];
  ssi_sim_energy_step(s, h);
  if (s->nl) ssi_sim_joint_impulses(s);
  SS_TRY(ssi_sim_view(s));
  ssi_sim_move(s, h, s->v_move, s->pose);
  memcpy(s->v, s->v_new, sizeof(double) * (size_t)s->ndof);
  SS_TRY(ssi_sim_remember(s, h, true));
  s->now.time += h;
  if (s->scene->stepping.drift == SS_DRIFT_PROJECTION) SS_TRY(ssi_sim_project(s));
  ssi_sim_energy_after(s);
  return SS_OK;
}

// ---- steps and their parts --------------------------------------------------------------------

static ss_error prepare(ss_simulation *s, double h, ss_step_info *info) {
  ssi_arena_release(&s->work);
  s->work = (ssi_arena){.ctx = s->ctx};
  s->contact_count = 0;
  s->penetration = 0;
  ssi_sim_turn(s);
  place_externals(s, h);
  if (s->nl) SS_TRY(ssi_sim_hold_begin(s));
  ssi_sim_free_motion(s, h);
  double begin = ssi_now_s();
  SS_TRY(ssi_sim_detect(s, h));
  info->time_detect_s += ssi_now_s() - begin;
  return SS_OK;
}

// Whether another pass is needed to make the joints hold at the end of the step (hold.c). Passes that do not come
// to an end leave the step unsolved.
static ss_error joints_agree(ss_simulation *s, outcome *out, bool *again) {
  enum { PASSES = 40 };
  const double enough = 1e-12, poor = 1e-6;
  double change;
  SS_TRY(ssi_sim_hold_follow(s, &change));
  double limit = s->problem.nc ? fmax(enough, s->scene->solver.tol) : enough;
  *again = change > limit && s->hold.passes < PASSES;
  if (*again) ssi_sim_hold_kick(s);
  if (!*again && !(change <= fmax(limit, poor))) {
    out->solved = false;
    out->info.status = SS_MAX_ITER;
  }
  return SS_OK;
}

// Solves, looks for contacts that the answer closes and that were not in the problem, and solves again,
// as often as it takes: each round has one contact more at least, and there are only so many.
static ss_error solve_in_rounds(ss_simulation *s, double h, ss_step_info *info, outcome *out) {
  SS_TRY(ssi_sim_scout(s, h, info));
  for (;;) {
    SS_TRY(ssi_sim_assemble(s, h));
    ssi_sim_recall(s, h, s->guess);
    double begin = ssi_now_s();
    SS_TRY(solve(s, out));
    info->time_solve_s += ssi_now_s() - begin;
    info->solves += out->info.inner_solves ? out->info.inner_solves : out->info.checks > 0;
    info->iterations += out->info.iterations;
    if (!out->solved) return SS_OK;
    SS_TRY(ssi_sim_remember(s, h, false));
    bool again = false;
    if (s->nl) SS_TRY(joints_agree(s, out, &again));
    if (again) continue;
    if (!out->solved || s->scene->stepping.drift != SS_DRIFT_GAP) return SS_OK;
    int added;
    begin = ssi_now_s();
    SS_TRY(ssi_sim_extend(s, h, &added));
    info->time_detect_s += ssi_now_s() - begin;
    if (!added) return SS_OK;
  }
}

static void account(ss_simulation *s, const outcome *out, double h, ss_step_info *info) {
  info->h = fmin(info->h, h);
  info->contacts = s->touch_count;
  info->active = 0;
  for (int i = 0; i < s->touch_count; i++) info->active += s->r[(size_t)i * s->dim] > 0;
  info->status = out->solved ? SS_SOLVED : out->info.status;
  info->error = fmax(info->error, out->error);
  info->rounded += out->rounded;
  info->penetration = fmax(info->penetration, s->penetration);
}

// false in *done: not solved, and the state is as before this part.
static ss_error attempt(ss_simulation *s, double h, bool go_on, ss_step_info *info, bool *done) {
  outcome out;
  SS_TRY(prepare(s, h, info));
  SS_TRY(solve_in_rounds(s, h, info, &out));
  account(s, &out, h, info);
  *done = out.solved || go_on;
  if (!*done) return SS_OK;
  info->parts++;
  info->unsolved += !out.solved;
  return advance(s, h);
}

// h, or h/2 twice, and so on as deep as the scene allows.
static ss_error part(ss_simulation *s, double h, int depth, ss_step_info *info, bool *done) {
  const ss_stepping *o = &s->scene->stepping;
  double error = info->error;
  SS_TRY(attempt(s, h, o->unsolved == SS_UNSOLVED_GO, info, done));
  if (*done || o->unsolved != SS_UNSOLVED_HALVE || depth >= o->halvings) return SS_OK;
  info->error = error;  // of what was taken, not of what failed
  for (int half = 0; half < 2; half++) {
    SS_TRY(part(s, h / 2, depth + 1, info, done));
    if (!*done) return SS_OK;
  }
  return SS_OK;
}

static ss_error first(ss_simulation *s, double h, ss_step_info *info) {
  SS_TRY(prepare(s, h, info));
  return ssi_sim_start(s, h);
}

static void remember_state(ss_simulation *s) {
  s->before = s->now;
  if (!s->nb) return;
  memcpy(s->pose_before, s->pose, sizeof(ss_pose) * (size_t)s->nb);
  memcpy(s->v_before, s->v, sizeof(double) * (size_t)s->ndof);
}

static void restore_state(ss_simulation *s) {
  s->now = s->before;
  s->contact_count = 0;
  if (!s->nb) return;
  memcpy(s->pose, s->pose_before, sizeof(ss_pose) * (size_t)s->nb);
  memcpy(s->v, s->v_before, sizeof(double) * (size_t)s->ndof);
}

static void count(ss_simulation *s, const ss_step_info *info) {
  ss_sim_totals *t = &s->now.totals;
  t->steps++;
  t->unsolved_steps += info->unsolved > 0;
  t->halved_steps += info->parts > 1;
  t->rounded_steps += info->rounded > 0;
  t->contact_sum += info->contacts;
  t->active_sum += info->active;
  t->solve_sum += info->solves;
  t->iteration_sum += info->iterations;
  if (info->contacts > t->contacts_max) t->contacts_max = info->contacts;
  t->penetration_max = fmax(t->penetration_max, info->penetration);
  if (!info->unsolved) t->error_max = fmax(t->error_max, info->error);
}

static void look_for_the_end(ss_simulation *s, double speed) {
  const ss_stepping *o = &s->scene->stepping;
  double rest_speed = o->rest_speed;
  if (!(rest_speed > 0)) rest_speed = 0.01 * ssi_norm3(s->scene->gravity) * o->step;
  s->now.resting = speed <= rest_speed ? s->now.resting + 1 : 0;
  if (o->until_rest && s->now.resting >= o->rest_steps) s->now.end = SSI_END_REST;
  // half a step of tolerance: 0.3 s is three steps of 0.1 s, whatever their sum is
  else if (s->now.time >= o->duration - o->step / 2)
    s->now.end = SSI_END_DURATION;
}

ss_error ss_simulation_step(ss_simulation *s, ss_step_info *info) {
  if (!s) return ssi_fail(NULL, SS_ERR_ARGUMENT, "ss_simulation_step: null argument");
  double begin = ssi_now_s(), h = s->scene->stepping.step;
  ss_step_info here = {.h = h};
  bool done = false;
  remember_state(s);
  s->now.end = 0;
  ss_error e = s->now.step == 0 ? first(s, h, &here) : SS_OK;
  if (!e) e = part(s, h, 0, &here, &done);
  if (e || !done) restore_state(s);
  SS_TRY(e);
  if (done) {
    s->now.step++;
    s->now.time = (double)s->now.step * h;  // no drift of the sum
    count(s, &here);
    here.speed = fastest_shape(s);
    look_for_the_end(s, here.speed);
  } else {
    here.unsolved++;
    s->now.totals.unsolved_steps++;
    s->now.end = SSI_END_UNSOLVED;
  }
  ssi_sim_view_motion(s);
  here.time = s->now.time;
  here.time_s = ssi_now_s() - begin;
  s->times[0] += here.time_detect_s;
  s->times[1] += here.time_solve_s;
  s->times[2] += here.time_s;
  if (info) *info = here;
  return SS_OK;
}

bool ss_simulation_done(const ss_simulation *s) {
  return s->now.end != 0;
}

const char *ss_simulation_end(const ss_simulation *s) {
  static const char *const names[] = {NULL, "rest", "duration", "unsolved"};
  return names[s->now.end];
}
