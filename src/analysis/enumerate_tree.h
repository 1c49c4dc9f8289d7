// analysis/enumerate_tree.h - nodes of the tree of contact states, as tableaux.
//
// A node knows for each contact a mode: one of the four states, or a union of them:
//
//   open     any state:                    r_N, r_T in the cone |r_T| <= mu r_N,  u_N >= 0
//   right    free or slip+ with u_T >= 0:  r = x l (1, -mu),   0 <= u_N ⊥ x >= 0,  u_T >= 0
//   left     free or slip- with u_T <= 0:  r = x l (1, mu),    0 <= u_N ⊥ x >= 0,  u_T <= 0
//   normal   without friction:             r = x (1, 0),       0 <= u_N ⊥ x >= 0
//
// (l = 1/max(1, mu) keeps the columns of order 1.) The unknowns of contacts that stick or slip are
// eliminated by pivots on u = 0 or u_N = 0, so that two rows per contact, affine in the unknowns
// that are left, hold all there is to know:
//
//   open, right, left, normal    u_N, u_T (left: -u_T)       stick   r_N, r_T, in the cone
//   free                         u_N >= 0, +-u_T             slip    x >= 0, +-u_T >= 0
//
// Where a pivot is too small the unknowns stay and the rows become equations.
#pragma once

#include "analysis/dual_qp.h"
#include "analysis/enumerate.h"

enum { SSI_OPEN = 4, SSI_RIGHT_SIDE, SSI_LEFT_SIDE, SSI_NORMAL, SSI_MODES };

// What a row must be.
enum {
  SSI_ROW_ANY,
  SSI_ROW_NOT_NEGATIVE,
  SSI_ROW_ZERO,
  SSI_ROW_CONE,  // it and the next one are in the cone
};

typedef struct ssi_node {
  int n, columns;
  double *T;        // row-major: 2 n rows of `columns` unknowns and a constant
  int *unknown;     // 2 i: r_N or x of contact i, 2 i + 1: its r_T, the column after   (2 n)
  uint8_t *mode;    // (n)
  uint8_t *demand;  // of each row   (2 n)
  double share;     // of the whole tree
} ssi_node;

bool ssi_node_take(ssi_node *node, ssi_arena *arena, int n);  // false: no memory
void ssi_node_root(ssi_node *node, const ssi_scaled *z);
// child = parent with contact i in `mode`, which must be part of its present mode.
void ssi_node_enter(const ssi_node *parent, const double *mu, int i, int mode, ssi_node *child);

// How far the rows are from W r + q computed afresh, at one point in general position: what the
// pivots have lost, relative to the sizes of r and u there. r, u: scratch (2 n).
double ssi_node_error(const ssi_node *node, const ssi_scaled *z, double *r, double *u);

static inline double *ssi_node_row(const ssi_node *node, int row) {
  return node->T + (size_t)row * (size_t)(node->columns + 1);
}

static inline double ssi_side_length(double mu) {  // l
  return mu > 1 ? 1 / mu : 1;
}

// The modes that a union splits into; their number.
static inline int ssi_mode_children(int mode, int children[3]) {
  static const int table[SSI_MODES][3] = {
      [SSI_OPEN] = {SS_CELL_STICK, SSI_RIGHT_SIDE, SSI_LEFT_SIDE},
      [SSI_RIGHT_SIDE] = {SS_CELL_FREE, SS_CELL_SLIP_PLUS, -1},
      [SSI_LEFT_SIDE] = {SS_CELL_FREE, SS_CELL_SLIP_MINUS, -1},
      [SSI_NORMAL] = {SS_CELL_FREE, SS_CELL_SLIP_PLUS, SS_CELL_SLIP_MINUS},
  };
  if (mode < SSI_OPEN) return 0;
  int count = 0;
  for (int k = 0; k < 3; k++)
    if (table[mode][k] >= 0) children[count++] = table[mode][k];
  return count;
}

// ---- proving that a node of the tree holds no solution -----------------------------------------

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
