// dynamics/collide/grow.h - arrays that are kept from step to step and grow when a step needs more (ssi_grow); and
// asking for memory some turns of a loop before it is touched.
#pragma once

#include <string.h>

#include "base/arena.h"  // ssi_grow

#if defined(__GNUC__)
#define SSI_PREFETCH(address) __builtin_prefetch(address)
#else
#define SSI_PREFETCH(address) (void)(address)
#endif
