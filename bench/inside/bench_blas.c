// Dense kernels of src/la/blas.c beside the BLAS and LAPACK of the system, on one thread: Gflop/s.
//
//   OPENBLAS_NUM_THREADS=1 build/bench/bench_blas
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "la/blas.h"

typedef void product(const char *, const char *, const int *, const int *, const int *,
                     const double *, const double *, const int *, const double *, const int *,
                     const double *, double *, const int *);
typedef void cholesky(const char *, const int *, double *, const int *, int *);
typedef void lu(const int *, const int *, double *, const int *, int *, int *);

typedef struct kernels {
  product *gemm;
  cholesky *potrf;
  lu *getrf;
} kernels;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct work {
  int n, *pivot;
  double *A, *S, *C;  // any, symmetric and definite, and room
} work;

enum { PRODUCT, CHOLESKY, LU };

static void call(const kernels *k, int which, work *w) {
  int n = w->n, info;
  if (which != PRODUCT)
    memcpy(w->C, which == LU ? w->A : w->S, sizeof(double) * (size_t)n * (size_t)n);
  if (which == PRODUCT)
    k->gemm("N", "N", &n, &n, &n, &(double){1}, w->A, &n, w->S, &n, &(double){0}, w->C, &n);
  else if (which == CHOLESKY)
    k->potrf("L", &n, w->C, &n, &info);
  else
    k->getrf(&n, &n, w->C, &n, w->pivot, &info);
}

static double rate(const kernels *k, int which, work *w) {
  static const double operations[] = {2, 1.0 / 3, 2.0 / 3};
  double n = w->n, flops = operations[which] * n * n * n, best = 0;
  int repeat = 1 + (int)(1e8 / flops);
  for (int round = 0; round < 3; round++) {
    double start = now();
    for (int i = 0; i < repeat; i++) call(k, which, w);
    double found = 1e-9 * flops * repeat / (now() - start);
    best = found > best ? found : best;
  }
  return best;
}

static void *from(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) fprintf(stderr, "bench_blas: no %s in the system's BLAS and LAPACK\n", name), exit(1);
  return found;
}

int main(void) {
  // by hand: two routines of one name cannot be linked
  void *blas = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
  void *lapack = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!blas || !lapack) return fprintf(stderr, "bench_blas: %s\n", dlerror()), 1;
  kernels own = {ssi_dgemm_, ssi_dpotrf_, ssi_dgetrf_}, other;
  *(void **)&other.gemm = from(blas, "dgemm_");
  *(void **)&other.potrf = from(lapack, "dpotrf_");
  *(void **)&other.getrf = from(lapack, "dgetrf_");
  ssi_rng g = {1};
  printf("Gflop/s, ours (the system's)\n%6s  %-16s %-16s %-16s\n", "n", "product", "Cholesky",
         "LU");
  for (int n = 8; n <= 2048; n *= 2) {
    size_t size = (size_t)n * (size_t)n;
    work w = {n, malloc(sizeof(int) * (size_t)n), malloc(8 * size), malloc(8 * size),
              malloc(8 * size)};
    if (!w.pivot || !w.A || !w.S || !w.C) return 1;
    for (size_t i = 0; i < size; i++) w.A[i] = ssi_rng_uniform(&g) - 0.5;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        w.S[i + n * j] = (i == j ? n : 0) + (w.A[i + n * j] + w.A[j + n * i]) / 2;
    printf("%6d", n);
    for (int which = PRODUCT; which <= LU; which++) {
      char text[32];
      snprintf(text, sizeof text, "%.1f (%.1f)", rate(&own, which, &w), rate(&other, which, &w));
      printf("  %-15s", text);
    }
    printf("\n");
    free(w.pivot), free(w.A), free(w.S), free(w.C);
  }
  return 0;
}
