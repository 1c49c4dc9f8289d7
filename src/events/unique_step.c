// The step below which a step has one admissible mode whatever the loads: its friction problem has the matrix
//
//   W(h) = H (M/(c h) - J(h))^-1 H^T
//
// and one solution for every right side as long as mu is below the critical friction of W(h) (criterion `bijective`,
// necessary and sufficient). For one contact on M = a I with stiffness [b c; c b]: 4 a/h^2 = b + mu c.
#include <math.h>

#include "base/error.h"
#include "events/evolution.h"
#include "events/stepping.h"
#include "stickslip/critical.h"

static const double FINEST = 1e-6, COARSEST = 1e6;  // of the scheme's step: where it is looked for
static const double RATIO = 1.1892071150027210667;  // 2^(1/4)
static const double FOUND = 1e-12;                  // relative

static ss_error is_unique(ss_evolution *e, double h, bool *unique) {
  const ss_problem *p;
  ss_critical_options o = ss_critical_options_default();
  *unique = false;
  o.scale_mu = true;
  SS_TRY(ssi_stepping_problem(e->stepping, h, &p));
  ss_error error = ss_critical_test(e->ctx, p, SS_BIJECTIVE, 1, &o, unique, NULL, NULL);
  if (error == SS_ERR_LINEAR || error == SS_ERR_DATA) error = SS_OK;  // M/(c h) - J is not definite
  return error;
}

static ss_error bisect(ss_evolution *e, double low, double high, double *out) {
  while (high - low > FOUND * high) {
    bool unique;
    double h = (low + high) / 2;
    SS_TRY(is_unique(e, h, &unique));
    *(unique ? &low : &high) = h;
  }
  *out = low;
  return SS_OK;
}

ss_error ss_evolution_unique_step(ss_evolution *e, double *below) {
  if (!e || !below) return ssi_missing(NULL, "ss_evolution_unique_step");
  *below = NAN;
  if (e->flow || e->m->dim != 2 || e->m->nc == 0 || e->m->nl) return SS_OK;
  double before = 0;
  for (double h = FINEST * e->o.step; h <= COARSEST * e->o.step; h *= RATIO) {
    bool unique;
    SS_TRY(is_unique(e, h, &unique));
    if (!unique && before > 0) return bisect(e, before, h, below);
    if (!unique) return *below = 0, SS_OK;
    before = h;
  }
  *below = INFINITY;
  return SS_OK;
}
