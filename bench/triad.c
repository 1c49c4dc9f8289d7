// STREAM's triad [McC95]. With ordinary stores a line of a is read before it is written, so memory
// moves 32 bytes per element; the literature counts 24. Both figures are given: the first compares
// with published ones, the second is what the memory delivered if the compiler used ordinary stores.
//
// [McC95] J. D. McCalpin, Memory Bandwidth and Machine Balance in Current High Performance
//         Computers, IEEE TCCA Newsletter, December 1995.
#define _POSIX_C_SOURCE 200809L
#include "triad.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void triad(size_t n, double *restrict a, const double *restrict b, const double *restrict c,
                  double s) {
  for (size_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

size_t triad_elements(size_t bytes) {
  return bytes / (3 * sizeof(double));
}

int triad_measure(size_t elements, int repeats, triad_result *out) {
  if (elements == 0 || repeats <= 0 || elements > SIZE_MAX / sizeof(double) - 64) return -1;
  size_t bytes = (elements * sizeof(double) + 63) / 64 * 64;
  double *a = aligned_alloc(64, bytes), *b = aligned_alloc(64, bytes),
         *c = aligned_alloc(64, bytes);
  int failed = !a || !b || !c;
  if (!failed) {
    double best = 0;
    for (size_t i = 0; i < elements; i++) a[i] = 0, b[i] = 1, c[i] = 2;
    for (int k = 0; k <= repeats; k++) {
      double start = now_s();
      triad(elements, a, b, c, 0.5 + k);
      double took = now_s() - start;
      if (k == 1 || (k > 1 && took < best)) best = took;
    }
    // the result is used, so that no pass can be left out: a = 1 + 2 (0.5 + repeats)
    failed = a[elements - 1] != 2.0 + 2.0 * repeats || best <= 0;
    if (!failed) {
      double n = (double)elements;
      *out = (triad_result){elements, best, 24e-9 * n / best, 32e-9 * n / best};
    }
  }
  free(a), free(b), free(c);
  return failed ? -1 : 0;
}
