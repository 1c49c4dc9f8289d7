// The friction problem of one step: march.h (2).
#include <math.h>
#include <string.h>

#include "elastic/march.h"
#include "la/sparse.h"
#include "problem/reduce.h"

ssi_weights ssi_march_weights(const ss_march_options *o) {
  double h = o->step, th = h * o->theta;
  if (o->scheme == SS_MARCH_VELOCITY) return (ssi_weights){0, 1, h};
  if (o->scheme == SS_MARCH_POSITION) return (ssi_weights){0, 1 / h, 1};
  return (ssi_weights){1, th, th * th};
}

// fhat of (2), all degrees of freedom.
static void fill_force(const ss_march *m, double *fhat) {
  const ss_structure *s = &m->s;
  const ssi_march_state *k = &m->now;
  double h = m->o.step, theta = m->o.theta;
  size_t n = (size_t)s->ndof;
  memset(fhat, 0, n * sizeof(double));
  double *y = m->full2;
  if (m->o.scheme == SS_MARCH_MOREAU) {
    ssi_sparse_multiply_add(&s->K, k->q, fhat);
    memset(y, 0, n * sizeof(double));
    ssi_sparse_multiply_add(&s->K, k->v, y);
    for (size_t i = 0; i < n; i++) fhat[i] += h * theta * (1 - theta) * y[i];
    memset(y, 0, n * sizeof(double));
    if (s->C.ptr) ssi_sparse_multiply_add(&s->C, k->v, y);
    for (size_t i = 0; i < n; i++)
      fhat[i] =
          h * (fhat[i] + (1 - theta) * y[i] - (theta * m->next.at.f[i] + (1 - theta) * k->at.f[i]));
    memset(y, 0, n * sizeof(double));
    ssi_sparse_multiply_add(&s->M, k->v, y);
    for (size_t i = 0; i < n; i++) fhat[i] -= y[i];
    return;
  }
  if (m->o.scheme == SS_MARCH_VELOCITY) {
    ssi_sparse_multiply_add(&s->K, k->q, fhat);
  } else if (s->C.ptr) {
    ssi_sparse_multiply_add(&s->C, k->q, fhat);
    for (size_t i = 0; i < n; i++) fhat[i] /= -h;
  }
  for (size_t i = 0; i < n; i++) fhat[i] -= m->next.at.f[i];
}

// x of the prescribed degrees of freedom, 0 elsewhere.
static void fill_prescribed(const ss_march *m, double *x) {
  double h = m->o.step;
  for (int i = 0; i < m->s.ndof; i++)
    x[i] = !m->given[i]                       ? 0
           : m->o.scheme == SS_MARCH_POSITION ? m->next.at.d[i]
                                              : (m->next.at.d[i] - m->now.at.d[i]) / h;
}

// what of (2) without what prescribed motions add.
static void fill_offset(const ss_march *m, double *w) {
  int dim = m->s.dim;
  double h = m->o.step;
  if (m->o.scheme == SS_MARCH_POSITION) {
    for (int i = 0; i < m->m; i++)
      w[i] = m->next.at.b[i] - (i % dim ? m->now.gap[i] : 0);  // I - e e^T keeps the tangent
    return;
  }
  if (m->s.slide_count)
    ssi_terms_at(m->s.slides, m->s.slide_count, m->m, m->next.at.t, w);
  else
    for (int i = 0; i < m->m; i++) w[i] = (m->next.at.b[i] - m->now.at.b[i]) / h;
  if (m->o.scheme == SS_MARCH_MOREAU)
    for (int i = 0; i < m->m; i += dim) w[i] += m->now.gap[i] / h;
}

ss_error ssi_march_pose(ss_march *m) {
  double *fhat = m->full1, *x = m->x, *y = m->full2;
  double *f = (double *)(uintptr_t)m->all.f, *w = (double *)(uintptr_t)m->all.w;
  ssi_weights a = ssi_march_weights(&m->o);
  const ss_sparse *part[] = {&m->s.M, &m->s.C, &m->s.K};
  const double weight[] = {a.a, a.b, a.c};
  fill_force(m, fhat);
  fill_prescribed(m, x);
  for (int k = 0; k < 3; k++) {  // A x_d
    if (!part[k]->ptr || weight[k] == 0 || m->nfree == m->s.ndof) continue;
    memset(y, 0, sizeof(double) * (size_t)m->s.ndof);
    ssi_sparse_multiply_add(part[k], x, y);
    for (int i = 0; i < m->s.ndof; i++) fhat[i] += weight[k] * y[i];
  }
  for (int i = 0; i < m->nfree; i++) f[i] = fhat[m->dof[i]];
  fill_offset(m, w);
  ssi_sparse_multiply_add(&m->H, x, w);  // x_f = 0 so far
  double *q = (double *)(uintptr_t)m->reduced->q;
  return ssi_reduce_vectors(&m->all, m->factor, m->free1, q, NULL);
}
