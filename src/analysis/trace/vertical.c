// Vertical pieces: whole segments of solutions at one p, and where a smooth branch crosses them.
//
// On a vertical piece r + t k, k in the kernel of A_s, everything is linear in t: it ends where the first gap is zero, and nothing needs
// steps. w.F_p, w^T A_s = 0, is affine in t, and where it vanishes a smooth branch of the same pattern crosses.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/trace/tracer.h"
#include "la/vector.h"

static const double KERNEL = 1e-9;  // singular values that are zero, relative
static const double SAME = 1e-9;    // places along a vertical piece
static const double FELT = 1e-10;   // a gap that is larger than this is not zero

// The point at which the smooth branch passes through a singular A_s: A r + c = 0 and w.F_p(r) = 0 for each row w with
// w^T A_s = 0, as many equations as the kernel has directions. at->r: near it.
ss_error ssi_crossing_settle(ssi_tracer *t, const ss_cell_state *states, double p, ssi_spot *at) {
  enum { MOST = 8 };
  int n = t->family.n, m = t->family.m;
  double G[MOST * MOST], y[MOST], *k = t->slope, *zero = t->before;
  int pivot[MOST];
  ss_error e = ssi_family_at(&t->family, p, &t->next);
  if (!e) e = ssi_family_rate(&t->family, p, &t->rate);
  if (e) return e;
  int corank = ssi_pattern_kernel(&t->work, &t->next, states, KERNEL, k, t->left);
  corank = corank < 1 ? 1 : corank > MOST ? MOST : corank;
  ssi_pattern_project(&t->work, corank, at->r);
  memset(zero, 0, sizeof *zero * (size_t)m);
  for (int j = 0; j < corank; j++) {  // dA/dp k_j
    ssi_pattern_vectors(&t->work, j, k, t->left);
    ssi_pattern_change(&t->rate, n, states, k, t->F);
    ssi_pattern_change(&t->rate, n, states, zero, t->near_r);
    ssi_pattern_change(&t->rate, n, states, at->r, t->near_u);
    for (int i = 0; i < corank; i++) {
      ssi_pattern_vectors(&t->work, i, k, t->left);
      G[corank * j + i] = ssi_dot(m, t->left, t->F) - ssi_dot(m, t->left, t->near_r);
      y[i] = -ssi_dot(m, t->left, t->near_u);
    }
  }
  bool solved = LAPACKE_dgesv(LAPACK_COL_MAJOR, corank, 1, G, corank, pivot, y, corank) == 0;
  for (int j = 0; j < corank && solved; j++) {
    ssi_pattern_vectors(&t->work, j, k, t->left);
    for (int l = 0; l < m; l++) at->r[l] += y[j] * k[l];
  }
  for (int i = 0; i < n; i++)
    if (states[i] == SS_CELL_FREE) at->r[2 * i] = at->r[2 * i + 1] = 0;
  at->p = p;
  ssi_pattern_velocity(&t->next, n, states, at->r, at->u);
  return corank > 1 ? ssi_tracer_look_at(t, p) : SS_OK;
}

// How far until the first gap is zero; INFINITY: none falls.
static double length_of(const ssi_tracer *t, const ssi_tangent *way, const ssi_spot *at) {
  double least = INFINITY, size = ssi_point_size(at->r, at->u, t->family.m);
  for (int i = 0; i < t->family.n; i++) {
    ss_cell_state s = way->states[i];
    for (int k = 0; k < ssi_gap_count(s); k++) {
      double mu = t->now.mu[i];
      double g = ssi_gap(s, k, mu, at->u + 2 * i, at->r + 2 * i);
      double falls = -ssi_gap_rate(s, k, mu, 0, at->r + 2 * i, way->du + 2 * i, way->dr + 2 * i);
      if (falls > 1e-9 && g > FELT * size) least = fmin(least, g / falls);
    }
  }
  return least;
}

// Where along the piece w.F_p = 0; NAN: nowhere; INFINITY: everywhere.
static ss_error crossing_of(ssi_tracer *t, const ssi_tangent *way, const ssi_spot *at, double *x) {
  int n = t->family.n, m = t->family.m;
  ss_error e = ssi_family_rate(&t->family, at->p, &t->rate);
  if (e) return e;
  ssi_pattern_kernel(&t->work, &t->now, way->states, 0, t->slope, t->left);
  ssi_pattern_change(&t->rate, n, way->states, at->r, t->F);
  double here = ssi_dot(m, t->left, t->F), scale = ssi_largest(m, t->F);
  for (int k = 0; k < m; k++) t->trial_r[k] = at->r[k] + way->dr[k];
  ssi_pattern_change(&t->rate, n, way->states, t->trial_r, t->F);
  double grows = ssi_dot(m, t->left, t->F) - here;
  scale = fmax(scale, ssi_largest(m, t->F));
  double nothing = SAME * (scale + ssi_point_size(at->r, at->u, m) / t->range);
  bool still = fabs(grows) <= nothing;
  *x = !still ? -here / grows : fabs(here) <= nothing ? INFINITY : NAN;
  return SS_OK;
}

ss_error ssi_vertical_follow(ssi_tracer *t, const ssi_tangent *way, ssi_spot *at, ssi_trail *trail,
                             ssi_piece_end *end) {
  int n = t->family.n, m = t->family.m;
  double crossing;
  *end = SSI_PIECE_BUDGET;
  if (!ssi_tracer_goes_on(t, at->p)) return SS_OK;
  ss_error e = ssi_family_at(&t->family, at->p, &t->now);
  if (!e) e = crossing_of(t, way, at, &crossing);
  if (e) return e;
  *end = SSI_PIECE_CONTINUUM;
  if (isinf(crossing)) return SS_OK;
  double size = ssi_point_size(at->r, at->u, m), length = length_of(t, way, at);
  bool crosses = crossing > SAME * size && crossing < length - SAME * size;
  *end = crosses ? SSI_PIECE_CROSSING : isinf(length) ? SSI_PIECE_INFINITY : SSI_PIECE_EVENT;
  if (crosses) length = crossing;
  if (isinf(length)) length = size;  // a point of the ray
  for (int k = 0; k < m; k++) at->r[k] += length * way->dr[k];
  ssi_pattern_velocity(&t->now, n, way->states, at->r, at->u);
  bool good;
  e = ssi_trail_add(t, trail, at, way->states, &good);
  if (!e && !good) *end = SSI_PIECE_UNVERIFIED;
  return e;
}
