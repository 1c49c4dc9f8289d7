#include "problem/colour.h"

#include <string.h>

enum {
  LARGEST =
      2048,  // contacts in a chunk; at 10^5 contacts a sweep by chunks of 2048 takes 1 % longer than
             // one in natural order, of 512 5 %, of 128 15 %
  IN_A_COLOUR = 8  // chunks, on average
};

typedef struct work {
  const ssi_bodies *bodies;  // one of the two
  const ssi_delassus *W;
  uint64_t *used;  // colours that meet at a dof, or that a chunk is coupled to
  signed char *colour;
} work;

static int last_of(const ssi_colouring *c, int chunk) {
  int64_t end = (int64_t)c->size * (chunk + 1);
  return end < c->nc ? (int)end : c->nc;
}

_Static_assert(SSI_COLOURS == 64, "one bit of a word for each colour");
static int lowest_free(uint64_t taken) {  // -1: none
  return taken == UINT64_MAX ? -1 : __builtin_ctzll(~taken);
}

static int colour_by_bodies(const work *t, const ssi_colouring *c, int chunk) {
  const ssi_bodies *b = t->bodies;
  int64_t from = b->run_ptr[c->size * chunk], to = b->run_ptr[last_of(c, chunk)];
  uint64_t taken = 0;
  for (int64_t k = from; k < to; k++)
    for (int d = b->run[k].start; d < b->run[k].start + b->run[k].length; d++) taken |= t->used[d];
  int colour = lowest_free(taken);
  for (int64_t k = from; colour >= 0 && k < to; k++)
    for (int d = b->run[k].start; d < b->run[k].start + b->run[k].length; d++)
      t->used[d] |= (uint64_t)1 << colour;
  return colour;
}

// used[] of a chunk: colours of those that read its reactions; a row of W may name a contact that does not
// name it back.
static int colour_by_blocks(const work *t, const ssi_colouring *c, int chunk) {
  const ssi_delassus *W = t->W;
  int64_t from = W->ptr[c->size * chunk], to = W->ptr[last_of(c, chunk)];
  uint64_t taken = t->used[chunk];
  for (int64_t k = from; k < to; k++) {
    int other = W->col[k] / c->size;
    if (other < chunk && t->colour[other] >= 0) taken |= (uint64_t)1 << t->colour[other];
  }
  int colour = lowest_free(taken);
  for (int64_t k = from; colour >= 0 && k < to; k++)
    t->used[W->col[k] / c->size] |= (uint64_t)1 << colour;
  return colour;
}

// First fit in the order of the chunks. Returns how many are left without a colour.
static int colour_chunks(const work *t, int size, ssi_colouring *c) {
  int left = 0;
  c->size = size;
  c->chunks = (c->nc + size - 1) / size;
  c->colours = 0;
  int marks = t->bodies ? t->bodies->ndof : c->chunks;
  memset(t->used, 0, sizeof *t->used * (size_t)marks);
  for (int k = 0; k < c->chunks; k++) {
    int colour = t->bodies ? colour_by_bodies(t, c, k) : colour_by_blocks(t, c, k);
    t->colour[k] = (signed char)colour;
    if (colour >= c->colours) c->colours = colour + 1;
    left += colour < 0;
  }
  return left;
}

static void sort_by_colour(const work *t, ssi_colouring *c) {
  int used = 0;
  for (int colour = 0; colour < c->colours; colour++) {
    c->first[colour] = used;
    for (int k = 0; k < c->chunks; k++)
      if (t->colour[k] == colour) c->order[used++] = k;
  }
  c->first[c->colours] = used;
  for (int k = 0; k < c->chunks; k++)
    if (t->colour[k] < 0) c->order[used++] = k;
}

static bool colour(ssi_arena *arena, work t, int nc, ssi_colouring *out) {
  size_t marks = t.bodies && t.bodies->ndof > nc ? (size_t)t.bodies->ndof : (size_t)nc;
  *out = (ssi_colouring){.nc = nc};
  t.used = ssi_alloc(arena->ctx, marks, sizeof *t.used);
  t.colour = ssi_alloc(arena->ctx, (size_t)nc, sizeof *t.colour);
  bool ok = t.used && t.colour;
  for (int size = LARGEST; ok; size /= 2) {
    int left = colour_chunks(&t, size, out);
    if (size == 1 || (out->chunks >= IN_A_COLOUR * out->colours && left * 16 <= out->chunks)) break;
  }
  if (ok) {
    out->first = SSI_TAKE(arena, out->colours + 1, int);
    out->order = SSI_TAKE(arena, out->chunks, int);
    ok = !arena->failed;
  }
  if (ok) sort_by_colour(&t, out);
  ssi_release(arena->ctx, t.used);
  ssi_release(arena->ctx, t.colour);
  return ok;
}

bool ssi_colour_bodies(ssi_arena *arena, const ssi_bodies *b, ssi_colouring *out) {
  return colour(arena, (work){.bodies = b}, b->nc, out);
}

bool ssi_colour_blocks(ssi_arena *arena, const ssi_delassus *W, ssi_colouring *out) {
  return colour(arena, (work){.W = W}, W->nc, out);
}
