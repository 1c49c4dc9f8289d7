// The largest friction coefficient for which criterion (A) holds. K* shrinks as mu grows, so (A) holds
// up to some mu and not beyond; near it lies a gap in which neither side can be certified.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/timer.h"
#include "stickslip/certify.h"

typedef struct hunt {
  ss_context *ctx;
  ss_problem p;
  const ss_certify_options *o;
  double *mu;  // (nc)
  ss_mu_range *out;
  double gap_low, gap_high;  // undecided from .. to; NAN: nothing undecided yet
  double end_s;              // of the time for all steps
  bool cancelled;
} hunt;

enum { STEPS = 200 };
static const double END = 1099511627776.0;  // 2^40: of a range without an end

// Passes the user's wish to stop on, and remembers it.
static int watch(void *user, int iteration, double low, double high) {
  hunt *h = user;
  if (h->o->progress && h->o->progress(h->o->user, iteration, low, high)) h->cancelled = true;
  return h->cancelled;
}

static ss_error try_mu(hunt *h, double mu) {
  ss_certificate *c;
  ss_certificate_report report;
  for (int i = 0; i < h->p.nc; i++) h->mu[i] = mu;
  ss_certify_options o = *h->o;
  o.progress = watch;
  o.user = h;
  if (o.time_limit_s > 0) o.time_limit_s = fmax(h->end_s - ssi_now_s(), 1e-3);
  SS_TRY(ss_certify(h->ctx, &h->p, &o, &c));
  h->out->steps++;
  if (ssi_time_is_over(h->end_s)) h->out->late = h->cancelled = true;
  ss_error e = ss_certificate_check(h->ctx, &h->p, c, &report);
  bool holds = c->criterion_A == SS_CRITERION_ROBUST || c->criterion_A == SS_CRITERION_BOUNDARY;
  bool fails = c->criterion_A == SS_CRITERION_VIOLATED;
  if (e || !report.holds || (!holds && !fails)) {
    h->gap_low = fmin(mu, h->gap_low);  // fmin, fmax: a NaN gives way
    h->gap_high = fmax(mu, h->gap_high);
    ss_certificate_destroy(c);
    return e;
  }
  ss_certificate **place = holds ? &h->out->at_low : &h->out->at_high;
  ss_certificate_destroy(*place);
  *place = c;
  *(holds ? &h->out->low : &h->out->high) = mu;
  return SS_OK;
}

// Halves first what lies below the gap, then what lies above it. The ends of the range that are not
// decided belong to the gap.
static double next_mu(const hunt *h, double width) {
  double low = h->out->low, high = h->out->high;
  double below = isnan(h->gap_low) ? high : h->gap_low;
  double above = isnan(h->gap_high) ? low : h->gap_high;
  if (h->out->at_low && below - low > width * below) return 0.5 * (low + below);
  if (h->out->at_high && high - above > width * high) return 0.5 * (above + high);
  return NAN;
}

// No end: every mu; or one at which it is known to fail; or the first of 1, 2, 4, ... at which it does, or is not decided.
// *to: from there down.
static ss_error find_end(hunt *h, double from, double *to) {
  ss_every_mu *every = NULL;
  SS_TRY(ss_certify_every_mu(h->ctx, &h->p, h->o, NULL, false, &every));
  ss_tristate holds = every->holds;
  *to = fmax(holds == SS_NO ? every->fails_from : 1, from);
  ss_every_mu_destroy(every);
  if (holds == SS_YES) h->out->low = INFINITY;
  while (holds == SS_UNKNOWN && *to < END && !h->cancelled) {
    SS_TRY(try_mu(h, *to));
    if (h->out->low != *to) break;
    *to *= 2;
  }
  return SS_OK;
}

static ss_error run(hunt *h, double from, double to, double width) {
  h->out->low = NAN;
  h->out->high = INFINITY;
  if (isinf(to)) SS_TRY(find_end(h, from, &to));
  if (h->out->low == INFINITY) return SS_OK;
  if (h->out->low != to && h->out->high != to) SS_TRY(try_mu(h, to));
  if (h->out->low == to) return SS_OK;  // holds everywhere
  if (from < to && !h->out->at_low && !h->cancelled) SS_TRY(try_mu(h, from));
  if (h->out->high == from) return SS_OK;  // fails everywhere
  while (h->out->steps < STEPS && !h->cancelled) {
    double mu = next_mu(h, width);
    if (isnan(mu)) break;
    SS_TRY(try_mu(h, mu));
  }
  return SS_OK;
}

ss_error ss_certify_mu_range(ss_context *ctx, const ss_problem *p,
                             const ss_certify_options *options, double from, double to,
                             double rel_width, ss_mu_range *out) {
  if (!p || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a problem and a place for the range are needed");
  *out = (ss_mu_range){0};
  if (!(from >= 0 && to >= from && isfinite(from)))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "mu range is %g : %g, expected 0 <= from <= to", from,
                    to);
  if (!(rel_width > 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "relative width is %g, expected > 0", rel_width);
  ss_certify_options o = options ? *options : ss_certify_options_default();
  o.margin = SS_MARGIN_BOUND;
  hunt h = {.ctx = ctx, .p = *p, .o = &o, .out = out, .gap_low = NAN, .gap_high = NAN};
  h.end_s = ssi_time_end(o.time_limit_s);
  h.mu = ssi_alloc(ctx, (size_t)(p->nc > 0 ? p->nc : 1), sizeof *h.mu);
  if (!h.mu)
    return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory for %d friction coefficients", p->nc);
  for (int i = 0; i < p->nc; i++) h.mu[i] = from;
  h.p.mu = h.mu;
  ss_error e = run(&h, from, to, rel_width);
  ssi_release(ctx, h.mu);
  if (e) ss_mu_range_release(out);
  return e;
}

void ss_mu_range_release(ss_mu_range *r) {
  if (!r) return;
  ss_certificate_destroy(r->at_low);
  ss_certificate_destroy(r->at_high);
  *r = (ss_mu_range){0};
}
