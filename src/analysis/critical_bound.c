// A lower bound for every criterion, in polynomial time.
//
// With columns n - m t, |m_p| <= mu g_p, the matrix W E(m) has only positive principal minors when it is
// positive definite (not symmetric). With x the reactions,
//
//     x.W E(m) x = x.W x - sum_p m_p x_np (W^T x)_tp >= x.W x - mu sum_p g_p |x_np| |(W^T x)_tp|    (1)
//
// and 2 |a||b| <= tau a^2 + b^2 / tau. With the symmetric part of W = L L^T, a_p = L^-1 e_np and
// b_p = L^-1 W e_tp, (1) is positive for all x != 0 when, for some tau > 0,
//
//     mu lambda_max( S(tau) ) < 1,     S = 1/2 sum_p g_p ( tau_p a_p a_p^T + b_p b_p^T / tau_p )      (2)
//
// Any tau gives a bound. lambda_max is convex in tau; with its eigenvector y, tau_p = |b_p.y| / |a_p.y| would
// be best for that y alone: half a step towards it (in the logarithm), a few times, and the best kept.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/critical.h"
#include "base/error.h"

enum { STEPS = 40 };

typedef struct bound {
  int n, N;
  const double *g;
  double *A, *B;   // columns a_p and b_p, column-major   (N x n)
  double *S;       // (N^2)
  double *tau;     // (n)
  double *lambda;  // (N)
  double *work;    // (34 N)
} bound;

// a_p and b_p; false: the symmetric part of W is not positive definite.
static bool factor(bound *s, const double *W) {
  int N = s->N;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) s->S[j * N + i] = (W[i * N + j] + W[j * N + i]) / 2;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', N, s->S, N)) return false;
  for (int p = 0; p < s->n; p++)
    for (int i = 0; i < N; i++) {
      s->A[p * N + i] = i == 2 * p;
      s->B[p * N + i] = W[i * N + 2 * p + 1];
    }
  return !LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', N, s->n, s->S, N, s->A, N) &&
         !LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', N, s->n, s->S, N, s->B, N);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// lambda_max of (2); its eigenvector becomes the last column of S. NAN: LAPACK failed.
static double largest(bound *s) {
  int N = s->N;
  memset(s->S, 0, sizeof(double) * (size_t)N * (size_t)N);
  for (int p = 0; p < s->n; p++) {
    const double *a = s->A + (size_t)p * (size_t)N, *b = s->B + (size_t)p * (size_t)N;
    double wa = s->g[p] * s->tau[p] / 2, wb = s->g[p] / s->tau[p] / 2;
    for (int j = 0; j < N; j++)
      for (int i = j; i < N; i++) s->S[j * N + i] += wa * a[i] * a[j] + wb * b[i] * b[j];
  }
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', N, s->S, N, s->lambda, s->work, 34 * N))
    return NAN;
  return s->lambda[N - 1];
}

static void improve(bound *s) {
  const double *y = s->S + (size_t)(s->N - 1) * (size_t)s->N;
  for (int p = 0; p < s->n; p++) {
    double a = fabs(dot(s->N, s->A + (size_t)p * (size_t)s->N, y));
    double b = fabs(dot(s->N, s->B + (size_t)p * (size_t)s->N, y));
    double factor = sqrt(b / a / s->tau[p]);
    if (factor > 0.5 && factor < 2) s->tau[p] *= factor;
  }
}

ss_error ssi_critical_bound(ss_context *ctx, const ssi_part *p, double *lower) {
  ssi_arena arena = {.ctx = ctx};
  int N = 2 * p->n;
  bound s = {.n = p->n, .N = N, .g = p->g};
  s.A = SSI_TAKE(&arena, (int64_t)N * p->n, double),
  s.B = SSI_TAKE(&arena, (int64_t)N * p->n, double);
  s.S = SSI_TAKE(&arena, (int64_t)N * N, double), s.tau = SSI_TAKE(&arena, p->n, double);
  s.lambda = SSI_TAKE(&arena, N, double), s.work = SSI_TAKE(&arena, 34 * (int64_t)N, double);
  *lower = 0;
  ss_error e = arena.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "out of memory") : SS_OK;
  if (!e && factor(&s, p->W)) {
    double best = INFINITY;
    for (int k = 0; k < p->n; k++) {
      const double *a = s.A + (size_t)k * (size_t)N, *b = s.B + (size_t)k * (size_t)N;
      s.tau[k] = sqrt(dot(N, b, b) / dot(N, a, a));
    }
    for (int k = 0; k < (N > 200 ? 5 : STEPS); k++) {
      double found = largest(&s);
      if (isnan(found)) break;
      best = fmin(best, found);
      improve(&s);
    }
    // a little less than the bound itself, for the rounding in it
    *lower = best == 0 ? INFINITY : (1 - 1e-12 * N) / best;
  }
  ssi_arena_release(&arena);
  return e;
}
