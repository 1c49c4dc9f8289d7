// A load that is pushed over a fold: how many solutions there are, where they meet, and what happens next.
//
// 2D. One particle on an obstacle, held by a spring along the normal and one inclined by theta, tan(theta) = 3/4, pressed down with
// 1 and pulled along with T. Friction 3/2 is above its critical value tan(theta): between T = 3/4 and T = 3/2 the particle may
// stick, slip or have left the obstacle. Followed over T, these are one branch that turns back twice. At T = 3/2 sticking ends, and the rate problem says what
// can follow: nothing, as long as T grows. The particle has to jump.
//
// Shows ss_trace_create and ss_rate_enumerate.
#include <stdio.h>
#include <stickslip/stickslip.h>

static ss_error pulled(void *user, ss_context *ctx, double T, ss_problem **out) {
  (void)user;
  const ss_model_setting s[] = {
      {"tan_theta", "3/4", 0}, {"mu", "3/2", 0}, {"f_n", "1", 0}, {"f_t", NULL, T}};
  return ss_model_build(ctx, "klarbring", s, 4, out);
}

static void show(const ss_trace *t) {
  printf("branches: %d, complete: %s\n", t->branch_count, t->complete ? "yes" : "no");
  for (int k = 0; k < t->change_count; k++)
    printf("  at T = %.6f from %s to %s\n", t->changes[k].parameter,
           ss_cell_state_name(t->changes[k].from[0]), ss_cell_state_name(t->changes[k].to[0]));
  for (int k = 0; k < t->fold_count; k++) printf("  T turns at %.6f\n", t->folds[k].parameter);
}

int main(void) {
  ss_context ctx = {0};
  ss_trace_options o = ss_trace_options_default();
  ss_trace *t;
  o.from = -2, o.to = 2;
  if (ss_trace_create(&ctx, &o, pulled, NULL, &t)) return puts(ctx.message), 1;
  show(t);
  ss_trace_destroy(t);

  ss_problem *p;
  const double r[] = {1, -1.5};
  if (pulled(NULL, &ctx, 1.5, &p)) return puts(ctx.message), 1;
  for (int more = 1; more >= 0; more--) {
    const double f[] = {0, more ? -1 : 1};  // minus the rate of the load
    ss_rate_set *ways;
    if (ss_rate_enumerate(&ctx, p, r, &(ss_rate_load){.f = f}, NULL, &ways))
      return puts(ctx.message), 1;
    printf("at T = 1.5, T %s: %d of %d ways on", more ? "grows" : "falls", ways->count,
           (int)ways->patterns);
    for (int k = 0; k < ways->count; k++)
      printf("%s %s", k ? "," : ":", ss_cell_state_name(ways->ways[k].states[0]));
    printf("\n");
    ss_rate_set_destroy(ways);
  }
  ss_problem_destroy(p);
  return 0;
}
