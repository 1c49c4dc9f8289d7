// A structure as one static problem, whole or condensed onto its contacts.
//
//   K x = f + H^T r,  u = H x + b - (I - e e^T) g_0.  Condensed, with S = (H K^-1 H^T)^-1 and q = H K^-1 f + ...:
//   S u' = S q' + r,  u = u' + gaps:  M = S, H = I, f = -S q', w the gaps along normals                  (4)
#include <string.h>

#include "base/error.h"
#include "elastic/march.h"
#include "la/sparse.h"
#include "problem/owned.h"

static ss_error no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a static problem");
}

// S = W^-1, its halves made equal, dense rows.
static ss_error invert(ss_context *ctx, ssi_arena *arena, const ss_sparse *W, ss_sparse *out) {
  size_t n = (size_t)W->rows;
  ssi_arena scratch = {.ctx = ctx};
  double *S = SSI_TAKE(&scratch, n * n + 1, double);
  int64_t *ptr = SSI_TAKE(arena, n + 1, int64_t);
  int *col = SSI_TAKE(arena, n * n + 1, int);
  double *x = SSI_TAKE(arena, n * n + 1, double);
  ssi_factor *f = NULL;
  ss_error e = scratch.failed || arena->failed ? no_memory(ctx) : ssi_factor_create(ctx, W, &f);
  for (size_t i = 0; !e && i < n; i++) S[i * n + i] = 1;
  if (!e) e = ssi_factor_solve_many(f, W->rows, S, S);
  for (size_t k = 0; !e && k < n * n; k++) {
    size_t i = k / n, j = k % n;
    ptr[i + 1] = (int64_t)k + 1, col[k] = (int)j;
    x[k] = 0.5 * (S[i * n + j] + S[j * n + i]);
  }
  ssi_factor_destroy(f);
  ssi_arena_release(&scratch);
  *out = (ss_sparse){W->rows, W->rows, ptr, col, x};
  return e;
}

static bool identity(ssi_arena *arena, int n, ss_sparse *out) {
  int64_t *ptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  int *col = SSI_TAKE(arena, n + 1, int);
  double *x = SSI_TAKE(arena, n + 1, double);
  for (int i = 0; !arena->failed && i < n; i++) ptr[i + 1] = i + 1, col[i] = i, x[i] = 1;
  *out = (ss_sparse){n, n, ptr, col, x};
  return !arena->failed;
}

static ss_error condense(ss_context *ctx, const ss_march *m, ssi_owned *o) {
  ss_problem *p = &o->problem;
  const ss_problem *r = m->reduced;
  double *f = SSI_TAKE(&o->arena, m->m + 1, double), *w = SSI_TAKE(&o->arena, m->m + 1, double);
  double *rest = SSI_TAKE(&o->arena, m->m + 1, double);
  *p =
      (ss_problem){.form = SS_GLOBAL, .dim = m->s.dim, .nc = m->s.nc, .ndof = m->m, .f = f, .w = w};
  if (o->arena.failed || !identity(&o->arena, m->m, &p->H)) return no_memory(ctx);
  SS_TRY(invert(ctx, &o->arena, &r->W, &p->M));
  for (int i = 0; i < m->m; i++) {
    w[i] = i % m->s.dim ? 0 : m->next.at.b[i];
    rest[i] = w[i] - r->q[i];
  }
  ssi_sparse_multiply_add(&p->M, rest, f);
  return SS_OK;
}

static ss_error copy(ss_context *ctx, const ss_march *m, ssi_owned *o) {
  ss_problem *p = &o->problem;
  double *f = SSI_TAKE(&o->arena, m->nfree + 1, double), *w = SSI_TAKE(&o->arena, m->m + 1, double);
  *p = (ss_problem){
      .form = SS_GLOBAL, .dim = m->s.dim, .nc = m->s.nc, .ndof = m->nfree, .f = f, .w = w};
  if (o->arena.failed || !ssi_sparse_copy(&o->arena, &m->A, &p->M) ||
      !ssi_sparse_copy(&o->arena, &m->all.H, &p->H))
    return no_memory(ctx);
  memcpy(f, m->all.f, sizeof(double) * (size_t)m->nfree);
  memcpy(w, m->all.w, sizeof(double) * (size_t)m->m);
  return SS_OK;
}

static ss_error fill(ss_context *ctx, const ss_march *m, bool condensed, ssi_owned *o) {
  SS_TRY(condensed ? condense(ctx, m, o) : copy(ctx, m, o));
  double *mu = SSI_TAKE(&o->arena, m->s.nc + 1, double);
  if (!mu) return no_memory(ctx);
  if (m->s.nc) memcpy(mu, m->s.mu, sizeof(double) * (size_t)m->s.nc);
  o->problem.mu = mu;
  return SS_OK;
}

ss_error ss_structure_problem(ss_context *ctx, const ss_structure *s, double from, double t,
                              bool condensed, ss_problem **out) {
  if (!s || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_structure_problem: null argument");
  *out = NULL;
  ss_structure still = *s;
  still.C = (ss_sparse){0};
  ss_march_options o = ss_march_options_default();
  o.scheme = SS_MARCH_POSITION;
  o.start = from;
  o.step = t > from ? t - from : 1;
  ss_march *m = NULL;
  SS_TRY(ss_march_create(ctx, &still, &o, &m));
  ssi_owned *owned = ssi_owned_create(ctx);
  ss_error e = owned ? SS_OK : no_memory(ctx);
  if (!e) e = ssi_march_at(m, t);
  if (!e) e = fill(ctx, m, condensed, owned);
  ss_march_destroy(m);
  if (e && owned) ss_problem_destroy(&owned->problem);
  if (!e) *out = &owned->problem;
  return e;
}
