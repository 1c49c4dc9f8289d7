// analysis/trace/pattern.h - the equations and inequalities of one pattern of contact states.
//
// With the states s of the contacts the unknowns r (m) solve A_s(p) r + c_s(p) = 0, two rows per contact:
//
//   free    r_N = 0, r_T = 0                         gaps  u_N
//   stick   u_N = 0, u_T = 0                               mu r_N - r_T,  mu r_N + r_T,  r_N
//   slip d  u_N = 0, r_T + d mu r_N = 0   (d = +-1)        r_N,  d u_T
//
// and a solution of the problem has no negative gap.
#pragma once

#include "analysis/trace/family.h"

typedef struct ssi_pattern {  // room for the linear algebra of patterns
  int n, m;
  double *A, *c;   // row-major (m m), (m)
  double *lu;      // (m m)
  double *U, *Vt;  // singular vectors   (m m) each
  double *sigma;   // (m)
  double *work;    // (m m + 10 m)
  double *v;       // (m)
  int *pivot;      // (8 m)
  // Which contacts hang together (base/sets.h; each points at its first): the determinant is a product over them. NULL: all
  // do.   (n)
  const int *leader;
} ssi_pattern;

bool ssi_pattern_take(ssi_arena *arena, int n, ssi_pattern *out);

// The solution at fixed p. false: singular to rounding.
typedef struct ssi_pattern_answer {
  uint64_t
      negative;  // bit i: the determinant of the contacts that hang together, of which i is the first, is
  double condition;  // an estimate of 1/cond
} ssi_pattern_answer;
bool ssi_pattern_solve(ssi_pattern *w, const ssi_family_data *d, const ss_cell_state *states,
                       double *r, double *u, ssi_pattern_answer *out);
// A_s x = b with the factors of the last ssi_pattern_solve; x may be b.
void ssi_pattern_resolve(ssi_pattern *w, const double *b, double *x);

// dA/dp r + dc/dp   (m)
void ssi_pattern_change(const ssi_family_data *rate, int n, const ss_cell_state *states,
                        const double *r, double *out);

// Dimension of the kernel of A_s: singular values below tol times the largest. k (m): the direction of the smallest,
// w (m): the row with w^T A_s = 0.
int ssi_pattern_kernel(ssi_pattern *w, const ssi_family_data *d, const ss_cell_state *states,
                       double tol, double *k, double *left);

// After ssi_pattern_kernel: moves r onto the solutions of A_s r + c_s = 0 (as near as they come), orthogonally to the
// last `corank` singular vectors.
void ssi_pattern_project(ssi_pattern *w, int corank, double *r);
// Singular vectors of A_s after ssi_pattern_kernel, the smallest first: A_s k = sigma w.   (m)
void ssi_pattern_vectors(const ssi_pattern *w, int index, double *k, double *left);

// u = W r + q, and what the states say to be zero is.
void ssi_pattern_velocity(const ssi_family_data *d, int n, const ss_cell_state *states,
                          const double *r, double *u);
// du = W dr + (dW r + dq); rate may be NULL.
void ssi_pattern_velocity_rate(const ssi_family_data *d, const ssi_family_data *rate, int n,
                               const ss_cell_state *states, const double *r, const double *dr,
                               double *du);

int ssi_gap_count(ss_cell_state s);
double ssi_gap(ss_cell_state s, int k, double mu, const double *u, const double *r);
// Its rate, where mu and r are the present ones.
double ssi_gap_rate(ss_cell_state s, int k, double mu, double dmu, const double *r,
                    const double *du, const double *dr);
// The smallest of all contacts.
double ssi_gap_least(const ssi_family_data *d, int n, const ss_cell_state *states, const double *u,
                     const double *r);
