// bench_critical [--naive N] [CONTACTS...] - the signs of all pattern determinants at one friction,
// the critical friction itself, and the P property, on full random stiffness problems, one thread.
// Beside it the naive method: a fresh determinant per pattern, by elimination, for up to N contacts
// (default 9).
//
// The friction of the sign tests is 0.99 of the critical one, so that no test can stop early.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stickslip/stickslip.h>

enum { MOST = 30, N_MOST = 2 * MOST };

typedef struct problem {
  int n;
  double W[N_MOST * N_MOST], zero[N_MOST];
  int64_t ptr[N_MOST + 1];
  int col[N_MOST * N_MOST];
  ss_problem p;
} problem;

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static double cpu_s(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static void make(problem *d, int n, uint64_t seed) {
  int N = 2 * n;
  static double A[N_MOST * N_MOST];
  *d = (problem){.n = n};
  for (int i = 0; i < N * N; i++) A[i] = 2 * uniform(&seed) - 1;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < N; k++) d->W[i * N + j] += A[i * N + k] * A[j * N + k];
      d->col[i * N + j] = j;
    }
    d->W[i * N + i] += 0.5 * n;
    d->ptr[i + 1] = (int64_t)(i + 1) * N;
  }
  d->p = (ss_problem){.form = SS_REDUCED, .dim = 2, .nc = n, .mu = d->zero, .q = d->zero};
  d->p.W = (ss_sparse){N, N, d->ptr, d->col, d->W};
}

// Sign of the determinant of a k x k matrix, which is overwritten.
static bool positive(double *A, int k) {
  bool sign = true;
  for (int c = 0; c < k; c++) {
    int top = c;
    for (int i = c + 1; i < k; i++)
      if (fabs(A[i * k + c]) > fabs(A[top * k + c])) top = i;
    if (A[top * k + c] == 0) return false;
    for (int j = c; top != c && j < k; j++) {
      double swap = A[c * k + j];
      A[c * k + j] = A[top * k + j], A[top * k + j] = swap;
    }
    sign = sign == ((A[c * k + c] > 0) == (top == c));
    for (int i = c + 1; i < k; i++) {
      double f = A[i * k + c] / A[c * k + c];
      for (int j = c + 1; j < k; j++) A[i * k + j] -= f * A[c * k + j];
    }
  }
  return sign;
}

// Fresh determinants of all 4^n patterns.
static bool naive(const problem *d, double mu) {
  int N = 2 * d->n;
  double A[N_MOST * N_MOST], shift[N_MOST];
  for (int64_t index = 0; index < (int64_t)1 << N; index++) {
    int rows = 0, row[N_MOST];
    for (int c = 0; c < d->n; c++) {
      int s = (int)(index >> 2 * c & 3);
      if (s == SS_PATTERN_FREE) continue;
      shift[rows] = s == SS_PATTERN_SLIP_PLUS ? -mu : s == SS_PATTERN_SLIP_MINUS ? mu : 0;
      row[rows++] = 2 * c;
      if (s == SS_PATTERN_STICK) shift[rows] = 0, row[rows++] = 2 * c + 1;
    }
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++) {
        const double *w = d->W + row[i] * N + row[j];
        A[i * rows + j] = shift[j] != 0 ? w[0] + shift[j] * w[1] : w[0];
      }
    if (!positive(A, rows)) return false;
  }
  return true;
}

static void check(const ss_context *ctx, ss_error e) {
  if (!e) return;
  fprintf(stderr, "bench_critical: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

static double value(const problem *d, ss_criterion c, int exact, double *time_s) {
  static ss_context ctx;
  ss_critical_options o = ss_critical_options_default();
  o.criteria = 1u << c, o.effort = exact, o.sqp_starts = 0;
  ss_critical *r;
  double begin = cpu_s();
  check(&ctx, ss_critical_compute(&ctx, &d->p, &o, &r));
  *time_s = cpu_s() - begin;
  double mu = r->value[c].mu;
  ss_critical_destroy(r);
  return mu;
}

static double test(const problem *d, ss_criterion c, double mu, bool *holds) {
  ss_context ctx = {0};
  double begin = cpu_s();
  check(&ctx, ss_critical_test(&ctx, &d->p, c, mu, NULL, holds, NULL, NULL));
  return cpu_s() - begin;
}

// CPU time counts what idle threads of BLAS spin away. Only OpenBLAS has this function.
extern void openblas_set_num_threads(int count) __attribute__((weak));

int main(int argc, char **argv) {
  int sizes[MOST] = {6, 8, 9, 10, 12, 14, 16, 18}, count = 8, given = 0, naive_most = 10;
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--naive") && k + 1 < argc)
      naive_most = atoi(argv[++k]);
    else if (given < MOST && atoi(argv[k]) > 0 && atoi(argv[k]) <= MOST)
      sizes[given++] = atoi(argv[k]);
    else
      return fprintf(stderr, "usage: bench_critical [--naive N] [CONTACTS up to %d...]\n", MOST), 2;
  if (given) count = given;
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  printf("contacts patterns    signs_s ns_per_pattern naive_s naive_ns mu_bijective value_s "
         "p_signs_s mu_pmatrix p_value_s\n");
  for (int k = 0; k < count; k++) {
    static problem d;
    int n = sizes[k];
    bool holds, naive_holds = true, p_holds = true;
    double value_s, p_value_s, p, p_signs_s, naive_s = NAN, patterns = pow(4, n);
    make(&d, n, 1);
    double mu = value(&d, SS_BIJECTIVE, MOST, &value_s);
    double signs_s = test(&d, SS_BIJECTIVE, 0.99 * mu, &holds);
    if (n <= naive_most) {
      double begin = cpu_s();
      naive_holds = naive(&d, 0.99 * mu);
      naive_s = cpu_s() - begin;
    }
    p = value(&d, SS_PMATRIX, MOST, &p_value_s);
    p_signs_s = test(&d, SS_PMATRIX, 0.99 * p, &p_holds);
    printf("%8d %8.3g %10.5f %14.2f %7.3f %8.0f %12.9f %7.3f %9.4f %10.7f %9.3f\n", n, patterns,
           signs_s, signs_s / patterns * 1e9, naive_s, naive_s / patterns * 1e9, mu, value_s,
           p_signs_s, p, p_value_s);
    fflush(stdout);
    if (!holds || !naive_holds || !p_holds)
      return fprintf(stderr, "bench_critical: a criterion fails below its critical friction\n"), 1;
  }
  return 0;
}
