// analysis/glcp.h - all solutions of a 2D problem by the generalised linear complementarity problem
// [Agw20, (32), (33)] and the algorithm of [DVV92]: the published way to what the tree of states does. No
// pattern is ever solved; a cone is cut, equation by equation.
//
// [DVV92] B. De Moor, L. Vandenberghe, J. Vandewalle, The generalized linear complementarity problem and an
//         algorithm to find all its solutions, Math. Program. 57 (1992) 415-426.
#pragma once

#include "analysis/enumerate.h"

enum { SSI_GLCP_CONTACTS = 10 };  // 6 n + 1 unknowns, one bit each

// Unknowns of contact i: at block * n + i; the last one is e. Blocks k and k + 3 are complementary.
typedef enum ssi_glcp_block {
  SSI_GLCP_UN,     // xi_n  = u_N
  SSI_GLCP_LEFT,   // xi_t- = -u_T where that is positive
  SSI_GLCP_LOWER,  // psi_t+ = mu r_N + r_T, distance from the lower edge of the friction cone
  SSI_GLCP_RN,     // psi_n = r_N
  SSI_GLCP_UPPER,  // psi_t- = mu r_N - r_T
  SSI_GLCP_RIGHT,  // xi_t+ = u_T where that is positive
} ssi_glcp_block;

// The extreme rays of { x >= 0, A x = 0 } that keep one unknown of each pair at zero.
typedef struct ssi_glcp {
  ss_context *ctx;
  const ssi_scaled *z;
  int n, size;        // contacts; unknowns 6 n + 1
  double tol;         // what is zero beside the terms it is the sum of
  int count, most;    // rays now; at most at any time
  size_t room;        // rays
  double *x;          // (count x size)
  uint64_t *support;  // bit i: x_i > 0   (count)
} ssi_glcp;

static inline double ssi_glcp_at(const ssi_glcp *g, int ray, ssi_glcp_block block, int contact) {
  return g->x[(size_t)ray * (size_t)g->size + (size_t)(block * g->n + contact)];
}

// Cuts the cone by all equations; s->stopped says what ended it early, s->nodes counts pairs of rays.
ss_error ssi_glcp_cut(ssi_cell_search *s, ssi_glcp *g);
void ssi_glcp_release(ssi_glcp *g);

// The rays as vertices and directions in s->cells, with the cells that they span.
ss_error ssi_glcp_cells(ssi_cell_search *s, const ssi_glcp *g);
