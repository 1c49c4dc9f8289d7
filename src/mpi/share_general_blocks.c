// W_ii = H_i M^-1 H_i^T of all contacts, for their largest eigenvalues: right-hand sides of some contacts of one rank at a
// time, which all ranks know, and of the solutions only what these contacts touch goes back.
#include <stdlib.h>
#include <string.h>

#include "mpi/share_general.h"
#include "mpi/share_masses.h"
#include "problem/delassus.h"

enum { BATCH = 16 };  // contacts at a time

typedef struct batch_rows {  // of H, for contacts of one rank, known to all
  int contacts, entries, dofs;
  int64_t *dof;      // distinct, ascending
  int *row, *place;  // of each entry: row in the batch, dof in the list
  double *x;
} batch_rows;

static void fill_batch(const share *s, const share_domain *d, int from, batch_rows *b) {
  int rows = s->dim * from, end = s->dim * (from + b->contacts);
  b->entries = (int)(d->p.H.ptr[end] - d->p.H.ptr[rows]);
  b->dof = RANKS_TAKE(s->c, b->entries, int64_t);
  b->row = RANKS_TAKE(s->c, b->entries, int);
  b->place = RANKS_TAKE(s->c, b->entries, int);
  b->x = RANKS_TAKE(s->c, b->entries, double);
  int at = 0;
  for (int i = rows; i < end; i++)
    for (int64_t e = d->p.H.ptr[i]; e < d->p.H.ptr[i + 1]; e++, at++) {
      b->dof[at] = d->dof[d->p.H.col[e]];
      b->row[at] = i - rows;
      b->x[at] = d->p.H.x[e];
    }
  int64_t *list = RANKS_TAKE(s->c, b->entries, int64_t);
  memcpy(list, b->dof, sizeof *list * (size_t)b->entries);
  b->dofs = (int)share_unique(list, b->entries);
  for (int k = 0; k < b->entries; k++) b->place[k] = share_place(list, b->dofs, b->dof[k]);
  free(b->dof);
  b->dof = list;
}

static void tell_batch(const ranks *c, int from, batch_rows *b) {
  int sizes[3] = {b->contacts, b->entries, b->dofs};
  MPI_Bcast(sizes, 3, MPI_INT, from, c->comm);
  if (c->rank != from) {
    *b = (batch_rows){.contacts = sizes[0], .entries = sizes[1], .dofs = sizes[2]};
    b->dof = RANKS_TAKE(c, b->entries, int64_t);
    b->row = RANKS_TAKE(c, b->entries, int);
    b->place = RANKS_TAKE(c, b->entries, int);
    b->x = RANKS_TAKE(c, b->entries, double);
  }
  MPI_Bcast(b->dof, b->dofs, MPI_INT64_T, from, c->comm);
  MPI_Bcast(b->row, b->entries, MPI_INT, from, c->comm);
  MPI_Bcast(b->place, b->entries, MPI_INT, from, c->comm);
  MPI_Bcast(b->x, b->entries, MPI_DOUBLE, from, c->comm);
}

// Y (dofs x rows) of the batch: M^-1 H^T at its dofs, on rank `from`.
static PetscErrorCode solve_batch(const share_general *g, const batch_rows *b, int from, Mat B,
                                  Mat X, double *Y) {
  const share *s = g->s;
  int width = s->dim * BATCH;
  PetscScalar *x;
  PetscInt lead;
  PetscCall(MatZeroEntries(B));
  PetscCall(MatDenseGetArray(B, &x));
  PetscCall(MatDenseGetLDA(B, &lead));
  for (int e = 0; e < b->entries; e++) {
    int64_t at = b->dof[b->place[e]] - s->first_dof;
    if (at >= 0 && at < s->own_dofs) x[(int64_t)lead * b->row[e] + at] += b->x[e];
  }
  PetscCall(MatDenseRestoreArray(B, &x));
  PetscCall(KSPMatSolve(g->mass, B, X));
  PetscCall(MatDenseGetArray(X, &x));
  PetscCall(MatDenseGetLDA(X, &lead));
  memset(Y, 0, sizeof *Y * (size_t)b->dofs * (size_t)width);
  for (int k = 0; k < b->dofs; k++) {
    int64_t at = b->dof[k] - s->first_dof;
    for (int j = 0; j < width && at >= 0 && at < s->own_dofs; j++)
      Y[(int64_t)width * k + j] = x[(int64_t)lead * j + at];
  }
  PetscCall(MatDenseRestoreArray(X, &x));
  MPI_Reduce(s->c->rank == from ? MPI_IN_PLACE : Y, Y, b->dofs * width, MPI_DOUBLE, MPI_SUM, from,
             s->c->comm);
  return 0;
}

static void fill_blocks(const share *s, const batch_rows *b, const double *Y, double *blocks) {
  int dim = s->dim, width = dim * BATCH;
  for (int e = 0; e < b->entries; e++) {
    int contact = b->row[e] / dim, k = b->row[e] % dim;
    for (int l = 0; l < dim; l++)
      blocks[dim * dim * contact + dim * k + l] +=
          b->x[e] * Y[(int64_t)width * b->place[e] + dim * contact + l];
  }
}

static PetscErrorCode find_blocks(share_general *g) {
  share *s = g->s;
  const ranks *c = s->c;
  int width = s->dim * BATCH;
  Mat B, X;
  PetscCall(MatCreateDense(c->comm, (PetscInt)s->own_dofs, PETSC_DECIDE, (PetscInt)s->dofs, width,
                           NULL, &B));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  for (int64_t domain = 0; domain < s->domains; domain++) {
    int from = ranks_owner(s->domains, c->size, domain), nc = 0;
    share_domain *d = from == c->rank ? &s->domain[domain - s->first_domain] : NULL;
    if (d) nc = d->p.nc;
    MPI_Bcast(&nc, 1, MPI_INT, from, c->comm);
    double *blocks = RANKS_TAKE(c, s->dim * s->dim * (nc + BATCH), double);
    for (int at = 0; at < nc; at += BATCH) {
      batch_rows b = {.contacts = nc - at < BATCH ? nc - at : BATCH};
      if (d) fill_batch(s, d, at, &b);
      tell_batch(c, from, &b);
      double *Y = RANKS_TAKE(c, (int64_t)b.dofs * width, double);
      PetscCall(solve_batch(g, &b, from, B, X, Y));
      if (d) fill_blocks(s, &b, Y, blocks + s->dim * s->dim * at);
      free(Y);
      free(b.dof);
      free(b.row);
      free(b.place);
      free(b.x);
    }
    if (d) ssi_block_lambda_max(s->dim, nc, blocks, d->lambda);
    free(blocks);
  }
  PetscCall(MatDestroy(&B));
  return MatDestroy(&X);
}

ss_error share_general_lambda(share_general *g) {
  return share_petsc_failed(g->s->c, find_blocks(g), "the diagonal blocks of W");
}
