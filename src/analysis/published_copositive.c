// Up to which friction the matrix of the linear complementarity problem (30) of [Agw20] is copositive, which Lemke's method
// asks for ([Agw20, 4.3] says "for sufficiently small coefficients").
//
// With x = (psi_n, psi_t-) = (r_N, mu r_N - r_T) and t = xi_t+ the quadratic form of that matrix is
//
//     x.F [I 0; -U I] x + 2 t.U psi_n,     F = W with the sign of n exchanged,   U = mu diag(g)
//
// t adds nothing negative, and what is left is linear in mu: copositive if and only if
//
//     mu <= min { x.F x / x.B x :  x >= 0, x.B x > 0 },     B = sym( F [0 0; diag(g) 0] )                      (1)
//
// At the smallest quotient x is a largest eigenvector of (B, F) restricted to its support (a local maximum of a Rayleigh
// quotient is a global one), and it is positive there. So faces of the orthant are searched, from the whole of it down: the
// largest eigenvalue of a face bounds those of all its faces; a positive eigenvector settles it.                        (2)
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/published.h"
#include "base/timer.h"

typedef struct faces {
  const ssi_critical_part *p;
  int N;
  double *F, *B;         // (N x N)
  double *f, *b;         // of a face, one pair per level   (N x N each, times N + 1)
  double *value, *work;  // (N), (34 N)
  double best;           // largest eigenvalue with a positive vector
  double open;           // bound of what was left out because the time was up
  double looked, end_s;
  bool late, failed;
} faces;

// The largest eigenvalue of (B, F) on the face; its vector is the last column of the level's b.
static double top(faces *s, unsigned face, int level, int *index, int *size) {
  int n = 0, N = s->N;
  double *b = s->b + (size_t)level * (size_t)(N * N), *f = s->f;
  for (int i = 0; i < N; i++)
    if (face >> i & 1) index[n++] = i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      f[i * n + j] = s->F[index[i] * N + index[j]];
      b[i * n + j] = s->B[index[i] * N + index[j]];
    }
  *size = n;
  s->looked++;
  if (LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'V', 'U', n, b, n, f, n, s->value, s->work, 34 * N))
    return s->failed = true, 0;
  return s->value[n - 1];
}

// (2). forced: members that this branch keeps.
static void search(faces *s, unsigned face, unsigned forced, int level) {
  int index[2 * SS_COPOSITIVE_CONTACTS], n;
  if (s->failed || !face) return;
  if (ssi_time_is_over(s->end_s)) s->late = true;
  double lambda = top(s, face, level, index, &n);
  if (s->failed || !(lambda > s->best * (1 + 1e-14))) return;
  if (s->late) {
    s->open = fmax(s->open, lambda);
    return;
  }
  double *x = s->b + (size_t)level * (size_t)(s->N * s->N) + (size_t)(n * (n - 1)), sum = 0,
         size = 0;
  for (int i = 0; i < n; i++) sum += x[i], size = fmax(size, fabs(x[i]));
  double least = INFINITY;
  for (int i = 0; i < n; i++) x[i] = sum < 0 ? -x[i] : x[i], least = fmin(least, x[i]);
  if (least >= -1e-12 * size) {
    s->best = lambda;
    return;
  }
  for (;;) {  // leave out what is most negative first, then keep it
    int worst = -1;
    for (int i = 0; i < n; i++)
      if (!(forced >> index[i] & 1) && (worst < 0 || x[i] < x[worst])) worst = i;
    if (worst < 0) return;
    unsigned bit = 1u << index[worst];
    search(s, face & ~bit, forced, level + 1);
    forced |= bit;
  }
}

static void fill(faces *s) {
  int N = s->N;
  const ssi_critical_part *p = s->p;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s->F[i * N + j] = (i + j) % 2 ? -p->W[i * N + j] : p->W[i * N + j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j += 2) {  // column n of contact j / 2 is g times column t of F
      double half = p->g[j / 2] * s->F[i * N + j + 1] / 2;
      s->B[i * N + j] += half, s->B[j * N + i] += half;
    }
}

bool ssi_published_copositive(ssi_arena *arena, const ssi_critical_part *p, double end_s,
                              double *mu, double *lower, double *looked) {
  int N = 2 * p->n;
  faces s = {.p = p, .N = N, .end_s = end_s};
  s.F = SSI_TAKE(arena, N * N, double), s.B = SSI_TAKE(arena, N * N, double);
  s.f = SSI_TAKE(arena, N * N, double), s.b = SSI_TAKE(arena, (N + 1) * N * N, double);
  s.value = SSI_TAKE(arena, N, double), s.work = SSI_TAKE(arena, 34 * N, double);
  if (arena->failed) return false;
  fill(&s);
  search(&s, (1u << N) - 1, 0, 0);
  *mu = s.best > 0 ? 1 / s.best : INFINITY;
  double bound = fmax(s.best, s.open);
  *lower = bound > 0 ? 1 / bound : INFINITY;
  *looked += s.looked;
  return !s.failed;
}
