// support/budget.h - an allocator for ss_context that gives so many pieces and counts those still held.
#pragma once

#include <stdlib.h>

typedef struct budget {
  int left, held;
} budget;

static inline void *take(void *user, size_t bytes) {
  budget *b = user;
  if (b->left-- <= 0) return NULL;
  b->held++;
  return malloc(bytes);
}

static inline void give(void *user, void *mem) {
  ((budget *)user)->held--;
  free(mem);
}
