// analysis/trace/pattern.c - see pattern.h.
#include "analysis/trace/pattern.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "la/vector.h"

bool ssi_pattern_take(ssi_arena *arena, int n, ssi_pattern *out) {
  int m = 2 * n;
  *out = (ssi_pattern){.n = n, .m = m};
  out->A = SSI_TAKE(arena, m * m, double), out->c = SSI_TAKE(arena, m, double);
  out->lu = SSI_TAKE(arena, m * m, double);
  out->U = SSI_TAKE(arena, m * m, double), out->Vt = SSI_TAKE(arena, m * m, double);
  out->sigma = SSI_TAKE(arena, m, double);
  out->work = SSI_TAKE(arena, m * m + 10 * m + 1, double);
  out->v = SSI_TAKE(arena, m, double);
  out->pivot = SSI_TAKE(arena, 8 * m + 1, int);
  return !arena->failed;
}

// ---- equations ------------------------------------------------------------------------------------

static double side(ss_cell_state s) {
  return s == SS_CELL_SLIP_PLUS ? 1 : -1;
}

static void equations(ssi_pattern *w, const ssi_family_data *d, const ss_cell_state *states) {
  int m = w->m;
  memset(w->A, 0, sizeof *w->A * (size_t)(m * m));
  for (int i = 0; i < w->n; i++) {
    double *first = w->A + 2 * i * m, *second = first + m, *c = w->c + 2 * i;
    c[0] = c[1] = 0;
    if (states[i] == SS_CELL_FREE) {
      first[2 * i] = second[2 * i + 1] = 1;
      continue;
    }
    memcpy(first, d->W + 2 * i * m, sizeof *first * (size_t)m);
    c[0] = d->q[2 * i];
    if (states[i] == SS_CELL_STICK) {
      memcpy(second, d->W + (2 * i + 1) * m, sizeof *first * (size_t)m);
      c[1] = d->q[2 * i + 1];
    } else {
      second[2 * i] = side(states[i]) * d->mu[i];
      second[2 * i + 1] = 1;
    }
  }
}

void ssi_pattern_change(const ssi_family_data *rate, int n, const ss_cell_state *states,
                        const double *r, double *out) {
  int m = 2 * n;
  for (int i = 0; i < n; i++) {
    out[2 * i] = out[2 * i + 1] = 0;
    if (states[i] == SS_CELL_FREE) continue;
    out[2 * i] = rate->q[2 * i] + ssi_dot(m, rate->W + 2 * i * m, r);
    if (states[i] == SS_CELL_STICK)
      out[2 * i + 1] = rate->q[2 * i + 1] + ssi_dot(m, rate->W + (2 * i + 1) * m, r);
    else
      out[2 * i + 1] = side(states[i]) * rate->mu[i] * r[2 * i];
  }
}

void ssi_pattern_velocity(const ssi_family_data *d, int n, const ss_cell_state *states,
                          const double *r, double *u) {
  int m = 2 * n;
  for (int i = 0; i < m; i++) {
    bool zero = states[i / 2] == SS_CELL_STICK || (states[i / 2] != SS_CELL_FREE && i % 2 == 0);
    u[i] = zero ? 0 : d->q[i] + ssi_dot(m, d->W + i * m, r);
  }
}

void ssi_pattern_velocity_rate(const ssi_family_data *d, const ssi_family_data *rate, int n,
                               const ss_cell_state *states, const double *r, const double *dr,
                               double *du) {
  int m = 2 * n;
  for (int i = 0; i < m; i++) {
    bool zero = states[i / 2] == SS_CELL_STICK || (states[i / 2] != SS_CELL_FREE && i % 2 == 0);
    du[i] = zero ? 0 : ssi_dot(m, d->W + i * m, dr);
    if (!zero && rate) du[i] += rate->q[i] + ssi_dot(m, rate->W + i * m, r);
  }
}

// ---- linear algebra -------------------------------------------------------------------------------

// LAPACK reads A by columns: the transpose, solved with transposed back.
void ssi_pattern_resolve(ssi_pattern *w, const double *b, double *x) {
  if (x != b) memcpy(x, b, sizeof *x * (size_t)w->m);
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', w->m, 1, w->lu, w->m, w->pivot, x, w->m);
}

static double norm_one(const double *A, int m) {  // of the transpose: rows
  double most = 0;
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += fabs(A[i * m + j]);
    most = fmax(most, sum);
  }
  return most;
}

// Rows that are exchanged belong to one set of contacts, so that its own determinant is the product of its pivots, with the sign of the order that its
// rows have come into.
static uint64_t signs_of(const ssi_pattern *w) {
  uint64_t negative = 0;
  int m = w->m, *row = w->pivot + m;
  for (int i = 0; i < m; i++) row[i] = i;
  for (int i = 0; i < m; i++) {
    int swap = row[i];
    row[i] = row[w->pivot[i] - 1], row[w->pivot[i] - 1] = swap;
  }
  for (int i = 0; i < m; i++) {
    int set = w->leader ? w->leader[i / 2] : 0;
    bool odd = w->lu[i * m + i] < 0;
    for (int j = 0; j < i; j++) odd ^= (w->leader ? w->leader[j / 2] : 0) == set && row[j] > row[i];
    if (odd) negative ^= (uint64_t)1 << set;
  }
  return negative;
}

static const double SINGULAR = 1e-15;  // 1/condition below which LU tells nothing

bool ssi_pattern_solve(ssi_pattern *w, const ssi_family_data *d, const ss_cell_state *states,
                       double *r, double *u, ssi_pattern_answer *out) {
  int m = w->m;
  *out = (ssi_pattern_answer){.condition = 1};
  equations(w, d, states);
  memcpy(w->lu, w->A, sizeof *w->A * (size_t)(m * m));
  if (m && LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, w->lu, m, w->pivot)) return false;
  if (m)
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', m, w->lu, m, norm_one(w->A, m), &out->condition,
                        w->work, w->pivot + m);
  if (!(out->condition > SINGULAR)) return false;
  out->negative = signs_of(w);
  for (int i = 0; i < m; i++) r[i] = -w->c[i];
  ssi_pattern_resolve(w, r, r);
  for (int i = 0; i < m; i++) w->v[i] = -w->c[i] - ssi_dot(m, w->A + i * m, r);
  ssi_pattern_resolve(w, w->v, w->v);
  for (int i = 0; i < m; i++) r[i] += w->v[i];
  for (int i = 0; i < w->n; i++)
    if (states[i] == SS_CELL_FREE) r[2 * i] = r[2 * i + 1] = 0;
  ssi_pattern_velocity(d, w->n, states, r, u);
  return true;
}

int ssi_pattern_kernel(ssi_pattern *w, const ssi_family_data *d, const ss_cell_state *states,
                       double tol, double *k, double *left) {
  int m = w->m, corank = 0;
  if (!m) return 0;
  equations(w, d, states);
  memcpy(w->lu, w->A, sizeof *w->A * (size_t)(m * m));
  // of the transpose, by columns: its left vectors are our right ones
  if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', m, m, w->lu, m, w->sigma, w->U, m, w->Vt, m,
                          w->work, m * m + 10 * m))
    return m;
  for (int i = 0; i < m; i++) corank += !(w->sigma[i] > tol * w->sigma[0]);
  ssi_pattern_vectors(w, 0, k, left);
  return corank;
}

void ssi_pattern_vectors(const ssi_pattern *w, int index, double *k, double *left) {
  int m = w->m, last = m - 1 - index;
  for (int i = 0; i < m; i++) k[i] = w->U[last * m + i], left[i] = w->Vt[i * m + last];
}

// A = V diag(sigma) U^T: the correction -A^+ (A r + c) without the last, vanishing, terms.
void ssi_pattern_project(ssi_pattern *w, int corank, double *r) {
  int m = w->m;
  for (int i = 0; i < m; i++) w->v[i] = w->c[i] + ssi_dot(m, w->A + i * m, r);
  for (int i = 0; i < m - corank; i++) {
    double y = 0;
    for (int j = 0; j < m; j++) y += w->Vt[j * m + i] * w->v[j];
    for (int j = 0; j < m; j++) r[j] -= w->U[i * m + j] * y / w->sigma[i];
  }
}

// ---- gaps -----------------------------------------------------------------------------------------

int ssi_gap_count(ss_cell_state s) {
  return s == SS_CELL_FREE ? 1 : s == SS_CELL_STICK ? 3 : 2;
}

double ssi_gap(ss_cell_state s, int k, double mu, const double *u, const double *r) {
  if (s == SS_CELL_FREE) return u[0];
  if (s == SS_CELL_STICK) return k == 2 ? r[0] : mu * r[0] + (k ? r[1] : -r[1]);
  return k ? side(s) * u[1] : r[0];
}

double ssi_gap_rate(ss_cell_state s, int k, double mu, double dmu, const double *r,
                    const double *du, const double *dr) {
  double grown = s == SS_CELL_STICK && k < 2 ? dmu * r[0] : 0;
  return grown + ssi_gap(s, k, mu, du, dr);
}

double ssi_gap_least(const ssi_family_data *d, int n, const ss_cell_state *states, const double *u,
                     const double *r) {
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < ssi_gap_count(states[i]); k++)
      least = fmin(least, ssi_gap(states[i], k, d->mu[i], u + 2 * i, r + 2 * i));
  return least;
}
