// Idle blocks wait in one list, the smallest first, and a request takes the first that fits: arenas ask for
// few and large blocks, so that the list is short. If every request of one run is at most as large as the
// one in its place in an earlier run, nothing new is taken: exchanging two blocks that both fit shows that
// the smallest one is always a right choice.
#include "base/pool.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"

enum { PATIENCE = 32 };  // rounds that an idle block is kept for

typedef struct idle idle;
struct idle {
  idle *next;
  size_t bytes;   // behind this header
  int64_t since;  // round in which it was last released
};
// What follows is aligned like what malloc returns.
enum {
  HEADER =
      (sizeof(idle) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t)
};

struct ssi_pool {
  ss_context inner, *outer;
  idle *first;
  int64_t round;
  bool keep;
};

static void give_back(ssi_pool *p, int longest) {  // blocks that have been idle for longer
  for (idle **at = &p->first, *b; (b = *at);) {
    if (p->round - b->since > longest) {
      *at = b->next;
      ssi_release(p->outer, b);
    } else
      at = &b->next;
  }
}

static void *take(void *user, size_t bytes) {
  ssi_pool *p = user;
  idle **at = &p->first, *b;
  while ((b = *at) && b->bytes < bytes) at = &b->next;
  if (b) {
    *at = b->next;
    return (char *)b + HEADER;
  }
  if (bytes > SIZE_MAX / 4) return NULL;
  b = ssi_alloc(p->outer, HEADER + bytes, 1);
  if (!b && p->first) {
    give_back(p, -1);
    b = ssi_alloc(p->outer, HEADER + bytes, 1);
  }
  if (!b) return NULL;
  b->bytes = bytes;
  return (char *)b + HEADER;
}

static void give(void *user, void *mem) {
  ssi_pool *p = user;
  idle *b = (idle *)((char *)mem - HEADER), **at = &p->first;
  if (!p->keep) {
    ssi_release(p->outer, b);
    return;
  }
  while (*at && (*at)->bytes < b->bytes) at = &(*at)->next;
  b->since = p->round;
  b->next = *at;
  *at = b;
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
  p->first = NULL;
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
