#include "mpi/share_matrix.h"

#include <stdlib.h>

share_triplets share_triplets_take(const ranks *c, int64_t room) {
  return (share_triplets){RANKS_TAKE(c, room, PetscInt), RANKS_TAKE(c, room, PetscInt),
                          RANKS_TAKE(c, room, double), 0};
}

void share_triplets_release(share_triplets *t) {
  free(t->row);
  free(t->col);
  free(t->x);
}

PetscErrorCode share_matrix(const ranks *c, share_matrix_size size, share_triplets *t, Mat *out) {
  PetscCall(MatCreate(c->comm, out));
  PetscCall(MatSetSizes(*out, (PetscInt)size.own_rows, (PetscInt)size.own_cols, (PetscInt)size.rows,
                        (PetscInt)size.cols));
  PetscCall(MatSetType(*out, MATAIJ));
  PetscCall(MatSetPreallocationCOO(*out, t->count, t->row, t->col));
  return MatSetValuesCOO(*out, t->x, INSERT_VALUES);
}

PetscErrorCode share_square_matrix(const share *s, const share_entry *entries, int64_t count,
                                   Mat *out) {
  share_triplets t = share_triplets_take(s->c, count);
  for (int64_t e = 0; e < count; e++)
    share_triplets_put(&t, entries[e].row, entries[e].col, entries[e].x);
  share_matrix_size size = {s->own_dofs, s->own_dofs, s->dofs, s->dofs};
  PetscErrorCode e = share_matrix(s->c, size, &t, out);
  share_triplets_release(&t);
  return e;
}
