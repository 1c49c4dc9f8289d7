// See refute.h.
#include "analysis/refute.h"

#include "base/error.h"

enum { ITERATIONS = 60 };

static bool copy_block(ssi_arena *arena, const ssi_refute_data *d, int n, const int *contact,
                       ss_problem *p) {
  int dim = d->p->dim, m = dim * n;
  int64_t *ptr = SSI_TAKE(arena, m + 1, int64_t);
  int *col = SSI_TAKE(arena, m * m, int);
  double *x = SSI_TAKE(arena, m * m, double), *q = SSI_TAKE(arena, m, double);
  double *mu = SSI_TAKE(arena, n, double);
  if (arena->failed) return false;
  for (int i = 0; i < m; i++) {
    size_t row = (size_t)(dim * contact[i / dim] + i % dim);
    mu[i / dim] = d->p->mu[contact[i / dim]];
    q[i] = d->q[row];
    ptr[i + 1] = (int64_t)(i + 1) * m;
    for (int j = 0; j < m; j++) {
      col[i * m + j] = j;
      x[i * m + j] = d->W[row * (size_t)d->m + (size_t)(dim * contact[j / dim] + j % dim)];
    }
  }
  *p = (ss_problem){.form = SS_REDUCED, .dim = dim, .nc = n, .mu = mu, .q = q};
  p->W = (ss_sparse){m, m, ptr, col, x};
  return true;
}

ss_error ssi_refute_trial_create(ss_context *ctx, ssi_arena *arena, const ssi_refute_data *d, int n,
                                 const int *contact, double tol, ssi_refute_trial *out) {
  *out = (ssi_refute_trial){.r = SSI_TAKE(arena, d->p->dim * n, double)};
  if (!copy_block(arena, d, n, contact, &out->p))
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the states");
  ss_options o = ss_options_default();
  o.method = "newton", o.tol = tol, o.max_iter = ITERATIONS, o.threads = 1;
  ss_error e = ss_solver_create(ctx, &out->p, &o, &out->solver);
  if (e == SS_ERR_MEMORY) return e;
  if (e) out->solver = NULL;  // a W that the method refuses: no trials
  return SS_OK;
}

void ssi_refute_trial_release(ssi_refute_trial *t) {
  ss_solver_destroy(t->solver);
  t->solver = NULL;
}

bool ssi_refute_trial_run(ssi_refute_trial *t) {
  ss_info info;
  if (!t->solver || ss_solve(t->solver, t->r, NULL, NULL, NULL, &info)) return false;
  return info.status == SS_SOLVED;
}
