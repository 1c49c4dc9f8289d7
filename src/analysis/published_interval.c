// The P property of the interval matrix (54) of [Agw20] as (55) to (57) there have it, after Rohn and Rex.
//
// (54) is F [I 0; mu [-1, 1] I]: column n of contact q is F_.n + m F_.t, |m| <= mu g_q. Taken entry by entry, as (55) does,
// that is the interval hull, centre F and radius mu g_q |F_it| in column n; it is a P-matrix if and only if each
//
//     A_z = F - mu D,     D_ij = z_i z_j g_q |F_i,t(q)| for j = n(q), 0 else,     z in {-1, 1}^N                   (57)
//
// is one. The hull grows with mu, so bisection finds where it stops to be one. It is larger than (54), whose entries of one
// column share one m: the corners m_q = +-mu g_q of (54) itself give mu_pmatrix, which is never smaller.
//
// P: a_11 > 0, and both the matrix without row and column 1 and the Schur complement of a_11 are P.                   (1)
// The exchange of the sign of n, by which our W and F of the paper differ, changes neither hull nor minors.
#include <math.h>
#include <string.h>

#include "analysis/published.h"
#include "base/timer.h"

typedef struct hull {
  const ssi_critical_part *p;
  int N;
  double *A;  // matrices of (1), one per level, sizes N, N - 1, ...
  double end_s;
  double tests;
  bool late;
} hull;

// A (n x n, row-major); what comes after it is free.
static bool is_p(double *A, int n) {
  if (!(A[0] > 0)) return false;
  if (n == 1) return true;
  double *next = A + n * n;
  int m = n - 1;
  for (int schur = 0; schur < 2; schur++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        next[i * m + j] = A[(i + 1) * n + j + 1] - (schur ? A[(i + 1) * n] * A[j + 1] / A[0] : 0);
    if (!is_p(next, m)) return false;
  }
  return true;
}

// All A_z at mu; z and -z are one, so z_1 = 1.
static bool holds(hull *h, double mu) {
  int N = h->N;
  const double *W = h->p->W;
  for (unsigned z = 0; z < 1u << (N - 1); z++) {
    if (ssi_time_is_over(h->end_s)) return h->late = true;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        bool minus = (i ? z >> (i - 1) & 1 : 0) != (j ? z >> (j - 1) & 1 : 0);
        double radius = j % 2 ? 0 : mu * h->p->g[j / 2] * fabs(W[i * N + j + 1]);
        h->A[i * N + j] = W[i * N + j] - (minus ? -radius : radius);
      }
    h->tests++;
    if (!is_p(h->A, N)) return false;
  }
  return true;
}

bool ssi_published_interval(ssi_arena *arena, const ssi_critical_part *p, double end_s, double *mu,
                            double *tests) {
  int N = 2 * p->n;
  hull h = {.p = p, .N = N, .end_s = end_s};
  h.A = SSI_TAKE(arena, N * (N + 1) * (2 * N + 1) / 6, double);
  if (!h.A) return false;
  double low = 0, high = 1;
  while (high < 1e8 && holds(&h, high) && !h.late) low = high, high *= 2;
  bool none = high >= 1e8;
  while (!none && !h.late && high - low > 1e-14 * high) {
    double middle = low + (high - low) / 2;
    if (holds(&h, middle))
      low = middle;
    else
      high = middle;
  }
  *mu = none ? INFINITY : high;
  *tests += h.tests;
  return !h.late;
}
