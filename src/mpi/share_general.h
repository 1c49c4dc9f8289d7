// mpi/share_general.h - what is no set of rigid bodies on several processes: a general symmetric positive definite M
// (elastic bodies), bilateral constraints, or both.
//
//   M v + f = H^T r + G l,   G^T v + b = 0,   u = H v + w
//
// Rows of M and G belong to ranks in even shares of dofs, joints (bilateral constraints) in even shares of their own;
// domains have rows of H and copies of the velocities they touch. M is factored by MUMPS. With joints, systems
//
//   [ K    G ] [  v ]   [ a ]
//   [ G^T  0 ] [ -l ] = [ c ]                                                                     (1)
//
// are solved by GMRES with the factors of (1) with -delta in place of 0, delta_j = 1e-8 sum_i G_ij^2 / K_ii: quasi-definite,
// so that it has factors whatever the rank of G. Redundant joints that agree cost some iterations; joints that
// contradict each other leave a residual, which is said.
#pragma once

#include <petscksp.h>

#include "la/dd.h"
#include "mpi/share_forest.h"
#include "mpi/share_rows.h"

typedef struct share_saddle {  // (1), or K alone where there are no joints
  Mat A, P;
  KSP ksp;
  Vec right, left;
} share_saddle;

struct share_general {
  share *s;
  int64_t joints, first_joint, own_joints;
  double *b;        // (own_joints)
  double *l;        // multipliers that belong to s->r              (own_joints)
  bool l_known;     // else the verdict finds them
  share_entry *G;   // rows of the even share of dofs
  int64_t *G_ptr;   // (own_dofs + 1)
  bool asymmetric;  // M, by rounding: LU in place of LDL^T

  Mat M;
  share_saddle held;  // (1) with K = M
  KSP mass;           // M alone

  share_copies copies;
  share_rows rows;  // of M
  PetscSF named;    // leaves: joints that rows of G name
  int *joint;       // of each entry of G: leaf
  int named_count;
  int64_t *name;  // joint of each leaf                         (named_count)

  ssi_dd *v;    // the motion last found                            (own_dofs)
  ssi_dd *gap;  // G^T v + b                                        (own_joints)
};

// After the domains have met. SS_ERR_DATA where M is not positive definite. Collective, as all that follows.
ss_error share_general_create(share *s, share_source *from);
void share_general_destroy(share_general *g);

// Whether M is block-diagonal, with blocks of at most 6 (la/diagonal.c).
bool share_is_rigid(const share *s);

ss_error share_general_lambda(share_general *g);  // of every contact, from W_ii
ss_error share_general_solve_mass(const share_general *g, double *x);  // x = M^-1 x   (own_dofs)

// LDL^T, or LU, of P by MUMPS; GMRES over it where A is another matrix.
PetscErrorCode share_general_solver(const share_general *g, Mat A, Mat P, bool symmetric, KSP *out);

ss_error share_petsc_failed(const ranks *c, PetscErrorCode e, const char *what);

// [K G; G^T 0], and its solution; c NULL: zero. l NULL: not wanted. SS_ERR_LINEAR.
ss_error share_saddle_create(share_general *g, Mat K, share_saddle *out);
ss_error share_saddle_solve(const share_general *g, share_saddle *x, const double *a,
                            const double *c, double *v, double *l);
void share_saddle_destroy(share_saddle *x);

// Plain arithmetic: v and l of given impulses (own_dofs), f and b included, and H v + w of all contacts of this rank.
ss_error share_general_follow(share_general *g, const double *impulse, double *v, double *l);
void share_general_velocities(share_general *g, const double *v, double *u);

// v and gap in double-double, of impulses H^T r (own_dofs; NULL: none) and multipliers l (own_joints; NULL: none).
ss_error share_general_move(share_general *g, const ssi_dd *impulse, const double *l);

// g->l such that the joints hold, from impulses, after which v and gap are those of it.
ss_error share_general_hold(share_general *g, const ssi_dd *impulse);

// Numbers of own joints, of all of them on every rank   (joints)
void share_general_all_joints(const share_general *g, const double *own, double *all);

// y = |v| + |M^-1 (|M| |v| + |f|)| of problem/load.c (1) for g->v   (own_dofs)
ss_error share_general_doubts(share_general *g, double *y);
// |b| + |G^T| y   (own_joints)
void share_general_joint_terms(const share_general *g, const double *y, double *terms);

// Labels (least contact numbers) of the dofs of all copies, handed on through M and joints; those of own joints.
// True when anything changed.
bool share_general_spread(share_general *g, double *dof_label, double *joint_label, double *copies);
