// Points of an atlas that are known, found by their coordinates: a table with open addressing. Coordinates are told
// apart by their bits, which the same axes give again.
#include <string.h>

#include "analysis/atlas.h"
#include "base/error.h"

struct ss_atlas_known {
  ss_context ctx;  // hooks only
  ssi_kinds *kinds;
  ssi_kinds_view view;
  ssi_known_point *table;  // kind -1: free
  size_t room, count;      // room: a power of two, or 0
};

static ss_error no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the points of an atlas");
}

ss_error ss_atlas_known_create(ss_context *ctx, ss_atlas_known **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: the known points are NULL");
  *out = NULL;
  ss_atlas_known *k = ssi_alloc(ctx, 1, sizeof *k);
  if (!k) return no_memory(ctx);
  *k = (ss_atlas_known){.room = 0};
  if (ctx) k->ctx = (ss_context){.alloc = ctx->alloc, .release = ctx->release, .user = ctx->user};
  k->kinds = ssi_kinds_create(&k->ctx);
  k->view = (ssi_kinds_view){.kinds = k->kinds, .ctx = &k->ctx};
  if (!k->kinds) return ssi_release(ctx, k), no_memory(ctx);
  *out = k;
  return SS_OK;
}

void ss_atlas_known_destroy(ss_atlas_known *k) {
  if (!k) return;
  ssi_kinds_view_release(&k->view);
  ssi_kinds_destroy(k->kinds);
  ss_context ctx = k->ctx;
  ssi_release(&ctx, k->table);
  ssi_release(&ctx, k);
}

static uint64_t mix(uint64_t x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Where the point is, or where it goes.
static ssi_known_point *place_of(ssi_known_point *table, size_t room, double x, double y) {
  uint64_t a = bits_of(x), b = bits_of(y);
  for (size_t at = mix(mix(a) + b);; at++) {
    ssi_known_point *p = &table[at & (room - 1)];
    if (p->kind < 0 || (bits_of(p->x) == a && bits_of(p->y) == b)) return p;
  }
}

const ssi_known_point *ssi_known_at(const ss_atlas_known *k, double x, double y) {
  if (!k->room) return NULL;
  const ssi_known_point *p = place_of(k->table, k->room, x, y);
  return p->kind < 0 ? NULL : p;
}

const ssi_kinds *ssi_known_kinds(const ss_atlas_known *k) {
  return k->kinds;
}

// At most half of the table is used.
static bool make_room(ss_atlas_known *k, size_t more) {
  size_t room = k->room ? k->room : 1024;
  while (room / 2 < k->count + more) room *= 2;
  if (room == k->room) return true;
  ssi_known_point *table = ssi_alloc(&k->ctx, room, sizeof *table);
  if (!table) return false;
  for (size_t i = 0; i < room; i++) table[i].kind = -1;
  for (size_t i = 0; i < k->room; i++)
    if (k->table[i].kind >= 0) *place_of(table, room, k->table[i].x, k->table[i].y) = k->table[i];
  ssi_release(&k->ctx, k->table);
  k->table = table, k->room = room;
  return true;
}

static ss_error find_kinds(ss_context *ctx, ss_atlas_known *k, const ss_atlas_points *found,
                           int *ids) {
  for (int i = 0; i < found->kind_count; i++) {
    bool wrong = false;
    ids[i] = ssi_kinds_find_text(&k->view, found->kinds[i], &wrong);
    if (wrong)
      return ssi_fail(ctx, SS_ERR_FORMAT, "block %d: kind %d is '%.40s', which is none",
                      found->block, i, found->kinds[i]);
    if (ids[i] < 0) return no_memory(ctx);
  }
  return SS_OK;
}

static ss_error add_points(ss_context *ctx, ss_atlas_known *k, const ss_atlas_points *found,
                           const int *ids) {
  for (int i = 0; i < found->count; i++)
    if (found->kind[i] < 0 || found->kind[i] >= found->kind_count)
      return ssi_fail(ctx, SS_ERR_FORMAT, "block %d: point %d is of kind %d, expected 0 .. %d",
                      found->block, i, found->kind[i], found->kind_count - 1);
  if (!make_room(k, (size_t)found->count)) return no_memory(ctx);
  for (int i = 0; i < found->count; i++) {
    ssi_known_point *p = place_of(k->table, k->room, found->x[i], found->y[i]);
    if (p->kind >= 0) continue;
    *p = (ssi_known_point){found->x[i], found->y[i], ids[found->kind[i]], found->unsettled[i]};
    k->count++;
  }
  return SS_OK;
}

static bool are_whole(const ss_atlas_points *p) {
  bool points = p->x && p->y && p->kind && p->unsettled;
  return p->count >= 0 && p->kind_count >= 0 && (points || !p->count) &&
         (p->kinds || !p->kind_count);
}

ss_error ss_atlas_known_add(ss_context *ctx, ss_atlas_known *k, const ss_atlas_points *found) {
  if (!k || !found || !are_whole(found))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: points are NULL, or their number is negative");
  int *ids = ssi_alloc(ctx, (size_t)found->kind_count + 1, sizeof *ids);
  if (!ids) return no_memory(ctx);
  ss_error e = find_kinds(ctx, k, found, ids);
  if (!e) e = add_points(ctx, k, found, ids);
  ssi_release(ctx, ids);
  return e;
}
