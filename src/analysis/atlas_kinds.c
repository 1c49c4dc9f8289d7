// Kinds of solution sets as bytes, so that two sets are of one kind if and only if the bytes agree:
//
//   nc, complete, count, then per solution, sorted: cells, dimension, unbounded, states of each cell
//
// (four bytes for nc, count and cells, one for the others). A solution that is isolated has one cell
// of dimension 0. Ids are given in the order of arrival, which depends on the threads: the caller
// orders kinds by what they are.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/atlas.h"

typedef struct kind_entry {
  unsigned char *bytes;
  size_t length;
} kind_entry;

struct ssi_kinds {
  ss_context ctx;  // hooks only
  pthread_mutex_t lock;
  kind_entry *entries;
  int count;
  size_t room;
};

ssi_kinds *ssi_kinds_create(ss_context *ctx) {
  ssi_kinds *k = ssi_alloc(ctx, 1, sizeof *k);
  if (!k) return NULL;
  *k = (ssi_kinds){.count = 0};
  if (ctx) k->ctx = (ss_context){.alloc = ctx->alloc, .release = ctx->release, .user = ctx->user};
  pthread_mutex_init(&k->lock, NULL);
  return k;
}

void ssi_kinds_destroy(ssi_kinds *k) {
  if (!k) return;
  ss_context ctx = k->ctx;
  for (int i = 0; i < k->count; i++) ssi_release(&ctx, k->entries[i].bytes);
  ssi_release(&ctx, k->entries);
  pthread_mutex_destroy(&k->lock);
  ssi_release(&ctx, k);
}

int ssi_kinds_count(const ssi_kinds *k) {
  return k->count;
}

// ---- bytes of a set -------------------------------------------------------------------------

static bool reserve(ssi_kinds_view *v, size_t more) {
  return ssi_grow(v->ctx, &v->bytes, &v->room, v->length + more, v->length, 1);
}

static void put_byte(ssi_kinds_view *v, int x) {
  v->bytes[v->length++] = (unsigned char)x;
}

static void put_int(ssi_kinds_view *v, int x) {  // high byte first: bytes sort as numbers do
  for (int shift = 24; shift >= 0; shift -= 8) put_byte(v, x >> shift & 255);
}

static int get_int(const unsigned char *bytes) {
  return (int)((unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 |
               bytes[3]);
}

static bool is_unbounded(const ss_component *c) {
  for (int k = 0; k < c->cell_count; k++)
    if (c->cells[k].ray_count) return true;
  return false;
}

static int compare_states(const void *a, const void *b, int nc) {
  const ss_cell_state *x = a, *y = b;
  for (int i = 0; i < nc; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

// Cells in increasing order of their states, by repeated selection: there are few.
static void put_cells(ssi_kinds_view *v, const ss_component *c, int nc) {
  const ss_cell_state *before = NULL;
  int put = 0;
  while (put < c->cell_count) {
    const ss_cell_state *least = NULL;
    int same = 0;
    for (int k = 0; k < c->cell_count; k++) {
      const ss_cell_state *s = c->cells[k].states;
      if (before && compare_states(s, before, nc) <= 0) continue;
      int order = least ? compare_states(s, least, nc) : -1;
      if (order < 0) least = s, same = 0;
      if (order <= 0) same++;
    }
    for (; same > 0; same--, put++)
      for (int i = 0; i < nc; i++) put_byte(v, (int)least[i]);
    before = least;
  }
}

static bool begin_block(ssi_kinds_view *v, int nc, int cells, int dimension, bool unbounded) {
  if (!reserve(v, 6 + (size_t)cells * (size_t)nc)) return false;
  put_int(v, cells);
  put_byte(v, dimension);
  put_byte(v, unbounded);
  return true;
}

static bool put_isolated(ssi_kinds_view *v, const ss_cell_state *states, int nc) {
  if (!begin_block(v, nc, 1, 0, false)) return false;
  for (int i = 0; i < nc; i++) put_byte(v, (int)states[i]);
  return true;
}

static bool put_component(ssi_kinds_view *v, const ss_component *c, int nc) {
  if (c->isolated) return put_isolated(v, c->states, nc);
  if (!begin_block(v, nc, c->cell_count, c->dimension, is_unbounded(c))) return false;
  put_cells(v, c, nc);
  return true;
}

enum { HEAD = 9 };

static bool put_head(ssi_kinds_view *v, int nc, bool complete, int count) {
  v->length = 0;
  if (!reserve(v, HEAD)) return false;
  put_int(v, nc);
  put_byte(v, complete);
  put_int(v, count);
  return true;
}

static size_t block_length(const unsigned char *block, int nc) {
  return 6 + (size_t)get_int(block) * (size_t)nc;
}

static int compare_blocks(const unsigned char *a, const unsigned char *b, int nc) {
  size_t n = block_length(a, nc), m = block_length(b, nc);
  int order = memcmp(a, b, n < m ? n : m);
  return order ? order : n < m ? -1 : n > m;
}

// Insertion sort of the blocks' starts, then a copy in that order behind the unsorted ones, moved down.
static bool sort_blocks(ssi_kinds_view *v, int count, int nc) {
  if (!ssi_grow(v->ctx, &v->order, &v->order_room, (size_t)count, 0, sizeof *v->order))
    return false;
  size_t at = HEAD, end = v->length;
  for (int k = 0; k < count; k++, at += block_length(v->bytes + at, nc)) {
    int i = k;
    for (; i > 0 && compare_blocks(v->bytes + v->order[i - 1], v->bytes + at, nc) > 0; i--)
      v->order[i] = v->order[i - 1];
    v->order[i] = at;
  }
  if (!reserve(v, end - HEAD)) return false;
  for (int k = 0; k < count; k++) {
    size_t length = block_length(v->bytes + v->order[k], nc);
    memcpy(v->bytes + v->length, v->bytes + v->order[k], length);
    v->length += length;
  }
  memmove(v->bytes + HEAD, v->bytes + end, v->length - end);
  v->length = end;
  return true;
}

static bool encode(ssi_kinds_view *v, const ss_solution_set *set) {
  if (!put_head(v, set->nc, set->complete, set->count)) return false;
  for (int k = 0; k < set->count; k++)
    if (!put_component(v, &set->components[k], set->nc)) return false;
  return set->count < 2 || sort_blocks(v, set->count, set->nc);
}

static bool encode_states(ssi_kinds_view *v, const ss_atlas_states *found) {
  if (!put_head(v, found->nc, found->complete, found->count)) return false;
  for (int k = 0; k < found->count; k++)
    if (!put_isolated(v, found->states + (size_t)k * (size_t)found->nc, found->nc)) return false;
  return found->count < 2 || sort_blocks(v, found->count, found->nc);
}

// ---- the table ------------------------------------------------------------------------------

static int find_locked(ssi_kinds *k, ssi_kinds_view *v) {
  for (int i = 0; i < k->count; i++)
    if (k->entries[i].length == v->length && memcmp(k->entries[i].bytes, v->bytes, v->length) == 0)
      return i;
  size_t count = (size_t)k->count;
  bool ok = ssi_grow(&k->ctx, &k->entries, &k->room, count + 1, count, sizeof *k->entries);
  unsigned char *copy = ok ? ssi_alloc(&k->ctx, v->length, 1) : NULL;
  if (!copy) return -1;
  memcpy(copy, v->bytes, v->length);
  k->entries[k->count] = (kind_entry){copy, v->length};
  return k->count++;
}

static int find_encoded(ssi_kinds_view *v) {
  if (v->last && v->last_length == v->length && memcmp(v->last, v->bytes, v->length) == 0)
    return v->last_kind;
  ssi_kinds *k = v->kinds;
  pthread_mutex_lock(&k->lock);
  int found = find_locked(k, v);
  if (found >= 0) v->last = k->entries[found].bytes;
  pthread_mutex_unlock(&k->lock);
  v->last_length = v->length;
  v->last_kind = found;
  if (found < 0) v->last = NULL;
  return found;
}

int ssi_kinds_find(ssi_kinds_view *v, const ss_solution_set *set) {
  return encode(v, set) ? find_encoded(v) : -1;
}

int ssi_kinds_find_states(ssi_kinds_view *v, const ss_atlas_states *found) {
  return encode_states(v, found) ? find_encoded(v) : -1;
}

int ssi_kinds_find_bytes(ssi_kinds_view *v, const unsigned char *bytes, size_t length) {
  v->length = 0;
  if (!reserve(v, length)) return -1;
  memcpy(v->bytes, bytes, length);
  v->length = length;
  return find_encoded(v);
}

const unsigned char *ssi_kinds_bytes(const ssi_kinds *k, int kind, size_t *length) {
  *length = k->entries[kind].length;
  return k->entries[kind].bytes;
}

void ssi_kinds_view_release(ssi_kinds_view *v) {
  ssi_release(v->ctx, v->bytes);
  ssi_release(v->ctx, v->order);
}

int ssi_kinds_compare(const ssi_kinds *k, int a, int b) {
  const kind_entry *x = &k->entries[a], *y = &k->entries[b];
  int order = memcmp(x->bytes, y->bytes, x->length < y->length ? x->length : y->length);
  return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

// How long the solution at `at` is, of `rest` bytes; 0: it is none.
static size_t whole_block(const unsigned char *at, size_t rest, size_t nc) {
  if (rest < 6 || at[0] > 127 || at[5] > 1) return 0;
  size_t cells = (size_t)get_int(at), most = nc ? (rest - 6) / nc : 1;
  if (cells < 1 || cells > most) return 0;
  size_t length = 6 + cells * nc;
  for (size_t k = 6; k < length; k++)
    if (at[k] > SS_CELL_SLIP_MINUS) return 0;
  return length;
}

bool ssi_kind_is_whole(const unsigned char *bytes, size_t length) {
  if (length < HEAD || bytes[0] > 127 || bytes[4] > 1 || bytes[5] > 127) return false;
  size_t at = HEAD, nc = (size_t)get_int(bytes);
  for (int k = get_int(bytes + 5); k > 0; k--) {
    size_t block = whole_block(bytes + at, length - at, nc);
    if (!block) return false;
    at += block;
  }
  return at == length;
}

bool ssi_kinds_decode(const ssi_kinds *k, int kind, ssi_arena *arena, ss_atlas_kind *out) {
  const unsigned char *at = k->entries[kind].bytes;
  int nc = get_int(at), count = get_int(at + 5);
  ss_atlas_solution *s = SSI_TAKE(arena, count ? count : 1, ss_atlas_solution);
  *out = (ss_atlas_kind){.nc = nc, .count = count, .complete = at[4], .solutions = s};
  at += HEAD;
  for (int i = 0; s && i < count; i++) {
    int cells = get_int(at), places = cells * nc;
    ss_cell_state *states = SSI_TAKE(arena, places ? places : 1, ss_cell_state);
    if (!states) return false;
    for (int p = 0; p < places; p++) states[p] = (ss_cell_state)at[6 + p];
    s[i] = (ss_atlas_solution){.isolated = at[4] == 0,
                               .unbounded = at[5],
                               .dimension = at[4],
                               .cell_count = cells,
                               .states = states};
    at += block_length(at, nc);
  }
  return s != NULL;
}
