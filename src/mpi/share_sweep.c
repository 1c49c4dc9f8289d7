#define _POSIX_C_SOURCE 200809L
#include "mpi/share_sweep.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cone/friction.h"

// Processor time of what this rank computes, without what it waits for others: MPI waits by asking again and again.
static double processor_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// solvers/domain.h (2): what the domains contribute goes to the hosts of shared dofs and comes back as velocities.
static void find_velocities(share *s) {
  double begin = processor_s();
  for (int k = 0; k < s->count; k++) {
    share_domain *d = &s->domain[k];
    ssi_domain_contribute(&d->sweep, d->r);
    for (int j = 0; j < d->p.ndof; j++)
      if (d->leaf[j] >= 0) s->leaf[d->leaf[j]] = d->sweep.sum[j];
  }
  s->work_s += processor_s() - begin;
  share_sum(s);
  begin = processor_s();
  for (int k = 0; k < s->count; k++) {
    share_domain *d = &s->domain[k];
    for (int j = 0; j < d->p.ndof; j++) {
      double sum = d->leaf[j] >= 0 ? s->leaf[d->leaf[j]] : d->sweep.sum[j];
      d->sweep.v[j] = ssi_domain_velocity(d->v_free[j], sum, d->copies[j]);
    }
  }
  s->work_s += processor_s() - begin;
}

static double add_up(const share *s, const double *mine) {
  double sum;
  share_add_domains(s, mine, 1, &sum);
  return sum;
}

// |q|, the velocities without reactions.
static double load_size(share *s) {
  double *mine = RANKS_TAKE(s->c, s->count, double);
  for (int k = 0; k < s->count; k++) {
    share_domain *d = &s->domain[k];
    for (int i = 0; i < d->p.nc; i++) {
      double q[3] = {0};
      for (int j = 0; j < s->dim; j++) q[j] = d->p.w[s->dim * i + j];
      ssi_bodies_velocity(&d->sweep.bodies, i, d->v_free, q);
      for (int j = 0; j < s->dim; j++) mine[k] += q[j] * q[j];
    }
  }
  double sum = add_up(s, mine);
  free(mine);
  return sqrt(sum);
}

ss_error share_sweeps_begin(share *s, double momentum, share_sweeps *out) {
  *out = (share_sweeps){.s = s};
  if (!s->rigid) return SS_OK;  // ADMM sets norm_q
  ssi_momentum_rule rule = {.most = momentum};
  bool ok = ssi_momentum_create(&s->arena, s->dim, s->nc, rule, &out->ahead);
  SS_TRY(ranks_agree(s->c, ok ? SS_OK : ssi_fail(s->c->ctx, SS_ERR_MEMORY, "out of memory")));
  for (int k = 0; k < s->count; k++) ssi_domain_begin(&s->domain[k].sweep);
  ssi_pace_forget(&out->pace);
  ssi_pace_begin(&out->pace, &out->ahead, s->r);
  out->norm_q = load_size(s);
  return SS_OK;
}

void share_sweeps_step(share_sweeps *w) {
  share *s = w->s;
  double *mine = RANKS_TAKE(s->c, s->count, double), begin = processor_s();
  if (w->sweeps) ssi_pace_next(&w->pace, &w->ahead, s->r);
  s->work_s += processor_s() - begin;
  find_velocities(s);
  begin = processor_s();
  for (int k = 0; k < s->count; k++)
    mine[k] = ssi_domain_sweep(&s->domain[k].sweep, 1, s->domain[k].r);
  s->work_s += processor_s() - begin;
  double change = add_up(s, mine);
  free(mine);
  w->sweeps++;
  ssi_pace_watch(&w->pace, &w->ahead, w->sweeps > 1, change);
}

enum { LAW, SPEED, UNSCALED, REACTIONS, SUMS };

static void measure_contact(const share_domain *d, int dim, int i, double sum[SUMS]) {
  const double *r = d->r + dim * i, mu = d->p.mu[i], lambda = d->lambda[i];
  const double *u = d->u + dim * i;
  double z[3] = {0}, F2 = 0;
  ssi_natural_step(dim, mu, 1 / lambda, r, u, z);
  for (int k = 0; k < dim; k++) F2 += (lambda * (r[k] - z[k])) * (lambda * (r[k] - z[k]));
  sum[LAW] += ssi_law_square(dim, mu, lambda, F2, r, u);
  ssi_natural_step(dim, mu, 1, r, u, z);
  for (int k = 0; k < dim; k++) {
    sum[UNSCALED] += (r[k] - z[k]) * (r[k] - z[k]);
    sum[SPEED] += u[k] * u[k];
    sum[REACTIONS] += r[k] * r[k];
  }
}

static void find_contact_velocity(share_domain *d, int dim, int i) {
  double *u = d->u + dim * i;
  memcpy(u, d->p.w + dim * i, sizeof *u * (size_t)dim);
  ssi_bodies_velocity(&d->sweep.bodies, i, d->sweep.v, u);
}

void share_sweeps_measure(share_sweeps *w, double *error, double *error_fclib) {
  share *s = w->s;
  double *mine = RANKS_TAKE(s->c, SUMS * s->count, double);
  if (s->rigid) find_velocities(s);
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++) {
      if (s->rigid) find_contact_velocity(&s->domain[k], s->dim, i);
      measure_contact(&s->domain[k], s->dim, i, mine + SUMS * k);
    }
  double sum[SUMS];
  share_add_domains(s, mine, SUMS, sum);
  for (int k = 0; k < SUMS; k++) sum[k] = sqrt(sum[k]);
  double scale = fmax(w->norm_q, sum[SPEED]), unit = fmax(scale, sum[REACTIONS]);
  *error = !isfinite(scale) ? INFINITY
           : sum[LAW] == 0  ? 0
                            : sum[LAW] / scale;  // no number over inf is 0
  *error_fclib = unit > DBL_EPSILON ? sum[UNSCALED] / unit : sum[UNSCALED];
  free(mine);
}
