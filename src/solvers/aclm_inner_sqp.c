// The convex program of aclm by sequential quadratic programming, way (iii) of [ACLM11, 6], here on
// the dual (4.7): min f(r) = 1/2 r.W r + c.r subject to the smooth constraints mu r_N - |r_T| >= 0.
//
// At y = P_K(r - g/lambda), which unlike r is never close to the apex by chance, with t the direction
// of (r - g/lambda)_T, the constraint linearised is mu r_N - t.r_T >= 0; with r_N >= 0 it leaves a wedge
//
//     r = x_1 (1, mu t)/sqrt(1 + mu^2) + x_2 (0, -t) + x_3 (0, t'),   x_1, x_2 >= 0, x_3 free     (1)
//
// t' orthogonal to t. The multiplier of the constraint is nu = max(0, -t.g_T), from which the Hessian
// of the Lagrangian W + B, and with a proximal term the program
//
//     min  1/2 z.(W + B + alpha D) z + (c - alpha D r).z   on (1)                                 (2)
//     B = nu/|y_T| t' t'^T,   D = diag(lambda_i)
//
// Its solution, projected onto K, is taken when f or the error falls; else alpha grows. Quadratic
// convergence near a solution with alpha -> 0. In 2D and for mu = 0 the constraints are linear and
// (2) is exact.
#include <math.h>
#include <string.h>

#include "cone/friction.h"
#include "solvers/aclm_columns.h"

typedef struct sqp {
  ssi_columns columns;
  double *c, *linear;  // q + mu s e, and the linear term of (2)   (m)
  double *z, *gz;      // candidate   (m)
} sqp;

enum { ROUNDS = 100 };

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  sqp *s = SSI_TAKE(arena, 1, sqp);
  if (!s) return SS_ERR_MEMORY;
  *state = s;
  double **arrays[] = {&s->c, &s->linear, &s->z, &s->gz};
  for (int k = 0; k < 4; k++) *arrays[k] = SSI_TAKE(arena, p->sys->m, double);
  return ssi_columns_take(&s->columns, p, 3, true, arena);
}

// (1) at y = P_K(r - g/lambda), and the block of B + alpha D.
static void add_wedge(ssi_columns *c, int i, const double *r, const double *g, double *B) {
  double mu = c->p->sys->p.mu[i], lambda = c->p->sys->lambda_max[i], n = sqrt(1 + mu * mu);
  double y[3], t[2] = {1, 0};
  for (int k = 0; k < 3; k++) y[k] = r[k] - g[k] / lambda;
  double length = ssi_tangent_norm(3, y);
  if (length > 0) t[0] = y[1] / length, t[1] = y[2] / length;
  ssi_project(3, mu, y);
  length = ssi_tangent_norm(3, y);
  double first[3] = {1 / n, mu * t[0] / n, mu * t[1] / n}, second[3] = {0, -t[0], -t[1]};
  double across[3] = {0, -t[1], t[0]};
  double nu = fmax(0, -(t[0] * g[1] + t[1] * g[2]));
  double curvature = length > 0 ? fmin(nu / length, 1e3 * lambda) : nu > 0 ? 1e3 * lambda : 0;
  ssi_columns_add(c, first, lambda, true, n * r[0]);
  ssi_columns_add(c, second, lambda, true, mu * r[0] - (t[0] * r[1] + t[1] * r[2]));
  ssi_columns_add(c, across, lambda + curvature, false, across[1] * r[1] + across[2] * r[2]);
  for (int k = 1; k < 3; k++)
    for (int l = 1; l < 3; l++) B[3 * k + l] += curvature * across[k] * across[l];
}

static void set_up_program(sqp *s, const ssi_convex *p, double alpha, const double *r,
                           const double *g) {
  ssi_columns *c = &s->columns;
  const ssi_system *sys = p->sys;
  int dim = sys->dim;
  ssi_columns_start(c);
  for (int i = 0; i < sys->nc; i++) {
    const double *ri = r + dim * (int64_t)i;
    double *B = c->B + dim * dim * (int64_t)i, prox = alpha * sys->lambda_max[i];
    memset(B, 0, sizeof(double) * (size_t)(dim * dim));
    for (int k = 0; k < dim; k++) {
      B[(dim + 1) * k] = prox;
      s->linear[dim * (int64_t)i + k] = s->c[dim * (int64_t)i + k] - prox * ri[k];
    }
    if (!ssi_columns_exact(c, i, ri)) add_wedge(c, i, ri, g + dim * (int64_t)i, B);
    ssi_columns_close(c, i);
  }
}

static double objective(const sqp *s, int m, const double *r, const double *g) {
  double sum = 0;
  for (int k = 0; k < m; k++) sum += r[k] * (g[k] + s->c[k]);
  return sum / 2;
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  sqp *s = state;
  const ssi_system *sys = p->sys;
  size_t bytes = sizeof(double) * (size_t)sys->m;
  int left = p->max_iter, dim = sys->dim;
  double alpha = 1e-2;
  s->columns.p = p;
  memcpy(s->c, sys->q, bytes);
  for (int i = 0; i < sys->nc; i++) {
    s->c[dim * (int64_t)i] += sys->p.mu[i] * p->s[i];
    ssi_project(dim, sys->p.mu[i], r + dim * (int64_t)i);
  }
  ssi_convex_gradient(p, r, g);
  double error = ssi_convex_error(p, r, g);
  for (int round = 0; round < ROUNDS && left > 0 && !ssi_system_stopped(sys); round++) {
    double tol = ssi_convex_reachable(p, r);
    if (error <= tol) return;
    set_up_program(s, p, alpha, r, g);
    left -= ssi_columns_solve(&s->columns, s->linear, fmax(0.1 * tol, 0.01 * error), left, s->z);
    for (int i = 0; i < sys->nc; i++) ssi_project(dim, sys->p.mu[i], s->z + dim * (int64_t)i);
    ssi_convex_gradient(p, s->z, s->gz);
    double now = ssi_convex_error(p, s->z, s->gz);
    bool falls = objective(s, sys->m, s->z, s->gz) < objective(s, sys->m, r, g);
    if (now < 0.9 * error || falls) {
      memcpy(r, s->z, bytes);
      memcpy(g, s->gz, bytes);
      error = now;
      alpha = fmax(alpha / 5, 1e-9);
    } else if ((alpha *= 10) > 1e6) {
      return;
    }
  }
}

const ssi_inner ssi_inner_sqp = {.name = "sqp", .setup = setup, .solve = solve};
