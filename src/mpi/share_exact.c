#include "mpi/share_exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/vector.h"
#include "mpi/share_masses.h"

enum {
  SPACING = 56,  // bits of (2)
  ROUNDS = 12,
};
static const double FLOOR =
    0x1p-98;  // of z: below that steps are taken for rounding of double-double

// ---- components ----------------------------------------------------------------------------

static void meet_parts(share_exact *x, const double *component) {
  const share *s = x->s;
  const ranks *c = s->c;
  int64_t *first = RANKS_TAKE(c, s->own_dofs, int64_t), count = 0;
  for (int64_t i = 0; i < s->own_dofs; i++)
    if (isfinite(component[i])) first[count++] = (int64_t)component[i];
  x->parts = (int)share_unique(first, count);
  x->part = RANKS_TAKE(c, s->own_dofs, int);
  for (int64_t i = 0; i < s->own_dofs; i++)
    x->part[i] = isfinite(component[i]) ? share_place(first, x->parts, (int64_t)component[i]) : -1;
  share_forest_create(c, s->contacts, first, x->parts, &x->meeting);
  x->size = RANKS_TAKE(c, 4 * x->parts, double);
  x->step = x->size + x->parts;
  x->last = x->step + x->parts;
  x->error = x->last + x->parts;
  x->met = RANKS_TAKE(c,
                      ranks_first(s->contacts, c->size, c->rank + 1) -
                          ranks_first(s->contacts, c->size, c->rank),
                      double);
  free(first);
}

// The largest of all ranks, of each component.
static void find_most(share_exact *x, double *most) {
  const ranks *c = x->s->c;
  int64_t roots = ranks_first(x->s->contacts, c->size, c->rank + 1) -
                  ranks_first(x->s->contacts, c->size, c->rank);
  memset(x->met, 0, sizeof *x->met * (size_t)roots);
  share_bring_in(c, x->meeting, MPI_MAX, most, x->met);
  share_spread_out(c, x->meeting, x->met, most);
}

static void find_sizes(share_exact *x) {
  memcpy(x->last, x->step, sizeof *x->last * (size_t)x->parts);
  memset(x->size, 0, sizeof *x->size * 2 * (size_t)x->parts);
  for (int64_t i = 0; i < x->s->own_dofs; i++) {
    int k = x->part[i];
    if (k < 0) continue;
    x->size[k] = fmax(x->size[k], x->root[i] * fabs(x->x[i].hi));
    x->step[k] = fmax(x->step[k], x->root[i] * fabs(x->d[i]));
  }
  find_most(x, x->size);
  find_most(x, x->step);
}

// Steps that shrink tell what is left. Those of a component that the solver has not come to yet do not; those that have
// shrunk before and do no more are what rounding leaves.
static void find_errors(share_exact *x) {
  for (int k = 0; k < x->parts; k++) {
    double rounding = FLOOR * x->size[k], c = x->step[k] / x->last[k];
    x->error[k] = x->step[k] <= rounding  ? rounding
                  : c < 0.5               ? fmax(c * x->step[k], rounding)
                  : isfinite(x->error[k]) ? fmax(x->error[k], x->step[k])
                                          : INFINITY;
  }
}

// ---- rounding ------------------------------------------------------------------------------

static double power_of_two(int exponent) {
  return ldexp(1, exponent);
}

static int exponent_of(double x) {  // |x| < 2^
  int e;
  frexp(x, &e);
  return e;
}

// How far doubles are apart where x is.
static double own_spacing(ssi_dd x) {
  if (x.hi == 0) return 0;
  double ulp = power_of_two(exponent_of(x.hi) - DBL_MANT_DIG);
  bool at_power = fabs(x.hi) == 0x1p52 * ulp;  // they are closer on its inner side
  return at_power && x.lo * x.hi < 0 ? ulp / 2 : ulp;
}

// The multiple of `spacing` that is next to x; *margin: how far x is from where the other one is taken. This is not the
// middle but a 48th off, since with simple numbers x may well be a middle.
static double to_nearest(ssi_dd x, double spacing, double *margin) {
  double whole = spacing * rint(x.hi / spacing);
  double rest = ((x.hi - whole) + x.lo) - spacing / 48;
  if (fabs(rest) > spacing / 2) {
    whole += copysign(spacing, rest);
    rest -= copysign(spacing, rest);
  }
  *margin = spacing / 2 - fabs(rest);
  return whole + 0.0;  // not -0
}

// False where some component may be rounded otherwise by what is left.
static bool round_off(const share_exact *x, double *v) {
  enum { DOUBTS = 16 };  // the error may be so many times what (1) has
  int sure = 1;
  for (int64_t i = 0; i < x->s->own_dofs; i++) {
    int k = x->part[i];
    double margin = 0, z = k < 0 ? 0 : x->size[k];
    v[i] = k < 0 ? x->x[i].hi : 0;
    if (!(z > 0)) continue;
    double grid = power_of_two(exponent_of(z) - SPACING - exponent_of(x->root[i]));
    double spacing = fmax(grid, own_spacing(x->x[i]));
    v[i] = spacing >= DBL_MIN ? to_nearest(x->x[i], spacing, &margin) : x->x[i].hi;
    if (!(margin > DOUBTS * x->error[k] / x->root[i])) sure = 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &sure, 1, MPI_INT, MPI_MIN, x->s->c->comm);
  return sure;
}

// ---- interface -----------------------------------------------------------------------------

PetscErrorCode share_exact_create(share_rows *A, KSP ksp, Mat K, const double *component,
                                  share_exact *out) {
  const share *s = A->s;
  *out = (share_exact){.s = s, .A = A, .ksp = ksp};
  meet_parts(out, component);
  out->root = RANKS_TAKE(s->c, 2 * s->own_dofs, double);
  out->d = out->root + s->own_dofs;
  out->rhs = RANKS_TAKE(s->c, 2 * s->own_dofs, ssi_dd);
  out->x = out->rhs + s->own_dofs;
  for (int64_t i = 0; i < s->own_dofs; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++)
      if (A->column[e] == i) out->root[i] = sqrt(A->x[e]);
  return MatCreateVecs(K, &out->right, &out->left);
}

void share_exact_destroy(share_exact *x) {
  VecDestroy(&x->right);
  VecDestroy(&x->left);
  if (x->meeting) PetscSFDestroy(&x->meeting);
  free(x->part);
  free(x->size);
  free(x->met);
  free(x->root);
  free(x->rhs);
  *x = (share_exact){0};
}

// d = S d
static PetscErrorCode find_step(share_exact *x, bool *failed) {
  size_t bytes = sizeof *x->d * (size_t)x->s->own_dofs;
  double *at;
  const double *found;
  KSPConvergedReason reason;
  PetscCall(VecGetArray(x->left, &at));
  memcpy(at, x->d, bytes);
  PetscCall(VecRestoreArray(x->left, &at));
  PetscCall(KSPSolve(x->ksp, x->left, x->right));
  PetscCall(KSPGetConvergedReason(x->ksp, &reason));
  *failed = reason < 0;
  PetscCall(VecGetArrayRead(x->right, &found));
  memcpy(x->d, found, bytes);
  return VecRestoreArrayRead(x->right, &found);
}

// The power of two that takes the largest of b to about 1, so that nothing is lost to underflow.
static int scale_of(const share_exact *x, const double *b) {
  double most = ssi_largest(x->s->own_dofs, b);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, x->s->c->comm);
  return most > 0 && isfinite(most) ? -exponent_of(most) : 0;
}

static bool is_finite(const share_exact *x) {
  int finite = ssi_all_finite(x->d, (size_t)x->s->own_dofs);
  MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_MIN, x->s->c->comm);
  return finite;
}

// v of the scaled b
static PetscErrorCode refine(share_exact *x, double *v, bool *failed) {
  int64_t n = x->s->own_dofs;
  for (int round = 0; round < ROUNDS; round++) {
    if (round) share_rows_residual(x->A, x->rhs, x->x, x->d);
    PetscCall(find_step(x, failed));
    if (*failed) return 0;
    for (int64_t i = 0; i < n; i++) x->x[i] = ssi_dd_add_d(x->x[i], x->d[i]);
    if (!is_finite(x)) {
      for (int64_t i = 0; i < n; i++) v[i] = x->x[i].hi;
      return 0;
    }
    find_sizes(x);
    if (!round) continue;
    find_errors(x);
    if (round_off(x, v)) return 0;
  }
  x->doubtful++;
  return 0;
}

PetscErrorCode share_exact_solve(share_exact *x, const double *b, double *v, bool *failed) {
  int64_t n = x->s->own_dofs;
  int scale = scale_of(x, b);
  *failed = false;
  for (int64_t i = 0; i < n; i++) {
    x->d[i] = ldexp(b[i], scale);
    x->rhs[i] = ssi_dd_from(x->d[i]);
    x->x[i] = ssi_dd_from(0);
  }
  for (int k = 0; k < x->parts; k++) x->error[k] = INFINITY;
  PetscCall(refine(x, v, failed));
  for (int64_t i = 0; i < n && !*failed; i++) v[i] = ldexp(v[i], -scale);
  return 0;
}
