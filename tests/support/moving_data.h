// support/moving_data.h - the data of a problem by name, moved a little, and the solutions of what comes out. Includes harness.h before it.
#pragma once

#include "random_problem.h"
#include "stickslip/stickslip.h"

enum { KINDS = 12 };

// ---- the data by name ------------------------------------------------------------------------

// The arrays of a problem, in the order of ss_data_direction.
typedef struct field {
  const char *name;
  const double **x;
  int64_t count;
} field;

static inline void fields_of(ss_problem *p, field out[KINDS]) {
  int64_t m = (int64_t)p->dim * p->nc;
  bool reduced = p->form == SS_REDUCED;
  field all[KINDS] = {{"mu", &p->mu, p->nc},
                      {"W", &p->W.x, reduced ? ssi_sparse_entries(&p->W) : 0},
                      {"V", &p->V.x, reduced ? ssi_sparse_entries(&p->V) : 0},
                      {"R", &p->R.x, reduced ? ssi_sparse_entries(&p->R) : 0},
                      {"q", &p->q, reduced ? m : 0},
                      {"s", &p->s, reduced ? p->nl : 0},
                      {"M", &p->M.x, reduced ? 0 : ssi_sparse_entries(&p->M)},
                      {"H", &p->H.x, reduced ? 0 : ssi_sparse_entries(&p->H)},
                      {"G", &p->G.x, reduced ? 0 : ssi_sparse_entries(&p->G)},
                      {"f", &p->f, reduced ? 0 : p->ndof},
                      {"w", &p->w, reduced ? 0 : m},
                      {"b", &p->b, reduced ? 0 : p->nl}};
  memcpy(out, all, sizeof all);
}

static inline const double **slot(ss_data_direction *d, int kind) {
  const double **all[KINDS] = {&d->mu, &d->W, &d->V, &d->R, &d->q, &d->s,
                               &d->M,  &d->H, &d->G, &d->f, &d->w, &d->b};
  return all[kind];
}

static inline double **gradient_slot(ss_data_gradient *d, int kind) {
  double **all[KINDS] = {&d->mu, &d->W, &d->V, &d->R, &d->q, &d->s,
                         &d->M,  &d->H, &d->G, &d->f, &d->w, &d->b};
  return all[kind];
}

static inline double *random_vector(ssi_arena *arena, int64_t n, ssi_rng *g) {
  double *x = SSI_TAKE(arena, n + 1, double);
  for (int64_t k = 0; k < n; k++) x[k] = random_signed(g);
  return x;
}

static inline double dot(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// ---- solutions -------------------------------------------------------------------------------

typedef struct answer {
  double *r, *u, *v, *l;
  int m, ndof, nl;
} answer;

static inline answer answer_for(ssi_arena *arena, const ss_problem *p) {
  answer a = {.m = p->dim * p->nc, .ndof = p->ndof, .nl = p->nl};
  a.r = SSI_TAKE(arena, a.m + 1, double), a.u = SSI_TAKE(arena, a.m + 1, double);
  a.v = SSI_TAKE(arena, a.ndof + 1, double), a.l = SSI_TAKE(arena, a.nl + 1, double);
  return a;
}

// From a.r on: what is near the last solution is found near it.
static inline bool solve(const ss_problem *p, answer *a) {
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  o.tol = 1e-14;
  if (ss_solver_create(&ctx, p, &o, &s)) fail_msg("%s", ctx.message);
  assert_int_equal(ss_solve(s, a->r, a->u, a->v, a->l, &info), SS_OK);
  ss_solver_destroy(s);
  return info.error <= 1e-12;
}

static inline double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

// p with `kind` moved by h along dx
static inline ss_problem moved(ssi_arena *arena, const ss_problem *p, int kind, const double *dx,
                               double h) {
  ss_problem to = *p;
  field all[KINDS];
  fields_of(&to, all);
  double *x = SSI_TAKE(arena, all[kind].count + 1, double);
  for (int64_t k = 0; k < all[kind].count; k++) x[k] = (*all[kind].x)[k] + h * dx[k];
  *all[kind].x = x;
  return to;
}

static inline ss_sparse full(ssi_arena *arena, int rows, int cols, const double *x) {
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, rows * cols + 1, int);
  for (int i = 0; i <= rows; i++) ptr[i] = (int64_t)i * cols;
  for (int k = 0; k < rows * cols; k++) col[k] = k % cols;
  return (ss_sparse){rows, cols, ptr, col, x};
}

static inline ss_derivative *derive(ss_context *ctx, const ss_problem *p, const double *r,
                                    const double *l) {
  ss_derivative *d;
  if (ss_derivative_create(ctx, p, &(ss_solution){.r = r, .l = l}, NULL, &d))
    fail_msg("%s", ctx->message);
  return d;
}
