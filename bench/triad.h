// bench/triad.h - the streaming bandwidth of this machine, the yardstick for memory-bound sweeps.
#pragma once

#include <stddef.h>

typedef struct triad_result {
  size_t elements;             // of each of the three arrays
  double time_s;               // best of the repeats
  double gb_s;                 // 24 bytes per element: read b, read c, write a; as STREAM counts
  double gb_s_write_allocate;  // 32 bytes per element: a line of a is read before it is written
} triad_result;

// a = b + s c, one thread, three arrays of `elements` doubles each; best of `repeats` passes (the
// first, which touches the pages, is not counted). Arrays should be several times the last-level
// cache. Returns 0, or -1 when there is no memory or an argument is 0.
int triad_measure(size_t elements, int repeats, triad_result *out);

// Elements such that the three arrays together take `bytes`.
size_t triad_elements(size_t bytes);
