// bench_generated [--solver NAME] [--time-limit S] [--largest CONTACTS] - generated problems of growing
// size: piles with mu = 0.3 and 0.8, a masonry wall, towers heavy on light. Each answer is judged afresh
// by ss_verify; growth exponents of the time over the sizes of a family.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

static const char *solver = "auto";
static double time_limit = 30;

static double solve(const char *name, const ss_problem *p, double tol) {
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  o.method = solver, o.tol = tol, o.time_limit_s = time_limit;
  ss_solver *s;
  ss_info info;
  ss_verdict verdict;
  double *r = calloc((size_t)(p->dim * p->nc), sizeof *r);
  if (!r || ss_solver_create(&ctx, p, &o, &s)) {
    fprintf(stderr, "bench_generated: %s: %s\n", name, ctx.message);
    exit(1);
  }
  ss_error e = ss_solve(s, r, NULL, NULL, NULL, &info);
  ss_solution answer = {.r = r};
  if (!e) e = ss_verify(&ctx, p, &answer, NULL, NULL, NULL, NULL, &verdict);
  ss_solver_destroy(s);
  free(r);
  if (e) {
    fprintf(stderr, "bench_generated: %s: %s\n", name, ss_error_detail(&ctx, e));
    exit(1);
  }
  bool solved = info.status == SS_SOLVED && verdict.error <= tol;
  double time = info.time_setup_s + info.time_solve_s;
  printf("%-28s %8d %8d %7.0e %-12s %8d %9.2e %9.2f %9.2f   %d/%d/%d\n", name, p->nc, p->ndof, tol,
         solved ? "solved" : ss_status_name(info.status), info.iterations, verdict.error,
         info.time_setup_s, time, verdict.states[0], verdict.states[1], verdict.states[2]);
  fflush(stdout);
  return solved ? time : NAN;
}

static void piles(double mu, int dim, int largest) {
  double first = NAN, last = NAN;
  int from = 1000, to = 0;
  for (int contacts = from; contacts <= largest; contacts *= 10) {
    ss_pile_options o = ss_pile_options_default();
    ss_context ctx = {0};
    ss_problem *p;
    char name[64];
    o.contacts = contacts, o.mu = mu, o.dim = dim;
    if (ss_generate_pile(&ctx, &o, &p)) {
      fprintf(stderr, "bench_generated: %s\n", ctx.message);
      exit(1);
    }
    snprintf(name, sizeof name, "pile %dD mu %g", dim, mu);
    last = solve(name, p, contacts >= 100000 ? 1e-6 : 1e-8);
    if (contacts == from) first = last;
    to = contacts;
    ss_problem_destroy(p);
  }
  if (to > from)
    printf("  time grows with exponent %.2f from %d to %d contacts\n",
           log(last / first) / log((double)to / from), from, to);
}

int main(int argc, char **argv) {
  int largest = 10000;
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--solver") && k + 1 < argc)
      solver = argv[++k];
    else if (!strcmp(argv[k], "--time-limit") && k + 1 < argc)
      time_limit = atof(argv[++k]);
    else if (!strcmp(argv[k], "--largest") && k + 1 < argc)
      largest = atoi(argv[++k]);
    else
      return fprintf(stderr,
                     "usage: bench_generated [--solver NAME] [--time-limit S] [--largest N]\n"),
             2;
  printf("%-28s %8s %8s %7s %-12s %8s %9s %9s %9s   free/stick/slip\n", "problem", "contacts",
         "dofs", "tol", "status", "iter", "error", "set-up s", "time s");
  ss_context ctx = {0};
  ss_problem *p;
  ss_wall_options w = ss_wall_options_default();
  w.dim = 3, w.rows = 20, w.cols = 30;
  if (ss_generate_wall(&ctx, &w, &p)) return fprintf(stderr, "%s\n", ctx.message), 1;
  solve("wall 20 x 30", p, 1e-8);
  ss_problem_destroy(p);
  static const struct {
    int blocks;
    double ratio;
  } towers[] = {{2, 1e6}, {7, 10}, {20, 2}};
  for (int k = 0; k < 3; k++) {
    char name[64];
    if (ss_generate_tower(&ctx, 3, towers[k].blocks, towers[k].ratio, 0.5, &p))
      return fprintf(stderr, "%s\n", ctx.message), 1;
    snprintf(name, sizeof name, "tower %d, ratio %g", towers[k].blocks, towers[k].ratio);
    solve(name, p, 1e-8);
    ss_problem_destroy(p);
  }
  static const double friction[] = {0.3, 0.8};
  for (int k = 0; k < 2; k++)
    for (int dim = 2; dim <= 3; dim++) piles(friction[k], dim, largest);
  return 0;
}
