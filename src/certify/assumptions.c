// Which of the assumptions of [ACLM11, 4] hold, and what they say of the fixed point s = F(s):
//
//   (4.1)  some v has u_i inside K*_i where mu_i > 0, and u_i in K*_i elsewhere    (open where there is friction)
//   (4.4)  some v has all u_i in K*_i                                              criterion (A)
//   (4.6)  w.r >= 0 for all r in Ker H^T and K: w is in the closure of those w that satisfy (4.4)
//
// (4.1) implies (4.4) implies (4.6). All three are read off a certificate; nothing is searched for here.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "certify/certificate_check.h"
#include "certify/raw_motion.h"
#include "problem/check.h"
#include "problem/radius.h"

const char *ss_fixed_point_name(ss_fixed_point f) {
  static const char *const names[] = {"unknown", "exists", "solves"};
  return (unsigned)f < 3 ? names[f] : "unknown";
}

// The velocity of a certificate without margin: what is left of it where there is friction, without the other contacts.
static ss_error opens_friction(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                               bool *yes) {
  ssi_arena arena = {.ctx = ctx};
  ss_certificate only = {.velocity = c->velocity, .rank_tol = c->rank_tol};
  ss_certificate_report r;
  ssi_dd *u = SSI_TAKE(&arena, p->dim * p->nc + p->nl, ssi_dd);
  ss_error e = u ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the assumptions");
  if (!e) e = ssi_certificate_measure(ctx, p, &only, &r);
  if (!e) {
    double rounding = SSI_ROUNDING * (r.unit + ssi_raw_parts(p, c->velocity));
    ssi_raw_motion(p, c->velocity, false, u);
    *yes = !r.joints_blurred;
    for (int i = 0; i < p->nc && *yes; i++) {
      const ssi_dd *ui = u + (size_t)i * (size_t)p->dim;
      double slide = hypot(ui[1].hi, p->dim == 3 ? ui[2].hi : 0);
      double margin = ui[0].hi - p->mu[i] * slide;
      *yes = margin >= (p->mu[i] > 0 ? c->tol * r.unit + r.doubt * r.unit : -rounding);
    }
  }
  ssi_arena_release(&arena);
  return e;
}

// r in K with H^T r = 0, w.r = 0 and some friction to it: u.r = 0 for every v, but > 0 where u is inside K* there.
static bool touches_friction(const ss_problem *p, const ss_certificate *c) {
  bool touches = false;
  for (int i = 0; c->impulse && i < p->nc; i++)
    touches = touches || (p->mu[i] > 0 && c->impulse[(size_t)i * (size_t)p->dim] > 0);
  return touches && c->margin_high <= 0;
}

ss_error ss_certificate_assumptions(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                                    ss_assumptions *out) {
  if (!p || !c || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_certificate_assumptions: null argument");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  *out = (ss_assumptions){SS_UNKNOWN, SS_UNKNOWN, SS_UNKNOWN, SS_FIXED_POINT_UNKNOWN};
  bool opens = c->criterion_A == SS_CRITERION_ROBUST, outside = c->indefinite || c->load;
  if (c->criterion_A == SS_CRITERION_VIOLATED) {
    *out = (ss_assumptions){SS_NO, SS_NO, SS_NO, SS_FIXED_POINT_UNKNOWN};
  } else if (c->criterion_A != SS_CRITERION_UNDECIDED) {
    if (!opens && c->velocity) SS_TRY(opens_friction(ctx, p, c, &opens));
    out->open = opens ? SS_YES : touches_friction(p, c) ? SS_NO : SS_UNKNOWN;
    out->kinematic = out->closed = SS_YES;
    bool solves = (opens || p->dim == 2) && !outside;
    out->fixed_point = solves    ? SS_FIXED_POINT_SOLVES
                       : outside ? SS_FIXED_POINT_UNKNOWN
                                 : SS_FIXED_POINT_EXISTS;
  }
  return SS_OK;
}
