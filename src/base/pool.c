// Blocks have sizes in quarters of powers of two and wait in one list per size. A request takes a block
// of the smallest size that fits. If every request of one run is at most as large as the one in its
// place in an earlier run, nothing new is taken: exchanging two blocks that both fit shows that the
// smallest one is always a right choice.
#include "base/pool.h"

#include <string.h>

#include "base/arena.h"

enum {
  CLASSES = 4 * 64,
  PATIENCE = 32,  // rounds that an idle block is kept for
};

typedef struct block block;
struct block {
  block *next;
  int size_class;
  int since;  // round in which it was last released
  int64_t padding[2];
};
_Static_assert(sizeof(block) % 16 == 0, "what follows is aligned like what malloc returns");

struct ssi_pool {
  ss_context inner, *outer;
  block *idle[CLASSES];
  int round;
  bool keep;
};

// Sizes of class c: (4 + c % 4) 2^(c/4) / 4, from 64 bytes on.
static int class_of(size_t bytes) {
  int power = 6;
  while (power < 62 && bytes > ((size_t)2 << power)) power++;
  for (int quarter = 0; quarter < 4; quarter++)
    if (bytes <= ((size_t)(4 + quarter) << power) / 4) return 4 * power + quarter;
  return 4 * (power + 1);
}

static size_t size_of(int size_class) {
  return ((size_t)(4 + size_class % 4) << (size_class / 4)) / 4;
}

static void give_back(ssi_pool *p, int longest) {  // blocks that have been idle for longer
  for (int c = 0; c < CLASSES; c++)
    for (block **link = &p->idle[c]; *link;) {
      block *b = *link;
      if (p->round - b->since <= longest) {
        link = &b->next;
        continue;
      }
      *link = b->next;
      ssi_release(p->outer, b);
    }
}

static void *take(void *user, size_t bytes) {
  ssi_pool *p = user;
  if (bytes > SIZE_MAX / 4) return NULL;
  int wanted = class_of(bytes + sizeof(block));
  for (int c = wanted; c < CLASSES; c++)
    if (p->idle[c]) {
      block *b = p->idle[c];
      p->idle[c] = b->next;
      return b + 1;
    }
  block *b = ssi_alloc(p->outer, size_of(wanted), 1);
  if (!b && p->keep) {
    give_back(p, -1);
    b = ssi_alloc(p->outer, size_of(wanted), 1);
  }
  if (!b) return NULL;
  b->size_class = wanted;
  return b + 1;
}

static void give(void *user, void *mem) {
  ssi_pool *p = user;
  block *b = (block *)mem - 1;
  if (!p->keep) {
    ssi_release(p->outer, b);
    return;
  }
  b->since = p->round;
  b->next = p->idle[b->size_class];
  p->idle[b->size_class] = b;
}

static void pass_on(void *user, ss_level level, const char *text) {
  const ssi_pool *p = user;
  if (p->outer && p->outer->log) p->outer->log(p->outer->user, level, text);
}

ssi_pool *ssi_pool_create(ss_context *outer) {
  ssi_pool *p = ssi_alloc(outer, 1, sizeof *p);
  if (!p) return NULL;
  *p = (ssi_pool){.inner = {take, give, pass_on, p, {0}}, .outer = outer};
  return p;
}

void ssi_pool_destroy(ssi_pool *p) {
  if (!p) return;
  give_back(p, -1);
  ssi_release(p->outer, p);
}

ss_context *ssi_pool_context(ssi_pool *p) {
  return &p->inner;
}

ss_context *ssi_pool_outer(ssi_pool *p) {
  return p->outer;
}

void ssi_pool_keep(ssi_pool *p) {
  p->keep = true;
}

void ssi_pool_age(ssi_pool *p) {
  p->round++;
  give_back(p, PATIENCE);
}

ss_error ssi_pool_answer(ssi_pool *p, ss_error e) {
  if (e && p->outer && p->inner.message[0])
    memcpy(p->outer->message, p->inner.message, sizeof p->inner.message);
  p->inner.message[0] = 0;
  return e;
}
