// Who needs a copy of which body.
//
// Two bodies may touch within the step only if cubes of half-edge  extent + near/2 + reach  about their centres
// overlap, and then both cubes are in some cell of a grid. Every rank tells the cells that its bodies' cubes are in to
// those cells' homes, by a hash, with a box about the cubes in each; the home tells each of them who else is there; and
// a body goes to a rank where its cube overlaps that rank's box in one of its cells. Cubes in more than MANY cells are
// told to everyone: their bodies go to all ranks, and what overlaps them to their owners. More ghosts than needed
// change nothing: pairs are decided by the two bodies alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/crowd.h"

enum { MANY = 4096, CELL_BITS = 21 };

typedef struct cube {
  double low[3], high[3];
} cube;

typedef struct cells {  // of one cube: from .. to on each axis
  int64_t from[3], to[3];
} cells;

typedef struct sighting {  // of a rank in a cell: a box about its cubes there
  uint64_t cell;
  int rank, told;  // told: who hears of it
  cube box;
} sighting;

typedef struct ghost_grid {
  const crowd *m;
  double edge, reach;
} ghost_grid;

static cube cube_of(const ghost_grid *g, const crowd_body *b) {
  const ssi_world *w = &g->m->world;
  double half = w->body[b->number].extent + w->length.near / 2 + g->reach;
  cube out;
  for (int k = 0; k < 3; k++) out.low[k] = b->pose.x[k] - half, out.high[k] = b->pose.x[k] + half;
  return out;
}

static bool overlap(const cube *a, const cube *b) {
  for (int k = 0; k < 3; k++)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

static cells cells_of(const ghost_grid *g, const cube *c) {
  const double most = (1 << CELL_BITS) - 1, middle = 1 << (CELL_BITS - 1);
  const double *o = g->m->origin;
  cells out;
  for (int k = 0; k < 3; k++) {
    out.from[k] = (int64_t)fmin(fmax(floor((c->low[k] - o[k]) / g->edge) + middle, 0), most);
    out.to[k] = (int64_t)fmin(fmax(floor((c->high[k] - o[k]) / g->edge) + middle, 0), most);
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

// The cells that bodies of this rank are in, ascending, each once; for free().
static sighting *own_cells(const ghost_grid *g, int64_t *count) {
  const crowd_bodies *b = &g->m->mine;
  uint64_t name[MANY];
  sighting *all = NULL;
  size_t room = 0;
  int64_t at = 0, kept = 0;
  for (int64_t k = 0; k < b->count; k++) {
    cube c = cube_of(g, b->body + k);
    cells in = cells_of(g, &c);
    int n = how_many(&in) < 0 ? 0 : list_cells(&in, name);
    if (!ssi_grow(g->m->c->ctx, &all, &room, (size_t)(at + n), (size_t)at, sizeof *all))
      ranks_die(g->m->c, 4, "out of memory for the cells of %lld bodies", (long long)b->count);
    for (int i = 0; i < n; i++) all[at++] = (sighting){name[i], g->m->c->rank, -1, c};
  }
  if (at) qsort(all, (size_t)at, sizeof *all, by_cell);
  for (int64_t k = 0; k < at; k++) {
    if (!kept || all[k].cell != all[kept - 1].cell) {
      all[kept++] = all[k];
      continue;
    }
    cube *box = &all[kept - 1].box;
    for (int i = 0; i < 3; i++) {
      box->low[i] = fmin(box->low[i], all[k].box.low[i]);
      box->high[i] = fmax(box->high[i], all[k].box.high[i]);
    }
  }
  *count = kept;
  return all;
}

static int home_of(const ranks *c, uint64_t cell) {
  uint64_t h = cell * 0x9e3779b97f4a7c15u;
  return (int)((h >> 33) % (uint64_t)c->size);
}

static int64_t end_of_cell(const sighting *seen, int64_t count, int64_t k) {
  int64_t end = k + 1;
  while (end < count && seen[end].cell == seen[k].cell) end++;
  return end;
}

// At the homes of cells: everyone in a cell hears of everyone else there.
static sighting *introduce(const ranks *c, const sighting *seen, int64_t told, int64_t *count) {
  int64_t pairs = 0, at = 0;
  for (int64_t k = 0, end; k < told; k = end) {
    end = end_of_cell(seen, told, k);
    pairs += (end - k) * (end - k - 1);
  }
  sighting *out = RANKS_TAKE(c, pairs, sighting);
  int *to = RANKS_TAKE(c, pairs, int);
  for (int64_t k = 0, end; k < told; k = end) {
    end = end_of_cell(seen, told, k);
    for (int64_t i = k; i < end; i++)
      for (int64_t j = k; j < end; j++) {
        if (i == j) continue;
        out[at] = seen[j];
        to[at++] = seen[i].rank;
      }
  }
  sighting *mine = ranks_exchange(c, out, sizeof *out, to, pairs, count);
  free(out);
  free(to);
  return mine;
}

// For every cell of this rank who else is in it: by cells; for free().
static sighting *meet_others(crowd *m, const ghost_grid *g, int64_t *count) {
  const ranks *c = m->c;
  int64_t own, told;
  sighting *out = own_cells(g, &own);
  int *to = RANKS_TAKE(c, own, int);
  for (int64_t k = 0; k < own; k++) {
    to[k] = home_of(c, out[k].cell);
    m->counts.bytes += to[k] == c->rank ? 0 : (int64_t)sizeof *out;
  }
  sighting *seen = ranks_exchange(c, out, sizeof *out, to, own, &told);
  ssi_release(c->ctx, out);
  free(to);
  qsort(seen, (size_t)told, sizeof *seen, by_cell);
  sighting *mine = introduce(c, seen, told, count);
  free(seen);
  qsort(mine, (size_t)*count, sizeof *mine, by_cell);
  return mine;
}

// The cubes of all ranks that are in too many cells; for free().
static sighting *large_ones(const ghost_grid *g, int *count) {
  const ranks *c = g->m->c;
  const crowd_bodies *b = &g->m->mine;
  int mine = 0, *counts = RANKS_TAKE(c, c->size, int), *at = RANKS_TAKE(c, c->size, int);
  sighting *own = RANKS_TAKE(c, b->count, sighting);
  for (int64_t k = 0; k < b->count; k++) {
    cube box = cube_of(g, b->body + k);
    cells in = cells_of(g, &box);
    if (how_many(&in) < 0) own[mine++] = (sighting){0, c->rank, -1, box};
  }
  MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, c->comm);
  *count = 0;
  for (int r = 0; r < c->size; r++) at[r] = *count, *count += counts[r];
  sighting *all = RANKS_TAKE(c, *count, sighting);
  MPI_Datatype type;
  MPI_Type_contiguous((int)sizeof *all, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Allgatherv(own, mine, type, all, counts, at, type, c->comm);
  MPI_Type_free(&type);
  free(own);
  free(counts);
  free(at);
  return all;
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

typedef struct known_others {
  const sighting *met, *large;
  int64_t count;
  int large_count;
} known_others;

// Marks the ranks that have a box in one of the body's cells which its cube overlaps; sent[r] is k + 1 then.
static void find_takers(const ghost_grid *g, const known_others *o, const crowd_body *b, int64_t k,
                        int64_t *sent) {
  uint64_t own[MANY];
  cube c = cube_of(g, b);
  cells in = cells_of(g, &c);
  bool everywhere = how_many(&in) < 0;
  int n = everywhere ? 0 : list_cells(&in, own);
  for (int r = 0; r < g->m->c->size && everywhere; r++) sent[r] = k + 1;
  for (int i = 0; i < o->large_count; i++)
    if (overlap(&c, &o->large[i].box)) sent[o->large[i].rank] = k + 1;
  for (int i = 0; i < n; i++) {
    int64_t low = 0, high = o->count;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (o->met[middle].cell < own[i])
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < o->count && o->met[low].cell == own[i]; low++)
      if (overlap(&c, &o->met[low].box)) sent[o->met[low].rank] = k + 1;
  }
}

crowd_peer *crowd_ghosts(crowd *m, int64_t first, double reach, int64_t *count) {
  const ranks *c = m->c;
  if (c->size == 1) return *count = 0, RANKS_TAKE(c, 0, crowd_peer);
  ghost_grid g = {m, 4 * (m->extent + m->world.length.near / 2 + reach), reach};
  int64_t *sent = RANKS_TAKE(c, c->size, int64_t);
  known_others o;
  sighting *met = meet_others(m, &g, &o.count), *large = large_ones(&g, &o.large_count);
  o.met = met, o.large = large;
  letters l = {0};
  for (int64_t k = 0; k < m->mine.count; k++) {
    find_takers(&g, &o, m->mine.body + k, k, sent);
    for (int r = 0; r < c->size; r++)
      if (sent[r] == k + 1 && r != c->rank) send_to(m, &l, m->mine.body + k, first + k, r);
  }
  crowd_peer *got = ranks_exchange(c, l.peer, sizeof *l.peer, l.to, (int64_t)l.count, count);
  m->counts.ghosts += *count;
  m->counts.bytes += (int64_t)(l.count * sizeof *l.peer);
  ssi_release(c->ctx, l.peer);
  ssi_release(c->ctx, l.to);
  free(met);
  free(large);
  free(sent);
  return got;
}
