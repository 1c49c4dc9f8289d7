#include "mpi/share_order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/scotch_order.h"
#include "mpi/share_masses.h"
#include "solvers/contact_order.h"
#include "solvers/domains.h"

// ---- how bad the order is ------------------------------------------------------------------

// Entries of H are sorted by rows. The distinct dofs of rows `from` to before `to` of this rank; how many.
static int64_t distinct_dofs(const ranks *c, const share_source *from, int64_t begin, int64_t end,
                             int64_t **dof) {
  int64_t *x = RANKS_TAKE(c, end - begin, int64_t);
  for (int64_t e = begin; e < end; e++) x[e - begin] = from->H[e].col;
  *dof = x;
  return share_unique(x, end - begin);
}

// Where the entries of each contact of this rank begin.
static int64_t *contact_entries(const share *s, const share_source *from) {
  int64_t *ptr = RANKS_TAKE(s->c, s->nc + 1, int64_t);
  for (int64_t e = 0; e < from->H_count; e++) ptr[from->H[e].row / s->dim - s->first_contact + 1]++;
  for (int64_t i = 0; i < s->nc; i++) ptr[i + 1] += ptr[i];
  return ptr;
}

typedef struct known_dof {
  int64_t dof;
} known_dof;

static int rank_of_dof(const void *user, const void *item) {
  const share *s = user;
  return ranks_owner(s->dofs, s->c->size, ((const known_dof *)item)->dof);
}

// Copies of dofs in all domains, and dofs that any domain has.
static void count_copies(const share *s, const share_source *from, const int64_t *ptr,
                         int64_t count[2]) {
  const ranks *c = s->c;
  int64_t first = ranks_first(s->dofs, c->size, c->rank);
  bool *mine = RANKS_TAKE(c, ranks_first(s->dofs, c->size, c->rank + 1) - first, bool);
  int most = s->count;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, c->comm);
  count[0] = count[1] = 0;
  for (int k = 0; k < most; k++) {
    known_dof *dof = NULL;
    int64_t found = 0, begin = 0, end = 0, *x;
    if (k < s->count) {
      int64_t at = ssi_domain_first(s->contacts, s->domains, s->first_domain + k);
      int64_t to = ssi_domain_first(s->contacts, s->domains, s->first_domain + k + 1);
      begin = ptr[at - s->first_contact], end = ptr[to - s->first_contact];
    }
    found = distinct_dofs(c, from, begin, end, &x);
    count[0] += found;
    dof = (known_dof *)x;
    dof = ranks_send_on(c, dof, sizeof *dof, rank_of_dof, s, &found);
    for (int64_t j = 0; j < found; j++) {
      count[1] += !mine[dof[j].dof - first];
      mine[dof[j].dof - first] = true;
    }
    free(dof);
  }
  free(mine);
  MPI_Allreduce(MPI_IN_PLACE, count, 2, MPI_INT64_T, MPI_SUM, c->comm);
}

// ---- the new order -------------------------------------------------------------------------

// All contacts with their dofs, on rank 0; elsewhere nothing.
static ssi_touches gather_touches(const share *s, const share_source *from, const int64_t *ptr) {
  const ranks *c = s->c;
  int *dof = RANKS_TAKE(c, from->H_count, int), *sizes = RANKS_TAKE(c, s->nc, int);
  int *counts = RANKS_TAKE(c, 4 * c->size, int), *at = counts + c->size;
  int *entries = counts + 2 * c->size, *entry_at = counts + 3 * c->size, kept = 0;
  for (int64_t i = 0; i < s->nc; i++) {
    int64_t *x, found = distinct_dofs(c, from, ptr[i], ptr[i + 1], &x);
    for (int64_t k = 0; k < found; k++) dof[kept++] = (int)x[k];
    sizes[i] = (int)found;
    free(x);
  }
  MPI_Gather(&kept, 1, MPI_INT, entries, 1, MPI_INT, 0, c->comm);
  int own = (int)s->nc, total = 0;
  MPI_Gather(&own, 1, MPI_INT, counts, 1, MPI_INT, 0, c->comm);
  for (int k = 0; k < c->size && c->rank == 0; k++) {
    at[k] = k ? at[k - 1] + counts[k - 1] : 0;
    entry_at[k] = total;
    total += entries[k];
  }
  ssi_touches t = {.nc = (int)s->contacts, .ndof = (int)s->dofs};
  t.dof = RANKS_TAKE(c, total, int);
  t.ptr = RANKS_TAKE(c, c->rank ? 0 : s->contacts + 1, int64_t);
  int *all = RANKS_TAKE(c, c->rank ? 0 : s->contacts, int);
  MPI_Gatherv(dof, kept, MPI_INT, t.dof, entries, entry_at, MPI_INT, 0, c->comm);
  MPI_Gatherv(sizes, own, MPI_INT, all, counts, at, MPI_INT, 0, c->comm);
  for (int64_t i = 0; i < s->contacts && c->rank == 0; i++) t.ptr[i + 1] = t.ptr[i] + all[i];
  free(all);
  free(dof);
  free(sizes);
  free(counts);
  return t;
}

// order (contacts) of rank 0 becomes that of all; whether it is one to take.
static ss_error find_order(const share *s, const share_source *from, const int64_t *ptr,
                           double size, bool bad, int64_t before, int *order, bool *better) {
  const ranks *c = s->c;
  ssi_touches t = gather_touches(s, from, ptr);
  ss_error e = SS_OK;
  for (int i = 0; i < t.nc && c->rank == 0; i++) order[i] = i;
  if (c->rank == 0 && bad) e = ssi_order_by_halves(c->ctx, &t, order);
  if (c->rank == 0 && from->by_scotch && !e) e = share_scotch_order(c->ctx, &t, s->domains, order);
  int64_t after = c->rank || e ? 0 : ssi_order_copies(c->ctx, &t, order, size);
  if (after < 0) e = SS_ERR_MEMORY;
  free(t.ptr);
  free(t.dof);
  SS_TRY(ranks_agree(c, e));
  int take = from->by_scotch || ssi_order_is_better(after, before);
  MPI_Bcast(&take, 1, MPI_INT, 0, c->comm);
  if (take) MPI_Bcast(order, (int)s->contacts, MPI_INT, 0, c->comm);
  *better = take;
  return SS_OK;
}

// ---- moving --------------------------------------------------------------------------------

typedef struct contact_parcel {
  int64_t place;  // of a contact in the other order
  double x[4];
} contact_parcel;

static int rank_of_place(const void *user, const void *item) {
  const share *s = user;
  return ranks_owner(s->domains, s->c->size,
                     ssi_domain_of(s->contacts, s->domains, ((const contact_parcel *)item)->place));
}

static void carry(const share *s, contact_parcel *items, int width, double *to) {
  int64_t count = s->nc;
  items = ranks_send_on(s->c, items, sizeof *items, rank_of_place, s, &count);
  for (int64_t k = 0; k < count; k++)
    memcpy(to + width * (items[k].place - s->first_contact), items[k].x,
           sizeof *to * (size_t)width);
  free(items);
}

// place[k]: where contact k of this rank is to go
static void carry_to(const share *s, const int64_t *place, int width, const double *from,
                     double *to) {
  contact_parcel *items = RANKS_TAKE(s->c, s->nc, contact_parcel);
  for (int64_t k = 0; k < s->nc; k++) {
    items[k].place = place[k];
    memcpy(items[k].x, from + width * k, sizeof *from * (size_t)width);
  }
  carry(s, items, width, to);
}

void share_reorder(const share *s, bool to_file, int width, const double *from, double *to) {
  if (!s->number) {
    memcpy(to, from, sizeof *to * (size_t)(width * s->nc));
  } else if (to_file) {
    carry_to(s, s->number, width, from, to);
  } else {  // each asks for its own: the file's places learn who wants them
    double *wanted = RANKS_TAKE(s->c, s->nc, double), *asks = RANKS_TAKE(s->c, s->nc, double);
    for (int64_t k = 0; k < s->nc; k++) asks[k] = (double)(s->first_contact + k);
    carry_to(s, s->number, 1, asks, wanted);
    int64_t *place = RANKS_TAKE(s->c, s->nc, int64_t);
    for (int64_t k = 0; k < s->nc; k++) place[k] = (int64_t)wanted[k];  // exact: below 2^53
    carry_to(s, place, width, from, to);
    free(place);
    free(wanted);
    free(asks);
  }
}

// position[i]: place of contact i of the file
static void move_source(share *s, share_source *from, const int *order) {
  int *position = RANKS_TAKE(s->c, s->contacts, int);
  for (int64_t k = 0; k < s->contacts; k++) position[order[k]] = (int)k;
  for (int64_t e = 0; e < from->H_count; e++)
    from->H[e].row = s->dim * (int64_t)position[from->H[e].row / s->dim] + from->H[e].row % s->dim;
  s->number = RANKS_TAKE(s->c, s->nc, int64_t);
  for (int64_t k = 0; k < s->nc; k++) s->number[k] = order[s->first_contact + k];
  int64_t *place = RANKS_TAKE(s->c, s->nc, int64_t);
  for (int64_t k = 0; k < s->nc; k++) place[k] = position[s->first_contact + k];
  free(position);
  double *w = RANKS_TAKE(s->c, s->dim * s->nc, double), *mu = RANKS_TAKE(s->c, s->nc, double);
  carry_to(s, place, s->dim, from->w, w);
  carry_to(s, place, 1, from->mu, mu);
  free(place);
  free(from->w);
  free(from->mu);
  from->w = w;
  from->mu = mu;
}

ss_error share_renumber(share *s, share_source *from, double size) {
  const ranks *c = s->c;
  bool too_many = s->dofs > INT_MAX || s->contacts > INT_MAX / 64;
  if (from->by_scotch && too_many)
    return ssi_fail(c->ctx, SS_ERR_METHOD, "--order scotch: more than %d contacts or %d dofs",
                    INT_MAX / 64, INT_MAX);
  if (from->as_numbered || s->domains < 2 || too_many) return SS_OK;
  int64_t *ptr = contact_entries(s, from), count[2];
  ss_error e = SS_OK;
  count_copies(s, from, ptr, count);
  bool bad = ssi_order_is_bad(count[0], count[1]);
  if (from->by_scotch || bad) {
    int *order = RANKS_TAKE(c, s->contacts, int);
    bool better;
    e = find_order(s, from, ptr, size, bad, count[0], order, &better);
    if (!e && better) move_source(s, from, order);
    free(order);
  }
  free(ptr);
  return e;
}
