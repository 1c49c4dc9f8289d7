// problem/system.h - what a method works on: u = W r + q with nothing else left, M and the bilateral
// part eliminated; W as blocks, or as bodies, or both, made when a method asks for it.
#pragma once

#include "problem/bilateral.h"
#include "problem/bodies.h"
#include "problem/load.h"
#include "stickslip/solver.h"

typedef struct ssi_system {
  ss_context *ctx;
  ssi_arena home;        // this struct
  ssi_arena arena;       // what follows
  ssi_arena for_blocks;  // W, where it is made from bodies
  ss_problem p;          // the caller's arrays
  int dim, nc, m;
  int threads;         // at least 1
  double *q;           // (m)
  double *lambda_max;  // of the symmetric part of the metric; mean of the others where 0   (nc)
  double norm_q;
  ssi_components components;
  ssi_load_scale load;   // what the data can tell of q
  double tol;            // what the caller asks for, for methods that plan ahead
  ss_measure measure;    // and what it bounds
  const double *diag;    // W_ii, row-major                                        (nc dim^2)
  const double *metric;  // W_ii before the bilateral part is eliminated, docs/theory.md (6)
  ssi_delassus W;        // W.ptr == NULL until ssi_system_need_blocks
  bool keep_blocks;      // ssi_system_renew refills a W made from bodies; else it is dropped
  ssi_bodies bodies;     // bodies.at == NULL unless M is block-diagonal and nl = 0
  double *v_free;        // velocity without reactions, with bodies   (ndof)
  double *v;             // scratch, with bodies                      (ndof)
  double *terms;         // scratch, global form                      (ndof + nl)
  double *parts;         // sums over parts of the contacts           (2 ssi_system_parts)
  double *squares;       // of what each contact leaves of the law, and of its u   (2 nc)

  // of ss_options; NULL: none
  int (*stop)(void *user);        // for loops inside a step
  ss_doubt (*doubt)(void *user);  // for what plans its work
  void *user;

  ssi_factor *mass;         // global form
  ss_problem *reduced;      // owned; where W was made from a general M or with bilateral parts
  ssi_bilateral bilateral;  // nl > 0
} ssi_system;

// p must have passed ssi_problem_check_data. Threads: as many as given, at least 1, or 1.
ss_error ssi_system_create(ss_context *ctx, const ss_problem *p, ssi_system **out);
ss_error ssi_system_create_for(ss_context *ctx, const ss_problem *p, int threads, ssi_system **out);
void ssi_system_destroy(ssi_system *s);  // NULL allowed

// New q, s or f, w, b and mu; same matrices.
ss_error ssi_system_update(ssi_system *s, const ss_problem *p);

// New numbers in the matrices too, same patterns: the same bits as a new system. *moved: arrays of the
// system have new addresses or sizes, and a method that keeps any of that must be set up again; *s
// itself and s->mass stay where they are. After an error only destroy may follow.
ss_error ssi_system_renew(ssi_system *s, const ss_problem *p, bool *moved);

ss_error ssi_system_need_blocks(ssi_system *s);  // makes s->W
bool ssi_system_has_bodies(const ssi_system *s);

static inline bool ssi_system_stopped(const ssi_system *s) {
  return s->stop && s->stop(s->user);
}

// Takes over what a caller hears and is asked.
static inline void ssi_system_listen(ssi_system *s, const ssi_system *other) {
  s->stop = other->stop, s->doubt = other->doubt, s->user = other->user;
}

int ssi_system_parts(const ssi_system *s);  // fixed blocks that sums are taken over
double ssi_system_norm(const ssi_system *s, const double *x);         // |x|, no overflow   (m)
void ssi_system_velocity(ssi_system *s, const double *r, double *u);  // u = W r + q
void ssi_system_free_to(ssi_system *s, const double *r, double *v);  // v = M^-1 (H^T r - f); bodies

// error and error_fclib of (u, r) in plain arithmetic, docs/theory.md (7), (8).
void ssi_system_measure(const ssi_system *s, const double *r, const double *u, double *error,
                        double *error_fclib);
