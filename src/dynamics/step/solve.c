// The answer of one problem, verified: which tolerance rounding allows, the solver, the judge.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "dynamics/step/step.h"
#include "problem/check.h"
#include "problem/verify.h"
#include "stickslip/certify.h"

static void contact_terms(const ssi_world *w, const ssi_step *step, const double *r, double *push,
                          double *q2, double *free2, double *reaction2) {
  const ss_problem *p = &step->problem;
  const double *mass = w->element_count ? step->flex.diagonal : w->mass;
  const ss_sparse *H = &p->H;
  for (int i = 0; i < H->rows; i++)
    for (int64_t k = H->ptr[i]; k < H->ptr[i + 1]; k++)
      push[H->col[k]] += fabs(H->x[k] * r[i]) / mass[H->col[k]];
  *q2 = *free2 = *reaction2 = 0;
  for (int i = 0; i < H->rows; i++) {
    double q = p->w[i], terms = fabs(q), reaction = 0;
    for (int64_t k = H->ptr[i]; k < H->ptr[i + 1]; k++) {
      double x = H->x[k] * step->v_free[H->col[k]];
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
static ss_error reachable(const ssi_world *w, ssi_step *step, const double *r, double *tol,
                          double *terms) {
  double *push = SSI_TAKE(&step->work, w->nall, double);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d bodies", w->nb);
  double q2, free2, reaction2, s2 = 0, joint2 = 0;
  contact_terms(w, step, r, push, &q2, &free2, &reaction2);
  if (w->nl) ssi_joint_size(w, step, &step->problem.G, step->problem.b, step->v_free, &s2, &joint2);
  const double fine = 8 * DBL_EPSILON;
  bool nothing = q2 <= 64 * fine * fine * free2 && s2 <= 64 * fine * fine * joint2;
  double norm = sqrt(step->problem.nc ? q2 : s2), fixed = fine * sqrt(free2 + joint2);
  double rounding = fixed + DBL_EPSILON / 2 * sqrt(reaction2);
  *terms = nothing ? sqrt(free2 + joint2) : 0;
  if (rounding > *tol * norm) {  // a power of two, so that it rarely changes from step to step
    *tol = fmin(exp2(ceil(log2(rounding / norm))), 0x1p-7);
    if (fixed > *tol * norm) *tol = fmin(exp2(ceil(log2(fixed / norm))), 0x1p-3);
  }
  return SS_OK;
}

// A solver that is there gets the new problem, which saves its memory; the bits are those of a new one.
static ss_error ready(const ssi_world *w, const ss_problem *p, const ss_options *o,
                      ss_solver **solver) {
  return *solver ? ss_solver_retarget(*solver, p) : ss_solver_create(w->ctx, p, o, solver);
}

// ---- the end before the end -------------------------------------------------------------------

static int pass_on(void *user, const ss_info *now) {
  const ssi_step *step = user;
  return step->heard->progress(step->heard->user, now);
}

static int stop(void *user) {
  ssi_step *step = user;
  if (step->heard->stop && step->heard->stop(step->heard->user)) return 1;
  step->late = step->late || (step->end_s < INFINITY && ssi_now_s() >= step->end_s);
  return step->late;
}

static int stop_certify(void *user, int iteration, double low, double high) {
  (void)iteration, (void)low, (void)high;
  return stop(user);
}

// Where criterion (A) is violated a step may have no solution, and a run goes on or ends without it: `auto` then does
// not try for seconds what is to be tried last. The certificate takes milliseconds where that takes seconds, and is
// asked for once in a problem. It decides how much is tried; what is said of an answer is up to the judge.
static ss_doubt doubt(void *user) {
  ssi_step *step = user;
  ssi_question *d = &step->question;
  if (d->asked) return d->answer;
  ss_certify_options o = ss_certify_options_default();
  ss_certificate *c = NULL;
  o.margin = SS_MARGIN_BOUND, o.progress = stop_certify, o.user = step;
  ss_error e = ss_certify(d->ctx, d->p, &o, &c);
  d->asked = true;
  if (!e && c->criterion_A == SS_CRITERION_VIOLATED) d->answer = SS_DOUBT_THERE;
  if (!e && c->verdict == SS_NONE) d->answer = SS_DOUBT_REFUTED;
  ss_certificate_destroy(c);
  return d->answer;
}

static ss_options solver_options(const ssi_world *w, ssi_step *step, const ss_problem *p) {
  ss_options o = w->scene->solver;
  step->heard = &w->scene->solver;
  if (o.progress) o.progress = pass_on;
  o.stop = o.stop || w->scene->stepping.limit_s > 0 ? stop : NULL;
  o.doubt = doubt;
  step->question = (ssi_question){.ctx = w->ctx, .p = p};
  o.user = step;
  return o;
}

static void note_cut(ssi_step *step, ss_info *info) {
  if (info->status != SS_CANCELLED) return;
  if (step->late) info->status = SS_TIME_LIMIT;
  step->cut = info->status;
}

// ---- the solver -------------------------------------------------------------------------------

ss_error ssi_solve_aside(const ssi_world *w, ssi_step *step, const ss_problem *p, double *r,
                         double *v, double *l, ss_info *info) {
  ss_options o = solver_options(w, step, p);
  SS_TRY(ready(w, p, &o, &step->aside));
  SS_TRY(ss_solve(step->aside, r, NULL, v, l, info));
  note_cut(step, info);
  return SS_OK;
}

// The tolerance is given at creation.
static ss_error ready_solver(const ssi_world *w, ssi_step *step, const ss_options *o) {
  if (step->solver_tol != o->tol) {
    ss_solver_destroy(step->solver);
    step->solver = NULL;
    step->solver_tol = o->tol;
  }
  return ready(w, &step->problem, o, &step->solver);
}

// ---- the verdict ------------------------------------------------------------------------------

// Nothing the solver says about its answer is believed: u and v are what the judge makes of r and l. The judge is made once
// for a problem, from its raw data, before any solver sees it, and asked about the guess and about the answer.
static ss_error verify(const ssi_world *w, ssi_step *step, ssi_judge *judge, ss_verdict *out) {
  ss_solution answer = {.r = step->r, .l = w->nl ? step->l : NULL};
  return ssi_judge_answer(judge, &answer, step->u, step->v_new, NULL, step->verdict, out);
}

// u, v_new and, with joints, l of r alone: they take what contacts do not.
static ss_error judge_reactions(const ssi_world *w, ssi_step *step, ssi_judge *judge,
                                double *error) {
  ss_solution answer = {.r = step->r};
  ss_verdict verdict;
  SS_TRY(ssi_judge_answer(judge, &answer, step->u, step->v_new, w->nl ? step->l : NULL,
                          step->verdict, &verdict));
  *error = verdict.error;
  return SS_OK;
}

// Of what gives the same velocities.
static ss_error lessen(const ssi_world *w, ssi_step *step, const ss_options *o, ssi_judge *judge,
                       ssi_outcome *out) {
  ss_least_norm_info least;
  SS_TRY(ss_least_norm(w->ctx, &step->problem, o, step->r, &least));
  if (least.stopped) {
    out->info.status = SS_CANCELLED, out->solved = false;
    note_cut(step, &out->info);
  }
  if (!least.reached) return SS_OK;
  double error;
  SS_TRY(judge_reactions(w, step, judge, &error));
  out->error = least.error;
  return SS_OK;
}

static ss_error ask(const ssi_world *w, ssi_step *step, const ss_options *o, ssi_judge *judge,
                    ssi_outcome *out, double *value) {
  ss_verdict verdict;
  SS_TRY(verify(w, step, judge, &verdict));
  *value = ss_verdict_measure(&verdict, o->measure);
  out->solved = *value <= o->tol;
  out->error = verdict.error;
  return SS_OK;
}

// q and s are nothing but rounding, and so no reactions are as right as any: |F(0)| <= |q|. The error is told relative
// to the terms of q; without contacts it is that of s, which is at most the rounding of its terms.
static ss_error let_go(const ssi_world *w, ssi_step *step, double terms, ssi_judge *judge,
                       ssi_outcome *out) {
  ss_verdict verdict;
  memset(step->r, 0, sizeof(double) * (size_t)step->problem.dim * (size_t)step->problem.nc);
  if (w->nl) memset(step->l, 0, sizeof(double) * (size_t)w->nl);
  SS_TRY(verify(w, step, judge, &verdict));
  out->error = verdict.scale > 0 ? verdict.error * verdict.scale / terms : 64 * DBL_EPSILON;
  out->rounded = true;
  return SS_OK;
}

// ---- going on without an answer ---------------------------------------------------------------

// The part of r that a run may go on with. Errors are relative to the larger of |q| and |u|: where there is no solution
// the best of all iterates may be one whose velocities grew without end. Where |u| exceeds |q| tenfold only so much of it
// is left that |u - q| = |W r| = |q|, what bringing everything to rest would take.
static double usable_part(int m, const double *u, const double *q) {
  static const double FAR = 10;
  double q2 = 0, u2 = 0, change2 = 0;
  for (int i = 0; i < m; i++)
    q2 += q[i] * q[i], u2 += u[i] * u[i], change2 += (u[i] - q[i]) * (u[i] - q[i]);
  if (u2 <= FAR * FAR * q2) return 1;
  return isfinite(change2) ? sqrt(q2 / change2) : 0;
}

static ss_error go_on(const ssi_world *w, ssi_step *step, ssi_judge *judge, ssi_outcome *out) {
  int m = w->dim * step->problem.nc;
  double *u = SSI_TAKE(&step->work, m, double), *r = SSI_TAKE(&step->work, m, double), error;
  if (step->work.failed)
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", step->problem.nc);
  memcpy(u, step->u, sizeof *u * (size_t)m);
  memcpy(r, step->r, sizeof *r * (size_t)m);
  memset(step->r, 0, sizeof *r * (size_t)m);
  SS_TRY(judge_reactions(w, step, judge, &error));  // u is q now, joints included
  double part = usable_part(m, u, step->u);
  for (int k = 0; k < m; k++) step->r[k] = part > 0 ? part * r[k] : 0;
  SS_TRY(judge_reactions(w, step, judge, &error));
  out->error = error;  // of what is taken: with joints l was made anew
  return SS_OK;
}

// ---- one problem ------------------------------------------------------------------------------

// r, u, v_new, l and verdict of a problem that has contacts or joints.
static ss_error solve_judged(const ssi_world *w, ssi_step *step, ssi_judge *judge,
                             ssi_outcome *out) {
  size_t m = (size_t)w->dim * (size_t)step->problem.nc;
  ss_options o = solver_options(w, step, &step->problem);
  double value = INFINITY, terms;
  SS_TRY(reachable(w, step, step->guess, &o.tol, &terms));
  if (terms > 0) return let_go(w, step, terms, judge, out);
  if (m) memcpy(step->r, step->guess, sizeof(double) * m);
  if (!w->nl) SS_TRY(ask(w, step, &o, judge, out, &value));  // what rests needs no solver
  if (value > o.tol) {
    SS_TRY(ready_solver(w, step, &o));
    SS_TRY(ss_solve(step->solver, step->r, step->u, step->v_new, step->l, &out->info));
    note_cut(step, &out->info);
    SS_TRY(ask(w, step, &o, judge, out, &value));
  }
  if (!out->solved) {  // the guess may not have known how large reactions are
    SS_TRY(reachable(w, step, step->r, &o.tol, &terms));
    out->solved = value <= o.tol;
  }
  bool kept =
      out->info.status == SS_ACCEPTED || out->info.status == SS_CANCELLED;  // or not taken at all
  if (!out->solved && !kept && m && w->scene->stepping.unsolved == SS_UNSOLVED_GO)
    SS_TRY(go_on(w, step, judge, out));
  out->rounded = out->solved && value > w->scene->solver.tol;
  return w->scene->stepping.least_norm && out->solved && m ? lessen(w, step, &o, judge, out)
                                                           : SS_OK;
}

ss_error ssi_solve(const ssi_world *w, ssi_step *step, ssi_outcome *out) {
  const ss_problem *p = &step->problem;
  *out = (ssi_outcome){.info = {.status = SS_SOLVED}, .solved = true};
  if (!p->nc && !p->nl) {
    if (w->ndof) memcpy(step->v_new, step->v_free, sizeof(double) * (size_t)w->ndof);
    return SS_OK;
  }
  SS_TRY(ssi_problem_check_structure(w->ctx, p));
  ssi_court court;
  ss_error e = ssi_court_open(w->ctx, p, &court);
  if (!e) e = solve_judged(w, step, &court.judge, out);
  ssi_court_close(&court);
  return e;
}
