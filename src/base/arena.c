#define _DEFAULT_SOURCE  // madvise
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { ALIGNMENT = 64 };  // a cache line, and enough for any vector unit

// The first chunk is small, since most objects are, and further ones are larger. What needs more gets a
// chunk of its own. Everything does under AddressSanitizer, so that it sees every overrun, and in unit
// tests (SSI_PIECES), so that every single piece can fail.
#if defined(__SANITIZE_ADDRESS__) || defined(SSI_PIECES)
enum { FIRST_CHUNK = 0, LARGEST_CHUNK = 0 };
#else
enum { FIRST_CHUNK = 1 << 10, LARGEST_CHUNK = 1 << 16 };
#endif

struct ssi_chunk {
  ssi_chunk *next;
  size_t size, used;  // bytes behind the header, from the first aligned one on
};

void *ssi_alloc(ss_context *ctx, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) return NULL;
  size_t bytes = count * size;
  if (bytes == 0) bytes = 1;  // so that NULL always means failure
  return ctx && ctx->alloc ? ctx->alloc(ctx->user, bytes) : malloc(bytes);
}

void ssi_release(ss_context *ctx, void *mem) {
  if (!mem) return;
  if (ctx && ctx->release)
    ctx->release(ctx->user, mem);
  else
    free(mem);
}

bool ssi_grow(ss_context *ctx, void *array, size_t *room, size_t need, size_t kept, size_t size) {
  if (need <= *room) return true;
  size_t wanted = need / 2 + need;
  void *old, *more = wanted < need ? NULL : ssi_alloc(ctx, wanted, size);
  if (!more) return false;
  memcpy(&old, array, sizeof old);  // a pointer to anything
  if (kept) memcpy(more, old, kept * size);
  ssi_release(ctx, old);
  memcpy(array, &more, sizeof more);
  *room = wanted;
  return true;
}

// Sweeps run through large arrays: 2 MB pages save address translations, 10 to 15 % of a sweep on a
// pile of 10^5 contacts. Asks for them wherever a whole one fits into the block; only a hint.
static void ask_for_large_pages(void *block, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t page = (uintptr_t)2 << 20;
  uintptr_t from = ((uintptr_t)block + page - 1) / page * page,
            to = ((uintptr_t)block + bytes) / page * page;
  if (bytes >= 4 * page && to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
  (void)block, (void)bytes;
#endif
}

// ---- chunks --------------------------------------------------------------------------------

static size_t rounded_up(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// The smallest spare one that fits, the oldest of these: the same takes find the same chunks again, and
// smaller ones leave the large chunks for what needs them.
static ssi_chunk *spare_chunk(ssi_arena *a, size_t bytes) {
  ssi_chunk **best = NULL;
  for (ssi_chunk **at = &a->spare; *at; at = &(*at)->next)
    if ((*at)->size >= bytes && (!best || (*at)->size < (*best)->size)) best = at;
  if (!best) return NULL;
  ssi_chunk *c = *best;
  *best = c->next;
  return c;
}

static ssi_chunk *next_chunk(ssi_arena *a, size_t bytes) {
  size_t usual = a->chunks ? 4 * a->chunks->size : FIRST_CHUNK;
  if (usual > LARGEST_CHUNK) usual = LARGEST_CHUNK;
  size_t size = bytes < usual ? usual : bytes, all = sizeof(ssi_chunk) + ALIGNMENT + size;
  ssi_chunk *c = spare_chunk(a, size);
  if (!c) c = spare_chunk(a, bytes);
  if (!c) {
    c = ssi_alloc(a->ctx, all, 1);
    if (!c) return NULL;
    ask_for_large_pages(c, all);
    c->size = size;
  }
  c->used = 0;
  c->next = a->chunks;
  return a->chunks = c;
}

void *ssi_arena_take(ssi_arena *a, size_t count, size_t size) {
  assert(!a->sealed);
  if (a->failed || (size && count > SIZE_MAX / 2 / size)) {
    a->failed = true;
    return NULL;
  }
  size_t bytes = rounded_up(count * size);
  ssi_chunk *c = a->chunks;
  if (!c || c->size - c->used < bytes) c = next_chunk(a, bytes);
  if (!c) {
    a->failed = true;
    return NULL;
  }
  char *data = (char *)rounded_up((uintptr_t)(c + 1)) + c->used;
  c->used += bytes;
  return memset(data, 0, bytes);
}

// ---- giving back ---------------------------------------------------------------------------

ssi_mark ssi_arena_mark(const ssi_arena *a) {
  return (ssi_mark){a->chunks, a->chunks ? a->chunks->used : 0};
}

void ssi_arena_rewind(ssi_arena *a, ssi_mark to) {
  while (a->chunks != to.chunk) {
    ssi_chunk *c = a->chunks;
    a->chunks = c->next;
    c->next = a->spare;  // the oldest comes first, as it is asked for again
    a->spare = c;
  }
  if (a->chunks) a->chunks->used = to.used;
}

void ssi_arena_reset(ssi_arena *a) {
  ssi_arena_rewind(a, (ssi_mark){0});
  a->failed = a->sealed = false;
}

void ssi_arena_release(ssi_arena *a) {
  ssi_arena_reset(a);
  for (ssi_chunk *c = a->spare, *next; c; c = next) {
    next = c->next;
    ssi_release(a->ctx, c);
  }
  a->spare = NULL;
}

void ssi_arena_release_home(ssi_arena copy) {
  ssi_arena_release(&copy);
}
