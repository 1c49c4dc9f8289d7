// base/arena.h - memory that lives as long as one object, taken piece by piece, released at once.
#pragma once

#include "stickslip/base.h"

typedef struct ssi_chunk ssi_chunk;

typedef struct ssi_arena {
  ss_context *ctx;
  ssi_chunk *chunks;  // in use, the last one first
  ssi_chunk *spare;   // used before; taken again before anything is asked for
  bool failed;        // sticky: setup takes everything it needs, then looks here once
  bool sealed;        // set before the first step; taking memory after that is a bug (assert)
} ssi_arena;

void *ssi_arena_take(ssi_arena *a, size_t count,
                     size_t size);  // zeroed, 64-byte aligned; NULL once failed

// Both leave it as new, neither failed nor sealed.
void ssi_arena_reset(ssi_arena *a);           // keeps the memory for what is taken next
void ssi_arena_release(ssi_arena *a);         // gives it back
void ssi_arena_release_home(ssi_arena copy);  // so does this; for one inside what it holds itself

#define SSI_TAKE(arena, count, type) ((type *)ssi_arena_take(arena, (size_t)(count), sizeof(type)))

// What is taken between a mark and the way back to it is for a while only.
typedef struct ssi_mark {
  ssi_chunk *chunk;
  size_t used;
} ssi_mark;
ssi_mark ssi_arena_mark(const ssi_arena *a);
void ssi_arena_rewind(ssi_arena *a, ssi_mark to);

// Memory for a while: one block through the context's hooks, not zeroed. NULL on failure.
void *ssi_alloc(ss_context *ctx, size_t count, size_t size);
void ssi_release(ss_context *ctx, void *mem);  // NULL allowed

// Makes room in *array (array: the address of a pointer), which ssi_release frees, for `need` things of `size` bytes, half as much again
// when it has to grow; the first `kept` stay. false: no memory, and nothing has changed.
bool ssi_grow(ss_context *ctx, void *array, size_t *room, size_t need, size_t kept, size_t size);
