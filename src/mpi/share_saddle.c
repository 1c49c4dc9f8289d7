#include <stdlib.h>
#include <string.h>

#include "mpi/share_general.h"
#include "mpi/share_matrix.h"

static int64_t dof_at(const share_general *g, int64_t dof) {
  const share *s = g->s;
  int owner = ranks_owner(s->dofs, s->c->size, dof);
  return dof + ranks_first(g->joints, s->c->size, owner);
}

static int64_t joint_at(const share_general *g, int64_t joint) {
  const share *s = g->s;
  int owner = ranks_owner(g->joints, s->c->size, joint);
  return joint + ranks_first(s->dofs, s->c->size, owner + 1);
}

// Of entries that are used again: PETSc has a copy of their places.
static PetscErrorCode assemble(const share_general *g, const share_triplets *t, Mat *out) {
  int64_t n = g->s->own_dofs + g->own_joints, all = g->s->dofs + g->joints;
  size_t bytes = sizeof *t->row * (size_t)t->count;
  PetscInt *row = RANKS_TAKE(g->s->c, 2 * t->count, PetscInt), *col = row + t->count;
  memcpy(row, t->row, bytes);
  memcpy(col, t->col, bytes);
  share_triplets copy = {row, col, t->x, t->count};
  PetscErrorCode e = share_matrix(g->s->c, (share_matrix_size){n, n, all, all}, &copy, out);
  free(row);
  return e;
}

static PetscErrorCode fill_saddle(share_general *g, Mat K, share_saddle *out) {
  const share *s = g->s;
  int64_t room = 3 * g->G_ptr[s->own_dofs];
  const PetscInt *cols;
  const PetscScalar *x;
  PetscInt count;
  for (int64_t i = s->first_dof; i < s->first_dof + s->own_dofs; i++) {
    PetscCall(MatGetRow(K, (PetscInt)i, &count, NULL, NULL));
    room += count;
    PetscCall(MatRestoreRow(K, (PetscInt)i, &count, NULL, NULL));
  }
  share_triplets t = share_triplets_take(s->c, room);
  double *own = RANKS_TAKE(s->c, s->own_dofs, double);
  for (int64_t i = 0; i < s->own_dofs; i++) {
    int64_t row = s->first_dof + i;
    PetscCall(MatGetRow(K, (PetscInt)row, &count, &cols, &x));
    for (PetscInt k = 0; k < count; k++) {
      share_triplets_put(&t, dof_at(g, row), dof_at(g, cols[k]), x[k]);
      if (cols[k] == row) own[i] = x[k];
    }
    PetscCall(MatRestoreRow(K, (PetscInt)row, &count, &cols, &x));
    for (int64_t e = g->G_ptr[i]; e < g->G_ptr[i + 1]; e++) {
      share_triplets_put(&t, dof_at(g, row), joint_at(g, g->G[e].col), g->G[e].x);
      share_triplets_put(&t, joint_at(g, g->G[e].col), dof_at(g, row), g->G[e].x);
    }
  }
  PetscCall(assemble(g, &t, &out->A));
  for (int64_t i = 0; i < s->own_dofs; i++)
    for (int64_t e = g->G_ptr[i]; e < g->G_ptr[i + 1]; e++) {
      int64_t at = joint_at(g, g->G[e].col);
      share_triplets_put(&t, at, at, -1e-8 * g->G[e].x * g->G[e].x / own[i]);
    }
  PetscCall(assemble(g, &t, &out->P));
  share_triplets_release(&t);
  free(own);
  PetscCall(share_general_solver(g, out->A, out->P, !g->asymmetric, &out->ksp));
  return MatCreateVecs(out->A, &out->right, &out->left);
}

static PetscErrorCode fill_plain(share_general *g, Mat K, share_saddle *out) {
  out->A = out->P = K;
  PetscCall(PetscObjectReference((PetscObject)K));
  PetscCall(PetscObjectReference((PetscObject)K));
  PetscCall(share_general_solver(g, K, K, !g->asymmetric, &out->ksp));
  return MatCreateVecs(K, &out->right, &out->left);
}

ss_error share_saddle_create(share_general *g, Mat K, share_saddle *out) {
  *out = (share_saddle){0};
  return share_petsc_failed(g->s->c, g->joints ? fill_saddle(g, K, out) : fill_plain(g, K, out),
                            "a factorisation");
}

void share_saddle_destroy(share_saddle *x) {
  MatDestroy(&x->A);
  MatDestroy(&x->P);
  KSPDestroy(&x->ksp);
  VecDestroy(&x->right);
  VecDestroy(&x->left);
}

static PetscErrorCode solve_saddle(const share_general *g, share_saddle *x, const double *a,
                                   const double *c, double *v, double *l, int *broken) {
  size_t n = (size_t)g->s->own_dofs, m = (size_t)g->own_joints;
  double *at;
  const double *found;
  KSPConvergedReason reason;
  PetscCall(VecGetArray(x->left, &at));
  memcpy(at, a, sizeof *a * n);
  for (size_t k = 0; k < m; k++) at[n + k] = c ? c[k] : 0;
  PetscCall(VecRestoreArray(x->left, &at));
  PetscCall(KSPSolve(x->ksp, x->left, x->right));
  PetscCall(KSPGetConvergedReason(x->ksp, &reason));
  *broken =
      reason < 0 && reason != KSP_DIVERGED_ITS;  // what joints that disagree leave is judged later
  PetscCall(VecGetArrayRead(x->right, &found));
  memcpy(v, found, sizeof *v * n);
  for (size_t k = 0; k < m && l; k++) l[k] = -found[n + k];
  return VecRestoreArrayRead(x->right, &found);
}

ss_error share_saddle_solve(const share_general *g, share_saddle *x, const double *a,
                            const double *c, double *v, double *l) {
  int broken = 0;
  SS_TRY(share_petsc_failed(g->s->c, solve_saddle(g, x, a, c, v, l, &broken), "a linear system"));
  return broken ? ssi_fail(g->s->c->ctx, SS_ERR_LINEAR, "a linear system could not be solved%s",
                           g->joints ? ": the bilateral constraints contradict each other, or "
                                       "nearly depend on each other"
                                     : "")
                : SS_OK;
}
