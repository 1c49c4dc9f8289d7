#include "events/forecast.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "events/snapshot.h"
#include "stickslip/solver.h"

static const double IMPULSE_TOL = 1e-12;
static const double IMPULSE_ENOUGH = 1e-9;  // where rounding does not let it be less

// ---- impacts ------------------------------------------------------------------------------------------

// M (v+ - v) = H^T P + G^T p,  u = H v+ + w + e min(g'_N, 0),  (u, P) in C(mu),  G v+ + y = 0, of contacts that touch.
static void fill_impact(const ssi_mechanics *x, const ss_evolve_options *o, const double *v,
                        ssi_snapshot *d) {
  const ss_mechanism *m = x->m;
  for (int i = 0; i < m->nv; i++) {
    d->f[i] = 0;
    for (int j = 0; j < m->nv; j++) d->f[i] -= x->M[i * m->nv + j] * v[j];
  }
  for (int k = 0; k < d->p.nc; k++) {
    int i = d->contact[k];
    double e = m->restitution ? m->restitution[i] : 0, *w = d->w + m->dim * k;
    memcpy(w, x->w + m->dim * i, sizeof *w * (size_t)m->dim);
    w[0] += e * fmin(x->slip[m->dim * i], 0);
    if (o->impact == SS_IMPACT_FRICTIONLESS) d->mu[k] = 0;
  }
  if (m->nl) memcpy(d->b, x->w + x->rows, sizeof *d->b * (size_t)m->nl);
}

ss_error ssi_impact(ssi_mechanics *x, const ss_evolve_options *o, const bool *touching, double *v,
                    bool *solved) {
  const ss_mechanism *m = x->m;
  ssi_snapshot d;
  ss_options options = ss_options_default();
  ss_solver *solver = NULL;
  ss_info info = {0};
  ss_error e = ssi_snapshot_make(x, touching, &d);
  double *r = SSI_TAKE(&d.arena, x->rows, double), *after = SSI_TAKE(&d.arena, m->nv, double);
  options.method = "auto", options.tol = IMPULSE_TOL, options.threads = 1;
  if (!e && d.arena.failed) e = ssi_fail(x->ctx, SS_ERR_MEMORY, "no memory for an impact");
  if (!e) fill_impact(x, o, v, &d);
  if (!e) e = ss_solver_create(x->ctx, &d.p, &options, &solver);
  if (!e) e = ss_solve(solver, r, NULL, after, NULL, &info);
  *solved = !e && (info.status == SS_SOLVED || info.error <= IMPULSE_ENOUGH);
  if (*solved) memcpy(v, after, sizeof *v * (size_t)m->nv);
  ss_solver_destroy(solver);
  ssi_arena_release(&d.arena);
  return e;
}

// ---- statuses -----------------------------------------------------------------------------------------

static ss_mode next_mode(const ss_mechanism *m, const ss_prediction *p, int i, const double *slip,
                         double *lead) {
  int d = m->dim;
  if (p->contacts[i].next == SS_FREE) return SS_MODE_FREE;
  if (p->contacts[i].next == SS_STICK && !ssi_frictionless(m, i)) return SS_MODE_STICK;
  bool slides = p->contacts[i].now == SS_CONTACT_SLIDING;
  const double *along = slides ? slip + d * i : p->slip + d * i;
  if (d == 2) return along[1] < 0 ? SS_MODE_SLIP_BACK : SS_MODE_SLIP;
  double size = hypot(along[1], along[2]);
  lead[0] = size > 0 ? along[1] / size : 1, lead[1] = size > 0 ? along[2] / size : 0;
  return SS_MODE_SLIP;
}

// As the status problem wants them: told apart already.
static void fill_status(const ssi_mechanics *x, const ss_persistence *now, const double *slip,
                        ssi_snapshot *d, double *gap, double *rate) {
  const ss_mechanism *m = x->m;
  ssi_snapshot_accelerations(x, d);
  memset(rate, 0, sizeof *rate * (size_t)x->rows);
  for (int i = 0; i < m->nc; i++) {
    bool slides = now[i] == SS_CONTACT_SLIDING;
    d->mu[i] = slides ? m->mu[i] : ssi_static_friction(m, i);
    gap[i] = now[i] == SS_CONTACT_OPEN ? 1 : 0;
    rate[m->dim * i] = now[i] == SS_CONTACT_OPENING ? 1 : 0;
    for (int k = 1; k < m->dim && slides; k++) rate[m->dim * i + k] = slip[m->dim * i + k];
  }
}

// Contacts that break loose from static friction slide in the direction found; the rest once more with that.
static bool break_loose(const ssi_mechanics *x, const ss_prediction *p, ssi_snapshot *d,
                        double *rate) {
  const ss_mechanism *m = x->m;
  bool any = false;
  for (int i = 0; i < m->nc && m->mu_static; i++) {
    if (p->contacts[i].now != SS_CONTACT_STILL || p->contacts[i].next != SS_SLIP) continue;
    for (int k = 1; k < m->dim; k++) rate[m->dim * i + k] = p->slip[m->dim * i + k];
    d->mu[i] = m->mu[i];
    any = true;
  }
  return any;
}

ss_error ssi_forecast_make(ssi_mechanics *x, const ss_persistence *now, const double *slip,
                           bool part_ties, ssi_forecast *out) {
  const ss_mechanism *m = x->m;
  ssi_snapshot d;
  ss_error e = ssi_snapshot_make(x, NULL, &d);
  double *gap = SSI_TAKE(&d.arena, m->nc, double), *rate = SSI_TAKE(&d.arena, x->rows, double);
  if (!e && d.arena.failed) e = ssi_fail(x->ctx, SS_ERR_MEMORY, "no memory for a prediction");
  if (e) return ssi_arena_release(&d.arena), e;
  fill_status(x, now, slip, &d, gap, rate);
  ss_instant at = {&d.p, gap, rate};
  ss_status_options o = ss_status_options_default();
  ss_prediction *p = NULL;
  o.gap_tol = 0.5, o.rate_tol = 0, o.count = false;
  o.part_ties = part_ties;
  e = ss_status_predict(x->ctx, &at, &o, &p);
  if (!e && break_loose(x, p, &d, rate)) {
    ss_prediction_destroy(p);
    p = NULL;
    e = ss_status_predict(x->ctx, &at, &o, &p);
  }
  if (!e) {
    out->solved = p->solved, out->existence = p->existence, out->painleve = p->painleve;
    memcpy(out->force, p->force, sizeof *p->force * (size_t)x->rows);
    memset(out->next.gauge, 0, sizeof *p->force * (size_t)x->rows);
    for (int i = 0; i < m->nc; i++) {
      out->next.mode[i] = next_mode(m, p, i, rate, out->next.lead + (m->dim - 1) * i);
      out->next.sure[i] = now[i] == SS_CONTACT_SLIDING;
    }
  }
  ss_prediction_destroy(p);
  ssi_arena_release(&d.arena);
  return e;
}
