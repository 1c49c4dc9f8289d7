// Whether what a certificate claims is what its evidence proves. Every claim has its own question here, and
// the answer begins with the name that the claim has in a certificate file (docs/formats-json.md).
#include <math.h>

#include "certify/certificate_check.h"

static const double AGREE = 2e-7;         // of |w|: numbers that are called equal
static const double TIGHT = 1e-12;        // of |w| and of the speed: rounding of a bound
static const double KERNEL = 1e-6;        // equilibrium and cone of a self-equilibrated state
static const double EXACT_KERNEL = 1e-9;  // the same, where it proves that (A) depends on w
static const double ATTAINED = 1e-4;  // gap times speed; a supremum that is only approached has ~ 1
static const double ON_SURFACE = 1e-9;  // |u| over |w| of contacts at rest
static const double ZERO_MARGIN =
    1e-6;                         // of |w|: a margin that is called zero within the tolerance
static const double JAMS = 1e-7;  // of the largest normal impulse: a contact of the jamming mode
static const double SAME = 1e-6;  // relative: the same number
static const double SAME_VECTOR = 1e-7;  // of its largest entry

typedef struct claim {
  const ss_problem *p;
  const ss_certificate *c;
  const ss_certificate_report *r;
  ssi_proved is;
  bool exists, none;  // proved, by whatever there is
} claim;

static claim of(const ss_problem *p, const ss_certificate *c, const ss_certificate_report *r) {
  claim k = {p, c, r, ssi_certificate_proves(p, c, r), false, false};
  bool theorem = !r->outside_class && !k.is.indefinite;
  k.exists = k.is.solution || (k.is.exists && !k.is.violated && theorem);
  k.none = k.is.none && !k.is.exists && !k.is.solution;
  return k;
}

// ---- verdict, criterion and reason -----------------------------------------------------------

static const char *verdict_unproved(const claim *k) {
  const ss_certificate *c = k->c;
  if (c->verdict == SS_EXISTS && c->reason == SS_REASON_SOLUTION && !k->is.solution)
    return "solution: is none";
  if (c->verdict == SS_EXISTS && k->is.exists && !k->exists)
    return k->is.violated
               ? "verdict: the impulses contradict the velocity"
               : "verdict: W is not positive semi-definite, so criterion (A) proves nothing";
  if (c->verdict == SS_EXISTS && !k->exists)
    return "verdict: the velocity does not satisfy criterion (A)";
  if (c->verdict == SS_NONE && !k->none)
    return "verdict: the multipliers do not exclude a solution";
  if (c->verdict != SS_UNDECIDED) return NULL;
  if (k->exists && !k->none) return "verdict: the evidence shows that a solution exists";
  return k->none && !k->exists ? "verdict: the evidence shows that no solution exists" : NULL;
}

static ss_criterion_state criterion(const claim *k) {
  if (k->is.exists && k->is.violated) return SS_CRITERION_UNDECIDED;
  if (k->is.exists)
    return k->is.robust || k->is.every_w ? SS_CRITERION_ROBUST : SS_CRITERION_BOUNDARY;
  return k->is.violated ? SS_CRITERION_VIOLATED : SS_CRITERION_UNDECIDED;
}

static const char *criterion_unproved(const claim *k) {
  static const char *const shown[] = {
      "criterion_A: the velocity shows a positive margin",
      "criterion_A: the velocity shows that it holds, and no positive margin",
      "criterion_A: the impulses show that it is violated", "criterion_A: nothing here decides it"};
  ss_criterion_state found = criterion(k);
  return k->c->criterion_A == found ? NULL : shown[found];
}

// Undecided, and neither side of criterion (A) is shown, or both are.
static bool is_open(const claim *k) {
  return k->c->verdict == SS_UNDECIDED && k->is.exists == k->is.violated;
}

// (A) fails, for a kernel of W that rounding may have made or hidden.
static bool is_blurred(const claim *k) {
  return k->c->verdict == SS_UNDECIDED && k->p->form == SS_REDUCED && k->is.violated &&
         !k->is.exists && k->r->equilibrium > 0;
}

static bool reason_fits(const claim *k) {
  const ss_certificate *c = k->c;
  bool exists = c->verdict == SS_EXISTS;
  switch (c->reason) {
  case SS_REASON_ROBUST:
    return exists && criterion(k) == SS_CRITERION_ROBUST && k->p->nc > 0;
  case SS_REASON_EVERY_W:
    return exists && k->is.exists && k->is.every_w && k->p->nc > 0;
  case SS_REASON_BOUNDARY:
    return exists && criterion(k) == SS_CRITERION_BOUNDARY;
  case SS_REASON_REST:
    return exists && k->is.exists && k->r->slip <= ON_SURFACE && k->p->nc > 0;
  case SS_REASON_NO_CONTACTS:
    return exists && k->p->nc == 0;
  case SS_REASON_SOLUTION:
    return exists && k->is.solution;
  case SS_REASON_PENETRATION:
    return c->verdict == SS_NONE && c->lambda;
  case SS_REASON_BILATERAL:
    return c->verdict == SS_NONE && !c->lambda && c->lambda_l;
  case SS_REASON_VIOLATED:
    return c->verdict == SS_UNDECIDED && k->is.violated && !k->is.exists && !is_blurred(k);
  case SS_REASON_NOT_ATTAINED:
    return is_open(k) && c->attained == SS_NO && fabs(c->margin) <= ZERO_MARGIN * k->r->unit;
  case SS_REASON_OUTSIDE:
    return c->verdict == SS_UNDECIDED && (k->is.indefinite || k->r->outside_class);
  case SS_REASON_TOLERANCE:
    return is_open(k) && !k->is.exists;
  case SS_REASON_DATA:
    return is_open(k) || is_blurred(k);
  case SS_REASON_TIME:
    return is_open(k);
  case SS_REASON_DRIVEN:  // certify/load_check.c
  case SS_REASON_LOOSE:
  case SS_REASONS:
    break;
  }
  return false;
}

static const char *reason_unproved(const claim *k) {
  return reason_fits(k) ? NULL : "reason: does not follow from the verdict and its evidence";
}

// ---- conditions ------------------------------------------------------------------------------

static const char *condition_unproved(const claim *k) {
  const ss_certificate *c = k->c;
  const ss_certificate_report *r = k->r;
  bool kernel = r->has_jamming && r->outside + r->equilibrium <= EXACT_KERNEL;
  if (c->for_every_w == SS_YES && !k->is.every_w)
    return "for_every_w: the direction does not separate all contacts";
  if (c->for_every_w == SS_NO && (!kernel || k->is.every_w))
    return "for_every_w: the impulses are not a self-equilibrated state";
  if (c->direction && c->for_every_w != SS_YES) return "direction: proves nothing that is claimed";
  if (c->a_prime == SS_YES && !k->is.parting) return "a_prime.holds: no velocity shows it";
  if (c->a_prime == SS_NO && !k->is.none) return "a_prime.holds: the multipliers do not exclude it";
  if (c->parting && (c->a_prime != SS_YES || !k->is.parting))
    return "a_prime.velocity: proves nothing that is claimed";
  if ((c->lambda || c->lambda_l) && c->a_prime != SS_NO)
    return "a_prime.lambda: proves nothing that is claimed";
  return NULL;
}

// ---- the margin --------------------------------------------------------------------------------

// What rounding may move a bound by: the turn of a vector into contact frames, and back.
static double blur(const claim *k) {
  return TIGHT * k->r->unit * (1 + (k->r->has_velocity ? k->r->speed : 0)) +
         k->r->doubt * k->r->unit;
}

static const char *bounds_unproved(const claim *k) {
  const ss_certificate *c = k->c;
  const ss_certificate_report *r = k->r;
  bool unbounded = k->is.every_w || (k->p->nc == 0 && k->is.exists);
  bool nowhere = k->p->nl > 0 && k->is.none && !c->lambda;  // joints that contradict each other
  bool moves = r->has_velocity && !r->joints_blurred;
  double low = unbounded ? INFINITY : moves ? r->margin_low : -INFINITY;
  double high = nowhere ? -INFINITY : r->has_jamming ? r->margin_high : INFINITY;
  double slack = blur(k);
  if (!isinf(low)) low += slack;
  if (!isinf(high)) high -= slack;
  if (!(c->margin_low <= low)) return "margin_bounds[0]: the velocity does not prove that";
  if (!(c->margin_high >= high)) return "margin_bounds[1]: the impulses do not prove that";
  if (isfinite(c->margin_high) && !(r->outside + r->equilibrium <= KERNEL))
    return "margin_bounds[1]: the impulses are not a self-equilibrated state";
  return NULL;
}

// s* lies between what velocity and impulses prove; where everything rests and rounding is all that is
// left, it is called 0.
static const char *exact_margin_unproved(const claim *k) {
  const ss_certificate_report *r = k->r;
  double margin = k->c->margin, slack = blur(k), agree = AGREE * fmax(r->unit, fabs(margin));
  bool rest = margin == 0 && r->has_velocity && fabs(r->margin_low) <= AGREE * r->unit;
  if (!(r->has_velocity && fabs(margin - r->margin_low) <= agree))
    return "margin: is not that of the velocity";
  if (!(r->has_jamming && fabs(margin - r->margin_high) <= agree &&
        r->outside + r->equilibrium <= KERNEL))
    return "margin: is not what the impulses allow";
  double low = fmin(r->margin_low, r->margin_high), high = fmax(r->margin_low, r->margin_high);
  if (!rest && !(margin >= low - slack && margin <= high + slack))
    return "margin: is outside of what velocity and impulses prove";
  return NULL;
}

static const char *finite_margin_unproved(const claim *k) {
  const ss_certificate *c = k->c;
  const ss_certificate_report *r = k->r;
  double slack = blur(k), gap = fabs(r->margin_high - r->margin_low) / r->unit;
  if (k->is.every_w) return "margin: is infinite where the direction is right";
  if (c->margin_exact) {
    const char *what = exact_margin_unproved(k);
    if (what) return what;
  } else if (k->is.violated ? !(c->margin >= r->margin_high - slack)
                            : !(r->has_velocity && c->margin <= r->margin_low + slack)) {
    return "margin: is not a bound that the evidence gives";
  }
  bool reached = k->p->dim == 2 || gap * (1 + r->speed) <= ATTAINED;
  if (c->attained == SS_YES && !(c->margin_exact && reached)) return "attained: nothing shows it";
  if (c->attained == SS_NO && !(c->margin_exact && k->p->dim == 3 && gap * r->speed > ATTAINED))
    return "attained: nothing shows that it is not";
  return NULL;
}

static const char *margin_unproved(const claim *k) {
  const ss_certificate *c = k->c;
  if (isfinite(c->margin) && k->r->joints_blurred && (c->margin_exact || !k->is.violated))
    return "margin: no velocity is known to obey all joints";
  if (isfinite(c->margin)) return finite_margin_unproved(k);
  if (c->attained != SS_UNKNOWN) return "attained: no finite margin is";
  if (isnan(c->margin))
    return c->margin_exact ? "margin_exact: of a margin that is not said" : NULL;
  if (c->margin > 0 && !(c->for_every_w == SS_YES && k->is.every_w))
    return "margin: an infinite one needs a direction that separates all contacts";
  if (c->margin > 0) return NULL;
  if (k->r->has_velocity) return "margin: the velocity shows a larger one";
  return c->margin_exact && !k->is.none ? "margin_exact: nothing shows it" : NULL;
}

// ---- the numbers that go with the evidence -----------------------------------------------------

// The jamming contacts are those with r_N > JAMS of the largest; c->jamming is ascending.
static const char *jamming_unproved(const claim *k) {
  const ss_certificate *c = k->c;
  const ss_certificate_report *r = k->r;
  int64_t dim = k->p->dim;
  double most = 0, sum = 0;
  if (!c->impulse) return c->jamming_count ? "jamming.contacts: without impulses" : NULL;
  for (int64_t i = 0; i < k->p->nc; i++)
    most = fmax(most, c->impulse[dim * i]), sum += c->impulse[dim * i];
  if (!(fabs(sum - 1) <= SAME)) return "jamming.impulse: its normal parts do not sum to 1";
  if (!(fabs(c->work - r->margin_high) <= SAME * fabs(r->margin_high) + TIGHT * r->unit))
    return "jamming.work: is not that of the impulses";
  int next = 0;
  for (int i = 0; i < k->p->nc && c->jamming; i++) {
    double normal = c->impulse[dim * i] / most;
    bool listed = next < c->jamming_count && c->jamming[next] == i;
    next += listed;
    if (listed ? !(normal > JAMS * (1 - SAME)) : normal > JAMS * (1 + SAME))
      return "jamming.contacts: are not those with impulses";
  }
  return c->jamming && next < c->jamming_count ? "jamming.contacts: are not in order" : NULL;
}

// Numbers that are zero but for rounding agree where both are rounding.
static bool same_rest(double said, double found) {
  return isnan(said) || fabs(said - found) <= SAME * fabs(found) + 1e-13;
}

static const char *residuals_unproved(const claim *k) {
  ss_certificate_residuals found = ssi_certificate_residuals(k->r, &k->is);
  const ss_certificate_residuals *said = &k->c->residuals;
  if (!same_rest(said->primal, found.primal))
    return "residuals.primal: is not that of the velocity";
  if (!same_rest(said->dual, found.dual)) return "residuals.dual: is not that of the impulses";
  if (!same_rest(said->cone, found.cone)) return "residuals.cone: is not that of the evidence";
  if (!same_rest(said->gap, found.gap)) return "residuals.gap: is not that of the evidence";
  return NULL;
}

static const char *others_unproved(const claim *k) {
  const ss_certificate *c = k->c;
  const ss_certificate_report *r = k->r;
  if (c->solution && !k->is.solution) return "solution: is none";
  if (c->solution && !(r->solution_u <= SAME_VECTOR)) return "solution.u: is not what r gives";
  if (c->solution && !(r->solution_v <= SAME_VECTOR)) return "solution.v: is not what r gives";
  if (c->indefinite && !k->is.indefinite)
    return "indefinite.z: z.W z is not negative beyond rounding";
  if (c->indefinite && !(fabs(c->indefinite_value - r->indefinite) <= SAME * fabs(r->indefinite)))
    return "indefinite.value: is not z.W z";
  return NULL;
}

const char *ssi_certificate_missing(const ss_problem *p, const ss_certificate *c,
                                    const ss_certificate_report *r) {
  static const char *(*const questions[])(const claim *) = {
      verdict_unproved, criterion_unproved, condition_unproved, margin_unproved, bounds_unproved,
      jamming_unproved, residuals_unproved, others_unproved,    reason_unproved};
  claim k = of(p, c, r);
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    const char *what = questions[i](&k);
    if (what) return what;
  }
  return NULL;
}
