// Blocks have sizes in quarters of powers of two and wait in one list per size. A request takes a block
// of the smallest size that fits. If every request of one run is at most as large as the one in its
// place in an earlier run, nothing new is taken: exchanging two blocks that both fit shows that the
// smallest one is always a right choice.
#include "base/pool.h"

#include <string.h>

#include "base/arena.h"

enum {
  CLASSES = 4 * 64,
  WORDS = CLASSES / 64,
  PATIENCE = 32,  // rounds that an idle block is kept for
};

typedef struct block block;
struct block {
  block *next;
  int size_class;
  int since;  // round in which it was last released
};
_Static_assert(sizeof(block) % 16 == 0, "what follows is aligned like what malloc returns");

struct ssi_pool {
  ss_context inner, *outer;
  block *idle[CLASSES];  // lists; rubbish where `some` says that there are none
  uint64_t some[WORDS];  // a bit for each class: whether its list has blocks
  int round;
  bool keep;
};

// Sizes of class c: (4 + c % 4) 2^(c/4) / 4, from 64 bytes on. bytes <= SIZE_MAX / 2.
static int class_of(size_t bytes) {
  if (bytes <= 64) return 4 * 6;
  int power = 63 - __builtin_clzll(bytes - 1);  // 2^power < bytes <= 2^(power + 1)
  return 4 * power + (int)((bytes - 1) >> (power - 2)) - 3;
}

static size_t size_of(int size_class) {
  return ((size_t)(4 + size_class % 4) << (size_class / 4)) / 4;
}

// The first class from `from` on that has idle blocks; CLASSES: none.
static int next_class(const ssi_pool *p, int from) {
  for (int w = from / 64; w < WORDS; w++) {
    uint64_t bits = p->some[w];
    if (w == from / 64) bits &= ~(uint64_t)0 << from % 64;
    if (bits) return 64 * w + __builtin_ctzll(bits);
  }
  return CLASSES;
}

static void set_list(ssi_pool *p, int c, block *first) {
  uint64_t bit = (uint64_t)1 << c % 64;
  p->idle[c] = first;
  p->some[c / 64] = first ? p->some[c / 64] | bit : p->some[c / 64] & ~bit;
}

static void give_back(ssi_pool *p, int longest) {  // blocks that have been idle for longer
  for (int c = next_class(p, 0); c < CLASSES; c = next_class(p, c + 1)) {
    block *kept = NULL, **end = &kept;
    for (block *b = p->idle[c], *next; b; b = next) {
      next = b->next;
      if (p->round - b->since > longest) {
        ssi_release(p->outer, b);
        continue;
      }
      *end = b;
      end = &b->next;
    }
    *end = NULL;
    set_list(p, c, kept);
  }
}

static void *take(void *user, size_t bytes) {
  ssi_pool *p = user;
  if (bytes > SIZE_MAX / 4) return NULL;
  int wanted = class_of(bytes + sizeof(block)), c = p->keep ? next_class(p, wanted) : CLASSES;
  if (c < CLASSES) {
    block *b = p->idle[c];
    set_list(p, c, b->next);
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
  int c = b->size_class;
  b->since = p->round;
  b->next = next_class(p, c) == c ? p->idle[c] : NULL;
  set_list(p, c, b);
}

static void pass_on(void *user, ss_level level, const char *text) {
  const ssi_pool *p = user;
  if (p->outer && p->outer->log) p->outer->log(p->outer->user, level, text);
}

ssi_pool *ssi_pool_create(ss_context *outer) {
  ssi_pool *p = ssi_alloc(outer, 1, sizeof *p);
  if (!p) return NULL;
  p->inner.alloc = take, p->inner.release = give, p->inner.log = pass_on;
  p->inner.user = p;
  p->inner.message[0] = 0;
  p->outer = outer;
  memset(p->some, 0, sizeof p->some);
  p->round = 0;
  p->keep = false;
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
