// With D = rho Lambda and w = sqrt(Lambda) times that of solvers/admm.c (3), so that SNES sums squares in its metric:
//
//     y = P_K(w),   (M + H^T D^-1 H) v = H^T D^-1 b,   r = D^-1 (b - H v),   b = D (2 y - w) - q - mu s e
//     F(w) = y - r = 0                                                                                 (1)
//
// with s of (4) there. SNESANDERSON(15) takes w - F(w) for its map. The matrix is factored once, by MUMPS where
// PETSc has it, else by conjugate gradients with hypre or Jacobi to 1e-10: at 1e-7 walls do not come below 1e-4.
//
// Every sum is taken by domains in order, and v is rounded from what is far closer (share_exact.h): on rigid bodies the
// bits are the same for every number of ranks, and for every solver of the linear systems that comes close enough.
#include "mpi/share_admm.h"

#include <limits.h>
#include <math.h>
#include <petscsnes.h>
#include <stdlib.h>
#include <string.h>

#include "cone/friction.h"
#include "la/vector.h"
#include "mpi/share_exact.h"
#include "mpi/share_general.h"
#include "mpi/share_matrix.h"
#include "mpi/share_parts.h"
#include "mpi/share_penalised.h"
#include "mpi/share_vector.h"

struct share_admm {
  share *s;
  double rho;
  share_penalised system;  // M + H^T D^-1 H
  Mat K;                   // the same for PETSc
  KSP ksp;
  share_rows rows;         // of K
  share_exact exact;       // its solutions, on rigid bodies
  share_saddle saddle;     // in place of these where bodies are not rigid
  double *q, *b, *t;       // (dim nc)
  double *g, *v;           // (own_dofs)
  double *free_l, *own_l;  // multipliers without reactions, and what reactions add   (own joints)
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
  PetscReal relative, diverged;  // an absolute tolerance would end refinement before it is done
  PetscInt most;
  PetscCall(KSPGetTolerances(a->ksp, &relative, NULL, &diverged, &most));
  PetscCall(KSPSetTolerances(a->ksp, relative, 1e-300, diverged, most));
  return KSPSetUp(a->ksp);
}

// Labels of the dofs of a domain that no contact touches go along its masses; blocks have at most 6 rows.
static void label_masses(const ss_sparse *M, double *label) {
  bool more = true;
  while (more) {
    more = false;
    for (int i = 0; i < M->rows; i++)
      for (int64_t e = M->ptr[i]; e < M->ptr[i + 1] && !isfinite(label[i]); e++)
        if (M->x[e] != 0 && isfinite(label[M->col[e]])) label[i] = label[M->col[e]], more = true;
  }
}

// The first contact of each own dof's connected component; INFINITY: no contact moves it.
static double *find_components(share_admm *a) {
  share *s = a->s;
  const share_copies *copies = &a->system.copies;
  double *own = RANKS_TAKE(s->c, s->own_dofs, double), *copy = a->system.copy;
  share_parts parts;
  share_parts_find(s, &parts);
  for (int64_t i = 0; i < s->own_dofs; i++) own[i] = INFINITY;
  for (int k = 0; k < s->count; k++) {
    const ss_sparse *H = &a->system.rows[k];
    const int *of = parts.of + (s->domain[k].r - s->r) / s->dim;
    double *label = copy + copies->first[k];
    for (int j = 0; j < H->cols; j++) label[j] = INFINITY;
    for (int i = 0; i < H->rows; i++)
      for (int64_t e = H->ptr[i]; e < H->ptr[i + 1]; e++)
        if (H->x[e] != 0) label[H->col[e]] = (double)parts.component[of[i / s->dim]];
    label_masses(&s->domain[k].p.M, label);
  }
  share_bring_in(s->c, copies->sf, MPI_MIN, copy, own);  // a copy may hear of it nowhere else
  share_parts_release(&parts);
  return own;
}

static PetscErrorCode set_up(share_admm *a) {
  share *s = a->s;
  double *root = RANKS_TAKE(s->c, s->nc, double);
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++)
      root[(s->domain[k].r - s->r) / s->dim + i] = weight_of(a, &s->domain[k], i);
  a->failed = share_penalised_create(s, root, &a->system);
  free(root);
  if (a->failed) return 0;
  PetscCall(share_square_matrix(s, a->system.entry, a->system.ptr[s->own_dofs], &a->K));
  if (!s->rigid) return share_saddle_create(s->general, a->K, &a->saddle) ? PETSC_ERR_LIB : 0;
  PetscCall(MatSetOption(a->K, MAT_SPD, PETSC_TRUE));
  PetscCall(make_solver(a));
  share_rows_create(s, a->system.entry, a->system.ptr, &a->rows);
  double *component = find_components(a);
  PetscErrorCode e = share_exact_create(&a->rows, a->ksp, a->K, component, &a->exact);
  free(component);
  return e;
}

// The same, with the velocities that joints leave and their multipliers.
static ss_error find_general_load(share_admm *a, double *norm_q) {
  share *s = a->s;
  share_general *g = s->general;
  a->free_l = RANKS_TAKE(s->c, 2 * g->own_joints, double);
  a->own_l = a->free_l + g->own_joints;
  SS_TRY(share_general_follow(g, NULL, a->v, a->free_l));
  share_general_velocities(g, a->v, a->q);
  double *mine = RANKS_TAKE(s->c, s->count, double), square;
  for (int k = 0; k < s->count; k++) {
    const double *q = a->q + (s->domain[k].r - s->r);
    mine[k] = ssi_dot((int64_t)s->dim * s->domain[k].p.nc, q, q);
  }
  share_add_domains(s, mine, 1, &square);
  *norm_q = sqrt(square);
  free(mine);
  return SS_OK;
}

// u of the guess s->r into s->u
static ss_error find_first_velocities(share_admm *a) {
  share *s = a->s;
  share_general *g = s->general;
  double *copies = RANKS_TAKE(s->c, g->copies.first[s->count], double);
  double *impulse = RANKS_TAKE(s->c, 2 * s->own_dofs, double);
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    for (int i = 0; i < s->dim * d->p.nc; i++)
      for (int64_t e = d->p.H.ptr[i]; e < d->p.H.ptr[i + 1]; e++)
        copies[g->copies.first[k] + d->p.H.col[e]] += d->p.H.x[e] * d->r[i];
  }
  share_add_copies(&g->copies, copies, impulse);
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
    bool failed;
    PetscCall(share_exact_solve(&a->exact, a->g, a->v, &failed));
    a->broken = a->broken || failed;
    return 0;
  }
  share_general *g = a->s->general;
  a->failed = share_saddle_solve(g, &a->saddle, a->g, NULL, a->v, a->own_l);  // which says why
  a->broken = a->failed;
  for (int64_t k = 0; k < g->own_joints; k++) g->l[k] = a->free_l[k] + a->own_l[k];
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
  double *to;
  (void)snes;
  PetscCall(VecGetArrayRead(w, &from));
  PetscCall(VecGetArray(F, &to));
  project(a, from, to, a->t);
  share_penalised_pull(&a->system, a->t, a->g);
  PetscCall(solve_step(a));
  share_penalised_push(&a->system, a->v, a->t);
  finish(a, a->t, to);
  keep_velocities(a, a->t);
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
  if (a->failed) return 0;
  PetscCall(share_vector_create(a->s, &w));
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
  share_exact_destroy(&a->exact);
  share_rows_destroy(&a->rows);
  share_saddle_destroy(&a->saddle);
  KSPDestroy(&a->ksp);
  MatDestroy(&a->K);
  share_penalised_destroy(&a->system);
  free(a->free_l);
  free(a->q);
  free(a->g);
}

ss_error share_admm_run(share_sweeps *sweeps, double rho, int most, share_admm_ask *ask, void *user,
                        share_admm_counts *counts) {
  share *s = sweeps->s;
  *counts = (share_admm_counts){0};
  share_admm a = {.s = s, .rho = rho, .ask = ask, .user = user, .most = most};
  double error, fclib;
  if (s->dofs > INT_MAX || s->dim * s->contacts > INT_MAX)
    return ssi_fail(s->c->ctx, SS_ERR_METHOD,
                    "admm: more than %d unknowns, and this PETSc counts in 32 bits", INT_MAX);
  a.q = RANKS_TAKE(s->c, 3 * s->dim * s->nc, double);
  a.b = a.q + s->dim * s->nc;
  a.t = a.b + s->dim * s->nc;
  a.g = RANKS_TAKE(s->c, 2 * s->own_dofs, double);
  a.v = a.g + s->own_dofs;
  ss_error e = SS_OK;
  if (s->rigid) {
    share_sweeps_measure(sweeps, &error, &fclib);
    find_load(&a);
  } else {
    e = find_general_load(&a, &sweeps->norm_q);
    if (!e) e = find_first_velocities(&a);
  }
  PetscErrorCode failed = e ? 0 : run(&a);
  *counts = (share_admm_counts){a.evaluations, a.exact.doubtful};
  destroy(&a);
  if (!e) e = a.failed;
  if (!e && (failed || a.broken))
    e = ssi_fail(s->c->ctx, SS_ERR_LINEAR, "admm: a linear system could not be solved (PETSc: %d)",
                 (int)failed);
  return ranks_agree(s->c, e);
}
