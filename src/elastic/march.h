// elastic/march.h - inner parts of stickslip/structure.h.
//
// One step has an unknown x (velocities, or displacements at position level) with
//
//   A x + fhat = H^T p,     uhat = H x + what,     (uhat, p) in C(mu),     A = a M + b C + c K          (2)
//
//              a    b        c            fhat                                             what
//   velocity   0    1        h            K q_k - f                                        w
//   position   0    1/h      1            -C q_k/h - f                                     b - (I - e e^T) g_k
//   moreau     1    h theta  (h theta)^2  -M v_k + h (C (1-theta) v_k
//                                           + K (q_k + h theta (1-theta) v_k) - f_theta)     w + (g_N,k/h) e
//
// p is a force, of moreau an impulse. Rows of prescribed degrees of freedom drop out, their columns go to
// the right: with x_d known, A_ff x_f + (fhat + A x_d)_f = H_f^T p and uhat = H_f x_f + what + H x_d.
#pragma once

#include "base/arena.h"
#include "la/factor.h"
#include "stickslip/structure.h"

typedef struct ssi_weights {  // of (2)
  double a, b, c;
} ssi_weights;

// What is known at one time.
typedef struct ssi_moment {
  double t;
  double *f;  // (ndof)
  double *d;  // prescribed displacements, 0 elsewhere   (ndof)
  double *b;  // (dim nc)
} ssi_moment;

typedef struct ssi_march_state {
  int64_t step;
  ssi_moment at;
  double *q, *v;        // (ndof)
  double *r, *u, *gap;  // r: forces     (dim nc)
  ss_state *states;     // (nc)
  double *support;      // (ndof)
  ss_march_energy energy;
  double largest;  // term of the balance so far
} ssi_march_state;

struct ss_march {
  ss_context *ctx;
  ssi_arena arena;  // all below but what has one of its own
  ss_structure s;   // the caller's arrays
  ss_march_options o;
  int m, nfree;
  const int *free;    // place among the free ones, or -1     (ndof)
  const int *dof;     // the other way                        (nfree)
  const bool *given;  // prescribed                           (ndof)
  ssi_march_state now, next;

  ss_sparse A;  // A_ff                                 (nfree x nfree)
  ssi_factor *factor;
  ssi_arena for_H;      // the next three, made anew where H changes
  ss_sparse H;          // all degrees of freedom
  ss_problem all;       // (2), every contact; f and what are filled by each step
  ss_problem *reduced;  // condensed onto the contacts: W; its q is filled by each step

  ssi_arena for_step;
  ss_problem problem;             // the contacts that count in this step, (M, H) form
  ss_problem small;               // the same, reduced
  int *active;                    // their numbers                        (nc)
  double *x, *p, *uhat;           // the answer: x of all dofs; p, uhat of all contacts
  double *p_active;               // of those that count: guess and answer
  double *full1, *full2, *free1;  // scratch                   (ndof), (ndof), (nfree)
  ss_solver *solver;
  ss_march_info info;
  const char *end;
  bool solved_one;  // `problem` is there
};

// history.c
void ssi_terms_at(const ss_history_term *terms, int count, int length, double t, double *out);
void ssi_prescribed_at(const ss_structure *s, double t, double *out);

// structure_check.c: sizes, indices, finite numbers.
ss_error ssi_structure_check(ss_context *ctx, const ss_structure *s);

// restrict.c
bool ssi_free_dofs(ssi_arena *arena, const ss_structure *s, const int **place, const int **dof,
                   const bool **given, int *count);
// Rows and columns of the free ones of a M + b C + c K; rows as they are and columns of the free ones of H.
bool ssi_restrict_sum(ssi_arena *arena, const ss_structure *s, ssi_weights w, const int *place,
                      int count, ss_sparse *out);
bool ssi_restrict_columns(ssi_arena *arena, const ss_sparse *H, const int *place, int count,
                          ss_sparse *out);
bool ssi_H_at(ssi_arena *arena, const ss_structure *s, double t,
              ss_sparse *out);  // (dim nc x ndof)

// A factor of A_ff, or a message that names the part or the row that nothing holds.
ss_error ssi_factor_held(ss_context *ctx, const ss_structure *s, const ss_sparse *A, const int *dof,
                         const char *what, ssi_factor **out);

ss_error ssi_march_at(ss_march *m, double t);  // next.at, and (2) for the step to it; march.c

// march_problem.c
ssi_weights ssi_march_weights(const ss_march_options *o);
// march_condense.c
ss_error ssi_march_condense(ss_march *m, double t);  // all, reduced
ss_error ssi_march_pose(ss_march *m);                // (2) for the step to next.at
// march_solve.c: p, uhat, x, info
ss_error ssi_march_solve(ss_march *m);
// march_energy.c
void ssi_march_account(ss_march *m);  // support forces and energies of next
double ssi_march_elastic(const ss_march *m, const double *q);
double ssi_march_kinetic(const ss_march *m, const double *v);
