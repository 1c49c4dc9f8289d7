// support/budget.h - an allocator for ss_context that gives so many pieces and counts those still held:
//   budget b = {.left = 3};  ss_context ctx = on_budget(&b);
#pragma once

#include <stdlib.h>

#include "stickslip/base.h"

typedef struct budget {
  int left, held, taken;
} budget;

static inline void *take_from_budget(void *user, size_t bytes) {
  budget *b = user;
  void *mem = b->left-- > 0 ? malloc(bytes) : NULL;
  if (mem) b->held++, b->taken++;
  return mem;
}

static inline void give_to_budget(void *user, void *mem) {
  ((budget *)user)->held--;
  free(mem);
}

static inline ss_context on_budget(budget *b) {
  return (ss_context){.alloc = take_from_budget, .release = give_to_budget, .user = b};
}
