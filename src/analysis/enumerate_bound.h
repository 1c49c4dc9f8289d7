// analysis/enumerate_bound.h - proving that a node of the tree holds no solution.
#pragma once

#include "analysis/dual_qp.h"
#include "analysis/enumerate_tree.h"

typedef struct ssi_bound {
  ssi_dual_qp qp;
  const ssi_scaled *z;
  const double *mu;          // z->mu
  double *r, *u;             // scratch   (2 n)
  bool definite;             // W is positive definite
  double *normal, *tangent;  // two rows   (2 n + 1)
  double *e;                 // one row of the objective   (2 n + 1)
  int branch;                // after ssi_bound_node: the contact to branch on; -1: none is left
  double strict;             // (3) of enumerate_bound.c; 0: not used
  int64_t ties;              // nodes left out because of it
  int64_t blurred;           // nodes that were not left out because pivots had lost too much
} ssi_bound;

bool ssi_bound_take(ssi_bound *b, ssi_arena *arena, const ssi_scaled *z, bool definite,
                    double strict);

// Whether the node is proved to hold no solution; if not, b->branch is set.
bool ssi_bound_node(ssi_bound *b, const ssi_node *node);
