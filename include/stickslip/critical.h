// stickslip/critical.h - the friction coefficient at which uniqueness is lost, by four criteria.
//
// For 2D problems u = W r + q with W invertible (a stiffness problem K x = f + r; other degrees of
// freedom and bilateral constraints are condensed first). The question is about W alone: for which
// mu does every load q have exactly one solution? docs/multiplicity.md has the theory. All criteria
// look at determinants of contact patterns; they differ in the states that a contact may take:
//
//   bijective   free, stick, slip+, slip-              necessary and sufficient
//   pmatrix     the same and `cross` (r_N = 0, u_T = 0)  sufficient
//   andersson   as bijective, by (4^n - 2^n)/2 eigenvalue problems
//   simplified  stick, slip+, slip-                    necessary only
//
// so that mu_pmatrix <= mu_bijective = mu_andersson <= mu_simplified.
#pragma once

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_criterion {
  SS_BIJECTIVE,
  SS_PMATRIX,
  SS_ANDERSSON,
  SS_SIMPLIFIED,
  SS_CRITERIA  // how many
} ss_criterion;
SS_API const char *ss_criterion_name(ss_criterion c);       // "bijective", ...
SS_API const char *ss_criterion_condition(ss_criterion c);  // "necessary and sufficient", ...

typedef enum ss_pattern_state {
  SS_PATTERN_FREE,
  SS_PATTERN_STICK,
  SS_PATTERN_SLIP_PLUS,   // u_T > 0: r_T = -mu r_N
  SS_PATTERN_SLIP_MINUS,  // u_T < 0
  SS_PATTERN_CROSS,       // r_N = 0, u_T = 0: no state of Coulomb's law, but a principal minor
} ss_pattern_state;
SS_API const char *ss_pattern_state_name(ss_pattern_state s);  // "free", "slip+", ..., "cross"

typedef struct ss_critical_progress {
  ss_criterion criterion;
  double done;   // patterns looked at in the current pass over all patterns
  double total;  // patterns of such a pass
  double upper;  // smallest critical friction found so far
} ss_critical_progress;

typedef struct ss_critical_options {
  unsigned criteria;  // bit (1 << ss_criterion) for each one wanted; 0: all
  bool scale_mu;   // the answer multiplies the problem's own mu; else one common mu, theirs ignored
  int effort;      // a range after work worth 4^effort patterns (default 17)
  int sqp_starts;  // starting points of the optimisation of `simplified` (default 64; 0: none)
  uint64_t seed;   // of those, and of the searches for upper bounds
  double scan_step_deg;  // of ss_critical_published_compute (default 1)
  double time_limit_s;   // for all criteria together; what is unfinished then has a range
  int (*progress)(void *user, const ss_critical_progress *now);  // nonzero cancels
  void *user;
} ss_critical_options;
SS_API ss_critical_options ss_critical_options_default(void);

// The criterion holds for mu < lower and fails for mu >= upper. INFINITY: no root below 1e8.
typedef struct ss_critical_value {
  bool computed;
  bool exact;               // all patterns were looked at: upper - lower <= 1e-10 upper
  double mu, lower, upper;  // mu = upper where exact, else NAN
  const unsigned char
      *pattern;     // ss_pattern_state whose determinant vanishes at upper; NULL: none  (nc)
  double patterns;  // pattern determinants whose signs were settled; 0: none, by equivalence
} ss_critical_value;

typedef struct ss_critical {
  int contacts;
  int parts;      // connected parts of the contact graph; each is its own problem
  int largest;    // contacts of the largest part
  bool singular;  // W is not positive definite: never unique, every critical friction is 0
  bool doubtful;  // whether it is depends on less than the rounding of the data: nothing is known
  ss_critical_value value[SS_CRITERIA];
  double sqp;      // (59) by sequential quadratic programming: an upper bound; NAN: not run
  bool cancelled;  // by the callback
  bool late;       // the time limit ended it: values that are not exact have ranges
} ss_critical;

SS_API ss_error ss_critical_compute(ss_context *ctx, const ss_problem *p,
                                    const ss_critical_options *o, ss_critical **out);
SS_API void ss_critical_destroy(ss_critical *c);  // NULL allowed

// The signs at one mu: *holds, and where it does not, a pattern (nc; may be NULL) with a
// determinant that is not positive. Settles all patterns, however long it takes, until one fails;
// SS_ERR_UNSUPPORTED where time_limit_s or the callback ended that before it was known. SS_ANDERSSON is looked at as SS_BIJECTIVE. *patterns (may be NULL): how
// many patterns there are.
SS_API ss_error ss_critical_test(ss_context *ctx, const ss_problem *p, ss_criterion c, double mu,
                                 const ss_critical_options *o, bool *holds, unsigned char *pattern,
                                 double *patterns);

// The same over the 2^n patterns in which every contact slips, forwards or backwards [Agw20, 6.1]: an upper
// bound of the critical friction. pattern (nc) is filled. At most 24 contacts that hang together
// (SS_ERR_METHOD); time limit and callback leave an upper bound that is not exact.
SS_API ss_error ss_critical_all_slip(ss_context *ctx, const ss_problem *p,
                                     const ss_critical_options *o, ss_critical_value *out,
                                     unsigned char *pattern);

// What [Agw20] computes or states beside the criteria, each where the parts are small enough (NAN elsewhere); docs/agwa.md.
// INFINITY: no such friction below 1e8.
enum { SS_SCAN_CONTACTS = 2, SS_INTERVAL_CONTACTS = 6, SS_COPOSITIVE_CONTACTS = 10 };
typedef struct ss_critical_published {
  int contacts, parts, largest;
  double scan;       // (59) by a scan over the directions of the reactions ("Opt-Def"), refined
  double scan_grid;  // the same on the grid of scan_step_deg only
  const double *
      scan_angle_deg;  // of the reactions at `scan`, from the normal; NAN: not in that part; NULL: none   (nc)
  double interval;        // (55) to (57) on the interval hull of (54), as printed: <= mu_pmatrix
  double interval_tests;  // P-matrix tests it took
  double
      copositive;  // the matrix of (30) is copositive up to here (4.3); where the time was up, an upper bound,
  double copositive_lower;  // and this is what is proved; else the same number
  double copositive_faces;  // faces of the orthant that were looked at
  bool late;                // the time limit left something open
} ss_critical_published;

// SS_ERR_LINEAR: W is not positive definite.
SS_API ss_error ss_critical_published_compute(ss_context *ctx, const ss_problem *p,
                                              const ss_critical_options *o,
                                              ss_critical_published **out);
SS_API void ss_critical_published_destroy(ss_critical_published *r);  // NULL allowed

#ifdef __cplusplus
}
#endif
