// Solving with the matrix A of (7), (8), and asking it whether it is singular, and how. docs/derivatives.md "Reactions that are
// not unique".
//
// A random right-hand side shows whether A^-1 is larger than 1/rank. Then A + shift P is factored in its place, P = 1 on the rows
// of contacts and joints, and
//
//   x <- x + (A + shift P)^-1 (b - A x)                                                             (10)
//
// converges where A x = b has a solution: what is not in the kernel shrinks by about shift/sigma each time. The kernel itself is
// what is left of a random vector by repeated x <- shift (A + shift P)^-1 P x.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "derive/implicit.h"
#include "la/sparse.h"
#include "la/vector.h"

static const double SHIFT = 1e-6;
static const double IN_KERNEL =
    1e-4;              // of the largest component; four rounds leave less of the rest
enum { DENSE = 200 };  // rows up to which LAPACK is faster, as in la/lu.h
enum { REFINE = 3, REFINE_SHIFTED = 60, ROUNDS = 4 };

static void residual(ss_derivative *d, bool transposed, const double *b, const double *x) {
  double *rest = d->rest;
  memset(rest, 0, sizeof *rest * (size_t)d->n);
  if (transposed)
    ssi_sparse_multiply_transposed_add(&d->A, x, rest);
  else
    ssi_sparse_multiply_add(&d->A, x, rest);
  for (int k = 0; k < d->n; k++) rest[k] = b[k] - rest[k];
}

ss_error ssi_derive_solve(ss_derivative *d, bool transposed, const double *b, double *x,
                          double *left) {
  double size = ssi_largest(d->n, b), now = INFINITY;
  int most = d->shift > 0 ? REFINE_SHIFTED : REFINE;
  memset(x, 0, sizeof *x * (size_t)d->n);
  *left = 0;
  if (size == 0) return SS_OK;
  SS_TRY(ssi_derive_substitute(d, transposed, b, x));
  for (int k = 0;; k++) {
    residual(d, transposed, b, x);
    double before = now;
    now = ssi_largest(d->n, d->rest) / size;
    if (!(now < 0.9 * before) && k) {  // the last step was none: take it back
      for (int i = 0; i < d->n; i++) x[i] -= d->step[i];
      now = before;
      break;
    }
    if (k == most || now < 0x1p-52) break;
    SS_TRY(ssi_derive_substitute(d, transposed, d->rest, d->step));
    for (int i = 0; i < d->n; i++) x[i] += d->step[i];
  }
  *left = now;
  return SS_OK;
}

static void random_vector(ss_derivative *d, int from, double *x) {
  ssi_rng g = {.state = 19};
  for (int k = 0; k < d->n; k++) {
    double draw = 2 * ssi_rng_uniform(&g) - 1;
    x[k] = k < from ? 0 : draw;
  }
}

static bool is_dense(const ss_sparse *A) {
  return A->rows <= DENSE || ssi_sparse_entries(A) > (int64_t)A->rows * A->rows / 8;
}

// The factors of A with `shift` added, in d->factors. SS_ERR_LINEAR: singular.
static ss_error factor(ss_derivative *d, double shift) {
  ss_sparse A = d->S;
  int from = d->inverse.ptr ? 0 : ssi_free_unknown(d);
  if (shift > 0) {
    int64_t entries = ssi_sparse_entries(&A);
    double *x = SSI_TAKE(&d->arena, entries, double);
    if (!x) return SS_ERR_MEMORY;
    memcpy(x, A.x, sizeof *x * (size_t)entries);
    for (int k = from; k < A.rows; k++) x[ssi_sparse_find(&A, k, k)] += shift;
    A.x = x;
  }
  d->shift = shift;
  ssi_direct_release(d->factors);
  d->factors = ssi_direct_begin(&d->arena, is_dense(&A) ? &ssi_dense_lu : &ssi_sparse_lu,
                                (ssi_direct_wishes){0});
  if (!d->factors) return SS_ERR_MEMORY;
  SS_TRY(ssi_direct_analyse(d->factors, &A, &d->arena));
  SS_TRY(ssi_direct_room(d->factors, &d->arena));
  return ssi_direct_factor(d->factors, &A);
}

static ss_error is_regular(ss_derivative *d, bool *out) {
  *out = false;
  ss_error e = factor(d, 0);
  if (e) return e == SS_ERR_LINEAR ? SS_OK : e;
  random_vector(d, 0, d->rhs);
  e = ssi_derive_substitute(d, false, d->rhs, d->x);
  if (e) return e == SS_ERR_LINEAR ? SS_OK : e;
  *out = ssi_largest(d->n, d->x) <= 1 / d->o.rank;  // false for NAN
  return SS_OK;
}

// ---- the kernel ----------------------------------------------------------------------------

// Largest velocity that the reactions in x give, over their own unit.
static double moves(ss_derivative *d, const double *x) {
  const ss_problem *p = &d->p;
  double most = ssi_largest(ssi_free_unknown(d), x);
  if (p->form == SS_GLOBAL) return most;
  memset(d->impulse, 0, sizeof *d->impulse * (size_t)d->m);
  memset(d->velocity, 0, sizeof *d->velocity * (size_t)d->m);
  for (int i = 0; i < p->nc; i++)
    for (int k = 0; k < d->locals[i].count; k++)
      for (int c = 0; c < p->dim; c++)
        d->impulse[p->dim * i + c] += d->locals[i].B[p->dim * k + c] * x[d->locals[i].first + k];
  if (p->nc) ssi_sparse_multiply_add(&p->W, d->impulse, d->velocity);
  for (int j = 0; j < p->nl; j++) d->step[j] = d->joint_scale[j] * x[d->first_joint + j];
  if (p->nl && p->nc) ssi_sparse_multiply_add(&p->V, d->step, d->velocity);
  for (int i = 0; i < d->m; i++)
    most = fmax(most, fabs(d->velocity[i]) / sqrt(d->lambda[i / p->dim]));
  return most;
}

static void mark_loose(ss_derivative *d, const double *x) {
  for (int i = 0; i < d->p.nc; i++)
    d->loose[i] = ssi_largest(d->locals[i].count, x + d->locals[i].first) > IN_KERNEL;
  for (int j = 0; j < d->p.nl; j++) d->loose[d->p.nc + j] = fabs(x[d->first_joint + j]) > IN_KERNEL;
  for (int k = 0; k < d->p.nc + d->p.nl; k++) d->info.loose_count += d->loose[k];
}

// d->x becomes a vector of the kernel, its largest component 1.
static ss_error find_kernel(ss_derivative *d, bool *semisimple) {
  int from = ssi_free_unknown(d);
  double growth = 0;
  random_vector(d, from, d->rhs);
  for (int round = 0; round < ROUNDS; round++) {
    SS_TRY(ssi_derive_substitute(d, false, d->rhs, d->x));
    double size = ssi_largest(d->n, d->x);
    growth = d->shift * size / ssi_largest(d->n, d->rhs);
    if (!isfinite(size) || !(size > 0)) return SS_ERR_LINEAR;
    for (int k = 0; k < d->n; k++) d->x[k] /= size, d->rhs[k] = k < from ? 0 : d->x[k];
  }
  *semisimple = growth < 2;  // else the kernel is that of A^2 too, and (10) diverges
  return SS_OK;
}

static ss_error ask_kernel(ss_derivative *d) {
  bool semisimple = false;
  ss_error e = factor(d, SHIFT);
  if (!e) e = find_kernel(d, &semisimple);
  if (e && e != SS_ERR_LINEAR) return e;
  d->info.smoothness = SS_SINGULAR;
  if (e) return SS_OK;
  mark_loose(d, d->x);
  if (semisimple && moves(d, d->x) <= IN_KERNEL) d->info.smoothness = SS_SMOOTH_MOTION;
  return SS_OK;
}

ss_error ssi_derive_factor(ss_derivative *d) {
  bool regular;
  d->info.smoothness = SS_SMOOTH;
  SS_TRY(is_regular(d, &regular));
  if (!regular) SS_TRY(ask_kernel(d));
  if (d->info.smoothness != SS_SINGULAR && d->info.first_kink >= 0) d->info.smoothness = SS_KINKS;
  return SS_OK;
}
