// mpi/share_forest.h - numbers on their way between the owners of things, in even shares, and those who name them; and
// between the owners of dofs and the domains, which have copies of those they touch. All of it is collective.
#pragma once

#include "mpi/share.h"

// Leaves: things `number` of `total`; roots: the even shares.
void share_forest_create(const ranks *c, int64_t total, const int64_t *number, int count,
                         PetscSF *out);
// From roots to leaves; and back.
void share_spread_out(const ranks *c, PetscSF sf, const double *root, double *leaf);
void share_bring_in(const ranks *c, PetscSF sf, MPI_Op how, const double *leaf, double *root);

typedef struct share_copies {  // dofs of the domains of this rank, one domain after the other
  share *s;
  PetscSF sf;  // leaves: copies; roots: even share of the dofs
  int *first;  // of each domain   (count + 1)
} share_copies;

void share_copies_create(share *s, share_copies *out);
void share_copies_destroy(share_copies *c);

void share_to_copies(const share_copies *c, const double *own, double *copies);
// Back, where all copies of a dof have the same number. Dofs that no domain has are left alone.
void share_from_copies(const share_copies *c, const double *copies, double *own);
// Back, where they are added up in the order of domains; the copies get the sums too.
void share_add_copies(const share_copies *c, double *copies, double *own);
