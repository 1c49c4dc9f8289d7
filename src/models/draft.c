// A draft becomes a problem: zeros dropped, numbers split into doubles and texts.
#include "models/model.h"

#include <stdio.h>

#include "base/error.h"
#include "problem/owned.h"

static ssi_number *take(ssi_arena *arena, size_t count) {
  ssi_number *x = SSI_TAKE(arena, count ? count : 1, ssi_number);
  for (size_t k = 0; x && k < count; k++) x[k] = ssi_whole(0);
  return x;
}

static ss_error no_memory(const ssi_draft *d) {
  return ssi_fail(d->ctx, SS_ERR_MEMORY, "%s: no memory to build it", d->model->name);
}

ss_error ssi_draft_begin(ssi_draft *d, int dim, int nc, int ndof) {
  size_t m = (size_t)dim * (size_t)nc, n = (size_t)ndof;
  d->dim = dim, d->nc = nc, d->ndof = ndof;
  d->mu = take(&d->arena, (size_t)nc);
  d->M = take(&d->arena, n * n);
  d->H = take(&d->arena, m * n);
  d->f = take(&d->arena, n);
  d->w = take(&d->arena, m);
  return d->arena.failed ? no_memory(d) : SS_OK;
}

// The text of a number that its double is not: "41/25". NULL for all others. `wanted` false: none.
static bool put_text(ssi_arena *arena, bool wanted, ssi_number n, const char **out) {
  enum { LONGEST = 48 };
  *out = NULL;
  if (!wanted || n.exact.q == 0 || !(n.exact.q & (n.exact.q - 1))) return true;
  char *text = SSI_TAKE(arena, LONGEST, char);
  if (!text) return false;
  snprintf(text, LONGEST, "%lld/%lld", (long long)n.exact.p, (long long)n.exact.q);
  *out = text;
  return true;
}

static bool split(ssi_arena *arena, const ssi_number *from, int count, bool wanted,
                  const double **x, const char *const **exact) {
  size_t room = count ? (size_t)count : 1;
  double *values = SSI_TAKE(arena, room, double);
  const char **texts = SSI_TAKE(arena, room, const char *);
  if (!values || !texts) return false;
  for (int k = 0; k < count; k++) {
    values[k] = from[k].x;
    if (!put_text(arena, wanted, from[k], &texts[k])) return false;
  }
  *x = values;
  *exact = texts;
  return true;
}

static bool to_sparse(ssi_arena *arena, const ssi_number *from, int rows, int cols, bool wanted,
                      ss_sparse *A, const char *const **exact) {
  size_t places = (size_t)rows * (size_t)cols, count = 0;
  for (size_t k = 0; k < places; k++) count += from[k].x != 0;
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, count ? count : 1, int);
  double *x = SSI_TAKE(arena, count ? count : 1, double);
  const char **texts = SSI_TAKE(arena, count ? count : 1, const char *);
  if (!ptr || !col || !x || !texts) return false;
  int64_t at = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) {
      ssi_number n = from[(size_t)i * (size_t)cols + (size_t)j];
      if (n.x == 0) continue;
      col[at] = j, x[at] = n.x;
      if (!put_text(arena, wanted, n, &texts[at++])) return false;
    }
    ptr[i + 1] = at;
  }
  *A = (ss_sparse){rows, cols, ptr, col, x};
  *exact = texts;
  return true;
}

ss_error ssi_draft_finish(ssi_draft *d, ss_problem **out, const ss_exact **exact) {
  ssi_owned *o = ssi_owned_create(d->ctx);
  if (!o) return no_memory(d);
  int m = d->dim * d->nc;
  bool wanted = exact != NULL;
  ss_problem *p = &o->problem;
  ss_exact *e = SSI_TAKE(&o->arena, 1, ss_exact);
  *p = (ss_problem){.form = SS_GLOBAL, .dim = d->dim, .nc = d->nc, .ndof = d->ndof};
  bool done = e && split(&o->arena, d->mu, d->nc, wanted, &p->mu, &e->mu) &&
              split(&o->arena, d->f, d->ndof, wanted, &p->f, &e->f) &&
              split(&o->arena, d->w, m, wanted, &p->w, &e->w) &&
              to_sparse(&o->arena, d->M, d->ndof, d->ndof, wanted, &p->M, &e->M) &&
              to_sparse(&o->arena, d->H, m, d->ndof, wanted, &p->H, &e->H);
  if (!done) return ss_problem_destroy(p), no_memory(d);
  *out = p;
  if (exact) *exact = e;
  return SS_OK;
}

// (v_x - omega p_y, v_y + omega p_x) . axis
void ssi_put_point2(ssi_draft *d, int row, int at, const ssi_number a[2], const ssi_number p[2]) {
  for (int k = 0; k < 2; k++) *ssi_H(d, row, at + k) = a[k];
  *ssi_H(d, row, at + 2) = ssi_sub(ssi_mul(a[1], p[0]), ssi_mul(a[0], p[1]));
}

// v . a + omega . (p x a)
void ssi_put_point3(ssi_draft *d, int row, int at, const ssi_number a[3], const ssi_number p[3]) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    *ssi_H(d, row, at + k) = a[k];
    *ssi_H(d, row, at + 3 + k) = ssi_sub(ssi_mul(p[i], a[j]), ssi_mul(p[j], a[i]));
  }
}
