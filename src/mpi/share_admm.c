// With D = rho Lambda and w = sqrt(Lambda) times that of solvers/admm.c (3), so that SNES sums squares in its metric:
//
//     y = P_K(w),   (M + H^T D^-1 H) v = H^T D^-1 b,   r = D^-1 (b - H v),   b = D (2 y - w) - q - mu s e
//     F(w) = y - r = 0                                                                                 (1)
//
// with s of (4) there. SNESANDERSON(15) takes w - F(w) for its map. The matrix is factored once, by MUMPS where
// PETSc has it, else by conjugate gradients with hypre or Jacobi to 1e-10: at 1e-7 walls do not come below 1e-4.
//
// PETSc adds over ranks in an order of its own: here, unlike in sweeps, the last bits depend on their number.
#include "mpi/share_admm.h"

#include <limits.h>
#include <math.h>
#include <petscsnes.h>
#include <stdlib.h>
#include <string.h>

#include "cone/friction.h"
#include "mpi/share_general.h"
#include "mpi/share_matrix.h"

struct share_admm {
  share *s;
  double rho;
  Mat Hs, K;    // D^-1/2 H; M + H^T D^-1 H
  Vec t, g, v;  // of contacts, of dofs
  KSP ksp;
  double *q, *b;        // (dim nc)
  share_saddle saddle;  // in place of ksp where bodies are not rigid
  double *free_l,
      *own;  // multipliers without reactions (own joints); of the even shares: right side, v, l
  share_admm_ask *ask;
  void *user;
  int evaluations, most;
  bool over, broken;
  ss_error failed;
};

static double weight_of(const share_admm *a, const share_domain *d, int i) {  // of D^1/2
  return sqrt(a->rho * d->lambda[i]);
}

// ---- set-up --------------------------------------------------------------------------------

static PetscErrorCode make_rows(share_admm *a) {
  share *s = a->s;
  int64_t count = 0, first = s->dim * s->first_contact;
  for (int k = 0; k < s->count; k++) {  // at most
    const share_domain *d = &s->domain[k];
    count += s->rigid ? s->dim * d->sweep.bodies.at[d->p.nc] : d->p.H.ptr[s->dim * d->p.nc];
  }
  share_triplets t = share_triplets_take(s->c, count);
  for (int k = 0; k < s->count; k++) {
    share_domain *d = &s->domain[k];
    int64_t base = first + (d->r - s->r);
    if (share_domain_rows(s, d)) ranks_die(s->c, 4, "out of memory for rows of H");
    for (int i = 0; i < s->dim * d->p.nc; i++)
      for (int64_t e = d->p.H.ptr[i]; e < d->p.H.ptr[i + 1]; e++)
        share_triplets_put(&t, base + i, d->dof[d->p.H.col[e]],
                           d->p.H.x[e] / weight_of(a, d, i / s->dim));
  }
  share_matrix_size size = {s->dim * s->nc, s->own_dofs, s->dim * s->contacts, s->dofs};
  PetscErrorCode e = share_matrix(s->c, size, &t, &a->Hs);
  share_triplets_release(&t);
  return e;
}

static PetscErrorCode make_solver(share_admm *a) {
  PC pc;
  PetscCall(KSPCreate(a->s->c->comm, &a->ksp));
  PetscCall(KSPSetOperators(a->ksp, a->K, a->K));
  PetscCall(KSPGetPC(a->ksp, &pc));
  PetscCall(KSPSetTolerances(a->ksp, 1e-10, 1e-300, PETSC_DEFAULT, 2000));
#ifdef PETSC_HAVE_MUMPS
  PetscCall(KSPSetType(a->ksp, KSPPREONLY));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
#elif defined(PETSC_HAVE_HYPRE)
  PetscCall(KSPSetType(a->ksp, KSPCG));
  PetscCall(PCSetType(pc, PCHYPRE));
#else
  PetscCall(KSPSetType(a->ksp, KSPCG));
  PetscCall(PCSetType(pc, PCJACOBI));
#endif
  PetscCall(KSPSetFromOptions(a->ksp));
  return KSPSetUp(a->ksp);
}

static PetscErrorCode set_up(share_admm *a) {
  Mat M;
  PetscCall(make_rows(a));
  PetscCall(share_mass_matrix(a->s, &M));
  PetscCall(MatTransposeMatMult(a->Hs, a->Hs, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &a->K));
  PetscCall(MatAXPY(a->K, 1, M, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&M));
  PetscCall(MatCreateVecs(a->Hs, &a->g, &a->t));
  PetscCall(VecDuplicate(a->g, &a->v));
  if (!a->s->rigid) return share_saddle_create(a->s->general, a->K, &a->saddle) ? PETSC_ERR_LIB : 0;
  PetscCall(MatSetOption(a->K, MAT_SPD, PETSC_TRUE));
  return make_solver(a);
}

// The same, with the velocities that joints leave and their multipliers.
static ss_error find_general_load(share_admm *a, double *norm_q) {
  share *s = a->s;
  share_general *g = s->general;
  int64_t n = s->own_dofs;
  a->free_l = RANKS_TAKE(s->c, g->own_joints, double);
  a->own = RANKS_TAKE(s->c, n + g->own_joints, double);
  SS_TRY(share_general_follow(g, NULL, a->own, a->free_l));
  share_general_velocities(g, a->own, a->q);
  double square = 0;
  for (int64_t k = 0; k < s->dim * s->nc; k++) square += a->q[k] * a->q[k];
  MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_SUM, s->c->comm);
  *norm_q = sqrt(square);
  return SS_OK;
}

// u of the guess s->r into s->u
static ss_error find_first_velocities(share_admm *a) {
  share *s = a->s;
  share_general *g = s->general;
  double *copies = RANKS_TAKE(s->c, g->copy_first[s->count], double);
  double *impulse = RANKS_TAKE(s->c, 2 * s->own_dofs, double);
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    for (int i = 0; i < s->dim * d->p.nc; i++)
      for (int64_t e = d->p.H.ptr[i]; e < d->p.H.ptr[i + 1]; e++)
        copies[g->copy_first[k] + d->p.H.col[e]] += d->p.H.x[e] * d->r[i];
  }
  share_bring_in(s->c, g->copies, MPI_SUM, copies, impulse);
  ss_error e = share_general_follow(g, impulse, impulse + s->own_dofs, g->l);
  if (!e) share_general_velocities(g, impulse + s->own_dofs, s->u);
  free(copies);
  free(impulse);
  return e;
}

// q = H v_free + w, in the order of contacts
static void find_load(share_admm *a) {
  share *s = a->s;
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    double *q = a->q + (d->r - s->r);
    memcpy(q, d->p.w, sizeof *q * (size_t)(s->dim * d->p.nc));
    for (int i = 0; i < d->p.nc; i++)
      ssi_bodies_velocity(&d->sweep.bodies, i, d->v_free, q + s->dim * i);
  }
}

// ---- the map -------------------------------------------------------------------------------

// y into F, b, and D^-1/2 b into t
static void project(share_admm *a, const double *w, double *F, double *t) {
  share *s = a->s;
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    for (int i = 0; i < d->p.nc; i++) {
      int64_t at = (d->r - s->r) + s->dim * i;
      double root = sqrt(d->lambda[i]), D = a->rho * d->lambda[i], mu = d->p.mu[i];
      double y[3] = {0}, xi[3] = {0};
      for (int j = 0; j < s->dim; j++) y[j] = w[at + j] / root;
      ssi_project(s->dim, mu, y);
      for (int j = 0; j < s->dim; j++) {
        xi[j] = w[at + j] / root - y[j];
        a->b[at + j] = D * (y[j] - xi[j]) - a->q[at + j];
        F[at + j] = y[j];
      }
      a->b[at] -= mu * (D * ssi_tangent_norm(s->dim, xi));
      for (int j = 0; j < s->dim; j++) t[at + j] = a->b[at + j] / sqrt(D);
    }
  }
}

// r = D^-1/2 (D^-1/2 b - t), F = sqrt(lambda) (y - r)
static void finish(share_admm *a, const double *t, double *F) {
  share *s = a->s;
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    for (int i = 0; i < d->p.nc; i++)
      for (int j = 0; j < s->dim; j++) {
        int64_t at = (d->r - s->r) + s->dim * i + j;
        double root = weight_of(a, d, i);
        s->r[at] = (a->b[at] / root - t[at]) / root;
        F[at] = sqrt(d->lambda[i]) * (F[at] - s->r[at]);
      }
  }
}

// v of (1); with joints, G^T v = 0 and their multipliers.
static PetscErrorCode solve_step(share_admm *a) {
  if (a->s->rigid) {
    KSPConvergedReason reason;
    PetscCall(KSPSolve(a->ksp, a->g, a->v));
    PetscCall(KSPGetConvergedReason(a->ksp, &reason));
    if (reason < 0) a->broken = true;
    return 0;
  }
  share_general *g = a->s->general;
  double *l = a->own + a->s->own_dofs, *v;
  const double *right;
  PetscCall(VecGetArrayRead(a->g, &right));
  PetscCall(VecGetArray(a->v, &v));
  a->failed = share_saddle_solve(g, &a->saddle, right, NULL, v, l);  // which says why
  a->broken = a->failed;
  PetscCall(VecRestoreArray(a->v, &v));
  PetscCall(VecRestoreArrayRead(a->g, &right));
  for (int64_t k = 0; k < g->own_joints; k++) g->l[k] = a->free_l[k] + l[k];
  g->l_known = true;
  return 0;
}

// u = q + H v, which is that of r: M v = H^T r by (1)
static void keep_velocities(const share_admm *a, const double *t) {
  share *s = a->s;
  for (int k = 0; k < s->count && !s->rigid; k++) {
    const share_domain *d = &s->domain[k];
    for (int i = 0; i < s->dim * d->p.nc; i++) {
      int64_t at = (d->r - s->r) + i;
      s->u[at] = a->q[at] + weight_of(a, d, i / s->dim) * t[at];
    }
  }
}

static PetscErrorCode evaluate(SNES snes, Vec w, Vec F, void *user) {
  share_admm *a = user;
  const double *from;
  double *to, *t;
  (void)snes;
  PetscCall(VecGetArrayRead(w, &from));
  PetscCall(VecGetArray(F, &to));
  PetscCall(VecGetArray(a->t, &t));
  project(a, from, to, t);
  PetscCall(VecRestoreArray(a->t, &t));
  PetscCall(MatMultTranspose(a->Hs, a->t, a->g));
  PetscCall(solve_step(a));
  PetscCall(MatMult(a->Hs, a->v, a->t));
  PetscCall(VecGetArray(a->t, &t));
  finish(a, t, to);
  keep_velocities(a, t);
  PetscCall(VecRestoreArray(a->t, &t));
  PetscCall(VecRestoreArray(F, &to));
  PetscCall(VecRestoreArrayRead(w, &from));
  if (!a->over && !a->broken) a->over = a->ask(a->user, a->evaluations);
  a->evaluations++;
  return 0;
}

static PetscErrorCode look(SNES snes, PetscInt it, PetscReal xnorm, PetscReal gnorm, PetscReal f,
                           SNESConvergedReason *reason, void *user) {
  const share_admm *a = user;
  (void)snes, (void)it, (void)xnorm, (void)gnorm;
  *reason = a->over                     ? SNES_CONVERGED_FNORM_ABS
            : a->broken || isnan(f)     ? SNES_DIVERGED_FUNCTION_DOMAIN
            : a->evaluations >= a->most ? SNES_DIVERGED_MAX_IT
                                        : SNES_CONVERGED_ITERATING;
  return 0;
}

// w = r - D^-1 (u + mu |u_T| e), the fixed point if r is a solution; u as share_sweeps_measure leaves it.
static void start(share_admm *a, double *w) {
  share *s = a->s;
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    for (int i = 0; i < d->p.nc; i++) {
      int64_t at = (d->r - s->r) + s->dim * i;
      double D = a->rho * d->lambda[i];
      for (int j = 0; j < s->dim; j++)
        w[at + j] = sqrt(d->lambda[i]) * (s->r[at + j] - s->u[at + j] / D);
      w[at] -= sqrt(d->lambda[i]) * d->p.mu[i] * ssi_tangent_norm(s->dim, s->u + at) / D;
    }
  }
}

static PetscErrorCode run(share_admm *a) {
  SNES snes;
  Vec w;
  double *x;
  PetscCall(set_up(a));
  PetscCall(VecDuplicate(a->t, &w));
  PetscCall(VecGetArray(w, &x));
  start(a, x);
  PetscCall(VecRestoreArray(w, &x));
  PetscBool given;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-snes_anderson_m", &given));
  if (!given) PetscCall(PetscOptionsSetValue(NULL, "-snes_anderson_m", "15"));
  PetscCall(SNESCreate(a->s->c->comm, &snes));
  PetscCall(SNESSetType(snes, SNESANDERSON));
  PetscCall(SNESSetFunction(snes, NULL, evaluate, a));
  PetscCall(SNESSetConvergenceTest(snes, look, a, NULL));
  PetscCall(SNESSetTolerances(snes, 0, 0, 0, a->most, a->most));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESSolve(snes, NULL, w));
  PetscCall(SNESDestroy(&snes));
  return VecDestroy(&w);
}

static void destroy(share_admm *a) {
  MatDestroy(&a->Hs);
  MatDestroy(&a->K);
  VecDestroy(&a->t);
  VecDestroy(&a->g);
  VecDestroy(&a->v);
  KSPDestroy(&a->ksp);
  share_saddle_destroy(&a->saddle);
  free(a->free_l);
  free(a->own);
  free(a->q);
  free(a->b);
}

ss_error share_admm_run(share_sweeps *sweeps, double rho, int most, share_admm_ask *ask, void *user,
                        int *evaluations) {
  share *s = sweeps->s;
  share_admm a = {.s = s, .rho = rho, .ask = ask, .user = user, .most = most};
  double error, fclib;
  if (s->dofs > INT_MAX || s->dim * s->contacts > INT_MAX)
    return ssi_fail(s->c->ctx, SS_ERR_METHOD,
                    "admm: more than %d unknowns, and this PETSc counts in 32 bits", INT_MAX);
  a.q = RANKS_TAKE(s->c, s->dim * s->nc, double);
  a.b = RANKS_TAKE(s->c, s->dim * s->nc, double);
  ss_error e = SS_OK;
  if (s->rigid) {
    share_sweeps_measure(sweeps, &error, &fclib);
    find_load(&a);
  } else {
    e = find_general_load(&a, &sweeps->norm_q);
    if (!e) e = find_first_velocities(&a);
  }
  PetscErrorCode failed = e ? 0 : run(&a);
  *evaluations = a.evaluations;
  destroy(&a);
  if (!e) e = a.failed;
  if (!e && (failed || a.broken))
    e = ssi_fail(s->c->ctx, SS_ERR_LINEAR, "admm: a linear system could not be solved (PETSc: %d)",
                 (int)failed);
  return ranks_agree(s->c, e);
}
