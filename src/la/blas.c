#include "la/blas.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/clones.h"

enum { ROWS = 8, COLUMNS = 6, DEPTH = 192, WIDTH = 192, BLOCK = 32, SIDES = 8, PANEL = 16 };

// Entry (i, j) at a[i row + j col]. Transposing swaps the strides; negative ones turn an upper triangle into a lower one.
typedef struct view {
  double *a;
  ptrdiff_t row, col;
} view;

static view transposed(view A) {
  return (view){A.a, A.col, A.row};
}

static view from(view A, ptrdiff_t i, ptrdiff_t j) {
  return (view){A.a + i * A.row + j * A.col, A.row, A.col};
}

// ---- C += A B --------------------------------------------------------------------------------------------

// out[j][i] = sum over k of strip[k][i] B(k, j), for ROWS rows and `columns` columns; strip is packed.
typedef void tile_kernel(ptrdiff_t k, const double *strip, view B, double out[COLUMNS][ROWS]);

typedef double lanes2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double lanes4 __attribute__((vector_size(32), aligned(8), may_alias));
#define TILE_BODY(lanes, width, columns)                                                           \
  enum { W = ROWS / (width) };                                                                     \
  lanes sum[columns][W];                                                                           \
  for (int j = 0; j < (columns); j++)                                                              \
    for (int w = 0; w < W; w++) sum[j][w] = (lanes){0};                                            \
  for (ptrdiff_t l = 0; l < k; l++) {                                                              \
    const lanes *a = (const lanes *)(strip + ROWS * l);                                            \
    const double *b = B.a + l * B.row;                                                             \
    for (int j = 0; j < (columns); j++)                                                            \
      for (int w = 0; w < W; w++) sum[j][w] += a[w] * b[j * B.col];                                \
  }                                                                                                \
  for (int j = 0; j < (columns); j++)                                                              \
    for (int w = 0; w < W; w++) *(lanes *)(out[j] + (width)*w) = sum[j][w];

// One kernel for each number of columns, with the vectors of one kind of processor.
#define TILES(name, lanes, width, target)                                                          \
  target static void name##1(ptrdiff_t k, const double *strip, view B, double out[][ROWS]){        \
      TILE_BODY(lanes, width, 1)} target static void name##2(ptrdiff_t k, const double *strip,     \
                                                             view B, double out[][ROWS]){          \
      TILE_BODY(lanes, width, 2)} target static void name##3(ptrdiff_t k, const double *strip,     \
                                                             view B, double out[][ROWS]){          \
      TILE_BODY(lanes, width, 3)} target static void name##4(ptrdiff_t k, const double *strip,     \
                                                             view B, double out[][ROWS]){          \
      TILE_BODY(lanes, width, 4)} target static void name##5(ptrdiff_t k, const double *strip,     \
                                                             view B, double out[][ROWS]){          \
      TILE_BODY(lanes, width, 5)} target static void name##6(ptrdiff_t k, const double *strip,     \
                                                             view B, double out[][ROWS]) {         \
    TILE_BODY(lanes, width, 6)                                                                     \
  }                                                                                                \
  static tile_kernel *const name[] = {name##1, name##2, name##3, name##4, name##5, name##6};

TILES(tiles, lanes2, 2, )
#ifdef SSI_X86
typedef double lanes8 __attribute__((vector_size(64), aligned(8), may_alias));
TILES(tiles_avx2, lanes4, 4, __attribute__((target("avx2"))))
TILES(tiles_avx512, lanes8, 8, __attribute__((target("avx512f"))))
#endif

static tile_kernel *const *choose_tiles(void) {
#ifdef SSI_X86
  if (__builtin_cpu_supports("avx512f")) return tiles_avx512;
  if (__builtin_cpu_supports("avx2")) return tiles_avx2;
#endif
  return tiles;
}

// strip[l][i] = alpha A(i, l), with zeros from row `rows` on.
SSI_CLONES static void pack(ptrdiff_t rows, ptrdiff_t k, double alpha, view A,
                            double *restrict strip) {
  if (rows == ROWS && A.row == 1) {
    for (ptrdiff_t l = 0; l < k; l++)
      for (int i = 0; i < ROWS; i++) strip[ROWS * l + i] = alpha * A.a[l * A.col + i];
    return;
  }
  for (ptrdiff_t l = 0; l < k; l++)
    for (int i = 0; i < ROWS; i++)
      strip[ROWS * l + i] = i < rows ? alpha * A.a[i * A.row + l * A.col] : 0;
}

SSI_CLONES static void add_tile(ptrdiff_t rows, int columns, double tile[][ROWS], view C) {
  for (int j = 0; j < columns; j++) {
    double *c = C.a + j * C.col;
    if (rows == ROWS && C.row == 1)
      for (int i = 0; i < ROWS; i++) c[i] += tile[j][i];
    else
      for (ptrdiff_t i = 0; i < rows; i++) c[i * C.row] += tile[j][i];
  }
}

// C += alpha A B, with A m x k and B k x n.
static void multiply_add(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, double alpha, view A, view B,
                         view C) {
  if (m < ROWS && m < n) {  // vectors along the longer side
    view swap = transposed(A);
    ptrdiff_t size = m;
    A = transposed(B), B = swap, C = transposed(C);
    m = n, n = size;
  }
  tile_kernel *const *kernel = choose_tiles();
  _Alignas(64) double strip[DEPTH * ROWS], tile[COLUMNS][ROWS];
  for (ptrdiff_t l = 0; l < k; l += DEPTH)
    for (ptrdiff_t start = 0; start < n; start += WIDTH) {
      ptrdiff_t depth = k - l < DEPTH ? k - l : DEPTH, end = n - start < WIDTH ? n : start + WIDTH;
      for (ptrdiff_t i = 0; i < m; i += ROWS) {
        ptrdiff_t rows = m - i < ROWS ? m - i : ROWS;
        pack(rows, depth, alpha, from(A, i, l), strip);
        for (ptrdiff_t j = start; j < end; j += COLUMNS) {
          int columns = end - j < COLUMNS ? (int)(end - j) : COLUMNS;
          kernel[columns - 1](depth, strip, from(B, l, j), tile);
          add_tile(rows, columns, tile, from(C, i, j));
        }
      }
    }
}

// ---- triangles -------------------------------------------------------------------------------------------

// The BLOCK x BLOCK corner of a lower triangle, column by column; what lies above its diagonal is zero.
typedef struct corner {
  ptrdiff_t n;
  double a[BLOCK][BLOCK];  // [column][row]
} corner;

static void take_corner(ptrdiff_t n, bool unit, view L, corner *c) {
  c->n = n;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++)
      c->a[j][i] = i < j ? 0 : i == j && unit ? 1 : L.a[i * L.row + j * L.col];
}

// x <- L^-1 x for SIDES right-hand sides at once, x[row][side].
SSI_CLONES static void solve_corner(const corner *c, double x[][SIDES]) {
  for (ptrdiff_t k = 0; k < c->n; k++) {
    lanes4 *row = (lanes4 *)x[k], low = row[0] / c->a[k][k], high = row[1] / c->a[k][k];
    row[0] = low, row[1] = high;
    for (ptrdiff_t i = k + 1; i < c->n; i++) {
      row = (lanes4 *)x[i];
      row[0] -= low * c->a[k][i];
      row[1] -= high * c->a[k][i];
    }
  }
}

static void solve_corner_sides(const corner *c, ptrdiff_t n, view B) {
  double x[BLOCK][SIDES];
  for (ptrdiff_t j = 0; j < n; j += SIDES) {
    ptrdiff_t sides = n - j < SIDES ? n - j : SIDES;
    for (ptrdiff_t i = 0; i < c->n; i++)
      for (ptrdiff_t s = 0; s < SIDES; s++)
        x[i][s] = s < sides ? B.a[i * B.row + (j + s) * B.col] : 0;
    solve_corner(c, x);
    for (ptrdiff_t i = 0; i < c->n; i++)
      for (ptrdiff_t s = 0; s < sides; s++) B.a[i * B.row + (j + s) * B.col] = x[i][s];
  }
}

// Half of n in whole blocks: recursion gives the products their depth.
static ptrdiff_t half(ptrdiff_t n) {
  return (n + 2 * BLOCK - 1) / (2 * BLOCK) * BLOCK;
}

// B <- L^-1 B, with L m x m lower triangular and B m x n. unit: the diagonal of L is 1 and not read.
static void solve_lower(ptrdiff_t m, ptrdiff_t n, bool unit, view L, view B) {
  if (m > BLOCK) {
    ptrdiff_t top = half(m);
    view below = from(B, top, 0);
    solve_lower(top, n, unit, L, B);
    multiply_add(m - top, n, top, -1, from(L, top, 0), B, below);
    solve_lower(m - top, n, unit, from(L, top, top), below);
    return;
  }
  corner c;
  take_corner(m, unit, L, &c);
  solve_corner_sides(&c, n, B);
}

// B <- L B, from the last rows to the first, which the others still need.
static void multiply_lower(ptrdiff_t m, ptrdiff_t n, bool unit, view L, view B) {
  corner c;
  double x[BLOCK][BLOCK];
  view block = {c.a[0], 1, BLOCK}, copy = {x[0], 1, BLOCK};
  for (ptrdiff_t i = (m - 1) / BLOCK * BLOCK; i >= 0; i -= BLOCK) {
    ptrdiff_t size = m - i < BLOCK ? m - i : BLOCK;
    take_corner(size, unit, from(L, i, i), &c);
    for (ptrdiff_t j = 0; j < n; j += BLOCK) {
      ptrdiff_t sides = n - j < BLOCK ? n - j : BLOCK;
      view b = from(B, i, j);
      for (ptrdiff_t s = 0; s < sides; s++)
        for (ptrdiff_t r = 0; r < size; r++) {
          x[s][r] = b.a[r * b.row + s * b.col];
          b.a[r * b.row + s * b.col] = 0;
        }
      multiply_add(size, sides, size, 1, block, copy, b);
      multiply_add(size, sides, i, 1, from(L, i, 0), from(B, 0, j), b);
    }
  }
}

// The lower triangle of C += alpha A B, with A n x k, B k x n and a product that is symmetric in the sum.
static void multiply_add_lower(ptrdiff_t n, ptrdiff_t k, double alpha, view A, view B, view C) {
  double square[BLOCK][BLOCK];
  for (ptrdiff_t j = 0; j < n; j += BLOCK) {
    ptrdiff_t size = n - j < BLOCK ? n - j : BLOCK;
    view b = from(B, 0, j), c = from(C, j, j);
    memset(square, 0, sizeof square);
    multiply_add(size, size, k, alpha, from(A, j, 0), b, (view){square[0], 1, BLOCK});
    for (ptrdiff_t s = 0; s < size; s++)
      for (ptrdiff_t r = s; r < size; r++) c.a[r * c.row + s * c.col] += square[s][r];
    multiply_add(n - j - size, size, k, alpha, from(A, j + size, 0), b, from(C, j + size, j));
  }
}

// ---- Cholesky, LU ----------------------------------------------------------------------------------------

// y -= x a
SSI_INLINE void subtract(ptrdiff_t n, double a, const double *restrict x, ptrdiff_t row,
                         double *restrict y) {
  if (row == 1)
    for (ptrdiff_t i = 0; i < n; i++) y[i] -= x[i] * a;
  else
    for (ptrdiff_t i = 0; i < n; i++) y[i * row] -= x[i * row] * a;
}

SSI_CLONES static int factor_corner(corner *c) {
  for (ptrdiff_t k = 0; k < c->n; k++) {
    double pivot = c->a[k][k];
    if (!(pivot > 0)) return (int)k + 1;
    pivot = sqrt(pivot);
    c->a[k][k] = pivot;
    for (ptrdiff_t i = k + 1; i < c->n; i++) c->a[k][i] /= pivot;
    for (ptrdiff_t j = k + 1; j < c->n; j++)
      subtract(c->n - j, c->a[k][j], c->a[k] + j, 1, c->a[j] + j);
  }
  return 0;
}

static void put_corner(const corner *c, view L) {
  for (ptrdiff_t j = 0; j < c->n; j++)
    for (ptrdiff_t i = j; i < c->n; i++) L.a[i * L.row + j * L.col] = c->a[j][i];
}

// The lower triangle of A <- L, A = L L^T. 0, or 1 + the first row whose pivot is not positive.
static int factor_cholesky(ptrdiff_t n, view A) {
  if (n > BLOCK) {
    ptrdiff_t top = half(n);
    int bad = factor_cholesky(top, A);
    if (bad) return bad;
    view panel = from(A, top, 0), across = transposed(panel), rest = from(A, top, top);
    solve_lower(top, n - top, false, A, across);
    multiply_add_lower(n - top, top, -1, panel, across, rest);
    bad = factor_cholesky(n - top, rest);
    return bad ? (int)top + bad : 0;
  }
  corner c;
  take_corner(n, false, A, &c);
  int bad = factor_corner(&c);
  put_corner(&c, A);
  return bad;
}

static void exchange_rows(ptrdiff_t n, view A, ptrdiff_t count, const int *pivot) {
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < count; i++) {
      double *column = A.a + j * A.col, t = column[i * A.row];
      column[i * A.row] = column[pivot[i] * A.row];
      column[pivot[i] * A.row] = t;
    }
}

static ptrdiff_t find_pivot(ptrdiff_t m, const double *column, ptrdiff_t row) {
  ptrdiff_t best = 0;
  for (ptrdiff_t i = 1; i < m; i++)
    if (fabs(column[i * row]) > fabs(column[best * row])) best = i;
  return best;
}

// A panel of a few columns, one after the other.
SSI_CLONES static int factor_panel(ptrdiff_t m, ptrdiff_t n, view A, int *pivot) {
  int bad = 0;
  for (ptrdiff_t j = 0; j < n && j < m; j++) {
    double *column = from(A, j, j).a;
    pivot[j] = (int)(j + find_pivot(m - j, column, A.row));
    if (column[(pivot[j] - j) * A.row] == 0) {
      if (!bad) bad = (int)j + 1;
      continue;
    }
    exchange_rows(n, from(A, j, 0), 1, (int[]){pivot[j] - (int)j});
    double diagonal = column[0];
    for (ptrdiff_t i = 1; i < m - j; i++) column[i * A.row] /= diagonal;
    for (ptrdiff_t c = j + 1; c < n; c++) {
      double *other = from(A, j, c).a;
      subtract(m - j - 1, other[0], column + A.row, A.row, other + A.row);
    }
  }
  return bad;
}

// A <- L and U, with P A = L U; row i was exchanged with row pivot[i] >= i (from 0). 0, or 1 + the first column whose
// pivot is zero.
static int factor_lu(ptrdiff_t m, ptrdiff_t n, view A, int *pivot) {
  if (n <= PANEL || m <= PANEL) return factor_panel(m, n, A, pivot);
  ptrdiff_t least = m < n ? m : n, left = least / 2;
  int bad = factor_lu(m, left, A, pivot);
  view right = from(A, 0, left), rest = from(A, left, left);
  exchange_rows(n - left, right, left, pivot);
  solve_lower(left, n - left, true, A, right);
  multiply_add(m - left, n - left, left, -1, from(A, left, 0), right, rest);
  int later = factor_lu(m - left, n - left, rest, pivot + left);
  exchange_rows(left, from(A, left, 0), least - left, pivot + left);
  for (ptrdiff_t i = left; i < least; i++) pivot[i] += (int)left;
  return bad ? bad : later ? (int)left + later : 0;
}

// ---- BLAS and LAPACK by their own interface --------------------------------------------------------------

static bool is(const char *word, char letter) {
  return (*word | 0x20) == letter;
}

static view columns(const double *A, int ld) {
  return (view){(double *)(uintptr_t)A, 1, ld};
}

// op(A): A, or its transpose for "T" and "C".
static view operand(const double *A, int ld, const char *trans) {
  return is(trans, 'n') ? columns(A, ld) : transposed(columns(A, ld));
}

// As BLAS has it, beta = 0 overwrites what is not a number.
static void scale(ptrdiff_t m, ptrdiff_t n, double beta, double *C, ptrdiff_t ld) {
  if (beta == 1) return;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < m; i++) C[i + j * ld] = beta == 0 ? 0 : beta * C[i + j * ld];
}

void ssi_dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                const double *alpha, const double *A, const int *lda, const double *B,
                const int *ldb, const double *beta, double *C, const int *ldc) {
  scale(*m, *n, *beta, C, *ldc);
  if (*alpha == 0) return;
  multiply_add(*m, *n, *k, *alpha, operand(A, *lda, transa), operand(B, *ldb, transb),
               columns(C, *ldc));
}

// The triangle `uplo` of a symmetric C, as a lower one, times beta.
static view triangle(const char *uplo, ptrdiff_t n, double beta, double *C, int ld) {
  view lower = is(uplo, 'l') ? columns(C, ld) : transposed(columns(C, ld));
  for (ptrdiff_t j = 0; j < n && beta != 1; j++)
    for (ptrdiff_t i = j; i < n; i++) {
      double *entry = from(lower, i, j).a;
      *entry = beta == 0 ? 0 : beta * *entry;
    }
  return lower;
}

void ssi_dsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
                const double *alpha, const double *A, const int *lda, const double *beta, double *C,
                const int *ldc) {
  view lower = triangle(uplo, *n, *beta, C, *ldc), left = operand(A, *lda, trans);
  if (*alpha != 0) multiply_add_lower(*n, *k, *alpha, left, transposed(left), lower);
}

void ssi_dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k,
                 const double *alpha, const double *A, const int *lda, const double *B,
                 const int *ldb, const double *beta, double *C, const int *ldc) {
  view lower = triangle(uplo, *n, *beta, C, *ldc);
  view a = operand(A, *lda, trans), b = operand(B, *ldb, trans);
  if (*alpha == 0) return;
  multiply_add_lower(*n, *k, *alpha, a, transposed(b), lower);
  multiply_add_lower(*n, *k, *alpha, b, transposed(a), lower);
}

// X op(A) = B is op(A)^T X^T = B^T; an upper triangle is a lower one when rows and columns are counted from the end.
static void lower_from_left(const char *side, const char *uplo, const char *trans, const double *A,
                            int lda, int *m, int *n, view *L, view *B) {
  bool left = is(side, 'l'), lower = is(uplo, 'l') == is(trans, 'n');
  *L = operand(A, lda, trans);
  if (!left) {
    int size = *m;
    *L = transposed(*L), *B = transposed(*B);
    *m = *n, *n = size, lower = !lower;
  }
  if (lower || *m == 0) return;
  *L = from(*L, *m - 1, *m - 1);
  *B = from(*B, *m - 1, 0);
  *L = (view){L->a, -L->row, -L->col}, B->row = -B->row;
}

void ssi_dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
                const int *m, const int *n, const double *alpha, const double *A, const int *lda,
                double *B, const int *ldb) {
  int rows = *m, sides = *n;
  view L, b = columns(B, *ldb);
  scale(*m, *n, *alpha, B, *ldb);
  if (*alpha == 0) return;
  lower_from_left(side, uplo, trans, A, *lda, &rows, &sides, &L, &b);
  solve_lower(rows, sides, is(diag, 'u'), L, b);
}

void ssi_dtrmm_(const char *side, const char *uplo, const char *trans, const char *diag,
                const int *m, const int *n, const double *alpha, const double *A, const int *lda,
                double *B, const int *ldb) {
  int rows = *m, sides = *n;
  view L, b = columns(B, *ldb);
  scale(*m, *n, *alpha, B, *ldb);
  lower_from_left(side, uplo, trans, A, *lda, &rows, &sides, &L, &b);
  if (rows && *alpha != 0) multiply_lower(rows, sides, is(diag, 'u'), L, b);
}

// The first of n numbers that are inc apart; BLAS counts those of a negative inc from the end.
static ptrdiff_t first(ptrdiff_t n, ptrdiff_t inc) {
  return inc < 0 ? (1 - n) * inc : 0;
}

// y += a x
SSI_CLONES static void add(ptrdiff_t n, double a, const double *restrict x, double *restrict y) {
  for (ptrdiff_t i = 0; i < n; i++) y[i] += x[i] * a;
}

// Eight sums of every eighth product, so that vectors serve.
SSI_CLONES static double dot(ptrdiff_t n, const double *x, const double *y) {
  double sum[8] = {0}, rest = 0;
  ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; l++) sum[l] += x[i + l] * y[i + l];
  for (; i < n; i++) rest += x[i] * y[i];
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])) + rest;
}

void ssi_dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *A,
                const int *lda, const double *x, const int *incx, const double *beta, double *y,
                const int *incy) {
  bool plain = is(trans, 'n');
  ptrdiff_t out = plain ? *m : *n, in = plain ? *n : *m;
  if (!out || !in) return;
  y += first(out, *incy);
  for (ptrdiff_t i = 0; i < out && *beta != 1; i++)
    y[i * *incy] = *beta == 0 ? 0 : *beta * y[i * *incy];
  if (*alpha == 0) return;
  if (*incx != 1 || *incy != 1) {
    x += first(in, *incx);
    multiply_add(out, 1, in, *alpha, operand(A, *lda, trans),
                 (view){(double *)(uintptr_t)x, *incx, 0}, (view){y, *incy, 0});
    return;
  }
  for (ptrdiff_t j = 0; j < *n; j++) {
    const double *column = A + j * *lda;
    if (plain)
      add(*m, *alpha * x[j], column, y);
    else
      y[j] += *alpha * dot(*m, column, x);
  }
}

void ssi_dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx,
               const double *y, const int *incy, double *A, const int *lda) {
  if (*alpha == 0) return;
  x += first(*m, *incx), y += first(*n, *incy);
  for (ptrdiff_t j = 0; j < *n; j++) {
    double factor = *alpha * y[j * *incy], *column = A + j * *lda;
    if (*incx == 1)
      add(*m, factor, x, column);
    else
      for (ptrdiff_t i = 0; i < *m; i++) column[i] += x[i * *incx] * factor;
  }
}

void ssi_dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n,
                const double *A, const int *lda, double *x, const int *incx) {
  if (*incx != 1) {
    int rows = *n, sides = 1;
    view L, b = {x + first(*n, *incx), *incx, 0};
    lower_from_left("l", uplo, trans, A, *lda, &rows, &sides, &L, &b);
    solve_lower(rows, 1, is(diag, 'u'), L, b);
    return;
  }
  bool unit = is(diag, 'u'), plain = is(trans, 'n'), below = is(uplo, 'l');
  for (ptrdiff_t k = 0; k < *n; k++) {
    ptrdiff_t j = below == plain ? k : *n - 1 - k, from = below ? j + 1 : 0,
              count = below ? *n - 1 - j : j;
    const double *column = A + j * *lda;
    if (!plain) x[j] -= dot(count, column + from, x + from);
    if (!unit) x[j] /= column[j];
    if (plain) add(count, -x[j], column + from, x + from);
  }
}

void ssi_dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info) {
  view lower = columns(A, *lda);
  *info = *n < 0 ? -2 : *lda < *n || *lda < 1 ? -4 : 0;
  if (*info == 0) *info = factor_cholesky(*n, is(uplo, 'l') ? lower : transposed(lower));
}

void ssi_dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info) {
  int least = *m < *n ? *m : *n;
  *info = *m < 0 ? -1 : *n < 0 ? -2 : *lda < *m || *lda < 1 ? -4 : 0;
  if (*info == 0) *info = factor_lu(*m, *n, columns(A, *lda), pivot);
  for (int i = 0; i < least && *info >= 0; i++) pivot[i]++;  // LAPACK counts from 1
}

// H C or C H, H = 1 - tau v v^T where *one, an entry of v, stands for 1. LAPACK has these two from version 3.12 on, in another
// order of operations; this is the one before.
void dlarf_(const char *side, const int *m, const int *n, const double *v, const int *incv,
            const double *tau, double *C, const int *ldc, double *work, size_t length);

void ssi_dlarf1f_(const char *side, const int *m, const int *n, double *v, const int *incv,
                  const double *tau, double *C, const int *ldc, double *work, size_t length) {
  double kept = *v;
  *v = 1;
  dlarf_(side, m, n, v, incv, tau, C, ldc, work, length);
  *v = kept;
}

void ssi_dlarf1l_(const char *side, const int *m, const int *n, double *v, const int *incv,
                  const double *tau, double *C, const int *ldc, double *work, size_t length) {
  double *last = v + (ptrdiff_t)((is(side, 'l') ? *m : *n) - 1) * *incv, kept = *last;
  *last = 1;
  dlarf_(side, m, n, v, incv, tau, C, ldc, work, length);
  *last = kept;
}

// ---- what SuiteSparse and LAPACK need besides ------------------------------------------------------------

// These archives print where memory fails, for example; a library has no say on these streams.
FILE *ssi_no_stdout, *ssi_no_stderr;
char ssi_no_ompi_mpi_comm_null, ssi_no_ompi_mpi_double, ssi_no_ompi_mpi_long;

#define SILENT(name)                                                                               \
  long ssi_no_##name(void) {                                                                       \
    return 0;                                                                                      \
  }
SSI_SILENT(SILENT)
SSI_ABSENT(SILENT)

// A wrong argument: LAPACK returns it as info, and nothing is printed.
void ssi_xerbla_(const char *name, const int *argument, size_t length) {
  (void)name, (void)argument, (void)length;
}

void ssi_LAPACKE_xerbla(const char *name, int info) {
  (void)name, (void)info;
}

// Fortran's a // b, filled up with blanks.
void ssi_fortran_concat(size_t size, char *out, size_t a_size, const char *a, size_t b_size,
                        const char *b) {
  size_t from_a = a_size < size ? a_size : size,
         from_b = b_size < size - from_a ? b_size : size - from_a;
  memcpy(out, a, from_a);
  memcpy(out + from_a, b, from_b);
  memset(out + from_a + from_b, ' ', size - from_a - from_b);
}
