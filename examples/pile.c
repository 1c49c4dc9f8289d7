// A random pile of spheres: make it, look at it, solve it, check the answer independently.
//
// Shows ss_generate_pile, ss_describe, the progress callback, and ss_verify, which recomputes
// everything from the problem's own data and knows nothing of the solver.
#include <stdio.h>
#include <stickslip/stickslip.h>

static int count_calls(void *user, const ss_info *now) {
  (void)now;
  ++*(int *)user;
  return 0;  // nonzero would cancel the solve
}

int main(void) {
  ss_context ctx = {0};
  ss_pile_options pile = ss_pile_options_default();
  pile.dim = 3;
  pile.contacts = 300;
  pile.mu = 0.3;
  pile.seed = 7;
  ss_problem *p;
  if (ss_generate_pile(&ctx, &pile, &p)) return puts(ctx.message), 1;

  ss_description d;
  if (ss_describe(&ctx, p, 0, &d)) return puts(ctx.message), 1;

  int calls = 0;
  ss_options o = ss_options_default();
  o.tol = 1e-6;
  o.progress = count_calls;
  o.user = &calls;
  ss_solver *solver;
  static double r[3 * 1000];  // zero: the guess
  ss_info info;
  ss_verdict verdict;
  if (p->nc > 1000 || ss_solver_create(&ctx, p, &o, &solver) ||
      ss_solve(solver, r, NULL, NULL, NULL, &info) ||
      ss_verify(&ctx, p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &verdict))
    return puts(ctx.message), 1;

  printf("about 300 contacts:      %s\n", p->nc >= 270 && p->nc <= 330 ? "yes" : "no");
  printf("M is block-diagonal:     %s\n", d.bodies > 0 ? "yes" : "no");
  printf("hangs together:          %s\n", d.largest_component > p->nc / 2 ? "yes" : "no");
  printf("every contact judged:    %s\n",
         verdict.states[SS_FREE] + verdict.states[SS_STICK] + verdict.states[SS_SLIP] == p->nc
             ? "yes"
             : "no");
  printf("status:                  %s\n", ss_status_name(info.status));
  printf("error at most 1e-6:      %s\n", verdict.error <= 1e-6 ? "yes" : "no");
  printf("progress was reported:   %s\n", calls > 0 ? "yes" : "no");
  ss_solver_destroy(solver);
  ss_problem_destroy(p);
}
