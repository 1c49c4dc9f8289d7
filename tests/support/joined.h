// support/joined.h - dense problems in global form, and several of them joined into one with everything shuffled.
#pragma once

#include "dense.h"

#include "base/rng.h"

typedef struct dense_problem {  // row-major; arrays in an arena
  int dim, nc, ndof, nl;
  double *mu, *M, *H, *G, *f, *w, *b;
} dense_problem;

static inline double joined_signed(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

static inline dense_problem dense_problem_take(ssi_arena *arena, int dim, int nc, int ndof,
                                               int nl) {
  dense_problem d = {.dim = dim, .nc = nc, .ndof = ndof, .nl = nl};
  d.mu = SSI_TAKE(arena, nc + 1, double);
  d.M = SSI_TAKE(arena, ndof * ndof + 1, double);
  d.H = SSI_TAKE(arena, dim * nc * ndof + 1, double);
  d.G = SSI_TAKE(arena, ndof * nl + 1, double);
  d.f = SSI_TAKE(arena, ndof + 1, double);
  d.w = SSI_TAKE(arena, dim * nc + 1, double);
  d.b = SSI_TAKE(arena, nl + 1, double);
  assert_false(arena->failed);
  return d;
}

static inline ss_problem dense_problem_view(ssi_arena *arena, const dense_problem *d) {
  ss_problem p = global_problem(arena, d->dim, d->nc, d->ndof, d->M, d->f, d->H, d->w, d->mu);
  p.nl = d->nl;
  if (d->nl) p.G = from_dense(arena, d->ndof, d->nl, d->G), p.b = d->b;
  return p;
}

// Everything coupled; M is diagonally dominant.
static inline dense_problem dense_problem_random(ssi_arena *arena, ssi_rng *g, int dim, int nc,
                                                 int ndof, int nl, double mu) {
  dense_problem d = dense_problem_take(arena, dim, nc, ndof, nl);
  for (int i = 0; i < ndof; i++)
    for (int j = 0; j <= i; j++)
      d.M[i * ndof + j] = d.M[j * ndof + i] =
          i == j ? 2 + ssi_rng_uniform(g) : joined_signed(g) / ndof;
  for (int i = 0; i < dim * nc * ndof; i++) d.H[i] = joined_signed(g);
  for (int i = 0; i < ndof * nl; i++) d.G[i] = joined_signed(g);
  for (int i = 0; i < ndof; i++) d.f[i] = joined_signed(g);
  for (int i = 0; i < dim * nc; i++) d.w[i] = joined_signed(g);
  for (int i = 0; i < nl; i++) d.b[i] = joined_signed(g);
  for (int i = 0; i < nc; i++) d.mu[i] = mu * (0.5 + ssi_rng_uniform(g));
  return d;
}

// Units: velocities times `speed`, masses times `mass`; reactions become times speed mass.
static inline void dense_problem_scale(dense_problem *d, double speed, double mass) {
  for (int i = 0; i < d->ndof * d->ndof; i++) d->M[i] *= mass;
  for (int i = 0; i < d->ndof; i++) d->f[i] *= mass * speed;
  for (int i = 0; i < d->dim * d->nc; i++) d->w[i] *= speed;
  for (int i = 0; i < d->nl; i++) d->b[i] *= speed;
}

static inline void shuffled(ssi_rng *g, int n, int *x) {
  for (int i = 0; i < n; i++) x[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int j = ssi_rng_below(g, i + 1), t = x[i];
    x[i] = x[j], x[j] = t;
  }
}

typedef struct joined {
  dense_problem all;
  int *contact, *dof, *joint;  // where those of the parts, one part after the other, went
} joined;

// `idle`: so many dofs more that nothing touches.
static inline joined join_parts(ssi_arena *arena, ssi_rng *g, int count, const dense_problem *part,
                                int idle) {
  int nc = 0, n = idle, nl = 0, d = part[0].dim, c0 = 0, n0 = 0, l0 = 0;
  for (int k = 0; k < count; k++) nc += part[k].nc, n += part[k].ndof, nl += part[k].nl;
  joined j = {.all = dense_problem_take(arena, d, nc, n, nl)};
  j.contact = SSI_TAKE(arena, nc + 1, int);
  j.dof = SSI_TAKE(arena, n + 1, int);
  j.joint = SSI_TAKE(arena, nl + 1, int);
  shuffled(g, nc, j.contact), shuffled(g, n, j.dof), shuffled(g, nl, j.joint);
  for (int k = 0; k < count; k++) {
    const dense_problem *p = &part[k];
    for (int a = 0; a < p->ndof; a++) {
      int to = j.dof[n0 + a];
      j.all.f[to] = p->f[a];
      for (int e = 0; e < p->ndof; e++) j.all.M[to * n + j.dof[n0 + e]] = p->M[a * p->ndof + e];
      for (int e = 0; e < p->nl; e++) j.all.G[to * nl + j.joint[l0 + e]] = p->G[a * p->nl + e];
    }
    for (int i = 0; i < p->nc; i++) {
      int to = j.contact[c0 + i];
      j.all.mu[to] = p->mu[i];
      for (int c = 0; c < d; c++) {
        j.all.w[d * to + c] = p->w[d * i + c];
        for (int e = 0; e < p->ndof; e++)
          j.all.H[(d * to + c) * n + j.dof[n0 + e]] = p->H[(d * i + c) * p->ndof + e];
      }
    }
    for (int e = 0; e < p->nl; e++) j.all.b[j.joint[l0 + e]] = p->b[e];
    c0 += p->nc, n0 += p->ndof, l0 += p->nl;
  }
  for (int a = n - idle; a < n; a++) {
    j.all.M[j.dof[a] * n + j.dof[a]] = 1 + ssi_rng_uniform(g);
    j.all.f[j.dof[a]] = joined_signed(g);
  }
  return j;
}
