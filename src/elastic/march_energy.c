// Energies of a step, with v_theta = theta v_{k+1} + (1 - theta) v_k, q_{k+1} - q_k = h v_theta, and theta = 1
// but for moreau. (1) times h v_theta, all degrees of freedom, prescribed ones held by forces R:
//
//   E_{k+1} - E_k = h v_theta . (f_theta + R + H^T r - C v_theta) - (theta - 1/2) (|dq|_K^2 + |dv|_M^2)     (3)
//   r . H h v_theta = r . (H h v_theta + h w) - r . h w:  what slides and closes, and what moves the obstacle
#include <math.h>
#include <string.h>

#include "elastic/march.h"
#include "la/sparse.h"

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double square(const ss_march *m, const ss_sparse *A, const double *x) {
  if (!A->ptr) return 0;
  memset(m->full2, 0, sizeof(double) * (size_t)m->s.ndof);
  ssi_sparse_multiply_add(A, x, m->full2);
  return dot(x, m->full2, m->s.ndof);
}

double ssi_march_elastic(const ss_march *m, const double *q) {
  return 0.5 * square(m, &m->s.K, q);
}

double ssi_march_kinetic(const ss_march *m, const double *v) {
  return m->o.scheme == SS_MARCH_MOREAU ? 0.5 * square(m, &m->s.M, v) : 0;
}

// R = M dv/h + C v_theta + K q_theta - f_theta - H^T r on prescribed degrees of freedom, whose work it adds.
static void add_support(ss_march *m, const double *dq, ss_march_energy *w) {
  const ss_structure *s = &m->s;
  const ssi_march_state *a = &m->now, *b = &m->next;
  double h = m->o.step, theta = m->o.theta, *y = m->full2, *R = b->support;
  int n = s->ndof;
  for (int i = 0; i < n; i++) y[i] = a->q[i] + theta * (b->q[i] - a->q[i]);
  memset(R, 0, sizeof(double) * (size_t)n);
  ssi_sparse_multiply_add(&s->K, y, R);
  for (int i = 0; i < n; i++) y[i] = dq[i] / h;
  if (s->C.ptr) {
    double before = dot(dq, R, n);
    ssi_sparse_multiply_add(&s->C, y, R);
    w->viscous += dot(dq, R, n) - before;
  }
  for (int i = 0; i < n; i++) y[i] = (b->v[i] - a->v[i]) / h;
  if (m->o.scheme == SS_MARCH_MOREAU) ssi_sparse_multiply_add(&s->M, y, R);
  memset(y, 0, sizeof(double) * (size_t)n);
  ssi_sparse_multiply_transposed_add(&m->H, b->r, y);
  for (int i = 0; i < n; i++) {
    double f = theta * b->at.f[i] + (1 - theta) * a->at.f[i];
    w->load += f * dq[i];
    R[i] = m->given[i] ? R[i] - f - y[i] : 0;
    w->support += R[i] * dq[i];
  }
}

// b->u is H v_theta + w on entry: mean relative velocities of the step.
static void add_contacts(ss_march *m, const double *slide, ss_march_energy *w) {
  const ssi_march_state *b = &m->next;
  double h = m->o.step;
  for (int i = 0; i < m->m; i++) {
    double lost = -h * b->r[i] * b->u[i];
    if (i % m->s.dim)
      w->friction += lost;
    else
      w->closing += lost;
    w->obstacle -= h * b->r[i] * slide[i];
  }
}

static void close_balance(ss_march *m, ss_march_energy *w) {
  double terms[] = {w->elastic,  w->kinetic, w->load,    w->support,   w->obstacle,
                    w->friction, w->viscous, w->closing, w->integrator};
  for (int k = 0; k < 9; k++) m->next.largest = fmax(m->next.largest, fabs(terms[k]));
  double missing = w->elastic + w->kinetic - w->start - w->load - w->support - w->obstacle +
                   w->friction + w->viscous + w->closing + w->integrator;
  w->closure = m->next.largest > 0 ? fabs(missing) / m->next.largest : 0;
}

void ssi_march_account(ss_march *m) {
  const ssi_march_state *a = &m->now, *b = &m->next;
  ss_march_energy *w = &m->next.energy;
  double *dq = m->full1, *slide = m->uhat;  // no longer needed
  int n = m->s.ndof;
  *w = a->energy;
  m->next.largest = a->largest;
  if (m->s.slide_count)
    ssi_terms_at(m->s.slides, m->s.slide_count, m->m, b->at.t, slide);
  else
    for (int i = 0; i < m->m; i++) slide[i] = (b->at.b[i] - a->at.b[i]) / m->o.step;
  for (int i = 0; i < n; i++) dq[i] = (b->q[i] - a->q[i]) / m->o.step;
  memcpy(b->u, slide, sizeof(double) * (size_t)m->m);
  ssi_sparse_multiply_add(&m->H, dq, b->u);
  for (int i = 0; i < n; i++) dq[i] = b->q[i] - a->q[i];
  add_support(m, dq, w);
  add_contacts(m, slide, w);
  w->integrator += (m->o.theta - 0.5) * square(m, &m->s.K, dq);
  if (m->o.scheme == SS_MARCH_MOREAU) {
    for (int i = 0; i < n; i++) dq[i] = b->v[i] - a->v[i];
    w->integrator += (m->o.theta - 0.5) * square(m, &m->s.M, dq);
  }
  w->elastic = ssi_march_elastic(m, b->q);
  w->kinetic = ssi_march_kinetic(m, b->v);
  close_balance(m, w);
}
