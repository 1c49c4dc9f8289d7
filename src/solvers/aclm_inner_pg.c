// The convex program of aclm by projected gradient, way (v) of [ACLM11, 6]:
//
//     r <- P_K( r - g/L ),    g = W r + q + mu s e,    L >= largest eigenvalue of sym(W)           (1)
//
// The paper gives its stopping test and its limit of 250 iterations but no rule for the step; here it
// is constant. L comes from power iteration, is 5 % larger, and grows whenever a step d shows
// d.W d > L |d|^2. No preconditioning: this is the yardstick, not the method of choice. One product
// with W per iteration; the number of iterations grows with the condition number of W.
#include <string.h>

#include "cone/friction.h"
#include "solvers/aclm.h"

typedef struct pg {
  double L;
  double *z, *gz;  // (m)
} pg;

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  pg *s = SSI_TAKE(arena, 1, pg);
  double *z = SSI_TAKE(arena, p->sys->m, double), *gz = SSI_TAKE(arena, p->sys->m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  *s = (pg){.z = z, .gz = gz};
  s->L = 1.05 * ssi_convex_spectral_radius(p, z, gz);
  if (!(s->L > 0)) s->L = 1;
  *state = s;
  return SS_OK;
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  pg *s = state;
  const ssi_system *sys = p->sys;
  int dim = sys->dim;
  double L = s->L;  // a local copy: the same bits in every solve
  ssi_convex_gradient(p, r, g);
  for (int iter = 0; iter < p->max_iter; iter++) {
    if (ssi_convex_done(p, r, g)) return;
    for (int i = 0; i < sys->nc; i++) {
      double *zi = s->z + dim * (int64_t)i;
      for (int k = 0; k < dim; k++) zi[k] = r[dim * (int64_t)i + k] - g[dim * (int64_t)i + k] / L;
      ssi_project(dim, sys->p.mu[i], zi);  // (1)
    }
    ssi_convex_gradient(p, s->z, s->gz);
    double curvature = 0, length = 0;
    for (int k = 0; k < sys->m; k++) {
      double d = s->z[k] - r[k];
      curvature += d * (s->gz[k] - g[k]);
      length += d * d;
    }
    if (curvature > 1.01 * L * length) {
      L = 1.05 * curvature / length;
      continue;
    }
    memcpy(r, s->z, sizeof(double) * (size_t)sys->m);
    memcpy(g, s->gz, sizeof(double) * (size_t)sys->m);
  }
}

const ssi_inner ssi_inner_pg = {.name = "pg", .setup = setup, .solve = solve};
