// bench_triad [MEGABYTES [REPEATS]] - prints the streaming bandwidth of one core.
#include "triad.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  double megabytes = argc > 1 ? atof(argv[1]) : 768;
  int repeats = argc > 2 ? atoi(argv[2]) : 10;
  triad_result r;
  if (!(megabytes >= 0.001 && megabytes < 1e7) ||
      triad_measure(triad_elements((size_t)(megabytes * 1e6)), repeats, &r)) {
    fprintf(stderr,
            "usage: bench_triad [MEGABYTES [REPEATS]]   (three arrays of doubles together)\n");
    return 2;
  }
  printf("triad elements=%zu time_s=%.6g gb_s=%.2f gb_s_write_allocate=%.2f\n", r.elements,
         r.time_s, r.gb_s, r.gb_s_write_allocate);
  return 0;
}
