#include "la/modular_rank.h"

#include <math.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;

static const uint64_t P = (UINT64_C(1) << 61) - 1;

static uint64_t times(uint64_t a, uint64_t b) {
  wide x = (wide)a * b;
  uint64_t low = (uint64_t)(x & P) + (uint64_t)(x >> 61);  // 2^61 = 1
  return low >= P ? low - P : low;
}

static uint64_t minus(uint64_t a, uint64_t b) {
  return a >= b ? a - b : a + P - b;
}

static uint64_t power(uint64_t a, uint64_t n) {
  uint64_t x = 1;
  for (; n; n >>= 1, a = times(a, a))
    if (n & 1) x = times(x, a);
  return x;
}

// x = whole 2^(e - 53); powers of 2 repeat after 61.
static uint64_t residue(double x) {
  int e;
  uint64_t whole = (uint64_t)ldexp(fabs(frexp(x, &e)), 53);
  uint64_t y = times(whole % P, UINT64_C(1) << ((e - 53) % 61 + 61) % 61);
  return x < 0 ? minus(0, y) : y;
}

static void eliminate(uint64_t *row, const uint64_t *pivot_row, int n, int c, uint64_t inverse) {
  uint64_t factor = times(row[c], inverse);
  for (int j = c; factor && j < n; j++) row[j] = minus(row[j], times(factor, pivot_row[j]));
}

static int rank_of(uint64_t *A, int m, int n) {
  int rank = 0;
  for (int c = 0; c < n && rank < m; c++) {
    int at = rank;
    while (at < m && !A[(size_t)at * (size_t)n + (size_t)c]) at++;
    if (at == m) continue;
    uint64_t *pivot = A + (size_t)rank * (size_t)n, *found = A + (size_t)at * (size_t)n;
    for (int j = 0; j < n; j++) {
      uint64_t keep = pivot[j];
      pivot[j] = found[j], found[j] = keep;
    }
    uint64_t inverse = power(pivot[c], P - 2);
    for (int i = at + 1; i < m; i++) eliminate(A + (size_t)i * (size_t)n, pivot, n, c, inverse);
    rank++;
  }
  return rank;
}

int ssi_modular_rank(ssi_arena *arena, const ss_sparse *A, int from, int to) {
  size_t n = (size_t)A->cols;
  uint64_t *a = SSI_TAKE(arena, (size_t)(to - from) * n + 1, uint64_t);
  if (!a) return -1;
  for (int i = from; i < to; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      if (!isfinite(A->x[k])) return -1;
      a[(size_t)(i - from) * n + (size_t)A->col[k]] = residue(A->x[k]);
    }
  return rank_of(a, to - from, A->cols);
}
