// mpi/share_matrix.h - PETSc's matrices from entries, each rank with those of its own rows.
#pragma once

#include <petscmat.h>

#include "mpi/share.h"

typedef struct share_triplets {
  PetscInt *row, *col;
  double *x;
  int64_t count;
} share_triplets;

share_triplets share_triplets_take(const ranks *c, int64_t room);
void share_triplets_release(share_triplets *t);
static inline void share_triplets_put(share_triplets *t, int64_t row, int64_t col, double x) {
  t->row[t->count] = (PetscInt)row;
  t->col[t->count] = (PetscInt)col;
  t->x[t->count++] = x;
}

typedef struct share_matrix_size {
  int64_t own_rows, own_cols, rows, cols;
} share_matrix_size;

// Entries at the same place are added up. PETSc may change t->row and t->col. Collective, as what follows.
PetscErrorCode share_matrix(const ranks *c, share_matrix_size size, share_triplets *t, Mat *out);
// Over the dofs, of entries in rows of the even share.
PetscErrorCode share_square_matrix(const share *s, const share_entry *entries, int64_t count,
                                   Mat *out);
