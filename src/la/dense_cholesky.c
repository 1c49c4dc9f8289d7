// Dense Cholesky by LAPACK, A = L L^T. Where many solves follow, C = L^-1 is kept in panels of four
// rows and x = C^T (C b) takes one pass over n^2/2 numbers. (An explicit A^-1 would lose cond(A) of
// accuracy, C loses its square root.)
#include <lapacke.h>
#include <string.h>

#include "base/clones.h"
#include "la/direct.h"
#include "la/sparse.h"

enum { PANEL = 4 };

typedef struct dense_cholesky {
  ssi_direct direct;
  double *square;    // A, then L   (n^2)
  double *panels;    // C           (panel_at(panel_count))
  double *in, *out;  // padded to whole panels   (n + PANEL)
} dense_cholesky;

typedef double lanes __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

static int64_t panel_count(int n) {
  return (n + PANEL - 1) / PANEL;
}

// Panel g of C: rows 4g .. 4g+3, each of 4g+4 numbers (zeros past the diagonal and past row n).
static int64_t panel_at(int64_t g) {
  return PANEL * PANEL * (g * (g + 1) / 2);
}

static void pack_triangle(dense_cholesky *s) {
  int64_t n = s->direct.A.rows, down = s->direct.wish.lower ? n : 1,
          across = s->direct.wish.lower ? 1 : n;
  for (int64_t g = 0; g < panel_count(s->direct.A.rows); g++)
    for (int64_t i = 0; i < PANEL; i++)
      for (int64_t j = 0; j < PANEL * (g + 1); j++) {
        int64_t row = PANEL * g + i;
        s->panels[panel_at(g) + i * PANEL * (g + 1) + j] =
            row < n && j <= row ? s->square[down * row + across * j] : 0;
      }
}

// x = C^T (C b): a panel is read once from memory and once more from the nearest cache.
SSI_CLONES static void solve_panels(const dense_cholesky *s) {
  const double *in = s->in;
  double *out = s->out;
  for (int64_t g = 0; g < panel_count(s->direct.A.rows); g++) {
    int64_t width = PANEL * (g + 1);
    const double *p0 = s->panels + panel_at(g), *p1 = p0 + width, *p2 = p1 + width,
                 *p3 = p2 + width;
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t j = 0; j < width; j += 4) {
      lanes b = *(const lanes *)(in + j);
      s0 += *(const lanes *)(p0 + j) * b;
      s1 += *(const lanes *)(p1 + j) * b;
      s2 += *(const lanes *)(p2 + j) * b;
      s3 += *(const lanes *)(p3 + j) * b;
    }
    double t0 = (s0[0] + s0[1]) + (s0[2] + s0[3]), t1 = (s1[0] + s1[1]) + (s1[2] + s1[3]);
    double t2 = (s2[0] + s2[1]) + (s2[2] + s2[3]), t3 = (s3[0] + s3[1]) + (s3[2] + s3[3]);
    for (int64_t j = 0; j < width; j += 4)
      *(lanes *)(out + j) += (*(const lanes *)(p0 + j) * t0 + *(const lanes *)(p1 + j) * t1) +
                             (*(const lanes *)(p2 + j) * t2 + *(const lanes *)(p3 + j) * t3);
  }
}

static ss_error analyse(ssi_direct *d, ssi_arena *arena) {
  (void)arena;
  double n = d->A.rows;
  d->flops = n * n * n / 3;
  d->entries = n * (n + 1) / 2;
  return SS_OK;
}

static ss_error room(ssi_direct *d, ssi_arena *arena) {
  dense_cholesky *s = (dense_cholesky *)d;
  int64_t n = d->A.rows;
  if (d->A.ptr) s->square = SSI_TAKE(arena, n * n, double);
  if (d->wish.many) {
    s->panels = SSI_TAKE(arena, panel_at(panel_count(d->A.rows)), double);
    s->in = SSI_TAKE(arena, n + PANEL, double);
    s->out = SSI_TAKE(arena, n + PANEL, double);
  }
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

// The rows become columns: LAPACK sees the other triangle.
static char triangle(const ssi_direct *d) {
  return d->wish.lower ? 'U' : 'L';
}

static ss_error factor(ssi_direct *d) {
  dense_cholesky *s = (dense_cholesky *)d;
  int n = d->A.rows;
  if (!ssi_direct_finite(d)) return SS_ERR_LINEAR;
  if (d->A.ptr)
    ssi_sparse_to_square(&d->A, s->square);
  else
    s->square = (double *)(uintptr_t)d->A.x;
  int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, triangle(d), n, s->square, n);
  if (info) {
    d->bad_row = info - 1;
    return SS_ERR_LINEAR;
  }
  if (!d->wish.many) return SS_OK;
  if (LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, triangle(d), 'N', n, s->square, n))
    return SS_ERR_LINEAR;
  pack_triangle(s);
  return SS_OK;
}

static ss_error solve(ssi_direct *d, const double *b, double *x) {
  dense_cholesky *s = (dense_cholesky *)d;
  int n = d->A.rows;
  size_t bytes = sizeof(double) * (size_t)n;
  if (!d->wish.many) {
    if (x != b) memcpy(x, b, bytes);
    return LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, triangle(d), n, 1, s->square, n, x, n)
               ? SS_ERR_LINEAR
               : SS_OK;
  }
  memcpy(s->in, b, bytes);
  memset(s->out, 0, bytes + PANEL * sizeof(double));
  solve_panels(s);
  memcpy(x, s->out, bytes);
  return SS_OK;
}

const ssi_backend ssi_dense_cholesky = {.name = "dense Cholesky",
                                        .size = sizeof(dense_cholesky),
                                        .analyse = analyse,
                                        .room = room,
                                        .factor = factor,
                                        .solve = solve};
