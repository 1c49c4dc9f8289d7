// The order of bodies along a Morton curve, and who owns which range of it.
//
// The key of a body has the bits of the cells of its centre in turn, 21 of each axis; equal keys go by numbers. Ranges
// are given by their first keys. A body whose key has left the range of its rank goes to the owner with all it has;
// ranges themselves are chosen anew every so many steps, so that each has its part of the counted work: 1 for a body
// and 1 for each of its contacts. What is computed depends on the order only, not on the ranges.
//
// Bodies travel by MPI's all-to-all (ranks_send_on): PetscSF wants to know on the receiving side what comes from where,
// which here only the sender knows.
#include <math.h>
#include <stdlib.h>

#include "mpi/crowd.h"

enum { AXIS_BITS = 21 };

// The lowest 21 bits, two places between each and the next.
static uint64_t spread(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x001f00000000ffffu;
  x = (x | x << 16) & 0x001f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t key_of(const crowd *m, const double x[3]) {
  const double most = (1 << AXIS_BITS) - 1;
  uint64_t key = 0;
  for (int k = 0; k < 3; k++) {
    double cell = floor((x[k] - m->origin[k]) / m->edge) + (1 << (AXIS_BITS - 1));
    key |= spread((uint64_t)fmin(fmax(cell, 0), most)) << k;
  }
  return key;
}

static int by_curve(const void *a, const void *b) {
  const crowd_body *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int by_contact(const void *a, const void *b) {
  const crowd_reaction *x = a, *y = b;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static int owner_of(const crowd *m, uint64_t key) {
  int low = 0, high = m->c->size - 1;  // the last with split <= key
  while (low < high) {
    int middle = low + (high - low + 1) / 2;
    if (m->split[middle] <= key)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

typedef struct address {
  int number, to;
} address;

static int by_number(const void *a, const void *b) {
  const address *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

// Where things go, by their places in an array.
typedef struct destinations {
  const char *first;
  size_t size;
  const int *to;
} destinations;

static int destination_of(const void *user, const void *item) {
  const destinations *d = user;
  return d->to[(size_t)((const char *)item - d->first) / d->size];
}

// Reactions go with the body a.
static void send_reactions(crowd *m, address *where) {
  crowd_bodies *b = &m->mine;
  int *to = RANKS_TAKE(m->c, b->reactions, int);
  qsort(where, (size_t)b->count, sizeof *where, by_number);
  for (int64_t k = 0, at = 0; k < b->reactions; k++) {
    while (at < b->count - 1 && where[at].number < b->reaction[k].a) at++;
    to[k] = where[at].to;
    m->counts.bytes += to[k] == m->c->rank ? 0 : (int64_t)sizeof *b->reaction;
  }
  destinations d = {(const char *)b->reaction, sizeof *b->reaction, to};
  b->reaction =
      ranks_send_on(m->c, b->reaction, sizeof *b->reaction, destination_of, &d, &b->reactions);
  qsort(b->reaction, (size_t)b->reactions, sizeof *b->reaction, by_contact);
  free(to);
}

static void set_keys(crowd *m) {
  for (int64_t k = 0; k < m->mine.count; k++)
    m->mine.body[k].key = key_of(m, m->mine.body[k].pose.x);
}

static void sort_bodies(crowd *m) {
  qsort(m->mine.body, (size_t)m->mine.count, sizeof *m->mine.body, by_curve);
}

static void migrate(crowd *m) {
  crowd_bodies *b = &m->mine;
  address *where = RANKS_TAKE(m->c, b->count, address);
  int *to = RANKS_TAKE(m->c, b->count, int), any = 0;
  for (int64_t k = 0; k < b->count; k++) {
    to[k] = owner_of(m, b->body[k].key);
    where[k] = (address){b->body[k].number, to[k]};
    any += to[k] != m->c->rank;
  }
  *(m->split_anew ? &m->counts.shifted : &m->counts.migrated) += any;
  m->split_anew = false;
  m->counts.bytes += any * (int64_t)sizeof *b->body;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, m->c->comm);
  if (any) {
    send_reactions(m, where);
    destinations d = {(const char *)b->body, sizeof *b->body, to};
    b->body = ranks_send_on(m->c, b->body, sizeof *b->body, destination_of, &d, &b->count);
  }
  free(where);
  free(to);
  sort_bodies(m);
}

// Work of the bodies of this rank with keys below `key`; sum[k]: of the first k.
static int64_t work_below(const crowd *m, const int64_t *sum, uint64_t key) {
  int64_t low = 0, high = m->mine.count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (m->mine.body[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return sum[low];
}

// split[r]: the least key with r/size of the work below it, by bisection of all keys at once.
static void choose_splits(crowd *m) {
  int n = m->c->size;
  int64_t *sum = RANKS_TAKE(m->c, m->mine.count + 1, int64_t),
          *below = RANKS_TAKE(m->c, n, int64_t);
  uint64_t *high = RANKS_TAKE(m->c, n, uint64_t);
  for (int64_t k = 0; k < m->mine.count; k++) sum[k + 1] = sum[k] + 1 + m->mine.body[k].work;
  int64_t total = sum[m->mine.count];
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, m->c->comm);
  for (int r = 0; r < n; r++) m->split[r] = 0, high[r] = (uint64_t)1 << (3 * AXIS_BITS);
  for (int bit = 0; bit <= 3 * AXIS_BITS; bit++) {
    for (int r = 0; r < n; r++)
      below[r] = work_below(m, sum, m->split[r] + (high[r] - m->split[r]) / 2);
    MPI_Allreduce(MPI_IN_PLACE, below, n, MPI_INT64_T, MPI_SUM, m->c->comm);
    for (int r = 0; r < n; r++) {
      uint64_t middle = m->split[r] + (high[r] - m->split[r]) / 2;
      if (below[r] >= ranks_first(total, n, r))
        high[r] = middle;
      else
        m->split[r] = middle;
    }
  }
  for (int r = 0; r < n; r++) m->split[r] = r ? high[r] : 0;
  m->split[n] = UINT64_MAX;
  free(sum);
  free(below);
  free(high);
}

void crowd_partition(crowd *m) {
  set_keys(m);
  sort_bodies(m);
  choose_splits(m);
  m->split_anew = true;
}

void crowd_place(crowd *m, int64_t *first) {
  set_keys(m);
  migrate(m);
  *first = 0;
  MPI_Exscan(&m->mine.count, first, 1, MPI_INT64_T, MPI_SUM, m->c->comm);
  if (m->c->rank == 0) *first = 0;
}
