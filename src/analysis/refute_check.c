// The judge of refutations: docs/existence.md (E6)-(E9). From the raw data, in double-double arithmetic.
//
// At every solution whose contact i is in the cell law[i], y.u >= 0 (y_i is in the dual of the cell's
// velocities), and adding p times the balance of momentum and k times the joints changes nothing:
//
//     0 <= y.u = v.rho + sum_i a_i.r_i + l.tau + kappa                                             (E7)
//     rho = H^T y + M^T p + G k,   a = -H p,   tau = -G^T p,   kappa = y.w + p.f + k.b   global form
//     a = W^T y + V k,   tau = V^T y + R^T k,   kappa = y.q + k.s                        reduced form
//
// a_i.r_i <= h_i r_N,i with h_i = a_N + mu (the most that a_T.r_T / (mu r_N) can be in the cell). Each number
// of the data may be off by EPS of itself; this enlarges kappa, |rho|, h, |tau| by EPS times the sums of
// absolute values. A solution with r_N <= reach R has |v| <= reach V, |l| <= reach L, so that
//
//     reach = -kappa / ( sum V |rho| + sum R max(h, 0) + sum L |tau| )                             (E9)
#include <math.h>
#include <string.h>

#include "analysis/refute.h"

static const double EPS = 2.5e-16;  // 2^-52, and the rounding of the sums here, far below the rest

typedef ssi_sized_sum sum;

static void add(sum *s, double a, double b) {
  ssi_dd_accumulate(&s->value, a, b);
  s->size += fabs(a * b);
}

static double value_of(const sum *s) {
  return ssi_dd_finish(s->value).hi;
}

static double most_of(const sum *s) {  // of the absolute value
  return fabs(value_of(s)) + EPS * s->size;
}

bool ssi_refute_judge_take(ssi_refute_judge *j, const ssi_refute_data *d, ssi_arena *arena) {
  *j = (ssi_refute_judge){.d = d};
  j->p = SSI_TAKE(arena, d->ndof, double);
  j->k = SSI_TAKE(arena, d->nl, double);
  j->a = SSI_TAKE(arena, d->m, sum);
  j->rho = SSI_TAKE(arena, d->ndof, sum);
  j->tau = SSI_TAKE(arena, d->nl, sum);
  j->most = SSI_TAKE(arena, d->p->nc, double);
  return ssi_refute_strict_take(&j->strict, d, arena) && !arena->failed;
}

// ---- is y_i in the dual of the cell's velocities ---------------------------------------------

static bool acute(const double a[2], const double b[2]) {
  sum s = {0};
  add(&s, a[0], b[0]);
  add(&s, a[1], b[1]);
  return value_of(&s) >= 0;
}

static bool is_dual(int dim, const ssi_cell_law *law, const double *y) {
  const double t[2] = {y[1], dim == 3 ? y[2] : 0};
  bool still = t[0] == 0 && t[1] == 0;
  if (!law) return y[0] == 0 && still;
  switch (law->kind) {
  case SSI_LAW_ANY:
  case SSI_LAW_FREE:
    return y[0] >= 0 && still;
  case SSI_LAW_CLOSED:
    return still;
  case SSI_LAW_STICK:
    return true;
  case SSI_LAW_SLIP:
    break;
  }
  if (dim == 2) return t[0] * law->from[0] >= 0;
  if (!acute(t, law->from) || !acute(t, law->to)) return false;
  if (law->halvings > 0) return true;
  const double inward[2] = {-law->from[1], law->from[0]};  // half a turn: the middle counts too
  return acute(t, inward);
}

// ---- the most that a.r can be ----------------------------------------------------------------

static double along(const double a[2], const double d[2]) {  // of a unit vector, from above
  double length = sqrt(d[0] * d[0] + d[1] * d[1]);
  return (a[0] * d[0] + a[1] * d[1]) / length;
}

// The most of a.t, t a unit vector from `from` to `to`; errors of a few EPS |a| are the caller's.
static double most_on_arc(const ssi_cell_law *law, const double a[2], double length) {
  double left = law->from[0] * a[1] - law->from[1] * a[0];
  double right = a[0] * law->to[1] - a[1] * law->to[0];
  bool inside = left >= -8 * EPS * length && right >= -8 * EPS * length;
  return inside ? length : fmax(along(a, law->from), along(a, law->to));
}

// h of (E9) for r_N = 1.
static double most_of_contact(int dim, double mu, const ssi_cell_law *law, const sum a[3]) {
  if (law && law->kind == SSI_LAW_FREE) return 0;
  double t[2] = {value_of(&a[1]), dim == 3 ? value_of(&a[2]) : 0}, normal = value_of(&a[0]);
  double length = sqrt(t[0] * t[0] + t[1] * t[1]), most = length;
  if (law && law->kind == SSI_LAW_SLIP) {
    const double back[2] = {-t[0], -t[1]};
    most = dim == 2 ? back[0] * law->from[0] : most_on_arc(law, back, length);
  } else if (law && law->sector) {
    most = fmax(most_on_arc(law, t, length), 0);
  }
  double doubt = a[0].size + mu * (a[1].size + (dim == 3 ? a[2].size : 0));
  return normal + mu * most + EPS * doubt + 16 * EPS * (fabs(normal) + mu * length);
}

// ---- the two forms ---------------------------------------------------------------------------

static void row_times(const ss_sparse *A, int row, const double *x, double sign, sum *out) {
  if (!A->ptr) return;
  for (int64_t e = A->ptr[row]; e < A->ptr[row + 1]; e++) add(out, sign * A->x[e], x[A->col[e]]);
}

// out += A^T x
static void columns_times(const ss_sparse *A, const double *x, sum *out) {
  for (int i = 0; A->ptr && i < A->rows; i++)
    for (int64_t e = A->ptr[i]; x[i] != 0 && e < A->ptr[i + 1]; e++)
      add(&out[A->col[e]], A->x[e], x[i]);
}

static void dense_times(int rows, int cols, const double *A, const double *x, double sign,
                        double *y) {
  for (int i = 0; i < rows; i++) {
    y[i] = 0;
    for (int j = 0; j < cols; j++) y[i] += sign * A[i * cols + j] * x[j];
  }
}

static void dot(int n, const double *a, const double *b, sum *out) {
  for (int i = 0; i < n; i++) add(out, a[i], b[i]);
}

static void weigh_global(ssi_refute_judge *j, const double *y, sum *kappa) {
  const ss_problem *p = j->d->p;
  columns_times(&p->H, y, j->rho);
  columns_times(&p->M, j->p, j->rho);
  for (int i = 0; i < j->d->m; i++) row_times(&p->H, i, j->p, -1, &j->a[i]);
  dot(j->d->m, y, p->w, kappa);
  dot(p->ndof, j->p, p->f, kappa);
  if (p->nl == 0) return;
  for (int i = 0; i < p->ndof; i++) row_times(&p->G, i, j->k, 1, &j->rho[i]);
  columns_times(&p->G, j->p, j->tau);
  dot(p->nl, j->k, p->b, kappa);
}

static void weigh_reduced(ssi_refute_judge *j, const double *y, sum *kappa) {
  const ss_problem *p = j->d->p;
  columns_times(&p->W, y, j->a);
  dot(j->d->m, y, p->q, kappa);
  if (p->nl == 0) return;
  for (int i = 0; i < j->d->m; i++) row_times(&p->V, i, j->k, 1, &j->a[i]);
  columns_times(&p->V, y, j->tau);
  columns_times(&p->R, j->k, j->tau);
  dot(p->nl, j->k, p->s, kappa);
}

// a, rho, tau and h of y; what is left of -kappa beyond rounding. still: p = 0 where it is rounding.
static double weigh(ssi_refute_judge *j, const ssi_cell_law *const *law, const double *y,
                    bool still) {
  const ssi_refute_data *d = j->d;
  const int dim = d->p->dim;
  sum kappa = {0};
  memset(j->a, 0, sizeof(sum) * (size_t)d->m);
  memset(j->rho, 0, sizeof(sum) * (size_t)d->ndof);
  memset(j->tau, 0, sizeof(sum) * (size_t)d->nl);
  dense_times(d->ndof, d->m, d->Y, y, -1, j->p);  // any p and k will do; these leave rho, tau = 0
  dense_times(d->nl, d->m, d->K, y, 1, j->k);
  if (still) ssi_refute_set_still(&j->strict, d, y, j->p);
  if (d->p->form == SS_GLOBAL)
    weigh_global(j, y, &kappa);
  else
    weigh_reduced(j, y, &kappa);
  for (int i = 0; i < d->p->nc; i++)
    j->most[i] = most_of_contact(dim, d->p->mu[i], law[i], j->a + dim * i);
  return -value_of(&kappa) - EPS * kappa.size;
}

double ssi_refute_reach(ssi_refute_judge *j, const ssi_cell_law *const *law, const double *y,
                        bool finite) {
  const ssi_refute_data *d = j->d;
  double doubt = 0;
  for (int i = 0; i < d->p->nc; i++)
    if (!is_dual(d->p->dim, law[i], y + d->p->dim * i)) return 0;
  if (!finite && j->strict.ready &&
      ssi_refute_is_strict(&j->strict, j, law, y, weigh(j, law, y, true), EPS))
    return INFINITY;
  double gain = weigh(j, law, y, false);
  if (!(gain > 0)) return 0;  // or not a number
  for (int i = 0; i < d->p->nc; i++) doubt += d->R[i] * fmax(j->most[i], 0);
  for (int i = 0; i < d->ndof; i++) doubt += d->V[i] * most_of(&j->rho[i]);
  for (int i = 0; i < d->nl; i++) doubt += d->L[i] * most_of(&j->tau[i]);
  return doubt >= 0 ? gain / doubt : 0;
}
