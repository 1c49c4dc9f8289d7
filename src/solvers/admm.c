#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/error.h"
#include "cone/friction.h"
#include "la/anderson.h"
#include "problem/shifted.h"
#include "solvers/method.h"

typedef struct admm {
  double rho0, relax, memory, period, patience, form, growth, reg, out, metric, start, spectral, swait, sratio, smax, sgrow;
  double *r0, *g0, *y0, *l0;
  int count, next, changes, turns, budget;
  double target, drop, long_, *wbest;
  double *lambda;  // (nc)
  double *weight;
  double *w, *y, *b, *r, *u;
  ssi_shifted linear;
  ssi_anderson aa;
  bool plain;
  double best;
  int since;
} admm;

static const char *const form_names[] = {"auto", "contacts", "dofs", NULL};

static const ssi_option options[] = {
    {"rho", offsetof(admm, rho0), 0.03, 1e-6, 1e6, "penalty", NULL},
    {"relax", offsetof(admm, relax), 1.6, 0.1, 1.99, "over-relaxation", NULL},
    {"memory", offsetof(admm, memory), 10, 0, 20, "memory", NULL},
    {"period", offsetof(admm, period), 3, 1, 100, "period", NULL},
    {"patience", offsetof(admm, patience), 100, 1, 1e9, "patience", NULL},
    {"form", offsetof(admm, form), 0, 0, 2, "form", form_names},
    {"growth", offsetof(admm, growth), 2, 0.1, 1e300, "growth", NULL},
    {"reg", offsetof(admm, reg), 1e-10, 0, 1, "reg", NULL},
    {"out", offsetof(admm, out), 0, 0, 2, "out", NULL},
    {"metric", offsetof(admm, metric), 0, 0, 2, "metric", NULL},
    {"spectral", offsetof(admm, spectral), 0, 0, 1, "spectral", NULL},
    {"swait", offsetof(admm, swait), 10, 1, 1000, "spectral", NULL},
    {"sratio", offsetof(admm, sratio), 2, 1, 1000, "spectral", NULL},
    {"smax", offsetof(admm, smax), 6, 1, 1000, "spectral", NULL},
    {"sgrow", offsetof(admm, sgrow), 2, 1, 1000, "spectral", NULL},
    {"drop", offsetof(admm, drop), 0.1, 0, 1, "", NULL},
    {"long", offsetof(admm, long_), 4, 0, 1e5, "", NULL},
    {"start", offsetof(admm, start), 0, 0, 2, "start", NULL},
};

static void fill_lambda(admm *s, const ssi_system *sys) {
  ssi_block_lambda_max(sys->dim, sys->nc, sys->diag, s->lambda);
  for (int i = 0; i < sys->nc; i++) s->lambda[i] = fmax(s->lambda[i], 1e-3 * sys->lambda_max[i]);
}

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  admm *s = state;
  (void)seed;
  s->lambda = SSI_TAKE(arena, sys->nc, double);
  s->weight = SSI_TAKE(arena, sys->m, double);
  s->w = SSI_TAKE(arena, sys->m, double);
  s->y = SSI_TAKE(arena, sys->m, double);
  s->b = SSI_TAKE(arena, sys->m, double);
  s->r = SSI_TAKE(arena, sys->m, double);
  s->u = SSI_TAKE(arena, sys->m, double);
  s->wbest = SSI_TAKE(arena, sys->m, double);
  s->r0 = SSI_TAKE(arena, sys->m, double);
  s->g0 = SSI_TAKE(arena, sys->m, double);
  s->y0 = SSI_TAKE(arena, sys->m, double);
  s->l0 = SSI_TAKE(arena, sys->m, double);
  ssi_anderson_rule rule = {(int)s->memory, (int)s->period, s->reg, s->growth};
  if (!ssi_anderson_create(arena, sys->m, rule, s->weight, &s->aa)) return SS_ERR_MEMORY;
  fill_lambda(s, sys);
  for (int k = 0; k < sys->m; k++) s->weight[k] = pow(s->lambda[k / sys->dim], s->metric / 2);
  return ssi_shifted_create(sys, arena, s->lambda, s->rho0, (ssi_shifted_form)s->form, &s->linear);
}

static void begin(void *state, ssi_system *sys, const double *r) {
  admm *s = state;
  int dim = sys->dim;
  ssi_system_velocity(sys, r, s->u);
  for (int64_t i = 0; i < sys->nc; i++) {
    double d = s->linear.rho * s->lambda[i];
    const double *ui = s->u + dim * i;
    if (s->start == 1) d = INFINITY;
    if (s->start == 2) d = s->lambda[i];
    for (int k = 0; k < dim; k++) s->w[dim * i + k] = r[dim * i + k] - ui[k] / d;
    s->w[dim * i] -= sys->p.mu[i] * ssi_tangent_norm(dim, ui) / d;
  }
  s->plain = false;
  s->count = s->changes = s->turns = 0;
  s->next = (int)s->swait;
  if (s->linear.rho != s->rho0) ssi_shifted_change(&s->linear, s->rho0);
  s->best = INFINITY;
  s->since = 0;
  ssi_anderson_begin(&s->aa, s->w);
}

static bool curvature(double rr, double rg, double gg, double *out) {
  double sd = gg / rg, mg = rg / rr;
  *out = 2 * mg > sd ? mg : sd - mg / 2;
  return rg > 0.2 * sqrt(rr * gg) && isfinite(*out) && *out > 0;
}

static bool spectral(admm *s, ssi_system *sys) {
  double rr = 0, rg = 0, gg = 0, yy = 0, yl = 0, ll = 0;
  for (int64_t k = 0; k < sys->m; k++) {
    double d = s->lambda[k / sys->dim], rho = s->linear.rho;
    double g = s->b[k] + sys->q[k] - rho * d * s->r[k];
    double oldw = s->w[k] - s->relax * (s->r[k] - s->y[k]);
    g = rho * d * (2 * s->y[k] - oldw - s->r[k]);
    double l = rho * d * (oldw - s->y[k]);
    double dr = s->r[k] - s->r0[k], dg = g - s->g0[k], dy = s->y[k] - s->y0[k], dl = l - s->l0[k];
    rr += dr * dr * d, rg += dr * dg, gg += dg * dg / d;
    yy += dy * dy * d, yl += dy * dl, ll += dl * dl / d;
    s->r0[k] = s->r[k], s->g0[k] = g, s->y0[k] = s->y[k], s->l0[k] = l;
  }
  double a, b;
  bool ha = curvature(rr, rg, gg, &a), hb = curvature(yy, yl, ll, &b);
  if (++s->count == 1 || !(ha || hb)) return false;
  double rho = ha && hb ? sqrt(a * b) : ha ? a : b;
  if (getenv("TRACE")) fprintf(stderr, "a %d %g b %d %g rho %g -> %g\n", ha, a, hb, b, s->linear.rho, rho);
  rho = fmin(fmax(rho, 1e-3), 10);
  double f = rho / s->linear.rho;
  if (f < s->sratio && f > 1 / s->sratio) return false;
  f = s->linear.rho / rho;
  // keep y and D xi of the newest w
  for (int64_t i = 0; i < sys->nc; i++) {
    double y[3] = {0}, *w = s->w + sys->dim * i;
    for (int k = 0; k < sys->dim; k++) y[k] = w[k];
    ssi_project(sys->dim, sys->p.mu[i], y);
    for (int k = 0; k < sys->dim; k++) w[k] = y[k] + f * (w[k] - y[k]);
  }
  s->changes++;
  return ssi_shifted_change(&s->linear, rho) == SS_OK;
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  admm *s = state;
  int dim = sys->dim;
  double error_fclib;
  for (int64_t i = 0; i < sys->nc; i++) {
    double *y = s->y + dim * i, *w = s->w + dim * i, *b = s->b + dim * i;
    double d = s->linear.rho * s->lambda[i], xi[3] = {0};
    for (int k = 0; k < dim; k++) y[k] = w[k];
    ssi_project(dim, sys->p.mu[i], y);
    for (int k = 0; k < dim; k++) xi[k] = w[k] - y[k];
    for (int k = 0; k < dim; k++) b[k] = d * (y[k] - xi[k]) - sys->q[dim * i + k];
    b[0] -= sys->p.mu[i] * d * ssi_tangent_norm(dim, xi);
  }
  if (ssi_shifted_solve(&s->linear, s->b, s->r)) return SSI_STALLED;
  for (int64_t i = 0; i < sys->nc; i++) {
    double d = s->linear.rho * s->lambda[i];
    for (int64_t k = dim * i; k < dim * i + dim; k++) {
      s->u[k] = s->b[k] + sys->q[k] - d * s->r[k];
      s->w[k] += s->relax * (s->r[k] - s->y[k]);
      r[k] = s->out == 0 ? s->r[k] : s->y[k];
    }
    if (s->out == 2) {
      memcpy(r + dim * i, s->w + dim * i, sizeof(double) * (size_t)dim);
      ssi_project(dim, sys->p.mu[i], r + dim * i);
    }
  }
  ssi_system_measure(sys, s->r, s->u, estimate, &error_fclib);
  if (s->spectral && s->changes < s->smax && --s->next <= 0) {
    bool first = s->count == 0;
    if (spectral(s, sys)) {
      ssi_anderson_begin(&s->aa, s->w);
      s->count = 0;
      s->next = (int)(s->swait * pow(s->sgrow, s->changes));
      return SSI_CONTINUE;
    }
    s->next = first ? 1 : (int)s->swait;
  }
  if (!s->plain) ssi_anderson_next(&s->aa, s->w);
  if (*estimate < 0.9 * s->best) {
    s->best = *estimate, s->since = 0;
    memcpy(s->wbest, s->w, sizeof(double) * (size_t)sys->m);
  }
  s->since++;
  if (!s->plain && s->since > s->patience) {
    s->plain = true;
    memcpy(s->w, s->wbest, sizeof(double) * (size_t)sys->m);
    s->target = s->best * s->drop;
    s->budget = (int)(s->patience * s->long_ * (1 << s->turns++));
    if (getenv("TRACE")) fprintf(stderr, "plain at %g\n", s->best);
  } else if (s->plain && (*estimate < s->target || --s->budget <= 0)) {
    if (getenv("TRACE")) fprintf(stderr, "free at %g\n", *estimate);
    s->plain = false;
    s->since = 0;
    ssi_anderson_begin(&s->aa, s->w);
  }
  return SSI_CONTINUE;
}

static void release(void *state) {
  ssi_shifted_release(&((admm *)state)->linear);
}

const ssi_method ssi_method_admm = {
    .name = "admm",
    .summary = "alternating directions with Anderson acceleration, one factorisation of W + rho D",
    .state_size = sizeof(admm),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 20000,
    .setup = setup,
    .begin = begin,
    .step = step,
    .release = release,
};
