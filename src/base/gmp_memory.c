#define _POSIX_C_SOURCE 200809L
#include "base/gmp_memory.h"

#ifdef SS_WITH_GMP

#include <assert.h>
#include <gmp.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"

static _Thread_local ssi_gmp_memory *running;

static void *(*outer_take)(size_t);
static void *(*outer_change)(void *, size_t, size_t);
static void (*outer_give)(void *, size_t);

static void *take(size_t size) {
  ssi_gmp_memory *m = running;
  if (!m) return outer_take(size);
  ssi_gmp_block *b = ssi_alloc(m->ctx, 1, sizeof *b + size);
  if (!b) longjmp(m->way_out, 1);
  *b = (ssi_gmp_block){.next = m->blocks};
  if (m->blocks) m->blocks->previous = b;
  m->blocks = b;
  return b + 1;
}

static void give(void *mem, size_t size) {
  ssi_gmp_memory *m = running;
  if (!m) {
    outer_give(mem, size);
    return;
  }
  ssi_gmp_block *b = (ssi_gmp_block *)mem - 1;
  if (b->next) b->next->previous = b->previous;
  *(b->previous ? &b->previous->next : &m->blocks) = b->next;
  ssi_release(m->ctx, b);
}

static void *change(void *mem, size_t old_size, size_t size) {
  if (!running) return outer_change(mem, old_size, size);
  void *other = take(size);
  memcpy(other, mem, old_size < size ? old_size : size);
  give(mem, old_size);
  return other;
}

static void put_in(void) {
  mp_get_memory_functions(&outer_take, &outer_change, &outer_give);
  mp_set_memory_functions(take, change, give);
}

// A library that is unloaded must not leave its functions behind.
__attribute__((destructor)) static void take_out(void) {
  void *(*present)(size_t) = NULL;
  mp_get_memory_functions(&present, NULL, NULL);
  if (present == take) mp_set_memory_functions(outer_take, outer_change, outer_give);
}

bool ssi_gmp_run(ssi_gmp_memory *m, void (*work)(void *), void *argument) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, put_in);
  assert(!running);
  if (setjmp(m->way_out)) return running = NULL, false;
  running = m;
  work(argument);
  running = NULL;
  return true;
}

void ssi_gmp_memory_release(ssi_gmp_memory *m) {
  for (ssi_gmp_block *b = m->blocks, *next; b; b = next) {
    next = b->next;
    ssi_release(m->ctx, b);
  }
  m->blocks = NULL;
}

#else
typedef int ssi_no_gmp;  // ISO C asks for something
#endif
