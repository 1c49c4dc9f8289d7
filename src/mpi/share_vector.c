// A type of vectors of our own would be some fifty functions; VECMPI, whose duplicates have its table of functions, is
// given other ones for its sums. Split reductions (VecDotBegin and the like), which SNES uses, add what the `local` ones
// give over ranks: rank 0 gives all of it there and the others nothing.
#include "mpi/share_vector.h"

#include <math.h>
#include <petsc/private/vecimpl.h>
#include <stdlib.h>

#include "la/vector.h"

static const char *const SHARE = "stickslip share";

static PetscErrorCode share_of(Vec x, share **out) {
  PetscContainer holder;
  PetscCall(PetscObjectQuery((PetscObject)x, SHARE, (PetscObject *)&holder));
  PetscCheck(holder, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "a vector without its share");
  return PetscContainerGetPointer(holder, (void **)out);
}

// out[j] = x . y[j]
static PetscErrorCode products(Vec x, PetscInt count, const Vec y[], PetscScalar *out) {
  share *s;
  const double *a, *b;
  PetscCall(share_of(x, &s));
  double *mine = RANKS_TAKE(s->c, (int64_t)count * s->count, double);
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt j = 0; j < count; j++) {
    PetscCall(VecGetArrayRead(y[j], &b));
    for (int k = 0; k < s->count; k++) {
      const share_domain *d = &s->domain[k];
      int64_t at = d->r - s->r;
      mine[count * k + j] = ssi_dot((int64_t)s->dim * d->p.nc, a + at, b + at);
    }
    PetscCall(VecRestoreArrayRead(y[j], &b));
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  double *all = share_of_domains(s, mine, count);
  for (PetscInt j = 0; j < count; j++) out[j] = 0;
  for (int64_t k = 0; k < s->domains; k++)
    for (PetscInt j = 0; j < count; j++) out[j] += all[count * k + j];
  free(mine);
  free(all);
  return 0;
}

static PetscErrorCode product(Vec x, Vec y, PetscScalar *out) {
  return products(x, 1, &y, out);
}

static PetscErrorCode norm(Vec x, NormType type, PetscReal *out) {
  PetscCheck(type == NORM_2, PETSC_COMM_SELF, PETSC_ERR_SUP, "a norm that is not |x|_2");
  PetscCall(products(x, 1, &x, out));
  *out = sqrt(*out);
  return 0;
}

static PetscErrorCode keep_at_first(Vec x, PetscInt count, PetscScalar *out) {
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)x), &rank));
  for (PetscInt j = 0; j < count && rank; j++) out[j] = 0;
  return 0;
}

static PetscErrorCode local_products(Vec x, PetscInt count, const Vec y[], PetscScalar *out) {
  PetscCall(products(x, count, y, out));
  return keep_at_first(x, count, out);
}

static PetscErrorCode local_product(Vec x, Vec y, PetscScalar *out) {
  return local_products(x, 1, &y, out);
}

static PetscErrorCode local_norm(Vec x, NormType type, PetscReal *out) {
  PetscCall(norm(x, type, out));
  return keep_at_first(x, 1, out);
}

PetscErrorCode share_vector_create(share *s, Vec *out) {
  PetscContainer holder;
  PetscCall(VecCreateMPI(s->c->comm, (PetscInt)(s->dim * s->nc), (PetscInt)(s->dim * s->contacts),
                         out));  // VECMPI on one rank as well
  PetscCall(PetscContainerCreate(s->c->comm, &holder));
  PetscCall(PetscContainerSetPointer(holder, s));
  PetscCall(PetscObjectCompose((PetscObject)*out, SHARE, (PetscObject)holder));
  PetscCall(PetscContainerDestroy(&holder));
  struct _VecOps *ops = (*out)->ops;
  ops->dot = ops->tdot = product;
  ops->mdot = ops->mtdot = products;
  ops->norm = norm;
  ops->dot_local = ops->tdot_local = local_product;
  ops->mdot_local = ops->mtdot_local = local_products;
  ops->norm_local = local_norm;
  ops->dotnorm2 = NULL;  // PETSc then takes two products
  return 0;
}
