#include <string.h>

#include "base/parallel.h"
#include "problem/bodies.h"

// Calls the blocks that contact i touches one after the other: with contact == NULL counts them.
static void list_blocks(const ssi_bodies *b, const int *block_of, const int *start, int i,
                        int64_t *next, ssi_gather *out) {
  int slot = 0;
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
    for (int d = b->run[k].start, end = d + b->run[k].length; d < end;) {
      int block = block_of[d], n = start[block + 1] - start[block];
      int64_t at = next[block]++;
      if (out) out->contact[at] = i, out->slot[at] = slot;
      d += n, slot += n;
    }
}

bool ssi_gather_create(ssi_arena *arena, const ssi_bodies *b, const ssi_factor *mass,
                       ssi_gather *out) {
  const int *block_of = ssi_factor_block_of(mass), *start = ssi_factor_block_start(mass);
  int blocks = ssi_factor_block_count(mass);
  *out = (ssi_gather){.blocks = blocks, .start = start};
  out->ptr = SSI_TAKE(arena, (size_t)blocks + 2, int64_t);
  if (arena->failed) return false;
  for (int i = 0; i < b->nc; i++) list_blocks(b, block_of, start, i, out->ptr + 2, NULL);
  for (int k = 0; k < blocks; k++) out->ptr[k + 2] += out->ptr[k + 1];
  int64_t count = out->ptr[blocks + 1];
  out->contact = SSI_TAKE(arena, count, int);
  out->slot = SSI_TAKE(arena, count, int);
  if (arena->failed) return false;
  for (int i = 0; i < b->nc; i++) list_blocks(b, block_of, start, i, out->ptr + 1, out);
  return true;
}

static void push_block(const ssi_gather *g, const ssi_bodies *b, int block, const double *r,
                       double *v) {
  int n = g->start[block + 1] - g->start[block];
  double *x = v + g->start[block];
  for (int64_t e = g->ptr[block]; e < g->ptr[block + 1]; e++) {
    int64_t i = g->contact[e], width = b->at[i + 1] - b->at[i];
    const double *P = b->P + b->dim * b->at[i] + g->slot[e], *dr = r + b->dim * i;
    if (b->dim == 3)
      for (int j = 0; j < n; j++)
        x[j] += P[j] * dr[0] + P[width + j] * dr[1] + P[2 * width + j] * dr[2];
    else
      for (int j = 0; j < n; j++) x[j] += P[j] * dr[0] + P[width + j] * dr[1];
  }
}

void ssi_gather_push(const ssi_gather *g, const ssi_bodies *b, int threads, const double *r,
                     double *v) {
  SSI_OMP(omp parallel for num_threads(threads) if(threads > 1) schedule(dynamic, 256))
  for (int k = 0; k < g->blocks; k++) push_block(g, b, k, r, v);
#ifndef SS_WITH_OPENMP
  (void)threads;
#endif
}
