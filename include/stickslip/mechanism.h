// stickslip/mechanism.h - a system of few degrees of freedom with contacts, given by functions.
//
//   q' = T(q) v,     M(q) v' = F(t, q, v) + H^T r + G^T l,     g' = H v + w,     g'' = H v' + b           (1)
//                    Phi(t, q) = 0,     Phi' = G v + y,     Phi'' = G v' + c                              (2)
//
// q: coordinates (nq), v: velocities (nv), r: contact forces in contact frames, normal first (dim each),
// g_N: gaps, which must not become negative. F holds everything that is not a contact force: loads, springs,
// and what inertia adds where M or T depend on q. External objects that move are in w and b, those that joints Phi
// hang on in y and c.
//
// All functions are called with the same `user`; they return SS_OK, or an error that ends the run. Matrices are
// row-major. Whatever they are asked, they must give the same answer to the same question.
#pragma once

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_mechanism {
  const char *name;
  int dim;  // 2 or 3
  int nq, nv, nc;
  const double *mu;           // (nc)
  const double *mu_static;    // limit of a contact that sticks; NULL: mu     (nc)
  const double *restitution;  // Newton's e in [0, 1]; NULL: 0        (nc)
  void *user;

  ss_error (*mass)(void *user, double t, const double *q,
                   double *M);  // symmetric, definite (nv x nv)
  bool mass_varies;             // with t or q
  ss_error (*force)(void *user, double t, const double *q, const double *v, double *F);  // (nv)
  ss_error (*rate)(void *user, double t, const double *q, const double *v,
                   double *dq);  // T v (nq); NULL: v, nq = nv
  ss_error (*gap)(void *user, double t, const double *q, double *gap);  // (nc)
  // H (dim nc x nv) and w (dim nc), zero on entry
  ss_error (*frames)(void *user, double t, const double *q, double *H, double *w);
  // b (dim nc), zero on entry; NULL: zero
  ss_error (*drift)(void *user, double t, const double *q, const double *v, double *b);
  // Joints. Phi (nl), G (nl x nv) and y (nl); zero on entry
  int nl;
  ss_error (*joints)(void *user, double t, const double *q, double *Phi, double *G, double *y);
  // c (nl), zero on entry; NULL: zero
  ss_error (*joint_drift)(void *user, double t, const double *q, const double *v, double *c);
  // Times, increasing, at which F jumps, or w, y, b, c: a load that is switched on, a motion that begins. What functions
  // give at such a time holds from then on. NULL: none. The schemes that step do not look at them.
  const double *breaks;
  int break_count;
  // Coordinates that say the same better: quaternions of length 1. After each step; NULL: none are.
  void (*normalise)(void *user, double *q);
  // Where the forces have a potential: its energy. NULL: none.
  ss_error (*potential)(void *user, double t, const double *q, double *energy);

  const char *const *coordinate;  // names, for reports; NULL: q0, q1, ...      (nq)
  const char *const *contact;     // NULL: 0, 1, ...                            (nc)
} ss_mechanism;

#ifdef __cplusplus
}
#endif
