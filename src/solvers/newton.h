// solvers/newton.h - proximal semismooth Newton as a part for other methods: give it a system and an
// r near a solution, get steps. newton.c says what it does.
//
//   ssi_newton_create (once) -> ssi_newton_begin (each start) -> ssi_newton_step ... -> release
#pragma once

#include "cone/jacobian.h"
#include "la/lu.h"
#include "problem/body_matrix.h"
#include "solvers/method.h"

enum { SSI_NEWTON_MEMORY = 16 };  // errors remembered, to see circles

typedef enum ssi_newton_space {
  SSI_NEWTON_AUTO,    // whichever matrix should cost less
  SSI_NEWTON_BLOCKS,  // unknown dr of the active contacts, blocks of W
  SSI_NEWTON_BODIES,  // unknown dv, one matrix in the pattern of M + H^T H
} ssi_newton_space;

typedef struct ssi_newton_options {
  ssi_map map;
  ssi_newton_space space;
  double alpha;      // proximal weight over the error
  double sigma;      // its lower bound is sqrt(eps sigma/error)
  double rho;        // lambda of the map over lambda_max
  int watchdog;      // steps without progress before going back
  int retries;       // times of going back before giving up
  double max_flops;  // of a factorisation by bodies; SS_ERR_METHOD where it takes more
} ssi_newton_options;

typedef struct ssi_newton {
  ssi_newton_options o;
  bool bodies;
  ssi_lu lu;                  // blocks
  ssi_body_matrix by_bodies;  // bodies
  ssi_linear *linear;         // of each contact at r              (nc)
  ssi_region *region;         //                                   (nc)
  int *place;                 // row of an active contact, else -1, of the last analysis   (nc)
  double *lambda;             // of the map                        (nc)
  double *r, *u;              // the iterate and its velocity      (m)
  double *best;               //                                   (m)
  double *rhs, *dx;           // (m or ndof)
  double *dr;                 // (m)
  double *F;                  // right-hand side, by contacts      (m)
  double *K, *G;              // bodies: of each contact, newton_linear.c (3)
  double past[SSI_NEWTON_MEMORY];
  double error, best_error;
  double boost;  // of alpha
  int idle;      // steps since the best
  int returns;   // to the best since the last progress
  int factorisations, active;
  int64_t entries;  // of the matrix with all contacts active
} ssi_newton;

ssi_newton_options ssi_newton_options_default(void);

// Memory from the arena, except UMFPACK's: call ssi_newton_release even when this fails.
ss_error ssi_newton_create(ssi_newton *n, ssi_system *sys, const ssi_newton_options *o,
                           ssi_arena *arena);
void ssi_newton_release(ssi_newton *n);
void ssi_newton_renew(ssi_newton *n, ssi_system *sys);  // new numbers in the matrices
void ssi_newton_refresh(ssi_newton *n);                 // new vectors

// n->error is then the error (docs/theory.md (7)) of r.
void ssi_newton_begin(ssi_newton *n, ssi_system *sys, const double *r);

// One factorisation. r <- the new iterate, whose error is n->error; SSI_STALLED: r is the best one.
ssi_verdict ssi_newton_step(ssi_newton *n, ssi_system *sys, double *r);

// newton_linear.c: the two ways to dr. SS_ERR_LINEAR: singular.
ss_error ssi_newton_linear_create(ssi_newton *n, ssi_system *sys, ssi_arena *arena);
ss_error ssi_newton_direction(ssi_newton *n, ssi_system *sys, double alpha);

// What a factorisation takes, as ssi_newton_create has found out; also where it refused for that reason.
typedef enum ssi_newton_kind {
  SSI_NEWTON_BODY_LU,   // dv, in blocks of the bodies
  SSI_NEWTON_DENSE_LU,  // dr, LAPACK
  SSI_NEWTON_FIXED_LU,  // dr, la/fixed.h
  SSI_NEWTON_UMFPACK,   // dr
} ssi_newton_kind;

typedef struct ssi_newton_work {
  ssi_newton_kind kind;
  double entries, flops;  // flops 0: not counted
  bool by_bodies;         // a matrix by bodies can be factored, used or not,
  double body_flops;      // which takes that many
} ssi_newton_work;

ssi_newton_work ssi_newton_work_of(const ssi_newton *n, const ssi_system *sys);

// ---- the method ----------------------------------------------------------------------------

// The options above as the method has them, and those of its sweeps.
typedef struct ssi_newton_settings {
  double map, space, alpha, sigma, rho, watchdog, retries;
  double warmup;        // sweeps at most, each time; 0: none, from the guess
  double warmup_error;  // error at which sweeping ends
  double rounds;        // times of sweeping before giving up
} ssi_newton_settings;

extern const ssi_method ssi_method_newton;
