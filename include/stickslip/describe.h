// stickslip/describe.h - what a problem looks like before anyone tries to solve it.
#pragma once

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_description {
  int64_t entries_W, entries_M, entries_H;  // stored entries; 0 where the form has none
  int bodies;             // see below; 0: reduced form, or M has diagonal blocks larger than 6 x 6
  int free_components;    // connected components of the contact graph (shared bodies, or W_ij != 0)
  int largest_component;  // contacts in the largest one
  double neighbours_mean;  // other contacts that a contact is coupled with
  int neighbours_max;
  double density;  // dim * contacts / degrees of freedom; NAN when they are not known
  int rank;        // numerical rank of W (1e-10 relative); -1 when too large to compute
  double eigenvalue_min, eigenvalue_max;  // of the symmetric part of W; NAN when too large
  double block_condition_min,
      block_condition_max;   // lambda_max / lambda_min of sym(W_ii); inf: singular
  double block_scale_ratio;  // largest over smallest positive lambda_max(W_ii)
  int zero_blocks;           // contacts with W_ii = 0: nothing they touch can move
  int painleve_contacts;  // contacts with mu |W_NT| > W_NN: their own problem may have several answers
  double mu_min, mu_max;
  double asymmetry_M, asymmetry_W;
  double norm_q;
  int loose;  // M is singular: independent motions that cost nothing, ss_problem_loose; -1: it is not
} ss_description;

// bodies, for M with diagonal blocks of at most 6 x 6: rigid bodies if the dofs can be cut into sixes
// (threes in 2D) such that no block of M is cut, no contact acts on more than two of them, and each
// contact acts on the first half (the first two in 2D) and on the rest, translation and rotation, of
// those it touches; else points if the same holds of `dim` dofs each, without the last condition;
// else the blocks of M. Bodies without contacts count.
//
// Where M is singular there is no W: what is told of it is -1, NAN or 0.
//
// rank and eigenvalues are computed when m <= dense_limit (0: 1500).
SS_API ss_error ss_describe(ss_context *ctx, const ss_problem *p, int dense_limit,
                            ss_description *out);

// Bytes that solving it takes, about: half of it or twice as much may be true.
SS_API ss_error ss_problem_memory(ss_context *ctx, const ss_problem *p, double *bytes);

#ifdef __cplusplus
}
#endif
