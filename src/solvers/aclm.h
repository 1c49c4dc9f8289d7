// solvers/aclm.h - the convex program inside the fixed point of [ACLM11], and the solvers of it.
//
//     min  1/2 r.W r + (q + mu s e).r,   r ∈ K,      s >= 0 given              [ACLM11, (4.7)]   (1)
//
// with g = W r + q + mu s e the optimality conditions are K* ∋ g ⊥ r ∈ K, docs/theory.md (4) with s
// in the place of |u_T|. Where W is not symmetric these conditions, not the minimum, are what is
// solved.
#pragma once

#include "solvers/method.h"

typedef struct ssi_convex {
  ssi_system *sys;  // with blocks of W
  const double *s;  // (nc)
  double scale;     // velocity that errors are relative to
  double tol;       // wanted error, of ssi_convex_error
  int max_iter;     // of the inner method
  bool paper;       // tol bounds the paper's own test instead, ssi_convex_done
  int facets;       // of the first polyhedral cone, where one is used
} ssi_convex;

typedef struct ssi_inner {
  const char *name;
  // The state lives in the arena. setup asks for all its memory; what depends on W is computed here.
  ss_error (*setup)(void **state, const ssi_convex *p, ssi_arena *arena);
  // Improves r until the error is below p->tol; g (m) is set to that of the r returned.
  void (*solve)(void *state, const ssi_convex *p, double *r, double *g);
  void (*release)(void *state);  // what does not live in the arena; may be NULL
} ssi_inner;

extern const ssi_inner ssi_inner_pg, ssi_inner_apg, ssi_inner_facet, ssi_inner_sqp, ssi_inner_ipm,
    ssi_inner_polyhedral, ssi_inner_socp;

// g = W r + q + mu s e
void ssi_convex_gradient(const ssi_convex *p, const double *r, double *g);

// | lambda (r - P_K(r - g / lambda)) | / scale: zero exactly at the solutions of (1).
double ssi_convex_error(const ssi_convex *p, const double *r, const double *g);

// p->tol, but not below what rounding allows at this r.
double ssi_convex_reachable(const ssi_convex *p, const double *r);

// Whether r is good enough: the error is below ssi_convex_reachable; or, with p->paper,
//   | P_K(r - g) - r | / (|r| + 1) / nc <= tol                                    [ACLM11, 6], in the units of the problem
bool ssi_convex_done(const ssi_convex *p, const double *r, const double *g);

// The largest eigenvalue of sym(W), from below, by power iteration. x, y: scratch (m).
double ssi_convex_spectral_radius(const ssi_convex *p, double *x, double *y);

// ---- Newton's step for s = F(s), aclm_newton.c -------------------------------------------------

typedef struct ssi_aclm_newton ssi_aclm_newton;

ss_error ssi_aclm_newton_setup(ssi_aclm_newton **out, ssi_system *sys, ssi_arena *arena);
// next = s + the Newton step at (r, g), where F(s) = |g_T|. false: the matrix is singular.
bool ssi_aclm_newton_step(ssi_aclm_newton *n, ssi_system *sys, const double *r, const double *g,
                          const double *s, double damping, double *next);
void ssi_aclm_newton_release(ssi_aclm_newton *n);  // NULL allowed

// ---- the method ----------------------------------------------------------------------------

typedef enum ssi_outer_kind {
  SSI_OUTER_PICARD,
  SSI_OUTER_ANDERSON,
  SSI_OUTER_NEWTON
} ssi_outer_kind;

typedef enum ssi_inner_kind {
  SSI_INNER_PG,
  SSI_INNER_APG,
  SSI_INNER_FACET,
  SSI_INNER_SQP,
  SSI_INNER_IPM,
  SSI_INNER_POLYHEDRAL,
  SSI_INNER_SOCP,
  SSI_INNERS
} ssi_inner_kind;

typedef enum ssi_inner_stop { SSI_INNER_STOP_ERROR, SSI_INNER_STOP_PAPER } ssi_inner_stop;

typedef struct ssi_aclm_options {
  double outer;       // ssi_outer_kind
  double inner;       // ssi_inner_kind
  double inner_tol;   // relative error of the inner problems; 0: follows the change of s
  double inner_max;   // iterations of one inner problem
  double facets;      // of the first polyhedral cone
  double memory;      // steps that anderson combines
  double stop;        // of the paper's own stopping test; 0: none
  double inner_stop;  // ssi_inner_stop
  double programs;    // convex programs at most; 0: no limit
} ssi_aclm_options;

extern const ssi_method ssi_method_aclm;
