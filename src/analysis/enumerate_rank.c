// Whether the bounds of the tree (enumerate_bound.c), which are made of the doubles of W, see all of its rank, and the
// signs that matter most.
//
// With H = ((1, e), (-1, e)) two contacts that are pressed together part along the second dof, by reactions of
// 1/e^2. W = H H^T has an eigenvalue 2 e^2: for e = 1e-7 hardly more than rounding, for 1e-9 less. Rows of W then
// cancel to nothing, nodes look empty, and a solution that exists is denied. H itself has the singular value e, far
// above its rounding.
//
// So the rank is looked at where it shows. Gram-Schmidt on the rows of H M_jj^-1/2 (each of length 1; W without M
// or with joints: elimination of W, diagonal 1), the largest remainder next. What is left at the end is 0 to
// rounding, and everything before is well above what W keeps, or the rank is not clear. What is 0 to rounding has to be
// 0 of the doubles as they are, too: rows like (-0.4, 0.6) and (1, -1.5), whose decimals depend on each other, have
// reactions of 1e33 that keep a contact from moving, and with a fourth contact beside it nobody solved that pattern.
// Doubles are whole numbers times powers of 2, so that elimination modulo a prime tells their rank exactly: never
// more than it is, and less only if the prime divides every minor of that size. In the reduced form what is 0 to rounding
// is not clear at all: a W as near to it has full rank.
//
// The same holds on the sides of the cones. Where W_iN - mu W_iT, what slip at one contact does to row i, cancels
// to rounding (a rod with tan(theta) = mu), its sign is not known, and reactions of 1/rounding may solve what looks
// empty.
#include <math.h>
#include <string.h>

#include "analysis/enumerate.h"
#include "la/modular_rank.h"

static const double ROUNDED = 1e-13;  // remainder of a row of H that depends on the others
static const double SEEN = 1e-10;     // eigenvalue of W that its doubles still show; its root for H
static const double CANCELLED = 1e-12;  // of its terms: a sum whose sign is not known

static double length(int n, const double *x) {
  double square = 0;
  for (int i = 0; i < n; i++) square += x[i] * x[i];
  return sqrt(square);
}

// Rows of H over the roots of M's diagonal, each of length 1, or zero.
static double *unit_rows(ssi_arena *arena, const ss_problem *p) {
  int n = p->ndof, m = p->dim * p->nc;
  double *B = SSI_TAKE(arena, (size_t)m * (size_t)n, double), *M = SSI_TAKE(arena, n, double);
  if (arena->failed) return NULL;
  for (int i = 0; i < n; i++)
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
      if (p->M.col[k] == i) M[i] = sqrt(p->M.x[k]);
  for (int i = 0; i < m; i++) {
    double *row = B + (size_t)i * (size_t)n;
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++)
      row[p->H.col[k]] = p->H.x[k] / M[p->H.col[k]];
    double size = length(n, row);
    for (int j = 0; j < n && size > 0; j++) row[j] /= size;
  }
  return B;
}

static int longest(int m, int n, const double *B, double *size) {
  int best = 0;
  *size = 0;
  for (int i = 0; i < m; i++) {
    double now = length(n, B + (size_t)i * (size_t)n);
    if (now > *size) *size = now, best = i;
  }
  return best;
}

// Whether `rank` is that of the doubles of rows [from, to) of H.
static bool has_rank(ssi_arena *arena, const ss_problem *p, int from, int to, int rank) {
  return ssi_modular_rank(arena, &p->H, from, to) == rank;
}

// Sticking alone: both rows of each contact, whose dependence the others may hide.
static bool contacts_are_clear(ssi_arena *arena, const ss_problem *p, const double *B) {
  size_t n = (size_t)p->ndof;
  for (int i = 0; i < p->nc; i++) {
    const double *normal = B + 2 * (size_t)i * n, *tangent = normal + n;
    double along = 0, rest = 0;
    for (size_t j = 0; j < n; j++) along += normal[j] * tangent[j];
    for (size_t j = 0; j < n; j++) rest += pow(tangent[j] - along * normal[j], 2);
    if (sqrt(rest) > ROUNDED) continue;
    int rank = length(p->ndof, normal) > 0 || length(p->ndof, tangent) > 0;
    if (!has_rank(arena, p, 2 * i, 2 * i + 2, rank)) return false;
  }
  return true;
}

static bool is_clear_in_rows(ssi_arena *arena, const ss_problem *p) {
  int n = p->ndof, m = p->dim * p->nc;
  double *B = unit_rows(arena, p), *unit = SSI_TAKE(arena, n, double), size;
  if (arena->failed || !contacts_are_clear(arena, p, B)) return false;
  for (int step = 0; step < m && step < n; step++) {
    int next = longest(m, n, B, &size);
    if (size <= ROUNDED) return has_rank(arena, p, 0, m, step);
    if (size < sqrt(SEEN)) return false;
    for (int j = 0; j < n; j++) unit[j] = B[(size_t)next * (size_t)n + (size_t)j] / size;
    for (int i = 0; i < m; i++) {
      double *row = B + (size_t)i * (size_t)n, along = 0;
      for (int j = 0; j < n; j++) along += unit[j] * row[j];
      for (int j = 0; j < n; j++) row[j] -= along * unit[j];
    }
    memset(B + (size_t)next * (size_t)n, 0, sizeof(double) * (size_t)n);
  }
  return true;
}

// rounded: remainders up to this are 0.
static bool is_clear_in_W(ssi_arena *arena, const ssi_scaled *z, double rounded) {
  int m = z->m;
  double *A = SSI_TAKE(arena, (size_t)m * (size_t)m, double), *unit = SSI_TAKE(arena, m, double);
  if (arena->failed) return false;
  for (int i = 0; i < m; i++) unit[i] = z->W[i * m + i] > 0 ? sqrt(z->W[i * m + i]) : 1;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      A[i * m + j] = (z->W[i * m + j] + z->W[j * m + i]) / 2 / unit[i] / unit[j];
  for (int step = 0; step < m; step++) {
    int next = 0;
    bool left = false;
    for (int i = 0; i < m; i++) {
      if (A[i * m + i] > A[next * m + next]) next = i;
      left = left || fabs(A[i * m + i]) > rounded;
    }
    double pivot = A[next * m + next];
    if (!left) return true;
    if (pivot < SEEN) return false;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        if (i != next && j != next) A[i * m + j] -= A[i * m + next] * A[next * m + j] / pivot;
    for (int i = 0; i < m; i++) A[i * m + next] = A[next * m + i] = 0;
  }
  return true;
}

static bool sides_are_clear(const ssi_scaled *z) {
  for (int row = 0; row < z->m; row++)
    for (int i = 0; i < z->n; i++) {
      double normal = fabs(z->W[row * z->m + 2 * i]);
      double tangent = z->mu[i] * fabs(z->W[row * z->m + 2 * i + 1]);
      if (normal > 0 && fabs(normal - tangent) <= CANCELLED * normal) return false;
    }
  return true;
}

bool ssi_rank_is_clear(ssi_arena *arena, const ss_problem *p, const ssi_scaled *z) {
  if (!sides_are_clear(z)) return false;
  if (p->form == SS_REDUCED) return is_clear_in_W(arena, z, 0);
  return p->nl ? is_clear_in_W(arena, z, ROUNDED) : is_clear_in_rows(arena, p);
}
