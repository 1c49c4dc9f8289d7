// problem/delassus.h - W by blocks, the way sweeps read it: off-diagonal blocks of one row after the
// other, column-major (3D kernels add column times component), the diagonal blocks apart.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_delassus {
  int dim, nc;
  int64_t *ptr;   // first off-diagonal block of each contact      (nc + 1)
  int *col;       // the other contact                             (ptr[nc])
  double *block;  // W_ij, column-major; one double of padding     (ptr[nc] dim^2 + 1)
  double *diag;   // W_ii, row-major                               (nc dim^2)
} ssi_delassus;

// false: no memory.
bool ssi_delassus_from_sparse(ssi_arena *arena, int dim, const ss_sparse *W, ssi_delassus *out);

// New numbers in the same pattern; out is what ssi_delassus_from_sparse made. false: no memory.
bool ssi_delassus_refill(ss_context *ctx, const ss_sparse *W, ssi_delassus *out);

bool ssi_delassus_to_sparse(ssi_arena *arena, const ssi_delassus *W, ss_sparse *out);

// y += W r; the same for the contacts from `from` to before `to`
void ssi_delassus_multiply_add(const ssi_delassus *W, const double *r, double *y);
void ssi_delassus_multiply_add_rows(const ssi_delassus *W, int from, int to, const double *r,
                                    double *y);

// Largest eigenvalue of the symmetric part of each diagonal block, not below 0.   (nc)
void ssi_block_lambda_max(int dim, int nc, const double *diag, double *lambda_max);

// sum[] += sum over the off-diagonal blocks of row i of W_ij r_j, inlined into sweeps. Three running
// sums so that the additions do not wait for each other; the same order on every machine.
typedef double ssi_lanes __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

static inline void ssi_delassus_row3(const ssi_delassus *W, int64_t from, int64_t to,
                                     const double *r, double sum[3]) {
  ssi_lanes s0 = {0}, s1 = {0}, s2 = {0};  // the fourth lane carries rubbish and is dropped
  for (int64_t k = from; k < to; k++) {
    const double *B = W->block + 9 * k, *x = r + 3 * (int64_t)W->col[k];
    s0 += *(const ssi_lanes *)B * x[0];
    s1 += *(const ssi_lanes *)(B + 3) * x[1];
    s2 += *(const ssi_lanes *)(B + 6) * x[2];
  }
  s0 = s0 + s1 + s2;
  for (int k = 0; k < 3; k++) sum[k] += s0[k];
}

static inline void ssi_delassus_row2(const ssi_delassus *W, int64_t from, int64_t to,
                                     const double *r, double sum[2]) {
  double s0 = 0, s1 = 0, t0 = 0, t1 = 0;
  for (int64_t k = from; k < to; k++) {
    const double *B = W->block + 4 * k, *x = r + 2 * (int64_t)W->col[k];
    s0 += B[0] * x[0], s1 += B[1] * x[0];
    t0 += B[2] * x[1], t1 += B[3] * x[1];
  }
  sum[0] += s0 + t0;
  sum[1] += s1 + t1;
}
