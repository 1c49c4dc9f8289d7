// bench_sweep [--order NAME] [--dim D] [--threads N] [CONTACTS...] - one Gauss-Seidel sweep on generated piles, per
// operator: time, bytes it must touch, bandwidth beside a triad of the same run and of the same
// size, and the growth of the cost with the number of contacts.
//
// Between two residuals the driver runs a given number of sweeps; the time of a sweep is the
// difference between many and few of them, over their number: the residual cancels.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

#include "triad.h"

enum { FEW = 10, MANY = 30, LOOKS = 8, SIZES = 16 };

static const char *order = NULL;
static int threads = 1;

typedef struct stopwatch {
  double last, best;  // time of the last residual; shortest time between two
} stopwatch;

static int lap(void *user, const ss_info *now) {
  stopwatch *w = user;
  if (now->iterations > 0) w->best = fmin(w->best, now->time_solve_s - w->last);
  w->last = now->time_solve_s;
  return 0;
}

// Shortest time that `sweeps` sweeps and one residual take.
static double run(const ss_problem *p, const char *operator_name, int sweeps) {
  ss_setting settings[2] = {{"operator", operator_name}, {"order", order}};
  stopwatch watch = {.best = INFINITY};
  ss_options o = ss_options_default();
  o.method = "nsgs";
  o.tol = 1e-300, o.max_iter = LOOKS * sweeps, o.check_every = sweeps;
  o.threads = threads;
  o.settings = settings, o.setting_count = order ? 2 : 1;
  o.progress = lap, o.user = &watch;
  ss_context ctx = {0};
  ss_solver *s;
  ss_error e = ss_solver_create(&ctx, p, &o, &s);
  double *r = calloc((size_t)(p->dim * p->nc), sizeof *r);
  if (e || !r) {
    fprintf(stderr, "bench_sweep: %s\n", ss_error_detail(&ctx, e));
    exit(1);
  }
  if (ss_solve(s, r, NULL, NULL, NULL, NULL)) exit(1);
  free(r);
  ss_solver_destroy(s);
  return watch.best;
}

// What a sweep has to read or write, each byte once: blocks with their column, or H and M^-1 H^T of
// the dofs touched; per contact its own block, friction, last lambda and step (14 doubles), its
// reaction (read, written), free velocity, place in the order and row pointers; the velocities.
static double bytes(const ss_problem *p, bool blocks, double neighbours_mean) {
  double d = p->dim, per_contact = 14 * 8 + 3 * d * 8 + 4 + 2 * 8;
  if (blocks) return p->nc * (per_contact + neighbours_mean * (d * d * 8 + 4));
  double touched = 0;
  for (int i = 0; i < p->nc; i++)
    touched += (double)(p->H.ptr[p->dim * i + 1] - p->H.ptr[p->dim * i]);
  return p->nc * per_contact + touched * d * 8 * 2 + 2.0 * 8 * p->ndof;
}

int main(int argc, char **argv) {
  int sizes[SIZES] = {100000, 200000, 500000, 1000000}, count = 4, given = 0, dim = 3;
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--order") && k + 1 < argc)
      order = argv[++k];
    else if (!strcmp(argv[k], "--threads") && k + 1 < argc)
      threads = atoi(argv[++k]);
    else if (!strcmp(argv[k], "--dim") && k + 1 < argc)
      dim = atoi(argv[++k]);
    else if (given < SIZES && atoi(argv[k]) > 0)
      sizes[given++] = atoi(argv[k]);
    else
      return fprintf(stderr, "usage: bench_sweep [--order NAME] [--dim D] [--threads N] "
                             "[CONTACTS...]\n"),
             2;
  if (given) count = given;
  static const char *const operators[] = {"blocks", "bodies"};
  double first[2] = {0}, last[2] = {0};
  printf("operator contacts neighbours ms_per_sweep ns_per_contact MB GB/s triad_GB/s ratio\n");
  for (int k = 0; k < count; k++) {
    ss_pile_options o = ss_pile_options_default();
    ss_context ctx = {0};
    ss_problem *p;
    ss_description d;
    o.contacts = sizes[k], o.dim = dim, o.mu = 0.3;
    if (ss_generate_pile(&ctx, &o, &p) || ss_describe(&ctx, p, 1, &d))
      return fprintf(stderr, "bench_sweep: %s\n", ctx.message), 1;
    for (int b = 0; b < 2; b++) {
      double size = bytes(p, b == 0, d.neighbours_mean);
      triad_result triad;
      if (triad_measure(triad_elements((size_t)size), 10, &triad)) return 1;
      double time = (run(p, operators[b], MANY) - run(p, operators[b], FEW)) / (MANY - FEW);
      double speed = size / time * 1e-9;
      printf("%-8s %8d %10.2f %12.3f %14.1f %6.0f %6.2f %10.2f %5.2f\n", operators[b], p->nc,
             d.neighbours_mean, time * 1e3, time / p->nc * 1e9, size * 1e-6, speed, triad.gb_s,
             speed / triad.gb_s);
      fflush(stdout);
      if (k == 0) first[b] = time / p->nc;
      last[b] = time / p->nc;
    }
    ss_problem_destroy(p);
  }
  if (count > 1)
    for (int b = 0; b < 2; b++)
      printf("%s: cost per sweep grows with exponent %.3f from %d to %d contacts\n", operators[b],
             1 + log(last[b] / first[b]) / log((double)sizes[count - 1] / sizes[0]), sizes[0],
             sizes[count - 1]);
  return 0;
}
