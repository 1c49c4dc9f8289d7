#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"

void cli_progress_begin(cli_progress *p, const cli_session *s, double interval_s) {
  double now = cli_now_s();
  *p = (cli_progress){.silent = s->quiet, .begin_s = now, .last_s = now, .interval_s = interval_s};
  p->terminal = isatty(STDERR_FILENO) == 1;
  cli_interrupt_poll(true);
}

double cli_progress_due(cli_progress *p) {
  double now = cli_now_s();
  if (p->silent || now - p->last_s < (p->terminal ? 0.1 : p->interval_s)) return 0;
  p->last_s = now;
  return now - p->begin_s;
}

void cli_progress_draw(cli_progress *p, const char *label, double done, const char *format, ...) {
  enum { WIDTH = 24 };
  char bar[WIDTH + 1] = "";
  if (!isnan(done)) {
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(fmin(1, fmax(0, done)) * WIDTH));
  }
  fprintf(stderr, "\r\033[K%s%s", label, *label ? " " : "");
  if (*bar) fprintf(stderr, "[%.*s] ", WIDTH, bar);
  va_list list;
  va_start(list, format);
  cli_print_list(stderr, format, list);
  va_end(list);
  p->drawn = true;
}

void cli_progress_erase(cli_progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = false;
}

void cli_progress_end(cli_progress *p) {
  cli_progress_erase(p);
  cli_interrupt_poll(false);
}

// ---- a solve -------------------------------------------------------------------------------

cli_solve_progress cli_solve_progress_begin(const cli_session *s, const char *solver,
                                            const cli_bound *b) {
  cli_solve_progress p = {.solver = solver, .bound = *b, .first = INFINITY, .best = INFINITY};
  cli_progress_begin(&p.shown, s, 1);
  return p;
}

static double fraction(const cli_solve_progress *p) {
  if (!(p->best < p->first) || !(p->bound.tol < p->first)) return 0;
  return log(p->first / p->best) / log(p->first / p->bound.tol);
}

int cli_solve_progress_report(void *progress, const ss_info *now) {
  cli_solve_progress *p = progress;
  ss_verdict v = {.error = now->error, .error_fclib = now->error_fclib};
  double x = ss_verdict_measure(&v, p->bound.measure), time_s = cli_progress_due(&p->shown);
  if (isinf(p->first) && isfinite(x)) p->first = x;
  if (x < p->best) p->best = x;
  if (time_s > 0 && p->shown.terminal)
    cli_progress_draw(&p->shown, p->solver, fraction(p), "iteration %d  error %.2e  %.1f s",
                      now->iterations, now->error, time_s);
  else if (time_s > 0)
    fprintf(stderr, "%s iter=%d error=%.3e error_fclib=%.3e t=%.2f\n", p->solver, now->iterations,
            now->error, now->error_fclib, time_s);
  return cli_interrupted();
}
