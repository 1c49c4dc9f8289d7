#include "mpi/share_general.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_masses.h"
#include "mpi/share_matrix.h"

ss_error share_petsc_failed(const ranks *c, PetscErrorCode e, const char *what) {
  return ranks_agree(c, e ? ssi_fail(c->ctx, SS_ERR_LINEAR, "%s failed (PETSc: %d)", what, (int)e)
                          : SS_OK);
}

// ---- who has what --------------------------------------------------------------------------

bool share_is_rigid(const share *s) {
  enum { BLOCK = 6 };
  const ranks *c = s->c;
  int far = 0, longest = 0;  // 0: M is diagonal, or too large to look at; 2: blocks are too long
  int64_t n = s->own_dofs, ahead = BLOCK;
  char *joined = RANKS_TAKE(c, n + 2 * ahead, char);  // dof i with dof i + 1, from first_dof - 6 on
  for (int64_t e = 0; e < s->M_ptr[n] && far < 2; e++) {
    int64_t low = s->M[e].row < s->M[e].col ? s->M[e].row : s->M[e].col;
    int64_t high = s->M[e].row + s->M[e].col - low;
    if (low == high || s->dofs > INT_MAX - 12 * c->size) continue;
    far = high - low >= BLOCK ? 2 : 1;
    for (int64_t k = low; k < high && far == 1; k++) joined[k - s->first_dof + ahead] = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_INT, MPI_MAX, c->comm);
  if (far == 1) {  // rank 0 looks for the longest run
    int *counts = RANKS_TAKE(c, 2 * c->size, int), *at = counts + c->size;
    int64_t total = 0;
    for (int k = 0; k < c->size; k++) {
      counts[k] = (int)(ranks_first(s->dofs, c->size, k + 1) - ranks_first(s->dofs, c->size, k) +
                        2 * ahead);
      at[k] = (int)total;
      total += counts[k];
    }
    char *all = RANKS_TAKE(c, c->rank ? 0 : total, char);
    char *whole = RANKS_TAKE(c, c->rank ? 0 : s->dofs + 2 * ahead, char);
    MPI_Gatherv(joined, (int)(n + 2 * ahead), MPI_CHAR, all, counts, at, MPI_CHAR, 0, c->comm);
    for (int k = 0; k < c->size && c->rank == 0; k++)
      for (int j = 0; j < counts[k]; j++)
        whole[ranks_first(s->dofs, c->size, k) + j] |= all[at[k] + j];
    for (int64_t k = 0, run = 0; k < s->dofs + 2 * ahead && c->rank == 0; k++) {
      run = whole[k] ? run + 1 : 0;
      longest = run > longest ? (int)run : longest;
    }
    MPI_Bcast(&longest, 1, MPI_INT, 0, c->comm);
    free(whole);
    free(all);
    free(counts);
  }
  free(joined);
  return far == 0 || (far == 1 && longest < BLOCK);
}

static void take_joints(share_general *g, share_source *from) {
  share *s = g->s;
  int64_t count = from->G_count;
  g->joints = from->joints;
  g->first_joint = ranks_first(g->joints, s->c->size, s->c->rank);
  g->own_joints = ranks_first(g->joints, s->c->size, s->c->rank + 1) - g->first_joint;
  g->b = from->b;
  g->l = RANKS_TAKE(s->c, g->own_joints, double);
  g->G = ranks_send_on(s->c, from->G, sizeof *from->G, share_rank_of_row, s, &count);
  from->G = NULL;
  share_sort_entries(s->c, g->G, &count);
  g->G_ptr = RANKS_TAKE(s->c, s->own_dofs + 1, int64_t);
  for (int64_t k = 0; k < count; k++) g->G_ptr[g->G[k].row - s->first_dof + 1]++;
  for (int64_t i = 0; i < s->own_dofs; i++) g->G_ptr[i + 1] += g->G_ptr[i];
  g->name = RANKS_TAKE(s->c, count, int64_t);
  for (int64_t k = 0; k < count; k++) g->name[k] = g->G[k].col;
  g->named_count = (int)share_unique(g->name, count);
  g->joint = RANKS_TAKE(s->c, count, int);
  for (int64_t k = 0; k < count; k++)
    g->joint[k] = share_place(g->name, g->named_count, g->G[k].col);
  share_forest_create(s->c, g->joints, g->name, g->named_count, &g->named);
}

// ---- matrices ------------------------------------------------------------------------------

PetscErrorCode share_general_solver(const share_general *g, Mat A, Mat P, bool symmetric,
                                    KSP *out) {
  PC pc;
  PetscCall(KSPCreate(g->s->c->comm, out));
  PetscCall(KSPSetOperators(*out, A, P));
  PetscCall(KSPGetPC(*out, &pc));
  PetscCall(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
#ifdef PETSC_HAVE_MUMPS
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
#endif
  PetscCall(KSPSetType(*out, A == P ? KSPPREONLY : KSPGMRES));
  PetscCall(KSPSetTolerances(*out, 1e-12, 1e-300, PETSC_DEFAULT, 100));
  PetscCall(KSPSetErrorIfNotConverged(*out, PETSC_FALSE));
  return KSPSetUp(*out);
}

// |M - M^T| / |M|, and the pivots of its symmetric part that are not positive.
static PetscErrorCode examine(share_general *g, double *asymmetry, PetscInt *bad) {
  Mat T;
  PC pc;
  KSP ksp;
  Mat factor;
  double size, apart;
  PetscInt negative, zero, positive;
  PetscCall(MatTranspose(g->M, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatAXPY(T, -1, g->M, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(g->M, NORM_FROBENIUS, &size));
  PetscCall(MatNorm(T, NORM_FROBENIUS, &apart));
  *asymmetry = size > 0 ? apart / size : 0;
  PetscCall(MatScale(T, 0.5));
  PetscCall(MatAXPY(T, 1, g->M, DIFFERENT_NONZERO_PATTERN));
  PetscCall(KSPCreate(g->s->c->comm, &ksp));
  PetscCall(KSPSetOperators(ksp, T, T));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
#ifdef PETSC_HAVE_MUMPS
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(PCFactorSetUpMatSolverType(pc));
  PetscCall(PCFactorGetMatrix(pc, &factor));
  PetscCall(MatMumpsSetIcntl(factor, 13, 1));  // what counting signs of pivots needs
  PetscCall(MatMumpsSetIcntl(factor, 24, 1));
#endif
  PetscCall(KSPSetUp(ksp));
  PCFailedReason failed;
  PetscCall(PCGetFailedReason(pc, &failed));
  *bad = failed ? 1 : 0;
  if (!failed) {
    PetscCall(PCFactorGetMatrix(pc, &factor));
    PetscCall(MatGetInertia(factor, &negative, &zero, &positive));
    *bad = negative + zero;
  }
  PetscCall(KSPDestroy(&ksp));
  return MatDestroy(&T);
}

static ss_error factor_masses(share_general *g) {
  const ranks *c = g->s->c;
  double asymmetry = 0;
  PetscInt bad = 0;
  SS_TRY(share_petsc_failed(
      c, share_square_matrix(g->s, g->s->M, g->s->M_ptr[g->s->own_dofs], &g->M), "setting up M"));
  SS_TRY(share_petsc_failed(c, examine(g, &asymmetry, &bad), "the factorisation of M"));
  if (asymmetry > 1e-5)
    return ssi_fail(c->ctx, SS_ERR_DATA,
                    "M is not symmetric: |M - M^T|/|M| = %.3g, expected at most 1e-5", asymmetry);
  if (bad)
    return ssi_fail(c->ctx, SS_ERR_DATA,
                    "M is not positive definite: %d of its pivots are not positive; several "
                    "processes need a definite one (stickslip solve takes semi-definite ones)",
                    (int)bad);
  g->asymmetric = asymmetry > 0;
  return share_petsc_failed(c, share_general_solver(g, g->M, g->M, !g->asymmetric, &g->mass),
                            "the factorisation of M");
}

ss_error share_general_solve_mass(const share_general *g, double *x) {
  Vec a;
  PetscErrorCode e = VecCreateMPIWithArray(g->s->c->comm, 1, (PetscInt)g->s->own_dofs,
                                           (PetscInt)g->s->dofs, x, &a);
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  if (!e) e = KSPSolve(g->mass, a, a);
  if (!e) e = KSPGetConvergedReason(g->mass, &reason);
  VecDestroy(&a);
  return share_petsc_failed(g->s->c, e ? e : reason < 0, "a solve with M");
}

// ---- plain motions -------------------------------------------------------------------------

ss_error share_general_follow(share_general *g, const double *impulse, double *v, double *l) {
  share *s = g->s;
  double *a = RANKS_TAKE(s->c, s->own_dofs, double), *c = RANKS_TAKE(s->c, g->own_joints, double);
  for (int64_t i = 0; i < s->own_dofs; i++) a[i] = (impulse ? impulse[i] : 0) - s->f[i];
  for (int64_t k = 0; k < g->own_joints; k++) c[k] = -g->b[k];
  ss_error e = share_saddle_solve(g, &g->held, a, c, v, l);
  free(a);
  free(c);
  return e;
}

void share_general_velocities(share_general *g, const double *v, double *u) {
  share *s = g->s;
  double *copies = RANKS_TAKE(s->c, g->copies.first[s->count], double);
  share_to_copies(&g->copies, v, copies);
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    double *own = u + (d->r - s->r);
    for (int i = 0; i < s->dim * d->p.nc; i++) {
      own[i] = d->p.w[i];
      for (int64_t e = d->p.H.ptr[i]; e < d->p.H.ptr[i + 1]; e++)
        own[i] += d->p.H.x[e] * copies[g->copies.first[k] + d->p.H.col[e]];
    }
  }
  free(copies);
}

// ---- interface -----------------------------------------------------------------------------

ss_error share_general_create(share *s, share_source *from) {
  if (s->dofs + from->joints > INT_MAX || s->dim * s->contacts > INT_MAX)
    return ssi_fail(s->c->ctx, SS_ERR_METHOD,
                    "more than %d unknowns, and this PETSc counts in 32 bits", INT_MAX);
  share_general *g = s->general = RANKS_TAKE(s->c, 1, share_general);
  g->s = s;
  share_copies_create(s, &g->copies);
  share_rows_create(s, s->M, s->M_ptr, &g->rows);
  take_joints(g, from);
  g->v = RANKS_TAKE(s->c, s->own_dofs, ssi_dd);
  g->gap = RANKS_TAKE(s->c, g->own_joints, ssi_dd);
  SS_TRY(factor_masses(g));
  if (g->joints) SS_TRY(share_saddle_create(g, g->M, &g->held));
  if (!g->joints) {
    g->held = (share_saddle){.A = g->M, .P = g->M, .ksp = g->mass};
    for (int k = 0; k < 2; k++) PetscObjectReference((PetscObject)g->M);
    PetscObjectReference((PetscObject)g->mass);
    SS_TRY(share_petsc_failed(s->c, MatCreateVecs(g->M, &g->held.right, &g->held.left), "vectors"));
  }
  return share_general_lambda(g);
}

void share_general_destroy(share_general *g) {
  if (!g) return;
  share_saddle_destroy(&g->held);
  KSPDestroy(&g->mass);
  MatDestroy(&g->M);
  share_copies_destroy(&g->copies);
  share_rows_destroy(&g->rows);
  if (g->named) PetscSFDestroy(&g->named);
  free(g->l);
  free(g->G);
  free(g->G_ptr);
  free(g->joint);
  free(g->name);
  free(g->v);
  free(g->gap);
  free(g);
}
