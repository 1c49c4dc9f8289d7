// cli/step_clock.c - see step_clock.h.
#include "cli/step_clock.h"

#include <math.h>

#include "cli/interrupt.h"

static const double LONG_S = 1;  // a step that takes longer is said

void cli_step_clock_start(cli_step_clock *c, long long step) {
  c->step = step;
  c->begin_s = c->said_s = cli_now_s();
  c->error = INFINITY;
  c->iterations = 0;
}

// Solvers are looked at seldom: on the way from one error to the next time goes with the digits.
static double digits_between(double from, double to) {
  if (!(to < CLI_USUAL_TOLERANCE) || !isfinite(from)) return 0;
  to = fmax(to, 1e-16);
  return log(CLI_USUAL_TOLERANCE / to) / log(from / to);
}

static void count_digits(cli_step_clock *c, const ss_info *now) {
  double heard_s = cli_now_s(), spent_s = heard_s - c->heard_s;
  c->heard_s = heard_s;
  if (now->iterations == 0) {  // another solve
    c->in_digits = now->error <= CLI_USUAL_TOLERANCE;
    return;
  }
  c->digits_s += c->in_digits ? spent_s : spent_s * digits_between(c->error, now->error);
  c->in_digits = c->in_digits || now->error <= CLI_USUAL_TOLERANCE;
}

int cli_step_clock_hear(void *clock, const ss_info *now) {
  cli_step_clock *c = clock;
  count_digits(c, now);
  c->error = now->error;
  c->iterations = now->iterations;
  return 0;
}

static bool is_due(const cli_step_clock *c, double now) {
  const cli_progress *p = c->shown;
  if (p->silent || now - c->begin_s < LONG_S) return false;
  bool first = c->said_s == c->begin_s;
  return first || now - c->said_s >= (p->terminal ? 0.1 : p->interval_s);
}

static void say(cli_step_clock *c, double now) {
  double taken = now - c->begin_s;
  c->said_s = now;
  if (c->shown->terminal)
    cli_progress_draw(c->shown, "", NAN, "step %lld: %.1f s, error %.0e", c->step, taken, c->error);
  else
    fprintf(stderr, "simulate step=%lld taking=%.1f error=%.2e iterations=%d\n", c->step, taken,
            c->error, c->iterations);
}

int cli_step_clock_stop(void *clock) {
  cli_step_clock *c = clock;
  if (cli_interrupted()) return 1;
  double now = cli_now_s();
  if (now >= c->end_s) c->late = true;
  if (is_due(c, now)) say(c, now);
  return c->late;
}
