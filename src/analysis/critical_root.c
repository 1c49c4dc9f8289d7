// The friction at which the determinant of one pattern vanishes.
//
// The pattern's matrix (analysis/critical.h) is B0 + mu B1, B0 a principal submatrix of W and B1
// zero but in the columns S of the slipping contacts, where it is -s g W_.t. So det = 0 where -1/mu
// is an eigenvalue of the S x S block of B0^-1 B1:
//
//     det(I + mu Z) = 0,   B0 Z' = B1_S,   Z = Z'_S                                             (1)
//
// Newton's iteration on the logarithm of (1) then removes what the eigenvalues lost:
//
//     mu <- mu - 1 / tr( (I + mu Z)^-1 Z )                                                      (2)
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/critical.h"

struct ssi_roots {
  double *B;          // B0, column-major             (2n)^2
  double *Z;          // B1_S, then Z'                (2n x n)
  double *T;          // Z, column-major              (n^2)
  double *C;          // I + mu Z, and scratch        (n^2)
  double *D;          // (n^2)
  double *re, *im;    // eigenvalues                  (n)
  double *work;       // of dgeev                     (34 n)
  lapack_int *pivot;  // (2n)
  int *row;           // rows of W in the pattern     (2n)
  int *slip;          // contacts in S                (n)
  int *place;         // their rows in the pattern    (n)
};

ssi_roots *ssi_roots_create(ssi_arena *arena, int n) {
  ssi_roots *w = SSI_TAKE(arena, 1, ssi_roots);
  if (!w) return NULL;
  int64_t nn = (int64_t)n * n;
  w->B = SSI_TAKE(arena, 4 * nn, double), w->Z = SSI_TAKE(arena, 2 * nn, double);
  w->T = SSI_TAKE(arena, nn, double), w->C = SSI_TAKE(arena, nn, double);
  w->D = SSI_TAKE(arena, nn, double), w->work = SSI_TAKE(arena, 34 * (int64_t)n, double);
  w->re = SSI_TAKE(arena, n, double), w->im = SSI_TAKE(arena, n, double);
  w->pivot = SSI_TAKE(arena, 2 * (int64_t)n, lapack_int);
  w->row = SSI_TAKE(arena, 2 * (int64_t)n, int);
  w->slip = SSI_TAKE(arena, n, int), w->place = SSI_TAKE(arena, n, int);
  return arena->failed ? NULL : w;
}

static bool is_slip(int s) {
  return s == SS_PATTERN_SLIP_PLUS || s == SS_PATTERN_SLIP_MINUS;
}

// Z of (1) into w->T, size |S|; -1: B0 is singular, or numbers overflow.
static int reduce(ssi_roots *w, const ssi_critical_part *p, const unsigned char *pattern) {
  int rows = 0, slips = 0;
  for (int i = 0; i < p->n; i++) {
    if (is_slip(pattern[i])) w->slip[slips] = i, w->place[slips++] = rows;
    if (pattern[i] != SS_PATTERN_FREE && pattern[i] != SS_PATTERN_CROSS) w->row[rows++] = 2 * i;
    if (pattern[i] == SS_PATTERN_STICK || pattern[i] == SS_PATTERN_CROSS)
      w->row[rows++] = 2 * i + 1;
  }
  if (slips == 0) return 0;
  size_t N = 2 * (size_t)p->n;
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < rows; i++)
      w->B[(size_t)j * (size_t)rows + (size_t)i] = p->W[(size_t)w->row[i] * N + (size_t)w->row[j]];
  for (int k = 0; k < slips; k++) {
    int c = w->slip[k];
    double factor = (pattern[c] == SS_PATTERN_SLIP_PLUS ? -1 : 1) * p->g[c];
    for (int i = 0; i < rows; i++)
      w->Z[(size_t)k * (size_t)rows + (size_t)i] =
          factor * p->W[(size_t)w->row[i] * N + 2 * (size_t)c + 1];
  }
  if (!ssi_all_finite(w->Z, (size_t)slips * (size_t)rows)) return -1;
  if (LAPACKE_dgesv_work(LAPACK_COL_MAJOR, rows, slips, w->B, rows, w->pivot, w->Z, rows))
    return -1;
  for (int k = 0; k < slips; k++)
    for (int i = 0; i < slips; i++)
      w->T[k * slips + i] = w->Z[(size_t)k * (size_t)rows + (size_t)w->place[i]];
  return slips;
}

// One step (2) from mu; the new mu, or mu where that is no improvement.
static double newton(ssi_roots *w, int k, double mu) {
  for (int i = 0; i < k * k; i++) w->C[i] = mu * w->T[i] + (i % (k + 1) == 0), w->D[i] = w->T[i];
  if (!ssi_all_finite(w->C, (size_t)(k * k))) return mu;
  if (LAPACKE_dgesv_work(LAPACK_COL_MAJOR, k, k, w->C, k, w->pivot, w->D, k)) return mu;
  double trace = 0;
  for (int i = 0; i < k; i++) trace += w->D[i * (k + 1)];
  double next = mu - 1 / trace;
  return fabs(next - mu) <= 1e-7 * fabs(mu) ? next : mu;
}

double ssi_pattern_root(ssi_roots *w, const ssi_critical_part *p, const unsigned char *pattern,
                        bool both) {
  int k = reduce(w, p, pattern);
  if (k < 0) return NAN;
  if (k == 0) return INFINITY;
  if (!ssi_all_finite(w->T, (size_t)(k * k))) return NAN;
  memcpy(w->C, w->T, sizeof(double) * (size_t)(k * k));
  if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', k, w->C, k, w->re, w->im, NULL, 1, NULL, 1,
                         w->work, 34 * k))
    return NAN;
  double largest = 0;
  for (int i = 0; i < k; i++) {
    double x = -w->re[i];  // 1 / mu
    if (w->im[i] == 0 && (both ? fabs(x) > fabs(largest) : x > largest)) largest = x;
  }
  if (largest == 0) return INFINITY;
  double mu = newton(w, k, newton(w, k, 1 / largest));
  return both ? fabs(mu) : mu;
}
