// What the measured evidence of a certificate proves. Nothing here is used by the search, or comes from it.
#include <math.h>

#include "certify/certificate_check.h"
#include "problem/radius.h"

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
static const double BOUNDED = 1e-5;  // violation times speed at the boundary: see docs/existence.md
static const double JOINED = 1e-9;   // |G^T v + b| over unit, or over the margin where that is more
static const double SOLVED = 1e-9;   // error of a solution that proves that there is one
static const double NEGATIVE = 1e-14;  // z.W z below this part of its terms is not rounding of W

// ---- what follows --------------------------------------------------------------------------

// Nothing touches: only the constraints are left to obey.
static ssi_proved without_contacts(const ss_problem *p, const ss_certificate_report *r) {
  bool moves = p->nl == 0 || (r->has_velocity && r->equality <= JOINED && !r->joints_blurred);
  bool none = r->has_lambda && r->lambda_reach >= FAR_NONE && r->lambda_exactness <= EXACTLY;
  return (ssi_proved){
      .exists = moves, .robust = moves, .every_w = moves, .none = none, .parting = moves};
}

static ssi_proved of_motions(const ss_problem *p, const ss_certificate *c,
                             const ss_certificate_report *r) {
  ssi_proved is = {0};
  bool global = p->form == SS_GLOBAL;
  if (p->nc == 0) return without_contacts(p, r);
  double tol = c->tol * r->unit, far = global ? FAR : FAR_REDUCED;
  // closing G^T v + b = 0 costs about as much of the margin: a motion that outruns unit may miss it by more
  bool joined = r->has_velocity && r->equality <= JOINED * fmax(1, r->margin_low / r->unit) &&
                !r->joints_blurred;
  double short_of = r->doubt * r->unit - r->margin_low;  // > 0: may be this much outside
  is.robust = joined && -short_of > tol;
  // Outside of K* by no more than rounding of the data moves u = H v + w. The user's tolerance widens what is left
  // undecided, never what passes for a solution.
  is.exists = is.robust || (joined && r->off <= SSI_ROUNDING && short_of <= tol &&
                            short_of * r->speed <= BOUNDED * r->unit);
  is.every_w = r->has_direction && !r->joints_blurred && r->interior >= INTERIOR &&
               r->direction_equality <= JOINED && r->image >= c->rank_tol;
  // where the supremum is only approached, velocities of any reach come as near to it as one likes
  if (global && r->has_velocity) far = fmax(far, BEYOND * r->speed);
  // rank_tol is for W, which is rounded; the cone is known exactly in either form
  bool kernel = global ? r->equilibrium + r->outside <= NEARLY
                       : r->equilibrium <= c->rank_tol && r->outside <= NEARLY;
  is.violated = r->has_jamming && r->margin_high < -tol && r->reach >= far && kernel;
  far = global ? FAR_NONE : FAR_REDUCED;
  // in the reduced form a kernel that is only nearly one excludes no large reactions
  is.none = r->has_lambda && r->penetration < -tol && r->lambda_reach >= far &&
            r->lambda_exactness <= (global ? EXACTLY : NO_REST);
  is.parting = is.exists || (r->has_parting && r->parting_low >= 0 &&
                             r->parting_equality <= JOINED && !r->joints_blurred);
  return is;
}

ssi_proved ssi_certificate_proves(const ss_problem *p, const ss_certificate *c,
                                  const ss_certificate_report *r) {
  if (!(c->tol > 0 && c->tol < 1 && c->rank_tol >= 0 && c->rank_tol < 1)) return (ssi_proved){0};
  ssi_proved is = of_motions(p, c, r);
  is.contradictory = is.none && !c->lambda;
  is.solution = r->has_solution && r->solution_error <= SOLVED && r->solution_proves;
  is.indefinite = r->has_indefinite && r->indefinite < -NEGATIVE * r->indefinite_terms;
  return is;
}

ss_certificate_residuals ssi_certificate_residuals(const ss_certificate_report *r,
                                                   const ssi_proved *is) {
  double violation = is->exists ? fmax(0, -r->margin_low) / r->unit : 0;
  bool gap = r->has_jamming && r->has_velocity && !is->every_w;
  return (ss_certificate_residuals){
      .primal = r->equality,
      .dual = r->has_jamming ? r->equilibrium : 0,
      .cone = fmax(violation, r->has_jamming ? r->outside : 0),
      .gap = gap ? fabs(r->margin_high - r->margin_low) / r->unit : 0,
  };
}
