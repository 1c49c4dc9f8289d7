// Upper bounds: a pattern with a small root, by changing one contact at a time.
//
// Every pattern is a full matrix C of 2n columns, two per contact, with the pattern's determinant:
//
//   free  e_n, e_t    stick  W_n, W_t    slip s  W_n - s mu g W_t, e_t    cross  e_n, W_t
//
// so another state of contact p is two other columns c1, c2, and with Z = C^-1
//
//   det C' / det C = det [ (Z c1)_n (Z c2)_n ; (Z c1)_t (Z c2)_t ]                              (1)
//
// which Z and Z W give for all contacts and states at once. At a mu just below the root of the
// pattern that we have, a negative ratio is a pattern with a smaller root.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/critical.h"
#include "base/rng.h"
#include "la/blas.h"

enum { STARTS = 8, MOVES = 200 };
static const double BELOW = 1 - 1e-6;  // of the root: det C must not be all rounding
static const double WORK = 2e10;       // multiplications that all starts together may take

struct ssi_critical_search {
  double *Z, *ZW, *W;  // row-major     (2n)^2
  lapack_int *pivot;   // (2n)
  unsigned char *now, *next;
  double work;
};

ssi_critical_search *ssi_critical_search_create(ssi_arena *arena, int n) {
  ssi_critical_search *s = SSI_TAKE(arena, 1, ssi_critical_search);
  if (!s) return NULL;
  int64_t size = 4 * (int64_t)n * n;
  s->Z = SSI_TAKE(arena, size, double), s->ZW = SSI_TAKE(arena, size, double);
  s->pivot = SSI_TAKE(arena, 2 * (int64_t)n, lapack_int);
  s->now = SSI_TAKE(arena, n, unsigned char), s->next = SSI_TAKE(arena, n, unsigned char);
  return arena->failed ? NULL : s;
}

// Z = C^-1 and Z W at mu. False: C is singular.
static bool invert(ssi_critical_search *s, const ssi_critical_part *p, const unsigned char *pattern,
                   double mu) {
  int N = 2 * p->n;
  memset(s->Z, 0, sizeof(double) * (size_t)N * (size_t)N);
  for (int c = 0; c < p->n; c++) {
    int state = pattern[c], n = 2 * c, t = n + 1;
    bool slip = state == SS_PATTERN_SLIP_PLUS || state == SS_PATTERN_SLIP_MINUS;
    double a = slip ? (state == SS_PATTERN_SLIP_PLUS ? mu : -mu) * p->g[c] : 0;
    for (int i = 0; i < N; i++) {
      const double *row = p->W + (size_t)i * (size_t)N;
      double *C = s->Z + (size_t)i * (size_t)N;
      C[n] = slip || state == SS_PATTERN_STICK ? row[n] - a * row[t] : i == n;
      C[t] = state == SS_PATTERN_STICK || state == SS_PATTERN_CROSS ? row[t] : i == t;
    }
  }
  s->work += 5.0 * N * N * N;
  if (!ssi_all_finite(s->Z, (size_t)N * (size_t)N)) return false;
  // the transpose of a row-major matrix is what column-major LAPACK sees; so is its inverse
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, N, N, s->Z, N, s->pivot) ||
      LAPACKE_dgetri_work(LAPACK_COL_MAJOR, N, s->Z, N, s->pivot, s->ZW, N * N))
    return false;
  ssi_dgemm_("N", "N", &N, &N, &N, &(double){1}, p->W, &N, s->Z, &N, &(double){0}, s->ZW, &N);  // (ZW)^T = W^T Z^T
  return true;
}

// (1) for contact c in `state`.
static double ratio(const ssi_critical_search *s, const ssi_critical_part *p, double mu, int c,
                    int state) {
  size_t N = 2 * (size_t)p->n, n = 2 * (size_t)c, t = n + 1;
  const double *Zn = s->Z + n * N, *Zt = s->Z + t * N, *Wn = s->ZW + n * N, *Wt = s->ZW + t * N;
  bool slip = state == SS_PATTERN_SLIP_PLUS || state == SS_PATTERN_SLIP_MINUS;
  double a = slip ? (state == SS_PATTERN_SLIP_PLUS ? mu : -mu) * p->g[c] : 0;
  bool reaction_n = slip || state == SS_PATTERN_STICK;
  bool reaction_t = state == SS_PATTERN_STICK || state == SS_PATTERN_CROSS;
  double nn = reaction_n ? Wn[n] - a * Wn[t] : Zn[n], tn = reaction_n ? Wt[n] - a * Wt[t] : Zt[n];
  double nt = reaction_t ? Wn[t] : Zn[t], tt = reaction_t ? Wt[t] : Zt[t];
  return nn * tt - nt * tn;
}

// The best single change, judged by the roots of those with a negative ratio; false: none improves.
static bool move(ssi_critical_search *s, ssi_roots *w, const ssi_critical_part *p, unsigned states,
                 unsigned char *pattern, double *upper, bool *failed) {
  double mu = *upper * BELOW, best = mu, most = 0;
  bool few = p->n <= 24;  // then all that improve are tried, else the most negative ratio
  int contact = -1, state = 0;
  if (!invert(s, p, pattern, mu)) return false;
  memcpy(s->next, pattern, (size_t)p->n);
  for (int c = 0; c < p->n; c++)
    for (int k = SS_PATTERN_FREE; k <= SS_PATTERN_CROSS; k++) {
      if (!(states >> k & 1) || k == pattern[c]) continue;
      double r = ratio(s, p, mu, c, k);
      if (!(r < (few ? 0 : most))) continue;
      if (few) {
        s->next[c] = (unsigned char)k;
        double root = ssi_pattern_root(w, p, s->next, false);
        s->next[c] = pattern[c];
        s->work += 30.0 * p->n * p->n * p->n;
        if (isnan(root)) return *failed = true, false;
        if (root >= best) continue;
        best = root;
      }
      most = r, contact = c, state = k;
    }
  if (contact < 0) return false;
  s->next[contact] = (unsigned char)state;
  double root = few ? best : ssi_pattern_root(w, p, s->next, false);
  s->work += 30.0 * p->n * p->n * p->n;
  if (isnan(root)) return *failed = true, false;
  if (!(root < mu)) return false;
  pattern[contact] = (unsigned char)state, *upper = root;
  return true;
}

// Room and time for one move: Z, Z W and an eigenvalue problem.
static bool may_move(const ssi_critical_part *p, const ssi_watch *watch) {
  return !ssi_watch_stops(watch, -1) && ssi_watch_affords(watch, 8.0 * p->n * p->n * p->n);
}

bool ssi_critical_search_descend(ssi_critical_search *s, ssi_roots *w, const ssi_critical_part *p,
                                 unsigned states, const ssi_watch *watch, unsigned char *pattern,
                                 double *upper) {
  bool failed = false;
  for (int k = 0; k < MOVES && isfinite(*upper) && may_move(p, watch); k++)
    if (!move(s, w, p, states, pattern, upper, &failed)) break;
  return !failed;
}

// Start 0: all slip the way that would make W_nn - s mu g W_nt smallest alone; 1: the other way;
// then slips of random signs, and random states.
static void begin(ssi_critical_search *s, const ssi_critical_part *p, unsigned states, int start,
                  ssi_rng *rng) {
  size_t N = 2 * (size_t)p->n;
  for (int c = 0; c < p->n; c++) {
    double nt = p->W[2 * (size_t)c * N + 2 * (size_t)c + 1];
    int sign = (nt > 0) != (start == 1) ? SS_PATTERN_SLIP_PLUS : SS_PATTERN_SLIP_MINUS;
    if (start >= 2) sign = SS_PATTERN_SLIP_PLUS + ssi_rng_below(rng, 2);
    if (start >= STARTS / 2 && ssi_rng_below(rng, 2))
      sign = ssi_rng_below(rng, 2) && (states & 1) ? SS_PATTERN_FREE : SS_PATTERN_STICK;
    s->now[c] = (unsigned char)sign;
  }
}

bool ssi_critical_search_many(ssi_critical_search *s, ssi_roots *w, const ssi_critical_part *p,
                              unsigned states, uint64_t seed, const ssi_watch *watch,
                              unsigned char *pattern, double *upper) {
  ssi_rng rng = {seed};
  s->work = 0;
  if (isfinite(*upper) && !ssi_critical_search_descend(s, w, p, states, watch, pattern, upper))
    return false;
  for (int start = 0; start < STARTS && s->work < WORK && may_move(p, watch); start++) {
    begin(s, p, states, start, &rng);
    double root = ssi_pattern_root(w, p, s->now, false);
    if (isnan(root) || !ssi_critical_search_descend(s, w, p, states, watch, s->now, &root))
      return false;
    if (root < *upper) *upper = root, memcpy(pattern, s->now, (size_t)p->n);
  }
  return true;
}
