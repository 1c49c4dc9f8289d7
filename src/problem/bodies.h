// problem/bodies.h - W without W: with a block-diagonal M (rigid bodies) a contact's velocity is
// u_i = H_i v + w_i, and a change dr of its reaction changes v by P_i dr, P_i = M^-1 H_i^T, only at
// the bodies it touches, docs/theory.md (14).
//
// The dofs a contact touches are kept as a few runs of consecutive dofs; its numbers for all runs
// lie one after the other (`width` dofs in all).
#pragma once

#include "la/factor.h"
#include "problem/delassus.h"

typedef struct ssi_run {
  int start, length;
} ssi_run;

typedef struct ssi_bodies {
  int dim, nc, ndof;
  int threads;       // that fill the numbers
  int64_t *run_ptr;  // first run of each contact                               (nc + 1)
  ssi_run *run;      //                                                          (run_ptr[nc])
  int64_t *at;       // first dof slot of each contact; width = at[i+1] - at[i]  (nc + 1)
  double *H;         // dim numbers per slot: a column of H_i; padded            (dim at[nc] + 1)
  double *P;         // per contact: dim rows of width numbers                   (dim at[nc])
  double *diag;      // W_ii = H_i P_i, row-major                                (nc dim^2)
} ssi_bodies;

// mass must be block-diagonal (ssi_factor_block_count > 0, or no dofs). false: no memory.
bool ssi_bodies_create(ssi_arena *arena, int dim, const ss_sparse *H, const ssi_factor *mass,
                       ssi_bodies *out);
bool ssi_bodies_create_for(ssi_arena *arena, int dim, const ss_sparse *H, const ssi_factor *mass,
                           int threads, ssi_bodies *out);

// New numbers in H and in the blocks of M, of which `mass` is the renewed factor; same pattern.
void ssi_bodies_refill(ssi_bodies *b, const ss_sparse *H, const ssi_factor *mass);

void ssi_bodies_velocities(const ssi_bodies *b, const double *v, double *u);  // u = H v   (dim nc)
void ssi_bodies_impulses(const ssi_bodies *b, const double *r, double *p);    // p = H^T r   (ndof)

// v += M^-1 H^T r
void ssi_bodies_push(const ssi_bodies *b, const double *r, double *v);

// The blocks W_ij = H_i P_j of contacts that share a body. false: no memory.
bool ssi_bodies_delassus(ssi_arena *arena, const ssi_bodies *b, ssi_delassus *out);

// The same once more after ssi_bodies_refill; out is what ssi_bodies_delassus made. false: no memory.
bool ssi_bodies_delassus_refill(ss_context *ctx, const ssi_bodies *b, ssi_delassus *out);

// Off-diagonal blocks that ssi_bodies_delassus would make, or some number above `limit` if there are
// more: a body that everything touches has their square. -1: no memory.
int64_t ssi_bodies_neighbours(const ssi_bodies *b, ss_context *ctx, int64_t limit);

// The two halves of a visit, inlined into sweeps. sum[] += H_i v
static inline void ssi_bodies_velocity3(const ssi_bodies *b, int64_t i, const double *v,
                                        double sum[3]) {
  const double *H = b->H + 3 * b->at[i];
  ssi_lanes s0 = {0}, s1 = {0};
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++) {
    const double *x = v + b->run[k].start;
    int n = b->run[k].length, j = 0;
    for (; j + 1 < n; j += 2, H += 6) {
      s0 += *(const ssi_lanes *)H * x[j];
      s1 += *(const ssi_lanes *)(H + 3) * x[j + 1];
    }
    if (j < n) {
      s0 += *(const ssi_lanes *)H * x[j];
      H += 3;
    }
  }
  s0 += s1;
  for (int k = 0; k < 3; k++) sum[k] += s0[k];
}

static inline void ssi_bodies_velocity2(const ssi_bodies *b, int64_t i, const double *v,
                                        double sum[2]) {
  const double *H = b->H + 2 * b->at[i];
  double s0 = 0, s1 = 0;
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++) {
    const double *x = v + b->run[k].start;
    for (int j = 0; j < b->run[k].length; j++, H += 2) {
      s0 += H[0] * x[j];
      s1 += H[1] * x[j];
    }
  }
  sum[0] += s0;
  sum[1] += s1;
}

static inline void ssi_bodies_velocity(const ssi_bodies *b, int64_t i, const double *v,
                                       double *sum) {
  if (b->dim == 3)
    ssi_bodies_velocity3(b, i, v, sum);
  else
    ssi_bodies_velocity2(b, i, v, sum);
}

// v += P_i dr
static inline void ssi_bodies_kick(const ssi_bodies *b, int64_t i, const double *dr, double *v) {
  int64_t width = b->at[i + 1] - b->at[i];
  const double *P = b->P + b->dim * b->at[i];
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++) {
    double *x = v + b->run[k].start;
    int n = b->run[k].length;
    if (b->dim == 3)
      for (int j = 0; j < n; j++)
        x[j] += P[j] * dr[0] + P[width + j] * dr[1] + P[2 * width + j] * dr[2];
    else
      for (int j = 0; j < n; j++) x[j] += P[j] * dr[0] + P[width + j] * dr[1];
    P += n;
  }
}
