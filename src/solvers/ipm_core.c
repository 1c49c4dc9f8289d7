// One iteration of the primal-dual interior ipm_point method, s = |u_T| included.
//
// Scaled variables of one contact, T = c diag(1/mu, 1, 1), c such that T W_ii T is about 1:
//
//   r = T z,   y = T (u + mu s e),   z, y ∈ Q = { |x_T| <= x_0 },   u = W r + q                 (1)
//
// so that (4) of docs/theory.md is, with W^ = T W T, q^ = T q, e = (1, 0, 0) and s = |u_T| = |y_T|,
//
//   rho = W^ z + q^ + |y_T| e - y = 0,     z o y = 0,     z, y in Q                             (2)
//
// with the Jordan product o of cone/soc.h. A contact without friction has T = c diag(1, 0, 0): z_T and
// y_T stay 0 and Q is the half-line. Newton on z o y = target e with the whole derivative of |y_T|,
// n = y_T/|y_T|, E = I - theta e n^T, theta = 1:
//
//   E dy = W^ dz + rho,     L_z dy + L_y dz = g        L_x the matrix of x o .                  (3)
//   (W^ + E L_z^-1 L_y) dz = E L_z^-1 g - rho,         dy = E^-1 (W^ dz + rho)                  (4)
//
// That is the direction of Alizadeh, Haeberly and Overton [AHO98]. The one of Nesterov and Todd puts
// P of cone/soc.h in place of L_z^-1 L_y. On a slipping contact z and y tend to opposite rays; the
// angle between them is a Newton iteration of its own in (3), while the scaled equations see only its
// square: with [NT97] the error falls like the root of the gap, with [AHO98] like the gap.
//
// y does not move along dy but so that (1) stays true: u moves along du = W^ dz + rho, and
// y_0 = u_N/mu + |u_T|. Then rho shrinks by 1 - a with every step a, as in a linear problem, and y is
// inside Q as long as u_N > 0. Where that allows next to no step, theta is reduced and the next step is
// a straight one, which lets rho grow.
//
// Mehrotra's predictor and corrector, equal steps for z and y.
//
// [AHO98] F. Alizadeh, J.-P. Haeberly, M. Overton, Primal-dual interior-point methods for
//         semidefinite programming, SIAM Journal on Optimization 8 (1998) 746-768.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "cone/pairs.h"
#include "cone/split.h"
#include "la/small.h"
#include "solvers/ipm.h"

enum { PATIENCE = 12 };  // iterations without progress

// By bodies N = D^-1 is a stiffness, and rounding of what it multiplies limits the answer: with 1/N near
// 1e-14, where a contact sticks, the error ends between 1e-6 and 1e-5. W^ + PROXIMAL I takes the place of W^
// in (3), pulling towards the present z: rho keeps PROXIMAL |dz| of a step, which vanishes with dz.
// Not needed where the reduced system is at hand for the end.
static const double PROXIMAL = 1e-10;

static double proximal(const ssi_ipm *p) {
  return p->linear.use_global && !p->linear.reduced.W.ptr ? PROXIMAL : 0;
}

// ---- life cycle ----------------------------------------------------------------------------

ss_error ssi_ipm_setup(ssi_ipm *p, ssi_system *sys, ssi_arena *arena) {
  double **vectors[] = {&p->q, &p->z, &p->y, &p->rho, &p->dz, &p->dy, &p->g, &p->b};
  double **numbers[] = {&p->s, &p->margin_z, &p->margin_y, &p->dn};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = SSI_TAKE(arena, sys->m, double);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    *numbers[k] = SSI_TAKE(arena, sys->nc, double);
  p->scaling = SSI_TAKE(arena, sys->nc, ssi_scaling);
  if (arena->failed) return SS_ERR_MEMORY;
  return ssi_ipm_linear_setup(&p->linear, sys, p->way, arena);
}

void ssi_ipm_scale(const ssi_system *sys, int64_t i, double *T) {
  int dim = sys->dim;
  const double *W = sys->diag + dim * dim * i;
  double mu = sys->p.mu[i], mean = 0;
  T[0] = mu > 0 ? 1 / mu : 1;
  for (int k = 1; k < dim; k++) T[k] = mu > 0;
  for (int k = 0; k < dim; k++) mean += T[k] * W[(dim + 1) * k] * T[k] / dim;
  if (!(mean > 0)) mean = sys->lambda_max[i];
  for (int k = 0; k < dim; k++) T[k] /= sqrt(mean);
}

void ssi_ipm_refresh(ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  double square = 0;
  for (int64_t i = 0; i < sys->nc; i++) ssi_ipm_scale(sys, i, p->linear.T + sys->dim * i);
  for (int j = 0; j < sys->m; j++) {  // by norm_q first: squares of 1e-200 are 0
    p->q[j] = sys->norm_q > 0 ? p->linear.T[j] * (sys->q[j] / sys->norm_q) : 0;
    square += p->q[j] * p->q[j];
  }
  double scale = square > 0 ? 1 / sqrt(square) : 1;
  for (int j = 0; j < sys->m; j++) p->q[j] *= scale;
  p->unit = sys->norm_q > 0 ? sys->norm_q / scale : 1;
}

void ssi_ipm_release(ssi_ipm *p) {
  ssi_ipm_linear_release(&p->linear);
}

// ---- where the iterate is ------------------------------------------------------------------

// rho, gap, infeasible and energy of the iterate
static void look(ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  double gap = 0, square = 0, quadratic = 0, linear = 0;
  ssi_ipm_multiply(&p->linear, p->z, p->rho);
  for (int64_t i = 0; i < sys->nc; i++) {
    const double *z = p->z + dim * i, *y = p->y + dim * i;
    double *rho = p->rho + dim * i, s = p->given ? p->s[i] : ssi_soc_tangent(dim, y);
    quadratic += ssi_soc_dot(dim, z, rho);
    linear += ssi_soc_dot(dim, z, p->q + dim * i) + z[0] * s;
    for (int k = 1; k < dim; k++) rho[k] += p->q[dim * i + k] - y[k];
    rho[0] += p->q[dim * i] - p->margin_y[i];  // y_0 - s without cancellation
    if (p->given) rho[0] += s - ssi_soc_tangent(dim, y);
    for (int k = 0; k < dim; k++) square += rho[k] * rho[k];
    gap += ssi_soc_gap(dim, z, p->margin_z[i], y, p->margin_y[i]);
  }
  p->gap = sys->nc ? gap / sys->nc : 0;
  p->infeasible = sqrt(square);
  p->energy = 0.5 * fabs(quadratic) + fabs(linear);
}

void ssi_ipm_begin(ssi_ipm *p, const double *s, double z0, double y0) {
  const ssi_system *sys = p->linear.sys;
  p->given = s != NULL;
  for (int j = 0; j < sys->m; j++) {
    p->z[j] = j % sys->dim ? 0 : z0;
    p->y[j] = j % sys->dim ? 0 : y0;
  }
  for (int i = 0; i < sys->nc; i++) {
    p->margin_z[i] = z0;
    p->margin_y[i] = y0;
    if (s) p->s[i] = p->linear.T[(int64_t)sys->dim * i + 1] * (s[i] / p->unit);  // mu s T_N
  }
  p->theta = s ? 0 : 1;
  p->best_gap = p->best_infeasible = INFINITY;
  p->idle = 0;
  p->linear.use_global = p->linear.global.lu.n > 0;
  look(p);
  p->gap_first = p->gap;
  p->infeasible_first = p->infeasible;
}

void ssi_ipm_begin_near(ssi_ipm *p, const double *s, const double *r, const double *u, double tau) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  ssi_ipm_begin(p, s, 1, 1);
  for (int64_t i = 0; i < sys->nc; i++) {
    const double *T = p->linear.T + dim * i;
    double x[3] = {0}, slip = s ? s[i] : ssi_tangent_norm(dim, u + dim * i);
    for (int k = 0; k < dim; k++) {
      double z = T[k] > 0 ? r[dim * i + k] / T[k] : 0;
      double y = T[k] * (u[dim * i + k] + (k == 0 ? sys->p.mu[i] * slip : 0));
      x[k] = (z - y) / p->unit;
    }
    ssi_split apart;
    ssi_split_of(dim, x, tau, &apart);
    memcpy(p->z + dim * i, apart.z, sizeof(double) * (size_t)dim);
    memcpy(p->y + dim * i, apart.y, sizeof(double) * (size_t)dim);
    p->margin_z[i] = apart.margin_z, p->margin_y[i] = apart.margin_y;
  }
  look(p);
  p->gap_first = p->gap;
  p->infeasible_first = p->infeasible;
}

static ssi_cone_pairs pairs_of(const ssi_ipm *p) {
  return (ssi_cone_pairs){.dim = p->linear.sys->dim,
                          .count = p->linear.sys->nc,
                          .z = p->z,
                          .y = p->y,
                          .margin_z = p->margin_z,
                          .margin_y = p->margin_y,
                          .dz = p->dz,
                          .dy = p->dy,
                          .dn = p->curved ? p->dn : NULL};
}

static double step_to_boundary(const ssi_ipm *p) {
  ssi_cone_pairs pairs = pairs_of(p);
  return ssi_pairs_reach(&pairs, 1);
}

static double gap_after(const ssi_ipm *p, double a) {
  ssi_cone_pairs pairs = pairs_of(p);
  return ssi_pairs_gap_after(&pairs, a, 0) / p->linear.sys->nc;
}

static bool central(const ssi_ipm *p, double a) {
  ssi_cone_pairs pairs = pairs_of(p);
  return ssi_pairs_central(&pairs, a, 1e-2 * gap_after(p, a));
}

// ---- the direction -------------------------------------------------------------------------

// B = L_x^-1 L_y
static void quotient(int dim, const double *x, double margin, const double *y, double *B) {
  for (int l = 0; l < dim; l++) {
    double column[3] = {0};
    for (int k = 0; k < dim; k++) column[k] = l == 0 ? y[k] : k == l ? y[0] : k == 0 ? y[l] : 0;
    ssi_soc_divide(dim, x, margin, column, column);
    for (int k = 0; k < dim; k++) B[dim * k + l] = column[k];
  }
}

// D += PROXIMAL I, N = D^-1
static bool stiffen(int dim, double *D, double *N) {
  double A[9];
  for (int k = 0; k < dim; k++) D[(dim + 1) * k] += PROXIMAL;
  memcpy(A, D, sizeof(double) * (size_t)(dim * dim));
  return ssi_invert_small(dim, A, N);
}

// D = E B and N = B^-1 E^-1 of every contact, B = L_z^-1 L_y or P. false: an iterate left its cone.
static bool fill_blocks(ssi_ipm *p) {
  int dim = p->linear.sys->dim;
  for (int64_t i = 0; i < p->linear.sys->nc; i++) {
    const double *z = p->z + dim * i, *y = p->y + dim * i;
    double *D = p->linear.D + dim * dim * i, *N = p->linear.N + dim * dim * i;
    if (!(p->margin_z[i] > 0 && p->margin_y[i] > 0)) return false;
    if (p->direction == SSI_IPM_NT) {
      if (!ssi_soc_scaling(dim, z, p->margin_z[i], y, p->margin_y[i], &p->scaling[i])) return false;
      ssi_soc_square(dim, &p->scaling[i], 1, D);
      ssi_soc_square(dim, &p->scaling[i], -1, N);
    } else {
      quotient(dim, z, p->margin_z[i], y, D);
      quotient(dim, y, p->margin_y[i], z, N);
    }
    double t = ssi_soc_tangent(dim, y);
    for (int k = 1; t > 0 && k < dim; k++)
      for (int l = 0; l < dim; l++) {
        D[l] -= p->theta * y[k] / t * D[dim * k + l];
        N[dim * l + k] += p->theta * y[k] / t * N[dim * l];
      }
    if (proximal(p) > 0 && !stiffen(dim, D, N)) return false;
  }
  return true;
}

// x <- x - theta (n.x_T) e, which is E x; E^-1 x for -theta
static void apply_E(int dim, double theta, const double *y, double *x) {
  double t = ssi_soc_tangent(dim, y);
  for (int k = 1; t > 0 && k < dim; k++) x[0] -= theta * y[k] / t * x[k];
}

// (4): dz, dy and dn from g, which holds the dy that dz = 0 would ask for
static bool solve_direction(ssi_ipm *p) {
  const ssi_system *sys = p->linear.sys;
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++) {
    memcpy(p->b + dim * i, p->g + dim * i, sizeof(double) * (size_t)dim);
    apply_E(dim, p->theta, p->y + dim * i, p->b + dim * i);
  }
  for (int j = 0; j < sys->m; j++) p->b[j] -= p->rho[j];
  if (!ssi_ipm_solve(&p->linear, p->b, p->dz)) return false;
  ssi_ipm_multiply(&p->linear, p->dz, p->dy);
  double pull = proximal(p);
  for (int j = 0; j < sys->m; j++) p->dy[j] += p->rho[j] + pull * p->dz[j];
  for (int64_t i = 0; i < sys->nc; i++) {
    p->dn[i] = p->dy[dim * i];
    apply_E(dim, -p->theta, p->y + dim * i, p->dy + dim * i);
  }
  return true;
}

// Towards z o y = 0. The global system may be too inaccurate for that; then the reduced one, from
// here on.
static bool predictor(ssi_ipm *p) {
  for (int j = 0; j < p->linear.sys->m; j++) p->g[j] = -p->y[j];
  bool done = ssi_ipm_factor(&p->linear) && solve_direction(p);
  if (!p->linear.use_global || !p->linear.reduced.W.ptr) return done;
  if (done && p->linear.accuracy < 1e-6) return true;
  p->linear.use_global = false;
  return ssi_ipm_factor(&p->linear) && solve_direction(p);
}

// Towards z o y = target e, less the square of the predictor where it is wanted.
static bool corrector(ssi_ipm *p, double target, bool second_order) {
  int dim = p->linear.sys->dim;
  for (int64_t i = 0; i < p->linear.sys->nc; i++) {
    const double *dz = p->dz + dim * i, *dy = p->dy + dim * i;
    double *g = p->g + dim * i, a[3];
    if (p->direction == SSI_IPM_NT) {
      ssi_soc_correction(dim, &p->scaling[i], dz, dy, target, second_order, a);
      ssi_soc_map(dim, &p->scaling[i], 1, a, a);
    } else {
      ssi_soc_product(dim, dz, dy, a);
      for (int k = 0; k < dim; k++) a[k] = (k ? 0 : target) - (second_order ? a[k] : 0);
      ssi_soc_divide(dim, p->z + dim * i, p->margin_z[i], a, a);
    }
    for (int k = 0; k < dim; k++) g[k] = a[k] - p->y[dim * i + k];
  }
  return solve_direction(p);
}

// ---- the iteration -------------------------------------------------------------------------

static double centring(const ssi_ipm *p, double reach) {
  double left = gap_after(p, reach) / p->gap;
  double sigma = fmin(1, fmax(left * left * left, 1e-8));
  bool lags = p->infeasible * p->gap_first > 10 * p->gap * p->infeasible_first;
  return lags ? fmax(sigma, 0.5) : sigma;
}

static void take_step(ssi_ipm *p, double a) {
  ssi_cone_pairs pairs = pairs_of(p);
  ssi_pairs_move(&pairs, a);
  if (!p->given) p->theta = a >= 0.1 ? 1 : p->theta > 0.4 ? 0.8 * p->theta : 0;
  look(p);
}

static bool progresses(ssi_ipm *p) {
  if (!isfinite(p->gap) || !isfinite(p->infeasible)) return false;
  bool better = p->gap < 0.9 * p->best_gap || p->infeasible < 0.9 * p->best_infeasible;
  p->idle = better ? 0 : p->idle + 1;
  p->best_gap = fmin(p->best_gap, p->gap);
  p->best_infeasible = fmin(p->best_infeasible, p->infeasible);
  return p->idle < PATIENCE;
}

bool ssi_ipm_iterate(ssi_ipm *p) {
  if (!p->linear.sys->nc) return false;
  p->curved = !p->given && p->theta == 1;
  if (!fill_blocks(p) || !predictor(p)) return false;
  double reach = step_to_boundary(p);
  double target = centring(p, reach) * p->gap;
  if (!corrector(p, target, true)) return false;
  double full = step_to_boundary(p);
  if (full < 0.1 * reach) {  // the square can be all rounding, or all curvature
    if (!corrector(p, target, false)) return false;
    full = step_to_boundary(p);
  }
  // 0.95 of the way to the boundary, and nearer where the predictor already got that far
  double a = full >= 1 ? 1 : fmin(0.9999, fmax(0.95, reach)) * full;
  while (a > 1e-10 && !central(p, a)) a *= 0.8;
  if (!(a > 1e-10)) return false;
  take_step(p, a);
  return progresses(p);
}

void ssi_ipm_reactions(const ssi_ipm *p, double *r) {
  const ssi_system *sys = p->linear.sys;
  for (int64_t i = 0; i < sys->nc; i++) {
    double *ri = r + sys->dim * i;
    for (int k = 0; k < sys->dim; k++)
      ri[k] = p->unit * p->linear.T[sys->dim * i + k] * p->z[sys->dim * i + k];
    ssi_project(sys->dim, sys->p.mu[i], ri);
  }
}

double ssi_ipm_relative_gap(const ssi_ipm *p) {
  double gap = p->gap * p->linear.sys->nc;
  return gap / fmax(p->energy, 1e-2);  // |q|^2 = 1: an answer r = 0 has no energy of its own
}

bool ssi_ipm_converged(const ssi_ipm *p, double tol) {
  double size = 1;
  for (int i = 0; p->given && i < p->linear.sys->nc; i++) size = fmax(size, p->s[i]);
  return ssi_ipm_relative_gap(p) <= tol && p->infeasible <= tol * size;
}

bool ssi_ipm_solve_convex(ssi_ipm *p, const double *s, double tol, int max_iter, double *r,
                          double *u, double *gap, int *iterations) {
  int done = 0;
  ssi_ipm_begin(p, s, 1, 1);
  bool converged = p->linear.sys->nc == 0, going = !converged;
  for (; going && !converged && done < max_iter; done++) {
    going = !ssi_system_stopped(p->linear.sys) && ssi_ipm_iterate(p);
    converged = ssi_ipm_converged(p, tol);
  }
  ssi_ipm_reactions(p, r);
  ssi_system_velocity(p->linear.sys, r, u);
  if (gap) *gap = ssi_ipm_relative_gap(p);
  if (iterations) *iterations = done;
  return converged;
}
