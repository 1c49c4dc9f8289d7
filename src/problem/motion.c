#include "problem/motion.h"

#include "base/error.h"

static size_t contact_rows(const ss_problem *p) {
  return (size_t)p->dim * (size_t)p->nc;
}

ss_error ssi_motion_create(ssi_arena *arena, const ss_problem *p, ssi_factor *mass,
                           ssi_motion *out) {
  size_t m = contact_rows(p), nl = (size_t)p->nl;
  size_t n = p->form == SS_GLOBAL ? (size_t)p->ndof : 0;
  ssi_dd *pairs = SSI_TAKE(arena, m + nl + 2 * n, ssi_dd);
  double *step = n ? SSI_TAKE(arena, n, double) : NULL;
  if (arena->failed)
    return ssi_fail(arena->ctx, SS_ERR_MEMORY, "out of memory for the velocities of %d contacts",
                    p->nc);
  *out = (ssi_motion){.ctx = arena->ctx,
                      .p = p,
                      .mass = mass,
                      .u = pairs,
                      .gap = pairs + m,
                      .v = pairs + m + nl,
                      .rhs = pairs + m + nl + n,
                      .step = step};
  return SS_OK;
}

// y += A x, compensated.
SSI_CLONES_FMA static void multiply_add(const ss_sparse *A, const double *x, ssi_dd *y) {
  for (int i = 0; i < A->rows; i++) {
    ssi_dd sum = y[i];
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      ssi_dd_accumulate(&sum, A->x[k], x[A->col[k]]);
    y[i] = ssi_dd_finish(sum);
  }
}

// y += A^T x; y is left unnormalised, since its parts arrive in any order.
SSI_CLONES_FMA static void multiply_transposed_add(const ss_sparse *A, const double *x, ssi_dd *y) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      ssi_dd_accumulate(&y[A->col[k]], A->x[k], x[i]);
}

SSI_INLINE void accumulate_pair(ssi_dd *sum, double a, ssi_dd x) {
  ssi_dd_accumulate(sum, a, x.hi);
  sum->lo += a * x.lo;
}

SSI_CLONES_FMA static void multiply_add_pairs(const ss_sparse *A, const ssi_dd *x, ssi_dd *y) {
  for (int i = 0; i < A->rows; i++) {
    ssi_dd sum = y[i];
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      accumulate_pair(&sum, A->x[k], x[A->col[k]]);
    y[i] = ssi_dd_finish(sum);
  }
}

SSI_CLONES_FMA static void multiply_transposed_add_pairs(const ss_sparse *A, const ssi_dd *x,
                                                         ssi_dd *y) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      accumulate_pair(&y[A->col[k]], A->x[k], x[i]);
}

static void start_from(const double *x, size_t n, double sign, ssi_dd *y) {
  for (size_t i = 0; i < n; i++) y[i] = ssi_dd_from(sign * x[i]);
}

static void finish(size_t n, ssi_dd *y) {
  for (size_t i = 0; i < n; i++) y[i] = ssi_dd_finish(y[i]);
}

static void move_reduced(ssi_motion *s, const double *r, const double *l) {
  const ss_problem *p = s->p;
  start_from(p->q, contact_rows(p), 1, s->u);
  if (r) multiply_add(&p->W, r, s->u);
  if (p->nl == 0) return;
  start_from(p->s, (size_t)p->nl, 1, s->gap);
  if (r) multiply_transposed_add(&p->V, r, s->gap);
  if (l) multiply_add(&p->V, l, s->u);
  if (l) multiply_add(&p->R, l, s->gap);
  finish((size_t)p->nl, s->gap);
}

// step = rhs - M v; returns the componentwise backward error max |step_i| / (|M| |v| + |rhs|)_i,
// which does not mix dofs of different units. Not a number where something overflowed.
SSI_CLONES_FMA static double residual(ssi_motion *s) {
  const ss_sparse *M = &s->p->M;
  double worst = 0;
  for (int i = 0; i < M->rows; i++) {
    ssi_dd sum = s->rhs[i];
    double size = fabs(sum.hi);
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++) {
      ssi_dd v = s->v[M->col[k]];
      accumulate_pair(&sum, -M->x[k], v);
      size += fabs(M->x[k] * v.hi);
    }
    s->step[i] = sum.hi + sum.lo;
    if (size > 0 && !(fabs(s->step[i]) <= worst * size)) worst = fabs(s->step[i]) / size;
  }
  return worst;
}

// v = M^-1 rhs by iterative refinement with the residual in double-double: each round gains as many
// digits as the factor has.
static ss_error solve_refined(ssi_motion *s) {
  enum { ROUNDS = 20 };
  int n = s->p->ndof;
  double last = INFINITY;
  for (int i = 0; i < n; i++) {
    s->v[i] = ssi_dd_from(0);
    s->step[i] = s->rhs[i].hi;
  }
  for (int round = 0; round < ROUNDS; round++) {
    ss_error e = ssi_factor_solve(s->mass, s->step, s->step);
    if (e) return ssi_fail(s->ctx, e, "a solve with M failed");
    for (int i = 0; i < n; i++) s->v[i] = ssi_dd_add_d(s->v[i], s->step[i]);
    double now = residual(s);
    if (now <= 0x1p-100 || !(now <= 0.5 * last)) break;
    last = now;
  }
  return SS_OK;
}

// What impulses at the contacts of a part of a problem add to the momentum, and the motion once rhs has the sum of all
// parts: move_global in two halves.
void ssi_motion_impulses(ssi_motion *s, const double *r) {
  size_t n = (size_t)s->p->ndof;
  for (size_t i = 0; i < n; i++) s->rhs[i] = ssi_dd_from(0);
  multiply_transposed_add(&s->p->H, r, s->rhs);
  finish(n, s->rhs);
}

void ssi_motion_velocities(ssi_motion *s) {
  start_from(s->p->w, contact_rows(s->p), 1, s->u);
  multiply_add_pairs(&s->p->H, s->v, s->u);
}

ss_error ssi_motion_follow(ssi_motion *s) {
  if (s->p->ndof) SS_TRY(solve_refined(s));
  ssi_motion_velocities(s);
  return SS_OK;
}

static ss_error move_global(ssi_motion *s, const double *r, const double *l) {
  const ss_problem *p = s->p;
  size_t n = (size_t)p->ndof;
  if (n) {
    start_from(p->f, n, -1, s->rhs);
    if (r) multiply_transposed_add(&p->H, r, s->rhs);
    finish(n, s->rhs);
    if (l) multiply_add(&p->G, l, s->rhs);
  }
  SS_TRY(ssi_motion_follow(s));
  if (p->nl == 0) return SS_OK;
  start_from(p->b, (size_t)p->nl, 1, s->gap);
  multiply_transposed_add_pairs(&p->G, s->v, s->gap);
  finish((size_t)p->nl, s->gap);
  return SS_OK;
}

ss_error ssi_motion_compute(ssi_motion *s, const double *r, const double *l) {
  if (s->p->form == SS_GLOBAL) return move_global(s, r, l);
  move_reduced(s, r, l);
  return SS_OK;
}
