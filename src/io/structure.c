// io/structure.c - the one check that every reader's result and every problem to be written passes.
#include <math.h>

#include "base/error.h"
#include "io/reader.h"
#include "problem/check.h"

static bool is_finite(const double *x, int length) {
  for (int k = 0; x && k < length; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

static void say_if_not_finite(ss_context *ctx, const char *name, const char *what,
                              const ss_problem *p, const ss_solution *s) {
  int m = p->dim * p->nc;
  if (!is_finite(s->r, m) || !is_finite(s->u, m) || !is_finite(s->v, p->ndof) ||
      !is_finite(s->l, p->nl))
    ssi_log(ctx, SS_LOG_WARN, "%s: the %s in it has numbers that are not finite", name, what);
}

ss_error ssi_check_structure(ss_context *ctx, ss_error code, const char *name,
                             const ss_file *what) {
  const ss_problem *p = &what->problem;
  SS_TRY(ssi_problem_check_arrays(ctx, code, name, p));
  if (!is_finite(what->normals, p->dim * p->nc))
    return ssi_fail(ctx, code, "%s: normals: expected finite numbers", name);
  if ((what->gap || what->rate) && p->form != SS_GLOBAL)
    return ssi_fail(ctx, code, "%s: gaps and rates belong to an instant, which has the global form",
                    name);
  if (!is_finite(what->gap, p->nc))
    return ssi_fail(ctx, code, "%s: gap: expected finite numbers", name);
  if (!is_finite(what->rate, p->dim * p->nc))
    return ssi_fail(ctx, code, "%s: rate: expected finite numbers", name);
  say_if_not_finite(ctx, name, "solution", p, &what->solution);
  for (int k = 0; k < what->guess_count; k++)
    say_if_not_finite(ctx, name, "guess", p, &what->guesses[k]);
  return SS_OK;
}
