// The convex program of aclm by accelerated projected gradient with restart.
//
// In the metric lambda_i (largest eigenvalue of W_ii), in which P_K stays the projection (5) of
// docs/theory.md because lambda_i is one number per contact:
//
//     z = P_K( y - g(y) / (L lambda) )                                                             (1)
//     y = z + beta (z - r),   beta = (t - 1)/t+,   t+ = (1 + sqrt(1 + 4 t^2))/2                     (2)
//
// L is adapted: it grows until d.W d <= L sum lambda_i |d_i|^2 for the step d = z - y, and shrinks by
// 2 % per step otherwise. The momentum restarts when it points uphill, sum lambda (y - z).(z - r) > 0
// [OC15]. g is affine, so that g(y) follows from g(z) and g(r): one product with W per iteration.
//
// Error O(1/k^2) for any W; linear, with sqrt of the condition number, once the active faces settle.
//
// [OC15] B. O'Donoghue, E. Candes, Adaptive restart for accelerated gradient schemes, Found. Comput.
//        Math. 15 (2015) 715-732.
#include <math.h>
#include <string.h>

#include "cone/friction.h"
#include "solvers/aclm.h"

typedef struct apg {
  double *y, *gy, *z, *gz;  // (m)
} apg;

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  apg *s = SSI_TAKE(arena, 1, apg);
  double *a[4];
  for (int k = 0; k < 4; k++) a[k] = SSI_TAKE(arena, p->sys->m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  *s = (apg){a[0], a[1], a[2], a[3]};
  *state = s;
  return SS_OK;
}

// (1); returns the L that this step would have needed.
static double forward(apg *s, const ssi_convex *p, double L) {
  const ssi_system *sys = p->sys;
  int dim = sys->dim;
  for (int i = 0; i < sys->nc; i++) {
    double *zi = s->z + dim * (int64_t)i, step = 1 / (L * sys->lambda_max[i]);
    const double *yi = s->y + dim * (int64_t)i, *gi = s->gy + dim * (int64_t)i;
    for (int k = 0; k < dim; k++) zi[k] = yi[k] - step * gi[k];
    ssi_project(dim, sys->p.mu[i], zi);
  }
  ssi_convex_gradient(p, s->z, s->gz);
  double curvature = 0, length = 0;
  for (int k = 0; k < sys->m; k++) {
    double d = s->z[k] - s->y[k];
    curvature += d * (s->gz[k] - s->gy[k]);
    length += sys->lambda_max[k / dim] * d * d;
  }
  return length > 0 ? curvature / length : 0;
}

static bool uphill(const apg *s, const ssi_system *sys, const double *r) {
  double sum = 0;
  for (int k = 0; k < sys->m; k++)
    sum += sys->lambda_max[k / sys->dim] * (s->y[k] - s->z[k]) * (s->z[k] - r[k]);
  return sum > 0;
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  apg *s = state;
  const ssi_system *sys = p->sys;
  size_t bytes = sizeof(double) * (size_t)sys->m;
  double L = 1, t = 1;
  ssi_convex_gradient(p, r, g);
  memcpy(s->y, r, bytes);
  memcpy(s->gy, g, bytes);
  for (int iter = 0; iter < p->max_iter; iter++) {
    if (ssi_convex_done(p, r, g)) return;
    double needed = forward(s, p, L);
    if (needed > 1.01 * L) {
      L = fmin(1.2 * needed, 2 * L);
      continue;
    }
    L = fmax(0.98 * L, needed);
    if (uphill(s, sys, r)) t = 1;
    double next = (1 + sqrt(1 + 4 * t * t)) / 2, beta = (t - 1) / next;
    t = next;
    for (int k = 0; k < sys->m; k++) {  // (2)
      s->y[k] = s->z[k] + beta * (s->z[k] - r[k]);
      s->gy[k] = s->gz[k] + beta * (s->gz[k] - g[k]);
      r[k] = s->z[k];
      g[k] = s->gz[k];
    }
  }
}

const ssi_inner ssi_inner_apg = {.name = "apg", .setup = setup, .solve = solve};
