// A problem whose M is singular, by proximal steps: with a mass rho D on the dofs that loose motions move,
//
//   (M + rho D) v' + f - rho D v = H^T r' + G l',  u = H v' + w,  the law and the joints as they are         (1)
//
// is a problem like any other, and where v' = v it is the one given. What (1) leaves of the balance is rho D (v' - v).
// Smaller rho, longer steps: it falls as long as that is not enough.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "la/rows.h"
#include "la/sparse.h"
#include "problem/check.h"
#include "problem/loose.h"
#include "problem/loose_verify.h"
#include "solvers/loose_polish.h"
#include "stickslip/solver.h"

enum {
  STEPS = 12,
  FAILURES = 3,
  POLISHED = 1500
};  // steps at most; unknowns up to which the dense correction is made
static const double RHO_FIRST = 1e-1, RHO_LAST = 1e-6, RHO_STEP = 0.1;
static const double INNER = 0.01;     // of the tolerance: of the problems (1)
static const double LEAST = 1e-10;    // no inner tolerance is below: the correction does the rest
static const double NOTHING = 1e-12;  // of the velocity that (1) begins with: rounding of 0

typedef struct loose_work {
  ss_context *ctx;
  const ss_problem *p;
  const ss_options *o;
  ssi_arena arena;
  size_t m, n, nl;
  double *D;          // (ndof)
  double *f;          // of (1)   (ndof)
  double *r, *v, *l;  // at hand
  double *tried_r, *tried_v, *tried_l;
  ss_contact_verdict *state;  // in (1)   (nc)
  ss_problem near;            // (1)
  double speed;               // largest |v| that the load alone gives in (1)
  int failures;               // steps whose (1) was not solved
  ss_info *now;               // what the caller is told
  ss_verdict best;
} loose_work;

// ---- the mass that is added ------------------------------------------------------------------

// M_jj where there is one; else what makes the load and the imposed motion comparable: kappa h_j^2, h_j the largest |H_ij|.
static ss_error choose_mass(loose_work *s) {
  const ss_problem *p = s->p;
  ssi_loose loose;
  ss_problem apart = *p;  // joints, too, may be all that holds a motion
  apart.nl = 0;
  SS_TRY(ssi_loose_find(&s->arena, &apart, &loose));
  double *h = SSI_TAKE(&s->arena, s->n, double), force = 0, motion = 0;
  if (s->arena.failed) return SS_ERR_MEMORY;
  for (size_t i = 0; i < s->m && p->H.ptr; i++)
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++)
      h[p->H.col[k]] = fmax(h[p->H.col[k]], fabs(p->H.x[k]));
  for (size_t j = 0; j < s->n; j++)
    if (h[j] > 0) force = fmax(force, fabs(p->f[j]) / h[j]);
  for (size_t i = 0; i < s->m; i++) motion = fmax(motion, fabs(p->w[i]));
  double kappa = force > 0 && motion > 0 ? force / motion : 1;
  for (size_t j = 0; j < s->n; j++) {
    bool moves = false;
    for (size_t k = 0; k < (size_t)loose.count; k++)
      moves = moves || fabs(loose.Z[s->n * k + j]) > NOTHING;
    double own = ssi_sparse_entry(&p->M, (int)j, (int)j);
    s->D[j] = own > 0 ? (moves ? own : 0) : kappa * (h[j] > 0 ? h[j] * h[j] : 1);
  }
  return SS_OK;
}

static ss_error add_mass(loose_work *s, double rho, ssi_arena *arena) {
  const ss_problem *p = s->p;
  ssi_rows rows = {0};
  double *row = SSI_TAKE(arena, s->n, double);
  bool ok = row && ssi_rows_begin(s->ctx, p->ndof, p->ndof, &rows);
  for (size_t i = 0; i < s->n && ok; i++) {
    memset(row, 0, s->n * sizeof *row);
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++) row[p->M.col[k]] = p->M.x[k];
    row[i] += rho * s->D[i];
    ok = ssi_rows_append_dense(&rows, row);
  }
  ss_sparse view = ssi_rows_view(&rows);
  ok = ok && ssi_sparse_copy(arena, &view, &s->near.M);
  ssi_rows_end(&rows);
  return ok ? SS_OK : SS_ERR_MEMORY;
}

// ---- one step --------------------------------------------------------------------------------

// During a step the caller sees the figures after the last one, and may end it.
static int ask_caller(void *user, const ss_info *inside) {
  const loose_work *s = user;
  (void)inside;
  return s->o->progress ? s->o->progress(s->o->user, s->now) : 0;
}

static ss_error step(loose_work *s, double rho, double time_limit_s) {
  ssi_arena arena = {.ctx = s->ctx};
  ss_solver *solver = NULL;
  ss_info info;
  ss_verdict verdict;
  ss_options o = *s->o;
  o.tol = fmax(INNER * s->o->tol, LEAST);
  o.time_limit_s = time_limit_s;
  o.checked = true;
  o.progress = ask_caller;
  o.user = s;
  s->near = *s->p;
  s->near.f = s->f;
  for (size_t j = 0; j < s->n; j++) {
    s->f[j] = s->p->f[j] - rho * s->D[j] * s->v[j];
    if (s->D[j] > 0) s->speed = fmax(s->speed, fabs(s->p->f[j]) / (rho * s->D[j]));
  }
  ss_error e = add_mass(s, rho, &arena);
  if (!e) e = ss_solver_create(s->ctx, &s->near, &o, &solver);
  if (!e) e = ss_solve(solver, s->r, NULL, s->v, s->l, &info);
  if (!e && info.status != SS_SOLVED) s->failures++;
  if (!e && info.status == SS_CANCELLED) s->now->status = SS_CANCELLED;
  ss_solver_destroy(solver);
  ss_solution at = {.r = s->r, .l = s->nl ? s->l : NULL};
  if (!e) e = ss_verify(s->ctx, &s->near, &at, NULL, NULL, NULL, s->state, &verdict);
  ssi_arena_release(&arena);
  return e;
}

// Keeps (r, v, l) as the best in tried_* where it is, or where it is good enough and preferred.
static ss_error judge(loose_work *s, const double *r, const double *v, const double *l,
                      bool preferred) {
  ss_verdict now;
  ss_solution at = {.r = r, .v = v, .l = l};
  SS_TRY(ssi_verify_loose(s->ctx, s->p, &at, NULL, NULL, NULL, NULL, &now));
  double measure = ss_verdict_measure(&now, s->o->measure);
  bool enough = preferred && measure <= s->o->tol;
  if (!enough && !(measure < ss_verdict_measure(&s->best, s->o->measure))) return SS_OK;
  s->best = now;
  if (s->m && r != s->tried_r) memcpy(s->tried_r, r, s->m * sizeof *r);
  if (s->n && v != s->tried_v) memcpy(s->tried_v, v, s->n * sizeof *v);
  if (s->nl && l != s->tried_l) memcpy(s->tried_l, l, s->nl * sizeof *l);
  return SS_OK;
}

// The states of the step, taken as they are; then velocities that are rounding of 0, as 0.
static ss_error correct(loose_work *s) {
  ssi_arena arena = {.ctx = s->ctx};
  size_t count = s->m + s->n + s->nl;
  double *r = SSI_TAKE(&arena, count, double), *v = r + s->m, *l = v + s->n;
  ss_error e = r ? SS_OK : SS_ERR_MEMORY;
  if (count > POLISHED) return ssi_arena_release(&arena), SS_OK;
  if (!e) {
    if (s->m) memcpy(r, s->r, s->m * sizeof *r);
    if (s->n) memcpy(v, s->v, s->n * sizeof *v);
    if (s->nl) memcpy(l, s->l, s->nl * sizeof *l);
    e = ssi_loose_polish(&arena, s->p, s->state, r, v, l);
  }
  if (!e) e = judge(s, r, v, l, false);
  for (size_t j = 0; !e && j < s->n; j++)
    if (fabs(v[j]) <= NOTHING * s->speed) v[j] = 0;
  for (size_t i = 0; !e && i < s->m; i++)
    if (s->state[i / (size_t)s->p->dim].state == SS_FREE) r[i] = 0;
  if (!e) e = judge(s, r, v, l, true);
  ssi_arena_release(&arena);
  return e == SS_ERR_LINEAR ? SS_OK : e;
}

static bool solved(const loose_work *s) {
  return ss_verdict_measure(&s->best, s->o->measure) <= s->o->tol;
}

static ss_error iterate(loose_work *s, ss_info *info) {
  double begin = ssi_now_s(), rho = RHO_FIRST;
  SS_TRY(choose_mass(s));
  SS_TRY(judge(s, s->r, s->v, s->l, false));
  while (!info->status) {
    double left = s->o->time_limit_s > 0 ? s->o->time_limit_s - (ssi_now_s() - begin) : 0;
    if (solved(s))
      info->status = SS_SOLVED;
    else if (s->o->time_limit_s > 0 && left <= 0)
      info->status = SS_TIME_LIMIT;
    else if (info->iterations >= STEPS)
      info->status = SS_MAX_ITER;
    else if (s->failures >= FAILURES)
      info->status = SS_STALLED;
    if (info->status) break;
    SS_TRY(step(s, rho, left));
    info->iterations++;
    SS_TRY(judge(s, s->r, s->v, s->l, false));
    info->checks++;
    SS_TRY(correct(s));
    info->error = s->best.error, info->error_fclib = s->best.error_fclib;
    info->time_solve_s = ssi_now_s() - begin;
    if (s->o->progress && s->o->progress(s->o->user, info)) info->status = SS_CANCELLED;
    if (info->status && solved(s)) info->status = SS_SOLVED;
    rho = fmax(RHO_LAST, RHO_STEP * rho);
  }
  return SS_OK;
}

// ---- interface -------------------------------------------------------------------------------

static bool take(loose_work *s) {
  double *all = SSI_TAKE(&s->arena, 2 * (s->m + s->n + s->nl) + 2 * s->n, double);
  s->state = SSI_TAKE(&s->arena, s->p->nc, ss_contact_verdict);
  if (s->arena.failed) return false;
  s->r = all, s->v = s->r + s->m, s->l = s->v + s->n;
  s->tried_r = s->l + s->nl, s->tried_v = s->tried_r + s->m, s->tried_l = s->tried_v + s->n;
  s->D = s->tried_l + s->nl, s->f = s->D + s->n;
  s->best = (ss_verdict){.error = INFINITY, .error_fclib = INFINITY, .penetration = INFINITY};
  return true;
}

ss_error ss_solve_loose(ss_context *ctx, const ss_problem *p, const ss_options *o, double *r,
                        double *u, double *v, double *l, ss_info *info) {
  ss_info ignored, *to = info ? info : &ignored;
  *to = (ss_info){.error = INFINITY, .error_fclib = INFINITY, .own_test = NAN};
  if (!p || !o || (!r && p->nc) || (!v && p->ndof))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_solve_loose: null argument");
  SS_TRY(ssi_problem_check_data(ctx, p));
  if (p->form != SS_GLOBAL)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_solve_loose: expected a problem in the global form");
  loose_work s = {.ctx = ctx, .p = p, .o = o, .arena = {.ctx = ctx}};
  s.m = (size_t)p->dim * (size_t)p->nc, s.n = (size_t)p->ndof, s.nl = (size_t)p->nl;
  ss_error e = take(&s) ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to solve");
  if (!e) {
    if (s.m) memcpy(s.r, r, s.m * sizeof *r);
    s.now = to;
    e = iterate(&s, to);
  }
  if (!e && s.m) memcpy(r, s.tried_r, s.m * sizeof *r);
  if (!e && s.n) memcpy(v, s.tried_v, s.n * sizeof *v);
  if (!e && s.nl && l) memcpy(l, s.tried_l, s.nl * sizeof *l);
  if (!e && u) {
    ss_solution at = {.r = s.tried_r, .v = s.tried_v, .l = s.tried_l};
    e = ssi_verify_loose(ctx, p, &at, u, NULL, NULL, NULL, &s.best);
  }
  to->error = s.best.error, to->error_fclib = s.best.error_fclib;
  ssi_arena_release(&s.arena);
  return e;
}
