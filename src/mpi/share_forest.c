#include "mpi/share_forest.h"

#include <stdlib.h>
#include <string.h>

void share_forest_create(const ranks *c, int64_t total, const int64_t *number, int count,
                         PetscSF *out) {
  PetscSFNode *remote = RANKS_TAKE(c, count, PetscSFNode);
  int64_t own = ranks_first(total, c->size, c->rank + 1) - ranks_first(total, c->size, c->rank);
  for (int k = 0; k < count; k++) {
    int owner = ranks_owner(total, c->size, number[k]);
    remote[k] = (PetscSFNode){owner, (PetscInt)(number[k] - ranks_first(total, c->size, owner))};
  }
  if (PetscSFCreate(c->comm, out) ||
      PetscSFSetGraph(*out, (PetscInt)own, count, NULL, PETSC_COPY_VALUES, remote,
                      PETSC_COPY_VALUES) ||
      PetscSFSetUp(*out))
    ranks_die(c, 4, "PETSc could not connect the ranks");
  free(remote);
}

void share_spread_out(const ranks *c, PetscSF sf, const double *root, double *leaf) {
  if (PetscSFBcastBegin(sf, MPI_DOUBLE, root, leaf, MPI_REPLACE) ||
      PetscSFBcastEnd(sf, MPI_DOUBLE, root, leaf, MPI_REPLACE))
    ranks_die(c, 4, "an exchange between ranks failed");
}

void share_bring_in(const ranks *c, PetscSF sf, MPI_Op how, const double *leaf, double *root) {
  if (PetscSFReduceBegin(sf, MPI_DOUBLE, leaf, root, how) ||
      PetscSFReduceEnd(sf, MPI_DOUBLE, leaf, root, how))
    ranks_die(c, 4, "an exchange between ranks failed");
}

// ---- copies of dofs ------------------------------------------------------------------------

void share_copies_create(share *s, share_copies *out) {
  *out = (share_copies){.s = s, .first = RANKS_TAKE(s->c, s->count + 1, int)};
  for (int k = 0; k < s->count; k++) out->first[k + 1] = out->first[k] + s->domain[k].p.ndof;
  int64_t *dof = RANKS_TAKE(s->c, out->first[s->count], int64_t);
  for (int k = 0; k < s->count; k++)
    memcpy(dof + out->first[k], s->domain[k].dof, sizeof *dof * (size_t)s->domain[k].p.ndof);
  share_forest_create(s->c, s->dofs, dof, out->first[s->count], &out->sf);
  free(dof);
}

void share_copies_destroy(share_copies *c) {
  if (c->sf) PetscSFDestroy(&c->sf);
  free(c->first);
  *c = (share_copies){0};
}

void share_to_copies(const share_copies *c, const double *own, double *copies) {
  share_spread_out(c->s->c, c->sf, own, copies);
}

void share_from_copies(const share_copies *c, const double *copies, double *own) {
  share_bring_in(c->s->c, c->sf, MPI_REPLACE, copies, own);
}

void share_add_copies(const share_copies *c, double *copies, double *own) {
  share *s = c->s;
  for (int back = 0; back < 2; back++) {
    for (int k = 0; k < s->count; k++)
      for (int j = 0; j < s->domain[k].p.ndof; j++) {
        int leaf = s->domain[k].leaf[j];
        double *copy = &copies[c->first[k] + j];
        if (leaf < 0) continue;
        if (back)
          *copy = s->leaf[leaf];
        else
          s->leaf[leaf] = *copy;
      }
    if (!back) share_sum(s);
  }
  share_from_copies(c, copies, own);
}
