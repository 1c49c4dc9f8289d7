// bench_enumerate [SEEDS] - time to list all solutions of random full-rank 2D problems, beside
// solving all 4^n patterns one by one, the rate on the tiny problems that atlases ask for by
// the million, and the algorithm that [Agw20] uses (glcp) beside ours, up to where it ends in 4 s.
//
// W = B B^T / m with B uniform in -1 .. 1, so its condition is as large as chance makes it; q so
// that one solution with random states is known: below the critical friction it is the only one,
// above it there are several.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stickslip/stickslip.h>

static uint64_t rng;

static double uniform(void) {  // splitmix64, in [0, 1)
  uint64_t z = (rng += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double sign_uniform(void) {
  return 2 * uniform() - 1;
}

typedef struct bench_case {
  int n;
  double *W, *q, *mu;
  int64_t *ptr;
  int *col;
} bench_case;

static bench_case allocate(int n) {
  size_t m = 2 * (size_t)n;
  bench_case c = {n,
                  malloc(sizeof(double) * m * m),
                  malloc(sizeof(double) * m),
                  malloc(sizeof(double) * (size_t)n),
                  malloc(sizeof(int64_t) * (m + 1)),
                  malloc(sizeof(int) * m * m)};
  if (!c.W || !c.q || !c.mu || !c.ptr || !c.col) exit(1);
  for (size_t i = 0; i <= m; i++) c.ptr[i] = (int64_t)(i * m);
  for (size_t k = 0; k < m * m; k++) c.col[k] = (int)(k % m);
  return c;
}

static void release(bench_case *c) {
  free(c->W), free(c->q), free(c->mu), free(c->ptr), free(c->col);
}

static void fill(bench_case *c, double mu, uint64_t seed) {
  int m = 2 * c->n;
  double B[80 * 80], r[80];
  rng = seed;
  for (int k = 0; k < m * m; k++) B[k] = sign_uniform();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < m; k++) s += B[i * m + k] * B[j * m + k];
      c->W[i * m + j] = s / m;
    }
  for (int i = 0; i < c->n; i++) {
    double kind = sign_uniform(), *ri = r + 2 * i, *ui = c->q + 2 * i;
    c->mu[i] = mu;
    ri[0] = kind < -0.5 ? 0 : uniform();
    ui[0] = kind < -0.5 ? uniform() : 0;
    ui[1] = kind < -0.5 || kind > 0 ? sign_uniform() : 0;
    ri[1] = mu * ri[0] * (kind < 0 ? sign_uniform() : ui[1] > 0 ? -1 : 1);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) c->q[i] -= c->W[i * m + j] * r[j];
}

static ss_problem problem_of(const bench_case *c) {
  int m = 2 * c->n;
  return (ss_problem){.form = SS_REDUCED,
                      .dim = 2,
                      .nc = c->n,
                      .mu = c->mu,
                      .W = {m, m, c->ptr, c->col, c->W},
                      .q = c->q};
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double cpu_s(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

// Processor time: what others do on the machine does not count.
static int is_over(void *end, const ss_enumerate_progress *now) {
  (void)now;
  return cpu_s() > *(const double *)end;
}

static ss_solution_set *enumerate(const ss_problem *p, ss_enumerate_method method) {
  static ss_context ctx;
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set;
  double end = cpu_s() + (method == SS_ENUMERATE_GLCP ? 4 : 300);
  o.method = method;
  o.progress = is_over, o.user = &end;
  if (ss_enumerate(&ctx, p, &o, &set)) {
    fprintf(stderr, "bench_enumerate: %s\n", ctx.message);
    exit(1);
  }
  return set;
}

static void run_size(int n, double mu, int seeds, double per_pattern) {
  bench_case c = allocate(n);
  double *time = malloc(sizeof *time * (size_t)seeds),
         *nodes = malloc(sizeof *nodes * (size_t)seeds);
  int several = 0, most = 0, complete = 0, rigorous = 0;
  if (!time || !nodes) exit(1);
  for (int k = 0; k < seeds; k++) {
    fill(&c, mu, 1000 + (uint64_t)k);
    ss_problem p = problem_of(&c);
    double begin = cpu_s();
    ss_solution_set *set = enumerate(&p, SS_ENUMERATE_TREE);
    time[k] = cpu_s() - begin;
    nodes[k] = (double)set->nodes;
    several += set->count > 1;
    most = set->count > most ? set->count : most;
    complete += set->complete;
    rigorous += set->rigorous;
    ss_solution_set_destroy(set);
  }
  qsort(time, (size_t)seeds, sizeof *time, by_size);
  qsort(nodes, (size_t)seeds, sizeof *nodes, by_size);
  printf("%8d %5.2g %10.4f %10.4f %9.0f %12.2g %9d/%d %8d %9d %9d\n", n, mu, time[seeds / 2],
         time[seeds - 1], nodes[seeds / 2], per_pattern * pow(4, n), several, seeds, most, complete,
         rigorous);
  free(time), free(nodes);
  release(&c);
}

// Problems of 1 to 3 contacts again and again; also what one pattern costs, from 3 contacts (4^3).
static double run_tiny(void) {
  double pattern = 0;
  printf("%8s %14s\n", "contacts", "problems/s");
  for (int n = 1; n <= 3; n++) {
    enum { TIMES = 20000 };
    bench_case c = allocate(n);
    fill(&c, 1, 7);
    ss_problem p = problem_of(&c);
    double begin = cpu_s();
    for (int k = 0; k < TIMES; k++) ss_solution_set_destroy(enumerate(&p, SS_ENUMERATE_TREE));
    double each = (cpu_s() - begin) / TIMES;
    printf("%8d %14.0f\n", n, 1 / each);
    pattern = each / pow(4, n);
    release(&c);
  }
  return pattern;
}

// The published algorithm beside the tree, on the same problems; false: it came to no end.
static bool run_rays(int n, double mu, int seeds) {
  bench_case c = allocate(n);
  double *ratio = malloc(sizeof *ratio * (size_t)seeds),
         *time = malloc(sizeof *time * (size_t)seeds);
  int rays = 0, complete = 0, agree = 0;
  if (!ratio || !time) exit(1);
  for (int k = 0; k < seeds; k++) {
    fill(&c, mu, 1000 + (uint64_t)k);
    ss_problem p = problem_of(&c);
    double begin = cpu_s();
    ss_solution_set *tree = enumerate(&p, SS_ENUMERATE_TREE);
    double middle = cpu_s();
    ss_solution_set *set = enumerate(&p, SS_ENUMERATE_GLCP);
    time[k] = cpu_s() - middle;
    ratio[k] = time[k] / fmax(middle - begin, 1e-6);
    rays = set->rays_most > rays ? set->rays_most : rays;
    complete += set->complete;
    agree += set->complete && set->count == tree->count;
    ss_solution_set_destroy(set);
    ss_solution_set_destroy(tree);
  }
  qsort(time, (size_t)seeds, sizeof *time, by_size);
  qsort(ratio, (size_t)seeds, sizeof *ratio, by_size);
  printf("%8d %5.2g %10.4f %10.1f %9d %9d %9d\n", n, mu, time[seeds / 2], ratio[seeds / 2], rays,
         complete, agree);
  free(ratio), free(time);
  release(&c);
  return complete > 0;
}

int main(int argc, char **argv) {
  int seeds = argc > 1 ? atoi(argv[1]) : 11;
  static const int sizes[] = {8, 12, 16, 20};
  static const double mus[] = {0.3, 1, 3};
  if (seeds < 1) return fprintf(stderr, "bench_enumerate: expected SEEDS >= 1\n"), 2;
  double pattern = run_tiny();
  printf("\n%8s %5s %10s %10s %9s %12s %11s %8s %9s %9s\n", "contacts", "mu", "median s", "max s",
         "nodes", "4^n solves s", "several", "most", "complete", "rigorous");
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 3; b++) run_size(sizes[a], mus[b], seeds, pattern);
  printf("\n%8s %5s %10s %10s %9s %9s %9s\n", "contacts", "mu", "glcp s", "/ tree", "rays",
         "complete", "agree");
  for (int b = 0; b < 3; b++)
    for (int n = 2; n <= 10 && run_rays(n, mus[b], seeds); n += 2) continue;
  return 0;
}
