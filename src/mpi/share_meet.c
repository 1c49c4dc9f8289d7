// The copies of a dof meet at its owner, and those of a shared one again at the rank that has most of them, which gives
// each a slot, by domains: what is on that rank already need not travel.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_masses.h"

typedef struct arrival {
  int64_t dof;
  int domain, place;  // which of all domains, which dof in it
} arrival;

typedef struct met {
  int domain, place, copies, slot, rank;  // rank: which has the slot
} met;

static int by_dof(const void *a, const void *b) {
  const arrival *x = a, *y = b;
  if (x->dof != y->dof) return x->dof < y->dof ? -1 : 1;
  return (x->domain > y->domain) - (x->domain < y->domain);
}

static int rank_of_arrival(const void *user, const void *item) {
  const share *s = user;
  return ranks_owner(s->dofs, s->c->size, ((const arrival *)item)->dof);
}

static arrival *announce(share *s, int64_t *count) {
  int64_t at = 0;
  *count = 0;
  if (s->domains > INT_MAX) ranks_die(s->c, 4, "more than %d domains; make them larger", INT_MAX);
  for (int k = 0; k < s->count; k++) *count += s->domain[k].p.ndof;
  arrival *out = RANKS_TAKE(s->c, *count, arrival);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++) {
      s->domain[k].copies[j] = 1;
      s->domain[k].leaf[j] = -1;
      out[at++] = (arrival){s->domain[k].dof[j], (int)s->domain[k].number, j};
    }
  out = ranks_send_on(s->c, out, sizeof *out, rank_of_arrival, s, count);
  qsort(out, (size_t)*count, sizeof *out, by_dof);
  return out;
}

static int rank_of_domain(const share *s, int64_t domain) {
  return ranks_owner(s->domains, s->c->size, domain);
}

static int64_t end_of_dof(const arrival *all, int64_t from, int64_t count) {
  int64_t end = from + 1;
  while (end < count && all[end].dof == all[from].dof) end++;
  return end;
}

// The rank that has most of these copies, which are by domains; of equals the first.
static int host_of(const share *s, const arrival *copies, int64_t count) {
  int host = -1;
  int64_t most = 0;
  for (int64_t k = 0, end; k < count; k = end) {
    int rank = rank_of_domain(s, copies[k].domain);
    for (end = k + 1; end < count && rank_of_domain(s, copies[end].domain) == rank;) end++;
    if (end - k > most) most = end - k, host = rank;
  }
  return host;
}

// Copies that are not the only ones, of the dofs whose host this rank is; takes `all`.
static arrival *find_hosts(share *s, arrival *all, int64_t *count) {
  int64_t shared = 0;
  int *to = RANKS_TAKE(s->c, *count, int);
  s->touched = RANKS_TAKE(s->c, s->own_dofs, bool);
  for (int64_t k = 0, end; k < *count; k = end) {
    end = end_of_dof(all, k, *count);
    s->touched[all[k].dof - s->first_dof] = true;
    if (end - k < 2) continue;
    int host = host_of(s, all + k, end - k);
    for (int64_t j = k; j < end; j++) {
      all[shared] = all[j];
      to[shared++] = host;
    }
  }
  arrival *hosted = ranks_exchange(s->c, all, sizeof *all, to, shared, count);
  free(all);
  free(to);
  qsort(hosted, (size_t)*count, sizeof *hosted, by_dof);
  return hosted;
}

// Slots for the copies that meet here; those who have them hear of it.
static met *give_slots(share *s, const arrival *all, int64_t count, int64_t *received) {
  met *out = RANKS_TAKE(s->c, count, met);
  int *to = RANKS_TAKE(s->c, count, int);
  s->slot_first = RANKS_TAKE(s->c, count / 2 + 1, int);
  for (int64_t k = 0, end; k < count; k = end) {
    end = end_of_dof(all, k, count);
    for (int64_t j = k; j < end; j++) {
      to[s->slot_count] = rank_of_domain(s, all[j].domain);
      out[s->slot_count] =
          (met){all[j].domain, all[j].place, (int)(end - k), s->slot_count, s->c->rank};
      s->slot_count++;
    }
    s->slot_first[++s->shared] = s->slot_count;
  }
  met *got = ranks_exchange(s->c, out, sizeof *out, to, count, received);
  free(out);
  free(to);
  return got;
}

static void connect(share *s, const met *got, int64_t count) {
  PetscSFNode *remote = RANKS_TAKE(s->c, count, PetscSFNode);
  for (int64_t k = 0; k < count; k++) {
    share_domain *d = &s->domain[got[k].domain - s->first_domain];
    d->copies[got[k].place] = got[k].copies;
    remote[s->leaves] = (PetscSFNode){got[k].rank, got[k].slot};
    d->leaf[got[k].place] = s->leaves++;
    s->bytes_sent += got[k].rank == s->c->rank ? 0 : (int64_t)sizeof(double);
  }
  s->leaf = RANKS_TAKE(s->c, s->leaves, double);
  s->slot = RANKS_TAKE(s->c, s->slot_count, double);
  if (PetscSFCreate(s->c->comm, &s->slots) ||
      PetscSFSetGraph(s->slots, s->slot_count, s->leaves, NULL, PETSC_COPY_VALUES, remote,
                      PETSC_COPY_VALUES) ||
      PetscSFSetUp(s->slots))
    ranks_die(s->c, 4, "PETSc could not connect the domains");
  free(remote);
}

void share_meet(share *s) {
  int64_t count, replies;
  arrival *all = announce(s, &count);
  all = find_hosts(s, all, &count);
  met *got = give_slots(s, all, count, &replies);
  free(all);
  connect(s, got, replies);
  free(got);
}

// ---- sums ----------------------------------------------------------------------------------

static void to_slots(share *s, const double *leaf) {
  if (PetscSFReduceBegin(s->slots, MPI_DOUBLE, leaf, s->slot, MPI_REPLACE) ||
      PetscSFReduceEnd(s->slots, MPI_DOUBLE, leaf, s->slot, MPI_REPLACE))
    ranks_die(s->c, 4, "an exchange between domains failed");
}

static void to_leaves(share *s, double *leaf) {
  if (PetscSFBcastBegin(s->slots, MPI_DOUBLE, s->slot, leaf, MPI_REPLACE) ||
      PetscSFBcastEnd(s->slots, MPI_DOUBLE, s->slot, leaf, MPI_REPLACE))
    ranks_die(s->c, 4, "an exchange between domains failed");
}

void share_sum(share *s) {
  to_slots(s, s->leaf);
  for (int k = 0; k < s->shared; k++) {
    double sum = 0;
    for (int j = s->slot_first[k]; j < s->slot_first[k + 1]; j++) sum += s->slot[j];
    for (int j = s->slot_first[k]; j < s->slot_first[k + 1]; j++) s->slot[j] = sum;
  }
  to_leaves(s, s->leaf);
}

void share_least(share *s) {
  to_slots(s, s->leaf);
  for (int k = 0; k < s->shared; k++) {
    double least = s->slot[s->slot_first[k]];
    for (int j = s->slot_first[k]; j < s->slot_first[k + 1]; j++) least = fmin(least, s->slot[j]);
    for (int j = s->slot_first[k]; j < s->slot_first[k + 1]; j++) s->slot[j] = least;
  }
  to_leaves(s, s->leaf);
}

void share_sum_pairs(share *s, ssi_dd *pairs) {
  ssi_dd *all = RANKS_TAKE(s->c, s->slot_count, ssi_dd);
  for (int part = 0; part < 2; part++) {
    for (int k = 0; k < s->leaves; k++) s->leaf[k] = part ? pairs[k].lo : pairs[k].hi;
    to_slots(s, s->leaf);
    for (int k = 0; k < s->slot_count; k++) *(part ? &all[k].lo : &all[k].hi) = s->slot[k];
  }
  for (int k = 0; k < s->shared; k++) {
    ssi_dd sum = ssi_dd_from(0);
    for (int j = s->slot_first[k]; j < s->slot_first[k + 1]; j++) sum = ssi_dd_add(sum, all[j]);
    for (int j = s->slot_first[k]; j < s->slot_first[k + 1]; j++) all[j] = sum;
  }
  for (int part = 0; part < 2; part++) {
    for (int k = 0; k < s->slot_count; k++) s->slot[k] = part ? all[k].lo : all[k].hi;
    to_leaves(s, s->leaf);
    for (int k = 0; k < s->leaves; k++) *(part ? &pairs[k].lo : &pairs[k].hi) = s->leaf[k];
  }
  free(all);
}

double *share_of_domains(const share *s, const double *mine, int width) {
  const ranks *c = s->c;
  double *all = RANKS_TAKE(c, s->domains * width, double);
  int *counts = RANKS_TAKE(c, c->size, int), *at = RANKS_TAKE(c, c->size, int);
  for (int k = 0; k < c->size; k++) {
    int64_t first = ranks_first(s->domains, c->size, k);
    at[k] = (int)(width * first);
    counts[k] = (int)(width * (ranks_first(s->domains, c->size, k + 1) - first));
  }
  MPI_Allgatherv(mine, width * s->count, MPI_DOUBLE, all, counts, at, MPI_DOUBLE, c->comm);
  free(counts);
  free(at);
  return all;
}

void share_add_domains(const share *s, const double *mine, int width, double *sum) {
  double *all = share_of_domains(s, mine, width);
  for (int j = 0; j < width; j++) sum[j] = 0;
  for (int64_t k = 0; k < s->domains; k++)
    for (int j = 0; j < width; j++) sum[j] += all[width * k + j];
  free(all);
}
