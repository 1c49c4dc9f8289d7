#include "events/snapshot.h"

#include <string.h>

#include "base/error.h"

static bool dense(ssi_arena *arena, int rows, int cols, const double *from, ss_sparse *out) {
  size_t count = (size_t)rows * (size_t)cols;
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, count, int);
  double *x = SSI_TAKE(arena, count, double);
  if (arena->failed) return false;
  for (int i = 0; i < rows; i++) {
    ptr[i + 1] = ptr[i];
    for (int j = 0; j < cols; j++) {
      double a = from[(size_t)i * (size_t)cols + (size_t)j];
      if (a != 0) col[ptr[i + 1]] = j, x[ptr[i + 1]++] = a;
    }
  }
  *out = (ss_sparse){rows, cols, ptr, col, x};
  return true;
}

// G of a problem has a column for each joint.
static bool transposed(ssi_arena *arena, int rows, int cols, const double *from, ss_sparse *out) {
  double *turned = SSI_TAKE(arena, (size_t)rows * (size_t)cols, double);
  for (int i = 0; i < rows && turned; i++)
    for (int j = 0; j < cols; j++)
      turned[(size_t)j * (size_t)rows + (size_t)i] = from[(size_t)i * (size_t)cols + (size_t)j];
  return turned && dense(arena, cols, rows, turned, out);
}

// Rows of H and friction of the contacts that are taken.
static bool take_contacts(const ssi_mechanics *x, const bool *which, ssi_snapshot *d) {
  const ss_mechanism *m = x->m;
  size_t each = (size_t)m->dim * (size_t)m->nv;
  double *H = SSI_TAKE(&d->arena, (size_t)m->nc * each, double);
  d->contact = SSI_TAKE(&d->arena, m->nc, int), d->mu = SSI_TAKE(&d->arena, m->nc, double);
  if (d->arena.failed) return false;
  int count = 0;
  for (int i = 0; i < m->nc; i++) {
    if (which && !which[i]) continue;
    memcpy(H + (size_t)count * each, x->H + (size_t)i * each, sizeof *H * each);
    d->mu[count] = m->mu[i], d->contact[count++] = i;
  }
  d->p.nc = count;
  return dense(&d->arena, m->dim * count, m->nv, H, &d->p.H);
}

ss_error ssi_snapshot_make(ssi_mechanics *x, const bool *which, ssi_snapshot *d) {
  const ss_mechanism *m = x->m;
  *d = (ssi_snapshot){.arena = {.ctx = x->ctx}};
  d->f = SSI_TAKE(&d->arena, m->nv, double);
  d->w = SSI_TAKE(&d->arena, x->rows, double);
  d->b = SSI_TAKE(&d->arena, m->nl, double);
  d->p = (ss_problem){.form = SS_GLOBAL, .dim = m->dim, .ndof = m->nv, .nl = m->nl};
  bool ok = dense(&d->arena, m->nv, m->nv, x->M, &d->p.M) && take_contacts(x, which, d);
  if (ok && m->nl)
    ok = transposed(&d->arena, m->nl, m->nv, x->H + (size_t)x->rows * (size_t)m->nv, &d->p.G);
  if (!ok || d->arena.failed) return ssi_fail(x->ctx, SS_ERR_MEMORY, "no memory for an instant");
  d->p.f = d->f, d->p.w = d->w, d->p.mu = d->mu, d->p.b = d->b;
  return SS_OK;
}

void ssi_snapshot_accelerations(const ssi_mechanics *x, ssi_snapshot *d) {
  const ss_mechanism *m = x->m;
  for (int i = 0; i < m->nv; i++) d->f[i] = -x->F[i];
  if (x->rows) memcpy(d->w, x->b, sizeof *d->w * (size_t)x->rows);
  if (m->nl) memcpy(d->b, x->b + x->rows, sizeof *d->b * (size_t)m->nl);
}

typedef struct owned_instant {
  ss_instant at;  // first: what the user holds
  ssi_arena arena;
  ssi_snapshot snapshot;
  ssi_mechanics motion;
} owned_instant;

ss_error ss_mechanism_instant(ss_context *ctx, const ss_mechanism *m, double t, const double *q,
                              const double *v, ss_instant **out) {
  if (!m || !q || !v || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a mechanism, its state and a place are needed");
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  owned_instant *own = SSI_TAKE(&arena, 1, owned_instant);
  if (!own) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for an instant");
  own->arena = arena;
  ss_error e = ssi_mechanics_take(&own->arena, ctx, m, &own->motion)
                   ? ssi_mechanics_at(&own->motion, t, q, v)
                   : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for an instant");
  if (!e) e = ssi_snapshot_make(&own->motion, NULL, &own->snapshot);
  if (e) return ss_mechanism_instant_destroy(&own->at), e;
  ssi_snapshot_accelerations(&own->motion, &own->snapshot);
  own->at = (ss_instant){&own->snapshot.p, own->motion.gap, own->motion.slip};
  *out = &own->at;
  return SS_OK;
}

void ss_mechanism_instant_destroy(ss_instant *at) {
  if (!at) return;
  owned_instant *own = (owned_instant *)at;
  ssi_arena_release(&own->snapshot.arena);
  ssi_arena_release_home(own->arena);
}
