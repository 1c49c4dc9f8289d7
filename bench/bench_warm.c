// bench_warm [--tol X] [--change X] - what a warm start saves, per method: each problem is solved, every
// component of q then changes by up to one percent of itself (through w), and the new problem is solved from
// zero and from the old reactions. Processor time, so that other programs do not matter.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stickslip/stickslip.h>

enum { SEEDS = 3, KINDS = 3 };
static double tol = 1e-6, change = 0.01;

static double unit(uint64_t *state) {  // in [-1, 1)
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

static ss_problem *generate(int kind, int seed) {
  ss_problem *p = NULL;
  ss_pile_options pile = ss_pile_options_default();
  pile.dim = kind == 0 ? 2 : 3, pile.contacts = 120, pile.mu = 0.3, pile.seed = (uint64_t)seed + 1;
  ss_wall_options wall = {.dim = 3, .rows = 3 + seed, .cols = 3, .mu = 0.6, .push = 0.05};
  ss_error e = kind < 2 ? ss_generate_pile(NULL, &pile, &p) : ss_generate_wall(NULL, &wall, &p);
  if (e) exit(1);
  return p;
}

typedef struct cost {
  double time_s;
  int iterations;
  bool solved;
} cost;

static cost solve(ss_solver *s, double *r) {
  ss_info info;
  clock_t start = clock();
  if (ss_solve(s, r, NULL, NULL, NULL, &info)) exit(1);
  double time_s = (double)(clock() - start) / CLOCKS_PER_SEC;
  return (cost){time_s, info.iterations, info.status == SS_SOLVED};
}

typedef struct sums {
  double cold_time, warm_time, log_time, log_iterations;
  int count, problems;
} sums;

static void compare(const ss_problem *p, const char *method, uint64_t seed, sums *t) {
  size_t m = (size_t)p->dim * (size_t)p->nc;
  double *r = calloc(m, sizeof *r), *from_zero = calloc(m, sizeof *r), *w = calloc(m, sizeof *w);
  ss_problem *reduced, next = *p;
  if (!r || !from_zero || !w || ss_problem_reduce(NULL, p, &reduced)) exit(1);
  for (size_t k = 0; k < m; k++) w[k] = p->w[k] + change * unit(&seed) * reduced->q[k];
  next.w = w;
  ss_options o = ss_options_default();
  o.method = method, o.tol = tol;
  if (!strcmp(method, "aclm")) o.max_iter = 100;  // its iterations are whole convex programs
  if (!strcmp(method, "nsgs") || !strcmp(method, "admm")) o.max_iter = 20000;
  ss_solver *s;
  t->problems++;
  if (!ss_solver_create(NULL, p, &o, &s)) {
    cost first = solve(s, r);
    if (ss_solver_update(s, &next)) exit(1);
    cost warm = solve(s, r), cold = solve(s, from_zero);
    if (first.solved && warm.solved && cold.solved) {
      t->count++;
      t->cold_time += cold.time_s;
      t->warm_time += warm.time_s;
      t->log_time += log(fmax(warm.time_s, 1e-6) / fmax(cold.time_s, 1e-6));
      t->log_iterations += log((1.0 + warm.iterations) / (1.0 + cold.iterations));
    }
    ss_solver_destroy(s);
  }
  ss_problem_destroy(reduced);
  free(r);
  free(from_zero);
  free(w);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--tol") && k + 1 < argc)
      tol = atof(argv[++k]);
    else if (!strcmp(argv[k], "--change") && k + 1 < argc)
      change = atof(argv[++k]);
    else
      return fprintf(stderr, "usage: bench_warm [--tol X] [--change X]\n"), 2;
  printf("method   solved  time_warm/cold  iterations_warm/cold (geometric means)  sum_warm_s "
         "sum_cold_s\n");
  for (int method = 0; ss_method_name(method); method++) {
    sums t = {0};
    for (int kind = 0; kind < KINDS; kind++)
      for (int seed = 0; seed < SEEDS; seed++) {
        ss_problem *p = generate(kind, seed);
        compare(p, ss_method_name(method), (uint64_t)(10 * kind + seed), &t);
        ss_problem_destroy(p);
      }
    printf("%-8s %3d/%3d %10.3f %10.3f %12.3f %10.3f\n", ss_method_name(method), t.count,
           t.problems, exp(t.log_time / t.count), exp(t.log_iterations / t.count), t.warm_time,
           t.cold_time);
    fflush(stdout);
  }
  return 0;
}
