// dynamics/collide/broad.h - pairs of boxes that overlap.
//
// Boxes are put into classes by their size, an octave each; each class is a grid with cells as
// large as its largest box, which a box enters by its centre. Boxes of one class that overlap are
// in the same or in adjacent cells; a box asks the grids of larger classes about the cells around
// it. So work is linear in the number of boxes as long as a cell holds a few. What is boundless, or
// alone in its class, is compared with everything.
#pragma once

#include <string.h>

#include "base/arena.h"
#include "base/arena.h"  // ssi_grow

typedef struct ssi_proxy {
  double low[3], high[3];  // may be infinite; 2D: z = 0
  int body, part;
  bool external;
  bool round;  // the ball in the box is all of it: two of these overlap if the balls do
} ssi_proxy;

// Two boxes that overlap, of different bodies, not both external, named by their place in a list in
// which neighbours in space are mostly neighbours: `order` below.
typedef struct ssi_pair {
  int p, q;
} ssi_pair;

typedef struct ssi_pairs {
  const ssi_pair *pair;
  size_t count;
  const int *order;  // order[place] = proxy                                    (all proxies)
} ssi_pairs;

typedef struct ssi_broad ssi_broad;

ssi_broad *ssi_broad_create(ss_context *ctx);  // NULL: no memory
void ssi_broad_destroy(ssi_broad *w);

// Lives in w until the next call; each pair once, in no particular order but always the same. Fewer
// than 2^29 proxies; those of one body in succession.
ss_error ssi_broad_pairs(ssi_broad *w, int count, const ssi_proxy *proxy, ssi_pairs *out);

// Asks for memory some turns of a loop before it is touched.
#if defined(__GNUC__)
#define SSI_PREFETCH(address) __builtin_prefetch(address)
#else
#define SSI_PREFETCH(address) (void)(address)
#endif
