// What a certificate says, from what its evidence proves and from nothing else; what the search says of itself only picks
// among the words for it.
#include <math.h>

#include "certify/certificate_check.h"

static const double ATTAINED =
    1e-4;  // gap times speed, in units: a supremum only approached has ~ 1
static const double ZERO_MARGIN = 1e-6;  // of |w|, where it is only approached
static const double KERNEL = 1e-6;       // equilibrium and cone of impulses that bound the margin
static const double CLOSED = 1.5e-7;     // gap of a margin that is called exact, in units of |w|

static void conclude_margin(const ss_problem *p, const ss_certificate_report *r,
                            const ssi_search_said *said, const ssi_proved *is, ss_certificate *c) {
  c->unit = r->unit;
  c->margin_low = r->joints_blurred ? -INFINITY : r->margin_low;
  bool kernel = r->has_jamming && r->outside + r->equilibrium <= KERNEL;
  c->margin_high = kernel ? r->margin_high : INFINITY;
  c->work = r->has_jamming ? r->margin_high : 0;
  if (is->every_w) {
    c->margin = INFINITY;
    c->margin_exact = true;
    return;
  }
  double gap = fabs(c->margin_high - c->margin_low) / r->unit;
  double size = fmax(1, fabs(c->margin_high) / r->unit);
  c->margin_exact = r->has_jamming && (said->closed || said->rest) && gap <= CLOSED * size;
  c->margin = is->violated && !c->margin_exact ? c->margin_high : c->margin_low;
  if (r->joints_blurred && !is->violated) c->margin = NAN;
  if (said->rest && is->exists && fabs(c->margin) <= c->tol * r->unit) c->margin = 0;
  if (!c->margin_exact) return;
  if (p->dim == 2 || said->rest || gap * (1 + r->speed) <= ATTAINED)
    c->attained = SS_YES;
  else if (gap * r->speed > 100 * ATTAINED)
    c->attained = SS_NO;
}

static void conclude_criterion(const ss_problem *p, const ss_certificate_report *r,
                               const ssi_search_said *said, const ssi_proved *is,
                               ss_certificate *c) {
  c->criterion_A = SS_CRITERION_UNDECIDED;
  c->verdict = SS_UNDECIDED;
  bool zero = fabs(c->margin) <= ZERO_MARGIN * r->unit;
  c->reason =
      said->closed && c->attained == SS_NO && zero ? SS_REASON_NOT_ATTAINED : SS_REASON_TOLERANCE;
  if (is->exists && is->violated) {
    c->reason = SS_REASON_DATA;
    return;
  }
  if (is->exists && r->outside_class) {
    c->criterion_A = is->robust || is->every_w ? SS_CRITERION_ROBUST : SS_CRITERION_BOUNDARY;
    c->reason = SS_REASON_OUTSIDE;
  } else if (is->exists) {
    c->verdict = SS_EXISTS;
    c->criterion_A = is->robust || is->every_w ? SS_CRITERION_ROBUST : SS_CRITERION_BOUNDARY;
    c->reason = is->every_w  ? SS_REASON_EVERY_W
                : is->robust ? SS_REASON_ROBUST
                : said->rest ? SS_REASON_REST
                             : SS_REASON_BOUNDARY;
  } else if (is->violated) {
    // of a W that rounding may have made singular, the kernel is as little known as what it excludes
    bool blurred = p->form == SS_REDUCED && r->equilibrium > 0;
    c->criterion_A = SS_CRITERION_VIOLATED;
    c->reason = blurred ? SS_REASON_DATA : SS_REASON_VIOLATED;
  } else if (said->late) {
    c->reason = SS_REASON_TIME;
  } else if (p->form == SS_REDUCED || r->joints_blurred) {
    c->reason = SS_REASON_DATA;
  }
}

// Arrays are NULL where they prove nothing that is claimed.
static void drop_what_proves_nothing(ss_certificate *c) {
  if (c->for_every_w != SS_YES) c->direction = NULL;
  if (c->a_prime != SS_YES) c->parting = NULL;
  if (c->a_prime != SS_NO) c->lambda = c->lambda_l = NULL;
}

void ssi_certificate_conclude(const ss_problem *p, const ss_certificate_report *r,
                              const ssi_search_said *said, ss_certificate *c) {
  ssi_proved is = ssi_certificate_proves(p, c, r);
  c->attained = SS_UNKNOWN;
  conclude_margin(p, r, said, &is, c);
  conclude_criterion(p, r, said, &is, c);
  c->for_every_w = is.every_w ? SS_YES : SS_UNKNOWN;
  if (!is.every_w && r->has_jamming && r->outside + r->equilibrium <= 1e-9) c->for_every_w = SS_NO;
  c->a_prime = is.none ? SS_NO : is.parting ? SS_YES : SS_UNKNOWN;
  if (is.none && !is.exists) {
    c->verdict = SS_NONE;
    c->reason = SS_REASON_PENETRATION;
  }
  drop_what_proves_nothing(c);
}

void ssi_certificate_claim_nothing(ss_certificate *c, ss_existence_reason reason) {
  c->verdict = SS_UNDECIDED;
  c->reason = reason;
  c->criterion_A = SS_CRITERION_UNDECIDED;
  c->margin = c->margin_low = -INFINITY;
  c->margin_high = INFINITY;
  c->margin_exact = false;
  c->attained = c->for_every_w = c->a_prime = SS_UNKNOWN;
  c->velocity = c->direction = c->impulse = c->impulse_l = c->parting = NULL;
  c->lambda = c->lambda_l = NULL;
  c->work = 0, c->jamming_count = 0;
  c->residuals = (ss_certificate_residuals){0};
}
