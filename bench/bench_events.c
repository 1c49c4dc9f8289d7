// bench_events [PERIODS]
//   The four schemes on Example 5.3 of [Jack] (jack plane, always in contact): first with the paper's step, 0.001 on
//   0 <= t <= 380, beside the times that it reports; then with the coarsest step or tolerance that reaches a given
//   accuracy over PERIODS (1) periods of the load. Then ten periods of Example 4.1 from event to event.
//   Times are of the processor. Errors: largest of x3 and x4 on a grid of 0.25, against events with a tolerance of 1e-13.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stickslip/stickslip.h>

typedef struct motion {
  double end;
  int count;  // of grid points
  double *x;  // x3, x4 at each
  int events;
  double seconds;
} motion;

static const double GRID = 0.25;

static void fail(const ss_context *ctx, ss_error e) {
  fprintf(stderr, "bench_events: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

// size: step, or relative tolerance.
static motion run(ss_scheme scheme, double size, double end) {
  ss_context ctx = {0};
  ss_machine *m;
  ss_evolution *e;
  ss_evolution_state s;
  motion r = {.end = end, .count = (int)(end / GRID + 1e-9)};
  r.x = calloc(2 * (size_t)r.count, sizeof *r.x);
  ss_error error = ss_machine_build(&ctx, "jack-plane-5.3", NULL, 0, &m);
  if (error || !r.x) fail(&ctx, error);
  ss_evolve_options o = m->options;
  o.scheme = scheme;
  o.step = scheme == SS_SCHEME_EVENTS ? 0 : size;
  if (scheme == SS_SCHEME_EVENTS) o.rel_tol = size, o.abs_tol = 0.01 * size;
  clock_t begin = clock();
  error = ss_evolution_create(&ctx, &m->mechanism, &o, m->t, m->q, m->v, &e);
  for (int k = 0; k < r.count && !error; k++) {
    error = ss_evolution_advance(e, GRID * (k + 1));
    if (!error) error = ss_evolution_state_now(e, &s);
    if (!error) r.x[2 * k] = s.q[1], r.x[2 * k + 1] = s.v[1];
  }
  if (!error) error = ss_evolution_advance(e, end);
  if (error) fail(&ctx, error);
  r.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  r.events = ss_evolution_event_count(e) - 1;
  ss_evolution_destroy(e);
  ss_machine_destroy(m);
  return r;
}

static double error_of(const motion *a, const motion *exact) {
  double most = 0;
  for (int k = 0; k < 2 * a->count; k++) most = fmax(most, fabs(a->x[k] - exact->x[k]));
  return most;
}

static void papers_step(void) {
  const char *const paper[] = {"2.3", "2495.6", "64.8", "-"};
  motion exact = run(SS_SCHEME_EVENTS, 1e-13, 380);
  puts("| scheme | step | mode changes | error | time (s) | [Jack] (s) | ratio |");
  puts("|---|---|---|---|---|---|---|");
  for (int k = 0; ss_scheme_name((ss_scheme)k); k++) {
    bool events = k == SS_SCHEME_EVENTS;
    motion r = run((ss_scheme)k, events ? 1e-11 : 0.001, 380);
    printf("| %s | %s | %d | %.1e | %.3f | %s | ", ss_scheme_name((ss_scheme)k),
           events ? "tolerance 1e-11" : "0.001", r.events, error_of(&r, &exact), r.seconds,
           paper[k]);
    if (atof(paper[k]) > 0)
      printf("%.0f |\n", atof(paper[k]) / r.seconds);
    else
      puts("- |");
    free(r.x);
  }
  free(exact.x);
}

// The cheapest that is good enough: "1.2e-3 s (step 0.01)", or "-".
static void cheapest(ss_scheme scheme, double target, const motion *exact) {
  bool events = scheme == SS_SCHEME_EVENTS;
  double size = events ? 1e-2 : 0.1, least = events ? 1e-12 : 1e-4, by = events ? 10 : 2;
  for (; size >= least * (1 - 1e-9); size /= by) {
    motion r = run(scheme, size, exact->end);
    double error = error_of(&r, exact);
    free(r.x);
    if (error > target) continue;
    printf(" %.2g (%s %.2g) |", 1e3 * r.seconds, events ? "tolerance" : "step", size);
    return;
  }
  printf(" - |");
}

static void equal_accuracy(int periods) {
  motion exact = run(SS_SCHEME_EVENTS, 1e-13, periods * 12 * acos(-1));
  printf("\n%d period%s, milliseconds:\n\n| error at most |", periods, periods == 1 ? "" : "s");
  for (int k = 0; ss_scheme_name((ss_scheme)k); k++) printf(" %s |", ss_scheme_name((ss_scheme)k));
  puts("\n|---|---|---|---|---|");
  for (double target = 1e-2; target > 1e-11; target /= 10) {
    printf("| %.0e |", target);
    for (int k = 0; ss_scheme_name((ss_scheme)k); k++) cheapest((ss_scheme)k, target, &exact);
    puts("");
    fflush(stdout);
  }
  free(exact.x);
}

// Without outputs, the least of twenty.
static void ten_periods(void) {
  double least = INFINITY;
  long long steps = 0, evaluations = 0;
  for (int k = 0; k < 20; k++) {
    ss_context ctx = {0};
    ss_machine *m;
    ss_evolution *e;
    ss_evolution_totals t;
    ss_error error = ss_machine_build(&ctx, "jack-plane", NULL, 0, &m);
    if (error) fail(&ctx, error);
    m->options.step = 0;
    clock_t begin = clock();
    error = ss_evolution_create(&ctx, &m->mechanism, &m->options, m->t, m->q, m->v, &e);
    if (!error) error = ss_evolution_advance(e, m->duration);
    if (error) fail(&ctx, error);
    least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC);
    ss_evolution_totals_now(e, &t);
    steps = (long long)t.steps, evaluations = (long long)t.evaluations;
    ss_evolution_destroy(e);
    ss_machine_destroy(m);
  }
  printf("\nExample 4.1, ten periods, tolerance 1e-11: %.1f ms, %lld steps, %lld evaluations\n",
         1e3 * least, steps, evaluations);
}

int main(int argc, char **argv) {
  int periods = argc > 1 ? atoi(argv[1]) : 1;
  ten_periods();
  puts("");
  papers_step();
  equal_accuracy(periods > 0 ? periods : 1);
  return 0;
}
