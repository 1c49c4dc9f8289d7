// support/random_problem.h - small random problems in global form, made from a seed.
#pragma once

#include "base/rng.h"
#include "la/sparse.h"

typedef struct random_shape {
  int dim, contacts, bodies, body_dofs;  // M has blocks of body_dofs
  int bilateral;
  bool coupled;  // entries of M between neighbouring bodies: no longer block-diagonal
  double mu;
} random_shape;

static inline double random_signed(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// Each contact touches one or two bodies; each bilateral row two dofs of one body.
static inline ss_problem random_problem(ssi_arena *arena, random_shape c, uint64_t seed) {
  ssi_rng g = {.state = seed};
  int n = c.bodies * c.body_dofs, m = c.dim * c.contacts, count = 0;
  int room = (n + m) * 2 * c.body_dofs + 4 * n + 4 * c.bilateral;
  int *i = SSI_TAKE(arena, room, int), *j = SSI_TAKE(arena, room, int);
  double *x = SSI_TAKE(arena, room, double), *mu = SSI_TAKE(arena, c.contacts, double);
  double *f = SSI_TAKE(arena, n, double), *w = SSI_TAKE(arena, m, double);
  double *b = SSI_TAKE(arena, c.bilateral, double);
  ss_problem p = {.form = SS_GLOBAL, .dim = c.dim, .nc = c.contacts, .ndof = n, .nl = c.bilateral};
  for (int a = 0; a < n; a++)
    for (int e = a; e < n; e++) {
      bool same = a / c.body_dofs == e / c.body_dofs;
      if (!same && !(c.coupled && e == a + c.body_dofs)) continue;
      double value = a == e ? 3 + ssi_rng_uniform(&g) : 0.4 * random_signed(&g);
      i[count] = a, j[count] = e, x[count++] = value;
      if (a != e) i[count] = e, j[count] = a, x[count++] = value;
    }
  ssi_sparse_from_triplets(arena, n, n, count, i, j, x, &p.M, NULL, NULL);
  count = 0;
  for (int k = 0; k < c.contacts; k++) {
    int one = ssi_rng_below(&g, c.bodies), other = ssi_rng_below(&g, c.bodies);
    for (int l = 0; l < c.dim; l++)
      for (int d = 0; d < c.body_dofs; d++) {
        i[count] = c.dim * k + l, j[count] = one * c.body_dofs + d, x[count++] = random_signed(&g);
        if (other == one) continue;
        i[count] = c.dim * k + l, j[count] = other * c.body_dofs + d,
        x[count++] = random_signed(&g);
      }
    mu[k] = c.mu;
  }
  ssi_sparse_from_triplets(arena, m, n, count, i, j, x, &p.H, NULL, NULL);
  count = 0;
  for (int k = 0; k < c.bilateral; k++) {
    int d = ssi_rng_below(&g, n - 1);
    i[count] = d, j[count] = k, x[count++] = 1;
    i[count] = d + 1, j[count] = k, x[count++] = random_signed(&g);
    b[k] = random_signed(&g);
  }
  if (c.bilateral)
    ssi_sparse_from_triplets(arena, n, c.bilateral, count, i, j, x, &p.G, NULL, NULL);
  for (int k = 0; k < n; k++) f[k] = random_signed(&g);
  for (int k = 0; k < m; k++) w[k] = 0.2 * random_signed(&g);
  p.mu = mu, p.f = f, p.w = w, p.b = b;
  return p;
}
