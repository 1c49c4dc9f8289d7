// bench_derivative [CONTACTS...] - one adjoint and one forward product beside the solve of the same problem: piles of disks and spheres,
// mu = 0.1 and 0.3, contacts at kinks keeping their states. Processor time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <stickslip/stickslip.h>

static double now(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct work {
  ss_problem *p;
  double *r, *v, *seed, *df, *dmu;
  double solve_s, create_s, adjoint_s, forward_s;
} work;

static double *take(int n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  if (!x) exit(1);
  return x;
}

static void solve(ss_context *ctx, work *w) {
  ss_options o = ss_options_default();
  ss_solver *s;
  ss_info info;
  double begin = now();
  o.method = "auto", o.threads = 1;
  if (ss_solver_create(ctx, w->p, &o, &s)) exit(puts(ctx->message));
  if (ss_solve(s, w->r, NULL, w->v, NULL, &info)) exit(puts(ctx->message));
  ss_solver_destroy(s);
  w->solve_s = now() - begin;
}

static void products(ss_context *ctx, work *w, ss_derivative *d) {
  double begin = now();
  ss_data_gradient out = {.f = w->df, .mu = w->dmu};
  ss_error e = ss_derivative_adjoint(d, &(ss_solution){.v = w->seed}, &out);
  w->adjoint_s = e ? NAN : now() - begin;
  begin = now();
  for (int k = 0; k < w->p->nc; k++) w->dmu[k] = 1;
  e = ss_derivative_forward(d, &(ss_data_direction){.mu = w->dmu}, NULL, NULL, w->v, NULL);
  w->forward_s = e ? NAN : now() - begin;
  if (e) printf("# %s\n", ctx->message);
}

static void measure(int contacts, int dim, double mu) {
  ss_context ctx = {0};
  ss_pile_options pile = ss_pile_options_default();
  pile.contacts = contacts, pile.dim = dim, pile.mu = mu;
  work w = {0};
  if (ss_generate_pile(&ctx, &pile, &w.p)) exit(puts(ctx.message));
  int m = dim * w.p->nc;
  w.r = take(m), w.v = take(w.p->ndof), w.seed = take(w.p->ndof), w.df = take(w.p->ndof);
  w.dmu = take(w.p->nc);
  for (int k = 0; k < w.p->ndof; k++) w.seed[k] = cos(k);
  solve(&ctx, &w);
  ss_derivative_options o = ss_derivative_options_default();
  ss_derivative *d;
  o.keep = true;
  double begin = now();
  if (ss_derivative_create(&ctx, w.p, &(ss_solution){.r = w.r}, &o, &d)) exit(puts(ctx.message));
  w.create_s = now() - begin;
  products(&ctx, &w, d);
  const ss_derivative_info *i = ss_derivative_summary(d);
  printf("%8d %3d %4.1f %8d %-8s %5d %5d %9.4f %9.4f %9.4f %9.4f\n", w.p->nc, dim, mu, i->unknowns,
         ss_smoothness_name(i->smoothness), i->places[SS_PLACE_EDGE] + i->places[SS_PLACE_GRAZE],
         i->loose_count, w.solve_s, w.create_s, w.adjoint_s, w.forward_s);
  ss_derivative_destroy(d);
  ss_problem_destroy(w.p);
  free(w.r), free(w.v), free(w.seed), free(w.df), free(w.dmu);
}

int main(int count, char **words) {
  printf(
      "contacts dim   mu unknowns smooth?  kinks loose   solve_s  create_s adjoint_s forward_s\n");
  for (int k = 1; k < (count > 1 ? count : 3); k++)
    for (int dim = 2; dim <= 3; dim++)
      for (int hard = 0; hard < 2; hard++)
        measure(count > 1 ? atoi(words[k]) : k == 1 ? 1000 : 10000, dim, hard ? 0.3 : 0.1);
}
