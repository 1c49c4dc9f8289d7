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
  share_add_domains(s, mine, count, out);
  free(mine);
  return 0;
}

static PetscErrorCode product(Vec x, Vec y, PetscScalar *out) {
  return products(x, 1, &y, out);
}

// |x|_1
static PetscErrorCode sum_of_sizes(Vec x, PetscReal *out) {
  share *s;
  const double *a;
  PetscCall(share_of(x, &s));
  double *mine = RANKS_TAKE(s->c, s->count, double);
  PetscCall(VecGetArrayRead(x, &a));
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->dim * s->domain[k].p.nc; i++)
      mine[k] += fabs(a[(s->domain[k].r - s->r) + i]);
  PetscCall(VecRestoreArrayRead(x, &a));
  share_add_domains(s, mine, 1, out);
  free(mine);
  return 0;
}

static PetscErrorCode largest(Vec x, PetscReal *out) {
  const double *a;
  PetscInt n;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  *out = ssi_largest(n, a);
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)x)));
  return 0;
}

static PetscErrorCode norm(Vec x, NormType type, PetscReal *out) {
  if (type == NORM_INFINITY) return largest(x, out);
  if (type == NORM_1 || type == NORM_1_AND_2) PetscCall(sum_of_sizes(x, out));
  if (type == NORM_1) return 0;
  if (type == NORM_1_AND_2) out++;
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
  return keep_at_first(x, type == NORM_1_AND_2 ? 2 : 1, out);
}

// y = a x + b y. BLAS's axpy fuses multiply and add on some processors, but not for the last few of an array.
static PetscErrorCode combine(Vec y, PetscScalar a, PetscScalar b, Vec x) {
  const double *from;
  double *to;
  PetscInt n;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt k = 0; k < n; k++) to[k] = b == 0 ? a * from[k] : a * from[k] + b * to[k];
  PetscCall(VecRestoreArray(y, &to));
  return VecRestoreArrayRead(x, &from);
}

static PetscErrorCode add(Vec y, PetscScalar a, Vec x) {
  return combine(y, a, 1, x);
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
  ops->axpy = add;
  ops->axpby = combine;
  ops->dot_local = ops->tdot_local = local_product;
  ops->mdot_local = ops->mtdot_local = local_products;
  ops->norm_local = local_norm;
  ops->dotnorm2 = NULL;  // PETSc then takes two products
  return 0;
}
