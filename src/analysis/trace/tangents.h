// analysis/trace/tangents.h - the ways on from a point: the rate problem of [Agw20, 3].
//
// At (r, u, p) each contact lies in the closure of one state, or of several; a pattern chooses one for each. Its
// tangents (dr, dp) solve
//
//   A_s dr + F_p dp = 0,   F_p = dA_s/dp r + dc_s/dp,       and no gap that is zero may fall.          (1)
//
// A_s regular: dr = -A_s^-1 F_p for dp = 1, and its opposite. A_s singular, kernel k, w^T A_s = 0: if w.F_p != 0
// (1) says dp = 0, dr = +-k, a vertical piece. If w.F_p = 0 the point is where a smooth branch crosses that
// piece; its direction is of second order and is left to the caller (`crossing`).
#pragma once

#include "analysis/trace/pattern.h"

typedef struct ssi_tangent {
  ss_cell_state *states;  // (n)
  int dp;                 // 1, -1; 0: vertical
  double *dr, *du;        // (m)
  bool marginal;          // a gap that is zero stays so to first order
  bool crossing;          // dr, du are not known
} ssi_tangent;

typedef struct ssi_tangents {
  ssi_tangent *items;  // (count)
  int count, room;
  int grazing, edges;  // contacts with r = 0 and u_N = 0; on the edge of the cone
  int64_t patterns;    // 4^z 2^s
  int degenerate;      // patterns with a kernel of more dimensions, or with a crossing
  bool too_many;       // more patterns than allowed: nothing was tried
} ssi_tangents;

typedef struct ssi_tangent_query {
  const ssi_family_data *data, *rate;  // rate: per unit of dp
  const double *r, *u;                 // (m)
  double tol;
  int64_t max_patterns;
} ssi_tangent_query;

// Bits (1 << ss_cell_state) of the states whose closures hold contact i, and of the largest size of r and u.
unsigned ssi_closures(const ssi_tangent_query *q, int i, double size);
double ssi_point_size(const double *r, const double *u, int m);  // max(1, |r|, |u|)

// Into arena. false: no memory.
bool ssi_tangents_find(ssi_pattern *w, const ssi_tangent_query *q, ssi_arena *arena,
                       ssi_tangents *out);
