#include "la/momentum.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

enum { PART = 1 << 11 };  // blocks that one thread takes at a time

bool ssi_momentum_create(ssi_arena *arena, int dim, int64_t blocks, ssi_momentum_rule rule,
                         ssi_momentum *out) {
  *out = (ssi_momentum){.rule = rule, .dim = dim, .blocks = blocks};
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
static double advance(int dim, const ssi_momentum_rule *rule, double t, double *now, double *last,
                      double *at) {
  double back = 0;
  for (int k = 0; k < dim; k++) back += (at[k] - now[k]) * (now[k] - last[k]);
  if (back > 0) t = fmax(1, rule->keep * t);
  double next = (1 + sqrt(1 + 4 * t * t)) / 2, beta = (t - 1) / next;
  if (beta > rule->most) {
    beta = rule->most;
    next = t;
  }
  for (int k = 0; k < dim; k++) {
    at[k] = now[k] + beta * (now[k] - last[k]);
    last[k] = now[k];
    now[k] = at[k];
  }
  return next;
}

static void advance_part(ssi_momentum *m, int part, double *x) {
  int64_t from = (int64_t)PART * part, to = m->blocks - from < PART ? m->blocks : from + PART;
  for (int64_t i = from; i < to; i++) {
    int64_t k = m->dim * i;
    m->t[i] = advance(m->dim, &m->rule, m->t[i], x + k, m->x + k, m->y + k);
  }
}

void ssi_momentum_next(ssi_momentum *m, double *x) {
  int parts = (int)((m->blocks + PART - 1) / PART);
  SSI_EACH(m->rule.threads, k, parts, advance_part(m, k, x));
}
