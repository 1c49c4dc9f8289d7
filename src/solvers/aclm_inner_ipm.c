// The convex program of aclm by the interior point method, way (i) of [ACLM11, 6]: solvers/ipm.h with s
// given. It starts afresh each time (no warm start), in some 10 to 30 factorisations.
//
// At a degenerate contact r and g are both of the size of the root of the duality gap, so the gap is asked
// for the square of the error wanted, within what double precision can give; where that is not enough
// apg finishes. The direction is the symmetrised one: Nesterov-Todd's ends near 1e-7.
#include <math.h>

#include "base/error.h"
#include "solvers/aclm.h"
#include "solvers/ipm.h"

enum { ITERATIONS = 100 };

typedef struct inner {
  ssi_ipm core;
  void *exact;  // of apg
} inner;

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  inner *s = SSI_TAKE(arena, 1, inner);
  if (!s) return SS_ERR_MEMORY;
  *state = s;
  s->core.way = SSI_IPM_AUTO;
  s->core.direction = SSI_IPM_AHO;
  SS_TRY(ssi_inner_apg.setup(&s->exact, p, arena));
  return ssi_ipm_setup(&s->core, p->sys, arena);
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  inner *s = state;
  double tol = fmax(p->tol * p->tol, 1e-15);
  int most = p->max_iter < ITERATIONS ? p->max_iter : ITERATIONS;
  ssi_ipm_refresh(&s->core);  // q and mu may have changed
  ssi_ipm_solve_convex(&s->core, p->s, tol, most, r, g, NULL, NULL);
  ssi_inner_apg.solve(s->exact, p, r, g);  // returns at once where r is good enough
}

static void release(void *state) {
  ssi_ipm_release(&((inner *)state)->core);
}

const ssi_inner ssi_inner_ipm = {.name = "ipm", .setup = setup, .solve = solve, .release = release};
