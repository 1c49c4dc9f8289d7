// The answer of one step's contacts, by sweeps over domains from what they held before, and its verdict: step/solve.c
// on several processes. Sums over contacts are taken by domains and added in their order.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "mpi/crowd.h"
#include "mpi/share_judge.h"
#include "mpi/share_sweep.h"

// ---- the floor of rounding: `reachable` of step/solve.c ------------------------------------

enum { Q, FREE, REACTION, TERMS };

// |H| M^-1 |H^T| |r| needs what all domains add to a dof.
static void find_pushes(share *s, double **push) {
  for (int k = 0; k < s->count; k++) {
    share_domain *d = &s->domain[k];
    const ss_sparse *H = &d->p.H;
    if (share_domain_rows(s, d)) ranks_die(s->c, 4, "out of memory for rows of H");
    push[k] = RANKS_TAKE(s->c, d->p.ndof, double);
    for (int i = 0; i < H->rows; i++)
      for (int64_t e = H->ptr[i]; e < H->ptr[i + 1]; e++)
        push[k][H->col[e]] += fabs(H->x[e] * d->r[i]) / d->p.M.x[H->col[e]];
    for (int j = 0; j < d->p.ndof; j++)
      if (d->leaf[j] >= 0) s->leaf[d->leaf[j]] = push[k][j];
  }
  share_sum(s);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++)
      if (s->domain[k].leaf[j] >= 0) push[k][j] = s->leaf[s->domain[k].leaf[j]];
}

static void add_terms(share *s, share_domain *d, const double *push, double sum[TERMS]) {
  const ss_sparse *H = &d->p.H;
  if (share_domain_rows(s, d)) ranks_die(s->c, 4, "out of memory for rows of H");
  for (int i = 0; i < H->rows; i++) {
    double q = d->p.w[i], terms = fabs(q), reaction = 0;
    for (int64_t e = H->ptr[i]; e < H->ptr[i + 1]; e++) {
      double x = H->x[e] * d->v_free[H->col[e]];
      q += x;
      terms += fabs(x);
      reaction += fabs(H->x[e]) * push[H->col[e]];
    }
    sum[Q] += q * q;
    sum[FREE] += terms * terms;
    sum[REACTION] += reaction * reaction;
  }
}

// *tol becomes what rounding allows; *terms > 0: q is nothing but rounding, and what it is the sum of.
static void reachable(share *s, double *tol, double *terms) {
  double **push = RANKS_TAKE(s->c, s->count, double *), sum[TERMS];
  double *mine = RANKS_TAKE(s->c, TERMS * s->count, double);
  find_pushes(s, push);
  for (int k = 0; k < s->count; k++) add_terms(s, &s->domain[k], push[k], mine + TERMS * k);
  share_add_domains(s, mine, TERMS, sum);
  const double fine = 8 * DBL_EPSILON;
  double norm = sqrt(sum[Q]), fixed = fine * sqrt(sum[FREE]);
  double rounding = fixed + DBL_EPSILON / 2 * sqrt(sum[REACTION]);
  *terms = sum[Q] <= 64 * fine * fine * sum[FREE] ? sqrt(sum[FREE]) : 0;
  if (rounding > *tol * norm) {
    *tol = fmin(exp2(ceil(log2(rounding / norm))), 0x1p-7);
    if (fixed > *tol * norm) *tol = fmin(exp2(ceil(log2(fixed / norm))), 0x1p-3);
  }
  for (int k = 0; k < s->count; k++) free(push[k]);
  free(push);
  free(mine);
}

// ---- sweeps --------------------------------------------------------------------------------

typedef struct crowd_attempt {
  crowd *m;
  share *s;
  share_sweeps w;
  ss_measure measure;
  double tol, ask_below;
  int sweeps;
  bool solved, cut;
  ss_verdict verdict;
} crowd_attempt;

static ss_error ask(crowd_attempt *a, double plain) {
  double begin = crowd_cpu_s(a->m, -1, 0);
  SS_TRY(share_judge(a->s, &a->verdict));
  double found = ss_verdict_measure(&a->verdict, a->measure);
  a->solved = found <= a->tol;
  a->ask_below = plain * fmax(0.1, fmin(0.99, a->tol / found));
  crowd_cpu_s(a->m, CROWD_JUDGE, begin);
  return SS_OK;
}

// The plain error now and then, the verdict where it may be good enough.
static ss_error sweep(crowd_attempt *a, int most) {
  for (;; a->sweeps++) {
    if (a->sweeps == most || a->sweeps % a->m->o.check_every == 0) {
      double error, fclib;
      share_sweeps_measure(&a->w, &error, &fclib);
      double plain =
          ss_verdict_measure(&(ss_verdict){.error = error, .error_fclib = fclib}, a->measure);
      if (plain <= a->ask_below) SS_TRY(ask(a, plain));
      a->cut = !a->solved && a->m->stop && a->m->stop(a->m->user);
      if (a->solved || a->cut || !isfinite(plain) || a->sweeps >= most) return SS_OK;
    }
    share_sweeps_step(&a->w);
  }
}

void crowd_count_sweeps(crowd *m, const share *s, int sweeps) {
  m->counts.sweeps_s += s->work_s;
  m->counts.bytes_sweeps += 2 * s->bytes_sent * sweeps;
  m->counts.bytes += 2 * s->bytes_sent * sweeps;
}

static ss_error begin(crowd *m, share *s, crowd_attempt *a) {
  const ss_options *o = &m->scene->solver;
  *a = (crowd_attempt){.m = m, .s = s, .measure = o->measure, .tol = o->tol};
  return share_sweeps_begin(s, m->o.momentum, &a->w);
}

// q is nothing but rounding: no reactions are as right as any (let_go of step/solve.c).
static ss_error let_go(crowd_attempt *a, double terms, ssi_outcome *out) {
  memset(a->s->r, 0, sizeof(double) * (size_t)(a->s->dim * a->s->nc));
  SS_TRY(share_judge(a->s, &a->verdict));
  double scale = a->verdict.scale;
  out->error = scale > 0 ? a->verdict.error * scale / terms : 64 * DBL_EPSILON;
  out->solved = out->rounded = true;
  return SS_OK;
}

static ss_error iterate(crowd_attempt *a, ssi_outcome *out) {
  crowd *m = a->m;
  double terms, wanted = a->tol, start = crowd_cpu_s(m, -1, 0);
  reachable(a->s, &a->tol, &terms);
  a->ask_below = a->tol;
  if (terms > 0) return let_go(a, terms, out);
  SS_TRY(sweep(a, m->o.max_sweeps));
  crowd_cpu_s(m, CROWD_SWEEP, start);
  if (!a->solved) {  // the guess may not have known how large reactions are
    reachable(a->s, &a->tol, &terms);
    SS_TRY(ask(a, 0));
  }
  double value = ss_verdict_measure(&a->verdict, a->measure);
  *out = (ssi_outcome){.solved = a->solved,
                       .rounded = a->solved && value > wanted,
                       .error = a->verdict.error,
                       .info = {.status = a->solved ? SS_SOLVED : SS_MAX_ITER,
                                .iterations = a->sweeps,
                                .checks = a->sweeps > 0}};
  if (a->cut && !a->solved) out->info.status = SS_CANCELLED;
  return SS_OK;
}

ss_error crowd_prepare(crowd *m, crowd_system *y) {
  crowd_local *l = &m->here;
  double since = crowd_cpu_s(m, -1, 0);
  ss_error e = ssi_assemble(&l->world, &l->state, &l->step);
  if (!e) ssi_recall(&l->world, &l->state, &l->step, l->step.guess);
  SS_TRY(ranks_agree(m->c, e));
  crowd_cpu_s(m, CROWD_BUILD, since);
  return crowd_system_create(m, l->step.guess, y);
}

static ss_error solve(crowd *m, crowd_system *y, ssi_outcome *out) {
  crowd_attempt a;
  SS_TRY(begin(m, &y->s, &a));
  SS_TRY(iterate(&a, out));
  crowd_count_sweeps(m, &y->s, a.sweeps);
  double since = crowd_cpu_s(m, -1, 0);
  crowd_system_answer(m, y);
  SS_TRY(crowd_system_velocities(m, y));
  crowd_cpu_s(m, CROWD_JUDGE, since);
  return SS_OK;
}

ss_error crowd_solve(crowd *m, ss_step_info *info, ssi_outcome *out) {
  crowd_local *l = &m->here;
  crowd_system y = {0};
  double start = ssi_now_s();
  *out = (ssi_outcome){.info = {.status = SS_SOLVED}, .solved = true};
  ss_error e = crowd_prepare(m, &y);
  if (!e && y.contacts)
    e = solve(m, &y, out);
  else if (!e && l->world.ndof)
    memcpy(l->step.v_new, l->step.v_free, sizeof(double) * (size_t)l->world.ndof);
  crowd_system_release(&y);
  info->time_solve_s += ssi_now_s() - start;
  info->solves += out->info.checks > 0;
  info->iterations += out->info.iterations;
  if (!e && out->solved) e = ssi_remember(&l->world, &l->step, false, &l->state);
  return ranks_agree(m->c, e);
}
