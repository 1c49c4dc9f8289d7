// Degenerate ties are broken lexicographically: q stands for q + (eps, eps^2, ...), which makes every
// row of the perturbed dictionary different, so that no basis comes back [CPS92]. In terms of
// the dictionary the perturbation of row i has the component j
//
//     -T[i][column of w_j] if w_j is nonbasic,  1 if w_j is the variable of row i,  else 0       (1)
//
// [CPS92] R. Cottle, J.-S. Pang, R. Stone, The linear complementarity problem, Academic Press 1992.
#include "la/lcp.h"

#include <math.h>

#include "base/clones.h"

// Entries below PIVOT of a column of order 1 count as zero, ratios within TIE as equal. With 1e-11
// rounding made a false ray on a hyperstatic wall of 72 contacts in 2D; with 1e-8 none of 48 walls had one.
static const double PIVOT = 1e-8, TIE = 1e-8;

bool ssi_lcp_take(ssi_lcp *l, int size, ssi_arena *arena) {
  l->T = SSI_TAKE(arena, (int64_t)size * (size + 2), double);
  l->basic = SSI_TAKE(arena, size, int);
  l->nonbasic = SSI_TAKE(arena, size + 1, int);
  l->column = SSI_TAKE(arena, size, int);
  l->tied = SSI_TAKE(arena, size, int);
  l->entry = SSI_TAKE(arena, size + 2, int);
  return !arena->failed;
}

// other += f row, over the `count` entries of row that are not zero where these are few.
SSI_INLINE void add_row(double *other, double f, const double *row, int width, const int *at,
                        int count) {
  if (4 * count > width)
    for (int j = 0; j < width; j++) other[j] += f * row[j];
  else
    for (int k = 0; k < count; k++) other[at[k]] += f * row[at[k]];
}

// x_c, nonbasic, and the variable of row p change places. With a = T[p][c]:
// x_c = (x_p - constant_p - sum_j T[p][j] x_j) / a, put into the other rows.
SSI_CLONES static void exchange(ssi_lcp *l, int p, int c) {
  int width = l->n + 2;
  double *row = ssi_lcp_row(l, p), a = row[c];
  for (int j = 0; j < width; j++) row[j] = -row[j] / a;
  row[c] = 1 / a;
  int count = 0;
  for (int j = 0; j < width; j++)
    if (row[j] != 0) l->entry[count++] = j;
  for (int i = 0; i < l->n; i++) {
    double *other = ssi_lcp_row(l, i), f = other[c];
    if (i == p || f == 0) continue;
    other[c] = 0;
    add_row(other, f, row, width, l->entry, count);
    other[width - 1] = fmax(other[width - 1], 0);  // feasible but for rounding
  }
  row[width - 1] = fmax(row[width - 1], 0);
  int entered = l->nonbasic[c], left = l->basic[p];
  l->basic[p] = entered;
  l->nonbasic[c] = left;
  if (entered < l->n) l->column[entered] = -1;
  if (left < l->n) l->column[left] = c;
}

// Component j of (1) in row i.
static double perturbation(ssi_lcp *l, int i, int j) {
  if (l->column[j] >= 0) return -ssi_lcp_row(l, i)[l->column[j]];
  return l->basic[i] == j ? 1 : 0;
}

// Of the `count` rows in tied, the lexicographically first after division by -T[i][c].
static int first_row(ssi_lcp *l, int count, int c) {
  for (int j = 0; j < l->n && count > 1; j++) {
    double least = INFINITY;
    for (int k = 0; k < count; k++)
      least = fmin(least, perturbation(l, l->tied[k], j) / -ssi_lcp_row(l, l->tied[k])[c]);
    int kept = 0;
    for (int k = 0; k < count; k++) {
      double value = perturbation(l, l->tied[k], j) / -ssi_lcp_row(l, l->tied[k])[c];
      if (value <= least + TIE * (1 + fabs(least))) l->tied[kept++] = l->tied[k];
    }
    count = kept;
  }
  return l->tied[0];
}

// The row that stops the growth of the nonbasic variable of column c; -1: none. z0 goes first.
static int leaving_row(ssi_lcp *l, int c) {
  double largest = 0, least = INFINITY;
  for (int i = 0; i < l->n; i++) largest = fmax(largest, fabs(ssi_lcp_row(l, i)[c]));
  double threshold = PIVOT * fmax(largest, 1);
  for (int i = 0; i < l->n; i++) {
    const double *row = ssi_lcp_row(l, i);
    if (row[c] < -threshold) least = fmin(least, row[l->n + 1] / -row[c]);
  }
  int count = 0;
  for (int i = 0; i < l->n; i++) {
    const double *row = ssi_lcp_row(l, i);
    if (!(row[c] < -threshold) || row[l->n + 1] / -row[c] > least + TIE * (1 + least)) continue;
    if (l->basic[i] == 2 * l->n) return i;
    l->tied[count++] = i;
  }
  return count ? first_row(l, count, c) : -1;
}

ssi_lcp_state ssi_lcp_start(ssi_lcp *l) {
  int n = l->n, lowest = -1;
  double least = 0;
  for (int i = 0; i < n; i++) {
    double *row = ssi_lcp_row(l, i);
    row[n] = 1;
    l->basic[i] = i;
    l->nonbasic[i] = n + i;
    l->column[i] = -1;
    if (row[n + 1] < least) least = row[n + 1], lowest = i;
  }
  l->nonbasic[n] = 2 * n;
  if (lowest < 0) return SSI_LCP_SOLVED;
  // the greatest index among equals is the lexicographic minimum of q + (eps, eps^2, ...)
  for (int i = lowest + 1; i < n; i++)
    if (ssi_lcp_row(l, i)[n + 1] == least) lowest = i;
  exchange(l, lowest, n);
  l->entering = lowest;  // the column of z_lowest, complement of the w that left
  return SSI_LCP_GOING;
}

ssi_lcp_state ssi_lcp_pivot(ssi_lcp *l) {
  int c = l->entering, p = leaving_row(l, c), n = l->n;
  if (p < 0) return SSI_LCP_RAY;
  int left = l->basic[p];
  exchange(l, p, c);
  if (left == 2 * n) return SSI_LCP_SOLVED;
  int partner = left < n ? left + n : left - n;
  for (int j = 0; j <= n; j++)
    if (l->nonbasic[j] == partner) l->entering = j;
  return SSI_LCP_GOING;
}

void ssi_lcp_values(ssi_lcp *l, double *z) {
  for (int j = 0; j < l->n; j++) z[j] = 0;
  for (int i = 0; i < l->n; i++)
    if (l->basic[i] >= l->n && l->basic[i] < 2 * l->n)
      z[l->basic[i] - l->n] = ssi_lcp_row(l, i)[l->n + 1];
}
