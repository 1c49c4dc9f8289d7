// A lower bound for every criterion, in polynomial time.
//
// With columns n - m t, |m_p| <= mu g_p, the matrix W E(m) has only positive principal minors when
// D W E(m) is positive definite (not symmetric) for some diagonal D > 0. With x the reactions,
//
//     x.D W E(m) x = x.D W x - sum_p m_p x_np c_p >= x.D W x - mu sum_p g_p |x_np| |c_p|,       (1)
//     c_p = x.D W e_tp
//
// and 2 |a||b| <= tau a^2 + b^2 / tau. With the symmetric part of D W = L L^T, a_p = L^-1 e_np and
// b_p = L^-1 D W e_tp, (1) is positive for all x != 0 when, for some tau > 0,
//
//     mu lambda_max( S ) < 1,     S = 1/2 sum_p g_p ( tau_p a_p a_p^T + b_p b_p^T / tau_p )     (2)
//
// Any D and tau give a bound. They stay good for what a branch leaves of W (critical_branch.c): a
// Schur complement of D W E(m) is positive definite with it. The best are looked for by steps of
// their logarithms along the signs of the gradient (Rprop) of the smooth log sum_k lambda_k^POWER /
// POWER. With y_k the eigenvectors, x = L^-T y,
//
//     d lambda / d log tau_p = g_p / 2 ( tau_p x_np^2 - c_p^2 / tau_p )                         (3)
//     d lambda / d log d_i   = d_i x_i ( sum_p g_p c_p W_i,tp / tau_p - lambda (W x)_i )
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/critical.h"
#include "base/error.h"
#include "la/vector.h"

enum { POWER = 24 };

struct ssi_critical_bound {
  int n, N;  // of the part in hand
  const double *W, *g;
  double *A, *B;      // columns a_p and b_p, column-major               (N x n)
  double *L;          // column-major                                    (N^2)
  double *S;          // (2), then its eigenvectors                      (N^2)
  double *lambda;     // (N)
  double *work;       // (34 N)
  double *x, *c, *z;  // of one eigenvector                              (N each)
  double *at;         // logarithms: N of D, then n of tau               (N + n)
  double *value;      // D and tau                                       (N + n)
  double *best;       // those of the best bound so far                  (N + n)
  double *slope;      // gradient                                        (N + n)
  double *last;       // the one before                                  (N + n)
  double *step;       // length of the next step                         (N + n)
  const ssi_watch *watch;
};

// L, a_p and b_p at D; false: the symmetric part of D W is not positive definite.
static bool factor(ssi_critical_bound *s) {
  int N = s->N;
  for (int i = 0; i < N + s->n; i++) s->value[i] = exp(s->at[i]);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      s->L[j * N + i] = (s->value[i] * s->W[i * N + j] + s->value[j] * s->W[j * N + i]) / 2;
  if (!ssi_all_finite(s->L, (size_t)N * (size_t)N)) return false;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', N, s->L, N)) return false;
  for (int p = 0; p < s->n; p++)
    for (int i = 0; i < N; i++) {
      s->A[p * N + i] = i == 2 * p;
      s->B[p * N + i] = s->value[i] * s->W[i * N + 2 * p + 1];
    }
  return !LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', N, s->n, s->L, N, s->A, N) &&
         !LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', N, s->n, s->L, N, s->B, N);
}

// The eigenvalues and -vectors of (2); lambda_max, or NAN.
static double largest(ssi_critical_bound *s) {
  int N = s->N;
  memset(s->S, 0, sizeof(double) * (size_t)N * (size_t)N);
  for (int p = 0; p < s->n; p++) {
    const double *a = s->A + (size_t)p * (size_t)N, *b = s->B + (size_t)p * (size_t)N;
    double tau = s->value[N + p], wa = s->g[p] * tau / 2, wb = s->g[p] / tau / 2;
    for (int j = 0; j < N; j++)
      for (int i = j; i < N; i++) s->S[j * N + i] += wa * a[i] * a[j] + wb * b[i] * b[j];
  }
  if (!ssi_all_finite(s->S, (size_t)N * (size_t)N)) return NAN;
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', N, s->S, N, s->lambda, s->work, 34 * N))
    return NAN;
  return s->lambda[N - 1];
}

// Adds weight times (3) of eigenvector k to the slope.
static bool add_slope(ssi_critical_bound *s, int k, double weight) {
  int N = s->N;
  memcpy(s->x, s->S + (size_t)k * (size_t)N, sizeof(double) * (size_t)N);
  for (int p = 0; p < s->n; p++) s->c[p] = ssi_dot(N, s->B + (size_t)p * (size_t)N, s->x);
  if (LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'T', 'N', N, 1, s->L, N, s->x, N)) return false;
  for (int p = 0; p < s->n; p++) {
    double tau = s->value[N + p], xn = s->x[2 * p];
    s->slope[N + p] += weight * s->g[p] / 2 * (tau * xn * xn - s->c[p] * s->c[p] / tau);
    s->z[p] = s->g[p] * s->c[p] / tau;
  }
  for (int i = 0; i < N; i++) {
    const double *row = s->W + (size_t)i * (size_t)N;
    double sum = -s->lambda[k] * ssi_dot(N, row, s->x);
    for (int p = 0; p < s->n; p++) sum += s->z[p] * row[2 * p + 1];
    s->slope[i] += weight * s->value[i] * s->x[i] * sum;
  }
  return true;
}

// lambda_max at s->at, and the slope of its smooth companion there; NAN: not positive definite.
static double look(ssi_critical_bound *s) {
  if (!ssi_watch_affords(s->watch, (double)s->N * s->N * s->N) || !factor(s)) return NAN;
  double top = largest(s), sum = 0;
  if (isnan(top) || top <= 0) return top;
  memset(s->slope, 0, sizeof(double) * (size_t)(s->N + s->n));
  for (int k = s->N - 1; k >= 0; k--) sum += pow(s->lambda[k] > 0 ? s->lambda[k] / top : 0, POWER);
  for (int k = s->N - 1; k >= 0 && s->lambda[k] > 0.8 * top; k--)
    if (!add_slope(s, k, pow(s->lambda[k] / top, POWER) / (s->lambda[k] * sum))) return NAN;
  return top;
}

// One step of every logarithm, longer while its slope keeps its sign.
static void advance(ssi_critical_bound *s) {
  for (int i = 0; i < s->N + s->n; i++) {
    double product = s->slope[i] * s->last[i];
    if (product > 0) s->step[i] = fmin(s->step[i] * 1.2, 0.3);
    if (product < 0) s->step[i] *= 0.5, s->slope[i] = 0;
    s->at[i] -= s->slope[i] > 0 ? s->step[i] : s->slope[i] < 0 ? -s->step[i] : 0;
    s->last[i] = s->slope[i];
  }
}

// From s->at, which becomes the best found; its lambda_max. Stops at `enough`. NAN: not even there.
static double search(ssi_critical_bound *s, int steps, double enough, double *evaluations) {
  int size = s->N + s->n;
  double least = look(s);
  *evaluations += 1;
  if (isnan(least)) return NAN;
  for (int i = 0; i < size; i++) s->step[i] = 0.05, s->last[i] = 0, s->best[i] = s->at[i];
  for (int k = 0; k < steps && least > enough && !ssi_watch_stops(s->watch, -1); k++) {
    advance(s);
    double found = look(s);
    *evaluations += 1;
    if (found < least) {
      least = found;
      memcpy(s->best, s->at, sizeof(double) * (size_t)size);
    }
    if (!isnan(found)) continue;
    memcpy(s->at, s->best, sizeof(double) * (size_t)size);  // went too far: back, and shorter
    memset(s->last, 0, sizeof(double) * (size_t)size);
    for (int i = 0; i < size; i++) s->step[i] *= 0.25;
    if (isnan(look(s))) break;
  }
  memcpy(s->at, s->best, sizeof(double) * (size_t)size);
  return least;
}

ssi_critical_bound *ssi_critical_bound_create(ssi_arena *arena, int n) {
  ssi_critical_bound *s = SSI_TAKE(arena, 1, ssi_critical_bound);
  if (!s) return NULL;
  int N = 2 * n, size = N + n;
  s->A = SSI_TAKE(arena, (int64_t)N * n, double), s->B = SSI_TAKE(arena, (int64_t)N * n, double);
  s->S = SSI_TAKE(arena, (int64_t)N * N, double), s->L = SSI_TAKE(arena, (int64_t)N * N, double);
  s->lambda = SSI_TAKE(arena, N, double), s->work = SSI_TAKE(arena, 34 * (int64_t)N, double);
  s->x = SSI_TAKE(arena, N, double), s->c = SSI_TAKE(arena, N, double);
  s->z = SSI_TAKE(arena, N, double), s->at = SSI_TAKE(arena, size, double);
  s->value = SSI_TAKE(arena, size, double);
  s->best = SSI_TAKE(arena, size, double), s->slope = SSI_TAKE(arena, size, double);
  s->last = SSI_TAKE(arena, size, double), s->step = SSI_TAKE(arena, size, double);
  return arena->failed ? NULL : s;
}

// D = I and the tau that is best for each contact alone; false: W is not positive definite.
static bool start(ssi_critical_bound *s) {
  memset(s->at, 0, sizeof(double) * (size_t)(s->N + s->n));
  if (!factor(s)) return false;
  for (int p = 0; p < s->n; p++) {
    const double *a = s->A + (size_t)p * (size_t)s->N, *b = s->B + (size_t)p * (size_t)s->N;
    s->at[s->N + p] = log(ssi_dot(s->N, b, b) / ssi_dot(s->N, a, a)) / 2;
  }
  return true;
}

double ssi_critical_bound_lower(ssi_critical_bound *s, const ssi_critical_part *p, bool warm,
                                double *at, int steps, double enough, const ssi_watch *watch,
                                double *evaluations) {
  s->n = p->n, s->N = 2 * p->n, s->W = p->W, s->g = p->g, s->watch = watch;
  size_t bytes = sizeof(double) * (size_t)(s->N + s->n);
  double found = NAN, goal = (1 - 1e-12 * s->N) / enough;
  if (warm) memcpy(s->at, at, bytes), found = search(s, steps, goal, evaluations);
  if (isnan(found) && start(s)) found = search(s, steps, goal, evaluations);
  if (isnan(found)) return memset(at, 0, bytes), 0;
  memcpy(at, s->at, bytes);
  // a little less than the bound itself, for the rounding in it
  return found <= 0 ? INFINITY : (1 - 1e-12 * s->N) / found;
}

int ssi_critical_bound_worst(ssi_critical_bound *s) {
  int worst = 0;
  double most = -1;
  if (isnan(look(s))) return 0;
  memset(s->slope, 0, sizeof(double) * (size_t)(s->N + s->n));
  if (!add_slope(s, s->N - 1, 1)) return 0;  // leaves x and c of the largest eigenvalue
  for (int p = 0; p < s->n; p++) {
    double share = s->g[p] * fabs(s->x[2 * p] * s->c[p]);
    if (share > most) most = share, worst = p;
  }
  return worst;
}
