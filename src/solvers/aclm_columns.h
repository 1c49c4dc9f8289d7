// solvers/aclm_columns.h - the convex program of aclm on a polyhedral cone given by its columns:
//
//     r_i = sum_j x_j a_j,  x_j >= 0 (or free),  a_j unit vectors of contact i                   (1)
//     min  1/2 r.(W + B) r + b.r                                                                 (2)
//
// a quadratic program with bounds, la/qp.h. B has one symmetric block per contact.
#pragma once

#include "la/qp.h"
#include "solvers/aclm.h"

typedef struct ssi_columns {
  const ssi_convex *p;
  int room;       // columns per contact at most
  int *first;     // of each contact                     (nc + 1)
  double *a;      // columns, dim numbers each           (dim room nc)
  double *x;      // (1)                                 (room nc)
  bool *bounded;  //                                     (room nc)
  double *h;      // 1/sqrt(curvature)                  (room nc)
  double *b;      // a_j.b of (2)                        (room nc)
  double *B;      // row-major; NULL: none               (dim^2 nc)
  double *r, *u;  // scratch                             (m)
  ssi_qp qp;
} ssi_columns;

ss_error ssi_columns_take(ssi_columns *c, const ssi_convex *p, int room, bool blocks,
                          ssi_arena *arena);

// Fill the columns contact by contact: start, then add for contact 0, 1, ..., closing each.
static inline void ssi_columns_start(ssi_columns *c) {
  c->first[0] = c->qp.n = 0;
}
// curvature: of W_ii + B along a, about.
void ssi_columns_add(ssi_columns *c, const double *a, double curvature, bool bounded, double x);
static inline void ssi_columns_close(ssi_columns *c, int i) {
  c->first[i + 1] = c->qp.n;
}

// The exact cone of contact i where it is polyhedral (2D, or mu = 0), with x such that r_i of (1) is
// r. false: it is not.
bool ssi_columns_exact(ssi_columns *c, int i, const double *r);

// Solves (2) with linear term `linear` (m), from x; writes r (m). tol as in ssi_convex. Returns the
// products with W it took.
int ssi_columns_solve(ssi_columns *c, const double *linear, double tol, int max_iter, double *r);
