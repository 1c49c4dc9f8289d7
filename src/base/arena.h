// base/arena.h - memory that lives as long as one object, taken piece by piece, released at once.
#pragma once

#include "stickslip/base.h"

typedef struct ssi_chunk ssi_chunk;

typedef struct ssi_arena {
  ss_context *ctx;
  ssi_chunk *chunks;
  bool failed;  // sticky: setup takes everything it needs, then looks here once
  bool sealed;  // set before the first step; taking memory after that is a bug (assert)
} ssi_arena;

void *ssi_arena_take(ssi_arena *a, size_t count,
                     size_t size);  // zeroed, 64-byte aligned; NULL once failed
void ssi_arena_release(ssi_arena *a);
void ssi_arena_reset(ssi_arena *a);  // releases, and is as new: neither failed nor sealed

#define SSI_TAKE(arena, count, type) ((type *)ssi_arena_take(arena, (size_t)(count), sizeof(type)))

// Memory for a while: one block through the context's hooks, not zeroed. NULL on failure.
void *ssi_alloc(ss_context *ctx, size_t count, size_t size);
void ssi_release(ss_context *ctx, void *mem);  // NULL allowed
