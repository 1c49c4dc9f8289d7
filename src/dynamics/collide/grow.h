// dynamics/collide/grow.h - arrays that are kept from step to step and grow when a step needs more; and
// asking for memory some turns of a loop before it is touched.
#pragma once

#include <string.h>

#include "base/arena.h"

// Makes room for `need` elements, half as many again to spare; the first `keep` stay. false: no
// memory, and the array is as before.
static inline bool ssi_grow(ss_context *ctx, void **array, size_t *capacity, size_t need,
                            size_t keep, size_t size) {
  if (need <= *capacity) return true;
  size_t wanted = need + need / 2 < need ? need : need + need / 2;
  void *fresh = ssi_alloc(ctx, wanted, size);
  if (!fresh) return false;
  if (keep) memcpy(fresh, *array, keep * size);
  ssi_release(ctx, *array);
  *array = fresh;
  *capacity = wanted;
  return true;
}

#if defined(__GNUC__)
#define SSI_PREFETCH(address) __builtin_prefetch(address)
#else
#define SSI_PREFETCH(address) (void)(address)
#endif
