#include "events/forecast.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "stickslip/solver.h"

static const double IMPULSE_TOL = 1e-12;
static const double IMPULSE_ENOUGH = 1e-9;  // where rounding does not let it be less

// ---- a mechanism at an instant, as a problem of the library -----------------------------------------

typedef struct instant_problem {
  ssi_arena arena;
  ss_problem p;
  double *f, *w, *mu, *b;
} instant_problem;

static bool dense(ssi_arena *arena, int rows, int cols, const double *from, ss_sparse *out) {
  size_t count = (size_t)rows * (size_t)cols;
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, count, int);
  double *x = SSI_TAKE(arena, count, double);
  if (arena->failed) return false;
  for (int i = 0; i < rows; i++) {
    ptr[i + 1] = ptr[i];
    for (int j = 0; j < cols; j++) {
      double a = from[(size_t)i * (size_t)cols + (size_t)j];
      if (a != 0) col[ptr[i + 1]] = j, x[ptr[i + 1]++] = a;
    }
  }
  *out = (ss_sparse){rows, cols, ptr, col, x};
  return true;
}

// G of a problem has a column for each joint.
static bool transposed(ssi_arena *arena, int rows, int cols, const double *from, ss_sparse *out) {
  double *turned = SSI_TAKE(arena, (size_t)rows * (size_t)cols, double);
  for (int i = 0; i < rows && turned; i++)
    for (int j = 0; j < cols; j++)
      turned[(size_t)j * (size_t)rows + (size_t)i] = from[(size_t)i * (size_t)cols + (size_t)j];
  return turned && dense(arena, cols, rows, turned, out);
}

// All contacts and joints; f, w and b are left to be filled.
static ss_error make(ssi_mechanics *x, instant_problem *d) {
  const ss_mechanism *m = x->m;
  *d = (instant_problem){.arena = {.ctx = x->ctx}};
  d->f = SSI_TAKE(&d->arena, m->nv, double);
  d->w = SSI_TAKE(&d->arena, x->rows, double);
  d->mu = SSI_TAKE(&d->arena, m->nc, double);
  d->b = SSI_TAKE(&d->arena, m->nl, double);
  d->p = (ss_problem){.form = SS_GLOBAL, .dim = m->dim, .nc = m->nc, .ndof = m->nv, .nl = m->nl};
  bool ok = dense(&d->arena, m->nv, m->nv, x->M, &d->p.M) &&
            dense(&d->arena, x->rows, m->nv, x->H, &d->p.H);
  if (ok && m->nl)
    ok = transposed(&d->arena, m->nl, m->nv, x->H + (size_t)x->rows * (size_t)m->nv, &d->p.G);
  if (!ok || d->arena.failed) return ssi_fail(x->ctx, SS_ERR_MEMORY, "no memory for an instant");
  if (m->nc) memcpy(d->mu, m->mu, sizeof *d->mu * (size_t)m->nc);
  d->p.f = d->f, d->p.w = d->w, d->p.mu = d->mu, d->p.b = d->b;
  return SS_OK;
}

// ---- impacts ------------------------------------------------------------------------------------------

// M (v+ - v) = H^T P + G^T p,  u = H v+ + w + e min(g'_N, 0),  (u, P) in C(mu),  G v+ + y = 0. A contact that is open must not hinder:
// its w_N is as large as it needs to be.
static void fill_impact(const ssi_mechanics *x, const ss_evolve_options *o, const bool *touching,
                        const double *v, double far, instant_problem *d) {
  const ss_mechanism *m = x->m;
  for (int i = 0; i < m->nv; i++) {
    d->f[i] = 0;
    for (int j = 0; j < m->nv; j++) d->f[i] -= x->M[i * m->nv + j] * v[j];
  }
  for (int i = 0; i < m->nc; i++) {
    double e = m->restitution ? m->restitution[i] : 0, *w = d->w + m->dim * i;
    for (int k = 0; k < m->dim; k++) w[k] = x->w[m->dim * i + k];
    w[0] += touching[i] ? e * fmin(x->slip[m->dim * i], 0) : far;
    if (o->impact == SS_IMPACT_FRICTIONLESS) d->mu[i] = 0;
  }
  if (m->nl) memcpy(d->b, x->w + x->rows, sizeof *d->b * (size_t)m->nl);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

ss_error ssi_impact(ssi_mechanics *x, const ss_evolve_options *o, const bool *touching, double *v,
                    bool *solved) {
  const ss_mechanism *m = x->m;
  instant_problem d;
  ss_options options = ss_options_default();
  ss_solver *solver = NULL;
  ss_info info = {0};
  ss_error e = make(x, &d);
  double *r = SSI_TAKE(&d.arena, x->rows, double), *after = SSI_TAKE(&d.arena, m->nv, double);
  options.method = "auto", options.tol = IMPULSE_TOL, options.threads = 1;
  if (!e && d.arena.failed) e = ssi_fail(x->ctx, SS_ERR_MEMORY, "no memory for an impact");
  if (!e) fill_impact(x, o, touching, v, 1e3 * largest(x->rows, x->slip), &d);
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
  if (p->contacts[i].next == SS_STICK) return SS_MODE_STICK;
  bool slides = p->contacts[i].now == SS_CONTACT_SLIDING;
  const double *along = slides ? slip + d * i : p->slip + d * i;
  if (d == 2) return along[1] < 0 ? SS_MODE_SLIP_BACK : SS_MODE_SLIP;
  double size = hypot(along[1], along[2]);
  lead[0] = along[1] / size, lead[1] = along[2] / size;
  return SS_MODE_SLIP;
}

// As the status problem wants them: told apart already.
static void fill_status(const ssi_mechanics *x, const ss_persistence *now, const double *slip,
                        instant_problem *d, double *gap, double *rate) {
  const ss_mechanism *m = x->m;
  for (int i = 0; i < m->nv; i++) d->f[i] = -x->F[i];
  memcpy(d->w, x->b, sizeof *d->w * (size_t)x->rows);
  if (m->nl) memcpy(d->b, x->b + x->rows, sizeof *d->b * (size_t)m->nl);
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
static bool break_loose(const ssi_mechanics *x, const ss_prediction *p, instant_problem *d,
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
                           ssi_forecast *out) {
  const ss_mechanism *m = x->m;
  instant_problem d;
  ss_error e = make(x, &d);
  double *gap = SSI_TAKE(&d.arena, m->nc, double), *rate = SSI_TAKE(&d.arena, x->rows, double);
  if (!e && d.arena.failed) e = ssi_fail(x->ctx, SS_ERR_MEMORY, "no memory for a prediction");
  if (e) return ssi_arena_release(&d.arena), e;
  fill_status(x, now, slip, &d, gap, rate);
  ss_instant at = {&d.p, gap, rate};
  ss_status_options o = ss_status_options_default();
  ss_prediction *p = NULL;
  o.gap_tol = 0.5, o.rate_tol = 0, o.count = false;
  o.part_ties = true;  // a contact whose force has come down to zero is about to part
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
    for (int i = 0; i < m->nc; i++)
      out->next.mode[i] = next_mode(m, p, i, rate, out->next.lead + (m->dim - 1) * i);
  }
  ss_prediction_destroy(p);
  ssi_arena_release(&d.arena);
  return e;
}
