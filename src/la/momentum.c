#include "la/momentum.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

bool ssi_momentum_create(ssi_arena *arena, int dim, int64_t blocks, ssi_momentum rule,
                         ssi_momentum *out) {
  *out = rule;
  out->dim = dim;
  out->blocks = blocks;
  out->x = SSI_TAKE(arena, blocks * dim, double);
  out->y = SSI_TAKE(arena, blocks * dim, double);
  out->t = SSI_TAKE(arena, blocks, double);
  return !arena->failed;
}

void ssi_momentum_begin(ssi_momentum *m, const double *x) {
  size_t bytes = sizeof(double) * (size_t)(m->blocks * m->dim);
  if (bytes) {
    memcpy(m->x, x, bytes);
    memcpy(m->y, x, bytes);
  }
  for (int64_t i = 0; i < m->blocks; i++) m->t[i] = 1;
}

// (1) for one block; returns the next t
static double advance(int dim, double most, double keep, double t, double *now, double *last,
                      double *at) {
  double back = 0;
  for (int k = 0; k < dim; k++) back += (at[k] - now[k]) * (now[k] - last[k]);
  if (back > 0) t = fmax(1, keep * t);
  double next = (1 + sqrt(1 + 4 * t * t)) / 2, beta = fmin((t - 1) / next, most);
  for (int k = 0; k < dim; k++) {
    at[k] = now[k] + beta * (now[k] - last[k]);
    last[k] = now[k];
    now[k] = at[k];
  }
  return next;
}

void ssi_momentum_next(ssi_momentum *m, double *x) {
  SSI_OMP(omp parallel for num_threads(m->threads) if (m->threads > 1) schedule(static))
  for (int64_t i = 0; i < m->blocks; i++) {
    int64_t k = m->dim * i;
    m->t[i] = advance(m->dim, m->most, m->keep, m->t[i], x + k, m->x + k, m->y + k);
  }
}
