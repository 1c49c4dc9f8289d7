// A solve that does not end in an answer: is there none, or was it not found?
//
// 2D. A rod slides in a sleeve at 45 degrees (one degree of freedom, v > 0 upwards), and its tip drags on a belt
// that moves with speed 1. Its weight presses it down. With H = (s, s), s = sqrt(1/2), a tip that rests on the belt
// slips, r = (1, -mu) r_N, and equilibrium asks s (1 - mu) r_N = s: for mu > 1 there is no such r_N, and nothing
// else fits either. The rod jams. With mu < 1 there is a solution, and a solver that stops too early.
//
// Shows ss_diagnose: the verdict on existence, what proves it, the contacts to blame, what to try next.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>

static void explain(const ss_diagnosis *why) {
  printf("  existence   %s, by %s\n", ss_existence_name(why->existence), ss_proof_name(why->proof));
  if (why->certificate)
    printf("  criterion   (A) is %s, margin %.4f\n",
           ss_criterion_state_name(why->certificate->criterion_A), why->margin);
  for (int k = 0; k < why->jamming_count; k++)
    printf("  jams        contact %d\n", why->jamming[k]);
  if (why->settlement && why->settlement->proof == SS_PROOF_ENUMERATION)
    printf("  solutions   %d\n", why->settlement->count);
  printf("  rounding    %s\n", why->rounding_floor < 1e-15 ? "is far below" : "matters");
  for (int k = 0; k < SS_SUGGESTION_COUNT; k++)
    if (why->suggests[k]) printf("  try         %s\n", ss_suggestion_text((ss_suggestion)k));
}

static int drag(double mu) {
  const double s = sqrt(0.5), M[] = {1}, f[] = {s}, H[] = {s, s}, w[] = {0, 1};
  const int64_t M_ptr[] = {0, 1}, H_ptr[] = {0, 1, 2};
  const int zero[] = {0, 0};
  const ss_problem p = {.form = SS_GLOBAL,
                        .dim = 2,
                        .nc = 1,
                        .ndof = 1,
                        .mu = &mu,
                        .M = {1, 1, M_ptr, zero, M},
                        .H = {2, 1, H_ptr, zero, H},
                        .f = f,
                        .w = w};
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  o.method = "admm", o.max_iter = 3;  // far too few
  ss_solver *solver;
  double r[2] = {0};
  ss_info info;
  if (ss_solver_create(&ctx, &p, &o, &solver) || ss_solve(solver, r, NULL, NULL, NULL, &info))
    return puts(ctx.message), 1;
  ss_solver_destroy(solver);
  printf("mu = %g: %s\n", mu, ss_status_name(info.status));
  if (info.status == SS_SOLVED) return 0;

  ss_attempt tried = {.method = o.method, .status = info.status, .tol = o.tol, .r = r};
  ss_diagnosis *why;
  if (ss_diagnose(&ctx, &p, &tried, NULL, &why)) return puts(ctx.message), 1;
  explain(why);
  ss_diagnosis_destroy(why);
  return 0;
}

int main(void) {
  return drag(1.5) || drag(0.9);
}
