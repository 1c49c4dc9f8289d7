// Families of one problem: over a common friction coefficient, and over a factor of the load.
#include "base/error.h"
#include "problem/owned.h"
#include "stickslip/trace.h"

// A copy that borrows all arrays but the one of `count` numbers that is returned; NULL: no memory.
static double *copy_but(ss_context *ctx, const ss_problem *p, int count, ss_problem **out) {
  ssi_owned *own = ssi_owned_create(ctx);
  double *x = own ? SSI_TAKE(&own->arena, count + 1, double) : NULL;
  if (x) {
    own->problem = *p;
    *out = &own->problem;
    return x;
  }
  if (own) ss_problem_destroy(&own->problem);
  ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a problem");
  return NULL;
}

ss_error ss_trace_over_mu(void *user, ss_context *ctx, double p, ss_problem **out) {
  if (!user || !out) return ssi_missing(ctx, "ss_trace_over_mu");
  const ss_problem *base = user;
  if (!(p >= 0)) return ssi_fail(ctx, SS_ERR_ARGUMENT, "friction %g, expected >= 0", p);
  double *mu = copy_but(ctx, base, base->nc, out);
  if (!mu) return SS_ERR_MEMORY;
  for (int i = 0; i < base->nc; i++) mu[i] = p;
  (*out)->mu = mu;
  return SS_OK;
}

ss_error ss_trace_over_load(void *user, ss_context *ctx, double p, ss_problem **out) {
  if (!user || !out) return ssi_missing(ctx, "ss_trace_over_load");
  const ss_problem *base = user;
  bool global = base->form == SS_GLOBAL;
  int count = global ? base->ndof : base->dim * base->nc;
  double *load = copy_but(ctx, base, count, out);
  if (!load) return SS_ERR_MEMORY;
  for (int i = 0; i < count; i++) load[i] = p * (global ? base->f : base->q)[i];
  if (global)
    (*out)->f = load;
  else
    (*out)->q = load;
  return SS_OK;
}
