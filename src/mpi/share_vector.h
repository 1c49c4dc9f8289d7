// mpi/share_vector.h - PETSc's vectors over the contacts (dim nc on each rank), whose products and norms are summed
// over each domain and then over domains in order: the same bits for every number of ranks.
#pragma once

#include <petscvec.h>

#include "mpi/share.h"

// Duplicates of it sum likewise. The share must outlive them. Collective.
PetscErrorCode share_vector_create(share *s, Vec *out);
