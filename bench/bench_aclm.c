// bench_aclm [--seeds N] [--outer NAME] [--inner NAME] - how many convex programs the fixed point of
// [ACLM11] takes, against the size of the problem (its Table 1) and against mu (its Fig. 9).
//
// Piles of spheres with as many contacts as the paper has per time step, from r = 0, with its settings:
// successive approximations, projected gradient to 1e-8 or 250 iterations, its stopping test (6.1),
// velocities in metres per second of a time step of 0.02 s. The paper solves along a simulation and starts
// each step from the last one; here each pile is solved once, from nothing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

static const double STEP_VELOCITY =
    9.81 * 0.02;  // m/s gained in a time step; 1 in a generated pile

static const char *outer = "picard", *inner = "pg";

static void check(const ss_context *ctx, ss_error e) {
  if (!e) return;
  fprintf(stderr, "bench_aclm: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

// The pile with velocities, and so f and w, multiplied by STEP_VELOCITY.
static ss_problem *make_pile(int contacts, double mu, int seed, ss_problem *scaled) {
  static ss_context ctx;  // the problem refers to it until it is destroyed
  ss_pile_options o = ss_pile_options_default();
  ss_problem *p;
  o.contacts = contacts, o.mu = mu, o.seed = (uint64_t)seed, o.agitation = 1;
  check(&ctx, ss_generate_pile(&ctx, &o, &p));
  *scaled = *p;
  int m = p->dim * p->nc;
  double *f = malloc(sizeof *f * (size_t)p->ndof), *w = malloc(sizeof *w * (size_t)m);
  if (!f || !w) exit(1);
  for (int k = 0; k < p->ndof; k++) f[k] = STEP_VELOCITY * p->f[k];
  for (int k = 0; k < m; k++) w[k] = STEP_VELOCITY * p->w[k];
  scaled->f = f, scaled->w = w;
  return p;
}

static void free_pile(ss_problem *p, ss_problem *scaled) {
  free((void *)(uintptr_t)scaled->f);
  free((void *)(uintptr_t)scaled->w);
  ss_problem_destroy(p);
}

// Until (6.1) holds with `epsilon`.
static ss_info run(const ss_problem *p, double epsilon, int max_iter) {
  char text[32];
  snprintf(text, sizeof text, "%g", epsilon);
  ss_setting settings[] = {{"outer", outer},
                           {"inner", inner},
                           {"stop", text},
                           {"inner_tol", "1e-8"},
                           {"inner_max", !strcmp(inner, "pg") ? "250" : "5000"}};
  ss_options o = ss_options_default();
  o.method = "aclm", o.tol = 1e-300, o.max_iter = max_iter;
  o.settings = settings, o.setting_count = sizeof settings / sizeof *settings;
  ss_context ctx = {0};
  ss_solver *s;
  ss_info info;
  check(&ctx, ss_solver_create(&ctx, p, &o, &s));
  double *r = calloc((size_t)(p->dim * p->nc), sizeof *r);
  if (!r) exit(1);
  check(&ctx, ss_solve(s, r, NULL, NULL, NULL, &info));
  free(r);
  ss_solver_destroy(s);
  return info;
}

typedef struct sample {
  double mean, largest, time_s, error;
} sample;

// Mean over piles; with `neutral` the test is not divided by the number of contacts.
static sample programs(int contacts, double mu, double epsilon, bool neutral, int seeds) {
  sample out = {0};
  for (int seed = 1; seed <= seeds; seed++) {
    ss_problem scaled, *p = make_pile(contacts, mu, seed, &scaled);
    ss_info now = run(&scaled, neutral ? epsilon / p->nc : epsilon, 50);
    out.mean += (double)now.inner_solves / seeds;
    out.largest = fmax(out.largest, now.inner_solves);
    out.time_s += now.time_solve_s / seeds;
    out.error = fmax(out.error, now.error);
    free_pile(p, &scaled);
  }
  return out;
}

static void against_size(int seeds) {
  static const int sizes[] = {239, 506, 741, 2000};  // the first three: Table 1
  static const double epsilon[] = {1e-2, 1e-4, 1e-2, 1e-3};
  printf("mu = 0.3, %d piles: programs, mean (largest), until (6.1); until the same without 1/n\n",
         seeds);
  printf("contacts   (6.1) 1e-2   (6.1) 1e-4 |   no 1/n 1e-2   no 1/n 1e-3   ms   worst error\n");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    sample at = {0};
    printf("%8d", sizes[k]);
    for (int e = 0; e < 4; e++) {
      at = programs(sizes[k], 0.3, epsilon[e], e > 1, seeds);
      printf("%s%7.2f (%2.0f)", e == 2 ? " |  " : " ", at.mean, at.largest);
      fflush(stdout);
    }
    printf(" %8.1f %8.1e\n", 1e3 * at.time_s, at.error);
  }
}

static void against_friction(int seeds) {
  static const double epsilon[] = {1, 1e-1, 1e-2, 1e-3};
  printf("\n250 contacts, %d piles: programs until (6.1) without 1/n (at most 50)\n", seeds);
  printf("  mu        1     1e-1     1e-2     1e-3   factor per program, 1e-1 to 1e-3\n");
  for (int tenth = 1; tenth <= 9; tenth++) {
    double mean[4];
    printf("%4.1f ", tenth / 10.0);
    for (int k = 0; k < 4; k++) {
      mean[k] = programs(250, tenth / 10.0, epsilon[k], true, seeds).mean;
      printf(" %8.2f", mean[k]);
    }
    printf("   %.3f\n", pow(1e-2, 1 / (mean[3] - mean[1])));
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  int seeds = 10;
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--seeds") && k + 1 < argc && atoi(argv[k + 1]) > 0)
      seeds = atoi(argv[++k]);
    else if (!strcmp(argv[k], "--outer") && k + 1 < argc)
      outer = argv[++k];
    else if (!strcmp(argv[k], "--inner") && k + 1 < argc)
      inner = argv[++k];
    else
      return fprintf(stderr, "usage: bench_aclm [--seeds N] [--outer NAME] [--inner NAME]\n"), 2;
  against_size(seeds);
  against_friction(seeds);
  return 0;
}
