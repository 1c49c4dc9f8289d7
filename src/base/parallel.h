// base/parallel.h - OpenMP, where the build has it. Loops give the same bits for any number of threads:
// each iteration writes what no other one reads or writes, and sums are taken over fixed blocks.
#pragma once

#include <stddef.h>

#ifdef SS_WITH_OPENMP
#include <omp.h>
#define SSI_OMP(directive) _Pragma(#directive)
#else
#define SSI_OMP(directive)
#endif

// for (int index = 0; index < count; index++) do_it;   shared among the threads. Apart for one thread,
// since OpenMP makes and frees a team even for that: longer than a solve of some contacts.
#define SSI_EACH(threads, index, count, do_it)                                                     \
  do {                                                                                             \
    if ((threads) > 1 && (count) > 1) {                                                            \
      SSI_OMP(omp parallel for num_threads(threads))                                               \
      for (int index = 0; index < (count); index++) do_it;                                         \
    } else {                                                                                       \
      for (int index = 0; index < (count); index++) do_it;                                         \
    }                                                                                              \
  } while (0)

// How many threads a number in ss_options means: 0 is as many as OpenMP would take.
static inline int ssi_threads(int wanted) {
#ifdef SS_WITH_OPENMP
  int most = omp_get_thread_limit();
  int threads = wanted ? wanted : omp_get_max_threads();
  return threads < most ? threads : most;
#else
  (void)wanted;
  return 1;
#endif
}

static inline size_t ssi_thread(void) {  // which of the threads of a parallel loop this is
#ifdef SS_WITH_OPENMP
  return (size_t)omp_get_thread_num();
#else
  return 0;
#endif
}
