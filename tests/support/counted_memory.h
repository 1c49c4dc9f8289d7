// support/counted_memory.h - memory hooks that count what is taken and given back, and fail at a chosen call.
#pragma once

#include <stdbool.h>
#include <stdlib.h>

static int taken, live, fail_at = -1;
static bool lasting;  // what fails once goes on failing

static inline void *take(void *user, size_t n) {
  (void)user;
  int call = taken++;
  if (call == fail_at || (lasting && fail_at >= 0 && call > fail_at)) return NULL;
  live++;
  return malloc(n);
}

static inline void give(void *user, void *m) {
  (void)user;
  live--;
  free(m);
}
