#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

bool cli_interrupted(void) {
  return interrupted != 0;
}

void cli_signals_catch(void) {
  // RESETHAND: the set-up of a solver is not polled, so a second signal must be able to end it
  struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&a.sa_mask);
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
}

void cli_signals_release(void) {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

void cli_progress_begin(cli_progress *p, const char *solver, const cli_bound *b, bool silent) {
  double now = cli_now_s();
  *p = (cli_progress){.solver = solver, .bound = *b, .silent = silent, .begin_s = now};
  p->last_s = now;  // nothing is said about a solve that is over at once
  p->first = p->best = INFINITY;
  p->terminal = isatty(STDERR_FILENO) == 1;
  cli_signals_catch();
}

// How far, in decades of the measure, from the first residual to the tolerance.
static double fraction(const cli_progress *p) {
  if (!(p->best < p->first) || !(p->bound.tol < p->first)) return 0;
  double done = log(p->first / p->best) / log(p->first / p->bound.tol);
  return done > 1 ? 1 : done;
}

static void draw_bar(cli_progress *p, const ss_info *now, double time_s) {
  enum { WIDTH = 24 };
  char bar[WIDTH + 1];
  int full = (int)(fraction(p) * WIDTH);
  memset(bar, '.', WIDTH);
  memset(bar, '#', (size_t)full);
  bar[WIDTH] = '\0';
  fprintf(stderr, "\r\033[K%s [%s] iteration %d  error %.2e  %.1f s", p->solver, bar,
          now->iterations, now->error, time_s);
  p->drawn = true;
}

static void say(cli_progress *p, const ss_info *now) {
  const double interval_s = p->terminal ? 0.1 : 1.0;
  double t = cli_now_s();
  if (p->silent || t - p->last_s < interval_s) return;
  p->last_s = t;
  if (p->terminal)
    draw_bar(p, now, t - p->begin_s);
  else
    fprintf(stderr, "%s iter=%d error=%.3e error_fclib=%.3e t=%.2f\n", p->solver, now->iterations,
            now->error, now->error_fclib, t - p->begin_s);
}

int cli_progress_report(void *progress, const ss_info *now) {
  cli_progress *p = progress;
  double x = p->bound.measure == SS_MEASURE_FCLIB ? now->error_fclib : now->error;
  if (p->bound.measure == SS_MEASURE_BOTH && now->error_fclib > x) x = now->error_fclib;
  if (isinf(p->first) && isfinite(x)) p->first = x;
  if (x < p->best) p->best = x;
  say(p, now);
  return cli_interrupted();
}

void cli_progress_end(cli_progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = false;
  cli_signals_release();
}
