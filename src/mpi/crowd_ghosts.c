// Who needs a copy of which body.
//
// Two bodies may touch within the step only if cubes of half-edge  extent + near/2 + reach  about their centres overlap,
// and then both cubes are in some cell of a grid. Every rank tells the cells that its bodies' cubes are in to those
// cells' homes, by a hash; the home tells each of them who else is there; and bodies go to all ranks that share a cell
// with them. A body in more than MANY cells goes to everyone. More ghosts than needed change nothing: pairs are decided
// by the two bodies alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/crowd.h"

enum { MANY = 4096, CELL_BITS = 21 };

typedef struct cells {  // of one body: from .. to on each axis
  int64_t from[3], to[3];
} cells;

typedef struct sighting {
  uint64_t cell;
  int rank, other;
} sighting;

typedef struct ghost_grid {
  const crowd *m;
  double edge, reach;
} ghost_grid;

static cells cells_of(const ghost_grid *g, const crowd_body *b) {
  const ssi_world *w = &g->m->world;
  double half = w->body[b->number].extent + w->length.near / 2 + g->reach;
  const double most = (1 << CELL_BITS) - 1;
  cells out;
  for (int k = 0; k < 3; k++) {
    double middle = 1 << (CELL_BITS - 1), at = b->pose.x[k] - g->m->origin[k];
    out.from[k] = (int64_t)fmin(fmax(floor((at - half) / g->edge) + middle, 0), most);
    out.to[k] = (int64_t)fmin(fmax(floor((at + half) / g->edge) + middle, 0), most);
  }
  return out;
}

static int64_t how_many(const cells *c) {
  double n = 1;
  for (int k = 0; k < 3; k++) n *= (double)(c->to[k] - c->from[k] + 1);
  return n > MANY ? -1 : (int64_t)n;
}

static uint64_t cell_name(int64_t x, int64_t y, int64_t z) {
  return (uint64_t)x | (uint64_t)y << CELL_BITS | (uint64_t)z << (2 * CELL_BITS);
}

// The cells of a body into out, which has room for MANY; how many.
static int list_cells(const cells *c, uint64_t *out) {
  int count = 0;
  for (int64_t z = c->from[2]; z <= c->to[2]; z++)
    for (int64_t y = c->from[1]; y <= c->to[1]; y++)
      for (int64_t x = c->from[0]; x <= c->to[0]; x++) out[count++] = cell_name(x, y, z);
  return count;
}

static int by_cell(const void *a, const void *b) {
  const sighting *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// The cells that bodies of this rank are in, ascending, each once; for free().
static uint64_t *own_cells(const ghost_grid *g, int64_t *count) {
  const crowd_bodies *b = &g->m->mine;
  int64_t room = 0;
  for (int64_t k = 0; k < b->count; k++) {
    cells c = cells_of(g, b->body + k);
    int64_t n = how_many(&c);
    room += n < 0 ? 0 : n;
  }
  uint64_t *all = RANKS_TAKE(g->m->c, room + MANY, uint64_t);
  int64_t at = 0, kept = 0;
  for (int64_t k = 0; k < b->count; k++) {
    cells c = cells_of(g, b->body + k);
    if (how_many(&c) >= 0) at += list_cells(&c, all + at);
  }
  qsort(all, (size_t)at, sizeof *all, by_value);
  for (int64_t k = 0; k < at; k++)
    if (k == 0 || all[k] != all[k - 1]) all[kept++] = all[k];
  *count = kept;
  return all;
}

static int home_of(const ranks *c, uint64_t cell) {
  uint64_t h = cell * 0x9e3779b97f4a7c15u;
  return (int)((h >> 33) % (uint64_t)c->size);
}

// For every cell of this rank who else is in it: by cells; for free().
static sighting *meet_others(const ghost_grid *g, int64_t *count) {
  const ranks *c = g->m->c;
  int64_t own, told, pairs = 0, at = 0;
  uint64_t *cell = own_cells(g, &own);
  sighting *out = RANKS_TAKE(c, own, sighting);
  int *to = RANKS_TAKE(c, own, int);
  for (int64_t k = 0; k < own; k++) {
    out[k] = (sighting){cell[k], c->rank, -1};
    to[k] = home_of(c, cell[k]);
  }
  sighting *seen = ranks_exchange(c, out, sizeof *out, to, own, &told);
  free(cell);
  free(out);
  free(to);
  qsort(seen, (size_t)told, sizeof *seen, by_cell);
  for (int64_t k = 0, end; k < told; k = end) {
    for (end = k + 1; end < told && seen[end].cell == seen[k].cell;) end++;
    pairs += (end - k) * (end - k - 1);
  }
  out = RANKS_TAKE(c, pairs, sighting);
  to = RANKS_TAKE(c, pairs, int);
  for (int64_t k = 0, end; k < told; k = end) {
    for (end = k + 1; end < told && seen[end].cell == seen[k].cell;) end++;
    for (int64_t i = k; i < end; i++)
      for (int64_t j = k; j < end; j++)
        if (i != j) {
          out[at] = (sighting){seen[k].cell, seen[i].rank, seen[j].rank};
          to[at++] = seen[i].rank;
        }
  }
  sighting *mine = ranks_exchange(c, out, sizeof *out, to, pairs, count);
  free(seen);
  free(out);
  free(to);
  qsort(mine, (size_t)*count, sizeof *mine, by_cell);
  return mine;
}

typedef struct letters {
  crowd_peer *peer;
  int *to;
  size_t count, room, room_to;
} letters;

static void send_to(const crowd *m, letters *l, const crowd_body *b, int64_t place, int rank) {
  if (!ssi_grow(m->c->ctx, &l->peer, &l->room, l->count + 1, l->count, sizeof *l->peer) ||
      !ssi_grow(m->c->ctx, &l->to, &l->room_to, l->count + 1, l->count, sizeof *l->to))
    ranks_die(m->c, 4, "out of memory for %zu ghosts", l->count);
  crowd_peer *p = l->peer + l->count;
  *p = (crowd_peer){.number = b->number, .owner = m->c->rank, .place = place, .pose = b->pose};
  memcpy(p->v, b->v, sizeof p->v);
  l->to[l->count++] = rank;
}

// Marks the ranks that are in one of the body's cells; sent[r] is k + 1 then.
static void find_takers(const ghost_grid *g, const sighting *others, int64_t count, const crowd_body *b,
                        int64_t k, int64_t *sent) {
  uint64_t own[MANY];
  cells c = cells_of(g, b);
  int n = how_many(&c) < 0 ? 0 : list_cells(&c, own);
  for (int r = 0; r < g->m->c->size && how_many(&c) < 0; r++) sent[r] = k + 1;
  for (int i = 0; i < n; i++) {
    int64_t low = 0, high = count;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (others[middle].cell < own[i])
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < count && others[low].cell == own[i]; low++) sent[others[low].other] = k + 1;
  }
}

crowd_peer *crowd_ghosts(crowd *m, int64_t first, double reach, int64_t *count) {
  const ranks *c = m->c;
  if (c->size == 1) return *count = 0, RANKS_TAKE(c, 0, crowd_peer);
  ghost_grid g = {m, 8 * (m->extent + m->world.length.near / 2 + reach), reach};
  int64_t met, *sent = RANKS_TAKE(c, c->size, int64_t);
  sighting *others = meet_others(&g, &met);
  letters l = {0};
  for (int64_t k = 0; k < m->mine.count; k++) {
    find_takers(&g, others, met, m->mine.body + k, k, sent);
    for (int r = 0; r < c->size; r++)
      if (sent[r] == k + 1 && r != c->rank) send_to(m, &l, m->mine.body + k, first + k, r);
  }
  crowd_peer *got =
      ranks_exchange(c, l.peer, sizeof *l.peer, l.to, (int64_t)l.count, count);
  m->counts.ghosts += *count;
  m->counts.bytes += (int64_t)(l.count * sizeof *l.peer);
  ssi_release(c->ctx, l.peer);
  ssi_release(c->ctx, l.to);
  free(others);
  free(sent);
  return got;
}
