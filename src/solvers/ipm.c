#include "solvers/ipm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "solvers/method.h"

ss_error ssi_ipm_setup(ssi_ipm *p, ssi_system *sys, ssi_arena *arena) {
  size_t m = (size_t)sys->m;
  double **vectors[] = {&p->q, &p->z, &p->y, &p->dz, &p->dy, &p->g, &p->b, &p->rho};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = SSI_TAKE(arena, m, double);
  double **numbers[] = {&p->s, &p->zm, &p->ym, &p->dn};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    *numbers[k] = SSI_TAKE(arena, sys->nc, double);
  p->scaling = SSI_TAKE(arena, sys->nc, ssi_scaling);
  if (arena->failed) return SS_ERR_MEMORY;
  return ssi_ipm_linear_setup(&p->linear, sys, arena);
}

void ssi_ipm_refresh(ssi_ipm *p) {
  ssi_system *sys = p->linear.sys;
  double *T = p->linear.T;
  for (int64_t i = 0; i < sys->nc; i++) {
    double mu = sys->p.mu[i];
    T[sys->dim * i] = mu > 0 ? 1 / mu : 1;
    for (int k = 1; k < sys->dim; k++) T[sys->dim * i + k] = mu > 0;
  }
  p->unit_u = sys->norm_q > 0 ? sys->norm_q : 1;
  p->unit_r = p->unit_u / p->linear.lambda;
  for (int j = 0; j < sys->m; j++) p->q[j] = T[j] * (sys->q[j] / p->unit_u);
  ssi_ipm_linear_refresh(&p->linear);
}

void ssi_ipm_release(ssi_ipm *p) {
  ssi_ipm_linear_release(&p->linear);
}

static double sum_of_squares(int n, const double *x) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += x[j] * x[j];
  return sum;
}

// rho, gap and infeasible of the iterate
static void look(ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  ssi_ipm_multiply(&p->linear, p->z, p->rho);
  double gap = 0;
  for (int64_t i = 0; i < sys->nc; i++) {
    const double *y = p->y + dim * i;
    for (int k = 0; k < dim; k++) p->rho[dim * i + k] += p->q[dim * i + k] - (k ? y[k] : 0);
    p->rho[dim * i] -= p->ym[i];  // y_0 - |y_T| - s + |y_T|
    if (p->given) p->rho[dim * i] += p->s[i] - ssi_soc_tangent(dim, y);
    gap += ssi_soc_gap(dim, p->z + dim * i, p->zm[i], y, p->ym[i]);
  }
  p->gap = gap / sys->nc;
  p->infeasible = sqrt(sum_of_squares(sys->m, p->rho));
}

void ssi_ipm_begin(ssi_ipm *p, const double *s) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  p->given = s != NULL;
  const char *e1 = getenv("IPM_Z"), *e2 = getenv("IPM_Y");
  double z0 = e1 ? atof(e1) : 1, y0 = e2 ? atof(e2) : 1;
  for (int i = 0; s && i < sys->nc; i++) p->s[i] = s[i] / p->unit_u;
  memset(p->z, 0, sizeof(double) * (size_t)sys->m);
  memset(p->y, 0, sizeof(double) * (size_t)sys->m);
  for (int64_t i = 0; i < sys->nc; i++) {
    p->z[dim * i] = p->zm[i] = z0;
    p->y[dim * i] = p->ym[i] = y0;
  }
  p->theta = s ? 0 : 1;
  p->iterations = 0;
  p->step = 1;
  look(p);
  p->gap_first = p->gap;
  p->infeasible_first = p->infeasible;
}

// x <- E x = x - theta (n.x_T) e,  n = y_T/|y_T|; the inverse for sign = -1
static void apply_slide(int dim, double theta, double sign, const double *y, double *x) {
  double t = ssi_soc_tangent(dim, y), along = 0;
  if (!(t > 0)) return;
  for (int k = 1; k < dim; k++) along += y[k] / t * x[k];
  x[0] -= sign * theta * along;
}

// B = L_x^-1 L_y
static void aho_blocks(int dim, const double *x, double margin, const double *y, double *B) {
  for (int l = 0; l < dim; l++) {
    double h[3] = {0}, out[3];
    for (int k = 0; k < dim; k++) h[k] = l == 0 ? y[k] : k == l ? y[0] : k == 0 ? y[l] : 0;
    ssi_soc_divide_margin(dim, x, margin, h, out);
    for (int k = 0; k < dim; k++) B[dim * k + l] = out[k];
  }
}

// D = E P and N = P^-1 E^-1 of every contact. false: an iterate left its cone.
static bool scale(ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++) {
    const double *y = p->y + dim * i;
    ssi_scaling *f = &p->scaling[i];
    if (!ssi_soc_scaling(dim, p->z + dim * i, p->zm[i], y, p->ym[i], f)) return false;
    double *D = p->linear.D + dim * dim * i, *N = p->linear.N + dim * dim * i;
    if (p->aho) {
      aho_blocks(dim, p->z + dim * i, p->zm[i], y, D);
      aho_blocks(dim, y, p->ym[i], p->z + dim * i, N);
    } else {
      ssi_soc_square(dim, f, 1, D);
      ssi_soc_square(dim, f, -1, N);
    }
    double t = ssi_soc_tangent(dim, y);
    if (!(t > 0) || p->theta == 0) continue;
    for (int l = 0; l < dim; l++)
      for (int k = 1; k < dim; k++) D[l] -= p->theta * y[k] / t * D[dim * k + l];
    for (int l = 0; l < dim; l++)
      for (int k = 1; k < dim; k++) N[dim * l + k] += p->theta * y[k] / t * N[dim * l];
  }
  return true;
}

// Solves for the direction with F^-1 dy + F dz = g:
//   (W^ + E P) dz = E F g - rho,   dy = E^-1 (W^ dz + rho)
static bool direction(ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++) {
    if (p->aho)
      memcpy(p->b + dim * i, p->g + dim * i, sizeof(double) * (size_t)dim);
    else
      ssi_soc_map(dim, &p->scaling[i], 1, p->g + dim * i, p->b + dim * i);
    apply_slide(dim, p->theta, 1, p->y + dim * i, p->b + dim * i);
  }
  for (int j = 0; j < sys->m; j++) p->b[j] -= p->rho[j];
  if (!ssi_ipm_solve(&p->linear, p->b, p->dz)) return false;
  ssi_ipm_multiply(&p->linear, p->dz, p->dy);
  for (int j = 0; j < sys->m; j++) p->dy[j] += p->rho[j];
  for (int64_t i = 0; i < sys->nc; i++) {
    p->dn[i] = p->dy[dim * i];
    apply_slide(dim, p->theta, -1, p->y + dim * i, p->dy + dim * i);
  }
  return true;
}

typedef struct point {
  double z[3], y[3], zm, ym;
} point;

// The iterate of contact i after a step a. u is linear along it; y is not: y_0 = u_N/mu + |u_T|.
static point move(const ssi_ipm *p, double a, int64_t i) {
  int dim = p->linear.sys->dim;
  const double *z = p->z + dim * i, *y = p->y + dim * i;
  double dz[3], dy[3];
  point x;
  for (int k = 0; k < dim; k++) {
    dz[k] = a * p->dz[dim * i + k];
    dy[k] = a * p->dy[dim * i + k];
    x.z[k] = z[k] + dz[k];
    x.y[k] = y[k] + dy[k];
  }
  x.zm = ssi_soc_margin_after(dim, z, p->zm[i], dz);
  x.ym = p->curved ? p->ym[i] + a * p->dn[i] : ssi_soc_margin_after(dim, y, p->ym[i], dy);
  x.z[0] = x.zm + ssi_soc_tangent(dim, x.z);
  x.y[0] = x.ym + ssi_soc_tangent(dim, x.y);
  return x;
}

static double step_to_boundary(const ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  double step = 1;
  for (int64_t i = 0; i < sys->nc; i++) {
    step = fmin(step, ssi_soc_step(dim, p->z + dim * i, p->zm[i], p->dz + dim * i));
    if (!p->curved)
      step = fmin(step, ssi_soc_step(dim, p->y + dim * i, p->ym[i], p->dy + dim * i));
    else if (p->dn[i] < 0)
      step = fmin(step, p->ym[i] / -p->dn[i]);
  }
  return step;
}

static double gap_after(const ssi_ipm *p, double a) {
  double sum = 0;
  for (int i = 0; i < p->linear.sys->nc; i++) {
    point x = move(p, a, i);
    sum += ssi_soc_gap(p->linear.sys->dim, x.z, x.zm, x.y, x.ym);
  }
  return sum / p->linear.sys->nc;
}

// g = lambda \ (target e - lambda o lambda - (F^-1 dy) o (F dz)) with the predictor's dz, dy
static void corrector(ssi_ipm *p, double target) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++) {
    const ssi_scaling *f = &p->scaling[i];
    double a[3], c[3], own[3];
    if (p->aho) {
      ssi_soc_product(dim, p->dz + dim * i, p->dy + dim * i, a);
      for (int k = 0; k < dim; k++) a[k] = (k == 0 ? target : 0) - a[k];
      ssi_soc_divide_margin(dim, p->z + dim * i, p->zm[i], a, p->g + dim * i);
      for (int k = 0; k < dim; k++) p->g[dim * i + k] -= p->y[dim * i + k];
      continue;
    }
    ssi_soc_map(dim, f, 1, p->dz + dim * i, a);
    ssi_soc_map(dim, f, -1, p->dy + dim * i, c);
    ssi_soc_product(dim, a, c, a);
    ssi_soc_product(dim, f->lambda, f->lambda, own);
    for (int k = 0; k < dim; k++) a[k] = (k == 0 ? target : 0) - own[k] - a[k];
    ssi_soc_divide(dim, f->lambda, a, p->g + dim * i);
  }
}

// det z_i det y_i >= (1e-2 gap)^2 for all i after a step a
static bool central(const ssi_ipm *p, double a) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  double low = 1e-2 * gap_after(p, a);
  for (int i = 0; i < sys->nc; i++) {
    point x = move(p, a, i);
    double dz = ssi_soc_det_margin(dim, x.z, x.zm), dy = ssi_soc_det_margin(dim, x.y, x.ym);
    if (!(x.zm > 0 && x.ym > 0 && sqrt(dz) * sqrt(dy) >= low)) return false;
  }
  return true;
}

bool ssi_ipm_iterate(ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  const char *cm = getenv("IPM_CURVED");
  int mode = cm ? atoi(cm) : 0;
  p->curved = !p->given && (mode == 1 || (mode == 2 && p->theta == 1));
  const char *ah = getenv("IPM_AHO");
  p->aho = ah && p->gap < atof(ah) * p->gap_first;
  if (!scale(p) || !ssi_ipm_factor(&p->linear)) return false;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; k < sys->dim; k++)
      p->g[sys->dim * i + k] = p->aho ? -p->y[sys->dim * i + k] : -p->scaling[i].lambda[k];
  if (!direction(p)) return false;
  if (p->linear.use_global && p->linear.reduced && p->linear.accuracy > 1e-6) {
    p->linear.use_global = false;
    if (!ssi_ipm_factor(&p->linear) || !direction(p)) return false;
  }
  double acc1 = p->linear.accuracy;
  double reach = step_to_boundary(p), left = gap_after(p, reach) / p->gap;
  double sigma = fmin(1, fmax(left * left * left, 1e-8));
  bool lags = p->infeasible / p->infeasible_first > 10 * p->gap / p->gap_first;
  if (lags) sigma = fmax(sigma, 0.5);
  corrector(p, sigma * p->gap);
  if (!direction(p)) return false;
  double tau = getenv("IPM_TAU") ? fmin(0.9999, fmax(0.95, 1 - atof(getenv("IPM_TAU")) * (1 - reach))) : 0.95;
  double a = tau * step_to_boundary(p);
  if (a > 0.94) a = fmin(1, step_to_boundary(p) >= 1 ? 1 : a);
  while (a > 1e-10 && !central(p, a)) a *= 0.8;
  for (int64_t i = 0; i < sys->nc; i++) {
    point x = move(p, a, i);
    memcpy(p->z + sys->dim * i, x.z, sizeof(double) * (size_t)sys->dim);
    memcpy(p->y + sys->dim * i, x.y, sizeof(double) * (size_t)sys->dim);
    p->zm[i] = x.zm;
    p->ym[i] = x.ym;
  }
  p->step = a;
  if (!p->given) p->theta = a < 0.1 ? (p->theta > 0.4 ? p->theta * 0.5 : 0) : 1;
  p->iterations++;
  look(p);
  if (getenv("IPM_LOG"))
    fprintf(stderr, "%3d gap %.2e inf %.2e reach %.3f sigma %.2e step %.3f theta %g lin %.1e %.1e %s\n",
            p->iterations, p->gap, p->infeasible, reach, sigma, a, p->theta, acc1,
            p->linear.accuracy, p->linear.use_global ? "G" : "R");
  return isfinite(p->gap) && isfinite(p->infeasible) && a > 1e-10;
}

void ssi_ipm_reactions(const ssi_ipm *p, double *r) {
  const ssi_system *sys = p->linear.sys;
  for (int64_t i = 0; i < sys->nc; i++) {
    double *ri = r + sys->dim * i;
    for (int k = 0; k < sys->dim; k++)
      ri[k] = p->unit_r * p->linear.T[sys->dim * i + k] * p->z[sys->dim * i + k];
    ssi_project(sys->dim, sys->p.mu[i], ri);
  }
}

// ---- the method ----------------------------------------------------------------------------

typedef struct ipm {
  double s_mode, system;
  ssi_ipm core;
  double *s;
} ipm;

static const char *const s_names[] = {"refreshed", "fixed", NULL};
static const char *const system_names[] = {"auto", "reduced", "global", NULL};
static const ssi_option options[] = {
    {"s", offsetof(ipm, s_mode), 0, 0, 1, "s", s_names},
    {"system", offsetof(ipm, system), 0, 0, 2, "system", system_names},
};

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  ipm *p = state;
  (void)seed;
  p->s = SSI_TAKE(arena, sys->nc, double);
  SS_TRY(ssi_ipm_setup(&p->core, sys, arena));
  if (p->system == 1) p->core.linear.use_global = false;
  if (p->system == 2) p->core.linear.use_global = p->core.linear.global != NULL;
  return SS_OK;
}

static ss_error refresh(void *state, ssi_system *sys) {
  ipm *p = state;
  (void)sys;
  ssi_ipm_refresh(&p->core);
  return SS_OK;
}

static void begin(void *state, ssi_system *sys, const double *r) {
  ipm *p = state;
  (void)r;
  (void)sys;
  p->core.linear.use_global = p->system != 1 && p->core.linear.global != NULL;
  ssi_ipm_begin(&p->core, p->s_mode == 1 ? p->s : NULL);
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  ipm *p = state;
  (void)sys;
  (void)estimate;
  bool ok = ssi_ipm_iterate(&p->core);
  ssi_ipm_reactions(&p->core, r);
  if (getenv("IPM_LOG")) {
    double e, f;
    ssi_system_velocity(sys, r, p->core.g);
    ssi_system_measure(sys, r, p->core.g, &e, &f);
    fprintf(stderr, "          error %.2e fclib %.2e\n", e, f);
  }
  return ok ? SSI_CONTINUE : SSI_STALLED;
}

static void release(void *state) {
  ipm *p = state;
  ssi_ipm_release(&p->core);
}

const ssi_method ssi_method_ipm = {
    .name = "ipm",
    .summary = "primal-dual interior point, s = |u_T| refreshed in every iteration",
    .state_size = sizeof(ipm),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 200,
    .setup = setup,
    .refresh = refresh,
    .begin = begin,
    .step = step,
    .release = release,
};
