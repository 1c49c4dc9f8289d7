// What the measured evidence of a certificate proves, and whether all that it claims is among that. Nothing
// here is used by the search, or comes from it.
#include <math.h>

#include "certify/certificate_check.h"

static const double INTERIOR = 1e-9;    // of a direction that separates all contacts
static const double FAR = 1e4;          // reach that excludes (A), global form
static const double FAR_NONE = 1e6;     // and (A')
static const double BEYOND = 1e3;       // reach over the speed of the best v that is known
static const double FAR_REDUCED = 100;  // W is rarely known to more than rank_tol
// What is left of a dof's balance where (A) or (A') is said to fail: rounding of the data, not rank_tol. More
// than that could be a real coefficient, and a fast enough motion along it would open all contacts.
static const double EXACTLY = 1e-11;  // (A')
static const double NEARLY = 1e-10;   // (A)
static const double NO_REST = 1e-30;  // (A') in the reduced form: W^T lambda = 0 as it stands
// Outside K* by this part of |w| is on its surface. The user's tolerance widens what is left undecided,
// never what passes for a solution.
static const double ON_SURFACE = 1e-9;
static const double BOUNDED = 1e-5;  // violation times speed at the boundary: see docs/existence.md
static const double JOINED = 1e-9;   // |G^T v + b| over unit

// ---- what follows --------------------------------------------------------------------------

// Nothing touches: only the constraints are left to obey.
static ssi_proved without_contacts(const ss_problem *p, const ss_certificate_report *r) {
  bool moves = p->nl == 0 || (r->has_velocity && r->equality <= JOINED);
  bool none = r->has_lambda && r->lambda_reach >= FAR_NONE && r->lambda_exactness <= EXACTLY;
  return (ssi_proved){
      .exists = moves, .robust = moves, .every_w = moves, .none = none, .parting = moves};
}

ssi_proved ssi_certificate_proves(const ss_problem *p, const ss_certificate *c,
                                  const ss_certificate_report *r) {
  ssi_proved is = {0};
  bool global = p->form == SS_GLOBAL;
  if (!(c->tol > 0 && c->tol < 1 && c->rank_tol >= 0 && c->rank_tol < 1)) return is;
  if (p->nc == 0) return without_contacts(p, r);
  double tol = c->tol * r->unit, far = global ? FAR : FAR_REDUCED;
  bool joined = r->has_velocity && r->equality <= JOINED;
  double short_of = r->doubt * r->unit - r->margin_low;  // > 0: may be this much outside
  is.robust = joined && -short_of > tol;
  is.exists = is.robust || (joined && short_of <= fmin(tol, ON_SURFACE * r->unit) &&
                            short_of * r->speed <= BOUNDED * r->unit);
  is.every_w = r->has_direction && r->interior >= INTERIOR && r->direction_equality <= JOINED &&
               r->image >= c->rank_tol;
  // where the supremum is only approached, velocities of any reach come as near to it as one likes
  if (global && r->has_velocity) far = fmax(far, BEYOND * r->speed);
  bool kernel = global ? r->equilibrium + r->outside <= NEARLY : r->equilibrium <= c->rank_tol;
  is.violated = r->has_jamming && r->margin_high < -tol && r->reach >= far && kernel;
  far = global ? FAR_NONE : FAR_REDUCED;
  // in the reduced form a kernel that is only nearly one excludes no large reactions
  double exactly = global ? EXACTLY : NO_REST;
  is.none = r->has_lambda && r->penetration < -tol && r->lambda_reach >= far &&
            r->lambda_exactness <= exactly;
  is.indefinite = r->indefinite;
  is.parting = is.exists || (r->has_parting && r->parting_low >= -fmin(tol, ON_SURFACE * r->unit) &&
                             r->parting_equality <= JOINED);
  return is;
}

// ---- the claims ----------------------------------------------------------------------------

static const double AGREE = 2e-7;     // of |w|: numbers that are called equal
static const double KERNEL = 1e-6;    // equilibrium and cone of a self-equilibrated state
static const double ATTAINED = 1e-4;  // gap times speed; a supremum that is only approached has ~ 1

static const char *verdict_unproved(const ss_certificate *c, const ssi_proved *is) {
  if (c->indefinite && !is->indefinite) return "z.W z is not negative beyond rounding";
  if (c->verdict == SS_EXISTS && is->indefinite)
    return "W is not semi-definite: criterion (A) proves nothing";
  if (c->verdict == SS_EXISTS && !is->exists) return "the velocity does not satisfy criterion (A)";
  if (c->verdict == SS_NONE && !is->none) return "the multipliers do not exclude a solution";
  if (c->criterion_A == SS_CRITERION_ROBUST && !is->robust)
    return "the velocity has no positive margin";
  if (c->criterion_A == SS_CRITERION_BOUNDARY && !is->exists)
    return "the velocity does not satisfy criterion (A)";
  if (c->criterion_A == SS_CRITERION_BOUNDARY && (is->robust || is->every_w))
    return "the velocity has more than no margin";
  if (c->criterion_A == SS_CRITERION_VIOLATED && !is->violated)
    return "the impulses do not exclude criterion (A)";
  if (c->criterion_A == SS_CRITERION_VIOLATED && c->verdict == SS_EXISTS)
    return "criterion (A) cannot be violated and prove existence";
  return NULL;
}

static const char *condition_unproved(const ss_certificate *c, const ss_certificate_report *r,
                                      const ssi_proved *is) {
  if (c->for_every_w == SS_YES && !is->every_w)
    return "the direction does not separate all contacts";
  if (c->for_every_w == SS_NO && !(r->has_jamming && r->outside + r->equilibrium <= KERNEL))
    return "the impulses are not a self-equilibrated state";
  if (c->a_prime == SS_YES && !is->parting) return "no velocity shows that (A') holds";
  if (c->a_prime == SS_NO && !is->none) return "the multipliers do not exclude (A')";
  return NULL;
}

static const char *reason_unproved(const ss_certificate *c, const ss_certificate_report *r,
                                   const ssi_proved *is, int nc) {
  bool fits = true;
  switch (c->reason) {
  case SS_REASON_ROBUST:
    fits = c->verdict == SS_EXISTS && is->robust;
    break;
  case SS_REASON_EVERY_W:
    fits = c->verdict == SS_EXISTS && is->every_w;
    break;
  case SS_REASON_BOUNDARY:
    fits = c->verdict == SS_EXISTS && c->criterion_A == SS_CRITERION_BOUNDARY;
    break;
  case SS_REASON_REST:
    fits = c->verdict == SS_EXISTS && r->slip <= ON_SURFACE;
    break;
  case SS_REASON_NO_CONTACTS:
    fits = c->verdict == SS_EXISTS && nc == 0;
    break;
  case SS_REASON_PENETRATION:
    fits = c->verdict == SS_NONE && c->lambda;
    break;
  case SS_REASON_BILATERAL:
    fits = c->verdict == SS_NONE && !c->lambda && c->lambda_l;
    break;
  case SS_REASON_INDEFINITE:
    fits = c->verdict == SS_UNDECIDED && is->indefinite;
    break;
  case SS_REASON_VIOLATED:
    fits = c->verdict == SS_UNDECIDED && is->violated;
    break;
  case SS_REASON_NOT_ATTAINED:
    fits = c->verdict == SS_UNDECIDED && c->attained == SS_NO &&
           c->criterion_A == SS_CRITERION_UNDECIDED;
    break;
  default:
    fits = c->verdict == SS_UNDECIDED;
  }
  return fits ? NULL : "the reason does not fit the verdict and its evidence";
}

static const char *margin_unproved(const ss_problem *p, const ss_certificate *c,
                                   const ss_certificate_report *r, const ssi_proved *is) {
  double slack = AGREE * fmax(r->unit, fabs(c->margin));
  double gap = fabs(r->margin_high - r->margin_low) / r->unit;
  if (!isfinite(c->margin) && c->attained != SS_UNKNOWN) return "no finite margin is attained";
  if (isinf(c->margin) && c->margin > 0)
    return c->for_every_w == SS_YES ? NULL
                                    : "an infinite margin needs a direction that separates all "
                                      "contacts";
  if (!isfinite(c->margin))  // joints that contradict each other, or may
    return !r->has_velocity && c->criterion_A == SS_CRITERION_UNDECIDED
               ? NULL
               : "the margin is not a number";
  if (c->for_every_w == SS_YES) return "the margin is infinite where the direction is right";
  if (c->margin_exact) {
    if (!(r->has_velocity && fabs(c->margin - r->margin_low) <= slack))
      return "the margin is not that of the velocity";
    if (!(r->has_jamming && fabs(c->margin - r->margin_high) <= slack &&
          r->outside + r->equilibrium <= KERNEL))
      return "the margin is not what the impulses allow";
  } else if (is->violated ? !(c->margin >= r->margin_high - slack)
                          : !(r->has_velocity && c->margin <= r->margin_low + slack)) {
    return "the margin is not a bound that the evidence gives";
  }
  bool reached = p->dim == 2 || gap * (1 + r->speed) <= ATTAINED;
  if (c->attained == SS_YES && !(c->margin_exact && reached))
    return "nothing shows that the margin is attained";
  if (c->attained == SS_NO && !(c->margin_exact && p->dim == 3 && gap * r->speed > ATTAINED))
    return "nothing shows that the margin is not attained";
  return NULL;
}

// The jamming contacts are those with an r_N worth naming; c->jamming is ascending.
static const char *jamming_unproved(const ss_problem *p, const ss_certificate *c,
                                    const ss_certificate_report *r) {
  double most = 0;
  if (!c->impulse) return NULL;
  if (!(fabs(c->work - r->margin_high) <= AGREE * fmax(r->unit, fabs(r->margin_high))))
    return "the work is not that of the impulses";
  for (int64_t i = 0; i < p->nc; i++) most = fmax(most, c->impulse[p->dim * i]);
  int next = 0;
  for (int i = 0; i < p->nc && c->jamming; i++) {
    double normal = c->impulse[(int64_t)p->dim * i];
    bool listed = next < c->jamming_count && c->jamming[next] == i;
    next += listed;
    if (listed ? !(normal > 0) : normal > KERNEL * most)
      return "the jamming contacts are not those with impulses";
  }
  return c->jamming && next < c->jamming_count ? "the jamming contacts are not in order" : NULL;
}

const char *ssi_certificate_missing(const ss_problem *p, const ss_certificate *c,
                                    const ss_certificate_report *r) {
  ssi_proved is = ssi_certificate_proves(p, c, r);
  const char *what = verdict_unproved(c, &is);
  if (!what) what = condition_unproved(c, r, &is);
  if (!what) what = margin_unproved(p, c, r, &is);
  if (!what) what = jamming_unproved(p, c, r);
  if (!what) what = reason_unproved(c, r, &is, p->nc);
  return what;
}
