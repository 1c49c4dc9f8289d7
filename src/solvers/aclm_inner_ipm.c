// The convex program of aclm by the interior point method, way (i) of [ACLM11, 6]: solvers/ipm.h with s
// given. It starts afresh each time (no warm start), in some 10 to 30 factorisations.
//
// At a degenerate contact r and g are both of the size of the root of the duality gap, so the gap is asked
// for the square of the error wanted, within what double precision can give.
#include <math.h>

#include "base/error.h"
#include "solvers/aclm.h"
#include "solvers/ipm.h"

enum { ITERATIONS = 100 };

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  ssi_ipm *core = SSI_TAKE(arena, 1, ssi_ipm);
  if (!core) return SS_ERR_MEMORY;
  *state = core;
  core->way = SSI_IPM_AUTO;
  core->direction = SSI_IPM_AHO;
  return ssi_ipm_setup(core, p->sys, arena);
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  double tol = fmax(p->tol * p->tol, 1e-15);
  int most = p->max_iter < ITERATIONS ? p->max_iter : ITERATIONS;
  ssi_ipm_refresh(state);  // q and mu may have changed
  ssi_ipm_solve_convex(state, p->s, tol, most, r, g, NULL, NULL);
  ssi_convex_gradient(p, r, g);
}

static void release(void *state) {
  ssi_ipm_release(state);
}

const ssi_inner ssi_inner_ipm = {.name = "ipm", .setup = setup, .solve = solve, .release = release};
